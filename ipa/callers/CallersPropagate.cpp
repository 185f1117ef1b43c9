//===- CallersPropagate.cpp - Functions with unknown callers --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: find the functions all of whose entries are edges of the summaries.
//
//   static void f(int n);  g() { f(3); }                 f: all callers known
//   void (*p)(int) = f;                                  f: address taken
//   __global__ void k(int n);  k<<<1, 32>>>(3);          k: all launches known
//   cudaGraphAddKernelNode(... {.func = (void *)k} ...)  k: all launches known,
//                                                        if no node may change
//
//   __global__ void parent() { k<<<1, 32>>>(3); }        k: all launches known
//   ops["k"] = [] { return k; };  ops[s]()<<<1, n>>>();  k: all launches known,
//                                                        if no code is unseen
//
//   cudaFuncSetAttribute(k, ...)                         k: all launches known
//   cudaOccupancyMaxActiveBlocks...(&n, k, ...)          k: queried, too
//
// A kernel's callers are the launches of its stubs, so it inherits their
// unknown callers, and launches by device code. A stub is special in only one
// way: a launch mentions it as its handle, which is not a use of its address
// (LGEN distinguishes the two).
//
//===----------------------------------------------------------------------===//

#include "ipa/callers/Callers.h"
#include "ipa/callers/Captures.h"
#include "ipa/callers/Graphs.h"
#include "ipa/callers/UnknownHandles.h"
#include "ipa/runtime/CudaRuntime.h"
#include "summary/CombinedModule.h"
#include "support/Parallel.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace gpulto {

namespace {
/// What a reason is called.
struct Words {
  StringRef key, sentence;
};
} // namespace

static Words wordsFor(UnknownCaller reason) {
  switch (reason) {
  case UnknownCaller::None:
    return {"none", "all are known"};
  case UnknownCaller::VisibleOutside:
    return {"visible-outside", "code outside of this link can name it"};
  case UnknownCaller::AddressTaken:
    return {"address-taken", "its address is taken"};
  case UnknownCaller::Aliased:
    return {"aliased", "it has an alias"};
  case UnknownCaller::Constructor:
    return {"constructor", "start-up code calls it"};
  case UnknownCaller::Library:
    return {"library", "code generation may call it"};
  case UnknownCaller::NoStub:
    return {"no-stub",
            "no host stub of this link launches it, nor does device code"};
  case UnknownCaller::Shared:
    return {"shared", "other functions jump to it"};
  case UnknownCaller::LookedUp:
    return {"looked-up", "the program looks kernels up by name"};
  case UnknownCaller::Replaced:
    return {
        "replaced",
        "the program has functions of its own in the place of the runtime's"};
  case UnknownCaller::InGraph:
    return {"in-graph",
            "the program asks for nodes of graphs, or changes them"};
  case UnknownCaller::Captured:
    return {"captured",
            "code that is not seen may capture and change one, which is not "
            "proven to be in the legacy default stream"};
  }
  return {};
}

StringRef describe(UnknownCaller reason) { return wordsFor(reason).sentence; }

StringRef keyOf(UnknownCaller reason) { return wordsFor(reason).key; }

GlobalId Callers::takenBy(GlobalId id) const {
  auto found = takers.find(id);
  return found == takers.end() ? kNone : found->second;
}

GlobalId Callers::deviceLauncherOf(GlobalId id) const {
  auto found = deviceLaunchers.find(id);
  return found == deviceLaunchers.end() ? kNone : found->second;
}

/// Whether the definition \p id, of whatever kind, is the one that uses mean.
bool Callers::isUnreplaceable(GlobalId id) const {
  const SymbolRecord &symbol = program.symbol(id);
  if (program.definition(id) != id)
    return false;
  if (symbol.isLocal() || program.imageOf(id) != kHostImage)
    return true;
  uint8_t resolution = program.resolution(id);
  return !context.isRelocatable && (resolution & kFinalDefinition) &&
         !(resolution & kLinkerRedefined);
}

bool Callers::isFinal(GlobalId id) const {
  return (program.function(id) || program.variable(id)) && isUnreplaceable(id);
}

bool Callers::isFinalAlias(GlobalId id) const {
  return program.alias(id) && isUnreplaceable(id);
}

