//===- PointerFactsPropagate.cpp - Which pointers of a kernel are apart ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: prove what __restrict__ promises.
//
//   cudaMalloc(&in, n); cudaMalloc(&out, n); scale<<<g, b>>>(in, out);
//   -> in and out do not overlap in scale
//
// 1. A jump function says which allocating call a pointer comes from, at any
//    offset. Live memory of two calls is apart; the same call may have run
//    twice, so it is not apart from itself, unless its function, a constructor,
//    was entered by two different calls. A launch that uses freed memory is
//    undefined.
// 2. A parameter is apart when that holds against every other pointer parameter
//    in every launch (meetLaunch), separately for each call of the launching
//    function: axpy(x, y); axpy(y, z). A pointer of unknown origin may point
//    anywhere, so it spoils all.
// 3. The kernel and all its callees must reach memory only through their
//    parameters (usesParametersOnly): pointers that it loads from memory, or
//    from a struct passed by value, may lead into the same allocations. Device
//    variables are not part of any allocation. ApartPointers handles such
//    structs, and needs no such premise.
//
// Why this does not allow ld.global.nc: other kernels, copies and the host may
// write the memory at the same time (ipa/pointers/UnwrittenMemory).
//
//===----------------------------------------------------------------------===//

#include "ipa/callers/PointerBase.h"
#include "ipa/pointers/PointerFacts.h"
#include "summary/CombinedModule.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace gpulto {

namespace {
/// A call: its caller, and its position among the caller's calls.
using Call = std::pair<BodyIndex, uint32_t>;
} // namespace

/// Returns the calls of each body that launches kernels and all of whose
/// callers are known.
static DenseMap<BodyIndex, SmallVector<Call, 4>>
callsOfLaunchers(const CombinedSummary &program,
                 const ConstantsSolver &solver) {
  DenseMap<BodyIndex, SmallVector<Call, 4>> calls; // looked up only
  for (auto [i, body] : enumerate(solver.bodies()))
    if (body.isReached && body.isKnown &&
        program.function(body.id)->launches.count)
      calls.try_emplace(i);
  for (auto [i, body] : enumerate(solver.bodies())) {
    if (!body.isReached)
      continue;
    uint32_t count = program.function(body.id)->calls.count;
    for (uint32_t number = 0; number < count; ++number) {
      BodyIndex callee = solver.calleeOf(i, number);
      auto found = callee == kNone ? calls.end() : calls.find(callee);
      if (found != calls.end())
        found->second.push_back({static_cast<BodyIndex>(i), number});
    }
  }
  return calls;
}

/// Calls \p visit for the launches of body \p index, given \p known for that
/// body.
static void forEachLaunchOf(
    const CombinedSummary &program, const Callers &callers,
    const ConstantsSolver &solver, BodyIndex index, const BodyLattice &known,
    function_ref<void(GlobalId, uint32_t, ArrayRef<ParameterLattice>)> visit) {
  const CombinedModule &module = program.moduleRef(known.id);
  for (const LaunchSite &launch :
       slice(module.summary.launches, program.function(known.id)->launches)) {
    BodyIndex stubClone = solver.launched(index, launch.call);
    uint32_t clone = stubClone == kNone ? 0 : solver.bodies()[stubClone].clone;
    for (GlobalId stub : solver.stubsOf(known, launch))
      for (GlobalId kernel : program.kernelsOf(stub))
        if (program.function(kernel) &&
            callers.unknown(kernel) == UnknownCaller::None)
          visit(kernel, clone,
                solver.launchArguments(known, launch, stub, kernel));
  }
}

void forEachKnownLaunch(
    const CombinedSummary &program, const Callers &callers,
    const ConstantsSolver &solver,
    function_ref<void(GlobalId, uint32_t, ArrayRef<ParameterLattice>)> visit) {
  constexpr size_t kMaxCalls = 16;
  DenseMap<BodyIndex, SmallVector<Call, 4>> calls =
      callsOfLaunchers(program, solver);
  for (auto [i, body] : enumerate(solver.bodies())) {
    if (!body.isReached)
      continue;
    auto found = calls.find(i);
    if (found == calls.end() || found->second.size() > kMaxCalls ||
        found->second.size() < 2) {
      forEachLaunchOf(program, callers, solver, i, body, visit);
      continue;
    }
    for (auto [caller, number] : found->second)
      forEachLaunchOf(program, callers, solver, i, solver.entry(caller, number),
                      visit);
  }
}

PointerFacts::PointerFacts(const WpaContext &context, const Callers &callers,
                           const ConstantsSolver &solver)
    : program(context.program) {
  forEachKnownLaunch(program, callers, solver,
                     [&](GlobalId kernel, uint32_t clone,
                         ArrayRef<ParameterLattice> arguments) {
                       meetLaunch(kernel, clone, arguments);
                     });
  for (const BodyLattice &body : solver.bodies())
    if (auto found = apart.find({body.id, body.clone});
        found != apart.end() && !usesParametersOnly(body.id))
      found->second.reset();
}

