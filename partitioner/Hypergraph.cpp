//===- Hypergraph.cpp - What partitions share, weighted -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "partitioner/Hypergraph.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace llvm;

namespace gpulto {

void Hypergraph::addNet(const Net &net, ArrayRef<uint32_t> pins) {
  if (pins.size() < 2) {
    if (net.isWork && !pins.empty())
      allVertices[pins.front()].weight += net.weight;
    return;
  }
  allNets.push_back(net);
  allPins.insert(allPins.end(), pins.begin(), pins.end());
  netBegin.push_back(allPins.size());
}

void Hypergraph::addRuns(const Net &net, ArrayRef<uint32_t> groups) {
  std::vector<uint32_t> pins;
  for (uint32_t v = 0; v < groups.size(); ++v) {
    pins.push_back(v);
    if (v + 1 < groups.size() && groups[v + 1] == groups[v])
      continue;
    addNet(net, pins);
    pins.clear();
  }
}

/// Returns \p weight rounded to a number of five significant bits.
static uint64_t roundWeight(uint64_t weight) {
  constexpr unsigned kKeptBits = 5;
  unsigned bits = llvm::bit_width(weight);
  if (bits <= kKeptBits)
    return weight;
  unsigned dropped = bits - kKeptBits;
  return (weight + (uint64_t(1) << (dropped - 1))) >> dropped << dropped;
}

void Hypergraph::finish() {
  for (Vertex &vertex : allVertices)
    vertex.weight = roundWeight(vertex.weight);
  for (Net &net : allNets)
    net.weight = roundWeight(net.weight);
  vertexBegin.assign(allVertices.size() + 1, 0);
  for (uint32_t pin : allPins)
    ++vertexBegin[pin + 1];
  for (size_t v = 0; v < allVertices.size(); ++v)
    vertexBegin[v + 1] += vertexBegin[v];
  incident.resize(allPins.size());
  std::vector<size_t> next(vertexBegin.begin(), vertexBegin.end() - 1);
  for (uint32_t net = 0; net < allNets.size(); ++net)
    for (uint32_t pin : pins(net))
      incident[next[pin]++] = net;
}

uint64_t Hypergraph::aloneWeight(uint32_t vertex) const {
  uint64_t weight = allVertices[vertex].weight;
  for (uint32_t net : netsOf(vertex))
    if (allNets[net].isWork)
      weight += allNets[net].weight;
  return weight;
}

uint64_t Hypergraph::totalWeight() const {
  uint64_t total = 0;
  for (const Vertex &vertex : allVertices)
    total += vertex.weight;
  for (const Net &net : allNets)
    if (net.isWork)
      total += net.weight;
  return total;
}

std::vector<CutItem> Hypergraph::row(ArrayRef<uint32_t> order) const {
  std::vector<CutItem> items;
  for (uint32_t vertex : order)
    items.push_back({aloneWeight(vertex), allVertices[vertex].anchor});
  return items;
}

std::vector<CutEdge> Hypergraph::rowEdges(ArrayRef<uint32_t> order) const {
  constexpr uint32_t kNowhere = UINT32_MAX;
  std::vector<uint32_t> place(allVertices.size(), kNowhere);
  for (auto [i, vertex] : enumerate(order))
    place[vertex] = i;
  std::vector<CutEdge> edges;
  edges.reserve(allPins.size() - allNets.size());
  std::vector<uint32_t> places;
  for (auto [n, net] : enumerate(allNets)) {
    places.clear();
    for (uint32_t pin : pins(n))
      if (place[pin] != kNowhere)
        places.push_back(place[pin]);
    llvm::sort(places);
    for (size_t i = 1; i < places.size(); ++i)
      edges.push_back(
          {places[i - 1], places[i], net.weight, net.isWork ? net.weight : 0});
  }
  return edges;
}

} // namespace gpulto
