//===- ExplainKernel.h - gpulto explain KERNEL PROGRAM ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_TOOLS_COMMANDS_EXPLAINKERNEL_H
#define GPULTO_TOOLS_COMMANDS_EXPLAINKERNEL_H

#include "llvm/ADT/ArrayRef.h"

namespace gpulto {

/// Whether \p arguments, those after `explain`, are a kernel and a program: two
/// words that are no options, the first of which is no file, or the name of a
/// kernel in the second.
bool isAboutKernel(llvm::ArrayRef<const char *> arguments);

/// `gpulto explain KERNEL PROGRAM`: tells the story of the kernels whose name,
/// as in the source with or without parameters, or mangled, matches the pattern
/// KERNEL: who launches it, what is known of it, what was done with it, what it
/// takes, and what is not known. Returns the exit status, 1 if there is no such
/// kernel; messages go to stderr.
int explainKernelCommand(llvm::ArrayRef<const char *> arguments);

} // namespace gpulto

#endif // GPULTO_TOOLS_COMMANDS_EXPLAINKERNEL_H
