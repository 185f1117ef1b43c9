//===- MemoryShadowTest.cpp - Which copies need not have been -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/machine/MemoryShadow.h"

#include <cstring>
#include <gtest/gtest.h>
#include <vector>

using namespace gpulto::emu;

namespace {

/// Two areas of memory, pages of each, and a shadow that is told all that the
/// test does with them.
struct Areas : testing::Test {
  static constexpr size_t kBytes = 3 * kShadowPageBytes;
  alignas(kShadowPageBytes) uint8_t host[kBytes] = {};
  alignas(kShadowPageBytes) uint8_t device[kBytes] = {};
  alignas(kShadowPageBytes) uint8_t other[kBytes] = {};
  MemoryShadow shadow;

  static uint64_t at(const void *pointer) {
    return reinterpret_cast<uint64_t>(pointer);
  }
  void copy(uint32_t site, void *to, const void *from, size_t bytes) {
    shadow.copy(site, {{at(to), at(from), bytes}});
    std::memmove(to, from, bytes);
  }
  void fill(uint32_t site, void *to, uint8_t value, size_t bytes) {
    shadow.fill(site, {{at(to), 0, bytes}}, {value, 1});
    std::memset(to, value, bytes);
  }
  void store(void *to, uint8_t value, size_t bytes) {
    shadow.write(at(to), bytes);
    std::memset(to, value, bytes);
  }
  void load(const void *from, size_t bytes) { shadow.read(at(from), bytes); }
  const CopyTotals &totals(uint32_t site) { return shadow.totals(site); }
};

TEST_F(Areas, CopyAgainIsRedundant) {
  for (int round = 0; round < 3; ++round) {
    copy(1, device, host, kBytes);
    load(device, kBytes);
  }
  shadow.finish();
  EXPECT_EQ(totals(1).executions, 3u);
  EXPECT_EQ(totals(1).bytes, 3 * kBytes);
  EXPECT_EQ(totals(1).redundantExecutions, 2u);
  EXPECT_EQ(totals(1).redundantBytes, 2 * kBytes);
  EXPECT_EQ(totals(1).deadBytes, 0u);
}

TEST_F(Areas, FirstCopyToEqualMemoryIsNot) {
  copy(1, device, host, kBytes);
  shadow.finish();
  EXPECT_EQ(totals(1).redundantBytes, 0u);
  EXPECT_EQ(totals(1).coincidentBytes, 0u);
}

TEST_F(Areas, StoreOfTheSameValueMakesItCoincidence) {
  store(host, 5, kBytes);
  copy(1, device, host, kBytes);
  store(host + 10, 5, 1);
  copy(2, device, host, kBytes);
  EXPECT_EQ(totals(2).redundantBytes, 0u);
  EXPECT_EQ(totals(2).coincidentBytes, kBytes);
  store(device + 10, 5, 1);
  copy(3, device, host, kBytes);
  EXPECT_EQ(totals(3).coincidentBytes, kBytes);
}

TEST_F(Areas, OtherValuesMakeItRedundantInPart) {
  copy(1, device, host, kBytes);
  store(host + 10, 5, 4);
  copy(2, device, host, kBytes);
  EXPECT_EQ(totals(2).redundantBytes, 0u);
  EXPECT_EQ(totals(2).coincidentBytes, 0u);
  EXPECT_EQ(totals(2).redundantPartBytes, kBytes - 4);
}

TEST_F(Areas, CopyBackOfWhatWasCopiedIsRedundant) {
  copy(1, device, host, kBytes);
  copy(2, host, device, kBytes);
  EXPECT_EQ(totals(2).redundantBytes, kBytes);
}

TEST_F(Areas, EqualityGoesThroughOtherCopies) {
  copy(1, device, host, kBytes);
  copy(2, other, device, kBytes);
  copy(3, host, other, kBytes);
  EXPECT_EQ(totals(3).redundantBytes, kBytes);
}

TEST_F(Areas, EqualBytesOfOneStoreAreStillTwo) {
  store(host, 5, kBytes);
  copy(1, device, host, 100);
  copy(2, device, host + 100, 100);
  EXPECT_EQ(totals(2).redundantBytes, 0u);
  EXPECT_EQ(totals(2).coincidentBytes, 100u);
}

TEST_F(Areas, UnseenStoreIsNotForAReason) {
  copy(1, device, host, kBytes);
  host[20] = 9;
  copy(2, device, host, kBytes);
  EXPECT_EQ(totals(2).redundantBytes, 0u);
  EXPECT_NE(totals(2).unseenBytes, 0u);
  copy(3, device, host, kBytes);
  EXPECT_EQ(totals(3).redundantBytes, kBytes);
}

TEST_F(Areas, UnreadIsDead) {
  copy(1, host, device, kBytes);
  copy(2, host + 1, other, 1);
  load(host, 1);
  store(host, 0, kBytes);
  shadow.finish();
  EXPECT_EQ(totals(1).deadBytes, 0u);
  EXPECT_EQ(totals(1).deadPartBytes, kBytes - 1);
  EXPECT_EQ(totals(2).deadBytes, 1u);
}

TEST_F(Areas, ReadBehindAStoreIsNotOfTheCopy) {
  copy(1, device, host, kBytes);
  store(device, 1, kBytes);
  load(device, kBytes);
  shadow.finish();
  EXPECT_EQ(totals(1).deadBytes, kBytes);
}

TEST_F(Areas, CopyThatOnlyADeadCopyReadsIsDead) {
  copy(1, device, host, kBytes);
  copy(2, other, device, kBytes);
  store(device, 1, kBytes);
  store(other, 1, kBytes);
  shadow.finish();
  EXPECT_EQ(totals(1).deadBytes, kBytes);
  EXPECT_EQ(totals(2).deadBytes, kBytes);
}

TEST_F(Areas, CopyThatALiveCopyReadsIsNot) {
  copy(1, device, host, kBytes);
  copy(2, other, device + 50, 100);
  store(device, 1, kBytes);
  load(other + 3, 7);
  shadow.finish();
  EXPECT_EQ(totals(1).deadBytes, 0u);
  EXPECT_EQ(totals(1).deadPartBytes, kBytes - 7);
  EXPECT_EQ(totals(2).deadPartBytes, 93u);
}

TEST_F(Areas, RedundantCopyCountsAsRemoved) {
  copy(1, device, host, kBytes);
  copy(2, device, host, kBytes); // overwrites nothing
  load(device, kBytes);
  shadow.finish();
  EXPECT_EQ(totals(1).deadBytes, 0u);
  EXPECT_EQ(totals(1).deadPartBytes, 0u);
  EXPECT_EQ(totals(2).deadBytes, 0u);
}

TEST_F(Areas, FreedMemoryIsNew) {
  copy(1, device, host, kBytes);
  shadow.forget(at(device), kBytes);
  copy(2, device, host, kBytes);
  load(device, kBytes);
  shadow.finish();
  EXPECT_EQ(totals(1).deadBytes, kBytes);
  EXPECT_EQ(totals(2).redundantBytes, 0u);
}

TEST_F(Areas, FillsWithOneValueAreOneStore) {
  fill(1, device, 3, kBytes);
  fill(2, device + 8, 3, 100);
  EXPECT_EQ(totals(2).redundantBytes, 100u);
  fill(3, device + 8, 4, 100);
  EXPECT_EQ(totals(3).redundantBytes, 0u);
  store(device, 3, kBytes);
  fill(4, device, 3, kBytes);
  EXPECT_EQ(totals(4).coincidentBytes, kBytes);
}

TEST_F(Areas, FillThatACopyOverwritesIsDead) {
  fill(1, device, 3, kBytes);
  copy(2, device, host, kBytes);
  load(device, kBytes);
  shadow.finish();
  EXPECT_EQ(totals(1).deadBytes, kBytes);
  EXPECT_EQ(totals(2).deadBytes, 0u);
}

TEST_F(Areas, RowsAreOneCopy) {
  std::vector<CopyRow> rows = {{at(device), at(host), 16},
                               {at(device) + 5000, at(host) + 16, 16}};
  shadow.copy(1, rows);
  shadow.copy(1, rows);
  load(device + 5015, 1);
  shadow.finish();
  EXPECT_EQ(totals(1).bytes, 64u);
  EXPECT_EQ(totals(1).redundantBytes, 32u);
  EXPECT_EQ(totals(1).deadBytes, 0u);
  EXPECT_EQ(totals(1).deadPartBytes, 31u);
}

TEST_F(Areas, NeighborhoodEndsWhereCopiesDo) {
  copy(1, device, host + 100, kShadowPageBytes);
  CopyRow found = shadow.neighborhood(at(host) + 4100);
  EXPECT_EQ(found.to, at(host) + 100);
  EXPECT_EQ(found.bytes, kShadowPageBytes);
  EXPECT_EQ(shadow.neighborhood(at(host) + 99).bytes, 0u);
  EXPECT_EQ(shadow.neighborhood(at(other)).bytes, 0u);
}

TEST_F(Areas, FilterKnowsPagesOfCopies) {
  EXPECT_EQ(shadow.filter.of(at(host), 4), 0);
  copy(1, device, host, 100);
  EXPECT_EQ(shadow.filter.of(at(host) + 200, 4), PageFilter::kTracked);
  EXPECT_EQ(shadow.filter.of(at(host) + kShadowPageBytes, 4), 0);
  EXPECT_EQ(shadow.filter.of(at(host) + kShadowPageBytes - 1, 2),
            PageFilter::kTracked);
}

TEST_F(Areas, LanesAreAccesses) {
  copy(1, device, host, 256);
  uint64_t addresses[32];
  for (unsigned lane = 0; lane < 32; ++lane)
    addresses[lane] = at(device) + 4 * lane;
  shadow.accessLanes(0xffff00ff, addresses, 4, true, false);
  shadow.finish();
  EXPECT_EQ(totals(1).deadPartBytes, 256u - 24 * 4);
}

} // namespace
