//===- CallEvaluator.h - What calls pass ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_CONSTANTS_CALLEVALUATOR_H
#define GPULTO_IPA_CONSTANTS_CALLEVALUATOR_H

#include "ipa/constants/BodyLattice.h"
#include "summary/WpaContext.h"

#include "llvm/ADT/BitVector.h"

namespace gpulto {

class BodyPointees;
class MemoryEvaluator;
class SolverBodies;
class ValueEvaluator;

/// Evaluates what calls and launches pass, as parameters of whom they enter.
class CallEvaluator {
public:
  CallEvaluator(const CombinedSummary &program, const SolverBodies &bodies,
                const BodyPointees &pointees, const ValueEvaluator &values,
                MemoryEvaluator &memory)
      : program(program), bodies(bodies), pointees(pointees), values(values),
        memory(memory) {}

  /// Returns what \p actual of \p caller is as parameter \p index of \p callee;
  /// of its parts only if \p asksParts.
  ParameterLattice evaluateArgument(GlobalId callee, uint32_t index,
                                    const BodyLattice &caller,
                                    const JumpFunction &actual,
                                    bool asksParts = true) const;

  /// Returns what argument \p index of call \p number of \p caller is.
  ValueLattice argument(BodyIndex caller, uint32_t number,
                        uint32_t index) const;

  /// Returns what call \p number of \p caller lets \p callee know of its
  /// parameters in \p used, and of the others, if \p asksAll, what they are but
  /// not what they point to.
  BodyLattice enter(const BodyLattice &caller, uint32_t number,
                    const BodyLattice &callee, const llvm::BitVector &used,
                    bool asksAll = false) const;

  /// As enter(), of all parameters of the body that the call enters.
  BodyLattice entry(BodyIndex caller, uint32_t number) const;

private:
  ValueLattice fit(GlobalId callee, const ParameterRecord &formal,
                   const BodyLattice &caller, ValueLattice value) const;

  const CombinedSummary &program;
  const SolverBodies &bodies;
  const BodyPointees &pointees;
  const ValueEvaluator &values;
  MemoryEvaluator &memory;
};

} // namespace gpulto

#endif
