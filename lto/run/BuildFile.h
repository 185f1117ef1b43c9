//===- BuildFile.h - LTRANS jobs as rules of ninja or make ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_RUN_BUILDFILE_H
#define GPULTO_LTO_RUN_BUILDFILE_H

#include "lto/link/RemoteOptions.h"
#include "lto/run/JobCommands.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace gpulto {

/// Writes `build.ninja` or `Makefile` to \p directory: a rule for each of \p
/// commands and one that then runs \p remote.linkCommand, which makes \p
/// output. It works in any directory. Returns its path. Errors: a name that
/// such a file cannot hold; a file that cannot be written.
llvm::Expected<std::string> writeBuildFile(const JobCommands &commands,
                                           const RemoteOptions &remote,
                                           llvm::StringRef output,
                                           llvm::StringRef directory);

} // namespace gpulto

#endif
