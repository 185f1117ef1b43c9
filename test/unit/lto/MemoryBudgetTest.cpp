//===- MemoryBudgetTest.cpp - What jobs may take at a time ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/run/MemoryBudget.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/Diagnostics.h"
#include "support/Statistics.h"
#include "support/Subprocess.h"

#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <deque>
#include <optional>
#include <thread>
#include <unistd.h>

using namespace gpulto;
using namespace llvm;
using testing::HasSubstr;

namespace {

TEST(MemoryLimit, IsParsed) {
  auto bytes = [](StringRef text) { return parseMemoryLimit(text)->bytes; };
  EXPECT_EQ(bytes("1"), 1u);
  EXPECT_EQ(bytes("4096"), 4096u);
  EXPECT_EQ(bytes("3K"), 3u << 10);
  EXPECT_EQ(bytes("3m"), 3u << 20);
  EXPECT_EQ(bytes("3G"), uint64_t(3) << 30);
  EXPECT_EQ(bytes("3t"), uint64_t(3) << 40);
  EXPECT_EQ(bytes("16777215T"), uint64_t(16777215) << 40);
  EXPECT_EQ(parseMemoryLimit("50%")->freePercent, 50u);
  EXPECT_EQ(parseMemoryLimit("50%")->bytes, 0u);
  EXPECT_EQ(parseMemoryLimit("80%")->freePercent, MemoryLimit().freePercent);
  for (const char *bad :
       {"", "0", "0G", "K", "-1", "1.5G", "4 G", "4GB", "4KK", "0x10", "%",
        "0%", "101%", "-5%", "5%%", "5K%", "16777216T", "18446744073709551616"})
    EXPECT_FALSE(parseMemoryLimit(bad)) << bad;
}

TEST(MemoryLimit, IsDescribed) {
  for (const char *text : {"80%", "3", "5%", "4096", "4K", "3g"})
    EXPECT_EQ(describeLimit(*parseMemoryLimit(text)), text);
  EXPECT_EQ(describeLimit(MemoryLimit()), "80%");
}

LtransJob makeJob(Side side, uint64_t weight, uint64_t bytes) {
  LtransJob job;
  job.side = side;
  job.arch = side == Side::Device ? "sm_90" : "";
  job.weight = weight;
  job.memoryBytes = bytes;
  return job;
}

TEST(MemoryEstimates, AreCorrected) {
  LtransJob large = makeJob(Side::Host, 90, 1000);
  LtransJob small = makeJob(Side::Host, 10, 200);
  LtransJob device = makeJob(Side::Device, 50, 600);
  MemoryEstimates estimates;
  EXPECT_EQ(estimates.estimate(large), 1000u);
  estimates.learn(small, 100);
  EXPECT_EQ(estimates.estimate(small), 100u);
  EXPECT_EQ(estimates.estimate(large), 1000u) << "a small one proves nothing";
  estimates.learn(large, 700);
  EXPECT_EQ(estimates.estimate(small), 140u) << "the worst counts";
  EXPECT_EQ(estimates.estimate(large), 700u);
  EXPECT_EQ(estimates.estimate(device), 600u) << "the other side";
  estimates.learn(small, 500);
  EXPECT_EQ(estimates.estimate(large), 2500u);
  estimates.learn(large, 1);
  EXPECT_EQ(estimates.estimate(large), 2500u);
  estimates.learn(device, 601);
  EXPECT_EQ(estimates.estimate(device), 601u);
}

TEST(MemoryEstimates, NeedSomethingToCompare) {
  LtransJob unknown = makeJob(Side::Host, 1, 0);
  LtransJob known = makeJob(Side::Host, 1, 100);
  MemoryEstimates estimates;
  estimates.learn(unknown, 5);
  estimates.learn(known, 0);
  EXPECT_EQ(estimates.estimate(unknown), 0u);
  EXPECT_EQ(estimates.estimate(known), 100u);
}

/// No process has such a number but on machines with very many.
constexpr pid_t kNobody = 4194000;

/// Jobs that nobody runs: this process stands for all of them.
class Budget : public testing::Test {
protected:
  void SetUp() override {
    Expected<TempDir> made = TempDir::create("budget-test");
    ASSERT_TRUE(bool(made));
    directory = std::move(*made);
    for (uint64_t bytes : {100, 200, 300, 900}) {
      jobs.push_back(makeJob(Side::Host, bytes, bytes));
      jobs.back().index = jobs.size() - 1;
    }
  }
  MemoryBudget make(uint64_t bytes, const std::string &ledger = "",
                    pid_t link = getpid()) {
    return MemoryBudget(
        given.emplace_back(jobs), {.bytes = bytes},
        MemoryLedger(ledger.empty() ? directory.path() : ledger, link),
        &diagnostics);
  }
  /// Makes the budget of another link, which is another process.
  MemoryBudget makeOther(uint64_t bytes) { return make(bytes, "", getppid()); }
  /// Who waits from now on came later, whatever the clock's steps.
  static void passTime() {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  /// A job that has been started.
  struct Started {
    size_t index;
    MemoryBudget::Grant grant;
  };
  /// Starts the next job of \p queue, and takes it from there.
  static std::optional<Started> start(MemoryBudget &budget,
                                      std::vector<size_t> &queue) {
    std::optional<MemoryBudget::Grant> grant = budget.tryGrant(queue);
    if (!grant)
      return std::nullopt;
    Started job = {queue[grant->position], std::move(*grant)};
    queue.erase(queue.begin() + job.grant.position);
    budget.started(job.index, kNobody + job.index, job.grant);
    return job;
  }
  static void end(MemoryBudget &budget, Started &job, uint64_t bytes) {
    job.grant.reservation = MemoryReservation();
    budget.ended(job.index, bytes, /*isTypical=*/true);
  }
  std::string warnings() {
    std::string text;
    raw_string_ostream stream(text);
    diagnostics.print(stream);
    return text;
  }

  TempDir directory;
  Diagnostics diagnostics;
  std::vector<LtransJob> jobs;
  std::deque<GivenJobs> given; // of the budgets that were made
};

TEST_F(Budget, GrantsTheHeaviestThatFits) {
  MemoryBudget budget = make(450);
  std::vector<size_t> queue = {0, 1, 2};
  auto first = start(budget, queue);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->index, 2u);
  auto second = start(budget, queue);
  ASSERT_TRUE(second) << "200 are too much, 100 are not";
  EXPECT_EQ(second->index, 0u);
  EXPECT_FALSE(start(budget, queue));
  end(budget, *second, 100);
  EXPECT_FALSE(start(budget, queue));
  end(budget, *first, 300);
  EXPECT_TRUE(start(budget, queue));
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(budget.use().limitBytes, 450u);
  EXPECT_EQ(budget.use().expectedPeakBytes, 400u);
  EXPECT_EQ(budget.use().peakBytes, 400u);
  EXPECT_EQ(warnings(), "");
}

TEST_F(Budget, RunsAloneWhatIsTooLarge) {
  jobs.push_back(makeJob(Side::Host, 900, 800 << 20));
  jobs.back().index = 4;
  MemoryBudget budget = make(450);
  std::vector<size_t> queue = {0, 3, 4};
  auto large = start(budget, queue);
  ASSERT_TRUE(large);
  EXPECT_EQ(large->index, 4u);
  EXPECT_FALSE(start(budget, queue)) << "nothing beside it";
  end(budget, *large, 0);
  auto next = start(budget, queue);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->index, 3u);
  EXPECT_FALSE(start(budget, queue));
  EXPECT_EQ(budget.use().tooLarge, 2u);
  EXPECT_EQ(
      warnings(),
      "gpulto: warning: LTRANS job 4 (host) is expected to take 800 MiB "
      "of memory, more than the 450 bytes that --gpulto-memory=450 allows; "
      "such jobs run alone\n");
}

