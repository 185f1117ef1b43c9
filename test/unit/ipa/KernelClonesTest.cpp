// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ipa/clones/KernelClones.h"

#include "gtest/gtest.h"
#include "ipa/clones/Clones.h"
#include "summary/ModuleSummary.h"
#include "test/unit/ProgramBuilder.h"

using namespace gpulto;

namespace {

constexpr uint8_t kWins = kResolved | kPrevailing | kFinalDefinition;
constexpr uint8_t kRoot = kWins | kVisibleToRegular;

LaunchContext context(uint64_t gain, uint64_t size) {
  LaunchContext result;
  result.gain = gain * 256;
  result.size = size;
  return result;
}

TEST(KernelClones, GainIsSetAgainstSize) {
  std::vector<LaunchContext> contexts = {context(24, 100), context(25, 100),
                                         context(0, 0), context(90, 100)};
  auto chosen = contextsWorthClones(contexts, true, 250);
  ASSERT_EQ(chosen.size(), 2u);
  EXPECT_EQ(chosen[0], &contexts[3]);
  EXPECT_EQ(chosen[1], &contexts[1]);
}

TEST(KernelClones, TheLeastContextKeepsTheKernel) {
  std::vector<LaunchContext> contexts = {context(50, 100), context(70, 100),
                                         context(50, 100)};
  auto chosen = contextsWorthClones(contexts, false, 250);
  ASSERT_EQ(chosen.size(), 2u);
  EXPECT_EQ(chosen[0], &contexts[1]);
  EXPECT_EQ(chosen[1], &contexts[0]);
  // Not when one that is not worth a clone needs it.
  contexts.push_back(context(1, 100));
  EXPECT_EQ(contextsWorthClones(contexts, false, 250).size(), 3u);
  EXPECT_TRUE(contextsWorthClones({}, false, 250).empty());
}

/// `main` launches `kernel` (a parameter of 32 bits, 40 instructions) once with
/// each of \p values; in two architectures. Returns main's launches through the
/// runtime's function.
struct LaunchProgram : TestProgram {
  explicit LaunchProgram(std::vector<uint64_t> values, uint32_t gain = 40,
                         uint16_t widthOnOther = 32, bool hasOwnHandle = true) {
    ModuleBuilder unit;
    SymbolIndex stub = unit.define("stub", kWins, {}, 10, kKernelStub);
    if (hasOwnHandle)
      unit.refer(stub);
    SymbolIndex launch = unit.declare("cudaLaunchKernel");
    unit.define("main", kRoot, std::vector<SymbolIndex>(values.size(), launch));
    unit.refer(stub);
    ModuleSummary &s = unit.summary();
    s.functions.back().launches = {0, uint32_t(values.size())};
    JumpFunction unknown;
    unknown.bitWidth = 32;
    s.jumpFunctions.assign(kGeometryCount, unknown);
    for (uint32_t i = 0; i < values.size(); ++i) {
      LaunchSite site;
      site.stub = stub;
      site.kind = LaunchKind::Runtime;
      site.call = i;
      site.geometry = {0, kGeometryCount};
      site.arguments = {uint32_t(s.jumpFunctions.size()), 1};
      s.jumpFunctions.push_back(JumpFunction::constant(values[i], 32));
      s.launches.push_back(site);
    }
    unit.offload(stub, "kernel");
    summary.addModule(unit.take(0));
    for (const char *arch : {"sm_80", "sm_90"}) {
      ModuleBuilder device(Side::Device, arch);
      device.define("kernel", 0, {}, 40, kKernel);
      ParameterRecord formal;
      formal.bitWidth = arch == llvm::StringRef("sm_90") ? widthOnOther : 32;
      formal.constantGain = gain;
      device.summary().parameters = {formal};
      device.summary().functions.back().parameters = {0, 1};
      summary.addModule(device.take(0));
    }
    EXPECT_FALSE(finish());
    context->decisions.live.resize(summary.symbolCount(), true);
    context->decisions.visibleOutside.resize(summary.symbolCount());
    context->decisions.visibleOutside.set(host("main"));
    callers = std::make_unique<Callers>(*context);
    pointees = std::make_unique<Pointees>(*context, *callers);
    solver = std::make_unique<ConstantsSolver>(*context, *callers, *pointees);
    solver->solve();
    chooseClones(*context, *callers, *solver);
  }
  /// Number of the clone that launch \p number of main enters, 0: none.
  uint32_t cloneOf(uint32_t number) const {
    for (BodyIndex i = 0; i < solver->bodies().size(); ++i)
      if (solver->bodies()[i].id == host("main")) {
        BodyIndex clone = solver->launched(i, number);
        return clone == kNone ? 0 : solver->bodies()[clone].clone;
      }
    return ~0u;
  }
  /// What clone \p number knows of the parameter in \p image.
  ValueLattice parameter(ImageIndex image, uint32_t number) const {
    return solver->find(summary.lookup(image, "kernel"), number)
        ->parameters[0]
        .whole;
  }

