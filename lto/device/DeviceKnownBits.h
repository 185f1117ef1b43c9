//===- DeviceKnownBits.h - Known bits that pay on a GPU --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_DEVICE_DEVICEKNOWNBITS_H
#define GPULTO_LTO_DEVICE_DEVICEKNOWNBITS_H

#include "llvm/IR/PassManager.h"

namespace gpulto {

/// Divides in 32 bits where both operands of a division of 64 bits are known to
/// fit, in functions marked kChangedAttribute.
struct NarrowDivisionsPass : llvm::PassInfoMixin<NarrowDivisionsPass> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

/// Says again, behind casts of kernel parameters to an address space, how the
/// parameters are aligned: value tracking does not look through casts, and what
/// was said before does not survive that the cast is moved. For passes that run
/// right after it.
struct RestateAlignmentPass : llvm::PassInfoMixin<RestateAlignmentPass> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace gpulto

#endif
