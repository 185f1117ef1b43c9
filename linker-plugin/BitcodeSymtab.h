//===- BitcodeSymtab.h - Is bitcode's symbol table sound? -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GPULTO_LINKER_PLUGIN_BITCODESYMTAB_H
#define GPULTO_LINKER_PLUGIN_BITCODESYMTAB_H

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace gpulto {

/// Checks every offset and index in the symbol table of \p bitcode, which
/// llvm::lto::InputFile uses without checks: damaged ones would crash the
/// linker. Bitcode without a table passes. Reads no body. Errors: what is
/// damaged.
llvm::Error checkBitcodeSymtab(llvm::MemoryBufferRef bitcode);

} // namespace gpulto

#endif // GPULTO_LINKER_PLUGIN_BITCODESYMTAB_H
