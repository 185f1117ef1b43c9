//===- BodyDigestsTest.cpp - What changes a content digest
//-----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "icf/BodyDigests.h"

#include "gtest/gtest.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

using namespace gpulto;

namespace {

/// Digest of @f, or of variable @v when there is no @f, in \p text.
Digest digest(const std::string &text) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module =
      llvm::parseAssemblyString(text, problem, context);
  if (!module) {
    ADD_FAILURE() << problem.getMessage().str() << "\n" << text;
    return {};
  }
  ContentDigester digester(*module);
  if (const llvm::Function *f = module->getFunction("f"))
    return digester.digestOf(*f);
  return digester.digestOf(*module->getNamedGlobal("v"));
}

const char kBody[] = R"(
  declare i32 @g(i32) readnone
  define i32 @f(ptr %p, i32 %n) {
  entry:
    %a = load i32, ptr %p, align 4
    %b = add i32 %a, %n
    %c = icmp slt i32 %b, 3
    br i1 %c, label %x, label %y
  x:
    %d = call i32 @g(i32 %b)
    br label %y
  y:
    %e = phi i32 [ %b, %entry ], [ %d, %x ]
    ret i32 %e
  }
)";

std::string replaced(std::string text, const std::string &from,
                     const std::string &to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(ContentDigest, DoesNotDependOnLocalNames) {
  std::string other = kBody;
  for (auto [from, to] :
       {std::pair("%d = call", "%q = call"), std::pair("%d, %x", "%q, %x")})
    other = replaced(other, from, to);
  EXPECT_EQ(digest(kBody), digest(other));
}

TEST(ContentDigest, DoesNotDependOnOtherGlobals) {
  EXPECT_EQ(digest(kBody), digest("@z = global i32 1\n%t = type { i8 }\n"
                                  "define void @before() { ret void }\n" +
                                  std::string(kBody)));
}

TEST(ContentDigest, ChangesWithTheBody) {
  for (auto [from, to] :
       {std::pair("align 4", "align 2"),
        std::pair("load i32", "load volatile i32"),
        std::pair("add i32 %a", "add nsw i32 %a"),
        std::pair("add i32", "sub i32"), std::pair("slt", "sle"),
        std::pair(", 3", ", 4"),
        std::pair("label %x, label %y", "label %y, label %x"),
        std::pair("[ %b, %entry ], [ %d, %x ]", "[ %n, %entry ], [ %d, %x ]"),
        std::pair("call i32", "tail call i32"),
        std::pair("call i32 @g(i32 %b)", "call i32 @g(i32 noundef %b)"),
        std::pair("i32 %b)", "i32 %n)")})
    EXPECT_NE(digest(kBody), digest(replaced(kBody, from, to)))
        << from << " -> " << to;
}

TEST(ContentDigest, ChangesWithSignatureAndAttributes) {
  for (auto [from, to] :
       {std::pair("define i32 @f", "define hidden i32 @f"),
        std::pair("define i32 @f", "define internal i32 @f"),
        std::pair("ptr %p, i32 %n)", "ptr noalias %p, i32 %n)"),
        std::pair("i32 %n) {", "i32 %n) noinline {"),
        std::pair("i32 %n) {", "i32 %n) \"target-cpu\"=\"sm_80\" {"),
        std::pair("i32 %n) {", "i32 %n) section \"s\" {")})
    EXPECT_NE(digest(kBody), digest(replaced(kBody, from, to))) << to;
}

TEST(ContentDigest, ChangesWithWhatIsCalled) {
  EXPECT_NE(digest(kBody),
            digest(replaced(kBody, "@g(i32) readnone", "@g(i32)")));
  std::string renamed = replaced(replaced(kBody, "@g(i32) r", "@h(i32) r"),
                                 "@g(i32 %b)", "@h(i32 %b)");
  EXPECT_NE(digest(kBody), digest(renamed));
}

TEST(ContentDigest, ChangesWithMetadataThatMatters) {
  std::string with = replaced(kBody, "align 4", "align 4, !range !0") +
                     "!0 = !{i32 0, i32 5}\n";
  EXPECT_NE(digest(kBody), digest(with));
  EXPECT_NE(digest(with), digest(replaced(with, "i32 5}", "i32 6}")));
  // The same node under another number.
  EXPECT_EQ(digest(with),
            digest(replaced(replaced(with, "!range !0", "!range !1"),
                            "!0 =", "!0 = !{}\n!1 =")));
}

TEST(ContentDigest, TellsDistinctNodesApart) {
  auto text = [](const char *second) {
    return std::string("define void @f(ptr %p) {\n"
                       "  store i8 0, ptr %p, !alias.scope !1\n"
                       "  store i8 1, ptr %p, !noalias ") +
           second +
           "\n  ret void\n}\n!0 = distinct !{!0}\n"
           "!1 = !{!2}\n!2 = distinct !{!2, !0}\n"
           "!3 = !{!4}\n!4 = distinct !{!4, !0}\n";
  };
  EXPECT_NE(digest(text("!1")), digest(text("!3")));
}

TEST(ContentDigest, CopyableConstantsCountByContents) {
  auto text = [](const char *name, const char *value) {
    return std::string("@") + name +
           " = private unnamed_addr constant [2 x i8] c\"" + value +
           "\"\ndeclare void @g(ptr)\n" +
           "define void @f() {\n  call void @g(ptr @" + name +
           ")\n  ret void\n}\n";
  };
  EXPECT_EQ(digest(text(".str", "ab")), digest(text(".str.7", "ab")));
  EXPECT_NE(digest(text(".str", "ab")), digest(text(".str", "ac")));
}

TEST(ContentDigest, SelfReferencingConstantEnds) {
  EXPECT_FALSE(
      digest("@v = constant { ptr, i32 } { ptr @v, i32 1 }\n").isNone());
}

TEST(ContentDigest, VariablesByContents) {
  Digest one = digest("@v = global i32 1\n");
  EXPECT_EQ(one, digest("@w = global i32 7\n@v = global i32 1\n"));
  for (const char *other :
       {"@v = global i32 2\n", "@v = constant i32 1\n",
        "@v = thread_local global i32 1\n", "@v = global i32 1, align 16\n",
        "@v = internal global i32 1\n", "@v = addrspace(1) global i32 1\n"})
    EXPECT_NE(one, digest(other)) << other;
}

TEST(ContentDigest, DebugLinesCount) {
  auto text = [](int line) {
    return "define void @f() !dbg !3 {\n  ret void, !dbg !5\n}\n"
           "!llvm.module.flags = !{!0}\n!llvm.dbg.cu = !{!1}\n"
           "!0 = !{i32 2, !\"Debug Info Version\", i32 3}\n"
           "!1 = distinct !DICompileUnit(language: DW_LANG_C, file: !2)\n"
           "!2 = !DIFile(filename: \"a.c\", directory: \"d\")\n"
           "!3 = distinct !DISubprogram(name: \"f\", file: !2, line: 1, "
           "unit: !1, type: !4, spFlags: DISPFlagDefinition)\n"
           "!4 = !DISubroutineType(types: !{null})\n"
           "!5 = !DILocation(line: " +
           std::to_string(line) + ", scope: !3)\n";
  };
  EXPECT_EQ(digest(text(4)), digest(text(4)));
  EXPECT_NE(digest(text(4)), digest(text(5)));
}

} // namespace
