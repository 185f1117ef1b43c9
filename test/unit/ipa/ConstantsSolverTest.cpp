// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ipa/constants/ConstantsSolver.h"

#include "gtest/gtest.h"
#include "summary/ModuleSummary.h"
#include "test/unit/ProgramBuilder.h"

#include <deque>
#include <random>

using namespace gpulto;

namespace {

constexpr uint8_t kWins = kResolved | kPrevailing | kFinalDefinition;
constexpr uint32_t kFunctions = 60, kFormals = 2, kVariables = 3;

/// Functions that call each other in any way, pass constants and what they get
/// on, store in variables and load from there, and launch a kernel. Values are
/// few, so no bounds are widened.
class RandomProgram : public TestProgram {
public:
  explicit RandomProgram(uint32_t seed) : random(seed) {
    ModuleBuilder host;
    for (uint32_t i = 0; i < kVariables; ++i) {
      host.variable(name("v", i), kWins);
      host.summary().variables.back().zeroInitialized = true;
    }
    stub = host.define("stub", kWins, {}, 10, kKernelStub);
    host.refer(stub);
    addFormals(host, 1);
    for (uint32_t i = 0; i < kFunctions; ++i)
      functions.push_back(host.declare(name("f", i), kWins));
    for (uint32_t i = 0; i < kFunctions; ++i)
      fill(host, i);
    host.offload(stub, "kernel");
    summary.addModule(host.take(0));
    summary.addModule(makeDevice().take(0));
    EXPECT_FALSE(finish());
    Decisions &decisions = context->decisions;
    decisions.live.resize(summary.symbolCount(), true);
    decisions.visibleOutside.resize(summary.symbolCount());
    decisions.visibleOutside.set(functions[0]);
    decisions.plainlyWritten.resize(summary.symbolCount(), true);
  }

  uint32_t below(uint32_t end) { return random() % end; }

private:
  llvm::StringRef name(const char *prefix, uint32_t number) {
    return names.emplace_back(prefix + std::to_string(number));
  }

  static void addFormals(ModuleBuilder &module, uint32_t count) {
    ModuleSummary &s = module.summary();
    s.functions.back().parameters = {uint32_t(s.parameters.size()), count};
    ParameterRecord formal;
    formal.bitWidth = 32;
    s.parameters.insert(s.parameters.end(), count, formal);
  }

  JumpFunction value() {
    JumpFunction result = JumpFunction::unknown(32);
    switch (below(8)) {
    case 0:
      return result;
    case 1:
    case 2:
    case 3:
      return JumpFunction::constant(below(2), 32);
    case 4:
      result.kind = JumpFunction::Kind::VariablePart;
      result.source = below(kVariables);
      result.parameter = below(2);
      return result;
    case 5:
      result = JumpFunction::passThrough(below(kFormals), 32);
      result.operation = JumpOperation::Xor;
      result.value = 1;
      return result;
    default:
      return JumpFunction::passThrough(below(kFormals), 32);
    }
  }

  Range values(ModuleSummary &s, uint32_t count) {
    Range range{uint32_t(s.jumpFunctions.size()), count};
    for (uint32_t i = 0; i < count; ++i)
      s.jumpFunctions.push_back(value());
    return range;
  }

  /// None of them is ever 0: launches that cannot be say nothing, so what is
  /// left of them depends on when they were looked at.
  Range geometry(ModuleSummary &s) {
    Range range = values(s, kGeometryCount);
    for (JumpFunction &value :
         llvm::MutableArrayRef(s.jumpFunctions).take_back(kGeometryCount))
      if (value.kind == JumpFunction::Kind::Constant) {
        ++value.value;
      } else if (value.kind == JumpFunction::Kind::PassThrough) {
        value.operation = JumpOperation::Add;
        value.value = 1;
      } else {
        value = JumpFunction::unknown(32);
      }
    return range;
  }

  void addCall(ModuleSummary &s, SymbolIndex callee, uint32_t arguments) {
    CallEdge call;
    call.callee = callee;
    call.arguments = values(s, arguments);
    s.calls.push_back(call);
    ++s.functions.back().calls.count;
  }

  void fill(ModuleBuilder &host, uint32_t number) {
    ModuleSummary &s = host.summary();
    s.symbols[functions[number]].flags = 0;
    FunctionSummary body;
    body.symbol = functions[number];
    body.calls = {uint32_t(s.calls.size()), 0};
    body.launches = {uint32_t(s.launches.size()), 0};
    body.variableStores = {uint32_t(s.variableStores.size()), 0};
    s.functions.push_back(body);
    addFormals(host, kFormals);
    for (uint32_t i = below(5); i > 0; --i)
      addCall(s, functions[below(kFunctions)], kFormals);
    if (below(8) == 0) {
      s.variableStores.push_back({below(kVariables), 0, 4, value()});
      ++s.functions.back().variableStores.count;
    }
    if (below(8) == 0) {
      LaunchSite launch;
      launch.stub = stub;
      launch.call = s.functions.back().calls.count;
      addCall(s, stub, 1);
      launch.arguments = s.calls.back().arguments;
      launch.geometry = geometry(s);
      s.launches.push_back(launch);
      ++s.functions.back().launches.count;
    }
  }

