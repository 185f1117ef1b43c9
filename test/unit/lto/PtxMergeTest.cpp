//===- PtxMergeTest.cpp - Make one PTX module of several ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/ptx/PtxMerge.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lto/ptx/PtxLexer.h"

#include "llvm/ADT/STLExtras.h"

using namespace gpulto;
using namespace llvm;
using testing::HasSubstr;
using testing::Not;

static const char kHeader[] = ".version 8.5\n.target sm_90\n.address_size 64\n";

static Expected<std::string> merge(std::vector<std::string> bodies) {
  static std::vector<std::string> texts; // outlives the parts
  texts.clear();
  for (const std::string &body : bodies)
    texts.push_back(kHeader + body);
  std::vector<PtxPart> parts;
  for (auto [index, text] : enumerate(texts))
    parts.push_back({std::to_string(index) + ".ptx", text});
  return mergePtx(parts);
}

static std::string mergeOk(std::vector<std::string> bodies) {
  Expected<std::string> merged = merge(std::move(bodies));
  if (!merged) {
    ADD_FAILURE() << toString(merged.takeError());
    return "";
  }
  return *merged;
}

static std::string mergeError(std::vector<std::string> bodies) {
  Expected<std::string> merged = merge(std::move(bodies));
  if (merged) {
    ADD_FAILURE() << *merged;
    return "";
  }
  return toString(merged.takeError());
}

static unsigned occurrences(StringRef text, StringRef what) {
  return text.count(what);
}

TEST(PtxLexer, SkipsCommentsAndKeepsStrings) {
  PtxLexer lexer("// x\nld.shared::cluster.u32 /* y\n */ \"a;// b\" 0f3F80;");
  EXPECT_EQ(lexer.next().text, "ld.shared::cluster.u32");
  PtxToken string = lexer.next();
  EXPECT_EQ(string.kind, PtxToken::Kind::String);
  EXPECT_EQ(string.text, "\"a;// b\"");
  PtxToken number = lexer.next();
  EXPECT_EQ(number.kind, PtxToken::Kind::Number);
  EXPECT_FALSE(number.startsLine);
  EXPECT_EQ(lexer.next().text, ";");
  EXPECT_EQ(lexer.next().kind, PtxToken::Kind::End);
}

TEST(PtxLexer, ParsesStatements) {
  auto statements = parsePtx(
      ".version 8.5\n.target sm_90a, debug\n.address_size 64\n"
      ".extern .func (.param .b32 r) f (.param .b64 p)\n.noreturn;\n"
      ".visible .entry k(.param .u64 p) .maxntid 128, 1, 1 { ret; }\n"
      ".weak .global .attribute(.managed) .align 8 .b8 v[4] = {1, 2, 3, 4};\n"
      "\t.file\t1 \"a b.cu\", 1, 2\n.pragma \"nounroll\";\n"
      ".section .debug_loc { }\n.alias a, b;\n",
      "t.ptx");
  ASSERT_TRUE(static_cast<bool>(statements))
      << toString(statements.takeError());
  ASSERT_EQ(statements->size(), 10u);
  const auto &s = *statements;
  EXPECT_EQ(s[1].argument, "sm_90a, debug");
  EXPECT_EQ(s[3].kind, PtxStatementKind::FunctionPrototype);
  EXPECT_EQ(s[3].name, "f");
  EXPECT_EQ(s[3].linkage, PtxLinkage::Extern);
  EXPECT_EQ(s[4].kind, PtxStatementKind::FunctionDefinition);
  EXPECT_EQ(s[4].name, "k");
  EXPECT_EQ(s[5].name, "v");
  EXPECT_EQ(s[5].alignment, 8u);
  EXPECT_EQ(s[5].initializer, "= {1, 2, 3, 4}");
  EXPECT_EQ(s[6].fileIndex, 1u);
  EXPECT_EQ(s[6].argument, "\"a b.cu\", 1, 2");
  EXPECT_EQ(s[8].name, ".debug_loc");
  EXPECT_EQ(s[8].argument, "");
  EXPECT_EQ(s[9].name, "a");
  EXPECT_EQ(s[9].line, 11u);
}

