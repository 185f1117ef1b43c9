//===- SourcePlacesTest.cpp - Where code stands in the source -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/bodies/SourcePlaces.h"

#include "gtest/gtest.h"
#include "summary/ModuleSummary.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/StringSaver.h"

using namespace llvm;

namespace gpulto {
namespace {

/// @f, of the unit's file, has a call of its own, one that was inlined from a
/// header into it, and one that was inlined from the header into the header and
/// from there into @f. @h is of the header.
constexpr StringLiteral kText = R"(
declare void @g()
define void @f(i32 %0, i32 %b.coerce, ptr %agg.result) !dbg !4 {
    #dbg_value(i32 %0, !20, !DIExpression(), !6)
  call void @g(), !dbg !6
  call void @g(), !dbg !9
  call void @g(), !dbg !10
  call void @g(), !dbg !11
  ret void
}
define void @h(i32 %0) !dbg !7 {
  %v = alloca i32
    #dbg_declare(ptr %v, !22, !DIExpression(), !8)
  store i32 %0, ptr %v
  call void @g(), !dbg !8
  call void @g()
  ret void
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.cu", directory: "/d")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !12)
!4 = distinct !DISubprogram(name: "f", scope: !14, file: !14, line: 2, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DIFile(filename: "./b.h", directory: "/d")
!6 = !DILocation(line: 4, column: 3, scope: !4)
!7 = distinct !DISubprogram(name: "h", scope: !5, file: !5, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!8 = !DILocation(line: 5, column: 9, scope: !7)
!9 = !DILocation(line: 5, column: 9, scope: !7, inlinedAt: !13)
!10 = !DILocation(line: 5, column: 9, scope: !7, inlinedAt: !15)
!11 = !DILocation(line: 0, scope: !4)
!12 = !{null}
!13 = distinct !DILocation(line: 6, column: 1, scope: !4)
!14 = !DIFile(filename: "./a.cu", directory: "/d")
!15 = distinct !DILocation(line: 8, column: 2, scope: !7, inlinedAt: !16)
!16 = distinct !DILocation(line: 9, column: 7, scope: !4)
!22 = !DILocalVariable(name: "depth", arg: 1, scope: !7, file: !5, line: 1, type: !21)
!20 = !DILocalVariable(name: "count", arg: 1, scope: !4, file: !14, line: 2, type: !21)
!21 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
)";

struct SourcePlacesTest : testing::Test {
  LLVMContext context;
  std::unique_ptr<Module> module;
  ModuleSummary summary;
  BumpPtrAllocator allocator;
  StringSaver strings{allocator};

  void SetUp() override {
    SMDiagnostic problem;
    module = parseAssemblyString(kText, problem, context);
    ASSERT_TRUE(module) << problem.getMessage().str();
  }
  std::vector<SourcePlace> callsOf(const SourcePlaces &places,
                                   StringRef function) {
    std::vector<SourcePlace> result;
    for (const Instruction &i : instructions(*module->getFunction(function)))
      if (auto *call = dyn_cast<CallBase>(&i))
        result.push_back(places.of(*call));
    return result;
  }
};

TEST_F(SourcePlacesTest, CallsStandWhereTheUnitsFileMakesThem) {
  SourcePlaces places(*module, summary, strings);
  EXPECT_EQ(callsOf(places, "f"),
            (std::vector<SourcePlace>{{4, 3, 0}, {6, 1, 0}, {9, 7, 0}, {}}));
  EXPECT_EQ(callsOf(places, "h"), (std::vector<SourcePlace>{{5, 9, 1}, {}}));
  EXPECT_EQ(places.of(*module->getFunction("f")), (SourcePlace{2, 0, 0}));
  EXPECT_EQ(places.of(*module->getFunction("h")), (SourcePlace{1, 0, 1}));
  ASSERT_EQ(summary.sourceFiles.size(), 1u);
  EXPECT_EQ(summary.sourceFiles[0].text, "b.h");
}

TEST_F(SourcePlacesTest, ParametersHaveTheirNames) {
  SourcePlaces places(*module, summary, strings);
  auto nameOf = [&](StringRef function, unsigned i) -> StringRef {
    uint32_t name = places.nameOf(*module->getFunction(function)->getArg(i));
    return name ? summary.sourceNames[name - 1].text : "";
  };
  EXPECT_EQ(nameOf("f", 0), "count") << "by debug information";
  EXPECT_EQ(nameOf("f", 1), "b") << "by the value's name";
  EXPECT_EQ(nameOf("f", 2), "") << "the source has none";
  EXPECT_EQ(nameOf("h", 0), "depth") << "by where it is stored";
  EXPECT_TRUE(dropLocalNames(*module));
  EXPECT_FALSE(module->getFunction("f")->getArg(1)->hasName());
  EXPECT_FALSE(dropLocalNames(*module));
}

} // namespace
} // namespace gpulto
