//===- WordRanges.cpp - Integers that fit 32 bits -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: prove that 64-bit indices fit 32 bits where they are used.
//
//   if (x + 1 < nx && y + 1 < ny)       nx and ny at most 46340:
//     out[y * nx + x] = ...             below 2^31 here, not before the test
//
// 1. Impl::at: the range of a value in a block: the result of its own operation
//    on the ranges of its operands in that block, and conditions of branches
//    that dominate the block (atConditions), up to a constant offset.
// 2. Impl::ofPhi: the incoming values, by the branch that each comes with; else
//    a range that the start has and each iteration keeps; else start and end of
//    a counted loop, from ScalarEvolution.
//
// Operands are considered where the value is used, not where it was computed: a
// condition on an operand that dominates the use concerns the instance from
// which the value was computed, since a path to the use from a later instance
// computes the value again.
//
// Answers that depend on a phi still in progress are not kept. Linear in the
// values and branches except for those; steps for one query are limited.
//
// LLVM's LazyValueInfo does not look through sums of several variables, and
// cannot use assumed facts.
//
//===----------------------------------------------------------------------===//

#include "ipa/indexes/WordRanges.h"

#include "ipa/indexes/GuardSource.h"
#include "ipa/runtime/GeometryLimits.h"
#include "ipa/runtime/GeometryReads.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"

#include <set>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gpulto {

namespace {
constexpr unsigned kWideBits = 64, kNarrowBits = 32;
/// Values and branches looked at for one question.
constexpr unsigned kMaxSteps = 4096, kMaxDepth = 48;

/// A range, and which supposed facts it hangs on: a bit each.
struct Known {
  ConstantRange range;
  uint64_t facts = 0;

  explicit Known(unsigned width) : range(width, /*isFullSet=*/true) {}
  explicit Known(ConstantRange range, uint64_t facts = 0)
      : range(std::move(range)), facts(facts) {}
  /// Adds that the value is in \p other, too.
  void meet(const Known &other) {
    ConstantRange both = range.intersectWith(other.range);
    if (both == range)
      return;
    range = std::move(both);
    facts |= other.facts;
  }
  void join(const Known &other) {
    range = range.unionWith(other.range);
    facts |= other.facts;
  }
};

/// A value as the sum of another one and a constant.
struct Offset {
  const Value *base = nullptr;
  APInt constant;
};
} // namespace

static WordFit fitOf(const ConstantRange &range) {
  if (range.isEmptySet())
    return {true, true}; // never comes here
  return {range.getUnsignedMax().getActiveBits() <= kNarrowBits,
          range.getSignedMin().getSignificantBits() <= kNarrowBits &&
              range.getSignedMax().getSignificantBits() <= kNarrowBits};
}

static Offset offsetOf(const Value &value) {
  Offset result{&value, APInt(value.getType()->getIntegerBitWidth(), 0)};
  const APInt *constant;
  const Value *base;
  constexpr unsigned kMaxTerms = 8;
  for (unsigned i = 0;
       i < kMaxTerms &&
       match(result.base, m_Add(m_Value(base), m_APInt(constant)));
       ++i) {
    result.base = base;
    result.constant += *constant;
  }
  return result;
}

class WordRanges::Impl {
public:
  Impl(const Function &function, const DominatorTree &dominators,
       ScalarEvolution &evolution, AssumptionCache &assumed)
      : layout(function.getDataLayout()), dominators(dominators),
        evolution(evolution), assumed(assumed) {}

  /// Returns the range of \p value in \p block, to a question of its own.
  Known ask(const Value &value, const BasicBlock &block) {
    steps = 0;
    return at(value, block, 0);
  }

