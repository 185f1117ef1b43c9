//===- ValueLatticeTest.cpp - The lattice of constant propagation ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/constants/ValueLattice.h"

#include "gtest/gtest.h"

#include <random>

using namespace gpulto;

/// Whether the constant \p bits is one of those that \p value stands for.
static bool contains(const ValueLattice &value, uint64_t bits) {
  switch (value.state()) {
  case ValueLattice::State::Top:
    return false;
  case ValueLattice::State::Constant:
    return value.value() == bits;
  case ValueLattice::State::Symbol:
  case ValueLattice::State::Allocation:
    return false;
  case ValueLattice::State::Varying:
    return bits >= value.low() && bits <= value.high() &&
           (bits & value.knownZeros()) == 0 && (~bits & value.knownOnes()) == 0;
  }
  return false;
}

static ValueLattice meetAll(const std::vector<uint64_t> &values,
                            unsigned width) {
  ValueLattice result;
  for (uint64_t value : values)
    result.meet(ValueLattice::constant(value, width));
  result.reconcile();
  return result;
}

TEST(ValueLattice, TopIsNeutralAndVaryingAbsorbs) {
  ValueLattice top, constant = ValueLattice::constant(7, 32);
  EXPECT_FALSE(constant.meet(top));
  EXPECT_TRUE(top.meet(constant));
  EXPECT_EQ(top.value(), 7u);
  EXPECT_TRUE(top.meet(ValueLattice::varying(32)));
  EXPECT_FALSE(top.hasFacts());
  EXPECT_FALSE(top.meet(constant));
}

TEST(ValueLattice, MeetKeepsWhatIsCommon) {
  ValueLattice value = ValueLattice::constant(64, 32);
  EXPECT_TRUE(value.meet(ValueLattice::constant(256, 32)));
  EXPECT_FALSE(value.isConstant());
  EXPECT_EQ(value.low(), 64u);
  EXPECT_EQ(value.high(), 256u);
  EXPECT_EQ(value.knownZeros() & 63, 63u);
}

TEST(ValueLattice, WidthsDoNotMix) {
  ValueLattice value = ValueLattice::constant(1, 32);
  EXPECT_TRUE(value.meet(ValueLattice::constant(1, 64)));
  EXPECT_FALSE(value.hasFacts());
}

TEST(ValueLattice, SymbolsMeetWithThemselvesOnly) {
  ValueLattice value = ValueLattice::address(3, 8);
  EXPECT_FALSE(value.meet(ValueLattice::address(3, 8)));
  EXPECT_TRUE(value.meet(ValueLattice::address(3, 16)));
  EXPECT_EQ(value.state(), ValueLattice::State::Varying);
}

TEST(ValueLattice, BoundsAreGivenUpAfterAWhile) {
  ValueLattice value = ValueLattice::constant(0, 32);
  unsigned changes = 0;
  for (uint64_t i = 1; i < 1000; ++i)
    changes += value.meet(ValueLattice::constant(i, 32));
  EXPECT_LT(changes, 100u);
  EXPECT_EQ(value.high(), UINT32_MAX);
}

TEST(ValueLattice, MeetIsIdempotentAndContainsBoth) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 2000; ++round) {
    unsigned width = 1 + random() % 64;
    uint64_t mask = width == 64 ? ~0ull : (1ull << width) - 1;
    std::vector<uint64_t> values;
    for (unsigned i = 0; i < 1 + random() % 4; ++i)
      values.push_back((random() >> random() % 64) & mask);
    ValueLattice all = meetAll(values, width), again = all;
    for (uint64_t value : values) {
      EXPECT_TRUE(contains(all, value));
      EXPECT_FALSE(again.meet(ValueLattice::constant(value, width)));
    }
    EXPECT_FALSE(again.meet(all));
  }
}

