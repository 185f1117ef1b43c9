//===- StableCuts.h - Cuts that small edits do not move ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_PARTITIONER_STABLECUTS_H
#define GPULTO_PARTITIONER_STABLECUTS_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace gpulto {

/// One of a row of things that are to be cut into pieces.
struct CutItem {
  uint64_t weight = 0;
  /// Says what it is, whatever its weight: decides between places that are as
  /// good.
  uint64_t anchor = 0;
};

/// Returns where the pieces of \p items end: ascending, the last is the number
/// of items. There are \p pieces of about even weight if there are as many
/// items. Few of \p edges, pairs of items, lead from piece to piece. A small
/// change of some weights or edges moves few of the cuts.
std::vector<size_t>
findStableCuts(llvm::ArrayRef<CutItem> items,
               llvm::ArrayRef<std::pair<uint32_t, uint32_t>> edges,
               uint64_t pieces);

/// Returns how many pieces a row of weight \p total is cut into, about
/// \p wanted each: between 1 and \p most, and the same for totals that differ a
/// little, with few exceptions.
uint64_t stablePieces(uint64_t total, uint64_t wanted, uint64_t most);

} // namespace gpulto

#endif // GPULTO_PARTITIONER_STABLECUTS_H
