//===- MemoryEvaluator.h - What is in memory, by calls ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_CONSTANTS_MEMORYEVALUATOR_H
#define GPULTO_IPA_CONSTANTS_MEMORYEVALUATOR_H

#include "ipa/constants/BodyLattice.h"
#include "ipa/constants/MemoryAnswers.h"
#include "ipa/constants/Pointees.h"

#include <optional>
#include <set>
#include <tuple>

namespace gpulto {

class BodyPointees;
class CallEvaluator;
class SolverBodies;
class ValueEvaluator;
class VariableContents;
struct ModuleSummary;

/// How many bytes parts of aggregates are of. Remembers those of choices, which
/// share theirs: each is looked at once.
class PartSizes {
public:
  /// Returns how many bytes \p value, a part of an aggregate of \p summary, is
  /// of.
  uint64_t of(const ModuleSummary &summary, const JumpFunction &value);
  /// Returns the byte behind \p part, one of \p summary's aggregateParts.
  uint64_t endOf(const ModuleSummary &summary, const AggregatePart &part);

private:
  // Looked up only, never iterated.
  llvm::DenseMap<const AggregatePart *, uint64_t> ends;
};

/// Evaluates what is in memory, and what calls return. Counts how far the
/// question at hand has been followed.
class MemoryEvaluator {
public:
  MemoryEvaluator(const CombinedSummary &program, const Callers &callers,
                  const Pointees &pointees, const SolverBodies &bodies,
                  const BodyPointees &bodyPointees,
                  const VariableContents &variables,
                  const ValueEvaluator &values, const CallEvaluator &calls)
      : program(program), callers(callers), pointees(pointees), bodies(bodies),
        bodyPointees(bodyPointees), variables(variables), values(values),
        calls(calls), answers(bodies) {}

  /// Returns what the call that \p function names returns: in terms of what
  /// this very call passes, so that it depends on the caller's parameters only.
  ParameterLattice evaluateResult(const BodyLattice &caller,
                                  const JumpFunction &function);

  /// Returns the known parts of a by-value aggregate, or of what a pointer
  /// points to; without parts (top) when the caller does not know its own yet.
  ParameterLattice evaluateAggregate(const BodyLattice &caller,
                                     const CombinedModule &module,
                                     const JumpFunction &function);

  /// Returns what all choices of \p function, Memory, have in common.
  ParameterLattice evaluateMemory(const BodyLattice &body,
                                  const JumpFunction &function);

private:
  /// One look back from a place over the calls that got an address.
  struct Walk {
    /// Calls, their arguments and bytes behind these that are being looked for.
    std::set<std::tuple<uint32_t, uint32_t, uint64_t, uint64_t>> inProgress;
    /// If the body was entered by a call that is looked into: the walk that
    /// came to it there.
    const BodyLattice *caller = nullptr;
    uint32_t call = 0;
    Walk *outer = nullptr;
  };
  using Bytes = std::optional<ParameterLattice>;

  ParameterLattice lookUp(const BodyLattice &body,
                          const JumpFunction &function);
  Bytes evaluateBefore(const BodyLattice &caller, uint32_t number,
                       uint32_t parameter, ByteWindow window, Walk &walk);
  Bytes evaluateParts(const BodyLattice &caller, Range parts, ByteWindow window,
                      Walk &walk);
  Bytes evaluateEntry(const BodyLattice &body, uint32_t source,
                      ByteWindow window, Walk &walk);
  Bytes evaluateLeft(const BodyLattice &caller, const JumpFunction &function,
                     ByteWindow window, Walk &walk);
  Bytes evaluateChoices(const BodyLattice &body, const JumpFunction &function,
                        ByteWindow window, Walk &walk);
  bool addBytes(const BodyLattice &body, const AggregatePart &part,
                ByteWindow window, Walk &walk, ParameterLattice &result);
  void addReturned(const BodyLattice &caller, const AggregatePart &part,
                   ParameterLattice &result);

  const CombinedSummary &program;
  const Callers &callers;
  const Pointees &pointees;
  const SolverBodies &bodies;
  const BodyPointees &bodyPointees;
  const VariableContents &variables;
  const ValueEvaluator &values;
  const CallEvaluator &calls;
  PartSizes sizes;
  MemoryAnswers answers;
  /// How deep results of calls are being looked into.
  unsigned resultDepth = 0;
  /// How deep memory is in terms of other memory, and how many calls one
  /// question has looked behind.
  unsigned memoryDepth = 0;
  unsigned lookups = 0;
};

} // namespace gpulto

#endif
