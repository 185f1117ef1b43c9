//===- CallResults.h - What calls return and allocate -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_VALUES_CALLRESULTS_H
#define GPULTO_IPA_VALUES_CALLRESULTS_H

#include "summary/JumpFunction.h"

#include "llvm/ADT/DenseMap.h"

namespace llvm {
class CallBase;
class DataLayout;
class Function;
class Value;
} // namespace llvm

namespace gpulto {

/// Says of values that they are what calls of one function return or allocate.
class CallResults {
public:
  explicit CallResults(llvm::Function &function);

  /// Returns \p value as what a call returns, or as an element of it; Unknown
  /// if it is something else.
  JumpFunction of(const llvm::Value &value);

  /// Returns the \p bits bits at byte \p offset of what \p call returns, 0 for
  /// a pointer. Functions of the C library, as LLVM knows them, are not of this
  /// program.
  JumpFunction ofCall(const llvm::CallBase &call, uint64_t offset,
                      unsigned bits);

  /// Returns a pointer to the memory that \p call allocates. Not known to be
  /// other than null: the call may fail.
  JumpFunction ofAllocation(const llvm::CallBase &call);

  /// Returns the number of \p call among the call edges of the function.
  uint32_t numberOf(const llvm::CallBase &call);

private:
  llvm::Function &function;
  const llvm::DataLayout &layout;
  /// Filled when first asked for. Looked up only.
  llvm::DenseMap<const llvm::CallBase *, uint32_t> numbers;
};

/// "at least 256 bytes": CUDA C++ Programming Guide, device memory accesses.
constexpr uint8_t kAllocationAlignLog2 = 8;

} // namespace gpulto

#endif
