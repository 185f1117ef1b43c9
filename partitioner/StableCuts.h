//===- StableCuts.h - Cuts that small edits do not move ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_PARTITIONER_STABLECUTS_H
#define GPULTO_PARTITIONER_STABLECUTS_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <vector>

namespace gpulto {

/// One item of a sequence to be cut into pieces.
struct CutItem {
  uint64_t weight = 0;
  /// Identifies it, independent of its weight; decides between equally good
  /// places.
  uint64_t anchor = 0;
};

/// Joins two items.
struct CutEdge {
  uint32_t first = 0;
  uint32_t second = 0;
  /// Cost if they are in different pieces.
  uint64_t cost = 1;
  /// Weight that both have in common: counts once if they are in one piece.
  uint64_t shared = 0;
};

struct CutOptions {
  uint64_t pieces = 1;
  /// How far a cut may be from the place where both sides are even, in percent
  /// of a piece. In one piece at most twice as much adds up.
  unsigned windowPercent = 12;
  /// A part that would grow by more than this when cut, in percent, stays in
  /// one piece.
  unsigned maxGrowthPercent = 100;
};

/// Returns the weight of \p items in one piece, joined by \p edges.
uint64_t rowWeight(llvm::ArrayRef<CutItem> items,
                   llvm::ArrayRef<CutEdge> edges);

/// Returns where the pieces of \p items end: ascending, the last is the number
/// of items. There are options.pieces of about even weight, if there are that
/// many items and none grows too much. The edges cut are cheap ones among \p
/// edges. A small change of some weights or edges moves few of the cuts.
std::vector<size_t> findStableCuts(llvm::ArrayRef<CutItem> items,
                                   llvm::ArrayRef<CutEdge> edges,
                                   const CutOptions &options);

/// Returns the number of pieces into which a sequence of weight \p total is
/// cut, about \p wanted each: between 1 and \p most, and with few exceptions
/// the same for totals that differ a little.
uint64_t stablePieces(uint64_t total, uint64_t wanted, uint64_t most);

/// Returns a number that is equal for most of the costs that differ by less
/// than a factor of sqrt(2), and grows by two when a cost doubles; 0 for 0.
unsigned costRank(uint64_t cost);

} // namespace gpulto

#endif // GPULTO_PARTITIONER_STABLECUTS_H
