//===- SourceChecksums.h - Checksums of sources in debug info ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_LGEN_SOURCECHECKSUMS_H
#define GPULTO_LTO_LGEN_SOURCECHECKSUMS_H

namespace llvm {
class Module;
} // namespace llvm

namespace gpulto {

/// Removes the checksums of sources from the debug info of \p module. clang
/// puts an MD5 of every file into DWARF 5 line tables, so each edit of a file
/// would change all code into which any function of it is inlined. Returns
/// whether there were any.
bool dropSourceChecksums(llvm::Module &module);

} // namespace gpulto

#endif
