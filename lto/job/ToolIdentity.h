//===- ToolIdentity.h - Which programs make a job's results -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_JOB_TOOLIDENTITY_H
#define GPULTO_LTO_JOB_TOOLIDENTITY_H

#include "support/StableHash.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace gpulto {

/// Returns the digest of the file \p path, which identifies a tool wherever it
/// lies. Errors: it cannot be read.
llvm::Expected<Digest> digestOfFile(llvm::StringRef path);

/// Returns a digest that identifies the code that runs here, wherever it is
/// installed: the versions of gpulto and LLVM, and for this program and each
/// loaded library the build ID or, without one, the digest of the file. Errors:
/// such a file cannot be read.
llvm::Expected<Digest> identityOfOptimizer();

} // namespace gpulto

#endif // GPULTO_LTO_JOB_TOOLIDENTITY_H
