// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ipa/inlining/Inlining.h"

#include "gtest/gtest.h"
#include "ipa/symbols/Visibility.h"
#include "summary/ModuleSummary.h"
#include "test/unit/ProgramBuilder.h"

#include "llvm/ADT/STLExtras.h"

#include <functional>
#include <map>

using namespace gpulto;

namespace {

constexpr uint8_t kWins = kResolved | kPrevailing | kFinalDefinition;
constexpr uint8_t kRoot = kWins | kVisibleToRegular;

/// A program of modules that call each other by names.
struct InlineProgram : TestProgram {
  struct Function {
    llvm::StringRef name;
    uint32_t instructions = 10;
    std::vector<llvm::StringRef> callees = {};
    uint8_t resolution = kRoot; ///< kWins: nobody else may call it
  };
  using Change = std::function<void(ModuleSummary &)>;

  /// Adds a module of \p functions; \p change may edit it.
  void add(std::vector<Function> functions, const Change &change = {}) {
    ModuleBuilder module;
    std::map<llvm::StringRef, SymbolIndex> symbols;
    // Callees that are defined here must have been named before.
    for (const Function &function : functions)
      for (llvm::StringRef callee : function.callees)
        if (llvm::none_of(functions,
                          [&](const auto &f) { return f.name == callee; }))
          symbols.try_emplace(callee, 0);
    for (auto &[name, index] : symbols)
      index = module.declare(name, kResolved);
    for (const Function &function : functions) {
      std::vector<SymbolIndex> callees;
      for (llvm::StringRef callee : function.callees)
        callees.push_back(symbols.at(callee));
      symbols[function.name] = module.define(function.name, function.resolution,
                                             callees, function.instructions);
    }
    if (change)
      change(module.summary());
    summary.addModule(module.take(modules++));
  }

  void decide() {
    EXPECT_FALSE(finish());
    EXPECT_FALSE(findVisible(*context));
    chooseInlining(*context, Callers(*context));
  }

  /// Returns whether call \p number of \p caller is to be inlined.
  bool isInlined(llvm::StringRef caller, uint32_t number = 0) const {
    return llvm::any_of(
        context->decisions.inlinedCallsOf(host(caller)),
        [&](const InlinedCall &call) { return call.call == number; });
  }

