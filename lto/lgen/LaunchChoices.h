//===- LaunchChoices.h - A launch for each of a few blocks ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_LGEN_LAUNCHCHOICES_H
#define GPULTO_LTO_LGEN_LAUNCHCHOICES_H

#include "llvm/IR/PassManager.h"

namespace gpulto {

/// Forbids that launches of one kernel which the source of the host module \p
/// module has in several places become one. Returns whether it has any.
bool keepLaunchesApart(llvm::Module &module);

/// Allows again what keepLaunchesApart() has forbidden.
void letLaunchesJoin(llvm::Module &module);

/// Makes a launch whose block is one of a few constants a launch for each, so
/// that ipa-cp may clone the kernel for some of them. Says so as remark
/// `launch-choices`. Runs before the module is summarized.
struct SplitLaunchesPass : llvm::PassInfoMixin<SplitLaunchesPass> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &);
};

} // namespace gpulto

#endif
