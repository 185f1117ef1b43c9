//===- GuardsAnalyze.cpp - Facts that would pay off (LGEN) ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: estimate, without trying, what a kernel would gain from facts that the
// host can test in a few instructions before it launches.
//
//   out[i] = in[i / size * stride]    size and stride below 2^32, grid small:
//                                     the 64-bit division becomes one of 32
//
// A chance is a set of facts and what they save together. This file handles
// 64-bit divisions. NVPTX tests at run time whether 32 bits suffice and keeps
// code for both, some 70 instructions of machine code and half a dozen
// registers.
//
// 1. boundOf: an upper bound of a value in terms of parameters that are assumed
//    to fit 32 bits, by the same reasoning as LLVM's
//    CorrelatedValuePropagation, which will narrow the division: arithmetic,
//    and the conditions that lead to the block.
// 2. A division whose operands are both bounded by 2^32 is a chance.
//
// Vector accesses and loops: ipa/guards/GuardAccessesAnalyze.cpp. Pointers that
// should be apart: ipa/guards/GuardReloadsAnalyze.cpp; what is touched through
// them: ipa/guards/GuardExtentsAnalyze.cpp. How WPA uses chances:
// ipa/guards/GuardsPropagate.cpp.
//
// Depth of the walk is bounded: linear in the instructions.
//
// Source: P. Alves et al., "Runtime Pointer Disambiguation", OOPSLA 2015; G.
// Mendonca et al., "DawnCC", TACO 2017 (tests before a launch).
//
//===----------------------------------------------------------------------===//

#include "ipa/bodies/Passes.h"
#include "ipa/guards/GuardChances.h"
#include "ipa/runtime/GeometryLimits.h"
#include "ipa/runtime/GeometryReads.h"
#include "summary/ModuleSummary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Support/MathExtras.h"

#include <set>

using namespace llvm;

namespace gpulto {

//===----------------------------------------------------------------------===//
// Chances
//===----------------------------------------------------------------------===//

void GuardChances::add(GuardFacts facts, uint64_t gain, uint32_t frequency) {
  // Static frequencies of loops are guesses, and a branch that looks even is a
  // check of bounds that nearly all threads pass.
  constexpr uint32_t kOnce = 256, kMaxFrequency = 16 * kOnce,
                     kMinCheckedFrequency = kOnce / 4;
  if (frequency >= kMinCheckedFrequency)
    frequency = std::max(frequency, kOnce);
  llvm::sort(facts);
  facts.erase(llvm::unique(facts), facts.end());
  if (!facts.empty())
    gains[{facts.begin(), facts.end()}] +=
        gain * std::min(frequency, kMaxFrequency);
}

std::vector<PointerSource> GuardChances::pairedPointers() const {
  std::set<PointerSource> pointers;
  for (const auto &[facts, gain] : gains)
    for (const GuardFact &fact : facts)
      if (fact.kind == GuardKind::Apart)
        pointers.insert({pointerOf(fact), fact.other});
  return {pointers.begin(), pointers.end()};
}

Range GuardChances::addTo(ModuleSummary &summary) const {
  constexpr uint64_t kOnce = 256, kMaxGain = 1u << 24;
  Range range{static_cast<uint32_t>(summary.guards.size()), 0};
  for (const auto &[facts, gain] : gains) {
    if (gain < kOnce)
      continue;
    GuardChance chance;
    chance.gain =
        static_cast<uint32_t>(keepThreeBits(std::min(gain / kOnce, kMaxGain)));
    chance.facts = {static_cast<uint32_t>(summary.guardFacts.size()),
                    static_cast<uint32_t>(facts.size())};
    append_range(summary.guardFacts, facts);
    summary.guards.push_back(chance);
    ++range.count;
  }
  return range.count ? range : Range();
}

//===----------------------------------------------------------------------===//
// Values that fit 32 bits
//===----------------------------------------------------------------------===//

namespace {
/// Upper bound of an unsigned value, if \c facts hold.
struct Bound {
  uint64_t high = UINT64_MAX;
  GuardFacts facts;
};
using MaybeBound = std::optional<Bound>;

class BoundFinder {
public:
  BoundFinder(const DominatorTree &dominators, const DataLayout &layout)
      : dominators(dominators), layout(layout) {}

  /// Returns a bound of \p value, used in \p block, that is below 2^32.
  MaybeBound wordBound(const Value &value, const BasicBlock &block) {
    for (bool assumed : {false, true}) {
      assumesSmallGrid = assumed;
      steps = 0;
      MaybeBound bound = boundOf(value, block, 0);
      if (bound && bound->high <= UINT32_MAX)
        return bound;
    }
    return std::nullopt;
  }

private:
  MaybeBound boundOf(const Value &value, const BasicBlock &block,
                     unsigned depth);
  MaybeBound structuralBound(const Value &value, const BasicBlock &block,
                             unsigned depth);
  MaybeBound operationBound(const Instruction &operation,
                            const BasicBlock &block, unsigned depth);
  MaybeBound geometryBound(const IntrinsicInst &call) const;
  MaybeBound phiBound(const PHINode &phi, unsigned depth);
  MaybeBound conditionBound(const Value &value, const BasicBlock &block,
                            unsigned depth);
  MaybeBound branchBound(const Value &value, const BasicBlock &from,
                         bool isTrueEdge, unsigned depth);

