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
// 1. Inputs: no code that is not seen but the system's (findUnseenCode), no
//    device code of other compilers (checkInputs). So nobody else calls in or
//    has our variables.
// 2. Whatever host code calls or mentions without a body in this link is of the
//    C or C++ library or a function of ipa/runtime/CudaRuntime.def
//    (checkNative, checkMention); those that work in a stream get the null
//    stream (checkCall), and so does each launch (checkHostBody). One device:
//    cudaSetDevice gets 0.
// 3. Device code launches nothing (checkDeviceBody).
//
// Everything else fails the whole program: what an unknown function, a graph, a
// second stream or a peer does may be a write to any memory at any time. Who
// asks only whether memory lasts does not mind other streams, and default
// streams of threads: cudaFree waits for all of them, and what frees in a
// stream (cudaFreeAsync) is not known (isSeen).
//
// Linear in edges. It depends on the whole program, as the premise does: a
// first copy in another stream changes every kernel that believed in it.
//
// Why not per allocation? That an allocation is written by nobody while a
// kernel runs in another stream needs the order of host code between launches.
//
//===----------------------------------------------------------------------===//

#include "ipa/pointers/DeviceOrder.h"
#include "ipa/runtime/CudaRuntime.h"
#include "ipa/runtime/UnseenCode.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include <cstdlib>
#include <memory>
#include <optional>

using namespace llvm;

namespace gpulto {

//===----------------------------------------------------------------------===//
// The CUDA runtime
//===----------------------------------------------------------------------===//

/// Returns what is known of the function \p name of the runtime, if all that it
/// has the device do is in a default stream or in one that it is given.
static const RuntimeFunction *seenFunction(StringRef name) {
  const RuntimeFunction *function = findRuntimeFunction(name);
  return function && (function->order != RuntimeFunction::Unknown ||
                      function->stream != RuntimeFunction::kNone)
             ? function
             : nullptr;
}

/// As seenFunction(), if the default stream is that of all threads.
static const RuntimeFunction *orderedFunction(StringRef name) {
  const RuntimeFunction *function = seenFunction(name);
  return function && !function->isPerThread ? function : nullptr;
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
void DeviceOrder::fail(std::string text, GlobalId user, uint32_t line,
                       Needed needed) {
  bool isFirstUnseen = needed == Needed::ForAll && unseenReason.empty();
  if (!reason.empty() && !isFirstUnseen)
    return;
  if (user != kNone) {
    StringRef file = program.moduleRef(user).summary.sourceName;
    text += (" (" + sys::path::filename(file) +
             (line ? ":" + Twine(line) : "") + ")")
                .str();
  }
  if (isFirstUnseen)
    unseenReason = text;
  if (reason.empty())
    reason = std::move(text);
}

void DeviceOrder::checkInputs() {
  if (std::string unseen = findUnseenCode(context); !unseen.empty())
    fail(std::move(unseen), kNone, 0);
  for (ImageIndex image = 0; image < program.images().size(); ++image)
    if (image != kHostImage && program.hasNativeCode(image))
      fail("device code of another compiler is linked", kNone, 0);
}

/// Variables may hold addresses of functions.
void DeviceOrder::checkDefinition(GlobalId id) {
  if (program.symbol(id).has(kRegistration))
    return;
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
  resets |= isRuntime(name, RuntimeFunction::Resets);
  if (unseenReason.empty() && !orderedFunction(name) && !library.contains(name))
    fail("of '" + name.str() + "' it is not known what it has the device do",
         user, line, seenFunction(name) ? Needed::ForOrder : Needed::ForAll);
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
  const RuntimeFunction *known = orderedFunction(name);
  if (known && (known->order == RuntimeFunction::InLaunch ||
                known->stream != RuntimeFunction::kNone ||
                known->has(RuntimeFunction::ChoosesDevice)))
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
  const RuntimeFunction *known = orderedFunction(name);
  if (!known)
    return;
  if (known->has(RuntimeFunction::ChoosesDevice) && !isNumber(body, call, 0, 0))
    fail("the program may use several devices", body.id, call.line);
  if (known->stream == RuntimeFunction::kNone)
    return;
  ++copies;
  if (!isNumber(body, call, known->stream, 0))
    fail("'" + name.str() + "' is not proven to be in the default stream",
         body.id, call.line, Needed::ForOrder);
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
           launch.line, Needed::ForOrder);
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
