//===- ClusterOrder.cpp - A sequence that groups what is shared -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: put kernels that share helpers next to each other, wherever their files
// are, so that cuts of the sequence (partitioner/StableCuts) separate few of
// them.
//
//   k1 {a b}  k2 {c}  k3 {a b}  k4 {c d}  k5 {d}    k1 k3 k2 k4 k5
//
// 1. Each vertex is a cluster.
// 2. findPreferred: clusters attract each other by the weight of the nets that
//    they share. Weak ties do not count (kMinSharedPart): they save little, and
//    one more or less would move whole clusters. For the same reason a net with
//    few users does not attract more than others, unlike in the literature: one
//    new use of a small helper would pull its user away.
// 3. runRound: clusters that prefer each other become one; others join the one
//    that they prefer, if it became one. So clusters form from the strongest
//    ties on, in no order, and one level of clusters lies in the next.
// 4. In the sequence, each cluster is at the place of its first vertex. The way
//    in which a cluster formed does not matter: an edit that changes the pairs
//    of a round, and so those of the next, mostly ends with the same clusters.
//
// Ties are broken by name. Weights are rounded (Hypergraph::finish), so that an
// edit of a body mostly changes no pair.
//
// Source: heavy-edge matching as coarsening: G. Karypis, V. Kumar: "A Fast and
// High Quality Multilevel Scheme for Partitioning Irregular Graphs", SIAM J.
// Sci. Comput. 1998. Its matching in random order is not used: the result would
// change as a whole.
//
// Complexity: pins times kMaxPins for each round; rounds are few since a
// constant part of the clusters finds a partner in each, and kMaxRounds at
// most. Nets of more than kMaxPins clusters attract nobody; they do when their
// clusters have become fewer.
//
//===----------------------------------------------------------------------===//

#include "partitioner/ClusterOrder.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>
#include <utility>

using namespace llvm;

namespace gpulto {

namespace {
constexpr uint32_t kNobody = UINT32_MAX;
constexpr size_t kMaxPins = 32;
constexpr unsigned kMaxRounds = 64;
/// What two clusters share must be at least that part of the lighter one.
constexpr uint64_t kMinSharedPart = 8;

class Clustering {
public:
  Clustering(const Hypergraph &graph, uint64_t maxWeight);

  bool runRound();
  std::vector<uint32_t> order() const;

private:
  void findNets();
  uint32_t findPreferred(uint32_t cluster);
  uint64_t tie(uint32_t a, uint32_t b) const;
  void merge(ArrayRef<uint32_t> target);

