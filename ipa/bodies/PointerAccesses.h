//===- PointerAccesses.h - What a body does with a pointer ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_BODIES_POINTERACCESSES_H
#define GPULTO_IPA_BODIES_POINTERACCESSES_H

#include "summary/LaunchSum.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <vector>

namespace llvm {
class Argument;
class DataLayout;
class Function;
class Instruction;
class LoadInst;
class Value;
} // namespace llvm

namespace gpulto {

/// Loads at constant offsets of a by-value parameter.
struct PartLoads {
  /// False if something may write the copy or keep its address.
  bool isReadOnly = true;
  llvm::SmallVector<std::pair<llvm::LoadInst *, uint64_t>, 16> loads;
};

/// Returns what the body loads from \p argument, a by-value parameter.
PartLoads loadsOfParts(llvm::Argument &argument,
                       const llvm::DataLayout &layout);

/// An access of \c bytes at \c address.
struct PointerAccess {
  llvm::Instruction *instruction = nullptr;
  llvm::Value *address = nullptr;
  uint64_t bytes = 0;
};

/// Returns the values of \p source in \p kernel: the parameter, or all loads of
/// the part; nothing if the body may write the copy that holds the part.
std::optional<llvm::SmallVector<llvm::Value *, 4>>
valuesOf(llvm::Function &kernel, const PointerSource &source);

/// Returns all accesses through \p source in \p kernel; nothing if the pointer
/// has uses other than accesses at offsets from it, or tests for null.
std::optional<std::vector<PointerAccess>>
accessesThrough(llvm::Function &kernel, const PointerSource &source);

} // namespace gpulto

#endif
