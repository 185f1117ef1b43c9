//===- TransfersPropagate.cpp - Copies that need not be (WPA) -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: make no copy whose bytes are there already, or that nobody reads.
//
//   for (...) { copy(d, h, n); k<<<...>>>(d, out); copy(r, out, n); use(r); }
//   -> the first copy is made in the first round only, if nobody writes h
//
//  1. Premises      of the whole program: no unseen code works on the device
//                   (DeviceOrder), no function returns twice.
//  2. TransferGraph, TransferFacts
//  3. findVerdicts  redundant copies, in every way into their function; then
//                   those that are made again in a loop; then dead ones, until
//                   there are no more. What goes changes no byte that is read:
//                   a redundant copy writes what is there, and a dead one is
//                   found dead with all others gone that are gone. Then those
//                   that a loop need not have made before it is left. Last,
//                   those for which the program can note whether somebody has
//                   written (CopyRecord).
//  4. What a copy did besides stays (CopyAction).
//
// Remarks say of each copy what becomes of it, or who needs it.
//
//===----------------------------------------------------------------------===//

#include "ipa/bodies/Passes.h"
#include "ipa/runtime/HostLibrary.h"
#include "ipa/transfers/CopyRecords.h"
#include "ipa/transfers/SymbolValues.h"
#include "ipa/transfers/TransferFacts.h"
#include "ipa/transfers/TransferWaits.h"
#include "summary/CombinedModule.h"
#include "summary/Remarks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

#include <map>
#include <set>

using namespace llvm;

namespace gpulto {

namespace {

/// A copy in the program: function and call.
using Site = std::pair<GlobalId, uint32_t>;

struct SiteState {
  /// Its nodes, one for each way into the function.
  std::vector<uint32_t> nodes;
  TransferVerdict verdict = TransferVerdict::Needed;
  uint32_t loopDepth = 0;
  /// Whether it could have a record; which one it has.
  bool mayRecord = false;
  uint32_t record = kNone;
};

class TransfersPass {
public:
  TransfersPass(WpaContext &context, const Callers &callers,
                const KnownValues &values)
      : context(context), program(context.program), callers(callers),
        values(values), order(orderOf()) {}

  void run();

private:
  using Sites = std::map<Site, SiteState>;

  const DeviceOrder &orderOf();
  void findSites();
  std::string whyNothing() const;
  void findVerdicts(const TransferGraph &graph, const TransferFacts &facts);
  void findRepeated(const TransferFacts &facts, const Site &site,
                    SiteState &state);
  void findLast(const TransferGraph &graph, const TransferFacts &facts);
  void findRecorded(const TransferGraph &graph, const TransferFacts &facts);
  void addRecord(const CopyRecord &record, ArrayRef<Site> copies);
  bool findDead(const TransferGraph &graph, const TransferFacts &facts,
                const Site &site, SiteState &state);
  bool isDead(const TransferGraph &graph, const TransferFacts &facts,
              uint32_t node) const;
  bool mayChange(const TransferGraph &graph, const Site &site) const;
  CopyAction actionOf(const Site &site, bool isOnce) const;
  void decide(const Site &site, const SiteState &state);
  void decideRecords();
  std::vector<BodyPlan> &plansOf(GlobalId id);
  std::string reasonOf(const TransferGraph &graph, const TransferFacts &facts,
                       const Site &site, const SiteState &state) const;
  std::string whyNotOnce(const TransferGraph &graph, uint32_t node) const;
  std::string pageable(const TransferGraph &graph, uint32_t object) const;
  std::string adviceOn(const TransferGraph &graph,
                       const SiteState &state) const;
  std::string partRead(const TransferGraph &graph, const TransferFacts &facts,
                       const Site &site, const SiteState &state) const;
  void report(const Site &site, const RuntimeFunction &function,
              TransferVerdict verdict, std::string reason);
  const CallEdge &callOf(const Site &site) const {
    return program.calls(site.first)[site.second];
  }
  const RuntimeFunction *functionOf(GlobalId caller,
                                    const CallEdge &call) const;

