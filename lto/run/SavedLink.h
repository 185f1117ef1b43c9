//===- SavedLink.h - What is needed to repeat a link's jobs -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GPULTO_LTO_RUN_SAVEDLINK_H
#define GPULTO_LTO_RUN_SAVEDLINK_H

#include "lto/job/LinkJobs.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace gpulto {

/// Writes \p jobs to `DIRECTORY/I.job.json` and the bitcode that they read to
/// `DIRECTORY/inputs`, each module once. The jobs name it relative to the
/// directory, so that `cd DIRECTORY && gpulto ltrans I.job.json -o OUT` repeats
/// a job on any machine and writes what the link writes. Makes the directory if
/// needed. Errors: a file cannot be read or written.
llvm::Error saveJobs(const LinkJobs &jobs, llvm::StringRef directory);

/// Returns the shell command that repeats job \p index of a saved link.
std::string replayCommand(llvm::StringRef directory, uint32_t index);

} // namespace gpulto

#endif
