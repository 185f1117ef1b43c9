//===- LaunchChoicesTest.cpp - A launch for each of a few blocks ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lto/lgen/LaunchChoices.h"

#include "test/unit/Analyses.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <gmock/gmock.h>

using namespace llvm;
using namespace gpulto;
using testing::ElementsAre;

namespace {

/// Returns the blocks of the launches in \p body, of a function, after the
/// pass: "?" where they are no constants. That of a cudaLaunchKernelExC is a
/// constant if it is stored right before.
std::vector<std::string> blocksAfterSplitting(const Twine &body) {
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseAssemblyString((R"(
declare i32 @__cudaPushCallConfiguration(i64, i32, i64, i32, i64, ptr)
declare i32 @cudaLaunchKernel(ptr, i64, i32, i64, i32, ptr, i64, ptr)
declare i32 @cudaLaunchKernelExC(ptr, ptr, ptr)
declare void @_Z18__device_stub__onePi(ptr)
declare void @fill(ptr)
declare i32 @__gxx_personality_v0(...)
define i32 @f(ptr %p, i1 %c, i1 %d, i64 %n, i32 %m)
    personality ptr @__gxx_personality_v0 {
entry:
  %config = alloca [56 x i8], align 8
  %x = getelementptr i8, ptr %config, i64 12
  %y = getelementptr i8, ptr %config, i64 16
)" + body + "\n}\n")
                                                           .str(),
                                                       diagnostic, context);
  EXPECT_NE(module, nullptr) << diagnostic.getMessage().str();
  if (!module)
    return {};
  Analyses analyses;
  Function &function = *module->getFunction("f");
  SplitLaunchesPass().run(function, analyses.functions);
  EXPECT_FALSE(verifyFunction(function, &errs()));
  std::vector<std::string> blocks;
  for (Instruction &instruction : instructions(function)) {
    auto *call = dyn_cast<CallBase>(&instruction);
    if (!call || call->arg_empty())
      continue;
    StringRef name = call->getCalledFunction()->getName();
    const Value *block = nullptr;
    if (name == "__cudaPushCallConfiguration")
      block = call->getArgOperand(2);
    else if (name == "cudaLaunchKernel")
      block = call->getArgOperand(3);
    else if (name != "cudaLaunchKernelExC")
      continue;
    else if (auto *store = dyn_cast_or_null<StoreInst>(call->getPrevNode()))
      block = store->getValueOperand();
    auto *constant = dyn_cast_or_null<ConstantInt>(block);
    blocks.push_back(constant ? std::to_string(constant->getZExtValue()) : "?");
  }
  llvm::sort(blocks);
  return blocks;
}

/// As above, of a launch by `%block`, which \p choice computes.
std::vector<std::string> blocksAfter(const Twine &choice) {
  return blocksAfterSplitting(choice + R"(
  %failed = call i32 @__cudaPushCallConfiguration(i64 1, i32 1, i64 %block,
                                                  i32 1, i64 0, ptr null)
  %works = icmp eq i32 %failed, 0
  br i1 %works, label %launch, label %end
launch:
  call void @_Z18__device_stub__onePi(ptr %p)
  br label %end
end:
  ret i32 0
)");
}

/// A launch with the configuration `%config`.
std::string launchEx(const Twine &result) {
  return ("%" + result +
          " = call i32 @cudaLaunchKernelExC(ptr %config,"
          " ptr @_Z18__device_stub__onePi, ptr %p)\n")
      .str();
}

TEST(LaunchChoices, ConstantsAreChosenFrom) {
  EXPECT_THAT(blocksAfter("%block = select i1 %c, i64 64, i64 128"),
              ElementsAre("128", "64"));
  EXPECT_THAT(blocksAfter("%first = select i1 %c, i64 64, i64 128\n"
                          "%second = select i1 %d, i64 %first, i64 32\n"
                          "%block = or i64 %second, 4294967296"),
              ElementsAre("4294967328", "4294967360", "4294967424"));
}

TEST(LaunchChoices, OthersAreLeftAlone) {
  EXPECT_THAT(blocksAfter("%first = select i1 %c, i64 64, i64 %n\n"
                          "%block = or i64 %first, 4294967296"),
              ElementsAre("?"));
  EXPECT_THAT(blocksAfter("%first = select i1 %c, i64 64, i64 128\n"
                          "%block = add i64 %first, %n"),
              ElementsAre("?"));
  // An operation of constants alone, which LLVM has not folded.
  EXPECT_THAT(blocksAfter("%block = add i64 64, 64"), ElementsAre("?"));
  // One of them has no result.
  EXPECT_THAT(blocksAfter("%first = select i1 %c, i64 0, i64 2\n"
                          "%block = udiv i64 64, %first"),
              ElementsAre("?"));
}

TEST(LaunchChoices, OfTheRuntime) {
  EXPECT_THAT(blocksAfterSplitting(R"(
  %block = select i1 %c, i64 4294967328, i64 4294967360
  %error = call i32 @cudaLaunchKernel(ptr @_Z18__device_stub__onePi, i64 1,
                   i32 1, i64 %block, i32 1, ptr %p, i64 0, ptr null)
  ret i32 %error)"),
              ElementsAre("4294967328", "4294967360"));
  EXPECT_THAT(blocksAfterSplitting(R"(
  %block = select i1 %c, i64 4294967328, i64 4294967360
  %error = invoke i32 @cudaLaunchKernel(ptr @_Z18__device_stub__onePi, i64 1,
                     i32 1, i64 %block, i32 1, ptr %p, i64 0, ptr null)
    to label %end unwind label %fails
end:
  ret i32 %error
fails:
  %caught = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %caught)"),
              ElementsAre("4294967328", "4294967360"));
}

TEST(LaunchChoices, OfConfigurationsInMemory) {
  std::string store = "%block = select i1 %c, i32 32, i32 64\n"
                      "store i32 %block, ptr %x\n";
  EXPECT_THAT(blocksAfterSplitting(store + "store i32 1, ptr %y\n" +
                                   launchEx("error") + "ret i32 %error"),
              ElementsAre("32", "64"));
  // A launch does not change what it gets; who else gets it might.
  EXPECT_THAT(blocksAfterSplitting(store + launchEx("one") + launchEx("two") +
                                   "%sum = add i32 %one, %two\n"
                                   "ret i32 %sum"),
              ElementsAre("32", "32", "64", "64"));
  EXPECT_THAT(blocksAfterSplitting(store + "call void @fill(ptr %config)\n" +
                                   launchEx("error") + "ret i32 %error"),
              ElementsAre("?"));
  EXPECT_THAT(blocksAfterSplitting(store + "store i32 %m, ptr %x\n" +
                                   launchEx("error") + "ret i32 %error"),
              ElementsAre("?"));
  EXPECT_THAT(blocksAfterSplitting(store +
                                   "br i1 %d, label %other, label %launch\n"
                                   "other:\n"
                                   "store i32 %m, ptr %x\n"
                                   "br label %launch\n"
                                   "launch:\n" +
                                   launchEx("error") + "ret i32 %error"),
              ElementsAre("?"));
  // Of the whole field, not of its first byte.
  EXPECT_THAT(blocksAfterSplitting(store + "store i8 0, ptr %y\n" +
                                   "store i8 0, ptr %x\n"
                                   "%sum = add i32 %m, 1\n" +
                                   launchEx("error") + "ret i32 %error"),
              ElementsAre("?"));
}

} // namespace
