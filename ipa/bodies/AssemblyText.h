//===- AssemblyText.h - Names and labels in inline assembly -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Names in assembly are found among its words, not with an assembler: only code
// generation knows the operands of inline assembly. Words that are not names do
// little harm, but missed names would, so every word that may be a name counts.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_BODIES_ASSEMBLYTEXT_H
#define GPULTO_IPA_BODIES_ASSEMBLYTEXT_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace llvm {
class CallBase;
class Function;
} // namespace llvm

namespace gpulto {

/// The role of an identifier in assembly, by its place in the statement.
enum class AsmRole : uint8_t {
  /// A colon follows it at the start of a statement.
  Label,
  /// `=` follows it at the start of a statement.
  Assigned,
  /// The first word: an instruction, its prefix, a directive, a macro.
  Head,
  Operand,
  /// It follows an `@`: PLT, a section's type, a symbol's version.
  Modifier
};

/// An identifier in assembly.
struct AsmToken {
  llvm::StringRef text;
  AsmRole role = AsmRole::Operand;
  /// The first word of its statement; empty until known.
  llvm::StringRef head;
  /// The number of operands of the statement before it.
  unsigned position = 0;
  /// It is between braces: in PTX, a scope of its own.
  bool isScoped = false;
  /// An operand of inline assembly or a macro argument continues it.
  bool isPart = false;
  /// `%=` makes it different in each copy.
  bool isUnique = false;
};

/// Returns the inline assembly \p text of LLVM's IR as an assembler gets it,
/// except for operands, which are control characters that forEachAsmToken
/// knows. \p isIntel selects the second of the alternatives in a text.
std::string plainAssembly(llvm::StringRef text, bool isIntel = false);

/// Calls \p found with each call of inline assembly in \p function and its
/// plain text.
void forEachInlineAssembly(
    const llvm::Function &function,
    llvm::function_ref<void(const llvm::CallBase &, llvm::StringRef)> found);

/// Calls \p found with each identifier of the plain \p text, in order.
/// Operands, numbers, numeric labels, comments and strings are not identifiers;
/// other quoted text is one. What looks like a name may be a register.
void forEachAsmToken(llvm::StringRef text,
                     llvm::function_ref<void(const AsmToken &)> found);

/// Returns whether \p token of host assembly may be the name of a symbol that
/// is defined elsewhere: it is an operand, and not of a directive that takes no
/// symbol.
bool mayNameSymbol(const AsmToken &token);

/// Calls \p found with each name that \p text defines and that a file (on the
/// device, a function) can have only once: labels, macros, symbols. \p
/// isDevice: \p text is PTX.
void forEachAsmDefinition(llvm::StringRef text, bool isDevice,
                          llvm::function_ref<void(llvm::StringRef)> found);

/// Returns whether \p text defines anything in the sense of
/// forEachAsmDefinition.
bool definesAsmNames(llvm::StringRef text, bool isDevice);

/// Returns whether module-level assembly \p text only gives symbols linkage,
/// visibility or a type: libstdc++ has `.globl _ZSt21ios_base_library_initv` in
/// every file that includes iostream.
bool isPlainAssembly(llvm::StringRef text);

} // namespace gpulto

#endif
