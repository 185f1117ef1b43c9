//===- VisibilityPropagate.cpp - Liveness over host and device ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: keep what the output needs and nothing else, on both sides at once.
//
//   int main() { f<<<1, 1>>>(); }      main -> stub of f -> kernel f -> helper
//   void unused() { g<<<1, 1>>>(); }   unused, stub of g, g: dead
//
// 1. findRoots: host definitions that native code, the dynamic linker, the
//    runtime or assembly can name: by the linker's resolutions, llvm.used,
//    constructors, sections reached by __start_/__stop_ symbols. Kernels are
//    not roots: a kernel is live if its stub is, that is, if some live host
//    code launches it or holds its handle. A stub that the dynamic linker can
//    see is itself a root, so shared libraries keep their kernels. What native
//    device code uses is a root, too.
// 2. markLive: reachability over the call graph, linear.
// 3. checkDeviceProgram (ipa/symbols/DeviceCheckPropagate.cpp): symbols that
//    live device code uses must be defined.
//
// Limits: for dlsym, only exported symbols count as reachable; section-grouped
// metadata is kept completely.
//
//===----------------------------------------------------------------------===//

#include "ipa/symbols/DeviceCheck.h"
#include "ipa/symbols/Visibility.h"
#include "summary/CombinedModule.h"
#include "summary/WpaContext.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace gpulto {

/// Returns whether something that is not bitcode of this link can name the
/// host definition \p id.
static bool isVisibleOutside(const WpaContext &context, GlobalId id) {
  const SymbolRecord &symbol = context.program.symbol(id);
  if (symbol.has(kUsed) || symbol.has(kCompilerUsed) ||
      symbol.has(kAssemblyReferenced))
    return true;
  if (symbol.isLocal())
    return false;
  if (context.isRelocatable)
    return true;
  uint8_t resolution = context.program.resolution(id);
  return resolution & (kVisibleToRegular | kLinkerRedefined);
}

/// But for native device code, an image is a closed program: only the driver
/// and the runtime look in, by the names of kernels and registered variables.
static bool isVisibleToHost(const SymbolRecord &symbol) {
  return symbol.has(kKernel) || symbol.has(kExternallyInitialized) ||
         symbol.has(kManaged);
}

static void markLive(WpaContext &context, SmallVectorImpl<GlobalId> &worklist) {
  BitVector &live = context.decisions.live;
  while (!worklist.empty()) {
    GlobalId id = worklist.pop_back_val();
    if (live.test(id))
      continue;
    live.set(id);
    for (const GraphEdge &edge : context.graph.edges(id))
      if (!live.test(edge.target))
        worklist.push_back(edge.target);
  }
}

/// Returns the definitions of constructors and destructors that run. An entry
/// goes with the COMDAT group or the variable that it initializes.
static void addStructors(const CombinedSummary &program,
                         SmallVectorImpl<GlobalId> &roots) {
  for (auto [m, module] : enumerate(program.modules()))
    for (const StructorRecord &structor : module.summary.structors)
      if (GlobalId id = program.liveStructor(m, structor); id != kNone)
        roots.push_back(id);
}

static void findRoots(WpaContext &context, SmallVectorImpl<GlobalId> &roots) {
  const CombinedSummary &program = context.program;
  for (GlobalId id = 0; id < program.symbolCount(); ++id) {
    if (program.definition(id) != id)
      continue;
    const SymbolRecord &symbol = program.symbol(id);
    if (program.imageOf(id) != kHostImage) {
      bool isNativelyUsed = program.isNativelyUsed(id);
      if (isVisibleToHost(symbol) || isNativelyUsed)
        context.decisions.visibleOutside.set(id);
      if (symbol.has(kUsed) || isNativelyUsed)
        roots.push_back(id);
      continue;
    }
    bool visible = isVisibleOutside(context, id);
    if (visible)
      context.decisions.visibleOutside.set(id);
    if (visible || symbol.has(kHasSection))
      roots.push_back(id);
  }
  addStructors(program, roots);
}

Error findVisible(WpaContext &context) {
  context.decisions.live.clear();
  context.decisions.live.resize(context.program.symbolCount());
  context.decisions.visibleOutside.resize(context.program.symbolCount());
  SmallVector<GlobalId, 0> worklist;
  findRoots(context, worklist);
  markLive(context, worklist);
  return checkDeviceProgram(context);
}

} // namespace gpulto
