//===- TransferFacts.h - Who is up to date, and who is read -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_TRANSFERS_TRANSFERFACTS_H
#define GPULTO_IPA_TRANSFERS_TRANSFERFACTS_H

#include "ipa/transfers/TransferGraph.h"

#include "llvm/ADT/BitVector.h"

#include <optional>
#include <vector>

namespace gpulto {

/// Which memory equals which, and what will still be read, at each node of a
/// graph.
class TransferFacts {
public:
  /// \p ownsKept: no other thread touches memory that is kept. \p hasOneDevice:
  /// no variable of the device is there twice.
  TransferFacts(const TransferGraph &graph, bool ownsKept, bool hasOneDevice);

  /// Whether nobody but what nodes tell may change what \p node, a copy from
  /// and to known memory, has made equal.
  bool isFollowed(const TransferNode &node) const;
  /// Whether what the copy \p node would write is there already.
  bool isRedundant(uint32_t node) const;
  /// If that holds whenever the copy \p node has been made before since a loop
  /// around it was entered: the depth of the outermost such loop, from 1.
  std::optional<uint32_t> onceInLoop(uint32_t node) const;

  /// The same if the copy's arguments are those of the last time.
  std::optional<uint32_t> askedInLoop(uint32_t node) const;
  /// If nobody in a loop around the copy \p node reads what it writes, and it
  /// would write the same behind the loop: the depth of the outermost such
  /// loop, from 1. Copies of \p firstRounds, by node, are made in the first
  /// round of the loop of that depth only.
  std::optional<uint32_t>
  lastInLoop(uint32_t node,
             const llvm::DenseMap<uint32_t, uint32_t> &firstRounds) const;
  /// Returns a node that may read what the copy \p node writes, or kNone, where
  /// the copies \p removed are not made, and \p doubtful perhaps not.
  uint32_t readerAfter(uint32_t node, const llvm::BitVector &removed,
                       const llvm::BitVector &doubtful) const;
  /// Returns how many bytes of what the copy \p node writes, from the first on,
  /// hold all that may be read, where the copies \p removed are not made, and
  /// \p doubtful perhaps not; nothing if that is not known.
  std::optional<uint64_t> bytesReadAfter(uint32_t node,
                                         const llvm::BitVector &removed,
                                         const llvm::BitVector &doubtful) const;
  /// Returns the last nodes that may end the equality of source and target
  /// before the copy \p node, if another copy made them equal; empty if none
  /// did.
  llvm::SmallVector<uint32_t, 4> endersBefore(uint32_t node) const;

private:
  /// \c bytes bytes from \c first on equal those from \c second on.
  struct Fact {
    uint32_t first = kNone, second = kNone, bytes = kNone; // terms
    uint32_t firstObject = kNone, secondObject = kNone;
    /// What it is made of: (frame, block) and objects that are loaded from.
    std::vector<std::pair<uint32_t, uint32_t>> blocks;
    std::vector<uint32_t> frames, loaded;
    bool loadsUnknown = false;
  };

  void addFacts();
  void addParts(uint32_t term, Fact &fact) const;
  static bool isBetween(const Fact &fact, const TransferNode &node);
  bool isAtMost(uint32_t bytes, uint32_t others) const;
  bool covers(const Fact &fact, uint32_t node) const;
  bool ends(const TransferNode &node, const Fact &fact) const;
  void solve();
  void orderNodes();
  bool reachesCopy(uint32_t node, uint32_t copy) const;
  bool isIn(uint32_t node, uint32_t frame, uint32_t loop) const;
  enum class Effect : uint8_t { None, Makes, Ends };
  bool holdsInLoop(uint32_t node, uint32_t loop,
                   llvm::function_ref<Effect(uint32_t)> effectOf) const;
  bool sinks(uint32_t copy, size_t depth,
             const llvm::DenseMap<uint32_t, uint32_t> &firstRounds) const;
  bool precedes(uint32_t first, uint32_t copy, uint32_t loop) const;
  void findReads();
  void visitReaders(
      uint32_t copy, const llvm::BitVector &removed,
      const llvm::BitVector &doubtful,
      llvm::function_ref<bool(uint32_t node, bool isThere)> visit) const;
  std::optional<uint64_t> bytesReadBy(uint32_t node,
                                      const TransferPlace &target) const;
  bool overwrites(uint32_t node, uint32_t copy) const;
  bool frees(const TransferNode &node, uint32_t copy) const;
  bool changesParts(const TransferNode &node, const Fact &parts) const;

  const TransferGraph &graph;
  bool ownsKept, hasOneDevice;
  std::vector<Fact> facts;
  /// By node: the fact that it makes true, or kNone.
  std::vector<uint32_t> made;
  /// By node: facts that it ends; facts before it.
  std::vector<llvm::BitVector> ended, before;
  /// By node: objects that it reads.
  std::vector<llvm::BitVector> reads;
  std::vector<llvm::SmallVector<uint32_t, 2>> predecessors;
  std::vector<uint32_t> order;
};

} // namespace gpulto

#endif
