//===- AssemblyDeclarations.h - Names of inline assembly --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_LGEN_ASSEMBLYDECLARATIONS_H
#define GPULTO_LTO_LGEN_ASSEMBLYDECLARATIONS_H

#include "summary/ModuleSummary.h"

namespace llvm {
class Module;
}

namespace gpulto {

/// Declares in the host module \p module what its inline assembly names and
/// other modules define, as \p summary says. A linker then sees in the bitcode
/// what it would see in the native code, and takes archive members for it; what
/// is only declared makes no code. Registers of assembly that has no mark for
/// them are left out. Returns whether \p module was changed.
bool declareAssemblyNames(llvm::Module &module, const ModuleSummary &summary);

} // namespace gpulto

#endif
