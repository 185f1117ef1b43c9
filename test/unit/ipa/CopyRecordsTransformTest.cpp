//===- CopyRecordsTransformTest.cpp - Tests for records of copies ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/transfers/CopyRecordsTransform.h"

#include "gtest/gtest.h"
#include "ipa/transfers/TransfersTransform.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Constants.h"
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

/// f() stores in a loop, copies, and stores in a loop in which it copies.
constexpr StringLiteral kModule = R"(
  declare i32 @cudaMemcpy(ptr, ptr, i64, i32)
  declare void @llvm.lifetime.start.p0(ptr)
  define void @f(ptr %h, ptr %d, i64 %n) {
  entry:
    %local = alloca i32
    call void @llvm.lifetime.start.p0(ptr %local)
    br label %fill
  fill:
    %i = phi i64 [ 0, %entry ], [ %next, %fill ]
    %at = getelementptr i32, ptr %h, i64 %i
    store i32 1, ptr %at
    %next = add i64 %i, 1
    %more = icmp ult i64 %next, %n
    br i1 %more, label %fill, label %first
  first:
    %r = call i32 @cudaMemcpy(ptr %d, ptr %h, i64 %n, i32 1)
    br label %rounds
  rounds:
    %j = phi i64 [ 0, %first ], [ %last, %rounds ]
    %to = getelementptr i32, ptr %h, i64 %j
    store i32 2, ptr %to
    store i32 3, ptr %h
    %s = call i32 @cudaMemcpy(ptr %d, ptr %h, i64 8, i32 1)
    %last = add i64 %j, 1
    %again = icmp ult i64 %last, %n
    br i1 %again, label %rounds, label %after
  after:
    ret void
  })";

/// Stretches of f(), as LGEN numbers them.
enum Stretch : uint32_t { kFill = 1, kRounds = 4, kCount = 7 };

class CopyRecords : public testing::Test {
protected:
  CopyRecords() {
    SMDiagnostic error;
    module = parseAssemblyString(kModule, error, context);
    EXPECT_TRUE(module) << error.getMessage().str();
    function = module->getFunction("f");
  }

  std::string mark(uint32_t stretch) {
    return toString(markStretches(*function, {stretch}));
  }
  Instruction *first(uint32_t stretch) {
    EXPECT_EQ(mark(stretch), "");
    auto marked = takeMarkedStretches(*function);
    EXPECT_EQ(marked.size(), 1u);
    EXPECT_EQ(marked.front().first, stretch);
    return marked.front().second;
  }
  SmallVector<CallBase *, 2> copies() {
    SmallVector<CallBase *, 2> found;
    for (Instruction &instruction : instructions(*function))
      if (auto *call = dyn_cast<CallBase>(&instruction);
          call && call->getCalledFunction()->getName() == "cudaMemcpy")
        found.push_back(call);
    return found;
  }
  /// The blocks in which the record 0 ends.
  std::vector<std::string> ends() {
    std::vector<std::string> blocks;
    for (Instruction &instruction : instructions(*function))
      if (auto *store = dyn_cast<StoreInst>(&instruction);
          store && store->getPointerOperand() == &recordFlag(*module, 0) &&
          isa<ConstantInt>(store->getValueOperand()))
        blocks.push_back(store->getParent()->getName().str());
    return blocks;
  }

  LLVMContext context;
  std::unique_ptr<Module> module;
  Function *function;
};

TEST_F(CopyRecords, StretchesAreFoundAgain) {
  EXPECT_EQ(
      first(kFill),
      &*std::next(function->begin(), 1)->begin()->getNextNode()->getNextNode());
  EXPECT_TRUE(isa<StoreInst>(first(kRounds)));
  EXPECT_TRUE(takeMarkedStretches(*function).empty());
  // The beginning of a lifetime is no write.
  EXPECT_EQ(mark(0), "");
  EXPECT_TRUE(takeMarkedStretches(*function).empty());
  EXPECT_EQ(mark(kCount - 1), "");
  EXPECT_EQ(mark(kCount), "'f' has 7 stretches, its summary names number 7");
}

TEST_F(CopyRecords, EndBeforeLoopsThatMakeNone) {
  RecordUse stores, made;
  stores.place.kind = CodePlace::Kind::Stretch;
  stores.ended = {0};
  made.place.kind = CodePlace::Kind::Call;
  made.made = {0};
  CallBase *copy = copies().back();
  endRecords(
      *function,
      {{first(kFill), &stores}, {first(kRounds), &stores}, {copy, &made}},
      {copy});
  EXPECT_FALSE(verifyFunction(*function, &errs()));
  EXPECT_EQ(ends(), (std::vector<std::string>{"entry", "rounds"}));
}

TEST_F(CopyRecords, CopiesAskAndNote) {
  CopyEdit edit;
  edit.rounds = CopyRounds::Recorded;
  edit.record = 0;
  uint32_t other = 1;
  SmallVector<CallBase *, 2> calls = copies();
  editCopies(*function, {{calls[0], edit, other}, {calls[1], edit}});
  EXPECT_FALSE(verifyFunction(*function, &errs()));
  GlobalVariable &flag = recordFlag(*module, 0);
  EXPECT_TRUE(flag.hasWeakODRLinkage() && flag.hasHiddenVisibility());
  for (CallBase *copy : copies()) {
    // It is made where the record does not hold, and sets it and each argument.
    EXPECT_TRUE(copy->getParent()->getSinglePredecessor());
    for (unsigned index = 0; index < copy->arg_size(); ++index) {
      GlobalVariable &given = recordArgument(
          *module, 0, index, *copy->getArgOperand(index)->getType());
      EXPECT_TRUE(any_of(given.users(), [&](User *user) {
        auto *store = dyn_cast<StoreInst>(user);
        return store &&
               store->getValueOperand() == copy->getArgOperand(index) &&
               store->getParent() == copy->getParent();
      }));
    }
  }
  // Only where the first copy is made, the other record ends.
  EXPECT_EQ(recordFlag(*module, 1).getNumUses(), 1u);
  auto *end = cast<StoreInst>(*recordFlag(*module, 1).user_begin());
  EXPECT_EQ(end->getParent(), copies().front()->getParent());
}

} // namespace
} // namespace gpulto
