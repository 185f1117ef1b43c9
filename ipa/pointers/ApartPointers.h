//===- ApartPointers.h - Which pointers in aggregates are apart -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_POINTERS_APARTPOINTERS_H
#define GPULTO_IPA_POINTERS_APARTPOINTERS_H

#include "ipa/constants/ConstantsSolver.h"
#include "summary/Facts.h"

#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace gpulto {

/// For kernels that get pointers in aggregates: which pointers lead to separate
/// memory. Valid for the solved \p solver it was made from.
class ApartPointers {
public:
  ApartPointers(const WpaContext &context, const Callers &callers,
                const ConstantsSolver &solver);

  /// Returns, in order, the pairs of pointers of the kernel \p body that lead
  /// into different allocations in every launch of it, and at least one of
  /// which is written through.
  llvm::ArrayRef<ApartPair> of(const BodyLattice &body) const;

private:
  std::vector<ApartPair> candidatesOf(GlobalId kernel) const;
  void meetLaunch(GlobalId kernel, uint32_t clone,
                  llvm::ArrayRef<ParameterLattice> arguments);

  const CombinedSummary &program;
  const Decisions &decisions;
  /// By kernel and number of the clone: pairs that were apart in every launch
  /// so far. Looked up only.
  llvm::DenseMap<std::pair<GlobalId, uint32_t>, std::vector<ApartPair>> apart;
};

} // namespace gpulto

#endif
