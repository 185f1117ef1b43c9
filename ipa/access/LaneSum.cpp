//===- LaneSum.cpp - A number for each lane of a warp ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/access/LaneSum.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace llvm;

namespace gpulto {

LaneNumbers::LaneNumbers(const Lanes &lanes) : first(lanes[0]) {
  int64_t least = first, most = first;
  for (int64_t number : lanes) { // much faster than std::minmax_element
    least = std::min(least, number);
    most = std::max(most, number);
  }
  if (least == most)
    return;
  auto made = makeIntrusiveRefCnt<Varying>();
  made->numbers = lanes;
  made->least = least;
  made->most = most;
  varying = std::move(made);
}

std::set<int64_t> LaneNumbers::distinct() const {
  if (!varying)
    return {first};
  return {varying->numbers.begin(), varying->numbers.end()};
}

bool LaneNumbers::isMultipleOf(int64_t divisor) const {
  if (!varying)
    return first % divisor == 0;
  return all_of(varying->numbers,
                [&](int64_t number) { return number % divisor == 0; });
}

/// Returns \p operation of the numbers of each lane; it returns true where it
/// overflows.
template <typename Operation>
static std::optional<LaneNumbers>
inEachLane(const LaneNumbers &a, const LaneNumbers &b, Operation operation) {
  if (a.isSame() && b.isSame()) {
    int64_t number;
    return operation(a[0], b[0], number) ? std::nullopt
                                         : std::optional<LaneNumbers>(number);
  }
  Lanes numbers;
  bool overflows = false;
  for (unsigned l = 0; l < kWarpLanes; ++l)
    overflows |= operation(a[l], b[l], numbers[l]);
  return overflows ? std::nullopt : std::optional<LaneNumbers>(numbers);
}

std::optional<LaneNumbers> LaneNumbers::plus(const LaneNumbers &other) const {
  if (other.isZero())
    return *this;
  return inEachLane(*this, other, [](int64_t a, int64_t b, int64_t &result) {
    return AddOverflow(a, b, result);
  });
}

std::optional<LaneNumbers> LaneNumbers::times(const LaneNumbers &other) const {
  if (other.isOne() || isOne())
    return isOne() ? other : *this;
  return inEachLane(*this, other, [](int64_t a, int64_t b, int64_t &result) {
    return MulOverflow(a, b, result);
  });
}

std::strong_ordering LaneNumbers::operator<=>(const LaneNumbers &other) const {
  if (first != other.first || varying == other.varying || !varying ||
      !other.varying)
    return std::pair(first, varying != nullptr) <=>
           std::pair(other.first, other.varying != nullptr);
  return varying->numbers <=> other.varying->numbers;
}

std::optional<LaneProduct> LaneProduct::times(const LaneProduct &other) const {
  if (isOne() || other.isOne())
    return isOne() ? other : *this;
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

LaneSum::LaneSum(LaneNumbers numbers) {
  if (!numbers.isZero())
    list.push_back({LaneProduct(), std::move(numbers)});
}

LaneSum LaneSum::ofSymbol(LaneSymbolId id) {
  LaneSum result;
  result.list.push_back({LaneProduct(id), LaneNumbers(1)});
  return result;
}

bool LaneSum::add(const LaneProduct &product, const LaneNumbers &factor) {
  auto place = lower_bound(list, product, [](const Term &term, const auto &p) {
    return term.product < p;
  });
  if (place == list.end() || place->product != product) {
    if (!factor.isZero())
      list.insert(place, {product, factor});
    return list.size() <= kMostTerms;
  }
  std::optional<LaneNumbers> sum = place->factor.plus(factor);
  if (!sum)
    return false;
  if (sum->isZero())
    list.erase(place);
  else
    place->factor = std::move(*sum);
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
  LaneSum result = *this;
  for (const Term &term : other.list) {
    std::optional<LaneNumbers> negated = term.factor.times(-1);
    if (!negated || !result.add(term.product, *negated))
      return std::nullopt;
  }
  return result;
}

std::optional<LaneSum> LaneSum::times(const LaneNumbers &factor) const {
  LaneSum result;
  if (factor.isZero())
    return result;
  result.list.reserve(list.size());
  for (const Term &term : list) {
    std::optional<LaneNumbers> product = term.factor.times(factor);
    if (!product)
      return std::nullopt;
    if (!product->isZero()) // zero in the lanes where the other is not
      result.list.push_back({term.product, std::move(*product)});
  }
  return result;
}

std::optional<LaneSum> LaneSum::times(const LaneSum &other) const {
  LaneSum result;
  for (const Term &a : list)
    for (const Term &b : other.list) {
      std::optional<LaneProduct> product = a.product.times(b.product);
      std::optional<LaneNumbers> factor = a.factor.times(b.factor);
      if (!product || !factor || !result.add(*product, *factor))
        return std::nullopt;
    }
  return result;
}

std::optional<LaneNumbers> LaneSum::numbers() const {
  if (list.empty())
    return LaneNumbers(0);
  if (list.size() > 1 || !list[0].product.isOne())
    return std::nullopt;
  return list[0].factor;
}

std::optional<int64_t> LaneSum::number() const {
  if (list.empty())
    return 0;
  if (list.size() > 1 || !list[0].product.isOne() || !list[0].factor.isSame())
    return std::nullopt;
  return list[0].factor[0];
}

uint64_t LaneSum::digest() const {
  constexpr uint64_t kPrime = 0x100000001b3; // of FNV-1a
  uint64_t digest = 0;
  auto add = [&](uint64_t number) { digest = (digest ^ number) * kPrime; };
  for (const Term &term : list) {
    for (LaneSymbolId id : term.product.symbols())
      add(id);
    add(term.factor[0]);
    add(term.factor.least());
    add(term.factor.most());
  }
  return digest;
}

} // namespace gpulto
