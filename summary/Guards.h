//===- Guards.h - Facts that the host may test at a launch ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_SUMMARY_GUARDS_H
#define GPULTO_SUMMARY_GUARDS_H

#include "summary/LaunchSum.h"
#include "summary/Record.h"

#include <cstdint>
#include <iterator>

namespace gpulto {

/// What may hold for an argument of a kernel, or for a launch.
enum class GuardKind : uint8_t {
  /// An integer, taken as unsigned, is at most largestWord(sizeClass).
  FitsWord,
  /// An integer or an address is a multiple of 2^alignLog2.
  Multiple,
  /// An integer is 1.
  One,
  /// The threads in x are fewer than 2^31: the grid has at most kMaxWordGrid
  /// blocks in x. About the launch, not an argument.
  SmallGrid,
  /// What the kernel touches through the pointer and through another one, \c
  /// other, does not overlap. The host can test it if the kernel's extents have
  /// both (FunctionSummary::guardExtents).
  Apart,
  Last = Apart
};

inline constexpr const char *kGuardKindNames[] = {"fits_word", "multiple",
                                                  "one", "small_grid", "apart"};
static_assert(std::size(kGuardKindNames) == size_t(GuardKind::Last) + 1);

/// Blocks in x of a grid with fewer than 2^31 threads in x: a number below 2^31
/// and one step of a loop over all threads are below 2^32.
constexpr uint32_t kMaxWordGrid = 2097151;

/// Returns the largest size of a class. In the order of the classes: the size
/// fits 32 bits; 31 bits; 31 bits with a factor of up to 16; the product of
/// two, or of three, sizes fits 31 bits.
constexpr uint64_t largestWord(uint8_t sizeClass) {
  constexpr uint64_t kLargest[] = {4294967295, 2147483647, 134217727, 46340,
                                   1290};
  return kLargest[sizeClass];
}
constexpr uint8_t kLastSizeClass = 4;

/// A fact that would pay off in a kernel.
struct GuardFact {
  GuardKind kind = GuardKind::FitsWord;
  /// Parameter of the kernel; SmallGrid: 0. The \c bitWidth bits (0: a pointer)
  /// at byte \c byteOffset of a by-value aggregate if \c isPart.
  uint32_t parameter = 0;
  bool isPart = false;
  uint32_t byteOffset = 0;
  uint16_t bitWidth = 0;
  uint8_t alignLog2 = 0;
  /// FitsWord: how small it is.
  uint8_t sizeClass = 0;
  /// Apart: the greater of the two.
  PointerSource other = {};
  auto operator<=>(const GuardFact &) const = default;
};

template <typename V> void describe(V &v, GuardFact &g) {
  constexpr unsigned kMaxAlignLog2 = 32, kMaxBits = 64;
  v.enumerator("", g.kind, kGuardKindNames);
  if (g.kind != GuardKind::SmallGrid) {
    PointerSource source = {g.parameter, g.isPart, g.byteOffset};
    v.nested("", source);
    g.parameter = source.parameter;
    g.isPart = source.isPart;
    g.byteOffset = source.byteOffset;
  }
  v.number("bits", g.bitWidth);
  v.alignment(g.alignLog2);
  if (g.kind == GuardKind::FitsWord)
    v.number("size_class", g.sizeClass);
  if (g.kind == GuardKind::Apart)
    v.nested("from", g.other);
  v.check(g.bitWidth <= kMaxBits && g.alignLog2 <= kMaxAlignLog2 &&
              g.sizeClass <= kLastSizeClass,
          "guard out of range");
}

/// Facts that together save something in a kernel.
struct GuardChance {
  /// Instructions per entry, estimated, loops weighted by frequency.
  uint32_t gain = 0;
  Range facts; // sorted
  bool operator==(const GuardChance &) const = default;
};

template <typename V> void describe(V &v, GuardChance &g) {
  v.estimate("gain", g.gain);
  v.template records<Table::guardFacts>("facts", g.facts);
}
} // namespace gpulto

#endif
