//===- SchedulerTest.cpp - Run LTRANS jobs in forked processes ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/run/Scheduler.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lto/job/JobPhases.h"
#include "lto/job/JobResults.h"
#include "support/Diagnostics.h"
#include "support/Error.h"
#include "support/Subprocess.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <map>
#include <memory>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace gpulto;
using namespace llvm;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

namespace {

/// What the children tell, in memory that they share with the test.
struct Record {
  std::atomic<int> running;
  std::atomic<int> mostRunning;
  std::atomic<int> started;
  std::atomic<int> order[64];
  std::atomic<uint64_t> memory, mostMemory;
};

class SchedulerTest : public testing::Test {
protected:
  void SetUp() override {
    unsetenv("MAKEFLAGS");
    void *shared = mmap(nullptr, sizeof(Record), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(shared, MAP_FAILED);
    record = new (shared) Record();
    Expected<TempDir> made = TempDir::create("scheduler-test");
    ASSERT_TRUE(static_cast<bool>(made));
    directory = std::move(*made);
    options.outputDirectory = directory.path();
    options.memoryLedger = directory.path(); // not the links of this machine
    options.run = [this](const LtransJob &job, const std::string &,
                         const std::string &) { return work(job); };
  }
  void TearDown() override { munmap(record, sizeof(Record)); }

  Error work(const LtransJob &job) {
    record->order[record->started++] = job.index;
    int now = ++record->running;
    uint64_t memory = record->memory += job.memoryBytes;
    for (int most = record->mostRunning;
         now > most && !record->mostRunning.compare_exchange_weak(most, now);)
      ;
    for (uint64_t most = record->mostMemory;
         memory > most &&
         !record->mostMemory.compare_exchange_weak(most, memory);)
      ;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    record->memory -= job.memoryBytes;
    --record->running;
    return Error::success();
  }

  static std::vector<LtransJob> makeJobs(unsigned count) {
    std::vector<LtransJob> jobs(count);
    for (unsigned i = 0; i < count; ++i)
      jobs[i].index = i;
    return jobs;
  }

  /// What a job has at least after takeMemory().
  static constexpr uint64_t kTaken = 48 << 20;
  /// From now on each job takes memory.
  void takeMemory() {
    options.run = [this](const LtransJob &job, const std::string &,
                         const std::string &) {
      std::vector<char> bytes(kTaken + kTaken / 8, 1);
      Error error = work(job);
      static_cast<volatile char &>(bytes.back()) = 2; // it is needed
      return error;
    };
  }

  Record *record = nullptr;
  TempDir directory;
  LinkOptions user;
  SchedulerOptions options{user};
};

/// A pipe with tokens, as make gives it to its children.
class Jobserver {
public:
  explicit Jobserver(unsigned tokens) : tokens(tokens) {
    EXPECT_EQ(pipe(ends), 0);
    std::string bytes(tokens, '+');
    EXPECT_EQ(write(ends[1], bytes.data(), tokens), ssize_t(tokens));
    setenv("MAKEFLAGS",
           (" -j --jobserver-auth=" + std::to_string(ends[0]) + "," +
            std::to_string(ends[1]))
               .c_str(),
           1);
  }
  ~Jobserver() {
    unsetenv("MAKEFLAGS");
    close(ends[0]);
    close(ends[1]);
  }
  /// Returns the number of tokens that lie in the pipe.
  unsigned count() {
    char buffer[256];
    int flags = fcntl(ends[0], F_GETFL);
    fcntl(ends[0], F_SETFL, flags | O_NONBLOCK);
    ssize_t got = read(ends[0], buffer, sizeof(buffer));
    fcntl(ends[0], F_SETFL, flags);
    return got < 0 ? 0 : got;
  }
  unsigned tokens;

private:
  int ends[2];
};

TEST_F(SchedulerTest, RunsAllJobsHeaviestFirst) {
  std::vector<LtransJob> jobs = makeJobs(5);
  const unsigned weights[] = {3, 9, 1, 9, 5};
  for (auto [index, weight] : enumerate(weights))
    jobs[index].weight = weight;
  user.jobs = 1;
  unsigned last = 0, calls = 0;
  options.progress = [&](const JobProgress &jobs) {
    EXPECT_LE(jobs.running, 1u);
    EXPECT_EQ(jobs.total, 5u);
    EXPECT_FALSE(jobs.waitsForMemory);
    last = jobs.done;
    ++calls;
  };
  auto statistics = runJobs(GivenJobs(jobs), options);
  ASSERT_TRUE(static_cast<bool>(statistics));
  EXPECT_EQ(last, 5u);
  EXPECT_EQ(calls, 11u);
  std::vector<int> order(record->order, record->order + 5);
  EXPECT_EQ(order, (std::vector<int>{1, 3, 4, 0, 2}));
  ASSERT_EQ(statistics->size(), 5u);
  for (const JobStatistics &job : *statistics) {
    EXPECT_GT(job.wallSeconds, 0.01);
    EXPECT_GT(job.peakMemoryBytes, 0u);
  }
}

TEST_F(SchedulerTest, NeverRunsMoreThanItHoldsTokens) {
  for (unsigned tokens : {0u, 1u, 3u}) {
    record->mostRunning = 0;
    record->started = 0;
    Jobserver server(tokens);
    auto statistics = runJobs(GivenJobs(makeJobs(12)), options);
    ASSERT_TRUE(static_cast<bool>(statistics));
    EXPECT_EQ(record->started, 12);
    EXPECT_LE(record->mostRunning, int(tokens) + 1);
    EXPECT_EQ(server.count(), tokens) << "tokens were lost or made";
  }
}

TEST_F(SchedulerTest, LimitsJobs) {
  user.jobs = 3;
  ASSERT_TRUE(static_cast<bool>(runJobs(GivenJobs(makeJobs(9)), options)));
  EXPECT_EQ(record->started, 9);
  EXPECT_LE(record->mostRunning, 3);
}

TEST_F(SchedulerTest, SkipsJobsAndTellsOfTheOthers) {
  options.skip.resize(5);
  options.skip.set(1);
  options.skip.set(4);
  std::map<size_t, std::string> ended;
  options.run = [](const LtransJob &job, const std::string &,
                   const std::string &) -> Error {
    if (job.index == 2)
      errs() << "careful\n";
    return Error::success();
  };
  options.finished = [&](size_t index, StringRef messages) {
    ended[index] = messages.str();
  };
  unsigned mostDone = 0;
  options.progress = [&](const JobProgress &jobs) {
    EXPECT_GE(jobs.done, 2u); // the skipped ones
    EXPECT_EQ(jobs.total, 5u);
    mostDone = std::max(mostDone, jobs.done);
  };
  ASSERT_TRUE(static_cast<bool>(runJobs(GivenJobs(makeJobs(5)), options)));
  EXPECT_THAT(ended, ElementsAre(Pair(0, ""), Pair(2, "careful"), Pair(3, "")));
  EXPECT_EQ(mostDone, 5u);
}

TEST_F(SchedulerTest, ReturnsTokensAfterAFailure) {
  Jobserver server(4);
  options.run = [&](const LtransJob &job, const std::string &,
                    const std::string &) -> Error {
    if (job.index == 2)
      return makeError("job two went wrong");
    std::this_thread::sleep_for(std::chrono::seconds(60));
    return Error::success();
  };
  auto start = std::chrono::steady_clock::now();
  auto statistics = runJobs(GivenJobs(makeJobs(20)), options);
  ASSERT_FALSE(static_cast<bool>(statistics));
  EXPECT_EQ(toString(statistics.takeError()), "job two went wrong");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  EXPECT_EQ(server.count(), 4u);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a child was not reaped";
}

TEST_F(SchedulerTest, ReportsADeadChild) {
  options.run = [](const LtransJob &, const std::string &,
                   const std::string &) -> Error {
    errs() << "last words";
    raise(SIGKILL);
    return Error::success();
  };
  auto statistics = runJobs(GivenJobs(makeJobs(1)), options);
  ASSERT_FALSE(static_cast<bool>(statistics));
  std::string text = toString(statistics.takeError());
  EXPECT_THAT(text, HasSubstr("LTRANS job 0 (host) killed by SIGKILL"));
  EXPECT_THAT(text, HasSubstr("last words"));
  EXPECT_THAT(text, HasSubstr("--gpulto-save-link=DIR"));
}

TEST_F(SchedulerTest, AJobEndsByABrokenPipe) {
  options.run = [](const LtransJob &, const std::string &,
                   const std::string &) -> Error {
    raise(SIGPIPE);
    return Error::success();
  };
  pid_t link = fork();
  if (link == 0) { // LLVM's handlers stay
    sys::SetOneShotPipeSignalFunction(sys::DefaultOneShotPipeSignalHandler);
    auto statistics = runJobs(GivenJobs(makeJobs(1)), options);
    std::string text =
        statistics ? "nothing" : toString(statistics.takeError());
    bool isSaid = StringRef(text).contains("(host) killed by SIGPIPE");
    if (!isSaid)
      errs() << text << '\n';
    _exit(!isSaid);
  }
  int status = 0;
  ASSERT_EQ(waitpid(link, &status, 0), link);
  EXPECT_EQ(status, 0);
}

TEST_F(SchedulerTest, AJobRunsNoExitHandlers) {
  static std::atomic<int> *ended = nullptr;
  ended = &record->started;
  std::atexit([] {
    if (ended)
      ++*ended;
  });
  options.run = [](const LtransJob &, const std::string &,
                   const std::string &) -> Error { exit(3); };
  auto statistics = runJobs(GivenJobs(makeJobs(1)), options);
  ASSERT_FALSE(static_cast<bool>(statistics));
  EXPECT_THAT(toString(statistics.takeError()), HasSubstr("LTRANS job 0"));
  EXPECT_EQ(*ended, 0);
  ended = nullptr;
}

TEST_F(SchedulerTest, SaysWhatADeadChildWasDoing) {
  options.run = [](const LtransJob &, const std::string &,
                   const std::string &) -> Error {
    errs() << "\1reading its inputs\n" << "a warning\n" << "cut\1optimizing\n";
    raise(SIGSEGV);
    return Error::success();
  };
  user.saveLinkDirectory = "saved link";
  std::vector<LtransJob> jobs = makeJobs(1);
  for (const char *path : {"a.o", "b.o", "c.o", "d.o"}) {
    JobInput input;
    input.path = path;
    jobs[0].inputs.push_back(input);
  }
  auto statistics = runJobs(GivenJobs(jobs), options);
  ASSERT_FALSE(static_cast<bool>(statistics));
  std::string text = toString(statistics.takeError());
  EXPECT_THAT(text, HasSubstr("LTRANS job 0 (host: a.o, b.o, c.o and 1 more) "
                              "killed by SIGSEGV while optimizing"));
  EXPECT_THAT(text, HasSubstr("a warning\ncut"));
  EXPECT_THAT(text,
              HasSubstr("cd 'saved link' && gpulto ltrans 0.job.json -o out"));
  EXPECT_EQ(text.find('\1'), std::string::npos);
}

TEST_F(SchedulerTest, PassesLongMessages) {
  options.run = [](const LtransJob &, const std::string &,
                   const std::string &) -> Error {
    return makeError(std::string(1 << 20, 'x'));
  };
  auto statistics = runJobs(GivenJobs(makeJobs(1)), options);
  ASSERT_FALSE(static_cast<bool>(statistics));
  EXPECT_EQ(toString(statistics.takeError()).size(), size_t(1) << 20);
}

TEST_F(SchedulerTest, BoundsMemory) {
  std::vector<LtransJob> jobs = makeJobs(10);
  for (auto [index, job] : enumerate(jobs))
    job.memoryBytes = index == 4 ? 5000 : 100;
  user.jobs = 8;
  user.memory.bytes = 300;
  ASSERT_TRUE(static_cast<bool>(runJobs(GivenJobs(jobs), options)));
  EXPECT_EQ(record->started, 10);
  EXPECT_LE(record->mostMemory, 5000u); // alone, but not left out
  record->mostMemory = 0;
  jobs[4].memoryBytes = 100;
  ASSERT_TRUE(static_cast<bool>(runJobs(GivenJobs(jobs), options)));
  EXPECT_LE(record->mostMemory, 300u);
}

TEST_F(SchedulerTest, NeverOverlapsWhatDoesNotFitTogether) {
  std::vector<LtransJob> jobs = makeJobs(6);
  for (LtransJob &job : jobs)
    job.memoryBytes = kTaken * 3 / 4; // what they take does not fit either
  takeMemory();
  user.jobs = 4;
  user.memory.bytes = kTaken * 5 / 4;
  JobMemoryUse use;
  options.memoryUse = &use;
  unsigned waits = 0;
  options.progress = [&](const JobProgress &jobs) {
    waits += jobs.waitsForMemory;
  };
  ASSERT_TRUE(static_cast<bool>(runJobs(GivenJobs(jobs), options)));
  EXPECT_GT(waits, 0u);
  EXPECT_EQ(record->started, 6);
  EXPECT_EQ(record->mostRunning, 1);
  EXPECT_EQ(use.limitBytes, user.memory.bytes);
  EXPECT_GE(use.peakBytes, kTaken);
  EXPECT_GT(use.waitSeconds, 0);
}

TEST_F(SchedulerTest, LearnsWhatJobsTake) {
  std::vector<LtransJob> jobs = makeJobs(3);
  for (LtransJob &job : jobs)
    job.memoryBytes = kTaken / 8;
  takeMemory();
  user.jobs = 1;
  auto statistics = runJobs(GivenJobs(jobs), options);
  ASSERT_TRUE(static_cast<bool>(statistics));
  EXPECT_EQ(statistics->front().expectedMemoryBytes, kTaken / 8);
  for (const JobStatistics &job : ArrayRef(*statistics).drop_front())
    EXPECT_GE(job.expectedMemoryBytes, kTaken);
  for (const JobStatistics &job : *statistics)
    EXPECT_GE(job.takenMemoryBytes, kTaken);
}

TEST_F(SchedulerTest, LearnsNothingFromResultsThatWereThere) {
  options.run = [](const LtransJob &, const std::string &,
                   const std::string &) -> Error {
    sendPhase(kReadInputsPhase);
    return Error::success();
  };
  std::vector<LtransJob> jobs = makeJobs(2);
  for (LtransJob &job : jobs)
    job.memoryBytes = kTaken;
  user.jobs = 1;
  auto statistics = runJobs(GivenJobs(jobs), options);
  ASSERT_TRUE(static_cast<bool>(statistics));
  EXPECT_EQ(statistics->back().expectedMemoryBytes, kTaken);
}

TEST_F(SchedulerTest, SharesMemoryWithOtherLinks) {
  std::vector<LtransJob> jobs = makeJobs(5);
  for (LtransJob &job : jobs) {
    job.memoryBytes = kTaken * 3 / 4;
    job.weight = 1;
  }
  jobs[2].memoryBytes = kTaken * 4; // too large, the last one
  jobs[2].weight = 0;
  takeMemory();
  user.jobs = 3;
  user.memory.bytes = kTaken * 5 / 4;
  pid_t links[3];
  for (pid_t &link : links) {
    link = fork();
    if (link == 0) {
      auto statistics = runJobs(GivenJobs(jobs), options);
      _exit(statistics ? 0 : 1);
    }
  }
  for (pid_t link : links) {
    int status = -1;
    ASSERT_EQ(waitpid(link, &status, 0), link);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(record->started, 15);
  EXPECT_EQ(record->mostRunning, 1);
}

TEST_F(SchedulerTest, WaitsForNoLinkThatWasKilled) {
  user.memory.bytes = 1;
  options.run = [this](const LtransJob &, const std::string &,
                       const std::string &) -> Error {
    if (++record->started == 1)
      std::this_thread::sleep_for(std::chrono::seconds(600));
    return Error::success();
  };
  pid_t link = fork();
  if (link == 0) {
    auto ignored = runJobs(GivenJobs(makeJobs(1)), options);
    consumeError(ignored.takeError());
    _exit(0);
  }
  for (int i = 0; i < 6000 && record->started < 1; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ASSERT_EQ(record->started, 1);
  kill(link, SIGKILL);
  ASSERT_EQ(waitpid(link, nullptr, 0), link);
  ASSERT_TRUE(static_cast<bool>(runJobs(GivenJobs(makeJobs(2)), options)));
  EXPECT_EQ(record->started, 3);
}

TEST_F(SchedulerTest, WarnsOnceOfJobsThatAreTooLarge) {
  std::vector<LtransJob> jobs = makeJobs(3);
  for (LtransJob &job : jobs)
    job.memoryBytes = uint64_t(200) << 20;
  Diagnostics diagnostics;
  options.diagnostics = &diagnostics;
  user.memory.bytes = 1 << 20;
  ASSERT_TRUE(static_cast<bool>(runJobs(GivenJobs(jobs), options)));
  EXPECT_EQ(record->mostRunning, 1);
  std::string text;
  raw_string_ostream stream(text);
  diagnostics.print(stream);
  EXPECT_EQ(text, "gpulto: warning: LTRANS job 0 (host) is expected to take "
                  "200 MiB of memory, more than the 1 MiB that "
                  "--gpulto-memory=1048576 allows; such jobs run alone\n");
}

TEST_F(SchedulerTest, EndsChildrenOnASignal) {
  options.run = [this](const LtransJob &, const std::string &,
                       const std::string &) -> Error {
    ++record->started;
    std::this_thread::sleep_for(std::chrono::seconds(60));
    return Error::success();
  };
  user.jobs = 2;
  pid_t link = fork();
  if (link == 0) {
    auto ignored = runJobs(GivenJobs(makeJobs(2)), options);
    consumeError(ignored.takeError());
    _exit(0);
  }
  for (int i = 0; i < 500 && record->started < 2; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ASSERT_EQ(record->started, 2);
  kill(link, SIGINT);
  int status = 0;
  ASSERT_EQ(waitpid(link, &status, 0), link);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
}

TEST_F(SchedulerTest, AcceptsNoJobs) {
  auto statistics = runJobs(GivenJobs({}), options);
  ASSERT_TRUE(static_cast<bool>(statistics));
  EXPECT_TRUE(statistics->empty());
}

} // namespace
