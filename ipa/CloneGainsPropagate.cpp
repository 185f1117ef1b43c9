//===- CloneGainsPropagate.cpp - What knowing a constant is worth ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: a number to set against the instructions that a clone copies.
//
//   static void run(int n) { scale<<<n / 256, 256>>>(p, n); }
//   __global__ void scale(float *p, int n) { for (i = 0; i < n; ...) f(p, n); }
//
//   n of scale: what folds there, and what n is worth in f
//   n of run:   what n and the grid are worth in scale, if scale may be cloned
//
// Depth is bounded; a recursion counts once.
//
// Source: GCC's ipa-cp.cc (estimate_local_effects).
//
//===----------------------------------------------------------------------===//

#include "ipa/CloneGains.h"

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

/// Whether the clones that \p kernel may get bear names that nothing else has.
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

/// Returns what the launches in \p id make of \p parameter; of the first
/// architecture, since one is as good an estimate as all.
uint64_t CloneGains::launchGain(GlobalId id, uint32_t parameter) {
  const CombinedModule &module = program.moduleRef(id);
  uint64_t gain = 0;
  for (const LaunchSite &launch :
       slice(module.summary.launches, program.function(id)->launches)) {
    // One of the kernels stands for all that may be launched.
    SmallVector<GlobalId, 2> stubs = callers.stubsOf(id, launch);
    if (stubs.empty() ||
        !whyNoKernelClone(context, callers, stubs.front()).empty())
      continue;
    GlobalId stub = stubs.front();
    GlobalId kernel = program.deviceCounterparts(stub).front();
    uint64_t worth = 0;
    for (auto [i, actual] :
         enumerate(slice(module.summary.jumpFunctions, launch.arguments))) {
      if (actual.kind != JumpFunction::Kind::PassThrough ||
          actual.source != parameter)
        continue;
      uint32_t formal = launch.byStubFormals ? kernelParameter(program, stub, i)
                                             : static_cast<uint32_t>(i);
      if (formal != kNone)
        worth += ofParameter(kernel, formal);
    }
    for (auto [i, actual] :
         enumerate(slice(module.summary.jumpFunctions, launch.geometry)))
      if (i <= kBlockZ && actual.kind == JumpFunction::Kind::PassThrough &&
          actual.source == parameter)
        worth += ofGeometry(kernel, i);
    gain += weigh(worth, launch.frequency);
  }
  return gain;
}

uint64_t CloneGains::compute(GlobalId id, uint32_t parameter, unsigned depth) {
  const FunctionSummary &function = *program.function(id);
  const CombinedModule &module = program.moduleRef(id);
  ArrayRef<ParameterRecord> formals = program.parameters(id);
  if (parameter >= formals.size())
    return 0;
  uint64_t gain = formals[parameter].constantGain;
  gain += launchGain(id, parameter);
  if (depth == kMaxDepth)
    return gain;
  for (const CallEdge &call : slice(module.summary.calls, function.calls)) {
    GlobalId callee = program.definitionFor(id, call.callee);
    if (callee == kNone || callee == id || !program.function(callee))
      continue;
    for (auto [i, actual] :
         enumerate(slice(module.summary.jumpFunctions, call.arguments)))
      if (actual.kind == JumpFunction::Kind::PassThrough &&
          actual.operation == JumpOperation::None && actual.source == parameter)
        gain += weigh(compute(callee, i, depth + 1), call.frequency);
  }
  return gain;
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

uint64_t CloneGains::ofParameter(GlobalId function, uint32_t parameter) {
  auto found = parameters.find({function, parameter});
  if (found != parameters.end())
    return found->second;
  uint64_t gain = compute(function, parameter, 0);
  parameters[{function, parameter}] = gain;
  return gain;
}

uint64_t CloneGains::ofPart(GlobalId function, uint32_t parameter,
                            unsigned bits) {
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
