//===- PtxSpliceTest.cpp - Exchange kernels of a PTX module ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/ptx/PtxSplice.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace gpulto;
using namespace llvm;
using testing::HasSubstr;
using testing::Not;

static const std::string kHeader =
    ".version 8.5\n.target sm_90\n.address_size 64\n";

static std::string spliceOk(const std::string &product,
                            const std::string &other,
                            const std::set<std::string> &names,
                            const std::set<std::string> &fixtures = {}) {
  Expected<std::string> spliced =
      splicePtx(kHeader + product, kHeader + other, names, fixtures);
  if (spliced)
    return *spliced;
  ADD_FAILURE() << toString(spliced.takeError());
  return "";
}

TEST(PtxSplice, BodiesGoWithWhatTheyCall) {
  std::string ptx = spliceOk(".func f()\n{\n// ours\nret;\n}\n"
                             ".func g()\n{\n// dropped\nret;\n}\n"
                             ".visible .entry a()\n{\ncall f;\nret;\n}\n"
                             ".visible .entry b()\n{\ncall g;\nret;\n}\n",
                             ".func f()\n{\n// theirs\nret;\n}\n"
                             ".func h()\n{\n// unused\nret;\n}\n"
                             ".visible .entry b()\n{\ncall f;\nret;\n}\n"
                             ".visible .entry c()\n{\ncall h;\nret;\n}\n",
                             {"b"});
  EXPECT_THAT(ptx, HasSubstr("// ours"));
  EXPECT_THAT(ptx, HasSubstr("// theirs"));
  EXPECT_THAT(ptx, Not(HasSubstr("// dropped")));
  EXPECT_THAT(ptx, Not(HasSubstr("// unused")));
  EXPECT_THAT(ptx, Not(HasSubstr("entry c")));
  EXPECT_EQ(StringRef(ptx).count(".entry b"), 1u);
  // The functions of one name are two now, and each kernel calls its own.
  EXPECT_THAT(ptx, HasSubstr(".entry a()\n{\ncall f;"));
  EXPECT_THAT(ptx, HasSubstr(".entry b()\n{\ncall f_$p1;"));
}

TEST(PtxSplice, VariablesOfTheProgramStayOne) {
  const std::string variables = ".visible .global .align 4 .u32 counter;\n"
                                ".extern .global .align 4 .b32 other;\n"
                                ".global .align 4 .u32 table[1] = {1};\n";
  const std::string kernel =
      ".visible .entry a()\n{\nld.u32 %r1, [counter];\n"
      "ld.u32 %r2, [other];\nld.u32 %r3, [table];\nret;\n}\n";
  std::string ptx = spliceOk(variables + kernel, variables + kernel, {"a"});
  EXPECT_EQ(StringRef(ptx).count(".u32 counter;"), 1u);
  EXPECT_EQ(StringRef(ptx).count(".b32 other;"), 1u);
  EXPECT_EQ(StringRef(ptx).count(" = {1}"), 1u) << "the first has no user";
  EXPECT_THAT(ptx, HasSubstr("[counter]"));
}

TEST(PtxSplice, FixturesAreThoseOfTheProduct) {
  auto function = [](const std::string &text) {
    return ".func target()\n{\n// " + text + "\nret;\n}\n";
  };
  const std::string table = ".global .align 8 .u64 table[1] = {target};\n",
                    a = ".visible .entry a()\n{\nmov.u64 %rd1, table;\n"
                        "mov.u64 %rd2, target;\nret;\n}\n",
                    b = ".visible .entry b()\n{\nmov.u64 %rd1, table;\n"
                        "mov.u64 %rd2, target;\nret;\n}\n";
  std::string ptx =
      spliceOk(function("ours") + table + a + b,
               function("theirs") + table + a + b, {"b"}, {"target", "table"});
  EXPECT_EQ(StringRef(ptx).count(".func target"), 1u);
  EXPECT_EQ(StringRef(ptx).count("table[1]"), 1u);
  EXPECT_THAT(ptx, HasSubstr("// ours"));
  EXPECT_THAT(ptx, HasSubstr(".entry b()\n{\nmov.u64 %rd1, table;\n"
                             "mov.u64 %rd2, target;"));
  // None of the others has them: they come with the kernel.
  ptx = spliceOk(".visible .entry a()\n{\nret;\n}\n" + b + function("ours") +
                     table,
                 function("theirs") + table + b, {"b"}, {"target", "table"});
  EXPECT_EQ(StringRef(ptx).count(".func target"), 1u);
  EXPECT_THAT(ptx, HasSubstr("// theirs"));
}

TEST(PtxSplice, EqualConstantsAreOne) {
  auto kernel = [](const std::string &name) {
    return ".visible .entry " + name +
           "()\n{\nld.u32 %r1, [table];\nld.u32 %r2, [other];\n"
           "st.shared.u32 [room], %r1;\nret;\n}\n";
  };
  const std::string same = ".const .align 4 .b8 table[4] = {1, 2, 3, 4};\n"
                           ".shared .align 4 .b8 room[4];\n",
                    one = ".const .align 4 .b8 other[2] = {1, 2};\n",
                    two = ".const .align 4 .b8 other[2] = {1, 3};\n";
  std::string ptx = spliceOk(same + one + kernel("a") + kernel("b"),
                             same + two + kernel("a") + kernel("b"), {"b"});
  EXPECT_EQ(StringRef(ptx).count("= {1, 2, 3, 4}"), 1u);
  EXPECT_EQ(StringRef(ptx).count("b8 room"), 2u);
  EXPECT_THAT(ptx, HasSubstr("other[2] = {1, 2}"));
  EXPECT_THAT(ptx, HasSubstr("other_$p1[2] = {1, 3}"));
  EXPECT_THAT(ptx, HasSubstr(".entry b()\n{\nld.u32 %r1, [table];\n"
                             "ld.u32 %r2, [other_$p1];\n"
                             "st.shared.u32 [room_$p1], %r1;"));
}

