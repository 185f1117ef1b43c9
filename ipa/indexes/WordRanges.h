//===- WordRanges.h - Integers that fit 32 bits -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_INDEXES_WORDRANGES_H
#define GPULTO_IPA_INDEXES_WORDRANGES_H

#include "summary/Guards.h"

#include <memory>
#include <vector>

namespace llvm {
class AssumptionCache;
class BasicBlock;
class DominatorTree;
class Function;
class ScalarEvolution;
class Value;
} // namespace llvm

namespace gpulto {

/// What is known of a 64-bit value: which extensions of its low 32 bits yield
/// it.
struct WordFit {
  bool isUnsigned = false; ///< the zero extension
  bool isSigned = false;   ///< the sign extension
  bool isAny() const { return isUnsigned || isSigned; }
};

/// Ranges of integers in device code, where they are used: from attributes,
/// geometry, conditions that dominate the use, and loops. Does not change the
/// function; valid as long as the function does not change.
class WordRanges {
public:
  WordRanges(const llvm::Function &function,
             const llvm::DominatorTree &dominators,
             llvm::ScalarEvolution &evolution, llvm::AssumptionCache &assumed);
  ~WordRanges();

  /// Assumes from now on that every 64-bit argument, and every 64-bit value
  /// loaded from a by-value aggregate, is at most what \p sizeClass says
  /// (GuardKind::FitsWord), and that the grid is small.
  void suppose(uint8_t sizeClass);

  /// Returns what is known of \p value in \p block.
  WordFit fitAt(const llvm::Value &value, const llvm::BasicBlock &block);

  /// Returns whether an i32 operation on the low bits of the operands of
  /// \p operation, which is add, sub, mul or shl, does not wrap, in .isUnsigned
  /// and .isSigned.
  WordFit wrapsNot(const llvm::Value &operation);

  /// Returns the facts from suppose() that fitAt() used, sorted.
  std::vector<GuardFact> usedFacts() const;

private:
  class Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace gpulto

#endif
