// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "partitioner/CutGraph.h"

#include "gtest/gtest.h"
#include "partitioner/ClusterOrder.h"
#include "partitioner/Refine.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

using namespace gpulto;

namespace {

struct TestNet {
  Net net;
  std::vector<uint32_t> pins;
};

/// A graph that can be edited before it is built.
struct TestGraph {
  std::vector<Vertex> vertices;
  std::vector<TestNet> nets;

  Hypergraph build() const {
    Hypergraph graph;
    for (const Vertex &vertex : vertices)
      graph.addVertex(vertex);
    for (const TestNet &row : nets) {
      std::set<uint32_t> pins(row.pins.begin(), row.pins.end());
      graph.addNet(row.net, std::vector(pins.begin(), pins.end()));
    }
    graph.finish();
    return graph;
  }
};

/// Vertices that share with others near them, a few with others far away.
TestGraph hostGraph(uint32_t count, unsigned seed) {
  std::mt19937 random(seed);
  TestGraph graph;
  for (uint32_t i = 0; i < count; ++i)
    graph.vertices.push_back({random() % 300 + 20, random()});
  for (uint32_t i = 0; i < count; ++i) {
    TestNet row{{random() % 100 + 10}, {i}};
    for (uint32_t user = random() % 4; user; --user)
      row.pins.push_back(random() % 4 ? (i + random() % 60) % count
                                      : random() % count);
    graph.nets.push_back(row);
  }
  return graph;
}

/// Kernels of families that share helpers, scattered over the program.
TestGraph deviceGraph(uint32_t count, uint32_t families, unsigned seed) {
  constexpr uint32_t kHelpers = 5;
  std::mt19937 random(seed);
  TestGraph graph;
  for (uint32_t i = 0; i < families * kHelpers; ++i)
    graph.nets.push_back({{random() % 500 + 50, true}, {}});
  for (uint32_t i = 0; i < count; ++i) {
    graph.vertices.push_back({random() % 400 + 100, random()});
    for (int use = 0; use < 3; ++use)
      graph.nets[i % families * kHelpers + random() % kHelpers].pins.push_back(
          i);
  }
  return graph;
}

std::vector<uint32_t> cut(const Hypergraph &graph, bool clusters,
                          uint64_t wanted) {
  std::vector<uint32_t> order(graph.vertices().size());
  std::iota(order.begin(), order.end(), 0);
  if (clusters)
    order = findClusterOrder(graph, wanted);
  return cutGraph(graph, order, graphCutOptions(Params(), 0, 0, wanted));
}

/// Returns the vertices of each partition.
std::set<std::vector<uint32_t>> contents(const std::vector<uint32_t> &partOf) {
  std::vector<std::vector<uint32_t>> parts(
      *std::max_element(partOf.begin(), partOf.end()) + 1);
  for (uint32_t i = 0; i < partOf.size(); ++i)
    parts[partOf[i]].push_back(i);
  return {parts.begin(), parts.end()};
}

std::vector<uint64_t> loadsOf(const Hypergraph &graph,
                              const std::vector<uint32_t> &partOf) {
  std::vector<uint64_t> loads(*std::max_element(partOf.begin(), partOf.end()) +
                              1);
  for (uint32_t i = 0; i < partOf.size(); ++i)
    loads[partOf[i]] += graph.vertices()[i].weight;
  for (uint32_t n = 0; n < graph.nets().size(); ++n) {
    std::set<uint32_t> parts;
    for (uint32_t pin : graph.pins(n))
      parts.insert(partOf[pin]);
    for (uint32_t part : parts)
      if (graph.nets()[n].isWork)
        loads[part] += graph.nets()[n].weight;
  }
  return loads;
}

TEST(CutGraph, PartitionsAreEven) {
  for (unsigned seed = 1; seed < 6; ++seed)
    for (bool isDevice : {false, true}) {
      Hypergraph graph = isDevice ? deviceGraph(1500, 100, seed).build()
                                  : hostGraph(3000, seed).build();
      std::vector<uint64_t> loads = loadsOf(graph, cut(graph, isDevice, 20000));
      uint64_t total = std::accumulate(loads.begin(), loads.end(), uint64_t(0));
      EXPECT_GT(loads.size(), 4u);
      EXPECT_LE(*std::max_element(loads.begin(), loads.end()) * loads.size(),
                total * 115 / 100);
    }
}

TEST(CutGraph, FamiliesAreNotCut) {
  Hypergraph graph = deviceGraph(1500, 100, 1).build();
  uint64_t total = graph.totalWeight();
  EXPECT_GT(cutCost(graph, cut(graph, false, 20000)), total / 5);
  EXPECT_LT(cutCost(graph, cut(graph, true, 20000)), total / 20);
}

TEST(CutGraph, OneGiantIsAlone) {
  TestGraph shape = hostGraph(1000, 2);
  shape.vertices[500].weight = 100000;
  std::vector<uint32_t> partOf = cut(shape.build(), false, 10000);
  EXPECT_EQ(std::count(partOf.begin(), partOf.end(), partOf[500]), 1);
  EXPECT_GT(contents(partOf).size(), 8u);
}

TEST(CutGraph, HeavyOnesThatFitNowhereGetMorePartitions) {
  TestGraph shape;
  for (uint64_t i = 0; i < 7; ++i)
    shape.vertices.push_back({2048, i});
  Hypergraph graph = shape.build();
  std::vector<uint64_t> loads = loadsOf(graph, cut(graph, false, 5000));
  EXPECT_EQ(loads.size(), 4u);
  EXPECT_EQ(*std::max_element(loads.begin(), loads.end()), 4096u);
  std::vector<uint32_t> order(7);
  std::iota(order.begin(), order.end(), 0);
  EXPECT_EQ(
      contents(cutGraph(graph, order,
                        graphCutOptions(Params(), 3, graph.totalWeight(), 0)))
          .size(),
      3u); // as the user wants
}

TEST(CutGraph, NamesAndNotNumbersOfNetsDecide) {
  TestGraph shape = deviceGraph(300, 20, 3);
  std::vector<uint32_t> before = cut(shape.build(), true, 5000);
  std::mt19937 random(4);
  std::shuffle(shape.nets.begin(), shape.nets.end(), random);
  EXPECT_EQ(cut(shape.build(), true, 5000), before);
}

/// Changes one weight by up to a tenth, or joins a vertex to some net if
/// \p addsUse, an edit of its own each time. Returns the share of partitions
/// that change, the two of the vertex left out.
double changesPerEdit(const TestGraph &graph, bool isDevice, bool addsUse) {
  constexpr uint64_t kWanted = 10000;
  std::vector<uint32_t> partOf = cut(graph.build(), isDevice, kWanted);
  std::set<std::vector<uint32_t>> before = contents(partOf);
  EXPECT_GT(before.size(), 40u);
  std::mt19937 random(11);
  constexpr int kEdits = 100;
  uint64_t changed = 0;
  for (int edit = 0; edit < kEdits; ++edit) {
    TestGraph edited = graph;
    uint32_t vertex = random() % graph.vertices.size();
    uint64_t &weight = edited.vertices[vertex].weight;
    if (addsUse)
      edited.nets[random() % graph.nets.size()].pins.push_back(vertex);
    else
      weight += random() % (weight / 10 + 1);
    for (const std::vector<uint32_t> &part :
         contents(cut(edited.build(), isDevice, kWanted)))
      changed +=
          !before.count(part) && !std::count(part.begin(), part.end(), vertex);
  }
  return double(changed) / kEdits / before.size();
}

TEST(CutGraph, EditsChangeFewPartitions) {
  TestGraph host = hostGraph(4000, 5);
  EXPECT_LT(changesPerEdit(host, false, false), 0.02);
  EXPECT_LT(changesPerEdit(host, false, true), 0.03);
  TestGraph device = deviceGraph(2000, 120, 6);
  EXPECT_LT(changesPerEdit(device, true, false), 0.02);
  // A new use of a helper may draw its user to another family, which moves the
  // cuts between the two.
  EXPECT_LT(changesPerEdit(device, true, true), 0.15);
}

TEST(Refine, MovesWhatIsUsedElsewhereOnly) {
  TestGraph shape;
  for (uint64_t anchor = 0; anchor < 6; ++anchor)
    shape.vertices.push_back({100, anchor});
  shape.nets = {{{50}, {0, 3}}, {{50}, {0, 4}}, {{10}, {1, 2}}, {{10}, {4, 5}}};
  std::vector<uint32_t> partOf = {0, 0, 0, 1, 1, 1};
  refinePartition(shape.build(), {450, 2}, 2, partOf);
  EXPECT_EQ(partOf, (std::vector<uint32_t>{1, 0, 0, 1, 1, 1}));
  partOf = {0, 0, 0, 1, 1, 1}; // no room
  refinePartition(shape.build(), {350, 2}, 2, partOf);
  EXPECT_EQ(partOf, (std::vector<uint32_t>{0, 0, 0, 1, 1, 1}));
}

TEST(Refine, StaysWhereTheGainIsNotClear) {
  TestGraph shape;
  for (uint64_t anchor = 0; anchor < 4; ++anchor)
    shape.vertices.push_back({100, anchor});
  shape.nets = {{{50}, {0, 2}}, {{40}, {0, 1}}, {{40}, {2, 3}}};
  std::vector<uint32_t> partOf = {0, 0, 1, 1};
  refinePartition(shape.build(), {400, 4}, 2, partOf);
  EXPECT_EQ(partOf, (std::vector<uint32_t>{0, 0, 1, 1}));
}

TEST(Refine, RelievesWhatIsTooHeavy) {
  TestGraph shape;
  for (uint64_t anchor = 0; anchor < 8; ++anchor)
    shape.vertices.push_back({100, anchor});
  for (uint32_t i = 0; i < 7; ++i)
    shape.nets.push_back({{10}, {i, i + 1}});
  std::vector<uint32_t> partOf = {0, 0, 0, 0, 0, 0, 1, 1};
  refinePartition(shape.build(), {450, 2}, 2, partOf);
  EXPECT_LE(std::count(partOf.begin(), partOf.end(), 0u), 5);
}

} // namespace
