//===- ColdnessPropagate.cpp - Host functions that rarely run -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: make host code that hardly ever runs, or runs once, small, and keep it
// apart from the rest, without a profile.
//
//   a.cpp: if (p == nullptr) fail("no p");      b.cpp: void fail(const char *s)
//   c.cpp: catch (...) { fail("unknown"); }            { show(s); abort(); }
//
//   fail is cold: both calls are hardly ever reached (LGEN). show is cold: its
//   only caller is.
//
// 1. solveCold: a function is cold unless something prevents it: an unseen
//    caller, or a call that is neither marked by LGEN nor in a cold function.
//    Greatest fixed point, so a recursion that is entered only from cold code
//    is cold.
// 2. solveOnce: start-up code and main run once, and so do functions that only
//    they call outside of loops. Least fixed point, so it excludes recursive
//    functions.
// 3. solveLoops: functions that run no loop, callees included. LLVM may inline
//    callees, and a loop optimized for size is slow even if it runs once. Also
//    a least fixed point.
//
// Linear in calls. Functions with a profile count as having unseen callers:
// LLVM knows them better.
//
// Source: J. Hubička and others, GCC's ipa-profile.cc (propagation of "unlikely
// executed" and "executed once"), from T. Glek, J. Hubička: "Optimizing real
// world applications with GCC Link Time Optimization", GCC Summit 2010, and
// WHOPR's section 3.3. GCC optimizes code that runs once for size outside of
// loops; here attributes apply to whole functions.
//
//===----------------------------------------------------------------------===//

#include "ipa/bodies/Passes.h"
#include "ipa/callers/Callers.h"
#include "summary/CombinedModule.h"
#include "summary/Remarks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <numeric>

using namespace llvm;

namespace gpulto {

namespace {

constexpr StringLiteral kPass = "gpulto-coldness";

/// A call of one body by another.
struct Entry {
  uint32_t caller = 0; // place in bodies
  uint32_t number = 0; // among its calls
  CallFlags flags = 0;
};

/// What is known of a body: small, since callers and callees are anywhere.
struct Body {
  bool isCold = false, runsOnce = false, hasNoLoop = false;
  /// All that may enter it is known, and nothing speaks against its being cold.
  bool mayBeCold = false;
  /// An attribute says that it is cold.
  bool isMarked = false;
  /// It may loop, by itself or by calls that nobody knows.
  bool hasLoop = false;
  /// How many of the entries, or calls, the proof at hand has behind it.
  uint32_t checked = 0;
};

/// Bodies are their places in Callers::bodies. Only calls of host code count.
class ColdnessSolver {
public:
  ColdnessSolver(WpaContext &context, const Callers &callers)
      : context(context), program(context.program), callers(callers),
        bodies(callers.bodies().size()) {}

  void run() {
    addEntries();
    addBodies();
    solveCold();
    solveOnce();
    solveLoops();
    for (uint32_t body = 0; body < bodies.size(); ++body)
      decide(body);
    explain();
  }

private:
  void addEntries();
  void addBodies();
  void solveCold();
  void solveOnce();
  void solveLoops();
  void decide(uint32_t body);
  void explain();
  void explainCold(uint32_t body);
  void explainOnce(uint32_t body);
  void explainWarm(uint32_t body);

  GlobalId idOf(uint32_t body) const { return callers.bodies()[body]; }
  const FunctionSummary &function(uint32_t body) const {
    return *program.function(idOf(body));
  }
  ArrayRef<Entry> entriesOf(uint32_t body) const {
    return ArrayRef(entries).slice(firstEntry[body],
                                   firstEntry[body + 1] - firstEntry[body]);
  }
  /// Calls \p visit with the place of what each call of \p body enters, its
  /// number and its flags.
  template <typename Visitor>
  void forEachCall(uint32_t body, Visitor &&visit) const {
    if (program.imageOf(idOf(body)) == kHostImage)
      for (auto [number, callee, flags] :
           enumerate(callers.calleesOf(body), callers.callFlagsOf(body)))
        if (callee != kNone)
          visit(callee, static_cast<uint32_t>(number), flags);
  }
  bool mayBeCold(uint32_t body) const;
  bool isStarted(uint32_t body) const;
  bool isColdEntry(const Entry &entry) const {
    return (entry.flags & kColdSite) || bodies[entry.caller].isCold;
  }
  /// Calls \p prove for each body, and again for those on the other side of its
  /// calls (\p goesDown: its callees) when it has proven something of one
  /// (returned true, which it does once), until nothing is new. A call that
  /// LGEN found to be cold tells nothing new.
  void iterate(bool goesDown, function_ref<bool(uint32_t)> prove);
  std::string placeOf(const Entry &entry) const;
  std::string placesOf(ArrayRef<Entry> entries) const;
  void add(RemarkKind kind, StringRef name, uint32_t body, std::string text);

