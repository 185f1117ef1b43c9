//===- DeviceLoops.cpp - Unrolling for a GPU ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: profit from what became known of a loop's bounds. A warp issues in
// order, so the counter, compare and branch of a small loop cost what they
// would on a host without branch prediction, and loads of several iterations in
// flight hide latency. LLVM's budget is a host's: at -O2 the unrolled size of a
// loop that is not unrolled fully is limited to 37 instructions.
//
//   trip count known, all rounds fit    all of them
//   trip count known                    its largest divisor that fits
//   a multiple, most it can be not      a divisor of what it is a multiple of:
//                                       no remainder
//   most it can be known                a divisor of that: in a grid-stride
//                                       loop most threads run as many rounds,
//                                       and no remainder
//   few, another number in each round   none at once: a test whether there are
//   of a loop around it                 enough costs more than it saves
//   not known, short, without branches  four, and a remainder, as nvcc does
//   otherwise                           as LLVM thinks
//
// Each iteration in flight takes registers. If they cost a kernel resident
// blocks, it is built again (lto/check/KernelCheck) with a trip count treated
// as a multiple of one: Unrolling::Sparing.
//
// Applies only to functions that interprocedural facts changed: the others come
// out as in a plain compile, but for short loops of which no count is known.
//
// Source: J. Wu et al., "gpucc: An Open-Source GPGPU Compiler", CGO 2016
// (unrolling thresholds); the budgets were set over the programs of bench/ipa.
//
//===----------------------------------------------------------------------===//

#include "lto/device/DeviceLoops.h"

#include "lto/partition/LtransPlans.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CodeMetrics.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace llvm;

