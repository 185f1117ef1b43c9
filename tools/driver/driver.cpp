//===- driver.cpp - gpulto-clang++, gpulto-clang and gpulto-nvcc ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The compiler driver. It takes clang's command line and acts in one of these
// ways:
//
//   without -flto=gpu   is clang (DriverClang), with what CUDA 13 needs
//                       (DriverCuda)
//   -flto=gpu -c        compiles each source to a fat object (DriverCompile)
//   -flto=gpu           links with our ld.lld (DriverLink), after compiling
//                       sources that are among the inputs
//   -flto=gpu -E, -S, -M, -fsyntax-only, ...
//                       is clang: there is no link-time optimization yet in
//                       what these print
//
// As gpulto-nvcc it takes nvcc's command line and starts itself as
// gpulto-clang++ (DriverNvcc).
//
//===----------------------------------------------------------------------===//
#include "tools/driver/Driver.h"

#include "lto/link/VersionText.h"
#include "support/CudaVersion.h"
#include "support/Error.h"
#include "support/Subprocess.h"
#include "tools/driver/DriverArchitectures.h"
#include "tools/driver/DriverClang.h"
#include "tools/driver/DriverCommandLine.h"
#include "tools/driver/DriverCompile.h"
#include "tools/driver/DriverCuda.h"
#include "tools/driver/DriverDevices.h"
#include "tools/driver/DriverLink.h"
#include "tools/driver/DriverNvcc.h"
#include "tools/driver/DriverProcess.h"
#include "tools/driver/LgenDigest.h" // generated

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;
using namespace gpulto;
using namespace gpulto::driver;
namespace opts = clang::driver::options;
namespace types = clang::driver::types;

namespace {

/// One call of the driver.
class Invocation {
public:
  Invocation(const CommandLine &line, const Installation &installation)
      : line(line), installation(installation) {}

  /// Returns the exit status.
  Expected<int> run();

private:
  Expected<int> becomeClang();
  Error refuseLinkOfDeviceCode() const;
  void addCudaRepairs(Command &command, ArrayRef<std::string> wanted);
  bool linksDeviceCode() const;
  Expected<int> printHelp();
  Expected<int> compileObjects();
  Expected<int> compileAndLink();
  Error prepare(bool linkFollows);
  Error readLimits();
  std::string findOtherHost() const;
  Error checkOptions() const;
  Error refuseOptionsOfNvcc() const;
  void warnOfNewToolkit() const;
  Error makeTemporary();
  Expected<int> compileOne(const CompileContext &context,
                           const DriverInput &input, const std::string &output,
                           unsigned number);
  Expected<int> runLink(const std::map<unsigned, std::string> &objects);
  bool isPrintOnly() const {
    return line.clangArgs().hasArg(opts::OPT__HASH_HASH_HASH);
  }
  bool stopsEarly() const;
  Expected<int> askClang(StringRef option);
  Expected<int> printVersion();
  Expected<int> printNative();
  bool printsEveryPass() const;
  bool namesPrinted(const DriverArg &argument) const;
  Expected<int> printEveryPass(Command command);
  std::string outputName() const;

  const CommandLine &line;
  const Installation &installation;
  CudaToolkit toolkit;
  std::vector<std::string> architectures;
  std::vector<std::optional<EmbedKind>> forms;
  JobLimit limit;
  TempDir temporary;
  std::string temporaryPath;
};

} // namespace

/// Whether clang is to do something that ends before there is an object, or
/// that is not about the inputs at all.
bool Invocation::stopsEarly() const {
  static constexpr unsigned kPrints[] = {opts::OPT__version,
                                         opts::OPT_version,
                                         opts::OPT_help,
                                         opts::OPT__help_hidden,
                                         opts::OPT_dumpversion,
                                         opts::OPT_dumpmachine,
                                         opts::OPT_print_search_dirs,
                                         opts::OPT_print_file_name_EQ,
                                         opts::OPT_print_prog_name_EQ};
  const opt::InputArgList &args = line.clangArgs();
  for (unsigned id : kPrints)
    if (args.hasArg(id))
      return true;
  bool onlyHeaders = any_of(line.inputs(), [](const DriverInput &input) {
    return types::onlyPrecompileType(input.type);
  });
  return line.inputs().empty() || line.isMalformed() || onlyHeaders ||
         line.finalStep() == FinalStep::Other ||
         args.hasArg(opts::OPT_offload_device_only);
}

