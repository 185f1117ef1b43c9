//===- Guards.h - Kernels chosen by a test at the launch --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_GUARDS_GUARDS_H
#define GPULTO_IPA_GUARDS_GUARDS_H

#include "ipa/pointers/KnownValues.h"

#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace gpulto {

/// The state of a guard fact in all launches of a kernel.
enum class GuardState : uint8_t { Unknown, Holds, Fails };

/// Returns the state of \p fact in \p kernel, which has known callers. Apart is
/// Unknown: see PointerFacts and FunctionSummary::guardExtents.
GuardState guardState(const BodyLattice &kernel, const GuardFact &fact);

/// Facts of a kernel that are worth a separate version.
struct GuardChoice {
  /// Sorted; none contradicts another.
  std::vector<GuardFact> facts;
  /// Instructions that they save together.
  uint64_t gain = 0;
};

/// A set of unknown facts, and what they save.
using GuardOffer = std::pair<std::vector<GuardFact>, uint64_t>;

/// Returns facts of \p offers that do not contradict each other, take at most
/// \p maxTests tests of values and \p maxPairs of pointers, and promise the
/// largest total gain. Greedy: adds one offer, or drops one fact, at a time,
/// whichever improves most.
GuardChoice chooseFacts(llvm::ArrayRef<GuardOffer> offers, uint64_t maxTests,
                        uint64_t maxPairs);

} // namespace gpulto

#endif
