//===- JobCommands.cpp - LTRANS jobs as commands --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lto/run/JobCommands.h"

#include "lto/job/JobResults.h"
#include "lto/run/JobReceipt.h"
#include "support/Subprocess.h"

#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace gpulto {

static std::string jobFile(StringRef prefix) {
  return (prefix + ".job.json").str();
}

static JobCommand jobCommand(const LtransJob &job, const LinkOptions &user,
                             StringRef directory) {
  std::string prefix = jobPrefix(directory, job);
  JobCommand command;
  command.name = describeJob(job);
  command.args = {jobFile(prefix), "-o", prefix};
  if (!user.saveTempsDirectory.empty())
    command.args.push_back("--save-temps=" +
                           jobPrefix(user.saveTempsDirectory, job));
  command.inputs.push_back(jobFile(prefix));
  StringSet<> named; // an archive holds several inputs
  for (const JobInput &input : job.inputs)
    if (named.insert(input.path).second)
      command.inputs.push_back(input.path);
  command.outputs = remoteOutputs(job, prefix, user.isTraced());
  return command;
}

JobCommands jobCommands(const LinkJobs &jobs, const LinkOptions &user,
                        StringRef directory) {
  JobCommands commands;
  // Temporary files of a job that is killed go with the results.
  commands.common = {user.remote.program, "ltrans", "--receipt",
                     ("--temp-dir=" + directory).str()};
  if (user.toolTimeoutSeconds != ToolOptions().timeoutSeconds)
    commands.common.push_back("--tool-timeout=" +
                              std::to_string(user.toolTimeoutSeconds));
  if (user.isTraced())
    commands.common.push_back("--time-trace");
  for (size_t i = 0; i < jobs.size(); ++i)
    commands.jobs.push_back(jobCommand(jobs.make(i), user, directory));
  return commands;
}

Error writeJobFiles(const LinkJobs &jobs, StringRef directory) {
  for (size_t i = 0; i < jobs.size(); ++i)
    if (Error error = writeFileAtomically(
            jobFile(jobPrefix(directory, jobs[i])), writeJob(jobs.make(i))))
      return error;
  return Error::success();
}

} // namespace gpulto
