//===- LtransCommand.cpp - gpulto ltrans ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// One LTRANS job as a separate command, so that any job runner, even on another
// machine, can execute it. Its output equals that of the link.
//
//===----------------------------------------------------------------------===//

#include "tools/commands/LtransCommand.h"

#include "lto/job/JobPhases.h"
#include "lto/job/LtransJob.h"
#include "lto/job/LtransReport.h"
#include "lto/job/ToolIdentity.h"
#include "lto/link/TimeTrace.h"
#include "lto/ltrans/Ltrans.h"
#include "lto/run/JobReceipt.h"
#include "support/Error.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Parallel.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <vector>

using namespace llvm;

namespace gpulto {

static const char kUsage[] =
    "usage: gpulto ltrans JOB -o PREFIX [options]\n"
    "\n"
    "Runs one LTRANS job. JOB is a job file of --gpulto-save-temps; a host "
    "job\n"
    "writes PREFIX.o, a device job PREFIX.ptx and, if it asks for one,\n"
    "PREFIX.cubin; PREFIX.report has its remarks and warnings, if any.\n"
    "A final .o of PREFIX is taken off.\n"
    "\n"
    "  -o PREFIX             where to write\n"
    "  --save-temps=PREFIX   keep PREFIX.in.bc and PREFIX.opt.bc: the merged\n"
    "                        module before and after optimization\n"
    "  --temp-dir=DIR        put temporary files in DIR, not in TMPDIR\n"
    "  --time-trace          write PREFIX.trace.json, in Chrome's format\n"
    "  --tool-timeout=N      stop ptxas after N seconds; 0: never\n"
    "  --receipt             for engines that run jobs of a link: write all\n"
    "                        outputs, those without contents too, and last\n"
    "                        PREFIX.receipt, by which the link checks them\n"
    "  --identity            print what receipts say of who made the results\n";

namespace {
struct LtransArguments {
  std::string job;
  std::string prefix;
  std::string saveTemps;
  std::string tempDirectory;
  std::optional<unsigned> toolTimeoutSeconds;
  bool trace = false;
  bool receipt = false;
  bool identity = false;
  bool help = false;
};
} // namespace

/// Sets the options of LLVM that the linker was given.
static Error setLlvmOptions(const LtransJob &job) {
  std::vector<const char *> words = {"gpulto ltrans"};
  for (const std::string &option : job.llvmOptions)
    words.push_back(option.c_str());
  std::string problems;
  raw_string_ostream stream(problems);
  if (words.size() > 1 &&
      !cl::ParseCommandLineOptions(static_cast<int>(words.size()), words.data(),
                                   "", &stream))
    return makeError(StringRef(problems).rtrim());
  return Error::success();
}

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
    } else if (argument.consume_front("--temp-dir=")) {
      result.tempDirectory = argument.str();
    } else if (argument.consume_front("--tool-timeout=")) {
      unsigned seconds = 0;
      if (argument.getAsInteger(10, seconds))
        return makeError("--tool-timeout= needs a number of seconds");
      result.toolTimeoutSeconds = seconds;
    } else if (argument == "--time-trace") {
      result.trace = true;
    } else if (argument == "--receipt") {
      result.receipt = true;
    } else if (argument == "--identity") {
      result.identity = true;
    } else if (argument.starts_with("-") && argument != "-") {
      return makeError("unknown option '" + argument + "'");
    } else if (!result.job.empty()) {
      return makeError("two job files: '" + result.job + "' and '" + argument +
                       "'");
    } else {
      result.job = argument.str();
    }
  }
  if (result.help || result.identity)
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

/// Another ptxas may make other code than the link expects: an error where the
/// link gets the results (\p isForLink), else a warning, for who repeats a
/// saved job may have no other.
static Error checkTools(const LtransJob &job, bool isForLink) {
  if (job.device.ptxas.empty())
    return Error::success();
  Expected<Digest> digest = digestOfFile(job.device.ptxas);
  if (!digest)
    return digest.takeError();
  if (*digest == job.device.ptxasDigest)
    return Error::success();
  Error error = inputError(InputLocation(job.device.ptxas),
                           "another ptxas than that of the link: its digest "
                           "is " +
                               digest->hex() + ", the job expects " +
                               job.device.ptxasDigest.hex());
  if (isForLink)
    return error;
  errs() << "gpulto ltrans: warning: " << toString(std::move(error)) << '\n';
  return Error::success();
}

