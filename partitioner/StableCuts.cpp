//===- StableCuts.cpp - Cuts that small edits do not move -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: after an edit of one function, all partitions but its own hold what
// they held, so that a cache has their results (lto/Cache). A link cannot ask
// the last one where it cut: its output depends on its inputs alone.
//
//   weights  3 1 4 1 5 | 9 2 6 | 5 3 5      halves, then halves of halves
//                      ^ window around the middle, a quarter of a piece wide
//
// 1. split: the row is cut in two, in a window around the place where the
//    weights would be even. An edit of k instructions moves the window by less
//    than k, so it nearly always holds the same places.
// 2. Of the places in the window, those with the fewest crossing edges are
//    taken, where numbers within a factor of sqrt(2) are as good
//    (crossingRank); of these, the one with the least anchor. An edge more
//    changes the rank of few places, and that of the best one hardly ever.
// 3. Both parts are cut in the same way.
//
// What walks the row from left to right instead, each piece until it is full,
// moves all cuts behind the edit.
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

/// Returns a number that is equal for crossings that differ by less than a
/// factor of sqrt(2).
static unsigned crossingRank(uint64_t crossings) {
  if (crossings == 0)
    return 0;
  unsigned octave = Log2_64(crossings);
  // crossings^2 >= 2^(2 octave + 1), without overflow.
  constexpr unsigned kMaxExact = 31;
  uint64_t head =
      octave > kMaxExact ? crossings >> (octave - kMaxExact) : crossings;
  unsigned headOctave = std::min(octave, kMaxExact);
  bool isUpperHalf = head * head >= uint64_t(1) << (2 * headOctave + 1);
  return 1 + 2 * octave + isUpperHalf;
}

namespace {
using Edges = std::vector<std::pair<uint32_t, uint32_t>>;

class StableCutter {
public:
  explicit StableCutter(ArrayRef<CutItem> items)
      : items(items), before(items.size() + 1) {
    for (size_t i = 0; i < items.size(); ++i)
      before[i + 1] = before[i] + items[i].weight;
  }

  void split(size_t begin, size_t end, uint64_t pieces, Edges edges);

  std::vector<size_t> ends;

private:
  size_t findPlace(size_t begin, size_t end, uint64_t pieces,
                   const Edges &edges) const;

  ArrayRef<CutItem> items;
  std::vector<uint64_t> before; // weight of all items before an index
};
} // namespace

/// Returns the place, the index of an item, at which [begin, end) is cut into
/// pieces / 2 and the rest. \p edges: first < second, both in the range.
size_t StableCutter::findPlace(size_t begin, size_t end, uint64_t pieces,
                               const Edges &edges) const {
  uint64_t total = before[end] - before[begin];
  uint64_t piece = total / pieces;
  uint64_t middle = before[begin] + piece * (pieces / 2) +
                    total % pieces * (pieces / 2) / pieces;
  std::vector<int64_t> steps(end - begin + 1); // of the number of crossings
  for (auto [from, to] : edges) {
    ++steps[from + 1 - begin];
    --steps[to + 1 - begin];
  }
  size_t best = 0, nearest = begin + 1;
  std::tuple<unsigned, uint64_t, size_t> bestRank;
  uint64_t crossings = 0;
  auto distance = [&](size_t place) {
    return before[place] > middle ? before[place] - middle
                                  : middle - before[place];
  };
  for (size_t place = begin + 1; place < end; ++place) {
    crossings += steps[place - begin];
    if (distance(place) < distance(nearest))
      nearest = place;
    if (distance(place) > piece / 4)
      continue;
    std::tuple rank(crossingRank(crossings), items[place].anchor, place);
    if (!best || rank < bestRank) {
      best = place;
      bestRank = rank;
    }
  }
  return best ? best : nearest;
}

void StableCutter::split(size_t begin, size_t end, uint64_t pieces,
                         Edges edges) {
  if (pieces <= 1 || end - begin <= 1) {
    ends.push_back(end);
    return;
  }
  size_t place = findPlace(begin, end, pieces, edges);
  Edges left, right;
  for (auto edge : edges) {
    if (edge.second < place)
      left.push_back(edge);
    else if (edge.first >= place)
      right.push_back(edge);
  }
  edges = Edges();
  split(begin, place, pieces / 2, std::move(left));
  split(place, end, pieces - pieces / 2, std::move(right));
}

std::vector<size_t>
findStableCuts(ArrayRef<CutItem> items,
               ArrayRef<std::pair<uint32_t, uint32_t>> edges, uint64_t pieces) {
  Edges ordered;
  for (auto [a, b] : edges)
    if (a != b)
      ordered.push_back(std::minmax(a, b));
  StableCutter cutter(items);
  if (!items.empty())
    cutter.split(0, items.size(), pieces, std::move(ordered));
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
