//===- DeviceIndexes.h - 32-bit indexes on a GPU ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_DEVICE_DEVICEINDEXES_H
#define GPULTO_LTO_DEVICE_DEVICEINDEXES_H

#include "llvm/IR/PassManager.h"

namespace gpulto {

/// Computes 64-bit arithmetic that is known to fit 32 bits in 32 bits, in
/// functions marked kChangedAttribute.
struct NarrowIndexesPass : llvm::PassInfoMixin<NarrowIndexesPass> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace gpulto

#endif