/// What an operation makes of each value of a set is in what it makes of the
/// set's lattice element; and a lower element yields a lower result.
TEST(ValueLattice, PassThroughIsSoundAndMonotone) {
  std::mt19937_64 random(2);
  unsigned checked = 0;
  for (int round = 0; round < 20000; ++round) {
    JumpFunction function;
    function.kind = JumpFunction::Kind::PassThrough;
    function.operation = static_cast<JumpOperation>(
        random() % (static_cast<unsigned>(JumpOperation::Last) + 1));
    unsigned formal = 1 + random() % 64;
    function.bitWidth = formal;
    function.value = random() >> random() % 64;
    switch (function.operation) {
    case JumpOperation::Shl:
    case JumpOperation::LShr:
    case JumpOperation::AShr:
      function.value %= formal;
      break;
    case JumpOperation::ZExt:
    case JumpOperation::SExt:
      function.value = formal;
      function.bitWidth = formal + random() % (65 - formal);
      break;
    case JumpOperation::Trunc:
      function.bitWidth = 1 + random() % formal;
      break;
    case JumpOperation::CeilLog2:
      function.value = formal;
      break;
    default:
      if (formal < 64)
        function.value &= (1ull << formal) - 1;
    }
    uint64_t mask = formal == 64 ? ~0ull : (1ull << formal) - 1;
    std::vector<uint64_t> values;
    for (unsigned i = 0; i < 1 + random() % 4; ++i)
      values.push_back((random() >> random() % 64) & mask);
    ValueLattice few = meetAll(values, formal);
    ValueLattice image = ValueLattice::passThrough(function, few);
    for (uint64_t value : values)
      if (auto result = evaluate(function, value)) {
        EXPECT_TRUE(contains(image, *result))
            << int(function.operation) << " of " << value << " by "
            << function.value << " in " << function.bitWidth;
        ++checked;
      }
    ValueLattice more = few;
    more.meet(ValueLattice::constant(random() & mask, formal));
    ValueLattice lower = ValueLattice::passThrough(function, more);
    for (uint64_t value : values)
      if (auto result = evaluate(function, value)) {
        EXPECT_TRUE(contains(lower, *result));
      }
  }
  EXPECT_GT(checked, 20000u);
}

TEST(ValueLattice, CombinationsContainAllResults) {
  std::mt19937_64 random(7);
  unsigned checked = 0;
  constexpr unsigned kOperations = unsigned(JumpOperation::Last) + 1;
  for (unsigned round = 0; round < 20000; ++round) {
    JumpFunction function;
    function.kind = JumpFunction::Kind::Composed;
    function.operation = JumpOperation(1 + random() % (kOperations - 1));
    if (function.operation == JumpOperation::ZExt ||
        function.operation == JumpOperation::SExt ||
        function.operation == JumpOperation::Trunc)
      continue;
    unsigned width = 1 + random() % 64;
    function.bitWidth = width;
    function.count = 1;
    uint64_t mask = width == 64 ? ~0ull : (1ull << width) - 1;
    std::vector<uint64_t> lefts, rights;
    for (unsigned i = 0; i < 1 + random() % 3; ++i)
      lefts.push_back((random() >> random() % 64) & mask);
    for (unsigned i = 0; i < 1 + random() % 3; ++i)
      rights.push_back((random() >> random() % 64) & mask);
    ValueLattice left = meetAll(lefts, width), right = meetAll(rights, width);
    ValueLattice image = ValueLattice::combine(function, left, right);
    ValueLattice lower = left;
    lower.meet(ValueLattice::constant(random() & mask, width));
    ValueLattice lowerImage = ValueLattice::combine(function, lower, right);
    for (uint64_t a : lefts)
      for (uint64_t b : rights) {
        JumpFunction known = function;
        known.value = b;
        if (auto result = evaluate(known, a)) {
          EXPECT_TRUE(contains(image, *result))
              << int(function.operation) << " of " << a << " and " << b
              << " in " << width;
          EXPECT_TRUE(contains(lowerImage, *result));
          ++checked;
        }
      }
  }
  EXPECT_GT(checked, 20000u);
  JumpFunction shift;
  shift.kind = JumpFunction::Kind::Composed;
  shift.operation = JumpOperation::Shl;
  shift.bitWidth = 32;
  EXPECT_EQ(ValueLattice::combine(shift, ValueLattice::constant(1, 32),
                                  ValueLattice::constant(10, 32)),
            ValueLattice::constant(1024, 32));
  EXPECT_TRUE(ValueLattice::combine(shift, ValueLattice::constant(1, 32),
                                    ValueLattice())
                  .isTop());
}

