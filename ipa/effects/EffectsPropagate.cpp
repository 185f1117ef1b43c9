//===- EffectsPropagate.cpp - Effects over the call graph (WPA)
//------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: know what a call may do, whichever file the callee is in.
//
//   a.cpp: int scale(const int *p) { return weight() * *p; }
//   b.cpp: static int w = 3; int weight() { return w; }
//
//   weight reads nothing (w is never written), scale reads what p points to;
//   neither throws, frees or synchronizes, both return. So callers of scale
//   keep values in registers, hoist the call and merge two of them.
//
// 1. A body starts with its own effects (LGEN) and takes over those of its
//    callees until nothing changes (solveEffects): what may happen only grows,
//    so the least fixed point is the answer for recursion, too. The jump
//    function of an argument says what memory a callee's parameter leads to.
// 2. That a call returns, and that it never does, must be proven from the
//    callees up (solveReturns): a function that waits for its own proof, in a
//    recursion, gets none. A body with loops returns if it must progress and
//    has no effect that could be its progress.
// 3. A callee that is unseen, or that another program may replace
//    (Callers::isFinal), may do everything that the attributes of the call do
//    not exclude.
// 4. Variables (VariableUses): LGEN knows all mentions in live code. So a
//    variable that nobody writes keeps its initial value, and one that nobody
//    reads need not be written; writing it is no effect of a host function. A
//    variable that the outside can name, that is registered with the runtime,
//    has a section or an alias or is thread-local is left alone.
//
// Bottom-up (iterate), so linear in edges without recursion; with recursion,
// times the handful of bits that can change.
//
// Source: GCC's ipa-pure-const.cc, ipa-modref.cc and ipa-reference.cc; LLVM's
// FunctionAttrs.cpp, whose rules for loops and by-value arguments are kept.
//
//===----------------------------------------------------------------------===//

#include "ipa/bodies/Passes.h"
#include "ipa/callers/Callers.h"
#include "ipa/callers/PointerBase.h"
#include "ipa/effects/Effects.h"
#include "summary/CombinedModule.h"
#include "support/Parallel.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <numeric>
#include <utility>

using namespace llvm;

namespace gpulto {

namespace {

constexpr uint32_t kAllMemory =
    kReadsArguments | kWritesArguments | kReadsGlobals | kWritesGlobals |
    kReadsOther | kWritesOther | kReadsInaccessible | kWritesInaccessible;
constexpr uint32_t kAnyWrite =
    kWritesArguments | kWritesGlobals | kWritesOther | kWritesInaccessible;
constexpr uint32_t kAnyEffect = kAllMemory | kSynchronizes | kUnwinds | kFrees;
constexpr uint32_t kAnyAccess =
    kParamMayRead | kParamMayWrite | kParamMayEscape | kParamMayCompare;

/// What is known of a body so far.
struct BodyEffects {
  uint32_t may = 0;
  bool alwaysReturns = false, neverReturns = false;
  /// Its effects are those of calls that enter its definition.
  bool isFinal = false;
  bool isQueued = false;
  /// What the body does itself, and what its attributes promise.
  uint32_t own = 0;
  bool willReturn = false, noReturn = false, noUnwind = false;
  /// Its parameters in EffectsSolver::accesses.
  uint32_t firstAccess = 0;
  uint32_t accessCount = 0;
};

/// Bodies are their places in Callers::bodies. What each call asks of a callee
/// is in two small tables, since callees are anywhere.
class EffectsSolver {
public:
  EffectsSolver(WpaContext &context, const Callers &callers)
      : context(context), program(context.program), callers(callers) {}

  void run() {
    addBodies();
    addUnknown();
    addCallers();
    findOrder();
    solveEffects();
    solveReturns();
    store();
  }

private:
  void addBodies();
  void addUnknown();
  void addUnknown(uint32_t body);
  void addCallers();
  void findOrder();
  void iterate(function_ref<bool(uint32_t)> update);
  void solveEffects();
  void solveReturns();
  std::vector<VariableUse> variablesOf(uint32_t kernel) const;
  void store();

