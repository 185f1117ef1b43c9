//===- ModRefPropagate.cpp - Effects over the call graph (WPA) ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: know of a call what it may do, whichever file the callee is in.
//
//   a.cpp: int scale(const int *p) { return weight() * *p; }
//   b.cpp: static int w = 3; int weight() { return w; }
//
//   weight reads nothing (w is never written), scale reads what p points to;
//   neither throws, frees or synchronizes, both come back. So callers of scale
//   keep what they have in registers, hoist the call and merge two of them.
//
// 1. A body starts with its own effects (LGEN) and takes over those of its
//    callees until nothing changes (solveEffects): what may happen only grows,
//    so the least fixed point is the answer for recursion, too. Memory behind a
//    callee's parameter is what the jump function of the argument says.
// 2. That a call comes back, and that it never does, must be proven from the
//    callees up (solveReturns): a function that waits for its own proof, in a
//    recursion, gets none. A body with loops comes back if it must progress and
//    has no effect that could be its progress.
// 3. A callee that nobody sees, or that another program may replace
//    (Callers::isFinal), does everything but what the attributes of the call
//    exclude.
// 4. Variables (VariableUses): all mentions in live code are known to LGEN, so
//    what nobody writes keeps its initial value, and what nobody reads need not
//    be written. A variable that the world outside can name, that is registered
//    with the runtime, has a section, an alias or is thread-local is left
//    alone.
//
// Bottom-up (iterate), so linear in edges where there is no recursion; with it,
// times the handful of bits that can change.
//
// Source: GCC's ipa-pure-const.cc, ipa-modref.cc and ipa-reference.cc; LLVM's
// FunctionAttrs.cpp, whose rules for loops and by-value arguments are kept.
//
//===----------------------------------------------------------------------===//

#include "ipa/Callers.h"
#include "ipa/ModRef.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

#include <utility>

using namespace llvm;

namespace gpulto {

namespace {

constexpr uint16_t kAllMemory =
    kReadsArguments | kWritesArguments | kReadsGlobals | kWritesGlobals |
    kReadsOther | kWritesOther | kReadsInaccessible | kWritesInaccessible;
constexpr uint16_t kAnyWrite =
    kWritesArguments | kWritesGlobals | kWritesOther | kWritesInaccessible;
constexpr uint16_t kAnyEffect = kAllMemory | kSynchronizes | kUnwinds | kFrees;
constexpr uint16_t kAnyAccess =
    kParamMayRead | kParamMayWrite | kParamMayEscape | kParamMayCompare;

/// A body and what is known of it so far.
struct BodyEffects {
  GlobalId id = kNone;
  FunctionEffects effects;
  /// Bodies that call it; those that count as callees only if isFinal.
  SmallVector<uint32_t, 4> callers;
  bool isFinal = false;
  bool isQueued = false;
};

class EffectsSolver {
public:
  EffectsSolver(WpaContext &context, const Callers &callers)
      : context(context), program(context.program), callers(callers) {}

  void run() {
    addBodies();
    solveEffects();
    solveReturns();
    addKernelVariables();
    store();
  }

private:
  void addBodies();
  std::vector<uint32_t> bottomUp() const;
  void iterate(function_ref<bool(BodyEffects &)> update);
  void solveEffects();
  void solveReturns();
  void addKernelVariables();
  void store();

  const ModuleSummary &module(const BodyEffects &body) const {
    return program.moduleRef(body.id).summary;
  }
  const FunctionSummary &function(const BodyEffects &body) const {
    return *program.function(body.id);
  }
  ArrayRef<CallEdge> calls(const BodyEffects &body) const {
    return slice(module(body).calls, function(body).calls);
  }
  const BodyEffects *calleeOf(const BodyEffects &body,
                              const CallEdge &call) const;
  uint16_t ownEffects(const BodyEffects &body) const;
  bool update(BodyEffects &body) const;
  void addCall(const BodyEffects &body, const CallEdge &call,
               FunctionEffects &result) const;
  void addMemory(const BodyEffects &body, const CallEdge &call,
                 const BodyEffects &callee, FunctionEffects &result) const;
  void addParameters(const BodyEffects &body, const CallEdge &call,
                     const BodyEffects *callee, FunctionEffects &result) const;
  bool comesBack(const BodyEffects &body) const;
  bool staysAway(const BodyEffects &body) const;