  std::optional<uint64_t> supposedHigh;
  uint8_t supposedClass = 0;
  std::vector<GuardFact> facts; ///< by bit
  uint64_t used = 0;

private:
  Known at(const Value &value, const BasicBlock &block, unsigned depth);
  Known ofOperation(const Value &value, const BasicBlock &block,
                    unsigned depth);
  Known ofBinary(const BinaryOperator &operation, const BasicBlock &block,
                 unsigned depth);
  Known ofSelect(const SelectInst &select, const BasicBlock &block,
                 unsigned depth);
  Known ofIntrinsic(const IntrinsicInst &call, const BasicBlock &block,
                    unsigned depth);
  Known ofSource(const Value &value);
  Known ofPhi(const PHINode &phi, unsigned depth);
  Known joinIncoming(const PHINode &phi, bool fromOutside, unsigned depth);
  Known ofCounter(const PHINode &phi, unsigned depth);
  Known ofEvolution(const SCEV &value, const BasicBlock &block, unsigned depth);
  void addConditions(Known &known, const Value &value, const BasicBlock &block,
                     unsigned depth);
  void addEdge(Known &known, const Value &value, const BasicBlock &from,
               const BasicBlock &to, unsigned depth);
  void addCondition(Known &known, const Value &value, const Value &condition,
                    bool isTrue, const BasicBlock &from, unsigned depth);
  void addCompare(Known &known, const Value &value, const Value &left,
                  CmpInst::Predicate predicate, const Value &right,
                  const BasicBlock &from, unsigned depth);
  uint64_t bitOf(const GuardFact &fact);

  const DataLayout &layout;
  const DominatorTree &dominators;
  ScalarEvolution &evolution;
  AssumptionCache &assumed;
  DenseMap<std::pair<const Value *, const BasicBlock *>, Known> kept;
  /// Phis being looked at, with what is supposed of them meanwhile.
  DenseMap<const PHINode *, Known> open;
  unsigned cuts = 0; ///< answers that hang on an open phi
  unsigned steps = 0;
};

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Known WordRanges::Impl::at(const Value &value, const BasicBlock &block,
                           unsigned depth) {
  unsigned width = value.getType()->getIntegerBitWidth();
  if (auto *constant = dyn_cast<ConstantInt>(&value))
    return Known(ConstantRange(constant->getValue()));
  if (isa<Constant>(value))
    return Known(width);
  if (auto found = kept.find({&value, &block}); found != kept.end())
    return found->second;
  if (depth > kMaxDepth || ++steps > kMaxSteps)
    return Known(width);
  unsigned before = cuts;
  Known known = ofOperation(value, block, depth + 1);
  addConditions(known, value, block, depth + 1);
  if (cuts == before || (open.empty() && depth == 0))
    kept.insert({{&value, &block}, known});
  return known;
}

Known WordRanges::Impl::ofOperation(const Value &value, const BasicBlock &block,
                                    unsigned depth) {
  unsigned width = value.getType()->getIntegerBitWidth();
  const Instruction *context = &*block.getFirstNonPHIIt();
  Known known = ofSource(value);
  known.meet(Known(computeConstantRange(&value, /*ForSigned=*/false,
                                        /*UseInstrInfo=*/true, &assumed,
                                        context, &dominators)));
  known.meet(Known(ConstantRange::fromKnownBits(
      computeKnownBits(&value, layout, &assumed, context, &dominators),
      /*IsSigned=*/false)));
  auto operand = [&](const Instruction &cast) {
    return at(*cast.getOperand(0), block, depth);
  };
  if (auto *phi = dyn_cast<PHINode>(&value)) {
    known.meet(ofPhi(*phi, depth));
  } else if (auto *cast = dyn_cast<CastInst>(&value)) {
    if (cast->getSrcTy()->isIntegerTy() &&
        cast->getSrcTy()->getIntegerBitWidth() <= kWideBits) {
      Known source = operand(*cast);
      known.meet(
          Known(source.range.castOp(cast->getOpcode(), width), source.facts));
    }
  } else if (auto *binary = dyn_cast<BinaryOperator>(&value)) {
    known.meet(ofBinary(*binary, block, depth));
  } else if (auto *select = dyn_cast<SelectInst>(&value)) {
    known.meet(ofSelect(*select, block, depth));
  } else if (auto *freeze = dyn_cast<FreezeInst>(&value)) {
    if (isGuaranteedNotToBeUndefOrPoison(freeze->getOperand(0), &assumed,
                                         freeze, &dominators))
      known.meet(operand(*freeze));
  } else if (auto *call = dyn_cast<IntrinsicInst>(&value)) {
    known.meet(ofIntrinsic(*call, block, depth));
  }
  return known;
}

