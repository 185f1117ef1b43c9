//===- CudaHomeCommand.h - gpulto cuda-home ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_TOOLS_COMMANDS_CUDAHOMECOMMAND_H
#define GPULTO_TOOLS_COMMANDS_CUDAHOMECOMMAND_H

#include "llvm/ADT/ArrayRef.h"

namespace gpulto {

/// `gpulto cuda-home [--cuda-path=TOOLKIT] DIR`: makes DIR a tree of links to a
/// CUDA toolkit in which bin/nvcc is gpulto-nvcc, or makes such a tree anew.
/// \p arguments: those after `cuda-home`. Returns the exit status; messages go
/// to stderr. On an error DIR is unchanged.
int cudaHomeCommand(llvm::ArrayRef<const char *> arguments);

} // namespace gpulto

#endif