  WpaContext &context;
  const CombinedSummary &program;
  const Callers &callers;
  std::vector<Body> bodies;
  /// Calls of each body by host code, by caller, and where they begin.
  std::vector<uint32_t> firstEntry;
  std::vector<Entry> entries;
};

} // namespace

void ColdnessSolver::addEntries() {
  firstEntry.assign(bodies.size() + 1, 0);
  for (uint32_t body = 0; body < bodies.size(); ++body)
    forEachCall(body, [&](uint32_t callee, uint32_t, uint16_t) {
      ++firstEntry[callee + 1];
    });
  std::partial_sum(firstEntry.begin(), firstEntry.end(), firstEntry.begin());
  entries.resize(firstEntry.back());
  std::vector<uint32_t> next(firstEntry.begin(), firstEntry.end() - 1);
  for (uint32_t body = 0; body < bodies.size(); ++body)
    forEachCall(body, [&](uint32_t callee, uint32_t number, CallFlags flags) {
      entries[next[callee]++] = {body, number, flags};
    });
}

void ColdnessSolver::addBodies() {
  for (auto [i, body] : enumerate(bodies)) {
    constexpr uint32_t kMayLoop = kHasLoop | kHasIndirectCall | kIsRecursive;
    body.isMarked = function(i).has(kCold);
    body.hasLoop = function(i).flags & kMayLoop;
    body.mayBeCold = mayBeCold(i);
    body.isCold = body.isMarked || body.mayBeCold;
  }
}

void ColdnessSolver::iterate(bool goesDown,
                             function_ref<bool(uint32_t)> prove) {
  std::vector<uint32_t> worklist;
  worklist.reserve(bodies.size());
  for (uint32_t i = bodies.size(); i-- > 0;) {
    bodies[i].checked = 0;
    worklist.push_back(i);
  }
  while (!worklist.empty()) {
    uint32_t body = worklist.back();
    worklist.pop_back();
    if (!prove(body))
      continue;
    if (goesDown)
      forEachCall(body, [&](uint32_t callee, uint32_t, CallFlags flags) {
        if (!(flags & kColdSite))
          worklist.push_back(callee);
      });
    else
      for (const Entry &entry : entriesOf(body))
        if (!(entry.flags & kColdSite))
          worklist.push_back(entry.caller);
  }
}

//===----------------------------------------------------------------------===//
// Hardly ever
//===----------------------------------------------------------------------===//

bool ColdnessSolver::mayBeCold(uint32_t body) const {
  if (entriesOf(body).empty() || program.imageOf(idOf(body)) != kHostImage ||
      program.has(idOf(body), kKernelStub) ||
      callers.unknown(idOf(body)) != UnknownCaller::None)
    return false;
  return !program.moduleRef(idOf(body)).summary.has(kHasProfile) &&
         !function(body).has(kHot);
}

void ColdnessSolver::solveCold() {
  iterate(/*goesDown=*/true, [&](uint32_t index) {
    Body &body = bodies[index];
    bool isWarm = body.isCold && !body.isMarked &&
                  !all_of(entriesOf(index), [&](const Entry &entry) {
                    return isColdEntry(entry);
                  });
    body.isCold &= !isWarm;
    return isWarm;
  });
}

//===----------------------------------------------------------------------===//
// Once
//===----------------------------------------------------------------------===//

/// Whether start-up code calls \p body, and nothing else does without an edge.
bool ColdnessSolver::isStarted(uint32_t body) const {
  GlobalId id = idOf(body);
  if (callers.isAddressSignificant(id))
    return false;
  if (callers.unknown(id) == UnknownCaller::Constructor)
    return true;
  const SymbolRecord &symbol = program.symbol(id);
  return symbol.name == "main" && !symbol.isLocal();
}

void ColdnessSolver::solveOnce() {
  auto runsOnce = [&](const Entry &entry) {
    return isColdEntry(entry) ||
           (bodies[entry.caller].runsOnce && !(entry.flags & kLoopSite));
  };
  iterate(/*goesDown=*/true, [&](uint32_t index) {
    Body &body = bodies[index];
    if (body.runsOnce || body.isCold)
      return false;
    // Each proof continues where the last one ended.
    ArrayRef<Entry> all = entriesOf(index);
    while (body.checked < all.size() && runsOnce(all[body.checked]))
      ++body.checked;
    if (body.checked < all.size() || !(body.mayBeCold || isStarted(index)))
      return false;
    return body.runsOnce = true;
  });
}

void ColdnessSolver::solveLoops() {
  auto mayLoop = [&](uint32_t callee, CallFlags flags) {
    return callee != kNone && !(flags & kColdSite) && !bodies[callee].hasNoLoop;
  };
  iterate(/*goesDown=*/false, [&](uint32_t index) {
    Body &body = bodies[index];
    if (body.hasNoLoop || body.hasLoop)
      return false;
    if (program.imageOf(idOf(index)) == kHostImage) {
      ArrayRef<uint32_t> callees = callers.calleesOf(index);
      ArrayRef<CallFlags> flags = callers.callFlagsOf(index);
      while (body.checked < callees.size() &&
             !mayLoop(callees[body.checked], flags[body.checked]))
        ++body.checked;
      if (body.checked < callees.size())
        return false;
    }
    return body.hasNoLoop = true;
  });
}

void ColdnessSolver::decide(uint32_t index) {
  const Body &body = bodies[index];
  bool isOnce = body.runsOnce && body.hasNoLoop;
  if (!body.isCold && !isOnce)
    return;
  const ModuleSummary &module = program.moduleRef(idOf(index)).summary;
  constexpr uint32_t kNever = kOptNone | kNaked | kHot;
  if (module.side != Side::Host || module.optLevel == 0 ||
      module.has(kHasProfile) || (function(index).flags & kNever) ||
      !callers.isFinal(idOf(index)))
    return;
  context.decisions.functions[idOf(index)].coldness =
      body.isCold ? Coldness::Cold : Coldness::RunsOnce;
}

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

/// Returns "a.c:7:3", or the caller where lines are not known.
std::string ColdnessSolver::placeOf(const Entry &entry) const {
  GlobalId caller = idOf(entry.caller);
  const SourcePlace &place = program.calls(caller)[entry.number].place;
  return place.isKnown() ? placeText(program, caller, place)
                         : "in " + quotedName(program, caller);
}

std::string ColdnessSolver::placesOf(ArrayRef<Entry> entries) const {
  constexpr size_t kShown = 4;
  std::vector<std::string> places;
  for (const Entry &entry : entries.take_front(kShown))
    places.push_back(placeOf(entry));
  if (entries.size() > kShown)
    places.push_back("...");
  return join(places, ", ");
}

void ColdnessSolver::add(RemarkKind kind, StringRef name, uint32_t body,
                         std::string text) {
  addRemark(context, kind, kPass, name, idOf(body),
            quotedName(program, idOf(body)) + " " + std::move(text));
}

void ColdnessSolver::explainCold(uint32_t body) {
  if (function(body).has(kCold))
    return add(RemarkKind::Passed, "Cold", body,
               "is cold: an attribute says so");
  SmallVector<Entry, 4> rare, fromCold;
  for (const Entry &entry : entriesOf(body))
    (entry.flags & kColdSite ? rare : fromCold).push_back(entry);
  std::vector<std::string> reasons;
  if (!rare.empty())
    reasons.push_back(std::to_string(rare.size()) + " hardly ever reached (" +
                      placesOf(rare) + ")");
  if (!fromCold.empty())
    reasons.push_back(std::to_string(fromCold.size()) + " by cold functions (" +
                      placesOf(fromCold) + ")");
  add(RemarkKind::Passed, "Cold", body,
      "is cold, as all its calls are: " + join(reasons, ", "));
}

void ColdnessSolver::explainOnce(uint32_t body) {
  std::string why =
      entriesOf(body).empty()
          ? "start-up code calls it"
          : "so do its callers (" + placesOf(entriesOf(body)) + ")";
  add(RemarkKind::Passed, "RunsOnce", body,
      "runs once, without a loop: " + why);
}

/// Says of a function that some call it in cold code only why it is not cold.
void ColdnessSolver::explainWarm(uint32_t body) {
  SmallVector<Entry, 4> warm;
  for (const Entry &entry : entriesOf(body))
    if (!isColdEntry(entry))
      warm.push_back(entry);
  if (warm.size() == entriesOf(body).size())
    return;
  std::string why = warm.empty() ? describe(callers.unknown(idOf(body))).str()
                                 : placesOf(warm) + " may run often";
  size_t cold = entriesOf(body).size() - warm.size();
  add(RemarkKind::Missed, "NotCold", body,
      "is not cold, though " + std::to_string(cold) +
          (cold == 1 ? " call is: " : " calls are: ") + why);
}

void ColdnessSolver::explain() {
  bool wantsPassed = context.diagnostics.wantsRemark(RemarkKind::Passed, kPass);
  bool wantsMissed = context.diagnostics.wantsRemark(RemarkKind::Missed, kPass);
  if (!wantsPassed && !wantsMissed)
    return;
  for (uint32_t body = 0; body < bodies.size(); ++body) {
    Coldness coldness = context.decisions.coldnessOf(idOf(body));
    if (coldness == Coldness::Cold)
      explainCold(body);
    else if (coldness == Coldness::RunsOnce)
      explainOnce(body);
    else if (!bodies[body].isCold)
      explainWarm(body);
  }
}

void propagateColdness(WpaContext &context, const Callers &callers) {
  ColdnessSolver(context, callers).run();
}

} // namespace gpulto
