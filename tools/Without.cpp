//===- Without.cpp - What one program for all tools leaves out ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// LLVM's archives refer to more than a package should hold or need. What is
// defined here is not taken from them or from other libraries:
//
//   targets     all but X86 and NVPTX. They are not registered, so that LLVM
//               says that it has no such target.
//   Polly       an optimizer of loops that is off unless asked for by options
//               (-mllvm -polly), which are unknown then.
//   Z3          with which clang's analyzer can refute reports (an option,
//   off).
//
//===----------------------------------------------------------------------===//

#define LLVM_ENABLE_DUMP // declares what is defined at the end
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/SMTAPI.h"

using namespace llvm;

extern "C" {

#define LEFT_OUT(target)                                                       \
  void LLVMInitialize##target##TargetInfo() {}                                 \
  void LLVMInitialize##target##Target() {}                                     \
  void LLVMInitialize##target##TargetMC() {}                                   \
  void LLVMInitialize##target##AsmPrinter() {}                                 \
  void LLVMInitialize##target##AsmParser() {}                                  \
  void LLVMInitialize##target##Disassembler() {}
#include "tools/LeftOutTargets.def" // generated
#undef LEFT_OUT
}

/// A plugin that adds nothing.
PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "no Polly", LLVM_VERSION_STRING,
          [](PassBuilder &) {}};
}

SMTSolverRef llvm::CreateZ3Solver() {
  report_fatal_error("this program has no Z3", /*GenCrashDiag=*/false);
}

// They are in the same object of LLVM's archive, which must not be taken.
void SMTSort::dump() const {}
void SMTExpr::dump() const {}
void SMTSolver::dump() const {}
void SMTSolverStatistics::dump() const {}
