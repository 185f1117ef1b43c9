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

/// Rewrites \p function, a body, by what \p facts say of its parameters:
/// constants replace uses, bounds become attributes. The signature stays.
/// \p addressOf returns the symbol of an address fact, or null to leave the
/// fact alone. Returns whether the body changed. Functions that are not to be
/// optimized (optnone, naked) are left alone.
bool applyValueFacts(
    llvm::Function &function, const FunctionFacts &facts,
    llvm::function_ref<llvm::Constant *(const ValueFact &)> addressOf);

/// Says in attributes what \p facts say of pointers, as far as each call of
/// \p function, which only its module uses, shows it: alignment, not null.
/// Nothing if it is used otherwise. A compiler that sees this module alone finds
/// the same by inlining. Returns whether anything was not said yet.
bool applyShownFacts(llvm::Function &function, const FunctionFacts &facts);

/// Puts into the device body \p function what the host tests before it launches
/// it, \p guard: as applyValueFacts and applyGeometry do, and that integers are
/// multiples, which costs an instruction. Returns whether the body changed.
bool applyGuard(llvm::Function &function, const FunctionFacts &guard);

/// Replaces the results of direct calls of \p function by what \p fact says
/// that it returns, or says its bounds in attributes. \p fact has no symbol.
void applyReturned(llvm::Function &function, const ValueFact &fact);

/// Takes the `noalias` that applyValueFacts gave parameters of \p function off
/// again; called before code generation.
void dropInferredNoAlias(llvm::Function &function);

} // namespace gpulto

#endif // GPULTO_IPA_PLANS_CONSTANTSTRANSFORM_H
