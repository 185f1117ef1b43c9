//===- HandlesPropagate.cpp - Which kernels a launch may launch -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: launches through a parameter or a table are launches of known kernels.
//
//   static const Kernel table[] = {relu, sigmoid};
//   run(Kernel kernel) { kernel<<<...>>>(...); }     relu, sigmoid, scale
//   run(table[i]);  run(scale);
//
// LGEN says which parameters do nothing with a handle but launch it, compare it
// and pass it on (kParamIsHandle), and which functions pass a stub's address
// that way only (kPassesHandle); and what jump functions do not tell of it
// (HandleFlow). Here:
// 1. findTables: constant variables of which nothing but such handles is read,
//    and whose own address goes nowhere.
// 2. visitCalls: handles flow from addresses, parameters and tables into
//    parameters. Into code that nobody sees they are lost: the kernel's
//    launches are unknown then.
// 3. propagate: the sets of stubs, to the least fixed point.
//
// A parameter may also get handles from callers that nobody sees. Those are of
// kernels whose launches are unknown anyway.
//
// Linear in calls and in the sets.
//
//===----------------------------------------------------------------------===//

#include "ipa/Handles.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace gpulto {

/// The name that a kernel was registered under is asked for as if it were set:
/// the handle must not stand for another kernel.
/// Source: CUDA Runtime API, 6.7 Execution Control, 6.8 Occupancy.
uint8_t attributeUse(StringRef callee, unsigned index) {
  struct Entry {
    StringLiteral name;
    unsigned index;
    uint8_t flags;
  };
  static constexpr Entry kEntries[] = {
      {"cudaFuncGetAttributes", 1, kQueriesHandle},
      {"cudaFuncGetName", 1, kQueriesHandle | kSetsHandle},
      {"cudaFuncGetParamInfo", 0, kQueriesHandle},
      {"cudaFuncSetAttribute", 0, kSetsHandle},
      {"cudaFuncSetCacheConfig", 0, kSetsHandle},
      {"cudaFuncSetSharedMemConfig", 0, kSetsHandle},
      {"cudaOccupancyAvailableDynamicSMemPerBlock", 1, kQueriesHandle},
      {"cudaOccupancyMaxActiveBlocksPerMultiprocessor", 1, kQueriesHandle},
      {"cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", 1,
       kQueriesHandle},
      {"cudaOccupancyMaxActiveClusters", 1, kQueriesHandle},
      {"cudaOccupancyMaxPotentialClusterSize", 1, kQueriesHandle},
  };
  for (const Entry &entry : kEntries)
    if (callee == entry.name && index == entry.index)
      return entry.flags;
  return 0;
}

std::optional<LaunchKind> launchKindOf(StringRef callee) {
  callee.consume_back("_ptsz");
  if (callee == "cudaLaunchKernel")
    return LaunchKind::Runtime;
  if (callee == "cudaLaunchKernelExC")
    return LaunchKind::RuntimeExC;
  if (callee == "cudaLaunchCooperativeKernel")
    return LaunchKind::Cooperative;
  return std::nullopt;
}

/// Where handles go that nobody can follow, and those of which the program
/// reads or sets attributes where no flag says so.
static constexpr std::pair<GlobalId, uint32_t> kLost = {kNone - 2, 0};
static constexpr std::pair<GlobalId, uint32_t> kQueried = {kNone - 2, 1};
static constexpr std::pair<GlobalId, uint32_t> kSet = {kNone - 2, 2};

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

void Handles::findTables(ArrayRef<GlobalId> bodies) {
  BitVector otherUses(program.symbolCount());
  auto note = [&](GlobalId user, Range references, bool isFunction) {
    for (const ReferenceEdge &edge : program.references(user, references))
      if (GlobalId id = program.definitionFor(user, edge.symbol);
          id != kNone && !(isFunction && edge.flags == kReads))
        otherUses.set(id);
  };
  for (GlobalId id : bodies)
    note(id, program.function(id)->references, true);
  for (GlobalId id = 0; id < program.symbolCount(); ++id) {
    if (const VariableSummary *variable = program.variable(id))
      note(id, variable->references, false);
    if (const AliasSummary *alias = program.alias(id))
      if (GlobalId target = program.definitionFor(id, alias->target);
          target != kNone)
        otherUses.set(target);
  }
  for (GlobalId id = 0; id < program.symbolCount(); ++id) {
    constexpr uint32_t kSeenElsewhere =
        kUsed | kCompilerUsed | kAssemblyReferenced;
    if (program.has(id, kConstant) && program.definition(id) == id &&
        program.variable(id) && program.imageOf(id) == kHostImage &&
        context.decisions.live.test(id) &&
        !(program.symbol(id).flags & kSeenElsewhere) &&
        !context.decisions.visibleOutside.test(id) && !otherUses.test(id))
      tables.insert(id);
  }
}

