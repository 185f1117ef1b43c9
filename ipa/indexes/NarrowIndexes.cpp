//===- NarrowIndexes.cpp - 64-bit arithmetic that fits 32 bits ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: avoid 64-bit arithmetic, which takes two to four machine instructions
// and two registers, for indices that fit 32 bits.
//
//   out[y * nx + x]   y * nx + x below 2^31 where it is used:
//                     one multiplication and addition, extended by the address
//
// The low 32 bits of sums, products and phis depend only on those of their
// operands. So the proof is needed only at the end of a chain:
//
// 1. Candidates are all such 64-bit operations.
// 2. A candidate is dropped if a use needs all its bits and the low ones do not
//    determine them at that use (WordRanges). It may then need all bits of
//    others. A phi whose next value is computed in 64 bits anyway is dropped,
//    too.
// 3. The remaining ones are computed in 32 bits. Low bits of other values cost
//    nothing.
//
// Linear: each candidate is dropped once.
//
// InstCombine narrows single operations by bits known at their place, and
// CorrelatedValuePropagation narrows divisions by conditions; neither knows
// that NVPTX's registers have 32 bits.
//
//===----------------------------------------------------------------------===//

#include "ipa/indexes/NarrowIndexes.h"

#include "ipa/indexes/WordRanges.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace gpulto {

static constexpr unsigned kWideBits = 64, kNarrowBits = 32;

static bool isWide(const Value &value) {
  return value.getType()->isIntegerTy(kWideBits);
}

/// Returns whether \p operation is a shift by a constant below 32.
static bool isShortShift(const Instruction &operation) {
  auto *amount = dyn_cast<ConstantInt>(operation.getOperand(1));
  return amount && amount->getValue().ult(kNarrowBits);
}

std::vector<unsigned> lowBitOperands(const Instruction &operation) {
  if (!isWide(operation))
    return {};
  switch (operation.getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Mul:
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
    return {0, 1};
  case Instruction::Shl:
    return isShortShift(operation) ? std::vector<unsigned>{0}
                                   : std::vector<unsigned>();
  case Instruction::Select:
    return {1, 2};
  case Instruction::PHI: {
    std::vector<unsigned> all(operation.getNumOperands());
    for (unsigned i = 0; i < all.size(); ++i)
      all[i] = i;
    return all;
  }
  default:
    return {};
  }
}

namespace {

class Planner {
public:
  Planner(Function &function, const DominatorTree &dominators,
          WordRanges &ranges)
      : function(function), dominators(dominators), ranges(ranges) {}

  IndexPlan run();

private:
  void collect();
  void addCompare(ICmpInst &compare, IndexPlan &plan);
  bool isScaling(const Instruction &operation) const;
  bool wantsLowBits(const Use &use) const;
  WordFit fitAt(const Use &use);
  bool goesRoundWide(const Instruction &operation) const;
  bool isCandidate(Instruction &operation);
  void drop(Instruction &operation, SetVector<Instruction *> &open);

  Function &function;
  const DominatorTree &dominators;
  WordRanges &ranges;
  SetVector<Instruction *> candidates;
  SmallPtrSet<const Instruction *, 16> compares;
};

} // namespace

/// Whether \p operation multiplies for an address, which takes a factor of 32
/// bits and makes 64 of it in one instruction.
bool Planner::isScaling(const Instruction &operation) const {
  bool isMultiple = operation.getOpcode() == Instruction::Shl ||
                    operation.getOpcode() == Instruction::Mul;
  return isMultiple && isa<ConstantInt>(operation.getOperand(1)) &&
         all_of(operation.users(),
                [](const User *user) { return isa<GEPOperator>(user); });
}

void Planner::collect() {
  ReversePostOrderTraversal<Function *> order(&function);
  for (BasicBlock *block : order)
    for (Instruction &instruction : *block)
      if (!lowBitOperands(instruction).empty() && !isScaling(instruction))
        candidates.insert(&instruction);
}

