// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ipa/pointers/UnwrittenMemory.h"

#include "gtest/gtest.h"
#include "ipa/bodies/Passes.h"
#include "ipa/pointers/PointerFacts.h"
#include "ipa/runtime/ReplacedRuntime.h"
#include "summary/ModuleSummary.h"
#include "test/unit/ProgramBuilder.h"

#include <functional>
#include <optional>

using namespace gpulto;

namespace {

constexpr uint8_t kWins = kResolved | kPrevailing | kFinalDefinition;
constexpr uint8_t kRoot = kWins | kVisibleToRegular;

JumpFunction null() {
  JumpFunction j;
  j.kind = JumpFunction::Kind::Null;
  return j;
}

JumpFunction allocation(uint32_t call) {
  JumpFunction j;
  j.kind = JumpFunction::Kind::Allocation;
  j.source = call;
  return j;
}

/// What `main` does: two allocations, a copy in a stream, a call of a function
/// without a body, and a launch of `kernel(written, read)`.
struct Shape {
  const char *allocator = "cudaMalloc";
  const char *callee = "printf";
  JumpFunction copyStream = null();
  JumpFunction launchStream = null();
  JumpFunction written = allocation(0), read = allocation(1);
  /// At byte 8 of the aggregate that is the third argument.
  JumpFunction part = allocation(1);
  uint32_t kernelEffects = kReadsArguments | kWritesArguments;
  uint32_t readFlags = kParamIsPointer | kParamMayRead;
  const char *deviceCallee = nullptr;
  /// A variable without a definition that device code uses, in this space.
  std::optional<uint8_t> deviceVariable;
  const char *visible = "main";
  /// A function that nobody calls.
  const char *other = "other";
  bool takesAddress = false;
  std::string foreignCode;
};

struct MemoryProgram : TestProgram {
  explicit MemoryProgram(const Shape &shape) {
    addHost(shape);
    addDevice(shape);
    EXPECT_FALSE(finish());
    context->native.foreignCode = shape.foreignCode;
    context->decisions.live.resize(summary.symbolCount(), true);
    context->decisions.visibleOutside.resize(summary.symbolCount());
    context->decisions.visibleOutside.set(host("main"));
    callers = std::make_unique<Callers>(*context);
    propagateEffects(*context, *callers);
    pointees = std::make_unique<Pointees>(*context, *callers);
    solver = std::make_unique<ConstantsSolver>(*context, *callers, *pointees);
    solver->solve();
  }

  void addHost(const Shape &shape) {
    ModuleBuilder unit;
    SymbolIndex stub = unit.define("stub", kWins, {}, 10, kKernelStub);
    unit.refer(stub);
    SymbolIndex allocate = unit.declare(shape.allocator);
    SymbolIndex copy = unit.declare("cudaMemcpyAsync");
    SymbolIndex callee = unit.declare(shape.callee);
    SymbolIndex launch = unit.declare("cudaLaunchKernel");
    unit.define(shape.other,
                shape.visible == llvm::StringRef(shape.other) ? kRoot : kWins,
                {});
    unit.define("main", kRoot, {allocate, allocate, copy, callee, launch});
    unit.refer(stub);
    if (shape.takesAddress)
      unit.refer(copy, kTakesAddress);
    ModuleSummary &s = unit.summary();
    s.jumpFunctions.assign(4, JumpFunction());
    s.jumpFunctions.push_back(shape.copyStream);
    s.calls[2].arguments = {0, 5};
    LaunchSite site;
    site.stub = stub;
    site.kind = LaunchKind::Runtime;
    site.call = 4;
    site.geometry = {5, kGeometryCount};
    s.jumpFunctions.resize(5 + kGeometryCount, JumpFunction::constant(1, 32));
    s.jumpFunctions.back() = shape.launchStream;
    site.arguments = {uint32_t(s.jumpFunctions.size()), 3};
    s.jumpFunctions.push_back(shape.written);
    s.jumpFunctions.push_back(shape.read);
    s.jumpFunctions.push_back(JumpFunction());
    s.jumpFunctions.back().kind = JumpFunction::Kind::Aggregate;
    s.jumpFunctions.back().count = 1;
    s.aggregateParts.push_back({8, shape.part});
    s.launches.push_back(site);
    s.functions.back().launches = {0, 1};
    unit.offload(stub, "kernel");
    summary.addModule(unit.take(0));
  }

