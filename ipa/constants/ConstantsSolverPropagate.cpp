//===- ConstantsSolverPropagate.cpp - Lattices over calls and launches ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What others ask, handed on to the class that knows it. A redirection lets
// bodies lose a context, which SolverAgain must hear of before it is made.
//
//===----------------------------------------------------------------------===//

#include "ipa/constants/BodyPointees.h"
#include "ipa/constants/CallEvaluator.h"
#include "ipa/constants/ConstantsSolver.h"
#include "ipa/constants/LaunchEvaluator.h"
#include "ipa/constants/MemoryEvaluator.h"
#include "ipa/constants/SolverAgain.h"
#include "ipa/constants/SolverWorklist.h"
#include "ipa/constants/ValueEvaluator.h"
#include "ipa/constants/VariableContents.h"

using namespace llvm;

namespace gpulto {

struct ConstantsSolver::Parts {
  Parts(const WpaContext &context, const Callers &callers,
        const Pointees &pointees)
      : bodies(context.program, callers),
        bodyPointees(context.program, pointees), variables(context),
        values(context.program, bodies, bodyPointees, variables, memory),
        memory(context.program, callers, pointees, bodies, bodyPointees,
               variables, values, calls),
        calls(context.program, bodies, bodyPointees, values, memory),
        launches(context.program, callers, values, calls),
        worklist(context.program, bodies, variables, values, calls, launches),
        again(context.program, bodies, variables, worklist) {}

  SolverBodies bodies;
  BodyPointees bodyPointees;
  VariableContents variables;
  ValueEvaluator values;
  MemoryEvaluator memory;
  CallEvaluator calls;
  LaunchEvaluator launches;
  SolverWorklist worklist;
  SolverAgain again;
};

ConstantsSolver::ConstantsSolver(const WpaContext &context,
                                 const Callers &callers,
                                 const Pointees &pointees)
    : program(context.program),
      parts(std::make_unique<Parts>(context, callers, pointees)) {}

ConstantsSolver::~ConstantsSolver() = default;

void ConstantsSolver::solve() {
  if (std::exchange(isSolved, true))
    return parts->again.solve();
  parts->again.clear();
  parts->worklist.solve();
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

BodyIndex ConstantsSolver::addClone(GlobalId id) {
  BodyIndex clone = parts->bodies.addClone(id);
  parts->again.noteLoss(clone);
  return clone;
}

void ConstantsSolver::redirect(CallSite site, BodyIndex clone) {
  parts->again.noteLoss(calleeOf(site.caller, site.number));
  parts->bodies.redirect(site, clone);
}

BodyIndex ConstantsSolver::addKernelClone(GlobalId stub) {
  BodyIndex clone = addClone(stub);
  for (GlobalId kernel : program.deviceCounterparts(stub))
    addClone(kernel);
  return clone;
}

void ConstantsSolver::redirectLaunch(BodyIndex caller, uint32_t number,
                                     BodyIndex stubClone) {
  const BodyLattice &from = bodies()[caller];
  parts->again.noteLoss(calleeOf(caller, number));
  for (const LaunchSite &launch : program.launches(from.id))
    if (launch.call == number)
      parts->bodies.forEachLaunched(
          from, launch, [&](BodyIndex body) { parts->again.noteLoss(body); });
  parts->bodies.redirectLaunch(caller, number, stubClone);
}

const std::vector<BodyLattice> &ConstantsSolver::bodies() const {
  return std::as_const(parts->bodies).all();
}

const BodyLattice *ConstantsSolver::find(GlobalId id, uint32_t clone) const {
  BodyIndex index = parts->bodies.indexOf(id, clone);
  return index == kNone ? nullptr : &bodies()[index];
}

uint32_t ConstantsSolver::cloneCount(GlobalId id) const {
  return parts->bodies.cloneCount(id);
}

uint32_t ConstantsSolver::callCount(BodyIndex body) const {
  return parts->bodies.callCount(body);
}

BodyIndex ConstantsSolver::calleeOf(BodyIndex caller, uint32_t number) const {
  return parts->bodies.calleeOf(caller, number);
}

BodyIndex ConstantsSolver::redirected(BodyIndex caller, uint32_t number) const {
  return parts->bodies.redirected(caller, number);
}

bool ConstantsSolver::hasRedirections(BodyIndex caller) const {
  return parts->bodies.isRedirecting(caller);
}

BodyIndex ConstantsSolver::launched(BodyIndex caller, uint32_t number) const {
  return parts->bodies.launched(caller, number);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

ValueLattice ConstantsSolver::returned(const BodyLattice &body) const {
  return valueOf(body, program.function(body.id)->returned);
}

BodyLattice ConstantsSolver::entry(BodyIndex caller, uint32_t number) const {
  return parts->calls.entry(caller, number);
}

ValueLattice ConstantsSolver::argument(BodyIndex caller, uint32_t number,
                                       uint32_t index) const {
  return parts->calls.argument(caller, number, index);
}

bool ConstantsSolver::hasAskedVariables() const {
  return parts->variables.takeAsked();
}

ValueLattice ConstantsSolver::valueOf(const BodyLattice &caller,
                                      const JumpFunction &function) const {
  return parts->values.valueOf(caller, function);
}

SmallVector<GlobalId, 2>
ConstantsSolver::stubsOf(const BodyLattice &caller,
                         const LaunchSite &launch) const {
  return parts->launches.stubsOf(caller, launch);
}

bool ConstantsSolver::launchesOne(const BodyLattice &caller,
                                  const LaunchSite &launch) const {
  return parts->launches.launchesOne(caller, launch);
}

std::vector<ParameterLattice>
ConstantsSolver::launchArguments(const BodyLattice &caller,
                                 const LaunchSite &launch, GlobalId stub,
                                 GlobalId kernel) const {
  return parts->launches.launchArguments(caller, launch, stub, kernel);
}

std::vector<ValueLattice>
ConstantsSolver::launchGeometry(const BodyLattice &caller,
                                const LaunchSite &launch) const {
  return parts->launches.launchGeometry(caller, launch);
}

} // namespace gpulto
