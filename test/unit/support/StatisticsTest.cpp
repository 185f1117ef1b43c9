//===- StatisticsTest.cpp - Counters and phases ---------------------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "support/Statistics.h"

#include "support/Subprocess.h"
#include "test/unit/ErrorChecks.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

#include <thread>

using namespace gpulto;

TEST(Statistics, CountsFromManyThreads) {
  Statistics statistics;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (int j = 0; j < 1000; ++j)
        statistics.add("a.count");
      statistics.max("a.most", i * 10);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(statistics.value("a.count"), 4000u);
  EXPECT_EQ(statistics.value("a.most"), 30u);
  EXPECT_EQ(statistics.value("never"), 0u);
}

TEST(Statistics, KeysAreSortedWhateverTheOrder) {
  Statistics one, two;
  one.set("b", 1);
  one.set("a", 2);
  one.note("version", "1\xff");
  two.note("version", "1\xff");
  two.set("a", 2);
  two.set("b", 1);
  EXPECT_EQ(llvm::formatv("{0}", one.toJson()).str(),
            llvm::formatv("{0}", two.toJson()).str());
}

TEST(Statistics, PhasesKeepTheOrderOfTheirFirstRun) {
  Statistics statistics;
  {
    PhaseTimer timer(&statistics, "merge");
  }
  {
    PhaseTimer timer(&statistics, "graph");
  }
  {
    PhaseTimer timer(&statistics, "merge");
    timer.stop();
    timer.stop(); // twice counts once
  }
  {
    PhaseTimer nothing(nullptr, "unseen");
  }
  llvm::json::Value json = statistics.toJson();
  const llvm::json::Array &phases = *json.getAsObject()->getArray("phases");
  ASSERT_EQ(phases.size(), 2u);
  EXPECT_EQ(phases[0].getAsObject()->getString("name"), "merge");
  EXPECT_EQ(phases[0].getAsObject()->getInteger("runs"), 2);
  EXPECT_EQ(phases[1].getAsObject()->getString("name"), "graph");
  EXPECT_GE(*phases[0].getAsObject()->getNumber("wallMs"), 0.0);
}

TEST(Statistics, WritesAFile) {
  ASSERT_VALUE(directory, TempDir::create("gpulto-test"));
  Statistics statistics;
  statistics.set("large", ~0ull);
  statistics.attach("jobs", llvm::json::Array{1, 2});
  ASSERT_OK(statistics.writeJson(directory.file("s.json")));
  auto buffer = llvm::MemoryBuffer::getFile(directory.file("s.json"));
  ASSERT_TRUE(bool(buffer));
  ASSERT_VALUE(json, llvm::json::parse((*buffer)->getBuffer()));
  EXPECT_EQ(json.getAsObject()->getObject("counters")->getInteger("large"),
            INT64_MAX);
  EXPECT_EQ(json.getAsObject()->getArray("jobs")->size(), 2u);
}
