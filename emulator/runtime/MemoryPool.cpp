//===- MemoryPool.cpp - Pools of stream-ordered memory --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/MemoryPool.h"

namespace gpulto::emu {

Pools &pools() {
  static Pools *all = [] {
    auto *made = new Pools; // never destroyed, as the Runtime
    for (unsigned i = 0; i < kMaxDevices; ++i) {
      made->standard[i].device = i;
      made->standard[i].access = DeviceSet(1) << i;
      made->current[i] = &made->standard[i];
    }
    return made;
  }();
  return *all;
}

bool isOfPool(const void *pointer) {
  return pools().allocations.count(reinterpret_cast<uint64_t>(pointer)) != 0;
}

MemoryPool *findPool(cudaMemPool_t handle) {
  Pools &all = pools();
  for (MemoryPool &pool : all.standard)
    if (static_cast<const void *>(handle) == &pool)
      return &pool;
  auto found = all.made.find(handle);
  return found == all.made.end() ? nullptr : found->second.get();
}

void forgetPools(unsigned device) {
  Pools &all = pools();
  std::erase_if(all.allocations, [&](const auto &item) {
    return item.second.first->device == device;
  });
  std::erase_if(all.made, [&](const auto &item) {
    return item.second->device == device;
  });
  MemoryPool &standard = all.standard[device];
  standard = MemoryPool();
  standard.device = device;
  standard.access = DeviceSet(1) << device;
  all.current[device] = &standard;
}

} // namespace gpulto::emu