  WpaContext &context;
  const CombinedSummary &program;
  const Callers &callers;
  std::vector<BodyEffects> bodies;
};

} // namespace

//===----------------------------------------------------------------------===//
// What may happen
//===----------------------------------------------------------------------===//

/// Returns the body that \p call enters, or null.
const BodyEffects *EffectsSolver::calleeOf(const BodyEffects &body,
                                           const CallEdge &call) const {
  GlobalId id = callers.calleeOf(body.id, call.callee);
  uint32_t index = id == kNone ? kNone : callers.bodyIndex(id);
  return index == kNone || !bodies[index].isFinal ? nullptr : &bodies[index];
}

void EffectsSolver::addBodies() {
  bodies.reserve(callers.bodies().size());
  for (GlobalId id : callers.bodies()) {
    BodyEffects body;
    body.id = id;
    body.isFinal = callers.isFinal(id);
    bodies.push_back(std::move(body));
  }
  for (auto [i, body] : enumerate(bodies)) {
    for (const CallEdge &call : calls(body))
      if (const BodyEffects *callee = calleeOf(body, call))
        bodies[callee - bodies.data()].callers.push_back(i);
    for (const ParameterRecord &formal : program.parameters(body.id))
      body.effects.parameters.push_back(
          (formal.flags & kParamByVal ? 0 : formal.flags & kAnyAccess) |
          (formal.flags & kParamUnused));
    body.effects.may = ownEffects(body);
  }
}

/// Returns what the body of \p body does itself. Reading what nobody writes is
/// no effect.
uint16_t EffectsSolver::ownEffects(const BodyEffects &body) const {
  uint16_t may = function(body).memoryEffects & kAnyEffect;
  auto changes = [&](const ReferenceEdge &edge) {
    GlobalId id = program.definitionFor(body.id, edge.symbol);
    return id == kNone || (!program.symbol(id).has(kConstant) &&
                           !context.decisions.isNeverWritten(id));
  };
  if (none_of(slice(module(body).references, function(body).references),
              changes))
    may &= ~kReadsGlobals;
  return may;
}

/// Adds what \p callee does to memory when \p body makes the call \p call.
void EffectsSolver::addMemory(const BodyEffects &body, const CallEdge &call,
                              const BodyEffects &callee,
                              FunctionEffects &result) const {
  using Kind = JumpFunction::Kind;
  constexpr uint16_t kOfArguments = kReadsArguments | kWritesArguments;
  uint16_t may = callee.effects.may & kAllMemory;
  result.may |= may & ~kOfArguments;
  ArrayRef<JumpFunction> actuals =
      slice(module(body).jumpFunctions, call.arguments);
  for (auto [i, formal] : enumerate(program.parameters(callee.id))) {
    bool isCopied = formal.flags & kParamByVal;
    if (!(formal.flags & kParamIsPointer))
      continue;
    // Whoever makes the copy of a by-value argument reads the original.
    uint16_t access = callee.effects.parameters[i];
    bool reads = isCopied || ((may & kReadsArguments) &&
                              (access & (kParamMayRead | kParamMayEscape)));
    bool writes = !isCopied && (may & kWritesArguments) &&
                  (access & (kParamMayWrite | kParamMayEscape));
    auto add = [&](MemoryEffect read, MemoryEffect write) {
      result.may |= (reads ? read : 0) | (writes ? write : 0);
    };
    JumpFunction actual = i < actuals.size() ? actuals[i] : JumpFunction();
    switch (actual.kind) {
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
      if (actual.value && !isCopied && !(access & kParamMayEscape))
        break;
      [[fallthrough]];
    default:
      add(kReadsOther, kWritesOther);
    }
  }
}

/// Adds what becomes of the parameters of \p body that it hands on in \p call,
/// to \p callee or, if that is null, to whom it may be.
void EffectsSolver::addParameters(const BodyEffects &body, const CallEdge &call,
                                  const BodyEffects *callee,
                                  FunctionEffects &result) const {
  using Kind = JumpFunction::Kind;
  for (auto [i, actual] :
       enumerate(slice(module(body).jumpFunctions, call.arguments))) {
    if (actual.kind != Kind::PassThrough && actual.kind != Kind::Ancestor)
      continue;
    uint16_t access = kAnyAccess;
    if (callee && i < callee->effects.parameters.size())
      // That the callee ignores it does not mean that this body does.
      access = callee->effects.parameters[i] & kAnyAccess;
    else if (call.flags & kReadsArgumentsSite)
      access = kParamMayRead;
    if (!(program.parameters(body.id)[actual.source].flags & kParamByVal))
      result.parameters[actual.source] |= access;
  }
}

void EffectsSolver::addCall(const BodyEffects &body, const CallEdge &call,
                            FunctionEffects &result) const {
  const BodyEffects *callee = calleeOf(body, call);
  uint16_t may = callee ? callee->effects.may : kAnyEffect;
  addParameters(body, call, callee, result);
  if (!(call.flags & kKnownMemorySite)) {
    if (callee)
      addMemory(body, call, *callee, result);
    else
      result.may |= kAllMemory;
  }
  if (!(call.flags & (kInvoke | kNoUnwindSite)))
    result.may |= may & kUnwinds;
  if (!(call.flags & kNoSyncSite))
    result.may |= may & kSynchronizes;
  if (!(call.flags & kNoFreeSite))
    result.may |= may & kFrees;
}

/// Takes the effects of its callees over into \p body. Returns whether any is
/// new.
bool EffectsSolver::update(BodyEffects &body) const {
  FunctionEffects result = body.effects;
  for (const CallEdge &call : calls(body))
    addCall(body, call, result);
  if (function(body).has(kNoUnwind))
    result.may &= ~kUnwinds;
  bool isNew = !(result == body.effects);
  body.effects = std::move(result);
  return isNew;
}

/// Returns the bodies in an order in which callees come before their callers,
/// but for calls that close a cycle: that in which a depth-first walk leaves
/// them.
std::vector<uint32_t> EffectsSolver::bottomUp() const {
  struct Visit {
    uint32_t body;
    ArrayRef<CallEdge> left;
  };
  std::vector<uint32_t> order;
  order.reserve(bodies.size());
  BitVector seen(bodies.size());
  std::vector<Visit> stack;
  auto enter = [&](uint32_t body) {
    if (seen.test(body))
      return;
    seen.set(body);
    stack.push_back({body, calls(bodies[body])});
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
      const CallEdge &call = visit.left.front();
      visit.left = visit.left.drop_front();
      if (const BodyEffects *callee = calleeOf(bodies[visit.body], call))
        enter(callee - bodies.data());
    }
  }
  return order;
}

