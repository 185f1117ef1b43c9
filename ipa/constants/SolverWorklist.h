//===- SolverWorklist.h - The fixed point -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_CONSTANTS_SOLVERWORKLIST_H
#define GPULTO_IPA_CONSTANTS_SOLVERWORKLIST_H

#include "ipa/constants/BodyLattice.h"
#include "summary/WpaContext.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"

#include <deque>
#include <vector>

namespace gpulto {

/// A call that lowered what is known of its callee.
struct Lowering {
  BodyIndex caller = kNone;
  uint32_t number = 0; ///< of the call in its function
  BodyIndex callee = kNone;
};

class CallEvaluator;
class LaunchEvaluator;
class SolverBodies;
class ValueEvaluator;
class VariableContents;

/// Lowers bodies to what all calls and launches pass them, until nothing
/// changes.
class SolverWorklist {
public:
  SolverWorklist(const CombinedSummary &program, SolverBodies &bodies,
                 VariableContents &variables, const ValueEvaluator &values,
                 const CallEvaluator &calls, const LaunchEvaluator &launches)
      : program(program), bodies(bodies), variables(variables), values(values),
        calls(calls), launches(launches) {}

  /// Solves for all bodies from the top on.
  void solve();

  /// Visits bodies until all that are in the list have been visited.
  void run();

  /// Lets the bodies in \p rising start at the top again.
  void raise(const llvm::BitVector &rising);

  /// Meets the contexts that \p body passes to those in \p rising, and all of
  /// launches and of variables.
  void meetContexts(const BodyLattice &body, const llvm::BitVector &rising);

  /// Returns the calls that made the last solution what it is.
  llvm::ArrayRef<Lowering> lowerings() const { return lowered; }

private:
  void reset(BodyLattice &body);
  void enqueue(BodyLattice &body);
  void revisit(BodyLattice &body);
  bool reach(BodyLattice &callee, const BodyLattice &from);
  void visit(BodyIndex index);
  void visitCall(BodyIndex caller, uint32_t number, const CallEdge &call);
  bool meetArguments(BodyIndex index, const BodyLattice &from,
                     llvm::ArrayRef<JumpFunction> actuals);
  void visitLaunch(BodyIndex caller, const LaunchSite &launch);
  void visitKernels(const BodyLattice &caller, const LaunchSite &launch,
                    GlobalId stub, uint32_t clone,
                    llvm::ArrayRef<ValueLattice> geometry);
  void visitStores(const BodyLattice &body);

  const CombinedSummary &program;
  SolverBodies &bodies;
  VariableContents &variables;
  const ValueEvaluator &values;
  const CallEvaluator &calls;
  const LaunchEvaluator &launches;
  /// By BodyIndex: what is known of it does not depend on calls any more.
  llvm::BitVector settled;
  std::vector<Lowering> lowered;
  std::deque<BodyIndex> worklist;
};

} // namespace gpulto

#endif
