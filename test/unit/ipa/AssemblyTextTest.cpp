// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ipa/AssemblyText.h"

#include <gmock/gmock.h>
#include <string>
#include <vector>

using namespace gpulto;

namespace {

std::vector<std::string> tokens(llvm::StringRef text) {
  std::vector<std::string> result;
  forEachAsmToken(text, [&](const AsmToken &token) {
    result.push_back(token.text.str() + (token.isLabel ? ":" : ""));
  });
  return result;
}

TEST(AssemblyText, FindsNamesAndLabels) {
  EXPECT_THAT(
      tokens("1: jmp 1b\n.Lx: movl $$value, $0; call f@PLT"),
      testing::ElementsAre("jmp", ".Lx:", "movl", "value", "call", "f", "PLT"));
}

TEST(AssemblyText, OperandsAreNoNames) {
  EXPECT_THAT(tokens("movl ${0:P}, $1"), testing::ElementsAre("movl"));
}

TEST(AssemblyText, SegmentIsNoLabel) {
  EXPECT_FALSE(definesUniqueLabel("movl %fs:value@tpoff, $0", false));
}

TEST(AssemblyText, UniqueLabels) {
  EXPECT_TRUE(definesUniqueLabel("testl $0, $0\n.Lx:", false));
  EXPECT_TRUE(definesUniqueLabel("nop; here : nop", false));
  EXPECT_FALSE(definesUniqueLabel("661: nop", false));
  EXPECT_FALSE(definesUniqueLabel(".Lx${:uid}: nop", false));
}

TEST(AssemblyText, PlainAssemblySpeaksOfSymbolsOnly) {
  EXPECT_TRUE(isPlainAssembly("\t.globl _ZSt21ios_base_library_initv\n\n"));
  EXPECT_TRUE(isPlainAssembly(".weak f; .type f, @function"));
  EXPECT_FALSE(isPlainAssembly(".globl f\nf: ret"));
  EXPECT_FALSE(isPlainAssembly(".data"));
  EXPECT_FALSE(isPlainAssembly(".symver f, g@V1"));
  EXPECT_FALSE(isPlainAssembly("/* .globl */ .macro m"));
}

TEST(AssemblyText, LabelsInBracesAreScopedInPtx) {
  EXPECT_FALSE(definesUniqueLabel("{\n AGAIN: bra AGAIN;\n}", true));
  EXPECT_TRUE(definesUniqueLabel("{ .reg .pred p; }\nONCE:", true));
  EXPECT_TRUE(definesUniqueLabel("vmovaps x, y {%k1}\nonce:", false));
}

} // namespace
