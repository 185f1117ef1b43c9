// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gtest/gtest.h"
#include "ipa/callers/Callers.h"
#include "summary/CombinedModule.h"
#include "test/unit/ProgramBuilder.h"

#include <optional>

using namespace gpulto;

namespace {

constexpr uint8_t kWins = kResolved | kPrevailing | kFinalDefinition;

/// `main` passes the handle of `stub` to `outer`, which passes it on to
/// `inner`, which launches it; and a table of `listed`, which it launches.
struct HandleProgram : TestProgram {
  ModuleBuilder unit;
  SymbolIndex stub, listed, inner, outer, native, table;
  uint32_t innerFlags = kParamIsPointer | kParamIsHandle;
  uint8_t tableUse = kReads;
  bool callsNative = false, isTableConstant = true, hasList = true;
  /// Set: `main` holds the handle of `listed` in a variable that it passes to
  /// `outer`, that many bytes behind the address.
  std::optional<uint32_t> heldBefore;
  uint32_t outerReach = 8;
  /// `main` stores the handle of `stub` in the table.
  bool isStored = false;
  /// Where it is stored, and `main` reads the 4 bytes of the table from there
  /// on, too; with strides.
  uint32_t storedAt = 0, storedStride = 0, readStride = 0;
  std::optional<uint32_t> readAt;
  /// `main` launches what `picker` returns, the handle of `stub`.
  bool isReturned = false, isResultFollowed = true, isPickerTaken = false;
  uint32_t returnedAt = 0, followedAt = 0; // bytes of the result
  /// `inner` compares the handle with another.
  bool isCompared = false;
  /// What native code can name, too.
  const char *visible = nullptr;
  /// A function that is used, and whether its address is.
  const char *used = nullptr;
  bool isUsedTaken = false;
  std::string unseenCode;

