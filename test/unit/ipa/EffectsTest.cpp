//===- EffectsTest.cpp - Effects over the call graph
//-----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "gtest/gtest.h"
#include "ipa/bodies/Passes.h"
#include "ipa/callers/Callers.h"
#include "summary/ModuleSummary.h"
#include "test/unit/ProgramBuilder.h"

using namespace gpulto;

namespace {

constexpr uint8_t kOurs = kPrevailing | kFinalDefinition;

/// Decides for one module of host code.
struct Program : TestProgram {
  explicit Program(ModuleBuilder &module,
                   std::vector<SymbolIndex> visible = {}) {
    finishWith(module, visible);
    propagateEffects(*context, Callers(*context));
  }
  const FunctionEffects *effects(llvm::StringRef name) const {
    return context->decisions.effectsOf(host(name));
  }
};

void setOwn(ModuleBuilder &module, uint32_t effects, uint32_t flags = 0) {
  module.summary().functions.back().memoryEffects = effects;
  module.summary().functions.back().flags |= flags;
}

/// Gives the last function pointer parameters with \p flags.
void setParameters(ModuleBuilder &module, std::vector<uint32_t> flags) {
  ModuleSummary &summary = module.summary();
  summary.functions.back().parameters = {uint32_t(summary.parameters.size()),
                                         uint32_t(flags.size())};
  for (uint32_t flag : flags) {
    ParameterRecord record;
    record.flags = flag | kParamIsPointer;
    summary.parameters.push_back(record);
  }
}

/// Lets the last call pass \p arguments.
void setArguments(ModuleBuilder &module, std::vector<JumpFunction> arguments) {
  ModuleSummary &summary = module.summary();
  summary.calls.back().arguments = {uint32_t(summary.jumpFunctions.size()),
                                    uint32_t(arguments.size())};
  for (const JumpFunction &argument : arguments)
    summary.jumpFunctions.push_back(argument);
}

TEST(ModRef, CallersHaveTheEffectsOfTheirCallees) {
  ModuleBuilder module;
  SymbolIndex leaf = module.define("leaf", kOurs, {});
  setOwn(module, kReadsGlobals | kFrees);
  module.refer(module.variable("v", kOurs));
  module.define("middle", kOurs, {leaf});
  Program program(module, {1});
  EXPECT_EQ(program.effects("middle")->may, kReadsGlobals | kFrees);
  EXPECT_TRUE(program.effects("middle")->alwaysReturns);
}

TEST(ModRef, WhatNobodyReadsIsWrittenWithoutEffect) {
  auto writes = [](uint8_t use, uint8_t other, std::vector<SymbolIndex> seen) {
    ModuleBuilder module;
    SymbolIndex last = module.variable("last", kOurs);
    SymbolIndex count = module.variable("count", kOurs);
    module.define("note", kOurs, {});
    setOwn(module, kWritesGlobals);
    module.refer(last, use);
    module.refer(count, other);
    Program program(module, seen);
    return (program.effects("note")->may & kWritesGlobals) != 0;
  };
  EXPECT_FALSE(writes(kWrites, kWrites, {}));
  EXPECT_FALSE(writes(kWrites, kReads, {}));
  EXPECT_TRUE(writes(kReads | kWrites, kReads, {}));
  EXPECT_TRUE(writes(kWrites, kReads | kWrites, {}));
  EXPECT_TRUE(writes(kWrites, kTakesAddress, {}));
  EXPECT_TRUE(writes(kWrites, 0, {}));
  EXPECT_TRUE(writes(kWrites, kWrites, {0})); // native code may read it
}

TEST(ModRef, UnknownCalleesDoEverything) {
  ModuleBuilder module;
  SymbolIndex native = module.declare("native");
  SymbolIndex weak = module.define("replaceable", kPrevailing, {});
  module.define("callsNative", kOurs, {native});
  module.define("callsWeak", kOurs, {weak});
  module.define("callsPointer", kOurs, {kNone});
  Program program(module);
  EXPECT_EQ(program.effects("replaceable"), nullptr);
  for (const char *name : {"callsNative", "callsWeak", "callsPointer"}) {
    const FunctionEffects &effects = *program.effects(name);
    EXPECT_TRUE(effects.may & kWritesOther);
    EXPECT_TRUE(effects.may & kUnwinds);
    EXPECT_TRUE(effects.may & kFrees);
    EXPECT_TRUE(effects.may & kSynchronizes);
    EXPECT_FALSE(effects.alwaysReturns);
  }
}

TEST(ModRef, AttributesOfCallsNarrow) {
  ModuleBuilder module;
  SymbolIndex native = module.declare("native");
  module.define("f", kOurs, {native});
  module.summary().calls.back().flags = kNoUnwindSite | kWillReturnSite |
                                        kNoSyncSite | kNoFreeSite |
                                        kKnownMemorySite;
  Program program(module);
  EXPECT_EQ(program.effects("f")->may, 0);
  EXPECT_TRUE(program.effects("f")->alwaysReturns);
}

TEST(ModRef, RecursionIsNoProofOfReturning) {
  ModuleBuilder module;
  constexpr SymbolIndex kEven = 0, kOdd = 1;
  ASSERT_EQ(module.define("even", kOurs, {kOdd}), kEven);
  ASSERT_EQ(module.define("odd", kOurs, {kEven}), kOdd);
  Program program(module);
  for (const char *name : {"even", "odd"}) {
    EXPECT_FALSE(program.effects(name)->alwaysReturns);
    EXPECT_EQ(program.effects(name)->may, 0);
  }
}

TEST(ModRef, LoopsMustProgressOrEnd) {
  ModuleBuilder module;
  module.define("reads", kOurs, {});
  setOwn(module, kMayNotReturn | kMustProgress | kReadsOther);
  module.define("writes", kOurs, {});
  setOwn(module, kMayNotReturn | kMustProgress | kWritesArguments);
  module.define("waits", kOurs, {});
  setOwn(module, kMayNotReturn | kMustProgress | kSynchronizes);
  SymbolIndex spins = module.define("spins", kOurs, {});
  setOwn(module, kMayNotReturn);
  module.define("callsSpins", kOurs, {spins});
  setOwn(module, kMustProgress);
  Program program(module);
  EXPECT_TRUE(program.effects("reads")->alwaysReturns);
  EXPECT_FALSE(program.effects("writes")->alwaysReturns);
  EXPECT_FALSE(program.effects("waits")->alwaysReturns);
  EXPECT_FALSE(program.effects("spins")->alwaysReturns);
  EXPECT_FALSE(program.effects("callsSpins")->alwaysReturns);
  // What other threads wrote becomes visible.
  EXPECT_TRUE(program.effects("waits")->may & kWritesOther);
}

TEST(ModRef, CallsThatAlwaysRunAndNeverReturn) {
  ModuleBuilder module;
  SymbolIndex die = module.define("die", kOurs, {});
  setOwn(module, 0, kNoReturn);
  module.define("fails", kOurs, {die});
  module.summary().calls.back().flags = kAlwaysReachedSite;
  module.define("mayFail", kOurs, {die});
  module.define("catches", kOurs, {die});
  module.summary().calls.back().flags = kAlwaysReachedSite | kInvoke;
  Program program(module);
  EXPECT_TRUE(program.effects("fails")->neverReturns);
  EXPECT_FALSE(program.effects("mayFail")->neverReturns);
  EXPECT_FALSE(program.effects("catches")->neverReturns);
}

TEST(ModRef, CatchingStopsUnwinding) {
  ModuleBuilder module;
  SymbolIndex thrower = module.define("thrower", kOurs, {});
  setOwn(module, kUnwinds);
  module.define("passes", kOurs, {thrower});
  module.define("catches", kOurs, {thrower});
  module.summary().calls.back().flags = kInvoke;
  Program program(module);
  EXPECT_TRUE(program.effects("passes")->may & kUnwinds);
  EXPECT_FALSE(program.effects("catches")->may & kUnwinds);
}

TEST(ModRef, MemoryOfArgumentsIsWhatIsPassed) {
  ModuleBuilder module;
  SymbolIndex leaf = module.define("leaf", kOurs, {});
  setOwn(module, kReadsArguments | kWritesArguments);
  setParameters(module, {kParamMayRead, kParamMayWrite});
  auto caller = [&](const char *name, std::vector<JumpFunction> actuals) {
    module.define(name, kOurs, {leaf});
    setArguments(module, std::move(actuals));
    setParameters(module, {0, 0});
  };
  JumpFunction null, local;
  null.kind = JumpFunction::Kind::Null;
  local.kind = JumpFunction::Kind::Aggregate;
  local.value = 1; // the number of a variable
  caller("hands", {JumpFunction::passThrough(1, 0), null});
  caller("owns", {local, local});
  caller("loads", {null, JumpFunction()});
  Program program(module);
  EXPECT_EQ(program.effects("hands")->may, kReadsArguments);
  EXPECT_EQ(program.effects("hands")->parameters,
            (std::vector<uint32_t>{0, kParamMayRead}));
  EXPECT_EQ(program.effects("owns")->may, 0);
  EXPECT_EQ(program.effects("loads")->may, kWritesOther);
}

TEST(ModRef, ParametersHandedToUnknownCode) {
  ModuleBuilder module;
  SymbolIndex native = module.declare("native");
  module.define("gives", kOurs, {native});
  setArguments(module, {JumpFunction::passThrough(0, 0)});
  setParameters(module, {0});
  module.define("lends", kOurs, {native});
  setArguments(module, {JumpFunction::passThrough(0, 0)});
  setParameters(module, {0});
  module.summary().calls.back().flags = kReadsArgumentsSite;
  Program program(module);
  EXPECT_EQ(program.effects("gives")->parameters[0],
            kParamMayRead | kParamMayWrite | kParamMayEscape |
                kParamMayCompare);
  EXPECT_EQ(program.effects("lends")->parameters[0], kParamMayRead);
}

TEST(ModRef, ReadingWhatNobodyWritesIsNoEffect) {
  ModuleBuilder module;
  SymbolIndex table = module.variable("table", kOurs);
  SymbolIndex counter = module.variable("counter", kOurs);
  module.define("fixed", kOurs, {});
  setOwn(module, kReadsGlobals);
  module.refer(table);
  module.define("varies", kOurs, {});
  setOwn(module, kReadsGlobals | kWritesGlobals);
  module.refer(counter, kReads | kWrites);
  Program program(module);
  EXPECT_EQ(program.effects("fixed")->may, 0);
  EXPECT_EQ(program.effects("varies")->may, kReadsGlobals | kWritesGlobals);
}

TEST(ModRef, VariablesAndWhatForbidsConclusions) {
  ModuleBuilder module;
  SymbolIndex read = module.variable("read", kOurs);
  SymbolIndex written = module.variable("written", kOurs);
  SymbolIndex both = module.variable("both", kOurs);
  SymbolIndex taken = module.variable("taken", kOurs);
  SymbolIndex compared = module.variable("compared", kOurs);
  SymbolIndex visible = module.variable("visible", kOurs);
  SymbolIndex local = module.variable("threadLocal", kOurs, kThreadLocal);
  SymbolIndex placed = module.variable("placed", kOurs, kHasSection);
  SymbolIndex shadow = module.variable("shadow", kOurs);
  SymbolIndex pointed = module.variable("pointed", kOurs);
  module.variable("pointer", kOurs, 0, 0, {pointed});
  module.offload(shadow, "device", OffloadEntry::Kind::Variable);
  module.define("f", kOurs, {});
  for (SymbolIndex symbol :
       {read, both, visible, local, placed, shadow, pointed})
    module.refer(symbol, kReads);
  module.refer(written, kWrites);
  module.refer(both, kWrites);
  module.refer(taken, kTakesAddress);
  module.refer(compared, kWrites);
  module.refer(compared, 0);
  Program program(module, {visible});
  const Decisions &decisions = program.context->decisions;
  EXPECT_TRUE(decisions.isNeverWritten(read));
  EXPECT_TRUE(decisions.isNeverRead(written));
  for (SymbolIndex symbol :
       {both, taken, visible, local, placed, shadow, pointed})
    EXPECT_FALSE(decisions.isNeverWritten(symbol)) << symbol;
  for (SymbolIndex symbol : {read, both, taken, compared, visible})
    EXPECT_FALSE(decisions.isNeverRead(symbol)) << symbol;
}

TEST(ModRef, KernelsAndDeviceVariables) {
  ModuleBuilder module(Side::Device, "sm_90");
  SymbolIndex table = module.variable("table", 0, 0, 1);
  SymbolIndex shared = module.variable("shared", 0, 0, 3);
  SymbolIndex helper = module.define("helper", 0, {});
  module.refer(table, kReads);
  module.refer(shared, kReads);
  module.define("kernel", 0, {helper}, 10, kKernel);
  module.refer(table, kWrites);
  Program program(module);
  const FunctionEffects *effects =
      program.context->decisions.effectsOf(program.device("kernel"));
  ASSERT_TRUE(effects);
  ASSERT_EQ(effects->variables.size(), 1u);
  EXPECT_EQ(effects->variables[0].variable, program.device("table"));
  EXPECT_EQ(effects->variables[0].flags, kReads | kWrites);
}

} // namespace
