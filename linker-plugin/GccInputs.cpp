//===- GccInputs.cpp - Objects of GCC's link-time optimizer ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "linker-plugin/GccInputs.h"

#include "fatobj/FatObjectReader.h"
#include "fatobj/GccObject.h"
#include "support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace gpulto {

static constexpr StringLiteral kTwoPluginsText =
    "an object of gcc -flto, which GCC's linker plugin takes, in a link with "
    "objects of gpulto: neither of two plugins learns what the other's objects "
    "use; compile it without -flto, or with -ffat-lto-objects and link with "
    "-fno-use-linker-plugin";

/// Warns of members of \p archive that cannot be linked if they are needed.
static Error checkMembers(StringRef archive, bool hasGccPlugin,
                          function_ref<void(const std::string &)> warn) {
  return forEachArchiveMember(archive, [&](const ArchiveMember &member) {
    bool isSlim = isSlimGccObject(member.data);
    if (isSlim || (hasGccPlugin && isGccLtoObject(member.data)))
      warn(InputLocation(archive, member.name).str() + ": " +
           (hasGccPlugin ? kTwoPluginsText : kSlimGccText).str());
    return Error::success();
  });
}

Error checkGccInputs(const LinkerCommandLine &line,
                     function_ref<void(const std::string &)> warn) {
  bool hasGccPlugin = any_of(line.plugins, [](StringRef plugin) {
    return sys::path::filename(plugin).starts_with("liblto_plugin");
  });
  Error errors = Error::success();
  StringSet<> seen;
  for (const LinkerInput &input : line.inputs) {
    ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFile(
        input.path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!file || !seen.insert(input.path).second)
      continue; // not an input after all
    if (identify_magic((*file)->getBuffer()) == file_magic::archive) {
      if (Error error = checkMembers(input.path, hasGccPlugin, warn))
        errors = joinErrors(std::move(errors), std::move(error));
    } else if (hasGccPlugin && isGccLtoObject(**file)) {
      errors =
          joinErrors(std::move(errors),
                     inputError(InputLocation(input.path), kTwoPluginsText));
    }
  }
  return errors;
}

} // namespace gpulto