  static JumpFunction of(JumpFunction::Kind kind, uint32_t source) {
    JumpFunction j;
    j.kind = kind;
    j.source = source;
    return j;
  }
  void addParameter(uint32_t flags) {
    ModuleSummary &s = unit.summary();
    ParameterRecord formal;
    formal.flags = flags;
    s.functions.back().parameters = {uint32_t(s.parameters.size()), 1};
    s.parameters.push_back(formal);
  }
  void passes(JumpFunction argument) {
    ModuleSummary &s = unit.summary();
    s.calls.back().arguments = {uint32_t(s.jumpFunctions.size()), 1};
    s.jumpFunctions.push_back(argument);
  }
  void flows(HandleFlow flow) {
    ModuleSummary &s = unit.summary();
    if (s.functions.back().handleFlows.empty())
      s.functions.back().handleFlows.first = uint32_t(s.handleFlows.size());
    s.handleFlows.push_back(flow);
    ++s.functions.back().handleFlows.count;
  }
  void launches(JumpFunction handle) {
    ModuleSummary &s = unit.summary();
    LaunchSite site;
    site.handles = {uint32_t(s.jumpFunctions.size()), 1};
    s.jumpFunctions.push_back(handle);
    s.functions.back().launches = {uint32_t(s.launches.size()), 1};
    s.launches.push_back(site);
  }
  void build() {
    using Kind = JumpFunction::Kind;
    stub = unit.define("stub", kWins, {}, 10, kKernelStub);
    listed = unit.define("listed", kWins, {}, 10, kKernelStub);
    native = unit.declare("native");
    std::vector<SymbolIndex> list;
    if (hasList)
      list.push_back(listed);
    table = unit.variable("table", kWins,
                          isTableConstant ? uint32_t(kConstant) : 0, 0, list);
    inner = unit.define("inner", kWins, {});
    addParameter(innerFlags);
    launches(of(Kind::PassThrough, 0));
    if (isCompared)
      flows({of(Kind::PassThrough, 0), kNone, 0, kNone, HandleTarget::Apart});
    outer = unit.define("outer", kWins, {callsNative ? native : inner});
    addParameter(kParamIsPointer | kParamIsHandle);
    unit.summary().parameters.back().reachBytes = outerReach;
    passes(of(Kind::PassThrough, 0));
    SymbolIndex picker = unit.define("picker", kWins, {});
    flows({of(Kind::SymbolAddress, stub), kNone, returnedAt, kNone,
           HandleTarget::Return});
    unit.define("main", kWins, {picker, outer});
    passes(of(Kind::SymbolAddress, stub));
    JumpFunction result = of(Kind::CallResult, 0);
    result.value = followedAt;
    if (!isReturned)
      unit.summary().calls.end()[-2].flags = kIgnoresResultSite;
    if (isReturned && isResultFollowed)
      flows({result, kNone, 0, kNone, HandleTarget::Followed});
    unit.refer(stub, kPassesHandle);
    unit.refer(table, tableUse);
    if (isPickerTaken)
      unit.refer(picker, kTakesAddress);
    if (isStored)
      flows({of(Kind::SymbolAddress, stub), kNone, storedAt, storedStride,
             HandleTarget::Variable, table});
    if (readAt) {
      JumpFunction read = of(Kind::VariablePart, table);
      read.bitWidth = 32;
      read.value = *readAt;
      flows({read, kNone, 0, readStride, HandleTarget::Beside});
    }
    launches(isReturned ? result : of(Kind::LoadVariable, table));
    if (heldBefore) {
      unit.refer(listed, kPassesHandle);
      flows({of(Kind::SymbolAddress, listed), 1, 0, *heldBefore,
             *heldBefore == kNone ? HandleTarget::Argument
                                  : HandleTarget::Behind});
    }
    if (used) {
      SymbolIndex function = unit.declare(used);
      if (isUsedTaken)
        unit.refer(function, kTakesAddress);
    }
    summary.addModule(unit.take(0));
    ASSERT_FALSE(finish());
    context->native.foreignCode = unseenCode;
    context->decisions.live.resize(summary.symbolCount(), true);
    context->decisions.visibleOutside.resize(summary.symbolCount());
    if (visible)
      context->decisions.visibleOutside.set(host(visible));
    callers = std::make_unique<Callers>(*context);
  }
  std::vector<GlobalId> stubsOf(const char *function) const {
    GlobalId id = host(function);
    auto stubs =
        callers->stubsOf(id, slice(summary.moduleRef(id).summary.launches,
                                   summary.function(id)->launches)
                                 .front());
    return {stubs.begin(), stubs.end()};
  }
  bool isKnown(const char *function) const {
    return callers->unknown(host(function)) == UnknownCaller::None;
  }
  std::unique_ptr<Callers> callers;
};

TEST(Handles, FlowThroughParametersAndTables) {
  HandleProgram program;
  program.build();
  EXPECT_EQ(program.stubsOf("inner"),
            std::vector<GlobalId>{program.host("stub")});
  EXPECT_EQ(program.stubsOf("main"),
            std::vector<GlobalId>{program.host("listed")});
  EXPECT_TRUE(program.isKnown("stub"));
  EXPECT_TRUE(program.isKnown("listed"));
}

TEST(Handles, AreLostInCodeThatNobodySees) {
  HandleProgram program;
  program.callsNative = true;
  program.build();
  EXPECT_FALSE(program.isKnown("stub"));
  EXPECT_TRUE(program.isKnown("listed"));
}

/// Whether the launch by `main` of a handle in a table, which has another, may
/// be one of `stub`, whose handle is lost.
bool mayLaunchLost(const char *used, bool isTaken, std::string unseenCode) {
  HandleProgram program;
  program.callsNative = true;
  program.used = used;
  program.isUsedTaken = isTaken;
  program.unseenCode = std::move(unseenCode);
  program.build();
  std::vector<GlobalId> stubs = program.stubsOf("main");
  EXPECT_TRUE(llvm::is_contained(stubs, program.host("listed")));
  EXPECT_FALSE(program.isKnown("stub")); // who calls it, its address taken
  return llvm::is_contained(stubs, program.host("stub"));
}

TEST(Handles, ThatAreLostAreLaunchedWhereOneIsNotKnown) {
  EXPECT_TRUE(mayLaunchLost(nullptr, false, ""));
  EXPECT_TRUE(mayLaunchLost("cudaMalloc", true, ""));
  EXPECT_TRUE(mayLaunchLost("cudaLaunchKernel", false, ""));
  EXPECT_TRUE(mayLaunchLost("cublasSgemm_v2", true, ""));
  EXPECT_TRUE(mayLaunchLost("printf", true, ""));
}

TEST(Handles, ThatAreLostMayBeLaunchedByUnseenCode) {
  EXPECT_FALSE(mayLaunchLost(nullptr, false, "native.o is native code"));
  EXPECT_FALSE(mayLaunchLost("dlopen", true, ""));
  EXPECT_FALSE(mayLaunchLost("cudaLaunchKernel", true, ""));
  EXPECT_FALSE(mayLaunchLost("__cudaPushCallConfiguration", true, ""));
  EXPECT_FALSE(mayLaunchLost("cudaGraphAddKernelNode", false, ""));
  EXPECT_FALSE(mayLaunchLost("cudaGetFuncBySymbol", false, ""));
  EXPECT_FALSE(mayLaunchLost("cuModuleGetFunction", false, ""));
  EXPECT_FALSE(mayLaunchLost("cudaFunctionOfTheNextRelease", false, ""));
}

TEST(Handles, AreLostInParametersThatAreKept) {
  HandleProgram program;
  program.innerFlags = kParamIsPointer;
  program.build();
  EXPECT_FALSE(program.isKnown("stub"));
  EXPECT_TRUE(program.stubsOf("inner").empty() || !program.isKnown("stub"));
}

TEST(Handles, AreLostInTablesThatAreReadOtherwise) {
  HandleProgram program;
  program.tableUse = kReads | kReadsValue;
  program.build();
  EXPECT_TRUE(program.isKnown("stub"));
  EXPECT_FALSE(program.isKnown("listed"));
}

TEST(Handles, FlowThroughVariables) {
  HandleProgram program;
  program.isTableConstant = false;
  program.tableUse = kReads | kWrites | kWritesUnknown;
  program.isStored = true;
  program.build();
  std::vector<GlobalId> both{program.host("stub"), program.host("listed")};
  llvm::sort(both);
  EXPECT_EQ(program.stubsOf("main"), both);
  EXPECT_TRUE(program.isKnown("listed"));
  EXPECT_TRUE(program.isKnown("stub"));
}

TEST(Handles, AreLostInVariablesWhoseAddressIsTaken) {
  HandleProgram program;
  program.isTableConstant = false;
  program.tableUse = kReads | kTakesAddress;
  program.isStored = true;
  program.build();
  EXPECT_FALSE(program.isKnown("listed"));
  EXPECT_FALSE(program.isKnown("stub"));
}

TEST(Handles, AreLostInVariablesThatNativeCodeNames) {
  HandleProgram program;
  program.isTableConstant = false;
  program.isStored = true;
  program.visible = "table";
  program.build();
  EXPECT_FALSE(program.isKnown("listed"));
  EXPECT_FALSE(program.isKnown("stub"));
}

TEST(Handles, AreLostInTablesThatAreReadWithThem) {
  auto isKnown = [](uint32_t stored, uint32_t storedStride, uint32_t read,
                    uint32_t readStride) {
    HandleProgram program;
    program.isStored = true;
    program.hasList = false;
    program.storedAt = stored;
    program.storedStride = storedStride;
    program.readAt = read;
    program.readStride = readStride;
    program.build();
    return program.isKnown("stub");
  };
  EXPECT_TRUE(isKnown(0, 0, 8, 0));
  EXPECT_TRUE(isKnown(8, 0, 4, 0));
  EXPECT_FALSE(isKnown(8, 0, 5, 0));
  EXPECT_FALSE(isKnown(0, 0, 7, 0));
  EXPECT_TRUE(isKnown(0, 16, 8, 16));
  EXPECT_TRUE(isKnown(0, 16, 12, 16));
  EXPECT_FALSE(isKnown(0, 16, 13, 16));
  EXPECT_TRUE(isKnown(0, 16, 8, 32));
  EXPECT_FALSE(isKnown(0, 16, 8, 24));
  EXPECT_TRUE(isKnown(32, 0, 8, 16));
  EXPECT_FALSE(isKnown(32, 0, 4, 16));
  EXPECT_FALSE(isKnown(0, 0, 12, 1));
}

TEST(Handles, AreAnywhereInTablesOfUnknownContents) {
  HandleProgram program;
  program.readAt = 8;
  program.build();
  EXPECT_FALSE(program.isKnown("listed"));
}

TEST(Handles, FlowThroughResults) {
  HandleProgram program;
  program.isReturned = true;
  program.build();
  EXPECT_EQ(program.stubsOf("main"),
            std::vector<GlobalId>{program.host("stub")});
  EXPECT_TRUE(program.isKnown("stub"));
}

TEST(Handles, AreLostInResultsThatAreNotFollowed) {
  HandleProgram program;
  program.isReturned = true;
  program.isResultFollowed = false;
  program.build();
  EXPECT_FALSE(program.isKnown("stub"));
}

TEST(Handles, AreLostInResultsThatNativeCodeGets) {
  HandleProgram program;
  program.isReturned = true;
  program.visible = "picker";
  program.build();
  EXPECT_FALSE(program.isKnown("stub"));
}

TEST(Handles, AreLostInResultsOfFunctionsWhoseAddressIsTaken) {
  HandleProgram program;
  program.isReturned = true;
  program.isPickerTaken = true;
  program.build();
  EXPECT_FALSE(program.isKnown("stub"));
}

TEST(Handles, FlowToArgumentsThatMayBeSeveral) {
  HandleProgram program;
  program.heldBefore = kNone;
  program.build();
  std::vector<GlobalId> both{program.host("stub"), program.host("listed")};
  llvm::sort(both);
  EXPECT_EQ(program.stubsOf("inner"), both);
  EXPECT_TRUE(program.isKnown("listed"));
}

TEST(Handles, StayInVariablesWhereCalleesDoNotLook) {
  HandleProgram program;
  program.heldBefore = 8;
  program.build();
  EXPECT_TRUE(program.isKnown("listed"));
  EXPECT_EQ(program.stubsOf("inner"),
            std::vector<GlobalId>{program.host("stub")});
}

TEST(Handles, AreLostInVariablesThatCalleesTouch) {
  HandleProgram program;
  program.heldBefore = 7;
  program.build();
  EXPECT_FALSE(program.isKnown("listed"));
}

TEST(Handles, AreLostInVariablesThatCalleesKeep) {
  HandleProgram program;
  program.heldBefore = 8;
  program.outerReach = kNone;
  program.build();
  EXPECT_FALSE(program.isKnown("listed"));
}

TEST(Handles, AttributesThroughParametersCount) {
  HandleProgram program;
  program.innerFlags |= kParamHandleQueried;
  program.build();
  EXPECT_TRUE(program.isKnown("stub"));
  EXPECT_TRUE(program.callers->isQueried(program.host("stub")));
  EXPECT_TRUE(program.callers->isAttributed(program.host("stub")));
  EXPECT_FALSE(program.callers->isQueried(program.host("listed")));
}

TEST(Handles, AreToldApartWhereParametersCompareThem) {
  HandleProgram program;
  program.isCompared = true;
  program.build();
  EXPECT_TRUE(program.isKnown("stub"));
  EXPECT_EQ(program.stubsOf("inner"),
            std::vector<GlobalId>{program.host("stub")});
  EXPECT_TRUE(program.callers->isToldApart(program.host("stub")));
  EXPECT_FALSE(program.callers->isToldApart(program.host("listed")));
}

/// `main` has memory 0, that it passes to `fill`, which stores the handle of
/// `stub` at byte 8 of what it gets, and to `run`, which launches it from
/// there.
struct MemoryProgram : HandleProgram {
  SymbolIndex fill, run, caller;
  /// Bytes that `run` reads as something else.
  std::optional<uint32_t> besideAt;
  bool isRunTold = true, isFillPassed = true, isFillTaken = false;
  bool isByValue = false, isMainTold = true;
  uint32_t runReach = kNone, passedAt = 0;

