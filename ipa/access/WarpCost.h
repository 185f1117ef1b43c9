//===- WarpCost.h - What a warp moves for one access ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_ACCESS_WARPCOST_H
#define GPULTO_IPA_ACCESS_WARPCOST_H

#include "ipa/access/LaneArithmetic.h"

#include "llvm/ADT/ArrayRef.h"

#include <bitset>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace gpulto {

/// What memory moves at once.
inline constexpr uint64_t kSectorBytes = 32;

/// A number: bounds, and what to expect on average.
struct Estimate {
  uint64_t least = 0, most = 0;
  double expected = 0;
  void add(const Estimate &other, uint64_t times = 1);
  bool isExact() const { return least == most; }
  bool operator==(const Estimate &) const = default;
};

/// Distance between neighboring lanes: \c bytes times unknown numbers.
struct LaneStride {
  int64_t bytes = 0;
  LaneProduct factors;
};

/// What a warp moves when its lanes access memory once.
struct WarpCost {
  /// Sectors of 32 bytes, and the sectors that the bytes would need side by
  /// side; in shared memory, turns beyond the first.
  Estimate sectors, ideal;
  /// Lines of 128 bytes, on average.
  double lines = 0;
  /// As \c sectors.expected, where each part that lies together starts with a
  /// sector.
  uint64_t bestStart = 0;
  /// Active lanes, and different addresses, of what is expected.
  unsigned lanes = 0, addresses = 0;
  /// If the gaps between lanes are equal.
  std::optional<LaneStride> stride;
  /// It relies on an unknown number not being small.
  bool hasUnknownStride = false;
  /// No lane ever gets there; in some case, none does.
  bool isNever = false, mayBeNever = false;
};

/// What one lane accesses.
struct AccessSize {
  unsigned bytes = 0;
  /// A power of two that divides the address.
  unsigned alignBytes = 1;
  auto operator<=>(const AccessSize &) const = default;
};

/// How memory answers.
enum class MemoryPath : uint8_t {
  /// In sectors.
  Cached,
  /// From banks of 4 bytes: a warp waits for the fullest.
  Banks,
  /// One address at a time.
  Uniform
};

/// What warps move for accesses whose values have the same symbols. It looks
/// at no more than kMostCases cases; beyond that, bounds say nothing. It counts
/// as the emulator does (emulator/machine/Sectors.cpp).
class WarpCosts {
public:
  /// Without \p hasBounds only the case to expect is looked at.
  WarpCosts(const LaneSymbols &symbols, bool hasBounds);
  ~WarpCosts();

  /// Returns what a warp moves whose lanes access \p size at the sum \p
  /// address, if they fulfil \p masks. Valid as long as this.
  const WarpCost &of(const LaneValue &address, llvm::ArrayRef<LaneValue> masks,
                     const AccessSize &size, MemoryPath path);

private:
  /// All of an address that a cost depends on: what varies, and the start.
  struct Place {
    uint64_t digest; // of the sums; tells most places apart
    AccessSize size;
    MemoryPath path;
    uint64_t modulus, residue;
    LaneResidues residues;
    LaneSum varying, kept;
    auto operator<=>(const Place &) const = default;
  };
  /// All that a cost depends on.
  using MaskKey = std::vector<std::pair<LaneSum, bool>>;
  using Key = std::tuple<Place, MaskKey, bool>;

  Place placeOf(const LaneSum &address, const AccessSize &size,
                MemoryPath path) const;
  /// What warps move for one place, by the lanes that are on.
  using CostsByLanes = std::map<uint32_t, WarpCost>;
  CostsByLanes &casesOf(const Place &place) {
    return cases.try_emplace(place).first->second;
  }
  const WarpCost &ofCase(CostsByLanes &costs, const Place &place,
                         const LaneSum &address, uint32_t on);
  std::optional<WarpCost> firstCase(const LaneSum &address,
                                    llvm::ArrayRef<LaneValue> masks,
                                    const Place &place);
  /// Who is on where nothing but masks has cases.
  struct MaskLanes {
    /// In each case in which some lanes are; those that decide what is moved.
    std::vector<std::bitset<kWarpLanes>> all, extremes;
    /// Whether no mask was left out, whether all are known, and whether there
    /// is a case without lanes.
    bool isBounded = true, areKnown = true, mayBeNever = false;
  };
  struct MaskCases;
  struct JoinedCases;
  const MaskCases &casesOf(const LaneSum &mask);
  std::vector<std::bitset<kWarpLanes>> activeIn(const JoinedCases &joined,
                                                bool &areKnown);
  const MaskLanes &whoFulfils(llvm::ArrayRef<LaneValue> masks);
  WarpCost ofOneAddress(const LaneValue &address,
                        llvm::ArrayRef<LaneValue> masks, const Place &place);
  WarpCost ofAddresses(const LaneValue &address,
                       llvm::ArrayRef<LaneValue> masks, const Place &place);
  WarpCost compute(const LaneValue &address, llvm::ArrayRef<LaneValue> masks,
                   const Place &place);

  const LaneSymbols &symbols;
  bool hasBounds;
  std::map<Key, WarpCost> known;
  std::map<LaneSum, std::unique_ptr<MaskCases>> conditions;
  std::map<LaneResidues, std::vector<std::pair<uint64_t, uint64_t>>> startsOf;
  std::map<MaskKey, MaskLanes> masked;
  /// Many accesses, and cases of one, have the same.
  std::map<Place, CostsByLanes> cases;
};

} // namespace gpulto

#endif