/// Whether the preprocessor's output, or rules for make, are wanted of CUDA
/// sources. Both are to be of every pass: caches take the former for all that
/// the object depends on, and device code includes what host code does not.
bool Invocation::printsEveryPass() const {
  const opt::InputArgList &args = line.clangArgs();
  return line.wantsGpuLto() && line.hasCudaInput() && !line.isMalformed() &&
         args.hasArg(opts::OPT_E, opts::OPT_M, opts::OPT_MM) &&
         !args.hasArg(opts::OPT_offload_host_only,
                      opts::OPT_offload_device_only);
}

/// Whether \p argument names the file for what is printed.
bool Invocation::namesPrinted(const DriverArg &argument) const {
  bool isRule = line.clangArgs().hasArg(opts::OPT_M, opts::OPT_MM);
  return argument.is(opts::OPT_o) || (isRule && argument.is(opts::OPT_MF));
}

/// Runs \p command, which prints, and has the output where the user wants it.
Expected<int> Invocation::printEveryPass(Command command) {
  StringRef output = line.output();
  if (line.clangArgs().hasArg(opts::OPT_M, opts::OPT_MM))
    output = line.clangArgs().getLastArgValue(opts::OPT_MF, output);
  if (output.empty() || output == "-")
    return runAndWait(command);
  command.standardOutput = output.str();
  sys::fs::file_status before;
  bool removable = sys::fs::status(output, before) || is_regular_file(before);
  std::string message;
  if (removable)
    sys::RemoveFileOnSignal(output, &message);
  Expected<int> status = runAndWait(command);
  if (removable && (!status || *status != 0))
    (void)sys::fs::remove(output);
  if (removable)
    sys::DontRemoveFileOnSignal(output);
  return status;
}

/// Whether \p argument is an option of nvcc's that clang would drop or take for
/// something else: `-use_fast_math` is `-u se_fast_math` to it.
static bool isMeantForNvcc(const DriverArg &argument, StringRef word) {
  if (isOwn(argument) || choosesLto(argument) || argument.is(opts::OPT_INPUT) ||
      argument.is(opts::OPT_W_Joined))
    return false;
  StringRef value =
      argument.arg->getNumValues() ? argument.arg->getValue() : "";
  const opt::Arg *given = argument.arg->getAlias();
  StringRef name = (given ? given : argument.arg)->getSpelling();
  // Names that both have: the first clang ignores, the others have values of
  // another kind.
  unsigned number;
  if (name == "-Xcompiler" || argument.is(opts::OPT_arch) ||
      (argument.is(opts::OPT_x) && value == "cu") ||
      (argument.is(opts::OPT_G) && value.getAsInteger(10, number)))
    return true;
  size_t known = argument.is(opts::OPT_UNKNOWN) ? 0 : name.rtrim('=').size();
  return isOptionOfNvcc(word, known);
}

/// None of nvcc's options is lost in silence.
Error Invocation::refuseOptionsOfNvcc() const {
  if (!line.wantsGpuLto() && !line.hasCudaInput())
    return Error::success();
  for (const DriverArg &argument : line.arguments())
    if (StringRef word = line.wordsOf(argument).front();
        isMeantForNvcc(argument, word))
      return makeError("'" + word +
                       "' is an option of nvcc's; gpulto-nvcc takes these");
  return Error::success();
}

Expected<int> Invocation::run() {
  if (Error failure = refuseOptionsOfNvcc())
    return failure;
  if (line.ownArgs().hasArg(options::OPT_print_native))
    return printNative();
  if (line.clangArgs().hasArg(opts::OPT_help))
    return printHelp();
  if (line.clangArgs().hasArg(opts::OPT__version) && !isPrintOnly())
    return printVersion();
  if (!line.wantsGpuLto() || stopsEarly())
    return becomeClang();
  if (line.finalStep() == FinalStep::Compile)
    return compileObjects();
  return compileAndLink();
}

/// Runs clang with \p option alone, which prints something.
Expected<int> Invocation::askClang(StringRef option) {
  Command command = clangCommand(installation);
  command.add(option.str());
  return runAndWait(command);
}

