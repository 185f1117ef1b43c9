//===- GuardsPropagate.cpp - Kernels chosen by a test at the launch -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: use facts that hold nearly always but cannot be proven.
//
//   __global__ void dot(float *out, const float *a, const float *x, int n);
//   n from the command line, a from a library: n % 4 == 0 && a % 16 == 0 ?
//   the stub launches dot$cp1, with vector loads and no remainder : dot
//
// 1. LGEN lists chances: facts that would pay off in a kernel, and what they
//    save (ipa/guards/GuardsAnalyze.cpp).
// 2. addOffers: drops known facts from chances, and chances with a fact that
//    never holds, or with pointers that may overlap if the host cannot test
//    that: it can if every image says what it touches through both.
// 3. chooseFacts: the facts of one version, at most one for each kernel and
//    each of its clones. All must hold at a launch, so a fact that often fails
//    has to save correspondingly more.
// 4. Versions worth their growth are made, the best of the program first. A
//    version is in every image or in none: the guard tests all facts that pay
//    off in any image.
// 5. LTRANS puts the test into the stub, before it passes its own address to
//    the runtime (ipa/guards/GuardsTransform.cpp), so every launch through the
//    stub is tested. A launch that itself passes the handle to the runtime gets
//    the original kernel, which accepts anything.
//
// Facts that code generation grants every kernel are dropped at the end
// (dropGranted): versions take over what is known of their kernel.
//
// A kernel whose handle is used for more than launches is left alone, as for
// clones (whyNoKernelClone): attributes belong to one handle. So are all
// kernels of a program that changes arguments of a graph's kernel nodes: the
// node keeps the kernel chosen for its original arguments.
//
// Quadratic in the chances of a kernel, which are few.
//
// Source: DawnCC (G. Mendonca et al., TACO 2017) chooses between loops by
// run-time tests; here the choice is made at the launch, which takes
// microseconds.
//
//===----------------------------------------------------------------------===//

#include "ipa/bodies/Passes.h"
#include "ipa/callers/Graphs.h"
#include "ipa/callers/ImageRemarks.h"
#include "ipa/clones/CloneGains.h"
#include "ipa/clones/Clones.h"
#include "ipa/constants/ValueEvaluator.h"
#include "ipa/guards/Guards.h"
#include "summary/CombinedModule.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <map>
#include <set>

using namespace llvm;

