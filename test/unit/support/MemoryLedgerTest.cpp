//===- MemoryLedgerTest.cpp - Memory that processes have reserved ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "support/MemoryLedger.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/Subprocess.h"

#include "llvm/ADT/STLExtras.h"

#include <csignal>
#include <optional>
#include <sys/wait.h>
#include <unistd.h>

using namespace gpulto;
using namespace llvm;
using testing::HasSubstr;

namespace {

class Ledger : public testing::Test {
protected:
  void SetUp() override {
    Expected<TempDir> made = TempDir::create("ledger-test");
    ASSERT_TRUE(bool(made));
    directory = std::move(*made);
    ledger.emplace(directory.path());
  }
  MemoryReservation reserve(uint64_t bytes) {
    Expected<MemoryReservation> result = ledger->reserve(bytes);
    EXPECT_TRUE(bool(result));
    return result ? std::move(*result) : MemoryReservation();
  }
  /// Returns what is reserved, the smallest first.
  std::vector<uint64_t> bytes() {
    std::vector<uint64_t> result;
    auto rows = ledger->all();
    EXPECT_TRUE(bool(rows));
    for (const ReservedMemory &row : *rows)
      result.push_back(row.bytes);
    llvm::sort(result);
    return result;
  }
  using Bytes = std::vector<uint64_t>;

