//===- DriverHostCompiler.h - The compiler that -ccbin names ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_TOOLS_DRIVER_DRIVERHOSTCOMPILER_H
#define GPULTO_TOOLS_DRIVER_DRIVERHOSTCOMPILER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace gpulto::driver {

/// Returns the words that make clang use the GCC, its headers and libraries,
/// and the system root of the C++ compiler \p named: g++ itself, or a clang++.
/// \p named: a name on PATH, a path, or a directory with a gcc. \p option: the
/// option that names it, for messages. Errors: it cannot be run, is not a C++
/// compiler, or uses no GCC.
llvm::Expected<std::vector<std::string>>
wordsForHostCompiler(llvm::StringRef named, llvm::StringRef option);

} // namespace gpulto::driver

#endif
