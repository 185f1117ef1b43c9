//===- JobCommands.h - LTRANS jobs as commands ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A job that runs in another process is the command `gpulto ltrans JOB` on a
// job file. Its inputs and outputs are listed with it, so that any engine can
// run it: a distributor, ninja, make.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_RUN_JOBCOMMANDS_H
#define GPULTO_LTO_RUN_JOBCOMMANDS_H

#include "lto/job/LinkJobs.h"
#include "lto/link/LinkOptions.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace gpulto {

struct JobCommand {
  std::string name;                 ///< describeJob()
  std::vector<std::string> args;    ///< after JobCommands::common
  std::vector<std::string> inputs;  ///< the job file, then the files it names
  std::vector<std::string> outputs; ///< the receipt last
};

struct JobCommands {
  std::vector<std::string> common; ///< the program and common arguments
  std::vector<JobCommand> jobs;
};

/// Returns the names of all files that job I of \p jobs reads and writes, as
/// `DIRECTORY/I...`, and its command, which runs in the current directory. \p
/// directory is absolute; of the options count RemoteOptions::program,
/// saveTempsDirectory, toolTimeoutSeconds and timeTraceFile.
JobCommands jobCommands(const LinkJobs &jobs, const LinkOptions &user,
                        llvm::StringRef directory);

/// Writes the job files that jobCommands names. Errors: a file cannot be
/// written.
llvm::Error writeJobFiles(const LinkJobs &jobs, llvm::StringRef directory);

} // namespace gpulto

#endif
