//===- Sectors.cpp - What one access of a warp costs ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A global access of a warp moves whole sectors of 32 bytes, of lines of 128.
// The ideal number is what the bytes the lanes name would need if they lay side
// by side; lanes that name the same bytes count once. Accesses beyond the ideal
// are uncoalesced (GPUDrano's notion, Alur et al., Detecting Uncoalesced
// Accesses in GPU Programs, 2017). Shared memory has 32 banks of 4 bytes; lanes
// that read different words of one bank take turns. Accesses of 8 and 16 bytes
// are made in halves and quarters of a warp, as hardware does.
//
//===----------------------------------------------------------------------===//

#include "emulator/machine/Sectors.h"

#include <algorithm>

namespace gpulto::emu {

static constexpr unsigned kBanks = 32;

uint32_t unitsTouched(const uint64_t *addresses, size_t n, unsigned bytes,
                      uint64_t unitBytes) {
  uint64_t units[2 * kLanes];
  size_t touched = 0;
  for (size_t k = 0; k < n; ++k)
    for (uint64_t s = addresses[k] / unitBytes;
         s <= (addresses[k] + bytes - 1) / unitBytes; ++s)
      if (touched == 0 || units[touched - 1] != s)
        units[touched++] = s;
  return static_cast<uint32_t>(distinctOf(units, touched));
}

size_t distinctOf(uint64_t *addresses, size_t n) {
  if (!std::is_sorted(addresses, addresses + n))
    std::sort(addresses, addresses + n);
  return static_cast<size_t>(std::unique(addresses, addresses + n) - addresses);
}

uint32_t conflictsOf(uint32_t mask, const uint32_t *offsets, unsigned bytes) {
  unsigned groups = bytes <= 4 ? 1 : bytes <= 8 ? 2 : 4;
  unsigned lanesOfGroup = kLanes / groups;
  uint32_t conflicts = 0;
  for (unsigned g = 0; g < groups; ++g) {
    uint32_t words[kLanes * 4];
    size_t n = 0;
    for (unsigned k = 0; k < lanesOfGroup; ++k) {
      unsigned l = g * lanesOfGroup + k;
      if (!(mask >> l & 1))
        continue;
      for (uint32_t word = offsets[l] / kBankBytes;
           word <= (offsets[l] + bytes - 1) / kBankBytes; ++word)
        words[n++] = word;
    }
    if (!n)
      continue;
    std::sort(words, words + n);
    n = static_cast<size_t>(std::unique(words, words + n) - words);
    unsigned perBank[kBanks] = {}, most = 0;
    for (size_t k = 0; k < n; ++k)
      most = std::max(most, ++perBank[words[k] % kBanks]);
    conflicts += most - 1;
  }
  return conflicts;
}

} // namespace gpulto::emu
