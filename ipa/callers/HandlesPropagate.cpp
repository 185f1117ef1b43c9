//===- HandlesPropagate.cpp - Which kernels a launch may launch -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: know the kernels of launches through a parameter, a variable or a
// function's result.
//
//   static const Kernel table[] = {relu, sigmoid};
//   Kernel pick(int i) { return i ? table[i - 1] : scale; }
//   run(Kernel kernel) { kernel<<<...>>>(...); }     relu, sigmoid, scale
//   run(pick(n));
//
// LGEN says which parameters and results use a handle only in ways that are
// followed (kParamIsHandle, HandleTarget::Followed), which functions use a
// stub's address only that way (kPassesHandle), from which variables they read
// more (kReadsValue), and what jump functions do not cover (HandleFlow). Here:
// 1. findHolders, checkHolders: variables that may hold handles, from which
//    only such handles are read, and whose own address goes nowhere; and
//    functions that return handles.
// 2. visitBody: handles flow from addresses, parameters, variables and results
//    into others. Into code that nobody sees they are lost: the kernel's
//    launches are unknown then. So they are where some call does not follow
//    what it gets, or a caller cannot be seen.
//    Memory that functions share is another place (HandleMemoryPropagate.cpp).
// 3. propagate: the sets of stubs, to the least fixed point.
//
// A parameter or a variable may also get handles from unseen code. Launches of
// their kernels are unknown anyway.
//
// Linear in calls and in the sets.
//
//===----------------------------------------------------------------------===//

#include "ipa/callers/Callers.h"
#include "ipa/runtime/CudaRuntime.h"
#include "summary/CombinedModule.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace llvm;

