//===- SymbolSources.h - What copies to symbols copy (LGEN) -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_TRANSFERS_SYMBOLSOURCES_H
#define GPULTO_IPA_TRANSFERS_SYMBOLSOURCES_H

#include "ipa/bodies/LgenContext.h"
#include "ipa/values/ReachingWrites.h"
#include "summary/Transfers.h"

namespace llvm {
class CallBase;
class Constant;
class DataLayout;
class Value;
} // namespace llvm

namespace gpulto {

struct RuntimeFunction;

/// Tells what is in the memory that one function copies to symbols of variables
/// of the device.
class SymbolSources {
public:
  SymbolSources(LgenContext &context, llvm::Function &function);

  /// Fills the sources of \p result, the summary of the function.
  void run(FunctionSummary &result);

private:
  /// Bytes of a constant.
  struct ConstantBytes {
    const llvm::Constant *constant = nullptr;
    uint64_t offset = 0, size = 0;
  };

  JumpFunction contentsOf(const llvm::CallBase &call,
                          const RuntimeFunction &copy);
  ConstantBytes constantBehind(const llvm::Value &pointer, uint64_t size,
                               const llvm::Instruction &at, unsigned depth = 0);
  std::vector<AggregatePart> partsOf(const ConstantBytes &bytes) const;

  LgenContext &context;
  llvm::Function &function;
  const llvm::DataLayout &layout;
  LocalVariables locals;
  ReachingWrites writes;
};

} // namespace gpulto

#endif
