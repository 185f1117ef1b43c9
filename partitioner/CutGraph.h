//===- CutGraph.h - Partitions of a hypergraph ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_PARTITIONER_CUTGRAPH_H
#define GPULTO_PARTITIONER_CUTGRAPH_H

#include "partitioner/Hypergraph.h"
#include "summary/CombinedSummary.h"
#include "support/Params.h"

namespace gpulto {

struct GraphCutOptions {
  /// Target weight of a partition.
  uint64_t wanted = 1;
  /// Whether to meet that closely. Otherwise the number of partitions may be
  /// rounded so that it is the same after small edits.
  bool isExact = false;
  uint64_t maxParts = 1;
  unsigned imbalancePercent = 0;
  /// See CutOptions.
  unsigned maxGrowthPercent = 100;
  unsigned refineRounds = 0;
};

/// Returns how to cut a part of weight \p total into \p count pieces, or, if \p
/// count is 0, into pieces of about \p wanted.
GraphCutOptions graphCutOptions(const Params &params, unsigned count,
                                uint64_t total, uint64_t wanted);

/// Returns the anchor of a vertex whose first definition is \p id.
uint64_t anchorOf(const CombinedSummary &program, GlobalId id);

/// Returns the partition of each vertex; all numbers from 0 to the highest are
/// used. \p order holds all vertices as a sequence in which neighbors share
/// much.
std::vector<uint32_t> cutGraph(const Hypergraph &graph,
                               llvm::ArrayRef<uint32_t> order,
                               const GraphCutOptions &options);

/// Returns the work that is repeated because several partitions need it.
uint64_t cutCost(const Hypergraph &graph, llvm::ArrayRef<uint32_t> partOf);

} // namespace gpulto

#endif // GPULTO_PARTITIONER_CUTGRAPH_H
