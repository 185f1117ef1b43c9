//===- InliningPropagate.cpp - Which calls of host code are inlined -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: what is inlined across modules is chosen by what it saves and what it
// costs, and is the same however the program is cut into partitions.
//
//   a.cpp  for (...) sum += get(v, i);     get: 6 instructions      inlined
//          log(v);                         log: 300, cold           not
//          setUp(v);                       setUp: 300, no other call: inlined,
//                                          its own code is not needed any more
//
// 1. collect: the direct calls that may be inlined; the others have a reason.
// 2. Components of the graph of these calls, callees first, so that a callee
//    has the size that it will have. In a component (a cycle of calls), the
//    call with the best ratio of time saved to growth first; what it does to
//    the sizes of caller and callee is seen by the calls that are left.
// 3. limitModules: of a module that would grow too much, the best calls only.
//
// Limits: growth by one call, more where much of the callee's time is saved
// (the call itself, constants as ipa-cp's clones count them); of a function; of
// a module. A function that nothing else uses is gone when its only call is
// inlined. A call that would inline a function into itself is left alone: LLVM
// does not inline what calls itself, so depth is bounded by one.
//
// Calls within a module are LLVM's inliner's business, which has seen them when
// the module was compiled and sees them again: they are limited here as to
// which bodies other partitions import, and cost no growth.
//
// A decision holds in every copy of the caller's body, as all facts do. GCC has
// one queue for the whole unit and decides in each inlined copy anew; here, a
// module's decisions depend on nothing but itself and what it calls, so that an
// edit elsewhere does not change them.
//
// Source: GCC's ipa-inline.cc (edge_badness, want_inline_small_function_p,
// caller_growth_limits, want_inline_function_to_all_callers_p); D. Chakrabarti,
// L. Lozano, X. Li, R. Hundt, S.-M. Liu: "Scalable High Performance
// Cross-Module Inlining", PACT 2004.
//
//===----------------------------------------------------------------------===//

#include "ipa/CloneGains.h"
#include "ipa/Inlining.h"

#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <map>
#include <queue>

using namespace llvm;

namespace gpulto {

namespace {

constexpr StringLiteral kPass = "gpulto-inline";
constexpr uint64_t kOnce = 256, kMaxFrequency = uint64_t(1) << 20;
/// Calls are worth 25 in LLVM's InlineCost.h, instructions 5.
constexpr uint64_t kCallTime = 5;
/// The call and the return.
constexpr uint64_t kCallSize = 2;

enum class Verdict : uint8_t {
  Undecided,
  Inlined,
  TooLarge,
  Cold,
  ForSize,
  Recursive,
  CallerFull,
  ModuleFull,
};

struct Body;

/// A call that may be inlined.
struct InlineEdge {
  Body *caller = nullptr;
  Body *callee = nullptr;
  uint32_t number = 0; ///< among the caller's calls
  uint32_t line = 0;
  uint32_t frequency = kOnce;
  /// Instructions that go with the call, and those of them, or of the callee,
  /// that a constant argument spares.
  uint32_t callSize = 0, constantGain = 0;
  bool isForeign = false; ///< the callee is of another module
  bool isOnlyUse = false;
  bool isForced = false; ///< alwaysinline
  bool isHinted = false;
  Verdict verdict = Verdict::Undecided;
  /// Instructions of time that each execution saves.
  uint64_t saved = 0;
  /// Instructions that the caller may grow.
  uint64_t allowed = 0;
  /// When it was decided.
  int64_t growth = 0;
  uint64_t merit = 0;
};

/// A function, as its callers will see it.
struct Body {
  GlobalId id = kNone;
  ModuleIndex module = 0;
  uint64_t ownSize = 0, size = 0; ///< IR instructions, and when inlined into
  uint64_t time = 0;              ///< IR instructions for each entry
  uint32_t component = 0;
  SmallVector<uint32_t, 0> edges;  ///< calls that may be inlined
  SmallVector<Body *, 0> callees;  ///< of these
  SmallVector<Body *, 0> carriers; ///< callers of its component that inlined it
  SmallVector<Body *, 0> inlined;  ///< what of its component it has inlined
};

} // namespace
} // namespace gpulto

