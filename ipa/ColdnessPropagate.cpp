//===- ColdnessPropagate.cpp - Which host functions run seldom ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: host code that hardly ever runs, or once, is made small and is kept
// apart from the rest, without a profile.
//
//   a.cpp: if (p == nullptr) fail("no p");      b.cpp: void fail(const char *s)
//   c.cpp: catch (...) { fail("unknown"); }            { show(s); abort(); }
//
//   fail is cold: both calls are hardly ever reached (LGEN). show is cold: its
//   only caller is.
//
// 1. solveCold: a function is cold unless something says that it may not be: a
//    caller nobody sees, or a call that is neither marked by LGEN nor in a cold
//    function. Greatest fixed point, so a recursion that is only entered from
//    cold code is cold.
// 2. solveOnce: start-up code and main run once, and so does what only they
//    call outside of loops. Least fixed point: what recurses is not in it.
// 3. solveLoops: which functions run no loop, callees included. LLVM may inline
//    those, and a loop that is optimized for size is slow even if it runs once.
//    Least fixed point, too.
//
// Linear in calls. Functions with a profile have callers that nobody sees: what
// LLVM knows of them is better.
//
// Source: J. Hubička and others, GCC's ipa-profile.cc (propagation of "unlikely
// executed" and "executed once"), from T. Glek, J. Hubička: "Optimizing real
// world applications with GCC Link Time Optimization", GCC Summit 2010, and
// WHOPR's section 3.3. GCC optimizes what runs once for size outside of loops;
// attributes hold for whole functions here.
//
//===----------------------------------------------------------------------===//

#include "ipa/Callers.h"
#include "ipa/Coldness.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace gpulto {

namespace {

constexpr StringLiteral kPass = "gpulto-cold";

/// A call of one body by another.
struct Entry {
  uint32_t caller = 0; // place in bodies
  uint16_t flags = 0;  // CallFlag
  uint32_t line = 0;
};

struct Body {
  GlobalId id = kNone;
  bool isCold = false, runsOnce = false, hasNoLoop = false;
  SmallVector<Entry, 4> entries;
  SmallVector<Entry, 4> calls; // their `caller` is the callee's place
  /// How many of the entries, or calls, the proof at hand has behind it.
  uint32_t checked = 0;
};

/// Returns whether \p holds, which stays true once it is, holds for all of
/// \p list. Goes on where the last call for \p body ended.
bool holdsForAll(Body &body, ArrayRef<Entry> list,
                 function_ref<bool(const Entry &)> holds) {
  while (body.checked < list.size() && holds(list[body.checked]))
    ++body.checked;
  return body.checked == list.size();
}

class ColdnessSolver {
public:
  ColdnessSolver(WpaContext &context, const Callers &callers)
      : context(context), program(context.program), callers(callers) {}

  void run() {
    addBodies();
    solveCold();
    solveOnce();
    solveLoops();
    for (const Body &body : bodies)
      decide(body);
    explain();
  }

private:
  void addBodies();
  void solveCold();
  void solveOnce();
  void solveLoops();
  void decide(const Body &body);
  void explain();
  void explainCold(const Body &body);
  void explainOnce(const Body &body);
  void explainWarm(const Body &body);

  const FunctionSummary &function(const Body &body) const {
    return *program.function(body.id);
  }
  bool mayBeCold(const Body &body) const;
  bool isStarted(const Body &body) const;
  bool isColdEntry(const Entry &entry) const {
    return (entry.flags & kColdSite) || bodies[entry.caller].isCold;
  }
  /// Calls \p prove for each body, and again for what \p next tells of one that
  /// it has proven (returned true, which it does once), until nothing is new.
  /// A call that LGEN found to be cold tells nothing new.
  void iterate(function_ref<bool(Body &)> prove,
               SmallVector<Entry, 4> Body::*next);
  std::string placeOf(const Entry &entry) const;
  std::string placesOf(ArrayRef<Entry> entries) const;
  void add(RemarkKind kind, StringRef name, const Body &body, std::string text);

  WpaContext &context;
  const CombinedSummary &program;
  const Callers &callers;
  std::vector<Body> bodies; // as Callers::bodies
};

} // namespace

void ColdnessSolver::addBodies() {
  for (GlobalId id : callers.bodies()) {
    bodies.emplace_back();
    bodies.back().id = id;
  }
  for (auto [i, body] : enumerate(bodies)) {
    if (program.imageOf(body.id) != kHostImage)
      continue;
    for (const CallEdge &call : slice(program.moduleRef(body.id).summary.calls,
                                      function(body).calls)) {
      GlobalId callee = program.definitionFor(body.id, call.callee);
      uint32_t place = callee == kNone ? kNone : callers.bodyIndex(callee);
      if (place == kNone)
        continue;
      bodies[place].entries.push_back({uint32_t(i), call.flags, call.line});
      body.calls.push_back({place, call.flags, call.line});
    }
  }
}

void ColdnessSolver::iterate(function_ref<bool(Body &)> prove,
                             SmallVector<Entry, 4> Body::*next) {
  std::vector<uint32_t> worklist;
  for (uint32_t i = bodies.size(); i-- > 0;) {
    bodies[i].checked = 0;
    worklist.push_back(i);
  }
  while (!worklist.empty()) {
    Body &body = bodies[worklist.back()];
    worklist.pop_back();
    if (prove(body))
      for (const Entry &other : body.*next)
        if (!(other.flags & kColdSite))
          worklist.push_back(other.caller);
  }
}

//===----------------------------------------------------------------------===//
// Hardly ever
//===----------------------------------------------------------------------===//

