//===- Driver.h - The compiler driver ---------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_TOOLS_DRIVER_DRIVER_H
#define GPULTO_TOOLS_DRIVER_DRIVER_H

#include "llvm/ADT/ArrayRef.h"

namespace gpulto::driver {

/// Is gpulto-clang++, gpulto-clang, gpulto-nvcc or clang, as the first of
/// \p words says; the others are its command line. Returns the exit status; the
/// process may also become another program.
int compilerMain(llvm::ArrayRef<const char *> words);

} // namespace gpulto::driver

#endif // GPULTO_TOOLS_DRIVER_DRIVER_H
