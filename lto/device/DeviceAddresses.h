//===- DeviceAddresses.h - Addresses that have a base in common -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_DEVICE_DEVICEADDRESSES_H
#define GPULTO_LTO_DEVICE_DEVICEADDRESSES_H

#include "llvm/IR/PassManager.h"

namespace gpulto {

/// Extends sums and products of \p function that cannot be negative with their
/// sign, as a plain compile does, which does not know; their terms, too.
/// InstCombine prefers zeros, but what addresses have in common is seen through
/// signs: SeparateConstOffsetFromGEP takes sums with zeros apart, too, yet does
/// not join what is left, as it is elsewhere, again.
/// Returns whether there are any.
bool extendBySign(llvm::Function &function,
                  llvm::FunctionAnalysisManager &analyses);

/// Undoes that: zeros take no instruction, signs do.
struct ExtendByZeroPass : llvm::PassInfoMixin<ExtendByZeroPass> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

/// Makes `(x << n) | (c << n)` of `(x | c) << n`, which has no bits of x in c,
/// if an address is computed from it: SeparateConstOffsetFromGEP finds
/// constants in sums, but not in what is shifted. InstCombine does so for `x +
/// c`, but not once it knows that the sum is such an `|`. \p function keeps its
/// blocks.
void distributeShifts(llvm::Function &function);

} // namespace gpulto

#endif