/// Prints clang's version and ours. What reads it looks for clang's, so that
/// comes first.
Expected<int> Invocation::printVersion() {
  Expected<int> status = askClang("--version");
  if (!status || *status != 0)
    return status;
  outs() << versionText() << ", LGEN " GPULTO_LGEN_DIGEST "\n";
  outs().flush();
  return 0;
}

Expected<int> Invocation::printNative() {
  Expected<std::vector<std::string>> names =
      nativeArchitectures(findCudaToolkit(line));
  if (!names)
    return names.takeError();
  auto entries = map_range(*names, [](StringRef name) {
    return (name.drop_front(strlen("sm_")) + "-real").str();
  });
  outs() << join(entries, ";") << '\n';
  outs().flush();
  return 0;
}

Expected<int> Invocation::printHelp() {
  Expected<int> status = askClang("--help");
  if (!status || *status != 0)
    return status;
  outs() << '\n';
  options::optionTable().printHelp(
      outs(), "gpulto-clang++ -flto=gpu [options] file...",
      "gpulto: link-time optimization of host and device code",
      /*ShowHidden=*/false, /*ShowAllAliases=*/false,
      opt::Visibility(options::CompileOption | options::LinkOption));
  outs().flush();
  return 0;
}

/// Adds what clang needs for CUDA sources, and the architectures \p wanted.
void Invocation::addCudaRepairs(Command &command,
                                ArrayRef<std::string> wanted) {
  command.add("--start-no-unused-arguments");
  command.addAll(cudaRepairs(line, toolkit, installation, wanted));
  command.addAll(deviceWords(line, toolkit, wanted));
  if (printsEveryPass())
    command.add("-D__GPULTO_LGEN__"); // of the objects that are to be made
  // The old driver prints every pass to stdout, the new one the host's.
  if (line.wantsGpuLto())
    command.addAll(
        {printsEveryPass() ? "--no-offload-new-driver" : "--offload-new-driver",
         "-fgpu-rdc"});
  // The new driver links device code by a program of its own; in a package
  // there is none, and only whole-program device code gets here.
  else if (installation.stockClang.empty())
    command.add("--no-offload-new-driver");
  command.add("--end-no-unused-arguments");
  // What is only read need not be known to code generation.
  bool readsOnly =
      line.wantsGpuLto() &&
      line.clangArgs().hasArg(opts::OPT_E, opts::OPT_M, opts::OPT_MM,
                              opts::OPT_fsyntax_only);
  for (const std::string &name : wanted)
    command.add("--offload-arch=" + (readsOnly ? frontEndArch(name) : name));
}

/// Whether the link goes through clang's own linker for device code, which
/// finds its tools in the toolkit only.
bool Invocation::linksDeviceCode() const {
  const opt::InputArgList &args = line.clangArgs();
  return line.finalStep() == FinalStep::Link && !line.inputs().empty() &&
         (args.hasArg(opts::OPT_offload_link) ||
          args.hasFlag(opts::OPT_offload_new_driver,
                       opts::OPT_no_offload_new_driver, false));
}

/// Refuses what needs clang's own linker for device code where there is none:
/// in a package, which has our linker for that.
Error Invocation::refuseLinkOfDeviceCode() const {
  if (!installation.stockClang.empty())
    return Error::success();
  const opt::InputArgList &args = line.clangArgs();
  bool isSeparate =
      args.hasFlag(opts::OPT_fgpu_rdc, opts::OPT_fno_gpu_rdc, false);
  if (!linksDeviceCode() && !(isSeparate && line.hasCudaInput()))
    return Error::success();
  return makeError("device code is compiled and linked separately "
                   "('-fgpu-rdc', '--offload-link') only with '-flto=gpu': "
                   "clang's own linker for it is not in this package");
}

/// Whether \p argument of \p line is CMake's list, which counts in plain
/// compiles, too.
static bool listsArchitectures(const CommandLine &line,
                               const DriverArg &argument) {
  return StringRef(line.wordsOf(argument).front())
      .starts_with("--gpulto-cmake-architectures=");
}

