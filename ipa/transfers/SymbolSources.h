//===- SymbolSources.h - What copies to symbols copy (LGEN) -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_TRANSFERS_SYMBOLSOURCES_H
#define GPULTO_IPA_TRANSFERS_SYMBOLSOURCES_H

#include "ipa/bodies/LgenContext.h"
#include "ipa/values/JumpFunctionBuilder.h"
#include "ipa/values/ReachingWrites.h"
#include "summary/Bodies.h"
#include "summary/Transfers.h"

#include <vector>

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

  /// Fills the sources of \p result, the summary of the function, in which
  /// \p copies are the calls that copy to symbols.
  void run(FunctionSummary &result, llvm::ArrayRef<uint32_t> copies);

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
  using Parts = std::vector<AggregatePart>;
  void addConstant(const ConstantBytes &bytes, uint64_t at, Parts &parts) const;
  static void addFill(uint8_t byte, LocalBytes bytes, Parts &parts);
  bool addLocal(const llvm::Value &pointer, uint64_t size,
                const llvm::CallBase &at, Parts &parts);
  bool addVariable(const llvm::Value &pointer, uint64_t size,
                   const llvm::CallBase &at, Parts &parts);
  void addRange(const LocalVariable &local, const ToldBytes &range, uint64_t at,
                const llvm::CallBase &call, Parts &parts);
  void addWritten(const LocalWrite &write, uint64_t distance, LocalBytes bytes,
                  Parts &parts);

  LgenContext &context;
  llvm::Function &function;
  const llvm::DataLayout &layout;
  JumpFunctionBuilder values;
  LocalVariables locals;
  ReachingWrites writes;
};

/// Fills the sources of \p result, the summary of \p function.
void analyzeSymbolSources(LgenContext &context, llvm::Function &function,
                          FunctionSummary &result);

} // namespace gpulto

#endif
