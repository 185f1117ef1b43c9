//===- FoldClassesTest.cpp - Classes of what does the same
//------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "gtest/gtest.h"
#include "icf/Fold.h"
#include "summary/CombinedModule.h"
#include "test/unit/ErrorChecks.h"
#include "test/unit/ProgramBuilder.h"

#include <random>

using namespace gpulto;

namespace {

/// Adds a local device function of form \p form that calls \p callees.
SymbolIndex addBody(ModuleBuilder &module, llvm::StringRef name, uint64_t form,
                    std::vector<SymbolIndex> callees) {
  SymbolIndex index = module.define(name, 0, callees, 10, 0, Linkage::Internal);
  ModuleSummary &summary = module.summary();
  FunctionSummary &function = summary.functions.back();
  function.foldHash = {form, 1};
  function.foldSymbols = {uint32_t(summary.foldSymbols.size()),
                          uint32_t(callees.size())};
  summary.foldSymbols.insert(summary.foldSymbols.end(), callees.begin(),
                             callees.end());
  return index;
}

/// A program of one module with functions of given form and callees, all
/// called by a root; returns its classes as lists of names.
std::vector<std::vector<std::string>>
classesOf(const std::vector<std::pair<uint64_t, std::vector<SymbolIndex>>>
              &functions) {
  std::vector<std::string> names;
  for (size_t i = 0; i < functions.size(); ++i)
    names.push_back("f" + std::to_string(i));
  ModuleBuilder device(Side::Device, "sm_90");
  std::vector<SymbolIndex> all;
  for (size_t i = 0; i < functions.size(); ++i)
    all.push_back(
        addBody(device, names[i], functions[i].first, functions[i].second));
  device.define("root", 0, all, 10, kKernel | kUsed);
  TestProgram program;
  program.summary.addModule(ModuleBuilder().take(0));
  program.summary.addModule(device.take(0));
  EXPECT_OK(program.finish());
  llvm::BitVector live(program.summary.symbolCount(), true);
  program.context->decisions.live = live;
  program.context->decisions.visibleOutside.resize(live.size());
  std::vector<std::vector<std::string>> result;
  for (const FoldClass &fold :
       findFolds(*program.context, Callers(*program.context), FoldOptions())) {
    std::vector<std::string> members{
        program.summary.symbol(fold.leader).name.str()};
    for (GlobalId id : fold.members)
      members.push_back(program.summary.symbol(id).name.str());
    result.push_back(members);
  }
  return result;
}

using Classes = std::vector<std::vector<std::string>>;

TEST(FoldClasses, FoldsCallersOfWhatFolds) {
  EXPECT_EQ(classesOf({{1, {}}, {1, {}}, {2, {0}}, {2, {1}}, {3, {}}}),
            (Classes{{"f0", "f1"}, {"f2", "f3"}}));
}

TEST(FoldClasses, KeepsCallersOfWhatDiffers) {
  EXPECT_EQ(classesOf({{1, {}}, {3, {}}, {2, {0}}, {2, {1}}}), Classes{});
}

TEST(FoldClasses, FoldsRecursion) {
  EXPECT_EQ(classesOf({{1, {0}}, {1, {1}}}), (Classes{{"f0", "f1"}}));
  // Each of a pair calls the other, and so does each of the second pair.
  EXPECT_EQ(classesOf({{1, {1}}, {2, {0}}, {1, {3}}, {2, {2}}}),
            (Classes{{"f0", "f2"}, {"f1", "f3"}}));
  // A ring of three is a ring of one.
  EXPECT_EQ(classesOf({{1, {1}}, {1, {2}}, {1, {0}}, {1, {3}}}),
            (Classes{{"f0", "f1", "f2", "f3"}}));
}

TEST(FoldClasses, DifferencesTravel) {
  // A chain of equal links that ends in different things.
  std::vector<std::pair<uint64_t, std::vector<SymbolIndex>>> functions{{1, {}},
                                                                       {2, {}}};
  for (SymbolIndex i = 0; i < 20; ++i)
    functions.push_back({3, {i}});
  EXPECT_EQ(classesOf(functions), Classes{});
}

/// The classes are those of the naive algorithm, which looks at all bodies
/// until nothing changes.
TEST(FoldClasses, AgreesWithTheNaiveAlgorithm) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    size_t count = 2 + random() % 30;
    std::vector<std::pair<uint64_t, std::vector<SymbolIndex>>> functions;
    for (size_t i = 0; i < count; ++i) {
      // One form has one number of symbols.
      uint64_t form = 1 + random() % 3;
      std::vector<SymbolIndex> callees;
      for (uint64_t c = 0; c < form; ++c)
        callees.push_back(SymbolIndex(random() % count));
      functions.push_back({form, callees});
    }
    std::vector<size_t> classOf(count, 0);
    for (size_t i = 0; i < count; ++i)
      classOf[i] = functions[i].first;
    for (size_t classes = 0;;) {
      std::map<std::vector<size_t>, size_t> numbers;
      std::vector<size_t> next;
      for (size_t i = 0; i < count; ++i) {
        std::vector<size_t> key{classOf[i]};
        for (SymbolIndex callee : functions[i].second)
          key.push_back(classOf[callee]);
        next.push_back(numbers.try_emplace(key, numbers.size()).first->second);
      }
      classOf = next;
      if (numbers.size() == classes)
        break;
      classes = numbers.size();
    }
    std::map<size_t, std::vector<std::string>> members;
    for (size_t i = 0; i < count; ++i)
      members[classOf[i]].push_back("f" + std::to_string(i));
    Classes expected;
    for (auto &[number, names] : members)
      if (names.size() > 1)
        expected.push_back(names);
    Classes found = classesOf(functions);
    std::sort(expected.begin(), expected.end());
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, expected) << "round " << round;
  }
}

