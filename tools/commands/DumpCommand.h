//===- DumpCommand.h - gpulto dump ------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_TOOLS_COMMANDS_DUMPCOMMAND_H
#define GPULTO_TOOLS_COMMANDS_DUMPCOMMAND_H

#include "llvm/ADT/ArrayRef.h"

namespace gpulto {

/// `gpulto dump [OPTION]... FILE...`: prints the contents of objects, archives,
/// summary files, bitcode and job files as stable text, one fact per line. \p
/// arguments: those after `dump`. Returns the exit status; messages go to
/// stderr.
int dumpCommand(llvm::ArrayRef<const char *> arguments);

} // namespace gpulto

#endif
