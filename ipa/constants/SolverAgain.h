//===- SolverAgain.h - Solve again what clones change -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_CONSTANTS_SOLVERAGAIN_H
#define GPULTO_IPA_CONSTANTS_SOLVERAGAIN_H

#include "ipa/constants/BodyLattice.h"
#include "summary/WpaContext.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"

#include <vector>

namespace gpulto {

class SolverBodies;
class SolverWorklist;
class VariableContents;

/// Solves again for bodies that lost contexts since the last solution, and for
/// whom they may lift.
class SolverAgain {
public:
  SolverAgain(const CombinedSummary &program, const SolverBodies &bodies,
              VariableContents &variables, SolverWorklist &worklist)
      : program(program), bodies(bodies), variables(variables),
        worklist(worklist) {}

  /// Notes that \p body, if it is one, is a new clone, or that some call has
  /// entered it, but enters it no more.
  void noteLoss(BodyIndex body);

  /// Forgets what was noted: all are solved for from the top on.
  void clear() { changed.clear(); }

  /// Solves for what was noted.
  void solve();

private:
  /// What may know more than before, and variables of which more may be known.
  struct Rising {
    llvm::BitVector bodies;
    llvm::DenseSet<GlobalId> variables; // the order of visits is not theirs
  };

  Rising findRising();
  void raise(const Rising &rising);
  void enterRising(const Rising &rising);
  void noteUnfounded();
  bool passesOn(const BodyLattice &caller, uint32_t number) const;

  const CombinedSummary &program;
  const SolverBodies &bodies;
  VariableContents &variables;
  SolverWorklist &worklist;
  std::vector<BodyIndex> changed;
};

} // namespace gpulto

#endif
