//===- PassedMemory.h - What calls get by reference -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_VALUES_PASSEDMEMORY_H
#define GPULTO_IPA_VALUES_PASSEDMEMORY_H

#include "ipa/bodies/LgenContext.h"
#include "ipa/values/ReachingWrites.h"

#include "llvm/ADT/SmallVector.h"

namespace llvm {
class CallBase;
} // namespace llvm

namespace gpulto {

class JumpFunctionBuilder;
class MemoryParts;
class MemoryValues;

/// Says what is in memory that functions pass and leave to each other, as one
/// jump function.
class PassedMemory {
public:
  PassedMemory(JumpFunctionBuilder &values, LocalVariables &locals,
               ReachingWrites &writes, MemoryValues &contents,
               MemoryParts &memory, LgenContext &context,
               llvm::Function &function);

  /// As JumpFunctionBuilder's.
  JumpFunction ofMemory(const llvm::Value &pointer, uint64_t size,
                        const llvm::Instruction &at);
  JumpFunction ofOutput(const llvm::Argument &argument,
                        llvm::ArrayRef<const llvm::Instruction *> rets);
  llvm::SmallVector<AggregatePart, 8> partsOf(const llvm::Value &pointer,
                                              uint64_t size,
                                              const llvm::Instruction &at);
  const llvm::Value *storedPointer(const llvm::Value &slots, uint64_t offset,
                                   const llvm::Instruction &at);

  /// Returns what \p pointer, an argument of \p call, is and points to.
  JumpFunction ofReference(const llvm::Value &pointer,
                           const llvm::CallBase &call);

private:
  JumpFunction withPartsNow(JumpFunction address, const llvm::CallBase &call);

  JumpFunctionBuilder &values;
  LocalVariables &locals;
  ReachingWrites &writes;
  MemoryValues &contents;
  MemoryParts &memory;
  LgenContext &context;
  llvm::Function &function;
  const llvm::DataLayout &layout;
};

} // namespace gpulto

#endif
