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

/// Asks a cache for the results of jobs, first by their inputs, before they are
/// started, then by the bodies that they have read; keeps the results of the
/// others. A cache that cannot be used, or an entry that is damaged, is a
/// warning, and the jobs are run. Not thread-safe.
class CachedJobs {
public:
  /// Results of a job are at resultPaths(job, jobPrefix(directory, job)). All
  /// must outlive this. \p runsAll: jobs are run whatever the cache has, since
  /// they do more than make results (--gpulto-save-temps).
  CachedJobs(const Cache &cache, const LinkJobs &jobs, std::string directory,
             bool runsAll, Diagnostics &diagnostics);

  /// Looks all jobs up by their inputs, in \p threads threads, but for those
  /// that \p isMade says have been run into \p prefix. Errors: results cannot
  /// be written.
  llvm::Error
  findAll(unsigned threads,
          llvm::function_ref<bool(const LtransJob &, llvm::StringRef prefix)>
              isMade);

  /// Returns the jobs that findAll found.
  const llvm::BitVector &found() const { return done; }

  /// In the process of job \p job: looks it up by its bodies and runs it if
  /// need be. Errors: those of runLtransJob.
  llvm::Error run(const LtransJob &job, const std::string &prefix,
                  const std::string &saveTempsPrefix) const;

  /// In the link's process: job \p index has succeeded with \p messages. Keeps
  /// its results unless there are any.
  void finished(size_t index, llvm::StringRef messages);

  /// In the link's process: the results of job \p index, which ran elsewhere,
  /// are there, with \p receipt. Keeps them if they were made by what \p
  /// program, gpulto of this installation, is here.
  void cameBack(size_t index, const JobReceipt &receipt,
                llvm::StringRef program);

  llvm::ArrayRef<CacheState> states() const { return jobStates; }

  /// All jobs have succeeded, of a link that writes \p output: notes what was
  /// run and why (lto/cache/LinkRecord), and lets the cache forget what is old.
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
  /// Who may have made results that are kept, once it has been asked for; none
  /// if it does not tell.
  std::optional<Digest> remoteOptimizer;
};

} // namespace gpulto

#endif // GPULTO_LTO_CACHE_CACHEDJOBS_H