void Planner::addCompare(ICmpInst &compare, IndexPlan &plan) {
  const BasicBlock &block = *compare.getParent();
  if (!isWide(*compare.getOperand(0)) ||
      !dominators.isReachableFromEntry(&block))
    return;
  WordFit left = ranges.fitAt(*compare.getOperand(0), block);
  if (!left.isAny())
    return;
  WordFit right = ranges.fitAt(*compare.getOperand(1), block);
  if (left.isUnsigned && right.isUnsigned)
    plan.unsignedCompares.push_back(&compare);
  else if (left.isSigned && right.isSigned)
    plan.signedCompares.push_back(&compare);
  else
    return;
  compares.insert(&compare);
}

/// Whether only low bits count at \p use.
bool Planner::wantsLowBits(const Use &use) const {
  auto *user = cast<Instruction>(use.getUser());
  if (compares.contains(user))
    return true;
  if (isa<TruncInst>(user))
    return user->getType()->isIntegerTy() &&
           user->getType()->getIntegerBitWidth() <= kNarrowBits;
  return candidates.contains(const_cast<Instruction *>(user)) &&
         is_contained(lowBitOperands(*user), use.getOperandNo());
}

WordFit Planner::fitAt(const Use &use) {
  auto *user = cast<Instruction>(use.getUser());
  auto *phi = dyn_cast<PHINode>(user);
  return ranges.fitAt(*use.get(),
                      phi ? *phi->getIncomingBlock(use) : *user->getParent());
}

/// Whether \p operation is the phi of a loop that computes its next value in 64
/// bits: it would be cut and extended in each round.
bool Planner::goesRoundWide(const Instruction &operation) const {
  auto *phi = dyn_cast<PHINode>(&operation);
  return phi && any_of(phi->incoming_values(), [&](const Use &use) {
           auto *next = dyn_cast<Instruction>(use);
           return next && !isa<ZExtInst, SExtInst>(next) &&
                  !candidates.contains(next) &&
                  dominators.dominates(phi->getParent(),
                                       phi->getIncomingBlock(use));
         });
}

bool Planner::isCandidate(Instruction &operation) {
  return !goesRoundWide(operation) &&
         all_of(operation.uses(), [&](const Use &use) {
           return wantsLowBits(use) || fitAt(use).isAny();
         });
}

/// Drops \p operation; adds to \p open whose case that changes.
void Planner::drop(Instruction &operation, SetVector<Instruction *> &open) {
  candidates.remove(&operation);
  auto reopen = [&](Value *value) {
    if (auto *other = dyn_cast<Instruction>(value);
        other && candidates.contains(other))
      open.insert(other);
  };
  for (Value *operand : operation.operands())
    reopen(operand);
  for (User *user : operation.users())
    reopen(user);
}

IndexPlan Planner::run() {
  IndexPlan plan;
  for (Instruction &instruction : instructions(function))
    if (auto *compare = dyn_cast<ICmpInst>(&instruction))
      addCompare(*compare, plan);
  collect();
  SetVector<Instruction *> open(candidates.begin(), candidates.end());
  while (!open.empty()) {
    Instruction *operation = open.pop_back_val();
    if (!isCandidate(*operation))
      drop(*operation, open);
  }
  plan.narrowed.assign(candidates.begin(), candidates.end());
  for (Instruction *operation : plan.narrowed)
    for (Use &use : operation->uses())
      if (!wantsLowBits(use)) {
        WordFit fit = fitAt(use);
        bool prefersSign = isa<GEPOperator>(use.getUser());
        plan.extended.push_back(
            {&use, prefersSign ? fit.isSigned : !fit.isUnsigned});
      }
  return plan;
}

IndexPlan planIndexes(Function &function, const DominatorTree &dominators,
                      WordRanges &ranges) {
  return Planner(function, dominators, ranges).run();
}

} // namespace gpulto
