//===- SymbolizeCommand.h - gpulto symbolize --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_TOOLS_COMMANDS_SYMBOLIZECOMMAND_H
#define GPULTO_TOOLS_COMMANDS_SYMBOLIZECOMMAND_H

#include "llvm/ADT/ArrayRef.h"

namespace gpulto {

/// Runs `gpulto symbolize` with \p arguments and returns the exit status.
int symbolizeCommand(llvm::ArrayRef<const char *> arguments);

} // namespace gpulto

#endif
