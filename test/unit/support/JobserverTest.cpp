//===- JobserverTest.cpp - Against recording servers and real make --------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "support/Jobserver.h"

#include "support/Subprocess.h"
#include "test/unit/ErrorChecks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace gpulto;
using namespace std::chrono_literals;
using test::messageOf;

namespace {

/// A jobserver whose tokens are different bytes, so that each can be followed.
class Server {
public:
  static constexpr llvm::StringLiteral kTokens = "ABCDE";

  explicit Server(bool fifo, llvm::StringRef tokens = kTokens) {
    if (fifo) {
      directory = llvm::cantFail(TempDir::create("gpulto-test"));
      path = directory.file("fifo");
      EXPECT_EQ(mkfifo(path.c_str(), 0600), 0);
      ends[0] = ends[1] = open(path.c_str(), O_RDWR);
    } else {
      EXPECT_EQ(pipe(ends), 0);
      // High numbers, which a make that runs this test does not use.
      for (int &end : ends) {
        int moved = fcntl(end, F_DUPFD, 500);
        close(end);
        end = moved;
      }
    }
    EXPECT_EQ(write(ends[1], tokens.data(), tokens.size()),
              static_cast<ssize_t>(tokens.size()));
  }
  ~Server() {
    close(ends[0]);
    if (ends[1] != ends[0])
      close(ends[1]);
  }

  std::string flags(const char *option = "--jobserver-auth=") const {
    return std::string(" -j6 ") + option +
           (path.empty()
                ? std::to_string(ends[0]) + "," + std::to_string(ends[1])
                : "fifo:" + path);
  }

  /// Takes out what lies there, sorted, and puts it back.
  std::string tokens() {
    int old = fcntl(ends[0], F_GETFL);
    fcntl(ends[0], F_SETFL, old | O_NONBLOCK);
    char buffer[64];
    ssize_t size = read(ends[0], buffer, sizeof(buffer));
    fcntl(ends[0], F_SETFL, old);
    std::string result(buffer, size > 0 ? static_cast<size_t>(size) : 0);
    EXPECT_EQ(write(ends[1], result.data(), result.size()),
              static_cast<ssize_t>(result.size()));
    std::sort(result.begin(), result.end());
    return result;
  }

  std::string path;
  TempDir directory;
  int ends[2] = {-1, -1};
};

std::unique_ptr<JobserverClient>
connect(const Server &server, JobserverMode mode = JobserverMode::Strict) {
  JobserverConnection connection =
      JobserverClient::fromMakeflags(server.flags(), mode);
  EXPECT_EQ(connection.status, JobserverStatus::Connected) << connection.detail;
  return std::move(connection.client);
}

JobserverStatus statusOf(const std::string &flags) {
  return JobserverClient::fromMakeflags(flags, JobserverMode::Strict).status;
}

/// Whether a child died of \p signal. A sanitizer's own handler, to which ours
/// hands faults on, ends it by exit().
bool diedOf(int signal, int status) {
  constexpr int kOurs[] = {0, 8, 9}; // what the child itself would say
  if (signal == SIGSEGV && WIFEXITED(status))
    return llvm::find(kOurs, WEXITSTATUS(status)) == std::end(kOurs);
  return WIFSIGNALED(status) && WTERMSIG(status) == signal;
}

/// Whether this process was started with \p signal ignored (nohup).
bool isIgnored(int signal) {
  struct sigaction action = {};
  sigaction(signal, nullptr, &action);
  return !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_IGN;
}

class JobserverForms : public testing::TestWithParam<bool> {};

} // namespace

INSTANTIATE_TEST_SUITE_P(PipeAndFifo, JobserverForms, testing::Bool(),
                         [](const auto &info) {
                           return info.param ? "Fifo" : "Pipe";
                         });

