//===- DriverNvcc.h - nvcc's command line, for gpulto-clang++ ---*- C++ -*-===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_TOOLS_DRIVER_DRIVERNVCC_H
#define GPULTO_TOOLS_DRIVER_DRIVERNVCC_H

#include "tools/driver/DriverCuda.h"

namespace gpulto::driver {

/// Carries out \p argv, a command line of nvcc, with commands of gpulto-clang++
/// with -flto=gpu (this program under the name gpulto-nvcc). Returns the exit
/// status. Errors: an option that nvcc does not know, or that cannot be
/// translated.
llvm::Expected<int> nvccMain(llvm::ArrayRef<const char *> argv,
                             const Installation &installation);

/// Whether \p word is, or begins with, an option of nvcc whose name is longer
/// than \p known characters. \p word ends in NUL.
bool isOptionOfNvcc(llvm::StringRef word, size_t known);

} // namespace gpulto::driver

#endif