/// Runs clang with the same words but ours, repaired for the CUDA toolkit.
Expected<int> Invocation::becomeClang() {
  if (!line.wantsGpuLto())
    if (Error failure = refuseLinkOfDeviceCode())
      return std::move(failure);
  Command command = clangCommand(installation);
  bool cuda = line.hasCudaInput() && !line.isMalformed();
  if (cuda || linksDeviceCode())
    toolkit = findCudaToolkit(line);
  if (cuda) {
    Expected<OffloadArchitectures> wanted = offloadArchitectures(line, toolkit);
    if (!wanted)
      return wanted.takeError();
    addCudaRepairs(command, wanted->names);
  } else if (toolkit && !line.clangArgs().hasArg(opts::OPT_cuda_path_EQ)) {
    command.add("--cuda-path=" + toolkit.root);
  }
  // clang does not tell it to the link of device code, which would take another
  // toolkit's nvlink for objects of this one.
  if (toolkit && linksDeviceCode())
    command.addAll(
        {"-Xlinker",
         "--device-compiler=nvptx64-nvidia-cuda=--cuda-path=" + toolkit.root});
  WheelLibraries libraries(line);
  for (const DriverArg &argument : line.arguments()) {
    if (isOwn(argument) && !line.wantsGpuLto() &&
        !(cuda && listsArchitectures(line, argument)))
      warn("argument unused without '-flto=gpu': '" +
           StringRef(line.wordsOf(argument).front()) + "'");
    bool isOurs =
        isOwn(argument) ||
        (choosesLto(argument) && (line.wantsGpuLto() || isGpuLto(argument)));
    if (!isOurs && !(cuda && choosesArchitecture(argument)) &&
        !(printsEveryPass() && namesPrinted(argument)))
      libraries.add(command, argument);
  }
  if (printsEveryPass() && !isPrintOnly())
    return printEveryPass(std::move(command));
  return execute(command);
}

Error Invocation::readLimits() {
  StringRef jobs = line.ownValue(options::OPT_jobs);
  if (!jobs.empty() && (jobs.getAsInteger(10, limit.jobs) || limit.jobs == 0))
    return makeError("invalid value '" + jobs +
                     "' in '--gpulto-jobs=', expected a number above 0");
  StringRef mode = line.ownValue(options::OPT_jobserver, "auto");
  limit.jobserver = mode == "off"      ? JobserverMode::Off
                    : mode == "strict" ? JobserverMode::Strict
                                       : JobserverMode::Auto;
  return Error::success();
}

/// The name of what this call makes; of several objects, the first.
std::string Invocation::outputName() const {
  if (!line.output().empty())
    return line.output().str();
  if (line.finalStep() == FinalStep::Link)
    return "a.out";
  return (sys::path::stem(line.inputs().front().path) + ".o").str();
}

/// Clang's own warning is off, because it comes for every tested toolkit too.
/// Of older ones clang knows all; what matters then is said by the link.
void Invocation::warnOfNewToolkit() const {
  if (!toolkit)
    return;
  if (std::optional<VersionTuple> version = cudaVersion(toolkit.root)) {
    std::string warning = cudaVersionWarning(toolkit.root, *version);
    if (!warning.empty())
      warn(warning);
  }
}

Error Invocation::makeTemporary() {
  if (isPrintOnly()) {
    temporaryPath = "/tmp/gpulto-XXXXXX";
    return Error::success();
  }
  StringRef keptIn = line.ownValue(options::OPT_save_temps_EQ);
  bool keeps = line.ownArgs().hasArg(options::OPT_save_temps);
  if (!keptIn.empty() || keeps) {
    temporaryPath =
        keptIn.empty() ? outputName() + ".gpulto-temps" : keptIn.str();
    if (std::error_code code = sys::fs::create_directories(temporaryPath))
      return makeError(temporaryPath + ": cannot make the directory (" +
                       code.message() + ")");
    return Error::success();
  }
  Expected<TempDir> made = TempDir::create("gpulto");
  if (!made)
    return made.takeError();
  temporary = std::move(*made);
  temporaryPath = temporary.path();
  return Error::success();
}

/// Returns the option that switches control flow integrity on and that no later
/// one takes back; empty if there is none.
static std::string findCfi(const opt::ArgList &args) {
  std::string found;
  for (const opt::Arg *arg :
       args.filtered(opts::OPT_fsanitize_EQ, opts::OPT_fno_sanitize_EQ))
    for (StringRef value : arg->getValues()) {
      bool takesBack = arg->getOption().matches(opts::OPT_fno_sanitize_EQ);
      if (takesBack && (value == "cfi" || value == "all"))
        found.clear();
      else if (!takesBack && (value == "cfi" || value.starts_with("cfi-")))
        found = ("-fsanitize=" + value).str();
    }
  return found;
}

