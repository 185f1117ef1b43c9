//===- GraphsPropagate.cpp - What becomes of graphs of kernels (WPA) ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: know whether a kernel in a graph may run with other arguments than
// those that it was launched or added with.
//
//   cudaStreamEndCapture(stream, &graph); use(graph);   use: of a library
//
// Whoever has the graph can ask for its nodes and set their parameters, or
// those of what was instantiated from it. So it takes a function that does so
// in bitcode (mayChangeGraphs), or a graph and anybody who is not seen and not
// of the libraries of C, C++ and CUDA: what bitcode names and nobody defines
// here, and who can name what bitcode defines (mayHandOutGraphs).
//
// Not seen: native code that captures launches of bitcode that it calls back.
//
// Linear in the symbols of the host.
//
//===----------------------------------------------------------------------===//

#include "ipa/DeviceOrder.h"
#include "ipa/Graphs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace gpulto {

/// Whether host bitcode mentions a function without body that \p isWanted.
static bool mentions(const CombinedSummary &program,
                     function_ref<bool(StringRef)> isWanted) {
  return any_of(program.images()[kHostImage].modules, [&](ModuleIndex m) {
    return any_of(program.modules()[m].summary.symbols,
                  [&](const SymbolRecord &symbol) {
                    return symbol.isDeclaration() && isWanted(symbol.name);
                  });
  });
}

bool isOfCapture(StringRef name) {
  return name.starts_with("cudaStreamEndCapture") ||
         name.starts_with("cuStreamEndCapture");
}

bool mayChangeGraphs(const CombinedSummary &program) {
  return mentions(program, [](StringRef name) {
    return (name.starts_with("cudaGraph") || name.starts_with("cuGraph")) &&
           (name.contains("Param") || name.contains("Update") ||
            name.contains("Attribute"));
  });
}

static bool makesGraphs(const CombinedSummary &program) {
  return mentions(program, [](StringRef name) {
    return isOfCapture(name) || name.starts_with("cudaGraphAdd") ||
           name.starts_with("cuGraphAdd");
  });
}

/// Whether \p name is of CUDA's libraries or of ours.
static bool isOfRuntime(StringRef name) {
  return name.starts_with("__gpulto_") || name.starts_with("cuda") ||
         name.starts_with("__cuda") ||
         (name.starts_with("cu") && name.size() > 2 && isUpper(name[2]));
}

/// Whether \p id, of the host, is code or data of others, or is named by them.
static bool isShared(const WpaContext &context, const HostLibrary &library,
                     GlobalId id) {
  const CombinedSummary &program = context.program;
  const SymbolRecord &symbol = program.symbol(id);
  StringRef name = symbol.name;
  if (program.definition(id) == kNone)
    return symbol.isDeclaration() && !name.starts_with("llvm.") &&
           !isOfRuntime(name) && !library.contains(name);
  constexpr uint8_t kSeen = kVisibleToRegular | kLinkerRedefined;
  return program.definition(id) == id && context.decisions.live.test(id) &&
         !symbol.isLocal() && !symbol.has(kRegistration) &&
         (program.resolution(id) & kSeen) && name != "main" &&
         !HostLibrary::isOfCxx(name);
}

bool mayHandOutGraphs(const WpaContext &context) {
  const CombinedSummary &program = context.program;
  if (!makesGraphs(program))
    return false;
  if (!context.foreignCode.empty() || context.isRelocatable)
    return true;
  HostLibrary library;
  for (GlobalId id = 0; id < program.symbolCount(); ++id)
    if (program.imageOf(id) == kHostImage && isShared(context, library, id))
      return true;
  return false;
}

} // namespace gpulto
