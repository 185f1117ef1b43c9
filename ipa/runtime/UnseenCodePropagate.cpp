//===- UnseenCodePropagate.cpp - Code that nobody sees (WPA) --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: know whether all code that runs in the process is in the summaries.
//
// The libraries of the system and of CUDA are believed to do what their
// documentation says, whatever this program's code is. Any other code may call
// what it can name, use the device, and capture work on it.
//
// Not seen: code that LD_PRELOAD, NVTX's injection of a tool
// (NVTX_INJECTION64_PATH), or a library's own dependencies bring in without
// this link.
//
// Linear in the symbols of the host and their references.
//
//===----------------------------------------------------------------------===//

#include "ipa/runtime/HostLibrary.h"
#include "ipa/runtime/UnseenCode.h"
#include "summary/CombinedModule.h"
#include "summary/Remarks.h"

#include "llvm/Support/Path.h"

using namespace llvm;

namespace gpulto {

/// Whether \p name is a function of NVTX's headers, which CUB and Thrust
/// include. They load the tool that the environment names.
static bool isOfNvtx(StringRef name) {
  return name.starts_with("nvtx") && name.rtrim("0123456789").ends_with("_v");
}

static bool isLoader(const SymbolRecord &symbol) {
  return symbol.isDeclaration() &&
         (symbol.name == "dlopen" || symbol.name == "dlmopen");
}

/// Whether the body or initial value of \p id, or what it is an alias of,
/// refers to a function that loads libraries.
static bool refersToLoader(const CombinedSummary &program, GlobalId id) {
  const CombinedModule &module = program.moduleRef(id);
  auto isLoaderAt = [&](SymbolIndex used) {
    return used != kNone && isLoader(module.summary.symbols[used]);
  };
  auto isAnyReferred = [&](Range references) {
    return any_of(
        program.references(id, references),
        [&](const ReferenceEdge &edge) { return isLoaderAt(edge.symbol); });
  };
  if (const FunctionSummary *function = program.function(id))
    return any_of(
               program.calls(id),
               [&](const CallEdge &call) { return isLoaderAt(call.callee); }) ||
           isAnyReferred(function->references);
  if (const VariableSummary *variable = program.variable(id))
    return isAnyReferred(variable->references);
  // Its own module's target, even if another definition prevails.
  const AliasSummary *alias = program.alias(id);
  if (!alias || alias->target == kNone)
    return false;
  GlobalId target = module.firstSymbol + alias->target;
  return !program.alias(target) && refersToLoader(program, target);
}

/// Whether something in module \p m of the host that is live loads libraries.
static bool loadsLibraries(const WpaContext &context, ModuleIndex m) {
  const CombinedSummary &program = context.program;
  const CombinedModule &module = program.modules()[m];
  if (none_of(module.summary.symbols, isLoader))
    return false;
  return any_of(enumerate(module.summary.symbols), [&](const auto &entry) {
    GlobalId id = module.firstSymbol + entry.index();
    return program.definition(id) == id && context.decisions.live.test(id) &&
           !isOfNvtx(entry.value().name) && refersToLoader(program, id);
  });
}

/// Returns what brings in code from module \p m of the host.
static std::string ofModule(const WpaContext &context, ModuleIndex m) {
  const ModuleSummary &module = context.program.modules()[m].summary;
  std::string file =
      (" (" + sys::path::filename(module.sourceName) + ")").str();
  if (module.has(kHasModuleAsm) && !module.has(kModuleAsmIsPlain))
    return "a unit has assembly that nobody reads" + file;
  if (loadsLibraries(context, m))
    return "the program loads libraries" + file;
  return "";
}

/// Whether code outside of this link can name the definition \p id.
static bool isVisible(const WpaContext &context, GlobalId id) {
  const CombinedSummary &program = context.program;
  const SymbolRecord &symbol = program.symbol(id);
  constexpr uint8_t kSeen = kVisibleToRegular | kLinkerRedefined;
  return program.imageOf(id) == kHostImage && program.definition(id) == id &&
         context.decisions.live.test(id) && !symbol.isLocal() &&
         !symbol.has(kRegistration) && (program.resolution(id) & kSeen) &&
         symbol.name != "main" && !HostLibrary::isOfCxx(symbol.name);
}

std::string findUnseenCode(const WpaContext &context) {
  const CombinedSummary &program = context.program;
  if (context.isRelocatable)
    return "other code is going to be linked to this";
  if (!context.native.foreignCode.empty())
    return context.native.foreignCode;
  for (ModuleIndex m : program.images()[kHostImage].modules)
    if (std::string found = ofModule(context, m); !found.empty())
      return found;
  for (GlobalId id = 0; id < program.symbolCount(); ++id)
    if (isVisible(context, id))
      return "code outside of this link can name " + quotedName(program, id) +
             " (" + placeText(program, id, {}) + ")";
  return "";
}

} // namespace gpulto