  ModuleBuilder makeDevice() {
    ModuleBuilder device(Side::Device, "sm_90");
    ModuleSummary &s = device.summary();
    SymbolIndex helper = device.define("helper", 0, {});
    addFormals(device, 1);
    device.define("kernel", 0, {}, 10, kKernel);
    addFormals(device, 1);
    s.functions.back().calls = {uint32_t(s.calls.size()), 0};
    CallEdge call;
    call.callee = helper;
    call.arguments = {uint32_t(s.jumpFunctions.size()), 1};
    s.jumpFunctions.push_back(JumpFunction::passThrough(0, 32));
    s.calls.push_back(call);
    ++s.functions.back().calls.count;
    return device;
  }

  std::mt19937 random;
  std::deque<std::string> names;
  std::vector<SymbolIndex> functions;
  SymbolIndex stub = kNone;
};

/// Leads call \p number of \p caller, or what it launches, to a clone.
struct Redirection {
  BodyIndex caller = kNone;
  uint32_t number = 0;
  bool isLaunch = false;

  void apply(const TestProgram &program, ConstantsSolver &solver) const {
    if (isLaunch)
      return solver.redirectLaunch(caller, number,
                                   solver.addKernelClone(program.host("stub")));
    BodyIndex callee = solver.calleeOf(caller, number);
    solver.redirect({caller, number, false},
                    solver.addClone(solver.bodies()[callee].id));
  }
};

/// Returns a call of a reached body that can enter a clone, if the first one
/// that comes up can.
std::optional<Redirection> chooseCall(RandomProgram &program,
                                      const ConstantsSolver &solver) {
  BodyIndex caller = program.below(solver.bodies().size());
  uint32_t calls = solver.callCount(caller);
  if (!calls || !solver.bodies()[caller].isReached)
    return std::nullopt;
  uint32_t number = program.below(calls);
  BodyIndex callee = solver.calleeOf(caller, number);
  if (callee == kNone || solver.bodies()[callee].clone)
    return std::nullopt;
  GlobalId id = solver.bodies()[callee].id;
  if (program.summary.has(id, kKernel) ||
      program.summary.imageOf(id) != kHostImage)
    return std::nullopt;
  return Redirection{caller, number, program.summary.has(id, kKernelStub)};
}

void expectSame(const ValueLattice &a, const ValueLattice &b) {
  EXPECT_EQ(a.state(), b.state());
  EXPECT_EQ(a.value(), b.value());
  EXPECT_EQ(a.low(), b.low());
  EXPECT_EQ(a.high(), b.high());
  EXPECT_EQ(a.knownZeros(), b.knownZeros());
  EXPECT_EQ(a.knownOnes(), b.knownOnes());
}

void expectSame(const BodyLattice &a, const BodyLattice &b) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.clone, b.clone);
  EXPECT_EQ(a.isReached, b.isReached);
  ASSERT_EQ(a.parameters.size(), b.parameters.size());
  for (size_t i = 0; i < a.parameters.size(); ++i)
    expectSame(a.parameters[i].whole, b.parameters[i].whole);
  ASSERT_EQ(a.geometry.size(), b.geometry.size());
  for (size_t i = 0; i < a.geometry.size(); ++i)
    expectSame(a.geometry[i], b.geometry[i]);
}

/// Solving again after each round of clones is solving once with all of them.
TEST(ConstantsSolver, SolvesAgainAsFromTheStart) {
  unsigned known = 0, launches = 0;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    RandomProgram program(seed);
    Callers callers(*program.context);
    Pointees pointees(*program.context, callers);
    ConstantsSolver again(*program.context, callers, pointees);
    ConstantsSolver once(*program.context, callers, pointees);
    std::vector<Redirection> redirections;
    again.solve();
    for (unsigned round = 0; round < 4; ++round) {
      for (unsigned i = 0; i < 12; ++i)
        if (auto chosen = chooseCall(program, again)) {
          chosen->apply(program, again);
          redirections.push_back(*chosen);
          launches += chosen->isLaunch;
        }
      again.solve();
    }
    for (const Redirection &redirection : redirections)
      redirection.apply(program, once);
    once.solve();
    ASSERT_EQ(again.bodies().size(), once.bodies().size());
    for (size_t i = 0; i < once.bodies().size(); ++i) {
      SCOPED_TRACE(i);
      expectSame(again.bodies()[i], once.bodies()[i]);
      for (const ParameterLattice &parameter : once.bodies()[i].parameters)
        known += parameter.whole.isConstant();
    }
  }
  EXPECT_GT(known, 1000u);
  EXPECT_GT(launches, 100u);
}

} // namespace