TEST_P(JobserverForms, FirstSlotIsImplicitThenTokens) {
  Server server(GetParam());
  auto client = connect(server);
  ASSERT_TRUE(client);
  std::vector<JobSlot> slots;
  slots.push_back(client->tryAcquire());
  EXPECT_TRUE(slots.back().isImplicit());
  EXPECT_EQ(client->heldTokens(), 0u);
  EXPECT_EQ(server.tokens(), Server::kTokens);
  for (size_t i = 0; i < Server::kTokens.size(); ++i) {
    slots.push_back(client->tryAcquire());
    EXPECT_TRUE(slots.back().isExplicit());
  }
  EXPECT_EQ(client->heldTokens(), 5u);
  EXPECT_EQ(server.tokens(), "");
  JobSlot none = client->tryAcquire();
  EXPECT_FALSE(none.isValid());
  slots.clear();
  EXPECT_EQ(client->heldTokens(), 0u);
  EXPECT_EQ(server.tokens(), Server::kTokens);
  EXPECT_TRUE(client->tryAcquire().isImplicit());
}

TEST_P(JobserverForms, WritesBackTheByteItRead) {
  Server server(GetParam());
  auto client = connect(server);
  JobSlot implicit = client->tryAcquire();
  JobSlot first = client->tryAcquire();
  JobSlot second = client->tryAcquire();
  EXPECT_EQ(server.tokens(), "CDE");
  second.release();
  EXPECT_EQ(server.tokens(), "BCDE");
  second.release(); // a second time does nothing
  EXPECT_EQ(server.tokens(), "BCDE");
  first.release();
  EXPECT_EQ(server.tokens(), "ABCDE");
}

TEST_P(JobserverForms, SlotsMove) {
  Server server(GetParam());
  auto client = connect(server);
  JobSlot implicit = client->tryAcquire();
  JobSlot token = client->tryAcquire();
  JobSlot moved = std::move(token);
  // NOLINTNEXTLINE(bugprone-use-after-move): that it is empty
  EXPECT_FALSE(token.isValid());
  EXPECT_TRUE(moved.isExplicit());
  EXPECT_EQ(server.tokens(), "BCDE");
  moved = client->tryAcquire(); // the old one goes back
  EXPECT_EQ(server.tokens(), "ACDE");
  moved = JobSlot();
  EXPECT_EQ(server.tokens(), "ABCDE");
}

TEST_P(JobserverForms, NeverTouchesTheSharedDescription) {
  Server server(GetParam());
  int before = fcntl(server.ends[0], F_GETFL);
  {
    auto client = connect(server);
    JobSlot implicit = client->tryAcquire();
    while (JobSlot slot = client->tryAcquire()) {
      EXPECT_EQ(fcntl(server.ends[0], F_GETFL), before);
      implicit = std::move(slot);
      if (client->heldTokens() > 0)
        break;
    }
  }
  EXPECT_EQ(fcntl(server.ends[0], F_GETFL), before);
  EXPECT_EQ(before & O_NONBLOCK, 0);
  EXPECT_EQ(server.tokens(), Server::kTokens);
}

TEST_P(JobserverForms, WaitsNoLongerThanAsked) {
  Server server(GetParam(), "");
  auto client = connect(server);
  JobSlot implicit = client->acquire(0ms);
  EXPECT_TRUE(implicit.isImplicit());
  auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(client->acquire(50ms).isValid());
  auto waited = std::chrono::steady_clock::now() - start;
  EXPECT_GE(waited, 49ms);
  EXPECT_LT(waited, 5s);
}

TEST_P(JobserverForms, WakesUpForATokenAndForTheImplicitSlot) {
  Server server(GetParam(), "");
  auto client = connect(server);
  JobSlot implicit = client->tryAcquire();
  std::thread giver([&] {
    std::this_thread::sleep_for(30ms);
    EXPECT_EQ(write(server.ends[1], "x", 1), 1);
  });
  JobSlot token = client->acquire(20s);
  giver.join();
  EXPECT_TRUE(token.isExplicit());
  std::thread freer([&] {
    std::this_thread::sleep_for(30ms);
    implicit.release();
  });
  JobSlot again = client->acquire(20s);
  freer.join();
  EXPECT_TRUE(again.isImplicit());
}

