//===- LldFiles.h - How lld meets the file system ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GPULTO_LINKER_PLUGIN_LLDFILES_H
#define GPULTO_LINKER_PLUGIN_LLDFILES_H

#include "llvm/Support/MemoryBufferRef.h"

namespace gpulto {

/// Is shown a complete output before it takes its place. False: it is dropped
/// without an error, and what stands there stays.
using OutputCheck = bool (*)(llvm::MemoryBufferRef output);

/// Has every output from now on that is a regular file shown to \p check; null:
/// to nobody.
void checkOutputs(OutputCheck check);

} // namespace gpulto

#endif // GPULTO_LINKER_PLUGIN_LLDFILES_H