/// Whether all that may enter \p body is known, and nothing speaks against it.
bool ColdnessSolver::mayBeCold(const Body &body) const {
  const ModuleSummary &module = program.moduleRef(body.id).summary;
  return module.side == Side::Host && !module.has(kHasProfile) &&
         !function(body).has(kHot) &&
         !program.symbol(body.id).has(kKernelStub) && !body.entries.empty() &&
         callers.unknown(body.id) == UnknownCaller::None;
}

void ColdnessSolver::solveCold() {
  for (Body &body : bodies)
    body.isCold = function(body).has(kCold) || mayBeCold(body);
  iterate(
      [&](Body &body) {
        bool isWarm = body.isCold && !function(body).has(kCold) &&
                      !all_of(body.entries, [&](const Entry &entry) {
                        return isColdEntry(entry);
                      });
        body.isCold &= !isWarm;
        return isWarm;
      },
      &Body::calls);
}

//===----------------------------------------------------------------------===//
// Once
//===----------------------------------------------------------------------===//

/// Whether start-up code calls \p body, and nothing else that is no edge.
bool ColdnessSolver::isStarted(const Body &body) const {
  const SymbolRecord &symbol = program.symbol(body.id);
  if (callers.isAddressSignificant(body.id))
    return false;
  return callers.unknown(body.id) == UnknownCaller::Constructor ||
         (symbol.name == "main" && !symbol.isLocal());
}

void ColdnessSolver::solveOnce() {
  auto runsOnce = [&](const Entry &entry) {
    return isColdEntry(entry) ||
           (bodies[entry.caller].runsOnce && !(entry.flags & kLoopSite));
  };
  iterate(
      [&](Body &body) {
        if (body.runsOnce || body.isCold ||
            !(isStarted(body) || mayBeCold(body)) ||
            !holdsForAll(body, body.entries, runsOnce))
          return false;
        return body.runsOnce = true;
      },
      &Body::calls);
}

void ColdnessSolver::solveLoops() {
  constexpr uint32_t kMayLoop = kHasLoop | kHasIndirectCall | kIsRecursive;
  auto hasNoLoop = [&](const Entry &call) {
    return (call.flags & kColdSite) || bodies[call.caller].hasNoLoop;
  };
  iterate(
      [&](Body &body) {
        if (body.hasNoLoop || (function(body).flags & kMayLoop) ||
            !holdsForAll(body, body.calls, hasNoLoop))
          return false;
        return body.hasNoLoop = true;
      },
      &Body::entries);
}

void ColdnessSolver::decide(const Body &body) {
  const ModuleSummary &module = program.moduleRef(body.id).summary;
  constexpr uint32_t kNever = kOptNone | kNaked | kHot;
  bool isOnce = body.runsOnce && body.hasNoLoop;
  if ((!body.isCold && !isOnce) || module.side != Side::Host ||
      module.optLevel == 0 || module.has(kHasProfile) ||
      (function(body).flags & kNever) || !callers.isFinal(body.id))
    return;
  context.decisions.coldness[body.id] =
      body.isCold ? Coldness::Cold : Coldness::RunsOnce;
}

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

/// Returns "a.c:7", or the caller where lines are not known.
std::string ColdnessSolver::placeOf(const Entry &entry) const {
  GlobalId caller = bodies[entry.caller].id;
  StringRef file = program.moduleRef(caller).summary.sourceName;
  if (!entry.line)
    return "in '" + program.symbol(caller).name.str() + "'";
  return (sys::path::filename(file) + ":" + Twine(entry.line)).str();
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

void ColdnessSolver::add(RemarkKind kind, StringRef name, const Body &body,
                         std::string text) {
  addRemark(context, kind, kPass, name, body.id,
            "'" + program.symbol(body.id).name.str() + "' " + std::move(text));
}

void ColdnessSolver::explainCold(const Body &body) {
  if (function(body).has(kCold))
    return add(RemarkKind::Passed, "Cold", body,
               "is cold: an attribute says so");
  SmallVector<Entry, 4> rare, fromCold;
  for (const Entry &entry : body.entries)
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

void ColdnessSolver::explainOnce(const Body &body) {
  std::string why = body.entries.empty()
                        ? "start-up code calls it"
                        : "so do its callers (" + placesOf(body.entries) + ")";
  add(RemarkKind::Passed, "RunsOnce", body,
      "runs once, without a loop: " + why);
}

/// Says of a function that some call it in cold code only why it is not cold.
void ColdnessSolver::explainWarm(const Body &body) {
  SmallVector<Entry, 4> warm;
  for (const Entry &entry : body.entries)
    if (!isColdEntry(entry))
      warm.push_back(entry);
  if (warm.size() == body.entries.size())
    return;
  std::string why = warm.empty() ? describe(callers.unknown(body.id)).str()
                                 : placesOf(warm) + " may run often";
  size_t cold = body.entries.size() - warm.size();
  add(RemarkKind::Missed, "NotCold", body,
      "is not cold, though " + std::to_string(cold) +
          (cold == 1 ? " call is: " : " calls are: ") + why);
}

void ColdnessSolver::explain() {
  bool wantsPassed = context.diagnostics.wantsRemark(RemarkKind::Passed, kPass);
  bool wantsMissed = context.diagnostics.wantsRemark(RemarkKind::Missed, kPass);
  if (!wantsPassed && !wantsMissed)
    return;
  for (const Body &body : bodies) {
    Coldness coldness = context.decisions.coldnessOf(body.id);
    if (coldness == Coldness::Cold)
      explainCold(body);
    else if (coldness == Coldness::RunsOnce)
      explainOnce(body);
    else if (!body.isCold)
      explainWarm(body);
  }
}

void propagateColdness(WpaContext &context, const Callers &callers) {
  ColdnessSolver(context, callers).run();
}

} // namespace gpulto