TEST_F(Budget, IsSharedWithOtherLinks) {
  MemoryBudget one = make(450), other = make(350);
  std::vector<size_t> queue = {2}, otherQueue = {0, 3};
  auto mine = start(one, queue);
  ASSERT_TRUE(mine);
  EXPECT_FALSE(start(other, otherQueue)) << "300 of its 350 are taken";
  end(one, *mine, 300);
  auto large = start(other, otherQueue);
  ASSERT_TRUE(large);
  EXPECT_EQ(large->index, 3u);
  std::vector<size_t> rest = {1};
  EXPECT_FALSE(start(one, rest)) << "the other link's job runs alone";
  end(other, *large, 900);
  EXPECT_TRUE(start(one, rest));
  EXPECT_EQ(one.use().expectedPeakBytes, 300u);
}

TEST_F(Budget, LetsNobodyPassALinkThatWaits) {
  MemoryBudget large = make(350), small = makeOther(350);
  std::vector<size_t> largeQueue = {2}, smallQueue = {1, 0, 1};
  auto first = start(small, smallQueue), second = start(small, smallQueue);
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(start(large, largeQueue)) << "300 do not fit beside 300";
  passTime();
  end(small, *first, 200);
  EXPECT_FALSE(start(large, largeQueue)) << "nor beside 100";
  EXPECT_FALSE(start(small, smallQueue))
      << "100 and 200 fit, but not beside what the other link waits for";
  end(small, *second, 100);
  EXPECT_FALSE(start(small, smallQueue));
  auto third = start(large, largeQueue);
  ASSERT_TRUE(third);
  EXPECT_EQ(third->index, 2u);
  end(large, *third, 300);
  EXPECT_TRUE(start(small, smallQueue)) << "nobody waits any more";
}

