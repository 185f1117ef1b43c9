//===- DeviceIndexes.cpp - 32-bit indexes on a GPU ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: carry out what ipa/indexes/NarrowIndexes.cpp found.
//
// 1. All queries are made before anything changes.
// 2. Operations get 32-bit twins, phis first. A twin known not to wrap where it
//    is computed is marked so, since addresses are split by that.
// 3. Uses of 64 bits get the twin extended: addresses by sign, which
//    SeparateConstOffsetFromGEP looks through, others by zeros, if both are
//    right. An address takes the 32-bit factor unchanged (mad.wide).
//
//===----------------------------------------------------------------------===//

#include "lto/device/DeviceIndexes.h"

#include "ipa/indexes/NarrowIndexes.h"
#include "ipa/indexes/WordRanges.h"
#include "lto/partition/LtransPlans.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace gpulto {

namespace {

class Narrower {
public:
  Narrower(Function &function, IndexPlan plan, WordRanges &ranges)
      : function(function), plan(std::move(plan)), ranges(ranges),
        wide(Type::getInt64Ty(function.getContext())),
        narrow(Type::getInt32Ty(function.getContext())) {}

  void run();

private:
  Value *lowBits(Value &value);
  Value *makeLowBits(Value &value);
  void narrowOperation(Instruction &operation, WordFit wrapsNot);
  void narrowCompare(ICmpInst &compare, bool isUnsigned);
  void extend(const IndexPlan::Extension &extension);
  void eraseOld();

  Function &function;
  IndexPlan plan;
  WordRanges &ranges;
  Type *wide, *narrow;
  DenseMap<Value *, Value *> twins;
  DenseMap<Value *, Value *> extensions[2]; ///< with zeros, with the sign
};

} // namespace

Value *Narrower::lowBits(Value &value) {
  Value *&twin = twins[&value];
  if (!twin)
    twin = makeLowBits(value);
  return twin;
}

Value *Narrower::makeLowBits(Value &value) {
  IRBuilder<> builder(function.getContext());
  if (isa<Constant>(value))
    return builder.CreateTrunc(&value, narrow);
  BasicBlock::iterator place =
      isa<Argument>(value)
          ? function.getEntryBlock().getFirstInsertionPt()
          : *cast<Instruction>(value).getInsertionPointAfterDef();
  builder.SetInsertPoint(place->getParent(), place);
  auto *cast = dyn_cast<CastInst>(&value);
  if (!cast || !isa<ZExtInst, SExtInst>(cast) ||
      cast->getSrcTy()->getIntegerBitWidth() > narrow->getIntegerBitWidth())
    return builder.CreateTrunc(&value, narrow);
  return builder.CreateIntCast(cast->getOperand(0), narrow,
                               isa<SExtInst>(cast));
}

void Narrower::narrowOperation(Instruction &operation, WordFit wrapsNot) {
  if (isa<PHINode>(operation))
    return;
  IRBuilder<> builder(&operation);
  auto operand = [&](unsigned i) { return lowBits(*operation.getOperand(i)); };
  Value *twin;
  if (auto *select = dyn_cast<SelectInst>(&operation))
    twin = builder.CreateSelect(select->getCondition(), operand(1), operand(2));
  else
    twin = builder.CreateBinOp(cast<BinaryOperator>(operation).getOpcode(),
                               operand(0), operand(1));
  if (auto *made = dyn_cast<BinaryOperator>(twin);
      made && isa<OverflowingBinaryOperator>(made)) {
    made->setHasNoUnsignedWrap(wrapsNot.isUnsigned);
    made->setHasNoSignedWrap(wrapsNot.isSigned);
  }
  if (auto *made = dyn_cast<PossiblyDisjointInst>(twin);
      made && cast<PossiblyDisjointInst>(operation).isDisjoint())
    made->setIsDisjoint(true);
  twins[&operation] = twin;
}

