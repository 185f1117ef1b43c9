//===- TransfersTransform.cpp - Copies that need not be (LTRANS) ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
//   r = cudaMemcpy(d, h, n, k);
//
//   Wait    r = cudaStreamSynchronize(nullptr);
//   Drop    nothing; r has no uses
//   Shrink  r = cudaMemcpy(d, h, min(n, 1), k);
//
// A copy that is needed once in a loop asks a flag of the activation, which is
// false on every way into the loop and true behind a copy that succeeded:
//
//   if (done) r = cudaStreamSynchronize(nullptr);
//   else { r = cudaMemcpy(d, h, n, k); done = r == cudaSuccess; }
//
// One that has a record asks that, which is a variable of the program, and
// compares what it is given (CopyRecordsTransform).
//
// One that is needed in the last round only is made where the loop is left:
//
//   r = cudaStreamSynchronize(nullptr); copied = true; last = {d, h, n, k};
//   ...
//   if (copied) cudaMemcpy(last);
//
//===----------------------------------------------------------------------===//

#include "ipa/transfers/TransfersTransform.h"

#include "ipa/runtime/CudaRuntime.h"
#include "ipa/transfers/CopyRecordsTransform.h"
#include "ipa/values/RuntimeCalls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <cassert>

using namespace llvm;