TEST_P(JobserverForms, NeverMoreThanTheTokens) {
  Server server(GetParam());
  // Two clients, as two links under one make; each has its implicit slot.
  auto one = connect(server), two = connect(server);
  std::atomic<int> running = 0, most = 0, jobs = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      JobserverClient &client = i % 2 ? *one : *two;
      for (int job = 0; job < 300; ++job) {
        JobSlot slot = client.acquire(60s);
        EXPECT_TRUE(slot.isValid());
        int now = ++running;
        int seen = most.load();
        while (now > seen && !most.compare_exchange_weak(seen, now))
          ;
        std::this_thread::yield();
        ++jobs;
        --running;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(jobs.load(), 8 * 300);
  EXPECT_LE(most.load(), 5 + 2);
  EXPECT_EQ(server.tokens(), Server::kTokens);
}

TEST_P(JobserverForms, ForkedChildrenKeepTheirHandsOff) {
  Server server(GetParam());
  auto client = connect(server);
  JobSlot implicit = client->tryAcquire();
  JobSlot token = client->tryAcquire();
  pid_t child = fork();
  if (child == 0) {
    token.release();
    JobserverClient::releaseAllHeldTokens();
    raise(SIGTERM); // its handler must not return our token either
    _exit(9);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  EXPECT_EQ(server.tokens(), "BCDE");
  token.release();
  EXPECT_EQ(server.tokens(), "ABCDE");
}

TEST_P(JobserverForms, SignalsReturnAllTokens) {
  Server server(GetParam());
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGABRT, SIGSEGV}) {
    if (isIgnored(signal))
      continue;
    pid_t child = fork();
    if (child == 0) {
      auto client = connect(server);
      JobSlot slots[4];
      for (JobSlot &slot : slots)
        slot = client->tryAcquire();
      if (client->heldTokens() != 3 || server.tokens().size() != 2)
        _exit(9);
      raise(signal);
      _exit(8);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(diedOf(signal, status)) << signal << " " << status;
    EXPECT_EQ(server.tokens(), Server::kTokens) << signal;
  }
}

TEST_P(JobserverForms, ExitWithoutDestructorsCanReturnTokens) {
  Server server(GetParam());
  pid_t child = fork();
  if (child == 0) {
    auto client = connect(server);
    JobSlot slots[4];
    for (JobSlot &slot : slots)
      slot = client->tryAcquire();
    JobserverClient::releaseAllHeldTokens();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(server.tokens(), Server::kTokens);
}

//===----------------------------------------------------------------------===//
// MAKEFLAGS
//===----------------------------------------------------------------------===//

TEST(Jobserver, NoneIsNamed) {
  for (const char *flags :
       {"", "k", "-j4", " -j --other", "--jobserver-auth=-2,-2",
        "-- --jobserver-auth=3,4", "rR -- A=--jobserver-fds=3,4"})
    EXPECT_EQ(statusOf(flags), JobserverStatus::None) << flags;
  Server server(false);
  JobserverConnection off =
      JobserverClient::fromMakeflags(server.flags(), JobserverMode::Off);
  EXPECT_EQ(off.status, JobserverStatus::None);
  EXPECT_FALSE(off.client);
}

TEST(Jobserver, OldSpellingAndLastOneCounts) {
  Server server(false);
  EXPECT_EQ(statusOf(server.flags("--jobserver-fds=")),
            JobserverStatus::Connected);
  EXPECT_EQ(statusOf("--jobserver-auth=980,981" + server.flags()),
            JobserverStatus::Connected);
  EXPECT_EQ(statusOf(server.flags() + " --jobserver-auth=980,981"),
            JobserverStatus::Unreachable);
  EXPECT_EQ(statusOf(server.flags() + " -- X=1"), JobserverStatus::Connected);
}

TEST(Jobserver, WhatCannotBeUsedIsSaid) {
  for (const char *flags :
       {"--jobserver-auth=980,981", "--jobserver-auth=fifo:/no/such/fifo",
        "--jobserver-auth=fifo:/dev/null", "--jobserver-auth=sem:abc",
        "--jobserver-auth=", "--jobserver-auth=3", "--jobserver-auth=a,b",
        "--jobserver-auth=99999999999,1"}) {
    JobserverConnection connection =
        JobserverClient::fromMakeflags(flags, JobserverMode::Strict);
    EXPECT_EQ(connection.status, JobserverStatus::Unreachable) << flags;
    EXPECT_NE(connection.detail, "") << flags;
    EXPECT_FALSE(connection.client);
  }
}

TEST(Jobserver, BothEndsMustBeOfOnePipe) {
  Server one(false), two(false);
  auto flags = [](int read, int write) {
    return "--jobserver-auth=" + std::to_string(read) + "," +
           std::to_string(write);
  };
  EXPECT_EQ(statusOf(flags(one.ends[0], one.ends[1])),
            JobserverStatus::Connected);
  EXPECT_EQ(statusOf(flags(one.ends[0], two.ends[1])),
            JobserverStatus::Unreachable);
  EXPECT_EQ(statusOf(flags(one.ends[1], one.ends[0])),
            JobserverStatus::Unreachable);
  EXPECT_EQ(statusOf(flags(one.ends[0], one.ends[0])),
            JobserverStatus::Unreachable);
  int file = open("/proc/self/exe", O_RDONLY);
  EXPECT_EQ(statusOf(flags(file, file)), JobserverStatus::Unreachable);
  close(file);
  EXPECT_EQ(one.tokens(), Server::kTokens);
}

TEST(Jobserver, QuotedFifoPaths) {
  TempDir directory = llvm::cantFail(TempDir::create("gpulto-test"));
  std::string path = directory.file("with space");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  int keep = open(path.c_str(), O_RDWR);
  std::string quoted = directory.file("with\\ space");
  EXPECT_EQ(statusOf("--jobserver-auth=fifo:" + quoted),
            JobserverStatus::Connected);
  close(keep);
}

TEST(Jobserver, ReadsTheEnvironment) {
  Server server(false);
  const char *old = std::getenv("MAKEFLAGS");
  std::string saved = old ? old : "";
  setenv("MAKEFLAGS", server.flags().c_str(), 1);
  EXPECT_EQ(JobserverClient::fromEnvironment().status,
            JobserverStatus::Connected);
  unsetenv("MAKEFLAGS");
  EXPECT_EQ(JobserverClient::fromEnvironment().status, JobserverStatus::None);
  if (old)
    setenv("MAKEFLAGS", saved.c_str(), 1);
}

/// Threads take tokens as jobs do, no more than wanted, and give them back.
TEST(Jobserver, ThreadsTakeTokens) {
  const char *before = getenv("MAKEFLAGS");
  std::string saved = before ? before : "";
  for (llvm::StringRef tokens : {"", "A"}) {
    Server server(false, tokens);
    setenv("MAKEFLAGS", server.flags().c_str(), 1);
    for (unsigned most : {1u, 2u}) {
      ThreadSlots slots = takeThreadSlots(JobserverMode::Auto, most);
      EXPECT_EQ(slots.count,
                std::min({most, 1 + static_cast<unsigned>(tokens.size()),
                          std::thread::hardware_concurrency()}));
      EXPECT_EQ(slots.connection.client->heldTokens(), slots.count - 1);
    }
    EXPECT_EQ(server.tokens(), tokens);
  }
  unsetenv("MAKEFLAGS");
  EXPECT_EQ(takeThreadSlots(JobserverMode::Auto, 1).count, 1u);
  if (before)
    setenv("MAKEFLAGS", saved.c_str(), 1);
}

//===----------------------------------------------------------------------===//
// Through /proc, and under real make
//===----------------------------------------------------------------------===//

// The child has closed the descriptors, as make does for a recipe without `+`.
TEST(Jobserver, ClosedDescriptorsAreTakenFromTheParent) {
  Server server(false);
  std::string flags = server.flags();
  // Only make's descriptors are taken: this process has to bear its name.
  char name[17] = {};
  prctl(PR_GET_NAME, name);
  prctl(PR_SET_NAME, "make");
  pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_NAME, name);
    close(server.ends[0]);
    close(server.ends[1]);
    // The numbers may be taken by other files.
    open("/dev/null", O_RDONLY);
    if (statusOf(flags) != JobserverStatus::Unreachable)
      _exit(2);
    JobserverConnection connection =
        JobserverClient::fromMakeflags(flags, JobserverMode::Auto);
    if (connection.status != JobserverStatus::Connected)
      _exit(3);
    JobSlot slots[4];
    for (JobSlot &slot : slots)
      slot = connection.client->tryAcquire();
    _exit(connection.client->heldTokens() == 3
              ? (slots[0].release(), slots[1].release(), slots[2].release(),
                 slots[3].release(), 0)
              : 4);
  }
  int status = 0;
  waitpid(child, &status, 0);
  prctl(PR_SET_NAME, name);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(server.tokens(), Server::kTokens);
}

