//===- LlvmRelease.h - What differs between LLVM's releases -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Sources compile with LLVM 19 and 22; GPULTO_LLVM_MAJOR, from CMake, says with
// which. What takes more than a line to say of it is here.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_SUPPORT_LLVMRELEASE_H
#define GPULTO_SUPPORT_LLVMRELEASE_H

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/InstructionCost.h"
#include "llvm/TargetParser/Triple.h"

namespace llvm {
class Value;
}

namespace gpulto {

/// What GEPOperator::collectOffset fills: the values in an address, each with
/// what it is multiplied by.
#if GPULTO_LLVM_MAJOR < 22
using AddressScales = llvm::MapVector<llvm::Value *, llvm::APInt>;
#else
using AddressScales = llvm::SmallMapVector<llvm::Value *, llvm::APInt, 4>;
#endif

/// Returns the number that \p cost, which is valid, stands for.
inline int64_t valueOf(const llvm::InstructionCost &cost) {
#if GPULTO_LLVM_MAJOR < 22
  return *cost.getValue();
#else
  return cost.getValue();
#endif
}

/// Says that \p module is for the target \p triple.
template <typename Module>
void setTriple(Module &module, llvm::StringRef triple) {
#if GPULTO_LLVM_MAJOR < 22
  module.setTargetTriple(triple);
#else
  module.setTargetTriple(llvm::Triple(triple));
#endif
}

} // namespace gpulto

#endif
