// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ipa/callers/Captures.h"

#include "gtest/gtest.h"
#include "ipa/callers/Callers.h"
#include "summary/ModuleSummary.h"
#include "test/unit/ProgramBuilder.h"

#include <functional>

using namespace gpulto;

namespace {

constexpr uint8_t kWins = kResolved | kPrevailing | kFinalDefinition;
constexpr uint8_t kRoot = kWins | kVisibleToRegular;

JumpFunction ofKind(JumpFunction::Kind kind) {
  JumpFunction j;
  j.kind = kind;
  return j;
}

/// `main` and `other` pass streams to `outer`, which passes its own on to
/// `inner`, which launches `kernel` there.
struct Shape {
  JumpFunction passed = ofKind(JumpFunction::Kind::Null);
  JumpFunction passedByOther = ofKind(JumpFunction::Kind::Null);
  JumpFunction passedOn = ofKind(JumpFunction::Kind::PassThrough);
  JumpFunction launched = ofKind(JumpFunction::Kind::PassThrough);
  std::string foreignCode = "'x.o' is linked as native code";
  const char *declared = "printf";
  uint8_t outerResolution = kWins;
  bool isRelocatable = false, takesOuter = false, hasGeometry = true;
  bool usesDeclared = false; // main does
};

struct CaptureProgram : TestProgram {
  explicit CaptureProgram(const Shape &shape) {
    ModuleBuilder unit;
    SymbolIndex stub = unit.define("stub", kWins, {}, 10, kKernelStub);
    SymbolIndex inner = unit.define("inner", kWins, {});
    addParameter(unit);
    addLaunch(unit, stub, shape);
    SymbolIndex outer = unit.define("outer", shape.outerResolution, {inner});
    addParameter(unit);
    pass(unit, shape.passedOn);
    unit.define("other", kWins, {outer});
    pass(unit, shape.passedByOther);
    unit.define("main", kRoot, {outer});
    pass(unit, shape.passed);
    if (shape.takesOuter)
      unit.refer(outer, kTakesAddress);
    SymbolIndex declared = unit.declare(shape.declared);
    if (shape.usesDeclared)
      unit.refer(declared, kTakesAddress);
    unit.offload(stub, "kernel");
    summary.addModule(unit.take(0));
    ModuleBuilder device(Side::Device, "sm_90");
    device.define("kernel", 0, {}, 40, kKernel);
    summary.addModule(device.take(0));
    EXPECT_FALSE(finish());
    context->native.foreignCode = shape.foreignCode;
    context->isRelocatable = shape.isRelocatable;
    context->decisions.live.resize(summary.symbolCount(), true);
    context->decisions.visibleOutside.resize(summary.symbolCount());
    if (shape.outerResolution == kRoot)
      context->decisions.visibleOutside.set(host("outer"));
    callers = std::make_unique<Callers>(*context);
  }
  static void addParameter(ModuleBuilder &unit) {
    ModuleSummary &s = unit.summary();
    s.functions.back().parameters = {uint32_t(s.parameters.size()), 1};
    s.parameters.push_back({});
  }
  static void pass(ModuleBuilder &unit, const JumpFunction &stream) {
    ModuleSummary &s = unit.summary();
    s.calls.back().arguments = {uint32_t(s.jumpFunctions.size()), 1};
    s.jumpFunctions.push_back(stream);
  }
  static void addLaunch(ModuleBuilder &unit, SymbolIndex stub,
                        const Shape &shape) {
    ModuleSummary &s = unit.summary();
    unit.refer(stub);
    LaunchSite site;
    site.stub = stub;
    site.kind = LaunchKind::Runtime;
    if (shape.hasGeometry) {
      site.geometry = {uint32_t(s.jumpFunctions.size()), kGeometryCount};
      s.jumpFunctions.resize(s.jumpFunctions.size() + kGeometryCount,
                             JumpFunction::constant(1, 32));
      s.jumpFunctions.back() = shape.launched;
    }
    s.functions.back().launches = {uint32_t(s.launches.size()), 1};
    s.launches.push_back(site);
  }
  bool isCaptured() const {
    return callers->unknown(device("kernel")) == UnknownCaller::Captured;
  }
  std::unique_ptr<Callers> callers;
};

TEST(Captures, OfTheLegacyStreamThereAreNone) {
  CaptureProgram program{Shape()};
  EXPECT_EQ(program.callers->unknown(program.device("kernel")),
            UnknownCaller::None);
  EXPECT_EQ(program.callers->whoCaptures(), "'x.o' is linked as native code");
}

/// Streams that are, or may be, others: each breaks the proof alone.
TEST(Captures, PremisesOfTheStream) {
  auto fails = [](const char *what, std::function<void(Shape &)> change) {
    Shape shape;
    change(shape);
    CaptureProgram program(shape);
    EXPECT_TRUE(program.isCaptured()) << what;
    EXPECT_EQ(program.callers->takenBy(program.device("kernel")),
              program.host("inner"));
  };
  fails("unknown", [](Shape &s) { s.launched = JumpFunction(); });
  fails("nothing is known", [](Shape &s) { s.hasGeometry = false; });
  fails("per thread",
        [](Shape &s) { s.launched = JumpFunction::constant(2, 64); });
  fails("one caller's", [](Shape &s) { s.passedByOther = JumpFunction(); });
  fails("the other caller's", [](Shape &s) { s.passed = JumpFunction(); });
  fails("in between", [](Shape &s) { s.passedOn = JumpFunction(); });
  fails("computed",
        [](Shape &s) { s.passedOn.operation = JumpOperation::Add; });
  fails("a caller nobody sees", [](Shape &s) { s.outerResolution = kRoot; });
  fails("a call by pointer", [](Shape &s) { s.takesOuter = true; });
  fails("null is per thread",
        [](Shape &s) { s.declared = "cudaLaunchKernel_ptsz"; });
}

TEST(Captures, KnowsTheHandleOfTheLegacyStream) {
  Shape shape;
  shape.passed = JumpFunction::constant(1, 64);
  EXPECT_FALSE(CaptureProgram(shape).isCaptured());
  shape.passedByOther = shape.passed;
  shape.declared = "cudaLaunchKernel_ptsz";
  EXPECT_FALSE(CaptureProgram(shape).isCaptured());
}

/// Who is there to capture.
TEST(Captures, NeedOthers) {
  auto isCaptured = [](std::function<void(Shape &)> change) {
    Shape shape;
    shape.launched = JumpFunction();
    shape.foreignCode.clear();
    change(shape);
    return CaptureProgram(shape).isCaptured();
  };
  EXPECT_FALSE(isCaptured([](Shape &) {}));
  EXPECT_TRUE(isCaptured([](Shape &s) { s.isRelocatable = true; }));
  EXPECT_TRUE(isCaptured([](Shape &s) { s.outerResolution = kRoot; }));
  EXPECT_FALSE(isCaptured([](Shape &s) { s.declared = "dlopen"; }));
  EXPECT_TRUE(isCaptured([](Shape &s) {
    s.declared = "dlopen";
    s.usesDeclared = true;
  }));
  // The system's libraries capture nothing. Where the program itself does, who
  // gets the graph may change it.
  EXPECT_FALSE(isCaptured([](Shape &s) { s.declared = "deflate"; }));
  EXPECT_FALSE(
      isCaptured([](Shape &s) { s.declared = "cudaStreamEndCapture"; }));
}

} // namespace
