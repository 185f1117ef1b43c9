//===- SolverPropagate.cpp - Lattices over calls and launches -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// 1. Functions that may be entered from where no summary says
// (ipa/callers/Callers)
//    know nothing of their parameters; all others, and clones, start at the
//    top.
// 2. Bodies are visited from a worklist, those with unknown callers first; a
//    visit meets what each call and launch passes into the callee. A body that
//    no known entry reaches is never visited and contributes nothing. Launches
//    through handles call their stubs, by no edge.
// 3. The geometry of a launch is treated as six more parameters of a kernel,
//    and of every device function that it calls: they pass it on unchanged.
// 4. By-value aggregates (struct Params) have an element per known part, and
//    so has what a pointer of the host points to (const Params &).
//
// Optimistic, so the fixed point is the greatest; the order of visits matters
// for widened bounds only and is that of the program. Each element goes down at
// most some 80 steps (bits), in practice one or two: linear.
//
// Source: D. Callahan, K. D. Cooper, K. Kennedy, L. Torczon, "Interprocedural
// Constant Propagation", SIGPLAN 1986; GCC's ipa-cp.cc.
//
//===----------------------------------------------------------------------===//

#include "ipa/constants/ConstantsSolver.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace llvm;

namespace gpulto {

/// NVPTX: the address space of global memory.
static constexpr uint8_t kGlobalAddressSpace = 1;

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

ConstantsSolver::ConstantsSolver(const WpaContext &context,
                                 const Callers &callers,
                                 const Pointees &pointees)
    : context(context), program(context.program), callers(callers),
      pointees(pointees) {
  allBodies.resize(callers.bodies().size());
  for (auto [i, id] : enumerate(callers.bodies())) {
    BodyLattice &body = allBodies[i];
    body.id = id;
    body.index = i;
    body.isKnown = callers.unknown(id) == UnknownCaller::None;
    noteBody(body);
  }
}

void ConstantsSolver::noteBody(const BodyLattice &body) {
  const FunctionSummary &function = *program.function(body.id);
  active.push_back(!function.launches.empty() ||
                   !function.variableStores.empty());
}

BodyIndex ConstantsSolver::indexOf(GlobalId id, uint32_t clone) const {
  if (!clone)
    return callers.bodyIndex(id);
  auto found = clones.find({id, clone});
  return found == clones.end() ? kNone : found->second;
}

const BodyLattice *ConstantsSolver::find(GlobalId id, uint32_t clone) const {
  BodyIndex index = indexOf(id, clone);
  return index == kNone ? nullptr : &allBodies[index];
}

BodyIndex ConstantsSolver::addClone(GlobalId id) {
  BodyLattice clone;
  clone.id = id;
  clone.clone = ++cloneCounts[id];
  clones[{id, clone.clone}] = allBodies.size();
  clone.index = allBodies.size();
  noteBody(clone);
  noteLoss(clone.index);
  allBodies.push_back(std::move(clone));
  return allBodies.size() - 1;
}

uint32_t ConstantsSolver::cloneCount(GlobalId id) const {
  return cloneCounts.lookup(id);
}

void ConstantsSolver::redirect(CallSite site, BodyIndex clone) {
  noteLoss(calleeOf(site.caller, site.number));
  noteRedirection(site.caller);
  redirections[{site.caller, site.number}] = clone;
}

BodyIndex ConstantsSolver::redirected(BodyIndex caller, uint32_t number) const {
  if (!isRedirecting(caller))
    return kNone;
  auto found = redirections.find({caller, number});
  return found == redirections.end() ? kNone : found->second;
}

BodyIndex ConstantsSolver::addKernelClone(GlobalId stub) {
  BodyIndex clone = addClone(stub);
  for (GlobalId kernel : program.deviceCounterparts(stub))
    addClone(kernel);
  return clone;
}

void ConstantsSolver::redirectLaunch(BodyIndex caller, uint32_t number,
                                     BodyIndex stubClone) {
  const GlobalId id = allBodies[caller].id;
  noteLoss(calleeOf(caller, number));
  for (const LaunchSite &launch : program.launches(id))
    if (launch.call == number)
      forEachLaunched(allBodies[caller], launch,
                      [&](BodyIndex body) { noteLoss(body); });
  noteRedirection(caller);
  launchRedirections[{caller, number}] = stubClone;
  const CallEdge &call = slice(program.moduleRef(id).summary.calls,
                               program.function(id)->calls)[number];
  // A direct call of the stub, or one through its address.
  if (call.callee == kNone ||
      program.definitionFor(id, call.callee) == allBodies[stubClone].id)
    redirections[{caller, number}] = stubClone;
}

BodyIndex ConstantsSolver::launched(BodyIndex caller, uint32_t number) const {
  if (!isRedirecting(caller))
    return kNone;
  auto found = launchRedirections.find({caller, number});
  return found == launchRedirections.end() ? kNone : found->second;
}

BodyIndex ConstantsSolver::calleeOf(BodyIndex caller, uint32_t number) const {
  if (BodyIndex clone = redirected(caller, number); clone != kNone)
    return clone;
  if (allBodies[caller].clone)
    caller = callers.bodyIndex(allBodies[caller].id);
  return callers.entersByAlias(caller, number)
             ? kNone
             : callers.calleesOf(caller)[number];
}

//===----------------------------------------------------------------------===//
// The worklist
//===----------------------------------------------------------------------===//

void ConstantsSolver::reset(BodyLattice &body) {
  body.isReached = false;
  body.firstCaller = kNone;
  body.parameters.clear();
  body.geometry.clear();
  if (!body.isKnown) {
    body.isReached = true;
    enqueue(body);
    return;
  }
  ArrayRef<ParameterRecord> formals = program.parameters(body.id);
  body.parameters.reserve(formals.size());
  for (const ParameterRecord &formal : formals) {
    // An aggregate has parts and no value, everything else the opposite: what
    // it does not have must not look as if no context had been seen.
    // A pointer has both.
    ParameterLattice &known = body.parameters.emplace_back();
    if (formal.flags & kParamByVal)
      known.whole = ValueLattice::varying();
    else if (!(formal.flags & kParamIsPointer))
      known.hasParts = true;
    known.isPrivate = (formal.flags & kParamIsPointer) &&
                      !(formal.flags & kParamByVal) &&
                      program.imageOf(body.id) == kHostImage;
  }
  if (program.imageOf(body.id) != kHostImage)
    body.geometry.resize(kDimensions);
}

void ConstantsSolver::solve() {
  if (std::exchange(isSolved, true))
    return solveAgain();
  changed.clear();
  settled.clear();
  settled.resize(allBodies.size());
  for (BodyLattice &body : allBodies) {
    reset(body);
    if (!body.isKnown)
      settled.set(body.index);
  }
  runWorklist();
}

void ConstantsSolver::runWorklist() {
  while (!worklist.empty()) {
    BodyIndex next = worklist.front();
    worklist.pop_front();
    allBodies[next].isQueued = false;
    visited = next;
    visit(next);
  }
  visited = kNone;
}

void ConstantsSolver::enqueue(BodyLattice &body) {
  if (body.isQueued)
    return;
  body.isQueued = true;
  worklist.push_back(body.index);
}

/// Notes that \p from enters \p callee. Returns whether nobody did before.
bool ConstantsSolver::reach(BodyLattice &callee, const BodyLattice &from) {
  if (callee.isReached)
    return false;
  callee.isReached = true;
  callee.firstCaller = from.index;
  return true;
}

void ConstantsSolver::visit(BodyIndex index) {
  const BodyLattice &body = allBodies[index];
  for (auto [number, call] : enumerate(program.calls(body.id)))
    if (call.callee != kNone)
      visitCall(index, number, call);
  for (const LaunchSite &launch : program.launches(body.id))
    visitLaunch(index, launch);
  visitStores(body);
}

static bool knowsNoParts(const ParameterLattice &known) {
  return known.hasParts && known.parts.empty();
}

/// Returns whether no context can lower \p known any more.
static bool isBottom(const ParameterLattice &known) {
  return known.whole.state() == ValueLattice::State::Varying &&
         !known.whole.hasFacts() && knowsNoParts(known) && !known.isPrivate;
}

void ConstantsSolver::visitCall(BodyIndex caller, uint32_t number,
                                const CallEdge &call) {
  BodyIndex callee = calleeOf(caller, number);
  if (meetArguments(
          callee, allBodies[caller],
          program.jumpFunctions(allBodies[caller].id, call.arguments)))
    lowerings.push_back({caller, number, callee});
}

/// Lets the body \p index, if it is one, know no more than \p from passes it as
/// \p actuals. Returns whether that is less than before.
bool ConstantsSolver::meetArguments(BodyIndex index, const BodyLattice &from,
                                    ArrayRef<JumpFunction> actuals) {
  if (index == kNone || settled.test(index))
    return false;
  BodyLattice &callee = allBodies[index];
  bool changed = reach(callee, from);
  for (auto [i, known] : enumerate(callee.parameters))
    if (!isBottom(known))
      changed |= meetParameter(
          known,
          evaluateArgument(callee.id, i, from,
                           i < actuals.size() ? actuals[i] : JumpFunction(),
                           /*asksParts=*/!knowsNoParts(known)));
  if (!callee.geometry.empty())
    changed |= meetGeometry(callee, from.geometry);
  if (changed)
    enqueue(callee);
  if (callee.geometry.empty() && all_of(callee.parameters, isBottom))
    settled.set(index);
  return changed;
}

/// Whether \p handle of \p caller is in memory that a call gets the address of:
/// the callee may put another one there before the launch.
static bool mayBeReplaced(const CombinedSummary &program, GlobalId caller,
                          const JumpFunction &handle) {
  return any_of(slice(program.moduleRef(caller).summary.handleFlows,
                      program.function(caller)->handleFlows),
                [&](const HandleFlow &flow) {
                  return flow.to == HandleTarget::Behind &&
                         flow.handle.kind == handle.kind &&
                         flow.handle.source == handle.source;
                });
}

/// Returns the stub that \p launch must launch by what \p caller knows of the
/// parameter that is its handle, or kNone. What others leave in variables and
/// return is not asked for.
GlobalId ConstantsSolver::knownHandle(const BodyLattice &caller,
                                      const LaunchSite &launch) const {
  using Kind = JumpFunction::Kind;
  const CombinedModule &module = program.moduleRef(caller.id);
  if (launch.stub != kNone || launch.handles.count != 1)
    return kNone;
  const JumpFunction &handle =
      slice(module.summary.jumpFunctions, launch.handles).front();
  if (handle.kind != Kind::PassThrough && handle.kind != Kind::SymbolAddress)
    return kNone;
  if (mayBeReplaced(program, caller.id, handle))
    return kNone;
  ValueLattice value = evaluate(caller, module, handle);
  bool isStub = value.state() == ValueLattice::State::Symbol &&
                value.value() == 0 &&
                program.symbol(value.symbol()).has(kKernelStub);
  return isStub ? value.symbol() : kNone;
}

SmallVector<GlobalId, 2>
ConstantsSolver::stubsOf(const BodyLattice &caller,
                         const LaunchSite &launch) const {
  SmallVector<GlobalId, 2> stubs = callers.stubsOf(caller.id, launch);
  if (GlobalId known = knownHandle(caller, launch); known != kNone)
    erase_if(stubs, [&](GlobalId stub) { return stub != known; });
  return stubs;
}

bool ConstantsSolver::launchesOne(const BodyLattice &caller,
                                  const LaunchSite &launch) const {
  return launch.call != kNone &&
         (launch.stub != kNone || knownHandle(caller, launch) != kNone);
}

std::vector<ValueLattice>
ConstantsSolver::launchGeometry(const BodyLattice &caller,
                                const LaunchSite &launch) const {
  const CombinedModule &module = program.moduleRef(caller.id);
  std::vector<ValueLattice> geometry;
  for (auto [function, limit] :
       zip(slice(module.summary.jumpFunctions, launch.geometry)
               .take_front(kDimensions),
           kGeometryLimits)) {
    geometry.push_back(evaluate(caller, module, function));
    // The runtime launches nothing else.
    JumpFunction valid;
    valid.low = 1;
    valid.high = limit;
    geometry.back().addFacts(valid);
  }
  return geometry;
}

void ConstantsSolver::visitLaunch(BodyIndex from, const LaunchSite &launch) {
  const BodyLattice &caller = allBodies[from];
  BodyIndex stubClone = launched(from, launch.call);
  uint32_t clone = stubClone == kNone ? 0 : allBodies[stubClone].clone;
  std::vector<ValueLattice> geometry = launchGeometry(caller, launch);
  // A chevron launch through a handle. The runtime calls no stub, and a call of
  // a stub by its name is an edge.
  bool callsStub = launch.stub == kNone && launch.byStubFormals;
  for (GlobalId stub : stubsOf(caller, launch)) {
    if (callsStub)
      meetArguments(indexOf(stub, clone), caller,
                    program.jumpFunctions(caller.id, launch.arguments));
    visitKernels(caller, launch, stub, clone, geometry);
  }
}

void ConstantsSolver::visitKernels(const BodyLattice &caller,
                                   const LaunchSite &launch, GlobalId stub,
                                   uint32_t clone,
                                   ArrayRef<ValueLattice> geometry) {
  for (GlobalId id : program.kernelsOf(stub)) {
    BodyIndex index = indexOf(id, clone);
    if (index == kNone || !allBodies[index].isKnown)
      continue;
    BodyLattice &kernel = allBodies[index];
    bool changed = reach(kernel, caller);
    for (auto [known, actual] :
         zip(kernel.parameters, launchArguments(caller, launch, stub, id)))
      changed |= meetParameter(known, actual);
    changed |= meetGeometry(kernel, geometry);
    if (changed)
      enqueue(kernel);
  }
}

//===----------------------------------------------------------------------===//
// Jump functions
//===----------------------------------------------------------------------===//

ValueLattice
ConstantsSolver::evaluateAddress(const CombinedModule &module,
                                 const JumpFunction &function) const {
  GlobalId named = module.firstSymbol + function.source;
  GlobalId id = program.definition(named);
  const SymbolRecord &symbol = program.symbol(id == kNone ? named : id);
  ValueLattice result = ValueLattice::varying();
  // The copies of a copyable constant have no common address, and each thread
  // has a thread-local variable of its own.
  if (id != kNone && !symbol.has(kCopyable) && !symbol.has(kThreadLocal) &&
      symbol.kind != SymbolKind::IFunc)
    result = ValueLattice::address(id, function.value);
  JumpFunction facts;
  facts.addressSpace = symbol.addressSpace;
  facts.nonNull = id != kNone && symbol.kind != SymbolKind::Alias;
  if (const VariableSummary *variable =
          id == kNone ? nullptr : program.variable(id))
    facts.alignLog2 = std::min<unsigned>(
        variable->alignLog2,
        function.value ? countr_zero(function.value) : variable->alignLog2);
  result.addFacts(facts);
  return result;
}

/// Evaluates what \p function is composed of, which ends (SummaryFormat), and
/// then itself.
ValueLattice ConstantsSolver::evaluate(const BodyLattice &caller,
                                       const CombinedModule &module,
                                       const JumpFunction &function) const {
  if (function.kind != JumpFunction::Kind::Composed)
    return evaluateOnce(caller, module, function);
  ArrayRef<JumpFunction> table = module.summary.jumpFunctions;
  ValueLattice result = evaluate(caller, module, table[function.source]);
  if (function.count)
    result = ValueLattice::combine(
        function, result, evaluate(caller, module, table[function.count - 1]));
  else
    result = ValueLattice::passThrough(function, result);
  result.addFacts(function);
  return result;
}

/// Returns how many bytes call \p number of \p caller, of cudaMalloc or its
/// like, asks for at least.
uint64_t ConstantsSolver::leastAllocated(const BodyLattice &caller,
                                         uint32_t number) const {
  constexpr unsigned kSizeArgument = 1, kSizeBits = 64;
  ArrayRef<JumpFunction> actuals = actualsOf(caller, number);
  if (actuals.size() <= kSizeArgument)
    return 0;
  ValueLattice size = valueOf(caller, actuals[kSizeArgument]);
  return !size.isTop() && size.width() == kSizeBits ? size.low() : 0;
}

ValueLattice ConstantsSolver::returned(const BodyLattice &body) const {
  return evaluate(body, program.moduleRef(body.id),
                  program.function(body.id)->returned);
}

/// As evaluate, of what is not composed.
ValueLattice ConstantsSolver::evaluateOnce(const BodyLattice &caller,
                                           const CombinedModule &module,
                                           const JumpFunction &function) const {
  using Kind = JumpFunction::Kind;
  ValueLattice result = ValueLattice::varying(function.bitWidth);
  bool isOfFormal = function.source < caller.parameters.size();
  switch (function.kind) {
  case Kind::Unknown:
  case Kind::Aggregate:
  case Kind::LoadVariable:
  case Kind::CallMemory:
  case Kind::Composed:
    break;
  case Kind::CallResult: {
    ParameterLattice returned = evaluateResult(caller, function);
    if (!returned.hasParts)
      return ValueLattice(); // the caller is not reached yet
    if (!returned.parts.empty())
      result = readParts(returned.parts, function.value, function.bitWidth);
    else if (returned.whole.isTop() ||
             (function.value == 0 && returned.whole.width() == result.width()))
      result = returned.whole;
    break;
  }
  case Kind::Memory: {
    ParameterLattice known = evaluateMemory(caller, function);
    if (!known.hasParts)
      return ValueLattice();
    result = readParts(known.parts, function.value, function.bitWidth);
    break;
  }
  case Kind::Constant:
    result = ValueLattice::constant(function.value, function.bitWidth);
    break;
  case Kind::Null:
    result = ValueLattice::constant(0, 0);
    break;
  case Kind::SymbolAddress:
    result = evaluateAddress(module, function);
    break;
  case Kind::VariablePart:
    result = evaluateVariable(caller, function);
    break;
  case Kind::Allocation:
    result =
        ValueLattice::allocation(caller.id, function.source, caller.entered);
    if (uint64_t bytes =
            function.parameter ? leastAllocated(caller, function.source) : 0)
      result.addLasting(bytes);
    break;
  case Kind::PassThrough:
  case Kind::Ancestor:
    // Of a parameter that nothing is known of, operations still tell something.
    if (ArrayRef<ParameterRecord> formals = program.parameters(caller.id);
        function.source < formals.size())
      result = ValueLattice::passThrough(
          function, isOfFormal ? caller.parameters[function.source].whole
                               : ValueLattice::varying(
                                     formals[function.source].bitWidth));
    break;
  case Kind::LoadAggregate: {
    if (!isOfFormal)
      break;
    if (!function.count && !keepsPointee(caller, function.source))
      break;
    const ParameterLattice &formal = caller.parameters[function.source];
    if (!formal.hasParts)
      return ValueLattice(); // the caller is not reached yet
    result = readParts(formal.parts, function.value, function.bitWidth);
    break;
  }
  }
  result.addFacts(function);
  // What a launch passes as a pointer points to global memory.
  bool isOfLaunch = function.kind == Kind::PassThrough ||
                    function.kind == Kind::Ancestor ||
                    function.kind == Kind::LoadAggregate;
  if (isOfLaunch && function.bitWidth == 0 &&
      program.symbol(caller.id).has(kKernel)) {
    JumpFunction global;
    global.addressSpace = kGlobalAddressSpace;
    result.addFacts(global);
  }
  return result;
}

/// Returns the parts of a kernel's aggregate of which \p pieces tell where the
/// stub has them among its own parameters, passed as \p actuals.
ParameterLattice
ConstantsSolver::evaluatePieces(const BodyLattice &caller,
                                const CombinedModule &module,
                                ArrayRef<const StubArgument *> pieces,
                                ArrayRef<JumpFunction> actuals) const {
  ParameterLattice result;
  result.whole = ValueLattice::varying();
  result.hasParts = true;
  for (const StubArgument *piece : pieces) {
    ValueLattice value = evaluate(caller, module, actuals[piece->formal]);
    value.forgetSymbol();
    result.hasParts &= !value.isTop();
    if (!piece->isAggregate)
      addPart(result.parts, piece->byteOffset, value);
  }
  return result;
}

bool meetParameter(ParameterLattice &known, const ParameterLattice &actual) {
  bool changed = known.whole.meet(actual.whole);
  changed |= meetParts(known, actual);
  changed |= known.isPrivate && !actual.isPrivate;
  known.isPrivate &= actual.isPrivate;
  return changed;
}

static uint64_t hashOf(const ValueLattice &value) {
  return hash_combine(value.state(), value.width(), value.value(),
                      value.symbol(), value.low(), value.high(),
                      value.knownZeros(), value.knownOnes(), value.alignLog2(),
                      value.addressSpace(), value.isNonNull(), value.entered(),
                      value.dereferenceableBytes());
}

uint64_t hashOf(const ParameterLattice &known) {
  hash_code hash =
      hash_combine(hashOf(known.whole), known.hasParts, known.isPrivate);
  for (const PartLattice &part : known.parts)
    hash = hash_combine(hash, uint32_t(part.byteOffset), hashOf(part.value));
  return hash;
}

/// Returns what \p value, passed by \p caller, is as \p formal of \p callee.
ValueLattice ConstantsSolver::fit(GlobalId callee,
                                  const ParameterRecord &formal,
                                  const BodyLattice &caller,
                                  ValueLattice value) const {
  // A bool is a byte on the host's side of a launch.
  if (value.isConstant() && value.width() == 8 && formal.bitWidth == 1)
    value = ValueLattice::constant(value.value() & 1, 1);
  // The host's symbols mean nothing in device code.
  if (program.imageOf(caller.id) != program.imageOf(callee))
    value.forgetSymbol();
  if (program.has(callee, kKernel) && (formal.flags & kParamIsPointer)) {
    JumpFunction global;
    global.addressSpace = kGlobalAddressSpace;
    value.addFacts(global);
  }
  // A value of another width is not this parameter's.
  if (!value.isTop() && value.width() != formal.bitWidth)
    value = ValueLattice::varying(formal.bitWidth);
  return value;
}

/// Returns what \p actual of \p caller is as parameter \p index of \p callee;
/// of its parts only if \p asksParts.
ParameterLattice ConstantsSolver::evaluateArgument(GlobalId callee,
                                                   uint32_t index,
                                                   const BodyLattice &caller,
                                                   const JumpFunction &actual,
                                                   bool asksParts) const {
  const CombinedModule &module = program.moduleRef(caller.id);
  const ParameterRecord &formal = program.parameters(callee)[index];
  auto evaluateAggregate = [&] {
    if (asksParts)
      return this->evaluateAggregate(caller, module, actual);
    ParameterLattice unknown;
    unknown.whole = ValueLattice::varying();
    unknown.hasParts = true;
    unknown.isPrivate = leadsToPrivate(caller, actual);
    return unknown;
  };
  if (formal.flags & kParamByVal)
    return evaluateAggregate();
  // Device code cannot follow the host's pointers.
  ParameterLattice result;
  result.hasParts = true;
  if ((formal.flags & kParamIsPointer) && program.imageOf(callee) == kHostImage)
    result = evaluateAggregate();
  result.whole = fit(callee, formal, caller, evaluate(caller, module, actual));
  return result;
}

ValueLattice ConstantsSolver::argument(BodyIndex caller, uint32_t number,
                                       uint32_t index) const {
  BodyIndex callee = calleeOf(caller, number);
  const BodyLattice &from = allBodies[caller];
  ArrayRef<JumpFunction> actuals =
      program.jumpFunctions(from.id, program.calls(from.id)[number].arguments);
  if (callee == kNone || index >= actuals.size())
    return ValueLattice::varying();
  GlobalId entered = allBodies[callee].id;
  const ParameterRecord &formal = program.parameters(entered)[index];
  // An aggregate has no value as a whole.
  if (formal.flags & kParamByVal)
    return ValueLattice::varying();
  return fit(entered, formal, from,
             evaluate(from, program.moduleRef(from.id), actuals[index]));
}

std::vector<ParameterLattice>
ConstantsSolver::launchArguments(const BodyLattice &caller,
                                 const LaunchSite &launch, GlobalId stub,
                                 GlobalId kernel) const {
  const CombinedModule &module = program.moduleRef(caller.id);
  ArrayRef<JumpFunction> actuals =
      slice(module.summary.jumpFunctions, launch.arguments);
  ArrayRef<ParameterRecord> formals = program.parameters(kernel);
  std::vector<ParameterLattice> result;
  if (!launch.byStubFormals) {
    for (uint32_t i = 0; i < formals.size(); ++i)
      result.push_back(evaluateArgument(
          kernel, i, caller, i < actuals.size() ? actuals[i] : JumpFunction()));
    return result;
  }
  // The arguments are the stub's own: its pieces say what is the kernel's.
  ArrayRef<StubArgument> pieces =
      slice(program.moduleRef(stub).summary.stubArguments,
            program.function(stub)->stubArguments);
  for (uint32_t k = 0; k < formals.size(); ++k) {
    SmallVector<const StubArgument *, 4> ofThis;
    for (const StubArgument &piece : pieces)
      if (piece.kernelArgument == k && piece.formal < actuals.size())
        ofThis.push_back(&piece);
    bool isByVal = formals[k].flags & kParamByVal;
    bool isWhole = ofThis.size() == 1 && ofThis[0]->byteOffset == 0 &&
                   ofThis[0]->isAggregate == isByVal;
    if (!isByVal || isWhole)
      result.push_back(evaluateArgument(kernel, k, caller,
                                        isWhole ? actuals[ofThis[0]->formal]
                                                : JumpFunction()));
    else
      result.push_back(evaluatePieces(caller, module, ofThis, actuals));
  }
  return result;
}

bool ConstantsSolver::meetGeometry(BodyLattice &callee,
                                   ArrayRef<ValueLattice> actual) {
  bool changed = false;
  for (uint32_t i = 0; i < kDimensions; ++i)
    changed |= callee.geometry[i].meet(
        i < actual.size() ? actual[i] : ValueLattice::varying(32));
  return changed;
}

} // namespace gpulto