template <> struct llvm::GraphTraits<gpulto::Body *> {
  using NodeRef = gpulto::Body *;
  using ChildIteratorType = gpulto::Body **;
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
      : context(context), program(context.program), params(context.params),
        callers(callers), gains(context, callers) {}

  void run();

private:
  void collect();
  void countUses();
  void addEdge(Body &caller, uint32_t number, const CallEdge &call);
  std::string whyNever(GlobalId caller, GlobalId callee,
                       const CallEdge &call) const;
  void estimate(InlineEdge &edge, const CallEdge &call);
  uint64_t constantGainOf(GlobalId callee, const CombinedModule &module,
                          const CallEdge &call);

  int64_t growthOf(const InlineEdge &edge) const;
  uint64_t meritOf(const InlineEdge &edge) const;
  uint64_t largestSize(const Body &body) const;
  bool reaches(const Body &from, const Body &to) const;
  bool growsTooMuch(const Body &body, uint64_t growth) const;
  void grow(Body &body, int64_t growth);
  Verdict judge(const InlineEdge &edge) const;
  void decide(InlineEdge &edge);
  void decideComponent(ArrayRef<Body *> component);
  void limitModules();
  void limitModule(uint64_t allowed, std::vector<InlineEdge *> &chosen);

  void record();
  void explain(const InlineEdge &edge) const;
  void addRemark(RemarkKind kind, StringRef name, GlobalId caller,
                 uint32_t line, std::string text) const;

  WpaContext &context;
  const CombinedSummary &program;
  const Params &params;
  const Callers &callers;
  CloneGains gains;
  std::vector<Body> bodies; // ascending ids
  DenseMap<GlobalId, Body *> bodyOf;
  /// Calls of each function by host code. Looked up only.
  DenseMap<GlobalId, uint32_t> uses;
  std::vector<InlineEdge> edges; // by caller, by number
};

} // namespace

//===----------------------------------------------------------------------===//
// Which calls may be inlined
//===----------------------------------------------------------------------===//

/// Returns why the call may not be inlined, whatever it saves; empty when it
/// may, "-" when there is nothing to say about it.
std::string Inliner::whyNever(GlobalId caller, GlobalId callee,
                              const CallEdge &call) const {
  constexpr uint32_t kFixed = kNaked | kReturnsTwice | kHasAsmLabels |
                              kBlockAddressTaken | kHasIndirectBranch;
  const FunctionSummary &function = *program.function(callee);
  if (program.symbol(callee).has(kKernelStub))
    return "-";
  if (program.jumpTarget(callee) != kNone)
    return "it is folded and jumps to what does the same";
  if (!program.isExact(callee))
    return "another definition may take its place";
  if (function.has(kNoInline) || (call.flags & kNoInlineSite))
    return "it is not to be inlined";
  if (function.has(kOptNone))
    return "it is not to be optimized";
  if (function.has(kVarArg))
    return "it has variable arguments";
  if (function.flags & kFixed)
    return "its body is not to be copied";
  if (program.moduleRef(callee).summary.codegenDigest !=
      program.moduleRef(caller).summary.codegenDigest)
    return "it is compiled with other options";
  return "";
}

/// Returns what the constants that \p call passes save in \p callee.
uint64_t Inliner::constantGainOf(GlobalId callee, const CombinedModule &module,
                                 const CallEdge &call) {
  uint64_t gain = 0;
  ArrayRef<ParameterRecord> formals = program.parameters(callee);
  for (auto [i, actual] :
       enumerate(slice(module.summary.jumpFunctions, call.arguments)))
    if (i < formals.size() &&
        (actual.kind == JumpFunction::Kind::Constant ||
         actual.kind == JumpFunction::Kind::Null ||
         actual.kind == JumpFunction::Kind::SymbolAddress))
      gain += gains.ofParameter(callee, i);
  return gain;
}