/// Two kernels of two forms of bodies each, with their stubs. The program tells
/// apart the handles \p apart: 'a', 'b'.
struct KernelProgram {
  explicit KernelProgram(uint8_t secondUse, uint64_t secondForm = 5,
                         bool inAllImages = true, bool setsUnknown = false,
                         llvm::StringRef apart = "") {
    ModuleBuilder host;
    if (setsUnknown)
      host.define("sets", kPrevailing | kVisibleToRegular,
                  {host.declare("cudaFuncSetAttribute")});
    SymbolIndex launch = host.declare("cudaLaunchKernel");
    SymbolIndex a = addStub(host, "stub_a", launch);
    SymbolIndex b = addStub(host, "stub_b", launch);
    host.define("main", kPrevailing | kVisibleToRegular, {a, b});
    for (SymbolIndex stub : {a, b}) {
      LaunchSite site;
      site.stub = stub;
      host.summary().launches.push_back(site);
    }
    host.summary().functions.back().launches = {0, 2};
    if (secondUse)
      host.refer(b, secondUse);
    host.summary().functions.back().handleFlows = {0, uint32_t(apart.size())};
    for (char kernel : apart) {
      HandleFlow flow;
      flow.handle.kind = JumpFunction::Kind::SymbolAddress;
      flow.handle.source = kernel == 'a' ? a : b;
      flow.to = HandleTarget::Apart;
      host.summary().handleFlows.push_back(flow);
      host.refer(flow.handle.source, kPassesHandle);
    }
    host.offload(a, "a");
    host.offload(b, "b");
    program.summary.addModule(host.take(0));
    for (const char *arch : {"sm_80", "sm_90"}) {
      ModuleBuilder device(Side::Device, arch);
      addKernel(device, "a", 5);
      if (inAllImages || arch == std::string("sm_90"))
        addKernel(device, "b", arch == std::string("sm_90") ? secondForm : 5);
      program.summary.addModule(device.take(0));
    }
    EXPECT_OK(program.finish());
    program.context->decisions.live.resize(program.summary.symbolCount(), true);
    program.context->decisions.visibleOutside.resize(
        program.summary.symbolCount());
  }

