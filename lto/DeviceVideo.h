//===- DeviceVideo.h - Arithmetic on the bytes of a word --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_DEVICEVIDEO_H
#define GPULTO_LTO_DEVICEVIDEO_H

#include "llvm/IR/PassManager.h"

namespace gpulto {

/// Makes masks of bytes or halves of a word, which replaceVideoInstructions
/// (lto/ModuleRepair.h) leaves as products, by one permutation. For the end of
/// the pipeline: InstCombine knows the product better.
struct PermuteMasksPass : llvm::PassInfoMixin<PermuteMasksPass> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace gpulto

#endif
