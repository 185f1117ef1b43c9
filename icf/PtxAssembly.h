//===- PtxAssembly.h - Inline PTX as folding sees it ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_ICF_PTXASSEMBLY_H
#define GPULTO_ICF_PTXASSEMBLY_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace gpulto {

/// Returns the inline assembly \p text, PTX with LLVM's placeholders, with one
/// spelling for the types of instructions that do not depend on the sign of
/// integers: `add.s32` and `add.u32` both become `add.b32`. Two texts that
/// become equal do the same with the same operands. The result need not be
/// valid PTX. A text with comments, strings or LLVM's alternatives is returned
/// unchanged.
///
/// Source: the semantics in "PTX ISA", section Instruction Set.
std::string signlessPtx(llvm::StringRef text);

} // namespace gpulto

#endif
