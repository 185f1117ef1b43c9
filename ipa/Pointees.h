//===- Pointees.h - Variables that callees leave alone ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_POINTEES_H
#define GPULTO_IPA_POINTEES_H

#include "summary/WpaContext.h"

#include "llvm/ADT/DenseMap.h"

namespace gpulto {

/// Which variables callees leave alone that get their address. Needs
/// Decisions::effects.
class Pointees {
public:
  explicit Pointees(const WpaContext &context)
      : context(context), program(context.program) {}

  /// Whether local variable \p number of the function \p caller (see
  /// JumpFunction::Kind::Aggregate) is, during each call that gets its address,
  /// what it was before.
  bool isIntact(GlobalId caller, uint64_t number) const;

private:
  /// Whether what \p call of \p caller enters only reads what its parameter
  /// \p number points to, while it runs, or returns it there.
  bool isLeftAlone(GlobalId caller, const CallEdge &call,
                   uint32_t number) const;

  const WpaContext &context;
  const CombinedSummary &program;
  mutable llvm::DenseMap<std::pair<GlobalId, uint64_t>, bool> known;
};

} // namespace gpulto

#endif
