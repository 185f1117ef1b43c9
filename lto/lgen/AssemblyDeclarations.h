//===- AssemblyDeclarations.h - Names of inline assembly --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_LGEN_ASSEMBLYDECLARATIONS_H
#define GPULTO_LTO_LGEN_ASSEMBLYDECLARATIONS_H

namespace llvm {
class Module;
}

namespace gpulto {

struct ModuleSummary;

/// Declares in the host module \p module the symbols that its inline assembly
/// names and other modules define, according to \p summary. A linker then sees
/// in the bitcode what it would see in the native code, and takes archive
/// members for it; declarations make no code. Leaves out registers of assembly
/// that does not mark them. Returns whether \p module was changed.
bool declareAssemblyNames(llvm::Module &module, const ModuleSummary &summary);

} // namespace gpulto

#endif
