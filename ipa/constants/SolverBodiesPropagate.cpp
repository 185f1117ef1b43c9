//===- SolverBodiesPropagate.cpp - Definitions, clones and whom they call -===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/constants/SolverBodies.h"
#include "summary/CombinedModule.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace gpulto {

SolverBodies::SolverBodies(const CombinedSummary &program,
                           const Callers &callers)
    : program(program), callers(callers) {
  bodies.resize(callers.bodies().size());
  for (auto [i, id] : enumerate(callers.bodies())) {
    BodyLattice &body = bodies[i];
    body.id = id;
    body.index = i;
    body.isKnown = callers.unknown(id) == UnknownCaller::None;
    noteBody(body);
  }
}

void SolverBodies::noteBody(const BodyLattice &body) {
  const FunctionSummary &function = *program.function(body.id);
  active.push_back(!function.launches.empty() ||
                   !function.variableStores.empty());
}

BodyIndex SolverBodies::indexOf(GlobalId id, uint32_t clone) const {
  if (!clone)
    return callers.bodyIndex(id);
  auto found = clones.find({id, clone});
  return found == clones.end() ? kNone : found->second;
}

BodyIndex SolverBodies::addClone(GlobalId id) {
  BodyLattice clone;
  clone.id = id;
  clone.clone = ++cloneCounts[id];
  clones[{id, clone.clone}] = bodies.size();
  clone.index = bodies.size();
  noteBody(clone);
  bodies.push_back(std::move(clone));
  return bodies.size() - 1;
}

uint32_t SolverBodies::cloneCount(GlobalId id) const {
  return cloneCounts.lookup(id);
}

void SolverBodies::redirect(CallSite site, BodyIndex clone) {
  noteRedirection(site.caller);
  redirections[{site.caller, site.number}] = clone;
}

void SolverBodies::noteRedirection(BodyIndex caller) {
  ++redirectedCount;
  if (redirecting.size() <= caller)
    redirecting.resize(bodies.size());
  redirecting.set(caller);
}

BodyIndex SolverBodies::redirected(BodyIndex caller, uint32_t number) const {
  if (!isRedirecting(caller))
    return kNone;
  auto found = redirections.find({caller, number});
  return found == redirections.end() ? kNone : found->second;
}

void SolverBodies::redirectLaunch(BodyIndex caller, uint32_t number,
                                  BodyIndex stubClone) {
  const GlobalId id = bodies[caller].id;
  noteRedirection(caller);
  launchRedirections[{caller, number}] = stubClone;
  const CallEdge &call = slice(program.moduleRef(id).summary.calls,
                               program.function(id)->calls)[number];
  // A direct call of the stub, or one through its address.
  if (call.callee == kNone ||
      program.definitionFor(id, call.callee) == bodies[stubClone].id)
    redirections[{caller, number}] = stubClone;
}

BodyIndex SolverBodies::launched(BodyIndex caller, uint32_t number) const {
  if (!isRedirecting(caller))
    return kNone;
  auto found = launchRedirections.find({caller, number});
  return found == launchRedirections.end() ? kNone : found->second;
}

BodyIndex SolverBodies::calleeOf(BodyIndex caller, uint32_t number) const {
  if (BodyIndex clone = redirected(caller, number); clone != kNone)
    return clone;
  if (bodies[caller].clone)
    caller = callers.bodyIndex(bodies[caller].id);
  return callers.entersByAlias(caller, number)
             ? kNone
             : callers.calleesOf(caller)[number];
}

BodyIndex SolverBodies::enteredBy(const BodyLattice &caller,
                                  uint32_t number) const {
  if (BodyIndex index = calleeOf(caller.index, number); index != kNone)
    return index;
  return callers.calleesOf(callers.bodyIndex(caller.id))[number];
}

ArrayRef<JumpFunction> SolverBodies::actualsOf(const BodyLattice &caller,
                                               uint32_t number) const {
  const ModuleSummary &summary = program.moduleRef(caller.id).summary;
  return slice(summary.jumpFunctions,
               slice(summary.calls, program.function(caller.id)->calls)[number]
                   .arguments);
}

void SolverBodies::forEachLaunched(const BodyLattice &caller,
                                   const LaunchSite &launch,
                                   function_ref<void(BodyIndex)> visit) const {
  BodyIndex stubClone = launched(caller.index, launch.call);
  uint32_t clone = stubClone == kNone ? 0 : bodies[stubClone].clone;
  for (GlobalId stub : callers.stubsOf(caller.id, launch)) {
    if (launch.kind != LaunchKind::Device)
      visit(indexOf(stub, clone));
    for (GlobalId kernel : program.kernelsOf(stub))
      visit(indexOf(kernel, clone));
  }
}

} // namespace gpulto
