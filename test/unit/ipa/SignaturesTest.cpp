//===- SignaturesTest.cpp - Which signatures change -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "gtest/gtest.h"
#include "ipa/bodies/Passes.h"
#include "ipa/callers/Callers.h"
#include "summary/ModuleSummary.h"
#include "test/unit/ProgramBuilder.h"

#include "llvm/ADT/STLFunctionalExtras.h"

using namespace gpulto;

namespace {

constexpr uint8_t kOurs = kPrevailing | kFinalDefinition;

/// A caller, in a module of its own, that ignores what `callee` returns, whose
/// parameters are used, unused and special.
struct Program : TestProgram {
  ModuleBuilder caller, callee;

  Program() {
    SymbolIndex used = caller.declare("callee");
    caller.define("caller", kOurs, {used});
    caller.summary().calls.back().flags = kIgnoresResultSite;
    callee.define("callee", kOurs, {});
    for (uint32_t flags : {uint32_t(0), uint32_t(kParamUnused),
                           uint32_t(kParamUnused | kParamIsSpecial)}) {
      ParameterRecord parameter;
      parameter.flags = flags;
      parameter.bitWidth = 32;
      callee.summary().parameters.push_back(parameter);
    }
    function().parameters = {0, 3};
  }
  FunctionSummary &function() { return callee.summary().functions.back(); }

  /// Decides after \p change, with \p plans for the callee, and returns what
  /// becomes of it and its clones.
  std::vector<SignatureChange> decide(std::vector<BodyPlan> plans = {}) {
    summary.addModule(caller.take(0));
    summary.addModule(callee.take(1));
    EXPECT_FALSE(finish());
    Decisions &decisions = context->decisions;
    decisions.live.resize(summary.symbolCount(), true);
    decisions.visibleOutside.resize(summary.symbolCount());
    decisions.visibleOutside.set(host("caller"));
    if (!plans.empty())
      decisions.plans[host("callee")] = std::move(plans);
    propagateSignatures(*context, Callers(*context));
    return decisions.signaturesOf(host("callee"));
  }
};

TEST(Signatures, WhatNobodyUsesGoes) {
  std::vector<SignatureChange> changes = Program().decide();
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].dropped, std::vector<uint32_t>{1});
  EXPECT_TRUE(changes[0].dropsResult);
}

TEST(Signatures, AResultThatSomebodyUsesStays) {
  Program program;
  program.caller.summary().calls.back().flags = 0;
  std::vector<SignatureChange> changes = program.decide();
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_FALSE(changes[0].dropsResult);
}

TEST(Signatures, ConstantsGoByBody) {
  BodyPlan definition, clone;
  ValueFact fact;
  fact.kind = ValueKind::Constant;
  fact.bitWidth = 32;
  clone.clone = 1;
  clone.facts.values = {fact};
  fact.kind = ValueKind::Bounds; // not one value
  definition.facts.values = {fact};
  std::vector<SignatureChange> changes = Program().decide({definition, clone});
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].dropped, std::vector<uint32_t>{1});
  EXPECT_EQ(changes[1].clone, 1u);
  EXPECT_EQ(changes[1].dropped, (std::vector<uint32_t>{0, 1}));
}

TEST(Signatures, ConstantsOfAnotherWidthStay) {
  BodyPlan plan;
  ValueFact fact;
  fact.kind = ValueKind::Constant;
  fact.bitWidth = 64;
  plan.facts.values = {fact};
  std::vector<SignatureChange> changes = Program().decide({plan});
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].dropped, std::vector<uint32_t>{1});
}

/// What is passed instead of the callee's first parameter, a pointer with
/// \p parts behind it, to its only body or clone.
std::vector<LoadedPart> loaded(std::vector<LoadedPart> parts,
                               uint32_t flags = kParamIsPointer,
                               std::vector<BodyPlan> plans = {}) {
  Program program;
  ModuleSummary &summary = program.callee.summary();
  summary.parameters[0].flags = flags;
  summary.parameters[0].bitWidth = 0;
  program.function().loadedParts = {0, uint32_t(parts.size())};
  summary.loadedParts = std::move(parts);
  std::vector<SignatureChange> changes = program.decide(std::move(plans));
  EXPECT_EQ(changes.size(), 1u);
  return changes.empty() ? std::vector<LoadedPart>() : changes[0].loaded;
}

TEST(Signatures, WhatIsOnlyLoadedIsPassed) {
  std::vector<LoadedPart> parts = {{0, 4, ScalarKind::Integer, 32, 2},
                                   {0, 8, ScalarKind::Pointer, 0, 3}};
  EXPECT_EQ(loaded(parts), parts);
}

TEST(Signatures, LargePartsStay) {
  LoadedPart first{0, 0, ScalarKind::Float, 64, 3};
  LoadedPart second{0, 8, ScalarKind::Float, 64, 3};
  LoadedPart third{0, 16, ScalarKind::Integer, 8, 0};
  EXPECT_EQ(loaded({first, second}).size(), 2u);
  EXPECT_TRUE(loaded({first, second, third}).empty());
}

TEST(Signatures, WhatIsDroppedIsNotLoaded) {
  LoadedPart part{0, 0, ScalarKind::Integer, 32, 2};
  EXPECT_TRUE(loaded({part}, kParamIsPointer | kParamIsSpecial).empty());
  BodyPlan plan;
  ValueFact null;
  null.kind = ValueKind::Constant;
  plan.facts.values = {null};
  EXPECT_TRUE(loaded({part}, kParamIsPointer, {plan}).empty());
}

/// Whether the callee's signature stays after \p change.
bool stays(llvm::function_ref<void(Program &)> change) {
  Program program;
  change(program);
  return program.decide().empty();
}

TEST(Signatures, StayWhereSomebodyCannotFollow) {
  EXPECT_FALSE(stays([](Program &) {}));
  EXPECT_TRUE(stays([](Program &p) { p.caller.symbol(0).typeHash = 1; }));
  EXPECT_TRUE(
      stays([](Program &p) { p.caller.symbol(0).flags |= kSignatureFixed; }));
  EXPECT_TRUE(
      stays([](Program &p) { p.callee.symbol(0).flags |= kSignatureFixed; }));
  EXPECT_TRUE(stays([](Program &p) { p.caller.summary().optLevel = 0; }));
  EXPECT_TRUE(stays([](Program &p) { p.callee.summary().optLevel = 0; }));
  EXPECT_TRUE(stays([](Program &p) {
    p.caller.summary().functions.back().flags |= kOptNone;
  }));
  for (uint32_t flag : {kVarArg, kNaked, kHasAsmLabels, kBlockAddressTaken})
    EXPECT_TRUE(stays([=](Program &p) { p.function().flags |= flag; }));
  EXPECT_TRUE(stays([](Program &p) { p.caller.refer(0, kTakesAddress); }));
  EXPECT_TRUE(stays(
      [](Program &p) { p.callee.symbol(0).flags |= kAssemblyReferenced; }));
}

} // namespace