  TempDir directory;
  std::optional<MemoryLedger> ledger;
};

/// A child that lives until it is told to end.
class Child {
public:
  Child() {
    EXPECT_EQ(pipe(ends), 0);
    pid = fork();
    if (pid == 0) {
      char byte;
      close(ends[1]);
      _exit(read(ends[0], &byte, 1) != 0);
    }
  }
  void end(int signal = 0) {
    if (signal)
      kill(pid, signal);
    close(ends[1]);
    waitpid(pid, nullptr, 0);
    close(ends[0]);
  }
  pid_t pid = 0;

private:
  int ends[2];
};

TEST_F(Ledger, HasWhatIsReserved) {
  EXPECT_EQ(bytes(), Bytes());
  MemoryReservation one = reserve(100);
  EXPECT_EQ(bytes(), Bytes({100}));
  {
    auto others = ledger->others(one);
    ASSERT_TRUE(bool(others));
    EXPECT_TRUE(others->empty());
  }
  ASSERT_FALSE(bool(one.assignTo(7)));
  EXPECT_EQ(bytes(), Bytes({100}));
  auto rows = ledger->all();
  ASSERT_TRUE(bool(rows));
  EXPECT_EQ(rows->front().process, 7);
  one = MemoryReservation();
  EXPECT_EQ(bytes(), Bytes());
}

TEST_F(Ledger, FindsAllOfMany) {
  std::vector<MemoryReservation> kept;
  Bytes expected;
  for (pid_t process = 1; process < 300; process += 3) {
    kept.push_back(reserve(process * 1000));
    ASSERT_FALSE(bool(kept.back().assignTo(process)));
    expected.push_back(process * 1000);
  }
  EXPECT_EQ(bytes(), expected);
}

TEST_F(Ledger, ClampsToItsRange) {
  MemoryReservation none = reserve(0), much = reserve(UINT64_MAX);
  ASSERT_FALSE(bool(none.assignTo(1)));
  ASSERT_FALSE(bool(much.assignTo(0x3fffff)));
  EXPECT_EQ(bytes(), Bytes({1, (uint64_t(1) << 40) - 1}));
}

TEST_F(Ledger, EndsWithTheProcess) {
  for (int signal : {0, SIGKILL}) {
    MemoryReservation ours = reserve(500);
    Child child;
    ASSERT_FALSE(bool(ours.assignTo(child.pid)));
    ours = MemoryReservation();
    EXPECT_EQ(bytes(), Bytes({500})) << "the child has it";
    child.end(signal);
    EXPECT_EQ(bytes(), Bytes());
  }
}

TEST_F(Ledger, IsSeenByOtherProcesses) {
  MemoryReservation ours = reserve(500);
  pid_t other = fork();
  if (other == 0) {
    auto rows = MemoryLedger(directory.path()).all();
    _exit(rows && rows->size() == 1 && rows->front().bytes == 500 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(other, &status, 0), other);
  EXPECT_EQ(status, 0);
}

TEST_F(Ledger, HasWhatIsClaimed) {
  Child child;
  MemoryLedger other(directory.path(), child.pid);
  for (uint64_t wanted : {uint64_t(1), uint64_t(16383), uint64_t(16385),
                          (uint64_t(1) << 39) - 1, UINT64_MAX}) {
    MemoryClaim made = {.bytes = wanted, .limitBytes = wanted / 2};
    auto lock = other.claim(made);
    ASSERT_TRUE(bool(lock));
    auto claims = ledger->otherClaims();
    ASSERT_TRUE(bool(claims));
    ASSERT_EQ(claims->size(), 1u);
    EXPECT_EQ(claims->front().process, child.pid);
    EXPECT_EQ(claims->front().sinceMs, made.sinceMs);
    EXPECT_EQ(claims->front().bytes, made.bytes);
    EXPECT_EQ(claims->front().limitBytes, made.limitBytes);
    EXPECT_LE(made.limitBytes, made.bytes);
    uint64_t most = uint64_t(1) << 40;
    EXPECT_GE(made.bytes, std::min(wanted, most - 1));
    EXPECT_LE(made.bytes - 1,
              std::min(wanted, most) + std::min(wanted, most) / 8192);
    auto own = other.otherClaims();
    ASSERT_TRUE(bool(own));
    EXPECT_TRUE(own->empty()) << "it waits for itself";
    EXPECT_EQ(bytes(), Bytes()) << "nothing is reserved";
  }
  auto claims = ledger->otherClaims();
  ASSERT_TRUE(bool(claims));
  EXPECT_TRUE(claims->empty());
  child.end();
}

TEST_F(Ledger, RenewsAClaim) {
  Child child;
  MemoryLedger other(directory.path(), child.pid);
  MemoryClaim made = {.bytes = 100, .limitBytes = 300};
  auto lock = other.claim(made);
  ASSERT_TRUE(bool(lock));
  uint64_t since = made.sinceMs;
  made.limitBytes = 200;
  auto again = other.claim(made);
  ASSERT_TRUE(bool(again));
  lock = std::move(again);
  auto claims = ledger->otherClaims();
  ASSERT_TRUE(bool(claims));
  ASSERT_EQ(claims->size(), 1u);
  EXPECT_EQ(claims->front().sinceMs, since);
  EXPECT_EQ(claims->front().bytes, 100u);
  EXPECT_EQ(claims->front().limitBytes, 200u);
  child.end();
}

TEST_F(Ledger, ForgetsClaimsOfWhoIsStopped) {
  Child child;
  MemoryClaim made = {.bytes = 100};
  auto lock = MemoryLedger(directory.path(), child.pid).claim(made);
  ASSERT_TRUE(bool(lock));
  auto count = [&] {
    auto claims = ledger->otherClaims();
    EXPECT_TRUE(bool(claims));
    return claims->size();
  };
  EXPECT_EQ(count(), 1u);
  int status = 0;
  kill(child.pid, SIGSTOP);
  ASSERT_EQ(waitpid(child.pid, &status, WUNTRACED), child.pid);
  EXPECT_EQ(count(), 0u);
  kill(child.pid, SIGCONT);
  ASSERT_EQ(waitpid(child.pid, &status, WCONTINUED), child.pid);
  EXPECT_EQ(count(), 1u);
  child.end();
  EXPECT_EQ(count(), 0u) << "there is no such process";
}

TEST_F(Ledger, LeavesNothingInItsDirectory) {
  {
    MemoryReservation ours = reserve(500);
  }
  EXPECT_EQ(rmdir(directory.path().c_str()), 0);
}

TEST_F(Ledger, SaysWhatIsWrong) {
  MemoryLedger nowhere(directory.file("nowhere"));
  auto rows = nowhere.all();
  ASSERT_FALSE(bool(rows));
  EXPECT_THAT(toString(rows.takeError()),
              HasSubstr("nowhere: cannot be opened: No such file"));
  auto reservation = nowhere.reserve(1);
  ASSERT_FALSE(bool(reservation));
  EXPECT_THAT(toString(reservation.takeError()), HasSubstr("nowhere"));
}

} // namespace