//===----------------------------------------------------------------------===//
// Flows
//===----------------------------------------------------------------------===//

/// Returns the parameter \p index of what \p call enters, or kLost.
Handles::Place Handles::placeOf(GlobalId caller, const CallEdge &call,
                                uint32_t index) const {
  GlobalId callee = program.definitionFor(caller, call.callee);
  // Another definition may take the place of one that others can name.
  if (callee == kNone || !program.function(callee) ||
      context.decisions.visibleOutside.test(callee))
    return kLost;
  ArrayRef<ParameterRecord> formals = program.parameters(callee);
  if (index >= formals.size() || !(formals[index].flags & kParamIsHandle))
    return kLost;
  return {callee, index};
}

/// Whether what \p call enters does not touch the handle that lies behind its
/// argument, as \p flow tells.
bool Handles::keepsOff(GlobalId caller, const CallEdge &call,
                       const HandleFlow &flow) const {
  GlobalId callee = program.definitionFor(caller, call.callee);
  if (callee == kNone || !program.function(callee) ||
      context.decisions.visibleOutside.test(callee))
    return false;
  ArrayRef<ParameterRecord> formals = program.parameters(callee);
  if (flow.argument >= formals.size())
    return false;
  uint32_t reach = formals[flow.argument].reachBytes;
  return reach != kNone && reach <= flow.beforeBytes;
}

/// Returns where \p handle, in \p caller, comes from if that is a place.
std::optional<Handles::Place>
Handles::sourceOf(GlobalId caller, const JumpFunction &handle) const {
  using Kind = JumpFunction::Kind;
  if (handle.kind == Kind::PassThrough &&
      handle.operation == JumpOperation::None)
    return Place{caller, handle.source};
  if (handle.kind == Kind::LoadVariable)
    if (GlobalId table = program.definitionFor(caller, handle.source);
        table != kNone)
      return Place{table, kNone};
  return std::nullopt;
}

/// Nearly all arguments are no handles, so it is asked for last where they go.
void Handles::pass(const JumpFunction &actual, GlobalId caller,
                   function_ref<Place()> to) {
  if (actual.kind == JumpFunction::Kind::SymbolAddress) {
    GlobalId id = program.definitionFor(caller, actual.source);
    if (id != kNone && program.has(id, kKernelStub))
      add(to(), id);
    return;
  }
  std::optional<Place> from = sourceOf(caller, actual);
  if (!from)
    return;
  bool mayHold =
      from->second == kNone
          ? isTable(from->first)
          : (program.parameters(caller)[from->second].flags & kParamIsHandle);
  if (mayHold)
    flows[*from].push_back(to());
}

void Handles::visitCalls(GlobalId caller) {
  const ModuleSummary &summary = program.moduleRef(caller).summary;
  const FunctionSummary &function = *program.function(caller);
  SmallDenseSet<uint32_t, 4> launching; // calls whose handle is known
  for (const LaunchSite &launch : slice(summary.launches, function.launches))
    if (launch.call != kNone)
      launching.insert(launch.call);
  for (auto [number, call] : enumerate(slice(summary.calls, function.calls))) {
    if (call.arguments.empty())
      continue;
    StringRef runtime;
    if (call.callee != kNone &&
        program.definitionFor(caller, call.callee) == kNone)
      runtime = summary.symbols[call.callee].name;
    std::optional<LaunchKind> launch;
    if (!runtime.empty())
      launch = launchKindOf(runtime);
    for (auto [i, actual] :
         enumerate(slice(summary.jumpFunctions, call.arguments))) {
      // Each launch of an address is a LaunchSite, but for a stub's own.
      if (launch && i == handleOperand(*launch) &&
          (launching.contains(number) ||
           actual.kind == JumpFunction::Kind::SymbolAddress))
        continue;
      if (uint8_t use = runtime.empty() ? 0 : attributeUse(runtime, i)) {
        // Flags of the reference, or of the parameter, say this of others.
        bool isOfTable = actual.kind == JumpFunction::Kind::LoadVariable;
        if (isOfTable && (use & kQueriesHandle))
          pass(actual, caller, [] { return kQueried; });
        if (isOfTable && (use & kSetsHandle))
          pass(actual, caller, [] { return kSet; });
        continue;
      }
      pass(actual, caller,
           [&, i = i, &call = call] { return placeOf(caller, call, i); });
    }
  }
  ArrayRef<CallEdge> calls = slice(summary.calls, function.calls);
  for (const HandleFlow &flow :
       slice(summary.handleFlows, function.handleFlows)) {
    const CallEdge &call = calls[flow.call];
    if (flow.beforeBytes == kNone)
      pass(flow.handle, caller,
           [&] { return placeOf(caller, call, flow.argument); });
    else if (!keepsOff(caller, call, flow))
      pass(flow.handle, caller, [] { return kLost; });
  }
}

