//===- MemoryPool.h - Pools of stream-ordered memory -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_RUNTIME_MEMORYPOOL_H
#define GPULTO_EMULATOR_RUNTIME_MEMORYPOOL_H

#include "emulator/machine/Device.h"

#include <array>
#include <cuda_runtime_api.h>
#include <map>
#include <memory>

namespace gpulto::emu {

/// The object behind cudaMemPool_t. Memory comes directly from the device; the
/// pool keeps counts and the values that programs set and read back.
struct MemoryPool {
  unsigned device = 0;
  /// Devices whose kernels may use its memory.
  DeviceSet access = 1;
  std::map<int, uint64_t> attributes;
  uint64_t usedBytes = 0, usedHighBytes = 0;
};

/// All pools of the process; guarded by the runtime's mutex.
struct Pools {
  std::array<MemoryPool, kMaxDevices> standard;
  std::map<const void *, std::unique_ptr<MemoryPool>> made;
  /// The pool that cudaMallocAsync uses, by device.
  std::array<MemoryPool *, kMaxDevices> current{};
  /// Pool and size of every live allocation made from a pool.
  std::map<uint64_t, std::pair<MemoryPool *, uint64_t>> allocations;
};

/// Returns the process's pools.
Pools &pools();

/// Returns the pool of a handle, or null if there is none.
MemoryPool *findPool(cudaMemPool_t handle);

/// Returns whether memory that begins at \p pointer was allocated from a pool.
bool isOfPool(const void *pointer);

/// Forgets the memory pools of a device on reset.
void forgetPools(unsigned device);

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_RUNTIME_MEMORYPOOL_H
