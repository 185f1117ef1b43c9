//===- DeviceOrderPropagate.cpp - Device work one after another (WPA) -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: know that nothing else runs on the device while a kernel does.
//
//   k<<<g, b>>>(p); cudaMemcpy(q, p, n, ...); k<<<g, b>>>(q);
//   -> one after another: all of it is in the legacy default stream, which
//      orders the work of all threads of a process
//
// 1. Inputs: no native code but the system's, no device code of other
//    compilers, no assembly that is more than names (checkInputs).
// 2. Nobody else calls in or has our variables: nothing but `main`, and what
//    the C++ library brings, is visible outside (checkDefinition).
// 3. Whatever host code calls or mentions without a body in this link is of the
//    C or C++ library or a function of ipa/RuntimeFunctions.def (checkNative,
//    checkMention); those that work in a stream get the null stream
//    (checkCall), and so does each launch (checkHostBody). One device:
//    cudaSetDevice gets 0.
// 4. Device code launches nothing (checkDeviceBody).
//
// Everything else fails the whole program: what an unknown function, a graph, a
// second stream or a peer does may be a write to any memory at any time.
//
// Linear in edges. It depends on the whole program, as the premise does: a
// first copy in another stream changes every kernel that believed in it.
//
// Why not per allocation? That an allocation is written by nobody while a
// kernel runs in another stream needs the order of host code between launches.
//
//===----------------------------------------------------------------------===//

#include "ipa/DeviceOrder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"

#include <optional>

using namespace llvm;

