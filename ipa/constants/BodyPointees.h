//===- BodyPointees.h - Who reaches what parameters point to ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_CONSTANTS_BODYPOINTEES_H
#define GPULTO_IPA_CONSTANTS_BODYPOINTEES_H

#include "ipa/constants/BodyLattice.h"
#include "ipa/constants/Pointees.h"

namespace gpulto {

/// Says of the pointers of a body who writes and reaches the memory behind
/// them, in the contexts that the body has.
class BodyPointees {
public:
  BodyPointees(const CombinedSummary &program, const Pointees &pointees)
      : program(program), pointees(pointees) {}

  /// Returns whether \p body leaves what its parameter \p source points to as
  /// it was: so do those to which it passes it.
  bool keepsPointee(const BodyLattice &body, uint32_t source) const;

  /// As Pointees::isPrivate(). A parameter that points there must lead to
  /// private memory; what a function returns by its address, nobody else sees
  /// before.
  bool isPrivateVariable(const BodyLattice &body, uint64_t number) const;

  /// Returns whether \p actual points to memory that nobody reaches but
  /// \p caller or one of its callers, and their callees.
  bool leadsToPrivate(const BodyLattice &caller,
                      const JumpFunction &actual) const;

private:
  bool isPrivateFormal(const BodyLattice &body, uint32_t source) const;

  const CombinedSummary &program;
  const Pointees &pointees;
};

} // namespace gpulto

#endif
