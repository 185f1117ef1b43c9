//===- FatalSignalsTest.cpp - Ends by signals -----------------------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "support/FatalSignals.h"

#include "gtest/gtest.h"

#include <csignal>
#include <unistd.h>

using namespace gpulto;

namespace {

/// A handler that waits for ever, as LLVM's does, which allocates memory, after
/// a fault of malloc. LLVM's stops the alarm, too.
void waitForEver(int) {
  alarm(0);
  while (true)
    pause();
}

/// Gets \p number after such a handler was there first.
void getSignal(int number) {
  signal(number, waitForEver);
  callOnFatalSignal([] {});
  raise(number);
}

/// The statement runs in a new process, where our handlers are not set yet.
class FatalSignals : public testing::Test {
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(FatalSignals, HandlerOfOthersMayNotHang) {
  EXPECT_EXIT(getSignal(SIGSEGV), testing::KilledBySignal(SIGSEGV), "");
}

} // namespace
