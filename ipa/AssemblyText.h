//===- AssemblyText.h - Names and labels in inline assembly -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_ASSEMBLYTEXT_H
#define GPULTO_IPA_ASSEMBLYTEXT_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace gpulto {

/// An identifier in assembly.
struct AsmToken {
  llvm::StringRef text;
  /// A colon follows it at the start of a statement.
  bool isLabel = false;
  /// It stands between braces: in PTX, a scope of its own.
  bool isScoped = false;
};

/// Calls \p found with each identifier of \p text, in order. Operand references
/// (`$0`, `${1:w}`), numbers and labels that are numbers are no identifiers; of
/// a name made unique by `%=` (`${:uid}`) the rest is one, but no label. What
/// looks like a name may be an instruction or a directive.
void forEachAsmToken(llvm::StringRef text,
                     llvm::function_ref<void(const AsmToken &)> found);

/// Returns whether module-level assembly \p text gives symbols linkage,
/// visibility or a type, and does nothing else: libstdc++ has
/// `.globl _ZSt21ios_base_library_initv` in every file that includes iostream.
bool isPlainAssembly(llvm::StringRef text);

/// Returns whether \p text defines a label that a function, on the host a file,
/// can have once only. \p isDevice: \p text is PTX.
bool definesUniqueLabel(llvm::StringRef text, bool isDevice);

} // namespace gpulto

#endif
