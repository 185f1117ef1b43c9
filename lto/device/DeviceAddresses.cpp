//===- DeviceAddresses.cpp - Addresses that have a base in common ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: facts must not hide what addresses have in common. An access at a
// constant distance from another's address takes no instruction for its own;
// LLVM finds it in sums of numbers with a sign, and loses it where it knows
// that a number has none, or that a sum has no carries.
//
//===----------------------------------------------------------------------===//

#include "lto/device/DeviceAddresses.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;

namespace gpulto {

/// Adds \p value and its terms to \p terms if it is a result of which an
/// extension with its sign is the sum or product of those of its terms.
static void addTerms(Value &value, SmallPtrSetImpl<Value *> &terms) {
  auto *result = dyn_cast<OverflowingBinaryOperator>(&value);
  if (!result || !result->hasNoSignedWrap() || !terms.insert(result).second)
    return;
  for (Value *term : result->operands()) {
    addTerms(*term, terms);
    if (!isa<Constant>(term))
      terms.insert(term);
  }
}

static SimplifyQuery simplifyQuery(Function &function,
                                   FunctionAnalysisManager &analyses) {
  return SimplifyQuery(function.getDataLayout(),
                       &analyses.getResult<DominatorTreeAnalysis>(function),
                       &analyses.getResult<AssumptionAnalysis>(function));
}

bool extendBySign(Function &function, FunctionAnalysisManager &analyses) {
  SimplifyQuery query = simplifyQuery(function, analyses);
  SmallPtrSet<Value *, 16> terms;
  SmallVector<ZExtInst *> extensions;
  for (Instruction &instruction : instructions(function)) {
    auto *extension = dyn_cast<ZExtInst>(&instruction);
    // What ExtendByZeroPass cannot prove again would stay.
    if (!extension || !extension->hasNonNeg() ||
        !isKnownNonNegative(extension->getOperand(0),
                            query.getWithInstruction(extension)))
      continue;
    extensions.push_back(extension);
    addTerms(*extension->getOperand(0), terms);
  }
  for (ZExtInst *extension : extensions) {
    Value *value = extension->getOperand(0);
    if (!terms.contains(value))
      continue;
    IRBuilder<> builder(extension);
    extension->replaceAllUsesWith(
        builder.CreateSExt(value, extension->getType()));
    extension->eraseFromParent();
  }
  if (terms.empty())
    return false;
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  analyses.invalidate(function, preserved);
  return true;
}

PreservedAnalyses ExtendByZeroPass::run(Function &function,
                                        FunctionAnalysisManager &analyses) {
  SimplifyQuery query = simplifyQuery(function, analyses);
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    auto *extension = dyn_cast<SExtInst>(&instruction);
    if (!extension || !isKnownNonNegative(extension->getOperand(0),
                                          query.getWithInstruction(extension)))
      continue;
    IRBuilder<> builder(extension);
    extension->replaceAllUsesWith(builder.CreateZExt(extension->getOperand(0),
                                                     extension->getType(), "",
                                                     /*IsNonNeg=*/true));
    extension->eraseFromParent();
  }
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

//===----------------------------------------------------------------------===//
// Shifts
//===----------------------------------------------------------------------===//

/// How far behind a shift its address may be.
static constexpr unsigned kMostSteps = 4;

/// Whether an index of an address is \p value, or a sum with it.
static bool isOfAddress(const Value &value, unsigned steps = kMostSteps) {
  return any_of(value.users(), [&](const User *user) {
    if (isa<GetElementPtrInst>(user))
      return true;
    if (steps == 0)
      return false;
    auto *disjoint = dyn_cast<PossiblyDisjointInst>(user);
    bool isSum = disjoint && disjoint->isDisjoint();
    if (auto *operation = dyn_cast<BinaryOperator>(user))
      isSum |= operation->getOpcode() == Instruction::Add;
    return (isSum || isa<SExtInst, ZExtInst>(user)) &&
           isOfAddress(*user, steps - 1);
  });
}

/// Returns \p value << \p amount; of a shift, one by both amounts. \p like is
/// the shift of an `|` with \p value: if that loses no bits, this does not
/// either.
static Value *shifted(Value *value, uint64_t amount, const Instruction &like,
                      IRBuilder<> &builder) {
  using namespace PatternMatch;
  // Without `nuw`, the sign may be that of the constant.
  bool isUnsigned = like.hasNoUnsignedWrap();
  bool isSigned = isUnsigned && like.hasNoSignedWrap();
  uint64_t before = 0;
  Value *of = nullptr;
  if (match(value, m_Shl(m_Value(of), m_ConstantInt(before))) &&
      before + amount < of->getType()->getIntegerBitWidth()) {
    auto *shift = cast<Instruction>(value);
    isUnsigned &= shift->hasNoUnsignedWrap();
    isSigned &= shift->hasNoSignedWrap();
    value = of;
    amount += before;
  }
  return builder.CreateShl(value, amount, "", isUnsigned, isSigned);
}

void distributeShifts(Function &function) {
  using namespace PatternMatch;
  for (Instruction &shift : make_early_inc_range(instructions(function))) {
    Value *value = nullptr;
    const APInt *constant = nullptr;
    uint64_t amount = 0;
    if (!shift.getType()->isIntegerTy() ||
        !match(&shift, m_Shl(m_DisjointOr(m_Value(value), m_APInt(constant)),
                             m_ConstantInt(amount))) ||
        amount >= constant->getBitWidth() || !isOfAddress(shift))
      continue;
    IRBuilder<> builder(&shift);
    shift.replaceAllUsesWith(builder.CreateOr(
        shifted(value, amount, shift, builder),
        ConstantInt::get(shift.getType(), constant->shl(amount)), "",
        /*IsDisjoint=*/true));
    shift.eraseFromParent();
  }
}

} // namespace gpulto
