//===- ExplainMemory.h - gpulto explain --memory ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_TOOLS_COMMANDS_EXPLAINMEMORY_H
#define GPULTO_TOOLS_COMMANDS_EXPLAINMEMORY_H

#include "llvm/ADT/ArrayRef.h"

namespace gpulto {

/// `gpulto explain --memory [--kernel=GLOB]... [--file=GLOB]... [--all] [--json
/// | --sarif] PROGRAM...`: says which accesses of kernels to memory waste
/// bandwidth, the worst first, why, and what to do. \p arguments: those after
/// `explain`. Returns the exit status, 1 if some file has no table; messages go
/// to stderr.
int explainMemoryCommand(llvm::ArrayRef<const char *> arguments);

} // namespace gpulto

#endif // GPULTO_TOOLS_COMMANDS_EXPLAINMEMORY_H