Known WordRanges::Impl::ofBinary(const BinaryOperator &operation,
                                 const BasicBlock &block, unsigned depth) {
  Known left = at(*operation.getOperand(0), block, depth);
  Known right = at(*operation.getOperand(1), block, depth);
  unsigned kind = 0;
  using Flags = OverflowingBinaryOperator;
  if (auto *flags = dyn_cast<Flags>(&operation)) {
    kind |= flags->hasNoUnsignedWrap() ? unsigned(Flags::NoUnsignedWrap) : 0u;
    kind |= flags->hasNoSignedWrap() ? unsigned(Flags::NoSignedWrap) : 0u;
  }
  return Known(kind ? left.range.overflowingBinaryOp(operation.getOpcode(),
                                                     right.range, kind)
                    : left.range.binaryOp(operation.getOpcode(), right.range),
               left.facts | right.facts);
}

Known WordRanges::Impl::ofSelect(const SelectInst &select,
                                 const BasicBlock &block, unsigned depth) {
  Known yes = at(*select.getTrueValue(), block, depth);
  addCondition(yes, *select.getTrueValue(), *select.getCondition(), true, block,
               depth);
  Known no = at(*select.getFalseValue(), block, depth);
  addCondition(no, *select.getFalseValue(), *select.getCondition(), false,
               block, depth);
  yes.join(no);
  return yes;
}

/// The hardware's limits, and a supposed one.
Known WordRanges::Impl::ofIntrinsic(const IntrinsicInst &call,
                                    const BasicBlock &block, unsigned depth) {
  unsigned width = call.getType()->getIntegerBitWidth();
  if (ConstantRange::isIntrinsicSupported(call.getIntrinsicID())) {
    SmallVector<ConstantRange, 2> ranges;
    uint64_t facts = 0;
    for (const Value *argument : call.args()) {
      Known known = at(*argument, block, depth);
      ranges.push_back(known.range);
      facts |= known.facts;
    }
    return Known(ConstantRange::intrinsic(call.getIntrinsicID(), ranges),
                 facts);
  }
  std::optional<GeometryRead> read = geometryRead(call.getIntrinsicID());
  if (!read || width != kNarrowBits)
    return Known(width);
  bool isSupposed = supposedHigh && read->component == kGridX;
  uint64_t high = isSupposed ? kMaxWordGrid : kGeometryLimits[read->component];
  GuardFact fact;
  fact.kind = GuardKind::SmallGrid;
  return Known(
      ConstantRange(APInt(width, 0), APInt(width, high - read->isIndex + 1)),
      isSupposed ? bitOf(fact) : 0);
}

Known WordRanges::Impl::ofSource(const Value &value) {
  unsigned width = value.getType()->getIntegerBitWidth();
  if (!supposedHigh || width != kWideBits)
    return Known(width);
  std::optional<GuardFact> source = guardSource(value, layout);
  if (!source)
    return Known(width);
  source->sizeClass = supposedClass;
  return Known(ConstantRange(APInt(width, 0), APInt(width, *supposedHigh) + 1),
               bitOf(*source));
}

