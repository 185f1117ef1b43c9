//===- WarpCost.cpp - What a warp moves for one access --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// 1. Cases: each choice of the options of the symbols in the address and in the
//    masks. Left are numbers for each lane, times uniform unknown numbers.
// 2. groupsOf: lanes with equal factors of all unknown numbers are a group, in
//    which distances are known. Groups are taken to lie apart, if the unknown
//    numbers are not small; bounds do not rely on that.
// 3. A group is counted for each start that its congruence allows. Those that
//    are expected are as frequent as the numbers of counters make them.
//
//===----------------------------------------------------------------------===//

#include "ipa/access/WarpCost.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <map>
#include <numeric>
#include <set>

using namespace llvm;

namespace gpulto {

static constexpr uint64_t kLineBytes = 128;
static constexpr unsigned kBanks = 32, kBankBytes = 4;
/// Cases of one access; a comparison and a quotient have some 32 each.
static constexpr size_t kMostCases = 256;

void Estimate::add(const Estimate &other, uint64_t times) {
  least += times * other.least;
  most += times * other.most;
  expected += double(times) * other.expected;
}

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

namespace {
/// All choices of the options of some symbols.
class Cases {
public:
  explicit Cases(const LaneSymbols &symbols) : symbols(&symbols) {}

  void add(const LaneSum &sum) {
    for (const LaneSum::Term &term : sum.terms())
      for (LaneSymbolId id : term.product.symbols())
        if (!(*symbols)[id].options.empty()) {
          LaneSymbolId driver = driverOf(id);
          auto place = placeOf(driver);
          if (place == chosen.end() || place->first != driver)
            chosen.insert(place, {driver, 0});
        }
  }
  size_t count() const {
    size_t product = 1;
    for (auto [id, option] : chosen)
      product =
          std::min(product * (*symbols)[id].options.size(), kMostCases + 1);
    return product;
  }
  /// Goes on to the next case; from the last to the first.
  void next() {
    for (auto &[id, option] : chosen) {
      if (++option < (*symbols)[id].options.size())
        return;
      option = 0;
    }
  }
  /// Goes to the case with \p number.
  void goTo(size_t number) {
    for (auto &[id, option] : chosen) {
      option = number % (*symbols)[id].options.size();
      number /= (*symbols)[id].options.size();
    }
  }
  /// Returns the number of this case among those of the symbols of \p part.
  size_t numberIn(const Cases &part) const {
    size_t number = 0, radix = 1;
    for (auto [id, option] : part.chosen) {
      number += radix * placeOf(id)->second;
      radix *= (*symbols)[id].options.size();
    }
    return number;
  }
  /// Returns \p sum in this case.
  LaneSum in(const LaneSum &sum) const {
    return symbols->inCase(
        sum, [&](LaneSymbolId id) { return placeOf(driverOf(id))->second; });
  }

private:
  LaneSymbolId driverOf(LaneSymbolId id) const {
    LaneSymbolId by = (*symbols)[id].chosenBy;
    return by == kNoSymbol ? id : by;
  }
  using Choices = SmallVector<std::pair<LaneSymbolId, size_t>, 4>;
  Choices::const_iterator placeOf(LaneSymbolId id) const {
    return lower_bound(chosen, id, [](const auto &choice, LaneSymbolId of) {
      return choice.first < of;
    });
  }
  Choices::iterator placeOf(LaneSymbolId id) {
    return chosen.begin() +
           (std::as_const(*this).placeOf(id) - std::as_const(chosen).begin());
  }

