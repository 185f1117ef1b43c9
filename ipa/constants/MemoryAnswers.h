//===- MemoryAnswers.h - What memory was found to hold ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_CONSTANTS_MEMORYANSWERS_H
#define GPULTO_IPA_CONSTANTS_MEMORYANSWERS_H

#include "ipa/constants/BodyLattice.h"
#include "summary/JumpFunction.h"

#include "llvm/ADT/DenseMap.h"

#include <map>
#include <tuple>

namespace gpulto {

class SolverBodies;

/// Remembers what bodies were found to have in memory: many launches pass what
/// the same members of a structure hold, and all who ask for them look behind
/// the same calls. An answer holds until the parameters of its body change
/// (BodyLattice::version), or a call is led elsewhere.
class MemoryAnswers {
public:
  explicit MemoryAnswers(const SolverBodies &bodies) : bodies(bodies) {}

  /// Returns what was found for \p function, Memory, of \p body; null if
  /// nothing that still holds, or if \p body is none of the solver's own.
  /// Valid until the next add().
  const ParameterLattice *find(const BodyLattice &body,
                               const JumpFunction &function) const;
  /// Remembers that \p found is what find() is asked for, if \p body is the
  /// solver's own.
  void add(const BodyLattice &body, const JumpFunction &function,
           const ParameterLattice &found);

private:
  /// All of a Memory that its contents depend on.
  using Question = std::tuple<uint32_t, uint32_t, uint64_t, uint64_t, unsigned>;
  struct OfBody {
    uint32_t version = 0;
    uint32_t redirections = 0;
    std::map<Question, ParameterLattice> answers;
  };

  static Question questionOf(const JumpFunction &function) {
    return {function.source, function.count, function.parameter, function.value,
            function.bitWidth};
  }
  bool isOwn(const BodyLattice &body) const;
  /// Whether \p answers still hold for \p body, whose they are.
  bool hold(const OfBody &answers, const BodyLattice &body) const;

  const SolverBodies &bodies;
  // Looked up only, never iterated.
  llvm::DenseMap<BodyIndex, OfBody> known;
};

} // namespace gpulto

#endif