bool areApart(const ValueLattice &a, const ValueLattice &b) {
  using State = ValueLattice::State;
  auto isNull = [](const ValueLattice &value) {
    return value.isConstant() && value.value() == 0;
  };
  if (isNull(a) || isNull(b))
    return true;
  bool isOfOneCall = a.symbol() == b.symbol() && a.value() == b.value();
  return a.state() == State::Allocation && b.state() == State::Allocation &&
         (!isOfOneCall || a.entered().areApart(b.entered()));
}

void PointerFacts::meetLaunch(GlobalId kernel, uint32_t clone,
                              ArrayRef<ParameterLattice> arguments) {
  ArrayRef<ParameterRecord> formals = program.parameters(kernel);
  auto [entry, isFirst] = apart.try_emplace({kernel, clone});
  if (isFirst)
    entry->second.resize(formals.size(), true);
  for (uint32_t i = 0; i < formals.size(); ++i) {
    bool isPointer = (formals[i].flags & kParamIsPointer) &&
                     !(formals[i].flags & kParamByVal);
    bool holds = isPointer &&
                 arguments[i].whole.state() == ValueLattice::State::Allocation;
    for (uint32_t j = 0; holds && j < formals.size(); ++j)
      if (j != i && (formals[j].flags & kParamIsPointer) &&
          !(formals[j].flags & (kParamByVal | kParamUnused)))
        holds = areApart(arguments[i].whole, arguments[j].whole);
    if (!holds)
      entry->second.reset(i);
  }
}

bool staysWithin(
    const CombinedSummary &program, GlobalId kernel, uint16_t own,
    uint16_t others,
    function_ref<bool(GlobalId caller, const CallEdge &call, GlobalId callee)>
        passesKnown) {
  SmallVector<GlobalId, 16> worklist{kernel};
  DenseSet<GlobalId> seen;
  while (!worklist.empty()) {
    GlobalId id = worklist.pop_back_val();
    if (!seen.insert(id).second)
      continue;
    const FunctionSummary *function = program.function(id);
    if (!function || function->has(kHasIndirectCall) ||
        (function->memoryEffects & (id == kernel ? own : others)))
      return false;
    for (const CallEdge &call :
         slice(program.moduleRef(id).summary.calls, function->calls)) {
      GlobalId callee = program.definitionFor(id, call.callee);
      if (callee == kNone || !program.function(callee) ||
          !passesKnown(id, call, callee))
        return false; // malloc, printf: their memory is anywhere
      worklist.push_back(callee);
    }
  }
  return true;
}

/// Returns whether each pointer that \p call of \p caller passes to \p callee
/// has a known origin; another is a load or worse.
static bool passesKnownPointers(const CombinedSummary &program, GlobalId caller,
                                const CallEdge &call, GlobalId callee) {
  using Kind = JumpFunction::Kind;
  ArrayRef<JumpFunction> actuals =
      slice(program.moduleRef(caller).summary.jumpFunctions, call.arguments);
  for (auto [i, formal] : enumerate(program.parameters(callee))) {
    bool isPointer = (formal.flags & kParamIsPointer) &&
                     !(formal.flags & (kParamByVal | kParamUnused));
    Kind kind = i < actuals.size() ? baseOf(program, caller, actuals[i]).kind
                                   : Kind::Unknown;
    bool isKnown = kind != Kind::Unknown && kind != Kind::LoadAggregate &&
                   kind != Kind::CallResult && kind != Kind::Memory &&
                   kind != Kind::Composed;
    if (isPointer && !isKnown)
      return false;
  }
  return true;
}

/// Returns whether \p kernel and what it calls touch no memory but that behind
/// their parameters, device variables and their own stack. Barriers count as
/// touching all, and so does a callee that has an ordered atomic access: LLVM's
/// GVN forwards over such calls what was stored through a `noalias` pointer,
/// though other threads store there, too.
bool PointerFacts::usesParametersOnly(GlobalId kernel) const {
  constexpr uint16_t kOthers = kReadsOther | kWritesOther;
  return staysWithin(
      program, kernel, kOthers, kOthers,
      [&](GlobalId caller, const CallEdge &call, GlobalId callee) {
        return passesKnownPointers(program, caller, call, callee);
      });
}

bool PointerFacts::isNoAlias(const BodyLattice &body,
                             uint32_t parameter) const {
  auto found = apart.find({body.id, body.clone});
  return found != apart.end() && found->second.test(parameter);
}

} // namespace gpulto
