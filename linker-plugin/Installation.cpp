//===- Installation.cpp - Locations of gpulto's programs ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "linker-plugin/Installation.h"

#include "support/Error.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <dlfcn.h>

using namespace llvm;

namespace gpulto {

/// Returns the file that this function was loaded from.
static std::string ownFile() {
  Dl_info info = {};
  SmallString<128> real;
  bool isLibrary = dladdr(reinterpret_cast<void *>(&ownFile), &info) &&
                   StringRef(info.dli_fname).contains(".so");
  StringRef path = isLibrary ? info.dli_fname : "/proc/self/exe";
  if (sys::fs::real_path(path, real))
    return path.str();
  return real.str().str();
}

Expected<std::string> findOwnProgram() {
  std::string own = ownFile();
  // bin/gpulto, libexec/gpulto/ld.lld, lib/gpulto/gpulto-plugin.so
  StringRef directory = own;
  for (unsigned i = 0; i < 3; ++i) {
    directory = sys::path::parent_path(directory);
    SmallString<128> program(directory);
    sys::path::append(program, "bin", "gpulto");
    if (sys::fs::can_execute(program))
      return program.str().str();
  }
  return makeError("no program bin/gpulto beside " + own);
}

std::string adapterDirectory(StringRef program) {
  SmallString<128> directory(
      sys::path::parent_path(sys::path::parent_path(program)));
  sys::path::append(directory, "libexec", "gpulto");
  return directory.str().str();
}

} // namespace gpulto