GlobalId Callers::calleeOf(GlobalId user, SymbolIndex used) const {
  GlobalId id = program.definitionFor(user, used);
  if (id == kNone || program.function(id))
    return id;
  const AliasSummary *alias = program.alias(id);
  if (!alias || program.symbol(id).kind != SymbolKind::Alias ||
      alias->target == kNone || alias->offsetBytes || !isUnreplaceable(id))
    return kNone;
  // Its own module's, even if another definition prevails.
  GlobalId target = program.moduleRef(id).firstSymbol + alias->target;
  return program.function(target) ? target : GlobalId(kNone);
}

/// The first reason is kept.
void Callers::note(GlobalId id, UnknownCaller reason, GlobalId by) {
  if (reason == UnknownCaller::None ||
      reasons[id] != static_cast<uint8_t>(UnknownCaller::None))
    return;
  reasons[id] = static_cast<uint8_t>(reason);
  if (by != kNone)
    takers[id] = by;
}

void Callers::findBodies() {
  for (GlobalId id = 0; id < program.symbolCount(); ++id) {
    if (program.definition(id) != id || !context.decisions.live.test(id))
      continue;
    if (program.function(id))
      liveBodies.push_back(id);
    const AliasSummary *alias = program.alias(id);
    if (!alias || alias->target == kNone)
      continue;
    GlobalId own = program.moduleRef(id).firstSymbol + alias->target;
    GlobalId definition = program.definition(own);
    if (definition == own)
      note(own, UnknownCaller::Aliased);
    else if (program.function(own)) {
      liveBodies.push_back(own);
      note(own, UnknownCaller::Aliased);
    }
    // Uses of a name that an alias and another definition share.
    if (definition != kNone)
      note(definition, UnknownCaller::Aliased);
  }
  llvm::sort(liveBodies);
  liveBodies.erase(llvm::unique(liveBodies), liveBodies.end());
  bodyIndices.assign(program.symbolCount(), kNone);
  for (auto [i, id] : enumerate(liveBodies))
    bodyIndices[id] = i;
}

void Callers::findCallees() {
  firstCall.reserve(liveBodies.size() + 1);
  firstCall.push_back(0);
  for (GlobalId id : liveBodies)
    firstCall.push_back(firstCall.back() + program.function(id)->calls.count);
  callees.resize(firstCall.back());
  callFlags.resize(firstCall.back());
  auto visit = [&](size_t place, std::vector<uint32_t> &aliased) {
    GlobalId id = liveBodies[place];
    for (auto [i, call] : enumerate(program.calls(id))) {
      GlobalId callee = calleeOf(id, call.callee);
      uint32_t position = firstCall[place] + i;
      callFlags[position] = call.flags;
      callees[position] = callee == kNone ? kNone : bodyIndices[callee];
      if (callee != kNone && callee != program.definitionFor(id, call.callee))
        aliased.push_back(position);
    }
  };
  for (uint32_t position :
       collectInPieces<uint32_t>(context.threads, liveBodies.size(), visit))
    byAlias.insert(position);
}

void Callers::findKernelModules() {
  kernelModules.resize(program.modules().size());
  for (GlobalId id = 0; id < program.symbolCount(); ++id)
    if (GlobalId definition = program.definition(id);
        definition != kNone && (program.has(definition, kKernelStub) ||
                                program.has(definition, kKernel)))
      kernelModules.set(program.moduleOf(id));
}

/// Whether a launch of \p user, device code, names \p kernel.
static bool launchesFromDevice(const CombinedSummary &program, GlobalId user,
                               GlobalId kernel) {
  if (!program.has(kernel, kKernel))
    return false;
  return any_of(program.launches(user), [&](const LaunchSite &launch) {
    return launch.kind == LaunchKind::Device &&
           program.definitionFor(user, launch.stub) == kernel;
  });
}

