// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gtest/gtest.h"
#include "lto/wpa/Wpa.h"
#include "summary/ModuleSummary.h"
#include "test/unit/ProgramBuilder.h"

#include <deque>
#include <random>

using namespace gpulto;

namespace {

constexpr uint8_t kWins = kResolved | kPrevailing | kFinalDefinition;
constexpr uint32_t kModules = 3000, kFunctionsEach = 6;

/// A program of more functions than one thread takes at a time,
/// with something to do for each pass: constants that differ between calls,
/// small functions, bodies that are equal, recursions, variables.
class LargeProgram {
public:
  std::vector<WpaModule> make() {
    std::vector<WpaModule> modules;
    for (uint32_t m = 0; m < kModules; ++m) {
      WpaModule &module = modules.emplace_back();
      module.module = makeModule(m).take(m);
      module.bitcode.path = module.module.location.path;
      module.bitcode.digest = digestOf(module.bitcode.path);
    }
    return modules;
  }

private:
  llvm::StringRef name(uint32_t module, uint32_t number) {
    return names.emplace_back("f" + std::to_string(module) + "_" +
                              std::to_string(number));
  }

  JumpFunction value() {
    switch (random() % 3) {
    case 0:
      return JumpFunction::constant(random() % 3, 32);
    case 1:
      return JumpFunction::passThrough(0, 32);
    default:
      return JumpFunction::unknown(32);
    }
  }

  void addCall(ModuleSummary &s, FunctionSummary &body, SymbolIndex callee) {
    CallEdge call;
    call.callee = callee;
    call.arguments = {uint32_t(s.jumpFunctions.size()), 1};
    s.jumpFunctions.push_back(value());
    s.calls.push_back(call);
    ++body.calls.count;
  }

  ModuleBuilder makeModule(uint32_t number) {
    ModuleBuilder module;
    ModuleSummary &s = module.summary();
    SymbolIndex state = module.variable(
        names.emplace_back("v" + std::to_string(number)), kWins);
    for (uint32_t i = 0; i < kFunctionsEach; ++i) {
      bool isMain = number == 0 && i == 0;
      module.define(isMain ? "main" : name(number, i),
                    isMain ? kWins | kVisibleToRegular : kWins, {},
                    5 + random() % 80);
      FunctionSummary &body = s.functions.back();
      body.parameters = {uint32_t(s.parameters.size()), 1};
      ParameterRecord formal;
      formal.bitWidth = 32;
      formal.constantGain = random() % 40;
      s.parameters.push_back(formal);
      std::string form =
          random() % 4 ? name(number, i).str() : std::to_string(random() % 20);
      body.foldHash = digestOf(form);
      module.symbol(body.symbol).flags |= kUnnamedAddr;
      if (random() % 2)
        module.refer(state, random() % 2 ? kReads : kReads | kWrites);
    }
    for (FunctionSummary &body : s.functions) {
      body.calls = {uint32_t(s.calls.size()), 0};
      addCall(s, body, chooseCallee(module));
      addCall(s, body, chooseCallee(module));
      // All are called, by the one before.
      if (body.symbol < kFunctionsEach)
        addCall(s, body, body.symbol + 1);
      else if (number + 1 < kModules)
        addCall(s, body, module.declare(name(number + 1, 0)));
    }
    return module;
  }

  SymbolIndex chooseCallee(ModuleBuilder &module) {
    if (random() % 3 == 0)
      return 1 + random() % kFunctionsEach;
    if (random() % 6 == 0)
      return module.declare("malloc");
    return module.declare(
        name(random() % kModules, 1 + random() % (kFunctionsEach - 1)));
  }

  std::mt19937 random{1};
  std::deque<std::string> names;
};

/// Returns digests of all jobs of a link in \p threads threads.
std::vector<Digest> planWith(unsigned threads) {
  LargeProgram program;
  WpaOptions options;
  options.threads = threads;
  Diagnostics diagnostics;
  Statistics statistics;
  auto plan = planLink(program.make(), {}, options, diagnostics, statistics);
  EXPECT_TRUE(bool(plan));
  std::vector<Digest> jobs;
  for (size_t i = 0; i < plan->jobs->size(); ++i)
    jobs.push_back(digestOf(plan->jobs->make(i)));
  EXPECT_GT(statistics.value("imports"), 0u);
  EXPECT_GT(statistics.value("definitions"),
            statistics.value("host-partitions"));
  return jobs;
}

TEST(Wpa, PlanDoesNotDependOnThreads) {
  std::vector<Digest> jobs = planWith(1);
  EXPECT_GT(jobs.size(), 4u);
  EXPECT_TRUE(jobs == planWith(3));
}

} // namespace