TEST(ValueLattice, OneOperandBoundsWhatTheOtherDoesNot) {
  auto combine = [](JumpOperation operation, const ValueLattice &left,
                    const ValueLattice &right) {
    JumpFunction function;
    function.kind = JumpFunction::Kind::Composed;
    function.operation = operation;
    function.bitWidth = 32;
    ValueLattice result = ValueLattice::combine(function, left, right);
    return std::pair(result.low(), result.high());
  };
  using Bounds = std::pair<uint64_t, uint64_t>;
  ValueLattice any = ValueLattice::varying(32);
  ValueLattice some = meetAll({10, 1000}, 32);
  EXPECT_EQ(combine(JumpOperation::UMin, any, some), Bounds(0, 1000));
  EXPECT_EQ(combine(JumpOperation::UMax, any, some), Bounds(10, UINT32_MAX));
  EXPECT_EQ(combine(JumpOperation::LShr, some, any), Bounds(0, 1000));
  EXPECT_EQ(combine(JumpOperation::UDiv, some, any), Bounds(0, 1000));
  EXPECT_EQ(combine(JumpOperation::URem, some, any), Bounds(0, 1000));
  EXPECT_EQ(combine(JumpOperation::URem, any, some), Bounds(0, 999));
  EXPECT_EQ(combine(JumpOperation::LShr, any, some),
            Bounds(0, UINT32_MAX >> 10));
  EXPECT_EQ(combine(JumpOperation::UDiv, any, some),
            Bounds(0, UINT32_MAX / 10));
  EXPECT_EQ(combine(JumpOperation::Add, any, some), Bounds(0, UINT32_MAX));
}

TEST(ValueLattice, NullIsNoOtherAllocation) {
  ValueLattice null = ValueLattice::constant(0, 0);
  ValueLattice one = ValueLattice::allocation(3, 1);
  JumpFunction facts;
  facts.alignLog2 = 8;
  facts.nonNull = true;
  one.addFacts(facts);
  ValueLattice both = one;
  EXPECT_TRUE(both.meet(null)); // may be null from now on
  EXPECT_EQ(both.state(), ValueLattice::State::Allocation);
  EXPECT_EQ(both.alignLog2(), 8u);
  EXPECT_FALSE(both.isNonNull());
  EXPECT_FALSE(both.meet(null));
  ValueLattice reversed = null;
  EXPECT_TRUE(reversed.meet(one));
  EXPECT_EQ(reversed, both);
  EXPECT_FALSE(reversed.meet(one));
  EXPECT_TRUE(reversed.meet(ValueLattice::allocation(3, 2)));
  EXPECT_EQ(reversed.state(), ValueLattice::State::Varying);
  EXPECT_FALSE(reversed.meet(null));
  ValueLattice number = ValueLattice::constant(0, 64);
  number.meet(one);
  EXPECT_EQ(number.state(), ValueLattice::State::Varying);
}

TEST(ValueLattice, MemoryThatLastsIsTheLeast) {
  ValueLattice large = ValueLattice::allocation(3, 1),
               small = ValueLattice::allocation(3, 2);
  large.addLasting(4096);
  small.addLasting(64);
  ValueLattice both = large;
  EXPECT_TRUE(both.meet(small));
  EXPECT_EQ(both.state(), ValueLattice::State::Varying);
  EXPECT_EQ(both.dereferenceableBytes(), 64u);
  EXPECT_TRUE(both.isNonNull());
  EXPECT_FALSE(both.meet(large));
  EXPECT_TRUE(both.meet(ValueLattice::allocation(3, 3)));
  EXPECT_EQ(both.dereferenceableBytes(), 0u);
  // Null is no memory.
  ValueLattice null = ValueLattice::constant(0, 0), reversed = null;
  EXPECT_TRUE(reversed.meet(large));
  EXPECT_EQ(reversed.dereferenceableBytes(), 0u);
  EXPECT_TRUE(large.meet(null));
  EXPECT_EQ(large, reversed);
  EXPECT_FALSE(large.meet(null));
  // Neither is what is behind the pointer at a distance.
  JumpFunction step;
  step.kind = JumpFunction::Kind::Ancestor;
  step.value = 16;
  EXPECT_EQ(ValueLattice::passThrough(step, small).dereferenceableBytes(), 0u);
  step.kind = JumpFunction::Kind::PassThrough;
  EXPECT_EQ(ValueLattice::passThrough(step, small).dereferenceableBytes(), 64u);
}

TEST(ValueLattice, BoundsAreMultiples) {
  JumpFunction site = JumpFunction::unknown(32);
  site.low = 1;
  site.high = 1030;
  site.alignLog2 = 5;
  ValueLattice value = ValueLattice::varying(32);
  value.addFacts(site);
  EXPECT_EQ(value.low(), 32u);
  EXPECT_EQ(value.high(), 1024u);
  // There is no such number: code that does not run.
  site.low = 33;
  site.high = 63;
  ValueLattice none = ValueLattice::varying(32);
  none.addFacts(site);
  EXPECT_EQ(none.low(), 33u);
  EXPECT_EQ(none.high(), 63u);
}

