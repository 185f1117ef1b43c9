//===- LastingMemory.h - Device memory that lasts while kernels run -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_POINTERS_LASTINGMEMORY_H
#define GPULTO_IPA_POINTERS_LASTINGMEMORY_H

#include "ipa/pointers/DeviceOrder.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseSet.h"

#include <cstdint>
#include <string>
#include <utility>

namespace gpulto {

/// How much of the memory that kernel parameters lead to can be read as long as
/// a kernel runs. Valid for the solved \p solver it was made from.
class LastingMemory {
public:
  /// \p order: that of the same program; null: it has no known launches.
  LastingMemory(const WpaContext &context, const Callers &callers,
                const ConstantsSolver &solver, const DeviceOrder *order);

  /// Returns the number of such bytes for pointer parameter \p parameter of \p
  /// body, in device code; 0: unknown.
  uint64_t bytes(const BodyLattice &body, uint32_t parameter) const;

  /// Explains why nothing is known of parameters for which a launch knows it.
  /// Pass `gpulto-launches`.
  void explain(const WpaContext &context) const;

private:
  void meetLaunch(GlobalId kernel, llvm::ArrayRef<ParameterLattice> arguments);
  bool keeps(GlobalId kernel, uint32_t parameter) const;

  const CombinedSummary &program;
  const Decisions &decisions;
  const ConstantsSolver &solver;
  /// The premise about the program that fails, as a clause; empty: none does.
  std::string reason;
  /// Allocations, as body and number of the call, whose pointer a kernel may
  /// store. Looked up only.
  llvm::DenseSet<std::pair<GlobalId, uint64_t>> kept;
};

} // namespace gpulto

#endif