uint64_t WordRanges::Impl::bitOf(const GuardFact &fact) {
  auto found = find(facts, fact);
  size_t position = static_cast<size_t>(found - facts.begin());
  if (found == facts.end())
    facts.push_back(fact);
  return uint64_t(1) << std::min<size_t>(position, kWideBits - 1);
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

void WordRanges::Impl::addConditions(Known &known, const Value &value,
                                     const BasicBlock &block, unsigned depth) {
  const Value *base = offsetOf(value).base;
  auto *definition = dyn_cast<Instruction>(base);
  const DomTreeNode *node = dominators.getNode(&block);
  for (; node && node->getIDom(); node = node->getIDom()) {
    const BasicBlock &to = *node->getBlock();
    const BasicBlock &from = *node->getIDom()->getBlock();
    // No condition on a value is older than the value.
    if (definition && &to == definition->getParent())
      return;
    if (++steps > kMaxSteps)
      return;
    if (auto *branch = dyn_cast<BranchInst>(from.getTerminator());
        branch && branch->isConditional())
      for (const BasicBlock *target : branch->successors())
        if (dominators.dominates(BasicBlockEdge(&from, target), &to))
          addEdge(known, value, from, *target, depth);
  }
}

/// Adds what the edge from \p from to \p to implies for \p value.
void WordRanges::Impl::addEdge(Known &known, const Value &value,
                               const BasicBlock &from, const BasicBlock &to,
                               unsigned depth) {
  auto *branch = dyn_cast<BranchInst>(from.getTerminator());
  if (branch && branch->isConditional() &&
      branch->getSuccessor(0) != branch->getSuccessor(1))
    addCondition(known, value, *branch->getCondition(),
                 branch->getSuccessor(0) == &to, from, depth);
}

void WordRanges::Impl::addCondition(Known &known, const Value &value,
                                    const Value &condition, bool isTrue,
                                    const BasicBlock &from, unsigned depth) {
  const Value *first, *second;
  if (depth > kMaxDepth)
    return;
  if (isTrue
          ? match(&condition, m_LogicalAnd(m_Value(first), m_Value(second)))
          : match(&condition, m_LogicalOr(m_Value(first), m_Value(second)))) {
    addCondition(known, value, *first, isTrue, from, depth + 1);
    addCondition(known, value, *second, isTrue, from, depth + 1);
    return;
  }
  auto *compare = dyn_cast<ICmpInst>(&condition);
  if (!compare || !compare->getOperand(0)->getType()->isIntegerTy() ||
      compare->getOperand(0)->getType() != value.getType())
    return;
  CmpInst::Predicate predicate =
      isTrue ? compare->getPredicate() : compare->getInversePredicate();
  const Value &left = *compare->getOperand(0), &right = *compare->getOperand(1);
  addCompare(known, value, left, predicate, right, from, depth + 1);
  addCompare(known, value, right, CmpInst::getSwappedPredicate(predicate), left,
             from, depth + 1);
}

/// Adds what this comparison of \p left and \p right implies for \p value.
void WordRanges::Impl::addCompare(Known &known, const Value &value,
                                  const Value &left,
                                  CmpInst::Predicate predicate,
                                  const Value &right, const BasicBlock &from,
                                  unsigned depth) {
  Offset mine = offsetOf(value), compared = offsetOf(left);
  if (mine.base != compared.base)
    return;
  Known limit = at(right, from, depth);
  known.meet(Known(ConstantRange::makeAllowedICmpRegion(predicate, limit.range)
                       .add(ConstantRange(mine.constant - compared.constant)),
                   limit.facts));
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

Known WordRanges::Impl::ofPhi(const PHINode &phi, unsigned depth) {
  unsigned width = phi.getType()->getIntegerBitWidth();
  if (auto found = open.find(&phi); found != open.end()) {
    ++cuts;
    return found->second;
  }
  auto joinWith = [&](Known supposed) {
    open.insert({&phi, std::move(supposed)});
    Known result = joinIncoming(phi, /*fromOutside=*/false, depth);
    open.erase(&phi);
    return result;
  };
  unsigned before = cuts;
  Known known = joinWith(Known(width));
  auto isLacking = [&] {
    return cuts != before && !fitOf(known.range).isAny();
  };
  if (isLacking()) {
    // Induction: who starts in a range that each round keeps stays there.
    Known start = joinIncoming(phi, /*fromOutside=*/true, depth);
    if (!start.range.isFullSet()) {
      Known round = joinWith(start);
      if (start.range.contains(round.range))
        known.meet(Known(start.range, start.facts | round.facts));
    }
  }
  if (isLacking())
    known.meet(ofCounter(phi, depth));
  if (open.empty() && steps <= kMaxSteps)
    cuts = before; // nothing is open that it would hang on
  return known;
}

Known WordRanges::Impl::joinIncoming(const PHINode &phi, bool fromOutside,
                                     unsigned depth) {
  unsigned width = phi.getType()->getIntegerBitWidth();
  Known result(ConstantRange(width, /*isFullSet=*/false));
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
    const Value &value = *phi.getIncomingValue(i);
    const BasicBlock &from = *phi.getIncomingBlock(i);
    if (fromOutside && dominators.dominates(phi.getParent(), &from))
      continue;
    Known known = at(value, from, depth);
    addEdge(known, value, from, *phi.getParent(), depth);
    result.join(known);
    if (result.range.isFullSet())
      break;
  }
  return result;
}

/// A counter that goes up by one is at most what it is in the last round.
Known WordRanges::Impl::ofCounter(const PHINode &phi, unsigned depth) {
  unsigned width = phi.getType()->getIntegerBitWidth();
  if (!evolution.isSCEVable(phi.getType()))
    return Known(width);
  auto *counter =
      dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(const_cast<PHINode *>(&phi)));
  if (!counter || !counter->isAffine() ||
      !counter->getStepRecurrence(evolution)->isOne() ||
      counter->getLoop()->getHeader() != phi.getParent())
    return Known(width);
  const Loop *loop = counter->getLoop();
  const SCEV *rounds = evolution.getBackedgeTakenCount(loop);
  const BasicBlock *entry = loop->getLoopPredecessor();
  if (isa<SCEVCouldNotCompute>(rounds) || rounds->getType() != phi.getType() ||
      !entry)
    return Known(width);
  const SCEV *last = counter->evaluateAtIteration(rounds, evolution);
  if (!evolution.isLoopEntryGuardedByCond(loop, ICmpInst::ICMP_ULE,
                                          counter->getStart(), last))
    return Known(width);
  Known low = ofEvolution(*counter->getStart(), *entry, depth);
  Known high = ofEvolution(*last, *entry, depth);
  return Known(ConstantRange::getNonEmpty(low.range.getUnsignedMin(),
                                          high.range.getUnsignedMax() + 1),
               low.facts | high.facts);
}

