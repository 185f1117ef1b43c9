//===- ReplacedRuntime.h - Functions for those of CUDA's runtime -*- C++ -*-==//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_RUNTIME_REPLACEDRUNTIME_H
#define GPULTO_IPA_RUNTIME_REPLACEDRUNTIME_H

#include "summary/WpaContext.h"

namespace gpulto {

/// Returns the name of a function of CUDA's runtime that passes know, which a
/// module of the host uses and which is another one in this link: defined by
/// the program, or redefined by the linker (--wrap, --defsym). Empty: there is
/// none. LGEN knows such functions by their names alone, so then nothing holds
/// that it concluded from calls of them.
llvm::StringRef findReplacedRuntime(const WpaContext &context);

} // namespace gpulto

#endif
