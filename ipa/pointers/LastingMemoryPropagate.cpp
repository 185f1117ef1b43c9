//===- LastingMemoryPropagate.cpp - Memory that kernels can rely on (WPA) -===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: find how many bytes a kernel can always read through a parameter,
// whatever it does, so that LLVM may load from there speculatively.
//
// LGEN records at launches which pointers lead to memory that the host function
// has successfully allocated and does not free before the kernel has run
// (LaunchedMemoryAnalyze.cpp). The lattice has the smallest size of all
// launches, and a kernel passes it on to its callees. Premises about the
// program:
//
// 1. All callees of the host are known, and free nothing asynchronously; there
//    is no native code (DeviceOrder::isSeen); nothing resets the device. It does
//    not matter in which streams kernels run: cudaFree waits for all of them.
// 2. No kernel stores such a pointer where the host might get and free it
//    (keeps).
//
// Null is not memory: an allocation that may fail has no bytes, since loads
// after `if (p)` must stay there.
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
      reason = quotedName(program, kernel) +
               " keeps a pointer to memory of unknown origin";
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
            "what " + parameterName(program, body.id, i) + " of " +
                quotedName(program, body.id) +
                " leads to may be freed while it runs: " +
                (reason.empty() ? "a kernel keeps the pointer" : reason));
  }
}

} // namespace gpulto
