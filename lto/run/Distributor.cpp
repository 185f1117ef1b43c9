//===- Distributor.cpp - Have a program run LTRANS jobs elsewhere ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The protocol is that of LLVM's Distributed ThinLTO, so that programs which
// serve clang serve gpulto, too: the distributor is run with its arguments and,
// last, the name of a JSON file,
//
//   { "common": { "linker_output": "app",
//                 "args": ["/opt/gpulto/bin/gpulto", "ltrans", ...],
//                 "inputs": [] },
//     "jobs": [ { "args": ["DIR/0.job.json", "-o", "DIR/0"],
//                 "inputs": ["DIR/0.job.json", "a.o"],
//                 "outputs": ["DIR/0.o", "DIR/0.report", "DIR/0.receipt"] } ] }
//
// It runs common.args + job.args for each job in the link's directory, and
// exits with a nonzero status if one fails. The link does not rely on that:
// receipts (lto/run/JobReceipt.h) say what was done.
//
//===----------------------------------------------------------------------===//

#include "lto/run/Distributor.h"

#include "support/Error.h"
#include "support/Subprocess.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

#include <unistd.h>

using namespace llvm;

namespace gpulto {

/// How long a distributor may take to cancel its jobs when the link is ended.
static constexpr unsigned kGraceMs = 10000;

static Error checkNames(ArrayRef<std::string> names) {
  for (const std::string &name : names)
    if (!json::isUTF8(name))
      return makeError("'" + name +
                       "' is not UTF-8, so the jobs of this link "
                       "cannot be described to a distributor");
  return Error::success();
}

Expected<std::string> describeForDistributor(const JobCommands &commands,
                                             StringRef output) {
  Error error = checkNames({output.str()});
  if (!error)
    error = checkNames(commands.common);
  json::Array jobs;
  for (const JobCommand &job : commands.jobs) {
    for (const auto *names : {&job.args, &job.inputs, &job.outputs})
      if (!error)
        error = checkNames(*names);
    if (error)
      break;
    jobs.push_back(json::Object{
        {"args", job.args}, {"inputs", job.inputs}, {"outputs", job.outputs}});
  }
  if (error)
    return std::move(error);
  json::Value file =
      json::Object{{"common", json::Object{{"linker_output", output},
                                           {"args", commands.common},
                                           {"inputs", json::Array()}}},
                   {"jobs", std::move(jobs)}};
  return formatv("{0:2}\n", file).str();
}

Expected<std::string> runDistributor(const JobCommands &commands,
                                     const RemoteOptions &remote,
                                     StringRef output, StringRef directory) {
  Expected<std::string> text = describeForDistributor(commands, output);
  if (!text)
    return text.takeError();
  std::string file = (directory + "/" + sys::path::stem(output) + "." +
                      Twine(getpid()) + ".dist-file.json")
                         .str();
  if (Error error = writeFileAtomically(file, *text))
    return std::move(error);
  std::vector<std::string> arguments = remote.distributorArguments;
  arguments.push_back(file);
  ProcessOptions process;
  process.ownGroup = true;
  process.graceMs = kGraceMs;
  Expected<ProcessResult> result =
      runProcess(remote.distributor, arguments, process);
  if (!result)
    return result.takeError();
  return std::move(result->errors);
}

} // namespace gpulto
