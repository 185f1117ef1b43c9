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
/// percentage. Returns nothing if \p text is neither, 0, or too large.
std::optional<MemoryLimit> parseMemoryLimit(llvm::StringRef text);

/// Returns \p limit as text that parseMemoryLimit reads, as it was written.
std::string describeLimit(const MemoryLimit &limit);

/// Memory of the jobs of each side: estimates, and how wrong they were for jobs
/// that have ended.
class MemoryEstimates {
public:
  /// Returns the bytes that \p job is expected to take.
  uint64_t estimate(const JobHead &job) const;
  /// Records that \p job took \p peakBytes.
  void learn(const JobHead &job, uint64_t peakBytes);

private:
  struct Seen {
    double factor = 0;   // the largest of real over estimated; 0: none ended
    uint64_t weight = 0; // of the heaviest job that has ended
  };
  Seen seen[2]; // by Side
};

/// Memory use of a link's jobs.
struct JobMemoryUse {
  /// The given limit, or the smallest one at a start of a job.
  uint64_t limitBytes = 0;
  /// Largest memory that running jobs together were expected to take, and that
  /// they took, as the sum of the peaks of each.
  uint64_t expectedPeakBytes = 0, peakBytes = 0;
  /// Time during which only memory prevented the start of another job.
  double waitSeconds = 0;
  /// Jobs larger than the limit.
  unsigned tooLarge = 0;
};

/// Adds \p use to the counters of \p statistics.
void countMemory(const JobMemoryUse &use, Statistics &statistics);

/// Decides which job may start. Jobs of all links and users of this machine
/// together stay below the limit; a job larger than the limit runs when no
/// other job of any link does. Of waiting links, the one that has waited
/// longest comes first: the others start only jobs that fit next to its job and
/// into its limit. A link waits only for running jobs, and for links that wait
/// for these.
class MemoryBudget {
public:
  /// \p diagnostics gets warnings; may be null. \p jobs and \p diagnostics must
  /// outlive this.
  MemoryBudget(const LinkJobs &jobs, MemoryLimit limit, MemoryLedger ledger,
               Diagnostics *diagnostics);

  /// The right to start a job.
  struct Grant {
    size_t position = 0; ///< in the queue
    uint64_t bytes = 0;
    uint64_t limitBytes = 0;
    MemoryReservation reservation;
  };
  /// Returns the right to start the last job in \p queue, a non-empty list of
  /// job indices, whose memory is available; nothing if there is no such job.
  std::optional<Grant> tryGrant(llvm::ArrayRef<size_t> queue);

  /// Job \p index has been started as \p process, with \p grant.
  void started(size_t index, pid_t process, Grant &grant);
  /// Job \p index has ended, and took \p bytes, if not 0. \p isTypical: other
  /// jobs can be expected to take similar amounts.
  void ended(size_t index, uint64_t bytes, bool isTypical);

  /// Returns the memory use so far.
  JobMemoryUse use() const;

private:
  using Clock = std::chrono::steady_clock;
  struct Running {
    pid_t process = 0;
    uint64_t bytes = 0;
  };

  std::vector<ReservedMemory> reserved(const MemoryReservation *own = nullptr);
  std::vector<ReservedMemory> ownRows() const;
  /// Claims of links that come before this one.
  struct Promised {
    uint64_t bytes = 0;
    /// The largest total reservation that makes none of them wait longer.
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
  /// While this link waits or has its turn: its claim, for others to see.
  MemoryReservation claimLock;
  std::optional<MemoryClaim> claim;
  Diagnostics *diagnostics;
  MemoryEstimates estimates;
  std::map<size_t, Running> running; // by index
  /// The jobs that ran together, and what each job took.
  std::vector<std::vector<size_t>> together;
  std::vector<uint64_t> taken;
  std::optional<Clock::time_point> waitsSince;
  /// Set while this link is served for a claim.
  std::optional<Clock::time_point> turnEnds;
  JobMemoryUse used;
};

} // namespace gpulto

#endif // GPULTO_LTO_RUN_MEMORYBUDGET_H