  uint64_t maxWeight;
  std::vector<std::vector<uint32_t>> members; // vertices of each cluster
  std::vector<uint64_t> anchors;              // of each cluster
  std::vector<uint64_t> ownWeights;           // of the vertices of each cluster
  std::vector<uint64_t> clusterWeights;       // with the nets
  std::vector<uint64_t> weights;              // of each net
  std::vector<std::vector<uint32_t>> pins;    // clusters of each net
  std::vector<std::vector<uint32_t>> nets;    // of each cluster
  // While one cluster is looked at: what others have in common with it; zero
  // for those that are not listed.
  std::vector<uint64_t> shared;
  std::vector<uint32_t> rated;
};
} // namespace

Clustering::Clustering(const Hypergraph &graph, uint64_t maxWeight)
    : maxWeight(maxWeight) {
  for (auto [v, vertex] : enumerate(graph.vertices())) {
    members.push_back({uint32_t(v)});
    anchors.push_back(vertex.anchor);
    ownWeights.push_back(vertex.weight);
  }
  for (auto [n, net] : enumerate(graph.nets())) {
    weights.push_back(net.weight);
    pins.emplace_back(graph.pins(n).begin(), graph.pins(n).end());
  }
  findNets();
}

void Clustering::findNets() {
  nets.assign(members.size(), {});
  shared.assign(members.size(), 0);
  clusterWeights = ownWeights;
  for (auto [net, users] : enumerate(pins))
    for (uint32_t user : users) {
      nets[user].push_back(net);
      clusterWeights[user] += weights[net];
    }
}

/// Returns what decides between equal ratings: the same from both sides, and
/// another for each pair.
uint64_t Clustering::tie(uint32_t a, uint32_t b) const {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
  return (anchors[a] ^ anchors[b]) * kOdd;
}

/// Returns the cluster that shares most with \p cluster, or kNobody.
uint32_t Clustering::findPreferred(uint32_t cluster) {
  for (uint32_t net : nets[cluster]) {
    if (pins[net].size() > kMaxPins)
      continue;
    for (uint32_t other : pins[net]) {
      if (!shared[other])
        rated.push_back(other);
      shared[other] += weights[net];
    }
  }
  uint32_t best = kNobody;
  std::pair<uint64_t, uint64_t> bestRank;
  for (uint32_t other : rated) {
    std::pair rank(shared[other], tie(cluster, other));
    uint64_t own = clusterWeights[cluster], others = clusterWeights[other];
    bool isFit = other != cluster &&
                 shared[other] * kMinSharedPart >= std::min(own, others) &&
                 own + others - shared[other] <= maxWeight;
    shared[other] = 0;
    if (!isFit || (best != kNobody && rank <= bestRank))
      continue;
    best = other;
    bestRank = rank;
  }
  rated.clear();
  return best;
}

/// Merges each cluster into cluster \p target of it, which is its own target.
/// The numbers of clusters are in the order of their first vertices.
void Clustering::merge(ArrayRef<uint32_t> target) {
  std::vector<uint32_t> number(members.size(), kNobody);
  std::vector<std::vector<uint32_t>> merged;
  std::vector<uint64_t> mergedAnchors, mergedWeights;
  for (uint32_t c = 0; c < members.size(); ++c) {
    uint32_t t = target[c];
    if (number[t] == kNobody) {
      number[t] = merged.size();
      merged.emplace_back();
      mergedAnchors.push_back(anchors[c]);
      mergedWeights.push_back(0);
    }
    std::vector<uint32_t> &all = merged[number[t]];
    all.insert(all.end(), members[c].begin(), members[c].end());
    mergedAnchors[number[t]] = std::min(mergedAnchors[number[t]], anchors[c]);
    mergedWeights[number[t]] += ownWeights[c];
  }
  for (std::vector<uint32_t> &users : pins) {
    for (uint32_t &user : users)
      user = number[target[user]];
    llvm::sort(users);
    users.erase(std::unique(users.begin(), users.end()), users.end());
  }
  members = std::move(merged);
  anchors = std::move(mergedAnchors);
  ownWeights = std::move(mergedWeights);
  findNets();
}

/// Merges clusters; returns whether there were any to be merged.
bool Clustering::runRound() {
  std::vector<uint32_t> preferred(members.size());
  for (uint32_t c = 0; c < members.size(); ++c)
    preferred[c] = findPreferred(c);
  std::vector<uint32_t> target(members.size());
  std::iota(target.begin(), target.end(), 0);
  bool isAny = false;
  for (uint32_t c = 0; c < members.size(); ++c) {
    uint32_t other = preferred[c];
    if (other != kNobody && preferred[other] == c) {
      target[c] = std::min(c, other);
      isAny = true;
    }
  }
  for (uint32_t c = 0; c < members.size(); ++c) {
    uint32_t other = preferred[c];
    if (other == kNobody || preferred[other] == c ||
        preferred[other] == kNobody)
      continue;
    if (preferred[preferred[other]] == other)
      target[c] = std::min(other, preferred[other]);
  }
  if (isAny)
    merge(target);
  return isAny;
}

/// Returns the vertices of the clusters, by first vertex, each in order.
std::vector<uint32_t> Clustering::order() const {
  std::vector<std::vector<uint32_t>> row = members;
  for (std::vector<uint32_t> &cluster : row)
    llvm::sort(cluster);
  llvm::sort(row);
  std::vector<uint32_t> result;
  for (const std::vector<uint32_t> &cluster : row)
    result.insert(result.end(), cluster.begin(), cluster.end());
  return result;
}

std::vector<uint32_t> findClusterOrder(const Hypergraph &graph,
                                       uint64_t maxWeight) {
  Clustering clustering(graph, maxWeight);
  for (unsigned round = 0; round < kMaxRounds; ++round)
    if (!clustering.runRound())
      break;
  return clustering.order();
}

} // namespace gpulto
