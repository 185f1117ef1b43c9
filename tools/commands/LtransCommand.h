//===- LtransCommand.h - gpulto ltrans --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_TOOLS_COMMANDS_LTRANSCOMMAND_H
#define GPULTO_TOOLS_COMMANDS_LTRANSCOMMAND_H

#include "llvm/ADT/ArrayRef.h"

namespace gpulto {

/// `gpulto ltrans JOB -o PREFIX`: runs the job of the file JOB and writes
/// PREFIX.o, or PREFIX.ptx and PREFIX.cubin. \p arguments: those after
/// `ltrans`. Returns the exit status; messages go to stderr.
int ltransCommand(llvm::ArrayRef<const char *> arguments);

} // namespace gpulto

#endif
