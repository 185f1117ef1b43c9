//===- Pointees.h - Variables that callees leave alone ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_POINTEES_H
#define GPULTO_IPA_POINTEES_H

#include "ipa/Callers.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"

namespace gpulto {

/// Which parameters may be used to write, or to keep, what they point to; in
/// callees too. Built once; linear.
class Pointees {
public:
  Pointees(const WpaContext &context, const Callers &callers);

  /// Whether local variable \p number of the function \p caller (see
  /// JumpFunction::Kind::Aggregate) is, during each call that gets its address,
  /// what it was before.
  bool isIntact(GlobalId caller, uint64_t number) const;

private:
  /// Returns the index of parameter \p number of what \p call enters; kNone if
  /// that is not known or has no such parameter.
  uint32_t parameterOf(const CombinedModule &module, const CallEdge &call,
                       uint32_t number) const;

  const WpaContext &context;
  const CombinedSummary &program;
  /// First parameter of each body; looked up only.
  llvm::DenseMap<GlobalId, uint32_t> firstParameters;
  /// By parameter: not just read.
  llvm::BitVector touched;
  mutable llvm::DenseMap<std::pair<GlobalId, uint64_t>, bool> known;
};

} // namespace gpulto

#endif