  const DominatorTree &dominators;
  const DataLayout &layout;
  SmallVector<const PHINode *, 8> phis; // being looked at
  bool assumesSmallGrid = false;
  unsigned steps = 0;
};
} // namespace

static constexpr unsigned kMaxDepth = 8;
/// Values looked at for one bound.
static constexpr unsigned kMaxSteps = 256;

static void append(GuardFacts &facts, const GuardFacts &more) {
  facts.append(more.begin(), more.end());
}

MaybeBound BoundFinder::boundOf(const Value &value, const BasicBlock &block,
                                unsigned depth) {
  if (depth > kMaxDepth || ++steps > kMaxSteps ||
      !value.getType()->isIntegerTy() ||
      value.getType()->getIntegerBitWidth() > 64)
    return std::nullopt;
  uint64_t most = computeKnownBits(&value, layout).getMaxValue().getZExtValue();
  MaybeBound found = structuralBound(value, block, depth);
  if (!found || most <= found->high)
    found = Bound{most, {}};
  if (found->high <= UINT32_MAX)
    return found;
  MaybeBound better = conditionBound(value, block, depth);
  return better && better->high < found->high ? better : found;
}

/// Returns the bound of a special register. The hardware's limits need not be
/// tested as facts, but those of the grid are too large for thread numbers to
/// fit.
MaybeBound BoundFinder::geometryBound(const IntrinsicInst &call) const {
  std::optional<GeometryRead> read = geometryRead(call.getIntrinsicID());
  if (!read)
    return std::nullopt;
  if (read->component != kGridX || !assumesSmallGrid)
    return Bound{kGeometryLimits[read->component] - read->isIndex, {}};
  GuardFact fact;
  fact.kind = GuardKind::SmallGrid;
  return Bound{kMaxWordGrid - uint64_t(read->isIndex), {fact}};
}

MaybeBound BoundFinder::structuralBound(const Value &value,
                                        const BasicBlock &block,
                                        unsigned depth) {
  if (value.getType()->isIntegerTy(64))
    if (std::optional<GuardFact> source = guardSource(value, layout))
      return Bound{UINT32_MAX, {*source}};
  if (auto *phi = dyn_cast<PHINode>(&value))
    return phiBound(*phi, depth);
  if (auto *call = dyn_cast<IntrinsicInst>(&value))
    return geometryBound(*call);
  if (auto *operation = dyn_cast<Instruction>(&value))
    return operationBound(*operation, block, depth);
  return std::nullopt;
}

MaybeBound BoundFinder::operationBound(const Instruction &operation,
                                       const BasicBlock &block,
                                       unsigned depth) {
  auto boundOfOperand = [&](unsigned i) {
    return boundOf(*operation.getOperand(i), block, depth + 1);
  };
  auto combine = [&](unsigned i, unsigned j, auto function) -> MaybeBound {
    MaybeBound a = boundOfOperand(i), b = boundOfOperand(j);
    if (!a || !b)
      return std::nullopt;
    append(a->facts, b->facts);
    a->high = function(a->high, b->high);
    return a;
  };
  auto shift = [&]() -> std::optional<unsigned> {
    auto *amount = dyn_cast<ConstantInt>(operation.getOperand(1));
    return amount && amount->getValue().ult(64)
               ? std::optional<unsigned>(amount->getZExtValue())
               : std::nullopt;
  };
  switch (operation.getOpcode()) {
  case Instruction::ZExt:
  case Instruction::UDiv:
  case Instruction::LShr: {
    MaybeBound bound = boundOfOperand(0);
    if (bound && operation.getOpcode() == Instruction::LShr && shift())
      bound->high >>= *shift();
    return bound;
  }
  case Instruction::URem:
    return boundOfOperand(1);
  case Instruction::Add:
    return combine(0, 1,
                   [](uint64_t a, uint64_t b) { return SaturatingAdd(a, b); });
  case Instruction::Mul:
    return combine(
        0, 1, [](uint64_t a, uint64_t b) { return SaturatingMultiply(a, b); });
  case Instruction::Select:
    return combine(1, 2, [](uint64_t a, uint64_t b) { return std::max(a, b); });
  default:
    return std::nullopt;
  }
}

/// The bound of a loop's counter comes from conditions at its ends.
MaybeBound BoundFinder::phiBound(const PHINode &phi, unsigned depth) {
  if (is_contained(phis, &phi))
    return std::nullopt;
  phis.push_back(&phi);
  Bound result{0, {}};
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
    const Value &value = *phi.getIncomingValue(i);
    const BasicBlock &from = *phi.getIncomingBlock(i);
    MaybeBound bound;
    if (auto *branch = dyn_cast<BranchInst>(from.getTerminator());
        branch && branch->isConditional() &&
        branch->getSuccessor(0) != branch->getSuccessor(1))
      bound = branchBound(value, from,
                          branch->getSuccessor(0) == phi.getParent(), depth);
    if (!bound || bound->high > UINT32_MAX)
      bound = boundOf(value, from, depth + 1);
    if (!bound) {
      phis.pop_back();
      return std::nullopt;
    }
    result.high = std::max(result.high, bound->high);
    append(result.facts, bound->facts);
  }
  phis.pop_back();
  return result;
}

