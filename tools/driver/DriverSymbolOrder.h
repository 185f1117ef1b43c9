//===- DriverSymbolOrder.h - Symbols of assembly in order -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_TOOLS_DRIVER_DRIVERSYMBOLORDER_H
#define GPULTO_TOOLS_DRIVER_DRIVERSYMBOLORDER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace gpulto::driver {

/// Returns \p bitcode, a file of one module, with the symbols of its
/// module-level assembly sorted by name in the symbol table and in the string
/// table; empty if they already are. LLVM lists them in the order of hash
/// tables, and adds those from `.symver` in the order of addresses, which
/// differs from run to run. Linkers look up symbols by name. Errors: malformed.
llvm::Expected<std::string> sortAssemblySymbols(llvm::StringRef bitcode);

} // namespace gpulto::driver

#endif
