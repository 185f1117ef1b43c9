//===- Optimizer.h - LLVM's pass manager, set up as clang's -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_OPTIMIZER_H
#define GPULTO_LTO_OPTIMIZER_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

namespace gpulto {

/// Returns LLVM's name for a level: \p optLevel 0-3, \p sizeLevel 0 (none), 1
/// (-Os), 2 (-Oz); a size level counts at optLevel 2 only.
llvm::OptimizationLevel toLlvmLevel(unsigned optLevel, unsigned sizeLevel);

/// Returns code generation's name for -O level 0-3.
llvm::CodeGenOptLevel toCodegenLevel(unsigned optLevel);

/// Runs over \p module the passes that \p build makes of a PassBuilder tuned as
/// clang tunes its own at \p level.
void runPasses(
    llvm::Module &module, llvm::TargetMachine &machine,
    llvm::OptimizationLevel level,
    llvm::function_ref<llvm::ModulePassManager(llvm::PassBuilder &)> build);

} // namespace gpulto

#endif
