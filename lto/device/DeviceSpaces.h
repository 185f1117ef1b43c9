//===- DeviceSpaces.h - Address spaces before InstCombine -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_DEVICE_DEVICESPACES_H
#define GPULTO_LTO_DEVICE_DEVICESPACES_H

#include "llvm/IR/PassManager.h"

namespace gpulto {

/// InferAddressSpaces, except for local memory. InstCombine (LLVM 22.1)
/// replaces an alloca that is only copied from a constant by the constant, also
/// as the operand of a cast to the local address space, in which the constant
/// is not. Code generation infers that space again.
struct InferSpacesPass : llvm::PassInfoMixin<InferSpacesPass> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace gpulto

#endif
