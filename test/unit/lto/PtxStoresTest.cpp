//===- PtxStoresTest.cpp - Stores of parts of numbers ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/ptx/PtxStores.h"

#include <gtest/gtest.h>

using namespace gpulto;

namespace {

/// What becomes of \p body in a function.
std::string after(const std::string &body) {
  const std::string head = ".visible .entry f(\n)\n{\n", tail = "\tret;\n}\n";
  std::string text = takeBitsOfNumbers(head + body + tail);
  EXPECT_EQ(text.substr(0, head.size()), head);
  EXPECT_EQ(text.substr(text.size() - tail.size()), tail);
  return text.substr(head.size(), text.size() - head.size() - tail.size());
}

TEST(PtxStores, TakeBitsOfNumbersFirst) {
  const std::string add = "\tadd.rn.f64 \t%rd4, %rd3, %rd3;\n";
  EXPECT_EQ(after(add + "\tst.global.b32 \t[%rd1+8], %rd4;\n"),
            add + "\t{\n\t.reg .b32 \t%bits;\n\tcvt.u32.u64 \t%bits, %rd4;\n"
                  "\tst.global.b32 \t[%rd1+8], %bits;\n\t}\n");
  EXPECT_EQ(after(add + "\tst.param.b16 \t[param0], %rd4;\n"),
            add + "\t{\n\t.reg .b16 \t%bits;\n\tcvt.u16.u64 \t%bits, %rd4;\n"
                  "\tst.param.b16 \t[param0], %bits;\n\t}\n");
  const std::string multiply = "\tmul.rn.f32 \t%r4, %r3, %r3;\n";
  EXPECT_EQ(after(multiply + "\tst.b8 \t[%rd1], %r4;\n"),
            multiply + "\t{\n\t.reg .b16 \t%bits;\n\tcvt.u16.u32 \t%bits, %r4;"
                       "\n\tst.b8 \t[%rd1], %bits;\n\t}\n");
  const std::string half = "\tadd.rn.f16 \t%rs4, %rs3, %rs3;\n";
  EXPECT_EQ(after(half + "\tst.shared.b8 \t[%rd1], %rs4;\n"),
            half + "\t{\n\t.reg .b16 \t%bits;\n\tand.b16 \t%bits, %rs4, 255;\n"
                   "\tst.shared.b8 \t[%rd1], %bits;\n\t}\n");
}

TEST(PtxStores, FindsAllResults) {
  for (const char *line :
       {"div.rn.f64 \t%rd4, %rd3, %rd3;", "cvt.rn.f64.u32 \t%rd4, %r3;",
        "neg.f64 \t%rd4, %rd3; // a comment", "{%rd2, %rd4}, %rd3;"}) {
    std::string text = *line == '{' ? std::string("mma.f64 ") + line : line;
    EXPECT_NE(
        after("\t" + text + "\n\tst.b32 \t[%rd1], %rd4;\n").find("cvt.u32"),
        std::string::npos)
        << text;
  }
  EXPECT_NE(after("\tadd.f64 \t%rd4, %rd3, %rd3;\n\t@%p1 st.b32 \t[%rd1], %rd4;"
                  "\n")
                .find("\t@%p1 st.b32 \t[%rd1], %bits;"),
            std::string::npos);
}

TEST(PtxStores, LeavesTheRest) {
  for (const char *body :
       {// All of the number.
        "\tadd.f64 \t%rd4, %rd3, %rd3;\n\tst.global.b64 \t[%rd1], %rd4;\n",
        // Integers, copies, and what is loaded.
        "\tadd.s64 \t%rd4, %rd3, %rd3;\n\tst.global.b32 \t[%rd1], %rd4;\n",
        "\tld.global.b64 \t%rd4, [%rd1];\n\tst.global.b32 \t[%rd1], %rd4;\n",
        "\tmov.b64 \t%rd4, %rd3;\n\tst.global.b16 \t[%rd1], %rd4;\n",
        "\tsetp.lt.f64 \t%p1, %rd3, %rd3;\n\tst.b8 \t[%rd1], %rs1;\n",
        // Several registers.
        "\tadd.f64 \t%rd4, %rd3, %rd3;\n"
        "\tst.global.v2.b32 \t[%rd1], {%r1, %r2};\n"})
    EXPECT_EQ(after(body), body);
  // A register is one of its function.
  std::string two = "f(\n)\n{\n\tadd.f64 \t%rd4, %rd3, %rd3;\n\tret;\n}\n"
                    "g(\n)\n{\n\tst.global.b32 \t[%rd1], %rd4;\n\tret;\n}";
  EXPECT_EQ(takeBitsOfNumbers(two), two);
}

} // namespace
