//===- CloneGainsPropagate.cpp - Gains of known constants -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: a number to compare with the instructions that a clone copies.
//
//   static void run(int n) { scale<<<n / 256, 256>>>(p, n); }
//   __global__ void scale(float *p, int n) { for (i = 0; i < n; ...) f(p, n); }
//
//   n of scale: what folds there, and what n is worth in f
//   n of run:   what n and the grid are worth in scale, if scale may be cloned
//
// Depth is bounded; a recursion counts once. All parameters are weighed
// together, one level of calls at a time, so it is linear.
//
// Source: GCC's ipa-cp.cc (estimate_local_effects).
//
//===----------------------------------------------------------------------===//

#include "ipa/clones/CloneGains.h"
#include "summary/CombinedModule.h"
#include "support/Parallel.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace gpulto {

static constexpr unsigned kMaxDepth = 3;
static constexpr uint64_t kOnce = 256, kMaxFrequency = 16 * kOnce;

static uint64_t weigh(uint64_t gain, uint32_t frequency) {
  return gain * std::min<uint64_t>(frequency, kMaxFrequency) / kOnce;
}

//===----------------------------------------------------------------------===//
// Which kernels may be cloned
//===----------------------------------------------------------------------===//

static bool isReplaceable(const SymbolRecord &symbol) {
  return symbol.linkage == Linkage::WeakAny ||
         symbol.linkage == Linkage::LinkOnceAny || symbol.has(kHasSection);
}

/// Whether \p stub launches itself, as what clang makes does: its summary reads
/// the stub's own address.
static bool launchesItself(const CombinedSummary &program, GlobalId stub) {
  SymbolIndex own = program.indexOf(stub);
  return any_of(slice(program.moduleRef(stub).summary.references,
                      program.function(stub)->references),
                [&](const ReferenceEdge &edge) { return edge.symbol == own; });
}

/// Whether the names of possible clones of \p kernel are unique.
static bool areNamesFree(const WpaContext &context, GlobalId kernel) {
  const CombinedSummary &program = context.program;
  for (uint32_t clone = 1; clone <= context.params.ipaCpMaxClones; ++clone)
    if (program.lookup(program.imageOf(kernel),
                       program.symbol(kernel).name.str() +
                           kernelCloneSuffix(clone)) != kNone)
      return false;
  return true;
}

