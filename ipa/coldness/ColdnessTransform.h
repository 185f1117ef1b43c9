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

/// Says in attributes of the host function \p function, a definition or a
/// declaration, how seldom it runs. What runs hardly ever gets a section apart
/// (`.text.unlikely`) in code generation, and calls of it make the blocks they
/// are in cold.
void applyColdness(llvm::Function &function, Coldness coldness);

} // namespace gpulto

#endif
