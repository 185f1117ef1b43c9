// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ipa/bodies/AssemblyText.h"

#include <gmock/gmock.h>
#include <string>
#include <vector>

using namespace gpulto;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

/// The identifiers of \p text, inline assembly of the IR.
std::vector<std::string> tokens(llvm::StringRef text) {
  std::vector<std::string> result;
  forEachAsmToken(plainAssembly(text), [&](const AsmToken &token) {
    result.push_back(token.text.str() +
                     (token.role == AsmRole::Label ? ":" : ""));
  });
  return result;
}

/// The words of \p text that may be symbols of other modules; `+`: a part.
std::vector<std::string> names(llvm::StringRef text, bool isIntel = false) {
  std::vector<std::string> result;
  forEachAsmToken(plainAssembly(text, isIntel), [&](const AsmToken &token) {
    if (mayNameSymbol(token))
      result.push_back(token.isPart ? "+" : token.text.str());
  });
  return result;
}

std::vector<std::string> definitions(llvm::StringRef text,
                                     bool isDevice = false) {
  std::vector<std::string> result;
  forEachAsmDefinition(
      plainAssembly(text), isDevice,
      [&](llvm::StringRef name) { result.push_back(name.str()); });
  return result;
}

TEST(AssemblyText, FindsNamesAndLabels) {
  EXPECT_THAT(tokens("1: jmp 1b\n.Lx: movl $$value, $0; call f@PLT"),
              ElementsAre("jmp", ".Lx:", "movl", "value", "call", "f", "PLT"));
}

TEST(AssemblyText, OperandsAreNoNames) {
  EXPECT_THAT(tokens("movl ${0:P}, $1"), ElementsAre("movl"));
}

TEST(AssemblyText, OperandWordsMayBeSymbols) {
  EXPECT_THAT(names("addl $$37, total(%rip)"), ElementsAre("total"));
  EXPECT_THAT(names("movl $$limit, %eax; leaq 8+table(,%rdi,4), $0"),
              ElementsAre("limit", "table"));
  EXPECT_THAT(names("movq value@GOTPCREL(%rip), %rax\ncall f@PLT"),
              ElementsAre("value", "f"));
  EXPECT_THAT(names("movl %fs:local@tpoff, $0"), ElementsAre("local"));
  EXPECT_THAT(names("movl \"two words\"(%rip), %eax"),
              ElementsAre("two words"));
  EXPECT_THAT(names("incl a$$b(%rip)"), ElementsAre("a$b"));
  EXPECT_THAT(names(".globl f"), ElementsAre("f"));
  EXPECT_THAT(names(".set alias, total"), ElementsAre("alias", "total"));
  EXPECT_THAT(names("mov eax, dword ptr total[rip]", true),
              ElementsAre("eax", "dword", "ptr", "total", "rip"));
}

TEST(AssemblyText, InstructionsPrefixesAndTextAreNoSymbols) {
  EXPECT_THAT(names("lock xaddl %eax, total(%rip)"), ElementsAre("total"));
  EXPECT_THAT(names("rep; stosb\nlock; cmpxchgl $1, $0"), IsEmpty());
  EXPECT_THAT(names(".pushsection notes, \"a\", @progbits\n.ascii \"total\"\n"
                    ".popsection"),
              IsEmpty());
  EXPECT_THAT(names("# adds total\nnop // total\n/* total */ nop"), IsEmpty());
  EXPECT_THAT(names("/* open"), IsEmpty());
}

TEST(AssemblyText, OneAlternativeHolds) {
  EXPECT_THAT(tokens("mov$(l$) total, $0"), ElementsAre("movl", "total"));
  EXPECT_THAT(names("$(movl a, b$|mov b, c$)"), ElementsAre("a", "b"));
  EXPECT_THAT(names("$(movl a, b$|mov b, c$)", true), ElementsAre("b", "c"));
}

TEST(AssemblyText, PartsOfNames) {
  EXPECT_THAT(names("incl total_${0:c}(%rip)"), ElementsAre("+"));
  EXPECT_THAT(names("call thunk_${0:V}"), ElementsAre("+"));
  EXPECT_THAT(names(".macro bump n\nincl \\n\\()_count(%rip)\n.endm"),
              ElementsAre("bump", "n", "+"));
  EXPECT_THAT(names("jmp $0\nmovl $1, 4($2)\ncall ${3:P}"), IsEmpty());
}

TEST(AssemblyText, SegmentIsNoLabel) {
  EXPECT_THAT(definitions("movl %fs:value@tpoff, $0"), IsEmpty());
}

TEST(AssemblyText, LabelsAreDefinitions) {
  EXPECT_THAT(definitions("testl $0, $0\n.Lx:"), ElementsAre(".Lx"));
  EXPECT_THAT(definitions("nop; here : nop"), ElementsAre("here"));
  EXPECT_THAT(definitions("1: again: nop"), ElementsAre("again"));
  EXPECT_THAT(definitions("661: nop"), IsEmpty());
  EXPECT_THAT(definitions(".Lx${:uid}: nop"), IsEmpty());
  EXPECT_EQ(definitions("x_$0: nop").size(), 1u);
}

TEST(AssemblyText, DirectivesDefine) {
  EXPECT_THAT(definitions(".set a, 1\n.equ b, 2\nc = 3\n.comm d, 4"),
              ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(definitions(".macro m x, y\n.endm"), ElementsAre("m"));
  EXPECT_THAT(definitions(".symver f_1, f@V1"), ElementsAre("f_1"));
  EXPECT_THAT(definitions("cmpl $$1, total(%rip)\n.globl f"), IsEmpty());
}

TEST(AssemblyText, PlainAssemblySpeaksOfSymbolsOnly) {
  EXPECT_TRUE(isPlainAssembly("\t.globl _ZSt21ios_base_library_initv\n\n"));
  EXPECT_TRUE(isPlainAssembly(".weak f; .type f, @function"));
  EXPECT_FALSE(isPlainAssembly(".globl f\nf: ret"));
  EXPECT_FALSE(isPlainAssembly(".data"));
  EXPECT_FALSE(isPlainAssembly(".symver f, g@V1"));
  EXPECT_FALSE(isPlainAssembly("/* .globl */ .macro m"));
}

TEST(AssemblyText, WhatStandsInBracesIsScopedInPtx) {
  EXPECT_FALSE(definesAsmNames("{\n AGAIN: bra AGAIN;\n}", true));
  EXPECT_TRUE(definesAsmNames("{ .reg .pred p; }\nONCE:", true));
  EXPECT_TRUE(definesAsmNames("vmovaps x, y {%k1}\nonce:", false));
  EXPECT_THAT(definitions(".reg .b32 t, u;\n{ .reg .b32 v; }", true),
              ElementsAre("t", "u"));
}

} // namespace
