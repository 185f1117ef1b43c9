//===- DeviceBytes.h - Permutations of bytes on a GPU -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_LGEN_DEVICEBYTES_H
#define GPULTO_LTO_LGEN_DEVICEBYTES_H

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PassManager.h"

namespace gpulto {

/// Returns lanes of \p width bits, 8 or 16: ones where the high bits of the
/// word \p flags are set, otherwise zeros.
llvm::Value *createLanesOfSigns(llvm::IRBuilder<> &builder, llvm::Value *flags,
                                unsigned width);

/// Makes pairs of 16 bits, and masks of lanes, with one byte permutation in
/// place of shifts and products. For the end of the pipeline, since InstCombine
/// handles these better.
struct PermuteBytesPass : llvm::PassInfoMixin<PermuteBytesPass> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace gpulto

#endif
