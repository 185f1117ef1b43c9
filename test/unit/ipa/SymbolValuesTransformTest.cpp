//===- SymbolValuesTransformTest.cpp - Bytes of variables -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "gtest/gtest.h"
#include "ipa/transfers/TransfersTransform.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gpulto {
namespace {

class SymbolValuesTransform : public testing::Test {
protected:
  /// Returns the variable `v` of \p text with \p initial in it.
  GlobalVariable *set(StringRef text, ArrayRef<KnownBytes> initial) {
    SMDiagnostic error;
    module = parseAssemblyString(text, error, context);
    EXPECT_TRUE(module) << error.getMessage().str();
    GlobalVariable *variable =
        setInitialBytes(*module->getNamedGlobal("v"), initial);
    EXPECT_FALSE(verifyModule(*module, &errs()));
    EXPECT_EQ(variable, module->getNamedGlobal("v"));
    return variable;
  }
  static std::string textOf(const GlobalVariable *variable) {
    std::string text;
    raw_string_ostream stream(text);
    variable->print(stream);
    return text;
  }

  LLVMContext context;
  std::unique_ptr<Module> module;
};

TEST_F(SymbolValuesTransform, NumbersKeepTheirType) {
  EXPECT_EQ(textOf(set("@v = addrspace(4) externally_initialized global i32 7",
                       {{1, std::string("\x01", 1)}})),
            "@v = addrspace(4) externally_initialized global i32 263");
  EXPECT_EQ(textOf(set("@v = global double 0.0",
                       {{0, std::string("\0\0\0\0\0\0\xf0\x3f", 8)}})),
            "@v = global double 1.000000e+00");
  EXPECT_EQ(textOf(set("@v = global float undef", {})),
            "@v = global float 0.000000e+00");
}

TEST_F(SymbolValuesTransform, ArraysKeepTheirType) {
  EXPECT_EQ(
      textOf(set("@v = global [3 x i16] [i16 1, i16 2, i16 3], align 8",
                 {{0, std::string("\x04", 1)}, {4, std::string("\0\x01", 2)}})),
      "@v = global [3 x i16] [i16 4, i16 2, i16 256], align 8");
  EXPECT_EQ(textOf(set("@v = global [2 x float] zeroinitializer", {})),
            "@v = global [2 x float] zeroinitializer");
}

TEST_F(SymbolValuesTransform, OthersBecomeBytes) {
  // A structure with a gap, of which a copy sets the gap as well.
  EXPECT_EQ(textOf(set("@v = weak_odr addrspace(4) global { i8, i16 } "
                       "{ i8 1, i16 2 }\n"
                       "@w = global ptr addrspace(4) @v",
                       {{1, std::string("\x09", 1)}})),
            "@v = weak_odr addrspace(4) global [4 x i8] c\"\\01\\09\\02\\00\", "
            "align 8");
  EXPECT_EQ(textOf(set("@v = global <2 x i8> <i8 1, i8 2>, align 16",
                       {{1, std::string("\x03", 1)}})),
            "@v = global [2 x i8] c\"\\01\\03\", align 16");
}

TEST_F(SymbolValuesTransform, ConstantsAreSeenByTheirUsers) {
  GlobalVariable *variable =
      set("@v = addrspace(4) externally_initialized global [2 x i32] undef\n"
          "define i32 @user() {\n"
          "  %x = load i32, ptr addrspacecast (ptr addrspace(4) "
          "getelementptr (i8, ptr addrspace(4) @v, i64 4) to ptr)\n"
          "  ret i32 %x\n"
          "}\n"
          "define void @other() {\n"
          "  ret void\n"
          "}\n",
          {});
  std::vector<std::string> users;
  makeConstant(*variable, [&](Function &function) {
    users.push_back(function.getName().str());
  });
  EXPECT_TRUE(variable->isConstant());
  EXPECT_FALSE(variable->isExternallyInitialized());
  EXPECT_EQ(users, std::vector<std::string>{"user"});
}

TEST_F(SymbolValuesTransform, LoadsOfKnownBytesAreReplaced) {
  // Fields at 0, 4 and 8, of which the first two are known.
  GlobalVariable *variable =
      set("@v = addrspace(4) externally_initialized global [3 x i32] undef\n"
          "define i32 @known() {\n"
          "  %x = load i32, ptr addrspacecast (ptr addrspace(4) "
          "getelementptr (i8, ptr addrspace(4) @v, i64 4) to ptr)\n"
          "  ret i32 %x\n"
          "}\n"
          "define float @real() {\n"
          "  %x = load float, ptr addrspace(4) @v\n"
          "  ret float %x\n"
          "}\n"
          "define i32 @behind() {\n"
          "  %x = load i32, ptr addrspace(4) "
          "getelementptr (i8, ptr addrspace(4) @v, i64 6)\n"
          "  ret i32 %x\n"
          "}\n"
          "define ptr @pointer() {\n"
          "  %x = load ptr, ptr addrspace(4) @v\n"
          "  ret ptr %x\n"
          "}\n"
          "define i32 @volatileLoad() {\n"
          "  %x = load volatile i32, ptr addrspace(4) @v\n"
          "  ret i32 %x\n"
          "}\n"
          "define i32 @anywhere(i64 %i) {\n"
          "  %p = getelementptr i32, ptr addrspace(4) @v, i64 %i\n"
          "  %x = load i32, ptr addrspace(4) %p\n"
          "  ret i32 %x\n"
          "}\n",
          {});
  std::vector<std::string> changed;
  replaceKnownLoads(
      *variable, {{0, std::string("\0\0\x80\x3f\x07\0\0\0", 8)}},
      [&](Function &function) { changed.push_back(function.getName().str()); });
  EXPECT_FALSE(verifyModule(*module, &errs()));
  EXPECT_FALSE(variable->isConstant());
  llvm::sort(changed);
  EXPECT_EQ(changed, (std::vector<std::string>{"known", "real"}));
  auto returned = [&](StringRef name) {
    return cast<ReturnInst>(module->getFunction(name)->back().getTerminator())
        ->getReturnValue();
  };
  EXPECT_EQ(cast<ConstantInt>(returned("known"))->getZExtValue(), 7U);
  EXPECT_TRUE(cast<ConstantFP>(returned("real"))->isExactlyValue(1.0F));
}

} // namespace
} // namespace gpulto
