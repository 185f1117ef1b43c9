//===- EffectsTransform.h - Put effects on declarations ----------*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_EFFECTS_EFFECTSTRANSFORM_H
#define GPULTO_IPA_EFFECTS_EFFECTSTRANSFORM_H

#include "summary/Facts.h"

namespace llvm {
class Function;
class GlobalVariable;
} // namespace llvm

namespace gpulto {

/// Says in attributes of \p function, a body or a declaration, what \p effects
/// say of it; attributes that say more stay. A function of another type than
/// the one summarised is left alone.
void applyEffects(llvm::Function &function, const FunctionEffects &effects);

/// Removes what is stored in \p variable, which nobody reads: functions that do
/// may have been promised to touch no memory.
void removeStores(llvm::GlobalVariable &variable);

/// Gives the partition a copy of \p variable, a declaration, of its own: nobody
/// reads it, so LLVM drops what is written there. \p sizeBytes and \p alignLog2
/// are those of the definition. Deletes \p variable.
void replaceByPrivateCopy(llvm::GlobalVariable &variable, uint64_t sizeBytes,
                          unsigned alignLog2);

} // namespace gpulto

#endif
