//===- ClonesPropagate.cpp - Which contexts get a body of their own -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: functions whose callers disagree, where agreeing would pay.
//
//   __noinline__ float sum(const float *p, int n);
//   k1: sum(tile, 32)     tile in shared memory
//   k2: sum(in, n)        in in global memory
//   ->  sum.cp1(tile): 32 iterations of ld.shared;  sum.cp2: ld.global
//
// In each round, for each function that calls reach:
// 1. groupContexts: its calls are grouped by what they know and the function
//    does not: constants that save something, functions that it calls through a
//    parameter, on the device address spaces.
// 2. A group's gain is what its constants save (LGEN's estimate) times how
//    often it calls; its cost the function's size.
// 3. Groups worth their growth become clones, the best first, within limits of
//    the image's growth and of clones per function.
// 4. The solver starts anew: clones pass on what they know, and the next round
//    finds contexts of their callees (clones of clones). Functions of which
//    nothing has changed, nor of their callers, are not looked at again: what
//    was not worth a clone is not, and limits get no wider.
//
// Functions that the inliner will take are left to it, but for those that
// launch. Kernels have a chooser of their own (KernelClonesPropagate.cpp),
// which takes turns with this one.
//
// Source: GCC's ipa-cp.cc (good_cloning_opportunity_p, decide_about_value).
//
//===----------------------------------------------------------------------===//

#include "ipa/Clones.h"
#include "ipa/KernelClones.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>

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

/// Calls of one function that know the same.
struct Group {
  GlobalId function = kNone;
  std::vector<KnownArgument> known;
  std::vector<CallSite> sites;
  /// Instructions saved, weighed by how often the calls run; in 1/256.
  uint64_t gain = 0;
  uint64_t size = 0;
};

class CloneChooser {
public:
  CloneChooser(const WpaContext &context, ConstantsSolver &solver,
               CloneGains &gains, std::vector<uint64_t> &growth)
      : context(context), program(context.program), solver(solver),
        gains(gains), growth(growth), candidates(solver.bodies().size()) {
    for (const BodyLattice &body : solver.bodies())
      if (isCandidate(body.id))
        candidates.set(body.index);
  }

  /// Returns whether there is a new clone.
  bool runRound();

private:
  bool isCandidate(GlobalId id) const;
  void findWanted();
  bool mayKnowMore(const BodyLattice &caller, const CallEdge &call) const;
  void addSite(BodyIndex caller, uint32_t number, const CallEdge &call);
  std::vector<KnownArgument> knownArguments(CallSite site, const CallEdge &call,
                                            const BodyLattice &callee);
  uint64_t gainOf(ArrayRef<KnownArgument> known, GlobalId id);
  bool isWorthIt(const Group &group) const;

  const WpaContext &context;
  const CombinedSummary &program;
  ConstantsSolver &solver;
  CloneGains &gains;
  /// By image: instructions that clones may still add.
  std::vector<uint64_t> &growth;
  /// By BodyIndex: definitions of which there may be clones.
  BitVector candidates;
  std::map<std::pair<GlobalId, std::vector<KnownArgument>>, Group> groups;
  /// By BodyIndex, of the last round: a hash of what was known of it, and
  /// whether its calls pass what is stored in variables.
  std::vector<uint64_t> lastKnown;
  BitVector readsVariables;
  /// By BodyIndex: candidates whose calls are looked at in this round.
  BitVector wanted;
};

} // namespace

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
      symbol.linkage == Linkage::LinkOnceAny || program.definition(id) != id ||
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

std::vector<KnownArgument>
CloneChooser::knownArguments(CallSite site, const CallEdge &call,
                             const BodyLattice &callee) {
  std::vector<KnownArgument> known;
  bool isDevice = program.imageOf(callee.id) != kHostImage;
  ArrayRef<ParameterRecord> formals = program.parameters(callee.id);
  // Nothing is known of what is not passed.
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
  return known;
}

