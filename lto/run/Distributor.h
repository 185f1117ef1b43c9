//===- Distributor.h - Have a program run LTRANS jobs elsewhere -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_RUN_DISTRIBUTOR_H
#define GPULTO_LTO_RUN_DISTRIBUTOR_H

#include "lto/link/RemoteOptions.h"
#include "lto/run/JobCommands.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace gpulto {

/// Returns \p commands in the form of LLVM's Distributed ThinLTO
/// (llvm.org/docs/DTLTO.html). Errors: a name that JSON cannot hold.
llvm::Expected<std::string> describeForDistributor(const JobCommands &commands,
                                                   llvm::StringRef output);

/// Runs \p remote.distributor on \p commands, in the current directory, and
/// waits for it. \p output: the linked program. A signal that ends this process
/// ends the distributor and its children first. Returns what the distributor
/// wrote to standard error. Errors: it cannot be run, or it fails, with the
/// same text.
llvm::Expected<std::string> runDistributor(const JobCommands &commands,
                                           const RemoteOptions &remote,
                                           llvm::StringRef output,
                                           llvm::StringRef directory);

} // namespace gpulto

#endif
