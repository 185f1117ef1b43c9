//===- LaunchChoicesTest.cpp - A launch for each of a few blocks ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lto/lgen/LaunchChoices.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <gmock/gmock.h>

using namespace llvm;
using namespace gpulto;
using testing::ElementsAre;

namespace {

/// Returns the blocks of the launches of a kernel, "?" where they are no
/// constants, after the pass. \p choice computes %block.
std::vector<std::string> blocksAfter(StringRef choice) {
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::string text = R"(
declare i32 @__cudaPushCallConfiguration(i64, i32, i64, i32, i64, ptr)
declare void @_Z18__device_stub__onePi(ptr)
define void @f(ptr %p, i1 %c, i1 %d, i64 %n) {
entry:
)" + choice.str() + R"(
  %failed = call i32 @__cudaPushCallConfiguration(i64 1, i32 1, i64 %block,
                                                  i32 1, i64 0, ptr null)
  %works = icmp eq i32 %failed, 0
  br i1 %works, label %launch, label %end
launch:
  call void @_Z18__device_stub__onePi(ptr %p)
  br label %end
end:
  ret void
}
)";
  std::unique_ptr<Module> module =
      parseAssemblyString(text, diagnostic, context);
  EXPECT_NE(module, nullptr) << diagnostic.getMessage().str();
  if (!module)
    return {};
  FunctionAnalysisManager analyses;
  PassBuilder().registerFunctionAnalyses(analyses);
  Function &function = *module->getFunction("f");
  SplitLaunchesPass().run(function, analyses);
  EXPECT_FALSE(verifyFunction(function, &errs()));
  std::vector<std::string> blocks;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<CallInst>(&instruction);
        call && call->arg_size() == 6) {
      auto *block = dyn_cast<ConstantInt>(call->getArgOperand(2));
      blocks.push_back(block ? std::to_string(block->getZExtValue()) : "?");
    }
  llvm::sort(blocks);
  return blocks;
}

TEST(LaunchChoices, ConstantsAreChosenFrom) {
  EXPECT_THAT(blocksAfter("%block = select i1 %c, i64 64, i64 128"),
              ElementsAre("128", "64"));
  EXPECT_THAT(blocksAfter("%x = select i1 %c, i64 64, i64 128\n"
                          "%y = select i1 %d, i64 %x, i64 32\n"
                          "%block = or i64 %y, 4294967296"),
              ElementsAre("4294967328", "4294967360", "4294967424"));
}

TEST(LaunchChoices, OthersAreLeftAlone) {
  EXPECT_THAT(blocksAfter("%x = select i1 %c, i64 64, i64 %n\n"
                          "%block = or i64 %x, 4294967296"),
              ElementsAre("?"));
  EXPECT_THAT(blocksAfter("%x = select i1 %c, i64 64, i64 128\n"
                          "%block = add i64 %x, %n"),
              ElementsAre("?"));
  // An operation of constants alone, which LLVM has not folded.
  EXPECT_THAT(blocksAfter("%block = add i64 64, 64"), ElementsAre("?"));
  // One of them has no result.
  EXPECT_THAT(blocksAfter("%x = select i1 %c, i64 0, i64 2\n"
                          "%block = udiv i64 64, %x"),
              ElementsAre("?"));
}

} // namespace
