//===- TargetLibraries.h - What code generation may call --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_CODEGEN_TARGETLIBRARIES_H
#define GPULTO_LTO_CODEGEN_TARGETLIBRARIES_H

namespace llvm {
class Module;
class TargetMachine;
namespace legacy {
class PassManager;
}
} // namespace llvm

namespace gpulto {

/// Tells \p passes, which generate code for \p module with \p machine, which
/// library functions exist. Without it, code generation believes that there are
/// none, and turns memcpy and memset into byte loops. Source: codegen of
/// llvm/lib/LTO/LTOBackend.cpp.
void addTargetLibraries(llvm::legacy::PassManager &passes,
                        const llvm::Module &module,
                        const llvm::TargetMachine &machine);

} // namespace gpulto

#endif
