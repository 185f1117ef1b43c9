//===- DriverLink.cpp - Link with gpulto's linker -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// clang stays the link driver and handles start files, libraries, sanitizers
// and -O. The command that it would run is run directly (linkerCommand): clang
// would only wait for the linker, with 40 MB of its own. It is told to use our
// ld.lld (--ld-path= beats -fuse-ld=) and that this is a ThinLTO link of fat
// objects, so that it passes CPU, features and -O level on. bfd and gold are
// loaded with our plugin instead; functions carry the CPU that they were
// compiled for. clang must not see options for offloading: it would start its
// own device linker. The objects have what a link needs from these options.
//
//===----------------------------------------------------------------------===//
#include "tools/driver/DriverLink.h"

#include "support/Error.h"
#include "support/LargePages.h"
#include "tools/driver/DriverClang.h"

#include "clang/Driver/Compilation.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/TargetSelect.h"

#include <cstdlib>
#include <optional>

using namespace llvm;
namespace opts = clang::driver::options;

namespace gpulto::driver {

/// Arguments that the link must not see: they concern compiling or offloading,
/// or the driver writes them anew.
static bool isDroppedAtLink(const DriverArg &argument) {
  static constexpr unsigned kIds[] = {
      opts::OPT_x,
      opts::OPT_Action_Group,
      opts::OPT_M_Group,
      opts::OPT__HASH_HASH_HASH,
      opts::OPT_dumpdir,
      opts::OPT_ffat_lto_objects,
      opts::OPT_fno_fat_lto_objects,
      opts::OPT_foffload_lto,
      opts::OPT_foffload_lto_EQ,
      opts::OPT_fno_offload_lto,
      opts::OPT_offload_Group,
      opts::OPT_offload_link,
      opts::OPT_cuda_Group,
      opts::OPT_hip_Group,
      opts::OPT_Xcuda_ptxas,
      opts::OPT_Xcuda_fatbinary,
      opts::OPT_Xarch_device,
      opts::OPT_Xarch_host,
      opts::OPT_Xarch__,
      opts::OPT_fuse_ld_EQ,
      opts::OPT_ld_path_EQ,
      opts::OPT_fwhole_program_vtables,
      opts::OPT_fno_whole_program_vtables,
      opts::OPT_fsave_optimization_record,
      opts::OPT_fsave_optimization_record_EQ,
      opts::OPT_fno_save_optimization_record,
      opts::OPT_foptimization_record_file_EQ,
      opts::OPT_foptimization_record_passes_EQ,
  };
  if (isOwn(argument) || choosesLto(argument))
    return true;
  return any_of(kIds, [&](unsigned id) { return argument.is(id); });
}

/// The doors through which a link may go.
enum class Door {
  Lld,    ///< our ld.lld
  Plugin, ///< gpulto-plugin.so, loaded by bfd or gold
  Mold    ///< our ld.lld, which leaves the link to mold
};

/// Which linker the command line asks for.
struct LinkerChoice {
  Door door = Door::Lld;
  /// Plugin: the option that says so, as it was written. Mold: its path or
  /// name.
  std::string argument;
  bool isBfd = false;
};

/// Errors: a linker that has no door to gpulto.
static Expected<LinkerChoice> chooseLinker(const opt::ArgList &args) {
  const opt::Arg *path = args.getLastArg(opts::OPT_ld_path_EQ);
  const opt::Arg *arg = path ? path : args.getLastArg(opts::OPT_fuse_ld_EQ);
  if (!arg)
    return LinkerChoice();
  StringRef name = sys::path::filename(arg->getValue());
  name.consume_front("ld.");
  if (name == "lld" && !path)
    return LinkerChoice();
  if (name == "lld")
    return makeError("'" + Twine(arg->getAsString(args)) +
                     "' cannot be used with '-flto=gpu', which has an ld.lld "
                     "of its own");
  if (name == "bfd" || name == "gold")
    return LinkerChoice{Door::Plugin, arg->getAsString(args), name == "bfd"};
  if (name == "mold")
    return LinkerChoice{Door::Mold, arg->getValue()};
  return makeError("'" + Twine(arg->getAsString(args)) +
                   "' is not supported with '-flto=gpu'; use '-fuse-ld=lld' "
                   "(the default), gold, bfd or mold");
}

/// Passes words to the linker, for the plugin as options of the plugin.
static void addForLinker(Command &command, Door door, const Twine &word) {
  command.addAll({"-Xlinker",
                  ((door == Door::Plugin ? "-plugin-opt=" : "") + word).str()});
}

/// Returns the -O level of code generation, as clang tells it to lld.
static std::string codegenLevel(const opt::ArgList &args) {
  const opt::Arg *arg = args.getLastArg(opts::OPT_O_Group);
  if (!arg)
    return "";
  if (arg->getOption().matches(opts::OPT_O0))
    return "0";
  if (arg->getOption().matches(opts::OPT_O4) ||
      arg->getOption().matches(opts::OPT_Ofast))
    return "3";
  return StringSwitch<std::string>(arg->getValue())
      .Cases({"s", "z"}, "2")
      .Cases({"g", ""}, "1")
      .Default(arg->getValue());
}

/// Returns whether the linker is told where sections go, or joins objects.
static bool placesSections(const opt::ArgList &args) {
  if (args.hasArg(opts::OPT_r, opts::OPT_T))
    return true;
  auto isOption = [](StringRef word) {
    return word == "-r" || word == "--relocatable" || word.starts_with("-T") ||
           word.starts_with("--script");
  };
  for (const opt::Arg *arg :
       args.filtered(opts::OPT_Wl_COMMA, opts::OPT_Xlinker))
    if (any_of(arg->getValues(), isOption))
      return true;
  return false;
}

/// Has clang call the linker that the user chose, with our door to it.
static void addDoor(Command &command, const CommandLine &line,
                    const LinkerChoice &linker,
                    const Installation &installation) {
  if (linker.door != Door::Plugin) {
    command.addAll({"--ld-path=" + installation.linker, "-flto=thin",
                    "-ffat-lto-objects"});
    if (linker.door == Door::Mold)
      addForLinker(command, linker.door, "--gpulto-mold=" + linker.argument);
    return;
  }
  // Without -flto: clang would add LLVM's own plugin.
  command.addAll({linker.argument, "-Xlinker", "-plugin", "-Xlinker",
                  installation.linkerPlugin});
  if (linker.isBfd && !placesSections(line.clangArgs()))
    command.addAll({"-Xlinker", "-T", "-Xlinker", installation.linkerScript});
  std::string level = codegenLevel(line.clangArgs());
  if (!level.empty())
    addForLinker(command, linker.door, "O" + level);
}

namespace {
/// Where the remarks of a link go.
struct RemarksFile {
  std::string path; ///< empty: nowhere
  std::string format = "yaml";
};
} // namespace

/// Returns where clang's options want the remarks of the link to \p output, by
/// the name that clang gives such files. Errors: they want a format that LLVM
/// does not have.
static Expected<RemarksFile> remarksFile(const opt::ArgList &args,
                                         StringRef output) {
  const opt::Arg *save =
      args.getLastArg(opts::OPT_fsave_optimization_record,
                      opts::OPT_fsave_optimization_record_EQ,
                      opts::OPT_fno_save_optimization_record);
  const opt::Arg *file =
      args.getLastArg(opts::OPT_foptimization_record_file_EQ);
  if (save && save->getOption().matches(opts::OPT_fno_save_optimization_record))
    return RemarksFile();
  RemarksFile result;
  if (save && save->getOption().matches(opts::OPT_fsave_optimization_record_EQ))
    result.format = save->getValue();
  if (result.format != "yaml" && result.format != "bitstream")
    return makeError("'" + Twine(save->getAsString(args)) +
                     "': remarks of a link are written as yaml or bitstream");
  if (file)
    result.path = file->getValue();
  else if (save)
    result.path = (output + ".opt.ld." + result.format).str();
  return result;
}

/// Returns the regex of the remarks that clang's -R\p name options choose, of
/// which the last one counts; nothing if they choose none. \p withPattern:
/// -R\p name=.
static std::optional<std::string> remarkPattern(const opt::ArgList &args,
                                                opt::OptSpecifier withPattern,
                                                StringRef name) {
  constexpr StringLiteral kAll = ".*";
  std::optional<std::string> pattern;
  for (const opt::Arg *arg : args) {
    StringRef value = arg->getNumValues() ? arg->getValue() : "";
    if (arg->getOption().matches(withPattern))
      pattern = value.empty() ? kAll.str() : value.str();
    if (!arg->getOption().matches(opts::OPT_R_Joined))
      continue;
    if (value == name || value == "everything")
      pattern = kAll.str();
    else if (value.consume_front("no-") &&
             (value == name || value == "everything"))
      pattern.reset();
  }
  return pattern;
}

/// Passes on which remarks the options of clang want to see.
static void addRemarkFilters(Command &command, const opt::ArgList &args,
                             Door door) {
  struct Filter {
    unsigned id;
    StringRef name;
  };
  static constexpr Filter kFilters[] = {
      {opts::OPT_Rpass_EQ, "pass"},
      {opts::OPT_Rpass_missed_EQ, "pass-missed"},
      {opts::OPT_Rpass_analysis_EQ, "pass-analysis"}};
  for (const Filter &filter : kFilters)
    if (auto pattern = remarkPattern(args, filter.id, filter.name))
      addForLinker(command, door, "--gpulto-r" + filter.name + "=" + *pattern);
}

/// Adds gpulto's options for the linker, those written by the user and those
/// that follow from options of clang's.
static Error addOwnOptions(Command &command, const CommandLine &line, Door door,
                           const CudaToolkit &toolkit,
                           const std::map<unsigned, std::string> &objects) {
  for (const DriverArg &argument : line.arguments())
    if (argument.is(opts::OPT_Xcuda_ptxas))
      addForLinker(command, door,
                   std::string("--gpulto-ptxas-arg=") +
                       argument.arg->getValue());
  addRemarkFilters(command, line.clangArgs(), door);
  if (toolkit)
    addForLinker(command, door, "--gpulto-cuda-path=" + toolkit.root);
  // Objects of this call lie in a directory of any name; the program is to be
  // the one that is linked from what -c makes.
  for (const auto &[input, object] : objects)
    addForLinker(command, door,
                 "--gpulto-prefix-map=" + object + "=" +
                     sys::path::stem(line.inputs()[input].path) + ".o");
  for (const opt::Arg *arg :
       line.clangArgs().filtered(opts::OPT_ffile_prefix_map_EQ))
    addForLinker(command, door,
                 std::string("--gpulto-prefix-map=") + arg->getValue());
  std::string output = line.output().empty() ? "a.out" : line.output().str();
  if (line.clangArgs().hasArg(opts::OPT_ftime_trace) &&
      line.ownValue(options::OPT_time_trace).empty())
    addForLinker(command, door,
                 "--gpulto-time-trace=" + output + ".time-trace");
  Expected<RemarksFile> remarks = remarksFile(line.clangArgs(), output);
  if (!remarks)
    return remarks.takeError();
  if (!remarks->path.empty() && line.ownValue(options::OPT_remarks).empty()) {
    addForLinker(command, door, "--gpulto-remarks=" + remarks->path);
    if (remarks->format != "yaml")
      addForLinker(command, door, "--gpulto-remarks-format=" + remarks->format);
  }
  if (const opt::Arg *passes =
          line.clangArgs().getLastArg(opts::OPT_foptimization_record_passes_EQ))
    addForLinker(command, door,
                 std::string("--gpulto-remarks-passes=") + passes->getValue());
  // What is counted is what the source says.
  if (line.ownArgs().hasArg(options::OPT_trace_host))
    addForLinker(command, door, "-fno-gpulto-transfers");
  for (const opt::Arg *own : line.ownArgs())
    if (own->getOption().hasVisibilityFlag(options::LinkOption) &&
        !own->getOption().matches(options::OPT_cuda_path) &&
        !own->getOption().matches(options::OPT_trace_host))
      addForLinker(command, door, own->getAsString(line.ownArgs()));
  return Error::success();
}

Expected<Command> linkCommand(const CommandLine &line,
                              const Installation &installation,
                              const CudaToolkit &toolkit,
                              const std::map<unsigned, std::string> &objects) {
  Expected<LinkerChoice> linker = chooseLinker(line.clangArgs());
  if (!linker)
    return linker.takeError();
  if (!objects.empty() && !line.ownValue(options::OPT_emit).empty())
    return makeError(
        "--gpulto-emit= needs objects; compile them with -c, those "
        "of this command are removed at its end");
  Command command = clangCommand(installation);
  addDoor(command, line, *linker, installation);
  WheelLibraries libraries(line);
  for (unsigned i = 0; i < line.arguments().size(); ++i) {
    const DriverArg &argument = line.arguments()[i];
    if (isDroppedAtLink(argument))
      continue;
    bool isInput =
        argument.is(opts::OPT_INPUT) || argument.is(opts::OPT__DASH_DASH);
    if (!isInput) {
      libraries.add(command, argument);
      continue;
    }
    for (unsigned file = 0; file < line.inputs().size(); ++file) {
      const DriverInput &input = line.inputs()[file];
      if (input.argIndex != i)
        continue;
      auto object = objects.find(file);
      std::string path = object == objects.end() ? input.path : object->second;
      // After `--` a name may begin like an option.
      bool likeOption = StringRef(path).starts_with("-");
      command.add(likeOption ? "./" + path : path);
    }
  }
  if (line.ownArgs().hasArg(options::OPT_trace_host))
    command.add(installation.traceLibrary);
  if (Error error =
          addOwnOptions(command, line, linker->door, toolkit, objects))
    return std::move(error);
  addForLinker(command, linker->door, "--gpulto-end-with-parent");
  askForLargePages(command.environment);
  return command;
}

/// Whether the environment has clang do more than run the linker.
static bool isClangWatched() {
  return any_of(ArrayRef{"CCC_OVERRIDE_OPTIONS", "CC_PRINT_OPTIONS",
                         "CC_PRINT_PROC_STAT", "CC_LOG_DIAGNOSTICS"},
                [](const char *name) { return std::getenv(name); });
}

std::optional<Command> linkerCommand(const Command &clang,
                                     const Installation &installation) {
  if (isClangWatched())
    return std::nullopt;
  InitializeAllTargets();
  SmallVector<const char *, 256> words = {clang.program.c_str()};
  for (const std::string &word : clang.args)
    words.push_back(word.c_str());

  std::string said;
  raw_string_ostream stream(said);
  stream.enable_colors(errs().has_colors());
  ClangDriver driver(words, installation, stream);
  std::unique_ptr<clang::driver::Compilation> compilation(
      driver->BuildCompilation(words));
  if (!compilation || compilation->containsError() ||
      driver.engine().hasErrorOccurred() ||
      compilation->getJobs().size() != 1 ||
      !compilation->getTempFiles().empty() ||
      compilation->getArgs().hasArg(opts::OPT_v))
    return std::nullopt;
  errs() << said;
  const clang::driver::Command &job = *compilation->getJobs().begin();
  Command command;
  command.program = job.getExecutable();
  command.addWords(job.getArguments());
  command.environment = clang.environment;
  return command;
}

} // namespace gpulto::driver