  static SymbolIndex addStub(ModuleBuilder &host, const char *name,
                             SymbolIndex launch) {
    SymbolIndex stub = addBody(host, name, 9, {launch});
    host.symbol(stub).flags |= kKernelStub;
    // Its own handle.
    host.summary().foldSymbols.push_back(stub);
    ++host.summary().functions.back().foldSymbols.count;
    host.refer(stub);
    return stub;
  }
  static void addKernel(ModuleBuilder &device, const char *name,
                        uint64_t form) {
    SymbolIndex kernel = addBody(device, name, form, {});
    device.symbol(kernel).flags |= kKernel;
    device.symbol(kernel).linkage = Linkage::External;
  }

  size_t classes(FoldKernels kernels = FoldKernels::Launch) {
    return findFolds(*program.context, Callers(*program.context),
                     FoldOptions{FoldMode::Safe, kernels})
        .size();
  }

  TestProgram program;
};

TEST(FoldClasses, FoldsKernelsWithTheirStubs) {
  EXPECT_EQ(KernelProgram(0).classes(), 3u); // stubs, and kernels twice
}

TEST(FoldClasses, FoldsKernelsInAllImagesOrNone) {
  EXPECT_EQ(KernelProgram(0, 6).classes(), 0u);
  EXPECT_EQ(KernelProgram(0, 5, false).classes(), 0u);
}

TEST(FoldClasses, KeepsHandlesThatMatter) {
  EXPECT_EQ(KernelProgram(kQueriesHandle).classes(), 3u);
  EXPECT_EQ(KernelProgram(kSetsHandle).classes(), 0u);
  EXPECT_EQ(KernelProgram(kTakesAddress).classes(), 0u);
}

TEST(FoldClasses, KeepsHandlesThatAreToldApart) {
  auto classes = [](llvm::StringRef apart, uint8_t secondUse = 0) {
    return KernelProgram(secondUse, 5, true, false, apart).classes();
  };
  EXPECT_EQ(classes("ab"), 2u); // kernels, no stubs
  EXPECT_EQ(classes("ab", kQueriesHandle), 2u);
  EXPECT_EQ(classes("a"), 0u); // one handle stays, the other would not
  EXPECT_EQ(classes("b"), 0u);
  EXPECT_EQ(classes("ab", kSetsHandle), 0u);
  EXPECT_EQ(classes("ab", kTakesAddress), 0u);
}

TEST(FoldClasses, RegistersHandlesForOneKernel) {
  constexpr FoldKernels kRegister = FoldKernels::Register;
  EXPECT_EQ(KernelProgram(0).classes(kRegister), 3u);
  EXPECT_EQ(KernelProgram(kTakesAddress).classes(kRegister), 2u); // no stubs
  EXPECT_EQ(KernelProgram(kSetsHandle).classes(kRegister), 0u);
  EXPECT_EQ(KernelProgram(kTakesAddress, 6).classes(kRegister), 0u);
  EXPECT_EQ(KernelProgram(kTakesAddress, 5, false).classes(kRegister), 0u);
  // Somebody who has the handle may set attributes by it.
  EXPECT_EQ(KernelProgram(kTakesAddress, 5, true, true).classes(kRegister), 0u);
  EXPECT_EQ(KernelProgram(0, 5, true, true).classes(kRegister), 3u);
}