  const LaneSymbols *symbols;
  Choices chosen; // ascending
};

using ActiveLanes = std::bitset<kWarpLanes>;
constexpr ActiveLanes kAllLanes(UINT32_MAX);

/// Lanes whose distances are known.
struct Group {
  Congruence start;                                  // modulo a line
  std::vector<std::pair<uint64_t, uint64_t>> starts; // how often which is
  SmallVector<int64_t, kWarpLanes> offsets;          // ascending, different
};

/// One case: where the active lanes access memory.
struct Places {
  SmallVector<Group, 1> groups;
  unsigned lanes = 0;
  std::optional<LaneStride> stride;
  bool areApart = true;
};
} // namespace

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// Returns the equal gaps of the lanes of \p mask in \p varying, if any.
static std::optional<LaneStride> strideOf(const LaneSum &varying,
                                          ActiveLanes on) {
  if (varying.terms().size() != 1)
    return std::nullopt;
  const LaneSum::Term &term = varying.terms().front();
  std::optional<int64_t> gap;
  int last = -1;
  for (unsigned l = 0; l < kWarpLanes; ++l) {
    if (!on[l])
      continue;
    if (last >= 0) {
      int64_t step = term.factor[l] - term.factor[last];
      if (gap && *gap != step)
        return std::nullopt;
      gap = step;
    }
    last = static_cast<int>(l);
  }
  return gap ? std::optional(LaneStride{*gap, term.product}) : std::nullopt;
}

/// Whether lanes with different factors in \p terms always lie further apart
/// than \p span bytes: one unknown number is large enough.
static bool liesApart(const LaneSymbols &symbols, ArrayRef<LaneSum::Term> terms,
                      ActiveLanes on, int64_t span) {
  if (terms.size() != 1)
    return false;
  LaneSum product;
  product.add(terms[0].product, 1);
  int64_t least = symbols.range(product).low;
  std::set<int64_t> factors;
  for (unsigned l = 0; l < kWarpLanes; ++l)
    if (on[l])
      factors.insert(terms[0].factor[l]);
  int64_t gap = INT64_MAX;
  for (auto a = factors.begin(), b = a; ++b != factors.end(); a = b)
    gap = std::min(gap, *b - *a);
  return least > 0 && (gap == INT64_MAX || least > span / gap);
}

/// \p starts: the residues of the first lane's \p address modulo a line, and
/// how often it has each.
static Places placesOf(const LaneSymbols &symbols, const LaneSum &address,
                       const std::vector<std::pair<uint64_t, uint64_t>> &starts,
                       ActiveLanes on) {
  Places places;
  auto [uniform, varying] = symbols.split(address);
  SmallVector<LaneSum::Term, 2> unknown;
  LaneNumbers numbers;
  for (const LaneSum::Term &term : varying.terms())
    if (term.product.isOne())
      numbers = term.factor;
    else
      unknown.push_back(term);
  auto isTogether = [&](unsigned a, unsigned b) {
    return all_of(unknown, [&](const LaneSum::Term &term) {
      return term.factor[a] == term.factor[b];
    });
  };
  SmallVector<unsigned, kWarpLanes> firsts; // lane of each group
  int64_t low = INT64_MAX, high = INT64_MIN;
  for (unsigned l = 0; l < kWarpLanes; ++l) {
    if (!on[l])
      continue;
    ++places.lanes;
    auto found =
        find_if(firsts, [&](unsigned first) { return isTogether(first, l); });
    size_t number = found - firsts.begin();
    if (found == firsts.end()) {
      firsts.push_back(l);
      LaneSum base = uniform, beside;
      for (const LaneSum::Term &term : unknown) {
        base.add(term.product, term.factor[l]);
        beside.add(term.product, term.factor[l]);
      }
      // What lanes are apart is a multiple of rows.
      uint64_t moved = symbols.congruence(beside, kLineBytes).residue;
      places.groups.push_back(
          {symbols.congruence(base, kLineBytes), starts, {}});
      for (auto &[start, often] : places.groups.back().starts)
        start = (start + moved) % kLineBytes;
    }
    places.groups[number].offsets.push_back(numbers[l]);
    low = std::min(low, numbers[l]);
    high = std::max(high, numbers[l]);
  }
  for (Group &group : places.groups) {
    if (!is_sorted(group.offsets))
      sort(group.offsets);
    group.offsets.erase(unique(group.offsets), group.offsets.end());
  }
  if (places.groups.size() > 1)
    places.areApart =
        liesApart(symbols, unknown, on, high - low + int64_t(kLineBytes));
  places.stride = strideOf(varying, on);
  return places;
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

/// Returns how many blocks of \p granule bytes, a power of two, the accesses
/// touch.
static uint64_t touched(ArrayRef<int64_t> offsets, int64_t start,
                        unsigned sizeBytes, uint64_t granule) {
  uint64_t count = 0;
  int64_t next = INT64_MIN;
  unsigned bits = Log2_64(granule);
  for (int64_t offset : offsets) {
    int64_t first = (start + offset) >> bits,
            last = (start + offset + sizeBytes - 1) >> bits;
    first = std::max(first, next);
    if (first <= last)
      count += last - first + 1;
    next = std::max(next, last + 1);
  }
  return count;
}

/// Returns the turns beyond the first that banks take for \p offsets; accesses
/// of 8 and 16 bytes are made in two and four parts, lanes in order.
static uint64_t turnsOf(ArrayRef<int64_t> lanes, unsigned sizeBytes) {
  unsigned parts = sizeBytes <= 4 ? 1 : sizeBytes <= 8 ? 2 : 4;
  size_t lanesOfPart = kWarpLanes / parts;
  uint64_t turns = 0;
  for (unsigned part = 0; part < parts; ++part) {
    std::set<int64_t> words;
    for (size_t l = part * lanesOfPart;
         l < std::min((part + 1) * lanesOfPart, lanes.size()); ++l)
      for (int64_t word = divideFloorSigned(lanes[l], kBankBytes);
           word <= divideFloorSigned(lanes[l] + sizeBytes - 1, kBankBytes);
           ++word)
        words.insert(word);
    std::array<uint64_t, kBanks> bank{};
    uint64_t most = words.empty() ? 1 : 0;
    for (int64_t word : words)
      most = std::max(most, ++bank[static_cast<uint64_t>(word) % kBanks]);
    turns += most - 1;
  }
  return turns;
}

/// Returns the blocks of \p granule bytes that a group touches on average.
static double averageOf(const Group &group, const AccessSize &size,
                        uint64_t granule) {
  std::array<uint64_t, kLineBytes> starts{}; // folded
  for (auto [start, often] : group.starts)
    if ((start + group.offsets.front()) % size.alignBytes == 0)
      starts[start % granule] += often;
  uint64_t times = 0, count = 0;
  for (auto [start, often] : enumerate(starts)) {
    if (often == 0)
      continue;
    times += often;
    count += often * touched(group.offsets, static_cast<int64_t>(start),
                             size.bytes, granule);
  }
  return times ? double(count) / double(times) : 0;
}

/// Counts sectors over the groups, and lines on average.
static void countBlocks(const Places &places, const AccessSize &size,
                        WarpCost &cost) {
  uint64_t align = std::min<uint64_t>(size.alignBytes, kSectorBytes);
  for (const Group &group : places.groups) {
    Estimate one{UINT64_MAX, 0, averageOf(group, size, kSectorBytes)};
    auto sectorsFrom = [&](int64_t start) {
      return touched(group.offsets, start, size.bytes, kSectorBytes);
    };
    uint64_t step = std::gcd(group.start.modulus, kSectorBytes);
    for (uint64_t start = group.start.residue % step; start < kSectorBytes;
         start += step) {
      if ((start + group.offsets.front()) % align != 0)
        continue;
      uint64_t count = sectorsFrom(static_cast<int64_t>(start));
      one.least = std::min(one.least, count);
      one.most = std::max(one.most, count);
    }
    if (one.most == 0) // never executed: it is not aligned
      one.least = one.most = sectorsFrom(0);
    if (one.expected == 0) // as if the first that may be
      one.expected = double(one.least);
    cost.bestStart += sectorsFrom(-group.offsets.front());
    cost.lines += std::max(averageOf(group, size, kLineBytes), 1.0);
    cost.sectors.expected += one.expected;
    cost.sectors.most += one.most;
    cost.sectors.least = places.areApart
                             ? cost.sectors.least + one.least
                             : std::max(cost.sectors.least, one.least);
  }
}

static uint64_t idealOf(uint64_t addresses, unsigned sizeBytes) {
  return (addresses * sizeBytes + kSectorBytes - 1) / kSectorBytes;
}

static unsigned addressesOf(const Places &places) {
  unsigned count = 0;
  for (const Group &group : places.groups)
    count += group.offsets.size();
  return count;
}

/// One case of an access.
static WarpCost costOfPlaces(const Places &places, const AccessSize &size,
                             MemoryPath path) {
  WarpCost cost;
  cost.lanes = places.lanes;
  cost.addresses = addressesOf(places);
  cost.stride = places.stride;
  cost.hasUnknownStride = places.groups.size() > 1 && !places.areApart;
  if (path == MemoryPath::Cached) {
    countBlocks(places, size, cost);
    uint64_t ideal = idealOf(cost.addresses, size.bytes);
    cost.ideal = {places.areApart ? ideal : idealOf(1, size.bytes), ideal,
                  double(ideal)};
    return cost;
  }
  uint64_t most = path == MemoryPath::Banks ? kBanks - 1 : cost.addresses - 1;
  if (path == MemoryPath::Uniform && places.areApart)
    cost.sectors = {most, most, double(most)};
  else
    cost.sectors = {0, most, path == MemoryPath::Uniform ? double(most) : 0};
  return cost;
}

/// Banks need the lanes in their order.
static void countTurns(const LaneSum &varying, ActiveLanes on,
                       unsigned sizeBytes, WarpCost &cost) {
  std::optional<LaneNumbers> numbers = varying.numbers();
  if (!numbers)
    return;
  // Inactive lanes repeat an active one of their part; without one, it has one
  // address.
  std::vector<int64_t> lanes;
  unsigned parts = sizeBytes <= 4 ? 1 : sizeBytes <= 8 ? 2 : 4;
  unsigned lanesOfPart = kWarpLanes / parts;
  for (unsigned part = 0; part < parts; ++part) {
    unsigned first = part * lanesOfPart, last = first + lanesOfPart;
    unsigned active = first;
    while (active < last && !on[active])
      ++active;
    for (unsigned l = first; l < last; ++l)
      lanes.push_back((*numbers)[on[l] ? l : active < last ? active : first]);
  }
  uint64_t turns = turnsOf(lanes, sizeBytes);
  cost.sectors = {turns, turns, double(turns)};
}

//===----------------------------------------------------------------------===//
// WarpCosts
//===----------------------------------------------------------------------===//

static bool hasOptions(const LaneSymbols &symbols, const LaneSum::Term &term) {
  return any_of(term.product.symbols(),
                [&](LaneSymbolId id) { return !symbols[id].options.empty(); });
}

static bool hasOptions(const LaneSymbols &symbols, const LaneSum &sum) {
  return any_of(sum.terms(), [&](const LaneSum::Term &term) {
    return hasOptions(symbols, term);
  });
}

/// Of the start only its place in a line counts, but for what has cases, and
/// for unknown numbers that lanes add, too: their sum may be known better.
WarpCosts::Place WarpCosts::placeOf(const LaneSum &address,
                                    const AccessSize &size,
                                    MemoryPath path) const {
  auto [uniform, varying] = symbols.split(address);
  LaneResidues residues = symbols.residues(uniform, size.bytes, kLineBytes);
  // What may be added to a term in some case, or in some lane.
  SmallVector<LaneSymbolId, 8> meeting;
  for (const LaneSum *part : {&uniform, &varying})
    for (const LaneSum::Term &term : part->terms())
      if (part == &varying || hasOptions(symbols, term))
        append_range(meeting, term.product.symbols());
  LaneSum kept, rest;
  for (const LaneSum::Term &term : uniform.terms()) {
    bool isKept = any_of(term.product.symbols(), [&](LaneSymbolId id) {
      return is_contained(meeting, id);
    });
    (isKept ? kept : rest).add(term.product, term.factor);
  }
  Congruence start = symbols.congruence(rest, kLineBytes);
  return {varying.digest() * 31 + kept.digest(),
          size,
          path,
          start.modulus,
          start.residue,
          std::move(residues),
          std::move(varying),
          std::move(kept)};
}

/// One case: the lanes \p on access \p address. \p costs: of \p place.
const WarpCost &WarpCosts::ofCase(CostsByLanes &costs, const Place &place,
                                  const LaneSum &address, uint32_t on) {
  auto [found, isNew] = costs.try_emplace(on);
  if (isNew) {
    auto [starts, areNew] = startsOf.try_emplace(place.residues);
    if (areNew)
      starts->second = place.residues.counts();
    found->second = costOfPlaces(placesOf(symbols, address, starts->second, on),
                                 place.size, place.path);
    if (place.path == MemoryPath::Banks)
      countTurns(place.varying, on, place.size.bytes, found->second);
  }
  return found->second;
}

/// Adds \p one, a further case, to \p all: that with the most lanes is the one
/// to expect.
static void join(WarpCost &all, const WarpCost &one) {
  if (all.isNever) {
    all = one;
    return;
  }
  bool isBetter = one.lanes > all.lanes;
  auto joined = [&](const Estimate &a, const Estimate &b) {
    return Estimate{std::min(a.least, b.least), std::max(a.most, b.most),
                    isBetter ? b.expected : a.expected};
  };
  Estimate sectors = joined(all.sectors, one.sectors),
           ideal = joined(all.ideal, one.ideal);
  if (isBetter)
    all = one;
  all.sectors = sectors;
  all.ideal = ideal;
}

/// Returns those of \p all that no other contains, the largest first, and then
/// those that contain no other: further lanes never move less.
static std::vector<ActiveLanes> extremesOf(std::vector<ActiveLanes> all) {
  stable_sort(
      all, [](ActiveLanes a, ActiveLanes b) { return a.count() > b.count(); });
  std::vector<ActiveLanes> largest, smallest;
  for (ActiveLanes on : all)
    if (none_of(largest, [&](ActiveLanes kept) { return (on & ~kept).none(); }))
      largest.push_back(on);
  for (ActiveLanes on : reverse(all))
    if (none_of(smallest,
                [&](ActiveLanes kept) { return (kept & ~on).none(); }))
      smallest.push_back(on);
  for (ActiveLanes on : smallest)
    if (!is_contained(largest, on))
      largest.push_back(on);
  return largest;
}

/// Returns the lanes in which the condition \p mask is not zero, if it is
/// known.
static std::optional<ActiveLanes> lanesOf(const LaneSum &mask) {
  std::optional<LaneNumbers> numbers = mask.numbers();
  if (!numbers)
    return std::nullopt;
  ActiveLanes on;
  for (unsigned l = 0; l < kWarpLanes; ++l)
    on[l] = (*numbers)[l] != 0;
  return on;
}

/// The lanes that fulfil a condition, in all cases of its symbols.
struct WarpCosts::MaskCases {
  MaskCases(const LaneSymbols &symbols, const LaneSum &mask) : own(symbols) {
    own.add(mask);
    Cases at = own;
    for (size_t i = 0, count = own.count(); i < count; ++i, at.next()) {
      std::optional<ActiveLanes> on = lanesOf(at.in(mask));
      areKnown &= on.has_value();
      lanes.push_back(on.value_or(kAllLanes));
    }
  }
  Cases own;
  std::vector<ActiveLanes> lanes; // by number of case
  bool areKnown = true;
};

WarpCosts::WarpCosts(const LaneSymbols &symbols, bool hasBounds)
    : symbols(symbols), hasBounds(hasBounds) {}

WarpCosts::~WarpCosts() = default;

const WarpCosts::MaskCases &WarpCosts::casesOf(const LaneSum &mask) {
  std::unique_ptr<MaskCases> &cases = conditions[mask];
  if (!cases)
    cases = std::make_unique<MaskCases>(symbols, mask);
  return *cases;
}

/// The cases of an address and of those of its masks that can be told apart, as
/// long as they are not too many.
struct WarpCosts::JoinedCases {
  JoinedCases(const LaneSymbols &symbols, const LaneValue &address,
              ArrayRef<LaneValue> among)
      : cases(symbols), isBounded(!address.isAssumed) {
    cases.add(address.sum);
    for (const LaneValue &mask : among) {
      if (!mask.isSum() || mask.isAssumed)
        isBounded = false;
      if (!mask.isSum())
        continue;
      Cases withMask = cases;
      withMask.add(mask.sum);
      if (withMask.count() > kMostCases && !mask.sum.numbers()) {
        isBounded = false;
        continue;
      }
      cases = withMask;
      masks.push_back(&mask.sum);
    }
    count = cases.count();
    if (count > kMostCases) {
      isBounded = false;
      count = 1;
    }
  }
  Cases cases;
  size_t count = 1; // how many of them to look at
  std::vector<const LaneSum *> masks;
  /// Nothing was left out or assumed.
  bool isBounded = false;
};

/// Returns who is on in each case; sets \p areKnown to false if not all masks
/// are numbers then.
std::vector<ActiveLanes> WarpCosts::activeIn(const JoinedCases &joined,
                                             bool &areKnown) {
  std::vector<const MaskCases *> masks;
  for (const LaneSum *mask : joined.masks) {
    masks.push_back(&casesOf(*mask));
    areKnown &= masks.back()->areKnown;
  }
  std::vector<ActiveLanes> active(joined.count, kAllLanes);
  Cases at = joined.cases;
  for (ActiveLanes &on : active) {
    for (const MaskCases *mask : masks)
      on &= mask->lanes[at.numberIn(mask->own)];
    at.next();
  }
  return active;
}

namespace {
/// What an address is in all cases of its symbols, but no more than some.
struct AddressCases {
  AddressCases(const LaneSymbols &symbols, const LaneSum &address, size_t most)
      : own(symbols) {
    own.add(address);
    Cases at = own;
    std::map<LaneSum, size_t> found;
    for (size_t i = 0, count = std::min(own.count(), most); i < count;
         ++i, at.next()) {
      LaneSum sum = at.in(address);
      auto [place, isNew] = found.try_emplace(sum, different.size());
      if (isNew)
        different.emplace_back(std::move(sum), std::vector<ActiveLanes>());
      numbers.push_back(place->second);
    }
  }
  /// Returns what the address is in a case of these and further symbols.
  std::pair<LaneSum, std::vector<ActiveLanes>> &at(const Cases &cases) {
    return different[numbers[cases.numberIn(own)]];
  }
  Cases own;
  std::vector<size_t> numbers; // in different, by number of case
  /// With the lanes that are on, in each case of all symbols.
  std::vector<std::pair<LaneSum, std::vector<ActiveLanes>>> different;
};
} // namespace

/// Takes from \p result what bounds say.
static void loseBounds(WarpCost &result, const AccessSize &size,
                       MemoryPath path) {
  bool isCached = path == MemoryPath::Cached;
  uint64_t each = (size.bytes + kSectorBytes - 1) / kSectorBytes +
                  (size.alignBytes < size.bytes ? 1 : 0);
  result.sectors.least = isCached ? idealOf(1, size.bytes) : 0;
  result.sectors.most = std::max<uint64_t>(
      isCached ? kWarpLanes * each : kWarpLanes - 1, result.sectors.most);
  result.ideal.least = std::min(result.ideal.least, result.sectors.least);
}

/// Returns the case to expect, without bounds, or nothing if no lane is there.
std::optional<WarpCost> WarpCosts::firstCase(const LaneSum &address,
                                             ArrayRef<LaneValue> masks,
                                             const Place &place) {
  ActiveLanes on = kAllLanes;
  for (const LaneValue &mask : masks)
    if (mask.isSum())
      on &= lanesOf(symbols.firstCase(mask.sum)).value_or(kAllLanes);
  if (on.none())
    return std::nullopt;
  LaneSum sum = symbols.firstCase(address);
  Place here = hasOptions(symbols, address)
                   ? placeOf(sum, place.size, place.path)
                   : place;
  WarpCost result = ofCase(casesOf(here), here, sum, on.to_ulong());
  result.mayBeNever = true;
  loseBounds(result, place.size, place.path);
  return result;
}

static std::vector<std::pair<LaneSum, bool>> keyOf(ArrayRef<LaneValue> masks) {
  std::vector<std::pair<LaneSum, bool>> key;
  for (const LaneValue &mask : masks)
    key.emplace_back(mask.sum, mask.isSum() && !mask.isAssumed);
  return key;
}

const WarpCosts::MaskLanes &WarpCosts::whoFulfils(ArrayRef<LaneValue> masks) {
  auto [found, isNew] = masked.try_emplace(keyOf(masks));
  MaskLanes &lanes = found->second;
  if (!isNew)
    return lanes;
  JoinedCases joined(symbols, LaneValue::number(0), masks);
  lanes.isBounded = joined.isBounded;
  for (ActiveLanes on : activeIn(joined, lanes.areKnown))
    if (on.none())
      lanes.mayBeNever = true;
    else if (!is_contained(lanes.all, on))
      lanes.all.push_back(on);
  lanes.extremes = extremesOf(lanes.all);
  return lanes;
}

/// The cost of an address that is the same in all cases.
WarpCost WarpCosts::ofOneAddress(const LaneValue &address,
                                 ArrayRef<LaneValue> masks,
                                 const Place &place) {
  const MaskLanes &lanes = whoFulfils(masks);
  CostsByLanes &costs = casesOf(place);
  bool isBounded = lanes.isBounded && !address.isAssumed;
  WarpCost result;
  result.isNever = true;
  for (ActiveLanes on : place.varying.numbers() ? lanes.extremes : lanes.all)
    join(result, ofCase(costs, place, address.sum, on.to_ulong()));
  result.mayBeNever = !isBounded || lanes.mayBeNever;
  if (!(isBounded && lanes.areKnown) && !result.isNever)
    loseBounds(result, place.size, place.path);
  return result;
}

WarpCost WarpCosts::ofAddresses(const LaneValue &address,
                                ArrayRef<LaneValue> masks, const Place &place) {
  JoinedCases joined(symbols, address, masks);
  bool areKnown = true;
  std::vector<ActiveLanes> active = activeIn(joined, areKnown);
  bool isBounded = joined.isBounded && areKnown;
  WarpCost result;
  result.isNever = true;
  result.mayBeNever = !joined.isBounded ||
                      any_of(active, [](ActiveLanes on) { return on.none(); });
  // The first of the cases with the most lanes decides.
  auto most = std::max_element(
      active.begin(), active.end(),
      [](ActiveLanes a, ActiveLanes b) { return a.count() < b.count(); });
  if (most->none())
    return result;
  Cases expected = joined.cases;
  expected.goTo(most - active.begin());
  auto joinAt = [&](const LaneSum &sum, const std::vector<ActiveLanes> &all) {
    Place here = placeOf(sum, place.size, place.path);
    CostsByLanes &costs = casesOf(here);
    for (ActiveLanes on : here.varying.numbers() ? extremesOf(all) : all)
      join(result, ofCase(costs, here, sum, on.to_ulong()));
  };
  if (!isBounded) { // nothing is said of other cases
    joinAt(expected.in(address.sum), {*most});
    loseBounds(result, place.size, place.path);
    return result;
  }
  AddressCases accesses(symbols, address.sum, joined.count);
  for (ActiveLanes on : active) {
    if (on.any())
      accesses.at(joined.cases).second.push_back(on);
    joined.cases.next();
  }
  std::swap(accesses.different[0], accesses.at(expected));
  for (const auto &[sum, all] : accesses.different)
    joinAt(sum, all);
  return result;
}

WarpCost WarpCosts::compute(const LaneValue &address, ArrayRef<LaneValue> masks,
                            const Place &place) {
  if (!hasBounds)
    if (std::optional<WarpCost> cost = firstCase(address.sum, masks, place))
      return *cost;
  return hasOptions(symbols, address.sum) ? ofAddresses(address, masks, place)
                                          : ofOneAddress(address, masks, place);
}

const WarpCost &WarpCosts::of(const LaneValue &address,
                              ArrayRef<LaneValue> masks, const AccessSize &size,
                              MemoryPath path) {
  Key key{placeOf(address.sum, size, path), keyOf(masks), address.isAssumed};
  auto [found, isNew] = known.try_emplace(std::move(key));
  if (isNew)
    found->second = compute(address, masks, std::get<0>(found->first));
  return found->second;
}

} // namespace gpulto
