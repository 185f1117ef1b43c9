//===- MemoryBudget.h - What jobs may take at a time ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_RUN_MEMORYBUDGET_H
#define GPULTO_LTO_RUN_MEMORYBUDGET_H

#include "lto/job/LinkJobs.h"
#include "lto/link/LinkOptions.h"
#include "support/MemoryLedger.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gpulto {

class Diagnostics;
class Statistics;

/// Reads a number of bytes, with K, M, G or T for units of 1024, or a
/// percentage. Returns none when \p text is neither, 0, or too large.
std::optional<MemoryLimit> parseMemoryLimit(llvm::StringRef text);

/// Returns \p limit as parseMemoryLimit reads it, and as it was written.
std::string describeLimit(const MemoryLimit &limit);

/// What is known of the memory of a side's jobs: estimates, and how wrong they
/// were for the jobs that have ended.
class MemoryEstimates {
public:
  /// Returns the bytes that \p job is expected to take.
  uint64_t estimate(const JobHead &job) const;
  /// \p job took \p peakBytes.
  void learn(const JobHead &job, uint64_t peakBytes);

private:
  struct Seen {
    double factor = 0;   // the largest of real over estimated; 0: none ended
    uint64_t weight = 0; // of the heaviest that has ended
  };
  Seen seen[2]; // by Side
};

/// What a link's jobs did with memory.
struct JobMemoryUse {
  /// As given, or the least that it was when a job was started.
  uint64_t limitBytes = 0;
  /// Most that running jobs were expected to take together, and the most that
  /// they did, as the sum of what each took at its worst.
  uint64_t expectedPeakBytes = 0, peakBytes = 0;
  /// Time in which one more job would have been started but for memory.
  double waitSeconds = 0;
  /// Jobs that were larger than the limit.
  unsigned tooLarge = 0;
};

/// Adds \p use to the counters of \p statistics.
void countMemory(const JobMemoryUse &use, Statistics &statistics);

/// Says which job may be started. Jobs of all links of this machine, whoever
/// runs them, stay below the limit together; one that is larger than it runs
/// when no other does, of any link. Of links that wait, the one that has waited
/// longest comes first: the others start what fits beside its job only, and
/// into its limit. Nobody waits but for jobs that run, and for links that wait
/// for these.
class MemoryBudget {
public:
  /// \p diagnostics gets warnings, may be null. \p jobs and it must outlive
  /// this.
  MemoryBudget(const LinkJobs &jobs, MemoryLimit limit, MemoryLedger ledger,
               Diagnostics *diagnostics);

  /// The right to start a job.
  struct Grant {
    size_t position = 0; ///< in the queue
    uint64_t bytes = 0;
    uint64_t limitBytes = 0;
    MemoryReservation reservation;
  };
  /// Returns the right to start the last of \p queue, indices of jobs of which
  /// there are some, whose memory is there; none if there is no such job.
  std::optional<Grant> tryGrant(llvm::ArrayRef<size_t> queue);

  /// Job \p index has been started as \p process, by the right of \p grant.
  void started(size_t index, pid_t process, Grant &grant);
  /// It has ended, and took \p bytes, if they are not 0. \p isTypical: this
  /// says something of other jobs.
  void ended(size_t index, uint64_t bytes, bool isTypical);

  /// Returns what happened so far.
  JobMemoryUse use() const;

private:
  using Clock = std::chrono::steady_clock;
  struct Running {
    pid_t process = 0;
    uint64_t bytes = 0;
  };

  std::vector<ReservedMemory> reserved(const MemoryReservation *own = nullptr);
  std::vector<ReservedMemory> ownRows() const;
  /// What links wait for that come before this one.
  struct Promised {
    uint64_t bytes = 0;
    /// What may be reserved in all without one of them waiting longer.
    uint64_t limitBytes = UINT64_MAX;
  };
  Promised promisedToOthers();
  void wait(llvm::ArrayRef<size_t> queue, uint64_t limitBytes);
  void stopSharing(llvm::Error error);
  uint64_t limitNow(llvm::ArrayRef<ReservedMemory> rows) const;
  void takeTurn(bool isLast);
  void countWait(bool isWaiting);
  void warnOfSize(size_t index, const Grant &grant);

  const LinkJobs &jobs;
  MemoryLimit limit;
  MemoryLedger ledger;
  bool isShared = true;
  /// While this link waits or has its turn: what the others see of it.
  MemoryReservation claimLock;
  std::optional<MemoryClaim> claim;
  Diagnostics *diagnostics;
  MemoryEstimates estimates;
  std::map<size_t, Running> running; // by index
  /// The jobs that ran at a time, and what each job took.
  std::vector<std::vector<size_t>> together;
  std::vector<uint64_t> taken;
  std::optional<Clock::time_point> waitsSince;
  /// While this link is served for a claim.
  std::optional<Clock::time_point> turnEnds;
  JobMemoryUse used;
};

} // namespace gpulto

#endif // GPULTO_LTO_RUN_MEMORYBUDGET_H