/// Calls \p update for each body, and again for the callers of one that it
/// changed (returned true), until nothing changes: once for each body where no
/// call closes a cycle.
void EffectsSolver::iterate(function_ref<bool(BodyEffects &)> update) {
  std::vector<uint32_t> order = bottomUp(), place(bodies.size());
  for (auto [i, body] : enumerate(order)) {
    place[body] = i;
    bodies[body].isQueued = true;
  }
  for (bool isOpen = true; isOpen;) {
    isOpen = false;
    for (uint32_t index : order) {
      BodyEffects &body = bodies[index];
      if (!std::exchange(body.isQueued, false) || !update(body) ||
          !body.isFinal)
        continue;
      for (uint32_t caller : body.callers) {
        bodies[caller].isQueued = true;
        isOpen |= place[caller] <= place[index];
      }
    }
  }
}

void EffectsSolver::solveEffects() {
  iterate([&](BodyEffects &body) { return update(body); });
}

//===----------------------------------------------------------------------===//
// Whether calls come back
//===----------------------------------------------------------------------===//

bool EffectsSolver::comesBack(const BodyEffects &body) const {
  uint16_t own = function(body).memoryEffects;
  if (function(body).has(kWillReturn))
    return true;
  bool progresses = (own & kMustProgress) &&
                    !(body.effects.may & (kAnyWrite | kSynchronizes));
  if ((own & kMayNotReturn) && !progresses)
    return false;
  return all_of(calls(body), [&](const CallEdge &c) {
    const BodyEffects *callee = calleeOf(body, c);
    return (c.flags & kWillReturnSite) ||
           (callee && callee->effects.alwaysReturns);
  });
}

