//===- FoldTransform.h - Make one body of several (LTRANS) ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_ICF_FOLDTRANSFORM_H
#define GPULTO_ICF_FOLDTRANSFORM_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Function;
class GlobalVariable;
} // namespace llvm

namespace gpulto {

/// Metadata of calls that enter a body shared by several functions: which of
/// them the source called, by its number in the table of folds. In a shared
/// body, pairs follow: the number of a member, and the number of the function
/// that this member calls here.
inline constexpr llvm::StringLiteral kCalleeMark = "gpulto.callee";
/// In place of a number: unknown.
inline constexpr unsigned kUnknownCallee = ~0u;

/// Named metadata: pairs of a number in the table of folds and the function's
/// name in debug information, for removed functions.
inline constexpr llvm::StringLiteral kCalleeList = "gpulto.callees";

/// Marks the calls of \p function that have no mark yet: the source calls the
/// function with number \p number.
void markCallsOf(llvm::Function &function, unsigned number);

/// Makes \p leader stand for \p member, a body of the same module that
/// whole-program analysis found to do the same: removes from \p leader every
/// promise that \p member, number \p number in the table of folds, does not
/// make. \p member stays unchanged.
///
/// Uses of other folded definitions already name their leaders. Errors: the
/// bodies differ after all, with the first difference; \p leader is unchanged.
llvm::Error mergeFolded(llvm::Function &leader, const llvm::Function &member,
                        unsigned number = kUnknownCallee);

/// Compares two constants of one module that whole-program analysis found to
/// hold the same. Uses of other folded definitions already name their leaders.
/// Errors: they differ.
llvm::Error compareFolded(const llvm::GlobalVariable &leader,
                          const llvm::GlobalVariable &member);

/// Removes from \p function, a declaration or a body present only for inlining,
/// every promise that some body folded with it might not make.
void dropPromises(llvm::Function &function);

/// Makes the body of \p function a jump to \p target, which has the same
/// signature. Linkage and attributes stay.
void makeJump(llvm::Function &function, llvm::Function &target);

} // namespace gpulto

#endif
