//===- DeviceLoops.h - Unrolling for a GPU ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_DEVICE_DEVICELOOPS_H
#define GPULTO_LTO_DEVICE_DEVICELOOPS_H

#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/PassManager.h"

#include <cstdint>

namespace llvm {
class Loop;
class LPMUpdater;
} // namespace llvm

namespace gpulto {

/// How far loops are unrolled.
enum class Unrolling : uint8_t {
  /// As far as it saves instructions.
  Full,
  /// Only a few iterations, for kernels with too few registers for more.
  Sparing,
};

/// Sets how often to unroll innermost loops of functions marked
/// kChangedAttribute, and short ones of unknown count in all functions, as
/// metadata for LLVM's unrolling passes. Pragmas in the source take precedence.
class ChooseUnrollingPass : public llvm::PassInfoMixin<ChooseUnrollingPass> {
public:
  /// Unrolls up to \p most; loops of unknown count only if \p mayTest.
  /// \p reached becomes Full if Sparing would have stopped earlier.
  ChooseUnrollingPass(Unrolling most, bool mayTest, Unrolling &reached)
      : most(most), mayTest(mayTest), reached(reached) {}
  llvm::PreservedAnalyses run(llvm::Loop &loop, llvm::LoopAnalysisManager &,
                              llvm::LoopStandardAnalysisResults &analyses,
                              llvm::LPMUpdater &);

private:
  Unrolling most;
  bool mayTest;
  Unrolling &reached;
};

/// Copies of 16 to 64 bytes between addresses aligned to 16 bytes become loads
/// and stores of 16 bytes; NVPTX's own expansion moves 8 at a time.
struct WidenCopiesPass : llvm::PassInfoMixin<WidenCopiesPass> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &);
};

} // namespace gpulto

#endif
