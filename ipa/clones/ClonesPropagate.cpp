//===- ClonesPropagate.cpp - Which contexts get their own body ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: find functions whose callers disagree where agreement would pay off.
//
//   __noinline__ float sum(const float *p, int n);
//   k1: sum(tile, 32)     tile in shared memory
//   k2: sum(in, n)        in in global memory
//   ->  sum.cp1(tile): 32 iterations of ld.shared;  sum.cp2: ld.global
//
// In each round, for each function that calls reach:
// 1. groupContexts: its calls are grouped by what is known at the call but not
//    in the function: constants that save something, functions that it calls
//    through a parameter, and on the device address spaces.
// 2. A group's gain is what its constants save (LGEN's estimate) times how
//    often it calls; its cost the function's size.
// 3. Groups worth their growth become clones, the best first, within limits of
//    the image's growth and of clones per function.
// 4. The solver starts again: clones pass on what they know, and the next round
//    finds contexts of their callees (clones of clones). Functions that have
//    not changed and whose callers have not are not considered again: a context
//    that was not worth a clone still is not, and limits do not grow.
//
// Functions that will be inlined are left to the inliner, except those that
// launch. Kernels have their own chooser (KernelClonesPropagate.cpp), which
// takes turns with this one.
//
// Source: GCC's ipa-cp.cc (good_cloning_opportunity_p, decide_about_value).
//
//===----------------------------------------------------------------------===//

#include "ipa/clones/Clones.h"
#include "ipa/clones/KernelClones.h"
#include "summary/CombinedModule.h"
#include "support/Parallel.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <algorithm>

using namespace llvm;

namespace gpulto {

namespace {

/// What a call knows of one parameter and the callee does not.
struct KnownArgument {
  uint32_t parameter = 0;
  ValueLattice::State state = ValueLattice::State::Varying;
  uint64_t value = 0;
  GlobalId symbol = kNone;
  unsigned addressSpace = 0;
  auto operator<=>(const KnownArgument &) const = default;
};

/// A call that knows more than the function that it enters.
struct KnowingSite {
  GlobalId function = kNone;
  CallSite site;
  uint32_t frequency = 0;
  Range known; // of CloneChooser::known
};

/// Calls of one function that know the same.
struct Group {
  ArrayRef<KnowingSite> sites;
  /// Instructions saved, weighed by how often the calls run; in 1/256.
  uint64_t gain = 0;
  uint64_t size = 0;

  GlobalId function() const { return sites.front().function; }
};

class CloneChooser {
public:
  CloneChooser(const WpaContext &context, const Callers &callers,
               ConstantsSolver &solver, const CloneGains &gains,
               std::vector<uint64_t> &growth)
      : context(context), callers(callers), program(context.program),
        solver(solver), gains(gains), growth(growth),
        candidates(solver.bodies().size()) {
    for (const BodyLattice &body : solver.bodies())
      if (isCandidate(body.id))
        candidates.set(body.index);
  }

  /// Returns whether there is a new clone.
  bool runRound();

private:
  bool isWhatRuns(GlobalId id) const;
  bool isCandidate(GlobalId id) const;
  void findWanted();
  uint64_t hashOfKnown(const BodyLattice &body) const;
  bool mayKnowMore(const BodyLattice &caller, const CallEdge &call) const;
  void addSites(BodyIndex caller);
  void addSite(CallSite site, const CallEdge &call, const BodyLattice &callee);
  void addKnownArguments(CallSite site, const CallEdge &call,
                         const BodyLattice &callee);
  std::vector<Group> groupSites();
  Group makeGroup(ArrayRef<KnowingSite> alike) const;
  bool isWorthIt(const Group &group) const;