bool EffectsSolver::staysAway(const BodyEffects &body) const {
  return function(body).has(kNoReturn) ||
         any_of(calls(body), [&](const CallEdge &c) {
           const BodyEffects *callee = calleeOf(body, c);
           return (c.flags & kAlwaysReachedSite) && !(c.flags & kInvoke) &&
                  callee && callee->effects.neverReturns;
         });
}

void EffectsSolver::solveReturns() {
  iterate([&](BodyEffects &body) {
    FunctionEffects &effects = body.effects;
    bool isNew = false;
    if (!effects.alwaysReturns && comesBack(body))
      isNew = effects.alwaysReturns = true;
    if (!effects.neverReturns && staysAway(body))
      isNew = effects.neverReturns = true;
    return isNew;
  });
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Lists for each kernel the variables that it and all it calls mention.
void EffectsSolver::addKernelVariables() {
  constexpr uint8_t kSharedSpace = 3; // NVPTX: of a block, nobody else's
  for (BodyEffects &kernel : bodies) {
    if (!program.symbol(kernel.id).has(kKernel))
      continue;
    DenseMap<GlobalId, uint8_t> uses;
    DenseSet<const BodyEffects *> seen;
    SmallVector<const BodyEffects *> worklist{&kernel};
    while (!worklist.empty()) {
      const BodyEffects &body = *worklist.pop_back_val();
      if (!seen.insert(&body).second)
        continue;
      for (const ReferenceEdge &edge :
           slice(module(body).references, function(body).references)) {
        GlobalId id = program.definitionFor(body.id, edge.symbol);
        if (id != kNone && program.variable(id) &&
            program.symbol(id).addressSpace != kSharedSpace &&
            !program.symbol(id).has(kCopyable))
          uses[id] |= edge.flags;
      }
      for (const CallEdge &call : calls(body))
        if (const BodyEffects *callee = calleeOf(body, call))
          worklist.push_back(callee);
    }
    for (auto [id, flags] : uses)
      kernel.effects.variables.push_back({id, {}, flags});
    llvm::sort(kernel.effects.variables,
               [](const VariableUse &a, const VariableUse &b) {
                 return a.variable < b.variable;
               });
  }
}

void EffectsSolver::store() {
  for (BodyEffects &body : bodies) {
    if (!body.isFinal || function(body).has(kNaked))
      continue; // nobody knows what assembly does with its parameters
    // What other threads do becomes visible: as good as a write anywhere.
    if (body.effects.may & kSynchronizes)
      body.effects.may |= kReadsOther | kWritesOther;
    context.decisions.effects[body.id] = std::move(body.effects);
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
  /// Beyond ReferenceFlag: a mention that is no access, a comparison.
  static constexpr uint16_t kMentions = 1u << kReferenceFlagBits;

  bool isLive(GlobalId id) const {
    return program.definition(id) == id && context.decisions.live.test(id);
  }
  void add(GlobalId user, Range references);
  void addDefinition(GlobalId id);
  void excludeRegistered();
  bool isPrivate(GlobalId id) const;

  WpaContext &context;
  const CombinedSummary &program;
  std::vector<uint16_t> uses; // ReferenceFlag
  BitVector excluded;
};
} // namespace

void VariableUses::add(GlobalId user, Range references) {
  for (const ReferenceEdge &edge :
       slice(program.moduleRef(user).summary.references, references))
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
      for (SymbolIndex symbol : {entry.hostSymbol, entry.managedPointer})
        if (GlobalId id = symbol == kNone
                              ? GlobalId(kNone)
                              : program.definition(program.id(m, symbol));
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

void propagateModRef(WpaContext &context, const Callers &callers) {
  VariableUses(context, callers).store();
  EffectsSolver(context, callers).run();
  explainModRef(context, callers);
}

} // namespace gpulto
