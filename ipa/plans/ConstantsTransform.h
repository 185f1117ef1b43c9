//===- ConstantsTransform.h - Put proven facts into bodies ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_PLANS_CONSTANTSTRANSFORM_H
#define GPULTO_IPA_PLANS_CONSTANTSTRANSFORM_H

#include "summary/Facts.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace llvm {
class Constant;
class Function;
} // namespace llvm

namespace gpulto {

/// Puts \p facts about the parameters of \p function into its body: constants
/// replace uses, bounds become attributes. The signature stays. \p addressOf
/// returns the symbol of an address fact, or null to leave the fact alone.
/// Returns whether the body changed. Leaves functions alone that must not be
/// optimized (optnone, naked).
bool applyValueFacts(
    llvm::Function &function, const FunctionFacts &facts,
    llvm::function_ref<llvm::Constant *(const ValueFact &)> addressOf);

/// Puts facts about pointers (alignment, not null) from \p facts into
/// attributes, as far as each call of \p function, which only its module uses,
/// shows them. Does nothing if \p function has other uses. A compiler that sees
/// only this module finds the same by inlining. Returns whether any attribute
/// is new.
bool applyShownFacts(llvm::Function &function, const FunctionFacts &facts);

/// Puts \p guard, which the host tests before the launch, into the device body
/// \p function: as applyValueFacts and applyGeometry do, and also that integers
/// are multiples, which costs an instruction. Returns whether the body changed.
bool applyGuard(llvm::Function &function, const FunctionFacts &guard);

/// Replaces the results of direct calls of \p function by its return value
/// according to \p fact, or puts its bounds into attributes. \p fact has no
/// symbol.
void applyReturned(llvm::Function &function, const ValueFact &fact);

/// Removes the `noalias` that applyValueFacts added to parameters of \p
/// function; called before code generation.
void dropInferredNoAlias(llvm::Function &function);

} // namespace gpulto

#endif // GPULTO_IPA_PLANS_CONSTANTSTRANSFORM_H
