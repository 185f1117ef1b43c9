//===- DeviceLimits.cpp - The size of a device by its architecture --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute
// Capability".
//
//===----------------------------------------------------------------------===//

#include "emulator/machine/Device.h"

namespace gpulto::emu {

DeviceLimits limitsOf(unsigned arch) {
  DeviceLimits limits;
  limits.computeMajor = arch / 10;
  limits.computeMinor = arch % 10;
  if (limits.computeMajor < 9)
    limits.maxClusterBlocks = limits.maxNonPortableClusterBlocks = 1;
  if (limits.computeMajor >= 11) {
    limits.maxThreadsPerSm = 1536;
    limits.maxBlocksPerSm = 24;
  }
  if (limits.computeMajor >= 12) {
    limits.sharedPerBlockOptinBytes = 99 * 1024;
    limits.sharedPerSmBytes = 100 * 1024;
    limits.maxNonPortableClusterBlocks = limits.maxClusterBlocks;
  }
  return limits;
}

} // namespace gpulto::emu