TEST(PtxLexer, ReportsWhatDoesNotEnd) {
  for (const char *text :
       {".visible .entry k() { ret;", ".global .u32 x", ".func f(", ".func",
        ".global .u32 a, b;", "ld.u32 x;", ".file x", ".section .s", "}",
        ".global .align x .u32 a;", ".section .s {"}) {
    auto statements = parsePtx(text, "t.ptx");
    ASSERT_FALSE(static_cast<bool>(statements)) << text;
    EXPECT_THAT(toString(statements.takeError()), HasSubstr("t.ptx:1: "));
  }
}

TEST(PtxMerge, KeepsEqualLocalNamesApart) {
  std::string merged = mergeOk(
      {".func f()\n{\nret;\n}\n.visible .entry a()\n{\ncall.uni f, ();\n}\n",
       ".func f()\n{\ntrap;\n}\n.visible .entry b()\n{\ncall.uni f, ();\n}\n"});
  EXPECT_THAT(merged, HasSubstr(".func f()\n{\nret;"));
  EXPECT_THAT(merged, HasSubstr(".func f_$p1()\n{\ntrap;"));
  EXPECT_THAT(merged, HasSubstr("entry b()\n{\ncall.uni f_$p1, ();"));
  EXPECT_THAT(merged, HasSubstr("entry a()\n{\ncall.uni f, ();"));
}

TEST(PtxMerge, RenamesAwayFromAnyTakenName) {
  std::string merged =
      mergeOk({".visible .global .u32 f_$p1;\n.func f()\n{\n}\n",
               ".func f()\n{\nld.u32 %r1, [f_$p1];\n}\n"
               ".extern .global .u32 f_$p1;\n"});
  EXPECT_THAT(merged, HasSubstr(".func f_$p1_1()\n{\nld.u32 %r1, [f_$p1];"));
}

TEST(PtxMerge, LeavesOpcodesAndStringsAlone) {
  std::string body = ".global .u32 ret;\n.func g()\n{\n.pragma \"ret\";\n"
                     "\t.loc 1 2 3\nret;\n@%p1 ret;\n{ ret; }\nret: bra ret;\n"
                     "mov.u64 %rd1, ret;\n}\n\t.file\t1 \"ret\"\n";
  std::string merged = mergeOk({body, body});
  EXPECT_THAT(merged,
              HasSubstr(".func g_$p1()\n{\n.pragma \"ret\";\n\t.loc 1 2 3\n"
                        "ret;\n@%p1 ret;\n{ ret; }\nret_$p1: bra ret_$p1;\n"
                        "mov.u64 %rd1, ret_$p1;\n}"));
}

TEST(PtxMerge, DropsDeclarationsOfWhatIsDefined) {
  std::string merged = mergeOk({".extern .global .align 4 .b32 n;\n"
                                ".visible .global .u64 p = generic(n);\n",
                                ".visible .global .align 4 .u32 n = 3;\n"});
  EXPECT_THAT(merged, Not(HasSubstr(".extern")));
  // The definition stands before the initializer that uses it.
  EXPECT_LT(merged.find("n = 3"), merged.find("generic(n)"));
}

TEST(PtxMerge, DeclaresFunctionsBeforeInitializers) {
  std::string merged =
      mergeOk({".extern .func g();\n.visible .global .u64 t = g;\n",
               ".visible .func g()\n{\nret;\n}\n"});
  EXPECT_LT(merged.find(".visible .func g();"), merged.find("t = g"));
  EXPECT_LT(merged.find("t = g"), merged.find(".visible .func g()\n{"));
}

TEST(PtxMerge, KeepsOneDeclarationOfDynamicSharedMemory) {
  std::string merged = mergeOk({".extern .shared .align 4 .b8 s[];\n",
                                ".extern .shared .align 16 .b8 s[];\n"});
  EXPECT_THAT(merged, HasSubstr(".extern .shared .align 16 .b8 s[];"));
  EXPECT_EQ(occurrences(merged, ".extern"), 1u);
}

