//===- UnseenCodePropagate.cpp - Code that nobody sees (WPA) --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: know whether all code that runs in the process is in the summaries.
//
// The libraries of the system and of CUDA are believed to do what their
// documentation says, whatever this program's code is. Anybody else may call
// what it can name, use the device, and capture what is done on it.
//
// Not seen: what LD_PRELOAD, or a library's own dependencies, bring in without
// this link.
//
// Linear in the symbols of the host.
//
//===----------------------------------------------------------------------===//

#include "ipa/DeviceOrder.h"
#include "ipa/UnseenCode.h"

#include "llvm/Support/Path.h"

using namespace llvm;

namespace gpulto {

/// Returns what brings in code from module \p module of the host.
static std::string ofModule(const ModuleSummary &module) {
  std::string file =
      (" (" + sys::path::filename(module.sourceName) + ")").str();
  if (module.has(kHasModuleAsm) && !module.has(kModuleAsmIsPlain))
    return "a unit has assembly that nobody reads" + file;
  for (const SymbolRecord &symbol : module.symbols)
    if (symbol.isDeclaration() &&
        (symbol.name == "dlopen" || symbol.name == "dlmopen"))
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
  if (!context.foreignCode.empty())
    return context.foreignCode;
  for (ModuleIndex m : program.images()[kHostImage].modules)
    if (std::string found = ofModule(program.modules()[m].summary);
        !found.empty())
      return found;
  for (GlobalId id = 0; id < program.symbolCount(); ++id)
    if (isVisible(context, id))
      return "code outside of this link can name '" +
             program.symbol(id).name.str() + "' (" +
             sys::path::filename(program.moduleRef(id).summary.sourceName)
                 .str() +
             ")";
  return "";
}

} // namespace gpulto