/// Kernels k0 and k1 run the helpers of their list, each of which has an array
/// in block-shared memory.
std::string foldHelpers(std::vector<std::vector<int>> helpersOf) {
  static const char *const kArrays[] = {"a0", "a1", "a2", "a3"};
  static const char *const kHelpers[] = {"h0", "h1", "h2", "h3"};
  static const char *const kKernels[] = {"k0", "k1"};
  constexpr uint8_t kSharedSpace = 3;
  ModuleBuilder device(Side::Device, "sm_90");
  std::vector<SymbolIndex> helpers;
  for (int i = 0; i < 4; ++i) {
    SymbolIndex array =
        device.variable(kArrays[i], 0, 0, kSharedSpace, {}, Linkage::Internal);
    helpers.push_back(addBody(device, kHelpers[i], 1, {array}));
    device.summary().functions.back().calls = {};
    device.refer(array);
  }
  for (size_t k = 0; k < helpersOf.size(); ++k) {
    std::vector<SymbolIndex> callees;
    for (int helper : helpersOf[k])
      callees.push_back(helpers[helper]);
    device.define(kKernels[k], 0, callees, 10, kKernel | kUsed);
  }
  TestProgram program;
  program.summary.addModule(ModuleBuilder().take(0));
  program.summary.addModule(device.take(0));
  EXPECT_OK(program.finish());
  program.context->decisions.live.resize(program.summary.symbolCount(), true);
  program.context->decisions.visibleOutside.resize(
      program.summary.symbolCount());
  std::string text;
  for (const FoldClass &fold :
       findFolds(*program.context, Callers(*program.context), FoldOptions())) {
    text += "[" + program.summary.symbol(fold.leader).name.str();
    for (GlobalId id : fold.members)
      text += " " + program.summary.symbol(id).name.str();
    text += "]";
  }
  return text;
}

TEST(FoldClasses, KeepsMemoryThatOneKernelHasTwice) {
  EXPECT_EQ(foldHelpers({{0}, {1}}), "[h0 h1]");
  EXPECT_EQ(foldHelpers({{0, 1}, {}}), "");
  EXPECT_EQ(foldHelpers({{0, 1}, {2, 3}}), "[h0 h2][h1 h3]");
  EXPECT_EQ(foldHelpers({{0, 1}, {1, 2}}), "[h0 h2]"); // h1 is in both
  EXPECT_EQ(foldHelpers({{0, 1}, {0, 1}}), "");
}

/// A host program of functions that do the same, called by main.
struct HostProgram {
  explicit HostProgram(size_t count) {
    host.declare("cold"); // number 0
    static const char *const kNames[] = {"f0", "f1", "f2", "f3"};
    for (size_t i = 0; i < count; ++i)
      functions.push_back(addBody(host, kNames[i], 1, {}));
    for (SymbolIndex f : functions)
      host.summary().functions[f - functions[0]].sizeBytes = 1000;
  }
  FunctionSummary &function(size_t i) { return host.summary().functions[i]; }
  SymbolRecord &symbol(size_t i) { return host.symbol(functions[i]); }
  /// Makes it a symbol of its own, as the linker sees it.
  void makeGlobal(size_t i, uint8_t resolution) {
    symbol(i).linkage = Linkage::External;
    seen[i] = resolution;
  }
  void takeAddress(size_t i, llvm::StringRef by, uint32_t flags = 0) {
    host.variable(by, kPrevailing, flags | kUsed, 0, {functions[i]});
  }
  /// Adds a constant of form \p form, a table that refers to functions \p uses.
  SymbolIndex constant(llvm::StringRef name, uint64_t form,
                       std::vector<SymbolIndex> uses = {}, uint32_t flags = 0) {
    SymbolIndex index =
        host.variable(name, kPrevailing | kFinalDefinition | kResolved,
                      flags | kConstant | kAddressInsignificantByLanguage, 0,
                      uses, Linkage::LinkOnceODR);
    ModuleSummary &summary = host.summary();
    VariableSummary &variable = summary.variables.back();
    variable.foldHash = {form, 2};
    variable.foldSymbols = {uint32_t(summary.foldSymbols.size()),
                            uint32_t(uses.size())};
    summary.foldSymbols.insert(summary.foldSymbols.end(), uses.begin(),
                               uses.end());
    return index;
  }
  /// Returns "LEADER: MEMBERS | JUMPS".
  std::string fold(FoldMode mode) { return fold(FoldOptions{mode}); }
  std::string fold(const FoldOptions &options = FoldOptions()) {
    host.define("main", kPrevailing | kFinalDefinition | kVisibleToRegular,
                functions);
    CombinedModule module = host.take(0);
    for (auto [i, resolution] : seen)
      module.resolution[functions[i]] = resolution;
    program.summary.addModule(std::move(module));
    if (!other.summary().symbols.empty())
      program.summary.addModule(other.take(1));
    EXPECT_OK(program.finish());
    llvm::BitVector live(program.summary.symbolCount(), true);
    program.context->decisions.live = live;
    program.context->decisions.visibleOutside.resize(live.size());
    for (auto [i, resolution] : seen)
      if (resolution & kVisibleToRegular)
        program.context->decisions.visibleOutside.set(functions[i]);
    std::string text;
    auto name = [&](GlobalId id) {
      return " " + program.summary.symbol(id).name.str();
    };
    for (const FoldClass &fold :
         findFolds(*program.context, Callers(*program.context), options)) {
      if (fold.members.empty() && fold.jumps.empty())
        continue;
      text += name(fold.leader) + ":";
      for (GlobalId id : fold.members)
        text += name(id);
      text += " |";
      for (GlobalId id : fold.jumps)
        text += name(id);
    }
    return text;
  }

