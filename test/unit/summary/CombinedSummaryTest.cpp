// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "summary/CombinedSummary.h"

#include "gtest/gtest.h"
#include "summary/CombinedModule.h"
#include "test/unit/ProgramBuilder.h"

using namespace gpulto;

namespace {

constexpr uint8_t kLoses = kResolved;
constexpr uint8_t kWins = kResolved | kPrevailing | kFinalDefinition;

TEST(CombinedSummary, LinkerDecidesWhichHostDefinitionPrevails) {
  TestProgram program;
  for (uint32_t object : {0u, 1u}) {
    ModuleBuilder module;
    module.define("f", object == 1 ? kWins : kLoses, {}, 10, 0,
                  Linkage::LinkOnceODR);
    program.summary.addModule(module.take(object));
  }
  ASSERT_FALSE(program.finish());
  EXPECT_EQ(program.summary.moduleOf(program.host("f")), 1u);
  EXPECT_EQ(program.summary.definition(0), program.host("f"));
}

TEST(CombinedSummary, LocalsOfOneNameAreDifferentSymbols) {
  TestProgram program;
  for (uint32_t object : {0u, 1u}) {
    ModuleBuilder module;
    module.define("f", 0, {}, 10, 0, Linkage::Internal);
    program.summary.addModule(module.take(object));
  }
  ASSERT_FALSE(program.finish());
  EXPECT_EQ(program.summary.definition(0), 0u);
  EXPECT_EQ(program.summary.definition(1), 1u);
  EXPECT_EQ(program.host("f"), kNone);
}

TEST(CombinedSummary, ArchitecturesAreNameSpacesOfTheirOwn) {
  TestProgram program;
  for (const char *arch : {"sm_90", "sm_80"}) {
    ModuleBuilder module(Side::Device, arch);
    module.define("k", 0, {}, 10, kKernel);
    program.summary.addModule(module.take(0));
  }
  ASSERT_FALSE(program.finish());
  ASSERT_EQ(program.summary.images().size(), 3u);
  EXPECT_EQ(program.summary.images()[1].arch, "sm_80");
  EXPECT_NE(program.device("k", 1), program.device("k", 2));
}

TEST(CombinedSummary, TwoStrongDeviceDefinitionsAreAnError) {
  TestProgram program;
  for (uint32_t object : {0u, 1u}) {
    ModuleBuilder module(Side::Device, "sm_90");
    module.define("helper", 0, {});
    program.summary.addModule(module.take(object));
  }
  std::string message = llvm::toString(program.finish());
  EXPECT_NE(message.find("m1.o"), std::string::npos) << message;
  EXPECT_NE(message.find("duplicate device symbol 'helper' for sm_90; first "
                         "defined in m0.o"),
            std::string::npos)
      << message;
}

NativeCode nativeCode(std::vector<NativeSymbol> symbols) {
  NativeCode code;
  code.location = InputLocation("native.o");
  code.arch = "sm_90";
  code.symbols = std::move(symbols);
  return code;
}

constexpr auto kNativeFunction = NativeSymbol::Kind::Function;

TEST(CombinedSummary, NativeCodeUsesAndDefinesDeviceSymbols) {
  TestProgram program;
  ModuleBuilder module(Side::Device, "sm_90");
  module.define("used", 0, {});
  module.define("unused", 0, {});
  module.define("strong", 0, {});
  module.define("same", 0, {}, 10, 0, Linkage::LinkOnceODR);
  module.define("any", 0, {}, 10, 0, Linkage::WeakAny);
  program.summary.addModule(module.take(0));
  program.summary.addNativeCode(
      nativeCode({{"used", kNativeFunction, /*isDefined=*/false, false},
                  {"strong", kNativeFunction, true, /*isWeak=*/true},
                  {"same", kNativeFunction, true, /*isWeak=*/true},
                  {"any", kNativeFunction, true, false}}));
  ASSERT_FALSE(program.finish());
  const CombinedSummary &summary = program.summary;
  EXPECT_TRUE(summary.isNativelyUsed(program.device("used")));
  EXPECT_FALSE(summary.isNativelyUsed(program.device("unused")));
  EXPECT_TRUE(summary.isNativelyUsed(program.device("strong")));
  // Functions that are the same by the language: each side keeps its own.
  ASSERT_NE(program.device("same"), kNone);
  EXPECT_FALSE(summary.isNativelyUsed(program.device("same")));
  // Ours gives way: all uses mean the native one.
  EXPECT_EQ(program.device("any"), kNone);
  EXPECT_NE(summary.nativeDefinition(4), nullptr);
  EXPECT_EQ(summary.nativeDefinition(0), nullptr);
  EXPECT_TRUE(summary.hasNativeCode(1));
}

TEST(CombinedSummary, ANativeDefinitionBesideAStrongOneIsAnError) {
  TestProgram program;
  ModuleBuilder module(Side::Device, "sm_90");
  module.define("helper", 0, {});
  program.summary.addModule(module.take(0));
  program.summary.addNativeCode(
      nativeCode({{"helper", kNativeFunction, true, false}}));
  std::string message = llvm::toString(program.finish());
  EXPECT_NE(message.find("m0.o: duplicate device symbol 'helper' for sm_90; "
                         "first defined in native.o"),
            std::string::npos)
      << message;
}

TEST(CombinedSummary, KernelComesFromTheUnitWhoseStubPrevails) {
  TestProgram program;
  for (uint32_t object : {0u, 1u}) {
    ModuleBuilder host;
    SymbolIndex stub = host.define("stub", object == 1 ? kWins : kLoses, {}, 10,
                                   kKernelStub, Linkage::LinkOnceODR);
    host.offload(stub, "kernel");
    program.summary.addModule(host.take(object));
    ModuleBuilder device(Side::Device, "sm_90");
    device.define("kernel", 0, {}, 10, kKernel, Linkage::WeakODR);
    program.summary.addModule(device.take(object));
  }
  ASSERT_FALSE(program.finish());
  EXPECT_EQ(program.summary.moduleRef(program.device("kernel")).object, 1u);
  ASSERT_EQ(program.summary.deviceCounterparts(program.host("stub")).size(),
            1u);
  EXPECT_EQ(program.summary.deviceCounterparts(program.host("stub"))[0],
            program.device("kernel"));
}

TEST(CombinedSummary, StrongDeviceDefinitionBeatsWeak) {
  TestProgram program;
  for (uint32_t object : {0u, 1u, 2u}) {
    ModuleBuilder module(Side::Device, "sm_90");
    module.define("f", 0, {}, 10, 0,
                  object == 1 ? Linkage::External : Linkage::WeakAny);
    program.summary.addModule(module.take(object));
  }
  ASSERT_FALSE(program.finish());
  EXPECT_EQ(program.summary.moduleOf(program.device("f")), 1u);
}

TEST(CombinedSummary, LocalOfALosingComdatIsGone) {
  TestProgram program;
  for (uint32_t object : {0u, 1u}) {
    ModuleBuilder module;
    SymbolIndex inlineVariable = module.variable(
        "v", object == 0 ? kWins : kLoses, 0, 0, {}, Linkage::LinkOnceODR);
    SymbolIndex init = module.define("init", 0, {}, 10, 0, Linkage::Internal);
    module.summary().comdats.push_back({"v", ComdatKind::Any});
    module.symbol(inlineVariable).comdat = 0;
    module.symbol(init).comdat = 0;
    module.summary().structors.push_back({65535, init, inlineVariable, false});
    program.summary.addModule(module.take(object));
  }
  ASSERT_FALSE(program.finish());
  const auto &modules = program.summary.modules();
  EXPECT_EQ(
      program.summary.liveStructor(0, modules[0].summary.structors.front()),
      1u);
  EXPECT_EQ(
      program.summary.liveStructor(1, modules[1].summary.structors.front()),
      kNone);
  EXPECT_EQ(program.summary.definition(3), kNone);
}

TEST(CombinedSummary, OneModuleKeepsAGroupOfLocalSymbols) {
  for (ComdatKind kind : {ComdatKind::Any, ComdatKind::NoDeduplicate}) {
    TestProgram program;
    for (uint32_t object : {0u, 1u}) {
      ModuleBuilder module;
      SymbolIndex init = module.define("init", 0, {}, 10, 0, Linkage::Internal);
      module.summary().comdats.push_back({"init", kind});
      module.symbol(init).comdat = 0;
      module.summary().structors.push_back({1, init, init, false});
      program.summary.addModule(module.take(object));
    }
    ASSERT_FALSE(program.finish());
    EXPECT_EQ(program.summary.definition(0), 0u);
    bool isKept = kind == ComdatKind::NoDeduplicate;
    EXPECT_EQ(program.summary.definition(1), isKept ? 1u : kNone);
    EXPECT_EQ(program.summary.liveStructor(
                  1, program.summary.modules()[1].summary.structors.front()),
              isKept ? 1u : kNone);
  }
}

TEST(CombinedSummary, EscapedNamesMeanTheSameSymbol) {
  TestProgram program;
  ModuleBuilder user, definer;
  user.declare("\1f", kResolved);
  definer.define("f", kWins, {});
  program.summary.addModule(user.take(0));
  program.summary.addModule(definer.take(1));
  ASSERT_FALSE(program.finish());
  EXPECT_EQ(program.summary.definition(0), 1u);
}

} // namespace
