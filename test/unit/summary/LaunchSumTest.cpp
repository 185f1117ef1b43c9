//===- LaunchSumTest.cpp - Sums that the host computes ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "summary/LaunchSum.h"

#include "gtest/gtest.h"

using namespace gpulto;

namespace {

LaunchSum argument(uint32_t number) {
  return launchSymbol({false, number, false, 0, 32});
}
LaunchSum geometry(uint32_t component) {
  return launchSymbol({true, component, false, 0, 32});
}

TEST(LaunchSum, TermsCancel) {
  LaunchSum n = argument(0), m = argument(1);
  LaunchSum difference = *subtractSums(*addSums(n, m), *addSums(m, n));
  EXPECT_TRUE(difference.terms.empty());
  EXPECT_EQ(constantOf(difference), 0);
  EXPECT_EQ(constantOf(n), std::nullopt);
  // (n + 1) * (m - 1) = n*m - n + m - 1
  LaunchSum product = *multiplySums(*addSums(n, launchConstant(1)),
                                    *subtractSums(m, launchConstant(1)));
  EXPECT_EQ(product, *multiplySums(*subtractSums(m, launchConstant(1)),
                                   *addSums(n, launchConstant(1))));
  EXPECT_EQ(sumText(product), "-arg0 + arg0*arg1 + arg1 - 1");
}

TEST(LaunchSum, OnlyWhatIsCertainIsNeverNegative) {
  LaunchSum n = argument(0), grid = geometry(0);
  EXPECT_TRUE(isNeverNegative(launchConstant(0)));
  EXPECT_FALSE(isNeverNegative(launchConstant(-1)));
  EXPECT_TRUE(isNeverNegative(n));
  // An argument may be 0, a grid has a block.
  EXPECT_FALSE(isNeverNegative(*subtractSums(n, launchConstant(1))));
  EXPECT_TRUE(isNeverNegative(*subtractSums(grid, launchConstant(1))));
  EXPECT_FALSE(isNeverNegative(*subtractSums(grid, launchConstant(2))));
  EXPECT_FALSE(isNeverNegative(
      *subtractSums(*multiplySums(grid, n), launchConstant(1))));
  EXPECT_FALSE(isNeverNegative(*subtractSums(grid, n)));
  EXPECT_FALSE(isNeverNegative(*subtractSums(launchConstant(9), n)));
}

TEST(LaunchSum, WhatDoesNotFitIsNone) {
  LaunchSum most = launchConstant(INT64_MAX), n = argument(0);
  EXPECT_FALSE(addSums(most, launchConstant(1)));
  EXPECT_FALSE(multiplySums(most, launchConstant(2)));
  EXPECT_FALSE(subtractSums(launchConstant(-2), most));
  EXPECT_FALSE(subtractSums(n, launchConstant(INT64_MIN)));
  EXPECT_FALSE(multiplySums(*multiplySums(n, most), launchConstant(2)));
  // Nor do too many factors or terms.
  LaunchSum power = n;
  for (unsigned i = 1; i < kMaxLaunchFactors; ++i)
    power = *multiplySums(power, n);
  EXPECT_FALSE(multiplySums(power, n));
  LaunchSum sum;
  for (unsigned i = 0; i < kMaxLaunchTerms; ++i)
    sum = *addSums(sum, argument(i));
  EXPECT_FALSE(addSums(sum, argument(kMaxLaunchTerms)));
  EXPECT_TRUE(addSums(sum, argument(0)));
}

TEST(LaunchSum, ReadsLikeArithmetic) {
  LaunchSum part = launchSymbol({false, 3, true, 8, 64});
  LaunchSum sum = *addSums(*multiplySums(launchConstant(4), part),
                           *subtractSums(launchConstant(2), geometry(3)));
  EXPECT_EQ(sumText(sum), "4*arg3[8] - blockx + 2");
  EXPECT_EQ(sumText(launchConstant(-7)), "-7");
  EXPECT_EQ(sumText(launchConstant(INT64_MIN)), "-9223372036854775808");
  EXPECT_EQ(sumText({}), "0");
}

} // namespace