/// Returns what the branch at the end of \p from implies for \p value on one of
/// its edges.
MaybeBound BoundFinder::branchBound(const Value &value, const BasicBlock &from,
                                    bool isTrueEdge, unsigned depth) {
  auto *compare = dyn_cast<ICmpInst>(
      cast<BranchInst>(from.getTerminator())->getCondition());
  if (!compare || depth > kMaxDepth)
    return std::nullopt;
  CmpInst::Predicate predicate =
      isTrueEdge ? compare->getPredicate() : compare->getInversePredicate();
  const Value *limit = compare->getOperand(1);
  if (compare->getOperand(1) == &value) {
    predicate = CmpInst::getSwappedPredicate(predicate);
    limit = compare->getOperand(0);
  } else if (compare->getOperand(0) != &value) {
    return std::nullopt;
  }
  if (predicate != CmpInst::ICMP_ULT && predicate != CmpInst::ICMP_ULE)
    return std::nullopt;
  return boundOf(*limit, from, depth + 1);
}

MaybeBound BoundFinder::conditionBound(const Value &value,
                                       const BasicBlock &block,
                                       unsigned depth) {
  const DomTreeNode *node = dominators.getNode(&block);
  for (node = node ? node->getIDom() : nullptr; node; node = node->getIDom()) {
    const BasicBlock &from = *node->getBlock();
    auto *branch = dyn_cast<BranchInst>(from.getTerminator());
    if (!branch || !branch->isConditional() ||
        branch->getSuccessor(0) == branch->getSuccessor(1))
      continue;
    for (unsigned i = 0; i < 2; ++i) {
      BasicBlockEdge edge(&from, branch->getSuccessor(i));
      if (!dominators.dominates(edge, &block))
        continue;
      if (MaybeBound bound = branchBound(value, from, i == 0, depth))
        return bound;
    }
  }
  return std::nullopt;
}

void findWordGuards(LgenContext &context, Function &kernel,
                    EntryFrequencies &frequencies, GuardChances &chances) {
  /// The test whether 32 bits suffice, and what moves between the two ways.
  constexpr uint64_t kDivisionGain = 8;
  const DominatorTree &dominators =
      context.analyses.getResult<DominatorTreeAnalysis>(kernel);
  BoundFinder finder(dominators, context.module.getDataLayout());
  for (Instruction &instruction : instructions(kernel)) {
    if (!instruction.isIntDivRem() || !instruction.getType()->isIntegerTy(64) ||
        isa<Constant>(instruction.getOperand(1)))
      continue;
    const BasicBlock &block = *instruction.getParent();
    MaybeBound dividend = finder.wordBound(*instruction.getOperand(0), block);
    MaybeBound divisor = finder.wordBound(*instruction.getOperand(1), block);
    if (!dividend || !divisor)
      continue;
    append(dividend->facts, divisor->facts);
    chances.add(dividend->facts, kDivisionGain, frequencies.of(block));
  }
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Adds what \p kernel touches through pointers that should be apart to the
/// summary; returns their range.
static Range addExtents(LgenContext &context, Function &kernel,
                        const GuardChances &chances) {
  std::vector<PointerExtent> &extents = context.summary.guardExtents;
  Range range{static_cast<uint32_t>(extents.size()), 0};
  for (const PointerSource &pointer : chances.pairedPointers())
    if (std::optional<PointerExtent> extent = findExtent(
            kernel, context.analyses.getResult<DominatorTreeAnalysis>(kernel),
            pointer)) {
      extents.push_back(std::move(*extent));
      ++range.count;
    }
  return range.count ? range : Range();
}

void analyzeGuards(LgenContext &context) {
  ModuleSummary &summary = context.summary;
  if (summary.side != Side::Device)
    return;
  for (auto [body, function] : zip(context.bodies, summary.functions)) {
    if (!summary.symbols[function.symbol].has(kKernel) || body->hasOptNone() ||
        body->hasOptSize())
      continue;
    EntryFrequencies frequencies(context, *body);
    GuardChances chances;
    findWordGuards(context, *body, frequencies, chances);
    findIndexGuards(context, *body, frequencies, chances);
    findVectorGuards(context, *body, frequencies, chances);
    findReloadGuards(context, *body, frequencies, chances);
    function.guards = chances.addTo(summary);
    function.guardExtents = addExtents(context, *body, chances);
  }
}

} // namespace gpulto
