//===- VersionText.cpp - What --version prints ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "lto/link/VersionText.h"

#include "lto/link/Version.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace gpulto {

/// What git says of the source, from the file that lies beside this program, in
/// bin/ or libexec/gpulto/; empty without one.
static std::string revision() {
  // Any function of this program names it.
  std::string program = sys::fs::getMainExecutable(
      nullptr, reinterpret_cast<void *>(&versionText));
  for (StringRef lib : {"../lib", "../../lib"}) {
    SmallString<256> path(sys::path::parent_path(program));
    sys::path::append(path, lib, "gpulto", "revision");
    if (auto file = MemoryBuffer::getFile(path))
      return (*file)->getBuffer().trim().str();
  }
  return "";
}

std::string versionText() {
  std::string text = "gpulto " GPULTO_VERSION;
  std::string source = revision();
  if (source.empty() || source == "v" GPULTO_VERSION)
    return text;
  return text + " (" + source + ")";
}

} // namespace gpulto
