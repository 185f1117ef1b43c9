//===- CutGraph.cpp - Partitions of a hypergraph --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: make partitions of even weight that share little, and that small edits
// do not change.
//
// 1. cutRow: a vertex heavier than the target weight is its own partition; the
//    sequence of the others is cut into even pieces (partitioner/StableCuts).
// 2. Vertices move to where they cost less (partitioner/Refine).
// 3. halveOverloaded: partitions that are still too heavy are split in two.
//
// The sequence is the coarse level of a multilevel scheme, the moves are its
// refinement: on the host it is the order of the source files, on the device a
// tree of clusters (partitioner/ClusterOrder). The sequence is cut in halves
// rather than the tree, since weights hardly move the halves of a sequence.
//
// Source: see there.
//
//===----------------------------------------------------------------------===//

#include "partitioner/CutGraph.h"

#include "partitioner/Refine.h"
#include "summary/CombinedModule.h"
#include "support/StableHash.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>

using namespace llvm;

namespace gpulto {

GraphCutOptions graphCutOptions(const Params &params, unsigned count,
                                uint64_t total, uint64_t wanted) {
  GraphCutOptions options;
  options.isExact = count != 0;
  options.wanted = count ? std::max<uint64_t>(1, total / count) : wanted;
  options.maxParts = count ? count : unsigned(params.maxPartitions);
  options.imbalancePercent = params.partitionImbalancePercent;
  options.refineRounds = params.partitionRefineRounds;
  return options;
}

uint64_t anchorOf(const CombinedSummary &program, GlobalId id) {
  StableHasher anchor;
  anchor.add(program.moduleRef(id).tag);
  anchor.add(program.symbol(id).name);
  return anchor.finish().lo;
}

namespace {
/// How far cuts may be off the middle, in percent of the imbalance allowed.
/// Twice as much may add up in a piece; wider windows find cheaper places, and
/// what is above the capacity then moves. Measured with gpulto-partition-bench:
/// more than this makes partitions change with edits elsewhere.
constexpr unsigned kWindowShare = 80;

struct CutRow {
  std::vector<uint32_t> partOf;
  uint32_t parts = 0;
  /// The first of the partitions that are one heavy vertex each.
  uint32_t lightParts = 0;
};
} // namespace

/// Returns how many pieces vertices of weight \p weight become.
static uint64_t countPieces(uint64_t weight, const GraphCutOptions &options) {
  if (!options.isExact)
    return stablePieces(weight, options.wanted, options.maxParts);
  return std::clamp<uint64_t>((weight + options.wanted / 2) / options.wanted, 1,
                              options.maxParts);
}

/// Cuts the light vertices \p light, a row, into pieces.
static void cutLight(const Hypergraph &graph, ArrayRef<uint32_t> light,
                     const GraphCutOptions &options, CutRow &row) {
  std::vector<CutItem> items = graph.row(light);
  std::vector<CutEdge> edges = graph.rowEdges(light);
  uint64_t weight = rowWeight(items, edges);
  CutOptions how;
  how.pieces = countPieces(weight, options);
  how.windowPercent = options.imbalancePercent * kWindowShare / 100;
  how.maxGrowthPercent = options.maxGrowthPercent;
  size_t begin = 0;
  for (size_t end : findStableCuts(items, edges, how)) {
    for (; begin < end; ++begin)
      row.partOf[light[begin]] = row.parts;
    ++row.parts;
  }
}

static CutRow cutRow(const Hypergraph &graph, ArrayRef<uint32_t> order,
                     const GraphCutOptions &options) {
  CutRow row;
  row.partOf.resize(order.size());
  std::vector<uint32_t> light, heavy;
  for (uint32_t vertex : order)
    (graph.vertices()[vertex].weight > options.wanted ? heavy : light)
        .push_back(vertex);
  if (!light.empty())
    cutLight(graph, light, options, row);
  row.lightParts = row.parts;
  for (uint32_t vertex : heavy)
    row.partOf[vertex] = row.parts++;
  return row;
}

/// Returns the partitions that have users of \p net.
static SmallVector<uint32_t, 8> partsOf(const Hypergraph &graph, uint32_t net,
                                        ArrayRef<uint32_t> partOf) {
  SmallVector<uint32_t, 8> parts;
  for (uint32_t pin : graph.pins(net))
    parts.push_back(partOf[pin]);
  llvm::sort(parts);
  parts.erase(llvm::unique(parts), parts.end());
  return parts;
}

/// Returns what each partition weighs.
static std::vector<uint64_t> partWeights(const Hypergraph &graph,
                                         const CutRow &row) {
  std::vector<uint64_t> weights(row.parts);
  for (auto [v, vertex] : enumerate(graph.vertices()))
    weights[row.partOf[v]] += vertex.weight;
  for (auto [n, net] : enumerate(graph.nets()))
    if (net.isWork)
      for (uint32_t part : partsOf(graph, n, row.partOf))
        weights[part] += net.weight;
  return weights;
}

/// Returns what light partitions are to weigh at most.
static uint64_t findCapacity(const Hypergraph &graph, const CutRow &row,
                             const GraphCutOptions &options) {
  std::vector<uint64_t> weights = partWeights(graph, row);
  uint64_t weight = std::accumulate(
      weights.begin(), weights.begin() + row.lightParts, uint64_t(0));
  uint64_t mean = weight / std::max(1u, row.lightParts);
  constexpr unsigned kForRounding = 2; // of weights; see Hypergraph::finish
  return mean + mean * (options.imbalancePercent - kForRounding) / 100;
}

/// Cuts light partitions above \p capacity in two: of some heavy vertices none
/// may fit elsewhere.
static void halveOverloaded(const Hypergraph &graph, uint64_t capacity,
                            const GraphCutOptions &options, CutRow &row) {
  std::vector<uint64_t> weights = partWeights(graph, row);
  for (uint32_t part = 0; part < row.lightParts; ++part) {
    if (weights[part] <= capacity || row.parts >= options.maxParts)
      continue;
    std::vector<uint32_t> members;
    for (uint32_t v = 0; v < row.partOf.size(); ++v)
      if (row.partOf[v] == part)
        members.push_back(v);
    CutOptions how;
    how.pieces = 2;
    how.maxGrowthPercent = options.maxGrowthPercent;
    std::vector<size_t> ends =
        findStableCuts(graph.row(members), graph.rowEdges(members), how);
    if (ends.size() < 2)
      continue;
    for (uint32_t v : ArrayRef(members).drop_front(ends.front()))
      row.partOf[v] = row.parts;
    ++row.parts;
  }
}

std::vector<uint32_t> cutGraph(const Hypergraph &graph,
                               ArrayRef<uint32_t> order,
                               const GraphCutOptions &options) {
  CutRow row = cutRow(graph, order, options);
  RefineOptions how;
  how.capacity = findCapacity(graph, row, options);
  how.rounds = options.refineRounds;
  refinePartition(graph, how, row.parts, row.partOf);
  // Where much was work of several partitions, the mean is lower now.
  uint64_t capacity = findCapacity(graph, row, options);
  if (capacity < how.capacity)
    refinePartition(graph, {capacity, 0}, row.parts, row.partOf);
  if (!options.isExact)
    halveOverloaded(graph, capacity, options, row);
  return std::move(row.partOf);
}

uint64_t cutCost(const Hypergraph &graph, ArrayRef<uint32_t> partOf) {
  uint64_t cost = 0;
  for (auto [n, net] : enumerate(graph.nets()))
    if (net.isWork)
      cost += (partsOf(graph, n, partOf).size() - 1) * net.weight;
  return cost;
}

} // namespace gpulto
