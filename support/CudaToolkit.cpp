//===- CudaToolkit.cpp - Where the CUDA toolkit is ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// nvcc finds its toolkit by its own location. The nvcc in a tree of `gpulto
// cuda-home` is a link to our driver, so that object caches notice a change of
// the compiler; the path by which it was called tells the tree. That may be a
// link to the tree's nvcc, so each step is examined.
//
// A wheel of gpulto has its tree in libexec/gpulto/ of an environment of
// Python's, or of what `pip install --target=` names; NVIDIA's wheels of CUDA
// 13 have a toolkit in nvidia/cu13 of the directory of packages. That directory
// is the one with the metadata of our wheel.
//
//===----------------------------------------------------------------------===//

#include "support/CudaToolkit.h"

#include "support/Subprocess.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <climits>
#include <cstdlib>
#include <unistd.h>
#include <vector>

using namespace llvm;

namespace gpulto {

bool isCudaToolkit(const Twine &root) {
  return sys::fs::exists(root + "/include/cuda_runtime.h") ||
         sys::fs::exists(root + "/include/cuda.h");
}

std::optional<std::string> toolkitOfCudaHome(StringRef root) {
  SmallString<128> path(root);
  sys::path::append(path, kCudaHomeMark);
  auto file = MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file)
    return std::nullopt;
  return (*file)->getBuffer().rtrim('\n').str();
}

/// Returns where the link \p path leads, one step of the way. Empty: it is no
/// link.
static std::string linkTarget(StringRef path) {
  char target[PATH_MAX];
  ssize_t size = readlink(path.str().c_str(), target, sizeof target);
  if (size <= 0)
    return "";
  StringRef text(target, static_cast<size_t>(size));
  if (sys::path::is_absolute(text))
    return text.str();
  SmallString<128> result(sys::path::parent_path(path));
  sys::path::append(result, text);
  return result.str().str();
}

std::string cudaHomeOf(StringRef program) {
  Expected<std::string> found = findProgram(program);
  if (!found) {
    consumeError(found.takeError());
    return "";
  }
  constexpr unsigned kMostLinks = 40; // as Linux follows
  SmallString<128> path(*found);
  if (sys::fs::make_absolute(path))
    return "";
  for (unsigned i = 0; i < kMostLinks && !path.empty(); ++i) {
    // Links from outside of the tree may lead to its directories.
    SmallString<128> bin;
    if (sys::fs::real_path(sys::path::parent_path(path), bin))
      return "";
    StringRef root = sys::path::parent_path(bin);
    if (sys::path::filename(bin) == "bin" && toolkitOfCudaHome(root))
      return root.str();
    path = linkTarget(path);
  }
  return "";
}

/// Returns the toolkit that nvcc on PATH belongs to, or empty.
static std::string toolkitOfNvcc() {
  Expected<std::string> nvcc = findProgram("nvcc");
  if (!nvcc) {
    consumeError(nvcc.takeError());
    return "";
  }
  if (std::string home = cudaHomeOf(*nvcc); !home.empty())
    return home;
  SmallString<128> real;
  if (sys::fs::real_path(*nvcc, real))
    return "";
  return sys::path::parent_path(sys::path::parent_path(real)).str();
}

/// Returns the entries of \p directory, sorted; none if it cannot be read.
static std::vector<std::string> entriesOf(const Twine &directory) {
  std::vector<std::string> result;
  std::error_code code;
  sys::fs::directory_iterator entry(directory, code), end;
  for (; !code && entry != end; entry.increment(code))
    result.push_back(entry->path());
  llvm::sort(result);
  return result;
}

/// Whether wheels, ours among them, were installed to \p directory.
static bool hasOurWheel(StringRef directory) {
  return any_of(entriesOf(directory), [](StringRef path) {
    StringRef name = sys::path::filename(path);
    return name.starts_with("gpulto-") && name.ends_with(".dist-info");
  });
}

std::string toolkitOfWheels(StringRef program) {
  StringRef root = program;
  if (!root.consume_back("/libexec/gpulto/libexec/gpulto/gpulto-toolchain"))
    return "";
  std::vector<std::string> directories = {root.str()};
  for (const char *libraries : {"/lib", "/lib64"})
    for (const std::string &python : entriesOf(root + libraries))
      if (sys::path::filename(python).starts_with("python3"))
        directories.insert(directories.end(), {python + "/site-packages",
                                               python + "/dist-packages"});
  for (const std::string &directory : directories) {
    std::string toolkit = directory + "/nvidia/cu13";
    if (isCudaToolkit(toolkit) && hasOurWheel(directory))
      return toolkit;
  }
  return "";
}

std::string defaultCudaToolkit(StringRef configured) {
  std::string fromEnvironment;
  if (const char *path = std::getenv("CUDA_PATH"))
    fromEnvironment = StringRef(path).rtrim('/').str();
  for (const std::string &root :
       {fromEnvironment, toolkitOfNvcc(), std::string("/usr/local/cuda"),
        configured.str()})
    if (!root.empty() && isCudaToolkit(root))
      return root;
  return toolkitOfWheels(sys::fs::getMainExecutable(nullptr, nullptr));
}

} // namespace gpulto
