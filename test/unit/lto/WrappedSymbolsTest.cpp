//===- WrappedSymbolsTest.cpp - The linker's --wrap on bitcode ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lto/WrappedSymbols.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace gpulto;

namespace {

const std::vector<std::string> kWrapped = {"f"};

struct Parsed {
  LLVMContext context;
  std::unique_ptr<Module> module;

  explicit Parsed(StringRef text) {
    SMDiagnostic diagnostic;
    module = parseAssemblyString(text, diagnostic, context);
  }
  /// The names of what function `user` calls, in order.
  std::string calls() {
    std::string names;
    for (Instruction &i : module->getFunction("user")->getEntryBlock())
      if (auto *call = dyn_cast<CallInst>(&i))
        names += call->getCalledOperand()->getName().str() + " ";
    return names;
  }
};

TEST(WrappedSymbols, NamesWhatIsUndefined) {
  EXPECT_EQ(nameUnderWrap("f", kWrapped), "__wrap_f");
  EXPECT_EQ(nameUnderWrap("__real_f", kWrapped), "f");
  EXPECT_EQ(nameUnderWrap("__wrap_f", kWrapped), "");
  EXPECT_EQ(nameUnderWrap("__real_g", kWrapped), "");
}

TEST(WrappedSymbols, RenamesBothEndsOfTheChain) {
  Parsed unit("declare void @f()\ndeclare void @__real_f()\n"
              "define void @user() {\n call void @f()\n"
              " call void @__real_f()\n ret void\n}\n");
  wrapSymbols(*unit.module, kWrapped);
  EXPECT_EQ(unit.calls(), "__wrap_f f ");
  leaveToLinker(*unit.module, kWrapped);
  EXPECT_EQ(unit.calls(), "__wrap_f __real_f ");
}

TEST(WrappedSymbols, LeavesDefinitionsAlone) {
  Parsed unit("define void @f() {\n ret void\n}\n"
              "define void @__wrap_f() {\n ret void\n}\n"
              "define void @user() {\n call void @f()\n ret void\n}\n");
  wrapSymbols(*unit.module, kWrapped);
  leaveToLinker(*unit.module, kWrapped);
  EXPECT_EQ(unit.calls(), "f ");
}

TEST(WrappedSymbols, JoinsWithADefinitionOfTheUnit) {
  Parsed unit("declare void @f()\ndefine void @__wrap_f() {\n ret void\n}\n"
              "define void @user() {\n call void @f()\n ret void\n}\n");
  wrapSymbols(*unit.module, kWrapped);
  EXPECT_EQ(unit.calls(), "__wrap_f ");
  EXPECT_FALSE(unit.module->getFunction("f"));
}

TEST(WrappedSymbols, DoesNotWrapAnImportedBodyAgain) {
  Parsed unit("define available_externally void @f() {\n ret void\n}\n"
              "define void @user() {\n call void @f()\n ret void\n}\n");
  leaveToLinker(*unit.module, kWrapped);
  EXPECT_EQ(unit.calls(), "__real_f ");
}

} // namespace