namespace gpulto {

static constexpr uint32_t kSeenElsewhere =
    kUsed | kCompilerUsed | kAssemblyReferenced | kHasSection | kThreadLocal |
    kExternallyInitialized | kManaged | kIntrinsic;

//===----------------------------------------------------------------------===//
// Variables and results
//===----------------------------------------------------------------------===//

/// Finds the variables that may hold handles and the functions that may return
/// some.
void Handles::findHolders() {
  for (GlobalId id : callers.bodies())
    for (const HandleFlow &flow :
         slice(program.moduleRef(id).summary.handleFlows,
               program.function(id)->handleFlows)) {
      if (flow.to == HandleTarget::Return) {
        returning.insert(id);
        results.insert(place(Of::Result, id, 0, flow.argument));
      }
      fillsParameters |=
          flow.to == HandleTarget::Into && isOfCaller(id, flow.argument);
      bool isBeside = flow.to == HandleTarget::Beside &&
                      flow.handle.kind == JumpFunction::Kind::VariablePart;
      if (!isBeside && flow.to != HandleTarget::Variable)
        continue;
      GlobalId variable = program.definitionFor(
          id, isBeside ? flow.handle.source : flow.variable);
      if (variable == kNone || !program.variable(variable))
        continue;
      if (isBeside)
        besides.push_back({variable, flow.handle.value, flow.beforeBytes,
                           flow.handle.bitWidth / 8u});
      else {
        tables.insert(variable);
        held.push_back({variable, flow.argument, flow.beforeBytes,
                        uint64_t(kHandleBytes)});
      }
    }
  for (GlobalId id = 0; id < program.symbolCount(); ++id)
    if (program.variable(id) && program.definition(id) == id &&
        program.imageOf(id) == kHostImage && context.decisions.live.test(id))
      addStubs(id);
  llvm::stable_sort(held, [](const Bytes &a, const Bytes &b) {
    return a.variable < b.variable;
  });
}

/// Adds the handles with which \p variable begins.
void Handles::addStubs(GlobalId variable) {
  const VariableSummary &summary = *program.variable(variable);
  auto isStub = [&](SymbolIndex symbol) {
    GlobalId id = program.definitionFor(variable, symbol);
    return id != kNone && program.has(id, kKernelStub);
  };
  if (none_of(program.references(variable, summary.references),
              [&](const ReferenceEdge &edge) { return isStub(edge.symbol); }))
    return;
  tables.insert(variable);
  bool isKnown = false;
  using Kind = JumpFunction::Kind;
  if (summary.initializer.kind == Kind::Aggregate)
    for (const AggregatePart &part :
         slice(program.moduleRef(variable).summary.aggregateParts,
               {summary.initializer.source, summary.initializer.count}))
      if (part.value.kind == Kind::SymbolAddress) {
        isKnown = true;
        held.push_back({variable, part.byteOffset, 0, kHandleBytes});
      }
  if (!isKnown) // anywhere
    held.push_back({variable, 0, 1, kHandleBytes});
}

/// Whether what is \p read may be part of a handle.
bool Handles::mayMeet(const Bytes &read) const {
  auto first = lower_bound(held, read, [](const Bytes &a, const Bytes &b) {
    return a.variable < b.variable;
  });
  return std::any_of(first, held.end(), [&](const Bytes &handle) {
    if (handle.variable != read.variable)
      return false;
    uint64_t stride = std::gcd(handle.stride, read.stride);
    auto begins = [&](const Bytes &a, const Bytes &b) { // a, within b
      if (!stride)
        return a.offset >= b.offset && a.offset - b.offset < b.size;
      uint64_t distance =
          (a.offset % stride + stride - b.offset % stride) % stride;
      return distance < b.size;
    };
    return begins(handle, read) || begins(read, handle);
  });
}

/// Leaves those variables of which nothing but handles that are followed is
/// read, and loses what functions return to callers that nobody sees. What is
/// written does no harm: a handle that is followed is stored by a HandleFlow.
void Handles::checkHolders() {
  constexpr uint8_t kPlain = kReads | kWrites | kWritesUnknown;
  BitVector others(program.symbolCount()), mentioned(program.symbolCount());
  auto note = [&](GlobalId user, Range references, bool isFunction) {
    for (const ReferenceEdge &edge : program.references(user, references))
      if (GlobalId id = program.definitionFor(user, edge.symbol); id != kNone) {
        mentioned.set(id);
        if (!isFunction || !edge.flags || (edge.flags & ~kPlain))
          others.set(id);
      }
  };
  for (GlobalId id : callers.bodies())
    note(id, program.function(id)->references, true);
  for (GlobalId id = 0; id < program.symbolCount(); ++id)
    if (const VariableSummary *variable = program.variable(id))
      note(id, variable->references, false);
  BitVector named = others;
  named |= mentioned;
  for (GlobalId id = 0; id < program.symbolCount(); ++id) {
    const AliasSummary *alias = program.alias(id);
    if (!alias || alias->target == kNone || isPlainAlias(id, named))
      continue;
    others.set(program.moduleRef(id).firstSymbol + alias->target);
    if (GlobalId target = program.definitionFor(id, alias->target);
        target != kNone)
      others.set(target);
  }
  for (auto [member, leader] : program.jumps())
    others.set(leader);
  auto isSeen = [&](GlobalId id) {
    return !(program.symbol(id).flags & kSeenElsewhere) &&
           program.definition(id) == id && program.imageOf(id) == kHostImage &&
           context.decisions.live.test(id) &&
           !context.decisions.visibleOutside.test(id) && !others.test(id);
  };
  for (const Bytes &read : besides)
    if (tables.contains(read.variable) && mayMeet(read))
      others.set(read.variable);
  for (GlobalId id = 0; id < program.symbolCount(); ++id) {
    if (!isSeen(id))
      tables.erase(id);
    if (program.function(id) && isSeen(id) && !mentioned.test(id))
      seen.set(id);
  }
}

/// Whether the alias \p id is no more than another name for calls of what it
/// stands for; \p named: what is mentioned elsewhere.
bool Handles::isPlainAlias(GlobalId id, const BitVector &named) const {
  GlobalId target =
      program.moduleRef(id).firstSymbol + program.alias(id)->target;
  return program.symbol(id).kind == SymbolKind::Alias &&
         program.alias(id)->offsetBytes == 0 && program.function(target) &&
         program.definition(target) == target && callers.isFinalAlias(id) &&
         !(program.symbol(id).flags & kSeenElsewhere) && !named.test(id) &&
         !context.decisions.visibleOutside.test(id);
}

//===----------------------------------------------------------------------===//
// Flows
//===----------------------------------------------------------------------===//

/// Returns the function that \p call enters if no other can take its place, as
/// one could whose name others see; or kNone.
GlobalId Handles::enteredBy(GlobalId caller, const CallEdge &call) const {
  GlobalId callee = callers.calleeOf(caller, call.callee);
  bool isKnown = callee != kNone && program.function(callee) &&
                 !context.decisions.visibleOutside.test(callee);
  return isKnown ? callee : kNone;
}

/// Returns the parameter \p index of what \p call enters, or Of::Lost.
Handles::Place Handles::placeOf(GlobalId caller, const CallEdge &call,
                                uint32_t index) const {
  GlobalId callee = enteredBy(caller, call);
  ArrayRef<ParameterRecord> formals;
  if (callee != kNone)
    formals = program.parameters(callee);
  if (index >= formals.size() || !(formals[index].flags & kParamIsHandle))
    return nowhere(Of::Lost);
  return place(Of::Parameter, callee, index);
}

/// Returns where \p handle, in \p caller, comes from if that is a place.
std::optional<Handles::Place>
Handles::sourceOf(GlobalId caller, const JumpFunction &handle) const {
  using Kind = JumpFunction::Kind;
  if (handle.kind == Kind::PassThrough &&
      handle.operation == JumpOperation::None)
    return place(Of::Parameter, caller, handle.source);
  if (handle.kind == Kind::Memory && handle.parameter <= kMaxNumber)
    return place(Of::Memory, caller, handle.parameter, handle.value);
  bool isOfVariable = handle.kind == Kind::VariablePart && !handle.bitWidth;
  if (handle.kind == Kind::LoadVariable || isOfVariable)
    if (GlobalId table = program.definitionFor(caller, handle.source);
        table != kNone)
      return place(Of::Table, table);
  if (handle.kind == Kind::CallResult) {
    const ModuleSummary &summary = program.moduleRef(caller).summary;
    GlobalId callee = callers.calleeOf(
        caller,
        slice(summary.calls, program.function(caller)->calls)[handle.source]
            .callee);
    if (callee != kNone && program.function(callee))
      return place(Of::Result, callee, 0, handle.value);
  }
  return std::nullopt;
}

bool Handles::mayHold(Place place) const {
  switch (kindOf(place)) {
  case Of::Table:
    return isTable(place.first);
  case Of::Result:
    return results.contains(place);
  case Of::Parameter:
    return program.parameters(place.first)[numberOf(place)].flags &
           kParamIsHandle;
  default:
    return true;
  }
}

/// Nearly all arguments are not handles, so their destination is checked last.
void Handles::pass(const JumpFunction &actual, GlobalId caller,
                   function_ref<Place()> to) {
  if (actual.kind == JumpFunction::Kind::SymbolAddress) {
    GlobalId id = program.definitionFor(caller, actual.source);
    if (id != kNone && program.has(id, kKernelStub))
      add(to(), id);
    return;
  }
  std::optional<Place> from = sourceOf(caller, actual);
  if (from && mayHold(*from))
    flows[*from].push_back(to());
}

/// As pass(), to where attributes are read or set, attributeUse().
void Handles::passAttributed(const JumpFunction &actual, GlobalId caller,
                             ReferenceFlags use) {
  if (use & kQueriesHandle)
    pass(actual, caller, [] { return nowhere(Of::Queried); });
  if (use & kSetsHandle)
    pass(actual, caller, [] { return nowhere(Of::Set); });
}

/// Returns the name of what \p call enters if the program does not define it.
StringRef Handles::runtimeName(GlobalId caller, const CallEdge &call) const {
  if (call.callee == kNone ||
      program.definitionFor(caller, call.callee) != kNone)
    return {};
  return program.moduleRef(caller).summary.symbols[call.callee].name;
}

/// Follows the arguments of call \p number of \p caller. \p isLaunch: it is a
/// launch of which the handle is known.
void Handles::visitCall(GlobalId caller, uint32_t number, bool isLaunch) {
  const ModuleSummary &summary = program.moduleRef(caller).summary;
  const CallEdge &call =
      slice(summary.calls, program.function(caller)->calls)[number];
  StringRef runtime = runtimeName(caller, call);
  std::optional<LaunchKind> launch = launchKindOf(runtime);
  for (auto [i, actual] :
       enumerate(slice(summary.jumpFunctions, call.arguments))) {
    using Kind = JumpFunction::Kind;
    if (actual.kind == Kind::Memory) // of another sort; flows tell
      continue;
    bool isAddress = actual.kind == Kind::SymbolAddress;
    // Each launch of an address is a LaunchSite, except for a stub's own.
    if (launch && i == handleOperand(*launch) && (isLaunch || isAddress))
      continue;
    ReferenceFlags use = attributeUse(runtime, i);
    if (!use)
      pass(actual, caller, [&, i = i] { return placeOf(caller, call, i); });
    else if (!isAddress && actual.kind != Kind::PassThrough)
      passAttributed(actual, caller, use);
  }
}

void Handles::visitFlow(GlobalId caller, const HandleFlow &flow) {
  const ModuleSummary &summary = program.moduleRef(caller).summary;
  ArrayRef<CallEdge> calls =
      slice(summary.calls, program.function(caller)->calls);
  switch (flow.to) {
  case HandleTarget::Argument: {
    const CallEdge &call = calls[flow.call];
    if (ReferenceFlags use =
            attributeUse(runtimeName(caller, call), flow.argument))
      return passAttributed(flow.handle, caller, use);
    return pass(flow.handle, caller,
                [&] { return placeOf(caller, call, flow.argument); });
  }
  case HandleTarget::Behind:
    return pass(flow.handle, caller, [&] {
      return behind(caller, calls[flow.call], flow.argument,
                    flow.beforeBytes < kNone - 1 ? flow.beforeBytes
                                                 : -kHandleBytes);
    });
  case HandleTarget::Variable:
    return pass(flow.handle, caller, [&] {
      GlobalId id = program.definitionFor(caller, flow.variable);
      return id != kNone && isTable(id) ? place(Of::Table, id)
                                        : nowhere(Of::Lost);
    });
  case HandleTarget::Return:
    return pass(flow.handle, caller, [&] {
      return seen.test(caller) ? place(Of::Result, caller, 0, flow.argument)
                               : nowhere(Of::Lost);
    });
  case HandleTarget::Apart:
    return pass(flow.handle, caller, [] { return nowhere(Of::Apart); });
  case HandleTarget::Into:
  case HandleTarget::Beside:   // findHolders() has looked at variables
  case HandleTarget::Followed: // loseResults() asks for those of calls
  case HandleTarget::Passed:
    return visitMemory(caller, flow);
  }
}

/// Loses what calls of \p caller return if that is not followed there.
void Handles::loseResults(GlobalId caller) {
  const ModuleSummary &summary = program.moduleRef(caller).summary;
  const FunctionSummary &function = *program.function(caller);
  SmallDenseSet<std::pair<uint32_t, uint64_t>, 4> followed;
  for (const HandleFlow &flow :
       slice(summary.handleFlows, function.handleFlows))
    if (flow.to == HandleTarget::Followed)
      followed.insert({flow.handle.source, flow.handle.value});
  for (auto [number, call] : enumerate(slice(summary.calls, function.calls))) {
    GlobalId callee = callers.calleeOf(caller, call.callee);
    if (callee == kNone || !returning.contains(callee) ||
        (call.flags & kIgnoresResultSite))
      continue;
    for (const HandleFlow &flow :
         slice(program.moduleRef(callee).summary.handleFlows,
               program.function(callee)->handleFlows))
      if (flow.to == HandleTarget::Return &&
          !followed.contains({number, flow.argument}))
        flows[place(Of::Result, callee, 0, flow.argument)].push_back(
            nowhere(Of::Lost));
  }
}

void Handles::visitBody(GlobalId caller) {
  const ModuleSummary &summary = program.moduleRef(caller).summary;
  const FunctionSummary &function = *program.function(caller);
  SmallDenseSet<uint32_t, 4> launching; // calls whose handle is known
  for (const LaunchSite &launch : slice(summary.launches, function.launches))
    if (launch.call != kNone)
      launching.insert(launch.call);
  for (auto [number, call] : enumerate(slice(summary.calls, function.calls)))
    if (!call.arguments.empty())
      visitCall(caller, number, launching.contains(number));
  for (const HandleFlow &flow :
       slice(summary.handleFlows, function.handleFlows))
    visitFlow(caller, flow);
  if (!returning.empty())
    loseResults(caller);
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
    switch (kindOf(place)) {
    case Of::Lost:
      lost.set(stub);
      continue;
    case Of::Queried:
      queried.set(stub);
      continue;
    case Of::Set:
      set.set(stub);
      continue;
    case Of::Apart:
      apart.set(stub);
      continue;
    case Of::Parameter: {
      uint32_t flags = program.parameters(place.first)[numberOf(place)].flags;
      if (flags & kParamHandleQueried)
        queried.set(stub);
      if (flags & kParamHandleSet)
        set.set(stub);
      break;
    }
    case Of::Memory:
      spreadMemory(place, stub);
      break;
    case Of::Written:
      spreadWritten(place, stub);
      break;
    case Of::Table:
    case Of::Result:
    case Of::Untouched:
      break;
    }
    auto next = flows.find(place);
    if (next != flows.end())
      for (Place to : next->second)
        add(to, stub);
  }
}

