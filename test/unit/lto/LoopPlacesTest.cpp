//===- LoopPlacesTest.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/lgen/LoopPlaces.h"

#include "gtest/gtest.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gpulto {
namespace {

/// A function with a loop of two latches that is to be unrolled, and one of
/// which nothing is wanted, which is entered where the first one ends.
constexpr StringLiteral kText = R"(
define void @f(i1 %a) !dbg !4 {
entry:
  br label %wanted
wanted:
  br i1 %a, label %second, label %wanted, !dbg !6, !llvm.loop !7
second:
  br i1 %a, label %other, label %wanted, !dbg !6, !llvm.loop !7
other:
  br i1 %a, label %end, label %other, !dbg !6, !llvm.loop !9
end:
  ret void
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, emissionKind: NoDebug)
!1 = !DIFile(filename: "dir/k.cu", directory: "/d")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !10)
!4 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 2, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DILocation(line: 4, column: 3, scope: !4)
!6 = !DILocation(line: 9, column: 1, scope: !4)
!7 = distinct !{!7, !5, !6, !8}
!8 = !{!"llvm.loop.unroll.enable"}
!9 = distinct !{!9, !5, !6}
!10 = !{null}
)";

class LoopPlacesTest : public testing::Test {
protected:
  LoopPlacesTest() {
    SMDiagnostic error;
    module = parseAssemblyString(kText, error, context);
  }
  BasicBlock &block(StringRef name) {
    for (BasicBlock &one : *module->getFunction("f"))
      if (one.getName() == name)
        return one;
    llvm_unreachable("no such block");
  }

  LLVMContext context;
  std::unique_ptr<Module> module;
};

TEST_F(LoopPlacesTest, KeepsThePlacesOfWantedLoops) {
  ASSERT_TRUE(module);
  EXPECT_EQ(placeOfLoop(block("wanted")), "");
  EXPECT_TRUE(keepLoopPlaces(*module));
  EXPECT_EQ(placeOfLoop(block("wanted")), "dir/k.cu:4:3");
  EXPECT_EQ(placeOfLoop(block("other")), "");
  MDNode *first = block("wanted").getTerminator()->getMetadata("llvm.loop");
  EXPECT_EQ(first, block("second").getTerminator()->getMetadata("llvm.loop"));
  EXPECT_EQ(first->getOperand(0), first);
  EXPECT_FALSE(verifyModule(*module, &errs()));
}

TEST_F(LoopPlacesTest, DropsDebugInformation) {
  ASSERT_TRUE(module);
  keepLoopPlaces(*module);
  EXPECT_TRUE(module->debug_compile_units().empty());
  EXPECT_FALSE(module->getFunction("f")->getSubprogram());
  EXPECT_FALSE(block("second").getTerminator()->getDebugLoc());
  EXPECT_FALSE(keepLoopPlaces(*module));
}

} // namespace
} // namespace gpulto