/// Returns the last option, as it was written, that asks for another host than
/// x86-64; empty if there is none.
std::string Invocation::findOtherHost() const {
  std::string found;
  for (const DriverArg &argument : line.arguments()) {
    bool isTarget = argument.is(opts::OPT_target) ||
                    argument.is(opts::OPT_target_legacy_spelling);
    if (isTarget &&
        Triple(argument.arg->getValue()).getArch() == Triple::x86_64)
      found.clear();
    else if (isTarget || argument.is(opts::OPT_m32) ||
             argument.is(opts::OPT_mx32))
      found = join(line.wordsOf(argument), " ");
  }
  return found;
}

/// Refuses options of clang's that cannot be kept.
Error Invocation::checkOptions() const {
  const opt::InputArgList &args = line.clangArgs();
  if (std::string other = findOtherHost(); !other.empty())
    return makeError("'" + other +
                     "' is not supported with '-flto=gpu': hosts are x86-64");
  // Bitcode does not say it, so code generation at link time could not know.
  if (args.hasFlag(opts::OPT_femulated_tls, opts::OPT_fno_emulated_tls, false))
    return makeError("'-femulated-tls' is not supported with '-flto=gpu'");
  if (args.hasArg(opts::OPT_fembed_bitcode, opts::OPT_fembed_bitcode_EQ))
    return makeError("'-fembed-bitcode' is not supported with '-flto=gpu': "
                     "objects hold their bitcode already");
  // It needs jump tables and sets of vtables of the whole program.
  if (std::string cfi = findCfi(args); !cfi.empty())
    return makeError("'" + cfi + "' is not supported with '-flto=gpu'");
  if (args.hasFlag(opts::OPT_fwhole_program_vtables,
                   opts::OPT_fno_whole_program_vtables, false))
    warn("'-fwhole-program-vtables' has no effect with '-flto=gpu'");
  return Error::success();
}

/// Finds out what compiles need, for the sources of this call.
Error Invocation::prepare(bool linkFollows) {
  if (Error failure = readLimits())
    return failure;
  if (Error failure = checkOptions())
    return failure;
  bool compiles = any_of(line.inputs(), [](const DriverInput &input) {
    return !input.isLinkerInput();
  });
  if (linkFollows || line.hasCudaInput())
    toolkit = findCudaToolkit(line);
  if (!linkFollows && line.hasCudaInput())
    warnOfNewToolkit();
  if (!compiles)
    return Error::success();
  if (line.hasCudaInput()) {
    Expected<OffloadArchitectures> wanted = offloadArchitectures(line, toolkit);
    if (!wanted)
      return wanted.takeError();
    architectures = std::move(wanted->names);
    forms = std::move(wanted->forms);
  }
  if (!isPrintOnly() && !installation.lgenPlugin.empty() &&
      !sys::fs::exists(installation.lgenPlugin))
    return makeError(installation.lgenPlugin +
                     ": the LGEN plugin is missing; the installation of gpulto "
                     "is incomplete");
  return makeTemporary();
}

Expected<int> Invocation::compileOne(const CompileContext &context,
                                     const DriverInput &input,
                                     const std::string &output,
                                     unsigned number) {
  std::string name = sys::path::stem(input.path).str();
  // Two sources of one name in one call need two temporary names.
  std::string prefix =
      temporaryPath + "/" + std::to_string(number) + "-" + name;
  Expected<CompilePlan> plan = planCompile(context, input, output, prefix);
  if (!plan)
    return plan.takeError();
  if (isPrintOnly() || line.clangArgs().hasArg(opts::OPT_v) ||
      line.ownArgs().hasArg(options::OPT_verbose))
    printPlan(errs(), *plan);
  return isPrintOnly() ? 0 : runCompile(*plan, limit);
}

