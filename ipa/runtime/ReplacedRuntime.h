//===- ReplacedRuntime.h - Replaced functions of CUDA's runtime -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_RUNTIME_REPLACEDRUNTIME_H
#define GPULTO_IPA_RUNTIME_REPLACEDRUNTIME_H

#include "summary/WpaContext.h"

namespace gpulto {

/// Returns the name of a CUDA runtime function that passes know and a host
/// module uses, but that this link replaces: the program defines it, or the
/// linker redefines it (--wrap, --defsym). Empty if there is none. LGEN knows
/// such functions only by name, so what it concluded from calls of a replaced
/// function does not hold.
llvm::StringRef findReplacedRuntime(const WpaContext &context);

} // namespace gpulto

#endif
