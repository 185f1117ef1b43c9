//===- DriverCompile.cpp - LGEN: one source to one fat object -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A CUDA source becomes one run of clang per device architecture and one for
// the host, because clang's own offloading would store the device bitcode in
// the object up to four times:
//
//   device  --cuda-device-only ... -foffload-lto=thin -emit-llvm -> bitcode
//   host    --cuda-host-only ... -flto=thin -ffat-lto-objects -> object
//
// Both load the LGEN plugin, which writes the summary to a side file; the
// object is assembled from all of them. Host code alone is one run.
//
// The host run has the user's -o: dependency files, -gsplit-dwarf, -ftime-trace
// and coverage notes all take their names from it. It comes last, so that the
// finished object immediately replaces the file that clang leaves there.
//
// The device passes include headers that the host's does not (under
// __CUDA_ARCH__), so the host's dependency file is completed from theirs.
//
//===----------------------------------------------------------------------===//
#include "tools/driver/DriverCompile.h"

#include "support/Error.h"
#include "support/RegisterLimit.h"
#include "support/Subprocess.h"
#include "tools/driver/DriverClang.h"
#include "tools/driver/DriverIdentity.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
namespace opts = clang::driver::options;
namespace types = clang::driver::types;

namespace gpulto::driver {

/// Arguments that no run gets from the user: the driver sets them per run.
static bool isSetByDriver(const DriverArg &argument) {
  static constexpr unsigned kIds[] = {
      opts::OPT_INPUT,
      opts::OPT__DASH_DASH,
      opts::OPT_x,
      opts::OPT_o,
      opts::OPT_Action_Group,
      opts::OPT__HASH_HASH_HASH,
      opts::OPT_ffat_lto_objects,
      opts::OPT_fno_fat_lto_objects,
      opts::OPT_foffload_lto,
      opts::OPT_foffload_lto_EQ,
      opts::OPT_fno_offload_lto,
      opts::OPT_fgpu_rdc,
      opts::OPT_fno_gpu_rdc,
      opts::OPT_offload_new_driver,
      opts::OPT_no_offload_new_driver,
      opts::OPT_offload_host_only,
      opts::OPT_offload_device_only,
      opts::OPT_offload_host_device,
      opts::OPT_offload_link,
      opts::OPT_cuid_EQ,
      opts::OPT_fuse_cuid_EQ,
      opts::OPT_cuda_include_ptx_EQ,
      opts::OPT_no_cuda_include_ptx_EQ,
      opts::OPT_Xcuda_ptxas,
      opts::OPT_Xcuda_fatbinary,
      opts::OPT_fwhole_program_vtables,
      opts::OPT_fno_whole_program_vtables,
      opts::OPT_fsplit_lto_unit,
      opts::OPT_fno_split_lto_unit,
  };
  if (isOwn(argument) || choosesLto(argument) || choosesArchitecture(argument))
    return true;
  return any_of(kIds, [&](unsigned id) { return argument.is(id); });
}

/// Arguments about files that the host's run alone writes.
static bool isHostOnly(const DriverArg &argument) {
  static constexpr unsigned kIds[] = {
      opts::OPT_M_Group,
      opts::OPT_dumpdir,
      opts::OPT_ftime_trace,
      opts::OPT_ftime_trace_EQ,
      opts::OPT_fsave_optimization_record,
      opts::OPT_fsave_optimization_record_EQ,
      opts::OPT_foptimization_record_file_EQ,
      opts::OPT_gsplit_dwarf,
      opts::OPT_gsplit_dwarf_EQ,
      opts::OPT_grecord_command_line,
      opts::OPT_frecord_command_line,
  };
  return any_of(kIds, [&](unsigned id) { return argument.is(id); });
}

/// Arguments that a compile before a link in the same call does not need.
static bool isForLinkOnly(const DriverArg &argument) {
  return argument.arg->getOption().hasFlag(opts::LinkerInput);
}

static bool wantsDependencies(const CommandLine &line) {
  return line.clangArgs().hasArg(opts::OPT_MD, opts::OPT_MMD);
}

/// The file clang writes dependencies to (clang's getDependencyFileName).
static std::string dependencyFile(const CommandLine &line,
                                  const DriverInput &input) {
  StringRef given = line.clangArgs().getLastArgValue(opts::OPT_MF);
  if (!given.empty())
    return given.str();
  StringRef output = line.output();
  if (!output.empty())
    return (output.substr(0, output.rfind('.')) + ".d").str();
  return (sys::path::stem(input.path) + ".d").str();
}

/// Adds the input as the last words of \p command.
static void addInput(Command &command, const DriverInput &input) {
  if (input.typeGiven) {
    command.add("-x");
    command.add(types::getTypeName(input.type));
  }
  if (input.afterDashDash)
    command.add("--");
  command.add(input.path);
}

static void addLgen(Command &command, const CompileContext &context,
                    const DriverInput &input, const std::string &summary) {
  const std::string &plugin = context.installation.lgenPlugin;
  if (!plugin.empty())
    command.addAll({"-fplugin=" + plugin, "-fpass-plugin=" + plugin});
  // Not as -mllvm: clang's assembler takes that too, without plugins.
  command.addAll(
      {"-Xclang", "-mllvm", "-Xclang", "-gpulto-summary-out=" + summary});
  if (input.isCuda()) {
    command.add("-D__GPULTO_LGEN__");
    // clang is told -fgpu-rdc in any case.
    if (!context.line.clangArgs().hasFlag(opts::OPT_fgpu_rdc,
                                          opts::OPT_fno_gpu_rdc, false))
      command.addAll({"-Xclang", "-mllvm", "-Xclang", "-gpulto-no-rdc"});
  }
  std::string name = mappedPath(context.line, input.path);
  if (!name.empty())
    command.addAll(
        {"-Xclang", "-mllvm", "-Xclang", "-gpulto-source-name=" + name});
}

/// clang colors its messages only on a terminal; messages of parallel runs
/// pass through files.
static void addColor(Command &command) {
  if (sys::Process::StandardErrHasColors())
    command.add("-fcolor-diagnostics");
}

/// Says which unit static device symbols are named after.
static void addUnit(Command &command, const std::string &unit) {
  command.add("-cuid=" + unit);
}

/// Says to LGEN what ptxas, which only a link runs, would make of the unit's
/// kernels.
static void addRegisterLimit(Command &command, const CommandLine &line) {
  uint32_t limit =
      registerLimit(line.clangArgs().getAllArgValues(opts::OPT_Xcuda_ptxas));
  if (limit)
    command.addAll({"-Xclang", "-mllvm", "-Xclang",
                    "-gpulto-register-limit=" + std::to_string(limit)});
}

static Command deviceCommand(const CompileContext &context,
                             const DriverInput &input, const DeviceFiles &files,
                             const std::string &unit,
                             const std::string &dependencies) {
  Command command = clangCommand(context.installation);
  addColor(command);
  command.addAll(cudaRepairs(context.line, context.toolkit,
                             context.installation, context.architectures));
  // The options of a link and of the host's output are no use here.
  command.add("-Qunused-arguments");
  for (const DriverArg &argument : context.line.arguments())
    if (!isSetByDriver(argument) && !isHostOnly(argument) &&
        !isForLinkOnly(argument))
      command.addWords(context.line.wordsOf(argument));
  command.addAll(deviceWords(context.line, context.toolkit, files.arch));
  command.addAll({"--cuda-device-only",
                  "--offload-arch=" + frontEndArch(files.arch),
                  "--offload-new-driver", "-fgpu-rdc", "-foffload-lto=thin",
                  "-emit-llvm"});
  addUnit(command, unit);
  addLgen(command, context, input, files.summary);
  addRegisterLimit(command, context.line);
  command.addAll(
      {"-Xclang", "-mllvm", "-Xclang", "-gpulto-arch=" + files.arch});
  if (!dependencies.empty())
    command.addAll(
        {context.line.clangArgs().hasArg(opts::OPT_MD) ? "-MD" : "-MMD", "-MF",
         dependencies, "-MT", "device"});
  command.addAll({"-c", "-o", files.bitcode});
  addInput(command, input);
  return command;
}

/// Names of files that clang derives from the output of the link.
static void addNamesOfLink(Command &command, const CompileContext &context,
                           const DriverInput &input) {
  const CommandLine &line = context.line;
  command.add("-Qunused-arguments");
  StringRef output = line.output();
  if (!line.clangArgs().hasArg(opts::OPT_dumpdir))
    command.addAll({"-dumpdir", (output.empty() ? "a" : output.str()) + "-"});
  if (!wantsDependencies(line))
    return;
  command.addAll({"-MF", dependencyFile(line, input)});
  if (!line.clangArgs().hasArg(opts::OPT_MT, opts::OPT_MQ)) {
    std::string object = (sys::path::stem(input.path) + ".o").str();
    command.addAll({"-MT", output.empty() ? object : output.str()});
  }
}

static Command hostCommand(const CompileContext &context,
                           const DriverInput &input, const CompilePlan &plan,
                           const std::string &unit) {
  const CommandLine &line = context.line;
  Command command = clangCommand(context.installation);
  addColor(command);
  if (input.isCuda())
    command.addAll(cudaRepairs(line, context.toolkit, context.installation,
                               context.architectures));
  for (const DriverArg &argument : line.arguments())
    if (!isSetByDriver(argument) &&
        !(context.linkFollows && isForLinkOnly(argument)))
      command.addWords(line.wordsOf(argument));
  if (context.linkFollows)
    addNamesOfLink(command, context, input);
  if (input.isCuda()) {
    command.addAll({"--cuda-host-only", "--offload-new-driver", "-fgpu-rdc"});
    addUnit(command, unit);
    if (line.ownArgs().hasArg(options::OPT_hidden_entities))
      command.add("-D__GPULTO_HIDDEN_ENTITIES__");
  }
  if (plan.isFat) {
    command.addAll({"-flto=thin", "-ffat-lto-objects"});
    addLgen(command, context, input, plan.files.hostSummary);
    if (line.ownArgs().hasArg(options::OPT_trace_host))
      command.addAll({"-Xclang", "-mllvm", "-Xclang", "-gpulto-trace-host"});
    if (plan.files.slim)
      command.addAll({"-Xclang", "-mllvm", "-Xclang", "-gpulto-slim"});
  }
  command.addAll({"-c", "-o", plan.files.hostObject});
  addInput(command, input);
  return command;
}

/// Returns the contents of the source, which part of its identity is made of.
/// Standard input can be read once only, so it is kept in \p copy.
static Expected<std::string> readSource(const DriverInput &input,
                                        const std::string &copy) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      MemoryBuffer::getFileOrSTDIN(input.path);
  if (!buffer)
    return inputError(InputLocation(input.path),
                      "cannot read: " + buffer.getError().message());
  std::string contents = (*buffer)->getBuffer().str();
  if (input.path == "-")
    if (Error failure = writeFileAtomically(copy, contents))
      return failure;
  return contents;
}

