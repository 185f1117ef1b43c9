//===- CudaHomeCommand.cpp - gpulto cuda-home -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Builds that call $CUDA_HOME/bin/nvcc get a tree that looks like the toolkit:
//
//   .gpulto-cuda-home   marks it, and holds the toolkit's path
//   bin/nvcc            a link to gpulto-nvcc, which finds the tree by the mark
//                       and takes it for its toolkit (support/CudaToolkit)
//   bin/*, *            links to what the toolkit has
//   lib64/*             the same, where the toolkit has no such directory or
//                       no libcudart.so in it, as NVIDIA's wheels: links to
//                       what is in lib, and libNAME.so for libNAME.so.N
//
// A tree is made next to its place and moved there when complete. It holds only
// directories and links, so making it anew loses nothing; a directory with
// anything else in it is not touched.
//
//===----------------------------------------------------------------------===//

#include "tools/commands/CudaHomeCommand.h"

#include "linker-plugin/Installation.h"
#include "support/CudaToolkit.h"
#include "support/Error.h"
#include "support/Subprocess.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <functional>
#include <string>
#include <sys/stat.h>
#include <vector>

using namespace llvm;

namespace gpulto {

static const char kUsage[] =
    "usage: gpulto cuda-home [--cuda-path=TOOLKIT] DIR\n"
    "\n"
    "Makes DIR a tree that serves as CUDA_HOME, CUDA_PATH and "
    "CUDAToolkit_ROOT:\n"
    "links to the CUDA toolkit, but bin/nvcc is gpulto-nvcc. A tree that was "
    "made\n"
    "before is made anew. Without --cuda-path= the toolkit is the one that\n"
    "gpulto-nvcc takes.\n";

namespace {
struct Arguments {
  std::string directory;
  std::string toolkit; ///< empty: not given
  bool wantsHelp = false;
};
} // namespace

static Expected<Arguments> readArguments(ArrayRef<const char *> words) {
  Arguments result;
  for (StringRef word : words) {
    if (word == "--help" || word == "-h") {
      result.wantsHelp = true;
      return result;
    }
    if (word.consume_front("--cuda-path=")) {
      if (word.empty())
        return makeError("'--cuda-path=' wants a directory");
      result.toolkit = word.str();
    } else if (word.starts_with("-"))
      return makeError("unknown option '" + word + "'");
    else if (word.empty() || !result.directory.empty())
      return makeError("expected one directory");
    else
      result.directory = word.str();
  }
  if (result.directory.empty())
    return makeError("expected a directory");
  return result;
}

/// Returns \p path absolute and without a slash at its end.
static Expected<std::string> absolute(StringRef path) {
  SmallString<128> result(path);
  if (std::error_code code = sys::fs::make_absolute(result))
    return makeError(path + ": " + code.message());
  sys::path::remove_dots(result);
  return result.str().str();
}

/// Returns the toolkit that is to be linked to, never a tree of ours.
/// \p given: by the user, or empty.
static Expected<std::string> findToolkit(StringRef given) {
  std::string root =
      given.empty() ? defaultCudaToolkit(GPULTO_CONFIGURED_CUDA) : given.str();
  if (root.empty())
    return makeError("no CUDA toolkit is found; give --cuda-path=TOOLKIT");
  if (std::optional<std::string> behind = toolkitOfCudaHome(root))
    root = *behind;
  Expected<std::string> path = absolute(root);
  if (path && !isCudaToolkit(*path))
    return makeError(*path + ": is no CUDA toolkit, which has "
                             "include/cuda_runtime.h");
  return path;
}

/// Returns the program that is to be nvcc.
static Expected<std::string> findOurNvcc() {
  Expected<std::string> own = findOwnProgram();
  if (!own)
    return own.takeError();
  SmallString<128> path(*own);
  sys::path::remove_filename(path);
  sys::path::append(path, "gpulto-nvcc");
  if (!sys::fs::can_execute(path))
    return makeError(path + ": is missing; the installation of gpulto is "
                            "incomplete");
  return path.str().str();
}

/// Calls \p take with the name of each entry of \p directory.
static Error
forEachEntry(StringRef directory,
             function_ref<Error(StringRef name, sys::fs::file_type)> take) {
  std::error_code code;
  sys::fs::directory_iterator entry(directory, code, /*follow=*/false), end;
  for (; !code && entry != end; entry.increment(code))
    if (Error error = take(sys::path::filename(entry->path()), entry->type()))
      return error;
  return code ? makeError(directory + ": cannot be read (" + code.message() +
                          ")")
              : Error::success();
}

/// Checks that \p directory, which exists, may be replaced: it is empty, or a
/// tree of ours to which nothing was added but links.
static Error checkReplaceable(StringRef directory) {
  bool isEmpty = true;
  if (!sys::fs::is_directory(directory))
    return makeError(directory + ": exists and is no directory");
  if (Error error = forEachEntry(directory, [&](StringRef, auto) {
        isEmpty = false;
        return Error::success();
      }))
    return error;
  if (isEmpty)
    return Error::success();
  if (!toolkitOfCudaHome(directory))
    return makeError(directory + ": exists and was not made by gpulto "
                                 "cuda-home; give another directory");
  std::function<Error(StringRef)> check = [&](StringRef part) {
    return forEachEntry(part, [&](StringRef name, sys::fs::file_type type) {
      std::string path = (part + "/" + name).str();
      if (type == sys::fs::file_type::directory_file)
        return check(path);
      bool isOurs = type == sys::fs::file_type::symlink_file ||
                    (part == directory && name == kCudaHomeMark);
      return isOurs ? Error::success()
                    : makeError(path + ": was not made by gpulto cuda-home, "
                                       "and would be lost; move it away");
    });
  };
  return check(directory);
}

/// Makes the directory \p path, for all to see.
static Error makeDirectory(StringRef path) {
  if (std::error_code code = sys::fs::create_directory(
          path, /*IgnoreExisting=*/false, sys::fs::perms::all_all))
    return makeError(path + ": cannot be made (" + code.message() + ")");
  return Error::success();
}

static Error makeLink(const Twine &target, StringRef path) {
  if (std::error_code code = sys::fs::create_link(target, path))
    return makeError(path + ": cannot be made (" + code.message() + ")");
  return Error::success();
}

/// Links each entry of \p from, save \p but, into the directory \p to.
static Error linkEntries(StringRef from, StringRef to,
                         ArrayRef<StringRef> but = {}) {
  return forEachEntry(from, [&](StringRef name, auto) -> Error {
    if (is_contained(but, name) || name.starts_with("."))
      return Error::success();
    return makeLink(from + "/" + name, (to + "/" + name).str());
  });
}

/// Links \p from's libraries into the new directory \p to, each by the name
/// that linkers look for, too.
static Error linkLibraries(StringRef from, StringRef to) {
  if (Error error = makeDirectory(to))
    return error;
  if (Error error = linkEntries(from, to))
    return error;
  return forEachEntry(from, [&](StringRef name, auto) -> Error {
    auto [stem, version] = name.split(".so.");
    std::string path = (to + "/" + stem + ".so").str();
    if (version.empty() || sys::fs::exists(path))
      return Error::success();
    return makeLink(from + "/" + name, path);
  });
}

/// Fills \p tree, an empty directory.
static Error fillTree(const std::string &tree, const std::string &toolkit,
                      StringRef nvcc) {
  std::string libraries = toolkit + "/lib64";
  bool isWhole = sys::fs::exists(libraries + "/libcudart.so");
  std::vector<StringRef> own = {"bin"};
  if (!isWhole)
    own.push_back("lib64");
  if (Error error = linkEntries(toolkit, tree, own))
    return error;
  if (!isWhole && !sys::fs::is_directory(libraries))
    libraries = toolkit + "/lib";
  if (!isWhole && sys::fs::is_directory(libraries))
    if (Error error = linkLibraries(libraries, tree + "/lib64"))
      return error;
  std::string bin = tree + "/bin";
  if (Error error = makeDirectory(bin))
    return error;
  if (sys::fs::is_directory(toolkit + "/bin"))
    if (Error error = linkEntries(toolkit + "/bin", bin, StringRef("nvcc")))
      return error;
  if (Error error = makeLink(nvcc, bin + "/nvcc"))
    return error;
  return writeFileAtomically((tree + "/" + kCudaHomeMark).str(),
                             toolkit + "\n");
}

/// Gives \p directory, which mkdtemp made, the mode of any new one.
static Error openToOthers(const std::string &directory) {
  mode_t mask = umask(0);
  umask(mask);
  if (chmod(directory.c_str(), 0777 & ~mask))
    return fileError(directory, "cannot be opened to others", errno);
  return Error::success();
}

/// Moves \p tree to \p place, which may hold an older tree; that one goes aside
/// to a directory in \p parent if the two cannot be exchanged.
static Error putInPlace(const std::string &tree, const std::string &place,
                        StringRef parent) {
  // Onto nothing, or onto an empty directory.
  if (!rename(tree.c_str(), place.c_str()))
    return Error::success();
  if (errno != ENOTEMPTY && errno != EEXIST)
    return fileError(place, "cannot be made", errno);
  if (!renameat2(AT_FDCWD, tree.c_str(), AT_FDCWD, place.c_str(),
                 RENAME_EXCHANGE))
    return Error::success();
  // Not all file systems exchange.
  Expected<TempDir> aside = TempDir::createIn(parent, ".gpulto-cuda-home");
  if (!aside)
    return aside.takeError();
  std::string old = aside->file("old");
  if (rename(place.c_str(), old.c_str()))
    return fileError(place, "cannot be moved away", errno);
  if (!rename(tree.c_str(), place.c_str()))
    return Error::success();
  Error error = fileError(place, "cannot be made", errno);
  if (rename(old.c_str(), place.c_str()))
    aside->keep();
  return error;
}

static Error makeHome(const Arguments &arguments) {
  Expected<std::string> nvcc = findOurNvcc();
  if (!nvcc)
    return nvcc.takeError();
  Expected<std::string> toolkit = findToolkit(arguments.toolkit);
  if (!toolkit)
    return toolkit.takeError();
  Expected<std::string> place = absolute(arguments.directory);
  if (!place)
    return place.takeError();
  SmallString<128> real;
  if (!sys::fs::real_path(*place, real)) {
    place = real.str().str();
    if (Error error = checkReplaceable(*place))
      return error;
  } else if (sys::fs::is_symlink_file(*place)) {
    return makeError(*place + ": is a link that leads nowhere");
  }
  StringRef parent = sys::path::parent_path(*place);
  if (Error error = makeDirectories(parent))
    return error;
  Expected<TempDir> tree =
      TempDir::createIn(parent, "." + sys::path::filename(*place).str());
  if (!tree)
    return makeError(*place + ": cannot be made, since " + parent +
                     " cannot be written (" + toString(tree.takeError()) + ")");
  if (Error error = fillTree(tree->path(), *toolkit, *nvcc))
    return error;
  if (Error error = openToOthers(tree->path()))
    return error;
  return putInPlace(tree->path(), *place, parent);
}

int cudaHomeCommand(ArrayRef<const char *> words) {
  Expected<Arguments> arguments = readArguments(words);
  bool isUnderstood = bool(arguments);
  Error error = isUnderstood && !arguments->wantsHelp ? makeHome(*arguments)
                                                      : arguments.takeError();
  if (error) {
    errs() << "gpulto cuda-home: error: " << toString(std::move(error)) << '\n';
    if (!isUnderstood)
      errs() << kUsage;
    return 1;
  }
  if (arguments->wantsHelp)
    outs() << kUsage;
  return 0;
}

} // namespace gpulto
