//===- SignaturesTransform.h - Change signatures, in LTRANS -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_SIGNATURES_SIGNATURESTRANSFORM_H
#define GPULTO_IPA_SIGNATURES_SIGNATURESTRANSFORM_H

#include "summary/Facts.h"

#include "llvm/Support/Error.h"

namespace llvm {
class Function;
} // namespace llvm

namespace gpulto {

/// Does \p change, but for its clone, to \p function, a definition or a
/// declaration, and to all calls of it. \p function is replaced by another of
/// its name. Errors: somebody uses what is to go, or \p function other than to
/// call it; then it is as it was.
llvm::Error changeSignature(llvm::Function &function,
                            const SignatureChange &change);

/// Renames \p function, whose signature changed, if other partitions may know
/// it: `NAME.gpulto.isra`, which no other code has.
void markChanged(llvm::Function &function);

} // namespace gpulto

#endif
