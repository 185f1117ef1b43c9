//===- WhyRebuilt.h - gpulto explain --why-rebuilt --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_TOOLS_COMMANDS_WHYREBUILT_H
#define GPULTO_TOOLS_COMMANDS_WHYREBUILT_H

#include "llvm/ADT/ArrayRef.h"

namespace gpulto {

/// Explains, for outputs of links with a cache, which jobs the last link ran,
/// and why; \p arguments are those of `gpulto explain`. Returns the exit
/// status.
int whyRebuiltCommand(llvm::ArrayRef<const char *> arguments);

} // namespace gpulto

#endif // GPULTO_TOOLS_COMMANDS_WHYREBUILT_H
