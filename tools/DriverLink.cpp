//===- DriverLink.cpp - Link with gpulto's linker -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// clang stays the link driver: start files, libraries, sanitizers and -O are
// its business. It is told to use our ld.lld (--ld-path= beats -fuse-ld=) and
// that this is a ThinLTO link of fat objects, so that it passes CPU, features
// and -O level on. It must not see options of offloading: it would start its
// own device linker. What a link needs of them is in the objects.
//
//===----------------------------------------------------------------------===//
#include "tools/DriverLink.h"

#include "support/Error.h"

#include "llvm/Support/Path.h"

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
  };
  if (isOwn(argument) || choosesLto(argument))
    return true;
  return any_of(kIds, [&](unsigned id) { return argument.is(id); });
}

/// Errors: a linker that has no door to gpulto.
static Error checkLinker(const opt::ArgList &args) {
  if (const opt::Arg *path = args.getLastArg(opts::OPT_ld_path_EQ))
    return makeError(Twine("'") + path->getAsString(args) +
                     "' cannot be used with '-flto=gpu', which has a linker of "
                     "its own");
  StringRef name = args.getLastArgValue(opts::OPT_fuse_ld_EQ, "lld");
  if (name == "lld" || sys::path::filename(name) == "ld.lld")
    return Error::success();
  return makeError("'-fuse-ld=" + name +
                   "' is not supported with '-flto=gpu' yet; use "
                   "'-fuse-ld=lld' (the default)");
}

static void addForLinker(Command &command, std::string word) {
  command.addAll({"-Xlinker", std::move(word)});
}

/// Adds gpulto's options for the linker, those written by the user and those
/// that follow from options of clang's.
static void addOwnOptions(Command &command, const CommandLine &line,
                          const CudaToolkit &toolkit) {
  for (const DriverArg &argument : line.arguments())
    if (argument.is(opts::OPT_Xcuda_ptxas))
      addForLinker(command, std::string("--gpulto-ptxas-arg=") +
                                argument.arg->getValue());
    else if (argument.is(opts::OPT_Rpass_EQ))
      addForLinker(command,
                   std::string("--gpulto-rpass=") + argument.arg->getValue());
    else if (argument.is(opts::OPT_Rpass_missed_EQ))
      addForLinker(command, std::string("--gpulto-rpass-missed=") +
                                argument.arg->getValue());
    else if (argument.is(opts::OPT_Rpass_analysis_EQ))
      addForLinker(command, std::string("--gpulto-rpass-analysis=") +
                                argument.arg->getValue());
  if (toolkit)
    addForLinker(command, "--gpulto-cuda-path=" + toolkit.root);
  std::string output = line.output().empty() ? "a.out" : line.output().str();
  if (line.clangArgs().hasArg(opts::OPT_ftime_trace) &&
      line.ownValue(options::OPT_time_trace).empty())
    addForLinker(command, "--gpulto-time-trace=" + output + ".time-trace");
  for (const opt::Arg *own : line.ownArgs())
    if (own->getOption().hasVisibilityFlag(options::LinkOption) &&
        !own->getOption().matches(options::OPT_cuda_path))
      addForLinker(command, own->getAsString(line.ownArgs()));
}

Expected<Command> linkCommand(const CommandLine &line,
                              const Installation &installation,
                              const CudaToolkit &toolkit,
                              const std::map<unsigned, std::string> &objects) {
  if (Error failure = checkLinker(line.clangArgs()))
    return failure;
  Command command;
  command.program = installation.clang;
  command.addAll(
      {"--ld-path=" + installation.linker, "-flto=thin", "-ffat-lto-objects"});
  for (unsigned i = 0; i < line.arguments().size(); ++i) {
    const DriverArg &argument = line.arguments()[i];
    if (isDroppedAtLink(argument))
      continue;
    bool isInput =
        argument.is(opts::OPT_INPUT) || argument.is(opts::OPT__DASH_DASH);
    if (!isInput) {
      command.addWords(line.wordsOf(argument));
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
  addOwnOptions(command, line, toolkit);
  addForLinker(command, "--gpulto-end-with-parent");
  return command;
}

} // namespace gpulto::driver
