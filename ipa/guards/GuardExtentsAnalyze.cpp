//===- GuardExtentsAnalyze.cpp - Bytes touched through a pointer (LGEN) ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: tell the host which bytes a kernel may touch through a pointer, so that
// it can test whether those of two pointers overlap.
//
//   if (y < height && x < width) out[y * width + x] = ...
//                           out: [0, 4 * width * height)
//
// 1. All accesses through the pointer are found (accessesThrough); if it goes
//    anywhere else there is no extent.
// 2. The offset of each is bounded (ipa/addresses/ValueExtents.h). If what the
//    host knows cannot bound one, for instance a loaded index, there is no
//    extent.
// 3. The extent is from the least of the lower bounds to the greatest of the
//    upper ones; the host takes least and greatest where they cannot be
//    compared here.
//
// Linear in the accesses, times the steps of ValueExtents.
//
// Source: run-time checks as in LLVM's LoopAccessAnalysis, and G. Mendonca et
// al., "DawnCC", TACO 2017; both bound the accesses of a loop; this bounds
// those of a grid.
//
//===----------------------------------------------------------------------===//

#include "ipa/bodies/PointerAccesses.h"
#include "ipa/guards/GuardChances.h"
#include "ipa/addresses/ValueExtents.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace gpulto {

/// Ends of an extent that cannot be compared, at most.
static constexpr size_t kMaxEnds = 4;

/// Whether \p sum is of a size that memory has: bounds of a type are not.
static bool isSensible(const LaunchSum &sum) {
  constexpr int64_t kMost = INT32_MAX;
  return all_of(sum.terms, [](const LaunchTerm &term) {
    return term.coefficient >= -kMost && term.coefficient <= kMost;
  });
}

/// Adds \p end to \p ends, if none of them goes as far: up with \p sign 1, down
/// with -1. What does not go as far as \p end is removed.
static void addEnd(std::vector<LaunchSum> &ends, const LaunchSum &end,
                   int64_t sign) {
  auto goesAsFar = [&](const LaunchSum &a, const LaunchSum &b) {
    std::optional<LaunchSum> rest =
        sign > 0 ? subtractSums(a, b) : subtractSums(b, a);
    return rest && isNeverNegative(*rest);
  };
  if (any_of(ends, [&](const LaunchSum &old) { return goesAsFar(old, end); }))
    return;
  erase_if(ends, [&](const LaunchSum &old) { return goesAsFar(end, old); });
  ends.push_back(end);
}

std::optional<PointerExtent> findExtent(Function &kernel,
                                        const DominatorTree &dominators,
                                        const PointerSource &source) {
  std::optional<std::vector<PointerAccess>> accesses =
      accessesThrough(kernel, source);
  if (!accesses)
    return std::nullopt;
  SmallVector<Value *, 4> origins = *valuesOf(kernel, source);
  ValueExtents values(kernel, dominators);
  PointerExtent result;
  result.pointer = source;
  for (const PointerAccess &access : *accesses) {
    ValueExtent offset = values.offset(*access.address, origins,
                                       *access.instruction->getParent());
    if (!offset.low || !offset.high)
      return std::nullopt;
    std::optional<LaunchSum> end = addSums(
        *offset.high, launchConstant(static_cast<int64_t>(access.bytes)));
    if (!end || !isSensible(*offset.low) || !isSensible(*end))
      return std::nullopt;
    addEnd(result.lows, *offset.low, -1);
    addEnd(result.highs, *end, 1);
  }
  std::optional<std::vector<LaunchSum>> premises = values.premises();
  if (!premises || result.lows.size() > kMaxEnds ||
      result.highs.size() > kMaxEnds)
    return std::nullopt;
  result.premises = std::move(*premises);
  return result;
}

} // namespace gpulto