namespace gpulto {

namespace {
/// A copy of one function, before the function is changed.
struct Copy : PlannedCopy {
  /// The flag that says that it has been made, or would have been (Behind);
  /// null: it is never needed.
  Value *done = nullptr;
  /// Where the last one's arguments are, null for constants; empty: they are
  /// the same.
  SmallVector<Value *, 6> last = {};
  /// Whether it need not be made this time.
  Value *isDone = nullptr;
  /// Behind: blocks on the ways out of the loop.
  SmallVector<BasicBlock *, 2> behind = {};
};
} // namespace

/// Gives \p copy a flag that is false on each way into \p loop.
static void addFlag(Function &function, const Loop &loop, Copy &copy) {
  IRBuilder<> entry(&*function.getEntryBlock().getFirstInsertionPt());
  copy.done = entry.CreateAlloca(entry.getInt1Ty(), nullptr, "copied");
  for (BasicBlock *before : predecessors(loop.getHeader()))
    if (!loop.contains(before))
      new StoreInst(entry.getFalse(), copy.done,
                    before->getTerminator()->getIterator());
  if (copy.edit.rounds == CopyRounds::First)
    return;
  for (Value *argument : copy.call->args())
    copy.last.push_back(
        isa<Constant>(argument)
            ? nullptr
            : entry.CreateAlloca(argument->getType(), nullptr, "last"));
}

/// Gives \p copy its record. Other calls may make it with other constants.
static void addRecord(Copy &copy) {
  Module &module = *copy.call->getModule();
  uint32_t record = copy.edit.record;
  copy.done = &recordFlag(module, record);
  for (auto [index, argument] : enumerate(copy.call->args()))
    copy.last.push_back(&recordArgument(
        module, record, static_cast<unsigned>(index), *argument->getType()));
}

/// Ends the records that \p call, which \p copy is made by, ends.
static void endRecords(const Copy &copy, CallBase &call) {
  IRBuilder<> builder(&call);
  endRecords(builder, copy.ended);
}

/// Finds where \p copy is made if that is behind \p loop; returns whether there
/// is such a place.
static bool addExits(const Loop &loop, Copy &copy, DominatorTree &dominators,
                     LoopInfo &loops) {
  SmallVector<BasicBlock *, 4> exits;
  loop.getUniqueExitBlocks(exits);
  if (isa<InvokeInst>(copy.call) || any_of(exits, [&](BasicBlock *exit) {
        return exit->isEHPad() || any_of(predecessors(exit), [](auto *from) {
                 return !isa<BranchInst, SwitchInst, InvokeInst>(
                     from->getTerminator());
               });
      }))
    return false;
  for (BasicBlock *exit : exits) {
    SmallVector<BasicBlock *, 4> inside;
    for (BasicBlock *from : predecessors(exit))
      if (loop.contains(from) && !is_contained(inside, from))
        inside.push_back(from);
    copy.behind.push_back(
        SplitBlockPredecessors(exit, inside, ".copies", &dominators, &loops));
  }
  return true;
}

/// Computes, before \p copy, whether it need not be made.
static void testFlag(Copy &copy) {
  IRBuilder<> builder(copy.call);
  copy.isDone = builder.CreateLoad(builder.getInt1Ty(), copy.done);
  for (auto [argument, last] : zip(copy.call->args(), copy.last))
    if (last)
      // The flag decides where nothing has been stored yet.
      copy.isDone = builder.CreateLogicalAnd(
          copy.isDone,
          builder.CreateICmpEQ(argument,
                               builder.CreateLoad(argument->getType(), last)));
}

/// Notes, at \p builder, that \p copy got \p arguments and returned \p result.
static void noteResult(const Copy &copy, ArrayRef<Value *> arguments,
                       Value *result, IRBuilder<> &builder) {
  builder.CreateStore(
      builder.CreateLogicalOr(copy.isDone, builder.CreateIsNull(result)),
      copy.done);
  for (auto [argument, last] : zip(arguments, copy.last))
    if (last)
      builder.CreateStore(argument, last);
}

/// Returns a call, before \p where, that waits for the default stream, and
/// returns what cudaMemcpy does.
static CallInst *addWait(Instruction &where, FunctionType &copy) {
  IRBuilder<> builder(&where);
  FunctionCallee wait = where.getModule()->getOrInsertFunction(
      "cudaStreamSynchronize", copy.getReturnType(), builder.getPtrTy());
  return builder.CreateCall(wait, ConstantPointerNull::get(builder.getPtrTy()));
}

/// Lets \p copy copy one byte at most, unless its flag says that it is needed.
static void shrink(Copy &copy) {
  const RuntimeFunction *function = runtimeFunctionOf(*copy.call);
  assert(function && function->bytes != RuntimeFunction::kNone);
  SmallVector<Value *, 6> arguments(copy.call->args());
  if (copy.done)
    testFlag(copy);
  IRBuilder<> builder(copy.call);
  Value *all = arguments[function->bytes];
  Value *few = builder.CreateBinaryIntrinsic(
      Intrinsic::umin, all, ConstantInt::get(all->getType(), 1));
  if (copy.done)
    few = builder.CreateSelect(copy.isDone, few, all);
  copy.call->setArgOperand(function->bytes, few);
  endRecords(copy, *copy.call);
  if (!copy.done)
    return;
  BasicBlock::iterator behind = std::next(copy.call->getIterator());
  if (auto *invoke = dyn_cast<InvokeInst>(copy.call))
    behind = SplitEdge(invoke->getParent(), invoke->getNormalDest())
                 ->getFirstInsertionPt();
  builder.SetInsertPoint(behind->getParent(), behind);
  noteResult(copy, arguments, copy.call, builder);
}

/// Removes \p call, which has no uses; an invoke goes on as if it returned.
static void eraseCall(CallBase &call) {
  if (auto *invoke = dyn_cast<InvokeInst>(&call)) {
    invoke->getUnwindDest()->removePredecessor(invoke->getParent());
    BranchInst::Create(invoke->getNormalDest(), invoke->getIterator());
  }
  call.eraseFromParent();
}

/// Replaces \p call, a copy, by a wait.
static void waitInstead(CallBase &call) {
  call.replaceAllUsesWith(addWait(call, *call.getFunctionType()));
  eraseCall(call);
}

/// Lets \p copy, which is no invoke, wait only where its flag says that it is
/// not needed.
static void waitIfDone(Copy &copy) {
  CallBase &call = *copy.call;
  testFlag(copy);
  Instruction *waits, *copies;
  SplitBlockAndInsertIfThenElse(copy.isDone, &call, &waits, &copies);
  BasicBlock *behind = call.getParent();
  call.moveBefore(copies->getIterator());
  endRecords(copy, call);
  CallInst *wait = addWait(*waits, *call.getFunctionType());
  IRBuilder<> builder(behind, behind->begin());
  PHINode *result = builder.CreatePHI(call.getType(), 2);
  call.replaceAllUsesWith(result);
  result->addIncoming(wait, waits->getParent());
  result->addIncoming(&call, copies->getParent());
  builder.SetInsertPoint(copies);
  noteResult(copy, SmallVector<Value *, 6>(call.args()), &call, builder);
}

/// Lets \p copy wait, and makes it behind its loop.
static void waitAndSink(Copy &copy) {
  CallBase &call = *copy.call;
  IRBuilder<> builder(&call);
  builder.CreateStore(builder.getTrue(), copy.done);
  for (auto [argument, last] : zip(call.args(), copy.last))
    if (last)
      builder.CreateStore(argument, last);
  for (BasicBlock *block : copy.behind) {
    builder.SetInsertPoint(block->getTerminator());
    Value *isWanted = builder.CreateLoad(builder.getInt1Ty(), copy.done);
    Instruction *copies = SplitBlockAndInsertIfThen(
        isWanted, block->getTerminator(), /*Unreachable=*/false);
    builder.SetInsertPoint(copies);
    auto *sunk = cast<CallInst>(call.clone());
    for (auto [index, last] : enumerate(copy.last))
      if (last)
        sunk->setArgOperand(
            static_cast<unsigned>(index),
            builder.CreateLoad(call.getArgOperand(index)->getType(), last));
    builder.Insert(sunk);
    endRecords(copy, *sunk);
  }
  waitInstead(call);
}

/// Finds the loop that the decision about \p copy is about, if it is about one,
/// and gives it its flag; returns whether it can be carried out.
static bool prepare(Function &function, Copy &copy, DominatorTree &dominators,
                    LoopInfo &loops) {
  const CopyEdit &edit = copy.edit;
  if (edit.rounds == CopyRounds::Recorded)
    addRecord(copy);
  if (!edit.loopDepth)
    return true;
  Loop *loop = loops.getLoopFor(copy.call->getParent());
  while (loop && loop->getLoopDepth() > edit.loopDepth)
    loop = loop->getParentLoop();
  if (!loop || loop->getLoopDepth() != edit.loopDepth)
    return false; // not the loop that was meant
  if (edit.rounds == CopyRounds::Behind &&
      !addExits(*loop, copy, dominators, loops))
    return false; // there is no place for it behind the loop
  addFlag(function, *loop, copy);
  return true;
}

void editCopies(Function &function, ArrayRef<PlannedCopy> copies) {
  if (copies.empty())
    return;
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  SmallVector<Copy, 4> edits, others;
  for (const PlannedCopy &planned : copies) {
    Copy copy = {planned};
    (prepare(function, copy, dominators, loops) ? edits : others)
        .push_back(copy);
  }
  // Only where all others are changed as decided: it may rely on them.
  if (!others.empty())
    erase_if(edits, [&](const Copy &copy) {
      bool stays =
          copy.edit.loopDepth && copy.edit.rounds == CopyRounds::Behind;
      if (stays)
        others.push_back(copy);
      return stays;
    });
  for (const Copy &copy : others)
    endRecords(copy, *copy.call);
  for (Copy &copy : edits) {
    switch (copy.edit.action) {
    case CopyAction::Wait:
      if (!copy.done)
        waitInstead(*copy.call);
      else if (copy.edit.rounds == CopyRounds::Behind)
        waitAndSink(copy);
      else if (isa<InvokeInst>(copy.call))
        shrink(copy);
      else
        waitIfDone(copy);
      break;
    case CopyAction::Drop:
      assert(!copy.done && copy.call->use_empty());
      eraseCall(*copy.call);
      break;
    case CopyAction::Shrink:
      shrink(copy);
      break;
    }
  }
}

} // namespace gpulto
