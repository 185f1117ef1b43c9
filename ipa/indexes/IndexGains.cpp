//===- IndexGains.cpp - Gains of 32-bit indexes (LGEN) --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: make no version of a kernel for arithmetic that disappears anyway.
//
//   for (z = 0; z < nz; ++z)
//     sum += in[(z * ny + y) * nx + x];    LSR: *pointer, pointer += ny * nx
//
// 1. A value that grows by the same amount in each iteration of a loop is a
//    step. LSR turns an address into a pointer, whatever its width; a step
//    whose number is needed saves its addition. Tests of it use the trip count,
//    which is a division if the amount is not constant and the loop gets
//    unrolled.
// 2. Other arithmetic saves the second half; products save three instructions.
// 3. A use of 64 bits takes an instruction to extend.
//
// Linear, except for ScalarEvolution. Counts are those of sm_90 machine code.
//
//===----------------------------------------------------------------------===//

#include "ipa/indexes/IndexGains.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

#include <set>

using namespace llvm;

namespace gpulto {

namespace {

class GainCounter {
public:
  GainCounter(const SmallPtrSetImpl<const Instruction *> &known,
              ScalarEvolution &evolution, BlockFrequency frequency)
      : known(known), evolution(evolution), frequency(frequency) {}

  uint64_t count(const IndexPlan &plan);

private:
  const SCEVAddRecExpr *stepOf(const Value &value) const;
  bool isFollowed(const User &user) const;
  unsigned gainOf(const Instruction &operation) const;
  uint64_t compareGain(const ICmpInst &compare) const;
  bool isFree(const Use &extended) const;

  const SmallPtrSetImpl<const Instruction *> &known;
  ScalarEvolution &evolution;
  BlockFrequency frequency;
};

} // namespace

/// Returns what \p value is in a loop that it is in, if it is a step.
const SCEVAddRecExpr *GainCounter::stepOf(const Value &value) const {
  auto *instruction = dyn_cast<Instruction>(&value);
  if (!instruction || !evolution.isSCEVable(value.getType()))
    return nullptr;
  auto *step =
      dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(const_cast<Value *>(&value)));
  return step && step->isAffine() && step->getLoop()->contains(instruction)
             ? step
             : nullptr;
}

/// Whether \p user of a step needs no number of it.
bool GainCounter::isFollowed(const User &user) const {
  return isa<GEPOperator, ICmpInst>(user) || stepOf(user);
}

/// Returns how many instructions fewer \p operation, of 64 bits, takes with 32.
unsigned GainCounter::gainOf(const Instruction &operation) const {
  if (stepOf(operation))
    return !all_of(operation.users(),
                   [&](const User *user) { return isFollowed(*user); });
  if (isa<PHINode>(operation))
    return 0;
  auto isExtended = [](const Value *operand) {
    return isa<ZExtInst, SExtInst>(operand);
  };
  auto isAddress = [](const User *user) { return isa<GEPOperator>(user); };
  // Base and factor of 32 bits are one instruction, of 64 bits two.
  unsigned addresses =
      static_cast<unsigned>(count_if(operation.users(), isAddress));
  if (operation.getOpcode() != Instruction::Mul)
    return addresses + 1;
  constexpr unsigned kProductGain = 3;
  return addresses +
         (all_of(operation.operands(), isExtended) ? 0 : kProductGain);
}

uint64_t GainCounter::compareGain(const ICmpInst &compare) const {
  /// As for divisions in ipa/guards/GuardsAnalyze.cpp.
  constexpr uint64_t kDivisionGain = 8;
  for (unsigned i = 0; i < 2; ++i) {
    const SCEVAddRecExpr *step = stepOf(*compare.getOperand(i));
    if (!step || !step->getLoop()->isLoopInvariant(compare.getOperand(1 - i)))
      continue;
    const BasicBlock *entry = step->getLoop()->getLoopPredecessor();
    bool isCounted = entry && step->getLoop()->isInnermost() &&
                     !isa<SCEVConstant>(step->getStepRecurrence(evolution));
    return isCounted ? kDivisionGain * frequency(*entry) : 0;
  }
  return frequency(*compare.getParent());
}

/// Whether the user of 64 bits at \p extended accepts 32 as well: addresses,
/// divisions, which are narrowed themselves, and other steps.
bool GainCounter::isFree(const Use &extended) const {
  auto &user = *cast<Instruction>(extended.getUser());
  return isa<GetElementPtrInst>(user) || user.isIntDivRem() || stepOf(user);
}

uint64_t GainCounter::count(const IndexPlan &plan) {
  uint64_t gain = 0, cost = 0;
  for (const Instruction *operation : plan.narrowed)
    if (!known.contains(operation))
      gain += gainOf(*operation) * frequency(*operation->getParent());
  for (const auto *compares : {&plan.unsignedCompares, &plan.signedCompares})
    for (const ICmpInst *compare : *compares)
      if (!known.contains(compare))
        gain += compareGain(*compare);
  std::set<std::pair<const Value *, bool>> extended;
  for (const IndexPlan::Extension &extension : plan.extended) {
    auto &operation = *cast<Instruction>(extension.use->get());
    if (!known.contains(&operation) && !isFree(*extension.use) &&
        extended.insert({&operation, extension.isSigned}).second)
      cost += frequency(*operation.getParent());
  }
  return gain > cost ? gain - cost : 0;
}

uint64_t indexGain(const IndexPlan &plan,
                   const SmallPtrSetImpl<const Instruction *> &known,
                   ScalarEvolution &evolution, BlockFrequency frequency) {
  return GainCounter(known, evolution, frequency).count(plan);
}

uint64_t roughTime(const Function &function, BlockFrequency frequency) {
  constexpr unsigned kWideBits = 64, kDivisionTime = 64;
  uint64_t time = 0;
  for (const Instruction &instruction : instructions(function)) {
    bool isDivision = instruction.isIntDivRem() &&
                      instruction.getType()->isIntegerTy(kWideBits) &&
                      !isa<Constant>(instruction.getOperand(1));
    time +=
        (isDivision ? kDivisionTime : 1) * frequency(*instruction.getParent());
  }
  return time;
}

} // namespace gpulto
