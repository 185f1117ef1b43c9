//===- ClusterOrder.h - A sequence that groups what is shared ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_PARTITIONER_CLUSTERORDER_H
#define GPULTO_PARTITIONER_CLUSTERORDER_H

#include "partitioner/Hypergraph.h"

namespace gpulto {

/// Returns the vertices of \p graph in an order in which those that share nets
/// are neighbors, up to a total weight of \p maxWeight, and the others follow
/// their numbers. A small change of some weights or nets seldom moves many.
std::vector<uint32_t> findClusterOrder(const Hypergraph &graph,
                                       uint64_t maxWeight);

} // namespace gpulto

#endif // GPULTO_PARTITIONER_CLUSTERORDER_H