/// Whether the file at \p path can be replaced by another (not /dev/null).
static bool isReplaceable(const std::string &path) {
  sys::fs::file_status status;
  return path != "-" &&
         (sys::fs::status(path, status) || sys::fs::is_regular_file(status));
}

/// Plans the device runs of a CUDA source.
static Error planDevices(const CompileContext &context,
                         const DriverInput &input, const std::string &temporary,
                         const std::string &unit, CompilePlan &plan) {
  bool dependencies = wantsDependencies(context.line);
  for (auto [arch, form] : zip_equal(context.architectures, context.forms)) {
    std::string base = temporary + "." + arch;
    plan.files.devices.push_back(
        {arch, base + ".bc", base + ".summary", form,
         parseCompression(context.line.ownValue(options::OPT_compress))});
    std::string list = dependencies ? base + ".d" : "";
    plan.devices.push_back(
        deviceCommand(context, input, plan.files.devices.back(), unit, list));
    if (dependencies)
      plan.deviceDependencies.push_back(list);
  }
  if (dependencies)
    plan.hostDependencies = dependencyFile(context.line, input);
  return Error::success();
}

Expected<CompilePlan> planCompile(const CompileContext &context,
                                  const DriverInput &input,
                                  const std::string &output,
                                  const std::string &temporary) {
  const CommandLine &line = context.line;
  CompilePlan plan;
  plan.output = output == "-" ? "/dev/stdout" : output;
  plan.isFat = input.isCompiled();
  plan.files.source = input.path;
  plan.files.hostObject =
      !plan.isFat || isReplaceable(output) ? output : temporary + ".o";
  plan.files.hostSummary = temporary + ".host.summary";
  plan.files.slim = !line.clangArgs().hasFlag(
      opts::OPT_ffat_lto_objects, opts::OPT_fno_fat_lto_objects, true);
  plan.files.optionDigest = optionDigest(line, context.architectures);
  std::string unit;
  std::string copy = temporary + ".stdin";
  if (input.isCuda()) {
    Expected<std::string> contents = readSource(input, copy);
    if (!contents)
      return contents.takeError();
    unit = compilationUnitId(line, input, *contents, plan.files.optionDigest);
    bool hostOnly = line.clangArgs().hasArg(opts::OPT_offload_host_only);
    if (!hostOnly)
      if (Error failure = planDevices(context, input, temporary, unit, plan))
        return failure;
  }
  plan.host = hostCommand(context, input, plan, unit);
  if (input.isCuda() && input.path == "-") {
    plan.host.standardInput = copy;
    for (Command &device : plan.devices)
      device.standardInput = copy;
  }
  return plan;
}

