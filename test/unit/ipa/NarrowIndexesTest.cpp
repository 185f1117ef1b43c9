// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ipa/indexes/NarrowIndexes.h"

#include "gtest/gtest.h"
#include "ipa/indexes/IndexGains.h"
#include "ipa/indexes/WordRanges.h"
#include "test/unit/ipa/AnalyzedFunction.h"

using namespace gpulto;

namespace {

using Names = std::vector<std::string>;

struct PlanOf : AnalyzedFunction {
  using AnalyzedFunction::AnalyzedFunction;
  WordRanges ranges{function, dominators, evolution, assumed};
  IndexPlan plan = planIndexes(function, dominators, ranges);

  Names narrowed() const { return namesOf(plan.narrowed); }
  template <typename T> static Names namesOf(const std::vector<T *> &list) {
    Names names;
    for (const T *value : list)
      names.push_back(value->getName().str());
    return names;
  }
  uint64_t gain() {
    return indexGain(plan, llvm::SmallPtrSet<const llvm::Instruction *, 1>(),
                     evolution, [](const llvm::BasicBlock &) { return 1; });
  }
};

const char *const kAddress = "  %p = getelementptr float, ptr %a, i64 %i\n"
                             "  store float 0.0, ptr %p\n  ret void\n";

TEST(NarrowIndexes, ChainsToAddressesAreNarrowed) {
  std::string text = "entry:\n  %row = mul i64 %y, %nx\n"
                     "  %i = add i64 %row, %x\n" +
                     std::string(kAddress);
  PlanOf f("ptr %a, i64 range(i64 0, 1000) %x, i64 range(i64 0, 1000) %y, "
           "i64 range(i64 0, 1000) %nx",
           text);
  EXPECT_EQ(f.narrowed(), (Names{"row", "i"}));
  ASSERT_EQ(f.plan.extended.size(), 1u);
  EXPECT_TRUE(f.plan.extended[0].isSigned);
  EXPECT_EQ(f.gain(), 3u + 1u + 1u);
  PlanOf wide("ptr %a, i64 range(i64 0, 1000) %x, i64 %y, "
              "i64 range(i64 0, 1000) %nx",
              text);
  EXPECT_TRUE(wide.narrowed().empty());
  EXPECT_EQ(wide.gain(), 0u);
}

TEST(NarrowIndexes, OnlyTheEndOfAChainMustFit) {
  // What is between may wrap: its low bits are the same.
  PlanOf f("ptr %a, i64 %h, i32 %w",
           "entry:\n  %s = mul i64 %h, 1099511628211\n"
           "  %i = and i64 %s, 255\n" +
               std::string(kAddress));
  EXPECT_EQ(f.narrowed(), (Names{"s", "i"}));
  PlanOf high("ptr %a, i64 %h, i32 %w",
              "entry:\n  %s = mul i64 %h, 1099511628211\n"
              "  %i = lshr i64 %s, 56\n" +
                  std::string(kAddress));
  EXPECT_TRUE(high.narrowed().empty());
  PlanOf cut("ptr %a, i64 %h", "entry:\n  %s = mul i64 %h, %h\n"
                               "  %t = trunc i64 %s to i32\n"
                               "  store i32 %t, ptr %a\n  ret void\n");
  EXPECT_EQ(cut.narrowed(), Names{"s"});
  EXPECT_TRUE(cut.plan.extended.empty());
}

TEST(NarrowIndexes, NegativeNumbersAreExtendedBySign) {
  const char *text = "entry:\n  %less = sub i64 %x, 1\n"
                     "  %q = sdiv i64 %less, 3\n  store i64 %q, ptr %a\n"
                     "  ret void\n";
  PlanOf f("ptr %a, i64 range(i64 0, 100) %x", text);
  EXPECT_EQ(f.narrowed(), Names{"less"});
  ASSERT_EQ(f.plan.extended.size(), 1u);
  EXPECT_TRUE(f.plan.extended[0].isSigned);
  // -1 to 2^32 - 2 fits neither way.
  PlanOf both("ptr %a, i64 range(i64 0, 4294967296) %x", text);
  EXPECT_TRUE(both.narrowed().empty());
}

TEST(NarrowIndexes, ComparisonsGoByHowBothSidesFit) {
  PlanOf f("ptr %a, i64 range(i64 0, 4294967296) %x, i64 range(i64 -9, 9) %y, "
           "i64 %z",
           "entry:\n  %u = icmp slt i64 %x, 5\n  %s = icmp slt i64 %y, 5\n"
           "  %mixed = icmp ult i64 %x, %y\n  %wide = icmp ult i64 %x, %z\n"
           "  ret void\n");
  EXPECT_EQ(PlanOf::namesOf(f.plan.unsignedCompares), Names{"u"});
  EXPECT_EQ(PlanOf::namesOf(f.plan.signedCompares), Names{"s"});
}

/// Returns a loop over addresses at `%i`, with a step of \p step, below `%n`.
std::string loop(const std::string &step) {
  return "entry:\n  br label %head\nhead:\n"
         "  %i = phi i64 [ 0, %entry ], [ %next, %body ]\n"
         "  %c = icmp ult i64 %i, %n\n  br i1 %c, label %body, label %end\n"
         "body:\n  %next = add i64 %i, " +
         step +
         "\n  %p = getelementptr float, ptr %a, i64 %i\n"
         "  store float 0.0, ptr %p\n  br label %head\n"
         "end:\n  ret void\n";
}

TEST(NarrowIndexes, LoopsGoRoundInOneWidth) {
  const char *size = "ptr %a, i64 range(i64 0, 100000) %n, ";
  PlanOf f(size + std::string("i64 range(i64 1, 100000) %step"), loop("%step"));
  EXPECT_EQ(f.narrowed(), (Names{"i", "next"}));
  // i fits in the loop; i + step wants 64 bits.
  PlanOf wide(size + std::string("i64 %step"), loop("%step"));
  EXPECT_TRUE(wide.narrowed().empty());
}

TEST(IndexGains, PointersAreMadeOfSteps) {
  const char *sizes = "ptr %a, i64 range(i64 0, 100000) %n, "
                      "i64 range(i64 1, 100000) %step";
  EXPECT_EQ(PlanOf(sizes, loop("1")).gain(), 0u);
  // Rounds are counted by a division to unroll the loop.
  EXPECT_EQ(PlanOf(sizes, loop("%step")).gain(), 8u);
}

TEST(IndexGains, DivisionsOutweighTheRest) {
  auto timeOf = [](const char *text) {
    AnalyzedFunction f("i64 %x, i64 %y", text);
    return roughTime(f.function, [](const llvm::BasicBlock &) { return 2; });
  };
  EXPECT_EQ(timeOf("  %z = add i64 %x, %y\n  ret void\n"), 4u);
  EXPECT_EQ(timeOf("  %z = udiv i64 %x, 3\n  ret void\n"), 4u);
  EXPECT_EQ(timeOf("  %z = udiv i64 %x, %y\n  ret void\n"), 130u);
}

} // namespace
