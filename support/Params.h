//===- Params.h - Thresholds of all passes ----------------------*- C++ -*-===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_SUPPORT_PARAMS_H
#define GPULTO_SUPPORT_PARAMS_H

#include "support/StableHash.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>

namespace gpulto {

/// Every threshold of the project, with its default (support/Params.def).
/// Set by `--gpulto-param=NAME=VALUE`.
struct Params {
#define GPULTO_PARAM(NAME, TYPE, DEFAULT, MIN, MAX, UNIT, TEXT, SOURCE)        \
  TYPE NAME = DEFAULT;
#include "support/Params.def"

  /// Sets one parameter from `name=value`. Errors: unknown name (the nearest
  /// one is suggested), not a number, outside the range.
  llvm::Error set(llvm::StringRef assignment);

  /// Puts all names and values into \p hasher, for cache keys.
  void addTo(StableHasher &hasher) const;
};

/// One row of Params.def, for documentation and dumps.
struct ParamInfo {
  const char *name;
  const char *type;
  int64_t defaultValue;
  int64_t minimum;
  int64_t maximum;
  const char *unit;
  const char *text;   ///< one sentence
  const char *source; ///< where the default comes from
};

/// Returns all rows in the order of Params.def.
llvm::ArrayRef<ParamInfo> allParams();

} // namespace gpulto

#endif // GPULTO_SUPPORT_PARAMS_H
