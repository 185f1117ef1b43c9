//===- PointerAccesses.h - What a body does with a pointer ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_POINTERACCESSES_H
#define GPULTO_IPA_POINTERACCESSES_H

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <utility>

namespace llvm {
class Argument;
class DataLayout;
class LoadInst;
} // namespace llvm

namespace gpulto {

/// Loads of constant offsets of a by-value parameter.
struct PartLoads {
  /// False if something may write the copy or takes its address along.
  bool isReadOnly = true;
  llvm::SmallVector<std::pair<llvm::LoadInst *, uint64_t>, 16> loads;
};

/// Returns what the body of \p argument, a by-value parameter, loads of it.
PartLoads loadsOfParts(llvm::Argument &argument,
                       const llvm::DataLayout &layout);

} // namespace gpulto

#endif
