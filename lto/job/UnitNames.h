//===- UnitNames.h - Names of what is a unit's own --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_JOB_UNITNAMES_H
#define GPULTO_LTO_JOB_UNITNAMES_H

#include "llvm/ADT/StringRef.h"

namespace gpulto {

/// Returns \p name without what hasUnitSuffix looks for.
llvm::StringRef withoutUnitSuffix(llvm::StringRef name);

/// Returns whether \p name ends in what clang makes the names of static kernels
/// and device variables unique with: `k__intern__<id>`, `x__static__<id>`.
bool hasUnitSuffix(llvm::StringRef name);

} // namespace gpulto

#endif // GPULTO_LTO_JOB_UNITNAMES_H
