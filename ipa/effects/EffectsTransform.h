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

/// Puts \p effects into attributes of \p function, a body or a declaration;
/// attributes that say more stay. A function whose type differs from the
/// summarized one is left alone.
void applyEffects(llvm::Function &function, const FunctionEffects &effects);

/// Removes the stores to \p variable, which nobody reads: functions with such
/// stores may have been promised to touch no memory.
void removeStores(llvm::GlobalVariable &variable);

/// Gives the partition its own copy of \p variable, a declaration: nobody reads
/// it, so LLVM drops the stores. \p sizeBytes and \p alignLog2 are those of the
/// definition. Deletes \p variable.
void replaceByPrivateCopy(llvm::GlobalVariable &variable, uint64_t sizeBytes,
                          unsigned alignLog2);

} // namespace gpulto

#endif
