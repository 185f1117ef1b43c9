//===- TransferWaitsTest.cpp - Which waits nobody needs -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/TransferWaits.h"

#include "emulator/trace/HostTrace.h"

#include <gtest/gtest.h>

using namespace gpulto::emu;

namespace {

constexpr WaitStream kLegacy = {1, 0, true, false};
constexpr WaitStream kBlocking = {2, 0, false, true};
constexpr WaitStream kFree = {3, 0, false, false};
constexpr uint32_t kSite = 7, kNext = 8;
constexpr WaitGuard kTarget = {1000, 1100, true}, kSource = {2000, 2100, false};

struct Waits : testing::Test {
  TransferWaits waits;

  void wait(const WaitStream &stream, uint32_t site = kSite) {
    waits.hostWaitsForStream(site, stream, true);
  }
  /// Ends what `kSite` waited for.
  const WaitTotals &result() {
    waits.hostWaitsForDevice(kNext, 0, true);
    return waits.totals().at(kSite);
  }
};

TEST_F(Waits, NothingToWaitFor) {
  wait(kFree);
  EXPECT_EQ(result().executions, 1u);
  EXPECT_EQ(result().withWork, 0u);
}

TEST_F(Waits, NobodyLooks) {
  waits.submit(kFree, {kTarget}, false);
  wait(kFree);
  waits.access(900, 100, true);
  EXPECT_EQ(result().unneeded, 1u);
  EXPECT_EQ(result().movable, 1u);
}

TEST_F(Waits, TargetIsRead) {
  waits.submit(kFree, {kTarget}, false);
  wait(kFree);
  waits.access(1099, 4, false);
  EXPECT_EQ(result().withWork, 1u);
  EXPECT_EQ(result().unneeded, 0u);
}

TEST_F(Waits, SourceMayBeReadButNotStoredTo) {
  waits.submit(kFree, {kSource}, false);
  wait(kFree);
  waits.access(2000, 4, false);
  EXPECT_EQ(result().unneeded, 1u);
  waits.submit(kFree, {kSource}, false);
  wait(kFree);
  waits.access(2000, 4, true);
  EXPECT_EQ(result().unneeded, 1u);
}

TEST_F(Waits, ObserversForbidToMove) {
  waits.submit(kFree, {}, false);
  wait(kFree);
  waits.observe(kGpultoTraceClock);
  EXPECT_EQ(result().unneeded, 1u);
  EXPECT_EQ(result().movable, 0u);
  EXPECT_EQ(result().observed.at(kGpultoTraceClock), 1u);
}

TEST_F(Waits, OutputMattersIfKernelsSpeak) {
  waits.submit(kFree, {}, false);
  wait(kFree);
  waits.observe(kGpultoTraceOutput);
  EXPECT_EQ(result().movable, 1u);
  waits.submit(kFree, {}, true);
  wait(kFree);
  waits.observe(kGpultoTraceOutput);
  EXPECT_EQ(result().movable, 1u);
}

TEST_F(Waits, UseOfTheResultForbidsToMove) {
  waits.submit(kFree, {}, false);
  waits.useNextResult(true);
  wait(kFree);
  EXPECT_EQ(result().unneeded, 1u);
  EXPECT_EQ(result().movable, 0u);
}

TEST_F(Waits, AnotherStreamsWaitEndsNothing) {
  waits.submit(kFree, {kTarget}, false);
  wait(kFree);
  waits.submit(kBlocking, {}, false);
  wait(kBlocking, kNext);
  waits.access(1000, 4, false);
  EXPECT_EQ(result().unneeded, 0u);
}

TEST_F(Waits, LegacyStreamWaitsForBlockingOnes) {
  waits.submit(kBlocking, {}, false);
  waits.submit(kFree, {}, false);
  waits.submit(kLegacy, {}, false);
  wait(kLegacy);
  waits.hostWaitsForStream(kNext, kBlocking, true);
  EXPECT_EQ(waits.totals().at(kNext).withWork, 0u);
  waits.hostWaitsForStream(kNext, kFree, true);
  EXPECT_EQ(waits.totals().at(kNext).withWork, 1u);
}

TEST_F(Waits, EventsCoverWhatWasBeforeThem) {
  int event = 0;
  waits.submit(kFree, {}, false);
  waits.recordEvent(kFree, &event);
  waits.submit(kFree, {kTarget}, false);
  waits.hostWaitsForEvent(kSite, &event, true);
  EXPECT_EQ(waits.totals().at(kSite).withWork, 1u);
  waits.hostWaitsForStream(kNext, kFree, true);
  EXPECT_EQ(waits.totals().at(kNext).withWork, 1u);
}

TEST_F(Waits, StreamsWaitForEvents) {
  int event = 0;
  waits.submit(kFree, {}, false);
  waits.recordEvent(kFree, &event);
  waits.waitEvent(kBlocking, &event);
  wait(kBlocking);
  EXPECT_EQ(waits.totals().at(kSite).withWork, 1u);
}

TEST_F(Waits, TheEndIsSeen) {
  waits.submit(kFree, {}, false);
  wait(kFree);
  EXPECT_EQ(*waits.isWaiting(), 1);
  waits.finish();
  EXPECT_EQ(*waits.isWaiting(), 0);
  EXPECT_EQ(waits.totals().at(kSite).unneeded, 1u);
  EXPECT_EQ(waits.totals().at(kSite).movable, 0u);
}

} // namespace
