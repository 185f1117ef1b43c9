//===- IndexGains.h - Gains of 32-bit indexes -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_INDEXES_INDEXGAINS_H
#define GPULTO_IPA_INDEXES_INDEXGAINS_H

#include "ipa/indexes/NarrowIndexes.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <cstdint>

namespace llvm {
class BasicBlock;
class ScalarEvolution;
} // namespace llvm

namespace gpulto {

using BlockFrequency = llvm::function_ref<uint64_t(const llvm::BasicBlock &)>;

/// Returns about how many machine instructions \p plan saves, times the
/// frequency of their blocks, in addition to what is done for \p known anyway.
uint64_t
indexGain(const IndexPlan &plan,
          const llvm::SmallPtrSetImpl<const llvm::Instruction *> &known,
          llvm::ScalarEvolution &evolution, BlockFrequency frequency);

/// Returns about how many machine instructions \p function takes, times the
/// frequency of their blocks.
uint64_t roughTime(const llvm::Function &function, BlockFrequency frequency);

} // namespace gpulto

#endif
