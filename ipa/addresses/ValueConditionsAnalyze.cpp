//===- ValueConditionsAnalyze.cpp - Bounds from branches (LGEN) -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The part of ipa/addresses/ValueExtentsAnalyze.cpp that uses conditions:
//
//   if (i < n)           i at most n - 1 where only the true edge leads
//   if (unsigned(i) < n) and at least 0, if n is not negative
//   while (i != n)       less than n, if i is known to be at most n
//
// A comparison of a value holds at a place if its edge dominates the place, or
// is the edge in question. The comparison and the place then belong to the same
// iteration of a loop: the value's definition dominates the edge, so a path
// from the definition to the place that avoids the edge would also be one from
// the entry. A branch on poison is undefined, so neither side is poison.
//
//===----------------------------------------------------------------------===//

#include "ipa/addresses/MaybeSum.h"
#include "ipa/addresses/ValueExtents.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gpulto {

/// Calls \p visit with each comparison that \p condition, which is \p isTrue,
/// implies, and whether that is true.
static void forEachComparison(const Value &condition, bool isTrue,
                              function_ref<void(const ICmpInst &, bool)> visit,
                              unsigned depth = 0) {
  constexpr unsigned kMaxConditions = 6;
  if (depth > kMaxConditions)
    return;
  const Value *a, *b;
  if (auto *compare = dyn_cast<ICmpInst>(&condition)) {
    visit(*compare, isTrue);
  } else if (match(&condition, m_Not(m_Value(a)))) {
    forEachComparison(*a, !isTrue, visit, depth + 1);
  } else if (isTrue ? match(&condition, m_LogicalAnd(m_Value(a), m_Value(b)))
                    : match(&condition, m_LogicalOr(m_Value(a), m_Value(b)))) {
    forEachComparison(*a, isTrue, visit, depth + 1);
    forEachComparison(*b, isTrue, visit, depth + 1);
  }
}

/// Adds to \p limits what the branch at the end of \p from implies for \p value
/// if its condition is \p isTrue.
void ValueExtents::refineByEdge(const Value &value, const BasicBlock &from,
                                bool isTrue, unsigned depth,
                                SmallVectorImpl<Limit> &limits) {
  const Value &condition =
      *cast<BranchInst>(from.getTerminator())->getCondition();
  forEachComparison(
      condition, isTrue, [&](const ICmpInst &compare, bool holds) {
        CmpInst::Predicate predicate =
            holds ? compare.getPredicate() : compare.getInversePredicate();
        for (unsigned side = 0; side < 2; ++side) {
          const Value *compared = compare.getOperand(side);
          const Value *limit = compare.getOperand(1 - side);
          const APInt *added = nullptr;
          bool isSum =
              match(compared, m_Add(m_Specific(&value), m_APInt(added)));
          if (compared != &value && !isSum)
            continue;
          limits.push_back(
              {side ? CmpInst::getSwappedPredicate(predicate) : predicate,
               find(*limit, {&from, nullptr}, depth + 1),
               isSum ? added->getSExtValue() : 0});
        }
      });
}

/// Keeps of \p old and \p found the bound that says more; one from a condition
/// if that is open. \p sign is 1 for upper bounds.
static void tighten(MaybeSum &old, const MaybeSum &found, int64_t sign) {
  if (found && !isNeverNegative(times(minus(found, old), sign)))
    old = found;
}

/// Uses \p limit, an unsigned comparison.
void ValueExtents::applyUnsigned(ValueExtent &extent, const Limit &limit) {
  // A limit that is not negative means the same as signed.
  switch (limit.predicate) {
  case CmpInst::ICMP_ULT:
  case CmpInst::ICMP_ULE: {
    if (!limit.extent.high || !demand(limit.extent.low))
      return;
    bool isLess = limit.predicate == CmpInst::ICMP_ULT;
    ValueExtent found{launchConstant(0), plus(limit.extent.high, -int(isLess))};
    tighten(extent.low, found.low, -1);
    tighten(extent.high, found.high, 1);
    return;
  }
  default: {
    // Nor is the value.
    if (!(isGuessing || isNeverNegative(extent.low)) ||
        !isNeverNegative(limit.extent.low))
      return;
    bool isMore = limit.predicate == CmpInst::ICMP_UGT;
    tighten(extent.low, plus(limit.extent.low, int(isMore)), -1);
  }
  }
}

void ValueExtents::apply(ValueExtent &extent, const Limit &limit) {
  switch (limit.predicate) {
  case CmpInst::ICMP_EQ:
    tighten(extent.low, limit.extent.low, -1);
    tighten(extent.high, limit.extent.high, 1);
    break;
  case CmpInst::ICMP_SLT:
    tighten(extent.high, plus(limit.extent.high, -1), 1);
    break;
  case CmpInst::ICMP_SLE:
    tighten(extent.high, limit.extent.high, 1);
    break;
  case CmpInst::ICMP_SGT:
    tighten(extent.low, plus(limit.extent.low, 1), -1);
    break;
  case CmpInst::ICMP_SGE:
    tighten(extent.low, limit.extent.low, -1);
    break;
  case CmpInst::ICMP_NE:
    break;
  default:
    applyUnsigned(extent, limit);
  }
}

/// Uses that a value in \p extent is not \p limit.
void ValueExtents::applyUnequal(ValueExtent &extent,
                                const ValueExtent &limit) const {
  if (!areEqual(limit.low, limit.high))
    return;
  if (areEqual(extent.low, limit.low) || (isGuessing && !extent.low))
    extent.low = plus(limit.low, 1);
  if (areEqual(extent.high, limit.high) || (isGuessing && !extent.high))
    extent.high = plus(limit.high, -1);
}

/// Uses the conditions that lead to \p place.
void ValueExtents::refine(ValueExtent &extent, const Value &value, Place place,
                          unsigned depth) {
  SmallVector<Limit, 4> limits; // the nearest first
  auto add = [&](const BasicBlock &from, function_ref<bool(unsigned)> isTaken) {
    auto *branch = dyn_cast<BranchInst>(from.getTerminator());
    if (!branch || !branch->isConditional() ||
        branch->getSuccessor(0) == branch->getSuccessor(1))
      return;
    for (unsigned i = 0; i < 2; ++i)
      if (isTaken(i))
        refineByEdge(value, from, i == 0, depth, limits);
  };
  auto successor = [](const BasicBlock &from, unsigned i) {
    return cast<BranchInst>(from.getTerminator())->getSuccessor(i);
  };
  if (place.next)
    add(*place.block,
        [&](unsigned i) { return successor(*place.block, i) == place.next; });
  const DomTreeNode *node = dominators.getNode(place.block);
  for (node = node ? node->getIDom() : nullptr; node; node = node->getIDom()) {
    const BasicBlock &from = *node->getBlock();
    add(from, [&](unsigned i) {
      return dominators.dominates(BasicBlockEdge(&from, successor(from, i)),
                                  place.block);
    });
  }
  // Of two bounds that cannot be compared the nearest is kept.
  for (const Limit &limit : reverse(limits)) {
    if (!limit.added) {
      apply(extent, limit);
      continue;
    }
    ValueExtent sum;
    apply(sum, limit);
    int64_t back = -limit.added;
    sum = fitting({plus(sum.low, back), plus(sum.high, back)},
                  value.getType()->getIntegerBitWidth());
    tighten(extent.low, sum.low, -1);
    tighten(extent.high, sum.high, 1);
  }
  for (const Limit &limit : limits)
    if (!limit.added && limit.predicate == CmpInst::ICMP_NE)
      applyUnequal(extent, limit.extent);
}

} // namespace gpulto
