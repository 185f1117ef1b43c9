//===- ExplainTransfers.h - gpulto explain --transfers ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_TOOLS_COMMANDS_EXPLAINTRANSFERS_H
#define GPULTO_TOOLS_COMMANDS_EXPLAINTRANSFERS_H

#include "llvm/ADT/ArrayRef.h"

namespace gpulto {

/// `gpulto explain --transfers [--file=GLOB]... [--function=GLOB]... [--all]
/// [--json] PROGRAM...`: says which copies and fills between host and device
/// need not be made, and why the others are needed. \p arguments: those after
/// `explain`. Returns the exit status, 1 if some file has no table; messages go
/// to stderr.
int explainTransfersCommand(llvm::ArrayRef<const char *> arguments);

} // namespace gpulto

#endif // GPULTO_TOOLS_COMMANDS_EXPLAINTRANSFERS_H
