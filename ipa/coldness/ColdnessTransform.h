//===- ColdnessTransform.h - Cold functions, in LTRANS ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_COLDNESS_COLDNESSTRANSFORM_H
#define GPULTO_IPA_COLDNESS_COLDNESSTRANSFORM_H

#include "summary/Facts.h"

namespace llvm {
class Function;
} // namespace llvm

namespace gpulto {

/// Puts \p coldness into attributes of the host function \p function, a
/// definition or a declaration. Code generation gives functions that hardly
/// ever run a separate section (`.text.unlikely`), and calls of them make their
/// blocks cold.
void applyColdness(llvm::Function &function, Coldness coldness);

} // namespace gpulto

#endif
