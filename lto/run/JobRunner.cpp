//===- JobRunner.cpp - Run LTRANS jobs, here or elsewhere -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A job's result depends only on the job, so it does not matter who runs it:
//
//   here           forked processes of the link (lto/run/Scheduler)
//   a distributor  a program that the user names (lto/run/Distributor)
//   a build file   ninja or make (lto/run/BuildFile): one link writes the jobs
//                  and ends, ninja runs them, and the same link, run again by
//                  ninja, finds their results
//
// In each case, receipts say which results exist; the other jobs run here. A
// job that fails elsewhere for its own reasons fails here as well, with the
// message that the user would have seen in a local link.
//
//===----------------------------------------------------------------------===//

#include "lto/run/JobRunner.h"

#include "lto/job/JobResults.h"
#include "lto/ltrans/Ltrans.h"
#include "lto/run/BuildFile.h"
#include "lto/run/Distributor.h"
#include "lto/run/JobReceipt.h"
#include "support/Diagnostics.h"
#include "support/Error.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

using namespace llvm;

namespace gpulto {

//===----------------------------------------------------------------------===//
// Directories
//===----------------------------------------------------------------------===//

static Expected<std::string> absolute(StringRef path) {
  SmallString<128> result(path);
  if (std::error_code code = sys::fs::make_absolute(result))
    return inputError(InputLocation(path), code.message());
  sys::path::remove_dots(result, /*remove_dot_dot=*/false);
  return result.str().str();
}

/// Makes the directory through which the link and the machines of a distributor
/// exchange files.
static Expected<TempDir> makeExchange(const RemoteOptions &remote,
                                      StringRef output) {
  StringRef wanted = remote.jobDirectory;
  if (wanted.empty())
    wanted = sys::path::parent_path(output);
  Expected<std::string> parent = absolute(wanted);
  if (!parent)
    return parent.takeError();
  if (Error error = makeDirectories(*parent))
    return std::move(error);
  return TempDir::createIn(
      *parent, (sys::path::filename(output) + ".gpulto-jobs").str());
}

Expected<JobDirectories> makeJobDirectories(const RemoteOptions &remote,
                                            StringRef output) {
  Expected<TempDir> temporary = remote.distributor.empty()
                                    ? TempDir::create("gpulto")
                                    : makeExchange(remote, output);
  if (!temporary)
    return temporary.takeError();
  JobDirectories directories = {std::move(*temporary), remote.resultsDirectory};
  if (remote.emit != BuildFileKind::None)
    directories.jobs = remote.jobDirectory;
  if (directories.jobs.empty())
    directories.jobs = directories.temporary.path();
  else if (Error error = makeDirectories(directories.jobs))
    return std::move(error);
  return directories;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Returns the positions of the \p jobs that are not to be skipped.
static std::vector<size_t> wantedJobs(const LinkJobs &jobs,
                                      const JobRunnerOptions &options) {
  const BitVector &skip = options.local.skip;
  std::vector<size_t> wanted;
  for (size_t i = 0; i < jobs.size(); ++i)
    if (skip.empty() || !skip.test(i))
      wanted.push_back(i);
  return wanted;
}

/// Has the distributor run \p jobs. That it fails is no error of the link.
static Error distribute(const LinkJobs &jobs, const JobRunnerOptions &options,
                        Diagnostics &diagnostics) {
  const LinkOptions &user = options.local.user;
  const std::string &directory = options.local.outputDirectory;
  if (Error error = writeJobFiles(jobs, directory))
    return error;
  if (user.verbose)
    errs() << "gpulto: "
           << shellQuote(user.remote.distributor,
                         user.remote.distributorArguments)
           << " runs " << jobs.size() << " jobs in " << directory << '\n';
  if (options.local.progress)
    options.local.progress({.running = static_cast<unsigned>(jobs.size()),
                            .total = static_cast<unsigned>(jobs.size())});
  Expected<std::string> messages =
      runDistributor(jobCommands(jobs, user, directory), user.remote,
                     user.outputFile, directory);
  if (messages)
    errs() << *messages;
  else
    diagnostics.warning("--gpulto-distributor=: " +
                        toString(messages.takeError()));
  return Error::success();
}

/// Runs here the \p jobs at \p positions; what they took goes to \p results.
static Error runRest(const LinkJobs &jobs, ArrayRef<size_t> positions,
                     const SchedulerOptions &options,
                     std::vector<JobStatistics> &results) {
  SchedulerOptions local = options;
  local.skip.clear();
  if (options.finished)
    local.finished = [&](size_t index, StringRef messages) {
      options.finished(positions[index], messages);
    };
  Expected<std::vector<JobStatistics>> done =
      runJobs(SomeJobs(jobs, positions), local);
  if (!done)
    return done.takeError();
  for (auto [position, used] : zip_equal(positions, *done))
    results[position] = std::move(used);
  return Error::success();
}

Expected<std::vector<JobStatistics>>
runLtransJobs(const LinkJobs &jobs, const JobRunnerOptions &options,
              Diagnostics &diagnostics) {
  const LinkOptions &user = options.local.user;
  const RemoteOptions &remote = user.remote;
  if (remote.distributor.empty() && remote.resultsDirectory.empty())
    return runJobs(jobs, options.local);
  std::vector<size_t> wanted = wantedJobs(jobs, options), rest; // positions
  if (!remote.distributor.empty() && !wanted.empty())
    if (Error error = distribute(SomeJobs(jobs, wanted), options, diagnostics))
      return std::move(error);
  std::vector<JobStatistics> results(jobs.size());
  for (size_t i : wanted) {
    const LtransJob job = jobs.make(i);
    std::string prefix = jobPrefix(options.local.outputDirectory, job);
    Expected<JobReceipt> receipt = checkReceipt(job, prefix, user.isTraced());
    if (receipt) {
      if (options.cameBack)
        options.cameBack(i, *receipt);
      results[i] = std::move(receipt->used);
      continue;
    }
    diagnostics.warning(nameOfJob(job) +
                        " runs here: " + toString(receipt.takeError()));
    if (Error error = removeOutputs(job, prefix, user.isTraced()))
      return std::move(error);
    rest.push_back(i);
  }
  if (!rest.empty())
    if (Error error = runRest(jobs, rest, options.local, results))
      return std::move(error);
  return results;
}

Expected<std::string> emitLtransJobs(const LinkJobs &all,
                                     const JobRunnerOptions &options) {
  const LinkOptions &user = options.local.user;
  if (user.remote.linkCommand.empty())
    return makeError("--gpulto-emit= is not possible with this linker; "
                     "use lld or mold");
  SomeJobs jobs(all, wantedJobs(all, options));
  const std::string &directory = options.local.outputDirectory;
  if (Error error = writeJobFiles(jobs, directory))
    return std::move(error);
  Expected<std::string> output = absolute(user.outputFile);
  if (!output)
    return output.takeError();
  return writeBuildFile(jobCommands(jobs, user, directory), user.remote,
                        *output, directory);
}

} // namespace gpulto
