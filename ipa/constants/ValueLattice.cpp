//===- ValueLattice.cpp - What is known of a value in all contexts --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/constants/ValueLattice.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <utility>

using namespace llvm;

namespace gpulto {

static uint64_t maskOf(unsigned width) {
  return width == 0 ? 0 : maskTrailingOnes<uint64_t>(std::min(width, 64u));
}

//===----------------------------------------------------------------------===//
// Entering calls
//===----------------------------------------------------------------------===//

EnteringCalls EnteringCalls::followedBy(GlobalId caller,
                                        uint32_t number) const {
  constexpr unsigned kNumberBits = 32;
  return {(uint64_t(caller) + 1) << kNumberBits | number, inner};
}

EnteringCalls EnteringCalls::common(EnteringCalls other) const {
  if (inner != other.inner)
    return EnteringCalls();
  return {inner, outer == other.outer ? outer : 0};
}

bool EnteringCalls::areApart(EnteringCalls other) const {
  if (!inner || !other.inner)
    return false;
  if (inner != other.inner)
    return true;
  return outer && other.outer && outer != other.outer;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

void ValueLattice::setUnknown() {
  zeros = ones = 0;
  lowest = 0;
  highest = isScalar() ? maskOf(bitWidth) : 0;
}

ValueLattice ValueLattice::varying(unsigned width) {
  ValueLattice result;
  result.current = State::Varying;
  result.bitWidth = static_cast<uint16_t>(width);
  result.setUnknown();
  return result;
}

ValueLattice ValueLattice::constant(uint64_t bits, unsigned width) {
  ValueLattice result = varying(width);
  result.current = State::Constant;
  if (result.isScalar()) {
    bits &= maskOf(width);
    result.zeros = ~bits & maskOf(width);
    result.ones = bits;
    result.lowest = result.highest = bits;
  }
  result.bits = bits;
  return result;
}

ValueLattice ValueLattice::address(GlobalId symbol, uint64_t offset) {
  ValueLattice result = varying();
  result.current = State::Symbol;
  result.target = symbol;
  result.bits = offset;
  return result;
}

ValueLattice ValueLattice::allocation(GlobalId caller, uint32_t number,
                                      EnteringCalls entered) {
  ValueLattice result = varying();
  result.current = State::Allocation;
  result.target = caller;
  result.bits = number;
  result.setEntered(entered);
  return result;
}

void ValueLattice::setEntered(EnteringCalls entered) {
  zeros = entered.inner;
  ones = entered.outer;
}

bool ValueLattice::hasFacts() const {
  switch (current) {
  case State::Top:
    return false;
  case State::Constant:
  case State::Symbol:
    return true;
  case State::Allocation:
  case State::Varying:
    break;
  }
  if (align || space || nonNull)
    return true;
  return isScalar() &&
         (zeros || ones || lowest > 0 || highest < maskOf(bitWidth));
}

void ValueLattice::makeVarying() {
  if (current == State::Allocation)
    setEntered(EnteringCalls());
  current = State::Varying;
  bits = 0;
  target = kNone;
}

void ValueLattice::addFacts(const JumpFunction &site) {
  if (isTop())
    return;
  if (bitWidth) {
    addBounds(site);
    return;
  }
  align = std::max(align, site.alignLog2);
  if (!space)
    space = site.addressSpace;
  nonNull |= site.nonNull;
}

/// Facts that contradict each other are of code that does not run: those of the
/// site are left out.
void ValueLattice::addBounds(const JumpFunction &site) {
  if (current != State::Varying || !isScalar())
    return;
  ValueLattice narrowed = *this;
  if (site.high && site.high <= maskOf(bitWidth)) {
    narrowed.lowest = std::max(lowest, site.low);
    narrowed.highest = std::min(highest, site.high);
  }
  narrowed.zeros |=
      maskTrailingOnes<uint64_t>(std::min<unsigned>(site.alignLog2, bitWidth));
  narrowed.reconcile();
  if (narrowed.lowest <= narrowed.highest && !(narrowed.zeros & narrowed.ones))
    *this = narrowed;
}

void ValueLattice::forgetSymbol() {
  if (current != State::Symbol)
    return;
  makeVarying();
  space = 0;
}

void ValueLattice::reconcile() {
  if (!isScalar() || isTop())
    return;
  uint64_t mask = maskOf(bitWidth);
  lowest = std::max(lowest, ones);
  highest = std::min(highest, ~zeros & mask);
  // The multiples of a power of two among them.
  uint64_t below = maskTrailingOnes<uint64_t>(countr_one(zeros));
  if (uint64_t least = (lowest + below) & ~below;
      least >= lowest && least <= highest) {
    lowest = least;
    highest &= ~below;
  }
  // The bits above the highest one in which the bounds differ are common.
  uint64_t differing = lowest ^ highest;
  uint64_t common =
      mask & ~maskTrailingOnes<uint64_t>(64 - countl_zero(differing));
  ones |= lowest & common;
  zeros |= ~lowest & common;
}

//===----------------------------------------------------------------------===//
// Meet
//===----------------------------------------------------------------------===//

bool ValueLattice::meet(const ValueLattice &other) {
  if (other.isTop())
    return false;
  if (isTop()) {
    *this = other;
    widenings = 0;
    return true;
  }
  // A call that allocates may have failed, so null is no other allocation.
  if (isNull() && other.current == State::Allocation) {
    *this = other;
    nonNull = false;
    lasting = 0;
    widenings = 0;
    return true;
  }
  if (other.isNull() && current == State::Allocation) {
    lasting = 0;
    return std::exchange(nonNull, false);
  }
  ValueLattice old = *this;
  if (bitWidth != other.bitWidth) {
    *this = varying();
    return !(*this == old);
  }
  bool isSame =
      current == other.current && bits == other.bits && target == other.target;
  EnteringCalls commonCalls = entered().common(other.entered());
  if (!isSame)
    makeVarying();
  align = std::min(align, other.align);
  space = space == other.space ? space : 0;
  nonNull &= other.nonNull;
  lasting = std::min(lasting, other.lasting);
  if (current == State::Allocation) {
    setEntered(commonCalls);
  } else {
    zeros &= other.zeros;
    ones &= other.ones;
  }
  lowest = std::min(lowest, other.lowest);
  highest = std::max(highest, other.highest);
  bool isWider = lowest != old.lowest || highest != old.highest;
  if (isWider && widenings < kMaxWidenings)
    ++widenings;
  else if (isWider && isScalar()) {
    lowest = 0;
    highest = maskOf(bitWidth);
  }
  return !(*this == old);
}

//===----------------------------------------------------------------------===//
// Transfer
//===----------------------------------------------------------------------===//

static KnownBits toKnownBits(const ValueLattice &value) {
  KnownBits known(value.width());
  known.Zero = APInt(value.width(), value.knownZeros());
  known.One = APInt(value.width(), value.knownOnes());
  return known;
}

static KnownBits applyToBits(const JumpFunction &function,
                             const KnownBits &formal,
                             const KnownBits &operand) {
  unsigned width = function.bitWidth;
  switch (function.operation) {
  case JumpOperation::None:
    return formal;
  case JumpOperation::ZExt:
    return formal.zext(width);
  case JumpOperation::SExt:
    return formal.sext(width);
  case JumpOperation::Trunc:
    return formal.trunc(width);
  case JumpOperation::Add:
    return KnownBits::computeForAddSub(/*Add=*/true, false, false, formal,
                                       operand);
  case JumpOperation::Sub:
    return KnownBits::computeForAddSub(/*Add=*/false, false, false, formal,
                                       operand);
  case JumpOperation::Mul:
    return KnownBits::mul(formal, operand);
  case JumpOperation::And:
    return formal & operand;
  case JumpOperation::Or:
    return formal | operand;
  case JumpOperation::Xor:
    return formal ^ operand;
  case JumpOperation::Shl:
    return KnownBits::shl(formal, operand);
  case JumpOperation::LShr:
    return KnownBits::lshr(formal, operand);
  case JumpOperation::AShr:
    return KnownBits::ashr(formal, operand);
  case JumpOperation::UDiv:
    return KnownBits::udiv(formal, operand);
  case JumpOperation::SDiv:
    return KnownBits::sdiv(formal, operand);
  case JumpOperation::URem:
    return KnownBits::urem(formal, operand);
  case JumpOperation::SRem:
    return KnownBits::srem(formal, operand);
  case JumpOperation::UMin:
    return KnownBits::umin(formal, operand);
  case JumpOperation::UMax:
    return KnownBits::umax(formal, operand);
  case JumpOperation::SMin:
    return KnownBits::smin(formal, operand);
  case JumpOperation::SMax:
    return KnownBits::smax(formal, operand);
  default: // CeilLog2, and those of floating-point numbers
    break;
  }
  return KnownBits(width);
}

/// Returns the bounds of `left OP right` where the operation keeps the order of
/// both or, of the right one, turns it round, and does not wrap; nothing else.
std::optional<ValueLattice::Bounds>
ValueLattice::applyToBounds(const JumpFunction &function, Bounds left,
                            Bounds right) {
  uint64_t mask = maskOf(function.bitWidth);
  bool isShift = right.high < function.bitWidth;
  // Neither of them is negative as a signed number.
  bool isPositive = left.high <= mask >> 1 && right.high <= mask >> 1;
  switch (function.operation) {
  case JumpOperation::None:
  case JumpOperation::ZExt:
    return left;
  case JumpOperation::Trunc:
    if (left.high <= mask)
      return left;
    return std::nullopt;
  case JumpOperation::SExt:
    if (left.high <= maskOf(static_cast<unsigned>(function.value)) >> 1)
      return left;
    return std::nullopt;
  case JumpOperation::Add:
    if (right.high <= mask && left.high <= mask - right.high)
      return Bounds{left.low + right.low, left.high + right.high};
    return std::nullopt;
  case JumpOperation::Sub:
    if (left.low >= right.high)
      return Bounds{left.low - right.high, left.high - right.low};
    return std::nullopt;
  case JumpOperation::Mul:
    if (right.high == 0 || left.high <= mask / right.high)
      return Bounds{left.low * right.low, left.high * right.high};
    return std::nullopt;
  case JumpOperation::Shl:
    if (isShift && left.high <= mask >> right.high)
      return Bounds{left.low << right.low, left.high << right.high};
    return std::nullopt;
  case JumpOperation::AShr:
    if (left.high > mask >> 1)
      return std::nullopt;
    [[fallthrough]];
  case JumpOperation::LShr: {
    // By the width or more is poison.
    uint64_t most = std::min<uint64_t>(right.high, function.bitWidth - 1);
    if (right.low <= most)
      return Bounds{left.low >> most, left.high >> right.low};
    return std::nullopt;
  }
  case JumpOperation::SDiv:
    if (!isPositive)
      return std::nullopt;
    [[fallthrough]];
  case JumpOperation::UDiv: // not by 0
    if (right.high)
      return Bounds{left.low / right.high,
                    left.high / std::max<uint64_t>(right.low, 1)};
    return std::nullopt;
  case JumpOperation::SRem:
    if (!isPositive)
      return std::nullopt;
    [[fallthrough]];
  case JumpOperation::URem: // nor here
    if (right.high)
      return left.high < right.low
                 ? left
                 : Bounds{0, std::min(left.high, right.high - 1)};
    return std::nullopt;
  case JumpOperation::SMin:
  case JumpOperation::SMax:
    if (!isPositive)
      return std::nullopt;
    [[fallthrough]];
  case JumpOperation::UMin:
  case JumpOperation::UMax: {
    bool isMin = function.operation == JumpOperation::UMin ||
                 function.operation == JumpOperation::SMin;
    return isMin ? Bounds{std::min(left.low, right.low),
                          std::min(left.high, right.high)}
                 : Bounds{std::max(left.low, right.low),
                          std::max(left.high, right.high)};
  }
  case JumpOperation::CeilLog2:
    return Bounds{ceilLog2(left.low), ceilLog2(left.high)};
  default:
    return std::nullopt;
  }
}

/// The width of the formal that \p function takes.
static unsigned formalWidth(const JumpFunction &function) {
  return takesWidth(function.operation) ? static_cast<unsigned>(function.value)
                                        : function.bitWidth;
}

/// What is based on \p base is in the same memory, if that is known, and
/// address space. How many bytes are left there is not known, nor which
/// symbol's: what is said of one holds at its beginning.
ValueLattice ValueLattice::derivedPointer(const JumpFunction &function,
                                          const ValueLattice &base) {
  ValueLattice result = varying();
  if (base.bitWidth != 0)
    return result;
  if (base.current == State::Allocation)
    result = allocation(base.target, base.bits, base.entered());
  unsigned ofDistance = function.value ? countr_zero(function.value) : 0;
  result.align =
      static_cast<uint8_t>(std::min<unsigned>(base.align, ofDistance));
  result.space = base.space;
  return result;
}

ValueLattice ValueLattice::passThrough(const JumpFunction &function,
                                       const ValueLattice &formal) {
  if (formal.isTop())
    return formal;
  if (function.kind == JumpFunction::Kind::Ancestor) {
    ValueLattice result = varying();
    if (formal.current == State::Symbol)
      result = address(formal.target, formal.bits + function.value);
    if (formal.current == State::Allocation)
      result = allocation(formal.target, formal.bits, formal.entered());
    unsigned ofOffset = function.value ? countr_zero(function.value) : 63;
    result.align =
        static_cast<uint8_t>(std::min<unsigned>(formal.align, ofOffset));
    result.space = formal.space;
    return result;
  }
  if (function.bitWidth == 0 && function.operation == JumpOperation::Add)
    return derivedPointer(function, formal);
  if (function.operation == JumpOperation::None)
    return formal.bitWidth == function.bitWidth ? formal
                                                : varying(function.bitWidth);
  ValueLattice result = varying(function.bitWidth);
  unsigned expected = formalWidth(function);
  bool isNarrowing = function.operation == JumpOperation::Trunc &&
                     formal.bitWidth >= function.bitWidth;
  if (!formal.isScalar() || !result.isScalar() ||
      (formal.bitWidth != expected && !isNarrowing))
    return result;
  if (formal.isConstant()) {
    std::optional<uint64_t> value = evaluate(function, formal.bits);
    return value ? constant(*value, function.bitWidth) : result;
  }
  KnownBits operand = KnownBits::makeConstant(
      APInt(formal.bitWidth, function.value & maskOf(formal.bitWidth)));
  result.setKnown(applyToBits(function, toKnownBits(formal), operand),
                  applyToBounds(function, {formal.lowest, formal.highest},
                                {function.value, function.value}));
  return result;
}

/// Takes \p known over and \p bounds, if there are any, with what each implies
/// of the other; not if no value gets here.
void ValueLattice::setKnown(const KnownBits &known,
                            std::optional<Bounds> bounds) {
  if (known.hasConflict())
    return;
  zeros = known.Zero.getZExtValue();
  ones = known.One.getZExtValue();
  if (bounds) {
    lowest = bounds->low;
    highest = bounds->high;
  }
  reconcile();
  // Half of a pair whose other half varies.
  if (lowest == highest)
    *this = constant(lowest, bitWidth);
}

ValueLattice ValueLattice::combine(const JumpFunction &function,
                                   const ValueLattice &left,
                                   const ValueLattice &right) {
  if (left.isTop() || right.isTop())
    return ValueLattice();
  ValueLattice result = varying(function.bitWidth);
  bool isCast = takesWidth(function.operation) ||
                function.operation == JumpOperation::Trunc ||
                function.operation == JumpOperation::None;
  if (isCast || !result.isScalar() || left.bitWidth != result.bitWidth ||
      right.bitWidth != result.bitWidth)
    return result;
  if (right.isConstant()) {
    JumpFunction known = function;
    known.value = right.bits;
    return passThrough(known, left);
  }
  result.setKnown(applyToBits(function, toKnownBits(left), toKnownBits(right)),
                  applyToBounds(function, {left.lowest, left.highest},
                                {right.lowest, right.highest}));
  return result;
}

} // namespace gpulto
