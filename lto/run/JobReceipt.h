//===- JobReceipt.h - What a job that ran elsewhere has made ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The last file that `gpulto ltrans --receipt` writes: which job it ran, by
// digest, and size and digest of each file that it made. By it the link knows
// results that are whole from those of a job that died, of another link, or
// that were damaged on the way, whoever ran the job.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_RUN_JOBRECEIPT_H
#define GPULTO_LTO_RUN_JOBRECEIPT_H

#include "lto/job/LtransJob.h"
#include "lto/run/Scheduler.h"
#include "support/StableHash.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace gpulto {

/// Returns all files that \p job makes under \p prefix when it runs elsewhere,
/// the receipt last.
std::vector<std::string> remoteOutputs(const JobHead &job,
                                       llvm::StringRef prefix, bool isTraced);

/// Removes remoteOutputs: nothing of an earlier run or of another job is taken
/// for what the next run makes. Errors: what cannot be removed.
llvm::Error removeOutputs(const JobHead &job, llvm::StringRef prefix,
                          bool isTraced);

/// What the job's process says of a run, beside its results.
struct JobReceipt {
  JobStatistics used;
  /// If the results may be kept for later links, who made them
  /// (identityOfOptimizer), and from which bodies (JobCache::findResults); none
  /// if something was said about them that would not be said again.
  Digest optimizer, bodies;
};

/// Writes the receipt of \p job, whose file has the digest \p jobFile, with
/// what
/// \p says says. Engines want what they were told to expect: of remoteOutputs,
/// what the job had no reason to write is written as well, without contents.
llvm::Error writeReceipt(const LtransJob &job, const Digest &jobFile,
                         llvm::StringRef prefix, bool isTraced,
                         const JobReceipt &says);

/// Returns what the receipt of \p job says, if there is one and everything is
/// as it says. Errors: what is missing, damaged or of another job.
llvm::Expected<JobReceipt> checkReceipt(const LtransJob &job,
                                        llvm::StringRef prefix, bool isTraced);

} // namespace gpulto

#endif
