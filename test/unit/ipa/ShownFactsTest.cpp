//===- ShownFactsTest.cpp - What calls in a partition show ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "gtest/gtest.h"
#include "ipa/plans/ConstantsTransform.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace gpulto;

namespace {

class ShownFacts : public testing::Test {
protected:
  void parse(const char *text) {
    llvm::SMDiagnostic problem;
    module = llvm::parseAssemblyString(text, problem, context);
    ASSERT_TRUE(module) << problem.getMessage().str();
  }
  /// Applies, to @f, that its first parameter is not null and a multiple of 8.
  bool apply() {
    ValueFact fact;
    fact.alignLog2 = 3;
    fact.isNonNull = true;
    FunctionFacts facts;
    facts.values = {fact};
    return applyShownFacts(*module->getFunction("f"), facts);
  }
  const llvm::Argument &argument() {
    return *module->getFunction("f")->getArg(0);
  }

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
};

TEST_F(ShownFacts, AreWhatAllCallsShow) {
  parse("define void @f(ptr %p) { ret void }\n"
        "define void @k() {\n"
        "  %a = alloca [4 x i64], align 8\n"
        "  %b = getelementptr inbounds i8, ptr %a, i64 16\n"
        "  call void @f(ptr %a)\n"
        "  call void @f(ptr %b)\n"
        "  ret void\n}\n");
  EXPECT_TRUE(apply());
  EXPECT_EQ(argument().getParamAlign(), llvm::MaybeAlign(8));
  EXPECT_TRUE(argument().hasNonNullAttr());
  EXPECT_FALSE(apply()) << "all has been said";
}

TEST_F(ShownFacts, OneCallMayShowLess) {
  parse("define void @f(ptr %p) { ret void }\n"
        "define void @k(ptr align 8 %q) {\n"
        "  %a = alloca [4 x i64], align 8\n"
        "  call void @f(ptr %a)\n"
        "  call void @f(ptr %q)\n"
        "  ret void\n}\n");
  EXPECT_TRUE(apply());
  EXPECT_EQ(argument().getParamAlign(), llvm::MaybeAlign(8));
  EXPECT_FALSE(argument().hasNonNullAttr());
}

TEST_F(ShownFacts, NothingWhereItIsUsedOtherwise) {
  parse("@table = constant ptr @f\n"
        "define void @f(ptr %p) { ret void }\n"
        "define void @k() {\n"
        "  %a = alloca i64, align 8\n"
        "  call void @f(ptr %a)\n"
        "  ret void\n}\n");
  EXPECT_FALSE(apply());
  EXPECT_FALSE(argument().hasNonNullAttr());
}

TEST_F(ShownFacts, NothingOfWhatIsNotToBeOptimized) {
  parse("define void @f(ptr %p) noinline optnone { ret void }\n"
        "define void @k() {\n"
        "  %a = alloca i64, align 8\n"
        "  call void @f(ptr %a)\n"
        "  ret void\n}\n");
  EXPECT_FALSE(apply());
}

} // namespace
