//===- TargetLibraries.cpp - What code generation may call ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/codegen/TargetLibraries.h"

#include "llvm/Analysis/RuntimeLibcallInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace gpulto {

void addTargetLibraries(legacy::PassManager &passes, const Module &module,
                        const TargetMachine &machine) {
  const Triple &triple = module.getTargetTriple();
  const TargetOptions &options = machine.Options;
  TargetLibraryInfoImpl library(triple, options.VecLib);
  passes.add(new TargetLibraryInfoWrapperPass(library));
  passes.add(new RuntimeLibraryInfoWrapper(
      triple, options.ExceptionModel, options.FloatABIType, options.EABIVersion,
      options.MCOptions.ABIName, options.VecLib));
}

} // namespace gpulto
