//===- CallSites.h - Which function a call of a folded body means -*- C++ -*-=//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A frame of a body that several functions share is named by who called it: the
// linked program has, for each call of such a body, the address to which the
// call returns and the number of the function that the source called.
// docs/formats.md has the bytes.
//
// Source: the call table of S. Tallam et al., "Safe ICF: Pointer Safe and
// Unwinding aware Identical Code Folding in the Gold Linker" (GCC Summit 2010).
// There the compiler lists all calls and the linker drops most; here the link
// knows which ones count.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_HOST_CALLSITES_H
#define GPULTO_LTO_HOST_CALLSITES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Pass.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace gpulto {

/// Name of the section.
inline constexpr llvm::StringLiteral kCallSiteSection = ".gpulto.callsites";

/// Makes the marks of calls (kCalleeMark) in \p module attributes of the calls:
/// passes that make a call anew, with fewer arguments, keep attributes only.
void carryCallMarks(llvm::Module &module);

/// Hands the marks that carryCallMarks left in \p module over to code
/// generation by \p machine. Returns false if there is none, or if no table can
/// be made: x86-64 with the small code model has one.
bool prepareCallSites(llvm::Module &module, const llvm::TargetMachine &machine);

/// Returns the pass that keeps calls with different marks from being merged; to
/// be run before blocks with equal ends are. Owned by the pass manager that it
/// is added to, as are all of them.
llvm::Pass *createCallsApartPass();

/// Returns the pass that writes a row for each marked call; the last one before
/// code is emitted.
llvm::Pass *createCallSitePass();

/// Gives the tables in \p object, the ELF object that has been emitted, their
/// form in docs/formats.md, which is not loaded with the program.
void packCallSites(llvm::SmallVectorImpl<char> &object);

} // namespace gpulto

#endif
