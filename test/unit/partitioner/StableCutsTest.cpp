// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "partitioner/StableCuts.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <random>

using namespace gpulto;

namespace {

using Edges = std::vector<CutEdge>;

std::vector<CutItem> someItems(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<CutItem> items;
  for (size_t i = 0; i < count; ++i)
    items.push_back({random() % 200 + 1, random()});
  return items;
}

Edges someEdges(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  Edges edges;
  for (size_t i = 0; i < 3 * count; ++i) {
    uint32_t from = random() % count;
    edges.push_back({from, uint32_t((from + random() % 40) % count)});
  }
  return edges;
}

TEST(StableCuts, CoverAllItems) {
  EXPECT_TRUE(findStableCuts({}, {}, {4}).empty());
  for (size_t count : {1, 2, 3, 7, 100})
    for (uint64_t pieces : {1, 2, 3, 4, 5, 16}) {
      std::vector<size_t> ends =
          findStableCuts(someItems(count, 1), someEdges(count, 2), {pieces});
      EXPECT_EQ(ends.back(), count);
      EXPECT_TRUE(std::is_sorted(ends.begin(), ends.end()));
      EXPECT_EQ(std::adjacent_find(ends.begin(), ends.end()), ends.end());
      EXPECT_LE(ends.size(), pieces);
      if (count >= 100) {
        EXPECT_EQ(ends.size(), pieces);
      }
    }
}

TEST(StableCuts, PiecesAreAboutEven) {
  std::vector<CutItem> items = someItems(2000, 3);
  uint64_t total = 0;
  for (const CutItem &item : items)
    total += item.weight;
  for (uint64_t pieces : {2, 3, 7, 16}) {
    size_t begin = 0;
    for (size_t end : findStableCuts(items, someEdges(2000, 4), {pieces})) {
      uint64_t weight = 0;
      for (size_t i = begin; i < end; ++i)
        weight += items[i].weight;
      EXPECT_GT(weight, total / pieces / 2);
      EXPECT_LT(weight, total / pieces * 3 / 2);
      begin = end;
    }
  }
}

TEST(StableCuts, FewEdgesCross) {
  // Two clusters that one edge joins; the border is not quite in the middle.
  std::vector<CutItem> items(32, CutItem{100, 0});
  Edges edges = {{31, 0}};
  for (uint32_t i = 0; i < 32; ++i)
    for (uint32_t j = i < 15 ? 0 : 15; j < i; ++j)
      edges.push_back({i, j});
  EXPECT_EQ(findStableCuts(items, edges, {2}), (std::vector<size_t>{15, 32}));
}

TEST(StableCuts, WhatIsSharedCountsOnBothSides) {
  // Three items share 300 of their 400, the others nothing.
  std::vector<CutItem> items(9, CutItem{100, 0});
  Edges edges;
  for (uint32_t i = 0; i < 3; ++i)
    items[i].weight = 400;
  for (uint32_t i = 1; i < 3; ++i)
    edges.push_back({i - 1, i, 300, 300});
  EXPECT_EQ(findStableCuts(items, edges, {2}), (std::vector<size_t>{3, 9}));
}

TEST(StableCuts, WhatGrowsTooMuchIsNotCut) {
  std::vector<CutItem> items(4, CutItem{1000, 0});
  Edges edges;
  for (uint32_t i = 1; i < 4; ++i)
    edges.push_back({i - 1, i, 900, 900}); // 1300 in all, 2200 in two pieces
  CutOptions options;
  options.pieces = 2;
  options.maxGrowthPercent = 70;
  EXPECT_EQ(findStableCuts(items, edges, options).size(), 2u);
  options.maxGrowthPercent = 60;
  EXPECT_EQ(findStableCuts(items, edges, options).size(), 1u);
}

TEST(StableCuts, AnItemHeavierThanAPieceIsAPiece) {
  std::vector<CutItem> items = {{1, 0}, {1000, 0}, {1, 0}};
  EXPECT_EQ(findStableCuts(items, {}, {3}).back(), 3u);
}

/// Changes the weight of one item, or adds an edge, and counts the cuts that
/// move; an edit of its own each time.
TEST(StableCuts, EditsMoveFewCuts) {
  constexpr size_t kItems = 4000;
  constexpr uint64_t kPieces = 32;
  std::vector<CutItem> items = someItems(kItems, 5);
  Edges edges = someEdges(kItems, 6);
  std::vector<size_t> before = findStableCuts(items, edges, {kPieces});
  std::mt19937 random(7);
  size_t moved = 0;
  constexpr int kEdits = 200;
  for (int edit = 0; edit < kEdits; ++edit) {
    std::vector<CutItem> edited = items;
    edited[random() % kItems].weight += random() % 10;
    Edges more = edges;
    if (edit % 4 == 0)
      more.push_back(
          {uint32_t(random() % kItems), uint32_t(random() % kItems)});
    std::vector<size_t> after = findStableCuts(edited, more, {kPieces});
    std::vector<size_t> difference;
    std::set_difference(before.begin(), before.end(), after.begin(),
                        after.end(), std::back_inserter(difference));
    moved += difference.size();
  }
  EXPECT_LT(moved, size_t(kEdits)); // of 32 each
}

TEST(StableCuts, NumberOfPiecesIsRounded) {
  EXPECT_EQ(stablePieces(0, 100, 8), 1u);
  EXPECT_EQ(stablePieces(149, 100, 8), 1u);
  EXPECT_EQ(stablePieces(251, 100, 8), 3u);
  EXPECT_EQ(stablePieces(500, 100, 8), 4u);
  EXPECT_EQ(stablePieces(700, 100, 8), 6u);
  EXPECT_EQ(stablePieces(5000, 100, 8), 8u);
  EXPECT_EQ(stablePieces(5000, 100, 512), 48u);
}

} // namespace
