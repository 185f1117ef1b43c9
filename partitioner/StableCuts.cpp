//===- StableCuts.cpp - Cuts that small edits do not move -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: after an edit of one function, all partitions but its own keep their
// contents, so that a cache has their results (lto/cache/Cache). A link cannot
// ask the previous one where it cut: its output depends only on its inputs.
//
//   weights  3 1 4 1 5 | 9 2 6 | 5 3 5      halves, then halves of halves
//                      ^ window around the middle
//
// 1. split: the sequence is cut in two, in a window around the place where the
//    weights would be even. An edit of k instructions moves the window by less
//    than k, so it nearly always holds the same places. The window's width
//    bounds how uneven pieces are: an error of w at a range of n pieces is one
//    of 2 w / n in each of the pieces of a half.
// 2. Of the places in the window, those with the cheapest crossing edges are
//    taken, where costs within a factor of sqrt(2) are as good (costRank); of
//    these, the one with the least anchor. An additional edge changes the rank
//    of few places, and hardly ever that of the best one.
// 3. Both parts are cut in the same way. Weight that they have in common counts
//    in both.
//
// Filling pieces from left to right instead would move all cuts after the edit.
//
// The number of pieces is rounded to two leading bits (stablePieces), since
// another number moves all cuts.
//
// Complexity: edges and items times the logarithm of the number of pieces.
//
//===----------------------------------------------------------------------===//

#include "partitioner/StableCuts.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>
#include <tuple>

using namespace llvm;

namespace gpulto {

unsigned costRank(uint64_t cost) {
  if (cost == 0)
    return 0;
  unsigned octave = Log2_64(cost);
  // cost^2 >= 2^(2 octave + 1), without overflow.
  constexpr unsigned kMaxExact = 31;
  uint64_t head = octave > kMaxExact ? cost >> (octave - kMaxExact) : cost;
  unsigned headOctave = std::min(octave, kMaxExact);
  bool isUpperHalf = head * head >= uint64_t(1) << (2 * headOctave + 1);
  return 1 + 2 * octave + isUpperHalf;
}

namespace {
using Edges = std::vector<CutEdge>; // first < second

/// A place, the index of an item, where a range may be cut.
struct Place {
  size_t index = 0;
  uint64_t left = 0; // weight of either side
  uint64_t right = 0;
  uint64_t cost = 0;
};

/// Part of the row that is to be cut.
struct CutRange {
  size_t begin = 0;
  size_t end = 0;
  uint64_t pieces = 1;
  uint64_t weight = 0;
};

class StableCutter {
public:
  StableCutter(ArrayRef<CutItem> items, const CutOptions &options)
      : items(items), options(options) {}

  void split(const CutRange &range, Edges edges);

  std::vector<size_t> ends;

private:
  std::vector<Place> listPlaces(const CutRange &range,
                                const Edges &edges) const;
  Place choosePlace(const CutRange &range, const Edges &edges) const;

  ArrayRef<CutItem> items;
  const CutOptions &options;
};
} // namespace

/// Returns the places where \p range may be cut. \p edges: both ends in it.
std::vector<Place> StableCutter::listPlaces(const CutRange &range,
                                            const Edges &edges) const {
  size_t count = range.end - range.begin;
  // What changes from one place to the next; unsigned numbers wrap.
  std::vector<uint64_t> costSteps(count + 1), left(count + 1), right(count + 1);
  for (size_t i = 0; i < count; ++i) {
    left[i + 1] = items[range.begin + i].weight;
    right[i] = items[range.begin + i].weight;
  }
  for (const CutEdge &edge : edges) {
    size_t first = edge.first - range.begin, second = edge.second - range.begin;
    costSteps[first + 1] += edge.cost;
    costSteps[second + 1] -= edge.cost;
    left[second + 1] -= edge.shared;
    right[first] -= edge.shared;
  }
  std::partial_sum(costSteps.begin(), costSteps.end(), costSteps.begin());
  std::partial_sum(left.begin(), left.end(), left.begin());
  std::partial_sum(right.rbegin(), right.rend(), right.rbegin());
  std::vector<Place> places;
  for (size_t i = 1; i < count; ++i)
    places.push_back({range.begin + i, left[i], right[i], costSteps[i]});
  return places;
}

/// Returns the place at which \p range is cut into pieces / 2 and the rest.
Place StableCutter::choosePlace(const CutRange &range,
                                const Edges &edges) const {
  uint64_t leftPieces = range.pieces / 2;
  uint64_t rightPieces = range.pieces - leftPieces;
  uint64_t window =
      range.weight / range.pieces * options.windowPercent / uint64_t(100);
  Place best, nearest;
  std::tuple<unsigned, uint64_t, size_t> bestRank;
  uint64_t nearestDistance = UINT64_MAX;
  for (const Place &place : listPlaces(range, edges)) {
    uint64_t a = place.left * rightPieces, b = place.right * leftPieces;
    uint64_t distance = (a > b ? a - b : b - a) / range.pieces;
    if (distance < nearestDistance) {
      nearest = place;
      nearestDistance = distance;
    }
    if (distance > window)
      continue;
    std::tuple rank(costRank(place.cost), items[place.index].anchor,
                    place.index);
    if (!best.index || rank < bestRank) {
      best = place;
      bestRank = rank;
    }
  }
  return best.index ? best : nearest;
}

void StableCutter::split(const CutRange &range, Edges edges) {
  if (range.pieces <= 1 || range.end - range.begin <= 1) {
    ends.push_back(range.end);
    return;
  }
  Place place = choosePlace(range, edges);
  uint64_t allowed = range.weight * options.maxGrowthPercent / 100;
  if (place.left + place.right - range.weight > allowed) {
    ends.push_back(range.end);
    return;
  }
  Edges left, right;
  for (const CutEdge &edge : edges) {
    if (edge.second < place.index)
      left.push_back(edge);
    else if (edge.first >= place.index)
      right.push_back(edge);
  }
  edges = Edges();
  split({range.begin, place.index, range.pieces / 2, place.left},
        std::move(left));
  split({place.index, range.end, range.pieces - range.pieces / 2, place.right},
        std::move(right));
}

uint64_t rowWeight(ArrayRef<CutItem> items, ArrayRef<CutEdge> edges) {
  uint64_t weight = 0;
  for (const CutItem &item : items)
    weight += item.weight;
  for (const CutEdge &edge : edges)
    if (edge.first != edge.second)
      weight -= edge.shared;
  return weight;
}

std::vector<size_t> findStableCuts(ArrayRef<CutItem> items,
                                   ArrayRef<CutEdge> edges,
                                   const CutOptions &options) {
  Edges ordered;
  for (CutEdge edge : edges) {
    if (edge.first == edge.second)
      continue;
    if (edge.first > edge.second)
      std::swap(edge.first, edge.second);
    ordered.push_back(edge);
  }
  StableCutter cutter(items, options);
  if (!items.empty())
    cutter.split({0, items.size(), options.pieces, rowWeight(items, edges)},
                 std::move(ordered));
  return std::move(cutter.ends);
}

uint64_t stablePieces(uint64_t total, uint64_t wanted, uint64_t most) {
  uint64_t pieces = std::clamp<uint64_t>(
      total / wanted + (total % wanted > wanted / 2), 1, most);
  constexpr unsigned kKeptBits = 2;
  unsigned bits = Log2_64(pieces) + 1;
  if (bits <= kKeptBits)
    return pieces;
  unsigned dropped = bits - kKeptBits;
  return pieces >> dropped << dropped;
}

} // namespace gpulto
