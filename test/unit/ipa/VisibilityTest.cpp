// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ipa/symbols/Visibility.h"

#include "gtest/gtest.h"
#include "test/unit/ProgramBuilder.h"

using namespace gpulto;

namespace {

constexpr uint8_t kWins = kResolved | kPrevailing | kFinalDefinition;
constexpr uint8_t kRoot = kWins | kVisibleToRegular;

/// main launches k1; unused launches k2; nobody launches k3.
void addLaunches(TestProgram &program, uint8_t stubResolution = kWins) {
  ModuleBuilder host;
  SymbolIndex stub1 = host.define("stub1", stubResolution, {}, 10, kKernelStub);
  SymbolIndex stub2 = host.define("stub2", stubResolution, {}, 10, kKernelStub);
  SymbolIndex stub3 = host.define("stub3", stubResolution, {}, 10, kKernelStub);
  host.define("main", kRoot, {stub1});
  host.define("unused", kWins, {stub2});
  host.offload(stub1, "k1");
  host.offload(stub2, "k2");
  host.offload(stub3, "k3");
  program.summary.addModule(host.take(0));
  ModuleBuilder device(Side::Device, "sm_90");
  SymbolIndex helper = device.define("helper", 0, {});
  SymbolIndex dead = device.define("deadHelper", 0, {});
  device.define("k1", 0, {helper}, 10, kKernel);
  device.define("k2", 0, {dead}, 10, kKernel);
  device.define("k3", 0, {}, 10, kKernel);
  program.summary.addModule(device.take(0));
}

TEST(Visibility, KernelsLiveByTheirLaunches) {
  TestProgram program;
  addLaunches(program);
  ASSERT_FALSE(program.finish());
  ASSERT_FALSE(findVisible(*program.context));
  const llvm::BitVector &live = program.context->decisions.live;
  EXPECT_TRUE(live.test(program.host("main")));
  EXPECT_TRUE(live.test(program.device("k1")));
  EXPECT_TRUE(live.test(program.device("helper")));
  EXPECT_FALSE(live.test(program.host("unused")));
  EXPECT_FALSE(live.test(program.device("k2")));
  EXPECT_FALSE(live.test(program.device("deadHelper")));
  EXPECT_FALSE(live.test(program.device("k3")));
}

TEST(Visibility, ExportedStubsKeepTheirKernels) {
  TestProgram program;
  addLaunches(program, kWins | kVisibleToRegular);
  ASSERT_FALSE(program.finish());
  ASSERT_FALSE(findVisible(*program.context));
  for (const char *kernel : {"k1", "k2", "k3"})
    EXPECT_TRUE(program.context->decisions.live.test(program.device(kernel)))
        << kernel;
}

TEST(Visibility, RelocatableOutputKeepsAllGlobals) {
  TestProgram program;
  addLaunches(program);
  ASSERT_FALSE(program.finish());
  program.context->isRelocatable = true;
  ASSERT_FALSE(findVisible(*program.context));
  EXPECT_TRUE(program.context->decisions.live.test(program.device("k3")));
  EXPECT_TRUE(
      program.context->decisions.visibleOutside.test(program.host("unused")));
}

TEST(Visibility, DeviceVariableLivesByItsShadow) {
  TestProgram program;
  ModuleBuilder host;
  SymbolIndex used = host.variable("used", kWins);
  SymbolIndex idle = host.variable("idle", kWins);
  host.define("main", kRoot, {});
  host.refer(used, kTakesAddress);
  host.offload(used, "used", OffloadEntry::Kind::Variable);
  host.offload(idle, "idle", OffloadEntry::Kind::Variable);
  program.summary.addModule(host.take(0));
  ModuleBuilder device(Side::Device, "sm_90");
  device.variable("used", 0, kExternallyInitialized, 1);
  device.variable("idle", 0, kExternallyInitialized, 1);
  program.summary.addModule(device.take(0));
  ASSERT_FALSE(program.finish());
  ASSERT_FALSE(findVisible(*program.context));
  EXPECT_TRUE(program.context->decisions.live.test(program.device("used")));
  EXPECT_FALSE(program.context->decisions.live.test(program.device("idle")));
}

TEST(Visibility, RegistrationEntriesKeepNothingAlive) {
  TestProgram program;
  ModuleBuilder host;
  SymbolIndex stub = host.define("stub", kWins, {}, 10, kKernelStub);
  host.variable(".offloading.entry.k", kRoot, kRegistration | kCompilerUsed, 0,
                {stub});
  host.offload(stub, "k");
  program.summary.addModule(host.take(0));
  ASSERT_FALSE(program.finish());
  ASSERT_FALSE(findVisible(*program.context));
  EXPECT_EQ(program.context->decisions.live.count(), 0u);
}

TEST(Visibility, UndefinedDeviceSymbolOfALiveKernelIsAnError) {
  TestProgram program;
  ModuleBuilder host;
  SymbolIndex stub = host.define("stub", kRoot, {}, 10, kKernelStub);
  host.offload(stub, "k");
  program.summary.addModule(host.take(0));
  ModuleBuilder device(Side::Device, "sm_90");
  SymbolIndex missing = device.declare("missing");
  SymbolIndex print = device.declare("vprintf");
  device.define("k", 0, {missing, missing, print}, 10, kKernel);
  SymbolIndex other = device.declare("alsoMissing");
  device.define("deadKernel", 0, {other}, 10, kKernel);
  program.summary.addModule(device.take(0));
  ASSERT_FALSE(program.finish());
  EXPECT_EQ(llvm::toString(findVisible(*program.context)),
            "undefined device symbol 'missing' for sm_90\n"
            ">>> used by 'k' in m0.o");
}

TEST(Visibility, WhatAssemblyOfAnotherModuleNamesStays) {
  TestProgram program;
  ModuleBuilder definition;
  definition.variable("named", kWins);
  definition.variable("unnamed", kWins);
  program.summary.addModule(definition.take(0));
  ModuleBuilder user;
  SymbolIndex named = user.declare("named", kResolved);
  user.symbol(named).kind = SymbolKind::Assembly;
  user.symbol(named).flags |= kAssemblyReferenced;
  program.summary.addModule(user.take(0));
  ASSERT_FALSE(program.finish());
  ASSERT_FALSE(findVisible(*program.context));
  GlobalId id = program.host("named");
  EXPECT_TRUE(program.summary.has(id, kAssemblyReferenced));
  EXPECT_TRUE(program.context->decisions.live.test(id));
  EXPECT_TRUE(program.context->decisions.visibleOutside.test(id));
  EXPECT_FALSE(program.context->decisions.live.test(program.host("unnamed")));
}

} // namespace
