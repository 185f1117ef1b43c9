//===- FactsTransform.h - Put proven facts into bodies ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_FACTSTRANSFORM_H
#define GPULTO_IPA_FACTSTRANSFORM_H

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

/// Replaces what the device body \p function reads of the launch geometry by
/// the constants of \p facts, or bounds it; a kernel whose block size is known
/// is declared with it. Returns whether the body changed.
bool applyGeometry(llvm::Function &function, const FunctionFacts &facts);

} // namespace gpulto

#endif
