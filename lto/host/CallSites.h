//===- CallSites.h - Which function a call of a folded body means -*- C++ -*-=//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A frame of a body that several functions share is named by its caller: for
// each call of such a body, the linked program has the return address of the
// call and the number of the function that the source called. docs/formats.md
// describes the bytes.
//
// Source: the call table of S. Tallam et al., "Safe ICF: Pointer Safe and
// Unwinding aware Identical Code Folding in the Gold Linker" (GCC Summit 2010).
// There the compiler lists all calls and the linker drops most; here the link
// knows which calls matter.
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

/// Turns the marks of calls (kCalleeMark) in \p module into attributes of the
/// calls: passes that recreate a call with fewer arguments keep only
/// attributes.
void carryCallMarks(llvm::Module &module);

/// Passes the marks that carryCallMarks left in \p module on to code generation
/// with \p machine. Returns false if there are none, or if no table can be
/// made: only x86-64 with the small code model has one.
bool prepareCallSites(llvm::Module &module, const llvm::TargetMachine &machine);

/// Returns the pass that keeps calls with different marks from being merged.
/// Runs before blocks with equal ends are merged. The pass manager to which it
/// is added owns it, as for all passes here.
llvm::Pass *createCallsApartPass();

/// Returns the pass that writes a row for each marked call; the last pass
/// before code is emitted.
llvm::Pass *createCallSitePass();

/// Converts the tables in \p object, the emitted ELF object, to their form in
/// docs/formats.md, which is not loaded with the program.
void packCallSites(llvm::SmallVectorImpl<char> &object);

} // namespace gpulto

#endif
