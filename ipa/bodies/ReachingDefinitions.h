//===- ReachingDefinitions.h - What was done last ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_BODIES_REACHINGDEFINITIONS_H
#define GPULTO_IPA_BODIES_REACHINGDEFINITIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <vector>

namespace llvm {
class BasicBlock;
class DominatorTree;
class Function;
class Instruction;
template <typename IRUnitT, typename... ExtraArgTs> class AnalysisManager;
} // namespace llvm

namespace gpulto {

/// What an instruction, or the beginning of a block, does to what is asked for.
struct Definition {
  enum class Kind {
    Sets,    ///< nothing from before is left
    Adds,    ///< what was before may be left
    Forgets, ///< nothing is left
    Loses,   ///< it is not known what is left
  };
  const llvm::BasicBlock *block = nullptr;
  /// Null: the beginning of the block.
  const llvm::Instruction *instruction = nullptr;
  Kind kind = Kind::Sets;
  /// What Sets and Adds leave. Of several of one instruction the first counts.
  uint32_t id = 0;
};

/// Which definitions may have been the last when control is at a place.
struct ReachingSet {
  /// More choices than this count as not known: more are seldom one value, but
  /// for those that the cases of a switch leave.
  static constexpr size_t kMaxChoices = 64;

  /// In ascending order.
  llvm::SmallVector<uint32_t, 4> ids;
  /// Perhaps there was none since the function was entered.
  bool fromEntry = false;
  bool isKnown = true;

  /// Takes what is in \p other, too. Returns whether that changes this.
  bool unite(const ReachingSet &other);
  /// Adds \p id; returns whether that changes this.
  bool add(uint32_t id);
  /// Makes it unknown; returns whether it was known.
  bool lose();
};

/// Some definitions in one function, which must not change meanwhile. What has
/// been found for one place is kept for the next.
class ReachingDefinitions {
public:
  /// \p analyses, of \p function, are asked where one block does not tell.
  ReachingDefinitions(llvm::ArrayRef<Definition> definitions,
                      llvm::Function &function,
                      llvm::AnalysisManager<llvm::Function> &analyses);

  /// Returns what may have been last when \p place executes. Not known where
  /// that cannot be reached.
  ReachingSet before(const llvm::Instruction &place);

private:
  /// The entry, a block with definitions, or one where several of them meet.
  struct Node {
    const llvm::BasicBlock *block;
    /// In the order of the block.
    llvm::SmallVector<Definition, 2> definitions;
    bool isJoin = false;
    bool isSolved = false;
    /// The innermost node whose block dominates this one's. The entry: itself.
    uint32_t parent = 0;
    /// What reaches its beginning; final if it is solved.
    ReachingSet atBegin;
  };
  uint32_t nodeOf(const llvm::BasicBlock &block);
  void connect();
  void addJoins();
  uint32_t innermost(const llvm::BasicBlock &block) const;
  llvm::SmallVector<uint32_t, 2> sourcesOf(uint32_t node) const;
  bool passes(uint32_t node) const;
  bool update(uint32_t node);
  const ReachingSet &solved(uint32_t node);

  llvm::Function *function;
  llvm::AnalysisManager<llvm::Function> *analyses;
  /// Null before the nodes are connected: then those with definitions only, as
  /// they came; else in preorder of the tree.
  const llvm::DominatorTree *dominators = nullptr;
  std::vector<Node> nodes;
  /// Looked up only.
  llvm::DenseMap<const llvm::BasicBlock *, uint32_t> numbers;
};

} // namespace gpulto

#endif