TEST(ValueLattice, AllocationsOfTwoEntriesAreApart) {
  EnteringCalls none, first = none.followedBy(5, 0),
                      second = none.followedBy(5, 1),
                      other = none.followedBy(6, 0);
  EXPECT_TRUE(first.areApart(second));
  EXPECT_TRUE(first.areApart(other));
  EXPECT_FALSE(first.areApart(first));
  EXPECT_FALSE(first.areApart(none));
  EXPECT_FALSE(none.areApart(none));
  // Two calls of one wrapper: the outer calls tell.
  EnteringCalls outer1 = none.followedBy(7, 1).followedBy(5, 0),
                outer2 = none.followedBy(7, 2).followedBy(5, 0);
  EXPECT_TRUE(outer1.areApart(outer2));
  EXPECT_FALSE(outer1.areApart(first));
  EXPECT_TRUE(outer1.areApart(second));
  EXPECT_EQ(outer1.common(outer2), first);
  EXPECT_EQ(outer1.common(second), none);
  EXPECT_EQ(outer1.common(outer1), outer1);
  // What is further out is not told apart.
  EXPECT_EQ(none.followedBy(8, 1).followedBy(7, 1).followedBy(5, 0), outer1);
}

TEST(ValueLattice, EntriesOfAnAllocationMeet) {
  EnteringCalls none, first = none.followedBy(5, 0),
                      second = none.followedBy(5, 1);
  ValueLattice value = ValueLattice::allocation(3, 1, first);
  EXPECT_FALSE(value.meet(ValueLattice::allocation(3, 1, first)));
  EXPECT_EQ(value.entered(), first);
  EXPECT_EQ(value.knownOnes(), 0u);
  EXPECT_EQ(value.knownZeros(), 0u);
  EXPECT_TRUE(value.meet(ValueLattice::allocation(3, 1, second)));
  EXPECT_EQ(value, ValueLattice::allocation(3, 1));
  EXPECT_FALSE(value.meet(ValueLattice::allocation(3, 1, second)));
  EXPECT_FALSE(value.meet(ValueLattice::constant(0, 0)));
  value = ValueLattice::allocation(3, 1, first);
  EXPECT_TRUE(value.meet(ValueLattice::allocation(3, 2, first)));
  EXPECT_EQ(value, ValueLattice::varying());
  ValueLattice null = ValueLattice::constant(0, 0);
  EXPECT_TRUE(null.meet(ValueLattice::allocation(3, 1, second)));
  EXPECT_EQ(null.entered(), second);
}

TEST(ValueLattice, DistancesStayInTheAllocation) {
  EnteringCalls entered = EnteringCalls().followedBy(5, 0);
  ValueLattice pointer = ValueLattice::allocation(3, 1, entered);
  JumpFunction facts;
  facts.alignLog2 = 8;
  facts.nonNull = true;
  pointer.addFacts(facts);
  JumpFunction step;
  step.kind = JumpFunction::Kind::Composed;
  step.operation = JumpOperation::Add;
  step.value = 32;
  ValueLattice result = ValueLattice::passThrough(step, pointer);
  EXPECT_EQ(result.state(), ValueLattice::State::Allocation);
  EXPECT_EQ(result.entered(), entered);
  EXPECT_EQ(result.alignLog2(), 5u);
  EXPECT_FALSE(result.isNonNull());
  step.value = 1; // anywhere
  EXPECT_EQ(ValueLattice::passThrough(step, pointer).alignLog2(), 0u);
  EXPECT_EQ(
      ValueLattice::passThrough(step, ValueLattice::address(4, 0)).state(),
      ValueLattice::State::Varying);
}

/// `value OPERATION operand`, of \p width bits.
ValueLattice applied(JumpOperation operation, uint64_t operand, uint16_t width,
                     const ValueLattice &value) {
  JumpFunction function = JumpFunction::passThrough(0, width);
  function.operation = operation;
  function.value = operand;
  return ValueLattice::passThrough(function, value);
}

TEST(ValueLattice, AHalfIsConstantWhereTheOtherVaries) {
  ValueLattice x =
      applied(JumpOperation::ZExt, 32, 64, ValueLattice::varying(32));
  ValueLattice pair = applied(JumpOperation::Or, uint64_t(7) << 32, 64, x);
  EXPECT_FALSE(pair.isConstant());
  auto high = [](const ValueLattice &value) {
    return applied(JumpOperation::Trunc, 0, 32,
                   applied(JumpOperation::LShr, 32, 64, value));
  };
  EXPECT_EQ(high(pair), ValueLattice::constant(7, 32));
  EXPECT_FALSE(applied(JumpOperation::Trunc, 0, 32, pair).hasFacts());
  // Not where it differs.
  ValueLattice met = pair;
  met.meet(applied(JumpOperation::Or, uint64_t(8) << 32, 64, x));
  EXPECT_FALSE(high(met).isConstant());
  EXPECT_LE(high(met).low(), 7u);
  EXPECT_GE(high(met).high(), 8u);
  // The low one.
  ValueLattice low = applied(JumpOperation::Or, 16, 64,
                             applied(JumpOperation::Shl, 32, 64, x));
  EXPECT_EQ(applied(JumpOperation::Trunc, 0, 32, low),
            ValueLattice::constant(16, 32));
}

