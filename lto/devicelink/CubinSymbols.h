//===- CubinSymbols.h - The names in relocatable device code ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_DEVICELINK_CUBINSYMBOLS_H
#define GPULTO_LTO_DEVICELINK_CUBINSYMBOLS_H

#include "summary/NativeCode.h"
#include "support/Error.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <vector>

namespace gpulto {

/// Returns the global functions, kernels and variables that \p cubin, at \p
/// where, defines or refers to, in the order of its symbol table. Leaves out
/// memory that each block has separately, and symbols that nvlink creates.
/// Errors: malformed.
llvm::Expected<std::vector<NativeSymbol>>
readCubinSymbols(llvm::StringRef cubin, const InputLocation &where);

} // namespace gpulto

#endif
