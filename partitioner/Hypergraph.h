//===- Hypergraph.h - What partitions share, weighted -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A call joins two functions, but a helper that ten kernels use is compiled
// once or twice, not ten times: what counts is the number of partitions that
// need it. So we cut a hypergraph. A net joins all vertices that need one
// thing; a net with users in n partitions costs n - 1 times its weight.
//
// Source: U. V. Catalyurek, C. Aykanat: "Hypergraph-Partitioning-Based
// Decomposition for Parallel Sparse-Matrix Vector Multiplication", IEEE TPDS
// 1999 (the connectivity metric).
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_PARTITIONER_HYPERGRAPH_H
#define GPULTO_PARTITIONER_HYPERGRAPH_H

#include "partitioner/StableCuts.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <vector>

namespace gpulto {

/// Goes to one partition as a whole: an atom of the host, a unit of the device.
struct Vertex {
  /// Work that no other vertex causes.
  uint64_t weight = 0;
  /// Identifies it, independent of its weight and position; breaks ties.
  uint64_t anchor = 0;
};

struct Net {
  uint64_t weight = 0;
  /// Whether each partition does that work, or only has some overhead.
  bool isWork = false;
  /// As Vertex::anchor; 0: nothing with a name.
  uint64_t anchor = 0;
};

class Hypergraph {
public:
  /// Adds a vertex and returns its number.
  uint32_t addVertex(const Vertex &vertex) {
    allVertices.push_back(vertex);
    return allVertices.size() - 1;
  }
  /// Adds a net that joins \p pins, which are distinct. One that joins fewer
  /// than two vertices is part of their own work.
  void addNet(const Net &net, llvm::ArrayRef<uint32_t> pins);
  /// Adds a net for each run of vertices of the same group; \p groups: by
  /// vertex.
  void addRuns(const Net &net, llvm::ArrayRef<uint32_t> groups);
  /// Rounds weights and finds the nets of each vertex; call it after adding all
  /// nets. Weights that edits change by a few percent mostly stay the same, and
  /// so does all that follows from them; the errors even out.
  void finish();

  llvm::ArrayRef<Vertex> vertices() const { return allVertices; }
  llvm::ArrayRef<Net> nets() const { return allNets; }
  size_t firstPin(uint32_t net) const { return netBegin[net]; }
  llvm::ArrayRef<uint32_t> pins(uint32_t net) const {
    return llvm::ArrayRef(allPins).slice(netBegin[net],
                                         netBegin[net + 1] - netBegin[net]);
  }
  llvm::ArrayRef<uint32_t> netsOf(uint32_t vertex) const {
    return llvm::ArrayRef(incident).slice(
        vertexBegin[vertex], vertexBegin[vertex + 1] - vertexBegin[vertex]);
  }
  size_t pinCount() const { return allPins.size(); }

  /// Returns the work of \p vertex if it were alone.
  uint64_t aloneWeight(uint32_t vertex) const;
  /// Returns the work of all vertices together.
  uint64_t totalWeight() const;

  /// Returns the vertices \p order, which may be a subset, as a sequence to be
  /// cut, in that order.
  std::vector<CutItem> row(llvm::ArrayRef<uint32_t> order) const;
  /// Returns the nets as edges between their neighbors in that sequence, such
  /// that a cut crosses one edge of each net that it cuts.
  std::vector<CutEdge> rowEdges(llvm::ArrayRef<uint32_t> order) const;

private:
  std::vector<Vertex> allVertices;
  std::vector<Net> allNets;
  std::vector<uint32_t> allPins;
  std::vector<size_t> netBegin{0};
  std::vector<uint32_t> incident;
  std::vector<size_t> vertexBegin;
};

} // namespace gpulto

#endif // GPULTO_PARTITIONER_HYPERGRAPH_H
