//===- SolverWorklistPropagate.cpp - The fixed point over calls -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// 1. Functions that may be entered from where no summary says
//    (ipa/callers/Callers) know nothing of their parameters; all others, and
//    clones, start at the top.
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

#include "ipa/constants/CallEvaluator.h"
#include "ipa/constants/LaunchEvaluator.h"
#include "ipa/constants/SolverBodies.h"
#include "ipa/constants/SolverWorklist.h"
#include "ipa/constants/ValueEvaluator.h"
#include "ipa/constants/VariableContents.h"
#include "ipa/runtime/GeometryLimits.h"
#include "summary/CombinedModule.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace gpulto {

void SolverWorklist::reset(BodyLattice &body) {
  body.isReached = false;
  body.firstCaller = kNone;
  ++body.version;
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

void SolverWorklist::solve() {
  settled.clear();
  settled.resize(bodies.all().size());
  for (BodyLattice &body : bodies.all()) {
    reset(body);
    if (!body.isKnown)
      settled.set(body.index);
  }
  run();
}

void SolverWorklist::run() {
  while (!worklist.empty()) {
    BodyIndex next = worklist.front();
    worklist.pop_front();
    bodies[next].isQueued = false;
    variables.setVisited(next);
    visit(next);
  }
  variables.setVisited(kNone);
}

void SolverWorklist::enqueue(BodyLattice &body) {
  if (body.isQueued)
    return;
  body.isQueued = true;
  worklist.push_back(body.index);
}

/// Notes that what is known of \p body has changed.
void SolverWorklist::revisit(BodyLattice &body) {
  ++body.version;
  enqueue(body);
}

/// Notes that \p from enters \p callee. Returns whether nobody did before.
bool SolverWorklist::reach(BodyLattice &callee, const BodyLattice &from) {
  if (callee.isReached)
    return false;
  callee.isReached = true;
  callee.firstCaller = from.index;
  return true;
}

void SolverWorklist::visit(BodyIndex index) {
  const BodyLattice &body = bodies[index];
  for (auto [number, call] : enumerate(program.calls(body.id)))
    if (call.callee != kNone)
      visitCall(index, number, call);
  for (const LaunchSite &launch : program.launches(body.id))
    visitLaunch(index, launch);
  visitStores(body);
}

/// Lowers the geometry of \p callee to \p actual too. Returns whether it
/// changed.
static bool meetGeometry(BodyLattice &callee, ArrayRef<ValueLattice> actual) {
  bool changed = false;
  for (uint32_t i = 0; i < kDimensions; ++i)
    changed |= callee.geometry[i].meet(
        i < actual.size() ? actual[i] : ValueLattice::varying(32));
  return changed;
}

static bool knowsNoParts(const ParameterLattice &known) {
  return known.hasParts && known.parts.empty();
}

/// Returns whether no context can lower \p known any more.
static bool isBottom(const ParameterLattice &known) {
  return known.whole.state() == ValueLattice::State::Varying &&
         !known.whole.hasFacts() && knowsNoParts(known) && !known.isPrivate;
}

void SolverWorklist::visitCall(BodyIndex caller, uint32_t number,
                               const CallEdge &call) {
  BodyIndex callee = bodies.calleeOf(caller, number);
  if (meetArguments(callee, bodies[caller],
                    program.jumpFunctions(bodies[caller].id, call.arguments)))
    lowered.push_back({caller, number, callee});
}

/// Lets the body \p index, if it is one, know no more than \p from passes it as
/// \p actuals. Returns whether that is less than before.
bool SolverWorklist::meetArguments(BodyIndex index, const BodyLattice &from,
                                   ArrayRef<JumpFunction> actuals) {
  if (index == kNone || settled.test(index))
    return false;
  BodyLattice &callee = bodies[index];
  bool changed = reach(callee, from);
  for (auto [i, known] : enumerate(callee.parameters))
    if (!isBottom(known))
      changed |= meetParameter(
          known, calls.evaluateArgument(callee.id, i, from,
                                        i < actuals.size() ? actuals[i]
                                                           : JumpFunction(),
                                        /*asksParts=*/!knowsNoParts(known)));
  if (!callee.geometry.empty())
    changed |= meetGeometry(callee, from.geometry);
  if (changed)
    revisit(callee);
  if (callee.geometry.empty() && all_of(callee.parameters, isBottom))
    settled.set(index);
  return changed;
}

void SolverWorklist::visitLaunch(BodyIndex from, const LaunchSite &launch) {
  const BodyLattice &caller = bodies[from];
  BodyIndex stubClone = bodies.launched(from, launch.call);
  uint32_t clone = stubClone == kNone ? 0 : bodies[stubClone].clone;
  std::vector<ValueLattice> geometry = launches.launchGeometry(caller, launch);
  // A chevron launch through a handle. The runtime calls no stub, and a call of
  // a stub by its name is an edge.
  bool callsStub = launch.stub == kNone && launch.byStubFormals;
  for (GlobalId stub : launches.stubsOf(caller, launch)) {
    if (callsStub)
      meetArguments(bodies.indexOf(stub, clone), caller,
                    program.jumpFunctions(caller.id, launch.arguments));
    visitKernels(caller, launch, stub, clone, geometry);
  }
}

void SolverWorklist::visitKernels(const BodyLattice &caller,
                                  const LaunchSite &launch, GlobalId stub,
                                  uint32_t clone,
                                  ArrayRef<ValueLattice> geometry) {
  for (GlobalId id : program.kernelsOf(stub)) {
    BodyIndex index = bodies.indexOf(id, clone);
    if (index == kNone || !bodies[index].isKnown)
      continue;
    BodyLattice &kernel = bodies[index];
    bool changed = reach(kernel, caller);
    for (auto [known, actual] :
         zip(kernel.parameters,
             launches.launchArguments(caller, launch, stub, id)))
      changed |= meetParameter(known, actual);
    changed |= meetGeometry(kernel, geometry);
    if (changed)
      revisit(kernel);
  }
}

/// Lowers what is known of variables to what \p body stores there too.
void SolverWorklist::visitStores(const BodyLattice &body) {
  for (const VariableStore &store :
       slice(program.moduleRef(body.id).summary.variableStores,
             program.function(body.id)->variableStores)) {
    GlobalId variable = program.definitionFor(body.id, store.variable);
    if (variable == kNone || !variables.isKnown(variable))
      continue;
    ValueLattice value = values.valueOf(body, store.value);
    value.forgetSymbol();
    if (!variables.lower(variable, store, value))
      continue;
    // Those of an earlier solution may not be reached in this one, yet.
    for (BodyIndex reader : variables.readersOf(variable))
      if (bodies[reader].isReached)
        enqueue(bodies[reader]);
  }
}

void SolverWorklist::raise(const BitVector &rising) {
  erase_if(lowered,
           [&](const Lowering &note) { return rising.test(note.callee); });
  settled.resize(bodies.all().size());
  settled.reset(rising);
  for (unsigned body : rising.set_bits())
    reset(bodies[body]);
}

void SolverWorklist::meetContexts(const BodyLattice &body,
                                  const BitVector &rising) {
  variables.setVisited(body.index);
  for (uint32_t number : seq(bodies.callCount(body.index))) {
    BodyIndex callee = bodies.calleeOf(body.index, number);
    if (callee == kNone || !rising.test(callee))
      continue;
    const CallEdge &call = program.calls(body.id)[number];
    if (call.callee != kNone)
      visitCall(body.index, number, call);
  }
  if (!bodies.isActive(body.index))
    return;
  for (const LaunchSite &launch : program.launches(body.id))
    visitLaunch(body.index, launch);
  visitStores(body);
}

} // namespace gpulto
