//===- TransferGraphPropagate.cpp - The program around its copies (WPA) ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: one control flow graph of what LGEN's events tell of all host code, in
// which a function stands once for each chain of calls that enters it.
//
//  1. findReaching  functions that may reach the runtime.
//  2. addRoots      main, and whatever has callers that are not calls.
//  3. addFrame      the events of a function: a call enters a frame of its own,
//                   or does what its effects say. A function without events
//                   (too large, or of a file without CUDA) makes its calls in
//                   any order.
//  4. place         which memory an operand leads into, and which value it is,
//                   in terms of the frames.
//
// Memory whose address nobody but events knows is touched only where an event
// names it. All other memory is touched by every access of unknown origin.
//
// A recursion, or a program of more than kMaxNodes nodes, is entered no
// further: what is behind it knows nothing.
//
//===----------------------------------------------------------------------===//

#include "ipa/transfers/TransferGraph.h"
#include "summary/CombinedModule.h"
#include "summary/Remarks.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace gpulto {

static constexpr size_t kMaxNodes = 20000;
static constexpr unsigned kMaxDepth = 24;

TransferGraph::TransferGraph(const WpaContext &context, const Callers &callers,
                             const KnownValues &values)
    : context(context), program(context.program), callers(callers),
      values(values), solver(values.solver) {
  for (GlobalId id = 0; id < program.symbolCount(); ++id)
    if (program.imageOf(id) == kHostImage && program.definition(id) == id &&
        !program.symbol(id).has(kKernelStub))
      for (GlobalId variable : program.deviceCounterparts(id))
        shadows[variable] = id;
  findReaching();
  end = addNode(kNone, kNone);
  addRoots();
  nodes[end].readsKept = nodes[end].readsVariables = true;
  // Other roots may run behind main.
  nodes[end].isPlain = count_if(frames, [](const TransferFrame &frame) {
                         return frame.caller == kNone;
                       }) <= 1;
  for (auto [number, object] : enumerate(objects))
    if (object.frame != kNone)
      nodes[frames[object.frame].entry].begins.push_back(number);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

StringRef usedName(const CombinedSummary &program,
                   function_ref<bool(StringRef)> isMeant) {
  for (GlobalId id = 0; id < program.symbolCount(); ++id)
    if (program.imageOf(id) == kHostImage && program.definition(id) == kNone &&
        isMeant(program.symbol(id).name))
      return program.symbol(id).name;
  return {};
}

/// The symbol that a call enters if that has no body here, or kNone.
static GlobalId nativeCallee(const CombinedSummary &program, GlobalId caller,
                             const CallEdge &call) {
  return call.callee == kNone
             ? kNone
             : program.moduleRef(caller).firstSymbol + call.callee;
}

/// Finds the bodies that may reach the runtime: those that launch or call it,
/// and their callers.
void TransferGraph::findReaching() {
  size_t count = solver.bodies().size();
  reaching.resize(count);
  onStack.resize(count);
  std::vector<SmallVector<BodyIndex, 2>> callersOf(count);
  SmallVector<BodyIndex, 32> queue;
  auto add = [&](BodyIndex body) {
    if (!reaching.test(body)) {
      reaching.set(body);
      queue.push_back(body);
    }
  };
  size_t events = 0;
  for (const BodyLattice &body : solver.bodies()) {
    if (program.imageOf(body.id) != kHostImage)
      continue;
    const FunctionSummary &function = *program.function(body.id);
    events += function.transferEvents.count;
    if (!function.launches.empty())
      add(body.index);
    for (auto [number, call] : enumerate(program.calls(body.id))) {
      BodyIndex callee = solver.calleeOf(body.index, number);
      if (callee != kNone) {
        callersOf[callee].push_back(body.index);
        continue;
      }
      // Of an unknown one, effects say that anything may happen.
      GlobalId native = nativeCallee(program, body.id, call);
      StringRef name = native == kNone ? "" : program.symbol(native).name;
      if (isRuntimeName(name) || isDriverName(name))
        add(body.index);
    }
  }
  while (!queue.empty())
    for (BodyIndex caller : callersOf[queue.pop_back_val()])
      add(caller);
  nodes.reserve(2 * events);
}

/// Adds a frame for each function that may reach the runtime and has callers
/// that are no calls.
void TransferGraph::addRoots() {
  for (const BodyLattice &body : solver.bodies()) {
    if (!reaching.test(body.index) || body.clone ||
        program.symbol(body.id).has(kKernelStub))
      continue;
    if (callers.unknown(body.id) == UnknownCaller::None && body.isReached)
      continue;
    uint32_t frame = addFrame(body.index, kNone, kNone);
    onStack.set(body.index);
    addEvents(frame);
    onStack.reset(body.index);
    if (!reason.empty())
      return;
    link(frames[frame].exit, end);
    link(frames[frame].unwind, end);
  }
}

/// Notes that \p body, and what it calls, runs where no frame is.
void TransferGraph::noteOpaque(BodyIndex index) {
  SmallVector<BodyIndex, 8> stack{index};
  while (!stack.empty()) {
    BodyIndex next = stack.pop_back_val();
    GlobalId id = solver.bodies()[next].id;
    if (!others.insert(id).second)
      continue;
    for (uint32_t number = 0; number < solver.callCount(next); ++number)
      if (BodyIndex callee = solver.calleeOf(next, number);
          callee != kNone && reaching.test(callee))
        stack.push_back(callee);
  }
}

uint32_t TransferGraph::addNode(uint32_t frame, uint32_t event) {
  if (nodes.size() >= kMaxNodes)
    fail("the program is too large to be followed");
  TransferNode node;
  node.frame = frame;
  node.event = event;
  nodes.push_back(std::move(node));
  return static_cast<uint32_t>(nodes.size() - 1);
}

void TransferGraph::link(uint32_t from, uint32_t to) {
  if (!is_contained(nodes[from].successors, to))
    nodes[from].successors.push_back(to);
}

uint32_t TransferGraph::addFrame(BodyIndex body, uint32_t caller,
                                 uint32_t call) {
  uint32_t number = static_cast<uint32_t>(frames.size());
  TransferFrame &frame = frames.emplace_back();
  frame.body = body;
  frame.caller = caller;
  frame.call = call;
  const FunctionSummary &function = *program.function(solver.bodies()[body].id);
  frame.places.resize(function.transferValues.count);
  frame.isPlaced.resize(function.transferValues.count);
  frame.entry = addNode(number, kNone);
  frames[number].exit = addNode(number, kNone);
  frames[number].unwind = addNode(number, kNone);
  nodes[frames[number].entry].isFrameEntry = true;
  return number;
}

static ArrayRef<TransferEvent> eventsOf(const CombinedSummary &program,
                                        GlobalId id) {
  return slice(program.moduleRef(id).summary.transferEvents,
               program.function(id)->transferEvents);
}

const TransferEvent *TransferGraph::eventOf(uint32_t node) const {
  const TransferNode &known = nodes[node];
  return known.event == kNone
             ? nullptr
             : &eventsOf(program, functionOf(known.frame))[known.event];
}

const CallEdge *TransferGraph::callOf(uint32_t node) const {
  const TransferEvent *event = eventOf(node);
  if (!event || event->kind != TransferEventKind::Call)
    return nullptr;
  GlobalId id = functionOf(nodes[node].frame);
  return &program.calls(id)[event->call];
}

std::optional<uint64_t> TransferGraph::argumentOf(uint32_t node,
                                                  int8_t index) const {
  const CallEdge *call = callOf(node);
  return call ? argumentOf(solver.bodies()[frames[nodes[node].frame].body],
                           *call, index)
              : std::nullopt;
}

/// Argument \p index of \p call in \p body, if that is one constant.
std::optional<uint64_t> TransferGraph::argumentOf(const BodyLattice &body,
                                                  const CallEdge &call,
                                                  int8_t index) const {
  ArrayRef<JumpFunction> actuals =
      program.jumpFunctions(body.id, call.arguments);
  if (index == RuntimeFunction::kNone ||
      static_cast<size_t>(index) >= actuals.size())
    return std::nullopt;
  ValueLattice value = solver.valueOf(body, actuals[index]);
  return value.isConstant() ? std::optional(value.value()) : std::nullopt;
}

uint32_t TransferGraph::blockOf(const TransferTerm &leaf) const {
  GlobalId id = functionOf(leaf.first);
  return slice(program.moduleRef(id).summary.transferValues,
               program.function(id)->transferValues)[leaf.second]
      .block;
}

SmallVector<uint32_t, 4> TransferGraph::loopsOf(uint32_t node) const {
  const TransferNode &known = nodes[node];
  SmallVector<uint32_t, 4> loops;
  if (known.block == kNone)
    return loops;
  ArrayRef<TransferEvent> events = eventsOf(program, functionOf(known.frame));
  for (uint32_t loop = events[known.block].loop; loop;
       loop = events.front().parents[loop - 1])
    loops.insert(loops.begin(), loop);
  return loops;
}

/// Adds the events of the frame \p number, whose parameters are known.
void TransferGraph::addEvents(uint32_t number) {
  GlobalId id = functionOf(number);
  ArrayRef<TransferEvent> events = eventsOf(program, id);
  if (events.empty())
    return addCoarse(number);
  std::vector<uint32_t> begins(events.size(), kNone);
  for (auto [position, event] : enumerate(events))
    if (event.kind == TransferEventKind::Block) {
      begins[position] = addNode(number, position);
      nodes[begins[position]].isBlock = true;
      nodes[begins[position]].block = position;
    }
  link(frames[number].entry, begins[0]);
  uint32_t last = kNone;
  uint32_t block = 0;
  for (uint32_t position = 0; position < events.size(); ++position) {
    if (!reason.empty())
      return;
    const TransferEvent &event = events[position];
    if (event.kind == TransferEventKind::Block) {
      last = begins[position];
      block = position;
    } else {
      uint32_t node = addNode(number, position);
      nodes[node].block = block;
      link(last, node);
      last = node;
      addAction(node, last);
    }
    bool isLast = position + 1 == events.size() ||
                  events[position + 1].kind == TransferEventKind::Block;
    if (!isLast)
      continue;
    for (int32_t target : events[block].targets)
      link(last, begins[block + target]);
    switch (events[block].end) {
    case TransferEnd::GoesOn:
      break;
    case TransferEnd::Returns:
      link(last, frames[number].exit);
      break;
    case TransferEnd::Unwinds:
      link(last, frames[number].unwind);
      break;
    case TransferEnd::Stops:
      link(last, end);
      break;
    }
  }
}

/// A function without events: its calls, in any order, and anything else.
void TransferGraph::addCoarse(uint32_t number) {
  BodyIndex index = frames[number].body;
  GlobalId id = functionOf(number);
  uint32_t hub = addNode(number, kNone);
  link(frames[number].entry, hub);
  link(hub, frames[number].exit);
  link(hub, frames[number].unwind);
  TransferNode &all = nodes[hub];
  all.readsKept = all.writesKept = true;
  all.readsVariables = all.writesVariables = true;
  all.entersOthers = true;
  coarse.insert(id);
  for (const TransferPlace &parameter : frames[number].parameters)
    touch(hub, parameter, kTransferReads | kTransferWrites | kTransferKeeps);
  for (uint32_t call = 0; call < program.function(id)->calls.count; ++call) {
    BodyIndex callee = solver.calleeOf(index, call);
    if (callee == kNone || !reaching.test(callee) ||
        program.symbol(solver.bodies()[callee].id).has(kKernelStub))
      continue;
    uint32_t node = addNode(number, kNone);
    if (!reason.empty())
      return;
    link(hub, node);
    uint32_t last = node;
    const CallEdge &edge = program.calls(id)[call];
    if (!enterCallee(node, last, callee, {}, edge)) {
      noteOpaque(callee);
      nodes[node].entersOthers = true;
    }
    link(last, hub);
  }
}

//===----------------------------------------------------------------------===//
// Actions
//===----------------------------------------------------------------------===//

/// Adds to \p node an access through \p place.
void TransferGraph::touch(uint32_t node, const TransferPlace &place,
                          unsigned access) {
  TransferNode &known = nodes[node];
  if (place.object == kNone) {
    bool isNumber = place.term != kNone &&
                    terms[place.term].kind == TransferTerm::Kind::Constant;
    known.readsKept |= !isNumber && (access & kTransferReads);
    known.writesKept |= !isNumber && (access & kTransferWrites);
    known.readsVariables |= !isNumber && (access & kTransferReads);
    known.writesVariables |= !isNumber && (access & kTransferWrites);
    return;
  }
  if (access & kTransferReads)
    known.reads.push_back(place.object);
  if (access & kTransferWrites)
    known.writes.push_back(place.object);
  if (access & kTransferBegins)
    known.begins.push_back(place.object);
  if (access & kTransferKeeps)
    objects[place.object].isKept = true;
}

/// Anything may happen to what \p operands lead to, and to what is kept.
void TransferGraph::touchAll(uint32_t node, ArrayRef<TransferPlace> operands) {
  for (const TransferPlace &operand : operands)
    touch(node, operand, kTransferReads | kTransferWrites | kTransferKeeps);
  TransferNode &known = nodes[node];
  known.readsKept = known.writesKept = true;
  known.readsVariables = known.writesVariables = true;
}

void TransferGraph::addAction(uint32_t node, uint32_t &last) {
  const TransferEvent &event = *eventOf(node);
  uint32_t frame = nodes[node].frame;
  SmallVector<TransferPlace, 8> operands;
  SmallVector<uint8_t, 8> access;
  for (const TransferOperand &operand : event.operands) {
    TransferPlace &known = operands.emplace_back();
    if (operand.value != kNone)
      known = place(frame, operand.value);
    known.isExact = (operand.access & kTransferExact) &&
                    isMadeOfExact(frame, operand.value);
    access.push_back(operand.access & ~kTransferExact);
  }
  switch (event.kind) {
  case TransferEventKind::Block:
    return;
  case TransferEventKind::Call:
    return addCall(node, last, *callOf(node), event.call, operands, access);
  case TransferEventKind::Access:
    nodes[node].isPlain = true;
    [[fallthrough]];
  case TransferEventKind::Keeps:
    for (auto [operand, how, known] : zip(operands, access, event.operands)) {
      touch(node, operand, how);
      if ((how & kTransferReads) && operand.object != kNone)
        nodes[node].readParts.push_back(
            {operand.object, operand.term, known.readBytes});
    }
    return;
  case TransferEventKind::Unknown:
    return touchAll(node, {});
  case TransferEventKind::Succeeded:
    for (uint32_t other = node; other-- > 0;)
      if (nodes[other].frame == frame && nodes[other].copy &&
          eventOf(other)->call == event.call) {
        nodes[node].succeeded = other;
        return;
      }
    return;
  }
}

/// The operands without those that are no pointers: what a callee may touch.
static SmallVector<TransferPlace, 8>
pointersOf(ArrayRef<TransferPlace> operands, ArrayRef<uint8_t> access) {
  SmallVector<TransferPlace, 8> pointers;
  for (auto [operand, how] : zip(operands, access))
    if (how)
      pointers.push_back(operand);
  return pointers;
}

void TransferGraph::addCall(uint32_t node, uint32_t &last, const CallEdge &call,
                            uint32_t number, ArrayRef<TransferPlace> operands,
                            ArrayRef<uint8_t> access) {
  uint32_t frame = nodes[node].frame;
  GlobalId caller = functionOf(frame);
  BodyIndex callee = solver.calleeOf(frames[frame].body, number);
  GlobalId native = nativeCallee(program, caller, call);
  StringRef name = native == kNone ? StringRef() : program.symbol(native).name;
  // Nor does a stub throw: it calls the runtime.
  bool isStub = callee != kNone &&
                program.symbol(solver.bodies()[callee].id).has(kKernelStub);
  if (!(call.flags & (kNoUnwindSite | kInvoke)) && !isRuntimeName(name) &&
      !isStub)
    link(node, frames[frame].unwind);
  if (callee != kNone) {
    GlobalId id = solver.bodies()[callee].id;
    nodes[node].callee = id;
    if (isStub)
      return addLaunch(node, id, operands, access);
    if (!reaching.test(callee))
      return addSummarized(node, id, operands, access);
    if (enterCallee(node, last, callee, operands, call))
      return;
    noteOpaque(callee);
    nodes[node].entersOthers = true;
    return touchAll(node, pointersOf(operands, access));
  }
  nodes[node].callee = native;
  if (GlobalId entered =
          native == kNone ? kNone : callers.calleeOf(caller, call.callee);
      entered != kNone)
    if (const BodyLattice *body = solver.find(entered, 0);
        body && reaching.test(body->index)) {
      noteOpaque(body->index); // by an alias
      nodes[node].entersOthers = true;
    }
  if (native == kNone || program.definition(native) != kNone)
    return touchAll(node, pointersOf(operands, access));
  if (const RuntimeFunction *function = findRuntimeFunction(name))
    return addRuntimeCall(node, *function, number, operands, access);
  addNative(node, name, operands, access);
}

/// Lets \p node enter a frame of \p callee; \p last becomes where that returns
/// to. Returns false if it is entered already, or too deep.
bool TransferGraph::enterCallee(uint32_t node, uint32_t &last, BodyIndex callee,
                                ArrayRef<TransferPlace> operands,
                                const CallEdge &call) {
  if (onStack.test(callee) || depth >= kMaxDepth)
    return false;
  uint32_t caller = nodes[node].frame;
  uint32_t frame = addFrame(callee, caller, node);
  frames[frame].parameters.assign(operands.begin(), operands.end());
  onStack.set(callee);
  ++depth;
  addEvents(frame);
  --depth;
  onStack.reset(callee);
  link(node, frames[frame].entry);
  uint32_t back = addNode(caller, kNone);
  nodes[back].block = nodes[node].block;
  link(frames[frame].exit, back);
  // The targets of an invoke are behind `back`.
  link(frames[frame].unwind,
       call.flags & kInvoke ? back : frames[caller].unwind);
  last = back;
  return true;
}

void TransferGraph::addLaunch(uint32_t node, GlobalId stub,
                              ArrayRef<TransferPlace> operands,
                              ArrayRef<uint8_t> access) {
  std::optional<std::vector<KernelOverwrite>> known;
  for (GlobalId kernel : program.kernelsOf(stub)) {
    nodes[node].callee = kernel;
    addKernel(node, stub, kernel, operands);
    // Which image runs is not known.
    ArrayRef<KernelOverwrite> overwrites =
        slice(program.moduleRef(kernel).summary.overwrites,
              program.function(kernel)->overwrites);
    if (!known)
      known = overwrites.vec();
    else
      erase_if(*known, [&](const KernelOverwrite &elements) {
        return !is_contained(overwrites, elements);
      });
  }
  if (known)
    addOverwrites(node, stub, *known, operands, access);
}

/// Adds \p known, what the kernel of \p stub writes whatever it reads.
void TransferGraph::addOverwrites(uint32_t node, GlobalId stub,
                                  ArrayRef<KernelOverwrite> known,
                                  ArrayRef<TransferPlace> operands,
                                  ArrayRef<uint8_t> access) {
  auto configured = [&](TransferAccess part) {
    const uint8_t *found = find(access, part);
    return found == access.end() ? TransferPlace()
                                 : operands[found - access.begin()];
  };
  ArrayRef<StubArgument> pieces =
      slice(program.moduleRef(stub).summary.stubArguments,
            program.function(stub)->stubArguments);
  auto argument = [&](uint32_t parameter) {
    const StubArgument *piece = find_if(pieces, [&](const StubArgument &other) {
      return other.kernelArgument == parameter;
    });
    bool isWhole = piece != pieces.end() && !piece->isAggregate &&
                   piece->byteOffset == 0 && piece->formal < operands.size();
    return isWhole ? operands[piece->formal].term : kNone;
  };
  for (const KernelOverwrite &elements : known) {
    TransferOverwrite result;
    result.target = argument(elements.parameter);
    result.elements = elements;
    TransferTerm number;
    number.number = elements.number;
    result.count =
        elements.count == kNone ? term(number) : argument(elements.count);
    result.blocks = configured(kTransferGrid);
    result.threads = configured(kTransferBlock).term;
    if (result.target != kNone && result.blocks.term != kNone &&
        result.threads != kNone && result.count != kNone)
      nodes[node].overwrites.push_back(result);
  }
}

/// Whether \p kernel may write memory other than that behind its parameters,
/// variables and its own stack.
bool TransferGraph::writesElsewhere(GlobalId kernel) const {
  return !program.function(kernel)->members.empty() ||
         values.unwritten.storesAnywhere(kernel);
}

/// Whether \p kernel may read memory other than that behind its parameters,
/// variables and its own stack. Barriers read nothing.
bool TransferGraph::readsElsewhere(GlobalId kernel) const {
  return !program.function(kernel)->members.empty() ||
         !staysWithin(program, kernel, kLoadsOther, kLoadsOther,
                      [](GlobalId, const CallEdge &, GlobalId) {
                        return false; // what it passes
                      });
}

bool TransferGraph::hasAny(GlobalId kernel, FunctionFlags flags) const {
  auto [known, isNew] = kernelFlags.try_emplace(kernel, 0);
  if (!isNew)
    return known->second & flags;
  SmallVector<GlobalId, 8> stack{kernel};
  DenseSet<GlobalId> seen;
  FunctionFlags found = 0;
  while (!stack.empty()) {
    GlobalId id = stack.pop_back_val();
    const FunctionSummary *function = program.function(id);
    if (!function || !seen.insert(id).second)
      continue;
    found |= function->flags;
    for (const CallEdge &call :
         slice(program.moduleRef(id).summary.calls, function->calls))
      if (call.callee != kNone)
        if (GlobalId callee = program.definitionFor(id, call.callee);
            callee != kNone)
          stack.push_back(callee);
  }
  kernelFlags[kernel] = found;
  return found & flags;
}

/// What a callee may do with a parameter of which \p flags hold. Assembly that
/// gets a pointer keeps it, and may use it.
static unsigned accessOf(uint32_t flags) {
  unsigned access = 0;
  if (flags & (kParamMayRead | kParamMayEscape))
    access |= kTransferReads;
  if (flags & (kParamMayWrite | kParamMayEscape))
    access |= kTransferWrites;
  if (flags & kParamMayEscape)
    access |= kTransferKeeps;
  return access;
}

/// What \p kernel, launched by \p stub with \p operands, may do.
void TransferGraph::addKernel(uint32_t node, GlobalId stub, GlobalId kernel,
                              ArrayRef<TransferPlace> operands) {
  const FunctionEffects *effects = context.decisions.effectsOf(kernel);
  nodes[node].launchesAny |= !effects || hasAny(kernel, kHasIndirectCall);
  if (!effects)
    return touchAll(node, operands);
  ArrayRef<ParameterRecord> formals = program.parameters(kernel);
  BitVector isDone(operands.size());
  for (const StubArgument &piece :
       slice(program.moduleRef(stub).summary.stubArguments,
             program.function(stub)->stubArguments)) {
    uint32_t parameter = piece.kernelArgument;
    bool isPointer = parameter < formals.size() && !piece.isAggregate &&
                     piece.byteOffset == 0 &&
                     (formals[parameter].flags & kParamIsPointer) &&
                     !(formals[parameter].flags & kParamByVal);
    if (!isPointer || piece.formal >= operands.size() ||
        parameter >= effects->parameters.size())
      continue;
    touch(node, operands[piece.formal],
          accessOf(effects->parameters[parameter]));
    isDone.set(piece.formal);
  }
  for (auto [index, operand] : enumerate(operands))
    if (!isDone.test(index) && operand.object != kNone)
      touch(node, operand, kTransferReads | kTransferWrites | kTransferKeeps);
  // Assembly may read what its operands do not tell: textures.
  if (hasAny(kernel, kHasInlineAsm | kHasIndirectCall))
    touchAll(node, {});
  TransferNode &known = nodes[node];
  known.readsKept |=
      (effects->may & kReadsOther) != 0 && readsElsewhere(kernel);
  known.writesKept |=
      (effects->may & kWritesOther) != 0 && writesElsewhere(kernel);
  for (const VariableUse &use : effects->variables) {
    auto shadow = shadows.find(use.variable);
    if (shadow == shadows.end())
      continue; // no host code can name it
    unsigned access = 0;
    if (use.flags & (kReads | kTakesAddress))
      access |= kTransferReads;
    if (use.flags & (kWrites | kTakesAddress))
      access |= kTransferWrites;
    if (uint32_t known = variable(shadow->second); known != kNone)
      touch(node, {known, kNone}, access);
    else
      touchAll(node, {});
  }
}

/// What a function that cannot reach the runtime may do.
void TransferGraph::addSummarized(uint32_t node, GlobalId callee,
                                  ArrayRef<TransferPlace> operands,
                                  ArrayRef<uint8_t> access) {
  const FunctionEffects *effects = context.decisions.effectsOf(callee);
  if (!effects)
    return touchAll(node, pointersOf(operands, access));
  for (auto [index, operand] : enumerate(operands)) {
    if (!access[index])
      continue;
    uint32_t flags = index < effects->parameters.size()
                         ? effects->parameters[index]
                         : kParamMayRead | kParamMayWrite | kParamMayEscape;
    touch(node, operand, accessOf(flags));
  }
  TransferNode &known = nodes[node];
  known.readsKept |= (effects->may & kReadsOther) != 0;
  known.writesKept |= (effects->may & kWritesOther) != 0;
  known.readsVariables |= (effects->may & (kReadsOther | kReadsGlobals)) != 0;
  known.writesVariables |=
      (effects->may & (kWritesOther | kWritesGlobals)) != 0;
}

/// Returns what a row of the runtime's table calls argument \p index; nothing,
/// if the function has no such argument.
static TransferPlace operandOf(ArrayRef<TransferPlace> operands, int8_t index) {
  return index != RuntimeFunction::kNone && size_t(index) < operands.size()
             ? operands[index]
             : TransferPlace();
}

/// What the copy or fill \p function does.
void TransferGraph::addCopy(uint32_t node, const RuntimeFunction &function,
                            ArrayRef<TransferPlace> operands,
                            ArrayRef<uint8_t> access) {
  using Row = RuntimeFunction;
  TransferNode &copy = nodes[node];
  copy.copy = &function;
  copy.target = operandOf(operands, function.target);
  copy.source = operandOf(operands, function.source);
  TransferPlace bytes = operandOf(operands, function.bytes);
  copy.bytes = bytes.term;
  copy.areBytesExact = bytes.isExact;
  // A symbol is its variable; what is behind it, an offset in it.
  if (function.offset != Row::kNone) {
    bool isTarget = function.has(Row::ToSymbol);
    TransferPlace &symbol = isTarget ? copy.target : copy.source;
    TransferTerm moved;
    moved.kind = TransferTerm::Kind::Operation;
    moved.operation = JumpOperation::Add;
    moved.first = symbol.term;
    moved.second = operandOf(operands, function.offset).term;
    symbol.term =
        moved.first == kNone || moved.second == kNone ? kNone : term(moved);
  }
  auto isOffDevice = [&](int8_t index, const TransferPlace &place) {
    return index == Row::kNone || place.object != kNone ||
           (size_t(index) < access.size() && (access[index] & kTransferOnHost));
  };
  copy.isPlain = isOffDevice(function.target, copy.target) &&
                 isOffDevice(function.source, copy.source);
  uint64_t width = argumentOf(node, function.width).value_or(0);
  auto isTight = [&](int8_t pointer) {
    return pointer != Row::kNone &&
           argumentOf(node, int8_t(pointer + 1)).value_or(width) < width;
  };
  copy.isInvalid = argumentOf(node, function.direction).value_or(kByPointers) >
                       kByPointers ||
                   isTight(function.target) || isTight(function.source);
  touch(node, copy.target, kTransferWrites);
  if (function.source != Row::kNone)
    touch(node, nodes[node].source, kTransferReads);
}

/// What the runtime's \p function does.
void TransferGraph::addRuntimeCall(uint32_t node,
                                   const RuntimeFunction &function,
                                   uint32_t number,
                                   ArrayRef<TransferPlace> operands,
                                   ArrayRef<uint8_t> access) {
  using Row = RuntimeFunction;
  TransferPlace first = operandOf(operands, 0);
  if (function.has(Row::Resets)) {
    nodes[node].forgets = true;
    return touchAll(node, operands);
  }
  if (function.has(Row::Allocates)) {
    // LGEN leaves out variables that nobody loads from.
    if (first.term != kNone)
      touch(node, first, kTransferWrites);
    MemoryObject memory;
    memory.id = functionOf(nodes[node].frame);
    memory.number = number;
    memory.frame = nodes[node].frame;
    uint32_t fresh = object(memory);
    objects[fresh].bytes = argumentOf(node, function.allocated);
    nodes[node].ends.push_back(fresh);
    return;
  }
  if (function.has(Row::Frees) || function.has(Row::FreesInStream) ||
      function.name == "cudaFreeHost") {
    if (first.object == kNone)
      return touch(node, first, kTransferWrites);
    nodes[node].ends.push_back(first.object);
    nodes[node].freed = first.term;
    return;
  }
  if (function.target != Row::kNone)
    return addCopy(node, function, operands, access);
  for (const TransferPlace &pointer : operands)
    if (pointer.object != kNone)
      touch(node, pointer, kTransferReads | kTransferWrites | kTransferKeeps);
  if (function.isQuiet())
    return;
  touchAll(node, {});
  nodes[node].launchesAny |= function.mayLaunch();
}

/// What \p name, which has no body in this link, may do.
void TransferGraph::addNative(uint32_t node, StringRef name,
                              ArrayRef<TransferPlace> operands,
                              ArrayRef<uint8_t> access) {
  bool isMoved = name == "realloc" || name == "reallocarray";
  if (isMoved || HostLibrary::frees(name)) {
    TransferPlace freed = operands.empty() ? TransferPlace() : operands[0];
    if (freed.object == kNone)
      return touch(node, freed, kTransferWrites);
    nodes[node].ends.push_back(freed.object);
    nodes[node].freed = freed.term;
    if (isMoved)
      touch(node, freed, kTransferReads);
    return;
  }
  if (!library.contains(name) || !HostLibrary::touchesArgumentsOnly(name))
    return touchAll(node, pointersOf(operands, access));
  nodes[node].isPlain = true;
  for (auto [operand, how] : zip(operands, access))
    touch(node, operand, how);
}

//===----------------------------------------------------------------------===//
// Objects and terms
//===----------------------------------------------------------------------===//

bool TransferGraph::mayOverlap(uint32_t a, uint32_t b) const {
  const MemoryObject &left = objects[a], &right = objects[b];
  return left.kind == right.kind && left.id == right.id &&
         left.number == right.number &&
         (left.frame == right.frame || left.frame == kNone ||
          right.frame == kNone);
}

bool TransferGraph::mayTouch(const TransferNode &node, ArrayRef<uint32_t> named,
                             bool touchesKept, bool touchesVariables,
                             uint32_t object) const {
  const MemoryObject &known = objects[object];
  bool isKept = known.isKept && !(node.isPlain && known.isOnDevice);
  if ((touchesKept && isKept) ||
      (touchesVariables && known.kind == MemoryObject::Kind::Variable))
    return true;
  return any_of(named,
                [&](uint32_t other) { return mayOverlap(other, object); });
}

bool TransferGraph::mayChange(const TransferNode &node, uint32_t object) const {
  return mayWrite(node, object) || any_of(node.ends, [&](uint32_t other) {
           return mayOverlap(other, object);
         });
}

bool TransferGraph::isMain(GlobalId id) const {
  return program.symbol(id).name == "main";
}

bool TransferGraph::mayUseVariables(GlobalId id) const {
  const FunctionEffects *effects = context.decisions.effectsOf(id);
  return !effects || ((effects->may & (kReadsGlobals | kReadsOther)) &&
                      (effects->may & (kWritesGlobals | kWritesOther)));
}

GlobalId TransferGraph::allocatorOf(const MemoryObject &object) const {
  return object.kind == MemoryObject::Kind::Allocation
             ? nativeCallee(program, object.id,
                            program.calls(object.id)[object.number])
             : kNone;
}

std::string TransferGraph::describe(uint32_t node) const {
  const TransferNode &known = nodes[node];
  if (known.frame == kNone)
    return "code behind the end of the function";
  GlobalId function = functionOf(known.frame);
  const CallEdge *call = callOf(node);
  if (!call)
    return "host code in " + quotedName(program, function);
  std::string text = known.callee == kNone ? "an indirect call"
                                           : quotedName(program, known.callee);
  if (known.copy)
    text = "a " + std::string(known.source.term == kNone ? "fill" : "copy");
  return text + " (" + placeText(program, function, call->place) + ")";
}

std::optional<uint64_t> TransferGraph::constantOf(uint32_t term) const {
  if (term == kNone || terms[term].kind != TransferTerm::Kind::Constant)
    return std::nullopt;
  return terms[term].number;
}

/// Whether the first \p bytes bytes, a term, from \p place on are more than
/// its memory has.
bool TransferGraph::endsBehind(const TransferPlace &place,
                               uint32_t bytes) const {
  if (place.object == kNone || place.term == kNone)
    return false;
  const MemoryObject &memory = objects[place.object];
  std::optional<uint64_t> all = memory.bytes;
  if (memory.kind == MemoryObject::Kind::Variable)
    all = program.variable(memory.id)->sizeBytes;
  // What else a pointer is made of is in the memory.
  const TransferTerm &from = terms[place.term];
  uint64_t before = 0;
  if (from.kind == TransferTerm::Kind::Offset)
    before = std::max<int64_t>(static_cast<int64_t>(from.number), 0);
  else if (from.kind == TransferTerm::Kind::Operation &&
           from.operation == JumpOperation::Add)
    before = constantOf(from.second).value_or(0);
  uint64_t count = constantOf(bytes).value_or(0);
  return all && count && (count > *all || before > *all - count);
}

bool TransferGraph::fails(const TransferNode &node) const {
  // More than any device, or process, has memory.
  constexpr uint64_t kTooMany = uint64_t(1) << 40;
  return node.isInvalid || constantOf(node.bytes).value_or(0) >= kTooMany ||
         endsBehind(node.target, node.bytes) ||
         (node.copy->source != RuntimeFunction::kNone &&
          endsBehind(node.source, node.bytes));
}

/// Returns how many bytes \p object has, if it is what the runtime allocates
/// and that is one number however it is reached.
std::optional<uint64_t>
TransferGraph::allocatedBytes(const MemoryObject &object) const {
  GlobalId native = allocatorOf(object);
  const RuntimeFunction *function =
      native == kNone ? nullptr
                      : findRuntimeFunction(program.symbol(native).name);
  const BodyLattice *body = solver.find(object.id, 0);
  return function && body
             ? argumentOf(*body, program.calls(object.id)[object.number],
                          function->allocated)
             : std::nullopt;
}

/// Whether \p object is what cudaMalloc or its like has allocated.
bool TransferGraph::isDeviceAllocation(const MemoryObject &object) const {
  GlobalId native = allocatorOf(object);
  return native != kNone && isRuntime(program.symbol(native).name,
                                      RuntimeFunction::AllocatesOnDevice);
}

uint32_t TransferGraph::object(MemoryObject object) {
  auto [known, isNew] = objectNumbers.try_emplace(
      {object.kind, object.id, object.number, object.frame},
      static_cast<uint32_t>(objects.size()));
  if (isNew) {
    object.isKept |= object.kind == MemoryObject::Kind::Variable ||
                     (object.kind == MemoryObject::Kind::Allocation &&
                      object.frame == kNone);
    object.isOnDevice = isDeviceAllocation(object);
    if (object.frame == kNone)
      object.bytes = allocatedBytes(object);
    objects.push_back(object);
  }
  return known->second;
}

/// Returns the object that is the variable \p id, or kNone if it is none, is in
/// another library, or has another name.
uint32_t TransferGraph::variable(GlobalId id) {
  if (id == kNone || !program.variable(id))
    return kNone;
  MemoryObject memory;
  memory.kind = MemoryObject::Kind::Variable;
  memory.id = id;
  return object(memory);
}

uint32_t TransferGraph::term(const TransferTerm &term) {
  auto [known, isNew] =
      termNumbers.try_emplace(term, static_cast<uint32_t>(terms.size()));
  if (isNew)
    terms.push_back(term);
  return known->second;
}

uint32_t TransferGraph::leaf(uint32_t frame, uint32_t value, unsigned width) {
  TransferTerm result;
  result.kind = TransferTerm::Kind::Leaf;
  result.bitWidth = static_cast<uint16_t>(width);
  result.first = frame;
  result.second = value;
  return term(result);
}

/// Returns the object that \p function, of the function of \p frame, leads
/// into, or kNone.
uint32_t TransferGraph::objectOf(uint32_t frame, const JumpFunction &function,
                                 unsigned level) {
  using Kind = JumpFunction::Kind;
  GlobalId id = functionOf(frame);
  const CombinedModule &module = program.moduleRef(id);
  MemoryObject memory;
  if (function.isPointerPassedOn())
    return function.source < frames[frame].parameters.size()
               ? frames[frame].parameters[function.source].object
               : kNone;
  if (function.bitWidth || level > kMaxDepth)
    return kNone;
  if (function.kind == Kind::Composed && !function.count)
    return objectOf(frame, module.summary.jumpFunctions[function.source],
                    level + 1);
  if (function.kind == Kind::SymbolAddress)
    return variable(program.definition(module.firstSymbol + function.source));
  if (function.kind == Kind::Allocation) {
    memory.id = id;
    memory.number = function.source;
    memory.frame = frame;
    return object(memory);
  }
  ValueLattice value =
      solver.valueOf(solver.bodies()[frames[frame].body], function);
  if (value.state() == ValueLattice::State::Allocation) {
    memory.id = value.symbol();
    memory.number = static_cast<uint32_t>(value.value());
    return object(memory);
  }
  return value.state() == ValueLattice::State::Symbol ? variable(value.symbol())
                                                      : kNone;
}

TransferPlace TransferGraph::place(uint32_t frame, uint32_t value) {
  if (!frames[frame].isPlaced[value]) {
    TransferPlace found = findPlace(frame, value);
    frames[frame].places[value] = found;
    frames[frame].isPlaced[value] = true;
  }
  return frames[frame].places[value];
}

TransferPlace TransferGraph::placeOfPlain(uint32_t frame, uint32_t value,
                                          const TransferValue &plain) {
  using Kind = JumpFunction::Kind;
  const JumpFunction &function = plain.function;
  TransferPlace result;
  bool isFormal = function.kind == Kind::PassThrough &&
                  function.operation == JumpOperation::None;
  if (isFormal && function.source < frames[frame].parameters.size()) {
    const TransferPlace &actual = frames[frame].parameters[function.source];
    if (actual.term != kNone)
      return actual;
  }
  result.object = objectOf(frame, function);
  TransferTerm known;
  known.bitWidth = plain.bitWidth;
  if (function.kind == Kind::SymbolAddress && result.object != kNone) {
    known.kind = TransferTerm::Kind::Variable;
    known.number = objects[result.object].id;
    result.term = term(known);
    return result;
  }
  if (function.kind == Kind::Constant || function.kind == Kind::Null) {
    known.number = function.value;
    result.term = term(known);
    return result;
  }
  if (plain.bitWidth) {
    ValueLattice number =
        solver.valueOf(solver.bodies()[frames[frame].body], function);
    if (number.isConstant() && number.width() == plain.bitWidth) {
      known.number = number.value();
      result.term = term(known);
      return result;
    }
  }
  result.term = leaf(frame, value, plain.bitWidth);
  return result;
}

/// Whether nothing that callers pass, and that \p value of the function of
/// \p frame is made of, has wrapped.
bool TransferGraph::isMadeOfExact(uint32_t frame, uint32_t value) {
  if (value == kNone)
    return true;
  GlobalId id = functionOf(frame);
  const TransferValue &known =
      slice(program.moduleRef(id).summary.transferValues,
            program.function(id)->transferValues)[value];
  if (known.kind == TransferValueKind::Operation)
    return isMadeOfExact(frame, known.base) &&
           isMadeOfExact(frame, known.other);
  TransferPlace made = place(frame, value);
  return made.isExact || made.term == kNone ||
         terms[made.term].kind != TransferTerm::Kind::Operation;
}

/// The term of \p value, an operation of the terms \p left and \p right.
uint32_t TransferGraph::operationTerm(const TransferValue &value, uint32_t left,
                                      uint32_t right) {
  if (left == kNone || right == kNone)
    return kNone;
  TransferTerm result;
  result.kind = TransferTerm::Kind::Operation;
  result.operation = value.operation;
  result.bitWidth = value.bitWidth;
  result.isExact = value.isExact;
  result.first = left;
  result.second = right;
  using Kind = TransferTerm::Kind;
  const TransferTerm &a = terms[left], &b = terms[right];
  if (a.kind == Kind::Constant && b.kind == Kind::Constant && value.bitWidth) {
    bool isWidening = value.operation == JumpOperation::ZExt ||
                      value.operation == JumpOperation::SExt ||
                      value.operation == JumpOperation::Trunc;
    JumpFunction function = JumpFunction::passThrough(0, value.bitWidth);
    function.operation = value.operation;
    function.value = isWidening ? a.bitWidth : b.number;
    if (std::optional<uint64_t> known = evaluate(function, a.number)) {
      TransferTerm constant;
      constant.bitWidth = value.bitWidth;
      constant.number = *known;
      return term(constant);
    }
  }
  return term(result);
}

TransferPlace TransferGraph::placeOfOperation(uint32_t frame,
                                              const TransferValue &value) {
  TransferPlace base = place(frame, value.base), result;
  result.object = value.bitWidth ? kNone : base.object;
  TransferTerm constant;
  constant.bitWidth = value.bitWidth;
  constant.number = value.number;
  uint32_t right =
      value.other == kNone ? term(constant) : place(frame, value.other).term;
  result.term = operationTerm(value, base.term, right);
  return result;
}

TransferPlace TransferGraph::findPlace(uint32_t frame, uint32_t number) {
  GlobalId id = functionOf(frame);
  const TransferValue &value =
      slice(program.moduleRef(id).summary.transferValues,
            program.function(id)->transferValues)[number];
  TransferPlace result;
  TransferTerm made;
  made.bitWidth = value.bitWidth;
  switch (value.kind) {
  case TransferValueKind::Plain:
    return placeOfPlain(frame, number, value);
  case TransferValueKind::Local: {
    MemoryObject local;
    local.kind = MemoryObject::Kind::Local;
    local.id = id;
    local.number = number;
    local.frame = frame;
    result.object = object(local);
    result.term = leaf(frame, number, 0);
    return result;
  }
  case TransferValueKind::Allocated:
    result.object = objectOf(frame, value.function);
    made.kind = TransferTerm::Kind::Allocated;
    made.first = frame;
    made.second = value.function.source;
    result.term = term(made);
    return result;
  case TransferValueKind::Load: {
    TransferPlace base = place(frame, value.base);
    result.object = objectOf(frame, value.function);
    made.kind = TransferTerm::Kind::Load;
    made.first = base.term;
    made.number = value.number;
    made.object = base.object;
    if (base.term != kNone)
      result.term = term(made);
    return result;
  }
  case TransferValueKind::Offset: {
    TransferPlace base = place(frame, value.base);
    result.object = base.object;
    made.kind = TransferTerm::Kind::Offset;
    made.first = base.term;
    made.number = value.number;
    if (base.term != kNone &&
        terms[base.term].kind == TransferTerm::Kind::Offset) {
      made.first = terms[base.term].first;
      made.number += terms[base.term].number;
    }
    if (base.term != kNone)
      result.term = term(made);
    return result;
  }
  case TransferValueKind::Operation:
    return placeOfOperation(frame, value);
  }
  llvm_unreachable("all kinds are above");
}

} // namespace gpulto
