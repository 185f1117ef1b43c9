//===- LaneSymbols.cpp - What is unknown in sums of lanes -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/access/LaneSymbols.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>

using namespace llvm;

namespace gpulto {

LaneSymbolId LaneSymbols::add(LaneSymbol symbol) {
  if (!symbol.options.empty()) {
    symbol.range = {INT64_MAX, INT64_MIN};
    for (const LaneNumbers &option : symbol.options) {
      symbol.range.low = std::min(symbol.range.low, option.least());
      symbol.range.high = std::max(symbol.range.high, option.most());
      symbol.isUniform &= option.isSame();
    }
  }
  table.push_back(std::move(symbol));
  return table.size() - 1;
}

LaneSum LaneSymbols::addUniform(LaneRange range, Congruence congruence,
                                const Value *value, const Loop *loop) {
  if (range.low == range.high)
    return LaneSum(range.low);
  LaneSymbol symbol;
  symbol.range = range;
  symbol.congruence = congruence;
  symbol.value = value;
  symbol.loop = loop;
  return LaneSum::ofSymbol(add(std::move(symbol)));
}

LaneSum LaneSymbols::addCounter(LaneRange range, Congruence congruence,
                                const Loop *loop) {
  LaneSum sum = addUniform(range, congruence, nullptr, loop);
  if (!sum.number())
    table.back().isCounter = true;
  return sum;
}

bool LaneSymbols::isCounter(const LaneSum &sum) const {
  return !sum.numbers() && all_of(sum.terms(), [&](const LaneSum::Term &term) {
    return all_of(term.product.symbols(),
                  [&](LaneSymbolId id) { return table[id].isCounter; });
  });
}

LaneSum LaneSymbols::addPart(const LaneSum &of, LaneRange range,
                             const Loop *loop) {
  return isCounter(of) ? addCounter(range, {}, loop)
                       : addUniform(range, {}, nullptr, loop);
}

LaneSum LaneSymbols::addBlock(LaneRange range) {
  LaneSum sum = addCounter(range);
  if (!sum.number())
    table.back().isBlock = true;
  return sum;
}

/// Returns the symbol that \p sum is, if it is one.
static LaneSymbolId symbolOf(const LaneSum &sum) {
  if (sum.terms().size() != 1 || !sum.terms()[0].factor.isOne())
    return kNoSymbol;
  auto factors = sum.terms()[0].product.symbols();
  return factors.size() == 1 ? factors.front() : kNoSymbol;
}

void LaneSymbols::makeRow(const LaneSum &row, const LaneSum &length) {
  LaneSymbolId id = symbolOf(row);
  if (id != kNoSymbol && table[id].isCounter)
    table[id].rowLength = symbolOf(length);
}

/// Whether \p product is where a row begins of an index that is divided into
/// rows: its users do not make rows begin with sectors.
bool LaneSymbols::isRow(const LaneProduct &product) const {
  auto factors = product.symbols();
  return any_of(factors, [&](LaneSymbolId id) {
    return table[id].rowLength != kNoSymbol &&
           is_contained(factors, table[id].rowLength);
  });
}

void LaneSymbols::round(const LaneSum &sum) {
  for (const LaneSum::Term &term : sum.terms())
    for (LaneSymbolId id : term.product.symbols())
      if (table[id].value)
        table[id].isCounter = false;
}

LaneSum LaneSymbols::addChoice(std::vector<LaneNumbers> options,
                               const Loop *loop) {
  if (options.size() == 1)
    return LaneSum(options.front());
  LaneSymbol symbol;
  symbol.options = std::move(options);
  symbol.loop = loop;
  return LaneSum::ofSymbol(add(std::move(symbol)));
}

bool LaneSymbols::isUniform(const LaneProduct &product) const {
  return all_of(product.symbols(),
                [&](LaneSymbolId id) { return table[id].isUniform; });
}

bool LaneSymbols::isUniform(const LaneSum &sum) const {
  return all_of(sum.terms(), [&](const LaneSum::Term &term) {
    return term.factor.isSame() && isUniform(term.product);
  });
}

bool LaneSymbols::variesIn(const Loop &loop, const LaneSum &sum) const {
  return any_of(sum.terms(), [&](const LaneSum::Term &term) {
    return any_of(term.product.symbols(), [&](LaneSymbolId id) {
      return !table[id].isUniform && loop.contains(table[id].loop);
    });
  });
}

std::pair<LaneSum, LaneSum> LaneSymbols::split(const LaneSum &sum) const {
  LaneSum uniform, varying;
  for (const LaneSum::Term &term : sum.terms()) {
    if (!isUniform(term.product)) {
      varying.add(term.product, term.factor);
      continue;
    }
    int64_t first = term.factor[0];
    uniform.add(term.product, first);
    if (!term.factor.isSame())
      varying.add(term.product, first == 0
                                    ? term.factor
                                    : term.factor.map([&](int64_t number) {
                                        return number - first;
                                      }));
  }
  return {std::move(uniform), std::move(varying)};
}

/// Returns the products of each lane modulo 2^64, as addresses are.
static LaneNumbers productOf(const LaneNumbers &a, const LaneNumbers &b) {
  auto product = [](int64_t x, int64_t y) {
    return static_cast<int64_t>(static_cast<uint64_t>(x) *
                                static_cast<uint64_t>(y));
  };
  if (a.isOne() || b.isOne())
    return a.isOne() ? b : a;
  if (a.isSame())
    return b.map([&](int64_t number) { return product(a[0], number); });
  Lanes numbers;
  for (unsigned l = 0; l < kWarpLanes; ++l)
    numbers[l] = product(a[l], b[l]);
  return numbers;
}

LaneSum LaneSymbols::inCase(const LaneSum &sum,
                            function_ref<size_t(LaneSymbolId)> optionOf) const {
  LaneSum result;
  for (const LaneSum::Term &term : sum.terms()) {
    LaneProduct product = term.product;
    LaneNumbers factor = term.factor;
    for (LaneSymbolId id : term.product.symbols()) {
      if (table[id].options.empty())
        continue;
      product = product.without(id);
      factor = productOf(factor, table[id].options[optionOf(id)]);
    }
    result.add(product, factor);
  }
  return result;
}

static bool isBound(int64_t number) {
  return number != INT64_MIN && number != INT64_MAX;
}

/// Returns a product of bounds. Beyond 64 bits it is one of the extremes, which
/// are none.
static int64_t boundOf(int64_t a, int64_t b) {
  if (a == 0 || b == 0)
    return 0;
  int64_t product;
  if (!isBound(a) || !isBound(b) || MulOverflow(a, b, product))
    return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
  return product;
}

static LaneRange rangeOfProduct(LaneRange a, LaneRange b) {
  auto [least, most] =
      std::minmax({boundOf(a.low, b.low), boundOf(a.low, b.high),
                   boundOf(a.high, b.low), boundOf(a.high, b.high)});
  return {least, most};
}

LaneRange LaneSymbols::range(const LaneSum &sum) const {
  LaneRange result{0, 0};
  bool hasLow = true, hasHigh = true;
  // Numbers are those of one lane; other terms may vary apart.
  for (const LaneSum::Term &term : sum.terms()) {
    LaneRange product{term.factor.least(), term.factor.most()};
    for (LaneSymbolId id : term.product.symbols())
      product = rangeOfProduct(product, table[id].range);
    hasLow &= isBound(product.low) &&
              !AddOverflow(result.low, product.low, result.low);
    hasHigh &= isBound(product.high) &&
               !AddOverflow(result.high, product.high, result.high);
  }
  return {hasLow ? result.low : INT64_MIN, hasHigh ? result.high : INT64_MAX};
}

static uint64_t magnitude(int64_t number) {
  return number < 0 ? 0 - static_cast<uint64_t>(number) : number;
}

namespace {
/// Arithmetic modulo a number. Most are powers of two, for which it is fast.
class Modulus {
public:
  explicit Modulus(uint64_t number) : number(number), mask(number - 1) {
    isPower = isPowerOf2_64(number);
  }
  uint64_t residue(uint64_t of) const {
    return isPower ? of & mask : of % number;
  }
  uint64_t residue(int64_t of) const {
    if (isPower || of >= 0)
      return residue(static_cast<uint64_t>(of));
    uint64_t rest = magnitude(of) % number;
    return rest ? number - rest : 0;
  }
  uint64_t product(uint64_t a, uint64_t b) const {
    return isPower ? (a * b) & mask
                   : static_cast<uint64_t>(static_cast<unsigned __int128>(a) *
                                           b % number);
  }
  /// Returns the greatest common divisor of the number and of \p others.
  uint64_t commonDivisor(std::initializer_list<uint64_t> others) const {
    uint64_t all = number;
    for (uint64_t other : others)
      all = isPower ? all | other : std::gcd(all, other);
    return isPower ? all & (0 - all) : all;
  }

private:
  uint64_t number, mask;
  bool isPower;
};
} // namespace

/// Returns what is known of \p term in lane 0 modulo a divisor of \p most.
Congruence LaneSymbols::congruence(const LaneSum::Term &term,
                                   uint64_t most) const {
  Modulus by(most);
  // The product is residue + multiples of modulus.
  uint64_t modulus = most, residue = by.residue(uint64_t(1));
  for (LaneSymbolId id : term.product.symbols()) {
    const LaneSymbol &symbol = table[id];
    Congruence factor = symbol.congruence;
    if (!symbol.options.empty())
      factor = {1, 0};
    if (factor.modulus == 0) // one number
      factor.modulus = most;
    // (r + m*i) * (s + n*j): modulo gcd(r*n, s*m, m*n).
    uint64_t common = by.commonDivisor({by.product(residue, factor.modulus),
                                        by.product(factor.residue, modulus),
                                        by.product(modulus, factor.modulus)});
    residue = Modulus(common).product(residue, factor.residue);
    modulus = common;
  }
  uint64_t factor = by.residue(term.factor[0]);
  return {by.product(modulus, factor), by.product(residue, factor)};
}

Congruence LaneSymbols::congruence(const LaneSum &sum, uint64_t most) const {
  Congruence result{most, 0};
  for (const LaneSum::Term &term : sum.terms()) {
    Congruence here = congruence(term, most);
    Modulus by(result.modulus);
    result.modulus = by.commonDivisor({here.modulus});
    result.residue =
        Modulus(result.modulus).residue(result.residue + here.residue);
  }
  return result;
}

/// Returns the symbols by multiples of which blocks step less than a known
/// number, as in blockIdx.x * (256 - 2 * border): tiles overlap by a part of a
/// tile, which is no size of a row.
SmallVector<LaneSymbolId, 2> LaneSymbols::bordersOf(const LaneSum &sum) const {
  SmallVector<LaneSymbolId, 2> borders;
  for (const LaneSum::Term &less : sum.terms()) {
    auto factors = less.product.symbols();
    if (factors.size() != 2)
      continue;
    for (unsigned i : {0, 1})
      if (table[factors[i]].isBlock &&
          any_of(sum.terms(), [&](const LaneSum::Term &step) {
            return step.product == LaneProduct(factors[i]) &&
                   (less.factor[0] < 0) != (step.factor[0] < 0);
          }))
        borders.push_back(factors[1 - i]);
  }
  return borders;
}

/// Returns what a part of a size is taken for a multiple of, if \p id is one:
/// sizes are multiples of a warp. Otherwise 0.
uint64_t LaneSymbols::partOfSize(LaneSymbolId id) const {
  const LaneSymbol &symbol = table[id];
  bool isPart = symbol.divisor > 1 && !symbol.dividend.terms().empty() &&
                all_of(symbol.dividend.terms(), [&](const LaneSum::Term &term) {
                  return all_of(term.product.symbols(), [&](LaneSymbolId of) {
                    return !table[of].isCounter && table[of].isUniform;
                  });
                });
  return isPart ? kWarpLanes / std::gcd<uint64_t>(symbol.divisor, kWarpLanes)
                : 0;
}

/// Returns what \p term, of elements of \p unit, is taken for a multiple of, if
/// it is a part of a size; otherwise 0. A half of 4 bytes is twice the size.
uint64_t LaneSymbols::partOfWarp(const LaneSum::Term &term,
                                 unsigned unit) const {
  auto factors = term.product.symbols();
  if (factors.size() != 1)
    return 0;
  if (uint64_t part = partOfSize(factors.front()))
    return part;
  const LaneSymbol &symbol = table[factors.front()];
  bool isSize = symbol.value && symbol.value->getType()->isIntegerTy() &&
                symbol.congruence.modulus == 1;
  return isSize && !term.factor.isMultipleOf(unit) ? kWarpLanes : 0;
}

LaneResidues LaneSymbols::residues(const LaneSum &sum, unsigned unit,
                                   uint64_t modulus) const {
  LaneResidues result;
  result.modulus = modulus;
  Modulus by(modulus);
  SmallVector<LaneSymbolId, 2> borders = bordersOf(sum);
  for (const LaneSum::Term &term : sum.terms()) {
    auto factors = term.product.symbols();
    if (isRow(term.product)) {
      if (uint64_t step = by.residue(term.factor[0]))
        result.counters.emplace_back(step, modulus);
      continue;
    }
    bool isCounted = !factors.empty() && all_of(factors, [&](LaneSymbolId id) {
      return table[id].isCounter || is_contained(borders, id);
    });
    if (uint64_t part = isCounted ? 0 : partOfWarp(term, unit)) {
      if (uint64_t step = by.product(by.residue(term.factor[0]), part))
        result.counters.emplace_back(step, modulus);
      continue;
    }
    if (!isCounted) {
      result.first += congruence(term, modulus).residue;
      continue;
    }
    // Of several counters the product takes what one of them does.
    const LaneSymbol &counter = table[factors.front()];
    uint64_t each = std::max<uint64_t>(counter.congruence.modulus, 1);
    uint64_t factor = by.residue(term.factor[0]);
    result.first += by.product(factor, by.residue(counter.range.low));
    uint64_t step = by.product(factor, each);
    uint64_t last = (static_cast<uint64_t>(counter.range.high) -
                     static_cast<uint64_t>(counter.range.low)) /
                    each;
    if (step)
      result.counters.emplace_back(step, last < modulus ? last + 1 : modulus);
  }
  result.first = by.residue(result.first);
  return result;
}

std::vector<std::pair<uint64_t, uint64_t>> LaneResidues::counts() const {
  if (counters.empty())
    return {{first, 1}};
  std::vector<uint64_t> counts(modulus, 0);
  counts[first] = 1;
  for (auto [step, times] : counters) {
    uint64_t period = modulus / std::gcd(step, modulus), common = 0;
    std::vector<uint64_t> moved(modulus, 0);
    for (uint64_t i = 0; i < std::min(times, period); ++i) {
      uint64_t often = times / period + (i < times % period ? 1 : 0);
      for (uint64_t residue = 0; residue < modulus; ++residue)
        if (counts[residue])
          moved[(residue + i * step) % modulus] += often * counts[residue];
    }
    for (uint64_t count : moved)
      common = std::gcd(common, count);
    for (uint64_t &count : moved)
      count /= common;
    counts = std::move(moved);
  }
  std::vector<std::pair<uint64_t, uint64_t>> result;
  for (auto [residue, count] : enumerate(counts))
    if (count)
      result.emplace_back(residue, count);
  return result;
}

LaneSum LaneSymbols::simplify(LaneSum sum) const {
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (const LaneSum::Term &term : sum.terms()) {
      for (LaneSymbolId id : term.product.symbols()) {
        const LaneSymbol &symbol = table[id];
        if (symbol.divisor == 0 || !term.factor.isMultipleOf(symbol.divisor))
          continue;
        LaneSum quotient, product;
        quotient.add(term.product.without(id),
                     term.factor.map([&](int64_t number) {
                       return number / symbol.divisor;
                     }));
        std::optional<LaneSum> replaced = quotient.times(symbol.dividend);
        product.add(term.product, term.factor);
        std::optional<LaneSum> rest = sum.minus(product);
        if (!replaced || !rest)
          continue;
        std::optional<LaneSum> joined = rest->plus(*replaced);
        if (!joined)
          continue;
        sum = std::move(*joined);
        isChanged = true;
        break;
      }
      if (isChanged)
        break;
    }
  }
  return sum;
}

bool LaneSymbols::differsByWarp(const LaneSum &sum) const {
  return any_of(sum.terms(), [&](const LaneSum::Term &term) {
    return any_of(term.product.symbols(),
                  [&](LaneSymbolId id) { return id < warpSymbols; });
  });
}

const Loop *LaneSymbols::loopOf(const LaneSum &sum) const {
  const Loop *innermost = nullptr;
  for (const LaneSum::Term &term : sum.terms())
    for (LaneSymbolId id : term.product.symbols()) {
      const Loop *loop = table[id].loop;
      if (loop && (!innermost || innermost->contains(loop)))
        innermost = loop;
    }
  return innermost;
}

} // namespace gpulto
