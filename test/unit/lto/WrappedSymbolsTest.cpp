//===- WrappedSymbolsTest.cpp - The linker's --wrap on bitcode ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lto/partition/WrappedSymbols.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InlineAsm.h"
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

TEST(WrappedSymbols, NamesWordsOfAssembly) {
  Parsed unit(
      "module asm \"call f; lea gff(%rip), %rax; call g\"\n"
      "define void @g() {\n ret void\n}\n"
      "define void @user() {\n"
      " call void asm \"call ff; call f; mov $$f, %eax; jmp .f\", \"\"()\n"
      " ret void\n}\n");
  Function *user = unit.module->getFunction("user");
  wrapAssembly(*unit.module, {user}, {"f", "g"});
  EXPECT_EQ(unit.module->getModuleInlineAsm(),
            "call __wrap_f; lea gff(%rip), %rax; call g\n");
  auto &call = cast<CallBase>(user->getEntryBlock().front());
  EXPECT_EQ(cast<InlineAsm>(call.getCalledOperand())->getAsmString(),
            "call ff; call __wrap_f; mov $$__wrap_f, %eax; jmp .f");
}

TEST(WrappedSymbols, DoesNotWrapAnImportedBodyAgain) {
  Parsed unit("define available_externally void @f() {\n ret void\n}\n"
              "define void @user() {\n call void @f()\n ret void\n}\n");
  leaveToLinker(*unit.module, kWrapped);
  EXPECT_EQ(unit.calls(), "__real_f ");
}

} // namespace
