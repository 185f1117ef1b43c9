// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "partitioner/Partition.h"

#include "gtest/gtest.h"
#include "ipa/inlining/Inlining.h"
#include "ipa/symbols/Visibility.h"
#include "test/unit/ProgramBuilder.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace gpulto;

namespace {

constexpr uint8_t kWins = kResolved | kPrevailing | kFinalDefinition;
constexpr uint8_t kRoot = kWins | kVisibleToRegular;

/// Resolves, finds what is live, cuts.
PartitionMap cut(TestProgram &program, const PartitionOptions &options) {
  EXPECT_FALSE(program.finish());
  EXPECT_FALSE(findVisible(*program.context));
  chooseInlining(*program.context, Callers(*program.context));
  PartitionMap map;
  map.home.assign(program.summary.symbolCount(), kNone);
  partitionHost(*program.context, options, map);
  for (ImageIndex i = 1; i < program.summary.images().size(); ++i)
    partitionDevice(*program.context, i, options, map);
  decideBoundaries(*program.context,
                   llvm::BitVector(program.summary.symbolCount()), map);
  return map;
}

/// Returns the linkage of \p id in partition \p p, or nothing.
std::optional<FinalLinkage> linkage(const PartitionMap &map, size_t p,
                                    GlobalId id) {
  for (const PartitionSymbol &define : map.partitions[p].defines)
    if (define.id == id)
      return define.linkage;
  return std::nullopt;
}

/// Two clusters of eight functions; one call between them.
void addClusters(TestProgram &program) {
  static const char *names[] = {"a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7",
                                "b0", "b1", "b2", "b3", "b4", "b5", "b6", "b7"};
  ModuleBuilder module;
  for (int i = 0; i < 16; ++i) {
    std::vector<SymbolIndex> callees;
    for (int j = i / 8 * 8; j < i; ++j)
      callees.push_back(j);
    if (i == 15)
      callees.push_back(0);
    module.define(names[i], kRoot, callees, 100);
  }
  program.summary.addModule(module.take(0));
}

TEST(Partition, CutsWhereFewEdgesCross) {
  TestProgram program;
  addClusters(program);
  PartitionOptions options;
  options.count = 2;
  PartitionMap map = cut(program, options);
  ASSERT_EQ(map.partitions.size(), 2u);
  EXPECT_EQ(map.partitions[0].defines.size(), 8u);
  EXPECT_EQ(map.home[program.host("a7")], 0u);
  EXPECT_EQ(map.home[program.host("b0")], 1u);
}

TEST(Partition, EveryLiveDefinitionIsInExactlyOneHostPartition) {
  for (PartitionMode mode : {PartitionMode::Balanced, PartitionMode::One,
                             PartitionMode::Max, PartitionMode::OneToOne})
    for (unsigned count = 0; count < 20; ++count) {
      TestProgram program;
      addClusters(program);
      PartitionOptions options;
      options.mode = mode;
      options.count = count;
      PartitionMap map = cut(program, options);
      std::map<GlobalId, int> times;
      for (const Partition &partition : map.partitions)
        for (const PartitionSymbol &define : partition.defines)
          ++times[define.id];
      EXPECT_EQ(times.size(), 16u);
      for (auto [id, n] : times)
        EXPECT_EQ(n, 1) << id;
      if (mode == PartitionMode::Max) {
        EXPECT_EQ(map.partitions.size(), 16u);
      } else if (mode != PartitionMode::Balanced) {
        EXPECT_EQ(map.partitions.size(), 1u);
      }
    }
}

TEST(Partition, AtomsStayTogether) {
  TestProgram program;
  ModuleBuilder module;
  for (const char *name : {"a", "b", "c", "d"})
    module.define(name, kRoot, {}, 100);
  module.symbol(0).atom = 7;
  module.symbol(3).atom = 7;
  program.summary.addModule(module.take(0));
  PartitionOptions options;
  options.mode = PartitionMode::Max;
  PartitionMap map = cut(program, options);
  EXPECT_EQ(map.partitions.size(), 3u);
  EXPECT_EQ(map.home[0], map.home[3]);
}

TEST(Partition, LevelsAreNotMixed) {
  TestProgram program;
  for (uint32_t object : {0u, 1u}) {
    ModuleBuilder module;
    module.define(object ? "f" : "g", kRoot, {});
    module.summary().optLevel = object ? 3 : 1;
    program.summary.addModule(module.take(object));
  }
  PartitionOptions options;
  options.mode = PartitionMode::One;
  PartitionMap map = cut(program, options);
  ASSERT_EQ(map.partitions.size(), 2u);
  EXPECT_EQ(map.partitions[0].optLevel, 1);
  EXPECT_EQ(map.partitions[1].optLevel, 3);
}

/// main -> small and large, each in a module of its own.
PartitionMap cutImports(TestProgram &program, uint32_t flagsOfSmall = 0,
                        Linkage linkage = Linkage::External) {
  ModuleBuilder a, b;
  SymbolIndex small = a.declare("small", kResolved);
  SymbolIndex large = a.declare("large", kResolved);
  a.define("main", kRoot, {small, large});
  SymbolIndex leaf = b.define("leaf", 0, {}, 20, 0, Linkage::Internal);
  b.define("small", kWins, {leaf}, 50, 0, linkage);
  b.summary().functions.back().flags = flagsOfSmall;
  b.define("large", kWins, {}, 5000);
  program.summary.addModule(a.take(0));
  program.summary.addModule(b.take(1));
  PartitionOptions options;
  options.mode = PartitionMode::OneToOne;
  return cut(program, options);
}

TEST(Partition, SmallCalleesAreImportedAndTheirLocalsPromoted) {
  TestProgram program;
  PartitionMap map = cutImports(program);
  ASSERT_EQ(map.partitions.size(), 2u);
  GlobalId small = program.host("small"), leaf = small - 1;
  EXPECT_EQ(map.partitions[0].imports, (std::vector<GlobalId>{leaf, small}));
  EXPECT_EQ(linkage(map, 1, leaf), FinalLinkage::Hidden);
  EXPECT_EQ(linkage(map, 1, small), FinalLinkage::Hidden);
  EXPECT_EQ(linkage(map, 1, program.host("large")), FinalLinkage::Hidden);
  EXPECT_EQ(linkage(map, 0, program.host("main")), FinalLinkage::Preserved);
}

/// a: main -> only; b: only, 20 functions of 3000 instructions; cut in many.
PartitionMap cutOnlyUse(TestProgram &program, bool isCalledAgain) {
  static const char *names[] = {"f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7"};
  ModuleBuilder a, b;
  SymbolIndex only = a.declare("only", kResolved);
  a.define("main", kRoot, {only}, 3000);
  for (const char *name : names)
    b.define(name, kRoot, {}, 3000);
  only = b.define("only", kWins, {}, 2000);
  if (isCalledAgain)
    b.define("again", kRoot, {only});
  program.summary.addModule(a.take(0));
  program.summary.addModule(b.take(1));
  PartitionOptions options;
  options.count = 4;
  return cut(program, options);
}

TEST(Partition, WhatHasOneUseGoesToIt) {
  TestProgram program;
  PartitionMap map = cutOnlyUse(program, false);
  GlobalId only = program.host("only");
  uint32_t home = map.home[program.host("main")];
  EXPECT_EQ(map.home[only], home);
  EXPECT_EQ(linkage(map, home, only), FinalLinkage::Internal);

  TestProgram other;
  map = cutOnlyUse(other, true);
  EXPECT_NE(map.home[other.host("only")], map.home[other.host("main")]);
}

TEST(Partition, WhatMustNotBeInlinedIsNotImported) {
  for (uint32_t flag : {kNoInline, kOptNone, kHasAsmLabels}) {
    TestProgram program;
    EXPECT_TRUE(cutImports(program, flag).partitions[0].imports.empty());
  }
  TestProgram program;
  EXPECT_TRUE(
      cutImports(program, 0, Linkage::WeakAny).partitions[0].imports.empty());
}

/// k1 and k2 share a helper, a mutable variable and a literal.
void addKernels(TestProgram &program, bool addressTaken) {
  ModuleBuilder host;
  SymbolIndex stub1 = host.define("stub1", kRoot, {}, 10, kKernelStub);
  SymbolIndex stub2 = host.define("stub2", kRoot, {}, 10, kKernelStub);
  host.offload(stub1, "k1");
  host.offload(stub2, "k2");
  program.summary.addModule(host.take(0));
  ModuleBuilder device(Side::Device, "sm_90");
  SymbolIndex counter = device.variable("counter", 0, 0, 1);
  SymbolIndex literal = device.variable("literal", 0, kConstant | kUnnamedAddr,
                                        4, {}, Linkage::Internal);
  SymbolIndex tile = device.variable("tile", 0, 0, 3, {}, Linkage::Internal);
  SymbolIndex helper = device.define(
      "helper", 0, {}, 100, addressTaken ? uint32_t(kAddressTaken) : 0);
  for (const char *kernel : {"k1", "k2"}) {
    device.define(kernel, 0, {helper}, 100, kKernel);
    device.refer(counter, kWrites);
    device.refer(literal);
    device.refer(tile);
  }
  program.summary.addModule(device.take(0));
}

TEST(Partition, DevicePartitionsAreClosed) {
  TestProgram program;
  addKernels(program, false);
  PartitionOptions options;
  options.mode = PartitionMode::Max;
  PartitionMap map = cut(program, options);
  size_t first = map.partitions.size() - 2;
  GlobalId helper = program.device("helper");
  GlobalId counter = program.device("counter");
  GlobalId literal = counter + 1, tile = counter + 2;
  for (size_t p : {first, first + 1}) {
    EXPECT_EQ(linkage(map, p, helper), FinalLinkage::Internal);
    EXPECT_EQ(linkage(map, p, literal), FinalLinkage::Internal);
    EXPECT_EQ(linkage(map, p, tile), FinalLinkage::Internal);
  }
  EXPECT_EQ(linkage(map, first, counter), FinalLinkage::Hidden);
  EXPECT_EQ(linkage(map, first + 1, counter), std::nullopt);
  EXPECT_EQ(linkage(map, first, program.device("k1")), FinalLinkage::Preserved);
}

TEST(Partition, DeviceHasNoMorePartitionsThanAskedFor) {
  for (unsigned count = 1; count < 12; ++count) {
    TestProgram program;
    ModuleBuilder host, device(Side::Device, "sm_90");
    static const char *names[] = {"k0", "k1", "k2", "k3", "k4",
                                  "k5", "k6", "k7", "k8"};
    static const char *stubs[] = {"s0", "s1", "s2", "s3", "s4",
                                  "s5", "s6", "s7", "s8"};
    for (int i = 0; i < 9; ++i) {
      host.offload(host.define(stubs[i], kRoot, {}, 10, kKernelStub), names[i]);
      device.define(names[i], 0, {}, 10 + 300 * (i % 3), kKernel);
    }
    program.summary.addModule(host.take(0));
    program.summary.addModule(device.take(0));
    PartitionOptions options;
    options.count = count;
    PartitionMap map = cut(program, options);
    size_t partitions = llvm::count_if(
        map.partitions, [](const Partition &p) { return p.image == 1; });
    EXPECT_LE(partitions, count);
    EXPECT_GE(partitions, std::min(count, 5u) / 2);
  }
}

TEST(Partition, KernelsThatShareFunctionPointersShareAPartition) {
  TestProgram program;
  addKernels(program, true);
  PartitionOptions options;
  options.mode = PartitionMode::Max;
  PartitionMap map = cut(program, options);
  EXPECT_EQ(map.home[program.device("k1")], map.home[program.device("k2")]);
}

// Another module than the one that defines a function may be the one that takes
// its address, for a variable that only the host uses.
TEST(Partition, FunctionPointersForTheHostStayWithTheirFunctions) {
  TestProgram program;
  ModuleBuilder host, a(Side::Device, "sm_90"), b(Side::Device, "sm_90");
  host.offload(host.define("stub1", kRoot, {}, 10, kKernelStub), "k1");
  host.offload(host.define("stub2", kRoot, {}, 10, kKernelStub), "k2");
  host.offload(host.variable("table", kRoot), "table",
               OffloadEntry::Kind::Variable);
  program.summary.addModule(host.take(0));
  a.define("k1", 0, {}, 100, kKernel);
  a.define("k2", 0, {a.define("helper", 0, {}, 100)}, 100, kKernel);
  program.summary.addModule(a.take(0));
  SymbolIndex helper = b.declare("helper");
  b.symbol(helper).flags |= kAddressTaken;
  b.variable("table", 0, 0, 1, {helper});
  program.summary.addModule(b.take(1));
  PartitionOptions options;
  options.mode = PartitionMode::Max;
  PartitionMap map = cut(program, options);
  auto home = [&](const char *name) { return map.home[program.device(name)]; };
  EXPECT_EQ(home("table"), home("k2"));
  EXPECT_NE(home("table"), home("k1"));
  EXPECT_EQ(home("helper"), home("k2"));
}

/// Kernels k0 to k3 for two architectures. k0 reads \p bytes of constants, k1
/// \p bytes of others and a variable that k2 writes; k1 and k3 share a variable
/// for the first architecture only.
void addConstants(TestProgram &program, uint64_t bytes) {
  static const char *names[] = {"k0", "k1", "k2", "k3"};
  static const char *stubs[] = {"s0", "s1", "s2", "s3"};
  ModuleBuilder host;
  for (int i = 0; i < 4; ++i)
    host.offload(host.define(stubs[i], kRoot, {}, 10, kKernelStub), names[i]);
  program.summary.addModule(host.take(0));
  for (const char *arch : {"sm_80", "sm_90"}) {
    ModuleBuilder device(Side::Device, arch);
    auto table = [&](const char *name, uint32_t flags) {
      SymbolIndex index =
          device.variable(name, 0, kConstant | flags, 4, {}, Linkage::Internal);
      device.summary().variables.back().sizeBytes = bytes;
      return index;
    };
    SymbolIndex first = table("first", kUnnamedAddr);
    SymbolIndex second = table("second", kUnnamedAddr | kCopyable);
    SymbolIndex counter = device.variable("counter", 0, 0, 1);
    SymbolIndex flag = device.variable("flag", 0, 0, 1);
    std::vector<SymbolIndex> uses[] = {
        {first}, {second, counter}, {counter}, {}};
    if (llvm::StringRef(arch) == "sm_80")
      for (int i : {1, 3})
        uses[i].push_back(flag);
    for (int i = 0; i < 4; ++i) {
      device.define(names[i], 0, {}, 100, kKernel);
      for (SymbolIndex use : uses[i])
        device.refer(use, kWrites);
    }
    program.summary.addModule(device.take(0));
  }
}

TEST(Partition, ConstantsOfAModuleFindRoom) {
  for (uint64_t bytes : {10 << 10, 40 << 10}) {
    TestProgram program;
    addConstants(program, bytes);
    PartitionOptions options;
    options.mode = PartitionMode::Max;
    PartitionMap map = cut(program, options);
    bool isLarge = bytes > (32 << 10);
    EXPECT_EQ(assignDeviceModules(*program.context, map), isLarge ? 2u : 1u);
    for (ImageIndex image : {1, 2}) {
      auto moduleOf = [&](const char *kernel) {
        return map.partitions[map.home[program.device(kernel, image)]]
            .deviceModule;
      };
      EXPECT_EQ(moduleOf("k0") != moduleOf("k1"), isLarge);
      EXPECT_EQ(moduleOf("k1"), moduleOf("k2")) << "both need counter";
      EXPECT_EQ(moduleOf("k1"), moduleOf("k3")) << "as in the other image";
      EXPECT_EQ(moduleOf("k0"), 0u);
    }
  }
}

/// Adds a module with the function \p function, whose assembly defines `again`.
void addLabel(TestProgram &program, llvm::StringRef function,
              uint8_t resolution = kRoot) {
  ModuleBuilder module;
  SymbolIndex label = module.declare("again");
  module.symbol(label).kind = SymbolKind::Assembly;
  module.symbol(label).linkage = Linkage::Internal;
  module.symbol(label).flags = kWithAssembly;
  module.define(function, resolution, {});
  module.summary().functions.back().flags |= kHasAsmLabels;
  module.refer(label);
  program.summary.addModule(module.take(0));
}

TEST(Partition, EqualLabelsOfLiveFunctionsArePutApart) {
  TestProgram program;
  addLabel(program, "a");
  addLabel(program, "b");
  addLabel(program, "dead", kWins);
  ModuleBuilder other;
  other.define("c", kRoot, {});
  program.summary.addModule(other.take(0));
  PartitionOptions options;
  options.mode = PartitionMode::One;
  PartitionMap map = cut(program, options);
  ASSERT_EQ(map.partitions.size(), 2u);
  EXPECT_NE(map.home[program.host("a")], map.home[program.host("b")]);
  EXPECT_EQ(map.home[program.host("a")], map.home[program.host("c")]);
}

TEST(Partition, SymbolOfAnotherModuleIsNoLabel) {
  TestProgram program;
  addLabel(program, "a");
  ModuleBuilder other;
  SymbolIndex again = other.declare("again");
  other.define("b", kRoot, {again});
  program.summary.addModule(other.take(0));
  PartitionOptions options;
  options.mode = PartitionMode::One;
  PartitionMap map = cut(program, options);
  ASSERT_EQ(map.partitions.size(), 2u);
  ModuleIndex module = program.summary.moduleOf(program.host("b"));
  uint32_t group = map.partitions[map.home[program.host("a")]].assemblyGroup;
  EXPECT_TRUE(map.assemblyGroups.barred.contains({module, group}));
}

} // namespace
