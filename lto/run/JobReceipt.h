//===- JobReceipt.h - Results of a job that ran elsewhere -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The last file that `gpulto ltrans --receipt` writes: which job it ran, by
// digest, and size and digest of each file that it made. With it the link tells
// complete results from those of a job that died, of another link, or that were
// damaged in transfer, whoever ran the job.
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

/// Returns all files that \p job makes under \p prefix if it runs elsewhere,
/// the receipt last.
std::vector<std::string> remoteOutputs(const JobHead &job,
                                       llvm::StringRef prefix, bool isTraced);

/// Removes remoteOutputs, so that no file of an earlier run or of another job
/// is taken for output of the next run. Errors: a file cannot be removed.
llvm::Error removeOutputs(const JobHead &job, llvm::StringRef prefix,
                          bool isTraced);

/// What the job's process reports about a run, besides its results.
struct JobReceipt {
  JobStatistics used;
  /// If the results may be kept for later links, the optimizer that made them
  /// (identityOfOptimizer), and the bodies that they were made from
  /// (JobCache::findResults); none if there were messages about them that would
  /// not be repeated.
  Digest optimizer, bodies;
};

/// Writes the receipt of \p job, whose file has the digest \p jobFile, with the
/// contents of \p says. Engines require the outputs that they were told to
/// expect: of remoteOutputs, files that the job had no reason to write are
/// written empty.
llvm::Error writeReceipt(const LtransJob &job, const Digest &jobFile,
                         llvm::StringRef prefix, bool isTraced,
                         const JobReceipt &says);

/// Returns the contents of the receipt of \p job, if it exists and everything
/// matches it. Errors: something is missing, damaged or of another job.
llvm::Expected<JobReceipt> checkReceipt(const LtransJob &job,
                                        llvm::StringRef prefix, bool isTraced);

} // namespace gpulto

#endif