  uint32_t modules = 0;
};

TEST(Inlining, WhatIsSmallIsInlined) {
  InlineProgram program;
  uint32_t limit = program.params.inlineInstructions;
  program.add({{"main", 50, {"small", "large"}}});
  // The call and the return go.
  program.add({{"small", limit + 2}, {"large", limit + 3}});
  program.decide();
  EXPECT_TRUE(program.isInlined("main", 0));
  EXPECT_FALSE(program.isInlined("main", 1));
  EXPECT_TRUE(program.context->decisions.isInlined(program.host("small")));
  EXPECT_FALSE(program.context->decisions.isInlined(program.host("large")));
}

TEST(Inlining, ACalleeHasTheSizeThatItWillHave) {
  for (bool isFull : {false, true}) {
    InlineProgram program;
    uint32_t limit = program.params.inlineInstructions;
    program.add({{"main", 50, {"middle"}}});
    program.add({{"middle", limit - 50, {"leaf"}}});
    program.add({{"leaf", isFull ? 60u : 40u}});
    program.decide();
    EXPECT_TRUE(program.isInlined("middle"));
    EXPECT_EQ(program.isInlined("main"), !isFull);
  }
}

TEST(Inlining, WhatHasOneUseIsInlinedWhateverItsSize) {
  for (uint8_t resolution : {kWins, kRoot})
    for (bool isCalledTwice : {false, true}) {
      InlineProgram program;
      program.add({{"main", 50, {"only"}}});
      program.add({{"only", 2000, {}, resolution}});
      if (isCalledTwice)
        program.add({{"other", 50, {"only"}}});
      program.decide();
      EXPECT_EQ(program.isInlined("main"),
                resolution == kWins && !isCalledTwice);
    }
}

TEST(Inlining, AFunctionDoesNotGrowBeyondItsLimit) {
  InlineProgram program;
  ASSERT_FALSE(program.params.set("inlineLargeFunctionInstructions=100"));
  program.add({{"main", 100, {"rare", "often", "only"}}},
              [](ModuleSummary &module) { module.calls[1].frequency = 2560; });
  program.add({{"rare", 62}, {"often", 62}, {"only", 60, {}, kWins}});
  program.decide();
  // The only use comes first, since the program gets smaller.
  EXPECT_TRUE(program.isInlined("main", 2));
  EXPECT_FALSE(program.isInlined("main", 0));
  EXPECT_FALSE(program.isInlined("main", 1));

  InlineProgram other;
  ASSERT_FALSE(other.params.set("inlineLargeFunctionInstructions=100"));
  other.add({{"main", 100, {"rare", "often"}}},
            [](ModuleSummary &module) { module.calls[1].frequency = 2560; });
  other.add({{"rare", 62}, {"often", 62}});
  other.decide();
  EXPECT_TRUE(other.isInlined("main", 1));
  EXPECT_FALSE(other.isInlined("main", 0));
}

TEST(Inlining, AModuleGrowsByItsBestCalls) {
  InlineProgram program;
  ASSERT_FALSE(program.params.set("inlineLargeModuleInstructions=100"));
  ASSERT_FALSE(program.params.set("inlineModuleGrowthPercent=50"));
  program.add({{"f", 50, {"a"}}, {"g", 50, {"b"}}, {"h", 50, {"c"}}},
              [](ModuleSummary &module) {
                module.calls[0].frequency = 256;
                module.calls[1].frequency = 1024;
                module.calls[2].frequency = 512;
              });
  program.add({{"a", 32}, {"b", 42}, {"c", 32}});
  program.add({{"k", 50, {"a"}}});
  program.decide();
  EXPECT_TRUE(program.isInlined("g"));
  EXPECT_TRUE(program.isInlined("h"));
  EXPECT_FALSE(program.isInlined("f"));
  EXPECT_TRUE(program.isInlined("k")); // a module of its own
}

TEST(Inlining, ACycleIsNotInlinedIntoItself) {
  for (bool isReversed : {false, true}) {
    InlineProgram program;
    auto f = [&] { program.add({{"f", 20, {"g"}}}); };
    auto g = [&] { program.add({{"g", 30, {"f"}}}); };
    if (isReversed)
      g(), f();
    else
      f(), g();
    program.add({{"main", 50, {"f"}}});
    program.decide();
    // f into g grows the program less than g into f.
    EXPECT_FALSE(program.isInlined("f"));
    EXPECT_TRUE(program.isInlined("g"));
    EXPECT_TRUE(program.isInlined("main"));
  }
  InlineProgram self;
  self.add({{"main", 50, {"self"}}});
  self.add({{"self", 20, {"self2"}}});
  self.add({{"leaf", 10}, {"self2", 20, {"self", "leaf"}}});
  self.decide();
  EXPECT_NE(self.isInlined("self"), self.isInlined("self2"));
}

TEST(Inlining, CyclesOfManyFunctionsEnd) {
  // Each calls the next twice: inlined without limits, two to the 40th copies.
  static const char *names[40] = {
      "f0",  "f1",  "f2",  "f3",  "f4",  "f5",  "f6",  "f7",  "f8",  "f9",
      "f10", "f11", "f12", "f13", "f14", "f15", "f16", "f17", "f18", "f19",
      "f20", "f21", "f22", "f23", "f24", "f25", "f26", "f27", "f28", "f29",
      "f30", "f31", "f32", "f33", "f34", "f35", "f36", "f37", "f38", "f39"};
  for (uint32_t instructions : {2u, 3u, 10u}) {
    InlineProgram program;
    for (int i = 0; i < 40; ++i) {
      const char *next = names[(i + 1) % 40];
      program.add({{names[i], instructions, {next, next}}});
    }
    program.decide();
    unsigned inlined = 0;
    for (const char *name : names)
      inlined += program.isInlined(name, 0) + program.isInlined(name, 1);
    EXPECT_GT(inlined, 0u);
    EXPECT_LT(inlined, 80u);
  }
}

/// A function of a program of its own, with calls of itself that have \p
/// frequencies; \p change may edit it.
struct SelfProgram : InlineProgram {
  SelfProgram(uint32_t instructions, std::vector<uint32_t> frequencies,
              const Change &change = {}) {
    std::vector<llvm::StringRef> callees(frequencies.size(), "other");
    add({{"f", instructions, callees}}, [&](ModuleSummary &module) {
      for (auto [call, frequency] :
           llvm::zip_equal(module.calls, frequencies)) {
        call.callee = module.functions[0].symbol;
        call.frequency = frequency;
      }
      if (change)
        change(module);
    });
    add({{"other"}});
  }

