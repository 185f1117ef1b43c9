//===- LoopResults.cpp - Jump functions of what loops leave ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: say what a number is behind the loop that steps it, in terms of what is
// known before it:
//
//   for (; n > 11; n -= 2, blocks <<= 2)          rounds = n > 11 ? ... / 2 : 0
//     first<<<...>>>(...);
//   last<<<blocks, 256>>>(n);          blocks << 2 * rounds, n + -2 * rounds
//
// For a phi outside of loops (of):
// 1. findStep: it merges what a loop with one exit leaves, a number that each
//    round steps by a constant, with what it is if the loop is not entered.
// 2. ofExpression: the number of rounds, as ScalarEvolution has it, in the
//    operations of jump functions.
// 3. ofCondition: 1 or 0 for whether the loop is entered, which rotation tests
//    in front of it; the product is the number of steps.
//
// ScalarEvolution counts what is added, not what doubles. So ofDoublings counts
// rounds up to a power of two, as those who divide by multiplying do:
//
//   while (shift < 32 && 1u << shift < divisor)    rounds = min(32,
//     ++shift;                                           ceil(log2(divisor)))
//   while (threads < n && threads < 1024)          32 << ...
//     threads *= 2;
//
// A loop that does nothing but count may have no phi behind it: what is asked
// of its own variables is what they are at the end (isQuiet).
//
// Linear in the size of the expressions, which is bounded (kMaxExpression).
//
// Source: O. Bachmann, P. S. Wang, E. V. Zima, "Chains of Recurrences", ISSAC
// 1994, by way of LLVM's ScalarEvolution.
//
//===----------------------------------------------------------------------===//

#include "ipa/values/LoopResults.h"

#include "ipa/values/JumpFunctionBuilder.h"
#include "ipa/values/JumpOperations.h"
#include "ipa/values/ScalarValues.h"
#include "ipa/values/ValueLimits.h"
#include "ipa/values/ValueShapes.h"
#include "summary/ModuleSummary.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

