//===- MemoryRequests.h - What accesses memory for a warp -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_ACCESS_MEMORYREQUESTS_H
#define GPULTO_IPA_ACCESS_MEMORYREQUESTS_H

#include "ipa/access/MemoryRow.h"
#include "ipa/access/WarpCost.h"

#include <vector>

namespace llvm {
class Function;
class Instruction;
class Value;
} // namespace llvm

namespace gpulto {

/// An access to global, shared or constant memory, or to an array in local
/// memory whose index is computed.
struct MemoryRequest {
  const llvm::Instruction *instruction = nullptr;
  /// Of a branch, its condition.
  const llvm::Value *pointer = nullptr;
  /// In bytes from the pointer.
  int64_t offset = 0;
  AccessSize size;
  MemorySpace space = MemorySpace::Global;
  AccessKind kind = AccessKind::Load;
  /// How many lanes name addresses, if all are active.
  unsigned lanes = kWarpLanes;
  /// A predicate of the assembly decides which lanes do.
  bool isGuarded = false;
};

/// Returns the accesses of \p function in its order: loads, stores, atomic
/// operations, copies, asynchronous ones too, and inline assembly that is one
/// of these. Where pointers are generic, what they are derived from says the
/// space, or they lead to global memory.
std::vector<MemoryRequest> findRequests(const llvm::Function &function);

} // namespace gpulto

#endif
