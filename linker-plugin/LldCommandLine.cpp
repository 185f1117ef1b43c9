//===- LldCommandLine.cpp - lld's command line ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "linker-plugin/LldCommandLine.h"

#include "linker-plugin/OptionTable.h"
#include "support/Error.h"
#include "support/Subprocess.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace lld::elf {
/// lld's own option table (lld/ELF/Driver.h, a header that is not installed).
/// With it our reading of the command line cannot differ from lld's.
class ELFOptTable : public opt::GenericOptTable {
public:
  ELFOptTable();
};
} // namespace lld::elf

namespace gpulto {
namespace {

/// Parses \p argv with lld's table. Mistakes are lld's to report.
opt::InputArgList parseForLld(const opt::OptTable &table,
                              ArrayRef<const char *> argv) {
  unsigned missingIndex = 0, missingCount = 0;
  return table.ParseArgs(argv, missingIndex, missingCount);
}

/// Returns why gpulto cannot do what lld's option \p name asks of LTO, or "".
StringRef whyUnsupported(StringRef name) {
  return StringSwitch<StringRef>(name)
      .Cases({"lto-emit-llvm", "lto-emit-asm", "thinlto-index-only",
              "thinlto-index-only="},
             "gpulto makes native code only")
      .Case("lto-cs-profile-generate", "the link makes no profile")
      .Cases({"lto-newpm-passes=", "lto-aa-pipeline="},
             "gpulto chooses the passes")
      .Cases({"lto-basic-block-sections=", "lto-basic-block-address-map"},
             "blocks have no sections of their own")
      .Default("");
}

} // namespace

void expandLldResponseFiles(StringSaver &saver,
                            SmallVectorImpl<const char *> &argv) {
  const lld::elf::ELFOptTable table;
  cl::TokenizerCallback tokenizer = cl::TokenizeGNUCommandLine;
  opt::InputArgList args = parseForLld(table, argv);
  for (const opt::Arg *arg : args)
    if (arg->getOption().getName() == "rsp-quoting" && arg->getNumValues() &&
        StringRef(arg->getValue()) == "windows")
      tokenizer = cl::TokenizeWindowsCommandLine;
  cl::ExpandResponseFiles(saver, tokenizer, argv);
}

LldCommandLine readLldCommandLine(ArrayRef<const char *> argv) {
  const lld::elf::ELFOptTable table;
  LldCommandLine result;
  bool relocatable = false, shared = false, pie = false;
  opt::InputArgList args = parseForLld(table, argv);
  for (const opt::Arg *arg : args) {
    StringRef name = arg->getOption().getName();
    if (name == "o" && arg->getNumValues())
      result.outputFile = arg->getValue();
    else if (name.rtrim('=') == "sysroot" && arg->getNumValues())
      result.sysroot = arg->getValue();
    else if (name.rtrim('=') == "wrap" && arg->getNumValues()) {
      if (!is_contained(result.wrapped, arg->getValue()))
        result.wrapped.push_back(arg->getValue());
    } else if (name.rtrim('=') == "exclude-libs" && arg->getNumValues())
      result.excludedLibs.add(arg->getValue());
    else if (name == "relocatable")
      relocatable = true;
    else if (name == "shared")
      shared = true;
    else if (name == "pie" || name == "no-pie")
      pie = name == "pie";
    else if (name == "demangle" || name == "no-demangle")
      result.demangles = name == "demangle";
    else if (name == "help")
      result.wantsHelp = true;
    else if (name == "version")
      result.wantsVersion = true;
    else if (StringRef why = whyUnsupported(name); !why.empty())
      result.unsupported =
          ("--" + name.rtrim('=') + " is not supported: " + why).str();
  }
  if (relocatable)
    result.output = OutputKind::Relocatable;
  else if (shared)
    result.output = OutputKind::Shared;
  else if (pie)
    result.output = OutputKind::PieExecutable;
  return result;
}

void dropUnknownToLld(SmallVectorImpl<const char *> &argv) {
  const lld::elf::ELFOptTable table;
  DenseSet<unsigned> unknown;
  opt::InputArgList args = parseForLld(table, ArrayRef(argv).drop_front());
  for (const opt::Arg *arg : args)
    if (arg->getOption().getKind() == opt::Option::UnknownClass)
      unknown.insert(arg->getIndex() + 1);
  unsigned index = 0;
  erase_if(argv, [&](const char *) { return unknown.contains(index++); });
}

SmallVector<const char *, 64> withoutLtoOptions(ArrayRef<const char *> words) {
  SmallVector<const char *, 64> kept;
  for (size_t i = 0; i < words.size(); ++i) {
    StringRef word = words[i];
    if (word == "-mllvm" || word == "--mllvm") {
      ++i;
      continue;
    }
    StringRef name = word.ltrim('-');
    bool isOption = name.size() < word.size();
    bool isForLto =
        any_of(ArrayRef<StringRef>{"fat-lto-objects", "no-fat-lto-objects",
                                   "plugin-opt=", "lto-", "thinlto-", "mllvm="},
               [&](StringRef start) { return name.starts_with(start); });
    if (!isOption || !isForLto)
      kept.push_back(words[i]);
  }
  return kept;
}

std::vector<std::string> finalLinkCommand(StringRef jobDirectory,
                                          ArrayRef<const char *> words) {
  // This program may be all tools; which one is meant, its name says.
  SmallString<128> own(sys::fs::getMainExecutable(nullptr, nullptr));
  sys::path::remove_filename(own);
  sys::path::append(own, "ld.lld");
  std::vector<std::string> command = {own.str().str()};
  for (StringRef word : words.drop_front())
    if (!word.starts_with("--gpulto-emit=") &&
        !word.starts_with("--gpulto-job-directory=") &&
        word != "--gpulto-end-with-parent")
      command.push_back(word.str());
  command.push_back(("--gpulto-results=" + jobDirectory).str());
  return command;
}

Error saveLldLink(StringRef directory, const opt::ArgList &own,
                  SmallVectorImpl<const char *> &argv, StringSaver &saver) {
  if (directory.empty())
    return Error::success();
  if (Error error = makeDirectories(directory))
    return error;
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): '\0' follows
  argv.push_back(saver.save("--reproduce=" + directory + "/link.tar").data());
  std::string script =
      "#!/bin/sh\n"
      "# Repeats a link of gpulto: link.sh [LINKER [OPTION...]]"
      "\n"
      "set -e\n"
      "cd \"$(dirname \"$0\")\"\n"
      "linker=${1:-ld.lld}\n"
      "[ $# -eq 0 ] || shift\n"
      "tar xf link.tar\n"
      "cd link\n"
      "exec \"$linker\" @response.txt";
  // The repeated link runs on other machines.
  constexpr unsigned kLeftOut[] = {
      options::OPT_save_link,      options::OPT_input_root,
      options::OPT_distributor,    options::OPT_distributor_arg,
      options::OPT_emit,           options::OPT_job_directory,
      options::OPT_results,        options::OPT_cache_dir,
      options::OPT_end_with_parent};
  for (const opt::Arg *arg : own)
    if (none_of(kLeftOut,
                [&](unsigned id) { return arg->getOption().matches(id); }))
      script += " " + shellQuote(arg->getAsString(own));
  SmallString<128> current;
  if (std::error_code code = sys::fs::current_path(current))
    return makeError("no current directory: " + code.message());
  script += " --gpulto-input-root=\"$PWD\"=" + shellQuote(current);
  return writeFileAtomically((directory + "/link.sh").str(),
                             script + " \"$@\"\n", /*executable=*/true);
}

} // namespace gpulto
