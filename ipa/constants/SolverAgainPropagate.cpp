//===- SolverAgainPropagate.cpp - Solve again what clones change ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: after each round of clones, the fixed point that solving from the start
// would find, for the work of what has changed.
//
//   f(1), f(x) -> g(p): f's parameter, and g's, are not known;
//   f(1) enters a clone now: f, and what f has lowered, may know more.
//
// A body that loses contexts can only rise, and so can what it passes on. While
// solving, each context that lowers a body is noted (Lowering): these are
// enough to bring it to where it is. So a body none of whose contexts that
// lowered it has gone, or may rise, does not rise.
//
// 1. findRising: the bodies that lost a context, new clones, and from there on
//    whom they lowered by what they themselves know. Launches, stores to
//    variables and who reads those are followed all.
// 2. raise: these start at the top again.
// 3. enterRising: the contexts of all others are met; then the worklist goes
//    on; others may still be lowered, since a clone calls what its original was
//    led away from. What nobody enters any more has no contexts to pass: again
//    from 1. for whom it had lowered (noteUnfounded).
//
// The order of visits differs from that of the first time, so a bound that was
// widened may differ, too, and what is left of launches that cannot be; nothing
// else does.
//
// Source: the dual of F. Nielson, H. R. Nielson, C. Hankin, "Principles of
// Program Analysis", 6.1, worklists; incremental data flow as in B. Ryder,
// M. Paull, "Incremental Data-Flow Analysis Algorithms", TOPLAS 1988.
//
//===----------------------------------------------------------------------===//

#include "ipa/constants/SolverAgain.h"
#include "ipa/constants/SolverBodies.h"
#include "ipa/constants/SolverWorklist.h"
#include "ipa/constants/VariableContents.h"
#include "summary/CombinedModule.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace llvm;

namespace gpulto {

using Kind = JumpFunction::Kind;

/// Whether what \p actual is may depend on what its caller knows.
static bool isOfCaller(const JumpFunction &actual) {
  switch (actual.kind) {
  case Kind::Unknown:
  case Kind::Constant:
  case Kind::Null:
  case Kind::SymbolAddress:
  case Kind::LoadVariable:
  case Kind::Allocation:
    return false;
  case Kind::Aggregate:
    return actual.count != 0;
  default:
    return true;
  }
}

void SolverAgain::noteLoss(BodyIndex body) {
  if (body != kNone)
    changed.push_back(body);
}

/// Whether call \p number of \p caller passes what may rise with it.
bool SolverAgain::passesOn(const BodyLattice &caller, uint32_t number) const {
  // Device functions pass on their geometry.
  return !caller.geometry.empty() ||
         any_of(bodies.actualsOf(caller, number), isOfCaller);
}

/// Whom each body has lowered, as rows of one table.
struct LoweredTable {
  std::vector<uint32_t> first;
  std::vector<Lowering> rows;
};

static LoweredTable tabulate(ArrayRef<Lowering> notes, size_t bodies) {
  LoweredTable table;
  table.first.assign(bodies + 1, 0);
  for (const Lowering &note : notes)
    ++table.first[note.caller + 1];
  std::partial_sum(table.first.begin(), table.first.end(), table.first.begin());
  table.rows.resize(notes.size());
  std::vector<uint32_t> next(table.first.begin(), table.first.end() - 1);
  for (const Lowering &note : notes)
    table.rows[next[note.caller]++] = note;
  return table;
}

/// Finds the bodies that may know more than before, and the variables that may
/// hold less.
SolverAgain::Rising SolverAgain::findRising() {
  LoweredTable lowered = tabulate(worklist.lowerings(), bodies.all().size());
  Rising rising;
  rising.bodies.resize(bodies.all().size());
  BitVector seen(bodies.all().size()); // what they pass on has been looked at
  std::vector<BodyIndex> todo;
  auto look = [&](BodyIndex body) {
    if (!seen.test(body)) {
      seen.set(body);
      todo.push_back(body);
    }
  };
  auto add = [&](BodyIndex body) {
    if (body == kNone || !bodies[body].isKnown)
      return;
    rising.bodies.set(body);
    look(body);
  };
  for (BodyIndex body : changed)
    add(body);
  while (!todo.empty()) {
    const BodyLattice &body = bodies[todo.back()];
    todo.pop_back();
    for (const Lowering &note :
         ArrayRef(lowered.rows)
             .slice(lowered.first[body.index],
                    lowered.first[body.index + 1] - lowered.first[body.index]))
      if (!rising.bodies.test(note.callee) && passesOn(body, note.number))
        add(note.callee);
    for (const LaunchSite &launch : program.launches(body.id))
      bodies.forEachLaunched(body, launch, add);
    for (const VariableStore &store :
         slice(program.moduleRef(body.id).summary.variableStores,
               program.function(body.id)->variableStores))
      if (GlobalId id = program.definitionFor(body.id, store.variable);
          id != kNone && variables.isStored(id) &&
          rising.variables.insert(id).second)
        for (BodyIndex reader : variables.readersOf(id))
          look(reader);
  }
  return rising;
}

/// Meets the contexts that bodies which do not rise pass to those that do, and
/// all of launches and of variables.
void SolverAgain::enterRising(const Rising &rising) {
  for (const BodyLattice &body : bodies.all())
    if (body.isReached && !rising.bodies.test(body.index))
      worklist.meetContexts(body, rising.bodies);
}

/// Starts at the top again with what is \p rising.
void SolverAgain::raise(const Rising &rising) {
  worklist.raise(rising.bodies);
  for (GlobalId variable : rising.variables)
    variables.forget(variable);
}

void SolverAgain::solve() {
  while (!changed.empty()) {
    Rising rising = findRising();
    raise(rising);
    enterRising(rising);
    worklist.run();
    changed.clear();
    noteUnfounded();
    // Each round has what the one before had, and more, so it ends.
    if (!changed.empty())
      append_range(changed, rising.bodies.set_bits());
  }
}

/// Notes bodies that nothing reached has lowered, and those that reach each
/// other in a circle which nobody enters any more: whoever entered each first
/// leads to no body that is entered from outside.
void SolverAgain::noteUnfounded() {
  for (const Lowering &note : worklist.lowerings())
    if (!bodies[note.caller].isReached)
      noteLoss(note.callee);
  enum class State : uint8_t { Unknown, OnPath, Founded, Unfounded };
  std::vector<State> states(bodies.all().size(), State::Unknown);
  std::vector<BodyIndex> path;
  for (const BodyLattice &body : bodies.all()) {
    if (!body.isReached || !body.isKnown)
      continue;
    BodyIndex next = body.index;
    while (next != kNone && bodies[next].isReached && bodies[next].isKnown &&
           states[next] == State::Unknown) {
      states[next] = State::OnPath;
      path.push_back(next);
      next = bodies[next].firstCaller;
    }
    bool isFounded = next != kNone && bodies[next].isReached &&
                     (!bodies[next].isKnown || states[next] == State::Founded);
    for (BodyIndex visited : path) {
      states[visited] = isFounded ? State::Founded : State::Unfounded;
      if (!isFounded)
        noteLoss(visited);
    }
    path.clear();
  }
}

} // namespace gpulto
