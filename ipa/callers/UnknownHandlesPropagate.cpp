//===- UnknownHandlesPropagate.cpp - Handles that nobody follows (WPA) ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: know the launches of a kernel whose handle went into memory.
//
//   std::map<std::string, std::function<Kernel()>> ops;    relu's handle is
//   lost ops[name]()<<<grid, 128>>>(p, n);                      but may be here
//
// Where all code is seen, a handle that is lost can only be launched where some
// handle is not known. That needs no knowledge of memory.
//
// All code is seen if there is none that findUnseenCode() names, and if the
// program uses nothing of CUDA but functions that are known, and known to
// launch nothing by handles but what LGEN lists: no nodes of graphs, no
// function handles of the driver, no launch function through its address.
//
// Linear in the symbols of the host, and in the calls of modules that name
// functions for attributes.
//
//===----------------------------------------------------------------------===//

#include "ipa/callers/UnknownHandles.h"
#include "ipa/runtime/CudaRuntime.h"
#include "ipa/runtime/UnseenCode.h"
#include "summary/CombinedModule.h"
#include "support/Parallel.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace gpulto {

/// Returns what is known of the function \p name of CUDA; null also for other
/// names, of which there are many more.
static const RuntimeFunction *ofCuda(StringRef name) {
  return isRuntimeName(name) || isDriverName(name) ? findRuntimeFunction(name)
                                                   : nullptr;
}

/// Whether the host's function \p name, which nothing here defines, may launch
/// kernels by handles in ways that no LaunchSite shows.
static bool mayLaunchUnseen(StringRef name) {
  if (!isRuntimeName(name) && !isDriverName(name))
    return false;
  constexpr uint32_t kOtherWays =
      RuntimeFunction::AddsKernelNode | RuntimeFunction::AddsAnyNode |
      RuntimeFunction::AsksForNodes | RuntimeFunction::AsksForKernel |
      RuntimeFunction::LooksUp;
  const RuntimeFunction *function = findRuntimeFunction(name);
  return !function || (function->roles & kOtherWays);
}

static bool isLaunchFunction(StringRef name) {
  const RuntimeFunction *function = ofCuda(name);
  return function &&
         (function->launch || function->has(RuntimeFunction::PushesLaunch) ||
          function->has(RuntimeFunction::PopsLaunch));
}

bool areLaunchesSeen(const WpaContext &context) {
  const CombinedSummary &program = context.program;
  if (!context.replacedRuntime.empty() || !findUnseenCode(context).empty())
    return false;
  return none_of(program.images()[kHostImage].modules, [&](ModuleIndex m) {
    const ModuleSummary &module = program.modules()[m].summary;
    return any_of(module.symbols,
                  [](const SymbolRecord &symbol) {
                    return symbol.isDeclaration() &&
                           mayLaunchUnseen(symbol.name);
                  }) ||
           any_of(module.references, [&](const ReferenceEdge &edge) {
             return isLaunchFunction(module.symbols[edge.symbol].name);
           });
  });
}

/// Returns what \p function, or null, does with a kernel that it gets.
static ReferenceFlags useOf(const RuntimeFunction *function) {
  if (!function)
    return 0;
  return function->handleUse |
         (function->has(RuntimeFunction::AsksForKernel) ? kSetsHandle : 0);
}

/// Returns usesOfUnknownHandles() in the definition \p user of the host.
static ReferenceFlags usesIn(const CombinedSummary &program, GlobalId user) {
  const ModuleSummary &module = program.moduleRef(user).summary;
  const VariableSummary *variable = program.variable(user);
  const FunctionSummary *function = program.function(user);
  if (!function && !variable)
    return 0;
  ReferenceFlags uses = 0;
  for (const ReferenceEdge &edge :
       slice(module.references,
             function ? function->references : variable->references))
    uses |= useOf(ofCuda(module.symbols[edge.symbol].name));
  if (!function)
    return uses;
  for (const CallEdge &call : slice(module.calls, function->calls)) {
    const RuntimeFunction *runtime =
        call.callee == kNone ? nullptr
                             : ofCuda(module.symbols[call.callee].name);
    if (!useOf(runtime))
      continue;
    ArrayRef<JumpFunction> arguments =
        slice(module.jumpFunctions, call.arguments);
    if (runtime->has(RuntimeFunction::AsksForKernel) ||
        size_t(runtime->handle) >= arguments.size() ||
        arguments[runtime->handle].kind != JumpFunction::Kind::SymbolAddress)
      uses |= useOf(runtime);
  }
  return uses;
}

ReferenceFlags usesOfUnknownHandles(const WpaContext &context) {
  const CombinedSummary &program = context.program;
  // Few modules name such a function.
  std::vector<ModuleIndex> modules = collectInPieces<ModuleIndex>(
      context.threads, program.modules().size(),
      [&](size_t m, std::vector<ModuleIndex> &found) {
        if (any_of(program.modules()[m].summary.symbols,
                   [](const SymbolRecord &symbol) {
                     return useOf(ofCuda(symbol.name)) != 0;
                   }))
          found.push_back(m);
      });
  ReferenceFlags uses = 0;
  for (ModuleIndex m : modules) {
    const CombinedModule &module = program.modules()[m];
    for (GlobalId id = module.firstSymbol;
         id < module.firstSymbol + module.summary.symbols.size(); ++id)
      if (program.imageOf(id) == kHostImage && program.definition(id) == id &&
          context.decisions.live.test(id))
        uses |= usesIn(program, id);
  }
  return uses;
}

} // namespace gpulto
