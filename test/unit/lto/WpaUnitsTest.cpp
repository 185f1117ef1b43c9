// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lto/wpa/WpaUnits.h"

#include "gtest/gtest.h"
#include "support/UnitNames.h"
#include "test/unit/ProgramBuilder.h"

using namespace gpulto;

namespace {

constexpr uint8_t kLoses = kResolved;
constexpr uint8_t kWins = kResolved | kPrevailing | kFinalDefinition;

/// Units, each a host and a device module.
struct Units {
  std::vector<WpaModule> modules;
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver strings{allocator};

  void add(ModuleBuilder host, ModuleBuilder device, bool isWholeProgram) {
    uint32_t unit = modules.size() / 2;
    for (ModuleBuilder *builder : {&host, &device}) {
      if (isWholeProgram)
        builder->summary().flags |= kWholeProgramMode;
      modules.emplace_back().module = builder->take(unit);
    }
  }
  bool isRelocatable = false;
  std::vector<NativeCode> native;
  llvm::StringRef device(uint32_t unit, SymbolIndex symbol) const {
    return modules[2 * unit + 1].module.summary.symbols[symbol].name;
  }
  const WpaModule &host(uint32_t unit) const { return modules[2 * unit]; }
  std::string failure() {
    return llvm::toString(
        separateUnits(modules, native, isRelocatable, strings));
  }
};

ModuleBuilder deviceModule() { return ModuleBuilder(Side::Device, "sm_90"); }

/// A unit that defines the variable `c` and a kernel template that reads it
/// through an inline function; `other` does not.
void addUnit(Units &units, bool isWholeProgram, uint8_t resolution) {
  ModuleBuilder host, device = deviceModule();
  SymbolIndex shadow =
      host.variable("c", resolution, 0, 0, {}, Linkage::WeakAny);
  SymbolIndex stub = host.define("stub", resolution, {}, 10, kKernelStub,
                                 Linkage::LinkOnceODR);
  host.offload(shadow, "c", OffloadEntry::Kind::Variable);
  host.offload(stub, "k");
  SymbolIndex c = device.variable("c", 0, kExternallyInitialized, 4);
  SymbolIndex read = device.define("read", 0, {}, 10, 0, Linkage::LinkOnceODR);
  device.refer(c);
  device.define("k", 0, {read}, 10, kKernel, Linkage::WeakODR);
  device.define("other", 0, {}, 10, 0, Linkage::LinkOnceODR);
  units.add(std::move(host), std::move(device), isWholeProgram);
}

TEST(WpaUnits, SuffixesOfClang) {
  EXPECT_TRUE(hasUnitSuffix("_ZL1kPi__intern__b04fd23c98500190"));
  EXPECT_TRUE(hasUnitSuffix("_ZL1x__static__802_39f8c1a2"));
  EXPECT_FALSE(hasUnitSuffix("__static__12"));
  EXPECT_FALSE(hasUnitSuffix("x__static__"));
  EXPECT_FALSE(hasUnitSuffix("x__static__names"));
  EXPECT_FALSE(hasUnitSuffix("static12"));
}

TEST(WpaUnits, StaticKernelsOfOneIdentityAreTwo) {
  Units units;
  for (int i = 0; i < 2; ++i) {
    ModuleBuilder host, device = deviceModule();
    SymbolIndex stub =
        host.define("stub", 0, {}, 10, kKernelStub, Linkage::Internal);
    host.offload(stub, "k__intern__ab");
    device.define("k__intern__ab", 0, {}, 10, kKernel, Linkage::WeakODR);
    units.add(std::move(host), std::move(device), /*isWholeProgram=*/false);
  }
  ASSERT_EQ(units.failure(), "");
  EXPECT_EQ(units.device(0, 0), "k__intern__ab");
  EXPECT_EQ(units.device(1, 0), "k__intern__ab__unit__t1");
  EXPECT_EQ(units.host(1).module.summary.offloadEntries[0].deviceName,
            "k__intern__ab__unit__t1");
  ASSERT_EQ(units.modules[3].bitcode.renamed.size(), 1u);
  EXPECT_EQ(units.modules[3].bitcode.renamed[0].name, "k__intern__ab");
  EXPECT_TRUE(units.modules[1].bitcode.renamed.empty());
}

TEST(WpaUnits, WholeProgramUnitsHaveTheirOwn) {
  Units units;
  addUnit(units, true, kLoses);
  addUnit(units, true, kWins);
  ASSERT_EQ(units.failure(), "");
  EXPECT_EQ(units.device(0, 0), "c");
  EXPECT_EQ(units.device(0, 1), "read");
  EXPECT_EQ(units.device(1, 0), "c__unit__t1");
  EXPECT_EQ(units.device(1, 1), "read__unit__t1");
  EXPECT_EQ(units.device(1, 2), "k__unit__t1");
  EXPECT_EQ(units.device(1, 3), "other");
  // The linker took the second unit's host symbols: the first has its own.
  EXPECT_EQ(units.host(0).bitcode.localized,
            (std::vector<std::string>{"c", "stub"}));
  EXPECT_TRUE(units.host(1).bitcode.localized.empty());
  EXPECT_TRUE(units.host(0).module.summary.symbols[0].isLocal());
}

TEST(WpaUnits, RelocatableUnitsShare) {
  Units units;
  addUnit(units, false, kWins);
  addUnit(units, false, kLoses);
  ASSERT_EQ(units.failure(), "");
  for (uint32_t unit : {0u, 1u}) {
    EXPECT_EQ(units.device(unit, 0), "c");
    EXPECT_TRUE(units.modules[2 * unit + 1].bitcode.renamed.empty());
    EXPECT_TRUE(units.host(unit).bitcode.localized.empty());
  }
}

TEST(WpaUnits, ARelocatableUnitKeepsTheName) {
  Units units;
  addUnit(units, true, kWins);
  addUnit(units, false, kLoses);
  ASSERT_EQ(units.failure(), "");
  EXPECT_EQ(units.device(0, 0), "c__unit__t0");
  EXPECT_EQ(units.device(0, 2), "k__unit__t0");
  EXPECT_EQ(units.device(1, 0), "c");
  // What the linker chose for all goes to who shares it.
  EXPECT_EQ(units.host(0).bitcode.localized.size(), 2u);
  EXPECT_EQ(units.host(1).module.resolution[1], kWins);
}

TEST(WpaUnits, OneDefinitionIsForAll) {
  Units units;
  addUnit(units, true, kWins);
  ModuleBuilder device = deviceModule();
  device.declare("c");
  units.add(ModuleBuilder(), std::move(device), true);
  ASSERT_EQ(units.failure(), "");
  EXPECT_EQ(units.device(0, 0), "c");
  EXPECT_TRUE(units.modules[1].bitcode.renamed.empty());
}

TEST(WpaUnits, AUseOfOneOfTwoIsAnError) {
  for (bool byHost : {false, true}) {
    Units units;
    addUnit(units, true, kWins);
    addUnit(units, true, kLoses);
    ModuleBuilder host, device = deviceModule();
    (byHost ? host : device).declare("c");
    units.add(std::move(host), std::move(device), true);
    EXPECT_EQ(units.failure(),
              "m2.o: uses the device symbol 'c', which m0.o and m1.o define, "
              "each for itself; compile what shares device symbols with "
              "-fgpu-rdc");
  }
}

TEST(WpaUnits, ConstantsAndBlockMemoryAreShared) {
  Units units;
  for (int i = 0; i < 2; ++i) {
    ModuleBuilder device = deviceModule();
    SymbolIndex table =
        device.variable("table", 0, kConstant, 4, {}, Linkage::LinkOnceODR);
    SymbolIndex block =
        device.variable("block", 0, 0, 3, {}, Linkage::Internal);
    device.define("f", 0, {}, 10, 0, Linkage::LinkOnceODR);
    device.refer(table);
    device.define("g", 0, {}, 10, 0, Linkage::LinkOnceODR);
    device.refer(block);
    units.add(ModuleBuilder(), std::move(device), true);
  }
  ASSERT_EQ(units.failure(), "");
  EXPECT_TRUE(units.modules[3].bitcode.renamed.empty());
}

TEST(WpaUnits, LocalStateIsNotSharedByInlineFunctions) {
  Units units;
  for (int i = 0; i < 2; ++i) {
    ModuleBuilder device = deviceModule();
    SymbolIndex state =
        device.variable("state", 0, 0, 1, {}, Linkage::Internal);
    device.define("f", 0, {}, 10, 0, Linkage::LinkOnceODR);
    device.refer(state, kReads | kWrites);
    units.add(ModuleBuilder(), std::move(device), true);
  }
  ASSERT_EQ(units.failure(), "");
  EXPECT_EQ(units.device(0, 1), "f");
  EXPECT_EQ(units.device(1, 1), "f__unit__t1");
}

TEST(WpaUnits, TheResultOfRelocatableLinksLeavesNothingForOthers) {
  for (bool isDeclared : {false, true}) {
    Units units;
    units.isRelocatable = true;
    addUnit(units, true, kWins);
    ModuleBuilder host;
    if (isDeclared)
      host.declare("c");
    units.add(std::move(host), deviceModule(), true);
    ASSERT_EQ(units.failure(), "");
    EXPECT_EQ(units.host(0).bitcode.localized,
              isDeclared ? (std::vector<std::string>{"stub"})
                         : (std::vector<std::string>{"c", "stub"}));
    EXPECT_EQ(units.device(0, 0), "c");
  }
}

TEST(WpaUnits, AWeakFunctionGivesWayToTheOnlyDefinition) {
  for (unsigned strong : {1u, 2u}) {
    Units units;
    for (unsigned i = 0; i < 3; ++i) {
      ModuleBuilder device = deviceModule();
      device.define("f", 0, {}, 10, 0,
                    i < strong ? Linkage::External : Linkage::WeakAny);
      units.add(ModuleBuilder(), std::move(device), true);
    }
    ASSERT_EQ(units.failure(), "");
    EXPECT_EQ(units.device(0, 0), strong == 1 ? "f" : "f__unit__t0");
    EXPECT_EQ(units.device(2, 0), "f");
  }
}

TEST(WpaUnits, NativeCodeKeepsItsNames) {
  NativeCode code;
  code.location = InputLocation("native.o");
  code.arch = "sm_90";
  code.symbols = {{"c", NativeSymbol::Kind::Variable, /*isDefined=*/true}};
  Units units;
  units.native.push_back(code);
  addUnit(units, true, kWins);
  ASSERT_EQ(units.failure(), "");
  EXPECT_EQ(units.device(0, 0), "c__unit__t0");

  code.symbols[0].isDefined = false;
  Units used;
  used.native.push_back(code);
  addUnit(used, true, kWins);
  addUnit(used, true, kLoses);
  EXPECT_EQ(used.failure(),
            "native.o: uses the device symbol 'c', which m0.o and m1.o define, "
            "each for itself; compile what shares device symbols with "
            "-fgpu-rdc");
}

TEST(WpaUnits, AssemblyKeepsNames) {
  Units units;
  for (uint32_t flags : {0u, uint32_t(kAssemblyReferenced)}) {
    ModuleBuilder device = deviceModule();
    device.variable("c", 0, flags, 4);
    units.add(ModuleBuilder(), std::move(device), true);
  }
  ASSERT_EQ(units.failure(), "");
  EXPECT_EQ(units.device(0, 0), "c__unit__t0");
  EXPECT_EQ(units.device(1, 0), "c");

  Units both;
  for (int i = 0; i < 2; ++i) {
    ModuleBuilder device = deviceModule();
    device.variable("c", 0, kAssemblyReferenced, 4);
    both.add(ModuleBuilder(), std::move(device), true);
  }
  EXPECT_EQ(both.failure(),
            "m1.o: assembly names the device symbol 'c', which other objects "
            "define, too, each for itself; compile it with -fgpu-rdc, or "
            "rename it");
}

} // namespace