  ModuleBuilder host, other;
  std::vector<SymbolIndex> functions;
  std::map<size_t, uint8_t> seen;
  TestProgram program;
};

TEST(FoldClasses, FoldsHostFunctionsThatAreOnlyCalled) {
  EXPECT_EQ(HostProgram(3).fold(), " f0: f1 f2 |");
  EXPECT_EQ(HostProgram(3).fold(FoldMode::All), " f0: f1 f2 |");
  EXPECT_EQ(HostProgram(3).fold(FoldMode::None), "");
}

TEST(FoldClasses, KeepsAddressesThatMayBeCompared) {
  HostProgram one(3);
  one.takeAddress(1, "table");
  EXPECT_EQ(one.fold(), " f1: f0 f2 |");
  HostProgram two(3);
  two.takeAddress(1, "table");
  two.takeAddress(2, "another");
  EXPECT_EQ(two.fold(), " f1: f0 | f2");
  HostProgram all(3);
  all.takeAddress(1, "table");
  all.takeAddress(2, "another");
  EXPECT_EQ(all.fold(FoldMode::All), " f0: f1 f2 |");
  HostProgram small(3);
  small.takeAddress(1, "table");
  small.takeAddress(2, "another");
  small.function(2).sizeBytes = 16;
  EXPECT_EQ(small.fold(), " f2: f0 | f1");
  HostProgram varArg(3);
  varArg.takeAddress(1, "table");
  varArg.takeAddress(2, "another");
  for (size_t i = 0; i < 3; ++i)
    varArg.function(i).flags |= kVarArg;
  EXPECT_EQ(varArg.fold(), " f1: f0 |");
}

TEST(FoldClasses, FoldsThroughVirtualTables) {
  HostProgram table(2);
  table.takeAddress(0, "_ZTV1A", kAddressInsignificantByLanguage);
  table.takeAddress(1, "_ZTV1B", kAddressInsignificantByLanguage);
  EXPECT_EQ(table.fold(), " f0: f1 |");
  HostProgram unnamed(2);
  unnamed.takeAddress(0, "table");
  unnamed.takeAddress(1, "another");
  unnamed.symbol(0).flags |= kUnnamedAddr;
  unnamed.symbol(1).flags |= kUnnamedAddr;
  EXPECT_EQ(unnamed.fold(), " f0: f1 |");
}

