//===- Sectors.h - What one access of a warp costs ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_MACHINE_SECTORS_H
#define GPULTO_EMULATOR_MACHINE_SECTORS_H

#include "emulator/machine/Machine.h"

#include <cstring>

namespace gpulto::emu {

constexpr uint64_t kSectorBytes = 32, kLineBytes = 128;
constexpr unsigned kBankBytes = 4;

/// Blocks of \p unitBytes (32 at least) that \p n addresses of \p bytes (32 at
/// most) touch.
uint32_t unitsTouched(const uint64_t *addresses, size_t n, unsigned bytes,
                      uint64_t unitBytes);

/// Sorts \p addresses and drops those that are there already; returns how many
/// are left.
size_t distinctOf(uint64_t *addresses, size_t n);

/// Sectors that \p n distinct addresses of \p bytes would touch side by side.
inline uint32_t idealSectors(size_t n, unsigned bytes) {
  return static_cast<uint32_t>((n * bytes + kSectorBytes - 1) / kSectorBytes);
}

/// Turns beyond the first that the lanes of \p mask take in shared memory.
uint32_t conflictsOf(uint32_t mask, const uint32_t *offsets, unsigned bytes);

/// Fills in mask, phase and distances of \p probe. Returns false when a lane
/// lies too far from the first one for a memo.
template <class A>
bool describeAccess(uint32_t mask, const A *addresses, unsigned modulus,
                    AccessMemo &probe) {
  A first = addresses[__builtin_ctz(mask)];
  uint64_t far = 0;
  for (unsigned l = 0; l < kLanes; ++l) {
    uint64_t on = 0 - static_cast<uint64_t>(mask >> l & 1);
    uint64_t d = (static_cast<uint64_t>(addresses[l]) - first) & on;
    far |= d + (1u << 31);
    probe.distance[l] = static_cast<uint32_t>(d);
  }
  probe.mask = mask;
  probe.phase = static_cast<uint32_t>(first % modulus);
  return far >> 32 == 0;
}

/// True when the access of \p probe costs what that of \p memo did.
inline bool isLike(const AccessMemo &memo, const AccessMemo &probe) {
  return memo.insn == probe.insn && memo.mask == probe.mask &&
         memo.phase == probe.phase &&
         !std::memcmp(memo.distance, probe.distance, sizeof(memo.distance));
}

/// The place of \p insn's memo among kMemoCount.
inline size_t memoIndex(const Insn &insn) {
  return (reinterpret_cast<uintptr_t>(&insn) >> 6) % kMemoCount;
}

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_MACHINE_SECTORS_H
