//===- ValueBounds.h - What is known of bits and bounds ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_VALUES_VALUEBOUNDS_H
#define GPULTO_IPA_VALUES_VALUEBOUNDS_H

#include "ipa/bodies/LgenContext.h"

namespace llvm {
class ConstantRange;
class Function;
class ScalarEvolution;
class Value;
} // namespace llvm

namespace gpulto {

/// Returns the range of the integer \p value by \p evolution, of its function,
/// as an unsigned number: of counters with the rounds of their loops.
llvm::ConstantRange evolvedRange(llvm::ScalarEvolution &evolution,
                                 const llvm::Value &value);

/// Adds to \p result what the defining instructions say of the bits of
/// \p value, of \p function.
void addBounds(LgenContext &context, llvm::Function &function,
               const llvm::Value &value, JumpFunction &result);

} // namespace gpulto

#endif