uint64_t CloneChooser::gainOf(ArrayRef<KnownArgument> known, GlobalId id) {
  uint64_t gain = 0;
  for (const KnownArgument &argument : known)
    gain += argument.addressSpace ? context.params.ipaCpAddressSpaceGain
                                  : gains.ofParameter(id, argument.parameter);
  return gain;
}

/// Returns whether \p call of \p caller may pass what is worth a clone: what
/// its arguments are tells sooner than what the callee is.
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

void CloneChooser::addSite(BodyIndex caller, uint32_t number,
                           const CallEdge &call) {
  if (call.callee == kNone || (call.flags & (kColdSite | kMustTail)) ||
      !mayKnowMore(solver.bodies()[caller], call))
    return;
  BodyIndex index = solver.calleeOf(caller, number);
  // Clones, which calls are redirected to, are none.
  if (index >= candidates.size() || !wanted.test(index))
    return;
  const BodyLattice &callee = solver.bodies()[index];
  CallSite site{caller, number, false};
  std::vector<KnownArgument> known = knownArguments(site, call, callee);
  if (known.empty())
    return;
  Group &group = groups[{callee.id, known}];
  const FunctionSummary &function = *program.function(callee.id);
  group.function = callee.id;
  group.sites.push_back(site);
  group.gain += gainOf(known, callee.id) * call.frequency;
  group.size = function.instructionCount;
  group.known = std::move(known);
}

bool CloneChooser::isWorthIt(const Group &group) const {
  constexpr uint64_t kOnce = 256;
  return group.gain * 1000 / kOnce >=
         group.size * context.params.ipaCpEvalThreshold;
}

/// Finds the candidates of which, or of whose callers, something else is known
/// than in the last round.
void CloneChooser::findWanted() {
  wanted.resize(candidates.size());
  wanted.reset();
  readsVariables.resize(solver.bodies().size());
  for (BodyIndex i = 0; i < solver.bodies().size(); ++i) {
    const BodyLattice &body = solver.bodies()[i];
    uint64_t known = body.isReached;
    for (const ParameterLattice &parameter : body.parameters)
      known = hash_combine(known, hashOf(parameter));
    bool isNew = i == lastKnown.size();
    if (isNew)
      lastKnown.push_back(known);
    if (!isNew && lastKnown[i] == known && !readsVariables.test(i))
      continue;
    lastKnown[i] = known;
    if (i < wanted.size())
      wanted.set(i);
    for (uint32_t call = 0; call < program.calls(body.id).size(); ++call)
      if (BodyIndex callee = solver.calleeOf(i, call); callee < wanted.size())
        wanted.set(callee);
  }
  wanted &= candidates;
}

bool CloneChooser::runRound() {
  groups.clear();
  findWanted();
  for (BodyIndex i = 0; i < solver.bodies().size(); ++i) {
    const BodyLattice &body = solver.bodies()[i];
    if (!body.isReached || context.decisions.isCold(body.id))
      continue;
    for (auto [number, call] : enumerate(program.calls(body.id)))
      addSite(i, number, call);
    if (solver.hasAskedVariables())
      readsVariables.set(i);
  }
  std::vector<const Group *> order;
  for (const auto &[key, group] : groups)
    if (isWorthIt(group))
      order.push_back(&group);
  // The most gain per copied instruction first; ties in program order.
  llvm::stable_sort(order, [](const Group *a, const Group *b) {
    return a->gain * b->size > b->gain * a->size;
  });
  bool changed = false;
  for (const Group *group : order) {
    uint64_t &left = growth[program.imageOf(group->function)];
    if (group->size > left ||
        solver.cloneCount(group->function) >= context.params.ipaCpMaxClones)
      continue;
    left -= group->size;
    BodyIndex clone = solver.addClone(group->function);
    for (CallSite site : group->sites)
      solver.redirect(site, clone);
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
  CloneChooser functions(context, solver, gains, growth);
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
