//===- PointerValues.h - Jump functions of pointers -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_VALUES_POINTERVALUES_H
#define GPULTO_IPA_VALUES_POINTERVALUES_H

#include "ipa/bodies/LgenContext.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class AllocaInst;
class DataLayout;
class Function;
class Value;
} // namespace llvm

namespace gpulto {

class CallResults;
class JumpFunctionBuilder;
class LocalVariables;
class ReachingWrites;
struct DerivedPointer;

/// Says what the pointers of one function are and lead into.
class PointerValues {
public:
  PointerValues(JumpFunctionBuilder &values, LocalVariables &locals,
                ReachingWrites &writes, CallResults &calls,
                LgenContext &context, llvm::Function &function);

  /// Returns the jump function of the pointer \p value.
  JumpFunction of(const llvm::Value &value);

  /// Returns log2 of a number that pointers at byte \p offset of \p variable, a
  /// local one, are multiples of, wherever they were stored; 0: not known.
  unsigned storedAlignLog2(const llvm::Value &variable, uint64_t offset);

private:
  JumpFunction ofDerived(const llvm::Value &value);
  JumpFunction ofLocalAddress(const llvm::AllocaInst &variable,
                              const DerivedPointer &from);
  bool addStored(const llvm::Value &variable, uint64_t offset,
                 llvm::SmallVectorImpl<const llvm::Value *> &values);
  unsigned choicesAlignLog2(llvm::ArrayRef<const llvm::Value *> pointers);

  JumpFunctionBuilder &values;
  LocalVariables &locals;
  ReachingWrites &writes;
  CallResults &calls;
  LgenContext &context;
  llvm::Function &function;
  const llvm::DataLayout &layout;
};

} // namespace gpulto

#endif