void Inliner::estimate(InlineEdge &edge, const CallEdge &call) {
  GlobalId callee = edge.callee->id;
  const FunctionSummary &function = *program.function(callee);
  const FunctionSummary &caller = *program.function(edge.caller->id);
  uint64_t arguments = program.parameters(callee).size();
  edge.line = call.line;
  edge.frequency = std::min<uint64_t>(call.frequency, kMaxFrequency);
  edge.callSize = kCallSize + arguments;
  // More than half of a body is never seen to fold.
  edge.constantGain = std::min<uint64_t>(
      constantGainOf(callee, program.moduleRef(edge.caller->id), call),
      edge.callee->ownSize / 2);
  edge.saved = kCallTime + arguments + edge.constantGain;
  edge.isForced =
      function.has(kAlwaysInline) || (call.flags & kAlwaysInlineSite);
  edge.isOnlyUse = uses.lookup(callee) == 1 &&
                   callers.unknown(callee) == UnknownCaller::None;
  edge.isHinted = edge.saved * 100 >=
                  (edge.callee->time + kCallTime) * params.inlineSpeedupPercent;
  edge.allowed = params.inlineInstructions;
  if (edge.isHinted)
    edge.allowed = edge.allowed * params.inlineHintPercent / 100;
  if ((call.flags & kColdSite) || function.has(kCold) ||
      context.decisions.isCold(callee) ||
      context.decisions.isCold(edge.caller->id))
    edge.verdict = Verdict::Cold;
  else if (caller.flags & (kOptSize | kMinSize))
    edge.verdict = Verdict::ForSize;
  if (edge.verdict != Verdict::Undecided)
    edge.allowed = 0;
}

void Inliner::addEdge(Body &caller, uint32_t number, const CallEdge &call) {
  GlobalId callee = program.definitionFor(caller.id, call.callee);
  Body *body = callee == kNone ? nullptr : bodyOf.lookup(callee);
  if (!body || body == &caller)
    return;
  bool isForeign = body->module != caller.module;
  std::string reason = whyNever(caller.id, callee, call);
  if (!reason.empty()) {
    if (isForeign && reason != "-")
      addRemark(RemarkKind::Missed, "NotInlined", caller.id, call.line,
                "'" + program.symbol(callee).name.str() +
                    "' is not inlined: " + reason);
    return;
  }
  InlineEdge edge;
  edge.caller = &caller;
  edge.callee = body;
  edge.number = number;
  edge.isForeign = isForeign;
  estimate(edge, call);
  // What is too large alone makes no cycles.
  if (judge(edge) == Verdict::Inlined)
    caller.edges.push_back(edges.size());
  else
    decide(edge);
  edges.push_back(edge);
}

void Inliner::countUses() {
  for (GlobalId id : callers.bodies()) {
    // Clones of the caller call, too.
    uint32_t copies = 1 + llvm::count_if(context.decisions.plansOf(id),
                                         [](const BodyPlan &plan) {
                                           return plan.clone != 0;
                                         });
    for (const CallEdge &call : slice(program.moduleRef(id).summary.calls,
                                      program.function(id)->calls))
      if (GlobalId callee = program.definitionFor(id, call.callee);
          callee != kNone)
        uses[callee] += copies;
  }
}

void Inliner::collect() {
  countUses();
  for (GlobalId id : callers.bodies()) {
    if (program.imageOf(id) != kHostImage || program.definition(id) != id)
      continue;
    const FunctionSummary &function = *program.function(id);
    Body &body = bodies.emplace_back();
    body.id = id;
    body.module = program.moduleOf(id);
    body.ownSize = body.size = function.instructionCount;
    body.time =
        function.timeCycles ? function.timeCycles : function.instructionCount;
  }
  for (Body &body : bodies)
    bodyOf[body.id] = &body;
  for (Body &body : bodies) {
    const FunctionSummary &function = *program.function(body.id);
    if (function.has(kOptNone) || program.jumpTarget(body.id) != kNone)
      continue;
    for (auto [number, call] : enumerate(
             slice(program.moduleRef(body.id).summary.calls, function.calls)))
      addEdge(body, number, call);
  }
}

//===----------------------------------------------------------------------===//
// Greedy choice
//===----------------------------------------------------------------------===//

/// Returns the instructions that the program grows by inlining \p edge now.
int64_t Inliner::growthOf(const InlineEdge &edge) const {
  int64_t gone = edge.callSize + edge.constantGain;
  return edge.isOnlyUse ? -gone : int64_t(edge.callee->size) - gone;
}

/// Returns time saved by growth and by the caller's size, in units of no
/// meaning: GCC's badness with the sign turned. Not by the growth that all
/// calls of the callee would cause: that is elsewhere.
uint64_t Inliner::meritOf(const InlineEdge &edge) const {
  int64_t growth = growthOf(edge);
  if (edge.isForced || growth <= 0)
    return UINT64_MAX;
  constexpr unsigned kScaleBits = 20;
  uint64_t cost = SaturatingMultiply<uint64_t>(
      growth, edge.caller->size + static_cast<uint64_t>(growth));
  return (edge.saved * edge.frequency << kScaleBits) / cost;
}