  GlobalId idOf(uint32_t body) const { return callers.bodies()[body]; }
  const FunctionSummary &function(uint32_t body) const {
    return *program.function(idOf(body));
  }
  MutableArrayRef<uint32_t> accessesOf(const BodyEffects &body) {
    return MutableArrayRef(accesses).slice(body.firstAccess, body.accessCount);
  }
  /// Returns what call \p number of \p body enters, or null.
  const BodyEffects *calleeOf(uint32_t body, size_t number) const {
    uint32_t callee = callers.calleesOf(body)[number];
    return callee == kNone || !bodies[callee].isFinal ? nullptr
                                                      : &bodies[callee];
  }
  ArrayRef<JumpFunction> basesOf(GlobalId id, const CallEdge &call,
                                 SmallVectorImpl<JumpFunction> &storage) const;
  uint32_t ownEffects(GlobalId id) const;
  bool update(uint32_t body);
  void addCall(const CallEdge &call, ArrayRef<JumpFunction> actuals,
               const BodyEffects *callee, uint32_t &may) const;
  void addMemory(ArrayRef<JumpFunction> actuals, const BodyEffects &callee,
                 uint32_t &may) const;
  bool addParameters(const BodyEffects &body, const CallEdge &call,
                     ArrayRef<JumpFunction> actuals, const BodyEffects *callee);
  static bool mayAdd(const BodyEffects &callee, uint32_t may);
  bool comesBack(uint32_t body) const;
  bool staysAway(uint32_t body) const;