namespace {
/// Has nothing and keeps nothing, but tells what the job has read.
class BodiesNote : public JobCache {
public:
  Expected<bool> findResults(const Digest &digest) override {
    bodies = digest;
    return false;
  }
  std::optional<std::string> find(const Digest &) override {
    return std::nullopt;
  }
  void keep(const Digest &, StringRef) override {}

  Digest bodies;
};
} // namespace

/// Runs \p job; what it took is added to \p says. Who repeats a saved job gets
/// no receipt.
static Error runTimed(const LtransJob &job, const LtransArguments &arguments,
                      JobReceipt &says) {
  JobStatistics &used = says.used;
  BodiesNote note;
  uint64_t said = errs().tell();
  auto start = std::chrono::steady_clock::now();
  if (arguments.trace)
    timeTraceProfilerInitialize(/*TimeTraceGranularity=*/100, "gpulto ltrans");
  Error error = runLtransJob(
      job, arguments.prefix, arguments.saveTemps,
      [&](StringRef phase) {
        used.phases.push_back({phase.str(), usedCpuSeconds()});
      },
      arguments.receipt ? &note : nullptr);
  if (!error && arguments.trace)
    error = endJobTrace(jobTracePath(arguments.prefix));
  // A later link would not say it again.
  if (errs().tell() == said)
    says.bodies = note.bodies;
  used.cpuSeconds = usedCpuSeconds();
  closePhases(used.phases, used.cpuSeconds);
  used.wallSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return error;
}

/// Returns the most memory that this process or one of its children has used.
static uint64_t peakMemoryBytes() {
  long kilobytes = 0;
  for (int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage = {};
    getrusage(who, &usage);
    kilobytes = std::max(kilobytes, usage.ru_maxrss);
  }
  return static_cast<uint64_t>(kilobytes) * 1024;
}

/// Prints the identity of the optimizer in receipts of this program.
static Error printIdentity() {
  Expected<Digest> optimizer = identityOfOptimizer();
  if (!optimizer)
    return optimizer.takeError();
  outs() << optimizer->hex() << '\n';
  return Error::success();
}

static Error runCommand(const LtransArguments &arguments) {
  if (arguments.identity)
    return printIdentity();
  if (!arguments.tempDirectory.empty())
    setenv("TMPDIR", arguments.tempDirectory.c_str(), /*overwrite=*/1);
  auto text = MemoryBuffer::getFileOrSTDIN(arguments.job);
  if (!text)
    return inputError(InputLocation(arguments.job), text.getError().message());
  Expected<LtransJob> job = readJob((*text)->getBuffer(), arguments.job);
  if (!job)
    return job.takeError();
  if (Error error = checkTools(*job, arguments.receipt))
    return error;
  if (Error error = setLlvmOptions(*job))
    return error;
  job->device.tool.ownGroup = true;
  if (arguments.toolTimeoutSeconds)
    job->device.tool.timeoutSeconds = *arguments.toolTimeoutSeconds;
  if (arguments.receipt)
    if (Error error = removeOutputs(*job, arguments.prefix, arguments.trace))
      return error;
  JobReceipt says;
  if (Error error = runTimed(*job, arguments, says))
    return error;
  if (Error error = warnOfMismatches(*job, arguments.prefix))
    return error;
  says.used.peakMemoryBytes = peakMemoryBytes();
  if (!arguments.receipt)
    return Error::success();
  Expected<Digest> optimizer = identityOfOptimizer();
  if (!optimizer)
    return optimizer.takeError();
  says.optimizer = *optimizer;
  return writeReceipt(*job, digestOf((*text)->getBuffer()), arguments.prefix,
                      arguments.trace, says);
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
