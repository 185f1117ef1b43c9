//===- TransferValues.h - What copies name (LGEN) ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_TRANSFERS_TRANSFERVALUES_H
#define GPULTO_IPA_TRANSFERS_TRANSFERVALUES_H

#include "ipa/transfers/AllocationSlots.h"
#include "ipa/values/JumpFunctionBuilder.h"
#include "summary/Transfers.h"

#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace llvm {
class AllocaInst;
class BasicBlock;
class CallBase;
class DominatorTree;
class LoadInst;
class LoopInfo;
} // namespace llvm

namespace gpulto {

/// Positions of calls among the call edges of their function. Looked up only.
using CallNumbers = llvm::DenseMap<const llvm::CallBase *, uint32_t>;

/// Numbers the values of one function that events name.
class TransferValues {
public:
  TransferValues(LgenContext &context, llvm::Function &function,
                 const CallNumbers &calls, const llvm::LoopInfo &loops);

  /// Returns the number of \p value, a pointer or an integer, as \p at finds
  /// it.
  uint32_t of(const llvm::Value &value, const llvm::Instruction &at) {
    return of(value, at, 0);
  }
  /// Whether none of the sums and products that \p value, an integer, is made
  /// of has wrapped as a signed number when \p at executes.
  bool isExact(const llvm::Value &value, const llvm::Instruction &at) const {
    return isExact(value, at, 0);
  }
  /// Returns the number of a pointer into the memory of the allocating \p call.
  uint32_t ofAllocation(uint32_t call);
  /// Returns of what memory the pointer is that \p load yields.
  JumpFunction functionOf(const llvm::LoadInst &load);
  /// Returns the object that \p pointer leads into whatever happens; null if
  /// there are several. Memory of several calls that one pointer may lead into
  /// counts as one object, that of the first of them.
  const llvm::Value *onlyObject(const llvm::Value &pointer) const;
  /// Whether no other call allocates memory of the same object as \p call.
  bool isAlone(const llvm::CallBase &call) const;

  /// Returns the variables of the function that calls allocate into.
  AllocationSlots &allocationSlots() { return slots; }

  const std::vector<TransferValue> &all() const { return values; }
  /// By value: the block that computes it anew, or null.
  llvm::ArrayRef<const llvm::BasicBlock *> blocks() const {
    return definingBlocks;
  }

private:
  static JumpFunction allocation(uint32_t call);
  void joinAllocations(const llvm::Function &function);
  const llvm::Value *leaderOf(const llvm::Value &object) const;
  bool isHeapCall(const llvm::Value &value) const;
  uint32_t of(const llvm::Value &value, const llvm::Instruction &at,
              unsigned depth);
  uint32_t ofPointer(const llvm::Value &value, const llvm::Instruction &at,
                     unsigned depth);
  uint32_t ofNumber(const llvm::Value &value, const llvm::Instruction &at,
                    unsigned depth);
  uint32_t ofLoad(const llvm::LoadInst &load, const llvm::Instruction &at,
                  unsigned depth);
  bool runsOnce(uint32_t call) const;
  bool isExact(const llvm::Value &value, const llvm::Instruction &at,
               unsigned depth) const;
  bool isLessThanUsed(const llvm::Instruction &product,
                      const llvm::Instruction &at) const;
  uint32_t add(const TransferValue &value);
  uint32_t addPlain(const llvm::Value &value, const JumpFunction &function);

  const CallNumbers &calls;
  const llvm::LoopInfo &loops;
  const llvm::DominatorTree &dominators;
  JumpFunctionBuilder jumpFunctions;
  const llvm::DataLayout &layout;
  AllocationSlots slots;
  std::vector<TransferValue> values;
  std::vector<const llvm::BasicBlock *> definingBlocks;
  // Looked up only.
  llvm::DenseMap<const llvm::Value *, uint32_t> plain;
  /// Calls that return memory, and one that stands for them and others.
  llvm::DenseMap<const llvm::Value *, const llvm::Value *> leaders;
};

} // namespace gpulto

#endif