  WpaContext &context;
  const CombinedSummary &program;
  const Callers &callers;
  std::vector<BodyEffects> bodies;
  /// By parameter of all bodies: what may be done with it, and kParamByVal and
  /// kParamIsPointer.
  std::vector<uint32_t> accesses;
  /// By call of all bodies: it passes on parameters of its body.
  std::vector<uint8_t> handsOn;
  /// Bodies that call a body, and where they begin.
  std::vector<uint32_t> firstCaller, callerList;
  /// The bodies, callees first, and where each is in that.
  std::vector<uint32_t> order, placeInOrder;
};

} // namespace

//===----------------------------------------------------------------------===//
// What may happen
//===----------------------------------------------------------------------===//

void EffectsSolver::addBodies() {
  bodies.reserve(callers.bodies().size());
  constexpr uint32_t kKept =
      kAnyAccess | kParamUnused | kParamByVal | kParamIsPointer;
  for (GlobalId id : callers.bodies()) {
    const FunctionSummary &function = *program.function(id);
    BodyEffects &body = bodies.emplace_back();
    body.isFinal = callers.isFinal(id);
    body.may = ownEffects(id);
    body.own = function.memoryEffects;
    body.willReturn = function.has(kWillReturn);
    body.noReturn = function.has(kNoReturn);
    body.noUnwind = function.has(kNoUnwind);
    body.firstAccess = accesses.size();
    body.accessCount = function.parameters.count;
    for (const ParameterRecord &formal : program.parameters(id))
      accesses.push_back(formal.flags & kKept &
                         ~(formal.flags & kParamByVal ? kAnyAccess : 0));
  }
}

/// Returns the arguments of \p call of \p id or, where there are pointers at
/// unknown distances among them, \p storage with what those are based on: what
/// is done behind one is done there.
ArrayRef<JumpFunction>
EffectsSolver::basesOf(GlobalId id, const CallEdge &call,
                       SmallVectorImpl<JumpFunction> &storage) const {
  ArrayRef<JumpFunction> actuals = program.jumpFunctions(id, call.arguments);
  auto isBase = [&](const JumpFunction &actual) {
    return &baseOf(program, id, actual) == &actual;
  };
  if (all_of(actuals, isBase))
    return actuals;
  storage.clear();
  for (const JumpFunction &actual : actuals)
    storage.push_back(baseOf(program, id, actual));
  return storage;
}

/// Adds what calls do that enter nobody knows what: that stays what it is.
void EffectsSolver::addUnknown() {
  handsOn.resize(callers.callCount());
  forEachPiece(context.threads, bodies.size(), [&](size_t begin, size_t end) {
    for (size_t body = begin; body < end; ++body)
      addUnknown(static_cast<uint32_t>(body));
  });
}

void EffectsSolver::addUnknown(uint32_t index) {
  BodyEffects &body = bodies[index];
  GlobalId id = idOf(index);
  SmallVector<JumpFunction, 8> storage;
  for (auto [number, call] : enumerate(program.calls(id))) {
    ArrayRef<JumpFunction> actuals = basesOf(id, call, storage);
    handsOn[callers.firstCallOf(index) + number] =
        any_of(actuals, [](const JumpFunction &actual) {
          return actual.kind == JumpFunction::Kind::PassThrough ||
                 actual.kind == JumpFunction::Kind::Ancestor;
        });
    if (calleeOf(index, number))
      continue;
    addParameters(body, call, actuals, nullptr);
    addCall(call, actuals, nullptr, body.may);
  }
  if (body.noUnwind)
    body.may &= ~kUnwinds;
}

/// Those of a body that is not final do not count as its callers.
void EffectsSolver::addCallers() {
  firstCaller.assign(bodies.size() + 1, 0);
  auto forEach = [&](auto visit) {
    for (uint32_t body = 0; body < bodies.size(); ++body)
      for (uint32_t callee : callers.calleesOf(body))
        if (callee != kNone && bodies[callee].isFinal)
          visit(body, callee);
  };
  forEach([&](uint32_t, uint32_t callee) { ++firstCaller[callee + 1]; });
  std::partial_sum(firstCaller.begin(), firstCaller.end(), firstCaller.begin());
  callerList.resize(firstCaller.back());
  std::vector<uint32_t> next(firstCaller.begin(), firstCaller.end() - 1);
  forEach([&](uint32_t body, uint32_t callee) {
    callerList[next[callee]++] = body;
  });
}

/// Returns what the body of \p id does itself. Reading what nobody writes is no
/// effect.
uint32_t EffectsSolver::ownEffects(GlobalId id) const {
  const FunctionSummary &function = *program.function(id);
  uint32_t may = function.memoryEffects & kAnyEffect;
  auto changes = [&](const ReferenceEdge &edge) {
    GlobalId used = program.definitionFor(id, edge.symbol);
    return used == kNone || (!program.has(used, kConstant) &&
                             !context.decisions.isNeverWritten(used));
  };
  if (none_of(program.references(id, function.references), changes))
    may &= ~kReadsGlobals;
  // What no variable here can see written is written where nobody reads.
  constexpr ReferenceFlags kOnlyRead = kReads | kReadsValue;
  auto isSeen = [&](const ReferenceEdge &edge) {
    GlobalId used = program.definitionFor(id, edge.symbol);
    bool isRead = edge.flags && !(edge.flags & ~kOnlyRead);
    return !isRead && (used == kNone || !context.decisions.isNeverRead(used));
  };
  if (program.imageOf(id) == kHostImage &&
      none_of(program.references(id, function.references), isSeen))
    may &= ~kWritesGlobals;
  return may;
}

/// Adds to \p may what \p callee does to memory in a call that passes
/// \p actuals.
void EffectsSolver::addMemory(ArrayRef<JumpFunction> actuals,
                              const BodyEffects &callee, uint32_t &may) const {
  using Kind = JumpFunction::Kind;
  constexpr uint32_t kOfArguments = kReadsArguments | kWritesArguments;
  uint32_t calleeMay = callee.may & kAllMemory;
  may |= calleeMay & ~kOfArguments;
  for (uint32_t i = 0; i < callee.accessCount; ++i) {
    uint32_t access = accesses[callee.firstAccess + i];
    bool isCopied = access & kParamByVal;
    if (!(access & kParamIsPointer))
      continue;
    // Making the copy of a by-value argument reads the original.
    bool reads = isCopied || ((calleeMay & kReadsArguments) &&
                              (access & (kParamMayRead | kParamMayEscape)));
    bool writes = !isCopied && (calleeMay & kWritesArguments) &&
                  (access & (kParamMayWrite | kParamMayEscape));
    auto add = [&](MemoryEffect read, MemoryEffect write) {
      may |= (reads ? uint32_t(read) : 0) | (writes ? uint32_t(write) : 0);
    };
    Kind kind = i < actuals.size() ? actuals[i].kind : Kind::Unknown;
    switch (kind) {
    case Kind::PassThrough:
    case Kind::Ancestor:
      add(kReadsArguments, kWritesArguments);
      break;
    case Kind::SymbolAddress:
      add(kReadsGlobals, kWritesGlobals);
      break;
    case Kind::Null:
      break;
    case Kind::Aggregate:
      // A variable of the caller, or an object on the heap that nobody else
      // sees unless somebody keeps its address.
      if (actuals[i].value && !isCopied && !(access & kParamMayEscape))
        break;
      [[fallthrough]];
    default:
      add(kReadsOther, kWritesOther);
    }
  }
}

/// Adds what becomes of the parameters of \p body that it passes on in \p call,
/// to \p callee or, if that is null, to an unknown function. Returns whether
/// any of it is new.
bool EffectsSolver::addParameters(const BodyEffects &body, const CallEdge &call,
                                  ArrayRef<JumpFunction> actuals,
                                  const BodyEffects *callee) {
  using Kind = JumpFunction::Kind;
  bool isNew = false;
  for (auto [i, actual] : enumerate(actuals)) {
    if (actual.kind != Kind::PassThrough && actual.kind != Kind::Ancestor)
      continue;
    uint32_t access = kAnyAccess;
    if (callee && i < callee->accessCount)
      // That the callee ignores it does not mean that this body does.
      access = accesses[callee->firstAccess + i] & kAnyAccess;
    else if (call.flags & kReadsArgumentsSite)
      access = kParamMayRead;
    uint32_t &own = accessesOf(body)[actual.source];
    if ((own & kParamByVal) || !(access & ~own))
      continue;
    own |= access;
    isNew = true;
  }
  return isNew;
}

/// Adds to \p may what \p call may do by entering \p callee.
void EffectsSolver::addCall(const CallEdge &call,
                            ArrayRef<JumpFunction> actuals,
                            const BodyEffects *callee, uint32_t &may) const {
  uint32_t calleeMay = callee ? callee->may : kAnyEffect;
  if (!(call.flags & kKnownMemorySite)) {
    if (callee)
      addMemory(actuals, *callee, may);
    else
      may |= kAllMemory;
  }
  if (!(call.flags & (kInvoke | kNoUnwindSite)))
    may |= calleeMay & kUnwinds;
  if (!(call.flags & kNoSyncSite))
    may |= calleeMay & kSynchronizes;
  if (!(call.flags & kNoFreeSite))
    may |= calleeMay & kFrees;
}

/// Whether a call of \p callee may do more than \p may. Memory behind its
/// parameters is arguments, variables or anything else of the caller.
bool EffectsSolver::mayAdd(const BodyEffects &callee, uint32_t may) {
  return (may & kAllMemory) != kAllMemory || (callee.may & ~may);
}

/// Takes the effects of its known callees over into \p index. Returns whether
/// any is new. Most bodies soon do all that there is: then it does not look at
/// their calls, which are all over the memory.
bool EffectsSolver::update(uint32_t index) {
  BodyEffects &body = bodies[index];
  GlobalId id = idOf(index);
  bool isNew = false;
  uint32_t may = body.may;
  SmallVector<JumpFunction, 8> storage;
  for (uint32_t number : seq<uint32_t>(0, callers.calleesOf(index).size())) {
    const BodyEffects *callee = calleeOf(index, number);
    if (!callee ||
        !(handsOn[callers.firstCallOf(index) + number] || mayAdd(*callee, may)))
      continue;
    const CallEdge &call = program.calls(id)[number];
    ArrayRef<JumpFunction> actuals = basesOf(id, call, storage);
    isNew |= addParameters(body, call, actuals, callee);
    addCall(call, actuals, callee, may);
  }
  if (body.noUnwind)
    may &= ~kUnwinds;
  isNew |= may != body.may;
  body.may = may;
  return isNew;
}

/// Finds an order in which callees come before their callers, except for calls
/// that close a cycle: the postorder of a depth-first walk.
void EffectsSolver::findOrder() {
  struct Visit {
    uint32_t body;
    ArrayRef<uint32_t> left;
  };
  order.reserve(bodies.size());
  BitVector seen(bodies.size());
  std::vector<Visit> stack;
  auto enter = [&](uint32_t body) {
    if (seen.test(body))
      return;
    seen.set(body);
    stack.push_back({body, callers.calleesOf(body)});
  };
  for (uint32_t root = 0; root < bodies.size(); ++root) {
    enter(root);
    while (!stack.empty()) {
      Visit &visit = stack.back();
      if (visit.left.empty()) {
        order.push_back(visit.body);
        stack.pop_back();
        continue;
      }
      uint32_t callee = visit.left.front();
      visit.left = visit.left.drop_front();
      if (callee != kNone && bodies[callee].isFinal)
        enter(callee);
    }
  }
  placeInOrder.resize(bodies.size());
  for (auto [i, body] : enumerate(order))
    placeInOrder[body] = i;
}

/// Calls \p update for each body, and again for the callers of one that it
/// changed (returned true), until nothing changes: once for each body where no
/// call closes a cycle.
void EffectsSolver::iterate(function_ref<bool(uint32_t)> update) {
  for (BodyEffects &body : bodies)
    body.isQueued = true;
  for (bool isOpen = true; isOpen;) {
    isOpen = false;
    for (uint32_t index : order) {
      if (!std::exchange(bodies[index].isQueued, false) || !update(index))
        continue;
      for (uint32_t caller :
           ArrayRef(callerList)
               .slice(firstCaller[index],
                      firstCaller[index + 1] - firstCaller[index])) {
        bodies[caller].isQueued = true;
        isOpen |= placeInOrder[caller] <= placeInOrder[index];
      }
    }
  }
}

void EffectsSolver::solveEffects() {
  iterate([&](uint32_t body) { return update(body); });
}

//===----------------------------------------------------------------------===//
// Whether calls come back
//===----------------------------------------------------------------------===//

bool EffectsSolver::comesBack(uint32_t index) const {
  const BodyEffects &body = bodies[index];
  // clang says both of what calls a loop without end.
  if (body.neverReturns)
    return false;
  if (body.willReturn)
    return true;
  bool progresses =
      (body.own & kMustProgress) && !(body.may & (kAnyWrite | kSynchronizes));
  if ((body.own & kMayNotReturn) && !progresses)
    return false;
  return all_of(enumerate(callers.callFlagsOf(index)), [&](const auto &c) {
    if (c.value() & kWillReturnSite)
      return true;
    const BodyEffects *callee = calleeOf(index, c.index());
    return callee && callee->alwaysReturns;
  });
}

bool EffectsSolver::staysAway(uint32_t body) const {
  return bodies[body].noReturn ||
         any_of(enumerate(callers.callFlagsOf(body)), [&](const auto &c) {
           CallFlags flags = c.value();
           const BodyEffects *callee = calleeOf(body, c.index());
           return (flags & kAlwaysReachedSite) && !(flags & kInvoke) &&
                  callee && callee->neverReturns;
         });
}

void EffectsSolver::solveReturns() {
  iterate([&](uint32_t body) {
    return !bodies[body].neverReturns &&
           (bodies[body].neverReturns = staysAway(body));
  });
  iterate([&](uint32_t body) {
    return !bodies[body].alwaysReturns &&
           (bodies[body].alwaysReturns = comesBack(body));
  });
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Returns the variables that \p kernel and all it calls mention.
std::vector<VariableUse> EffectsSolver::variablesOf(uint32_t kernel) const {
  constexpr uint8_t kSharedSpace = 3; // NVPTX: of a block, nobody else's
  DenseMap<GlobalId, ReferenceFlags> uses;
  DenseSet<uint32_t> seen;
  SmallVector<uint32_t> worklist{kernel};
  while (!worklist.empty()) {
    uint32_t body = worklist.pop_back_val();
    if (!seen.insert(body).second)
      continue;
    for (const ReferenceEdge &edge :
         program.references(idOf(body), function(body).references)) {
      GlobalId id = program.definitionFor(idOf(body), edge.symbol);
      if (id != kNone && program.variable(id) &&
          program.symbol(id).addressSpace != kSharedSpace &&
          !program.has(id, kCopyable))
        uses[id] |= edge.flags;
    }
    for (uint32_t callee : callers.calleesOf(body))
      if (callee != kNone && bodies[callee].isFinal)
        worklist.push_back(callee);
  }
  std::vector<VariableUse> result;
  for (auto [id, flags] : uses)
    result.push_back({id, {}, flags});
  llvm::sort(result, [](const VariableUse &a, const VariableUse &b) {
    return a.variable < b.variable;
  });
  return result;
}

void EffectsSolver::store() {
  context.decisions.functions.reserve(bodies.size());
  for (auto [i, body] : enumerate(bodies)) {
    if (!body.isFinal || function(i).has(kNaked))
      continue; // nobody knows what assembly does with its parameters
    FunctionEffects &effects =
        context.decisions.functions[idOf(i)].effects.emplace();
    effects.may = body.may;
    // What other threads do becomes visible: equivalent to a write anywhere,
    // even if clang says that a call touches only its arguments. Other threads
    // of a kernel are in the same launch, and do what it does.
    if ((body.may & kSynchronizes) && !program.has(idOf(i), kKernel))
      effects.may |= kReadsOther | kWritesOther;
    effects.alwaysReturns = body.alwaysReturns;
    effects.neverReturns = body.neverReturns;
    effects.parameters.reserve(body.accessCount);
    for (uint32_t access : accessesOf(body))
      effects.parameters.push_back(access & (kAnyAccess | kParamUnused));
    if (program.has(idOf(i), kKernel))
      effects.variables = variablesOf(i);
  }
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

namespace {
/// How all live code uses each variable.
class VariableUses {
public:
  VariableUses(WpaContext &context, const Callers &callers)
      : context(context), program(context.program),
        uses(program.symbolCount(), 0), excluded(program.symbolCount()) {
    for (GlobalId id : callers.bodies())
      add(id, program.function(id)->references);
    for (GlobalId id = 0; id < program.symbolCount(); ++id)
      if (isLive(id))
        addDefinition(id);
    excludeRegistered();
  }

  void store();

private:
  /// Beyond ReferenceFlag: a mention that is not an access, a comparison.
  static constexpr uint32_t kMentions = 1u << 31;

  bool isLive(GlobalId id) const {
    return program.definition(id) == id && context.decisions.live.test(id);
  }
  void add(GlobalId user, Range references);
  void addDefinition(GlobalId id);
  void excludeRegistered();
  bool isPrivate(GlobalId id) const;

  WpaContext &context;
  const CombinedSummary &program;
  std::vector<uint32_t> uses; // ReferenceFlag
  BitVector excluded;
};
} // namespace

void VariableUses::add(GlobalId user, Range references) {
  for (const ReferenceEdge &edge : program.references(user, references))
    if (GlobalId id = program.definitionFor(user, edge.symbol); id != kNone)
      uses[id] |= edge.flags ? edge.flags : kMentions;
}

void VariableUses::addDefinition(GlobalId id) {
  if (const VariableSummary *variable = program.variable(id))
    add(id, variable->references);
  const AliasSummary *alias = program.alias(id);
  GlobalId target =
      alias ? program.definitionFor(id, alias->target) : GlobalId(kNone);
  if (target != kNone)
    excluded.set(target);
  if (alias && alias->target != kNone)
    excluded.set(program.moduleRef(id).firstSymbol + alias->target);
}

/// The runtime copies to and from registered variables.
void VariableUses::excludeRegistered() {
  for (ModuleIndex m : program.images()[kHostImage].modules)
    for (const OffloadEntry &entry :
         program.modules()[m].summary.offloadEntries)
      if (GlobalId id =
              entry.hostSymbol == kNone
                  ? GlobalId(kNone)
                  : program.definition(program.id(m, entry.hostSymbol));
          id != kNone) {
        excluded.set(id);
        for (GlobalId device : program.deviceCounterparts(id))
          excluded.set(device);
      }
}

/// Whether all uses of the variable \p id are those that have been added.
bool VariableUses::isPrivate(GlobalId id) const {
  const SymbolRecord &symbol = program.symbol(id);
  constexpr uint32_t kNever = kThreadLocal | kUsed | kCompilerUsed |
                              kHasSection | kAssemblyReferenced |
                              kExternallyInitialized | kManaged | kCopyable;
  // Generic or global memory: shared memory has no initial value, constant
  // memory is the host's to fill.
  constexpr uint8_t kGlobalSpace = 1;
  return !(symbol.flags & kNever) && symbol.linkage != Linkage::Common &&
         symbol.addressSpace <= kGlobalSpace && !excluded.test(id) &&
         !context.decisions.visibleOutside.test(id) &&
         !program.variable(id)->hasBlockAddress;
}

void VariableUses::store() {
  context.decisions.neverWritten.resize(program.symbolCount());
  context.decisions.neverRead.resize(program.symbolCount());
  context.decisions.plainlyWritten.resize(program.symbolCount());
  for (GlobalId id = 0; id < program.symbolCount(); ++id) {
    if (!isLive(id) || !program.variable(id) || !isPrivate(id))
      continue;
    bool isConstant = program.symbol(id).has(kConstant);
    if (!isConstant && !(uses[id] & (kWrites | kTakesAddress)))
      context.decisions.neverWritten.set(id);
    if (isConstant || !(uses[id] & (kTakesAddress | kWritesUnknown)))
      context.decisions.plainlyWritten.set(id);
    if ((uses[id] & ~kWritesUnknown) == kWrites)
      context.decisions.neverRead.set(id);
  }
}

void propagateEffects(WpaContext &context, const Callers &callers) {
  VariableUses(context, callers).store();
  EffectsSolver(context, callers).run();
  explainEffects(context, callers);
}

} // namespace gpulto
