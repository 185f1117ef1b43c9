//===- GuardIndexesAnalyze.cpp - Sizes whose products fit (LGEN) ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: know what a kernel would gain if its indices fit 32 bits.
//
//   out[(z * ny + y) * nx + x]    nx, ny, nz at most 1290, grid small:
//                                 32 bits, which LTRANS proves again
//
// The host tests sizes one by one, so the bound must cover products of one, two
// or three sizes (largestWord). The loosest bound that brings most of the gain
// of the strictest is taken. The whole gain, beyond what is proven anyway
// (ipa/indexes/IndexGains.cpp), is one chance with the facts of all proofs.
//
// Why not test the product: only a proof over products, which LLVM and
// WordRanges lack, could show that y * nx + x is below ny * nx.
//
// Makes five plans (ipa/indexes/NarrowIndexes.cpp) for a kernel with 64-bit
// sizes.
//
//===----------------------------------------------------------------------===//

#include "ipa/guards/GuardChances.h"
#include "ipa/indexes/IndexGains.h"
#include "ipa/indexes/WordRanges.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

#include <array>

using namespace llvm;

namespace gpulto {

namespace {

/// What can be narrowed, and what must hold.
struct Outcome {
  IndexPlan plan;
  std::vector<GuardFact> facts;
};

} // namespace

/// Returns what can be narrowed in \p kernel if sizes are at most what
/// \p sizeClass says; none: nothing is supposed.
static Outcome outcomeFor(LgenContext &context, Function &kernel,
                          std::optional<uint8_t> sizeClass) {
  auto &dominators = context.analyses.getResult<DominatorTreeAnalysis>(kernel);
  WordRanges ranges(kernel, dominators,
                    context.analyses.getResult<ScalarEvolutionAnalysis>(kernel),
                    context.analyses.getResult<AssumptionAnalysis>(kernel));
  if (sizeClass)
    ranges.suppose(*sizeClass);
  IndexPlan plan = planIndexes(kernel, dominators, ranges);
  return {std::move(plan), ranges.usedFacts()};
}

/// Whether the host can say anything of a size of 64 bits to \p kernel.
static bool hasSizes(const Function &kernel) {
  return any_of(kernel.args(), [](const Argument &argument) {
    constexpr unsigned kWideBits = 64;
    return argument.hasByValAttr() ||
           argument.getType()->isIntegerTy(kWideBits);
  });
}

/// Returns executions of \p block per entry in 1/256: a stencil checks six
/// borders, which nearly all threads pass, and loops are guesses.
static uint64_t frequencyOf(const BasicBlock &block,
                            const EntryFrequencies &frequencies) {
  constexpr uint32_t kOnce = 256, kBehindBorders = kOnce >> 6,
                     kMost = 16 * kOnce;
  uint32_t frequency = frequencies.of(block);
  return frequency < kBehindBorders ? frequency
                                    : std::clamp(frequency, kOnce, kMost);
}

/// Whether \p gain is worth a test at all: what ptxas makes of the same code
/// with other registers differs by as much.
static bool isWorthTests(uint64_t gain, uint64_t time) {
  constexpr uint64_t kLeast = 4 * 256, kLeastShare = 40;
  return gain >= kLeast && gain * kLeastShare >= time;
}

void findIndexGuards(LgenContext &context, Function &kernel,
                     EntryFrequencies &frequencies, GuardChances &chances) {
  if (!hasSizes(kernel))
    return;
  auto frequency = [&](const BasicBlock &block) {
    return frequencyOf(block, frequencies);
  };
  IndexPlan proven = outcomeFor(context, kernel, std::nullopt).plan;
  SmallPtrSet<const Instruction *, 32> known(proven.narrowed.begin(),
                                             proven.narrowed.end());
  for (const auto *list : {&proven.unsignedCompares, &proven.signedCompares})
    known.insert(list->begin(), list->end());
  // Divisions of 32 bits pay more, for any size of 32 bits.
  uint8_t last = chances.empty() ? kLastSizeClass : 1;
  std::array<GuardFacts, kLastSizeClass + 1> facts;
  std::array<uint64_t, kLastSizeClass + 1> gains = {};
  auto &evolution = context.analyses.getResult<ScalarEvolutionAnalysis>(kernel);
  for (uint8_t sizeClass = 1; sizeClass <= last; ++sizeClass) {
    Outcome outcome = outcomeFor(context, kernel, sizeClass);
    facts[sizeClass].assign(outcome.facts.begin(), outcome.facts.end());
    gains[sizeClass] = indexGain(outcome.plan, known, evolution, frequency);
  }
  constexpr uint64_t kMostOf[] = {3, 4};
  uint8_t chosen = 1;
  while (gains[chosen] * kMostOf[1] < gains[last] * kMostOf[0])
    ++chosen;
  if (isWorthTests(gains[chosen], roughTime(kernel, frequency)))
    chances.add(facts[chosen], gains[chosen], 1);
}

} // namespace gpulto