  RecursiveInlining decision() {
    decide();
    auto found = context->decisions.recursions.find(host("f"));
    return found == context->decisions.recursions.end() ? RecursiveInlining()
                                                        : found->second;
  }
};

TEST(Inlining, ASmallFunctionIsInlinedIntoItself) {
  RecursiveInlining two = SelfProgram(10, {128, 128}).decision();
  // Halves, quarters and eighths are likely enough.
  EXPECT_EQ(two.copies, 2u + 4u + 8u);
  EXPECT_EQ(two.depth, 3u);
  ASSERT_EQ(two.calls.size(), 2u);
  EXPECT_EQ(two.calls[1], (RecursiveCall{1, kCertainCall / 2}));
  RecursiveInlining one = SelfProgram(10, {256}).decision();
  EXPECT_EQ(one.copies, Params().inlineRecursiveDepth);
  EXPECT_EQ(one.depth, Params().inlineRecursiveDepth);
}

TEST(Inlining, ARecursionThatEndsCallsItselfOnceForEachEntryAtMost) {
  // A loop's estimate.
  RecursiveInlining loop = SelfProgram(10, {256 * 31}).decision();
  ASSERT_EQ(loop.calls.size(), 1u);
  EXPECT_EQ(loop.calls[0].chance, kCertainCall);
  RecursiveInlining both = SelfProgram(10, {256 * 3, 256}).decision();
  ASSERT_EQ(both.calls.size(), 2u);
  EXPECT_EQ(both.calls[0].chance, kCertainCall * 3 / 4);
  EXPECT_EQ(both.calls[1].chance, kCertainCall / 4);
}

TEST(Inlining, RecursionKnowsLimits) {
  using Change = InlineProgram::Change;
  auto flag = [](uint32_t bits) -> Change {
    return [=](ModuleSummary &module) { module.functions[0].flags |= bits; };
  };
  for (uint32_t bits :
       {kNoInline, kOptNone, kOptSize, kMinSize, kVarArg, kReturnsTwice, kCold})
    EXPECT_EQ(SelfProgram(10, {256}, flag(bits)).decision().copies, 0u);
  EXPECT_EQ(SelfProgram(10, {256},
                        [](ModuleSummary &module) {
                          module.symbols[module.functions[0].symbol].linkage =
                              Linkage::WeakAny;
                        })
                .decision()
                .copies,
            0u);
  for (CallFlag site : {kNoInlineSite, kColdSite})
    EXPECT_EQ(SelfProgram(
                  10, {256},
                  [&](ModuleSummary &module) { module.calls[0].flags |= site; })
                  .decision()
                  .copies,
              0u);
  auto frame = [](uint32_t bytes) -> Change {
    return
        [=](ModuleSummary &module) { module.functions[0].stackBytes = bytes; };
  };
  EXPECT_EQ(SelfProgram(10, {256}, frame(64)).decision().copies, 3u);
  EXPECT_EQ(SelfProgram(10, {256}, frame(129)).decision().copies, 0u);
  // Of all that it does, calls are little.
  EXPECT_EQ(SelfProgram(40, {256}).decision().copies, 0u);
  EXPECT_EQ(SelfProgram(10, {256},
                        [](ModuleSummary &module) {
                          module.functions[0].timeCycles = 1000;
                        })
                .decision()
                .copies,
            0u);
  SelfProgram small(10, {256});
  ASSERT_FALSE(small.params.set("inlineRecursiveInstructions=27"));
  EXPECT_EQ(small.decision().copies, 2u);
  SelfProgram shallow(10, {256});
  ASSERT_FALSE(shallow.params.set("inlineRecursiveDepth=0"));
  EXPECT_EQ(shallow.decision().copies, 0u);
}

TEST(Inlining, SavedTimeIsWorthMoreGrowth) {
  for (bool isConstant : {false, true}) {
    InlineProgram program;
    uint32_t limit = program.params.inlineInstructions;
    program.add({{"main", 50, {"f"}}}, [&](ModuleSummary &module) {
      if (isConstant)
        module.jumpFunctions.push_back(JumpFunction::constant(1, 32));
      module.calls[0].arguments = {0, uint32_t(module.jumpFunctions.size())};
    });
    program.add({{"f", limit + 50}}, [](ModuleSummary &module) {
      ParameterRecord formal;
      formal.bitWidth = 32;
      formal.constantGain = 60;
      module.parameters = {formal};
      module.functions[0].parameters = {0, 1};
    });
    program.decide();
    EXPECT_EQ(program.isInlined("main"), isConstant);
  }
}

TEST(Inlining, WhatMustNotBeInlinedIsNot) {
  using Change = InlineProgram::Change;
  auto flag = [](uint32_t bits) -> Change {
    return [=](ModuleSummary &module) { module.functions[0].flags |= bits; };
  };
  std::vector<Change> changes = {
      flag(kNoInline),
      flag(kOptNone),
      flag(kVarArg),
      flag(kReturnsTwice),
      flag(kHasAsmLabels),
      flag(kCold),
      [](ModuleSummary &module) {
        module.symbols[module.functions[0].symbol].linkage = Linkage::WeakAny;
      },
      [](ModuleSummary &module) { module.codegenDigest = digestOf("other"); }};
  for (const Change &change : changes) {
    InlineProgram program;
    program.add({{"main", 50, {"f"}}});
    program.add({{"f", 20}}, change);
    program.decide();
    EXPECT_FALSE(program.isInlined("main"));
  }
  for (CallFlag site : {kNoInlineSite, kColdSite}) {
    InlineProgram program;
    program.add({{"main", 50, {"f"}}},
                [&](ModuleSummary &module) { module.calls[0].flags |= site; });
    program.add({{"f", 20}});
    program.decide();
    EXPECT_FALSE(program.isInlined("main"));
  }
  for (FunctionFlag caller : {kOptSize, kMinSize, kOptNone}) {
    InlineProgram program;
    program.add({{"main", 50, {"f"}}}, flag(caller));
    program.add({{"f", 20}});
    program.decide();
    EXPECT_FALSE(program.isInlined("main"));
  }
}

TEST(Inlining, AlwaysInlineKnowsNoLimit) {
  InlineProgram program;
  program.add({{"main", 50, {"f"}}});
  program.add({{"f", 9000}}, [](ModuleSummary &module) {
    module.functions[0].flags |= kAlwaysInline | kCold;
  });
  program.decide();
  EXPECT_TRUE(program.isInlined("main"));
}

/// Three modules that call each other, in the order \p order, and, if \p
/// isEdited, one more function in `a` that calls the others.
std::map<std::string, bool> decisionsOf(std::vector<int> order, bool isEdited) {
  InlineProgram program;
  EXPECT_FALSE(program.params.set("inlineLargeModuleInstructions=100"));
  EXPECT_FALSE(program.params.set("inlineModuleGrowthPercent=60"));
  for (int module : order) {
    if (module == 0) {
      std::vector<InlineProgram::Function> a = {{"a1", 40, {"b1", "c2"}},
                                                {"a2", 30, {"c1"}}};
      if (isEdited)
        a.push_back({"a3", 20, {"a1", "a2", "b1", "b2", "c1", "c2"}});
      program.add(a);
    } else if (module == 1) {
      program.add({{"b1", 25, {"c1", "c2"}}, {"b2", 35, {"c2", "c1"}}});
    } else {
      program.add({{"c1", 20}, {"c2", 45, {"b1"}}});
    }
  }
  program.decide();
  std::map<std::string, bool> result;
  for (const char *caller : {"b1", "b2", "c2"})
    for (uint32_t call : {0, 1})
      result[caller + std::to_string(call)] = program.isInlined(caller, call);
  return result;
}

TEST(Inlining, NeitherOrderNorEditsOfCallersChangeADecision) {
  auto plain = decisionsOf({0, 1, 2}, false);
  EXPECT_TRUE(llvm::any_of(plain, [](const auto &d) { return d.second; }));
  EXPECT_TRUE(llvm::any_of(plain, [](const auto &d) { return !d.second; }));
  EXPECT_EQ(decisionsOf({0, 1, 2}, true), plain);
  EXPECT_EQ(decisionsOf({2, 1, 0}, false), plain);
  EXPECT_EQ(decisionsOf({1, 0, 2}, false), plain);
}

} // namespace
