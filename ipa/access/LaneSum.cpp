//===- LaneSum.cpp - A number for each lane of a warp ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/access/LaneSum.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace llvm;

namespace gpulto {

Lanes everyLane(int64_t number) {
  Lanes lanes;
  lanes.fill(number);
  return lanes;
}

bool isSame(const Lanes &lanes) {
  return all_of(lanes, [&](int64_t number) { return number == lanes[0]; });
}

std::optional<LaneProduct> LaneProduct::times(const LaneProduct &other) const {
  SmallVector<LaneSymbolId, 2 * kMostFactors> all(symbols());
  append_range(all, other.symbols());
  if (all.size() > kMostFactors)
    return std::nullopt;
  sort(all);
  LaneProduct result;
  copy(all, result.factors.begin());
  return result;
}

LaneProduct LaneProduct::without(LaneSymbolId id) const {
  LaneProduct result;
  auto *place = result.factors.begin();
  bool isGone = false;
  for (LaneSymbolId factor : factors)
    if (factor == id && !isGone)
      isGone = true;
    else if (place != result.factors.end())
      *place++ = factor;
  return result;
}

bool LaneProduct::contains(LaneSymbolId id) const {
  return is_contained(factors, id);
}

SmallVector<LaneSymbolId, LaneProduct::kMostFactors>
LaneProduct::symbols() const {
  SmallVector<LaneSymbolId, kMostFactors> result;
  for (LaneSymbolId factor : factors)
    if (factor != kNoSymbol)
      result.push_back(factor);
  return result;
}

LaneSum::LaneSum(const Lanes &lanes) {
  if (lanes != Lanes{})
    list.push_back({LaneProduct(), lanes});
}

LaneSum LaneSum::ofSymbol(LaneSymbolId id) {
  LaneSum result;
  result.list.push_back({LaneProduct(id), everyLane(1)});
  return result;
}

bool LaneSum::add(const LaneProduct &product, const Lanes &factor) {
  auto place = lower_bound(list, product, [](const Term &term, const auto &p) {
    return term.product < p;
  });
  if (place == list.end() || place->product != product) {
    if (factor != Lanes{})
      list.insert(place, {product, factor});
    return list.size() <= kMostTerms;
  }
  for (unsigned l = 0; l < kWarpLanes; ++l)
    if (AddOverflow(place->factor[l], factor[l], place->factor[l]))
      return false;
  if (place->factor == Lanes{})
    list.erase(place);
  return true;
}

std::optional<LaneSum> LaneSum::plus(const LaneSum &other) const {
  LaneSum result = *this;
  for (const Term &term : other.list)
    if (!result.add(term.product, term.factor))
      return std::nullopt;
  return result;
}

std::optional<LaneSum> LaneSum::minus(const LaneSum &other) const {
  std::optional<LaneSum> negated = other.times(-1);
  return negated ? plus(*negated) : std::nullopt;
}

std::optional<LaneSum> LaneSum::times(int64_t factor) const {
  return times(LaneSum(factor));
}

std::optional<LaneSum> LaneSum::times(const LaneSum &other) const {
  LaneSum result;
  for (const Term &a : list)
    for (const Term &b : other.list) {
      std::optional<LaneProduct> product = a.product.times(b.product);
      if (!product)
        return std::nullopt;
      Lanes factor;
      for (unsigned l = 0; l < kWarpLanes; ++l)
        if (MulOverflow(a.factor[l], b.factor[l], factor[l]))
          return std::nullopt;
      if (!result.add(*product, factor))
        return std::nullopt;
    }
  return result;
}

std::optional<Lanes> LaneSum::numbers() const {
  if (list.empty())
    return Lanes{};
  if (list.size() > 1 || !list[0].product.isOne())
    return std::nullopt;
  return list[0].factor;
}

std::optional<int64_t> LaneSum::number() const {
  std::optional<Lanes> lanes = numbers();
  if (!lanes || !isSame(*lanes))
    return std::nullopt;
  return (*lanes)[0];
}

} // namespace gpulto
