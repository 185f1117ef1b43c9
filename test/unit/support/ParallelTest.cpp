// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Parallel.h"

#include "gtest/gtest.h"

#include <atomic>
#include <numeric>

using namespace gpulto;

namespace {

TEST(Parallel, VisitsEachNumberOnce) {
  for (unsigned threads : {1, 2, 7})
    for (size_t count : {0, 1, 8191, 8192, 8193, 100000}) {
      std::vector<std::atomic<unsigned>> visits(count);
      forEachPiece(threads, count, [&](size_t begin, size_t end) {
        EXPECT_LT(begin, end);
        for (size_t i = begin; i < end; ++i)
          ++visits[i];
      });
      for (const std::atomic<unsigned> &visit : visits)
        EXPECT_EQ(visit, 1u);
    }
}

TEST(Parallel, VisitsEachOfFew) {
  std::vector<unsigned> visits(5);
  forEachOf(3, visits.size(), [&](size_t number) { ++visits[number]; });
  EXPECT_EQ(visits, std::vector<unsigned>(5, 1));
}

TEST(Parallel, PiecesDoNotDependOnThreads) {
  constexpr size_t kCount = 50000;
  auto begins = [&](unsigned threads) {
    std::vector<std::atomic<bool>> seen(kCount);
    forEachPiece(threads, kCount,
                 [&](size_t begin, size_t) { seen[begin] = true; });
    return std::vector<bool>(seen.begin(), seen.end());
  };
  EXPECT_EQ(begins(1), begins(4));
}

TEST(Parallel, CollectsInOrder) {
  constexpr size_t kCount = 50000;
  std::vector<size_t> expected;
  for (size_t i = 0; i < kCount; i += 3)
    expected.push_back(i);
  for (unsigned threads : {1, 4})
    EXPECT_EQ(collectInPieces<size_t>(threads, kCount,
                                      [](size_t i, std::vector<size_t> &found) {
                                        if (i % 3 == 0)
                                          found.push_back(i);
                                      }),
              expected);
  EXPECT_TRUE(collectInPieces<size_t>(4, 0, [](size_t, std::vector<size_t> &) {
              }).empty());
}

} // namespace