TEST(ValueLattice, BoundsOfASiteNarrow) {
  JumpFunction site = JumpFunction::unknown(32);
  site.low = 16;
  site.high = 1000;
  site.alignLog2 = 4;
  ValueLattice value = ValueLattice::varying(32);
  value.addFacts(site);
  EXPECT_EQ(value.low(), 16u);
  EXPECT_LE(value.high(), 1000u);
  EXPECT_EQ(value.knownZeros() & 15, 15u);
  // What contradicts the value or does not fit its width is left out.
  ValueLattice other = ValueLattice::constant(5, 32);
  other.addFacts(site);
  EXPECT_EQ(other, ValueLattice::constant(5, 32));
  ValueLattice narrow = ValueLattice::varying(8);
  narrow.addFacts(site);
  EXPECT_EQ(narrow.high(), 240u);
  ValueLattice top;
  top.addFacts(site);
  EXPECT_TRUE(top.isTop());
}

TEST(ValueLattice, AncestorKeepsAlignmentOfTheOffset) {
  JumpFunction facts;
  facts.alignLog2 = 8;
  facts.addressSpace = 3;
  ValueLattice pointer = ValueLattice::varying();
  pointer.addFacts(facts);
  JumpFunction ancestor;
  ancestor.kind = JumpFunction::Kind::Ancestor;
  ancestor.value = 24;
  ValueLattice result = ValueLattice::passThrough(ancestor, pointer);
  EXPECT_EQ(result.alignLog2(), 3u);
  EXPECT_EQ(result.addressSpace(), 3u);
}

static JumpFunction derived(uint64_t multiple) {
  JumpFunction j;
  j.kind = JumpFunction::Kind::Composed;
  j.operation = JumpOperation::Add;
  j.value = multiple;
  return j;
}

TEST(ValueLattice, UnknownDistancesKeepSpaceAndAlignment) {
  JumpFunction facts;
  facts.alignLog2 = 4;
  facts.addressSpace = 3;
  facts.nonNull = true;
  ValueLattice symbol = ValueLattice::address(7, 0);
  symbol.addFacts(facts);
  ValueLattice result = ValueLattice::passThrough(derived(128), symbol);
  EXPECT_EQ(result.state(), ValueLattice::State::Varying);
  EXPECT_EQ(result.alignLog2(), 4u);
  EXPECT_EQ(result.addressSpace(), 3u);
  EXPECT_FALSE(result.isNonNull());
  EXPECT_EQ(ValueLattice::passThrough(derived(4), symbol).alignLog2(), 2u);
  EXPECT_EQ(ValueLattice::passThrough(derived(1), symbol).alignLog2(), 0u);
  EXPECT_EQ(ValueLattice::passThrough(derived(0), symbol).alignLog2(), 0u);
}

TEST(ValueLattice, UnknownDistancesKeepTheAllocationButNotItsBytes) {
  ValueLattice allocation = ValueLattice::allocation(7, 2);
  allocation.addLasting(1024);
  ValueLattice result = ValueLattice::passThrough(derived(64), allocation);
  EXPECT_EQ(result.state(), ValueLattice::State::Allocation);
  EXPECT_EQ(result.symbol(), 7u);
  EXPECT_EQ(result.value(), 2u);
  EXPECT_EQ(result.dereferenceableBytes(), 0u);
  EXPECT_FALSE(result.isNonNull());
}

TEST(ValueLattice, UnknownDistancesOfNullAndNumbersAreUnknown) {
  EXPECT_TRUE(ValueLattice::passThrough(derived(8), ValueLattice()).isTop());
  ValueLattice varying = ValueLattice::varying();
  ValueLattice null = ValueLattice::constant(0, 0);
  EXPECT_EQ(ValueLattice::passThrough(derived(8), null), varying);
  ValueLattice number = ValueLattice::constant(64, 64);
  EXPECT_EQ(ValueLattice::passThrough(derived(8), number), varying);
}
