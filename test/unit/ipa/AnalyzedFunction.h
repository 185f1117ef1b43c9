// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GPULTO_TEST_UNIT_IPA_ANALYZEDFUNCTION_H
#define GPULTO_TEST_UNIT_IPA_ANALYZEDFUNCTION_H

#include "gtest/gtest.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ValueSymbolTable.h"
#include "llvm/Support/SourceMgr.h"

/// A kernel from text, with what is asked of LLVM about it.
struct AnalyzedFunction {
  /// \p parameters and \p body as in the assembly text of LLVM.
  AnalyzedFunction(const std::string &parameters, const std::string &body)
      : module(parse("define void @f(" + parameters + ") {\n" + body + "}")),
        function(*module->getFunction("f")), dominators(function),
        loops(dominators), assumed(function),
        libraries(llvm::Triple(module->getTargetTriple())), library(libraries),
        evolution(function, library, assumed, dominators, loops) {}

  /// Returns the value or block that is called \p name.
  template <typename T = llvm::Value> T &at(const char *name) {
    return *llvm::cast<T>(function.getValueSymbolTable()->lookup(name));
  }
  llvm::BasicBlock &block(const char *name) {
    return at<llvm::BasicBlock>(name);
  }

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  llvm::Function &function;
  llvm::DominatorTree dominators;
  llvm::LoopInfo loops;
  llvm::AssumptionCache assumed;
  llvm::TargetLibraryInfoImpl libraries;
  llvm::TargetLibraryInfo library;
  llvm::ScalarEvolution evolution;

private:
  std::unique_ptr<llvm::Module> parse(const std::string &text) {
    llvm::SMDiagnostic problem;
    std::unique_ptr<llvm::Module> result = llvm::parseAssemblyString(
        "target datalayout = \"e-i64:64-i128:128-v16:16-v32:32-n16:32:64\"\n"
        "target triple = \"nvptx64-nvidia-cuda\"\n"
        "declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n" +
            text,
        problem, context);
    EXPECT_TRUE(result) << problem.getMessage().str();
    return result;
  }
};

#endif
