//===- NarrowIndexes.h - Arithmetic of 64 bits for 32 -----------*- C++ -*-===//
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

/// Which operations of 64 bits in a function may as well have 32.
struct IndexPlan {
  struct Extension {
    llvm::Use *use = nullptr;
    bool isSigned = false;
  };
  /// Operations nobody wants but the low 32 bits of, in reverse post order.
  std::vector<llvm::Instruction *> narrowed;
  /// Uses of those that want 64 bits, which the low ones tell.
  std::vector<Extension> extended;
  /// Comparisons of integers that fit 32 bits: as unsigned or as signed ones.
  std::vector<llvm::ICmpInst *> unsignedCompares, signedCompares;
};

/// Returns what \p ranges proves of \p function. Linear in its instructions,
/// but for the questions to \p ranges.
IndexPlan planIndexes(llvm::Function &function,
                      const llvm::DominatorTree &dominators,
                      WordRanges &ranges);

/// Returns the operands of \p operation, of 64 bits, whose low 32 bits are all
/// that its own low 32 bits depend on, if it is of that kind.
std::vector<unsigned> lowBitOperands(const llvm::Instruction &operation);

} // namespace gpulto

#endif
