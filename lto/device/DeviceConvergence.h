//===- DeviceConvergence.h - Where whole warps shuffle ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_DEVICE_DEVICECONVERGENCE_H
#define GPULTO_LTO_DEVICE_DEVICECONVERGENCE_H

#include "llvm/IR/PassManager.h"

namespace gpulto {

/// Says of shuffles in branches that all threads of a warp execute them
/// together, where that is proven: by `bar.warp.sync` before them. ptxas does
/// not see it, and adds a second copy of each for warps that are not whole.
/// Runs last, since the barrier hinders what optimizes memory.
struct RestateConvergencePass : llvm::PassInfoMixin<RestateConvergencePass> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace gpulto

#endif
