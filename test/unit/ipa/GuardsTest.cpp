// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ipa/guards/Guards.h"

#include "gtest/gtest.h"
#include "ipa/bodies/Passes.h"
#include "ipa/runtime/GeometryLimits.h"
#include "summary/ModuleSummary.h"
#include "support/Statistics.h"
#include "test/unit/ProgramBuilder.h"

using namespace gpulto;

namespace {

constexpr uint8_t kWins = kResolved | kPrevailing | kFinalDefinition;
constexpr uint8_t kRoot = kWins | kVisibleToRegular;

GuardFact fact(GuardKind kind, uint32_t parameter, uint16_t width = 32,
               uint8_t alignLog2 = 0) {
  return {kind, parameter, false, 0, width, alignLog2};
}

GuardFact multiple(uint32_t parameter) {
  return fact(GuardKind::Multiple, parameter, 32, 2);
}

GuardFact aligned(uint32_t parameter) {
  return fact(GuardKind::Multiple, parameter, 0, 4);
}

//===----------------------------------------------------------------------===//
// What is known
//===----------------------------------------------------------------------===//

/// A kernel with one parameter that is \p value.
BodyLattice kernelWith(ValueLattice value) {
  BodyLattice kernel;
  kernel.parameters.resize(1);
  kernel.parameters[0].whole = value;
  return kernel;
}

ValueLattice bounded(uint64_t low, uint64_t high, unsigned width,
                     unsigned alignLog2 = 0) {
  ValueLattice value = ValueLattice::varying(width);
  JumpFunction site = JumpFunction::unknown(width);
  site.low = low;
  site.high = high;
  site.alignLog2 = static_cast<uint8_t>(alignLog2);
  value.addFacts(site);
  return value;
}

GuardState stateOf(ValueLattice value, GuardFact fact) {
  return guardState(kernelWith(value), fact);
}

TEST(Guards, MultiplesHoldFailOrAreUnknown) {
  EXPECT_EQ(stateOf(ValueLattice::constant(64, 32), multiple(0)),
            GuardState::Holds);
  EXPECT_EQ(stateOf(ValueLattice::constant(63, 32), multiple(0)),
            GuardState::Fails);
  EXPECT_EQ(stateOf(bounded(0, 100, 32, 3), multiple(0)), GuardState::Holds);
  EXPECT_EQ(stateOf(bounded(0, 100, 32, 1), multiple(0)), GuardState::Unknown);
  EXPECT_EQ(stateOf(ValueLattice::varying(32), multiple(0)),
            GuardState::Unknown);
  // A value of another width is not this one.
  EXPECT_EQ(stateOf(ValueLattice::constant(64, 64), multiple(0)),
            GuardState::Unknown);
}

TEST(Guards, WordsAreBounded) {
  GuardFact fits = fact(GuardKind::FitsWord, 0, 64);
  EXPECT_EQ(stateOf(bounded(0, UINT32_MAX, 64), fits), GuardState::Holds);
  EXPECT_EQ(stateOf(bounded(0, uint64_t(1) << 32, 64), fits),
            GuardState::Unknown);
  EXPECT_EQ(stateOf(bounded(uint64_t(1) << 32, uint64_t(1) << 40, 64), fits),
            GuardState::Fails);
  EXPECT_EQ(stateOf(ValueLattice::constant(uint64_t(1) << 32, 64), fits),
            GuardState::Fails);
}

TEST(Guards, OnesAreConstants) {
  GuardFact one = fact(GuardKind::One, 0);
  EXPECT_EQ(stateOf(ValueLattice::constant(1, 32), one), GuardState::Holds);
  EXPECT_EQ(stateOf(ValueLattice::constant(2, 32), one), GuardState::Fails);
  EXPECT_EQ(stateOf(bounded(1, 4, 32), one), GuardState::Unknown);
}

TEST(Guards, PointersAreAlignedOrUnknown) {
  ValueLattice pointer = ValueLattice::varying();
  JumpFunction site;
  site.alignLog2 = 4;
  pointer.addFacts(site);
  EXPECT_EQ(stateOf(pointer, aligned(0)), GuardState::Holds);
  EXPECT_EQ(stateOf(ValueLattice::constant(0, 0), aligned(0)),
            GuardState::Holds);
  EXPECT_EQ(stateOf(ValueLattice::varying(), aligned(0)), GuardState::Unknown);
}

TEST(Guards, PartsMayBeKnownInHalves) {
  BodyLattice kernel = kernelWith(ValueLattice::varying());
  GuardFact fits{GuardKind::FitsWord, 0, true, 8, 64, 0};
  EXPECT_EQ(guardState(kernel, fits), GuardState::Unknown);
  kernel.parameters[0].parts = {{8, ValueLattice::constant(7, 32)},
                                {12, ValueLattice::constant(0, 32)}};
  EXPECT_EQ(guardState(kernel, fits), GuardState::Holds);
  kernel.parameters[0].parts[1].value = ValueLattice::constant(1, 32);
  EXPECT_EQ(guardState(kernel, fits), GuardState::Fails);
}

TEST(Guards, GridsAreOfTheLaunch) {
  GuardFact small = fact(GuardKind::SmallGrid, 0, 0);
  BodyLattice kernel;
  EXPECT_EQ(guardState(kernel, small), GuardState::Unknown);
  kernel.geometry.assign(kDimensions, ValueLattice::varying(32));
  EXPECT_EQ(guardState(kernel, small), GuardState::Unknown);
  kernel.geometry[kGridX] = ValueLattice::constant(kMaxWordGrid, 32);
  EXPECT_EQ(guardState(kernel, small), GuardState::Holds);
  kernel.geometry[kGridX] = ValueLattice::constant(kMaxWordGrid + 1, 32);
  EXPECT_EQ(guardState(kernel, small), GuardState::Fails);
  // No thread of the largest such grid has a number of 2^32.
  EXPECT_LE(uint64_t(kMaxWordGrid) * 1024, uint64_t(1) << 32);
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

TEST(Guards, OffersAddUp) {
  GuardChoice choice =
      chooseFacts({{{multiple(2)}, 10}, {{aligned(0), multiple(2)}, 20}}, 8, 8);
  EXPECT_EQ(choice.gain, 30u);
  EXPECT_EQ(choice.facts, (std::vector<GuardFact>{aligned(0), multiple(2)}));
}

TEST(Guards, WhatContradictsTheBestIsLeft) {
  GuardFact one = fact(GuardKind::One, 2);
  GuardChoice choice =
      chooseFacts({{{multiple(2)}, 10}, {{one}, 20}, {{aligned(0)}, 5}}, 8, 8);
  EXPECT_EQ(choice.gain, 25u);
  EXPECT_EQ(choice.facts, (std::vector<GuardFact>{aligned(0), one}));
}

TEST(Guards, WhatBringsLittleIsNotTested) {
  GuardChoice choice =
      chooseFacts({{{multiple(2)}, 160}, {{aligned(0)}, 10}}, 8, 8);
  EXPECT_EQ(choice.facts, std::vector<GuardFact>{multiple(2)});
  EXPECT_EQ(choice.gain, 160u);
}

TEST(Guards, TestsAreLimited) {
  std::vector<GuardOffer> offers = {{{aligned(0), aligned(1)}, 30},
                                    {{multiple(2)}, 20}};
  EXPECT_EQ(chooseFacts(offers, 1, 8).facts,
            std::vector<GuardFact>{multiple(2)});
  EXPECT_EQ(chooseFacts(offers, 2, 8).facts.size(), 2u);
  EXPECT_EQ(chooseFacts(offers, 3, 8).facts.size(), 3u);
  // Two facts of one argument are one test.
  offers = {
      {{fact(GuardKind::FitsWord, 2, 64), fact(GuardKind::Multiple, 2, 64, 2)},
       30}};
  EXPECT_EQ(chooseFacts(offers, 1, 8).facts.size(), 2u);
  EXPECT_TRUE(chooseFacts(offers, 0, 8).facts.empty());
  EXPECT_TRUE(chooseFacts({}, 8, 8).facts.empty());
}

TEST(Guards, PairsAreLimitedApartFromTests) {
  GuardFact near = fact(GuardKind::Apart, 0, 0), far = near;
  near.other = {1};
  far.other = {2};
  std::vector<GuardOffer> offers = {{{near}, 30}, {{far}, 20}};
  EXPECT_EQ(chooseFacts(offers, 0, 2).facts.size(), 2u);
  EXPECT_EQ(chooseFacts(offers, 0, 1).facts, std::vector<GuardFact>{near});
  EXPECT_TRUE(chooseFacts(offers, 8, 0).facts.empty());
}

GuardFact sized(uint32_t parameter, uint8_t sizeClass) {
  GuardFact size = fact(GuardKind::FitsWord, parameter, 64);
  size.sizeClass = sizeClass;
  return size;
}

TEST(Guards, TightBoundsMustBringMore) {
  // Seven of ten launches are that small: the vectors would be lost in three.
  std::vector<GuardOffer> offers = {{{aligned(0)}, 100}, {{sized(2, 3)}, 30}};
  for (uint8_t sizeClass : {3, 4}) {
    offers[1].first = {sized(2, sizeClass)};
    EXPECT_EQ(chooseFacts(offers, 8, 8).facts,
              std::vector<GuardFact>{aligned(0)});
  }
  offers[1].second = 50;
  EXPECT_EQ(chooseFacts(offers, 8, 8).gain, 150u);
  // Nearly all sizes fit 31 bits.
  offers[1] = {{sized(2, 1)}, 3};
  EXPECT_EQ(chooseFacts(offers, 8, 8).gain, 103u);
}

TEST(Guards, TightBoundsDoNotDisplaceDivisionsAndPairs) {
  GuardFact apart = fact(GuardKind::Apart, 0, 0);
  apart.other = {1};
  for (const GuardFact &better : {sized(4, 0), apart}) {
    std::vector<GuardOffer> offers = {{{better}, 100},
                                      {{sized(2, 3), sized(3, 3)}, 90}};
    EXPECT_EQ(chooseFacts(offers, 8, 8).facts, std::vector<GuardFact>{better});
  }
}

TEST(Guards, WhatWasBestAloneIsDropped) {
  // The bound is the best single offer; beside the others it costs more.
  std::vector<GuardOffer> offers = {{{sized(2, 3)}, 40}};
  for (uint32_t parameter : {4, 5, 6, 7})
    offers.push_back({{sized(parameter, 1)}, 25});
  GuardChoice choice = chooseFacts(offers, 8, 8);
  EXPECT_EQ(choice.gain, 100u);
  EXPECT_EQ(choice.facts.size(), 4u);
}

TEST(Guards, SmallerBoundsServeForLarger) {
  std::vector<GuardOffer> offers = {{{sized(2, 0)}, 8}, {{sized(2, 3)}, 80}};
  GuardChoice choice = chooseFacts(offers, 1, 0);
  EXPECT_EQ(choice.facts, std::vector<GuardFact>{sized(2, 3)});
  EXPECT_EQ(choice.gain, 88u);
  // Of other arguments they do not.
  offers[0].first = {sized(3, 0)};
  EXPECT_EQ(chooseFacts(offers, 1, 0).gain, 80u);
}

TEST(Guards, SizeClassesAreBounds) {
  // Products of two or three such sizes, and of one and 16, fit 31 bits.
  uint64_t most = INT32_MAX;
  EXPECT_EQ(largestWord(0), UINT32_MAX);
  EXPECT_EQ(largestWord(1), most);
  EXPECT_EQ(largestWord(2), most / 16);
  EXPECT_LE(largestWord(3) * largestWord(3), most);
  EXPECT_LE(largestWord(4) * largestWord(4) * largestWord(4), most);
  EXPECT_EQ(stateOf(ValueLattice::constant(46340, 64), sized(0, 3)),
            GuardState::Holds);
  EXPECT_EQ(stateOf(ValueLattice::constant(46341, 64), sized(0, 3)),
            GuardState::Fails);
  EXPECT_EQ(stateOf(bounded(0, 1291, 64), sized(0, 4)), GuardState::Unknown);
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// `main` launches `kernel` (40 instructions; a pointer and 32 bits) through
/// its stub with what nobody knows, in two architectures with the chances
/// \p onFirst and \p onOther.
struct GuardProgram : TestProgram {
  GuardProgram(
      std::vector<GuardOffer> onFirst, std::vector<GuardOffer> onOther,
      llvm::function_ref<void(ModuleSummary &, bool isFirst)> change =
          [](ModuleSummary &, bool) {}) {
    ModuleBuilder unit;
    SymbolIndex stub = unit.define("stub", kWins, {}, 10, kKernelStub);
    unit.refer(stub);
    unit.define("main", kRoot, {stub});
    ModuleSummary &s = unit.summary();
    s.functions.back().launches = {0, 1};
    JumpFunction unknown = JumpFunction::unknown(32);
    s.jumpFunctions.assign(kGeometryCount, unknown);
    LaunchSite site;
    site.stub = stub;
    site.call = 0;
    site.geometry = {0, kGeometryCount};
    s.launches.push_back(site);
    unit.offload(stub, "kernel");
    summary.addModule(unit.take(0));
    for (const auto &[arch, offers] :
         {std::pair("sm_80", onFirst), std::pair("sm_90", onOther)}) {
      ModuleBuilder device(Side::Device, arch);
      device.define("kernel", 0, {}, 40, kKernel);
      ModuleSummary &d = device.summary();
      d.parameters.resize(2);
      d.parameters[0].flags = kParamIsPointer;
      d.parameters[1].bitWidth = 32;
      d.functions.back().parameters = {0, 2};
      d.functions.back().guards = {0, uint32_t(offers.size())};
      for (const auto &[facts, gain] : offers) {
        d.guards.push_back(
            {uint32_t(gain),
             {uint32_t(d.guardFacts.size()), uint32_t(facts.size())}});
        d.guardFacts.insert(d.guardFacts.end(), facts.begin(), facts.end());
      }
      change(d, llvm::StringRef(arch) == "sm_80");
      summary.addModule(device.take(0));
    }
    EXPECT_FALSE(finish());
    context->decisions.live.resize(summary.symbolCount(), true);
    context->decisions.visibleOutside.resize(summary.symbolCount());
    context->decisions.visibleOutside.set(host("main"));
    Callers callers(*context);
    Statistics statistics;
    propagateGuards(*context, callers,
                    *propagateConstants(*context, callers, statistics));
  }
  /// The plans of the stub, or of the kernel in \p image.
  llvm::ArrayRef<BodyPlan> stubPlans() const {
    return context->decisions.plansOf(host("stub"));
  }
  llvm::ArrayRef<BodyPlan> kernelPlans(ImageIndex image) const {
    return context->decisions.plansOf(summary.lookup(image, "kernel"));
  }
};

TEST(Guards, VersionsAreInEveryImage) {
  // What pays in one architecture is asked for, and holds, in all.
  GuardProgram program({{{multiple(1)}, 30}},
                       {{{aligned(0), multiple(1)}, 30}});
  ASSERT_EQ(program.stubPlans().size(), 2u);
  const BodyPlan &launching = program.stubPlans()[0];
  EXPECT_EQ(launching.clone, 0u);
  EXPECT_EQ(launching.guarded, 1u);
  ASSERT_EQ(launching.guard.values.size(), 2u);
  EXPECT_EQ(launching.guard.values[0].alignLog2, 4u);
  EXPECT_EQ(launching.guard.values[1].parameter, 1u);
  EXPECT_EQ(launching.guard.values[1].knownZeros, 3u);
  EXPECT_EQ(program.stubPlans()[1].clone, 1u);
  for (ImageIndex image : {1, 2}) {
    llvm::ArrayRef<BodyPlan> plans = program.kernelPlans(image);
    ASSERT_FALSE(plans.empty());
    EXPECT_EQ(plans.back().clone, 1u);
    EXPECT_EQ(plans.back().guard, launching.guard);
    // The pointer's alignment is beside its address space.
    ASSERT_FALSE(plans.back().facts.values.empty());
    EXPECT_EQ(plans.back().facts.values[0].alignLog2, 4u);
    EXPECT_EQ(plans.back().facts.values[0].addressSpace, 1u);
  }
}

TEST(Guards, LittleGainMakesNone) {
  GuardProgram program({{{multiple(1)}, 9}}, {{{multiple(1)}, 9}});
  for (const BodyPlan &plan : program.stubPlans())
    EXPECT_EQ(plan.guarded, 0u);
  for (const BodyPlan &plan : program.kernelPlans(1))
    EXPECT_EQ(plan.clone, 0u);
}

/// As GuardProgram, of a kernel with two pointers and 32 bits.
struct PairProgram : GuardProgram {
  static constexpr LaunchValue kSize{false, 2, false, 0, 32};
  /// In each architecture, what is known of the pointers.
  PairProgram(std::vector<PointerExtent> onFirst,
              std::vector<PointerExtent> onOther)
      : GuardProgram({{{apart()}, 30}}, {{{apart()}, 30}},
                     [&](ModuleSummary &device, bool isFirst) {
                       device.parameters.resize(3);
                       device.parameters[1] = device.parameters[0];
                       device.parameters[2].bitWidth = 32;
                       device.guardExtents = isFirst ? onFirst : onOther;
                       FunctionSummary &kernel = device.functions.back();
                       kernel.parameters.count = 3;
                       kernel.guardExtents = {
                           0, uint32_t(device.guardExtents.size())};
                     }) {}
  static GuardFact apart() {
    GuardFact apart = fact(GuardKind::Apart, 0, 0);
    apart.other = {1};
    return apart;
  }
  static PointerExtent extent(uint32_t parameter, int64_t bytes) {
    LaunchSum end = *multiplySums(launchConstant(bytes), launchSymbol(kSize));
    return {{parameter}, {launchConstant(0)}, {end}, {launchSymbol(kSize)}};
  }
};

TEST(Guards, PointersThatMayOverlapMakeNone) {
  // What one architecture's kernel touches is not known of one pointer.
  PairProgram program({PairProgram::extent(0, 4), PairProgram::extent(1, 4)},
                      {PairProgram::extent(0, 4)});
  for (const BodyPlan &plan : program.stubPlans())
    EXPECT_EQ(plan.guarded, 0u);
}

TEST(Guards, ExtentsOfAllImagesAreTested) {
  PairProgram program({PairProgram::extent(0, 4), PairProgram::extent(1, 4)},
                      {PairProgram::extent(0, 8), PairProgram::extent(1, 4)});
  ASSERT_EQ(program.stubPlans().size(), 2u);
  const BodyPlan &launching = program.stubPlans()[0];
  EXPECT_EQ(launching.guarded, 1u);
  EXPECT_TRUE(launching.guard.empty());
  ASSERT_EQ(launching.overlap.pairs.size(), 1u);
  EXPECT_EQ(launching.overlap.pairs[0], (OverlapGuard::Pair{0, 1}));
  ASSERT_EQ(launching.overlap.pointers.size(), 2u);
  EXPECT_EQ(launching.overlap.pointers[0].highs.size(), 2u);
  EXPECT_EQ(launching.overlap.pointers[1].highs.size(), 1u);
  EXPECT_EQ(launching.overlap.pointers[0].premises.size(), 1u);
  for (ImageIndex image : {1, 2}) {
    const OverlapGuard &marked = program.kernelPlans(image).back().overlap;
    EXPECT_EQ(marked.pairs, launching.overlap.pairs);
    ASSERT_EQ(marked.pointers.size(), 2u);
    EXPECT_EQ(marked.pointers[1].pointer, PointerSource{1});
    EXPECT_TRUE(marked.pointers[0].highs.empty());
  }
}

} // namespace
