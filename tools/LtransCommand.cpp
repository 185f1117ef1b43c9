//===- LtransCommand.cpp - gpulto ltrans ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// One LTRANS job as a command of its own, so that any job runner, also one on
// another machine, can execute it. What it writes equals what the link writes.
//
//===----------------------------------------------------------------------===//

#include "tools/LtransCommand.h"

#include "lto/Ltrans.h"
#include "lto/LtransJob.h"
#include "lto/LtransReport.h"
#include "lto/ToolIdentity.h"
#include "support/Error.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Parallel.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

using namespace llvm;

namespace gpulto {

static const char kUsage[] =
    "usage: gpulto ltrans JOB -o PREFIX [--save-temps=PREFIX]\n"
    "\n"
    "Runs one LTRANS job. JOB is a job file of --gpulto-save-temps; a host "
    "job\n"
    "writes PREFIX.o, a device job PREFIX.ptx and, if it asks for one,\n"
    "PREFIX.cubin; PREFIX.report has its remarks and warnings, if any.\n"
    "A final .o of PREFIX is taken off.\n"
    "\n"
    "  -o PREFIX             where to write\n"
    "  --save-temps=PREFIX   keep PREFIX.in.bc and PREFIX.opt.bc: the merged\n"
    "                        module before and after optimization\n";

namespace {
struct LtransArguments {
  std::string job;
  std::string prefix;
  std::string saveTemps;
  bool help = false;
};
} // namespace

static Expected<LtransArguments> parse(ArrayRef<const char *> arguments) {
  LtransArguments result;
  for (size_t i = 0; i < arguments.size(); ++i) {
    StringRef argument = arguments[i];
    if (argument == "--help" || argument == "-h") {
      result.help = true;
    } else if (argument == "-o") {
      if (++i == arguments.size())
        return makeError("-o needs an argument");
      result.prefix = arguments[i];
    } else if (argument.consume_front("--save-temps=")) {
      result.saveTemps = argument.str();
    } else if (argument.starts_with("-") && argument != "-") {
      return makeError("unknown option '" + argument + "'");
    } else if (!result.job.empty()) {
      return makeError("two job files: '" + result.job + "' and '" + argument +
                       "'");
    } else {
      result.job = argument.str();
    }
  }
  if (result.help)
    return result;
  if (result.job.empty())
    return makeError("no job file");
  if (result.prefix.empty())
    return makeError("no output: -o PREFIX");
  result.prefix = StringRef(result.prefix).ends_with(".o")
                      ? StringRef(result.prefix).drop_back(2).str()
                      : result.prefix;
  return result;
}

/// Says on standard error that \p job has no results, if that is so.
static Error warnOfMismatches(const LtransJob &job, StringRef prefix) {
  std::string path = resultPaths(job, prefix).report;
  Expected<LtransReport> report = readReport(path);
  if (!report)
    return report.takeError();
  for (const FoldMismatch &mismatch : report->mismatches)
    errs() << "gpulto ltrans: warning: internal error: " << mismatch.text
           << "; " << path << " tells the link, there are no other results\n";
  return Error::success();
}

/// Another ptxas would make other code than the link expects.
static Error checkTools(const LtransJob &job) {
  if (job.device.ptxas.empty())
    return Error::success();
  Expected<Digest> digest = digestOfFile(job.device.ptxas);
  if (!digest)
    return digest.takeError();
  if (*digest == job.device.ptxasDigest)
    return Error::success();
  return inputError(InputLocation(job.device.ptxas),
                    "another ptxas than that of the link: its digest is " +
                        digest->hex() + ", the job expects " +
                        job.device.ptxasDigest.hex());
}

static Error runCommand(const LtransArguments &arguments) {
  auto text = MemoryBuffer::getFileOrSTDIN(arguments.job);
  if (!text)
    return inputError(InputLocation(arguments.job), text.getError().message());
  Expected<LtransJob> job = readJob((*text)->getBuffer(), arguments.job);
  if (!job)
    return job.takeError();
  job->device.tool.ownGroup = true;
  if (Error error = checkTools(*job))
    return error;
  if (Error error = runLtransJob(*job, arguments.prefix, arguments.saveTemps))
    return error;
  return warnOfMismatches(*job, arguments.prefix);
}

int ltransCommand(ArrayRef<const char *> arguments) {
  Expected<LtransArguments> parsed = parse(arguments);
  if (!parsed) {
    errs() << "gpulto ltrans: error: " << toString(parsed.takeError()) << '\n'
           << kUsage;
    return 2;
  }
  if (parsed->help) {
    outs() << kUsage;
    return 0;
  }
  // A job is one slot of the job server that started it.
  parallel::strategy = hardware_concurrency(1);
  if (Error error = runCommand(*parsed)) {
    errs() << "gpulto ltrans: error: " << toString(std::move(error)) << '\n';
    return 1;
  }
  return 0;
}

} // namespace gpulto