/// Every reference to a function is a use of its address, except for a launch's
/// mention of its stub or kernel, which only reads, and for uses of a handle
/// that is followed.
void Callers::noteReferences(GlobalId user, Range references, bool isFunction) {
  bool isVirtualTable =
      !isFunction && program.has(user, kAddressInsignificantByLanguage);
  for (const ReferenceEdge &edge : program.references(user, references)) {
    GlobalId target = program.definitionFor(user, edge.symbol);
    if (target == kNone || !program.function(target))
      continue;
    constexpr ReferenceFlags kHandleUses =
        kReads | kQueriesHandle | kSetsHandle | kPassesHandle;
    bool isHandle =
        program.has(target, kKernelStub) &&
        (isFunction ? !(edge.flags & ~kHandleUses) : handles->isTable(user));
    if (!isFunction || (edge.flags & kPassesHandle))
      isHandle &= !handles->isLost(target);
    // Wherever else the handle goes.
    if (isFunction && (edge.flags & kQueriesHandle))
      queried.set(target);
    if (isFunction && (edge.flags & kSetsHandle))
      configured.set(target);
    if (isHandle || (isFunction && launchesFromDevice(program, user, target) &&
                     !(edge.flags & ~kReads)))
      continue;
    note(target, UnknownCaller::AddressTaken, user);
    if (program.has(target, kKernelStub))
      escaped.push_back(target);
    if (!isVirtualTable)
      significant.set(target);
  }
}

/// Forgets the stubs whose addresses are taken if not all launches are seen.
/// What is done with the attributes of a kernel that is not known may be done
/// with theirs.
void Callers::findEscaped() {
  if (escaped.empty())
    return;
  llvm::sort(escaped);
  escaped.erase(llvm::unique(escaped), escaped.end());
  if (!areLaunchesSeen(context))
    return escaped.clear();
  ReferenceFlags uses = usesOfUnknownHandles(context);
  for (GlobalId stub : escaped) {
    if (uses & kQueriesHandle)
      queried.set(stub);
    if (uses & kSetsHandle)
      configured.set(stub);
  }
}

SmallVector<GlobalId, 2> Callers::stubsOf(GlobalId caller,
                                          const LaunchSite &launch) const {
  SmallVector<GlobalId, 2> stubs = handles->stubsOf(caller, launch);
  if (launch.stub != kNone || launch.kind == LaunchKind::Device ||
      escaped.empty())
    return stubs;
  append_range(stubs, escaped);
  llvm::sort(stubs);
  stubs.erase(llvm::unique(stubs), stubs.end());
  return stubs;
}

/// Each call of a stub must have been understood as a launch; a kernel that
/// device code calls is launched from there.
void Callers::noteStubCalls(GlobalId user) {
  SmallDenseMap<GlobalId, int64_t, 4> calls; // without a launch
  for (const CallEdge &call : program.calls(user)) {
    GlobalId callee = program.definitionFor(user, call.callee);
    if (callee != kNone && program.has(callee, kKernelStub))
      ++calls[callee];
    else if (callee != kNone && program.has(callee, kKernel))
      note(callee, UnknownCaller::AddressTaken, user);
  }
  if (calls.empty())
    return;
  for (const LaunchSite &launch : program.launches(user))
    if (GlobalId stub = program.definitionFor(user, launch.stub); stub != kNone)
      if (auto found = calls.find(stub); found != calls.end())
        --found->second;
  for (auto [stub, unmatched] : calls)
    if (unmatched > 0) {
      note(stub, UnknownCaller::AddressTaken, user);
      llvm::erase(escaped, stub);
    }
}

void Callers::noteDeviceLaunches(GlobalId user) {
  for (const LaunchSite &launch : program.launches(user))
    if (launch.kind == LaunchKind::Device)
      if (GlobalId kernel = program.definitionFor(user, launch.stub);
          kernel != kNone)
        deviceLaunchers.try_emplace(kernel, user);
}

/// A node that another part of the program may change, or exchange, launches
/// with anything. Of such launches the place is not the handle's
/// (LaunchSite::call).
void Callers::noteNodes(GlobalId user) {
  for (const LaunchSite &launch : program.launches(user))
    if (launch.call == kNone && !launch.handles.empty())
      for (GlobalId stub : stubsOf(user, launch))
        note(stub, UnknownCaller::InGraph, user);
}

/// A launch that other code may capture may run with any arguments. Code that
/// is seen to query nodes may set attributes through their handles.
void Callers::noteCaptures() {
  Captures captures(context, *this);
  capturer = captures.who();
  if (capturer.empty())
    return;
  bool asks = any_of(context.native.uses, [](StringRef name) {
    return isRuntime(name, RuntimeFunction::AsksForNodes);
  });
  for (GlobalId id : liveBodies)
    for (const LaunchSite &launch : program.launches(id)) {
      if (launch.kind == LaunchKind::Device || !captures.mayCapture(id, launch))
        continue; // of device code there are no captures
      for (GlobalId stub : stubsOf(id, launch)) {
        note(stub, UnknownCaller::Captured, id);
        if (asks)
          configured.set(stub);
      }
    }
}

