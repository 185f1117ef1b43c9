//===- UnitNames.h - Names of a unit's own symbols --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_SUPPORT_UNITNAMES_H
#define GPULTO_SUPPORT_UNITNAMES_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace gpulto {

/// Returns \p name without the suffix that hasUnitSuffix looks for.
llvm::StringRef withoutUnitSuffix(llvm::StringRef name);

/// Returns whether \p name ends in the suffix with which clang makes names of
/// static kernels and device variables unique: `k__intern__<id>`,
/// `x__static__<id>`.
bool hasUnitSuffix(llvm::StringRef name);

/// Returns the name in the source of the symbol \p name, a unit's own, too.
std::string demangled(llvm::StringRef name);

/// Returns \p text with each mangled name between quotes demangled.
std::string withNamesOfSource(llvm::StringRef text);

} // namespace gpulto

#endif // GPULTO_SUPPORT_UNITNAMES_H