TEST_F(Budget, GrantsWhatFitsBesideAClaim) {
  MemoryBudget one = make(700), other = makeOther(700);
  std::vector<size_t> queue = {2, 3}, otherQueue = {2};
  auto first = start(one, queue);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->index, 3u);
  EXPECT_FALSE(start(other, otherQueue));
  end(one, *first, 0);
  auto second = start(one, queue);
  ASSERT_TRUE(second) << "300 and the 300 that the other waits for";
  EXPECT_TRUE(start(other, otherQueue));
}

TEST_F(Budget, LeavesRoomInTheLimitOfWhoWaits) {
  MemoryBudget large = make(2000), small = makeOther(450);
  std::vector<size_t> queue = {0, 1, 2, 2}, smallQueue = {1};
  auto first = start(large, queue), second = start(large, queue);
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(start(small, smallQueue)) << "600 are above its 450";
  passTime();
  EXPECT_FALSE(start(large, queue)) << "it would wait still longer";
  end(large, *first, 300);
  EXPECT_FALSE(start(large, queue));
  EXPECT_FALSE(start(small, smallQueue)) << "300 and its 200";
  end(large, *second, 300);
  auto third = start(large, queue);
  ASSERT_TRUE(third) << "200 fit beside its 200";
  EXPECT_EQ(third->index, 1u);
  EXPECT_TRUE(start(small, smallQueue));
  EXPECT_TRUE(start(large, queue)) << "nobody waits any more";
}

TEST_F(Budget, ServesFirstWhoWaitsLongest) {
  MemoryBudget running = make(450);
  MemoryBudget early = makeOther(450);
  std::vector<size_t> queue = {3}, earlyQueue = {3}, lateQueue = {0};
  auto first = start(running, queue);
  ASSERT_TRUE(first);
  EXPECT_FALSE(start(early, earlyQueue));
  passTime();
  EXPECT_FALSE(start(running, lateQueue));
  end(running, *first, 900);
  EXPECT_FALSE(start(running, lateQueue)) << "the other one was first";
  auto second = start(early, earlyQueue);
  ASSERT_TRUE(second) << "it is larger than the limit, but alone";
  end(early, *second, 900);
  EXPECT_TRUE(start(running, lateQueue));
}