/// Returns the modules whose calls may pass handles: they name a stub, a table
/// or a function that returns some, or have a parameter that may be one. Most
/// of a large program do not.
BitVector Handles::findHandleModules(const BitVector &kernelModules) const {
  BitVector modules = kernelModules;
  for (auto [m, module] : enumerate(program.modules()))
    if (any_of(module.summary.parameters,
               [](const ParameterRecord &formal) {
                 return formal.flags & kParamIsHandle;
               }) ||
        any_of(module.summary.handleFlows, [](const HandleFlow &flow) {
          return flow.handle.kind == JumpFunction::Kind::Memory ||
                 flow.to == HandleTarget::Into;
        }))
      modules.set(m);
  if (!tables.empty() || !returning.empty())
    for (GlobalId id = 0; id < program.symbolCount(); ++id)
      if (GlobalId named = program.definition(id);
          named != kNone && (isTable(named) || returning.contains(named)))
        modules.set(program.moduleOf(id));
  return modules;
}

Handles::Handles(const WpaContext &context, const Callers &callers,
                 const BitVector &kernelModules)
    : context(context), program(context.program), callers(callers),
      seen(program.symbolCount()), lost(program.symbolCount()),
      queried(program.symbolCount()), set(program.symbolCount()),
      apart(program.symbolCount()) {
  findHolders();
  checkHolders();
  BitVector modules = findHandleModules(kernelModules);
  if (fillsParameters)
    countCalls();
  for (GlobalId id : callers.bodies())
    if (program.imageOf(id) == kHostImage && modules.test(program.moduleOf(id)))
      visitBody(id);
  for (GlobalId id = 0; id < program.symbolCount() && !tables.empty(); ++id) {
    if (!isTable(id))
      continue;
    for (const ReferenceEdge &edge :
         program.references(id, program.variable(id)->references))
      if (GlobalId stub = program.definitionFor(id, edge.symbol);
          stub != kNone && program.has(stub, kKernelStub))
        add(place(Of::Table, id), stub);
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
