//===- InliningTransform.h - Prepare calls for LLVM's inliner ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_INLINING_INLININGTRANSFORM_H
#define GPULTO_IPA_INLINING_INLININGTRANSFORM_H

#include "summary/Decisions.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace gpulto {

/// Marks the calls of \p function, a body as LGEN saw it, that \p numbers (in
/// ascending order) name, and indirect ones, so that they are found again in
/// copies: LLVM's inliner may inline their callees. Errors: \p numbers is not
/// empty and the body does not have \p callCount calls.
llvm::Error markInlining(llvm::Function &function,
                         llvm::ArrayRef<uint32_t> numbers, uint32_t callCount);

/// Marks the calls of \p function, a body as LGEN saw it, for inlineRecursion.
/// Errors: as markInlining.
llvm::Error markRecursion(llvm::Function &function,
                          const RecursiveInlining &recursion,
                          uint32_t callCount);

/// Inlines the functions of \p partition that markRecursion has marked, and
/// copies of them, into themselves. It inlines a copy of the original, so that
/// each has the calls of the source.
void inlineRecursion(llvm::Module &partition);

} // namespace gpulto

#endif // GPULTO_IPA_INLINING_INLININGTRANSFORM_H
