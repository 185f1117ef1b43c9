//===- PointerFacts.h - Which pointers of a kernel are apart ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_POINTERS_POINTERFACTS_H
#define GPULTO_IPA_POINTERS_POINTERFACTS_H

#include "ipa/constants/ConstantsSolver.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace gpulto {

/// Returns whether \p a and \p b, two arguments of one launch, cannot lead to
/// the same memory.
bool areApart(const ValueLattice &a, const ValueLattice &b);

/// Returns whether \p kernel and all its callees have bodies in this link, call
/// nothing through pointers, have none of the MemoryEffect bits \p others (the
/// kernel itself none of \p own), and \p passesKnown holds for each call of \p
/// callee by \p caller.
bool staysWithin(const CombinedSummary &program, GlobalId kernel, uint16_t own,
                 uint16_t others,
                 llvm::function_ref<bool(GlobalId caller, const CallEdge &call,
                                         GlobalId callee)>
                     passesKnown);

/// Calls \p visit for each launch of each kernel all of whose launches are
/// known: with the kernel, the number of the launched clone, and the arguments
/// by parameter.
void forEachKnownLaunch(
    const CombinedSummary &program, const Callers &callers,
    const ConstantsSolver &solver,
    llvm::function_ref<void(GlobalId, uint32_t,
                            llvm::ArrayRef<ParameterLattice>)>
        visit);

/// Aliasing of kernel arguments, derived from the allocations that they point
/// into. Valid for the solved \p solver it was made from.
class PointerFacts {
public:
  PointerFacts(const WpaContext &context, const Callers &callers,
               const ConstantsSolver &solver);

  /// Returns whether pointer parameter \p parameter of the kernel \p body
  /// points, in every launch of it, into an allocation that nothing else in the
  /// kernel reaches.
  bool isNoAlias(const BodyLattice &body, uint32_t parameter) const;

private:
  void meetLaunch(GlobalId kernel, uint32_t clone,
                  llvm::ArrayRef<ParameterLattice> arguments);
  bool usesParametersOnly(GlobalId kernel) const;

  const CombinedSummary &program;
  /// By kernel and number of the clone: parameters that were apart from all
  /// others in every launch so far. Looked up only.
  llvm::DenseMap<std::pair<GlobalId, uint32_t>, llvm::BitVector> apart;
};

} // namespace gpulto

#endif
