//===- TransfersTransformTest.cpp - Copies behind loops -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/transfers/TransfersTransform.h"

#include "gtest/gtest.h"
#include "summary/Facts.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gpulto {
namespace {

class TransfersTransform : public testing::Test {
protected:
  /// Lets the copy of the function f of \p text be made in the last round of
  /// the outermost loop around it.
  Function &sink(StringRef text) {
    SMDiagnostic error;
    module = parseAssemblyString(text, error, context);
    EXPECT_TRUE(module) << error.getMessage().str();
    Function &function = *module->getFunction("f");
    CopyEdit edit;
    edit.loopDepth = 1;
    edit.rounds = CopyRounds::Behind;
    editCopies(function, {{calls(function, "cudaMemcpy").front(), edit}});
    EXPECT_FALSE(verifyFunction(function, &errs()));
    return function;
  }
  static SmallVector<CallBase *, 4> calls(Function &function, StringRef name) {
    SmallVector<CallBase *, 4> found;
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallBase>(&instruction);
          call && call->getCalledFunction()->getName() == name)
        found.push_back(call);
    return found;
  }

  LLVMContext context;
  std::unique_ptr<Module> module;
};

constexpr StringLiteral kDeclarations = R"(
  declare i32 @cudaMemcpy(ptr, ptr, i64, i32)
  declare i32 @more(i32)
  declare i32 @__gxx_personality_v0(...)
)";

TEST_F(TransfersTransform, EachWayOutMakesTheLastCopy) {
  Function &function = sink((kDeclarations + R"(
    define i32 @f(ptr %h, ptr %d, i32 %n) {
    entry:
      %isEmpty = icmp eq i32 %n, 0
      br i1 %isEmpty, label %after, label %loop
    loop:
      %i = phi i32 [ 0, %entry ], [ %next, %latch ]
      %at = getelementptr i32, ptr %d, i32 %i
      %r = call i32 @cudaMemcpy(ptr %h, ptr %at, i64 64, i32 2)
      %failed = icmp ne i32 %r, 0
      br i1 %failed, label %after, label %body
    body:
      %kind = call i32 @more(i32 %i)
      switch i32 %kind, label %latch [ i32 1, label %after
                                       i32 2, label %after
                                       i32 3, label %other ]
    latch:
      %next = add i32 %i, 1
      br label %loop
    other:
      ret i32 7
    after:
      %value = phi i32 [ -1, %entry ], [ %r, %loop ], [ %kind, %body ],
                       [ %kind, %body ]
      ret i32 %value
    })")
                                .str());
  EXPECT_EQ(calls(function, "cudaMemcpy").size(), 2u);
  EXPECT_EQ(calls(function, "cudaStreamSynchronize").size(), 1u);
  for (CallBase *copy : calls(function, "cudaMemcpy")) {
    EXPECT_TRUE(isa<LoadInst>(copy->getArgOperand(1))) << "the last source";
    EXPECT_TRUE(isa<ConstantInt>(copy->getArgOperand(2)));
  }
}

TEST_F(TransfersTransform, CopiesStayWhereAnExceptionLeavesTheLoop) {
  Function &function = sink((kDeclarations + R"(
    define void @f(ptr %h, ptr %d) personality ptr @__gxx_personality_v0 {
    entry:
      br label %loop
    loop:
      %r = call i32 @cudaMemcpy(ptr %h, ptr %d, i64 64, i32 2)
      %kind = invoke i32 @more(i32 1) to label %latch unwind label %thrown
    latch:
      %isLast = icmp eq i32 %kind, 0
      br i1 %isLast, label %after, label %loop
    thrown:
      %what = landingpad { ptr, i32 } cleanup
      resume { ptr, i32 } %what
    after:
      ret void
    })")
                                .str());
  EXPECT_EQ(calls(function, "cudaMemcpy").size(), 1u);
  EXPECT_EQ(calls(function, "cudaStreamSynchronize").size(), 0u);
}

} // namespace
} // namespace gpulto
