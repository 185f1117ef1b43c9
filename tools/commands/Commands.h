//===- Commands.h - The gpulto command --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_TOOLS_COMMANDS_COMMANDS_H
#define GPULTO_TOOLS_COMMANDS_COMMANDS_H

#include "llvm/ADT/ArrayRef.h"

namespace gpulto {

/// Runs the command that the second of \p words names, after the program's own
/// name. Returns the exit status.
int commandMain(llvm::ArrayRef<const char *> words);

} // namespace gpulto

#endif // GPULTO_TOOLS_COMMANDS_COMMANDS_H