Known WordRanges::Impl::ofEvolution(const SCEV &value, const BasicBlock &block,
                                    unsigned depth) {
  if (auto *unknown = dyn_cast<SCEVUnknown>(&value);
      unknown && unknown->getType()->isIntegerTy())
    return at(*unknown->getValue(), block, depth);
  Known known(evolution.getUnsignedRange(&value));
  auto *sum = dyn_cast<SCEVAddExpr>(&value);
  if (!sum && !isa<SCEVMulExpr>(value))
    return known;
  auto *terms = cast<SCEVNAryExpr>(&value);
  Known result = ofEvolution(*terms->getOperand(0), block, depth);
  for (const SCEV *term : drop_begin(terms->operands())) {
    Known next = ofEvolution(*term, block, depth);
    result = Known(sum ? result.range.add(next.range)
                       : result.range.multiply(next.range),
                   result.facts | next.facts);
  }
  known.meet(result);
  return known;
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

WordRanges::WordRanges(const Function &function,
                       const DominatorTree &dominators,
                       ScalarEvolution &evolution, AssumptionCache &assumed)
    : impl(std::make_unique<Impl>(function, dominators, evolution, assumed)) {}

WordRanges::~WordRanges() = default;

void WordRanges::suppose(uint8_t sizeClass) {
  impl->supposedClass = sizeClass;
  impl->supposedHigh = largestWord(sizeClass);
}

WordFit WordRanges::fitAt(const Value &value, const BasicBlock &block) {
  Known known = impl->ask(value, block);
  WordFit fit = fitOf(known.range);
  if (fit.isAny())
    impl->used |= known.facts;
  return fit;
}

WordFit WordRanges::wrapsNot(const Value &operation) {
  auto &binary = cast<BinaryOperator>(operation);
  const BasicBlock &block = *binary.getParent();
  // A sum or product of two words does not wrap in 64 bits, so it is what its
  // bits say.
  WordFit result = fitOf(impl->ask(binary, block).range);
  for (const Value *operand : binary.operands()) {
    WordFit fit = fitOf(impl->ask(*operand, block).range);
    result.isUnsigned &= fit.isUnsigned;
    result.isSigned &= fit.isSigned;
  }
  return result;
}

std::vector<GuardFact> WordRanges::usedFacts() const {
  std::set<GuardFact> result;
  for (size_t i = 0; i < impl->facts.size(); ++i)
    if (impl->used >> std::min<size_t>(i, kWideBits - 1) & 1)
      result.insert(impl->facts[i]);
  return {result.begin(), result.end()};
}

} // namespace gpulto
