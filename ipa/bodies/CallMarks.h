//===- CallMarks.h - Marks of instructions in metadata ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_BODIES_CALLMARKS_H
#define GPULTO_IPA_BODIES_CALLMARKS_H

#include "llvm/ADT/StringRef.h"

namespace gpulto {

/// Metadata of the calls that markCalls marks.
inline constexpr llvm::StringLiteral kCallMark = "gpulto.call";

/// Metadata of the calls that markInlining marks.
inline constexpr llvm::StringLiteral kInlineMark = "gpulto.inline";

/// Metadata of the calls that markRecursion marks.
inline constexpr llvm::StringLiteral kRecursionMark = "gpulto.recursion";

/// Metadata of the instructions that markStretches marks.
inline constexpr llvm::StringLiteral kStretchMark = "gpulto.stretch";

} // namespace gpulto

#endif // GPULTO_IPA_BODIES_CALLMARKS_H