// A parent that is no make may have a pipe to itself at these numbers.
TEST(Jobserver, OtherParentsPipesAreLeftAlone) {
  Server server(false);
  std::string flags = server.flags();
  pid_t child = fork();
  if (child == 0) {
    close(server.ends[0]);
    close(server.ends[1]);
    _exit(JobserverClient::fromMakeflags(flags, JobserverMode::Auto).status ==
                  JobserverStatus::Unreachable
              ? 0
              : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

// Run by the next test as a recipe of make; writes what it found to a file.
TEST(JobserverRecipe, Child) {
  const char *out = std::getenv("GPULTO_TEST_JOBSERVER_OUT");
  const char *mode = std::getenv("GPULTO_TEST_JOBSERVER_MODE");
  if (!out || !mode)
    return; // not run by Jobserver.UnderGnuMake
  JobserverConnection connection = JobserverClient::fromEnvironment(
      llvm::StringRef(mode) == "auto" ? JobserverMode::Auto
                                      : JobserverMode::Strict);
  std::string text = "unreachable";
  if (connection.status == JobserverStatus::None)
    text = "none";
  if (connection.client) {
    std::vector<JobSlot> slots;
    while (JobSlot slot = connection.client->tryAcquire())
      slots.push_back(std::move(slot));
    text = std::to_string(slots.size()) + " slots, " +
           std::to_string(connection.client->heldTokens()) + " tokens";
  }
  ASSERT_OK(writeFileAtomically(out, text));
}

TEST(Jobserver, UnderGnuMake) {
  llvm::Expected<std::string> make = findProgram("make");
  if (!make) {
    llvm::consumeError(make.takeError());
    GTEST_SKIP() << "make is not here";
  }
  TempDir directory = llvm::cantFail(TempDir::create("gpulto-test"));
  std::string self(4096, '\0');
  ssize_t size = readlink("/proc/self/exe", self.data(), self.size());
  ASSERT_GT(size, 0);
  self.resize(static_cast<size_t>(size));
  std::string command =
      shellQuote(self) + " --gtest_filter=JobserverRecipe.Child >/dev/null\n";
  ASSERT_OK(
      writeFileAtomically(directory.file("Makefile"),
                          "with:\n\t+@" + command + "without:\n\t@" + command));
  struct Case {
    const char *target, *jobs, *mode, *expected;
  };
  for (const Case &c : {Case{"with", "-j4", "strict", "4 slots, 3 tokens"},
                        Case{"with", "-j4", "auto", "4 slots, 3 tokens"},
                        Case{"without", "-j4", "auto", "4 slots, 3 tokens"},
                        Case{"without", "-j4", "strict", "unreachable"},
                        Case{"with", "-j1", "auto", "none"}}) {
    std::string out = directory.file("out");
    ProcessOptions options;
    options.cwd = directory.path();
    options.unsetEnvironment = {"MAKEFLAGS", "MFLAGS", "MAKELEVEL"};
    options.environment = {{"GPULTO_TEST_JOBSERVER_OUT", out},
                           {"GPULTO_TEST_JOBSERVER_MODE", c.mode}};
    auto result = runProcess(*make, {c.jobs, c.target}, options);
    ASSERT_TRUE(bool(result)) << messageOf(result.takeError());
    // make complains about lost tokens only at its end.
    EXPECT_EQ(result->errors, "");
    auto buffer = llvm::MemoryBuffer::getFile(out);
    ASSERT_TRUE(bool(buffer));
    EXPECT_EQ((*buffer)->getBuffer(), c.expected)
        << c.target << " " << c.jobs << " " << c.mode;
  }
}