TEST_F(Budget, KeepsItsTurnForAsLongAsItHasWaited) {
  MemoryBudget large = make(2000), small = makeOther(250);
  std::vector<size_t> queue = {2, 2, 2}, smallQueue = {0, 0, 0, 0};
  auto first = start(large, queue);
  ASSERT_TRUE(first);
  EXPECT_FALSE(start(small, smallQueue)) << "300 are above its 250";
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  end(large, *first, 300);
  auto one = start(small, smallQueue);
  ASSERT_TRUE(one);
  EXPECT_FALSE(start(large, queue)) << "its turn has just begun";
  end(small, *one, 100);
  auto two = start(small, smallQueue);
  ASSERT_TRUE(two);
  end(small, *two, 100);
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  auto three = start(small, smallQueue);
  ASSERT_TRUE(three);
  end(small, *three, 100);
  EXPECT_TRUE(start(large, queue)) << "now it is the other's";
  EXPECT_FALSE(start(small, smallQueue));
}

TEST_F(Budget, CorrectsWhatItExpects) {
  MemoryBudget budget = make(450);
  std::vector<size_t> queue = {0, 1};
  auto first = start(budget, queue);
  ASSERT_TRUE(first);
  end(budget, *first, 800); // four times as much
  std::vector<size_t> rest = {0, 0};
  auto second = start(budget, rest);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->grant.bytes, 400u);
  EXPECT_FALSE(start(budget, rest)) << "two of them would fit uncorrected";
}

TEST_F(Budget, LearnsNothingFromWhatIsNotTypical) {
  MemoryBudget budget = make(450);
  std::vector<size_t> queue = {2};
  auto first = start(budget, queue);
  ASSERT_TRUE(first);
  first->grant.reservation = MemoryReservation();
  budget.ended(first->index, 3, /*isTypical=*/false);
  std::vector<size_t> rest = {2};
  auto second = start(budget, rest);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->grant.bytes, 300u);
}

TEST_F(Budget, GoesOnWithoutALedger) {
  MemoryBudget budget = make(350, directory.file("nowhere"));
  std::vector<size_t> queue = {1, 2};
  auto first = start(budget, queue);
  ASSERT_TRUE(first);
  EXPECT_FALSE(start(budget, queue)) << "its own jobs count";
  end(budget, *first, 300);
  EXPECT_TRUE(start(budget, queue));
  EXPECT_THAT(warnings(), HasSubstr("links that run at the same time are not "
                                    "counted"));
}

TEST_F(Budget, TakesAShareOfWhatIsFree) {
  for (LtransJob &job : jobs)
    job.memoryBytes = uint64_t(1) << 60; // more than any machine has
  MemoryBudget budget(given.emplace_back(jobs), MemoryLimit(),
                      MemoryLedger(directory.path()), &diagnostics);
  std::vector<size_t> queue = {0, 1};
  auto first = start(budget, queue);
  ASSERT_TRUE(first);
  EXPECT_FALSE(start(budget, queue));
  EXPECT_GT(budget.use().limitBytes, 0u);
  EXPECT_THAT(warnings(), HasSubstr("--gpulto-memory=80% allows"));
}

TEST_F(Budget, IsCounted) {
  Statistics statistics;
  countMemory({.limitBytes = 5,
               .expectedPeakBytes = 4,
               .peakBytes = 3,
               .waitSeconds = 2,
               .tooLarge = 1},
              statistics);
  EXPECT_EQ(statistics.value("memory-limit-bytes"), 5u);
  EXPECT_EQ(statistics.value("memory-expected-peak-bytes"), 4u);
  EXPECT_EQ(statistics.value("memory-peak-bytes"), 3u);
  EXPECT_EQ(statistics.value("memory-wait-ms"), 2000u);
  EXPECT_EQ(statistics.value("memory-jobs-alone"), 1u);
}

} // namespace
