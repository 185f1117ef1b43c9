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
#include "ipa/HostLibrary.def"
  };
  for (StringRef name : kNames)
    names.insert(name);
}

/// Whether \p name is mangled and of namespace std, of the language's run-time
/// support or of a built-in type. Source: Itanium C++ ABI, 5.1.
static bool isOfCxxLibrary(StringRef name) {
  if (name.starts_with("__cxa_") || name.starts_with("_Unwind_") ||
      name.starts_with("__gxx_personality_"))
    return true;
  if (!name.consume_front("_Z"))
    return false;
  for (StringRef allocation : {"nw", "na", "dl", "da"})
    if (name.starts_with(allocation))
      return true;
  bool isTypeInfo = false;
  for (StringRef special : {"TV", "TT", "TI", "TS", "GV"})
    if (name.consume_front(special)) {
      isTypeInfo = true;
      break;
    }
  if (isTypeInfo && name.ltrim("PK").size() == 1)
    return isLower(name.back()); // of int, char const *, ...
  if (name.consume_front("N"))
    name = name.ltrim("rVKRO");
  if (name.starts_with("10__cxxabiv1") || name.starts_with("9__gnu_cxx"))
    return true;
  return name.size() > 1 && name[0] == 'S' &&
         StringRef("tabsiod").contains(name[1]);
}

bool HostLibrary::contains(StringRef name) const {
  if (isOfCxxLibrary(name))
    return true;
  for (StringRef standard : {"__isoc99_", "__isoc23_"})
    if (name.consume_front(standard))
      break;
  return names.contains(name);
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
      symbol.name != "main" && !library.contains(symbol.name))
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
  const FunctionSummary *function = program.function(user);
  uint32_t line = function ? function->line : 0;
  checkNative(id, user, line);
  StringRef name = program.symbol(id).name;
  std::optional<RuntimeFunction> known = runtimeFunction(name);
  if (known && (known->launches || known->stream != RuntimeFunction::kNone ||
                name == "cudaSetDevice"))
    fail("the address of '" + name.str() + "' is used", user, line);
}

/// Whether an argument of \p call, which stands in \p body, is 0 or null.
bool DeviceOrder::isZero(const BodyLattice &body, const CallEdge &call,
                         unsigned argument) const {
  ArrayRef<JumpFunction> actuals =
      slice(program.moduleRef(body.id).summary.jumpFunctions, call.arguments);
  if (argument >= actuals.size())
    return false;
  ValueLattice value = solver.valueOf(body, actuals[argument]);
  return value.isConstant() && value.value() == 0;
}

void DeviceOrder::checkCall(const BodyLattice &body, const CallEdge &call) {
  if (call.callee == kNone ||
      program.definitionFor(body.id, call.callee) != kNone)
    return;
  GlobalId id = program.moduleRef(body.id).firstSymbol + call.callee;
  checkNative(id, body.id, call.line);
  StringRef name = program.symbol(id).name;
  if (name == "cudaSetDevice" && !isZero(body, call, 0))
    fail("the program may use several devices", body.id, call.line);
  std::optional<RuntimeFunction> known = runtimeFunction(name);
  if (!known || known->stream == RuntimeFunction::kNone)
    return;
  ++copies;
  if (!isZero(body, call, known->stream))
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
