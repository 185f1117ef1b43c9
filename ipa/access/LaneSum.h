//===- LaneSum.h - A number for each lane of a warp -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What the lanes of a warp have in a variable, as a sum of products of unknown
// numbers, each with a factor for every lane:
//
//   p[blockIdx.x * 256 + threadIdx.x]    p + 1024 * blockIdx.x + {0, 4, 8, ...}
//
// An unknown number is the same in all lanes, or the lanes have one of a few
// vectors, its options: a mask of which only the shape is known, the lane at
// which a quotient steps. All that the analysis knows is one polynomial, so
// terms cancel: x / d * d + x % d is x.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_ACCESS_LANESUM_H
#define GPULTO_IPA_ACCESS_LANESUM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gpulto {

inline constexpr unsigned kWarpLanes = 32;

/// A number for each lane. Lanes that a block does not have repeat the last one
/// that it has, which adds no address, no sector and no case.
using Lanes = std::array<int64_t, kWarpLanes>;

/// A number for each lane, one word where all lanes have the same: most have,
/// and sums are copied all the time. Not to be shared among threads.
class LaneNumbers {
public:
  LaneNumbers(int64_t number = 0) : first(number) {}
  LaneNumbers(const Lanes &lanes);

  int64_t operator[](unsigned lane) const {
    return varying ? varying->numbers[lane] : first;
  }
  bool isSame() const { return !varying; }
  bool isZero() const { return !varying && first == 0; }
  bool isOne() const { return !varying && first == 1; }
  int64_t least() const { return varying ? varying->least : first; }
  int64_t most() const { return varying ? varying->most : first; }
  /// The largest number minus the smallest.
  int64_t span() const { return most() - least(); }
  std::set<int64_t> distinct() const;
  /// Whether all numbers are multiples of \p divisor, which is not zero.
  bool isMultipleOf(int64_t divisor) const;
  /// Returns \p f of each number.
  template <typename F> LaneNumbers map(F f) const {
    if (!varying)
      return f(first);
    Lanes numbers;
    for (unsigned l = 0; l < kWarpLanes; ++l)
      numbers[l] = f(varying->numbers[l]);
    return numbers;
  }
  /// Return nothing if 64 bits are not enough.
  std::optional<LaneNumbers> plus(const LaneNumbers &other) const;
  std::optional<LaneNumbers> times(const LaneNumbers &other) const;

  bool operator==(const LaneNumbers &other) const {
    return first == other.first &&
           (varying == other.varying ||
            (varying && other.varying &&
             varying->numbers == other.varying->numbers));
  }
  std::strong_ordering operator<=>(const LaneNumbers &other) const;

private:
  struct Varying : llvm::RefCountedBase<Varying> {
    Lanes numbers;
    int64_t least, most;
  };
  int64_t first;                                   // of lane 0
  llvm::IntrusiveRefCntPtr<const Varying> varying; // null: all have the first
};

/// Index of an unknown number in LaneSymbols.
using LaneSymbolId = uint32_t;
inline constexpr LaneSymbolId kNoSymbol = UINT32_MAX;

/// Inclusive bounds; the extremes of int64_t stand for no bound.
struct LaneRange {
  int64_t low = INT64_MIN, high = INT64_MAX;
  bool operator==(const LaneRange &) const = default;
};

/// A set of numbers: those that are \c residue modulo \c modulus.
struct Congruence {
  uint64_t modulus = 1, residue = 0;
  bool operator==(const Congruence &) const = default;
};

/// A product of unknown numbers, in ascending order; the empty product is one.
class LaneProduct {
public:
  static constexpr unsigned kMostFactors = 4;
  LaneProduct() { factors.fill(kNoSymbol); }
  explicit LaneProduct(LaneSymbolId id) : LaneProduct() { factors[0] = id; }
  /// Returns the product with \p other, or nothing if it has too many factors.
  std::optional<LaneProduct> times(const LaneProduct &other) const;
  /// Returns the product without one factor \p id, which it has.
  LaneProduct without(LaneSymbolId id) const;
  bool isOne() const { return factors[0] == kNoSymbol; }
  /// Valid as long as this.
  llvm::ArrayRef<LaneSymbolId> symbols() const {
    unsigned count = 0;
    while (count < kMostFactors && factors[count] != kNoSymbol)
      ++count;
    return llvm::ArrayRef(factors.data(), count);
  }
  auto operator<=>(const LaneProduct &) const = default;

private:
  std::array<LaneSymbolId, kMostFactors> factors;
};

/// A sum of products; see above. Arithmetic on the integers: what overflows 64
/// bits, or has too many terms, is no sum.
class LaneSum {
public:
  static constexpr unsigned kMostTerms = 16;
  struct Term {
    LaneProduct product;
    LaneNumbers factor;
    auto operator<=>(const Term &) const = default;
  };

  LaneSum() = default; // zero
  explicit LaneSum(LaneNumbers numbers);
  static LaneSum ofSymbol(LaneSymbolId id);

  std::optional<LaneSum> plus(const LaneSum &other) const;
  std::optional<LaneSum> minus(const LaneSum &other) const;
  std::optional<LaneSum> times(const LaneSum &other) const;
  std::optional<LaneSum> times(const LaneNumbers &factor) const;

  /// In the order of their products, none zero in all lanes.
  llvm::ArrayRef<Term> terms() const { return list; }
  /// Returns the numbers of the lanes, if nothing is unknown.
  std::optional<LaneNumbers> numbers() const;
  /// Returns the number of all lanes, if it is known and the same.
  std::optional<int64_t> number() const;
  /// Returns a number that most other sums do not have.
  uint64_t digest() const;
  /// Adds \p factor of \p product. Returns false if that is no sum.
  bool add(const LaneProduct &product, const LaneNumbers &factor);

  bool operator==(const LaneSum &other) const { return list == other.list; }
  std::strong_ordering operator<=>(const LaneSum &other) const {
    return std::lexicographical_compare_three_way(
        list.begin(), list.end(), other.list.begin(), other.list.end());
  }

private:
  /// Most sums have a few terms, and are copied all the time.
  llvm::SmallVector<Term, 2> list;
};

} // namespace gpulto

#endif
