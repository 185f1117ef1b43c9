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

/// Applies \p change, except for its clone number, to \p function, a definition
/// or a declaration, and to all its calls. Replaces \p function by another of
/// its name. Errors: a dropped parameter or result is used, or \p function is
/// used other than in calls; then nothing changes.
llvm::Error changeSignature(llvm::Function &function,
                            const SignatureChange &change);

/// Renames \p function, whose signature changed, if other partitions may know
/// it: `NAME.gpulto.isra`, which no other code has.
void markChanged(llvm::Function &function);

} // namespace gpulto

#endif
