//===- HostCodegen.h - Optimize a host module, make an object ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_HOST_HOSTCODEGEN_H
#define GPULTO_LTO_HOST_HOSTCODEGEN_H

#include "lto/job/LtransJob.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>

namespace gpulto {

/// Registers all targets of this LLVM. May be called again, but not from two
/// threads at a time.
void initializeTargets();

/// Returns the machine for host module \p module. \p optLevel: 0-3. Errors: an
/// unknown triple, CPU, feature, relocation or code model.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createHostMachine(const llvm::Module &module, const HostCodegenOptions &options,
                  unsigned optLevel);

/// Runs the part of LLVM's pipeline that follows ThinLTO's compile step, as
/// clang's ThinLTO back end does at that level.
void optimizeHost(llvm::Module &module, llvm::TargetMachine &machine,
                  unsigned optLevel, unsigned sizeLevel);

/// Returns the bytes of the ELF object for \p module. Errors: the target emits
/// no objects.
llvm::Expected<std::string> emitHostObject(llvm::Module &module,
                                           llvm::TargetMachine &machine);

} // namespace gpulto

#endif