uint64_t Inliner::largestSize(const Body &body) const {
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
bool Inliner::reaches(const Body &from, const Body &to) const {
  SmallVector<const Body *, 8> worklist{&from};
  SmallPtrSet<const Body *, 8> seen{&from};
  while (!worklist.empty()) {
    const Body *body = worklist.pop_back_val();
    if (body == &to)
      return true;
    for (const Body *next : body->inlined)
      if (seen.insert(next).second)
        worklist.push_back(next);
  }
  return false;
}

/// How many copies of a body are followed through a cycle of calls.
static constexpr size_t kMaxCopies = 1000;

/// Returns whether \p body, or one of what has inlined it, would be too large.
bool Inliner::growsTooMuch(const Body &body, uint64_t growth) const {
  SmallVector<const Body *, 8> worklist{&body};
  DenseMap<const Body *, uint64_t> growths;
  for (size_t copies = 0; !worklist.empty(); ++copies) {
    const Body *next = worklist.pop_back_val();
    uint64_t &total = growths[next];
    total += growth;
    if (next->size + total > largestSize(*next) || copies > kMaxCopies)
      return true;
    worklist.append(next->carriers.begin(), next->carriers.end());
  }
  return false;
}

/// Notes that \p body has grown, and with it what has inlined it.
void Inliner::grow(Body &body, int64_t growth) {
  SmallVector<Body *, 8> worklist{&body};
  for (size_t copies = 0; !worklist.empty() && copies <= kMaxCopies; ++copies) {
    Body *next = worklist.pop_back_val();
    next->size = std::max<int64_t>(int64_t(next->size) + growth, 1);
    if (growth > 0)
      worklist.append(next->carriers.begin(), next->carriers.end());
  }
}

Verdict Inliner::judge(const InlineEdge &edge) const {
  int64_t growth = growthOf(edge);
  if (isInCycle(edge) && reaches(*edge.callee, *edge.caller))
    return Verdict::Recursive;
  if (edge.isForced)
    return Verdict::Inlined;
  if (growth > int64_t(edge.allowed))
    return edge.verdict == Verdict::Undecided ? Verdict::TooLarge
                                              : edge.verdict;
  int64_t copied = int64_t(edge.callee->size) - int64_t(edge.callSize);
  if ((edge.isForeign || edge.isOnlyUse) && copied > 0 &&
      growsTooMuch(*edge.caller, copied))
    return Verdict::CallerFull;
  return Verdict::Inlined;
}

void Inliner::decide(InlineEdge &edge) {
  edge.growth = growthOf(edge);
  edge.merit = meritOf(edge);
  edge.verdict = judge(edge);
  if (edge.verdict != Verdict::Inlined)
    return;
  if (isInCycle(edge))
    edge.caller->inlined.push_back(edge.callee);
  if (!edge.isForeign && !edge.isOnlyUse && !edge.isForced)
    return;
  grow(*edge.caller, int64_t(edge.callee->size) - int64_t(edge.callSize));
  if (isInCycle(edge))
    edge.callee->carriers.push_back(edge.caller);
}

/// Decides the calls of the functions of \p component, of which each may reach
/// each other; all their other callees have been decided.
void Inliner::decideComponent(ArrayRef<Body *> component) {
  struct Entry {
    uint64_t merit;
    uint32_t edge;
    bool operator<(const Entry &other) const {
      return std::tie(merit, other.edge) < std::tie(other.merit, edge);
    }
  };
  std::priority_queue<Entry> queue;
  for (const Body *body : component)
    for (uint32_t edge : body->edges)
      queue.push({meritOf(edges[edge]), edge});
  while (!queue.empty()) {
    Entry best = queue.top();
    queue.pop();
    // Sizes have grown since, so merits are at most what they were.
    uint64_t merit = meritOf(edges[best.edge]);
    if (merit < best.merit)
      queue.push({merit, best.edge});
    else
      decide(edges[best.edge]);
  }
}

/// Drops the worst of \p chosen, calls of functions of other modules, so that
/// their growth is at most \p allowed.
void Inliner::limitModule(uint64_t allowed, std::vector<InlineEdge *> &chosen) {
  llvm::stable_sort(chosen, [](const InlineEdge *a, const InlineEdge *b) {
    return a->merit > b->merit;
  });
  uint64_t grown = 0;
  for (InlineEdge *edge : chosen) {
    if (edge->growth <= 0 || edge->isForced)
      continue;
    if (grown + edge->growth > allowed)
      edge->verdict = Verdict::ModuleFull;
    else
      grown += edge->growth;
  }
}

void Inliner::limitModules() {
  std::map<ModuleIndex, uint64_t> sizes;
  for (const Body &body : bodies)
    sizes[body.module] += body.ownSize;
  std::map<ModuleIndex, std::vector<InlineEdge *>> chosen;
  for (InlineEdge &edge : edges)
    if (edge.verdict == Verdict::Inlined && edge.isForeign)
      chosen[edge.caller->module].push_back(&edge);
  for (auto &[module, calls] : chosen)
    limitModule(std::max<uint64_t>(sizes[module],
                                   params.inlineLargeModuleInstructions) *
                    params.inlineModuleGrowthPercent / 100,
                calls);
}

void Inliner::run() {
  collect();
  Body root;
  for (Body &body : bodies) {
    root.callees.push_back(&body);
    for (uint32_t edge : body.edges)
      body.callees.push_back(edges[edge].callee);
  }
  uint32_t number = 0;
  for (auto component = scc_begin(&root); !component.isAtEnd(); ++component) {
    ++number;
    for (Body *body : *component)
      body->component = number;
    if (component->front() != &root)
      decideComponent(*component);
  }
  limitModules();
  record();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void Inliner::record() {
  Decisions &decisions = context.decisions;
  decisions.inlined.resize(program.symbolCount());
  for (const InlineEdge &edge : edges) {
    if (edge.isForeign)
      explain(edge);
    if (edge.verdict != Verdict::Inlined)
      continue;
    decisions.inlined.set(edge.callee->id);
    decisions.inlinedCalls[edge.caller->id].push_back(
        {edge.number, edge.callee->id, edge.isOnlyUse});
  }
}

void Inliner::addRemark(RemarkKind kind, StringRef name, GlobalId caller,
                        uint32_t line, std::string text) const {
  if (!context.diagnostics.wantsRemark(kind, kPass))
    return;
  Remark remark = remarkOn(program, caller);
  remark.kind = kind;
  remark.pass = kPass.str();
  remark.name = name.str();
  remark.where.line = line;
  remark.text = std::move(text);
  context.diagnostics.remark(std::move(remark));
}

static std::string describe(Verdict verdict) {
  switch (verdict) {
  case Verdict::TooLarge:
    return "it is too large";
  case Verdict::Cold:
    return "the call is cold, and code would grow";
  case Verdict::ForSize:
    return "the caller is optimized for size, and would grow";
  case Verdict::Recursive:
    return "it would be inlined into itself";
  case Verdict::CallerFull:
    return "the caller would become too large";
  case Verdict::ModuleFull:
    return "other calls are worth the growth of the module more";
  case Verdict::Undecided:
  case Verdict::Inlined:
    break;
  }
  return "";
}

void Inliner::explain(const InlineEdge &edge) const {
  bool isInlined = edge.verdict == Verdict::Inlined;
  RemarkKind kind = isInlined ? RemarkKind::Passed : RemarkKind::Missed;
  if (!context.diagnostics.wantsRemark(kind, kPass))
    return;
  std::string text = "'" + program.symbol(edge.callee->id).name.str() + "' is ";
  text += isInlined ? "inlined into '" : "not inlined into '";
  text += program.symbol(edge.caller->id).name.str() + "': ";
  if (!isInlined)
    text += describe(edge.verdict) + "; ";
  else if (edge.isForced)
    text += "it asks for it; ";
  else if (edge.isOnlyUse)
    text += "nothing else uses it; ";
  text += "growth " + std::to_string(edge.growth) + " of at most " +
          std::to_string(edge.allowed) + " instructions, " +
          std::to_string(edge.saved) + " saved by each of " +
          std::to_string(edge.frequency / kOnce) + "." +
          std::to_string(edge.frequency % kOnce * 10 / kOnce) +
          " executions for each entry";
  if (edge.constantGain)
    text += ", " + std::to_string(edge.constantGain) + " of them by constants";
  addRemark(kind, isInlined ? "Inlined" : "NotInlined", edge.caller->id,
            edge.line, std::move(text));
}

void propagateInlining(WpaContext &context, const Callers &callers) {
  Inliner(context, callers).run();
}

} // namespace gpulto