TEST(PtxSplice, ABuildWithoutTheKernelIsAnError) {
  const std::string kernel = ".visible .entry a()\n{\nret;\n}\n";
  Expected<std::string> spliced =
      splicePtx(kHeader + kernel, kHeader + kernel, {"a", "b"});
  ASSERT_FALSE(static_cast<bool>(spliced));
  EXPECT_THAT(toString(spliced.takeError()), HasSubstr("lacks a kernel"));
}

TEST(PtxSplice, DamagedTextIsAnErrorThatSaysWhichBuild) {
  const std::string kernel = ".visible .entry a()\n{\nret;\n}\n";
  Expected<std::string> spliced =
      splicePtx(kHeader + kernel, kHeader + ".visible .entry a()\n{\n", {"a"});
  ASSERT_FALSE(static_cast<bool>(spliced));
  EXPECT_THAT(toString(spliced.takeError()), HasSubstr("other:"));
}

TEST(PtxSplice, KernelsAreKeptWithWhatTheyNeed) {
  Expected<std::string> kept = keepKernels(
      kHeader + ".visible .global .align 4 .u32 counter;\n"
                ".global .align 4 .u32 table[1] = {1};\n"
                ".func f()\n{\n// of a\nret;\n}\n"
                ".func g()\n{\n// of b\nret;\n}\n"
                ".visible .func h()\n{\n// of others\nret;\n}\n"
                ".visible .entry a()\n.maxntid 32\n{\ncall f;\nmov.u64 "
                "%rd1, d;\nret;\n}\n"
                ".visible .entry b()\n{\ncall g;\nld.u32 %r3, [table];\n"
                "ret;\n}\n"
                ".weak .entry c()\n{\nret;\n}\n"
                ".visible .entry d()\n{\n// launched\nret;\n}\n",
      "x.ptx", {"a"});
  ASSERT_TRUE(bool(kept)) << toString(kept.takeError());
  EXPECT_THAT(*kept, HasSubstr(".target sm_90"));
  EXPECT_THAT(*kept, HasSubstr(".entry a()\n.maxntid 32"));
  EXPECT_THAT(*kept, HasSubstr("// of a"));
  EXPECT_THAT(*kept, HasSubstr("// of others"));
  EXPECT_THAT(*kept, HasSubstr("// launched"));
  EXPECT_THAT(*kept, HasSubstr(".u32 counter;"));
  EXPECT_THAT(*kept, Not(HasSubstr("// of b")));
  EXPECT_THAT(*kept, Not(HasSubstr(".entry b")));
  EXPECT_THAT(*kept, Not(HasSubstr(".entry c")));
  EXPECT_THAT(*kept, Not(HasSubstr("table")));
  EXPECT_THAT(toString(keepKernels("nonsense", "x.ptx", {"a"}).takeError()),
              HasSubstr("x.ptx"));
}

TEST(PtxSplice, KernelsAreTheSameWithAllThatTheyReferTo) {
  const std::string product =
      ".global .align 4 .u32 table[1] = {1};\n"
      ".func f()\n{\nret;\n}\n"
      ".func g()\n{\nadd.s32 %r1, %r1, 1;\nret;\n}\n"
      ".visible .entry a()\n{\n.local .b8 __local_depot3[4];\n"
      "$L__BB3_1: // as it was\nbra $L__BB3_1;\n}\n"
      ".visible .entry b()\n{\ncall f;\nret;\n}\n"
      ".visible .entry c()\n{\ncall g;\nret;\n}\n"
      ".visible .entry d()\n{\nld.u32 %r1, [table];\nret;\n}\n"
      ".visible .entry e()\n{\n$L__BB7_1:\nbra $L__BB7_1;\n}\n"
      ".visible .entry f1()\n.maxntid 32\n{\nret;\n}\n";
  const std::string other =
      ".global .align 4 .u32 table[1] = {2};\n"
      ".visible .entry a()\n{\n.local .b8 __local_depot0[4];\n"
      "$L__BB0_1:\nbra $L__BB0_1;\n}\n"
      ".func f()\n{\nret;\n}\n"
      ".func g()\n{\nadd.s32 %r1, %r1, 2;\nret;\n}\n"
      ".visible .entry b()\n{\ncall f;\nret;\n}\n"
      ".visible .entry c()\n{\ncall g;\nret;\n}\n"
      ".visible .entry d()\n{\nld.u32 %r1, [table];\nret;\n}\n"
      ".visible .entry e()\n{\n$L__BB5_2:\nbra $L__BB5_2;\n}\n"
      ".visible .entry f1()\n{\nret;\n}\n";
  auto same = sameKernels(kHeader + product, kHeader + other,
                          {"a", "b", "c", "d", "e", "f1", "missing"});
  ASSERT_TRUE(bool(same)) << toString(same.takeError());
  EXPECT_THAT(*same, testing::ElementsAre("a", "b"));
  EXPECT_THAT(
      toString(
          sameKernels(kHeader, kHeader + ".entry a()\n{\n", {"a"}).takeError()),
      HasSubstr("other:"));
}
