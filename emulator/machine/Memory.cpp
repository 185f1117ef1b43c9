//===- Memory.cpp - Device memory: one arena and what is live in it -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/machine/Memory.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

namespace gpulto::emu {

/// Gap behind each allocation: an index that runs over finds nothing live.
static constexpr uint64_t kGapBytes = 512;
static constexpr uint64_t kPageBytes = 4096;

static uint64_t alignTo(uint64_t value, uint64_t align) {
  return (value + align - 1) & ~(align - 1);
}

void fillPoison(void *address, uint64_t sizeBytes) {
  uint8_t *to = static_cast<uint8_t *>(address);
  uint64_t words = sizeBytes / sizeof(kPoison);
  for (uint64_t k = 0; k < words; ++k)
    std::memcpy(to + k * sizeof(kPoison), &kPoison, sizeof(kPoison));
  if (sizeBytes % sizeof(kPoison))
    to[sizeBytes - 1] = kPoison & 0xff;
}

/// Fills a file with kPoison; false if it cannot be mapped.
static bool poisonFile(int file, uint64_t sizeBytes) {
  void *all =
      mmap(nullptr, sizeBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (all == MAP_FAILED)
    return false;
  fillPoison(all, sizeBytes);
  return munmap(all, sizeBytes) == 0;
}

const char *allocationName(AllocationKind kind) {
  switch (kind) {
  case AllocationKind::Device:
    return "device memory";
  case AllocationKind::Managed:
    return "managed memory";
  case AllocationKind::Host:
    return "pinned host memory";
  case AllocationKind::HostRegistered:
    return "registered host memory";
  case AllocationKind::Global:
    return "a .global variable";
  case AllocationKind::Constant:
    return "a .const variable";
  case AllocationKind::Param:
    return "kernel parameters";
  case AllocationKind::DeviceHeap:
    return "the device heap";
  case AllocationKind::Pageable:
    return "the program's memory";
  case AllocationKind::PageableConst:
    return "the program's read-only memory";
  }
  return "memory";
}

/// Memory that counts as the device's own.
static bool countsAsDevice(AllocationKind kind) {
  return kind != AllocationKind::Host && kind != AllocationKind::HostRegistered;
}

Memory::~Memory() {
  if (base)
    munmap(reinterpret_cast<void *>(base), reservedBytes);
}

unsigned Memory::addDevice(uint64_t limitBytes) {
  std::unique_lock lock(mutex);
  uses[deviceCount].limitBytes = limitBytes;
  return deviceCount++;
}

bool Memory::reserve() {
  // Much more than the limit, so that freed addresses rest long; less where
  // the address space is limited.
  for (uint64_t bytes = 1ull << 40; bytes >= 1ull << 30; bytes >>= 1) {
    void *p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
      continue;
    madvise(p, bytes, MADV_DONTDUMP);
    base = reinterpret_cast<uint64_t>(p);
    reservedBytes = bytes;
    bump = base + kWindowCount * kWindowBytes;
    mprotect(p, kWindowCount * kWindowBytes, PROT_NONE);
    return true;
  }
  return false;
}

/// Address ranges in use, by address: allocations, and reserved ranges with all
/// that is mapped in them.
std::vector<Range> Memory::occupied() const {
  std::vector<Range> ranges;
  for (const auto &[address, allocation] : live)
    if (!mapped.count(address))
      ranges.push_back({address, address + allocation.sizeBytes});
  for (const auto &[address, sizeBytes] : reserved)
    ranges.push_back({address, address + sizeBytes});
  std::sort(ranges.begin(), ranges.end(),
            [](const Range &a, const Range &b) { return a.begin < b.begin; });
  return ranges;
}

uint64_t Memory::place(uint64_t sizeBytes, uint64_t alignBytes) {
  uint64_t size = alignTo(sizeBytes, 256) + kGapBytes;
  uint64_t at = alignTo(bump, alignBytes);
  if (at + size <= base + reservedBytes) {
    bump = at + size;
    return at;
  }
  // The mapping has been used once. First fit in what lies between the live
  // allocations.
  freed.clear();
  uint64_t from = base + kWindowCount * kWindowBytes;
  for (const Range &range : occupied()) {
    if (range.begin < from)
      continue;
    at = alignTo(from, alignBytes);
    if (at + size <= range.begin)
      return at;
    from = alignTo(range.end, 256) + kGapBytes;
  }
  at = alignTo(from, alignBytes);
  return at + size <= base + reservedBytes ? at : 0;
}

uint64_t Memory::allocate(uint64_t sizeBytes, uint64_t alignBytes,
                          AllocationKind kind, unsigned device) {
  if (alignBytes < 256)
    alignBytes = 256;
  std::unique_lock lock(mutex);
  Use &use = uses[device];
  if (sizeBytes > use.limitBytes)
    return 0;
  if (countsAsDevice(kind) && use.bytes + sizeBytes > use.limitBytes)
    return 0;
  uint64_t at = place(sizeBytes, alignBytes);
  if (!at)
    return 0;
  live[at] = {at, sizeBytes, kind, device};
  if (countsAsDevice(kind))
    use.bytes += sizeBytes;
  if (kind == AllocationKind::DeviceHeap)
    use.heapBytes += sizeBytes;
  return at;
}

bool Memory::release(uint64_t address, AllocationKind kind) {
  std::unique_lock lock(mutex);
  auto it = live.find(address);
  if (it == live.end() || it->second.kind != kind)
    return false;
  Allocation allocation = it->second;
  live.erase(it);
  freed[address] = allocation;
  ++epochCounter;
  Use &use = uses[allocation.device];
  if (countsAsDevice(kind))
    use.bytes -= allocation.sizeBytes;
  if (kind == AllocationKind::DeviceHeap)
    use.heapBytes -= allocation.sizeBytes;
  // Give the pages back; what shares a page with neighbors is cleared.
  uint64_t end = address + allocation.sizeBytes;
  uint64_t first = alignTo(address, kPageBytes), last = end & ~(kPageBytes - 1);
  if (first < last) {
    memset(reinterpret_cast<void *>(address), 0, first - address);
    madvise(reinterpret_cast<void *>(first), last - first, MADV_DONTNEED);
    memset(reinterpret_cast<void *>(last), 0, end - last);
  } else {
    memset(reinterpret_cast<void *>(address), 0, allocation.sizeBytes);
  }
  return true;
}

bool Memory::registerHost(uint64_t address, uint64_t sizeBytes,
                          unsigned device) {
  std::unique_lock lock(mutex);
  if (!sizeBytes || contains(address))
    return false;
  auto next = live.lower_bound(address);
  if (next != live.end() && next->first < address + sizeBytes)
    return false;
  if (next != live.begin()) {
    const Allocation &previous = std::prev(next)->second;
    if (previous.address + previous.sizeBytes > address)
      return false;
  }
  live[address] = {address, sizeBytes, AllocationKind::HostRegistered, device};
  return true;
}

bool Memory::unregisterHost(uint64_t address) {
  std::unique_lock lock(mutex);
  auto it = live.find(address);
  if (it == live.end() || it->second.kind != AllocationKind::HostRegistered)
    return false;
  live.erase(it);
  ++epochCounter;
  return true;
}

void Memory::setPoolAccess(uint64_t address, DeviceSet devices) {
  std::unique_lock lock(mutex);
  auto it = live.find(address);
  if (it == live.end())
    return;
  it->second.poolAccess = devices;
  ++epochCounter;
}

bool Memory::find(uint64_t address, Allocation &allocation) const {
  std::shared_lock lock(mutex);
  auto it = live.upper_bound(address);
  if (it == live.begin())
    return false;
  --it;
  if (address - it->second.address >= it->second.sizeBytes)
    return false;
  allocation = it->second;
  return true;
}

bool Memory::findNearest(uint64_t address, Allocation &allocation,
                         bool &isFreed) const {
  std::shared_lock lock(mutex);
  bool found = false;
  auto look = [&](const std::map<uint64_t, Allocation> &map, bool free) {
    auto it = map.upper_bound(address);
    if (it == map.begin())
      return;
    --it;
    if (found && it->second.address < allocation.address)
      return;
    allocation = it->second;
    isFreed = free;
    found = true;
  };
  look(live, false);
  look(freed, true);
  return found;
}

bool Memory::isLive(uint64_t address, uint64_t sizeBytes) const {
  if (sizeBytes == 0)
    return true;
  bool begins = contains(address), ends = contains(address + sizeBytes - 1);
  if (!begins && !ends)
    return true;
  // Mapped memory may follow mapped memory without a gap.
  Allocation allocation;
  while (find(address, allocation)) {
    uint64_t rest = allocation.address + allocation.sizeBytes - address;
    if (sizeBytes <= rest)
      return true;
    address += rest;
    sizeBytes -= rest;
  }
  return false;
}

// Memory that is mapped ------------------------------------------------------

PhysicalMemory::~PhysicalMemory() {
  close(file);
  owner.uses[device].bytes -= sizeBytes;
}

uint64_t Memory::reserveAddresses(uint64_t sizeBytes, uint64_t alignBytes) {
  std::unique_lock lock(mutex);
  uint64_t at = sizeBytes > reservedBytes
                    ? 0
                    : place(sizeBytes, std::max(alignBytes, kPageBytes));
  if (at)
    reserved[at] = sizeBytes;
  return at;
}

bool Memory::freeAddresses(uint64_t address, uint64_t sizeBytes) {
  std::unique_lock lock(mutex);
  auto it = reserved.find(address);
  if (it == reserved.end() || it->second != sizeBytes)
    return false;
  auto inside = mapped.lower_bound(address);
  if (inside != mapped.end() && inside->first < address + sizeBytes)
    return false;
  reserved.erase(it);
  return true;
}

std::shared_ptr<PhysicalMemory>
Memory::createPhysical(uint64_t sizeBytes, unsigned device, bool poisons) {
  std::unique_lock lock(mutex);
  Use &use = uses[device];
  if (sizeBytes > use.limitBytes || use.bytes + sizeBytes > use.limitBytes)
    return nullptr;
  int file = memfd_create("gpulto-emulator", MFD_CLOEXEC);
  if (file < 0)
    return nullptr;
  if (ftruncate(file, static_cast<off_t>(sizeBytes)) != 0 ||
      (poisons && !poisonFile(file, sizeBytes))) {
    close(file);
    return nullptr;
  }
  use.bytes += sizeBytes;
  return std::shared_ptr<PhysicalMemory>(
      new PhysicalMemory(*this, file, sizeBytes, device));
}

bool Memory::map(uint64_t address, uint64_t sizeBytes, uint64_t offset,
                 std::shared_ptr<PhysicalMemory> physical) {
  std::unique_lock lock(mutex);
  auto range = reserved.upper_bound(address);
  if (range == reserved.begin() || !sizeBytes)
    return false;
  --range;
  uint64_t inside = address - range->first;
  if (inside > range->second || sizeBytes > range->second - inside ||
      offset > physical->sizeBytes || sizeBytes > physical->sizeBytes - offset)
    return false;
  auto next = mapped.lower_bound(address);
  if (next != mapped.end() && next->first < address + sizeBytes)
    return false;
  if (next != mapped.begin()) {
    const Allocation &previous = live.at(std::prev(next)->first);
    if (previous.address + previous.sizeBytes > address)
      return false;
  }
  if (mmap(reinterpret_cast<void *>(address), sizeBytes, PROT_READ | PROT_WRITE,
           MAP_SHARED | MAP_FIXED, physical->file,
           static_cast<off_t>(offset)) == MAP_FAILED)
    return false;
  Allocation &allocation = live[address];
  allocation = {address, sizeBytes, AllocationKind::Device, physical->device};
  allocation.poolAccess = kNoDevice;
  freed.erase(address);
  mapped[address] = std::move(physical);
  return true;
}

bool Memory::unmap(uint64_t address, uint64_t sizeBytes) {
  std::shared_ptr<PhysicalMemory> gone; // Its end needs no lock.
  std::unique_lock lock(mutex);
  auto it = mapped.find(address);
  if (it == mapped.end() || live.at(address).sizeBytes != sizeBytes)
    return false;
  if (mmap(reinterpret_cast<void *>(address), sizeBytes, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
           0) == MAP_FAILED)
    return false;
  gone = std::move(it->second);
  mapped.erase(it);
  freed[address] = live.at(address);
  live.erase(address);
  ++epochCounter;
  return true;
}

} // namespace gpulto::emu
