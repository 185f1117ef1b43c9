//===- JobRunner.h - Run LTRANS jobs, here or elsewhere ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_RUN_JOBRUNNER_H
#define GPULTO_LTO_RUN_JOBRUNNER_H

#include "lto/run/JobCommands.h"
#include "lto/run/JobReceipt.h"
#include "lto/run/Scheduler.h"
#include "support/Subprocess.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <string>
#include <vector>

namespace gpulto {

/// The directories of a link.
struct JobDirectories {
  /// Removed at the end of the link.
  TempDir temporary;
  /// Holds the jobs' results, and files that jobs read: \c temporary, or a
  /// directory that stays.
  std::string jobs;
};

/// Makes the directories that \p remote asks for; \p output is the program.
llvm::Expected<JobDirectories> makeJobDirectories(const RemoteOptions &remote,
                                                  llvm::StringRef output);

struct JobRunnerOptions {
  SchedulerOptions local;
  /// Called when the results of a job that ran elsewhere are complete, with its
  /// position; may be null.
  std::function<void(size_t index, const JobReceipt &receipt)> cameBack{};
};

/// Runs \p jobs where LinkOptions::remote says and returns what they took,
/// in their order. Job I writes resultPaths(job, DIRECTORY/I). Jobs without
/// complete results from elsewhere run here, with a warning that says why.
/// Errors: those of runJobs.
llvm::Expected<std::vector<JobStatistics>>
runLtransJobs(const LinkJobs &jobs, const JobRunnerOptions &options,
              Diagnostics &diagnostics);

/// Writes \p jobs, without those in `local.skip`, and the build file that runs
/// them and then links. Returns the path of that file. Errors: a file cannot be
/// written.
llvm::Expected<std::string> emitLtransJobs(const LinkJobs &jobs,
                                           const JobRunnerOptions &options);

} // namespace gpulto

#endif
