//===- ReachingDefinitions.h - Last definitions before a place --*- C++ -*-===//
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

/// What an instruction, or the beginning of a block, does to the value asked
/// for.
struct Definition {
  enum class Kind {
    Sets,    ///< replaces earlier values
    Adds,    ///< earlier values may remain
    Forgets, ///< nothing is left
    Loses,   ///< the value becomes unknown
  };
  const llvm::BasicBlock *block = nullptr;
  /// Null: the beginning of the block.
  const llvm::Instruction *instruction = nullptr;
  Kind kind = Kind::Sets;
  /// The value that Sets and Adds leave. The first of several for one
  /// instruction counts.
  uint32_t id = 0;
};

/// The definitions that may be the last ones before a place.
struct ReachingSet {
  /// More choices than this count as unknown: more are seldom one value, except
  /// for those that the cases of a switch leave.
  static constexpr size_t kMaxChoices = 64;

  /// In ascending order.
  llvm::SmallVector<uint32_t, 4> ids;
  /// Possibly there was none since the function was entered.
  bool fromEntry = false;
  bool isKnown = true;

  /// Adds the contents of \p other. Returns whether that changes this.
  bool unite(const ReachingSet &other);
  /// Adds \p id; returns whether that changes this.
  bool add(uint32_t id);
  /// Makes it unknown; returns whether it was known.
  bool lose();
};

/// Some definitions in one function, which must not change during its lifetime.
/// Results for one place are kept for the next.
class ReachingDefinitions {
public:
  /// \p analyses, of \p function, are used where one block does not suffice.
  ReachingDefinitions(llvm::ArrayRef<Definition> definitions,
                      llvm::Function &function,
                      llvm::AnalysisManager<llvm::Function> &analyses);

  /// Returns the definitions that may be the last when \p place executes;
  /// unknown if it is unreachable.
  ReachingSet before(const llvm::Instruction &place);

private:
  /// The entry, a block with definitions, or one where several of them meet.
  struct Node {
    const llvm::BasicBlock *block;
    /// In the order of the block.
    llvm::SmallVector<Definition, 2> definitions;
    bool isJoin = false;
    bool isSolved = false;
    /// The innermost node whose block dominates this one's; for the entry,
    /// itself.
    uint32_t parent = 0;
    /// What reaches its beginning; final if solved.
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
  /// Null before the nodes are connected: until then \c nodes has only those
  /// with definitions, in the order of addition; afterwards, preorder of the
  /// tree.
  const llvm::DominatorTree *dominators = nullptr;
  std::vector<Node> nodes;
  /// Looked up only.
  llvm::DenseMap<const llvm::BasicBlock *, uint32_t> numbers;
};

} // namespace gpulto

#endif
