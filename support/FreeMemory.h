//===- FreeMemory.h - Memory that is still available ------------*- C++ -*-===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_SUPPORT_FREEMEMORY_H
#define GPULTO_SUPPORT_FREEMEMORY_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <sys/types.h>

namespace gpulto {

/// Returns how many bytes this process and its children can take beyond what is
/// in use, without swapping and without being killed for it: the minimum of
/// what the machine has and what the limits of the process's control group and
/// its parents leave (versions 1 and 2). File caches count as free. UINT64_MAX
/// if nothing is known. \p root is prepended to all paths read, for tests.
uint64_t freeMemoryBytes(llvm::StringRef root = "");

/// Returns the bytes of \p process's own memory, without what it maps from
/// files; 0 if there is no such process.
uint64_t ownMemoryBytes(pid_t process);

/// Returns the memory that this process has freed to the system, if the C
/// library can. Call it before starting children, which would keep it or need
/// it.
void returnFreedMemory();

} // namespace gpulto

#endif // GPULTO_SUPPORT_FREEMEMORY_H
