//===- DeviceKnownBits.h - Known bits that pay off on a GPU -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_DEVICE_DEVICEKNOWNBITS_H
#define GPULTO_LTO_DEVICE_DEVICEKNOWNBITS_H

#include "llvm/IR/PassManager.h"

namespace gpulto {

/// Divides in 32 bits if both operands of a 64-bit division are known to fit,
/// in functions marked kChangedAttribute.
struct NarrowDivisionsPass : llvm::PassInfoMixin<NarrowDivisionsPass> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

/// Restates the alignment of kernel parameters after their casts to an address
/// space: value tracking does not look through casts, and earlier statements do
/// not survive a move of the cast. For passes that run right after it.
struct RestateAlignmentPass : llvm::PassInfoMixin<RestateAlignmentPass> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace gpulto

#endif
