//===- DriverIdentity.h - Name a compilation reproducibly -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_TOOLS_DRIVER_DRIVERIDENTITY_H
#define GPULTO_TOOLS_DRIVER_DRIVERIDENTITY_H

#include "support/StableHash.h"
#include "tools/driver/DriverCommandLine.h"

#include <string>

namespace gpulto::driver {

/// Returns the digest of the options that affect the code of \p line's objects
/// for \p architectures: no paths of outputs, no diagnostics, no directories.
Digest optionDigest(const CommandLine &line,
                    llvm::ArrayRef<std::string> architectures);

/// Returns \p path with the last -ffile-prefix-map= or -fdebug-prefix-map= that
/// fits applied; empty if none does.
std::string mappedPath(const CommandLine &line, llvm::StringRef path);

/// Returns \p path in a form independent of the build directory: mapped as
/// above, else relative to the working directory \p directory, else (if they
/// have nothing in common) the file name.
std::string stablePath(const CommandLine &line, llvm::StringRef path,
                       llvm::StringRef directory);

/// Returns the identity clang puts into the names of static kernels and
/// variables, which must be the same for host and devices: 16 hexadecimal
/// digits over source name, \p contents of the source and \p options. -cuid=
/// overrides it.
std::string compilationUnitId(const CommandLine &line, const DriverInput &input,
                              llvm::StringRef contents, const Digest &options);

} // namespace gpulto::driver

#endif