namespace gpulto {

//===----------------------------------------------------------------------===//
// The C and C++ library
//===----------------------------------------------------------------------===//

HostLibrary::HostLibrary() {
  static constexpr StringLiteral kNames[] = {
#define HOST_LIBRARY(name) #name,
#define HOST_MATH(name) #name,
#include "ipa/HostLibrary.def"
  };
  for (StringRef name : kNames)
    names.insert(name);
  static constexpr StringLiteral kMath[] = {
#define HOST_MATH(name) #name,
#include "ipa/HostLibrary.def"
  };
  for (StringRef name : kMath)
    for (StringRef type : {"f", "l", "f32", "f64", "f128", "f32x", "f64x"})
      names.insert((name + type).str());
}

/// Removes what stands before the name of a function in that of a thunk of it.
/// Source: Itanium C++ ABI, 5.1.4.1, `<call-offset>`.
static void dropThunk(StringRef &name) {
  if (!name.starts_with("Th") && !name.starts_with("Tv"))
    return;
  for (unsigned offsets = name[1] == 'v' ? 2 : 1; offsets; --offsets)
    name = name.split('_').second;
}

/// Whether \p name is mangled and of namespace std, of the language's run-time
/// support or of a built-in type. Source: Itanium C++ ABI, 5.1.
bool HostLibrary::isOfCxx(StringRef name) {
  if (name.starts_with("__cxa_") || name.starts_with("_Unwind_") ||
      name.starts_with("__gxx_personality_"))
    return true;
  if (!name.consume_front("_Z"))
    return false;
  for (StringRef allocation : {"nw", "na", "dl", "da"})
    if (name.starts_with(allocation))
      return true;
  dropThunk(name);
  bool isTypeInfo = false;
  for (StringRef special : {"TV", "TT", "TI", "TS", "TH", "TW", "GV"})
    if (name.consume_front(special)) {
      isTypeInfo = true;
      break;
    }
  if (isTypeInfo) {
    StringRef type = name.ltrim("PK");
    type.consume_front("D"); // char8_t, decltype(nullptr), ...
    if (type.size() == 1)
      return isLower(type[0]); // of int, char const *, ...
  }
  if (name.consume_front("N"))
    name = name.ltrim("rVKRO");
  for (StringRef space :
       {"10__cxxabiv1", "9__gnu_cxx", "11__gnu_debug", "14__gnu_parallel"})
    if (name.starts_with(space))
      return true;
  return name.size() > 1 && name[0] == 'S' &&
         StringRef("tabsiod").contains(name[1]);
}

/// Whether \p name is what compilers call where the processor has no
/// instruction, by the types it is for: __divti3, __muldc3, __fixunsxfti.
/// Source: GCC Internals, "The GCC low-level runtime library".
static bool isOfCompiler(StringRef name) {
  if (!name.consume_front("__"))
    return false;
  if (name.starts_with("atomic_") || name.starts_with("sync_"))
    return true;
  bool isConversion = name.starts_with("fix") || name.starts_with("float");
  if (!isConversion && !StringRef("234").contains(name.take_back()))
    return false;
  name = name.rtrim("234");
  static constexpr StringLiteral kTypes[] = {"si", "di", "ti", "hf", "sf",
                                             "df", "xf", "tf", "hc", "sc",
                                             "dc", "xc", "tc"};
  return all_of(name, isLower) && is_contained(kTypes, name.take_back(2));
}

bool HostLibrary::contains(StringRef name) const {
  if (isOfCxx(name) || isOfCompiler(name) || names.contains(name))
    return true;
  bool isStandard =
      name.consume_front("__isoc99_") || name.consume_front("__isoc23_");
  if (!isStandard && name.consume_front("__") && !name.consume_back("_chk"))
    name.consume_back("_finite");
  return names.contains(name) || name.starts_with("pthread_");
}

//===----------------------------------------------------------------------===//
// The CUDA runtime
//===----------------------------------------------------------------------===//

namespace {
/// A row of ipa/RuntimeFunctions.def.
struct RuntimeFunction {
  static constexpr int kNone = -1;
  /// Argument that is the stream it works in.
  int stream = kNone;
  bool launches = false;
};
} // namespace

static std::optional<RuntimeFunction> runtimeFunction(StringRef name) {
  using Result = std::optional<RuntimeFunction>;
  return StringSwitch<Result>(name)
#define RUNTIME_FUNCTION(name) .Case(#name, RuntimeFunction{})
#define RUNTIME_STREAM_FUNCTION(name, argument)                                \
  .Case(#name, RuntimeFunction{argument, false})
#define RUNTIME_LAUNCH(name)                                                   \
  .Case(#name, RuntimeFunction{RuntimeFunction::kNone, true})
#include "ipa/RuntimeFunctions.def"
      .Default(std::nullopt);
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

DeviceOrder::DeviceOrder(const WpaContext &context, const Callers &callers,
                         const ConstantsSolver &solver)
    : context(context), program(context.program), solver(solver) {
  checkInputs();
  for (GlobalId id = 0; id < program.symbolCount(); ++id)
    if (program.imageOf(id) == kHostImage && program.definition(id) == id &&
        context.decisions.live.test(id))
      checkDefinition(id);
  for (GlobalId id : callers.bodies())
    if (program.imageOf(id) != kHostImage)
      checkDeviceBody(id);
  for (const BodyLattice &body : solver.bodies())
    if (body.isReached && program.imageOf(body.id) == kHostImage)
      checkHostBody(body);
}

/// Notes that a premise fails, if it is the first; \p user: where, or kNone.
void DeviceOrder::fail(std::string text, GlobalId user, uint32_t line) {
  if (!reason.empty())
    return;
  reason = std::move(text);
  if (user == kNone)
    return;
  StringRef file = program.moduleRef(user).summary.sourceName;
  reason +=
      (" (" + sys::path::filename(file) + (line ? ":" + Twine(line) : "") + ")")
          .str();
}

void DeviceOrder::checkInputs() {
  if (context.isRelocatable)
    fail("other code is going to be linked to this", kNone, 0);
  if (!context.foreignCode.empty())
    fail(context.foreignCode, kNone, 0);
  for (ImageIndex image = 0; image < program.images().size(); ++image)
    if (image != kHostImage && program.hasNativeCode(image))
      fail("device code of another compiler is linked", kNone, 0);
  for (ModuleIndex m : program.images()[kHostImage].modules) {
    const ModuleSummary &module = program.modules()[m].summary;
    if (module.has(kHasModuleAsm) && !module.has(kModuleAsmIsPlain))
      fail("a unit has assembly that nobody reads (" +
               sys::path::filename(module.sourceName).str() + ")",
           kNone, 0);
  }
}

/// Code outside of this link may call, or read, what it can name; variables
/// may hold addresses of functions.
void DeviceOrder::checkDefinition(GlobalId id) {
  const SymbolRecord &symbol = program.symbol(id);
  constexpr uint8_t kSeen = kVisibleToRegular | kLinkerRedefined;
  if (symbol.has(kRegistration))
    return;
  if (!symbol.isLocal() && (program.resolution(id) & kSeen) &&
      symbol.name != "main" && !HostLibrary::isOfCxx(symbol.name))
    fail("code outside of this link can name '" + symbol.name.str() + "'", id,
         0);
  if (const VariableSummary *variable = program.variable(id))
    for (const ReferenceEdge &edge :
         slice(program.moduleRef(id).summary.references, variable->references))
      checkMention(id, edge.symbol);
}

/// Checks \p id, a symbol without a definition in this link that \p user
/// mentions.
void DeviceOrder::checkNative(GlobalId id, GlobalId user, uint32_t line) {
  StringRef name = program.symbol(id).name;
  if (name.starts_with("llvm."))
    return;
  if (program.resolution(id) & kLinkerRedefined)
    return fail("the linker puts another in the place of '" + name.str() + "'",
                user, line);
  resets |= name == "cudaDeviceReset" || name == "cudaThreadExit";
  if (!runtimeFunction(name) && !library.contains(name))
    fail("of '" + name.str() + "' it is not known what it has the device do",
         user, line);
}

/// Checks that \p user may have the address of \p symbol.
void DeviceOrder::checkMention(GlobalId user, SymbolIndex symbol) {
  if (symbol == kNone || program.definitionFor(user, symbol) != kNone)
    return;
  GlobalId id = program.moduleRef(user).firstSymbol + symbol;
  if (program.symbol(id).isLocal())
    return; // a label in assembly
  const FunctionSummary *function = program.function(user);
  uint32_t line = function ? function->line : 0;
  checkNative(id, user, line);
  StringRef name = program.symbol(id).name;
  std::optional<RuntimeFunction> known = runtimeFunction(name);
  if (known && (known->launches || known->stream != RuntimeFunction::kNone ||
                name == "cudaSetDevice"))
    fail("the address of '" + name.str() + "' is used", user, line);
}

/// Whether an argument of \p call, which stands in \p body, is \p number, or
/// null if that is 0.
bool DeviceOrder::isNumber(const BodyLattice &body, const CallEdge &call,
                           unsigned argument, uint64_t number) const {
  ArrayRef<JumpFunction> actuals =
      slice(program.moduleRef(body.id).summary.jumpFunctions, call.arguments);
  if (argument >= actuals.size())
    return false;
  ValueLattice value = solver.valueOf(body, actuals[argument]);
  return value.isConstant() && value.value() == number;
}

void DeviceOrder::checkCall(const BodyLattice &body, const CallEdge &call) {
  if (call.callee == kNone ||
      program.definitionFor(body.id, call.callee) != kNone)
    return;
  GlobalId id = program.moduleRef(body.id).firstSymbol + call.callee;
  StringRef name = program.symbol(id).name;
  // C++20's waiting for an atomic, and all that is made of it.
  constexpr uint64_t kFutex = 202; // of Linux on x86-64
  if (name == "syscall" && isNumber(body, call, 0, kFutex))
    return;
  checkNative(id, body.id, call.line);
  if (name == "cudaSetDevice" && !isNumber(body, call, 0, 0))
    fail("the program may use several devices", body.id, call.line);
  std::optional<RuntimeFunction> known = runtimeFunction(name);
  if (!known || known->stream == RuntimeFunction::kNone)
    return;
  ++copies;
  if (!isNumber(body, call, known->stream, 0))
    fail("'" + name.str() + "' is not proven to be in the default stream",
         body.id, call.line);
}

void DeviceOrder::checkHostBody(const BodyLattice &body) {
  const ModuleSummary &module = program.moduleRef(body.id).summary;
  const FunctionSummary &function = *program.function(body.id);
  for (const CallEdge &call : slice(module.calls, function.calls))
    checkCall(body, call);
  for (const ReferenceEdge &edge :
       slice(module.references, function.references))
    checkMention(body.id, edge.symbol);
  for (const LaunchSite &launch : slice(module.launches, function.launches)) {
    ++launches;
    ValueLattice stream = solver.valueOf(
        body, slice(module.jumpFunctions, launch.geometry)[kStream]);
    if (!stream.isConstant() || stream.value() != 0)
      fail("a launch is not proven to be in the default stream", body.id,
           launch.line);
  }
}

/// A kernel that launches kernels, or copies, does so in streams of its own.
void DeviceOrder::checkDeviceBody(GlobalId id) {
  const ModuleSummary &module = program.moduleRef(id).summary;
  const FunctionSummary &function = *program.function(id);
  constexpr uint8_t kSharedSpace = 3; // NVPTX: of a block, nobody else's
  auto check = [&](SymbolIndex symbol, uint32_t line) {
    if (symbol == kNone || program.definitionFor(id, symbol) != kNone)
      return;
    static constexpr StringLiteral kKnown[] = {
        "vprintf", "malloc", "free", "__assertfail", "memcpy", "memset"};
    // Nobody defines `extern __shared__`: each launch says how large it is.
    if (module.symbols[symbol].addressSpace == kSharedSpace)
      return;
    StringRef name = module.symbols[symbol].name;
    if (!is_contained(kKnown, name) && !name.starts_with("llvm.") &&
        !name.starts_with("__nv_"))
      fail("device code uses '" + name.str() + "'", id, line);
  };
  for (const CallEdge &call : slice(module.calls, function.calls))
    check(call.callee, call.line);
  for (const ReferenceEdge &edge :
       slice(module.references, function.references))
    check(edge.symbol, function.line);
}

} // namespace gpulto
