//===- ColdnessTest.cpp - What runs seldom --------------------------------===//
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
    propagateColdness(*context, Callers(*context));
  }
  Coldness of(llvm::StringRef name) const {
    return context->decisions.coldnessOf(host(name));
  }
};

/// Gives the last calls, as many as there are \p flags, those.
void setCalls(ModuleBuilder &module, std::vector<uint32_t> flags) {
  std::vector<CallEdge> &calls = module.summary().calls;
  for (size_t i = 0; i < flags.size(); ++i)
    calls[calls.size() - flags.size() + i].flags = flags[i];
}

TEST(Coldness, CalleesOfColdCallsAreCold) {
  ModuleBuilder module;
  SymbolIndex deep = module.define("deep", kOurs, {});
  SymbolIndex fail = module.define("fail", kOurs, {deep, deep});
  SymbolIndex busy = module.define("busy", kOurs, {fail});
  setCalls(module, {kColdSite});
  SymbolIndex main = module.define("caller", kOurs, {fail, busy});
  setCalls(module, {kColdSite, 0});
  Program program(module, {main});
  EXPECT_EQ(program.of("fail"), Coldness::Cold);
  EXPECT_EQ(program.of("deep"), Coldness::Cold);
  EXPECT_EQ(program.of("busy"), Coldness::Normal);
  EXPECT_EQ(program.of("caller"), Coldness::Normal);
}

TEST(Coldness, OneWarmCallIsEnough) {
  ModuleBuilder module;
  SymbolIndex deep = module.define("deep", kOurs, {});
  SymbolIndex fail = module.define("fail", kOurs, {deep});
  SymbolIndex main = module.define("caller", kOurs, {fail, fail});
  setCalls(module, {kColdSite, 0});
  Program program(module, {main});
  EXPECT_EQ(program.of("fail"), Coldness::Normal);
  EXPECT_EQ(program.of("deep"), Coldness::Normal);
}

TEST(Coldness, RecursionIsColdIfItIsEnteredSo) {
  for (uint32_t entry : {uint32_t(kColdSite), uint32_t(0)}) {
    ModuleBuilder module;
    SymbolIndex even = module.define("even", kOurs, {1});
    SymbolIndex odd = module.define("odd", kOurs, {even});
    SymbolIndex main = module.define("caller", kOurs, {odd});
    setCalls(module, {entry});
    Program program(module, {main});
    Coldness expected = entry ? Coldness::Cold : Coldness::Normal;
    EXPECT_EQ(program.of("even"), expected);
    EXPECT_EQ(program.of("odd"), expected);
  }
}

TEST(Coldness, CallersThatNobodySeesAreWarm) {
  ModuleBuilder module;
  SymbolIndex visible = module.define("visible", kOurs, {});
  SymbolIndex taken = module.define("taken", kOurs, {});
  SymbolIndex hot = module.define("hot", kOurs, {});
  module.summary().functions.back().flags |= kHot;
  SymbolIndex replaceable = module.define("replaceable", kPrevailing, {});
  SymbolIndex marked = module.define("marked", kOurs, {});
  module.summary().functions.back().flags |= kCold;
  module.define("lonely", kOurs, {});
  SymbolIndex main = module.define("caller", kOurs,
                                   {visible, taken, hot, replaceable, marked});
  setCalls(module, {kColdSite, kColdSite, kColdSite, kColdSite, 0});
  module.refer(taken, kTakesAddress);
  Program program(module, {main, visible, marked});
  for (const char *name : {"visible", "taken", "hot", "replaceable", "lonely"})
    EXPECT_EQ(program.of(name), Coldness::Normal) << name;
  EXPECT_EQ(program.of("marked"), Coldness::Cold); // its source says so
}

TEST(Coldness, LevelsAndProfilesAreLeftAlone) {
  auto decide = [](auto change) {
    ModuleBuilder module;
    SymbolIndex fail = module.define("fail", kOurs, {});
    SymbolIndex main = module.define("caller", kOurs, {fail});
    setCalls(module, {kColdSite});
    change(module.summary());
    return Program(module, {main}).of("fail");
  };
  EXPECT_EQ(decide([](ModuleSummary &) {}), Coldness::Cold);
  EXPECT_EQ(decide([](ModuleSummary &summary) { summary.optLevel = 0; }),
            Coldness::Normal);
  EXPECT_EQ(
      decide([](ModuleSummary &summary) { summary.flags |= kHasProfile; }),
      Coldness::Normal);
  EXPECT_EQ(decide([](ModuleSummary &summary) {
              summary.functions[0].flags |= kOptNone;
            }),
            Coldness::Normal);
}

/// A constructor that calls init, and what flags its call and functions have.
Coldness ofInit(uint32_t site, uint32_t initFlags, uint32_t calleeFlags) {
  ModuleBuilder module;
  SymbolIndex callee = module.define("callee", kOurs, {});
  module.summary().functions.back().flags |= calleeFlags;
  SymbolIndex init = module.define("init", kOurs, {callee});
  module.summary().functions.back().flags |= initFlags;
  SymbolIndex start = module.define("start", kOurs, {init});
  setCalls(module, {site});
  module.summary().structors.push_back({65535, start, kNone, false});
  return Program(module).of("init");
}

TEST(Coldness, WhatStartUpCodeCallsRunsOnce) {
  EXPECT_EQ(ofInit(0, 0, 0), Coldness::RunsOnce);
  EXPECT_EQ(ofInit(kLoopSite, 0, 0), Coldness::Normal);
  // A loop is not optimized for size, wherever the inliner takes it.
  EXPECT_EQ(ofInit(0, kHasLoop, 0), Coldness::Normal);
  EXPECT_EQ(ofInit(0, 0, kHasLoop), Coldness::Normal);
  EXPECT_EQ(ofInit(0, kHasIndirectCall, 0), Coldness::Normal);
}

TEST(Coldness, WhatRecursesRunsMoreThanOnce) {
  ModuleBuilder module;
  SymbolIndex callee = module.define("callee", kOurs, {});
  SymbolIndex again = module.define("again", kOurs, {callee, 1});
  SymbolIndex start = module.define("start", kOurs, {again});
  module.summary().structors.push_back({65535, start, kNone, false});
  Program program(module);
  EXPECT_EQ(program.of("again"), Coldness::Normal);
  EXPECT_EQ(program.of("callee"), Coldness::Normal);
}

} // namespace