  std::unique_ptr<Callers> callers;
  std::unique_ptr<Pointees> pointees;
  std::unique_ptr<ConstantsSolver> solver;
};

TEST(KernelClones, HoldInEveryImage) {
  LaunchProgram program({7, 9, 7});
  EXPECT_EQ(program.cloneOf(0), 1u);
  EXPECT_EQ(program.cloneOf(1), 0u);
  EXPECT_EQ(program.cloneOf(2), 1u);
  for (ImageIndex image : {1, 2}) {
    ASSERT_TRUE(program.parameter(image, 1).isConstant());
    EXPECT_EQ(program.parameter(image, 1).value(), 7u);
    ASSERT_TRUE(program.parameter(image, 0).isConstant());
    EXPECT_EQ(program.parameter(image, 0).value(), 9u);
  }
}

TEST(KernelClones, AgreeingLaunchesNeedNone) {
  LaunchProgram program({7, 7});
  EXPECT_EQ(program.cloneOf(0), 0u);
  EXPECT_EQ(program.cloneOf(1), 0u);
  EXPECT_TRUE(program.parameter(1, 0).isConstant());
}

TEST(KernelClones, LittleGainIsLeft) {
  LaunchProgram program({7, 9}, /*gain=*/2);
  EXPECT_EQ(program.cloneOf(0), 0u);
  EXPECT_EQ(program.cloneOf(1), 0u);
}

TEST(KernelClones, ImagesThatDisagreeBlockThem) {
  LaunchProgram program({7, 9}, 40, /*widthOnOther=*/64);
  EXPECT_EQ(program.cloneOf(0), 0u);
  EXPECT_EQ(whyNoKernelClone(*program.context, *program.callers,
                             program.host("stub")),
            "its parameters differ between architectures");
}

TEST(KernelClones, StubsMustLaunchThemselves) {
  LaunchProgram program({7, 9}, 40, 32, /*hasOwnHandle=*/false);
  EXPECT_EQ(program.cloneOf(0), 0u);
  EXPECT_EQ(whyNoKernelClone(*program.context, *program.callers,
                             program.host("stub")),
            "its stub is not one of clang's");
}

TEST(KernelClones, ContextsBeyondTheLimitShareTheKernel) {
  std::vector<uint64_t> values;
  for (uint64_t i = 0; i < 12; ++i)
    values.push_back(i);
  LaunchProgram program(values);
  for (uint32_t i = 0; i < 8; ++i)
    EXPECT_EQ(program.cloneOf(i), i + 1);
  for (uint32_t i = 8; i < 12; ++i)
    EXPECT_EQ(program.cloneOf(i), 0u);
  EXPECT_FALSE(program.parameter(1, 0).isConstant());
}

/// What the parameter of a stub is that `main` calls with 4 and launches
/// through a handle with \p value, by the call of the stub that is no edge or
/// by the runtime's function; in a clone of the stub if \p isCloned.
static ValueLattice ofStub(uint64_t value, bool byRuntime, bool isCloned) {
  TestProgram program;
  ModuleBuilder unit;
  SymbolIndex stub = unit.define("stub", kWins, {}, 10, kKernelStub);
  SymbolIndex runtime = unit.declare("cudaLaunchKernel");
  SymbolIndex main =
      unit.define("main", kRoot, {stub, byRuntime ? runtime : kNone});
  unit.refer(stub, kPassesHandle);
  ModuleSummary &s = unit.summary();
  ParameterRecord formal;
  formal.bitWidth = 32;
  s.parameters = {formal};
  s.functions.front().parameters = {0, 1};
  JumpFunction handle;
  handle.kind = JumpFunction::Kind::SymbolAddress;
  handle.source = stub;
  s.jumpFunctions = {JumpFunction::constant(4, 32),
                     JumpFunction::constant(value, 32), handle};
  s.calls.front().arguments = {0, 1};
  LaunchSite direct, indirect;
  direct.stub = stub;
  direct.call = 0;
  direct.arguments = {0, 1};
  indirect.handles = {2, 1};
  indirect.call = 1;
  indirect.arguments = {1, 1};
  indirect.kind = byRuntime ? LaunchKind::Runtime : LaunchKind::Chevron;
  indirect.byStubFormals = !byRuntime;
  s.launches = {direct, indirect};
  s.functions.back().launches = {0, 2};
  program.finishWith(unit, {main});
  Callers callers(*program.context);
  Pointees pointees(*program.context, callers);
  ConstantsSolver solver(*program.context, callers, pointees);
  GlobalId id = program.host("stub");
  if (isCloned) {
    BodyIndex clone = solver.addKernelClone(id);
    for (uint32_t call : {0, 1})
      solver.redirectLaunch(callers.bodyIndex(program.host("main")), call,
                            clone);
  }
  solver.solve();
  return solver.find(id, isCloned)->parameters[0].whole;
}

TEST(Stubs, GetWhatLaunchesThroughHandlesPass) {
  for (bool isCloned : {false, true}) {
    EXPECT_TRUE(ofStub(4, false, isCloned).isConstant());
    EXPECT_FALSE(ofStub(16, false, isCloned).isConstant());
    EXPECT_TRUE(ofStub(16, true, isCloned).isConstant());
  }
}

TEST(CloneGains, OfAKernelsParameter) {
  LaunchProgram program({7, 9});
  CloneGains gains(*program.context, *program.callers);
  GlobalId kernel = program.summary.lookup(1, "kernel");
  EXPECT_EQ(gains.ofParameter(kernel, 0), 40u);
  EXPECT_EQ(gains.ofGeometry(kernel, kBlockX), 0u);
}

TEST(CloneGains, PartsShareTheGainOfTheirAggregate) {
  TestProgram program;
  ModuleBuilder device(Side::Device, "sm_90");
  device.define("f", 0, {}, 40);
  ParameterRecord formal;
  formal.flags = kParamByVal | kParamIsPointer;
  formal.byValBytes = 16;
  formal.constantGain = 32;
  device.summary().parameters = {formal};
  device.summary().functions.back().parameters = {0, 1};
  device.summary().functions.back().geometryGain[kBlockX] = 5;
  ModuleBuilder host;
  program.summary.addModule(host.take(0));
  program.summary.addModule(device.take(0));
  ASSERT_FALSE(program.finish());
  program.context->decisions.live.resize(program.summary.symbolCount(), true);
  program.context->decisions.visibleOutside.resize(
      program.summary.symbolCount());
  Callers callers(*program.context);
  CloneGains gains(*program.context, callers);
  GlobalId f = program.summary.lookup(1, "f");
  EXPECT_EQ(gains.ofPart(f, 0, 32), 8u);
  EXPECT_EQ(gains.ofPart(f, 0, 64), 16u);
  EXPECT_EQ(gains.ofGeometry(f, kBlockX), 5u);
  EXPECT_EQ(gains.ofGeometry(f, kGridX), 0u);
}

} // namespace
