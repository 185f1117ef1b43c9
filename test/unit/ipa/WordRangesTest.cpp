// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ipa/indexes/WordRanges.h"

#include "gtest/gtest.h"
#include "test/unit/ipa/AnalyzedFunction.h"

using namespace gpulto;

namespace {

struct RangesOf : AnalyzedFunction {
  using AnalyzedFunction::AnalyzedFunction;
  WordRanges ranges{function, dominators, evolution, assumed};

  /// Returns "u", "s", "us" or "": the extensions that yield \p value.
  std::string fit(const char *value, const char *where) {
    return textOf(ranges.fitAt(at(value), block(where)));
  }
  std::string wrapsNot(const char *value) {
    return textOf(ranges.wrapsNot(at(value)));
  }
  static std::string textOf(WordFit fit) {
    return std::string(fit.isUnsigned ? "u" : "") + (fit.isSigned ? "s" : "");
  }
};

/// Returns a function that goes to `inside` if \p condition, `%c`, holds.
std::string guarded(const std::string &condition) {
  return "entry:\n  %m = zext i32 %word to i64\n" + condition +
         "  br i1 %c, label %inside, label %outside\n"
         "inside:\n  ret void\noutside:\n  ret void\n";
}

const char *const kParameters = "i64 %x, i64 %n, i32 %word";

TEST(WordRanges, ConditionsHoldWhereTheyDominate) {
  RangesOf f(kParameters, guarded("  %c = icmp ult i64 %x, %m\n"));
  EXPECT_EQ(f.fit("x", "inside"), "u");
  EXPECT_EQ(f.fit("x", "entry"), "");
  EXPECT_EQ(f.fit("x", "outside"), "");
  EXPECT_EQ(f.fit("m", "outside"), "u");
  EXPECT_EQ(f.fit("n", "inside"), "");
}

TEST(WordRanges, SignedConditionsLeaveWhatIsBelow) {
  const char *text = "  %c = icmp slt i64 %x, 1000\n";
  EXPECT_EQ(RangesOf(kParameters, guarded(text)).fit("x", "inside"), "");
  RangesOf both(kParameters, guarded("  %a = icmp slt i64 %x, 1000\n"
                                     "  %b = icmp sgt i64 %x, -1000\n"
                                     "  %c = and i1 %a, %b\n"));
  EXPECT_EQ(both.fit("x", "inside"), "s");
  // Of two conditions of which one must hold, neither does.
  RangesOf either(kParameters, guarded("  %a = icmp ult i64 %x, 1000\n"
                                       "  %b = icmp ult i64 %n, 1000\n"
                                       "  %c = or i1 %a, %b\n"));
  EXPECT_EQ(either.fit("x", "inside"), "");
}

TEST(WordRanges, OffsetsMayWrap) {
  // x + 1 is small if x is -1, too.
  const char *text = "  %next = add i64 %x, 1\n  %c = icmp ult i64 %next, %m\n";
  RangesOf f(kParameters, guarded(text));
  EXPECT_EQ(f.fit("next", "inside"), "u");
  EXPECT_EQ(f.fit("x", "inside"), "");
  RangesOf small(kParameters,
                 guarded("  %next = add i64 %x, 1\n"
                         "  %c = icmp ult i64 %next, 2147483648\n"));
  EXPECT_EQ(small.fit("x", "inside"), "s");
  RangesOf positive(kParameters, guarded("  %next = add i64 %x, 1\n"
                                         "  %a = icmp ult i64 %next, %m\n"
                                         "  %b = icmp ne i64 %x, -1\n"
                                         "  %c = and i1 %a, %b\n"));
  EXPECT_EQ(positive.fit("x", "inside"), "u");
}

TEST(WordRanges, OperationsMayExceedWords) {
  RangesOf f("i32 %a, i32 %b", "entry:\n  %x = zext i32 %a to i64\n"
                               "  %y = zext i32 %b to i64\n"
                               "  %sum = add i64 %x, %y\n"
                               "  %product = mul i64 %x, %y\n"
                               "  %half = lshr i64 %sum, 1\n"
                               "  %less = sub i64 %x, %y\n"
                               "  %low = and i64 %less, 4095\n"
                               "  %square = mul i64 %low, %low\n"
                               "  ret void\n");
  EXPECT_EQ(f.fit("sum", "entry"), "");
  EXPECT_EQ(f.fit("product", "entry"), "");
  EXPECT_EQ(f.fit("half", "entry"), "u");
  EXPECT_EQ(f.fit("less", "entry"), "");
  EXPECT_EQ(f.fit("square", "entry"), "us");
  EXPECT_EQ(f.wrapsNot("sum"), "");
  EXPECT_EQ(f.wrapsNot("product"), "");
  EXPECT_EQ(f.wrapsNot("square"), "us");
}

/// Returns a loop over `%i` from \p start, whose next value is \p next and
/// which goes on while \p condition, `%c`, holds.
std::string loop(const std::string &start, const std::string &next,
                 const std::string &condition) {
  return "entry:\n  %m = zext i32 %word to i64\n"
         "  %none = icmp eq i64 %n, 0\n" +
         start + "head:\n  %i = phi i64 [ 0, %start ], [ %next, %head ]\n" +
         next + condition +
         "  br i1 %c, label %head, label %end\nend:\n  ret void\n";
}

const char *const kEnter = "  br label %start\nstart:\n  br label %head\n";
const char *const kEnterIfAny =
    "  br i1 %none, label %end, label %start\nstart:\n  br label %head\n";
const char *const kStep = "  %next = add i64 %i, 1\n";

TEST(WordRanges, LoopsEndAtConditions) {
  RangesOf f(kParameters,
             loop(kEnter, kStep, "  %c = icmp ult i64 %next, %m\n"));
  EXPECT_EQ(f.fit("i", "head"), "u");
  RangesOf open(kParameters,
                loop(kEnter, kStep, "  %c = icmp ult i64 %next, %n\n"));
  EXPECT_EQ(open.fit("i", "head"), "");
  // A step beyond the end may wrap around and go on.
  RangesOf wide(kParameters, loop(kEnter, "  %next = add i64 %i, %n\n",
                                  "  %c = icmp ult i64 %i, %m\n"));
  EXPECT_EQ(wide.fit("i", "head"), "");
}

TEST(WordRanges, CountersNeedRoundsToCount) {
  const char *parameters = "i64 range(i64 0, 4294967296) %n, i32 %word";
  const char *isNotLast = "  %c = icmp ne i64 %next, %n\n";
  RangesOf f(parameters, loop(kEnterIfAny, kStep, isNotLast));
  EXPECT_EQ(f.fit("i", "head"), "u");
  // Without a round to run the counter runs through all numbers.
  RangesOf none(parameters, loop(kEnter, kStep, isNotLast));
  EXPECT_EQ(none.fit("i", "head"), "");
  RangesOf odd(parameters,
               loop(kEnterIfAny, "  %next = add i64 %i, 3\n", isNotLast));
  EXPECT_EQ(odd.fit("i", "head"), "");
}

TEST(WordRanges, RoundsMayKeepARange) {
  const char *again = "  %c = icmp ne i64 %n, %i\n";
  RangesOf f(kParameters, loop(kEnter,
                               "  %half = lshr i64 %i, 1\n"
                               "  %next = or i64 %half, 0\n",
                               again));
  EXPECT_EQ(f.fit("i", "head"), "us");
  RangesOf grows(kParameters, loop(kEnter,
                                   "  %twice = shl i64 %i, 1\n"
                                   "  %next = or i64 %twice, 1\n",
                                   again));
  EXPECT_EQ(grows.fit("i", "head"), "");
}

TEST(WordRanges, WhatIsSupposedIsNamed) {
  RangesOf f(kParameters, guarded("  %c = icmp ult i64 %x, %n\n"));
  EXPECT_EQ(f.fit("n", "entry"), "");
  EXPECT_TRUE(f.ranges.usedFacts().empty());
  RangesOf supposed(kParameters, guarded("  %c = icmp ult i64 %x, %n\n"));
  supposed.ranges.suppose(1);
  EXPECT_EQ(supposed.fit("m", "entry"), "u");
  EXPECT_TRUE(supposed.ranges.usedFacts().empty());
  EXPECT_EQ(supposed.fit("n", "entry"), "us");
  std::vector<GuardFact> facts = supposed.ranges.usedFacts();
  ASSERT_EQ(facts.size(), 1u);
  EXPECT_EQ(facts[0].kind, GuardKind::FitsWord);
  EXPECT_EQ(facts[0].parameter, 1u);
  EXPECT_EQ(facts[0].bitWidth, 64u);
  EXPECT_EQ(facts[0].sizeClass, 1u);
}

TEST(WordRanges, SmallSizesHaveSmallProducts) {
  const char *text = "entry:\n  %xy = mul i64 %x, %y\n"
                     "  %xyz = mul i64 %xy, %z\n  %twice = shl i64 %x, 1\n"
                     "  %many = mul i64 %x, 16\n  ret void\n";
  const char *values[] = {"twice", "many", "xy", "xyz"};
  // By size class, from 1.
  const char *fits[][4] = {{"u", "", "", ""},
                           {"us", "us", "", ""},
                           {"us", "us", "us", ""},
                           {"us", "us", "us", "us"}};
  for (uint8_t sizeClass = 1; sizeClass <= kLastSizeClass; ++sizeClass)
    for (unsigned i = 0; i < 4; ++i) {
      RangesOf f("i64 %x, i64 %y, i64 %z", text);
      f.ranges.suppose(sizeClass);
      EXPECT_EQ(f.fit(values[i], "entry"), fits[sizeClass - 1][i])
          << values[i] << " " << unsigned(sizeClass);
    }
}

TEST(WordRanges, GridsAreSupposedSmall) {
  const char *text = "entry:\n"
                     "  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"
                     "  %block = zext i32 %b to i64\n"
                     "  %thread = mul i64 %block, 1024\n  ret void\n";
  RangesOf f("", text);
  EXPECT_EQ(f.fit("block", "entry"), "us");
  EXPECT_EQ(f.fit("thread", "entry"), "");
  RangesOf supposed("", text);
  supposed.ranges.suppose(1);
  EXPECT_EQ(supposed.fit("thread", "entry"), "us");
  std::vector<GuardFact> facts = supposed.ranges.usedFacts();
  ASSERT_EQ(facts.size(), 1u);
  EXPECT_EQ(facts[0].kind, GuardKind::SmallGrid);
}

} // namespace
