//===- GuardIndexesAnalyze.cpp - Sizes whose products fit (LGEN) ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: know what a kernel would gain if its indices fitted 32 bits.
//
//   out[(z * ny + y) * nx + x]    nx, ny, nz at most 1290, grid small:
//                                 32 bits, which LTRANS proves again
//
// The host tests sizes one by one, so it takes a bound that products of them
// keep: of one size, of two or of three (largestWord). The loosest is taken
// that brings most of what the strictest does. All that is gained, beyond what
// is proven anyway, is one chance with the facts of all proofs.
//
// Why not test the product: nothing tells that y * nx + x is below ny * nx but
// a proof over products, which LLVM and WordRanges do not have.
//
// Five plans (ipa/NarrowIndexes.cpp) for a kernel with sizes of 64 bits.
//
//===----------------------------------------------------------------------===//

#include "ipa/GuardChances.h"
#include "ipa/NarrowIndexes.h"
#include "ipa/WordRanges.h"

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
  std::vector<Instruction *> operations;
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
  Outcome outcome{std::move(plan.narrowed), ranges.usedFacts()};
  append_range(outcome.operations, plan.unsignedCompares);
  append_range(outcome.operations, plan.signedCompares);
  return outcome;
}

/// Whether the host can say anything of a size of 64 bits to \p kernel.
static bool hasSizes(const Function &kernel) {
  return any_of(kernel.args(), [](const Argument &argument) {
    constexpr unsigned kWideBits = 64;
    return argument.hasByValAttr() ||
           argument.getType()->isIntegerTy(kWideBits);
  });
}

/// Returns executions of \p operation per entry in 1/256: a stencil checks six
/// borders, which nearly all threads pass.
static uint32_t frequencyOf(const Instruction &operation,
                            const EntryFrequencies &frequencies) {
  constexpr uint32_t kOnce = 256, kBehindBorders = kOnce >> 6;
  uint32_t frequency = frequencies.of(*operation.getParent());
  return frequency < kBehindBorders ? frequency : std::max(frequency, kOnce);
}

void findIndexGuards(LgenContext &context, Function &kernel,
                     EntryFrequencies &frequencies, GuardChances &chances) {
  if (!hasSizes(kernel))
    return;
  Outcome proven = outcomeFor(context, kernel, std::nullopt);
  SmallPtrSet<const Instruction *, 32> known(proven.operations.begin(),
                                             proven.operations.end());
  // Divisions of 32 bits pay more, for any size of 32 bits.
  uint8_t last = chances.empty() ? kLastSizeClass : 1;
  std::array<Outcome, kLastSizeClass + 1> outcomes;
  std::array<uint64_t, kLastSizeClass + 1> gains = {};
  for (uint8_t sizeClass = 1; sizeClass <= last; ++sizeClass) {
    Outcome &outcome = outcomes[sizeClass];
    outcome = outcomeFor(context, kernel, sizeClass);
    erase_if(outcome.operations, [&](const Instruction *operation) {
      return known.contains(operation);
    });
    for (const Instruction *operation : outcome.operations)
      gains[sizeClass] += uint64_t(narrowGain(*operation)) *
                          frequencyOf(*operation, frequencies);
  }
  constexpr uint64_t kMostOf[] = {3, 4};
  uint8_t chosen = 1;
  while (gains[chosen] * kMostOf[1] < gains[last] * kMostOf[0])
    ++chosen;
  GuardFacts facts(outcomes[chosen].facts.begin(),
                   outcomes[chosen].facts.end());
  for (const Instruction *operation : outcomes[chosen].operations)
    chances.add(facts, narrowGain(*operation),
                frequencyOf(*operation, frequencies));
}

} // namespace gpulto
