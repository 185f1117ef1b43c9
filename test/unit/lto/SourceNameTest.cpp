//===- SourceNameTest.cpp - Functions as their source calls them ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/job/SourceName.h"

#include "gtest/gtest.h"

using namespace gpulto;

namespace {

TEST(SourceName, OneForAllInstances) {
  // void k<1>(int*), void k<2>(int*), static and of a unit
  EXPECT_EQ(sourceName("_Z1kILi1EEvPi"), "k");
  EXPECT_EQ(sourceName("_ZL1kILi2EEvPi__intern__b04fd23c98500190"), "k");
  // int ns::Table<int, std::less<int> >::find<3>(int) const
  EXPECT_EQ(sourceName("_ZNK2ns5TableIiSt4lessIiEE4findILi3EEEii"),
            "ns::Table<...>::find");
  // void S<(3 > 2)>::f(), void S<&T::operator-> >::f()
  EXPECT_EQ(sourceName("_ZN1SIXgtLi3ELi2EEE1fEv"), "S<...>::f");
  EXPECT_EQ(sourceName("_ZN1SIXadL_ZN1TptEvEEE1fEv"), "S<...>::f");
}

TEST(SourceName, Operators) {
  // void X<1>::operator<< <2>(int), and of a lambda in operator<(X&, X&)
  EXPECT_EQ(sourceName("_ZN1XILi1EElsILi2EEEvi"), "X<...>::operator<<");
  EXPECT_EQ(sourceName("_ZZltR1XS0_ENKUlvE_clEv"),
            "operator<(X&, X&)::'lambda'()::operator()");
}

TEST(SourceName, Others) {
  EXPECT_EQ(sourceName("main"), "main");
  EXPECT_EQ(sourceName("_ZTV1X"), "_ZTV1X");
  EXPECT_EQ(sourceName("_Z1fi.llvm.12"), "f");
  EXPECT_EQ(sourceName(""), "");
}

} // namespace
