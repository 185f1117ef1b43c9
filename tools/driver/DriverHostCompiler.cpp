//===- DriverHostCompiler.cpp - The compiler that -ccbin names ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// nvcc lets that compiler compile host code. Here clang does, and takes from it
// what decides with which library a program is compiled and linked: the
// directory of GCC (/usr/lib/gcc/x86_64-linux-gnu/12) and the system root. The
// compiler itself is queried for both, since names say nothing.
//
//===----------------------------------------------------------------------===//
#include "tools/driver/DriverHostCompiler.h"

#include "support/Error.h"
#include "support/Subprocess.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace gpulto::driver {

namespace {

/// A compiler that is asked questions.
class HostCompiler {
public:
  HostCompiler(StringRef named, StringRef option)
      : named(named), option(option) {}

  Expected<std::vector<std::string>> words();

private:
  Error find();
  Expected<ProcessResult> ask(ArrayRef<std::string> words) const;
  Expected<std::vector<std::string>> wordsOfGcc() const;
  Expected<std::vector<std::string>> wordsOfClang(StringRef verbose) const;
  Error refuse(const Twine &why) const {
    return makeError("'" + option + "' names '" + named + "', " + why);
  }

  StringRef named, option;
  std::string program;
};

} // namespace

/// As nvcc: of a directory, the gcc in it.
Error HostCompiler::find() {
  if (sys::fs::is_directory(named)) {
    SmallString<128> path(named);
    sys::path::append(path, "gcc");
    if (!sys::fs::can_execute(path))
      return refuse("a directory without a gcc");
    program = path.str();
    return Error::success();
  }
  Expected<std::string> found = findProgram(named);
  if (!found) {
    consumeError(found.takeError());
    return refuse("which is no program");
  }
  program = *found;
  return Error::success();
}

Expected<ProcessResult> HostCompiler::ask(ArrayRef<std::string> words) const {
  constexpr unsigned kAnswerSeconds = 60;
  ProcessOptions process;
  process.timeoutSeconds = kAnswerSeconds;
  process.ownGroup = true;
  process.allowFailure = true;
  return runProcess(program, words, process);
}

Expected<std::vector<std::string>> HostCompiler::wordsOfGcc() const {
  Expected<ProcessResult> library = ask({"-print-libgcc-file-name"});
  if (!library)
    return library.takeError();
  Expected<ProcessResult> root = ask({"-print-sysroot"});
  if (!root)
    return root.takeError();
  StringRef directory =
      sys::path::parent_path(StringRef(library->output).trim());
  if (directory.empty())
    return refuse("a GCC that does not say where its libgcc is");
  std::vector<std::string> words = {"--gcc-install-dir=" + directory.str()};
  if (StringRef sysroot = StringRef(root->output).trim(); !sysroot.empty())
    words.push_back("--sysroot=" + sysroot.str());
  return words;
}

/// Returns what follows \p key in \p text, up to \p end.
static StringRef valueOf(StringRef text, StringRef key, char end) {
  size_t at = text.find(key);
  return at == StringRef::npos ? ""
                               : text.substr(at + key.size()).split(end).first;
}

/// Reads what clang says with -v.
Expected<std::vector<std::string>>
HostCompiler::wordsOfClang(StringRef verbose) const {
  StringRef directory = valueOf(verbose, "Selected GCC installation: ", '\n');
  if (directory.empty())
    return refuse("a clang that uses no GCC");
  std::vector<std::string> words = {"--gcc-install-dir=" + directory.str()};
  if (StringRef root = valueOf(verbose, " -isysroot ", ' '); !root.empty())
    words.push_back("--sysroot=" + root.str());
  return words;
}

Expected<std::vector<std::string>> HostCompiler::words() {
  if (Error error = find())
    return error;
  Expected<ProcessResult> macros =
      ask({"-v", "-dM", "-E", "-x", "c++", "/dev/null"});
  if (!macros)
    return macros.takeError();
  StringRef defined = macros->output;
  if (!macros->succeeded() || !defined.contains("#define __cplusplus "))
    return refuse("which is no C++ compiler: it does not preprocess C++");
  if (defined.contains("#define __clang__ "))
    return wordsOfClang(macros->errors);
  if (defined.contains("#define __GNUC__ "))
    return wordsOfGcc();
  return refuse("which is neither GCC nor clang");
}

Expected<std::vector<std::string>> wordsForHostCompiler(StringRef named,
                                                        StringRef option) {
  return HostCompiler(named, option).words();
}

} // namespace gpulto::driver
