//===- Occupancy.h - Blocks that a multiprocessor holds ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_CHECK_OCCUPANCY_H
#define GPULTO_LTO_CHECK_OCCUPANCY_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace gpulto {

/// Threads of a warp, on all architectures.
inline constexpr unsigned kWarpThreads = 32;
/// Threads that a block may have, on all architectures.
inline constexpr unsigned kMaxBlockThreads = 1024;

/// What a streaming multiprocessor can hold. Source: CUDA C++ Programming
/// Guide, "Technical Specifications per Compute Capability", and the
/// occupancy calculator of the toolkit (cuda_occupancy.h).
struct MultiprocessorLimits {
  unsigned warps = 64;
  unsigned blocks = 32;
  unsigned registers = 65536;
  unsigned registersPerBlock = 65536;
  /// Schedulers, each with its share of the registers.
  unsigned subPartitions = 4;
  /// Allocation unit of a warp's registers.
  unsigned registerGranularity = 256;
  unsigned sharedBytes = 0;
  unsigned sharedGranularity = 256;
  /// Shared memory of each block that the system reserves.
  unsigned reservedSharedBytes = 0;
};

/// Returns the limits of \p arch ("sm_90a"), or nothing if it is unknown here.
std::optional<MultiprocessorLimits> multiprocessorLimits(llvm::StringRef arch);

/// Returns how many blocks of \p threads threads (1-1024) are resident at a
/// time when each thread has \p registers registers and each block
/// \p sharedBytes bytes of shared memory. 0: the launch fails. The whole shared
/// memory counts as available: how it is divided with the L1 cache is the
/// driver's business.
unsigned residentBlocks(const MultiprocessorLimits &limits, unsigned threads,
                        unsigned registers, uint64_t sharedBytes);

} // namespace gpulto

#endif
