//===- FileArguments.h - Arguments of commands that show files --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_TOOLS_COMMANDS_FILEARGUMENTS_H
#define GPULTO_TOOLS_COMMANDS_FILEARGUMENTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <vector>

namespace gpulto {

/// The arguments of `gpulto COMMAND [--json] FILE...`.
struct FileArguments {
  bool asJson = false;
  /// If empty, there is nothing to do, and \c status is that of the command.
  std::vector<llvm::StringRef> files;
  int status = 0;
};

/// Reads \p arguments of \p command, which does \p what with files. Prints the
/// usage on request, and errors.
FileArguments readFileArguments(llvm::StringRef command, llvm::StringRef what,
                                llvm::ArrayRef<const char *> arguments);

} // namespace gpulto

#endif // GPULTO_TOOLS_COMMANDS_FILEARGUMENTS_H
