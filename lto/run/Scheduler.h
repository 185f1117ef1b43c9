//===- Scheduler.h - Run LTRANS jobs in forked processes --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_RUN_SCHEDULER_H
#define GPULTO_LTO_RUN_SCHEDULER_H

#include "lto/job/JobPhases.h"
#include "lto/job/LinkJobs.h"
#include "lto/link/LinkOptions.h"
#include "lto/link/Progress.h"
#include "lto/run/MemoryBudget.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gpulto {

class Diagnostics;

struct SchedulerOptions {
  /// Of them count jobs, jobserver and memory; saveTempsDirectory, where
  /// runLtransJob keeps bitcode, one prefix per job; and saveLinkDirectory,
  /// where saveJobs put the jobs, named if one crashes. With a jobserver the
  /// number of jobs is an additional limit.
  const LinkOptions &user;
  /// Gets warnings about an unusable jobserver. May be null.
  Diagnostics *diagnostics = nullptr;
  /// A job writes resultPaths(job, jobPrefix(outputDirectory, job)), which
  /// must exist.
  std::string outputDirectory{};
  /// Where links learn about each other's jobs: see MemoryLedger.
  std::string memoryLedger = "/";
  /// Gets the memory use of the jobs, after they have succeeded. May be null.
  JobMemoryUse *memoryUse = nullptr;
  /// Called in this process when jobs start and end, and every second. May be
  /// empty.
  std::function<void(const JobProgress &)> progress{};
  /// Jobs whose results exist: they do not run. Empty: none.
  llvm::BitVector skip{};
  /// Called in this process when a job has succeeded, with all that it wrote to
  /// standard error except phases. May be empty.
  std::function<void(size_t index, llvm::StringRef messages)> finished{};
  /// The function to run in the child; runLtransJob if empty. For tests.
  std::function<llvm::Error(const LtransJob &, const std::string &prefix,
                            const std::string &saveTempsPrefix)>
      run{};
};

/// Where a job ran.
enum class JobPlace : uint8_t { Here, Elsewhere };

struct JobStatistics {
  JobPlace place = JobPlace::Here;
  double wallSeconds = 0;
  double cpuSeconds = 0; ///< user and system, children of the job included
  uint64_t peakMemoryBytes = 0; ///< of its largest process
  /// Memory that it was expected to take when it started here, and that it and
  /// its programs took (takenMemoryBytes). 0: unknown.
  uint64_t expectedMemoryBytes = 0, takenMemoryBytes = 0;
  /// Phases with their processor time, in order.
  std::vector<JobPhase> phases;
};

/// Runs \p jobs, each in a forked process, the heaviest first, and returns what
/// they took in the order of \p jobs. Never runs more processes than it holds
/// slots of make's jobserver; mode Strict without one is an error. A token that
/// others wait for goes to them when the job for which it was taken has ended.
/// The first failure stops the rest: running processes are killed and waited
/// for, and the error of the failed job with the lowest index is returned.
/// SIGINT, SIGTERM and SIGHUP do the same, and are then raised again. Call it
/// from one thread at a time.
llvm::Expected<std::vector<JobStatistics>>
runJobs(const LinkJobs &jobs, const SchedulerOptions &options);

} // namespace gpulto

#endif
