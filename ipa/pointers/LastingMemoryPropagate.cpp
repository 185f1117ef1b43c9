//===- LastingMemoryPropagate.cpp - Memory that kernels can rely on (WPA) -===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: how many bytes behind a kernel's parameter can be read whatever the
// kernel does, so that LLVM may load from there speculatively.
//
// LGEN tells at launches which pointers lead to memory that the host function
// has allocated, successfully, and that it does not free before the kernel has
// run (LaunchedMemoryAnalyze.cpp); the lattice has the least size of all
// launches, and a kernel hands it on to what it calls. Premises of the program:
//
// 1. What the host calls is known, and frees nothing asynchronously; there is
//    no native code (DeviceOrder::isSeen); nothing resets the device. In which
//    streams kernels run does not matter: cudaFree waits for all of them.
// 2. No kernel stores such a pointer, from where the host might get and free it
//    (keeps).
//
// Null is not memory: what may fail to be allocated has no bytes, since loads
// behind `if (p)` must stay there.
//
// Linear in launches.
//
//===----------------------------------------------------------------------===//

#include "ipa/callers/ImageRemarks.h"
#include "ipa/pointers/LastingMemory.h"
#include "ipa/pointers/PointerFacts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace gpulto {

static bool isPointer(const ParameterRecord &formal) {
  return (formal.flags & kParamIsPointer) && !(formal.flags & kParamByVal);
}

LastingMemory::LastingMemory(const WpaContext &context, const Callers &callers,
                             const ConstantsSolver &solver,
                             const DeviceOrder *order)
    : program(context.program), decisions(context.decisions), solver(solver) {
  if (!order)
    reason = "no launch is known";
  else if (!order->isSeen())
    reason = order->whyNotSeen().str();
  else if (order->mayReset())
    reason = "the program may reset the device";
  if (!reason.empty())
    return;
  for (const BodyLattice &body : solver.bodies())
    if (program.symbol(body.id).has(kKernel) && !body.isKnown &&
        any_of(seq<uint32_t>(0, program.parameters(body.id).size()),
               [&](uint32_t i) { return keeps(body.id, i); }))
      reason = "a kernel of which not all launches are known keeps a pointer";
  forEachKnownLaunch(
      program, callers, solver,
      [&](GlobalId kernel, uint32_t, ArrayRef<ParameterLattice> arguments) {
        meetLaunch(kernel, arguments);
      });
}

/// Whether \p kernel may store its pointer parameter \p parameter.
bool LastingMemory::keeps(GlobalId kernel, uint32_t parameter) const {
  if (!isPointer(program.parameters(kernel)[parameter]))
    return false;
  const FunctionEffects *effects = decisions.effectsOf(kernel);
  return !effects || parameter >= effects->parameters.size() ||
         (effects->parameters[parameter] & kParamMayEscape);
}

void LastingMemory::meetLaunch(GlobalId kernel,
                               ArrayRef<ParameterLattice> arguments) {
  for (auto [i, argument] : enumerate(arguments)) {
    const ValueLattice &value = argument.whole;
    bool isNull = value.isConstant() && value.value() == 0;
    if (!keeps(kernel, i) || isNull)
      continue;
    if (value.state() == ValueLattice::State::Allocation)
      kept.insert({value.symbol(), value.value()});
    else if (reason.empty())
      reason = "'" + program.symbol(kernel).name.str() +
               "' keeps a pointer to memory of unknown origin";
  }
}

uint64_t LastingMemory::bytes(const BodyLattice &body,
                              uint32_t parameter) const {
  const ValueLattice &value = body.parameters[parameter].whole;
  bool isKept = value.state() == ValueLattice::State::Allocation
                    ? kept.contains({value.symbol(), value.value()})
                    : !kept.empty();
  return reason.empty() && !isKept && value.isNonNull()
             ? value.dereferenceableBytes()
             : 0;
}

void LastingMemory::explain(const WpaContext &context) const {
  for (const BodyLattice &body : solver.bodies()) {
    if (!program.symbol(body.id).has(kKernel) || !body.isReached)
      continue;
    for (auto [i, parameter] : enumerate(body.parameters))
      if (parameter.whole.dereferenceableBytes() && !bytes(body, i))
        addKernelRemark(
            context, RemarkKind::Missed, "Dereferenceable", body.id,
            "what parameter " + std::to_string(i) + " of '" +
                program.symbol(body.id).name.str() +
                "' leads to may be freed while it runs: " +
                (reason.empty() ? "a kernel keeps the pointer" : reason));
  }
}

} // namespace gpulto