  static JumpFunction memory(uint32_t byte, uint16_t bits = 0) {
    JumpFunction j = of(JumpFunction::Kind::Memory, 0);
    j.value = byte;
    j.bitWidth = bits;
    return j;
  }
  void tell() { flows({memory(0), kNone, 0, kNone, HandleTarget::Followed}); }
  void build() {
    stub = unit.define("stub", kWins, {}, 10, kKernelStub);
    fill = unit.define("fill", kWins, {});
    addParameter(kParamIsPointer | (isByValue ? kParamByVal : 0));
    flows({of(JumpFunction::Kind::SymbolAddress, stub), kNone, 0, 8,
           HandleTarget::Into});
    tell();
    unit.refer(stub, kPassesHandle);
    run = unit.define("run", kWins, {});
    addParameter(kParamIsPointer);
    unit.summary().parameters.back().reachBytes = runReach;
    launches(memory(8 - passedAt));
    if (besideAt)
      flows({memory(*besideAt, 32), kNone, 0, 0, HandleTarget::Beside});
    if (isRunTold)
      tell();
    caller = unit.define("main", kWins, {fill, run});
    if (isFillPassed)
      flows({memory(0), 0, 0, kNone, HandleTarget::Passed});
    flows({memory(passedAt), 1, 0, kNone, HandleTarget::Passed});
    if (isMainTold)
      tell();
    if (isFillTaken)
      unit.refer(fill, kTakesAddress);
    summary.addModule(unit.take(0));
    ASSERT_FALSE(finish());
    context->decisions.live.resize(summary.symbolCount(), true);
    context->decisions.visibleOutside.resize(summary.symbolCount());
    if (visible)
      context->decisions.visibleOutside.set(host(visible));
    callers = std::make_unique<Callers>(*context);
  }
};

TEST(Handles, FlowThroughMemory) {
  MemoryProgram program;
  program.besideAt = 4;
  program.build();
  EXPECT_TRUE(program.isKnown("stub"));
  EXPECT_EQ(program.stubsOf("run"),
            std::vector<GlobalId>{program.host("stub")});
}

TEST(Handles, FlowThroughPartsOfMemory) {
  MemoryProgram program;
  program.passedAt = 8;
  program.build();
  EXPECT_TRUE(program.isKnown("stub"));
  EXPECT_EQ(program.stubsOf("run"),
            std::vector<GlobalId>{program.host("stub")});
}

TEST(Handles, AreLostInMemoryThatIsReadOtherwise) {
  MemoryProgram program;
  program.besideAt = 12;
  program.build();
  EXPECT_FALSE(program.isKnown("stub"));
}

TEST(Handles, AreLostInMemoryThatCalleesKeep) {
  MemoryProgram program;
  program.isRunTold = false;
  program.build();
  EXPECT_FALSE(program.isKnown("stub"));
}

TEST(Handles, StayInMemoryWhereCalleesDoNotLook) {
  MemoryProgram program;
  program.isRunTold = false;
  program.runReach = 8;
  program.build();
  EXPECT_TRUE(program.isKnown("stub"));
  MemoryProgram further;
  further.isRunTold = false;
  further.runReach = 9;
  further.build();
  EXPECT_FALSE(further.isKnown("stub"));
}

TEST(Handles, AreLostInFrontOfWhereCalleesLook) {
  auto isKnown = [](uint32_t passedAt, uint32_t reach) {
    MemoryProgram program;
    program.passedAt = passedAt;
    program.isRunTold = false;
    program.runReach = reach;
    program.build();
    return program.isKnown("stub");
  };
  EXPECT_TRUE(isKnown(16, 64));
  EXPECT_FALSE(isKnown(16, kNone));
}

TEST(Handles, AreLostInMemoryOfCallersThatTellNothing) {
  MemoryProgram program;
  program.isMainTold = false;
  program.build();
  EXPECT_FALSE(program.isKnown("stub"));
  MemoryProgram other;
  other.isFillPassed = false;
  other.build();
  EXPECT_FALSE(other.isKnown("stub"));
}

TEST(Handles, AreLostInMemoryOfCallersThatNobodySees) {
  MemoryProgram program;
  program.visible = "fill";
  program.build();
  EXPECT_FALSE(program.isKnown("stub"));
  MemoryProgram taken;
  taken.isFillTaken = true;
  taken.build();
  EXPECT_FALSE(taken.isKnown("stub"));
}

TEST(Handles, StayInCopies) {
  MemoryProgram program;
  program.isByValue = true;
  program.besideAt = 8;
  program.build();
  EXPECT_TRUE(program.isKnown("stub"));
  EXPECT_TRUE(program.stubsOf("run").empty());
}

TEST(Handles, FlowThroughFieldsOfResults) {
  auto isKnown = [](uint32_t returned, uint32_t followed) {
    HandleProgram program;
    program.isReturned = true;
    program.returnedAt = returned;
    program.followedAt = followed;
    program.build();
    return program.isKnown("stub") && !program.stubsOf("main").empty();
  };
  EXPECT_TRUE(isKnown(8, 8));
  EXPECT_FALSE(isKnown(8, 0));
  EXPECT_FALSE(isKnown(0, 8));
}

} // namespace