  WpaContext &context;
  const CombinedSummary &program;
  const Callers &callers;
  const KnownValues &values;
  std::optional<DeviceOrder> ownOrder;
  const DeviceOrder &order;
  Sites sites;
  /// Nothing: variables of the device may be there twice, or are not seen.
  std::optional<SymbolValues> symbols;
  /// Nodes: copies that are not made, and that are made in a first round only.
  BitVector removed, doubtful;
  /// What code does to records, and how many there are.
  std::map<CopyRecord::Place, RecordUse> recordUses;
  uint32_t recordCount = 0;
  bool ownsKept = true;
  /// Memory may become page-locked that something else has allocated.
  bool mayLockPages = false;
};

} // namespace

/// Returns how work on the device is ordered, which is known if a kernel asked.
const DeviceOrder &TransfersPass::orderOf() {
  if (const DeviceOrder *known = values.unwritten.deviceOrder())
    return *known;
  return ownOrder.emplace(context, callers, values.solver);
}

/// Returns what is known of the copying function that \p call of \p caller
/// calls, or null.
const RuntimeFunction *TransfersPass::functionOf(GlobalId caller,
                                                 const CallEdge &call) const {
  if (call.callee == kNone ||
      program.definitionFor(caller, call.callee) != kNone)
    return nullptr;
  const RuntimeFunction *function = findRuntimeFunction(
      program.moduleRef(caller).summary.symbols[call.callee].name);
  return function && function->target != RuntimeFunction::kNone ? function
                                                                : nullptr;
}

void TransfersPass::findSites() {
  for (GlobalId id : callers.bodies()) {
    if (program.imageOf(id) != kHostImage)
      continue;
    ArrayRef<CallEdge> calls = program.calls(id);
    for (auto [number, call] : enumerate(calls))
      if (functionOf(id, call))
        sites[{id, static_cast<uint32_t>(number)}];
  }
}

/// Whether \p name makes another thread of control, which may access memory at
/// any time.
static bool startsThread(StringRef name) {
  static const StringSet<> kNames = {
      "pthread_create", "thrd_create", "fork",         "vfork",  "clone",
      "signal",         "sigaction",   "timer_create", "__clone"};
  return kNames.contains(name) || name.contains("_M_start_thread") ||
         name.starts_with("aio_");
}

/// Whether \p name makes memory page-locked that others have allocated.
static bool locksPages(StringRef name) {
  return name == "cudaHostRegister" || name.starts_with("cuMemHostRegister") ||
         name == "mlock" || name == "mlockall";
}

static bool returnsTwice(StringRef name) {
  static const StringSet<> kNames = {"setjmp",      "_setjmp",    "sigsetjmp",
                                     "__sigsetjmp", "getcontext", "vfork"};
  return kNames.contains(name);
}

/// Returns why no copy can be known not to be needed, as a clause; empty if
/// that is not so.
std::string TransfersPass::whyNothing() const {
  if (!order.isKnown())
    return order.whyNotKnown().str();
  StringRef twice = usedName(program, returnsTwice);
  return twice.empty() ? "" : "the program uses '" + twice.str() + "'";
}

/// Whether some copy of \p state is known to fail.
static bool fails(const TransferGraph &graph, const SiteState &state) {
  return any_of(state.nodes,
                [&](uint32_t node) { return graph.fails(graph.nodes[node]); });
}

/// Whether all that runs of \p site is among the nodes, and nothing but its
/// bytes would be missed.
bool TransfersPass::mayChange(const TransferGraph &graph,
                              const Site &site) const {
  constexpr uint8_t kLeastLevel = 2;
  // A copy of rows has no single size that could be less.
  bool hasSize =
      functionOf(site.first, callOf(site))->bytes != RuntimeFunction::kNone;
  return !graph.hasOtherEntries(site.first) &&
         !program.function(site.first)->has(kOptNone) &&
         program.moduleRef(site.first).summary.optLevel >= kLeastLevel &&
         (hasSize || actionOf(site, false) != CopyAction::Shrink) &&
         !fails(graph, sites.at(site));
}

/// Returns the depth of the loop, from 1, that \p find returns for all nodes of
/// \p state, the innermost one; 0 if it finds none for some.
static uint32_t
loopDepthOf(const SiteState &state,
            function_ref<std::optional<uint32_t>(uint32_t)> find) {
  uint32_t depth = 0;
  for (uint32_t node : state.nodes) {
    std::optional<uint32_t> found = find(node);
    if (!found)
      return 0;
    depth = std::max(depth, *found);
  }
  return depth;
}

void TransfersPass::findVerdicts(const TransferGraph &graph,
                                 const TransferFacts &facts) {
  removed.resize(graph.nodes.size());
  doubtful.resize(graph.nodes.size());
  for (auto &[site, state] : sites)
    if (!state.nodes.empty() && mayChange(graph, site))
      findRepeated(facts, site, state);
  // What is dead stays so when more copies go: they read, and they do not
  // overwrite what is read behind them.
  bool changed;
  do {
    changed = false;
    for (auto &[site, state] : sites)
      changed |= findDead(graph, facts, site, state);
  } while (changed);
  findLast(graph, facts);
  if (ownsKept && usedName(program, preventsRecords).empty())
    findRecorded(graph, facts);
}

/// Finds copies that are needed in the last round of a loop only. They wait in
/// each one all the same, and their result is that of the wait.
void TransfersPass::findLast(const TransferGraph &graph,
                             const TransferFacts &facts) {
  auto onlyWaits = [&](const Site &site) {
    return actionOf(site, true) == CopyAction::Wait &&
           !(callOf(site).flags & kInvoke);
  };
  DenseMap<uint32_t, uint32_t> firstRounds;
  for (auto &[site, state] : sites)
    if (state.verdict == TransferVerdict::FirstRound && onlyWaits(site))
      for (uint32_t node : state.nodes)
        firstRounds[node] = state.loopDepth;
  for (auto &[site, state] : sites) {
    if (state.verdict != TransferVerdict::Needed || state.nodes.empty() ||
        !mayChange(graph, site) || !onlyWaits(site))
      continue;
    state.loopDepth = loopDepthOf(state, [&](uint32_t node) {
      return facts.lastInLoop(node, firstRounds);
    });
    if (state.loopDepth)
      state.verdict = TransferVerdict::LastRound;
  }
}

/// Finds copies that are needed only where something has been written since the
/// last time, which the program has to note. Copies of one function between the
/// same memory have one record.
void TransfersPass::findRecorded(const TransferGraph &graph,
                                 const TransferFacts &facts) {
  BitVector gone = removed;
  using Sides = std::set<std::pair<uint32_t, uint32_t>>;
  std::map<std::pair<StringRef, Sides>, SmallVector<Site, 2>> alike;
  for (const auto &[site, state] : sites) {
    if (actionOf(site, false) == CopyAction::Shrink)
      for (uint32_t node : state.nodes)
        gone.reset(node); // one byte of it is copied
    const RuntimeFunction &function = *functionOf(site.first, callOf(site));
    if (state.verdict != TransferVerdict::Needed || state.nodes.empty() ||
        function.bytes == RuntimeFunction::kNone || !mayChange(graph, site) ||
        !all_of(state.nodes, [&](uint32_t node) {
          return facts.isFollowed(graph.nodes[node]);
        }))
      continue;
    Sides sides;
    for (uint32_t node : state.nodes)
      sides.insert(
          {graph.nodes[node].source.object, graph.nodes[node].target.object});
    alike[{function.name, std::move(sides)}].push_back(site);
  }
  for (const auto &[memory, copies] : alike) {
    SmallVector<uint32_t, 4> nodes;
    for (const Site &site : copies)
      append_range(nodes, sites[site].nodes);
    CopyRecord record(graph, nodes, gone);
    if (record.isWorthIt())
      addRecord(record, copies);
  }
}

/// Lets the copies \p copies ask for \p record, if the user wants that.
void TransfersPass::addRecord(const CopyRecord &record, ArrayRef<Site> copies) {
  for (const Site &site : copies)
    sites[site].mayRecord = true;
  if (!context.options.recordsCopies)
    return;
  for (const Site &site : copies) {
    SiteState &state = sites[site];
    state.verdict = TransferVerdict::Asked;
    state.record = recordCount;
    for (uint32_t node : state.nodes)
      doubtful.set(node);
  }
  for (const CopyRecord::Place &place : record.ends())
    recordUses[place].ended.push_back(recordCount);
  for (const CopyRecord::Place &place : record.makers())
    recordUses[place].made.push_back(recordCount);
  ++recordCount;
}

/// Whether what \p site copies is there already: each time, or where a loop
/// has copied it.
void TransfersPass::findRepeated(const TransferFacts &facts, const Site &site,
                                 SiteState &state) {
  bool isOnce = all_of(state.nodes, [&](uint32_t node) {
    return symbols && symbols->isInitial(node);
  });
  if (isOnce || all_of(state.nodes, [&](uint32_t node) {
        return facts.isRedundant(node);
      })) {
    state.verdict = isOnce ? TransferVerdict::Once : TransferVerdict::Redundant;
    // One byte of it may still be copied: it reads, and overwrites no more.
    bool isShrunk = actionOf(site, false) == CopyAction::Shrink;
    for (uint32_t node : state.nodes)
      (isShrunk ? doubtful : removed).set(node);
    return;
  }
  state.verdict = TransferVerdict::FirstRound;
  state.loopDepth =
      loopDepthOf(state, [&](uint32_t node) { return facts.onceInLoop(node); });
  if (!state.loopDepth) {
    state.verdict = TransferVerdict::Asked;
    state.loopDepth = loopDepthOf(
        state, [&](uint32_t node) { return facts.askedInLoop(node); });
  }
  if (!state.loopDepth)
    state.verdict = TransferVerdict::Needed;
  else
    for (uint32_t node : state.nodes)
      doubtful.set(node);
}

/// Returns whether nobody reads what \p site copies, which was not known.
bool TransfersPass::findDead(const TransferGraph &graph,
                             const TransferFacts &facts, const Site &site,
                             SiteState &state) {
  bool mayDie = !state.nodes.empty() && mayChange(graph, site) &&
                state.verdict != TransferVerdict::Redundant &&
                state.verdict != TransferVerdict::Once &&
                state.verdict != TransferVerdict::Dead;
  if (!mayDie || !all_of(state.nodes, [&](uint32_t node) {
        return isDead(graph, facts, node);
      }))
    return false;
  state.verdict = TransferVerdict::Dead;
  state.loopDepth = 0;
  for (uint32_t node : state.nodes)
    removed.set(node);
  return true;
}

/// Whether nobody reads what the copy \p node writes.
bool TransfersPass::isDead(const TransferGraph &graph,
                           const TransferFacts &facts, uint32_t node) const {
  uint32_t target = graph.nodes[node].target.object;
  return target != kNone && (ownsKept || !graph.objects[target].isKept) &&
         facts.readerAfter(node, removed, doubtful) == kNone;
}

/// Returns what becomes of \p site, if it is needed once in a loop or never.
CopyAction TransfersPass::actionOf(const Site &site, bool isOnce) const {
  const CallEdge &call = callOf(site);
  const RuntimeFunction &function = *functionOf(site.first, call);
  // Fills do not wait, either.
  bool isAsync = function.stream != RuntimeFunction::kNone ||
                 function.source == RuntimeFunction::kNone;
  // Where all work is in the default stream, nobody else waits for the copy.
  if (order.isSerial() && !isAsync)
    return CopyAction::Wait;
  return order.isSerial() && (call.flags & kIgnoresResultSite) && !isOnce
             ? CopyAction::Drop
             : CopyAction::Shrink;
}

/// Adds what becomes of \p site to the plans of its function.
void TransfersPass::decide(const Site &site, const SiteState &state) {
  CopyEdit edit;
  edit.call = site.second;
  edit.loopDepth = state.loopDepth;
  edit.record = state.record;
  edit.rounds = state.record != kNone                     ? CopyRounds::Recorded
                : state.verdict == TransferVerdict::Asked ? CopyRounds::Changed
                : state.verdict == TransferVerdict::LastRound
                    ? CopyRounds::Behind
                    : CopyRounds::First;
  edit.action = actionOf(site, state.loopDepth || state.record != kNone);
  for (BodyPlan &plan : plansOf(site.first))
    plan.copies.push_back(edit);
}

/// Adds what code does to records to the plans of its functions.
void TransfersPass::decideRecords() {
  for (auto &[place, use] : recordUses) {
    use.place = place.second;
    for (BodyPlan &plan : plansOf(place.first))
      plan.records.push_back(use);
  }
}

/// Returns the plans of the function \p id and all its clones.
std::vector<BodyPlan> &TransfersPass::plansOf(GlobalId id) {
  std::vector<BodyPlan> &plans = context.decisions.plans[id];
  if (plans.empty() || plans.front().clone != 0)
    plans.insert(plans.begin(), BodyPlan());
  return plans;
}

//===----------------------------------------------------------------------===//
// What is said
//===----------------------------------------------------------------------===//

std::string TransfersPass::reasonOf(const TransferGraph &graph,
                                    const TransferFacts &facts,
                                    const Site &site,
                                    const SiteState &state) const {
  bool isChanged = context.options.removesCopies;
  std::string never = isChanged ? "is not made" : "need not be made";
  std::string seldom = isChanged ? "is made" : "needs to be made";
  switch (state.verdict) {
  case TransferVerdict::Redundant:
    return never + ": its target has these bytes already";
  case TransferVerdict::FirstRound:
    return seldom + " in the first round of a loop only: nobody writes its "
                    "source or its target there";
  case TransferVerdict::Asked:
    if (state.record != kNone)
      return "is made only where its arguments are not those of the last time, "
             "or its source or its target may have been written since";
    return seldom + " in a loop only where its arguments are not those of the "
                    "last time: nobody writes its source or its target there";
  case TransferVerdict::LastRound:
    return seldom + " behind a loop only: nobody reads in it what it writes";
  case TransferVerdict::Dead:
    return never + ": nobody reads what it writes";
  case TransferVerdict::Once:
    return never + ": its variable " + (isChanged ? "has" : "could have") +
           " these bytes from the start";
  case TransferVerdict::Needed:
    break;
  case TransferVerdict::WaitNeedless:
  case TransferVerdict::WaitMovable:
    llvm_unreachable("no copy has it");
  }
  if (state.nodes.empty())
    return "is needed: it is not known how it is reached";
  if (graph.hasOtherEntries(site.first))
    return "is needed: its function is called in ways that are not followed";
  if (fails(graph, state))
    return "is needed: it fails, and says so";
  if (!mayChange(graph, site))
    return "is needed: it is compiled without -O2, or has no single size";
  uint32_t node = state.nodes.front();
  const TransferNode &copy = graph.nodes[node];
  if (copy.target.object == kNone)
    return "is needed: it is not known which memory its target is";
  if (functionOf(site.first, callOf(site))->source != RuntimeFunction::kNone &&
      copy.source.object == kNone)
    return "is needed: it is not known which memory its source is";
  SmallVector<uint32_t, 4> enders = facts.endersBefore(node);
  std::string text = enders.empty()
                         ? "nothing has made its source and its target equal"
                         : graph.describe(enders.front()) +
                               " may change its source or target before";
  uint32_t reader = facts.readerAfter(node, removed, doubtful);
  if (reader != kNone)
    text += ", and " + graph.describe(reader) + " may read what it writes";
  if (state.mayRecord && isChanged)
    text += "; -fgpulto-transfer-epochs lets the program find out whether that "
            "has happened";
  return "is needed: " + text + whyNotOnce(graph, node);
}

/// Says why the variable that the copy \p node goes to cannot have its bytes
/// from the start, behind a comma, if that may have been.
std::string TransfersPass::whyNotOnce(const TransferGraph &graph,
                                      uint32_t node) const {
  if (!symbols)
    return "";
  uint32_t reader = symbols->readerBefore(node);
  std::string why = reader == kNone ? symbols->whyNot(node)
                                    : graph.describe(reader) +
                                          " may read it before it is set";
  return why.empty() ? ""
                     : "; its variable cannot be set from the start: " + why;
}

/// Whether \p node, or what it runs in, is in a loop.
static bool isInLoop(const TransferGraph &graph, uint32_t node) {
  while (node != kNone) {
    if (!graph.loopsOf(node).empty())
      return true;
    node = graph.frames[graph.nodes[node].frame].call;
  }
  return false;
}

/// Returns what allocates \p object, for a person, if that is memory of the
/// host which is not page-locked; empty if it is not, or if that is not known.
std::string TransfersPass::pageable(const TransferGraph &graph,
                                    uint32_t object) const {
  if (object == kNone)
    return "";
  const MemoryObject &memory = graph.objects[object];
  if (memory.kind == MemoryObject::Kind::Local)
    return "a local variable";
  GlobalId native = graph.allocatorOf(memory);
  if (native == kNone || !HostLibrary::allocates(program.symbol(native).name))
    return "";
  const CallEdge &call = program.calls(memory.id)[memory.number];
  return quotedName(program, native) + " (" +
         placeText(program, memory.id, call.place) + ")";
}

/// Says how the copies of \p site could be faster, behind a semicolon, if that
/// is known: the runtime copies memory that is not page-locked twice, and
/// nothing runs meanwhile.
std::string TransfersPass::adviceOn(const TransferGraph &graph,
                                    const SiteState &state) const {
  if (mayLockPages)
    return "";
  std::string memory;
  for (uint32_t node : state.nodes) {
    const TransferNode &copy = graph.nodes[node];
    memory = pageable(graph, copy.source.object);
    if (memory.empty())
      memory = pageable(graph, copy.target.object);
    if (memory.empty() || copy.copy->source == RuntimeFunction::kNone ||
        !isInLoop(graph, node))
      return "";
  }
  return memory.empty() ? ""
                        : "; a loop runs it, and memory of " + memory +
                              " is not page-locked: that of cudaMallocHost "
                              "would be copied faster";
}

/// Says how little of what the copies of \p site write is read, behind a
/// semicolon, if that is known.
std::string TransfersPass::partRead(const TransferGraph &graph,
                                    const TransferFacts &facts,
                                    const Site &site,
                                    const SiteState &state) const {
  if (state.nodes.empty() || !mayChange(graph, site))
    return "";
  uint64_t most = 0;
  for (uint32_t node : state.nodes) {
    const TransferNode &copy = graph.nodes[node];
    if (copy.bytes == kNone || copy.target.object == kNone ||
        !(ownsKept || !graph.objects[copy.target.object].isKept))
      return "";
    uint64_t read = facts.bytesReadAfter(node, removed, doubtful).value_or(0);
    std::optional<uint64_t> size = graph.constantOf(copy.bytes);
    if (!read || (size && *size <= read))
      return "";
    most = std::max(most, read);
  }
  std::optional<uint64_t> size =
      graph.constantOf(graph.nodes[state.nodes.front()].bytes);
  bool isOneSize = size && all_of(state.nodes, [&](uint32_t node) {
                     return graph.constantOf(graph.nodes[node].bytes) == size;
                   });
  return isOneSize
             ? "; of the " + std::to_string(*size) + " bytes only the first " +
                   std::to_string(most) + " are read"
             : "; of its bytes at most the first " + std::to_string(most) +
                   " are read";
}

void TransfersPass::report(const Site &site, const RuntimeFunction &function,
                           TransferVerdict verdict, std::string reason) {
  const CallEdge &call = callOf(site);
  bool isWait = isOfWait(verdict);
  bool goes = !isWait && verdict != TransferVerdict::Needed;
  Remark remark = remarkOn(program, site.first);
  remark.kind = goes ? RemarkKind::Passed : RemarkKind::Analysis;
  remark.pass = "gpulto-transfers";
  remark.name = isWait ? "Wait" : goes ? "CopyRemoved" : "CopyNeeded";
  if (call.place.isKnown())
    remark.where = locationOf(program, site.first, call.place);
  remark.text = function.name.str() + " in " + quotedName(program, site.first) +
                " " + reason;
  context.diagnostics.remark(std::move(remark));
  context.decisions.transfers.push_back(
      {site.first, site.second, verdict, std::move(reason)});
}

void TransfersPass::run() {
  findSites();
  if (sites.empty())
    return;
  std::string why = whyNothing();
  std::optional<TransferGraph> graph;
  if (why.empty()) {
    graph.emplace(context, callers, values);
    why = graph->whyNot().str();
  }
  if (!why.empty()) {
    for (const auto &[site, state] : sites)
      report(site, *functionOf(site.first, callOf(site)),
             TransferVerdict::Needed, "is needed: " + why);
    return;
  }
  ownsKept = usedName(program, startsThread).empty();
  mayLockPages = !usedName(program, locksPages).empty();
  for (auto [number, node] : enumerate(graph->nodes))
    if (const CallEdge *call = node.copy ? graph->callOf(number) : nullptr) {
      GlobalId function = graph->functionOf(node.frame);
      ArrayRef<CallEdge> calls = program.calls(function);
      sites[{function, static_cast<uint32_t>(call - calls.data())}]
          .nodes.push_back(number);
    }
  TransferFacts facts(*graph, ownsKept, order.isSeen());
  if (order.isSeen())
    symbols.emplace(context, callers, values, *graph);
  if (symbols && context.options.removesCopies)
    symbols->decide(context.decisions);
  findVerdicts(*graph, facts);
  for (const auto &[site, state] : sites) {
    if (state.verdict != TransferVerdict::Needed &&
        context.options.removesCopies)
      decide(site, state);
    std::string reason = reasonOf(*graph, facts, site, state);
    if (state.verdict == TransferVerdict::Needed)
      reason += partRead(*graph, facts, site, state) + adviceOn(*graph, state);
    report(site, *functionOf(site.first, callOf(site)), state.verdict,
           std::move(reason));
  }
  decideRecords();
  for (TransferWaits::Wait &wait :
       TransferWaits(context, *graph, order.isSerial()).find())
    report({wait.function, wait.call}, *wait.row, wait.verdict,
           std::move(wait.reason));
}

void propagateTransfers(WpaContext &context, const Callers &callers,
                        const KnownValues &values) {
  TransfersPass(context, callers, values).run();
}

} // namespace gpulto