TEST(FoldClasses, FoldsConstants) {
  // Tables of functions that do the same.
  HostProgram tables(3);
  tables.function(2).foldHash = {2, 1};
  static const char *const kNames[] = {"c0", "c1", "c2"};
  for (size_t i = 0; i < 3; ++i)
    tables.constant(kNames[i], 5, {tables.functions[i]});
  EXPECT_EQ(tables.fold(), " f0: f1 | c0: c1 |");
  // Contents, and how they are compiled, count.
  HostProgram contents(1);
  contents.constant("c0", 5);
  contents.constant("c1", 6);
  contents.constant("c2", 5);
  contents.host.summary().variables.back().alignLog2 = 4;
  EXPECT_EQ(contents.fold(), "");
}

TEST(FoldClasses, KeepsConstantsThatSomebodyKnows) {
  auto fold = [](uint32_t flags, bool isTaken) {
    HostProgram program(1);
    program.constant("c0", 5);
    SymbolIndex second = program.constant("c1", 5, {}, flags);
    program.host.refer(second, isTaken ? kTakesAddress : kReads);
    return program.fold();
  };
  EXPECT_EQ(fold(0, false), " c0: c1 |");
  EXPECT_EQ(fold(0, true), "");
  EXPECT_EQ(fold(kUnnamedAddr, true), " c0: c1 |");
  for (uint32_t flag : {kUsed, kAssemblyReferenced, kHasSection, kManaged,
                        kExternallyInitialized, kRegistration, kCopyable})
    EXPECT_EQ(fold(flag, false), "") << flag;
}

TEST(FoldClasses, SplitsWhatWasFoundToDiffer) {
  FoldOptions options;
  HostProgram program(4);
  options.apart[{"t0", "f1"}] = 1;
  options.apart[{"t0", "f3"}] = 1;
  EXPECT_EQ(program.fold(options), " f0: f2 | f1: f3 |");
  HostProgram often(4);
  options.apart[{"t0", "f3"}] = kMostFoldSplits;
  EXPECT_EQ(often.fold(options), " f0: f2 |");
}

TEST(FoldClasses, KeepsWhatOthersCanName) {
  constexpr uint8_t kFinal = kPrevailing | kFinalDefinition | kResolved;
  HostProgram exported(3);
  exported.makeGlobal(1, kFinal | kVisibleToRegular);
  exported.makeGlobal(2, kFinal | kVisibleToRegular);
  EXPECT_EQ(exported.fold(), " f1: f0 | f2");
  HostProgram everywhere(3);
  everywhere.makeGlobal(1, kFinal | kVisibleToRegular);
  everywhere.makeGlobal(2, kFinal | kVisibleToRegular);
  EXPECT_EQ(everywhere.fold(FoldMode::All), " f1: f0 | f2");
  // Another program may define it; --wrap does.
  for (uint8_t resolution :
       {int(kPrevailing), int(kFinal | kLinkerRedefined)}) {
    HostProgram replaced(3);
    replaced.makeGlobal(0, resolution);
    EXPECT_EQ(replaced.fold(), " f1: f2 |");
  }
  for (uint32_t flag :
       {kUsed, kCompilerUsed, kAssemblyReferenced, kHasSection, kIntrinsic}) {
    HostProgram named(3);
    named.symbol(0).flags |= flag;
    EXPECT_EQ(named.fold(), " f1: f2 |") << flag;
  }
  // What another module says of it counts, too.
  HostProgram elsewhere(3);
  elsewhere.makeGlobal(0, kFinal);
  SymbolIndex use = elsewhere.other.declare("f0");
  elsewhere.other.symbol(use).flags |= kAssemblyReferenced;
  EXPECT_EQ(elsewhere.fold(), " f1: f2 |");
}

TEST(FoldClasses, KeepsHostFunctionsOfOtherOptions) {
  HostProgram flags(3);
  flags.function(1).flags |= kCold;
  EXPECT_EQ(flags.fold(), " f0: f2 |");
  HostProgram attributes(3);
  attributes.function(1).attributesDigest = {3, 4};
  EXPECT_EQ(attributes.fold(), " f0: f2 |");
}

} // namespace
