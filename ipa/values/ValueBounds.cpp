//===- ValueBounds.cpp - What instructions say of bits and bounds ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: what the defining instructions say of a number that nobody computes:
// known bits, ranges, choices between values, and of counters of loops and
// quotients what ScalarEvolution says, where that is worth what it costs.
//
// Source: ranges: LLVM's ConstantRange and ScalarEvolution.
//
//===----------------------------------------------------------------------===//

#include "ipa/values/ValueBounds.h"

#include "ipa/values/PackedPairs.h"
#include "ipa/values/ValueShapes.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/KnownBits.h"

namespace gpulto {

/// The range of the integer \p value by its defining instructions; with choices
/// between values followed to \p depth.
static llvm::ConstantRange rangeOf(const llvm::Value &value,
                                   const llvm::KnownBits &bits,
                                   const llvm::DataLayout &layout,
                                   unsigned depth) {
  constexpr unsigned kMaxChoices = 8;
  llvm::ConstantRange range =
      llvm::ConstantRange::fromKnownBits(bits, /*IsSigned=*/false)
          .intersectWith(
              llvm::computeConstantRange(&value, /*ForSigned=*/false));
  llvm::SmallVector<const llvm::Value *, 4> choices;
  if (auto *phi = llvm::dyn_cast<llvm::PHINode>(&value);
      phi && phi->getNumIncomingValues() <= kMaxChoices)
    choices.append(phi->value_op_begin(), phi->value_op_end());
  if (auto *select = llvm::dyn_cast<llvm::SelectInst>(&value))
    choices = {select->getTrueValue(), select->getFalseValue()};
  if (choices.empty() || depth == 0)
    return range;
  auto united = llvm::ConstantRange::getEmpty(range.getBitWidth());
  for (const llvm::Value *choice : choices)
    united = united.unionWith(rangeOf(
        *choice, llvm::computeKnownBits(choice, layout), layout, depth - 1));
  return range.intersectWith(united);
}

llvm::ConstantRange evolvedRange(llvm::ScalarEvolution &evolution,
                                 const llvm::Value &value) {
  const llvm::SCEV *expression =
      evolution.getSCEV(const_cast<llvm::Value *>(&value));
  return evolution.getUnsignedRange(expression)
      .intersectWith(evolution.getSignedRange(expression),
                     llvm::ConstantRange::Unsigned);
}

/// Whether \p value, which may be null, is a variable of a loop.
static bool isOfLoop(LgenContext &context, llvm::Function &function,
                     const llvm::Value *value) {
  auto *phi = llvm::dyn_cast_or_null<llvm::PHINode>(value);
  return phi &&
         context.analyses.getResult<llvm::LoopAnalysis>(function).isLoopHeader(
             phi->getParent());
}

/// The range of \p value by ScalarEvolution, where that is worth what it costs:
/// for counters of loops and quotients of two numbers, also if they are
/// converted or packed with a constant as x and y of a dim3.
static llvm::ConstantRange counterRange(LgenContext &context,
                                        llvm::Function &function,
                                        const llvm::Value &value) {
  constexpr unsigned kMaxSteps = 2;
  const llvm::Value *core = &value;
  for (unsigned step = 0; step < kMaxSteps; ++step) {
    auto *instruction = llvm::dyn_cast<llvm::Instruction>(core);
    bool isPacked = instruction && isPackedPair(*instruction) &&
                    llvm::isa<llvm::ConstantInt>(instruction->getOperand(1));
    if (!isPacked && !llvm::isa_and_nonnull<llvm::CastInst>(instruction))
      break;
    core = instruction->getOperand(0);
  }
  auto *operation = llvm::dyn_cast<llvm::BinaryOperator>(core);
  bool isQuotient = operation &&
                    operation->getOpcode() == llvm::Instruction::UDiv &&
                    !llvm::isa<llvm::Constant>(operation->getOperand(1));
  if (!isOfLoop(context, function, core) && !isQuotient)
    return llvm::ConstantRange::getFull(scalarBits(*value.getType()));
  return evolvedRange(
      context.analyses.getResult<llvm::ScalarEvolutionAnalysis>(function),
      value);
}

/// Whether \p value grows by the same number from round to round of a loop, in
/// steps that are the largest power of two, times an odd number, of which it is
/// known to be a multiple.
static bool isCounter(LgenContext &context, llvm::Function &function,
                      const llvm::Value &value) {
  const llvm::Value *core = &value;
  if (auto *operation = llvm::dyn_cast<llvm::BinaryOperator>(core);
      operation && llvm::isa<llvm::ConstantInt>(operation->getOperand(1)))
    core = operation->getOperand(0);
  if (auto *cast = llvm::dyn_cast<llvm::CastInst>(core))
    core = cast->getOperand(0);
  if (!isOfLoop(context, function, core))
    return false;
  auto &evolution =
      context.analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  auto *steps = llvm::dyn_cast<llvm::SCEVAddRecExpr>(
      evolution.getSCEV(const_cast<llvm::Value *>(&value)));
  if (!steps || !steps->isAffine())
    return false;
  auto *step =
      llvm::dyn_cast<llvm::SCEVConstant>(steps->getStepRecurrence(evolution));
  return step && evolution.getMinTrailingZeros(steps->getStart()) >=
                     step->getAPInt().countr_zero();
}

void addBounds(LgenContext &context, llvm::Function &function,
               const llvm::Value &value, JumpFunction &result) {
  const llvm::DataLayout &layout = function.getParent()->getDataLayout();
  constexpr unsigned kMaxChoiceDepth = 2, kLeastBits = 8;
  if (!value.getType()->isIntegerTy() || result.bitWidth < kLeastBits)
    return; // a flag has two values anyway
  llvm::KnownBits bits = llvm::computeKnownBits(&value, layout);
  if (bits.hasConflict())
    return; // this does not run
  llvm::ConstantRange range =
      rangeOf(value, bits, layout, kMaxChoiceDepth)
          .intersectWith(counterRange(context, function, value),
                         llvm::ConstantRange::Unsigned);
  result.alignLog2 = static_cast<uint8_t>(
      std::min<unsigned>(bits.countMinTrailingZeros(), result.bitWidth - 1));
  result.isCounter = result.kind == JumpFunction::Kind::Unknown &&
                     isCounter(context, function, value);
  if (range.isEmptySet() || range.isWrappedSet() || range.isFullSet())
    return;
  result.low = range.getUnsignedMin().getZExtValue();
  result.high = range.getUnsignedMax().getZExtValue();
}

} // namespace gpulto