void Narrower::narrowCompare(ICmpInst &compare, bool isUnsigned) {
  Value *left = lowBits(*compare.getOperand(0));
  Value *right = lowBits(*compare.getOperand(1));
  compare.setOperand(0, left);
  compare.setOperand(1, right);
  if (isUnsigned && compare.isSigned())
    compare.setPredicate(compare.getUnsignedPredicate());
}

void Narrower::extend(const IndexPlan::Extension &extension) {
  Value &value = *extension.use->get();
  Value *&made = extensions[extension.isSigned][&value];
  if (!made) {
    auto &operation = cast<Instruction>(value);
    Instruction *place = isa<PHINode>(operation)
                             ? &*operation.getParent()->getFirstInsertionPt()
                             : &operation;
    IRBuilder<> builder(place);
    made = extension.isSigned ? builder.CreateSExt(twins[&value], wide)
                              : builder.CreateZExt(twins[&value], wide);
  }
  extension.use->set(made);
}

void Narrower::eraseOld() {
  for (Instruction *operation : plan.narrowed)
    for (User *user : make_early_inc_range(operation->users()))
      if (auto *cast = dyn_cast<TruncInst>(user)) {
        IRBuilder<> builder(cast);
        cast->replaceAllUsesWith(
            builder.CreateTrunc(twins[operation], cast->getType()));
        cast->eraseFromParent();
      }
  for (Instruction *operation : plan.narrowed)
    operation->replaceAllUsesWith(PoisonValue::get(wide));
  for (Instruction *operation : plan.narrowed)
    operation->eraseFromParent();
}

void Narrower::run() {
  std::vector<WordFit> fits;
  for (Instruction *operation : plan.narrowed)
    fits.push_back(isa<OverflowingBinaryOperator>(operation)
                       ? ranges.wrapsNot(*operation)
                       : WordFit());
  for (Instruction *operation : plan.narrowed)
    if (auto *phi = dyn_cast<PHINode>(operation))
      twins[phi] = PHINode::Create(narrow, phi->getNumIncomingValues(), "",
                                   phi->getIterator());
  for (auto [operation, fit] : zip(plan.narrowed, fits))
    narrowOperation(*operation, fit);
  for (Instruction *operation : plan.narrowed)
    if (auto *phi = dyn_cast<PHINode>(operation))
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
        BasicBlock *from = phi->getIncomingBlock(i);
        Value *twin = lowBits(*phi->getIncomingValue(i));
        cast<PHINode>(twins[phi])->addIncoming(twin, from);
      }
  for (ICmpInst *compare : plan.unsignedCompares)
    narrowCompare(*compare, /*isUnsigned=*/true);
  for (ICmpInst *compare : plan.signedCompares)
    narrowCompare(*compare, /*isUnsigned=*/false);
  for (const IndexPlan::Extension &extension : plan.extended)
    extend(extension);
  eraseOld();
}

/// Whether a value of \p function is only there on one way out of its block.
static bool hasResultsOfBranches(const Function &function) {
  return any_of(function, [](const BasicBlock &block) {
    return !block.getTerminator()->getType()->isVoidTy();
  });
}

PreservedAnalyses NarrowIndexesPass::run(Function &function,
                                         FunctionAnalysisManager &analyses) {
  if (!function.hasFnAttribute(kChangedAttribute) ||
      hasResultsOfBranches(function))
    return PreservedAnalyses::all();
  auto &dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  WordRanges ranges(function, dominators,
                    analyses.getResult<ScalarEvolutionAnalysis>(function),
                    analyses.getResult<AssumptionAnalysis>(function));
  IndexPlan plan = planIndexes(function, dominators, ranges);
  if (plan.narrowed.empty() && plan.unsignedCompares.empty() &&
      plan.signedCompares.empty())
    return PreservedAnalyses::all();
  Narrower(function, std::move(plan), ranges).run();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace gpulto
