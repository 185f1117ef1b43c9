//===- GraphsPropagate.cpp - What becomes of graphs of kernels (WPA) ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: know whether a kernel in a graph may run with arguments other than
// those with which it was launched or added.
//
//   cudaStreamEndCapture(stream, &graph); use(graph);   use: of a library
//
// Code that has the graph can get its nodes and set their parameters, or those
// of its instances. So changes require a function in bitcode that does so
// (mayChangeGraphs), or a graph and code that is neither seen nor part of the
// libraries of C, C++ and CUDA: functions that bitcode names and nothing here
// defines, and unseen code (mayHandOutGraphs). Unseen code may itself capture
// launches of bitcode: ipa/callers/CapturesPropagate.cpp. If the user promises
// that it leaves nodes unchanged, only bitcode counts.
//
// Linear in the symbols of the host.
//
//===----------------------------------------------------------------------===//

#include "ipa/callers/Graphs.h"
#include "ipa/runtime/CudaRuntime.h"
#include "ipa/runtime/HostLibrary.h"
#include "ipa/runtime/UnseenCode.h"
#include "summary/CombinedModule.h"

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

bool capturesLaunches(const CombinedSummary &program) {
  return mentions(program, endsCapture);
}

bool mayChangeGraphs(const CombinedSummary &program) {
  return mentions(program, changesGraphs);
}

static bool makesGraphs(const CombinedSummary &program) {
  return capturesLaunches(program) || mentions(program, addsToGraphs);
}

/// Whether \p name is of CUDA's libraries or of ours.
static bool isOfRuntime(StringRef name) {
  return name.starts_with("__gpulto_") || isRuntimeName(name) ||
         isDriverName(name);
}

bool mayHandOutGraphs(const WpaContext &context) {
  const CombinedSummary &program = context.program;
  if (context.options.areNodesUnchanged || !makesGraphs(program))
    return false;
  if (!findUnseenCode(context).empty())
    return true;
  HostLibrary library;
  for (GlobalId id = 0; id < program.symbolCount(); ++id) {
    const SymbolRecord &symbol = program.symbol(id);
    if (program.imageOf(id) == kHostImage && symbol.isDeclaration() &&
        program.definition(id) == kNone && !symbol.name.starts_with("llvm.") &&
        !isOfRuntime(symbol.name) && !library.contains(symbol.name))
      return true;
  }
  return false;
}

} // namespace gpulto