namespace gpulto {

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

/// Returns \p facts as facts of values and of the geometry.
static FunctionFacts toFunctionFacts(ArrayRef<GuardFact> facts) {
  FunctionFacts result;
  std::map<std::tuple<uint32_t, bool, uint32_t>, ValueFact> values;
  for (const GuardFact &fact : facts) {
    if (fact.kind == GuardKind::Apart)
      continue; // see overlapOf
    if (fact.kind == GuardKind::SmallGrid) {
      result.geometry.push_back({1, kMaxWordGrid}); // of grid x, the first
      continue;
    }
    auto [entry, isNew] = values.try_emplace(
        {fact.parameter, fact.isPart, fact.byteOffset}, ValueFact());
    ValueFact &value = entry->second;
    if (isNew) {
      value.parameter = fact.parameter;
      value.isPart = fact.isPart;
      value.byteOffset = fact.byteOffset;
      value.bitWidth = fact.bitWidth;
      value.high =
          fact.bitWidth ? maskTrailingOnes<uint64_t>(fact.bitWidth) : 0;
    }
    if (fact.kind == GuardKind::FitsWord) {
      value.high = std::min(value.high, largestWord(fact.sizeClass));
    } else if (fact.kind == GuardKind::One) {
      value.kind = ValueKind::Constant;
      value.value = 1;
    } else if (fact.bitWidth) {
      value.knownZeros |= maskTrailingOnes<uint64_t>(fact.alignLog2);
    } else {
      value.alignLog2 = std::max(value.alignLog2, fact.alignLog2);
    }
  }
  for (auto &[key, value] : values)
    result.values.push_back(value);
  return result;
}

/// Adds the alignment of pointers in \p guard to \p facts, which may know the
/// address space of the same pointers: LTRANS says both at one place.
static void addAlignment(FunctionFacts &facts, const FunctionFacts &guard) {
  for (const ValueFact &aligned : guard.values) {
    if (aligned.isPart || aligned.bitWidth || !aligned.alignLog2)
      continue;
    auto place = find_if(facts.values, [&](const ValueFact &fact) {
      return fact.parameter >= aligned.parameter;
    });
    if (place != facts.values.end() && place->parameter == aligned.parameter &&
        !place->isPart)
      place->alignLog2 = std::max(place->alignLog2, aligned.alignLog2);
    else
      facts.values.insert(place, aligned);
  }
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {

/// A kernel, or a clone of one, and what might become of it.
struct Candidate {
  GlobalId stub = kNone;
  uint32_t clone = 0;
  std::vector<GuardOffer> offers;
  /// Integers that are known to be multiples, which pays: as it is, and
  /// together with offers.
  std::set<GuardFact> known, knownWithOffers;
  GuardChoice choice;
  /// Chances were lost since pointers may overlap.
  bool mayOverlap = false;
  /// Instructions of the kernel in all images.
  uint64_t size = 0;
};

class GuardChooser {
public:
  GuardChooser(WpaContext &context, const Callers &callers,
               const ConstantsSolver &solver, const PointerFacts &pointers,
               const ApartPointers &apart)
      : context(context), program(context.program), callers(callers),
        solver(solver), pointers(pointers), apart(apart) {}

  void run();

private:
  Candidate candidateOf(const BodyLattice &stub) const;
  GuardState overlapState(const BodyLattice &kernel, GlobalId stub,
                          const GuardFact &fact) const;
  bool extentOf(GlobalId stub, const PointerSource &pointer,
                PointerExtent &extent) const;
  OverlapGuard overlapOf(const Candidate &candidate) const;
  void addOffers(const BodyLattice &kernel,
                 std::map<std::vector<GuardFact>, uint64_t> &offers,
                 Candidate &candidate) const;
  std::string whyNot(const Candidate &candidate) const;
  BodyPlan &planOf(GlobalId id, uint32_t clone);
  void useKnown(const Candidate &candidate);
  void make(const Candidate &candidate);
  void explain(RemarkKind kind, const Candidate &candidate, std::string text);
  void explainNone(const Candidate &candidate, const std::string &why);
  /// Returns a kernel that the candidate's stub launches, for remarks.
  GlobalId kernelOf(const Candidate &candidate) const {
    return program.deviceCounterparts(candidate.stub).front();
  }
  std::string nameOf(const Candidate &candidate) const;

  WpaContext &context;
  const CombinedSummary &program;
  const Callers &callers;
  const ConstantsSolver &solver;
  const PointerFacts &pointers;
  const ApartPointers &apart;
  bool changesGraphs = false;
  /// By image: instructions that versions may still add.
  std::vector<uint64_t> growth;
  std::map<GlobalId, uint32_t> made; ///< by stub: versions
};

} // namespace

/// Adds \p more to \p list, without what is in it.
static void addMissing(std::vector<LaunchSum> &list,
                       const std::vector<LaunchSum> &more) {
  for (const LaunchSum &sum : more)
    if (!is_contained(list, sum))
      list.push_back(sum);
}

/// Sets \p extent to what the kernels of \p stub touch through \p pointer,
/// in all images. Returns false if that is not known.
bool GuardChooser::extentOf(GlobalId stub, const PointerSource &pointer,
                            PointerExtent &extent) const {
  extent = {};
  extent.pointer = pointer;
  for (GlobalId id : program.deviceCounterparts(stub)) {
    if (!program.function(id))
      return false;
    const ModuleSummary &module = program.moduleRef(id).summary;
    auto extents =
        slice(module.guardExtents, program.function(id)->guardExtents);
    auto found = find_if(extents, [&](const PointerExtent &other) {
      return other.pointer == pointer;
    });
    if (found == extents.end())
      return false;
    addMissing(extent.lows, found->lows);
    addMissing(extent.highs, found->highs);
    addMissing(extent.premises, found->premises);
  }
  return true;
}

/// Returns what is known of \p fact, that two pointers are apart, in \p kernel:
/// Unknown if the host can tell, Fails if it cannot.
GuardState GuardChooser::overlapState(const BodyLattice &kernel, GlobalId stub,
                                      const GuardFact &fact) const {
  PointerSource pointer{fact.parameter, fact.isPart, fact.byteOffset};
  PointerExtent extent;
  for (const PointerSource &source : {pointer, fact.other})
    if (!source.isPart && pointers.isNoAlias(kernel, source.parameter))
      return GuardState::Holds;
  if (is_contained(apart.of(kernel), ApartPair{std::min(pointer, fact.other),
                                               std::max(pointer, fact.other)}))
    return GuardState::Holds;
  bool canTell = context.params.guardedKernelMaxPairs &&
                 extentOf(stub, pointer, extent) &&
                 extentOf(stub, fact.other, extent);
  return canTell ? GuardState::Unknown : GuardState::Fails;
}

/// Returns what the host tests of pointers for \p candidate.
OverlapGuard GuardChooser::overlapOf(const Candidate &candidate) const {
  OverlapGuard guard;
  std::set<PointerSource> sources;
  auto each = [&](auto visit) {
    for (const GuardFact &fact : candidate.choice.facts)
      if (fact.kind == GuardKind::Apart)
        visit({fact.parameter, fact.isPart, fact.byteOffset}, fact.other);
  };
  each([&](PointerSource first, PointerSource second) {
    sources.insert({first, second});
  });
  for (const PointerSource &source : sources) {
    guard.pointers.emplace_back();
    extentOf(candidate.stub, source, guard.pointers.back());
  }
  auto position = [&](const PointerSource &source) {
    return static_cast<uint32_t>(
        std::distance(sources.begin(), sources.find(source)));
  };
  each([&](PointerSource first, PointerSource second) {
    guard.pairs.push_back({position(first), position(second)});
  });
  return guard;
}

/// Adds to \p offers what \p kernel would gain from facts that are not known.
void GuardChooser::addOffers(const BodyLattice &kernel,
                             std::map<std::vector<GuardFact>, uint64_t> &offers,
                             Candidate &candidate) const {
  const ModuleSummary &module = program.moduleRef(kernel.id).summary;
  for (const GuardChance &chance :
       slice(module.guards, program.function(kernel.id)->guards)) {
    std::vector<GuardFact> unknown, multiples;
    bool isPossible = true;
    for (const GuardFact &fact : slice(module.guardFacts, chance.facts)) {
      GuardState state = guardState(kernel, fact);
      if (fact.kind == GuardKind::Apart) {
        state = overlapState(kernel, candidate.stub, fact);
        candidate.mayOverlap |= state == GuardState::Fails;
      }
      isPossible &= state != GuardState::Fails;
      if (state == GuardState::Unknown)
        unknown.push_back(fact);
      else if (fact.kind == GuardKind::Multiple && fact.bitWidth)
        multiples.push_back(fact);
    }
    if (!isPossible)
      continue;
    (unknown.empty() ? candidate.known : candidate.knownWithOffers)
        .insert(multiples.begin(), multiples.end());
    if (!unknown.empty())
      offers[unknown] += chance.gain;
  }
}

Candidate GuardChooser::candidateOf(const BodyLattice &stub) const {
  Candidate candidate;
  candidate.stub = stub.id;
  candidate.clone = stub.clone;
  std::map<std::vector<GuardFact>, uint64_t> offers;
  for (GlobalId id : program.deviceCounterparts(stub.id)) {
    const BodyLattice *kernel = solver.find(id, stub.clone);
    if (!kernel || !kernel->isReached || kernel->parameters.empty())
      continue; // nothing launches it, or anything does
    addOffers(*kernel, offers, candidate);
    candidate.size += program.function(id)->instructionCount;
  }
  candidate.offers.assign(offers.begin(), offers.end());
  candidate.choice =
      chooseFacts(candidate.offers, context.params.guardedKernelMaxTests,
                  context.params.guardedKernelMaxPairs);
  return candidate;
}

/// Why chances were lost, and what is left is little.
static constexpr const char *kMayOverlap =
    "its pointers may overlap, and the host cannot tell what it touches "
    "through them";

/// Returns why \p candidate gets no version; empty if it does.
std::string GuardChooser::whyNot(const Candidate &candidate) const {
  std::string why = whyNoKernelClone(context, callers, candidate.stub);
  if (!why.empty())
    return why;
  if (changesGraphs)
    return "arguments of kernels in graphs may be changed";
  constexpr unsigned kFirstLevel = 2;
  auto found = made.find(candidate.stub);
  uint32_t number = solver.cloneCount(candidate.stub) + 1 +
                    (found == made.end() ? 0 : found->second);
  for (GlobalId kernel : program.deviceCounterparts(candidate.stub)) {
    if (program.moduleRef(kernel).summary.optLevel < kFirstLevel)
      return "it is not optimized enough";
    if (program.lookup(program.imageOf(kernel),
                       program.symbol(kernel).name.str() +
                           kernelCloneSuffix(number)) != kNone)
      return "the program has a kernel with the version's name";
  }
  if (candidate.choice.gain * 1000 <
      candidate.size * context.params.guardedKernelThreshold)
    return candidate.mayOverlap ? kMayOverlap : "it would save too little";
  for (GlobalId kernel : program.deviceCounterparts(candidate.stub))
    if (program.function(kernel)->instructionCount >
        growth[program.imageOf(kernel)])
      return "code has grown enough";
  return "";
}

/// Returns the plan of clone \p clone of \p id, made if there is none; clones
/// have one already.
BodyPlan &GuardChooser::planOf(GlobalId id, uint32_t clone) {
  std::vector<BodyPlan> &plans = context.decisions.plans[id];
  auto found =
      find_if(plans, [&](const BodyPlan &plan) { return plan.clone == clone; });
  return found == plans.end() ? *plans.insert(plans.begin(), BodyPlan())
                              : *found;
}

/// Lets the kernel of \p candidate use that integers are known to be multiples,
/// where that pays.
void GuardChooser::useKnown(const Candidate &candidate) {
  if (candidate.known.empty())
    return;
  std::vector<GuardFact> facts(candidate.known.begin(), candidate.known.end());
  for (GlobalId id : program.deviceCounterparts(candidate.stub))
    if (const BodyLattice *kernel = solver.find(id, candidate.clone);
        kernel && all_of(facts, [&](const GuardFact &fact) {
          return guardState(*kernel, fact) == GuardState::Holds;
        }))
      planOf(id, candidate.clone).guard = toFunctionFacts(facts);
}

void GuardChooser::make(const Candidate &candidate) {
  uint32_t number = solver.cloneCount(candidate.stub) + ++made[candidate.stub];
  FunctionFacts tested = toFunctionFacts(candidate.choice.facts);
  std::vector<GuardFact> all = candidate.choice.facts;
  for (const auto *known : {&candidate.known, &candidate.knownWithOffers})
    all.insert(all.end(), known->begin(), known->end());
  OverlapGuard overlap = overlapOf(candidate), marked = overlap;
  for (PointerExtent &pointer : marked.pointers)
    pointer = {pointer.pointer, {}, {}, {}};
  for (GlobalId kernel : program.deviceCounterparts(candidate.stub)) {
    growth[program.imageOf(kernel)] -=
        program.function(kernel)->instructionCount;
    BodyPlan version = planOf(kernel, candidate.clone);
    version.clone = number;
    version.guard = toFunctionFacts(all);
    version.overlap = marked;
    addAlignment(version.facts, tested);
    context.decisions.plans[kernel].push_back(std::move(version));
  }
  BodyPlan &launching = planOf(candidate.stub, candidate.clone);
  launching.guard = std::move(tested);
  launching.overlap = std::move(overlap);
  launching.guarded = number;
  BodyPlan handle;
  handle.clone = number;
  context.decisions.plans[candidate.stub].push_back(std::move(handle));
}

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

static std::string textOf(const CombinedSummary &program, GlobalId kernel,
                          const GuardFact &fact) {
  std::string what = parameterName(
      program, kernel, {fact.parameter, fact.isPart, fact.byteOffset});
  std::string multiple = std::to_string(uint64_t(1) << fact.alignLog2);
  switch (fact.kind) {
  case GuardKind::FitsWord:
    return what +
           (fact.sizeClass
                ? " is at most " + std::to_string(largestWord(fact.sizeClass))
                : " fits 32 bits");
  case GuardKind::Multiple:
    return what + (fact.bitWidth ? " is a multiple of " : " is aligned to ") +
           multiple;
  case GuardKind::One:
    return what + " is 1";
  case GuardKind::SmallGrid:
    return "grid x is at most " + std::to_string(kMaxWordGrid);
  case GuardKind::Apart:
    return what + " does not overlap " +
           parameterName(program, kernel, fact.other);
  }
  return what;
}

std::string GuardChooser::nameOf(const Candidate &candidate) const {
  return bodyName(program, kernelOf(candidate), candidate.clone);
}

void GuardChooser::explain(RemarkKind kind, const Candidate &candidate,
                           std::string text) {
  addKernelRemark(context, kind, "GuardedKernel", kernelOf(candidate),
                  std::move(text));
}

void GuardChooser::explainNone(const Candidate &candidate,
                               const std::string &why) {
  explain(RemarkKind::Missed, candidate,
          "no second version of " + nameOf(candidate) +
              " to choose at the launch: " + why);
}

void GuardChooser::run() {
  growth = allowedGrowth(context, solver,
                         context.params.guardedKernelUnitGrowthPercent);
  changesGraphs = mayChangeGraphs(program) || mayHandOutGraphs(context);
  std::vector<Candidate> candidates;
  for (const BodyLattice &body : solver.bodies()) {
    if (!body.isReached || !program.symbol(body.id).has(kKernelStub) ||
        program.definition(body.id) != body.id)
      continue;
    Candidate candidate = candidateOf(body);
    useKnown(candidate);
    if (!candidate.offers.empty())
      candidates.push_back(std::move(candidate));
    else if (candidate.mayOverlap)
      explainNone(candidate, kMayOverlap);
  }
  stable_sort(candidates, [](const Candidate &a, const Candidate &b) {
    return a.choice.gain * b.size > b.choice.gain * a.size;
  });
  for (const Candidate &candidate : candidates) {
    if (std::string why = whyNot(candidate); !why.empty()) {
      explainNone(candidate, why);
      continue;
    }
    make(candidate);
    auto facts = map_range(candidate.choice.facts, [&](const GuardFact &fact) {
      return textOf(program, kernelOf(candidate), fact);
    });
    explain(RemarkKind::Passed, candidate,
            "launches choose a second version of " + nameOf(candidate) +
                " when " + join(facts, " and ") + ": it saves a thread about " +
                std::to_string(candidate.choice.gain) +
                " instructions and has " + std::to_string(candidate.size));
  }
}

//===----------------------------------------------------------------------===//
// What is no reason to build a kernel anew
//===----------------------------------------------------------------------===//

/// Whether \p plan, of a kernel, says no more than code generation takes for
/// granted: that pointers lead to global memory.
static bool isTakenForGranted(const BodyPlan &plan) {
  BodyPlan granted;
  for (const ValueFact &fact : plan.facts.values) {
    ValueFact &global = granted.facts.values.emplace_back();
    global.parameter = fact.parameter;
    global.isPart = fact.isPart;
    global.byteOffset = fact.byteOffset;
    global.addressSpace = kGlobalAddressSpace;
  }
  return plan == granted;
}

static void dropGranted(WpaContext &context) {
  for (auto &[id, plans] : context.decisions.plans)
    if (context.program.has(id, kKernel))
      erase_if(plans, isTakenForGranted);
}

void propagateGuards(WpaContext &context, const Callers &callers,
                     const KnownValues &values) {
  if (context.options.guardsKernels)
    GuardChooser(context, callers, values.solver, values.pointers, values.apart)
        .run();
  dropGranted(context);
}

} // namespace gpulto
