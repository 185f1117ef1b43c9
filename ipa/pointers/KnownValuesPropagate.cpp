//===- KnownValuesPropagate.cpp - What values are, once that is solved ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/pointers/KnownValues.h"

#include "ipa/clones/Clones.h"

namespace gpulto {

/// Lets \p solver solve, and returns it.
static const ConstantsSolver &solved(WpaContext &context,
                                     const Callers &callers,
                                     ConstantsSolver &solver) {
  solver.solve();
  chooseClones(context, callers, solver);
  return solver;
}

// In the order of the members: what knows of pointers asks what was solved.
KnownValues::KnownValues(WpaContext &context, const Callers &callers)
    : pointees(context, callers), solver(context, callers, pointees),
      pointers(context, callers, solved(context, callers, solver)),
      apart(context, callers, solver), unwritten(context, callers, solver),
      lasting(context, callers, solver, unwritten.deviceOrder()) {}

} // namespace gpulto
