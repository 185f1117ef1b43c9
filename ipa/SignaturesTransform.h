//===- SignaturesTransform.h - Change signatures, in LTRANS -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_SIGNATURESTRANSFORM_H
#define GPULTO_IPA_SIGNATURESTRANSFORM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>

namespace llvm {
class Function;
} // namespace llvm

namespace gpulto {

/// Takes the parameters \p dropped (positions, ascending) and, if
/// \p dropsResult, the result from \p function, a definition or a declaration,
/// and from all calls of it. \p function is replaced by another of its name.
/// Errors: somebody uses what is to go, or \p function other than to call it;
/// then it is as it was.
llvm::Error changeSignature(llvm::Function &function,
                            llvm::ArrayRef<uint32_t> dropped, bool dropsResult);

/// Renames \p function, whose signature changed, if other partitions may know
/// it: `NAME.isra`, a suffix that demanglers know from GCC.
void markChanged(llvm::Function &function);

} // namespace gpulto

#endif