  void addDevice(const Shape &shape) {
    ModuleBuilder device(Side::Device, "sm_90");
    std::vector<SymbolIndex> callees;
    if (shape.deviceCallee)
      callees.push_back(device.declare(shape.deviceCallee));
    device.define("kernel", 0, {}, 40, kKernel);
    ModuleSummary &d = device.summary();
    d.functions.back().memoryEffects = shape.kernelEffects;
    d.parameters.resize(3);
    d.parameters[0].flags = kParamIsPointer | kParamMayWrite;
    d.parameters[1].flags = shape.readFlags;
    d.parameters[2].flags = kParamIsPointer | kParamByVal;
    d.parameters[2].byValBytes = 16;
    d.functions.back().parameters = {0, 3};
    SymbolIndex variable = kNone;
    if (shape.deviceVariable) {
      variable = device.declare("buffer");
      d.symbols[variable].kind = SymbolKind::Variable;
      d.symbols[variable].addressSpace = *shape.deviceVariable;
    }
    device.define("another", 0, callees, 40, kKernel);
    if (shape.deviceVariable)
      device.refer(variable, kReads | kWrites);
    summary.addModule(device.take(0));
  }

  bool isUnwritten(uint32_t parameter = 1) const {
    return UnwrittenMemory(*context, *callers, *solver)
        .isUnwritten(*solver->find(device("kernel"), 0), parameter);
  }
  bool isPartUnwritten(uint32_t byteOffset = 8) const {
    return UnwrittenMemory(*context, *callers, *solver)
        .isPartUnwritten(*solver->find(device("kernel"), 0), 2, byteOffset);
  }
  std::string whyNoOrder() const {
    return DeviceOrder(*context, *callers, *solver).whyNot().str();
  }

