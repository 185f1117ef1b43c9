//===- DeviceUnrolling.h - Loops that stay loops ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_DEVICE_DEVICEUNROLLING_H
#define GPULTO_LTO_DEVICE_DEVICEUNROLLING_H

#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class Loop;
class LPMUpdater;
} // namespace llvm

namespace gpulto {

/// Keeps loops of device code though `#pragma unroll` asks for all of their
/// rounds, where these are large, save nothing, and run seldom beside another
/// loop of the function. Runs before LLVM's unrolling, at compile time and
/// in the link. Says so as remark
/// `loop-unroll`.
struct LimitUnrollingPass : llvm::PassInfoMixin<LimitUnrollingPass> {
  llvm::PreservedAnalyses run(llvm::Loop &loop, llvm::LoopAnalysisManager &,
                              llvm::LoopStandardAnalysisResults &analyses,
                              llvm::LPMUpdater &);
};

} // namespace gpulto

#endif
