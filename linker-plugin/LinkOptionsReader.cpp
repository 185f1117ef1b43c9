//===- LinkOptionsReader.cpp - A link's options, parsed -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "linker-plugin/LinkOptionsReader.h"

#include "linker-plugin/Installation.h"
#include "linker-plugin/OptionTable.h"
#include "lto/run/MemoryBudget.h"
#include "lto/tables/KernelTable.h"
#include "support/Error.h"
#include "support/Subprocess.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Option/Arg.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/GlobPattern.h"

using namespace llvm;
using namespace llvm::opt;

namespace gpulto {
namespace {

/// Returns the error for \p arg, whose value is not \p expected.
Error invalidValue(const Arg &arg, const Twine &expected) {
  return makeError("invalid value '" + Twine(arg.getValue()) + "' in '" +
                   arg.getSpelling() + arg.getValue() + "', expected " +
                   expected);
}

/// Reads the positive number \p arg holds into \p result.
Error readCount(const Arg &arg, const Twine &expected, unsigned &result) {
  if (StringRef(arg.getValue()).getAsInteger(10, result) || result == 0)
    return invalidValue(arg, expected);
  return Error::success();
}

/// A link with a cache is one of many, each after an edit.
Error readPartitions(const ArgList &args, PartitionOptions &partitions) {
  const Arg *arg = args.getLastArg(options::OPT_partitions);
  StringRef value = arg ? arg->getValue() : "auto";
  partitions.isFine = value == "fine" ||
                      (value == "auto" &&
                       !args.getLastArgValue(options::OPT_cache_dir).empty());
  partitions.mode = StringSwitch<PartitionMode>(value)
                        .Case("one", PartitionMode::One)
                        .Case("max", PartitionMode::Max)
                        .Case("1to1", PartitionMode::OneToOne)
                        .Default(PartitionMode::Balanced);
  if (value == "auto" || value == "fine" || value == "coarse" ||
      partitions.mode != PartitionMode::Balanced)
    return Error::success();
  return readCount(*arg,
                   "a number from 1, auto, coarse, fine, one, max or 1to1",
                   partitions.count);
}

Error readMemory(const ArgList &args, MemoryLimit &limit) {
  const Arg *arg = args.getLastArg(options::OPT_memory);
  if (!arg)
    return Error::success();
  std::optional<MemoryLimit> given = parseMemoryLimit(arg->getValue());
  if (!given)
    return invalidValue(*arg,
                        "a number of bytes above 0, with K, M, G or T for "
                        "units of 1024, or a percentage up to 100%");
  limit = *given;
  return Error::success();
}

/// Reads the options that are one of a few words; their values have been
/// checked against Options.td.
void readChoices(const ArgList &args, LinkOptions &link) {
  StringRef embed = args.getLastArgValue(options::OPT_embed);
  link.embedGiven = !embed.empty();
  link.embed = StringSwitch<EmbedKind>(embed)
                   .Case("ptx", EmbedKind::Ptx)
                   .Case("cubin", EmbedKind::Cubin)
                   .Default(EmbedKind::Both);
  link.compression =
      parseCompression(args.getLastArgValue(options::OPT_compress));
  link.kernelCheck = StringSwitch<KernelCheckMode>(
                         args.getLastArgValue(options::OPT_check_kernels))
                         .Case("ptxas", KernelCheckMode::Ptxas)
                         .Case("off", KernelCheckMode::Off)
                         .Default(KernelCheckMode::Auto);
  link.icf.mode = StringSwitch<FoldMode>(args.getLastArgValue(options::OPT_icf))
                      .Case("all", FoldMode::All)
                      .Case("none", FoldMode::None)
                      .Default(FoldMode::Safe);
  if (args.getLastArgValue(options::OPT_icf_kernels) == "register")
    link.icf.kernels = FoldKernels::Register;
  link.analysis.guardsKernels = args.hasFlag(
      options::OPT_guarded_kernels, options::OPT_no_guarded_kernels, true);
  link.analysis.removesCopies =
      args.hasFlag(options::OPT_transfers, options::OPT_no_transfers, true);
  link.analysis.recordsCopies =
      link.analysis.removesCopies &&
      args.hasFlag(options::OPT_transfer_epochs,
                   options::OPT_no_transfer_epochs, false);
  link.analysis.areNodesUnchanged =
      args.getLastArgValue(options::OPT_graph_nodes) == "unchanged";
  link.jobserver =
      StringSwitch<JobserverMode>(args.getLastArgValue(options::OPT_jobserver))
          .Case("strict", JobserverMode::Strict)
          .Case("off", JobserverMode::Off)
          .Default(JobserverMode::Auto);
  link.progress =
      StringSwitch<ProgressMode>(args.getLastArgValue(options::OPT_progress))
          .Case("on", ProgressMode::On)
          .Case("off", ProgressMode::Off)
          .Default(ProgressMode::Auto);
}

/// Returns where intermediate files are kept; empty: nowhere.
std::string saveTempsDirectory(const ArgList &args, StringRef outputFile) {
  const Arg *arg =
      args.getLastArg(options::OPT_save_temps, options::OPT_save_temps_EQ);
  if (!arg)
    return "";
  if (arg->getOption().matches(options::OPT_save_temps_EQ))
    return arg->getValue();
  return (outputFile + ".gpulto-temps").str();
}

Error readCachePolicy(const ArgList &args, CacheOptions &cache) {
  const Arg *arg = args.getLastArg(options::OPT_cache_policy);
  if (!arg)
    return Error::success();
  Expected<CachePruningPolicy> policy =
      parseCachePruningPolicy(arg->getValue());
  if (!policy)
    return invalidValue(*arg, "name=value pairs with colons between them: " +
                                  toString(policy.takeError()));
  cache.policy = *policy;
  return Error::success();
}

/// Reads how jobs get to other machines, in a link that makes \p outputFile.
Error readRemoteOptions(const ArgList &args, StringRef outputFile,
                        RemoteOptions &remote) {
  StringRef distributor = args.getLastArgValue(options::OPT_distributor);
  StringRef emit = args.getLastArgValue(options::OPT_emit);
  remote.distributorArguments =
      args.getAllArgValues(options::OPT_distributor_arg);
  remote.jobDirectory = args.getLastArgValue(options::OPT_job_directory);
  remote.resultsDirectory = args.getLastArgValue(options::OPT_results);
  remote.emit = StringSwitch<BuildFileKind>(emit)
                    .Case("ninja", BuildFileKind::Ninja)
                    .Case("make", BuildFileKind::Make)
                    .Default(BuildFileKind::None);
  if (distributor.empty() && emit.empty() && remote.resultsDirectory.empty())
    return Error::success();
  if (!distributor.empty() && !emit.empty())
    return makeError("--gpulto-distributor= and --gpulto-emit= exclude each "
                     "other");
  Expected<std::string> program = findOwnProgram();
  if (!program)
    return program.takeError();
  remote.program = std::move(*program);
  if (distributor.empty() && emit.empty())
    return Error::success();
  if (distributor.empty()) {
    SmallString<128> directory(remote.jobDirectory);
    if (directory.empty())
      directory = (outputFile + ".gpulto-jobs").str();
    if (std::error_code code = sys::fs::make_absolute(directory))
      return inputError(InputLocation(directory), code.message());
    remote.jobDirectory = directory.str().str();
    return Error::success();
  }
  Expected<std::string> path =
      findProgram(distributor, {adapterDirectory(remote.program)});
  if (!path)
    return makeError("--gpulto-distributor=: " + toString(path.takeError()));
  remote.distributor = std::move(*path);
  return Error::success();
}

Error readDiagnosticsOptions(const ArgList &args, ParsedLinkOptions &result) {
  DiagnosticsOptions &to = result.diagnostics;
  to.passed = args.getLastArgValue(options::OPT_rpass);
  to.missed = args.getLastArgValue(options::OPT_rpass_missed);
  to.analysis = args.getLastArgValue(options::OPT_rpass_analysis);
  result.remarksFile = args.getLastArgValue(options::OPT_remarks);
  to.keepRemarks = !result.remarksFile.empty();
  to.kept = args.getLastArgValue(options::OPT_remarks_passes);
  to.stories = kStoryPasses;
  if (StringRef format = args.getLastArgValue(options::OPT_remarks_format);
      format == "bitstream")
    result.remarksFormat = remarks::Format::Bitstream;
  else if (!format.empty() && format != "yaml")
    return makeError("--gpulto-remarks-format=" + format +
                     ": expected yaml or bitstream");
  return Diagnostics::checkOptions(to);
}

Error readSkippedOptions(const ArgList &args, SkippedOptions &skipped) {
  if (const Arg *arg = args.getLastArg(
          options::OPT_warn_skipped, options::OPT_no_warn_skipped,
          options::OPT_error_skipped, options::OPT_no_error_skipped))
    skipped.mode = arg->getOption().matches(options::OPT_error_skipped)
                       ? SkippedMode::Error
                   : arg->getOption().matches(options::OPT_no_warn_skipped)
                       ? SkippedMode::Ignore
                       : SkippedMode::Warn;
  skipped.allowed = args.getAllArgValues(options::OPT_allow_native);
  for (const Arg *arg : args.filtered(options::OPT_allow_native))
    if (Expected<GlobPattern> pattern = GlobPattern::create(arg->getValue());
        !pattern)
      return invalidValue(*arg, "a pattern of file names: " +
                                    toString(pattern.takeError()));
  return Error::success();
}

Error readMemoryReport(const ArgList &args, MemoryReportOptions &report) {
  report.isError = args.hasFlag(options::OPT_error_uncoalesced,
                                options::OPT_no_error_uncoalesced, false);
  report.allowed = args.getAllArgValues(options::OPT_allow_uncoalesced);
  for (const Arg *arg : args.filtered(options::OPT_allow_uncoalesced))
    if (Expected<GlobPattern> pattern = GlobPattern::create(arg->getValue());
        !pattern)
      return invalidValue(*arg, "a pattern of kernels or source files: " +
                                    toString(pattern.takeError()));
  return Error::success();
}

Error readPrefixMaps(const ArgList &args, ParsedLinkOptions &result) {
  for (const Arg *arg : args.filtered(options::OPT_prefix_map)) {
    StringRef value = arg->getValue();
    if (!value.contains('='))
      return invalidValue(*arg, "<old>=<new>");
    auto [from, to] = value.split('=');
    result.prefixMaps.emplace_back(from, to);
  }
  if (const Arg *arg = args.getLastArg(options::OPT_input_root)) {
    StringRef value = arg->getValue();
    if (!value.contains('='))
      return invalidValue(*arg, "<copies>=<directory>");
    std::tie(result.inputCopies, result.inputDirectory) = value.split('=');
  }
  return Error::success();
}

} // namespace

Expected<ParsedLinkOptions> readLinkOptions(const ArgList &args,
                                            StringRef outputFile) {
  ParsedLinkOptions result;
  LinkOptions &link = result.link;
  link.outputFile = outputFile.str();
  if (const Arg *arg = args.getLastArg(options::OPT_jobs))
    if (Error error = readCount(*arg, "a number from 1", link.jobs))
      return error;
  if (Error error = readMemory(args, link.memory))
    return error;
  if (Error error = readPartitions(args, link.partitions))
    return error;
  readChoices(args, link);
  result.nativeRelocatable =
      args.getLastArgValue(options::OPT_relocatable) == "native";
  if (const Arg *arg = args.getLastArg(options::OPT_tool_timeout))
    if (StringRef(arg->getValue()).getAsInteger(10, link.toolTimeoutSeconds))
      return invalidValue(*arg, "a number of seconds, or 0 for no limit");
  link.cudaPath = args.getLastArgValue(options::OPT_cuda_path);
  link.ptxasArguments = args.getAllArgValues(options::OPT_ptxas_arg);
  link.statsFile = args.getLastArgValue(options::OPT_stats);
  link.timeTraceFile = args.getLastArgValue(options::OPT_time_trace);
  link.saveTempsDirectory = saveTempsDirectory(args, outputFile);
  link.saveLinkDirectory = args.getLastArgValue(options::OPT_save_link);
  link.verbose = args.hasArg(options::OPT_verbose);
  for (const std::string &assignment : args.getAllArgValues(options::OPT_param))
    if (Error error = link.params.set(assignment))
      return error;
  link.cache.directory = args.getLastArgValue(options::OPT_cache_dir);
  if (Error error = readCachePolicy(args, link.cache))
    return error;
  if (Error error = readRemoteOptions(args, outputFile, link.remote))
    return error;
  if (Error error = readDiagnosticsOptions(args, result))
    return error;
  if (Error error = readSkippedOptions(args, result.skipped))
    return error;
  if (Error error = readMemoryReport(args, link.memoryReport))
    return error;
  if (Error error = readPrefixMaps(args, result))
    return error;
  return result;
}

} // namespace gpulto
