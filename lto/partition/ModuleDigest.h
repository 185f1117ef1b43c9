//===- ModuleDigest.h - Digest of what optimization depends on --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_PARTITION_MODULEDIGEST_H
#define GPULTO_LTO_PARTITION_MODULEDIGEST_H

#include "support/StableHash.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace llvm {
class Module;
} // namespace llvm

namespace gpulto {

/// Returns the suffix that the next symbol of \p module whose name is taken
/// would get. LLVM counts: the number depends on what has been moved, is in no
/// bitcode, and gets into names that optimizations create. A query also counts,
/// so it must happen both with a cache and without.
std::string nextSuffix(llvm::Module &module);

/// Returns a digest of the contents of \p module, of the order of uses, which
/// optimizations walk, and of \p suffix, the result of nextSuffix.
Digest digestOfModule(const llvm::Module &module, llvm::StringRef suffix);

} // namespace gpulto

#endif
