//===- InliningPropagate.cpp - Which calls of host code are inlined -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: choose what to inline across modules by savings and costs, independent
// of how the program is cut into partitions.
//
//   a.cpp  for (...) sum += get(v, i);     get: 6 instructions      inlined
//          log(v);                         log: 300, cold           not
//          setUp(v);                       setUp: 300, no other call: inlined,
//                                          its own code is not needed any more
//
// 1. collectInlineCalls (ipa/inlining/InlineCallsPropagate.cpp): the direct
//    calls that may be inlined, with what each saves and costs; others have a
//    reason.
// 2. Components of the graph of these calls, callees first, so that a callee
//    has the size that it will have. In a component (a cycle of calls), the
//    call with the best ratio of time saved to growth first; the remaining
//    calls see its effect on the sizes of caller and callee.
// 3. limitModules: keeps only the best calls of a module that would grow too
//    much.
//
// Limits: growth by one call, more where much of the callee's time is saved
// (the call itself, constants as ipa-cp's clones count them); of a function; of
// a module. A function without other uses disappears when its only call is
// inlined. A call that would inline a function into itself through another is
// left alone; ipa/inlining/InlineRecursionPropagate.cpp handles direct
// recursion, which LLVM's inliner does not inline.
//
// LLVM's inliner handles calls within a module: it saw them when the module was
// compiled and sees them again. Here they are limited only for the bodies that
// other partitions import, and cost no growth.
//
// A decision holds in every copy of the caller's body, as all facts do. GCC has
// one queue for the whole unit and decides again in each inlined copy; here, a
// module's decisions depend only on itself and its callees, so an edit
// elsewhere does not change them.
//
// Source: GCC's ipa-inline.cc (edge_badness, want_inline_small_function_p,
// caller_growth_limits, want_inline_function_to_all_callers_p); D. Chakrabarti,
// L. Lozano, X. Li, R. Hundt, S.-M. Liu: "Scalable High Performance
// Cross-Module Inlining", PACT 2004.
//
//===----------------------------------------------------------------------===//

#include "ipa/inlining/InlineCalls.h"
#include "summary/CombinedModule.h"
#include "support/Parallel.h"

#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <queue>
#include <utility>

using namespace llvm;

template <> struct llvm::GraphTraits<gpulto::InlineBody *> {
  using NodeRef = gpulto::InlineBody *;
  using ChildIteratorType = gpulto::InlineBody **;
  static NodeRef getEntryNode(NodeRef node) { return node; }
  static ChildIteratorType child_begin(NodeRef node) {
    return node->callees.begin();
  }
  static ChildIteratorType child_end(NodeRef node) {
    return node->callees.end();
  }
};

namespace gpulto {

namespace {

class Inliner {
public:
  Inliner(WpaContext &context, const Callers &callers)
      : context(context), params(context.params),
        graph(collectInlineCalls(context, callers)) {}

  std::vector<InlineOutcome> run();

private:
  uint64_t meritOf(const InlineEdge &edge) const;
  uint64_t largestSize(const InlineBody &body) const;
  bool reaches(const InlineBody &from, const InlineBody &to) const;
  bool growsTooMuch(const InlineBody &body, uint64_t growth) const;
  void grow(InlineBody &body, int64_t growth);
  InlineVerdict judge(const InlineEdge &edge) const;
  void decide(InlineEdge &edge);
  void decideRecursions();
  void dropHopeless();
  void listEdges();
  void decideComponent(ArrayRef<InlineBody *> component);
  void decideComponents();
  void limitModules();
  void limitModule(uint64_t allowed, MutableArrayRef<InlineEdge *> chosen);
  std::vector<InlineOutcome> record();

