//===- CachedJobs.h - The jobs of a link that has a cache -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_CACHE_CACHEDJOBS_H
#define GPULTO_LTO_CACHE_CACHEDJOBS_H

#include "lto/cache/Cache.h"
#include "lto/job/JobResults.h"
#include "lto/job/LinkJobs.h"
#include "lto/ltrans/Ltrans.h"
#include "lto/run/JobReceipt.h"
#include "support/Diagnostics.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace gpulto {

/// Asks a cache for the results of jobs, first by their inputs, before they
/// start, then by the bodies that they have read; keeps the results of the
/// others. An unusable cache, or a damaged entry, gives a warning, and the jobs
/// run. Not thread-safe.
class CachedJobs {
public:
  /// Results of a job are at resultPaths(job, jobPrefix(directory, job)). All
  /// must outlive this. \p runsAll: jobs run whatever the cache has, since they
  /// do more than make results (--gpulto-save-temps).
  CachedJobs(const Cache &cache, const LinkJobs &jobs, std::string directory,
             bool runsAll, Diagnostics &diagnostics);

  /// Looks up all jobs by their inputs, in \p threads threads, except those
  /// that have already run into \p prefix according to \p isMade. Errors:
  /// results cannot be written.
  llvm::Error
  findAll(unsigned threads,
          llvm::function_ref<bool(const LtransJob &, llvm::StringRef prefix)>
              isMade);

  /// Returns the jobs that findAll found.
  const llvm::BitVector &found() const { return done; }

  /// In the process of job \p job: looks it up by its bodies and runs it if
  /// needed. Errors: those of runLtransJob.
  llvm::Error run(const LtransJob &job, const std::string &prefix,
                  const std::string &saveTempsPrefix) const;

  /// In the link's process: job \p index has succeeded with \p messages. Keeps
  /// its results unless there are any.
  void finished(size_t index, llvm::StringRef messages);

  /// In the link's process: the results of job \p index, which ran elsewhere,
  /// have arrived, with \p receipt. Keeps them if the program that made them is
  /// the same as \p program, gpulto of this installation.
  void cameBack(size_t index, const JobReceipt &receipt,
                llvm::StringRef program);

  llvm::ArrayRef<CacheState> states() const { return jobStates; }

  /// All jobs of a link that writes \p output have succeeded: records what ran
  /// and why (lto/cache/LinkRecord), and prunes the cache.
  void end(llvm::StringRef output);

private:
  std::string prefixOf(size_t index) const {
    return jobPrefix(directory, jobs[index]);
  }
  void warnOfDamage(const JobHead &job);
  void stopWriting(llvm::Error error);

  const Cache &cache;
  const LinkJobs &jobs;
  std::string directory;
  bool runsAll;
  Diagnostics &diagnostics;
  std::vector<Digest> keys; // by inputs
  std::vector<CacheState> jobStates;
  llvm::BitVector done;
  bool writes = true;
  /// The optimizer that must have made results from elsewhere for them to be
  /// kept, once asked for; none if it does not say.
  std::optional<Digest> remoteOptimizer;
};

} // namespace gpulto

#endif // GPULTO_LTO_CACHE_CACHEDJOBS_H
