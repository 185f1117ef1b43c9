//===- Ltrans.h - Run one LTRANS job ----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_LTRANS_LTRANS_H
#define GPULTO_LTO_LTRANS_LTRANS_H

#include "lto/job/JobResults.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace gpulto {

/// Runs \p job in this process: reads the bodies it names (verifying size and
/// digest), applies the decisions, runs LLVM's pipeline and code generation,
/// and writes resultPaths(job, prefix) atomically. Equal jobs over equal inputs
/// write equal bytes in any directory. \p saveTempsPrefix: if not empty,
/// bitcode before and after optimization is kept under that prefix. Errors:
/// missing or changed input, invalid bitcode, failing ptxas (with its command
/// and messages). Not an error: bodies that were to be folded differ; the
/// report, then the only result, says so. \p onPhase is called with the phase
/// that begins ("optimizing"), so that the link can say what a crashed job was
/// doing. \p cache may be null.
llvm::Error runLtransJob(
    const LtransJob &job, llvm::StringRef prefix,
    llvm::StringRef saveTempsPrefix,
    llvm::function_ref<void(llvm::StringRef)> onPhase = [](llvm::StringRef) {},
    JobCache *cache = nullptr);

} // namespace gpulto

#endif
