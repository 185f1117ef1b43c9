//===- CachedJobs.cpp - The jobs of a link that has a cache ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The process of a job communicates with the link only through files and
// messages, and must not keep its results itself: it does not know what was
// written to its standard error. It leaves the key of its bodies in
// `PREFIX.key`.
//
//===----------------------------------------------------------------------===//

#include "lto/cache/CachedJobs.h"

#include "lto/cache/LinkRecord.h"
#include "lto/job/JobPhases.h"
#include "lto/job/JobResults.h"
#include "lto/ltrans/Ltrans.h"
#include "support/Error.h"
#include "support/Parallel.h"
#include "support/Subprocess.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace gpulto {

/// What a job found under the key of its bodies.
static constexpr char kHit = '+', kMiss = '-', kDamaged = '!';

static std::string keyPath(StringRef prefix) { return (prefix + ".key").str(); }

CachedJobs::CachedJobs(const Cache &cache, const LinkJobs &jobs,
                       std::string directory, bool runsAll,
                       Diagnostics &diagnostics)
    : cache(cache), jobs(jobs), directory(std::move(directory)),
      runsAll(runsAll), diagnostics(diagnostics), keys(jobs.size()),
      jobStates(jobs.size(), CacheState::Redone), done(jobs.size()) {}

void CachedJobs::warnOfDamage(const JobHead &job) {
  diagnostics.warning("the cache has a damaged entry for LTRANS job " +
                      std::to_string(job.index) + "; it is made again");
}

/// One warning is enough of a cache that cannot be written.
void CachedJobs::stopWriting(Error error) {
  diagnostics.warning("results are not kept in the cache: " +
                      toString(std::move(error)));
  writes = false;
}

Error CachedJobs::findAll(
    unsigned threads,
    function_ref<bool(const LtransJob &, StringRef prefix)> isMade) {
  std::vector<CacheFind> finds(jobs.size(), CacheFind::Nothing);
  std::vector<std::string> errors(jobs.size());
  forEachOf(threads, jobs.size(), [&](size_t i) {
    LtransJob job = jobs.make(i);
    keys[i] = keyOfInputs(job, cache.optimizer());
    if (runsAll || isMade(job, prefixOf(i)))
      return;
    if (Expected<CacheFind> found = cache.find(keys[i], job, prefixOf(i)))
      finds[i] = *found;
    else
      errors[i] = toString(found.takeError());
  });
  for (size_t i = 0; i < jobs.size(); ++i) {
    if (!errors[i].empty())
      return makeError(errors[i]);
    if (finds[i] == CacheFind::Damaged)
      warnOfDamage(jobs[i]);
    if (finds[i] != CacheFind::Results)
      continue;
    done.set(i);
    jobStates[i] = CacheState::HitInputs;
  }
  return Error::success();
}

namespace {
/// The cache as a job sees it.
class CacheOfJob : public JobCache {
public:
  CacheOfJob(const Cache &cache, const LtransJob &job,
             const std::string &prefix, bool runsAll)
      : cache(cache), job(job), prefix(prefix), runsAll(runsAll) {}

  Expected<bool> findResults(const Digest &bodies) override {
    Digest key = keyOfBodies(job, bodies, cache.optimizer());
    CacheFind found = CacheFind::Nothing;
    if (!runsAll) {
      Expected<CacheFind> lookup = cache.find(key, job, prefix);
      if (!lookup)
        return lookup.takeError();
      found = *lookup;
    }
    char state = found == CacheFind::Results   ? kHit
                 : found == CacheFind::Damaged ? kDamaged
                                               : kMiss;
    if (Error error = writeFileAtomically(keyPath(prefix), key.hex() + state))
      return std::move(error);
    return found == CacheFind::Results;
  }

  std::optional<std::string> find(const Digest &key) override {
    return cache.findBytes(keyOfIntermediate(key, cache.optimizer()));
  }

  /// What hinders this hinders the link too when it keeps the job's results,
  /// and it says so.
  void keep(const Digest &key, StringRef bytes) override {
    consumeError(
        cache.storeBytes(keyOfIntermediate(key, cache.optimizer()), bytes));
  }

private:
  const Cache &cache;
  const LtransJob &job;
  const std::string &prefix;
  bool runsAll;
};
} // namespace

Error CachedJobs::run(const LtransJob &job, const std::string &prefix,
                      const std::string &saveTempsPrefix) const {
  CacheOfJob cacheOfJob(cache, job, prefix, runsAll);
  return runLtransJob(job, prefix, saveTempsPrefix, sendPhase, &cacheOfJob);
}

void CachedJobs::finished(size_t index, StringRef messages) {
  std::string prefix = prefixOf(index);
  auto file = MemoryBuffer::getFile(keyPath(prefix));
  StringRef text = file ? (*file)->getBuffer() : "";
  Digest bodies;
  if (text.empty() || !Digest::fromHex(text.drop_back(), bodies))
    return; // bodies that were to be folded differ: there are no results
  if (text.back() == kHit)
    jobStates[index] = CacheState::HitBodies;
  if (text.back() == kDamaged)
    warnOfDamage(jobs[index]);
  if (!writes)
    return;
  Error error = Error::success();
  if (text.back() == kHit)
    error = joinErrors(std::move(error), cache.refer(keys[index], bodies));
  else if (messages.empty())
    error = joinErrors(std::move(error), cache.store(keys[index], bodies,
                                                     jobs.make(index), prefix));
  if (error)
    stopWriting(std::move(error));
}

/// Returns what \p program, gpulto, says that it is. A program of the same
/// version may be another build, of another LLVM.
static Expected<Digest> identityOf(StringRef program) {
  Expected<ProcessResult> result =
      runProcess(program, {"ltrans", "--identity"});
  if (!result)
    return result.takeError();
  Digest digest;
  if (!result->succeeded() ||
      !Digest::fromHex(StringRef(result->output).trim(), digest))
    return makeError(program + " does not say what it is");
  return digest;
}

void CachedJobs::cameBack(size_t index, const JobReceipt &receipt,
                          StringRef program) {
  if (!writes || receipt.bodies.isNone())
    return;
  if (!remoteOptimizer) {
    Expected<Digest> identity = identityOf(program);
    if (!identity)
      return stopWriting(identity.takeError());
    remoteOptimizer = *identity;
  }
  if (receipt.optimizer != *remoteOptimizer)
    return;
  LtransJob job = jobs.make(index);
  Digest bodies = keyOfBodies(job, receipt.bodies, cache.optimizer());
  if (Error error = cache.store(keys[index], bodies, job, prefixOf(index)))
    stopWriting(std::move(error));
}

void CachedJobs::end(StringRef output) {
  if (writes)
    if (Error error = recordLink(cache.directory(), output, jobs, keys,
                                 jobStates, cache.optimizer()))
      stopWriting(std::move(error));
  cache.prune();
}

} // namespace gpulto