Expected<int> Invocation::compileObjects() {
  if (Error failure = prepare(/*linkFollows=*/false))
    return failure;
  unsigned sources = count_if(line.inputs(), [](const DriverInput &input) {
    return !input.isLinkerInput();
  });
  if (sources > 1 && !line.output().empty())
    return makeError("cannot specify -o when generating multiple output files");
  CompileContext context{line,          installation, toolkit,
                         architectures, forms,        false};
  for (unsigned i = 0; i < line.inputs().size(); ++i) {
    const DriverInput &input = line.inputs()[i];
    if (input.isLinkerInput()) {
      warn(input.path + ": 'linker' input unused");
      continue;
    }
    std::string output = line.output().str();
    if (output.empty())
      output = (sys::path::stem(input.path) + ".o").str();
    Expected<int> status = compileOne(context, input, output, i);
    if (!status || *status != 0)
      return status;
  }
  return 0;
}

Expected<int>
Invocation::runLink(const std::map<unsigned, std::string> &objects) {
  Expected<Command> command = linkCommand(line, installation, toolkit, objects);
  if (!command)
    return command.takeError();
  if (isPrintOnly()) {
    printCommand(errs(), *command);
    return 0;
  }
  auto isNamed = [&](StringRef file) {
    return any_of(command->args,
                  [&](StringRef word) { return word.ends_with(file); });
  };
  for (auto [file, what] :
       {std::pair(&installation.linker, "linker"),
        std::pair(&installation.linkerPlugin, "plugin for bfd and gold"),
        std::pair(&installation.linkerScript, "script for bfd"),
        std::pair(&installation.traceLibrary,
                  "library of -fgpulto-trace-host")})
    if (isNamed(*file) && !sys::fs::exists(*file))
      return makeError(*file + ": the " + what +
                       " is missing; the installation of gpulto is "
                       "incomplete");
  if (line.ownArgs().hasArg(options::OPT_verbose))
    printCommand(errs(), *command);
  // With no temporary files of ours to remove, the linker takes our place; who
  // started us is not to end it.
  bool isLast = temporary.path().empty();
  if (std::optional<Command> linker = linkerCommand(*command, installation)) {
    command = std::move(*linker);
    if (isLast)
      erase_if(command->args, [](StringRef word) {
        return word.ends_with("--gpulto-end-with-parent");
      });
  }
  if (isLast)
    if (Error failure = execute(*command))
      return failure;
  return runAndWait(*command);
}

Expected<int> Invocation::compileAndLink() {
  if (Error failure = prepare(/*linkFollows=*/true))
    return failure;
  CompileContext context{line,          installation, toolkit,
                         architectures, forms,        true};
  std::map<unsigned, std::string> objects;
  for (unsigned i = 0; i < line.inputs().size(); ++i) {
    const DriverInput &input = line.inputs()[i];
    if (input.isLinkerInput())
      continue;
    std::string object = temporaryPath + "/" + std::to_string(i) + "-" +
                         sys::path::stem(input.path).str() + ".o";
    Expected<int> status = compileOne(context, input, object, i);
    if (!status || *status != 0)
      return status;
    objects[i] = object;
  }
  return runLink(objects);
}

static int reportError(Error failure, StringRef program = "gpulto-clang") {
  int count = 0;
  handleAllErrors(std::move(failure), [&](const ErrorInfoBase &info) {
    WithColor::error(errs(), program) << info.message() << '\n';
    ++count;
  });
  return count ? 1 : 0;
}

/// Whether this program is to be clang, which it is by another name and, as
/// clang itself, for clang's internal modes (-cc1).
static bool isClang(ArrayRef<const char *> argv) {
  return sys::path::parent_path(argv.front()).ends_with("libexec/gpulto") ||
         (argv.size() > 1 && StringRef(argv[1]).starts_with("-cc1"));
}

int gpulto::driver::compilerMain(ArrayRef<const char *> words) {
  sys::PrintStackTraceOnErrorSignal(words.front());
  StringRef name = sys::path::filename(words.front());
  Expected<Installation> installation =
      Installation::find(words.front(), name.contains("++"));
  if (!installation)
    return reportError(installation.takeError());
  if (name.ends_with("nvcc")) {
    Expected<int> status = nvccMain(words, *installation);
    return status ? *status : reportError(status.takeError(), "gpulto-nvcc");
  }
  if (isClang(words))
    return runClang(words, *installation);
  Expected<std::unique_ptr<CommandLine>> line = CommandLine::parse(words);
  if (!line)
    return reportError(line.takeError());
  Expected<int> status = Invocation(**line, *installation).run();
  return status ? *status : reportError(status.takeError());
}