void printPlan(raw_ostream &os, const CompilePlan &plan) {
  for (const Command &device : plan.devices)
    printCommand(os, device);
  printCommand(os, plan.host);
}

/// Removes what clang 22 leaves next to \p output, such as x-0123abcd.o.tmp, if
/// the disk is full: files of such names that are not older than \p start.
static void removeLeftovers(StringRef output, sys::TimePoint<> start) {
  constexpr size_t kDigits = 8;
  SmallString<128> directory = sys::path::parent_path(output);
  if (directory.empty())
    directory = ".";
  std::string front = (sys::path::stem(output) + "-").str();
  std::string back = (sys::path::extension(output) + ".tmp").str();
  std::error_code code;
  for (sys::fs::directory_iterator entry(directory, code), end;
       !code && entry != end; entry.increment(code)) {
    StringRef digits = sys::path::filename(entry->path());
    if (!digits.consume_front(front) || !digits.consume_back(back) ||
        digits.size() != kDigits || !all_of(digits, isHexDigit))
      continue;
    ErrorOr<sys::fs::basic_file_status> status = entry->status();
    if (status && status->getLastModificationTime() >= start)
      (void)sys::fs::remove(entry->path());
  }
}

Expected<int> runCompile(const CompilePlan &plan, const JobLimit &limit) {
  auto start = std::chrono::time_point_cast<std::chrono::seconds>(
      std::chrono::system_clock::now());
  std::string message;
  bool removable = isReplaceable(plan.output);
  if (removable)
    sys::RemoveFileOnSignal(plan.output, &message);
  std::vector<Command> commands = plan.devices;
  commands.push_back(plan.host);
  Expected<int> status = runAll(commands, limit);
  Error failure = Error::success();
  if (status && *status == 0 && plan.isFat) {
    failure = assembleFatObject(plan.files, plan.output);
    if (!failure && !plan.hostDependencies.empty())
      failure =
          mergeDependencies(plan.hostDependencies, plan.deviceDependencies);
  }
  bool failed = failure || !status || *status != 0;
  if (failed && removable) {
    (void)sys::fs::remove(plan.output);
    removeLeftovers(plan.output, start);
  }
  if (removable)
    sys::DontRemoveFileOnSignal(plan.output);
  if (failure)
    return failure;
  return status;
}

} // namespace gpulto::driver
