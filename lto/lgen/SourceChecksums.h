//===- SourceChecksums.h - Checksums of sources in debug info ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_LGEN_SOURCECHECKSUMS_H
#define GPULTO_LTO_LGEN_SOURCECHECKSUMS_H

namespace llvm {
class Module;
} // namespace llvm

namespace gpulto {

/// Takes the checksums of sources out of the debug info of \p module. clang
/// puts an MD5 of every file into line tables of DWARF 5, so each edit of a
/// file would change all code that has a function of it inlined, however little
/// of the file that is. Returns whether there were any.
bool dropSourceChecksums(llvm::Module &module);

} // namespace gpulto

#endif
