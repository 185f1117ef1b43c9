//===- ImagesCommand.h - gpulto images --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_TOOLS_COMMANDS_IMAGESCOMMAND_H
#define GPULTO_TOOLS_COMMANDS_IMAGESCOMMAND_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gpulto {

/// What ptxas has made of a kernel in one cubin.
struct KernelFigures {
  std::string arch; ///< "sm_90"
  std::string name; ///< in PTX
  uint64_t textBytes = 0;
  uint32_t registers = 0;
  uint32_t stackBytes = 0;
};

/// Returns the kernels in the cubins of the file \p path, by architecture as in
/// the file and then by name. Errors: it cannot be read.
llvm::Expected<std::vector<KernelFigures>> kernelFigures(llvm::StringRef path);

/// `gpulto images [--json] FILE...`: lists the device images that executables,
/// shared libraries, fat binaries or cubins hold: PTX and cubins by
/// architecture, and each kernel's code bytes, registers and stack. --json:
/// totals of one file as one object. \p arguments: those after `images`.
/// Returns the exit status; messages go to stderr.
int imagesCommand(llvm::ArrayRef<const char *> arguments);

} // namespace gpulto

#endif
