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

/// Metadata of calls that enter a body that several functions share: which of
/// them the source called, by its number in the table of folds. In a shared
/// body, pairs follow: the number of a member, and whom that one calls here.
inline constexpr llvm::StringLiteral kCalleeMark = "gpulto.callee";
/// In the place of a number: it is not known.
inline constexpr unsigned kUnknownCallee = ~0u;

/// Named metadata: pairs of a number in the table of folds and what debug
/// information calls that function, for functions that are gone.
inline constexpr llvm::StringLiteral kCalleeList = "gpulto.callees";

/// Notes that the source calls number \p number where calls of \p function have
/// no note yet.
void markCallsOf(llvm::Function &function, unsigned number);

/// Lets \p leader stand for \p member, a body of the same module that whole-
/// program analysis found to do the same: takes from \p leader every promise
/// that \p member, number \p number in the table of folds, does not make.
/// \p member is left as it is.
///
/// Uses of other folded definitions name their leaders already. Errors: the
/// bodies differ after all, with the first difference; \p leader is unchanged.
llvm::Error mergeFolded(llvm::Function &leader, const llvm::Function &member,
                        unsigned number = kUnknownCallee);

/// Compares two constants of one module that whole-program analysis found to
/// hold the same. Uses of other folded definitions name their leaders already.
/// Errors: they differ.
llvm::Error compareFolded(const llvm::GlobalVariable &leader,
                          const llvm::GlobalVariable &member);

/// Takes from \p function, a declaration or a body that is only there to be
/// inlined, everything that some body folded with it might not promise.
void dropPromises(llvm::Function &function);

/// Makes the body of \p function a jump to \p target, which has the same
/// signature. Linkage and attributes stay.
void makeJump(llvm::Function &function, llvm::Function &target);

} // namespace gpulto

#endif