void Handles::add(Place to, GlobalId stub) {
  std::vector<GlobalId> &known = stubs[to];
  auto place = llvm::lower_bound(known, stub);
  if (place != known.end() && *place == stub)
    return;
  known.insert(place, stub);
  worklist.push_back({to, stub});
}

void Handles::propagate() {
  while (!worklist.empty()) {
    auto [place, stub] = worklist.back();
    worklist.pop_back();
    if (place.first == kLost.first) {
      (place == kLost ? lost : place == kQueried ? queried : set).set(stub);
      continue;
    }
    if (place.second != kNone) {
      uint32_t flags = program.parameters(place.first)[place.second].flags;
      if (flags & kParamHandleQueried)
        queried.set(stub);
      if (flags & kParamHandleSet)
        set.set(stub);
    }
    auto next = flows.find(place);
    if (next != flows.end())
      for (Place to : next->second)
        add(to, stub);
  }
}

/// Returns the modules whose calls may pass handles: they name a stub or a
/// table, or have a parameter that may be one. Most of a large program do not.
BitVector Handles::findHandleModules(const BitVector &kernelModules) const {
  BitVector modules = kernelModules;
  for (auto [m, module] : enumerate(program.modules()))
    if (any_of(module.summary.parameters, [](const ParameterRecord &formal) {
          return formal.flags & kParamIsHandle;
        }))
      modules.set(m);
  if (!tables.empty())
    for (GlobalId id = 0; id < program.symbolCount(); ++id)
      if (program.definition(id) != kNone && isTable(program.definition(id)))
        modules.set(program.moduleOf(id));
  return modules;
}

Handles::Handles(const WpaContext &context, ArrayRef<GlobalId> bodies,
                 const BitVector &kernelModules)
    : context(context), program(context.program), lost(program.symbolCount()),
      queried(program.symbolCount()), set(program.symbolCount()) {
  findTables(bodies);
  BitVector modules = findHandleModules(kernelModules);
  for (GlobalId id : bodies)
    if (program.imageOf(id) == kHostImage && modules.test(program.moduleOf(id)))
      visitCalls(id);
  for (GlobalId id = 0; id < program.symbolCount() && !tables.empty(); ++id) {
    if (!isTable(id))
      continue;
    for (const ReferenceEdge &edge :
         program.references(id, program.variable(id)->references))
      if (GlobalId stub = program.definitionFor(id, edge.symbol);
          stub != kNone && program.has(stub, kKernelStub))
        add({id, kNone}, stub);
  }
  propagate();
}

SmallVector<GlobalId, 2> Handles::stubsOf(GlobalId caller,
                                          const LaunchSite &launch) const {
  SmallVector<GlobalId, 2> result;
  if (GlobalId stub = program.definitionFor(caller, launch.stub); stub != kNone)
    result.push_back(stub);
  if (launch.stub != kNone)
    return result;
  for (const JumpFunction &handle :
       slice(program.moduleRef(caller).summary.jumpFunctions, launch.handles)) {
    if (handle.kind == JumpFunction::Kind::SymbolAddress) {
      GlobalId stub = program.definitionFor(caller, handle.source);
      if (stub != kNone && program.symbol(stub).has(kKernelStub))
        result.push_back(stub);
      continue;
    }
    if (std::optional<Place> from = sourceOf(caller, handle)) {
      auto found = stubs.find(*from);
      if (found != stubs.end())
        append_range(result, found->second);
    }
  }
  llvm::sort(result);
  result.erase(llvm::unique(result), result.end());
  return result;
}

} // namespace gpulto
