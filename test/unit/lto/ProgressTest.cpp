//===- ProgressTest.cpp - Progress of a long link -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/link/Progress.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace gpulto;
using namespace testing;

namespace {

JobProgress someJobs() {
  return {.done = 3,
          .running = 2,
          .total = 40,
          .memoryBytes = uint64_t(3) << 29,
          .oldestSeconds = 35.2,
          .oldestName = [] { return "LTRANS job 7 (sm_90: a.o)"; },
          .secondsLeft = 130};
}

TEST(ProgressTest, DescribesJobs) {
  EXPECT_EQ(describeProgress("LTRANS", someJobs()),
            "LTRANS 3/40, 2 running in 1.5 GiB, longest for 35 s: LTRANS job 7 "
            "(sm_90: a.o), about 2 min left");
  EXPECT_EQ(describeProgress("LTRANS", {.total = 4, .waitsForMemory = true}),
            "LTRANS 0/4, 0 running, waits for memory");
  JobProgress jobs = someJobs();
  jobs.secondsLeft = 2 * 3600 + 300;
  EXPECT_THAT(describeProgress("LTRANS", jobs),
              HasSubstr("about 2 h 5 min left"));
}

TEST(ProgressTest, SaysNothingInLogsOfLinksThatEndSoon) {
  internal::CaptureStderr();
  {
    Progress progress(ProgressMode::Auto, "/there/app");
    progress.begin("LTRANS");
    progress.show(someJobs());
  }
  EXPECT_EQ(internal::GetCapturedStderr(), "");
}

TEST(ProgressTest, WritesLinesToLogs) {
  internal::CaptureStderr();
  {
    Progress progress(ProgressMode::Auto, "/there/app",
                      std::chrono::milliseconds(0));
    progress.begin("WPA");
    progress.begin("LTRANS");
    progress.show({.done = 1, .total = 2});
  }
  EXPECT_EQ(internal::GetCapturedStderr(),
            "app: WPA (0 s)\napp: LTRANS (0 s)\n"
            "app: LTRANS 1/2, 0 running (0 s)\n");
}

TEST(ProgressTest, RewritesItsLineOnATerminal) {
  internal::CaptureStderr();
  {
    Progress progress(ProgressMode::On, "app");
    progress.begin("WPA");
    progress.show({.total = 2});
    progress.begin("end");
  }
  EXPECT_EQ(internal::GetCapturedStderr(),
            "\rapp: WPA\rapp: WPA 0/2, 0 running\rapp: end" +
                std::string(15, ' ') + "\r" + std::string(8, ' ') + "\r");
}

TEST(ProgressTest, IsSilentWhereAsked) {
  internal::CaptureStderr();
  {
    Progress progress(ProgressMode::Off, "app", std::chrono::milliseconds(0));
    progress.begin("WPA");
    progress.show(someJobs());
  }
  EXPECT_EQ(internal::GetCapturedStderr(), "");
}

} // namespace