namespace gpulto {

/// Instructions that a loop may grow to: unrolled fully, and partly.
static constexpr uint64_t kFullBudget = 640;
static constexpr uint64_t kPartialBudget = 256;
static constexpr unsigned kMaxPartialCount = 16;
static constexpr unsigned kMaxRuntimeCount = 8;
/// A bound of rounds beyond this says nothing.
static constexpr unsigned kMaxKnownRounds = 4096;
/// Instructions of the counter: gone in all rounds but the last.
static constexpr unsigned kBackEdge = 2;

/// Rounds at once of a loop of which no count is known, and the instructions
/// that it may have.
static constexpr unsigned kUnknownCount = 4;
static constexpr uint64_t kUnknownBudget = 32;

static bool hasUnrollMetadata(const Loop &loop) {
  MDNode *id = loop.getLoopID();
  if (!id)
    return false;
  return any_of(drop_begin(id->operands()), [](const MDOperand &operand) {
    auto *node = dyn_cast<MDNode>(operand);
    auto *name = node && node->getNumOperands()
                     ? dyn_cast<MDString>(node->getOperand(0))
                     : nullptr;
    return name && name->getString().starts_with("llvm.loop.unroll.");
  });
}

/// Returns the largest divisor of \p tripCount up to \p most with which rounds
/// of \p size instructions fit.
static unsigned largestDivisor(uint64_t size, unsigned tripCount,
                               unsigned most) {
  uint64_t fitting = std::min<uint64_t>(most, kPartialBudget / size);
  for (unsigned count = static_cast<unsigned>(fitting); count > 1; --count)
    if (tripCount % count == 0)
      return count;
  return 1;
}

/// Returns how many rounds of \p loop should become one if that may go as far
/// as \p unrolling.
static unsigned chooseCount(Loop &loop, const UnrollCostEstimator &cost,
                            ScalarEvolution &evolution, Unrolling unrolling) {
  uint64_t size =
      std::max<uint64_t>(cost.getRolledLoopSize(), kBackEdge + 1) - kBackEdge;
  if (unsigned tripCount = evolution.getSmallConstantTripCount(&loop)) {
    if (unrolling == Unrolling::Sparing)
      return largestDivisor(size, tripCount, kMaxRuntimeCount);
    return size * tripCount <= kFullBudget
               ? tripCount
               : largestDivisor(size, tripCount, kMaxPartialCount);
  }
  // Larger ones come of the counter's type. Barriers cannot go into a
  // remainder.
  unsigned most = evolution.getSmallConstantMaxTripCount(&loop);
  if (cost.Convergence != ConvergenceKind::None)
    return 1;
  if (!most || most > kMaxKnownRounds)
    return largestDivisor(size, evolution.getSmallConstantTripMultiple(&loop),
                          kMaxRuntimeCount);
  return largestDivisor(size, most, kMaxRuntimeCount);
}

/// Whether \p loop has a few rounds only, another number of them in each round
/// of a loop around it: `for (i = k + 1; i < 6; ++i)`. LLVM, which knows no
/// bound of them, would test at run time whether there are enough of them for
/// several at once.
static bool isShort(Loop &loop, ScalarEvolution &evolution) {
  auto *backEdges =
      dyn_cast<SCEVAddRecExpr>(evolution.getBackedgeTakenCount(&loop));
  if (!backEdges || !backEdges->getLoop()->contains(&loop) ||
      !backEdges->isAffine())
    return false;
  unsigned rounds =
      evolution.getSmallConstantMaxTripCount(backEdges->getLoop());
  auto *first = dyn_cast<SCEVConstant>(backEdges->getStart());
  auto *step = dyn_cast<SCEVConstant>(backEdges->getStepRecurrence(evolution));
  if (!rounds || rounds > kMaxKnownRounds || !first || !step)
    return false;
  // The loop is entered where its count is not negative.
  const APInt &atFirst = first->getAPInt();
  APInt atLast =
      atFirst + step->getAPInt() * APInt(atFirst.getBitWidth(), rounds - 1);
  return atFirst.slt(kMaxRuntimeCount) && atLast.slt(kMaxRuntimeCount);
}

/// Whether \p loop, one block of \p size instructions, runs as often as a value
/// says that only a run knows, and it costs little to test how many rounds are
/// left.
static bool isOfUnknownCount(Loop &loop, uint64_t size,
                             LoopStandardAnalysisResults &analyses) {
  ScalarEvolution &evolution = analyses.SE;
  if (size > kUnknownBudget || evolution.getSmallConstantTripCount(&loop) ||
      !evolution.hasLoopInvariantBackedgeTakenCount(&loop))
    return false;
  if (unsigned most = evolution.getSmallConstantMaxTripCount(&loop);
      most && most <= 2 * kUnknownCount)
    return false;
  BasicBlock *before = loop.getLoopPreheader();
  SCEVExpander expander(evolution, "unrolled");
  return before &&
         !expander.isHighCostExpansion(evolution.getBackedgeTakenCount(&loop),
                                       &loop, SCEVCheapExpansionBudget,
                                       &analyses.TTI, before->getTerminator());
}

PreservedAnalyses
ChooseUnrollingPass::run(Loop &loop, LoopAnalysisManager &,
                         LoopStandardAnalysisResults &analyses, LPMUpdater &) {
  Function &function = *loop.getHeader()->getParent();
  bool isChanged = function.hasFnAttribute(kChangedAttribute);
  bool mayTestNow =
      mayTest && most == Unrolling::Full && loop.getNumBlocks() == 1;
  if ((!isChanged && !mayTestNow) || function.hasOptSize() ||
      !loop.isInnermost() || hasUnrollMetadata(loop))
    return PreservedAnalyses::all();
  SmallPtrSet<const Value *, 32> ephemeral;
  CodeMetrics::collectEphemeralValues(&loop, &analyses.AC, ephemeral);
  UnrollCostEstimator cost(&loop, analyses.TTI, ephemeral, kBackEdge);
  // Calls cost more than the loop around them.
  if (!cost.canUnroll() || cost.NumInlineCandidates)
    return PreservedAnalyses::all();
  unsigned count = 1;
  if (isChanged) {
    count = chooseCount(loop, cost, analyses.SE, most);
    if (count != chooseCount(loop, cost, analyses.SE, Unrolling::Sparing))
      reached = Unrolling::Full;
  }
  if (count > 1) {
    addStringMetadataToLoop(&loop, "llvm.loop.unroll.count", count);
  } else if (isChanged && isShort(loop, analyses.SE)) {
    addStringMetadataToLoop(&loop, "llvm.loop.unroll.disable", 1);
  } else if (mayTestNow && cost.Convergence == ConvergenceKind::None &&
             isOfUnknownCount(loop, cost.getRolledLoopSize(), analyses)) {
    reached = Unrolling::Full;
    addStringMetadataToLoop(&loop, "llvm.loop.unroll.count", kUnknownCount);
  }
  return PreservedAnalyses::all();
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

static constexpr uint64_t kVectorBytes = 16;
static constexpr uint64_t kMaxCopyBytes = 64;

static bool isWide(const MemCpyInst &copy) {
  auto *length = dyn_cast<ConstantInt>(copy.getLength());
  if (!length || copy.isVolatile() || length->isZero() ||
      length->getValue().ugt(kMaxCopyBytes) ||
      length->getZExtValue() % kVectorBytes)
    return false;
  return copy.getDestAlign().valueOrOne() >= Align(kVectorBytes) &&
         copy.getSourceAlign().valueOrOne() >= Align(kVectorBytes);
}

static void widen(MemCpyInst &copy) {
  IRBuilder<> builder(&copy);
  Type *word = FixedVectorType::get(builder.getInt32Ty(), 4);
  uint64_t bytes = cast<ConstantInt>(copy.getLength())->getZExtValue();
  AAMDNodes aliases = copy.getAAMetadata();
  aliases.TBAA = aliases.TBAAStruct = nullptr; // of the whole copy
  SmallVector<Value *, 4> loaded;
  for (uint64_t at = 0; at < bytes; at += kVectorBytes) {
    LoadInst *load = builder.CreateAlignedLoad(
        word,
        builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(),
                                           copy.getRawSource(), at),
        Align(kVectorBytes));
    load->setAAMetadata(aliases);
    loaded.push_back(load);
  }
  for (auto [i, value] : enumerate(loaded)) {
    StoreInst *store = builder.CreateAlignedStore(
        value,
        builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(),
                                           copy.getRawDest(), i * kVectorBytes),
        Align(kVectorBytes));
    store->setAAMetadata(aliases);
  }
  copy.eraseFromParent();
}

PreservedAnalyses WidenCopiesPass::run(Function &function,
                                       FunctionAnalysisManager &) {
  SmallVector<MemCpyInst *> copies;
  for (Instruction &instruction : instructions(function))
    if (auto *copy = dyn_cast<MemCpyInst>(&instruction); copy && isWide(*copy))
      copies.push_back(copy);
  for (MemCpyInst *copy : copies)
    widen(*copy);
  if (copies.empty())
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace gpulto
