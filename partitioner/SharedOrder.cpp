//===- SharedOrder.cpp - A sequence ordered by what is shared -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: put kernels that use the same helpers next to each other, such that
// small edits leave them there.
//
//   k1 {all a}  k2 {all b}  k3 {all a c}  k4 {b}      k1 k3 | k2 k4
//
// 1. The nets of each vertex are listed, those with few users first: nets that
//    nearly all use tell nothing. The number of users counts in steps of a
//    factor of sqrt(2), and ties are broken by name, so that the order of two
//    nets hardly ever changes.
// 2. Vertices are sorted by their lists.
//
// Clusters (partitioner/ClusterOrder) also join vertices that share through
// others, and so share less across cuts, but one new use may change all of
// them.
//
// Complexity: pins times the logarithm of the vertices.
//
//===----------------------------------------------------------------------===//

#include "partitioner/SharedOrder.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>
#include <utility>

using namespace llvm;

namespace gpulto {

/// Nets that are looked at; the others, which more vertices use, tell less.
static constexpr size_t kMaxNets = 16;

std::vector<uint32_t> findSharedOrder(const Hypergraph &graph) {
  using Key = std::vector<std::pair<unsigned, uint64_t>>;
  std::vector<Key> keys(graph.vertices().size());
  for (uint32_t vertex = 0; vertex < keys.size(); ++vertex) {
    Key &key = keys[vertex];
    for (uint32_t net : graph.netsOf(vertex))
      if (graph.nets()[net].anchor)
        key.push_back(
            {costRank(graph.pins(net).size()), graph.nets()[net].anchor});
    llvm::sort(key);
    if (key.size() > kMaxNets)
      key.resize(kMaxNets);
  }
  std::vector<uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::stable_sort(order,
                    [&](uint32_t a, uint32_t b) { return keys[a] < keys[b]; });
  return order;
}

} // namespace gpulto
