//===- DeviceHalves.h - Pairs of 16 bits on a GPU ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_DEVICEHALVES_H
#define GPULTO_LTO_DEVICEHALVES_H

#include "llvm/IR/PassManager.h"

namespace gpulto {

/// Makes vectors of two numbers of 16 bits that are joined by a shift: one
/// instruction of PTX for four. For the end of the pipeline: InstCombine knows
/// the shift better.
struct JoinHalvesPass : llvm::PassInfoMixin<JoinHalvesPass> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace gpulto

#endif