  std::unique_ptr<Callers> callers;
  std::unique_ptr<Pointees> pointees;
  std::unique_ptr<ConstantsSolver> solver;
};

TEST(UnwrittenMemory, OfDeviceInOneOrder) {
  MemoryProgram program{Shape()};
  EXPECT_EQ(program.whyNoOrder(), "");
  EXPECT_TRUE(program.isUnwritten());
  EXPECT_FALSE(program.isUnwritten(0)) << "it is written";
  DeviceOrder order(*program.context, *program.callers, *program.solver);
  EXPECT_EQ(order.launchCount(), 1u);
  EXPECT_EQ(order.copyCount(), 1u);
}

/// Premises of the parameter, each broken alone.
TEST(UnwrittenMemory, PremisesOfTheParameter) {
  auto fails = [](const char *what, std::function<void(Shape &)> change) {
    Shape shape;
    change(shape);
    MemoryProgram program(shape);
    EXPECT_EQ(program.whyNoOrder(), "") << what;
    EXPECT_FALSE(program.isUnwritten()) << what;
  };
  fails("managed", [](Shape &s) { s.allocator = "cudaMallocManaged"; });
  fails("unknown origin", [](Shape &s) { s.read = JumpFunction(); });
  fails("the written one", [](Shape &s) { s.read = allocation(0); });
  fails("the written one is anywhere",
        [](Shape &s) { s.written = JumpFunction(); });
  fails("written", [](Shape &s) { s.readFlags |= kParamMayWrite; });
  fails("kept", [](Shape &s) { s.readFlags |= kParamMayEscape; });
  fails("stores anywhere",
        [](Shape &s) { s.kernelEffects |= kWritesOther | kStoresOther; });
}

TEST(UnwrittenMemory, BarriersAndReadsDoNotMatter) {
  Shape shape;
  shape.kernelEffects |= kReadsOther | kWritesOther | kSynchronizes;
  EXPECT_TRUE(MemoryProgram(shape).isUnwritten());
  shape = Shape();
  shape.read = null();
  EXPECT_TRUE(MemoryProgram(shape).isUnwritten());
}

TEST(UnwrittenMemory, DynamicSharedMemoryDoesNotMatter) {
  constexpr uint8_t kShared = 3;
  Shape shape;
  shape.deviceVariable = kShared;
  MemoryProgram program(shape);
  EXPECT_EQ(program.whyNoOrder(), "");
  EXPECT_TRUE(program.isUnwritten());
}

TEST(UnwrittenMemory, PartsOfAggregates) {
  EXPECT_TRUE(MemoryProgram(Shape()).isPartUnwritten());
  EXPECT_FALSE(MemoryProgram(Shape()).isPartUnwritten(0));
  auto fails = [](const char *what, std::function<void(Shape &)> change) {
    Shape shape;
    change(shape);
    EXPECT_FALSE(MemoryProgram(shape).isPartUnwritten()) << what;
  };
  fails("the written one", [](Shape &s) { s.part = allocation(0); });
  fails("unknown origin", [](Shape &s) { s.part = JumpFunction(); });
  fails("an integer", [](Shape &s) { s.part = JumpFunction::constant(0, 64); });
  fails("managed", [](Shape &s) { s.allocator = "cudaMallocManaged"; });
  fails("stores anywhere",
        [](Shape &s) { s.kernelEffects |= kWritesOther | kStoresOther; });
  fails("another stream", [](Shape &s) { s.copyStream = JumpFunction(); });
}

/// Premises of the program, each broken alone.
TEST(DeviceOrder, Premises) {
  auto fails = [](const char *why, std::function<void(Shape &)> change) {
    Shape shape;
    change(shape);
    MemoryProgram program(shape);
    EXPECT_NE(program.whyNoOrder().find(why), std::string::npos)
        << program.whyNoOrder();
    EXPECT_FALSE(program.isUnwritten()) << why;
  };
  JumpFunction perThread = JumpFunction::constant(2, 64);
  fails("a launch is not proven",
        [](Shape &s) { s.launchStream = JumpFunction(); });
  fails("a launch is not proven",
        [&](Shape &s) { s.launchStream = perThread; });
  fails("'cudaMemcpyAsync' is not proven",
        [](Shape &s) { s.copyStream = JumpFunction(); });
  fails("of 'cudaGraphLaunch'", [](Shape &s) { s.callee = "cudaGraphLaunch"; });
  fails("of 'cudaMemcpy_ptds'", [](Shape &s) { s.callee = "cudaMemcpy_ptds"; });
  fails("of 'foreign'", [](Shape &s) { s.callee = "foreign"; });
  fails("of 'cuLaunchKernel'", [](Shape &s) { s.callee = "cuLaunchKernel"; });
  fails("of 'cuMemcpyDtoH_v2_ptds'",
        [](Shape &s) { s.callee = "cuMemcpyDtoH_v2_ptds"; });
  fails("'cuMemcpyHtoDAsync_v2' is not proven",
        [](Shape &s) { s.callee = "cuMemcpyHtoDAsync_v2"; });
  fails("of 'cuMemFreeAsync'", [](Shape &s) { s.callee = "cuMemFreeAsync"; });
  fails("of 'cuCtxSetCurrent'", [](Shape &s) { s.callee = "cuCtxSetCurrent"; });
  fails("several devices", [](Shape &s) { s.callee = "cudaSetDevice"; });
  fails("address of 'cudaMemcpyAsync'",
        [](Shape &s) { s.takesAddress = true; });
  fails("can name 'other'", [](Shape &s) { s.visible = "other"; });
  fails("can name 'read'", [](Shape &s) { s.other = s.visible = "read"; });
  fails("device code uses 'cudaLaunchDeviceV2'",
        [](Shape &s) { s.deviceCallee = "cudaLaunchDeviceV2"; });
  fails("device code uses 'buffer'", [](Shape &s) { s.deviceVariable = 1; });
  fails("'x.o' is linked as native code",
        [](Shape &s) { s.foreignCode = "'x.o' is linked as native code"; });
}

/// Whether memory lasts does not depend on streams, but on all else.
TEST(DeviceOrder, IsSeenInAnyStream) {
  auto whyNotSeen = [](std::function<void(Shape &)> change) {
    Shape shape;
    change(shape);
    MemoryProgram program(shape);
    DeviceOrder order(*program.context, *program.callers, *program.solver);
    EXPECT_FALSE(order.isSerial());
    return order.whyNotSeen().str();
  };
  EXPECT_EQ(whyNotSeen([](Shape &s) { s.launchStream = JumpFunction(); }), "");
  EXPECT_EQ(whyNotSeen([](Shape &s) { s.copyStream = JumpFunction(); }), "");
  EXPECT_EQ(whyNotSeen([](Shape &s) { s.callee = "cudaMemcpy_ptds"; }), "");
  for (const char *name :
       {"cudaFreeAsync", "cudaFreeAsync_ptsz", "cudaGraphLaunch",
        "cudaMallocAsync_ptsz", "cudaStreamBeginCapture", "foreign"})
    EXPECT_NE(whyNotSeen([&](Shape &s) {
                s.launchStream = JumpFunction(); // fails first or last
                s.callee = name;
              }).find(name),
              std::string::npos)
        << name;
  EXPECT_NE(whyNotSeen([](Shape &s) {
              s.callee = "cudaSetDevice";
            }).find("several devices"),
            std::string::npos);
  EXPECT_NE(whyNotSeen([](Shape &s) { s.takesAddress = true; }), "");
  EXPECT_NE(whyNotSeen([](Shape &s) { s.visible = "other"; }), "");
}

TEST(DeviceOrder, WhatTheDriverIsAsked) {
  for (const char *name :
       {"cuInit", "cuDeviceGetAttribute", "cuCtxSynchronize",
        "cuDevicePrimaryCtxRetain", "cuMemcpyDtoH_v2", "cuMemFree_v2"}) {
    Shape shape;
    shape.callee = name;
    EXPECT_EQ(MemoryProgram(shape).whyNoOrder(), "") << name;
    EXPECT_TRUE(MemoryProgram(shape).isUnwritten()) << name;
  }
}

/// Another function in the place of one that is relied upon.
TEST(ReplacedRuntime, OfTheRuntimeAndTheDriver) {
  auto replaced = [](const char *callee, const char *native) {
    Shape shape;
    shape.callee = callee;
    MemoryProgram program(shape);
    program.context->native.runtime.insert(native);
    return findReplacedRuntime(*program.context).str();
  };
  EXPECT_EQ(replaced("printf", "cudaMalloc"), "cudaMalloc");
  EXPECT_EQ(replaced("cuInit", "cuInit"), "cuInit");
  EXPECT_EQ(replaced("cuInit", "cuDeviceGet"), "") << "nobody calls it";
  EXPECT_EQ(replaced("cuCtxCreate_v2", "cuCtxCreate_v2"), "")
      << "nothing is known of it";
  EXPECT_EQ(replaced("__wrap_cuInit", "x"), "__wrap_cuInit");
}

TEST(HostLibrary, KnowsWhatAllocates) {
  for (const char *name :
       {"malloc", "realloc", "_Znam", "_ZnwmSt11align_val_t"})
    EXPECT_TRUE(HostLibrary::allocates(name)) << name;
  for (const char *name : {"free", "cudaMallocHost", "mmap", "_ZdlPv"})
    EXPECT_FALSE(HostLibrary::allocates(name)) << name;
}

TEST(HostLibrary, KnowsItsNames) {
  HostLibrary library;
  for (const char *name :
       {"printf",
        "malloc",
        "pthread_create",
        "__isoc23_strtol",
        "_Znwm",
        "_ZdlPvm",
        "_ZSt4cout",
        "_ZNSolsEi",
        "_ZNSt6thread4joinEv",
        "_ZNKSt6vectorIiSaIiEE4sizeEv",
        "_ZTVN10__cxxabiv117__class_type_infoE",
        "_ZTISt9exception",
        "_ZTIi",
        "_ZTIPKc",
        "_ZnwmRKSt9nothrow_t",
        "_ZdaPvSt11align_val_t",
        "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED1Ev",
        "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4findEPKcm",
        "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc",
        "_ZSt24__throw_out_of_range_fmtPKcz",
        "_ZNSt13basic_filebufIcSt11char_traitsIcEE8overflowEi",
        "_ZNSt8ios_base4InitC1Ev",
        "_ZSt14__convert_to_vIdEvPKcRT_RSt12_Ios_IostateRKP15__locale_struct",
        "__cxa_throw",
        "stderr",
        "__gxx_personality_v0",
        "_ZNSt6chrono3_V212system_clock3nowEv",
        "nextafter",
        "nextafterf",
        "nextafterf32x",
        "__signbitl",
        "cexpl",
        "__powf_finite",
        "__memcpy_chk",
        "__isoc99_wscanf",
        "pthread_once",
        "__pthread_key_create",
        "__libc_single_threaded",
        "__divti3",
        "__muldc3",
        "__fixunsxfti",
        "__extenddftf2",
        "__atomic_compare_exchange",
        "_ZTv0_n24_NSoD1Ev",
        "_ZThn16_NSdD0Ev",
        "_ZTWSt11__once_call",
        "_ZTIDn",
        "_ZTIPKDu",
        "__dynamic_cast",
        "_ZNK11__gnu_debug16_Error_formatter8_M_errorEv"})
    EXPECT_TRUE(library.contains(name)) << name;
  for (const char *name :
       {"dlsym",
        "dlopen",
        "ioctl",
        "syscall",
        "cublasSgemm_v2",
        "MPI_Send",
        "cudaMalloc",
        "_Z3fooSt6vectorIiE",
        "_ZSt4swapI4UserEvRT_S2_",
        "_ZNKSt4hashI4UserEclES0_",
        "_ZNSt6vectorI4UserSaIS0_EE9push_backERKS0_",
        "_ZTVSt6vectorI4UserSaIS0_EE",
        "_ZStlsI4UserEvT_",
        "_ZNSt17_Function_handlerIFvvEZ4mainEUlvE_E9_M_invokeERKSt9_Any_data",
        "_ZnwmR4User",
        "_ZlsRSoi",
        "_Z2tmi",
        "_Z4initSs",
        "_Z8timespecIiEvT_",
        "_ZN3std3fooEv",
        "_ZN5Thing3runEv",
        "_ZTI5Thing",
        "_ZTV5Thing",
        "main",
        "",
        "_Z",
        "_ZN",
        "_ZTI",
        "__",
        "_ZTv0_n24_N5ThingD1Ev",
        "_ZTh",
        "_ZTv",
        "_ZTW5thing",
        "_ZTID",
        "__dlsym",
        "__cudaPopCallConfiguration",
        "nextafterx",
        "launchf",
        "printff",
        "__launch3",
        "__launchdi",
        "__Launchdi3",
        "fixdi",
        "__tgt_target_kernel",
        "printf_chk",
        "dlsym_chk",
        "__dlopen_chk"})
    EXPECT_FALSE(library.contains(name)) << name;
}

} // namespace
