//===- LtoCommand.h - gpulto lto --------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_TOOLS_COMMANDS_LTOCOMMAND_H
#define GPULTO_TOOLS_COMMANDS_LTOCOMMAND_H

#include "llvm/ADT/ArrayRef.h"

namespace gpulto {

/// `gpulto lto INPUT... -r=INPUT,SYMBOL,FLAGS... -o PREFIX`: runs the whole
/// pipeline without a linker and writes the native objects to PREFIX.0.o,
/// PREFIX.1.o and so on. \p arguments: those after `lto`. Returns the exit
/// status; messages go to stderr.
int ltoCommand(llvm::ArrayRef<const char *> arguments);

} // namespace gpulto

#endif
