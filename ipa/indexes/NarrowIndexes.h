//===- NarrowIndexes.h - 64-bit arithmetic that fits 32 bits ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_INDEXES_NARROWINDEXES_H
#define GPULTO_IPA_INDEXES_NARROWINDEXES_H

#include <vector>

namespace llvm {
class DominatorTree;
class Function;
class ICmpInst;
class Instruction;
class Use;
class Value;
} // namespace llvm

namespace gpulto {

class WordRanges;

/// The 64-bit operations in a function that may have 32 bits instead.
struct IndexPlan {
  struct Extension {
    llvm::Use *use = nullptr;
    bool isSigned = false;
  };
  /// Operations of which only the low 32 bits are needed, in reverse post
  /// order.
  std::vector<llvm::Instruction *> narrowed;
  /// Uses of those that need 64 bits, which extending the low bits gives.
  std::vector<Extension> extended;
  /// Comparisons of integers that fit 32 bits: as unsigned or as signed ones.
  std::vector<llvm::ICmpInst *> unsignedCompares, signedCompares;
};

/// Returns what \p ranges proves about \p function. Linear in its instructions,
/// except for the queries to \p ranges.
IndexPlan planIndexes(llvm::Function &function,
                      const llvm::DominatorTree &dominators,
                      WordRanges &ranges);

/// Returns the operands of the 64-bit \p operation whose low 32 bits alone
/// determine its own low 32 bits, if it is of that kind.
std::vector<unsigned> lowBitOperands(const llvm::Instruction &operation);

} // namespace gpulto

#endif
