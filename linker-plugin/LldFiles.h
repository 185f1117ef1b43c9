//===- LldFiles.h - How lld accesses the file system ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GPULTO_LINKER_PLUGIN_LLDFILES_H
#define GPULTO_LINKER_PLUGIN_LLDFILES_H

#include "llvm/Support/MemoryBufferRef.h"

namespace gpulto {

/// Called with a complete output before it replaces the old file. If it returns
/// false, the output is dropped without an error, and the old file stays.
using OutputCheck = bool (*)(llvm::MemoryBufferRef output);

/// Calls \p check, if not null, for every output from now on that is a regular
/// file.
void checkOutputs(OutputCheck check);

} // namespace gpulto

#endif // GPULTO_LINKER_PLUGIN_LLDFILES_H