void Callers::noteConstructors() {
  for (auto [m, module] : enumerate(program.modules()))
    for (const StructorRecord &structor : module.summary.structors)
      if (GlobalId id = program.liveStructor(m, structor); id != kNone)
        note(id, UnknownCaller::Constructor);
}

/// Returns how the program can launch kernels in other ways than by the
/// launches that are seen: LookedUp, InGraph, Replaced, or None. A name of an
/// API function anywhere in the bitcode counts; of native code, what looks
/// kernels up.
UnknownCaller Callers::findLookups() const {
  UnknownCaller found = context.replacedRuntime.empty()
                            ? UnknownCaller::None
                            : UnknownCaller::Replaced;
  auto looksUp = [](StringRef name) {
    return isRuntime(name, RuntimeFunction::LooksUp);
  };
  if (any_of(context.native.uses, looksUp))
    return UnknownCaller::LookedUp;
  for (const CombinedModule &module : program.modules())
    for (const SymbolRecord &symbol : module.summary.symbols) {
      if (!symbol.isDeclaration() || !symbol.name.starts_with("cu"))
        continue;
      if (looksUp(symbol.name))
        return UnknownCaller::LookedUp;
      if (isRuntime(symbol.name, RuntimeFunction::AsksForNodes))
        found = UnknownCaller::InGraph;
    }
  return found;
}

/// What holds of all kernels is their first reason: folding goes by it.
void Callers::noteKernels() {
  UnknownCaller lookups = findLookups();
  for (GlobalId id : liveBodies) {
    if (!program.has(id, kKernelStub))
      continue;
    if (handles->isQueried(id))
      queried.set(id);
    if (handles->isSet(id))
      configured.set(id);
    bool isEscaped = unknown(id) == UnknownCaller::AddressTaken &&
                     llvm::binary_search(escaped, id);
    for (GlobalId kernel : program.deviceCounterparts(id)) {
      ++stubCounts[kernel];
      note(kernel, lookups);
      if (!isEscaped)
        note(kernel, unknown(id), takenBy(id));
      if (isQueried(id) || lookups != UnknownCaller::None)
        queried.set(kernel);
      if (isConfigured(id) || lookups != UnknownCaller::None)
        configured.set(kernel);
    }
  }
  for (GlobalId id : liveBodies)
    if (program.has(id, kKernel) && !stubCount(id))
      note(id, deviceLauncherOf(id) == kNone ? UnknownCaller::NoStub : lookups);
}

Callers::Callers(const WpaContext &context)
    : context(context), program(context.program),
      reasons(program.symbolCount(), 0), queried(program.symbolCount()),
      configured(program.symbolCount()), significant(program.symbolCount()) {
  findBodies();
  findCallees();
  findKernelModules();
  handles = std::make_unique<Handles>(context, *this, kernelModules);
  for (GlobalId id : liveBodies) {
    bool isVisible = context.decisions.visibleOutside.test(id) ||
                     program.has(id, kUsed) || program.has(id, kCompilerUsed) ||
                     program.has(id, kAssemblyReferenced);
    if ((isVisible && !program.has(id, kKernel)) || program.isNativelyUsed(id))
      note(id, UnknownCaller::VisibleOutside);
    else if (program.has(id, kIntrinsic))
      note(id, UnknownCaller::Library);
  }
  noteConstructors();
  for (auto [member, leader] : program.jumps())
    note(leader, UnknownCaller::Shared, member);
  for (GlobalId id = 0; id < program.symbolCount(); ++id) {
    if (program.definition(id) != id || !context.decisions.live.test(id))
      continue;
    if (const VariableSummary *variable = program.variable(id))
      noteReferences(id, variable->references, false);
  }
  for (GlobalId id : liveBodies)
    noteReferences(id, program.function(id)->references, true);
  findEscaped();
  bool changesGraphs = mayChangeGraphs(program) || mayHandOutGraphs(context);
  for (GlobalId id : liveBodies) {
    if (changesGraphs)
      noteNodes(id);
    if (kernelModules.test(program.moduleOf(id)))
      noteStubCalls(id);
    noteDeviceLaunches(id);
  }
  noteCaptures();
  noteKernels();
}

} // namespace gpulto