namespace gpulto {

using Kind = JumpFunction::Kind;

/// Rounds are counted in this width, in which none of the supported counts
/// overflows.
static constexpr unsigned kCountBits = 64;

/// Whether \p value is one operation on a number, and constants.
static bool isOfOne(const llvm::Value &value) {
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  return instruction && instruction->getType()->isIntegerTy() &&
         operationOf(instruction->getOpcode()) &&
         (instruction->isCast() ||
          llvm::isa<llvm::ConstantInt>(instruction->getOperand(1)));
}

/// How many operations deep \p j is.
static unsigned heightOf(const ModuleSummary &summary, const JumpFunction &j) {
  if (j.kind != Kind::Composed)
    return 0;
  unsigned right =
      j.count ? heightOf(summary, summary.jumpFunctions[j.count - 1]) : 0;
  return 1 +
         std::max(heightOf(summary, summary.jumpFunctions[j.source]), right);
}

//===----------------------------------------------------------------------===//
// Expressions and conditions
//===----------------------------------------------------------------------===//

static std::optional<JumpOperation> operationOf(llvm::SCEVTypes type) {
  switch (type) {
  case llvm::scAddExpr:
    return JumpOperation::Add;
  case llvm::scMulExpr:
    return JumpOperation::Mul;
  case llvm::scUDivExpr:
    return JumpOperation::UDiv;
  case llvm::scUMinExpr:
  case llvm::scSequentialUMinExpr:
    return JumpOperation::UMin;
  case llvm::scUMaxExpr:
    return JumpOperation::UMax;
  case llvm::scSMinExpr:
    return JumpOperation::SMin;
  case llvm::scSMaxExpr:
    return JumpOperation::SMax;
  case llvm::scZeroExtend:
    return JumpOperation::ZExt;
  case llvm::scSignExtend:
    return JumpOperation::SExt;
  case llvm::scTruncate:
    return JumpOperation::Trunc;
  default:
    return std::nullopt;
  }
}

/// The value of \p expression, an integer that no loop changes.
JumpFunction LoopResults::ofExpression(const llvm::SCEV &expression) {
  unsigned bits = scalarBits(*expression.getType());
  JumpFunction unknown = JumpFunction::unknown(bits);
  if (!bits || !expression.getType()->isIntegerTy())
    return unknown;
  if (auto *constant = llvm::dyn_cast<llvm::SCEVConstant>(&expression))
    return constantValue(*constant->getValue());
  if (auto *leaf = llvm::dyn_cast<llvm::SCEVUnknown>(&expression))
    return values.of(*leaf->getValue());
  std::optional<JumpOperation> operation =
      operationOf(expression.getSCEVType());
  if (!operation)
    return unknown;
  llvm::ArrayRef<const llvm::SCEV *> operands = expression.operands();
  JumpFunction result = ofExpression(*operands.front());
  if (takesWidth(*operation) || *operation == JumpOperation::Trunc)
    return operations.compose(
        *operation, result,
        *operation == JumpOperation::Trunc ? 0 : result.bitWidth, bits);
  // Constants come first; operations.compose() wants them last.
  for (const llvm::SCEV *operand : operands.drop_front()) {
    JumpFunction next = ofExpression(*operand);
    bool isSwapped =
        result.kind == Kind::Constant && *operation != JumpOperation::UDiv;
    result = isSwapped ? operations.compose(*operation, next, result, bits)
                       : operations.compose(*operation, result, next, bits);
  }
  return result;
}

/// 1 if \p condition, or its inverse, holds, which compares an integer to a
/// constant, else 0; of kCountBits bits.
JumpFunction LoopResults::ofCondition(const llvm::ICmpInst &condition,
                                      bool isInverse) {
  using Predicate = llvm::CmpInst;
  llvm::CmpInst::Predicate predicate =
      isInverse ? condition.getInversePredicate() : condition.getPredicate();
  auto *constant = llvm::dyn_cast<llvm::ConstantInt>(condition.getOperand(1));
  if (!constant || constant->getBitWidth() > kCountBits)
    return JumpFunction::unknown(kCountBits);
  const llvm::APInt &bound = constant->getValue();
  unsigned bits = bound.getBitWidth();
  bool isSigned = Predicate::isSigned(predicate);
  JumpFunction input = values.of(*condition.getOperand(0));
  auto asBit = [&](const JumpFunction &number, bool isInverse) {
    JumpFunction bit = operations.resized(
        operations.compose(JumpOperation::UMin, number, uint64_t(1), bits),
        kCountBits);
    return isInverse ? operations.compose(JumpOperation::Xor, bit, uint64_t(1),
                                          kCountBits)
                     : bit;
  };
  // How much greater it is than what bounds it from below.
  auto isGreater = [&](const llvm::APInt &least, bool isInverse) {
    JumpFunction larger =
        operations.compose(isSigned ? JumpOperation::SMax : JumpOperation::UMax,
                           input, least.getZExtValue(), bits);
    return asBit(operations.compose(JumpOperation::Sub, larger,
                                    least.getZExtValue(), bits),
                 isInverse);
  };
  bool isLowest = isSigned ? bound.isMinSignedValue() : bound.isZero();
  switch (predicate) {
  case Predicate::ICMP_NE:
  case Predicate::ICMP_EQ:
    return asBit(operations.compose(JumpOperation::Sub, input,
                                    bound.getZExtValue(), bits),
                 predicate == Predicate::ICMP_EQ);
  case Predicate::ICMP_UGT:
  case Predicate::ICMP_SGT:
    return isGreater(bound, false);
  case Predicate::ICMP_ULE:
  case Predicate::ICMP_SLE:
    return isGreater(bound, true);
  case Predicate::ICMP_UGE:
  case Predicate::ICMP_SGE:
  case Predicate::ICMP_ULT:
  case Predicate::ICMP_SLT:
    if (isLowest) // always, or never
      return JumpFunction::unknown(kCountBits);
    return isGreater(bound - 1, predicate == Predicate::ICMP_ULT ||
                                    predicate == Predicate::ICMP_SLT);
  default:
    return JumpFunction::unknown(kCountBits);
  }
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Strips phis that merge nothing.
static const llvm::Value *stripExits(const llvm::Value *value) {
  while (auto *phi = llvm::dyn_cast<llvm::PHINode>(value)) {
    if (phi->getNumIncomingValues() != 1)
      break;
    value = phi->getIncomingValue(0);
  }
  return value;
}

/// The operation \p opcode if many of it, by a constant, are one.
static std::optional<JumpOperation> stepOf(unsigned opcode) {
  static constexpr JumpOperation kSteps[] = {
      JumpOperation::Add, JumpOperation::Shl, JumpOperation::LShr,
      JumpOperation::AShr};
  std::optional<JumpOperation> operation = operationOf(opcode);
  return operation && llvm::is_contained(kSteps, *operation) ? operation
                                                             : std::nullopt;
}

/// What \p value, used outside of its loop, is in terms of rounds.
std::optional<LoopResults::Step>
LoopResults::findStep(const llvm::Value &value, const llvm::LoopInfo &loops) {
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  const llvm::Loop *loop =
      instruction ? loops.getLoopFor(instruction->getParent()) : nullptr;
  if (!loop || !loop->getExitingBlock() || !loop->getLoopLatch() ||
      !loop->getLoopPredecessor())
    return std::nullopt;
  for (const llvm::PHINode &phi : loop->getHeader()->phis()) {
    const llvm::Value *next =
        phi.getIncomingValueForBlock(loop->getLoopLatch());
    if (&phi != &value && next != &value)
      continue;
    auto *operation = llvm::dyn_cast<llvm::BinaryOperator>(next);
    auto *by = operation && operation->getOperand(0) == &phi &&
                       operation->getType()->isIntegerTy()
                   ? llvm::dyn_cast<llvm::ConstantInt>(operation->getOperand(1))
                   : nullptr;
    std::optional<JumpOperation> kind = by && by->getBitWidth() <= kCountBits
                                            ? stepOf(operation->getOpcode())
                                            : std::nullopt;
    if (!kind)
      return std::nullopt;
    return Step{loop, phi.getIncomingValueForBlock(loop->getLoopPredecessor()),
                *kind, by->getZExtValue(), next == &value};
  }
  return std::nullopt;
}

/// How often \p step is taken, if its loop is entered; kCountBits bits.
JumpFunction LoopResults::ofRounds(const Step &step) {
  // More is not worth its bytes.
  constexpr unsigned short kMaxExpression = 16;
  // The product with the amount of a shift, less than 8 bits, is exact. Sums
  // wrap around as the program's do.
  constexpr unsigned kMaxCountBits = kCountBits - 8;
  auto &evolution =
      context.analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  const llvm::SCEV *count =
      evolution.getExitCount(step.loop, step.loop->getExitingBlock());
  bool isCounted = !llvm::isa<llvm::SCEVCouldNotCompute>(count);
  if (isCounted &&
      (count->getExpressionSize() > kMaxExpression ||
       (step.operation != JumpOperation::Add &&
        evolution.getUnsignedRangeMax(count).getActiveBits() > kMaxCountBits)))
    return JumpFunction::unknown(kCountBits);
  JumpFunction rounds =
      isCounted ? operations.resized(ofExpression(*count), kCountBits)
                : ofDoublings(*step.loop);
  return step.isNext ? operations.compose(JumpOperation::Add, rounds,
                                          uint64_t(1), kCountBits)
                     : rounds;
}

//===----------------------------------------------------------------------===//
// Loops that double
//===----------------------------------------------------------------------===//

/// Adds to \p tests the comparisons that must all hold for \p condition, or
/// its inverse, to hold. Returns whether it is made of such.
static bool addTests(llvm::Value *condition, bool isInverse,
                     llvm::SmallVectorImpl<const llvm::ICmpInst *> &tests) {
  using namespace llvm::PatternMatch;
  constexpr size_t kMaxTests = 4;
  llvm::Value *left, *right;
  if (isInverse ? match(condition, m_LogicalOr(m_Value(left), m_Value(right)))
                : match(condition, m_LogicalAnd(m_Value(left), m_Value(right))))
    return addTests(left, isInverse, tests) &&
           addTests(right, isInverse, tests);
  auto *comparison = llvm::dyn_cast<llvm::ICmpInst>(condition);
  if (!comparison || tests.size() == kMaxTests)
    return false;
  tests.push_back(comparison);
  return true;
}

/// What \p comparison, or its inverse, says of a number of \p loop.
std::optional<LoopResults::Test>
LoopResults::testOf(const llvm::ICmpInst &comparison, bool isInverse,
                    const llvm::Loop &loop) {
  using namespace llvm::PatternMatch;
  llvm::CmpInst::Predicate predicate =
      isInverse ? comparison.getInversePredicate() : comparison.getPredicate();
  llvm::Value *number = comparison.getOperand(0),
              *limit = comparison.getOperand(1);
  if (loop.isLoopInvariant(number)) {
    std::swap(number, limit);
    predicate = llvm::CmpInst::getSwappedPredicate(predicate);
  }
  Test test;
  test.isSigned = llvm::CmpInst::isSigned(predicate);
  test.isInclusive = predicate == llvm::CmpInst::ICMP_ULE ||
                     predicate == llvm::CmpInst::ICMP_SLE;
  unsigned bits = scalarBits(*number->getType());
  if (!loop.isLoopInvariant(limit) || !number->getType()->isIntegerTy() ||
      bits == 0 || bits + test.isInclusive > kCountBits ||
      !(test.isInclusive || predicate == llvm::CmpInst::ICMP_ULT ||
        predicate == llvm::CmpInst::ICMP_SLT))
    return std::nullopt;
  // A counter, or a power of two by a counter.
  auto &evolution =
      context.analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  auto firstOf = [&](llvm::Value &counter) -> std::optional<uint64_t> {
    auto *sum =
        llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(&counter));
    auto *first = sum && sum->getLoop() == &loop && sum->isAffine() &&
                          sum->getStepRecurrence(evolution)->isOne()
                      ? llvm::dyn_cast<llvm::SCEVConstant>(sum->getStart())
                      : nullptr;
    if (!first || first->getAPInt().isNegative())
      return std::nullopt;
    return first->getAPInt().getZExtValue();
  };
  auto *constant = llvm::dyn_cast<llvm::ConstantInt>(limit);
  if (std::optional<uint64_t> first = firstOf(*number)) {
    if (!constant || constant->isNegative())
      return std::nullopt;
    uint64_t end = constant->getZExtValue() + test.isInclusive;
    test.most = end > *first ? end - *first : 0;
    return test;
  }
  test.limit = limit;
  auto isFlagged = [&](const llvm::Value &value) {
    auto &shift = llvm::cast<llvm::BinaryOperator>(value);
    return test.isSigned ? shift.hasNoSignedWrap() : shift.hasNoUnsignedWrap();
  };
  const llvm::APInt *factor;
  llvm::Value *counter;
  if (match(number, m_Shl(m_Power2(factor), m_Value(counter)))) {
    std::optional<uint64_t> first = firstOf(*counter);
    if (!first || *first >= bits)
      return std::nullopt;
    test.first = factor->logBase2() + static_cast<unsigned>(*first);
    // By its width and more is poison.
    test.isExact = isFlagged(*number) || (!test.isSigned && factor->isOne());
  } else {
    std::optional<Step> step = findStep(
        *number, context.analyses.getResult<llvm::LoopAnalysis>(function));
    auto *first = step && step->loop == &loop &&
                          step->operation == JumpOperation::Shl && step->by == 1
                      ? llvm::dyn_cast<llvm::ConstantInt>(step->initial)
                      : nullptr;
    if (!first || !first->getValue().isPowerOf2())
      return std::nullopt;
    test.first = first->getValue().logBase2() + step->isNext;
    auto *phi = llvm::dyn_cast<llvm::PHINode>(number);
    test.isExact = isFlagged(
        phi ? *phi->getIncomingValueForBlock(loop.getLoopLatch()) : *number);
  }
  // 2 ** (bits - 1) is the last that is exact, negative if that has a meaning.
  unsigned last = bits - (test.isSigned ? 2 : 1);
  if (test.first > last)
    return std::nullopt;
  test.most = last - test.first;
  return test;
}

/// The rounds up to where \p test fails; kCountBits bits.
JumpFunction LoopResults::ofTest(const Test &test) {
  if (!test.limit)
    return JumpFunction::constant(test.most, kCountBits);
  unsigned bits = scalarBits(*test.limit->getType());
  JumpFunction limit = values.of(*test.limit);
  if (test.isSigned) // below a negative number there is none of them
    limit = operations.compose(JumpOperation::SMax, limit, uint64_t(0), bits);
  limit = operations.resized(limit, kCountBits);
  if (test.isInclusive)
    limit =
        operations.compose(JumpOperation::Add, limit, uint64_t(1), kCountBits);
  JumpFunction power = operations.compose(JumpOperation::CeilLog2, limit,
                                          uint64_t(kCountBits), kCountBits);
  if (test.first == 0)
    return power;
  JumpFunction least = operations.compose(JumpOperation::UMax, power,
                                          uint64_t(test.first), kCountBits);
  return operations.compose(JumpOperation::Sub, least, uint64_t(test.first),
                            kCountBits);
}

/// How often \p loop, which a number that doubles leaves, goes on; kCountBits
/// bits. If a test alone ends it, the number does not wrap around before that:
/// the loop would not end.
JumpFunction LoopResults::ofDoublings(const llvm::Loop &loop) {
  JumpFunction unknown = JumpFunction::unknown(kCountBits);
  const llvm::BasicBlock &end = *loop.getExitingBlock();
  auto *branch = llvm::dyn_cast<llvm::BranchInst>(end.getTerminator());
  bool isOncePerRound =
      context.analyses.getResult<llvm::LoopAnalysis>(function).getLoopFor(
          &end) == &loop &&
      context.analyses.getResult<llvm::DominatorTreeAnalysis>(function)
          .dominates(&end, loop.getLoopLatch());
  if (!branch || !branch->isConditional() || !isOncePerRound)
    return unknown;
  bool isInverse = !loop.contains(branch->getSuccessor(0));
  llvm::SmallVector<const llvm::ICmpInst *> comparisons;
  if (!addTests(branch->getCondition(), isInverse, comparisons))
    return unknown;
  llvm::SmallVector<Test> tests;
  uint64_t most = UINT64_MAX;
  for (const llvm::ICmpInst *comparison : comparisons) {
    std::optional<Test> test = testOf(*comparison, isInverse, loop);
    if (!test)
      return unknown;
    if (llvm::isa_and_nonnull<llvm::ConstantInt>(test->limit)) {
      JumpFunction rounds = ofTest(*test);
      if (rounds.value <= test->most)
        test = Test{.most = rounds.value};
    }
    if (!test->limit)
      most = std::min(most, test->most);
    tests.push_back(*test);
  }
  JumpFunction rounds = unknown;
  for (const Test &test : tests) {
    if (test.limit && !test.isExact && tests.size() > 1 && most > test.most)
      return unknown;
    JumpFunction next = ofTest(test);
    if (&test == tests.begin()) {
      rounds = next;
      continue;
    }
    if (rounds.kind == Kind::Constant) // compose() wants constants last
      std::swap(rounds, next);
    rounds = operations.compose(JumpOperation::UMin, rounds, next, kCountBits);
  }
  return rounds;
}

/// Whether \p loop only computes, so that nobody asks what a value of it is in
/// one of its rounds.
bool LoopResults::isQuiet(const llvm::Loop &loop) const {
  constexpr size_t kMaxInstructions = 32;
  size_t count = 0;
  for (const llvm::BasicBlock *block : loop.blocks())
    for (const llvm::Instruction &instruction : *block)
      if (++count > kMaxInstructions || instruction.mayHaveSideEffects() ||
          (llvm::isa<llvm::CallBase>(instruction) &&
           !llvm::isa<llvm::IntrinsicInst>(instruction)))
        return false;
  return true;
}

/// 1 if \p loop is entered, or 0 if \p before goes on at \p behind, by a
/// condition at the end of \p before; of kCountBits bits.
JumpFunction LoopResults::ofEntered(const llvm::Loop &loop,
                                    const llvm::BasicBlock &before,
                                    const llvm::BasicBlock &behind) {
  JumpFunction unknown = JumpFunction::unknown(kCountBits);
  auto *branch = llvm::dyn_cast<llvm::BranchInst>(before.getTerminator());
  if (!branch || !branch->isConditional())
    return unknown;
  bool entersFirst = branch->getSuccessor(1) == &behind;
  const llvm::BasicBlock *inside = branch->getSuccessor(entersFirst ? 0 : 1);
  auto *condition = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
  if (!condition || inside == &behind ||
      !context.analyses.getResult<llvm::DominatorTreeAnalysis>(function)
           .dominates(llvm::BasicBlockEdge(&before, inside), loop.getHeader()))
    return unknown;
  return ofCondition(*condition, /*isInverse=*/!entersFirst);
}

/// What \p step has made of its initial value after \p rounds.
JumpFunction LoopResults::ofSteps(const Step &step,
                                  const JumpFunction &rounds) {
  unsigned bits = scalarBits(*step.initial->getType());
  JumpFunction amount =
      operations.compose(JumpOperation::Mul, rounds, step.by, kCountBits);
  JumpFunction initial = values.of(*step.initial);
  if (step.operation == JumpOperation::Add)
    return operations.compose(step.operation, initial,
                              operations.resized(amount, bits), bits);
  // All of them may shift by the width and more, which one operation must not:
  // a second one shifts the last bit out.
  JumpFunction first = operations.compose(JumpOperation::UMin, amount,
                                          uint64_t(bits - 1), kCountBits);
  JumpFunction result = operations.compose(
      step.operation, initial, operations.resized(first, bits), bits);
  if (step.operation == JumpOperation::AShr)
    return result; // signs only
  JumpFunction rest = operations.compose(
      JumpOperation::UMin,
      operations.compose(JumpOperation::Sub, amount, first, kCountBits),
      uint64_t(1), kCountBits);
  return operations.compose(step.operation, result,
                            operations.resized(rest, bits), bits);
}

/// Whether \p value is what \p conversions, outermost first, each of one
/// number, make of \p initial.
static bool isMadeOf(const llvm::Value &value, const llvm::Value &initial,
                     llvm::ArrayRef<const llvm::Instruction *> conversions,
                     const llvm::DataLayout &layout) {
  if (auto *constant = llvm::dyn_cast<llvm::Constant>(&initial)) {
    auto *made = const_cast<llvm::Constant *>(constant);
    for (const llvm::Instruction *operation : llvm::reverse(conversions)) {
      llvm::SmallVector<llvm::Constant *, 2> operands = {made};
      if (!operation->isCast())
        operands.push_back(
            llvm::cast<llvm::Constant>(operation->getOperand(1)));
      made = llvm::ConstantFoldInstOperands(
          const_cast<llvm::Instruction *>(operation), operands, layout);
      if (!made)
        return false;
    }
    return made == &value;
  }
  const llvm::Value *inner = &value;
  for (const llvm::Instruction *operation : conversions) {
    auto *other = llvm::dyn_cast<llvm::Instruction>(inner);
    if (!other || !other->isSameOperationAs(operation) ||
        (!other->isCast() && other->getOperand(1) != operation->getOperand(1)))
      return false;
    inner = other->getOperand(0);
  }
  return inner == &initial;
}

JumpFunction LoopResults::of(const llvm::PHINode &phi) {
  // Loops behind loops are followed as operations are, two of them at most.
  constexpr unsigned kWeight = 9;
  constexpr unsigned kMaxConversions = 2;
  // Those who compute with it, and what is in it, stay below the limit of
  // summaries (32).
  constexpr unsigned kMaxHeight = 20;
  unsigned bits = scalarBits(*phi.getType()),
           count = phi.getNumIncomingValues();
  JumpFunction unknown = JumpFunction::unknown(bits);
  if (context.summary.side != Side::Host || !phi.getType()->isIntegerTy() ||
      !bits || count > 2 || !depth.allows(kWeight))
    return unknown;
  auto &loops = context.analyses.getResult<llvm::LoopAnalysis>(function);
  depth.enter(kWeight);
  llvm::scope_exit restore([&] { depth.leave(kWeight); });
  if (const llvm::Loop *loop = loops.getLoopFor(phi.getParent());
      loop && loop->getHeader() == phi.getParent() && isQuiet(*loop)) {
    std::optional<Step> step = findStep(phi, loops);
    if (!step)
      return unknown;
    JumpFunction result = ofSteps(*step, ofRounds(*step));
    return heightOf(context.summary, result) <= kMaxHeight ? result : unknown;
  }
  for (unsigned i = 0; i < count; ++i) {
    const llvm::Value *left = stripExits(phi.getIncomingValue(i));
    std::optional<Step> step = findStep(*left, loops);
    // Both sides may have been converted before they are merged.
    llvm::SmallVector<const llvm::Instruction *, kMaxConversions> conversions;
    while (!step && isOfOne(*left) && conversions.size() < kMaxConversions) {
      conversions.push_back(llvm::cast<llvm::Instruction>(left));
      left = stripExits(conversions.back()->getOperand(0));
      step = findStep(*left, loops);
    }
    if (!step || step->loop->contains(phi.getParent()) ||
        (count == 2 && !isMadeOf(*phi.getIncomingValue(1 - i), *step->initial,
                                 conversions, function.getDataLayout())))
      continue;
    JumpFunction entered = JumpFunction::constant(1, kCountBits);
    if (count == 2)
      entered = ofEntered(*step->loop, *phi.getIncomingBlock(1 - i),
                          *phi.getParent());
    if (entered.kind == Kind::Unknown)
      continue;
    JumpFunction result =
        ofSteps(*step, operations.compose(JumpOperation::Mul, ofRounds(*step),
                                          entered, kCountBits));
    for (const llvm::Instruction *conversion : llvm::reverse(conversions))
      result = operations.applied(*conversion, result);
    return heightOf(context.summary, result) <= kMaxHeight ? result : unknown;
  }
  return unknown;
}

} // namespace gpulto
