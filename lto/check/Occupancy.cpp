//===- Occupancy.cpp - Blocks that a multiprocessor holds -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/check/Occupancy.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace llvm;

namespace gpulto {

namespace {
/// The entries of the guide's table that differ.
struct ArchitectureRow {
  unsigned capability; // 90 is 9.0
  unsigned warps, blocks, sharedKib;
};
} // namespace

static constexpr ArchitectureRow kArchitectures[] = {
    {50, 64, 32, 64},   {52, 64, 32, 96},   {53, 64, 32, 64},
    {60, 64, 32, 64},   {61, 64, 32, 96},   {62, 64, 32, 64},
    {70, 64, 32, 96},   {72, 64, 32, 96},   {75, 32, 16, 64},
    {80, 64, 32, 164},  {86, 48, 16, 100},  {87, 48, 16, 164},
    {89, 48, 24, 100},  {90, 64, 32, 228},  {100, 64, 32, 228},
    {103, 64, 32, 228}, {120, 48, 24, 100}, {121, 48, 24, 100},
};

std::optional<MultiprocessorLimits> multiprocessorLimits(StringRef arch) {
  unsigned capability = 0;
  if (!arch.consume_front("sm_") || arch.consumeInteger(10, capability) ||
      !(arch.empty() || arch == "a" || arch == "f"))
    return std::nullopt;
  auto row =
      std::find_if(std::begin(kArchitectures), std::end(kArchitectures),
                   [=](const auto &r) { return r.capability == capability; });
  if (row == std::end(kArchitectures))
    return std::nullopt;
  MultiprocessorLimits limits;
  limits.warps = row->warps;
  limits.blocks = row->blocks;
  limits.sharedBytes = row->sharedKib * 1024;
  if (capability == 53 || capability == 62)
    limits.registersPerBlock = 32768;
  if (capability == 60)
    limits.subPartitions = 2;
  if (capability >= 80) {
    limits.sharedGranularity = 128;
    limits.reservedSharedBytes = 1024;
  }
  return limits;
}

unsigned residentBlocks(const MultiprocessorLimits &limits, unsigned threads,
                        unsigned registers, uint64_t sharedBytes) {
  unsigned warps = divideCeil(std::max(threads, 1u), kWarpThreads);
  unsigned blocks = std::min(limits.blocks, limits.warps / warps);
  if (registers) {
    uint64_t ofWarp =
        alignTo(registers * kWarpThreads, limits.registerGranularity);
    // A block is checked as if each scheduler got equally many of its warps.
    if (ofWarp * alignTo(warps, limits.subPartitions) >
        limits.registersPerBlock)
      return 0;
    uint64_t ofScheduler = limits.registers / limits.subPartitions / ofWarp;
    blocks =
        std::min<uint64_t>(blocks, ofScheduler * limits.subPartitions / warps);
  }
  uint64_t shared = alignTo(sharedBytes + limits.reservedSharedBytes,
                            limits.sharedGranularity);
  if (shared)
    blocks = std::min<uint64_t>(blocks, limits.sharedBytes / shared);
  return blocks;
}

} // namespace gpulto
