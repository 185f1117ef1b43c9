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
// 1. Inputs: no unseen code except the system's (findUnseenCode), no device
//    code of other compilers (checkInputs). So no other code calls in or has
//    our variables.
// 2. Everything that host code calls or mentions without a body in this link
//    belongs to the C or C++ library or is a function of
//    ipa/runtime/CudaRuntime.def (checkNative, checkMention). Those that work
//    in a stream get the null stream (checkCall), and so does each launch
//    (checkHostBody). There is one device: cudaSetDevice gets 0.
// 3. Device code launches nothing (checkDeviceBody).
//
// Everything else fails the whole program: what an unknown function, a graph, a
// second stream or a peer does may be a write to any memory at any time. Other
// streams, and default streams of threads, do not matter to LastingMemory
// (isSeen): cudaFree waits for all of them, and functions that free in a stream
// (cudaFreeAsync) are unknown here.
//
// Linear in edges. It depends on the whole program, as the premise does: a
// first copy in another stream changes every kernel that relied on it.
//
// Why not per allocation? To prove that nothing writes an allocation while a
// kernel runs in another stream would need the order of host code between
// launches.
//
//===----------------------------------------------------------------------===//

#include "ipa/pointers/DeviceOrder.h"
#include "ipa/runtime/CudaRuntime.h"
#include "ipa/runtime/UnseenCode.h"
#include "summary/CombinedModule.h"
#include "summary/Remarks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

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
void DeviceOrder::fail(std::string text, GlobalId user,
                       const SourcePlace &place, Needed needed) {
  if (user != kNone)
    text += " (" + placeText(program, user, place) + ")";
  auto add = [&](std::string &first) {
    if (first.empty())
      first = text;
  };
  add(reason);
  if (needed != Needed::ForOrder)
    add(unseenReason);
  if (needed == Needed::ForAll)
    add(unknownReason);
}

void DeviceOrder::checkInputs() {
  if (std::string unseen = findUnseenCode(context); !unseen.empty())
    fail(std::move(unseen), kNone, {});
  for (ImageIndex image = 0; image < program.images().size(); ++image)
    if (image != kHostImage && program.hasNativeCode(image))
      fail("device code of another compiler is linked", kNone, {});
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
void DeviceOrder::checkNative(GlobalId id, GlobalId user,
                              const SourcePlace &place) {
  StringRef name = program.symbol(id).name;
  if (name.starts_with("llvm."))
    return;
  if (program.resolution(id) & kLinkerRedefined)
    return fail("the linker puts another in the place of '" + name.str() + "'",
                user, place);
  resets |= isRuntime(name, RuntimeFunction::Resets);
  if (!unknownReason.empty() || orderedFunction(name) || library.contains(name))
    return;
  bool isOfMemory = isRuntime(name, RuntimeFunction::Allocates) ||
                    isRuntime(name, RuntimeFunction::FreesInStream);
  fail("of '" + name.str() + "' it is not known what it has the device do",
       user, place,
       seenFunction(name) ? Needed::ForOrder
       : isOfMemory       ? Needed::ForOneDevice
                          : Needed::ForAll);
}

/// Checks that \p user may have the address of \p symbol.
void DeviceOrder::checkMention(GlobalId user, SymbolIndex symbol) {
  if (symbol == kNone || program.definitionFor(user, symbol) != kNone)
    return;
  GlobalId id = program.moduleRef(user).firstSymbol + symbol;
  if (program.symbol(id).isLocal())
    return; // a label in assembly
  const FunctionSummary *function = program.function(user);
  SourcePlace place = function ? function->place : SourcePlace();
  checkNative(id, user, place);
  StringRef name = program.symbol(id).name;
  const RuntimeFunction *known = orderedFunction(name);
  if (known && (known->order == RuntimeFunction::InLaunch ||
                known->stream != RuntimeFunction::kNone ||
                known->has(RuntimeFunction::ChoosesDevice)))
    fail("the address of '" + name.str() + "' is used", user, place);
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
  checkNative(id, body.id, call.place);
  const RuntimeFunction *known = orderedFunction(name);
  if (!known)
    return;
  if (known->has(RuntimeFunction::ChoosesDevice) && !isNumber(body, call, 0, 0))
    fail("the program may use several devices", body.id, call.place,
         Needed::ForOneDevice);
  if (known->stream == RuntimeFunction::kNone)
    return;
  ++copies;
  if (!isNumber(body, call, known->stream, 0))
    fail("'" + name.str() + "' is not proven to be in the default stream",
         body.id, call.place, Needed::ForOrder);
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
           launch.place, Needed::ForOrder);
  }
}

/// A kernel that launches kernels, or copies, does so in streams of its own.
void DeviceOrder::checkDeviceBody(GlobalId id) {
  const ModuleSummary &module = program.moduleRef(id).summary;
  const FunctionSummary &function = *program.function(id);
  constexpr uint8_t kSharedSpace = 3; // NVPTX: of a block, nobody else's
  auto check = [&](SymbolIndex symbol, const SourcePlace &place) {
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
      fail("device code uses '" + name.str() + "'", id, place);
  };
  for (const CallEdge &call : slice(module.calls, function.calls))
    check(call.callee, call.place);
  for (const ReferenceEdge &edge :
       slice(module.references, function.references))
    check(edge.symbol, function.place);
}

} // namespace gpulto