TEST(PtxMerge, TakesOneOfWeakDefinitions) {
  std::string weak = ".weak .func w()\n{\nret;\n}\n";
  EXPECT_EQ(occurrences(mergeOk({weak, weak, weak}), ".weak .func w()"), 1u);
  std::string merged = mergeOk({weak, ".visible .func w()\n{\ntrap;\n}\n"});
  EXPECT_THAT(merged, Not(HasSubstr(".weak")));
  EXPECT_THAT(merged, HasSubstr("trap"));
}

TEST(PtxMerge, RenumbersFiles) {
  std::string merged = mergeOk(
      {".func f()\n{\n\t.loc\t1 5 0\n}\n\t.file\t1 \"a.cu\"\n",
       ".func g()\n{\n\t.loc\t1 6 0\n\t.loc\t2 7 0, function_name $L__s, "
       "inlined_at 1 8 9\n}\n"
       "\t.file\t1 \"b.cu\"\n\t.file\t2 \"a.cu\"\n"});
  EXPECT_THAT(merged, HasSubstr(".loc\t1 5 0"));
  EXPECT_THAT(merged, HasSubstr(".loc\t2 6 0"));
  EXPECT_THAT(merged, HasSubstr(".loc\t1 7 0, function_name $L__s, "
                                "inlined_at 2 8 9"));
  EXPECT_THAT(merged, HasSubstr(".file\t1 \"a.cu\"\n\t.file\t2 \"b.cu\"\n"));
}

TEST(PtxMerge, JoinsDebugStrings) {
  std::string part = ".func f()\n{\n\t.loc 1 1 1, function_name $L__s, "
                     "inlined_at 1 2 3\n}\n.section .debug_str {\n$L__s:\n"
                     ".b8 102, 0\n}\n.file 1 \"a\"\n";
  std::string merged = mergeOk({part, part});
  EXPECT_EQ(occurrences(merged, ".debug_str"), 1u);
  EXPECT_THAT(merged, HasSubstr("function_name $L__s_$p1, "));
  EXPECT_THAT(merged, HasSubstr("$L__s_$p1:\n.b8 102, 0"));
}

TEST(PtxMerge, RefusesWhatCannotBeMerged) {
  EXPECT_THAT(mergeError({".visible .global .u32 n;\n",
                          "\n.visible .global .u32 n;\n"}),
              HasSubstr("1.ptx:5: 'n' is defined in 0.ptx:4 too"));
  EXPECT_THAT(
      mergeError({".extern .func f();\n", ".extern .func f(.param .b32 p);\n"}),
      HasSubstr("'f' is declared otherwise in 0.ptx:4"));
  EXPECT_THAT(
      mergeError({".weak .global .u32 n;\n", ".weak .global .u64 n;\n"}),
      HasSubstr("'n' is defined otherwise"));
  EXPECT_THAT(mergeError({".section .debug_info { .b8 1 }\n"}),
              HasSubstr("section '.debug_info' cannot be merged"));
  PtxPart a{"a", ".version 8.5\n.target sm_90\n.address_size 64\n"};
  PtxPart b{"b", ".version 8.5\n.target sm_80\n.address_size 64\n"};
  PtxPart none{"none", "// empty\n"};
  EXPECT_THAT(toString(mergePtx({a, b}).takeError()),
              HasSubstr("b: target 'sm_80', 64 bits, cannot be merged"));
  EXPECT_THAT(toString(mergePtx({a, none}).takeError()),
              HasSubstr("none: PTX without .version"));
  EXPECT_THAT(toString(mergePtx({}).takeError()), HasSubstr("no PTX"));
}

TEST(PtxMerge, TakesTheNewestVersion) {
  PtxPart a{"a", ".version 8.5\n.target sm_90\n.address_size 64\n"};
  PtxPart b{"b", ".version 8.10\n.target sm_90\n.address_size 64\n"};
  Expected<std::string> merged = mergePtx({a, b});
  ASSERT_TRUE(static_cast<bool>(merged)) << toString(merged.takeError());
  EXPECT_THAT(*merged, HasSubstr(".version 8.10\n"));
}