std::string whyNoKernelClone(const WpaContext &context, const Callers &callers,
                             GlobalId stub) {
  const CombinedSummary &program = context.program;
  constexpr uint32_t kNever = kOptNone | kNaked | kVarArg | kReturnsTwice |
                              kHasAsmLabels | kHasIndirectBranch |
                              kBlockAddressTaken | kNoDuplicate | kOptSize |
                              kMinSize;
  if (callers.unknown(stub) != UnknownCaller::None)
    return "its launches are unknown";
  if (callers.isAttributed(stub))
    return "the program reads or sets its attributes";
  if (program.resolution(stub) & kLinkerRedefined ||
      isReplaceable(program.symbol(stub)) || program.definition(stub) != stub)
    return "its stub may be replaced";
  if (!launchesItself(program, stub))
    return "its stub is not one of clang's";
  ArrayRef<GlobalId> kernels = program.deviceCounterparts(stub);
  if (kernels.size() + 1 != program.images().size())
    return "not every architecture has it";
  ArrayRef<ParameterRecord> formals;
  for (GlobalId kernel : kernels) {
    const FunctionSummary *function = program.function(kernel);
    if (!function || callers.unknown(kernel) != UnknownCaller::None)
      return "its launches are unknown";
    if (callers.stubCount(kernel) != 1)
      return "several stubs launch it";
    if (callers.deviceLauncherOf(kernel) != kNone)
      return "device code launches it";
    if ((function->flags & kNever) || isReplaceable(program.symbol(kernel)))
      return "its body is not to be copied";
    if (!areNamesFree(context, kernel))
      return "the program has a kernel with a clone's name";
    auto isSame = [](const ParameterRecord &a, const ParameterRecord &b) {
      return a.bitWidth == b.bitWidth && a.byValBytes == b.byValBytes;
    };
    ArrayRef<ParameterRecord> own = program.parameters(kernel);
    if (kernel != kernels.front() && !llvm::equal(own, formals, isSame))
      return "its parameters differ between architectures";
    formals = own;
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Gains
//===----------------------------------------------------------------------===//

/// Returns the parameter of the kernel that \p formal of \p stub is, whole, or
/// kNone.
static uint32_t kernelParameter(const CombinedSummary &program, GlobalId stub,
                                uint32_t formal) {
  for (const StubArgument &piece :
       slice(program.moduleRef(stub).summary.stubArguments,
             program.function(stub)->stubArguments))
    if (piece.formal == formal && piece.byteOffset == 0 && !piece.isAggregate)
      return piece.kernelArgument;
  return kNone;
}

CloneGains::CloneGains(const WpaContext &context, const Callers &callers)
    : context(context), program(context.program), callers(callers) {
  numberParameters();
  flows = collectInPieces<Flow>(
      context.threads, callers.bodies().size(),
      [&](size_t body, std::vector<Flow> &found) { findFlows(body, found); });
  sum();
  // Those of kernels are known by now.
  if (addLaunches())
    sum();
}

void CloneGains::numberParameters() {
  firstParameter.reserve(callers.bodies().size() + 1);
  for (GlobalId id : callers.bodies()) {
    firstParameter.push_back(ownGains.size());
    for (const ParameterRecord &formal : program.parameters(id))
      ownGains.push_back(formal.constantGain);
  }
  firstParameter.push_back(ownGains.size());
}

/// Adds what \p body passes on to others to \p found.
void CloneGains::findFlows(uint32_t body, std::vector<Flow> &found) const {
  GlobalId id = callers.bodies()[body];
  for (auto [number, call] : enumerate(program.calls(id))) {
    uint32_t callee = callers.namedCalleeOf(body, number);
    if (callee == kNone || callee == body || call.arguments.empty())
      continue;
    size_t formals = firstParameter[callee + 1] - firstParameter[callee];
    for (auto [i, actual] : enumerate(
             program.jumpFunctions(id, call.arguments).take_front(formals)))
      if (actual.kind == JumpFunction::Kind::PassThrough &&
          actual.operation == JumpOperation::None)
        found.push_back({firstParameter[body] + actual.source,
                         firstParameter[callee] + uint32_t(i), call.frequency});
  }
}

/// Adds up what parameters save, callees up to kMaxDepth calls deep included.
void CloneGains::sum() {
  gains = ownGains;
  for (unsigned depth = 0; depth < kMaxDepth; ++depth) {
    std::vector<uint64_t> deeper = ownGains;
    for (const Flow &flow : flows)
      deeper[flow.from] += weigh(gains[flow.to], flow.frequency);
    gains = std::move(deeper);
  }
}

/// Adds to the own gains of the host's functions what their launches make of
/// parameters. Returns whether there are launches.
bool CloneGains::addLaunches() {
  bool isAny = false;
  for (GlobalId id : callers.bodies())
    if (program.imageOf(id) == kHostImage)
      for (const LaunchSite &launch : program.launches(id)) {
        addLaunch(id, launch);
        isAny = true;
      }
  return isAny;
}

/// One of the kernels stands for all that may be launched, and the first
/// architecture for all, since one is as good an estimate as all.
void CloneGains::addLaunch(GlobalId id, const LaunchSite &launch) {
  SmallVector<GlobalId, 2> stubs = callers.stubsOf(id, launch);
  if (stubs.empty() || program.deviceCounterparts(stubs.front()).empty() ||
      !whyNoKernelClone(context, callers, stubs.front()).empty())
    return;
  GlobalId stub = stubs.front();
  GlobalId kernel = program.deviceCounterparts(stub).front();
  SmallDenseMap<uint32_t, uint64_t, 8> worth; // by parameter of the function
  for (auto [i, actual] :
       enumerate(program.jumpFunctions(id, launch.arguments))) {
    if (actual.kind != JumpFunction::Kind::PassThrough)
      continue;
    uint32_t formal = launch.byStubFormals ? kernelParameter(program, stub, i)
                                           : static_cast<uint32_t>(i);
    if (formal != kNone)
      worth[actual.source] += ofParameter(kernel, formal);
  }
  for (auto [i, actual] : enumerate(program.jumpFunctions(id, launch.geometry)))
    if (i <= kBlockZ && actual.kind == JumpFunction::Kind::PassThrough)
      worth[actual.source] += ofGeometry(kernel, i);
  for (auto [parameter, gain] : worth)
    ownGains[firstParameter[callers.bodyIndex(id)] + parameter] +=
        weigh(gain, launch.frequency);
}

uint64_t CloneGains::computeGeometry(GlobalId id, uint32_t component,
                                     unsigned depth) const {
  const FunctionSummary &function = *program.function(id);
  uint64_t gain = function.geometryGain[component];
  if (depth == kMaxDepth)
    return gain;
  for (const CallEdge &call :
       slice(program.moduleRef(id).summary.calls, function.calls)) {
    GlobalId callee = program.definitionFor(id, call.callee);
    if (callee != kNone && callee != id && program.function(callee))
      gain +=
          weigh(computeGeometry(callee, component, depth + 1), call.frequency);
  }
  return gain;
}

uint64_t CloneGains::ofPart(GlobalId function, uint32_t parameter,
                            unsigned bits) const {
  const ParameterRecord &formal = program.parameters(function)[parameter];
  constexpr unsigned kByteBits = 8;
  return formal.byValBytes
             ? formal.constantGain * bits / kByteBits / formal.byValBytes
             : 0;
}

uint64_t CloneGains::ofGeometry(GlobalId function, uint32_t component) {
  auto [entry, isNew] = geometry.try_emplace({function, component}, 0);
  if (isNew)
    entry->second = computeGeometry(function, component, 0);
  return entry->second;
}

} // namespace gpulto