  const WpaContext &context;
  const Callers &callers;
  const CombinedSummary &program;
  ConstantsSolver &solver;
  const CloneGains &gains;
  /// By image: instructions that clones may still add.
  std::vector<uint64_t> &growth;
  /// By BodyIndex: definitions that may have clones.
  BitVector candidates;
  std::vector<KnowingSite> sites;
  std::vector<KnownArgument> known; // of all sites
  /// By BodyIndex, of the last round: a hash of what was known of it, and
  /// whether its calls pass what is stored in variables.
  std::vector<uint64_t> lastKnown;
  BitVector readsVariables;
  /// By BodyIndex: candidates whose calls are looked at in this round.
  BitVector wanted;
};

} // namespace

/// Whether uses of \p id run its body, or one that does the same: by the rule
/// of one definition, unless the unit wants even those replaced.
bool CloneChooser::isWhatRuns(GlobalId id) const {
  Linkage linkage = program.symbol(id).linkage;
  bool isOneOfEqual =
      program.definition(id) == id &&
      (linkage == Linkage::LinkOnceODR || linkage == Linkage::WeakODR) &&
      !program.moduleRef(id).summary.has(kSemanticInterposition);
  return isOneOfEqual || callers.isFinal(id);
}

/// Returns whether the body of \p id is what runs, may be copied, and is not
/// left to the inliner.
bool CloneChooser::isCandidate(GlobalId id) const {
  const SymbolRecord &symbol = program.symbol(id);
  const FunctionSummary &function = *program.function(id);
  constexpr uint32_t kNever = kAlwaysInline | kOptNone | kNaked | kVarArg |
                              kReturnsTwice | kHasAsmLabels | kCold |
                              kHasIndirectBranch | kBlockAddressTaken |
                              kNoDuplicate | kOptSize | kMinSize;
  bool isDevice = program.imageOf(id) != kHostImage;
  if ((function.flags & kNever) || context.decisions.isCold(id) ||
      symbol.has(kKernel) || symbol.has(kKernelStub) ||
      symbol.has(kHasSection) || symbol.linkage == Linkage::WeakAny ||
      symbol.linkage == Linkage::LinkOnceAny || !isWhatRuns(id) ||
      program.jumpTarget(id) != kNone ||
      (!isDevice && (program.resolution(id) & kLinkerRedefined)))
    return false;
  uint32_t inlined = isDevice ? context.params.ipaCpInlinedDeviceInstructions
                              : context.params.ipaCpInlinedHostInstructions;
  // What the inliner does comes too late for launches.
  return function.has(kNoInline) || function.instructionCount > inlined ||
         !function.launches.empty();
}

static bool isOneValue(const ValueLattice &value) {
  return value.isConstant() || value.state() == ValueLattice::State::Symbol;
}

/// Adds what \p site knows and \p callee does not to \c known.
void CloneChooser::addKnownArguments(CallSite site, const CallEdge &call,
                                     const BodyLattice &callee) {
  bool isDevice = program.imageOf(callee.id) != kHostImage;
  ArrayRef<ParameterRecord> formals = program.parameters(callee.id);
  // Nothing is known of parameters that are not passed.
  size_t passed = std::min<size_t>(formals.size(), call.arguments.count);
  for (auto [i, formal] : enumerate(formals.take_front(passed))) {
    if (formal.flags & (kParamUnused | kParamByVal | kParamStructRet))
      continue;
    ValueLattice there = callee.parameters.empty()
                             ? ValueLattice::varying(formal.bitWidth)
                             : callee.parameters[i].whole;
    bool mayGainBySpace =
        isDevice && !there.addressSpace() && formal.addressSpace == 0;
    if (isOneValue(there) && !mayGainBySpace)
      continue;
    // What a value is worth takes longer to tell than whether there is one.
    ValueLattice here = solver.argument(site.caller, site.number, i);
    KnownArgument argument;
    argument.parameter = i;
    if (!isOneValue(there) && isOneValue(here) &&
        gains.ofParameter(callee.id, i)) {
      argument.state = here.state();
      argument.value = here.value();
      argument.symbol = here.symbol();
      known.push_back(argument);
    } else if (mayGainBySpace && here.addressSpace()) {
      argument.addressSpace = here.addressSpace();
      known.push_back(argument);
    }
  }
}

Group CloneChooser::makeGroup(ArrayRef<KnowingSite> alike) const {
  Group group;
  group.sites = alike;
  group.size = program.function(group.function())->instructionCount;
  uint64_t once = 0;
  for (const KnownArgument &argument : slice(known, alike.front().known))
    once += argument.addressSpace
                ? context.params.ipaCpAddressSpaceGain
                : gains.ofParameter(group.function(), argument.parameter);
  for (const KnowingSite &site : alike)
    group.gain += once * site.frequency;
  return group;
}

/// Returns the groups of the sites, ordered by function and by what is known.
std::vector<Group> CloneChooser::groupSites() {
  auto isBefore = [&](const KnowingSite &a, const KnowingSite &b) {
    if (a.function != b.function)
      return a.function < b.function;
    ArrayRef<KnownArgument> left = slice(known, a.known),
                            right = slice(known, b.known);
    return std::lexicographical_compare(left.begin(), left.end(), right.begin(),
                                        right.end());
  };
  llvm::stable_sort(sites, isBefore);
  std::vector<Group> groups;
  for (size_t begin = 0, i = 1; i <= sites.size(); ++i) {
    if (i < sites.size() && !isBefore(sites[begin], sites[i]))
      continue;
    groups.push_back(makeGroup(ArrayRef(sites).slice(begin, i - begin)));
    begin = i;
  }
  return groups;
}

/// Returns whether \p call of \p caller may pass something worth a clone:
/// checking its arguments is faster than checking the callee.
bool CloneChooser::mayKnowMore(const BodyLattice &caller,
                               const CallEdge &call) const {
  using Kind = JumpFunction::Kind;
  if (program.imageOf(caller.id) != kHostImage)
    return true; // address spaces
  return any_of(program.jumpFunctions(caller.id, call.arguments),
                [&](const JumpFunction &actual) {
                  bool isFormal = (actual.kind == Kind::PassThrough &&
                                   actual.operation == JumpOperation::None) ||
                                  actual.kind == Kind::Ancestor;
                  if (isFormal && actual.source < caller.parameters.size())
                    return isOneValue(caller.parameters[actual.source].whole);
                  if (actual.bitWidth && (actual.high || actual.alignLog2))
                    return true;
                  return !isFormal && actual.kind != Kind::Unknown &&
                         actual.kind != Kind::Aggregate &&
                         actual.kind != Kind::Allocation;
                });
}

void CloneChooser::addSites(BodyIndex caller) {
  const BodyLattice &body = solver.bodies()[caller];
  if (!body.isReached)
    return;
  for (uint32_t number : seq(solver.callCount(caller))) {
    BodyIndex index = solver.calleeOf(caller, number);
    // Clones, which calls are redirected to, are none.
    if (index >= wanted.size() || !wanted.test(index))
      continue;
    // Few calls get as far as to what is all over the memory.
    const CallEdge &call = program.calls(body.id)[number];
    if (context.decisions.isCold(body.id))
      return;
    if (!(call.flags & (kColdSite | kMustTail)) && mayKnowMore(body, call))
      addSite({caller, number, false}, call, solver.bodies()[index]);
  }
}

void CloneChooser::addSite(CallSite site, const CallEdge &call,
                           const BodyLattice &callee) {
  uint32_t first = known.size();
  addKnownArguments(site, call, callee);
  if (uint32_t count = known.size() - first)
    sites.push_back({callee.id, site, call.frequency, {first, count}});
}

bool CloneChooser::isWorthIt(const Group &group) const {
  constexpr uint64_t kOnce = 256;
  return group.gain * 1000 / kOnce >=
         group.size * context.params.ipaCpEvalThreshold;
}

uint64_t CloneChooser::hashOfKnown(const BodyLattice &body) const {
  uint64_t known = body.isReached;
  for (const ParameterLattice &parameter : body.parameters)
    known = hash_combine(known, hashOf(parameter));
  return known;
}

/// Finds the candidates of which, or of whose callers, something else is known
/// than in the last round.
void CloneChooser::findWanted() {
  ArrayRef<BodyLattice> bodies = solver.bodies();
  std::vector<uint64_t> known(bodies.size());
  forEachPiece(context.threads, bodies.size(), [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      known[i] = hashOfKnown(bodies[i]);
  });
  wanted.resize(candidates.size());
  wanted.reset();
  readsVariables.resize(bodies.size());
  for (BodyIndex i : seq<BodyIndex>(0, bodies.size())) {
    bool isNew = i >= lastKnown.size();
    if (!isNew && lastKnown[i] == known[i] && !readsVariables.test(i))
      continue;
    if (i < wanted.size())
      wanted.set(i);
    for (uint32_t call : seq(solver.callCount(i)))
      if (BodyIndex callee = solver.calleeOf(i, call); callee < wanted.size())
        wanted.set(callee);
  }
  lastKnown = std::move(known);
  wanted &= candidates;
}

bool CloneChooser::runRound() {
  sites.clear();
  known.clear();
  findWanted();
  for (BodyIndex i : seq<BodyIndex>(0, solver.bodies().size())) {
    addSites(i);
    if (solver.hasAskedVariables())
      readsVariables.set(i);
  }
  std::vector<Group> groups = groupSites();
  llvm::erase_if(groups, [&](const Group &group) { return !isWorthIt(group); });
  // The most gain per copied instruction first; ties in program order.
  llvm::stable_sort(groups, [](const Group &a, const Group &b) {
    return a.gain * b.size > b.gain * a.size;
  });
  bool changed = false;
  for (const Group &group : groups) {
    uint64_t &left = growth[program.imageOf(group.function())];
    if (group.size > left ||
        solver.cloneCount(group.function()) >= context.params.ipaCpMaxClones)
      continue;
    left -= group.size;
    BodyIndex clone = solver.addClone(group.function());
    for (const KnowingSite &site : group.sites)
      solver.redirect(site.site, clone);
    changed = true;
  }
  return changed;
}

std::vector<uint64_t> allowedGrowth(const WpaContext &context,
                                    const ConstantsSolver &solver,
                                    unsigned percent) {
  const CombinedSummary &program = context.program;
  std::vector<uint64_t> growth(program.images().size(), 0);
  for (const BodyLattice &body : solver.bodies())
    growth[program.imageOf(body.id)] +=
        program.function(body.id)->instructionCount;
  for (uint64_t &allowed : growth)
    allowed =
        std::max<uint64_t>(allowed, context.params.ipaCpLargeUnitInstructions) *
        percent / 100;
  return growth;
}

void chooseClones(const WpaContext &context, const Callers &callers,
                  ConstantsSolver &solver) {
  std::vector<uint64_t> growth =
      allowedGrowth(context, solver, context.params.ipaCpUnitGrowthPercent);
  CloneGains gains(context, callers);
  CloneChooser functions(context, callers, solver, gains, growth);
  KernelCloneChooser kernels(context, callers, solver, gains, growth);
  for (unsigned round = 0; round < context.params.ipaCpRounds; ++round) {
    // Contexts of launches depend on the clones of host functions, and those of
    // device functions on the kernels'.
    bool changed = functions.runRound();
    if (changed)
      solver.solve();
    bool hasNewKernels = kernels.runRound();
    if (hasNewKernels)
      solver.solve();
    if (!changed && !hasNewKernels)
      break;
  }
  kernels.explainMissed();
}

} // namespace gpulto
