//===- ImagesCommand.h - gpulto images --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_TOOLS_COMMANDS_IMAGESCOMMAND_H
#define GPULTO_TOOLS_COMMANDS_IMAGESCOMMAND_H

#include "llvm/ADT/ArrayRef.h"

namespace gpulto {

/// `gpulto images [--json] FILE...`: lists the device images that executables,
/// shared libraries, fat binaries or cubins hold: PTX and cubins by
/// architecture, and each kernel's code bytes, registers and stack. --json:
/// totals of one file as one object. \p arguments: those after `images`.
/// Returns the exit status; messages go to stderr.
int imagesCommand(llvm::ArrayRef<const char *> arguments);

} // namespace gpulto

#endif
