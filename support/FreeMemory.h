//===- FreeMemory.h - What memory can still be had --------------*- C++ -*-===//
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

/// Returns how many bytes this process and its children can take beyond what
/// is in use, without swapping and without being killed for it: the least of
/// what the machine has and what the limits of the control groups leave, those
/// that hold the process's group included (versions 1 and 2). File caches
/// count as free. UINT64_MAX when nothing is known. \p root stands before all
/// paths that are read: for tests.
uint64_t freeMemoryBytes(llvm::StringRef root = "");

/// Returns the bytes of memory of \p process's own, without what it maps from
/// files; 0 when it is not there.
uint64_t ownMemoryBytes(pid_t process);

/// Gives the memory that this process has freed back to the system, where the C
/// library can: before it starts children, who would keep it or need it.
void returnFreedMemory();

} // namespace gpulto

#endif // GPULTO_SUPPORT_FREEMEMORY_H
