//===- Pointees.h - Variables callees get the address of --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_CONSTANTS_POINTEES_H
#define GPULTO_IPA_CONSTANTS_POINTEES_H

#include "ipa/callers/Callers.h"
#include "summary/WpaContext.h"

#include "llvm/ADT/DenseMap.h"

namespace gpulto {

/// What callees may do to variables of which they get the address. Needs
/// Decisions::effects.
class Pointees {
public:
  Pointees(const WpaContext &context, const Callers &callers)
      : context(context), program(context.program), callers(callers) {}

  /// Whether local variable \p number of the function \p caller (see
  /// JumpFunction::Kind::Aggregate), or what its parameter of that number, from
  /// 1, leads to, is reached from the function on by nobody but itself and
  /// callees that get its address, while they run, and by those that write it
  /// through one of their parameters only.
  bool isPrivate(GlobalId caller, uint64_t number) const;

  /// Whether \p function neither writes through its parameter \p number nor
  /// keeps it, and nobody does to whom it passes it.
  bool isUnwritten(GlobalId function, uint32_t number) const;

  /// Returns a number of bytes behind which \p function, and whom it passes its
  /// parameter \p number on to, touch nothing through it; kNone: not known.
  uint32_t reach(GlobalId function, uint32_t number) const;

private:
  bool isPrivateIn(GlobalId caller, const CallEdge &call,
                   uint64_t number) const;

  const WpaContext &context;
  const CombinedSummary &program;
  const Callers &callers;
  mutable llvm::DenseMap<std::pair<GlobalId, uint64_t>, bool> known;
  mutable llvm::DenseMap<std::pair<GlobalId, uint32_t>, uint32_t> reaches;
  mutable unsigned reachDepth = 0;
};

} // namespace gpulto

#endif
