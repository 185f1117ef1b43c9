//===- GuardFactsPropagate.cpp - Which facts a version is made for --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Finds what constant propagation knows about a guard fact, and which of the
// unknown facts are worth a test. See ipa/guards/GuardsPropagate.cpp.
//
//===----------------------------------------------------------------------===//

#include "ipa/constants/ConstantsSolver.h"
#include "ipa/guards/Guards.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <set>

using namespace llvm;

namespace gpulto {

//===----------------------------------------------------------------------===//
// What is known already
//===----------------------------------------------------------------------===//

/// Returns what is known of the argument that \p fact is about; varying when
/// that is nothing.
static ValueLattice valueOf(const BodyLattice &kernel, const GuardFact &fact) {
  if (fact.parameter >= kernel.parameters.size())
    return ValueLattice::varying(fact.bitWidth);
  const ParameterLattice &known = kernel.parameters[fact.parameter];
  return fact.isPart ? readParts(known.parts, fact.byteOffset, fact.bitWidth)
                     : known.whole;
}

/// Returns what is known of a value in [\p low, \p high] being in
/// [\p from, \p to].
static GuardState within(uint64_t low, uint64_t high, uint64_t from,
                         uint64_t to) {
  if (low >= from && high <= to)
    return GuardState::Holds;
  return low > to || high < from ? GuardState::Fails : GuardState::Unknown;
}

GuardState guardState(const BodyLattice &kernel, const GuardFact &fact) {
  if (fact.kind == GuardKind::SmallGrid) {
    if (kernel.geometry.empty() || kernel.geometry[kGridX].width() != 32)
      return GuardState::Unknown;
    return within(kernel.geometry[kGridX].low(), kernel.geometry[kGridX].high(),
                  0, kMaxWordGrid);
  }
  ValueLattice value = valueOf(kernel, fact);
  if (value.isTop() || value.width() != fact.bitWidth)
    return GuardState::Unknown;
  if (fact.bitWidth == 0) {
    bool isAligned = value.isConstant() || value.alignLog2() >= fact.alignLog2;
    return fact.kind == GuardKind::Multiple && isAligned ? GuardState::Holds
                                                         : GuardState::Unknown;
  }
  switch (fact.kind) {
  case GuardKind::FitsWord:
    return within(value.low(), value.high(), 0, largestWord(fact.sizeClass));
  case GuardKind::One:
    return within(value.low(), value.high(), 1, 1);
  case GuardKind::Multiple: {
    uint64_t rest = maskTrailingOnes<uint64_t>(fact.alignLog2);
    if (value.knownOnes() & rest)
      return GuardState::Fails;
    return (value.knownZeros() & rest) == rest ? GuardState::Holds
                                               : GuardState::Unknown;
  }
  default:
    return GuardState::Unknown;
  }
}

//===----------------------------------------------------------------------===//
// Which facts
//===----------------------------------------------------------------------===//

/// Whether \p a and \p b are about one argument.
static bool areOfOne(const GuardFact &a, const GuardFact &b) {
  if (a.kind == GuardKind::Apart || b.kind == GuardKind::Apart)
    return false;
  bool isOfLaunch =
      a.kind == GuardKind::SmallGrid || b.kind == GuardKind::SmallGrid;
  return isOfLaunch ? a.kind == b.kind
                    : a.parameter == b.parameter && a.isPart == b.isPart &&
                          a.byteOffset == b.byteOffset;
}

/// Whether \p a and \p b never hold together.
static bool contradict(const GuardFact &a, const GuardFact &b) {
  auto isPair = [](const GuardFact &one, const GuardFact &other) {
    return one.kind == GuardKind::One && other.kind == GuardKind::Multiple;
  };
  return areOfOne(a, b) && (isPair(a, b) || isPair(b, a));
}

static uint64_t countTests(const std::set<GuardFact> &facts) {
  uint64_t tests = 0; // pairs are counted apart
  for (auto fact = facts.begin(); fact != facts.end(); ++fact)
    tests +=
        fact->kind != GuardKind::Apart &&
        none_of(make_range(facts.begin(), fact),
                [&](const GuardFact &other) { return areOfOne(*fact, other); });
  return tests;
}

/// Returns how many of a thousand launches \p fact is thought to hold in.
/// Chosen: sizes of 2^32 are rare, more than 46340 rows are not, allocations
/// are aligned until an offset is added, extents are mostly even, strides are 1
/// where data is dense, and what works in place says so with one pointer.
static uint64_t likelihood(const GuardFact &fact) {
  static constexpr uint64_t kFitsWord[] = {980, 980, 950, 700, 700};
  switch (fact.kind) {
  case GuardKind::FitsWord:
    return kFitsWord[fact.sizeClass];
  case GuardKind::SmallGrid:
    return 980;
  case GuardKind::Multiple:
    return fact.bitWidth ? 750 : 900;
  case GuardKind::One:
    return 500;
  case GuardKind::Apart:
    return 900;
  }
  return 0;
}

static uint64_t countPairs(const std::set<GuardFact> &facts) {
  return count_if(facts, [](const GuardFact &fact) {
    return fact.kind == GuardKind::Apart;
  });
}

/// Whether \p fact follows from \p other: it is the same, or a looser bound.
static bool follows(const GuardFact &fact, const GuardFact &other) {
  bool isBound = fact.kind == GuardKind::FitsWord && other.kind == fact.kind &&
                 areOfOne(fact, other);
  return fact == other || (isBound && fact.sizeClass < other.sizeClass);
}

static bool holds(const GuardOffer &offer, const std::set<GuardFact> &facts) {
  return all_of(offer.first, [&](const GuardFact &fact) {
    return any_of(facts,
                  [&](const GuardFact &other) { return follows(fact, other); });
  });
}

static uint64_t gainOf(ArrayRef<GuardOffer> offers,
                       const std::set<GuardFact> &facts) {
  uint64_t gain = 0;
  for (const GuardOffer &offer : offers)
    if (holds(offer, facts))
      gain += offer.second;
  return gain;
}

/// Returns what is to be expected of \p facts: what they save when they hold,
/// and how often that is.
static uint64_t expectedGain(ArrayRef<GuardOffer> offers,
                             const std::set<GuardFact> &facts) {
  constexpr uint64_t kScale = 1000;
  uint64_t gain = gainOf(offers, facts) * kScale;
  for (const GuardFact &fact : facts)
    gain = gain * likelihood(fact) / kScale;
  return gain;
}

static bool isPossible(const std::set<GuardFact> &facts) {
  return all_of(facts, [&](const GuardFact &a) {
    return none_of(facts, [&](const GuardFact &b) { return contradict(a, b); });
  });
}

/// Returns \p facts and those of \p offer, without bounds of arguments that
/// have a smaller one.
static std::set<GuardFact> joined(std::set<GuardFact> facts,
                                  const GuardOffer &offer) {
  facts.insert(offer.first.begin(), offer.first.end());
  std::erase_if(facts, [&](const GuardFact &fact) {
    return any_of(facts, [&](const GuardFact &other) {
      return fact != other && follows(fact, other);
    });
  });
  return facts;
}

/// Returns what is left of \p facts for those of \p offers that hold without
/// \p dropped.
static std::set<GuardFact> without(const GuardFact &dropped,
                                   const std::set<GuardFact> &facts,
                                   ArrayRef<GuardOffer> offers) {
  std::set<GuardFact> rest = facts, needed;
  rest.erase(dropped);
  for (const GuardOffer &offer : offers)
    if (holds(offer, rest))
      needed = joined(std::move(needed), offer);
  return needed;
}

namespace {
/// Facts, and what is to be expected of them.
struct Expected {
  std::set<GuardFact> facts;
  uint64_t gain = 0;
};
} // namespace

/// Makes of \p chosen what one offer more, or one fact less, improves most.
/// Returns false if nothing does.
static bool improve(Expected &chosen, ArrayRef<GuardOffer> offers,
                    uint64_t maxTests, uint64_t maxPairs) {
  Expected best = chosen;
  auto tryFacts = [&](std::set<GuardFact> tried) {
    if (!isPossible(tried) || countTests(tried) > maxTests ||
        countPairs(tried) > maxPairs)
      return;
    uint64_t gain = expectedGain(offers, tried);
    if (gain > best.gain)
      best = {std::move(tried), gain};
  };
  for (const GuardOffer &offer : offers)
    tryFacts(joined(chosen.facts, offer));
  for (const GuardFact &fact : chosen.facts)
    tryFacts(without(fact, chosen.facts, offers));
  bool isBetter = best.gain > chosen.gain;
  chosen = std::move(best);
  return isBetter;
}

GuardChoice chooseFacts(ArrayRef<GuardOffer> offers, uint64_t maxTests,
                        uint64_t maxPairs) {
  Expected chosen;
  while (improve(chosen, offers, maxTests, maxPairs))
    ;
  return {{chosen.facts.begin(), chosen.facts.end()},
          gainOf(offers, chosen.facts)};
}

} // namespace gpulto
