//===- ValueEvaluator.h - Jump functions in terms of bodies -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_CONSTANTS_VALUEEVALUATOR_H
#define GPULTO_IPA_CONSTANTS_VALUEEVALUATOR_H

#include "ipa/constants/BodyLattice.h"
#include "summary/WpaContext.h"

namespace gpulto {

class BodyPointees;
class MemoryEvaluator;
class SolverBodies;
class VariableContents;

/// Evaluates jump functions with what is known of the body that they stand in.
class ValueEvaluator {
public:
  ValueEvaluator(const CombinedSummary &program, const SolverBodies &bodies,
                 const BodyPointees &pointees, VariableContents &variables,
                 MemoryEvaluator &memory)
      : program(program), bodies(bodies), pointees(pointees),
        variables(variables), memory(memory) {}

  /// Returns what \p function, of \p module, is in \p caller. It may be of
  /// another module than that of \p caller if it names no formal parameter.
  ValueLattice evaluate(const BodyLattice &caller, const CombinedModule &module,
                        const JumpFunction &function) const;

  /// As evaluate(), of a function of the module of \p caller.
  ValueLattice valueOf(const BodyLattice &caller,
                       const JumpFunction &function) const {
    return evaluate(caller, program.moduleRef(caller.id), function);
  }

private:
  ValueLattice evaluateOnce(const BodyLattice &caller,
                            const CombinedModule &module,
                            const JumpFunction &function) const;
  ValueLattice evaluateKind(const BodyLattice &caller,
                            const CombinedModule &module,
                            const JumpFunction &function) const;
  ValueLattice evaluateCall(const BodyLattice &caller,
                            const JumpFunction &function) const;
  ValueLattice evaluateAllocation(const BodyLattice &caller,
                                  const JumpFunction &function) const;
  ValueLattice evaluateFormal(const BodyLattice &caller,
                              const JumpFunction &function) const;
  ValueLattice evaluatePointee(const BodyLattice &caller,
                               const JumpFunction &function) const;
  ValueLattice evaluateVariable(const BodyLattice &body,
                                const JumpFunction &function) const;
  ValueLattice initialValue(const BodyLattice &body, GlobalId id,
                            const JumpFunction &function) const;
  ValueLattice evaluateAddress(const CombinedModule &module,
                               const JumpFunction &function) const;
  uint64_t leastAllocated(const BodyLattice &caller, uint32_t number) const;

  const CombinedSummary &program;
  const SolverBodies &bodies;
  const BodyPointees &pointees;
  VariableContents &variables;
  MemoryEvaluator &memory;
};

/// NVPTX: the address space of global memory.
constexpr uint8_t kGlobalAddressSpace = 1;

} // namespace gpulto

#endif
