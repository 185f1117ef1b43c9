//===- Optimizer.h - LLVM's pass manager, set up as clang's -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_CODEGEN_OPTIMIZER_H
#define GPULTO_LTO_CODEGEN_OPTIMIZER_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

namespace llvm {
class Pass;
class TargetPassConfig;
class raw_pwrite_stream;
namespace legacy {
class PassManager;
} // namespace legacy
} // namespace llvm

namespace gpulto {

/// Returns LLVM's name for a level: \p optLevel 0-3, \p sizeLevel 0 (none), 1
/// (-Os), 2 (-Oz); a size level counts only at optLevel 2.
llvm::OptimizationLevel toLlvmLevel(unsigned optLevel, unsigned sizeLevel);

/// Returns code generation's name for -O level 0-3.
llvm::CodeGenOptLevel toCodegenLevel(unsigned optLevel);

/// Runs the passes that \p build makes with a PassBuilder, tuned as clang tunes
/// its own at \p level, on \p module.
void runPasses(
    llvm::Module &module, llvm::TargetMachine &machine,
    llvm::OptimizationLevel level,
    llvm::function_ref<llvm::ModulePassManager(llvm::PassBuilder &)> build);

/// As TargetMachine::addPassesToEmitFile, without verification: \p adapt may
/// insert passes, and \p last, if not null, runs before code is written.
/// Returns true if the target writes no such file.
bool addCodegenPasses(llvm::TargetMachine &machine,
                      llvm::legacy::PassManager &passes,
                      llvm::raw_pwrite_stream &stream,
                      llvm::CodeGenFileType type,
                      llvm::function_ref<void(llvm::TargetPassConfig &)> adapt,
                      llvm::Pass *last = nullptr);

} // namespace gpulto

#endif
