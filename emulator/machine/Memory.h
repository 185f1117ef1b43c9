//===- Memory.h - Device memory: one arena and what is live in it ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One large mapping is reserved when the device is made; a device pointer is an
// address in it, so host code (memcpy, managed memory) and kernels agree on
// addresses. Allocations are separated by gaps and a freed address is not
// reused until the whole mapping has been used once, so that accesses out of
// bounds and after free are detected.
//
// The devices of a process share the mapping, so an address shows which
// device's memory it is; each device has its own limits.
//
// Shared memory (the block's own, and that of each block of its cluster), local
// memory, kernel parameters and functions have generic addresses in windows at
// the start of the mapping. The windows have no memory: the executing thread
// translates an access.
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_MACHINE_MEMORY_H
#define GPULTO_EMULATOR_MACHINE_MEMORY_H

#include "emulator/machine/Device.h"
#include "emulator/ptx/Types.h"

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <shared_mutex>
#include <vector>

namespace gpulto::emu {

/// Blocks of a cluster, at most; the shared memory of each has a window.
constexpr uint32_t kMaxClusterBlocks = 16;
/// Distance from the window of the own block's shared memory to those of the
/// cluster's blocks, by rank.
constexpr uint64_t kClusterWindows = 4 * kWindowBytes;
constexpr uint64_t kWindowCount = 4 + kMaxClusterBlocks;
/// Distance between the handles of functions in the code window.
constexpr uint64_t kCodeStep = 16;

/// Half-open range of addresses.
struct Range {
  uint64_t begin = 0, end = 0;
};

class Memory;

/// Memory of a device without an address until it is mapped, possibly at
/// several places. Counts as the device's as long as it exists.
class PhysicalMemory {
public:
  ~PhysicalMemory();
  PhysicalMemory(const PhysicalMemory &) = delete;
  PhysicalMemory &operator=(const PhysicalMemory &) = delete;

private:
  friend class Memory;
  PhysicalMemory(Memory &owner, int file, uint64_t sizeBytes, unsigned device)
      : owner(owner), file(file), sizeBytes(sizeBytes), device(device) {}

  Memory &owner;
  int file; ///< An anonymous file of the system.
  uint64_t sizeBytes;
  unsigned device;
};

/// The memory of the devices of a process. Thread-safe.
class Memory {
public:
  Memory() = default;
  ~Memory();
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  /// Reserves the mapping. False when the system refuses.
  bool reserve();
  /// Adds a device with \p limitBytes bytes and returns its number.
  unsigned addDevice(uint64_t limitBytes);

  uint64_t sharedWindow() const { return base; }
  uint64_t localWindow() const { return base + kWindowBytes; }
  uint64_t paramWindow() const { return base + 2 * kWindowBytes; }
  uint64_t codeWindow() const { return base + 3 * kWindowBytes; }

  unsigned devices() const { return deviceCount; }

  /// Returns 0 if the limit or the mapping is used up.
  uint64_t allocate(uint64_t sizeBytes, uint64_t alignBytes,
                    AllocationKind kind, unsigned device);
  /// False unless \p address starts a live allocation of \p kind.
  bool release(uint64_t address, AllocationKind kind);
  bool registerHost(uint64_t address, uint64_t sizeBytes, unsigned device);
  bool unregisterHost(uint64_t address);
  void setPoolAccess(uint64_t address, DeviceSet devices);

  /// Reserves addresses, which are not an allocation. Returns 0 if none are
  /// left.
  uint64_t reserveAddresses(uint64_t sizeBytes, uint64_t alignBytes);
  /// False unless the range was reserved as a whole and nothing is mapped in
  /// it.
  bool freeAddresses(uint64_t address, uint64_t sizeBytes);
  /// Returns null if the device's limit is used up. Its contents are zero, or
  /// kPoison.
  std::shared_ptr<PhysicalMemory> createPhysical(uint64_t sizeBytes,
                                                 unsigned device, bool poisons);
  /// Makes a part of \p physical the allocation at \p address, which no device
  /// may use yet. False if that is not free reserved memory, or the part is not
  /// within \p physical. Sizes and addresses are multiples of pages.
  bool map(uint64_t address, uint64_t sizeBytes, uint64_t offset,
           std::shared_ptr<PhysicalMemory> physical);
  /// Removes a complete allocation that map() made there. False if it is
  /// something else.
  bool unmap(uint64_t address, uint64_t sizeBytes);

  /// Finds the live allocation that holds \p address.
  bool find(uint64_t address, Allocation &allocation) const;
  /// Finds the nearest allocation that begins at or below \p address, live or
  /// freed, for messages.
  bool findNearest(uint64_t address, Allocation &allocation,
                   bool &isFreed) const;
  bool contains(uint64_t address) const {
    return address - base < reservedBytes;
  }
  /// Returns \p range without the mapping, in which \p address is not: the
  /// system joins neighboring mappings.
  Range outside(uint64_t address, Range range) const {
    uint64_t end = base + reservedBytes;
    if (address < base)
      return {range.begin, range.end < base ? range.end : base};
    return {range.begin > end ? range.begin : end, range.end};
  }
  /// True when the part of the range that lies in the mapping is live.
  bool isLive(uint64_t address, uint64_t sizeBytes) const;

  /// Grows by one whenever an allocation disappears; caches of ranges compare.
  uint32_t epoch() const {
    return epochCounter.load(std::memory_order_relaxed);
  }
  uint64_t allocatedBytes(unsigned device) const {
    return uses[device].bytes.load(std::memory_order_relaxed);
  }
  uint64_t heapBytes(unsigned device) const {
    return uses[device].heapBytes.load(std::memory_order_relaxed);
  }

private:
  /// A device's limit and use.
  struct Use {
    uint64_t limitBytes = 0;
    std::atomic<uint64_t> bytes{0}, heapBytes{0};
  };
  friend class PhysicalMemory;
  uint64_t place(uint64_t sizeBytes, uint64_t alignBytes);
  std::vector<Range> occupied() const;

  mutable std::shared_mutex mutex;
  uint64_t base = 0;
  uint64_t reservedBytes = 0;
  unsigned deviceCount = 0;
  uint64_t bump = 0;
  std::map<uint64_t, Allocation> live;
  std::map<uint64_t, Allocation> freed;  ///< Not yet reused.
  std::map<uint64_t, uint64_t> reserved; ///< Sizes of ranges without memory.
  /// Mapped memory, by address; all of it is live as well.
  std::map<uint64_t, std::shared_ptr<PhysicalMemory>> mapped;
  std::atomic<uint32_t> epochCounter{1};
  std::array<Use, kMaxDevices> uses;
};

/// Fills memory with kPoison.
void fillPoison(void *address, uint64_t sizeBytes);

/// Returns the name of an allocation of this kind in messages.
const char *allocationName(AllocationKind kind);

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_MACHINE_MEMORY_H