  WpaContext &context;
  const Params &params;
  InlineGraph graph;
  /// By caller: the calls that may be inlined, and what they enter.
  std::vector<InlineEdge *> edges;
  std::vector<InlineBody *> callees;
};

} // namespace

/// Returns time saved by growth and by the caller's size, in units of no
/// meaning: GCC's badness with the sign turned. Not by the growth that all
/// calls of the callee would cause: that is elsewhere.
uint64_t Inliner::meritOf(const InlineEdge &edge) const {
  int64_t growth = edge.growth();
  if (edge.outcome.isForced || growth <= 0)
    return UINT64_MAX;
  constexpr unsigned kScaleBits = 20;
  uint64_t cost = SaturatingMultiply<uint64_t>(
      growth, edge.caller->size + static_cast<uint64_t>(growth));
  return (edge.outcome.saved * edge.outcome.frequency << kScaleBits) / cost;
}

uint64_t Inliner::largestSize(const InlineBody &body) const {
  uint64_t base =
      std::max<uint64_t>(body.ownSize, params.inlineLargeFunctionInstructions);
  return base + base * params.inlineLargeFunctionGrowthPercent / 100;
}

/// Returns whether the callee may reach the caller; not before components are
/// known.
static bool isInCycle(const InlineEdge &edge) {
  return edge.caller->component &&
         edge.caller->component == edge.callee->component;
}

/// Returns whether \p from has inlined \p to, by calls of their component.
bool Inliner::reaches(const InlineBody &from, const InlineBody &to) const {
  SmallVector<const InlineBody *, 8> worklist{&from};
  SmallPtrSet<const InlineBody *, 8> seen{&from};
  while (!worklist.empty()) {
    const InlineBody *body = worklist.pop_back_val();
    if (body == &to)
      return true;
    for (const InlineBody *next : body->inlined)
      if (seen.insert(next).second)
        worklist.push_back(next);
  }
  return false;
}

/// How many copies of a body are followed through a cycle of calls.
static constexpr size_t kMaxCopies = 1000;

/// Returns whether \p body, or one of what has inlined it, would be too large.
bool Inliner::growsTooMuch(const InlineBody &body, uint64_t growth) const {
  SmallVector<const InlineBody *, 8> worklist{&body};
  DenseMap<const InlineBody *, uint64_t> growths;
  for (size_t copies = 0; !worklist.empty(); ++copies) {
    const InlineBody *next = worklist.pop_back_val();
    uint64_t &total = growths[next];
    total += growth;
    if (next->size + total > largestSize(*next) || copies > kMaxCopies)
      return true;
    worklist.append(next->carriers.begin(), next->carriers.end());
  }
  return false;
}

/// Notes that \p body has grown, and with it what has inlined it.
void Inliner::grow(InlineBody &body, int64_t growth) {
  SmallVector<InlineBody *, 8> worklist{&body};
  for (size_t copies = 0; !worklist.empty() && copies <= kMaxCopies; ++copies) {
    InlineBody *next = worklist.pop_back_val();
    next->size = std::max<int64_t>(int64_t(next->size) + growth, 1);
    if (growth > 0)
      worklist.append(next->carriers.begin(), next->carriers.end());
  }
}

InlineVerdict Inliner::judge(const InlineEdge &edge) const {
  int64_t growth = edge.growth();
  if (isInCycle(edge) && reaches(*edge.callee, *edge.caller))
    return InlineVerdict::Recursive;
  if (edge.outcome.isForced)
    return InlineVerdict::Inlined;
  if (growth > int64_t(edge.outcome.allowed))
    return edge.outcome.verdict == InlineVerdict::Undecided
               ? InlineVerdict::TooLarge
               : edge.outcome.verdict;
  int64_t copied = int64_t(edge.callee->size) - int64_t(edge.callSize());
  if ((edge.isForeign() || edge.outcome.isOnlyUse) && copied > 0 &&
      growsTooMuch(*edge.caller, copied))
    return InlineVerdict::CallerFull;
  return InlineVerdict::Inlined;
}

void Inliner::decide(InlineEdge &edge) {
  edge.outcome.growth = edge.growth();
  edge.merit = meritOf(edge);
  edge.outcome.verdict = judge(edge);
  if (edge.outcome.verdict != InlineVerdict::Inlined)
    return;
  if (isInCycle(edge))
    edge.caller->inlined.push_back(edge.callee);
  if (!edge.isForeign() && !edge.outcome.isOnlyUse && !edge.outcome.isForced)
    return;
  grow(*edge.caller, int64_t(edge.callee->size) - int64_t(edge.callSize()));
  if (isInCycle(edge))
    edge.callee->carriers.push_back(edge.caller);
}

/// Decides how often functions are inlined into themselves.
void Inliner::decideRecursions() {
  SmallVector<InlineEdge *, 8> calls; // of one function of itself
  for (auto [i, edge] : enumerate(graph.edges)) {
    if (edge.isSelf())
      calls.push_back(&edge);
    bool isLast =
        i + 1 == graph.edges.size() || graph.edges[i + 1].caller != edge.caller;
    if (!isLast || calls.empty())
      continue;
    RecursiveInlining recursion = decideRecursion(*edge.caller, calls, params);
    if (recursion.copies)
      context.decisions.recursions[edge.caller->id] = std::move(recursion);
    calls.clear();
  }
}

/// Decides the calls that are too large alone: they make no cycles.
void Inliner::dropHopeless() {
  forEachPiece(context.threads, graph.edges.size(),
               [&](size_t begin, size_t end) {
                 for (InlineEdge &edge :
                      MutableArrayRef(graph.edges).slice(begin, end - begin))
                   if (edge.isOpen && !edge.isSelf() &&
                       judge(edge) != InlineVerdict::Inlined) {
                     decide(edge); // changes nothing else
                     edge.isOpen = false;
                   }
               });
}

/// Gives bodies the lists of their calls.
void Inliner::listEdges() {
  for (InlineEdge &edge : graph.edges)
    if (edge.isOpen && !edge.isSelf()) {
      edges.push_back(&edge);
      callees.push_back(edge.callee);
    }
  for (size_t begin = 0, i = 1; i <= edges.size(); ++i) {
    if (i < edges.size() && edges[i]->caller == edges[begin]->caller)
      continue;
    InlineBody &body = *edges[begin]->caller;
    body.edges = ArrayRef(edges).slice(begin, i - begin);
    body.callees = MutableArrayRef(callees).slice(begin, i - begin);
    begin = i;
  }
}

/// Decides the calls of the functions of \p component, of which each may reach
/// each other; all their other callees have been decided.
void Inliner::decideComponent(ArrayRef<InlineBody *> component) {
  struct Entry {
    uint64_t merit;
    size_t number; // of graph.edges
    bool operator<(const Entry &other) const {
      return std::pair(merit, ~number) < std::pair(other.merit, ~other.number);
    }
  };
  std::vector<Entry> entries;
  for (const InlineBody *body : component)
    for (const InlineEdge *edge : body->edges)
      entries.push_back({meritOf(*edge), size_t(edge - graph.edges.data())});
  // Most merits are still what they were when it is their turn: a queue of all
  // would be slower.
  llvm::sort(entries);
  std::priority_queue<Entry> fallen;
  while (!entries.empty() || !fallen.empty()) {
    bool isFallen =
        entries.empty() || (!fallen.empty() && entries.back() < fallen.top());
    Entry best = isFallen ? fallen.top() : entries.back();
    isFallen ? fallen.pop() : entries.pop_back();
    // Sizes have grown since, so merits are at most what they were.
    InlineEdge &edge = graph.edges[best.number];
    uint64_t merit = meritOf(edge);
    if (merit < best.merit)
      fallen.push({merit, best.number});
    else
      decide(edge);
  }
}

/// Decides the calls of each component after those of what it calls. Functions
/// without such calls have nothing to decide.
void Inliner::decideComponents() {
  std::vector<InlineBody *> roots;
  for (InlineBody &body : graph.bodies)
    if (!body.edges.empty())
      roots.push_back(&body);
  InlineBody root;
  root.callees = roots;
  uint32_t number = 0;
  for (auto component = scc_begin(&root); !component.isAtEnd(); ++component) {
    ++number;
    for (InlineBody *body : *component)
      body->component = number;
    if (component->front() != &root)
      decideComponent(*component);
  }
}

/// Drops the worst of \p chosen, calls of functions of other modules, so that
/// their growth is at most \p allowed.
void Inliner::limitModule(uint64_t allowed,
                          MutableArrayRef<InlineEdge *> chosen) {
  llvm::stable_sort(chosen, [](const InlineEdge *a, const InlineEdge *b) {
    return a->merit > b->merit;
  });
  uint64_t grown = 0;
  for (InlineEdge *edge : chosen) {
    if (edge->outcome.growth <= 0 || edge->outcome.isForced)
      continue;
    if (grown + edge->outcome.growth > allowed)
      edge->outcome.verdict = InlineVerdict::ModuleFull;
    else
      grown += edge->outcome.growth;
  }
}

void Inliner::limitModules() {
  std::vector<uint64_t> sizes(context.program.modules().size());
  for (const InlineBody &body : graph.bodies)
    sizes[body.module] += body.ownSize;
  std::vector<InlineEdge *> chosen;
  for (InlineEdge *edge : edges)
    if (edge->outcome.isInlined() && edge->isForeign())
      chosen.push_back(edge);
  // Callers of one module are neighbors.
  for (size_t begin = 0, i = 1; i <= chosen.size(); ++i) {
    ModuleIndex module = chosen[begin]->caller->module;
    if (i < chosen.size() && chosen[i]->caller->module == module)
      continue;
    limitModule(std::max<uint64_t>(sizes[module],
                                   params.inlineLargeModuleInstructions) *
                    params.inlineModuleGrowthPercent / 100,
                MutableArrayRef(chosen).slice(begin, i - begin));
    begin = i;
  }
}

/// Records the decisions, and returns their outcomes.
std::vector<InlineOutcome> Inliner::record() {
  Decisions &decisions = context.decisions;
  GlobalId symbols = context.program.symbolCount();
  decisions.inlined.resize(symbols);
  decisions.firstInlinedCall.reserve(symbols + 1);
  for (const InlineEdge *edge : edges) {
    if (!edge->outcome.isInlined())
      continue;
    decisions.firstInlinedCall.resize(
        std::max<size_t>(decisions.firstInlinedCall.size(),
                         edge->caller->id + 1),
        decisions.inlinedCalls.size());
    decisions.inlinedCalls.push_back(
        {edge->number, edge->callee->id, edge->outcome.isOnlyUse});
    decisions.inlined.set(edge->callee->id);
  }
  decisions.firstInlinedCall.resize(symbols + 1, decisions.inlinedCalls.size());
  std::vector<InlineOutcome> outcomes;
  for (const InlineEdge &edge : graph.edges)
    if (edge.isForeign() || edge.isSelf())
      outcomes.push_back(edge.outcome);
  explainInlining(context, outcomes);
  return outcomes;
}

std::vector<InlineOutcome> Inliner::run() {
  decideRecursions();
  dropHopeless();
  listEdges();
  decideComponents();
  limitModules();
  return record();
}

std::vector<InlineOutcome> chooseInlining(WpaContext &context,
                                          const Callers &callers) {
  return Inliner(context, callers).run();
}

} // namespace gpulto
