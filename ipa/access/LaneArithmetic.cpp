//===- LaneArithmetic.cpp - Operations on the values of lanes -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Sums, differences and products of sums are sums. The others split a sum into
// u + v, where u is the same in all lanes, and v is known for each lane:
//
// 1. Quotients by a number c (quotientByResidue). What u is modulo c is known,
//    or is one of c / g cases that its congruence leaves. Each case gives a
//    number for each lane. u / c is a new symbol that remembers u, so that c
//    times the quotient plus the remainder is the sum again.
// 2. Quotients by an unknown number (divideBySymbol): it is taken to be larger
//    than the lanes lie apart, so that the quotient grows by one at one lane.
// 3. Comparisons (isBelowZero, isZero): the lanes below a bound, for each bound
//    that the range and congruence of u allow.
// 4. Readings of wrapped numbers (readAs): as 3, the lanes beyond some bound
//    have one multiple of 2 to the width less.
// 5. Masks, remainders and shifts by a power of two are 1; other operations are
//    done lane by lane where all is known.
//
// Cases are options of a symbol, in one table for all questions, so that two
// uses of one comparison agree.
//
//===----------------------------------------------------------------------===//

#include "ipa/access/LaneArithmetic.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <set>

using namespace llvm;

namespace gpulto {

/// Cases of one division that are told apart.
static constexpr int64_t kMostResidues = 64;
/// Numbers of this many bits and more have the bounds of 64-bit ones.
static constexpr unsigned kWordBits = 64;

static LaneRange rangeOfWidth(unsigned width, bool isSigned) {
  if (width >= kWordBits)
    return {isSigned ? INT64_MIN : 0, INT64_MAX};
  if (!isSigned)
    return {0, static_cast<int64_t>(maskTrailingOnes<uint64_t>(width))};
  return {minIntN(width), maxIntN(width)};
}

static bool isWithin(const LaneRange &inner, const LaneRange &outer) {
  return inner.low >= outer.low && inner.high <= outer.high;
}

LaneValue LaneArithmetic::worst(const LaneValue &a, const LaneValue &b) {
  return a.kind == LaneValue::Kind::Irregular ||
                 b.kind == LaneValue::Kind::Irregular
             ? LaneValue::irregular()
             : LaneValue::unknown();
}

LaneValue LaneArithmetic::settle(std::optional<LaneSum> sum, unsigned width,
                                 NoWrap exact, bool isAssumed) {
  if (!sum)
    return LaneValue::unknown();
  LaneValue result;
  result.kind = LaneValue::Kind::Sum;
  result.sum = symbols.simplify(std::move(*sum));
  result.isAssumed = isAssumed;
  LaneRange range = symbols.range(result.sum);
  result.isSigned =
      exact.isSigned || isWithin(range, rangeOfWidth(width, true));
  result.isUnsigned =
      exact.isUnsigned || isWithin(range, rangeOfWidth(width, false));
  // A number that is not negative is the same in both readings.
  if (range.low >= 0 && result.isSigned)
    result.isUnsigned = true;
  return result;
}

/// Returns what \p operation makes of \p a and \p b. Where that is too long for
/// a sum, it is what it makes of the cases that are expected, and \p isAssumed.
std::optional<LaneSum> LaneArithmetic::combine(Operation operation,
                                               const LaneSum &a,
                                               const LaneSum &b,
                                               bool &isAssumed) const {
  if (std::optional<LaneSum> sum = operation(a, b))
    return sum;
  isAssumed = true;
  return operation(symbols.firstCase(a), symbols.firstCase(b));
}

/// As settle, of what combine() makes of \p a and \p b.
LaneValue LaneArithmetic::settleBoth(Operation operation, const LaneValue &a,
                                     const LaneValue &b, unsigned width,
                                     NoWrap noWrap) {
  bool isAssumed = a.isAssumed || b.isAssumed;
  std::optional<LaneSum> sum = combine(operation, a.sum, b.sum, isAssumed);
  return settle(std::move(sum), width,
                {noWrap.isSigned && a.isSigned && b.isSigned,
                 noWrap.isUnsigned && a.isUnsigned && b.isUnsigned},
                isAssumed);
}

LaneValue LaneArithmetic::uniform(LaneRange range, Congruence congruence,
                                  unsigned width, const Value *value) {
  return settle(symbols.addUniform(range, congruence, value, loop), width,
                {true, false}, false);
}

LaneValue LaneArithmetic::add(const LaneValue &a, const LaneValue &b,
                              unsigned width, NoWrap noWrap) {
  if (!a.isSum() || !b.isSum())
    return worst(a, b);
  return settleBoth(
      [](const LaneSum &x, const LaneSum &y) { return x.plus(y); }, a, b, width,
      noWrap);
}

static std::optional<LaneSum> differenceOf(const LaneSum &a, const LaneSum &b) {
  return a.minus(b);
}

LaneValue LaneArithmetic::subtract(const LaneValue &a, const LaneValue &b,
                                   unsigned width, NoWrap noWrap) {
  if (!a.isSum() || !b.isSum())
    return worst(a, b);
  return settleBoth(differenceOf, a, b, width, noWrap);
}

LaneValue LaneArithmetic::multiply(const LaneValue &a, const LaneValue &b,
                                   unsigned width, NoWrap noWrap) {
  if (!a.isSum() || !b.isSum()) {
    // Zero times anything.
    if ((a.isSum() && a.sum.number() == 0) ||
        (b.isSum() && b.sum.number() == 0))
      return LaneValue::number(0);
    return worst(a, b);
  }
  return settleBoth(
      [](const LaneSum &x, const LaneSum &y) { return x.times(y); }, a, b,
      width, noWrap);
}

LaneValue LaneArithmetic::shiftLeft(const LaneValue &a, const LaneValue &b,
                                    unsigned width, NoWrap noWrap) {
  if (!a.isSum() || !b.isSum())
    return worst(a, b);
  std::optional<LaneNumbers> bits = b.sum.numbers();
  if (!bits) {
    // A power of two, the same in all lanes.
    if (symbols.isUniform(b.sum))
      return multiply(a,
                      uniform({1, rangeOfWidth(width, true).high}, {}, width),
                      width, noWrap);
    return LaneValue::unknown();
  }
  Lanes factor;
  constexpr int64_t kMostBits = 62; // the factor is positive
  for (unsigned l = 0; l < kWarpLanes; ++l) {
    if ((*bits)[l] < 0 || (*bits)[l] > kMostBits)
      return LaneValue::unknown();
    factor[l] = int64_t(1) << (*bits)[l];
  }
  return multiply(a, LaneValue::exact(LaneSum(factor)), width, noWrap);
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

LaneSum LaneArithmetic::addCases(const LaneSum &question,
                                 std::vector<LaneNumbers> options) {
  isByWarp |= options.size() > 1 && symbols.differsByWarp(question);
  return symbols.addChoice(std::move(options), loop);
}

LaneArithmetic::Parts LaneArithmetic::partsOf(const LaneSum &sum,
                                              bool &isAssumed) const {
  auto [uniform, varying] = symbols.split(sum);
  if (std::optional<LaneNumbers> lanes = varying.numbers())
    return {std::move(uniform), lanes};
  isAssumed = true;
  auto [same, others] = symbols.split(symbols.firstCase(sum));
  return {std::move(same), others.numbers()};
}

LaneSum LaneArithmetic::stepsOf(const LaneSum &question,
                                const LaneNumbers &lanes) {
  std::set<int64_t> bounds = lanes.distinct();
  bounds.erase(bounds.begin()); // all lanes: the quotient of each is one more
  std::vector<LaneNumbers> options{LaneNumbers(0)};
  for (int64_t bound : bounds) {
    options.push_back(lanes.map([&](int64_t lane) { return lane >= bound; }));
  }
  return addCases(question, std::move(options));
}

std::optional<LaneSum>
LaneArithmetic::quotientByResidue(const LaneSum &uniform,
                                  const LaneNumbers &lanes, int64_t divisor) {
  Congruence known = symbols.congruence(uniform, divisor);
  int64_t cases = divisor / int64_t(known.modulus);
  symbols.round(uniform);
  LaneRange range = symbols.range(uniform);
  if (range.low != INT64_MIN)
    range.low = divideFloorSigned(range.low, divisor);
  if (range.high != INT64_MAX)
    range.high = divideFloorSigned(range.high, divisor);
  auto quotientsOf = [&](int64_t residue) {
    return lanes.map([&](int64_t lane) {
      return divideFloorSigned(residue + lane, divisor);
    });
  };
  if (cases > kMostResidues) {
    // Of what is left of lanes without multiples of the divisor: one step.
    LaneNumbers whole = quotientsOf(0), rest = lanes.map([&](int64_t lane) {
      return lane - divideFloorSigned(lane, divisor) * divisor;
    });
    std::optional<LaneSum> sum =
        symbols.addPart(uniform, range, loop).plus(stepsOf(uniform, rest));
    return sum ? sum->plus(LaneSum(whole)) : std::nullopt;
  }
  std::vector<LaneNumbers> residues, steps;
  for (int64_t i = 0; i < cases; ++i) {
    auto residue = static_cast<int64_t>(known.residue + i * known.modulus);
    residues.emplace_back(residue);
    steps.push_back(quotientsOf(residue));
  }
  LaneSum residue = addCases(uniform, residues), step;
  if (cases == 1) {
    step = LaneSum(steps[0]);
  } else {
    LaneSymbol chosen;
    chosen.options = std::move(steps);
    chosen.chosenBy = residue.terms()[0].product.symbols()[0];
    chosen.loop = loop;
    step = LaneSum::ofSymbol(symbols.add(std::move(chosen)));
  }
  std::optional<LaneSum> dividend = uniform.minus(residue);
  if (!dividend)
    return std::nullopt;
  LaneSymbol whole;
  whole.range = range;
  whole.divisor = divisor;
  whole.dividend = *dividend;
  whole.loop = loop;
  whole.isCounter = symbols.isCounter(uniform);
  return LaneSum::ofSymbol(symbols.add(std::move(whole))).plus(step);
}

std::optional<LaneSum>
LaneArithmetic::quotient(const LaneSum &sum, int64_t divisor, bool &isAssumed) {
  if (divisor == 1)
    return sum;
  auto [place, isNew] = quotients.try_emplace({sum, LaneSum(divisor)});
  if (!isNew) {
    partsOf(sum, isAssumed);
    return place->second;
  }
  // Terms that are multiples of the divisor divide without a rest.
  LaneSum exact, rest;
  for (const LaneSum::Term &term : sum.terms()) {
    if (!term.product.isOne() && term.factor.isMultipleOf(divisor))
      exact.add(term.product, term.factor.map([&](int64_t number) {
        return number / divisor;
      }));
    else
      rest.add(term.product, term.factor);
  }
  auto [uniform, lanes] = partsOf(rest, isAssumed);
  std::optional<LaneSum> result;
  if (std::optional<int64_t> number = uniform.number(); number && lanes) {
    result = exact.plus(LaneSum(lanes->map([&](int64_t lane) {
      return divideFloorSigned(*number + lane, divisor);
    })));
  } else if (lanes) {
    if (std::optional<LaneSum> part =
            quotientByResidue(uniform, *lanes, divisor))
      result = exact.plus(*part);
  }
  if (!result) {
    quotients.erase({sum, LaneSum(divisor)});
    return std::nullopt;
  }
  return quotients[{sum, LaneSum(divisor)}] = *result;
}

std::optional<LaneSum>
LaneArithmetic::residue(const LaneSum &sum, int64_t modulus, bool &isAssumed) {
  std::optional<LaneSum> whole = quotient(sum, modulus, isAssumed);
  if (!whole)
    return std::nullopt;
  std::optional<LaneSum> product = whole->times(modulus);
  if (!product)
    return std::nullopt;
  std::optional<LaneSum> result = sum.minus(*product);
  if (!result)
    return std::nullopt;
  return symbols.simplify(std::move(*result));
}

/// The divisor is larger than the lanes lie apart: known, or taken to be.
LaneValue LaneArithmetic::divideBySymbol(const LaneValue &a,
                                         const LaneValue &b) {
  if (!symbols.isUniform(b.sum))
    return LaneValue::unknown();
  auto [place, isNew] = quotients.try_emplace({a.sum, b.sum});
  bool isAssumed = a.isAssumed || b.isAssumed;
  auto [uniform, lanes] = partsOf(a.sum, isAssumed);
  if (!lanes) {
    quotients.erase(place);
    return LaneValue::unknown();
  }
  if (isNew) {
    LaneRange range = symbols.range(a.sum);
    if (range.low >= 0)
      range.low = 0;
    else
      range = {};
    LaneSum whole = symbols.addPart(uniform, range, loop);
    if (!lanes->isSame() && !b.isAssumed)
      symbols.makeRow(whole, b.sum);
    std::optional<LaneSum> result = whole.plus(stepsOf(uniform, *lanes));
    place->second = *result; // two terms
  }
  LaneValue result = settle(place->second, kWordBits, {true, true}, isAssumed);
  result.isAssumed |= symbols.range(b.sum).low <= lanes->span();
  return result;
}

LaneValue LaneArithmetic::divide(const LaneValue &a, const LaneValue &b,
                                 unsigned width, bool isSigned) {
  if (!a.isSum() || !b.isSum())
    return worst(a, b);
  LaneValue dividend = readAs(a, width, isSigned);
  if (!dividend.isSum())
    return dividend;
  dividend.isAssumed |= symbols.range(dividend.sum).low < 0 && isSigned;
  std::optional<int64_t> divisor = b.sum.number();
  if (!divisor)
    return divideBySymbol(dividend, b);
  if (*divisor <= 0)
    return symbols.isUniform(a.sum) ? uniform({}, {}, width)
                                    : LaneValue::unknown();
  std::optional<LaneSum> whole =
      quotient(dividend.sum, *divisor, dividend.isAssumed);
  return settle(std::move(whole), width, {true, true}, dividend.isAssumed);
}

LaneValue LaneArithmetic::remainder(const LaneValue &a, const LaneValue &b,
                                    unsigned width, bool isSigned) {
  if (!a.isSum() || !b.isSum())
    return worst(a, b);
  std::optional<int64_t> divisor = b.sum.number();
  // Modulo a power of two no reading matters, unless it is negative.
  if (divisor && !isSigned && isPowerOf2_64(*divisor)) {
    bool isAssumed = a.isAssumed;
    std::optional<LaneSum> rest = residue(a.sum, *divisor, isAssumed);
    return settle(std::move(rest), width, {true, true}, isAssumed);
  }
  LaneValue dividend = readAs(a, width, isSigned);
  if (!dividend.isSum())
    return dividend;
  LaneValue whole = divide(dividend, b, width, isSigned);
  if (!whole.isSum())
    return whole;
  std::optional<LaneSum> product = whole.sum.times(b.sum);
  return settle(product ? dividend.sum.minus(*product) : std::nullopt, width,
                {true, true}, whole.isAssumed);
}

LaneValue LaneArithmetic::shiftRight(const LaneValue &a, const LaneValue &b,
                                     unsigned width, bool isSigned) {
  if (!a.isSum() || !b.isSum())
    return worst(a, b);
  std::optional<int64_t> bits = b.sum.number();
  constexpr int64_t kMostBits = 62; // the divisor is positive
  if (!bits || *bits < 0 || *bits > kMostBits)
    return symbols.isUniform(a.sum) && symbols.isUniform(b.sum)
               ? uniform({}, {}, width)
               : LaneValue::unknown();
  LaneValue dividend = readAs(a, width, isSigned);
  if (!dividend.isSum())
    return dividend;
  std::optional<LaneSum> whole =
      quotient(dividend.sum, int64_t(1) << *bits, dividend.isAssumed);
  return settle(std::move(whole), width, {true, true}, dividend.isAssumed);
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

LaneValue LaneArithmetic::eachLane(
    ArrayRef<LaneValue> operands, unsigned width,
    function_ref<std::optional<int64_t>(ArrayRef<int64_t>)> f) {
  SmallVector<LaneNumbers, 3> numbers;
  bool isAssumed = false;
  for (const LaneValue &operand : operands) {
    std::optional<LaneNumbers> lanes =
        operand.isSum() ? operand.sum.numbers() : std::nullopt;
    if (!lanes)
      return LaneValue::unknown();
    numbers.push_back(*lanes);
    isAssumed |= operand.isAssumed;
  }
  Lanes result;
  for (unsigned l = 0; l < kWarpLanes; ++l) {
    SmallVector<int64_t, 3> lane;
    for (const LaneNumbers &lanes : numbers)
      lane.push_back(lanes[l]);
    std::optional<int64_t> number = f(lane);
    if (!number)
      return LaneValue::unknown();
    result[l] = *number;
  }
  return settle(LaneSum(result), width, {}, isAssumed);
}

/// Each run of ones is the residue above it less that below.
std::optional<LaneSum> LaneArithmetic::bitsOf(const LaneSum &sum, uint64_t bits,
                                              unsigned width, bool &isRest,
                                              bool &isAssumed) {
  constexpr unsigned kMostBits = 62;
  std::optional<LaneSum> result = LaneSum();
  while (bits && result) {
    unsigned from = countr_zero(bits), to = from + countr_one(bits >> from);
    std::optional<LaneSum> low = residue(sum, int64_t(1) << from, isAssumed),
                           high;
    if (to >= width) {
      high = sum;
      isRest = true;
    } else if (to <= kMostBits) {
      high = residue(sum, int64_t(1) << to, isAssumed);
    }
    if (!low || !high)
      return std::nullopt;
    result = result->plus(*high);
    if (result)
      result = result->minus(*low);
    bits = to >= kWordBits ? 0 : bits >> to << to;
  }
  return result;
}

LaneValue LaneArithmetic::bitAnd(const LaneValue &a, const LaneValue &b,
                                 unsigned width) {
  if (!a.isSum() || !b.isSum()) {
    // Nothing is left of what is not known.
    if ((a.isSum() && a.sum.number() == 0) ||
        (b.isSum() && b.sum.number() == 0))
      return LaneValue::number(0);
    return worst(a, b);
  }
  if (width == 1)
    return multiply(a, b, width, {true, true});
  std::optional<int64_t> mask = b.sum.number();
  bool isSame = symbols.isUniform(b.sum);
  if ((!mask && a.sum.number()) || (!isSame && symbols.isUniform(a.sum)))
    return bitAnd(b, a, width);
  bool isAssumed = a.isAssumed || b.isAssumed;
  if (!mask && isSame && !symbols.isUniform(a.sum)) {
    // It is taken to be one less than a power of two.
    LaneValue power = add(b, LaneValue::number(1), width, {true, true});
    power.isAssumed = true;
    return remainder(a, power, width, /*isSigned=*/false);
  }
  if (mask) {
    uint64_t bits = static_cast<uint64_t>(*mask) &
                    maskTrailingOnes<uint64_t>(std::min(width, kWordBits));
    bool isRest = false; // a run of ones up to the width: the sum itself
    if (std::optional<LaneSum> sum =
            bitsOf(a.sum, bits, width, isRest, isAssumed))
      return settle(std::move(sum), width,
                    {!isRest || a.isSigned, !isRest || a.isUnsigned},
                    isAssumed);
  }
  LaneValue each = eachLane({a, b}, width, [](ArrayRef<int64_t> lane) {
    return std::optional(lane[0] & lane[1]);
  });
  if (each.isSum())
    return each;
  if (symbols.isUniform(a.sum) && symbols.isUniform(b.sum))
    return uniform(mask && *mask >= 0 ? LaneRange{0, *mask} : LaneRange(), {},
                   width);
  return LaneValue::unknown();
}

LaneValue LaneArithmetic::bitOr(const LaneValue &a, const LaneValue &b,
                                unsigned width, bool isDisjoint) {
  if (!a.isSum() || !b.isSum())
    return worst(a, b);
  if (isDisjoint)
    return add(a, b, width, {true, true});
  bool isAssumed = a.isAssumed || b.isAssumed;
  if (width == 1) {
    std::optional<LaneSum> both = a.sum.times(b.sum), sum = a.sum.plus(b.sum);
    return settle(both && sum ? sum->minus(*both) : std::nullopt, width,
                  {true, true}, isAssumed);
  }
  // a | b = a + b - (a & b).
  LaneValue common = bitAnd(a, b, width);
  if (!common.isSum())
    return common;
  if (std::optional<LaneSum> sum = a.sum.plus(b.sum))
    return settle(sum->minus(common.sum), width, {}, isAssumed);
  return LaneValue::unknown();
}

LaneValue LaneArithmetic::bitXor(const LaneValue &a, const LaneValue &b,
                                 unsigned width) {
  if (!a.isSum() || !b.isSum())
    return worst(a, b);
  bool isAssumed = a.isAssumed || b.isAssumed;
  // -1 - a.
  std::optional<int64_t> mask = b.sum.number();
  if (width > 1 && mask == -1)
    return settle(LaneSum(-1).minus(a.sum), width, {a.isSigned, false},
                  isAssumed);
  // a ^ b = a + b - 2 * (a & b).
  LaneValue common = bitAnd(a, b, width);
  if (!common.isSum())
    return common;
  std::optional<LaneSum> twice = common.sum.times(2), sum = a.sum.plus(b.sum);
  return settle(twice && sum ? sum->minus(*twice) : std::nullopt, width,
                {width == 1, width == 1}, isAssumed);
}

//===----------------------------------------------------------------------===//
// Readings
//===----------------------------------------------------------------------===//

/// Returns \p a, whose sum is the number that its bits are.
LaneValue LaneArithmetic::readAs(const LaneValue &a, unsigned width,
                                 bool isSigned) {
  // A condition that is fulfilled is one, or read as signed minus one.
  if (width == 1 && isSigned && a.isSum() && a.isUnsigned) {
    std::optional<LaneSum> negative = LaneSum().minus(a.sum);
    return negative
               ? LaneValue{LaneValue::Kind::Sum, std::move(*negative),
                           /*isSigned=*/true, /*isUnsigned=*/false, a.isAssumed}
               : LaneValue::unknown();
  }
  if (!a.isSum() || (isSigned ? a.isSigned : a.isUnsigned))
    return a;
  LaneValue result = a;
  result.isSigned = isSigned;
  result.isUnsigned = !isSigned;
  constexpr unsigned kMostBits = 62;
  if (width > kMostBits) {
    result.isAssumed = true;
    return result;
  }
  auto [place, isNew] = read.try_emplace({a.sum, width, isSigned});
  if (!isNew) {
    result.sum = place->second.first;
    result.isAssumed |= place->second.second;
    return result;
  }
  int64_t wrap = int64_t(1) << width;
  auto [uniform, varying] = symbols.split(a.sum);
  std::optional<LaneNumbers> lanes = varying.numbers();
  std::optional<LaneSum> read;
  if (lanes && uniform.number()) {
    int64_t low = isSigned ? -(wrap / 2) : 0, first = *uniform.number();
    read = LaneSum(lanes->map([&](int64_t lane) {
      int64_t number = first + lane;
      return number - divideFloorSigned(number - low, wrap) * wrap;
    }));
  } else if (lanes) {
    if (lanes->span() < wrap) {
      // So many times it went round, and once more beyond some lane.
      std::optional<LaneSum> steps = stepsOf(uniform, *lanes).times(wrap);
      LaneRange range = symbols.range(uniform);
      int64_t least = isSigned ? -(wrap / 2) : 0;
      LaneRange rounds;
      if (range.low != INT64_MIN)
        rounds.low = divideFloorSigned(range.low - least, wrap);
      if (range.high != INT64_MAX)
        rounds.high = divideFloorSigned(range.high - least, wrap);
      std::optional<LaneSum> round =
          symbols.addUniform(rounds, {}, nullptr, loop).times(wrap);
      read = a.sum.minus(*round);
      if (read)
        read = read->minus(*steps);
    }
  }
  place->second = {read.value_or(a.sum), !read};
  result.sum = place->second.first;
  result.isAssumed |= !read;
  return result;
}

LaneValue LaneArithmetic::extend(const LaneValue &a, unsigned from,
                                 bool isSigned) {
  LaneValue result = readAs(a, from, isSigned);
  if (!result.isSum())
    return result;
  result.isSigned = true;
  result.isUnsigned = !isSigned || symbols.range(result.sum).low >= 0;
  return result;
}

LaneValue LaneArithmetic::truncate(const LaneValue &a, unsigned to) {
  if (!a.isSum())
    return a;
  // One bit is a mask.
  if (to == 1) {
    bool isAssumed = a.isAssumed;
    std::optional<LaneSum> bit = residue(a.sum, 2, isAssumed);
    return settle(std::move(bit), to, {true, true}, isAssumed);
  }
  return settle(a.sum, to, {}, a.isAssumed);
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

LaneValue LaneArithmetic::negate(const LaneValue &condition) {
  if (!condition.isSum())
    return condition;
  return settle(LaneSum(1).minus(condition.sum), 1, {true, true},
                condition.isAssumed);
}

/// Whether a number of \p known lies in \p range.
static bool meets(const LaneRange &range, const LaneRange &other,
                  const Congruence &known) {
  int64_t low = std::max(range.low, other.low),
          high = std::min(range.high, other.high);
  if (low > high)
    return false;
  if (low == INT64_MIN || high == INT64_MAX)
    return true;
  // The first number from low on that has the residue.
  auto modulus = static_cast<int64_t>(known.modulus);
  int64_t rest = low % modulus;
  int64_t ahead = (int64_t(known.residue) - rest) % modulus;
  if (ahead < 0)
    ahead += modulus;
  return ahead <= high - low;
}

/// Groups of lanes of which a comparison is decided apart.
static constexpr unsigned kMostGroups = 4;

LaneValue
LaneArithmetic::byGroups(const LaneSum &sum,
                         function_ref<LaneValue(const LaneSum &)> test) {
  LaneSum expected = symbols.firstCase(sum), all;
  bool isAssumed = expected != sum;
  Lanes open;
  open.fill(1);
  for (unsigned groups = 0, first = 0; groups <= kMostGroups; ++groups) {
    while (first < kWarpLanes && !open[first])
      ++first;
    if (first == kWarpLanes)
      return settle(std::move(all), 1, {true, true}, isAssumed);
    auto isTogether = [&](unsigned lane) {
      return all_of(expected.terms(), [&](const LaneSum::Term &term) {
        return term.product.isOne() || term.factor[lane] == term.factor[first];
      });
    };
    Lanes group, member; // lanes of others repeat the first
    for (unsigned l = 0; l < kWarpLanes; ++l) {
      group[l] = open[l] && isTogether(l);
      member[l] = group[l] ? l : first;
      open[l] -= group[l];
    }
    LaneSum part;
    for (const LaneSum::Term &term : expected.terms()) {
      Lanes factor;
      for (unsigned l = 0; l < kWarpLanes; ++l)
        factor[l] = term.factor[member[l]];
      part.add(term.product, factor);
    }
    LaneValue answer = test(part);
    std::optional<LaneSum> here =
        answer.isSum() ? answer.sum.times(LaneNumbers(group)) : std::nullopt;
    std::optional<LaneSum> both = here ? all.plus(*here) : std::nullopt;
    if (!both)
      return LaneValue::unknown();
    all = std::move(*both);
    isAssumed |= answer.isAssumed;
  }
  return LaneValue::unknown();
}

/// A modulus for comparisons, which is a multiple of all block sizes' powers.
static constexpr uint64_t kCompareModulus = 1 << 20;

const std::vector<std::pair<int64_t, LaneNumbers>> &
LaneArithmetic::prefixesOf(const LaneNumbers &lanes) {
  auto [found, isNew] = prefixes.try_emplace(lanes);
  if (isNew)
    for (int64_t bound : lanes.distinct())
      found->second.emplace_back(
          bound, lanes.map([&](int64_t lane) { return lane <= bound; }));
  return found->second;
}

LaneValue LaneArithmetic::isBelowZero(const LaneSum &sum) {
  if (std::optional<LaneNumbers> lanes = sum.numbers())
    return LaneValue::exact(
        LaneSum(lanes->map([](int64_t number) { return number < 0; })));
  LaneRange all = symbols.range(sum);
  if (all.high < 0 || all.low >= 0)
    return LaneValue::number(all.high < 0);
  auto [place, isNew] = below.try_emplace(sum);
  if (!isNew)
    return place->second;
  bool isAssumed = false;
  auto [uniform, lanes] = partsOf(sum, isAssumed);
  if (!lanes)
    return place->second = byGroups(
               sum, [&](const LaneSum &group) { return isBelowZero(group); });
  LaneRange range = symbols.range(uniform);
  Congruence known = symbols.congruence(uniform, kCompareModulus);
  const std::vector<std::pair<int64_t, LaneNumbers>> &upTo = prefixesOf(*lanes);
  std::vector<LaneNumbers> options;
  // From all lanes to none: those up to some bound.
  for (size_t k = upTo.size() + 1; k-- > 0;) {
    LaneRange needed;
    if (k > 0)
      needed.high = -upTo[k - 1].first - 1;
    if (k < upTo.size())
      needed.low = -upTo[k].first;
    if (meets(range, needed, known))
      options.push_back(k > 0 ? upTo[k - 1].second : LaneNumbers(0));
  }
  if (options.empty()) // never executed
    options.emplace_back(1);
  place->second = LaneValue::exact(addCases(uniform, std::move(options)));
  place->second.isAssumed = isAssumed;
  return place->second;
}

LaneValue LaneArithmetic::isZero(const LaneSum &sum) {
  if (std::optional<LaneNumbers> lanes = sum.numbers())
    return LaneValue::exact(
        LaneSum(lanes->map([](int64_t number) { return number == 0; })));
  LaneRange all = symbols.range(sum);
  if (all.high < 0 || all.low > 0)
    return LaneValue::number(0);
  auto [place, isNew] = zero.try_emplace(sum);
  if (!isNew)
    return place->second;
  bool isAssumed = false;
  auto [uniform, lanes] = partsOf(sum, isAssumed);
  if (!lanes)
    return place->second = byGroups(
               sum, [&](const LaneSum &group) { return isZero(group); });
  if (std::optional<int64_t> number = uniform.number()) { // in the first case
    place->second = LaneValue::exact(
        LaneSum(lanes->map([&](int64_t lane) { return *number + lane == 0; })));
    place->second.isAssumed = isAssumed;
    return place->second;
  }
  LaneRange range = symbols.range(uniform);
  Congruence known = symbols.congruence(uniform, kCompareModulus);
  std::vector<LaneNumbers> options{LaneNumbers(0)};
  for (int64_t number : lanes->distinct()) {
    if (!meets(range, {-number, -number}, known))
      continue;
    options.push_back(lanes->map([&](int64_t lane) { return lane == number; }));
  }
  place->second = LaneValue::exact(addCases(uniform, std::move(options)));
  place->second.isAssumed = isAssumed;
  return place->second;
}

/// Returns 1 where \p a, which may wrap, is \p b, if that is in all lanes or in
/// none: they are the same number apart in each.
LaneValue LaneArithmetic::areEqual(const LaneValue &a, const LaneValue &b) {
  std::optional<LaneSum> apart = a.sum.minus(b.sum);
  if (!apart)
    return LaneValue::unknown();
  LaneSum difference = symbols.simplify(std::move(*apart));
  if (difference.number() || !symbols.isUniform(difference))
    return LaneValue::unknown();
  auto [place, isNew] = wrapped.try_emplace(difference);
  if (isNew)
    place->second = symbols.addChoice({LaneNumbers(0), LaneNumbers(1)}, loop);
  LaneValue result = LaneValue::exact(place->second);
  result.isAssumed = a.isAssumed || b.isAssumed;
  return result;
}

LaneValue LaneArithmetic::compare(unsigned number, const LaneValue &a,
                                  const LaneValue &b, unsigned width) {
  auto predicate = static_cast<CmpInst::Predicate>(number);
  if (!a.isSum() || !b.isSum())
    return worst(a, b);
  bool isSigned = CmpInst::isSigned(predicate);
  if (CmpInst::isEquality(predicate)) {
    isSigned = a.isSigned && b.isSigned;
    bool isExact = isSigned || (a.isUnsigned && b.isUnsigned);
    if (LaneValue alike = isExact ? LaneValue::unknown() : areEqual(a, b);
        alike.isSum())
      return predicate == CmpInst::ICMP_EQ ? alike : negate(alike);
  }
  LaneValue left = readAs(a, width, isSigned),
            right = readAs(b, width, isSigned);
  if (predicate == CmpInst::ICMP_SGT || predicate == CmpInst::ICMP_UGT ||
      predicate == CmpInst::ICMP_SLE || predicate == CmpInst::ICMP_ULE)
    std::swap(left, right);
  bool isEquality = CmpInst::isEquality(predicate);
  bool isAssumed = left.isAssumed || right.isAssumed;
  std::optional<LaneSum> difference =
      isEquality ? combine(differenceOf, left.sum, right.sum, isAssumed)
                 : left.sum.minus(right.sum);
  if (!difference)
    return LaneValue::unknown();
  LaneSum simple = symbols.simplify(std::move(*difference));
  LaneValue result = isEquality ? isZero(simple) : isBelowZero(simple);
  result.isAssumed |= isAssumed;
  switch (predicate) {
  case CmpInst::ICMP_NE:
  case CmpInst::ICMP_SGE:
  case CmpInst::ICMP_UGE:
  case CmpInst::ICMP_SLE:
  case CmpInst::ICMP_ULE:
    return negate(result);
  default:
    return result;
  }
}

LaneValue LaneArithmetic::select(const LaneValue &condition, const LaneValue &a,
                                 const LaneValue &b, unsigned width) {
  if (a.isSum() && b.isSum() && a.sum == b.sum)
    return a.isAssumed ? a : b;
  if (!condition.isSum())
    return condition;
  // Of one case nothing is needed of the other.
  if (std::optional<int64_t> number = condition.sum.number())
    return *number ? a : b;
  if (!a.isSum() || !b.isSum())
    return worst(a, b);
  auto selected = [](const LaneSum &which, const LaneSum &yes,
                     const LaneSum &no) -> std::optional<LaneSum> {
    std::optional<LaneSum> difference = yes.minus(no);
    std::optional<LaneSum> part =
        difference ? difference->times(which) : std::nullopt;
    return part ? no.plus(*part) : std::nullopt;
  };
  std::optional<LaneSum> result = selected(condition.sum, a.sum, b.sum);
  bool isAssumed = !result;
  if (isAssumed) { // too long: the case that is expected
    auto expected = [&](const LaneSum &sum) { return symbols.firstCase(sum); };
    LaneSum which = expected(condition.sum);
    if (std::optional<int64_t> number = which.number())
      result = *number ? a.sum : b.sum;
    else
      result = selected(which, expected(a.sum), expected(b.sum));
  }
  return settle(std::move(result), width,
                {a.isSigned && b.isSigned, a.isUnsigned && b.isUnsigned},
                isAssumed || condition.isAssumed || a.isAssumed || b.isAssumed);
}

} // namespace gpulto
