//===- Refine.h - Move vertices to cheaper partitions -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_PARTITIONER_REFINE_H
#define GPULTO_PARTITIONER_REFINE_H

#include "partitioner/Hypergraph.h"

namespace gpulto {

struct RefineOptions {
  /// Largest weight of a partition, unless one vertex weighs more.
  uint64_t capacity = 0;
  /// Rounds of moves, alternately to later and to earlier partitions.
  unsigned rounds = 0;
};

/// Moves vertices to partitions where their cut nets cost clearly less, and out
/// of partitions that are too heavy. \p partOf: the partition of each vertex,
/// below \p parts. A small change of some weights or nets changes few of the
/// moves.
void refinePartition(const Hypergraph &graph, const RefineOptions &options,
                     uint32_t parts, llvm::MutableArrayRef<uint32_t> partOf);

} // namespace gpulto

#endif // GPULTO_PARTITIONER_REFINE_H
