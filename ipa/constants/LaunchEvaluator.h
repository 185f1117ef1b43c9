//===- LaunchEvaluator.h - What launches launch and pass --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_CONSTANTS_LAUNCHEVALUATOR_H
#define GPULTO_IPA_CONSTANTS_LAUNCHEVALUATOR_H

#include "ipa/callers/Callers.h"
#include "ipa/constants/BodyLattice.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace gpulto {

class CallEvaluator;
class ValueEvaluator;

/// Evaluates what launches launch, and what they pass to kernels.
class LaunchEvaluator {
public:
  LaunchEvaluator(const CombinedSummary &program, const Callers &callers,
                  const ValueEvaluator &values, const CallEvaluator &calls)
      : program(program), callers(callers), values(values), calls(calls) {}

  /// Returns the stubs that \p launch, which stands in \p caller, may launch,
  /// as far as their launches are known.
  llvm::SmallVector<GlobalId, 2> stubsOf(const BodyLattice &caller,
                                         const LaunchSite &launch) const;
  /// Whether all that \p launch may launch, unknown kernels included, is the
  /// one stub of stubsOf().
  bool launchesOne(const BodyLattice &caller, const LaunchSite &launch) const;
  /// Returns what \p launch, which stands in \p caller, passes to \p kernel by
  /// way of \p stub, by parameter.
  std::vector<ParameterLattice> launchArguments(const BodyLattice &caller,
                                                const LaunchSite &launch,
                                                GlobalId stub,
                                                GlobalId kernel) const;
  /// Returns the kDimensions components of the geometry of \p launch, which
  /// stands in \p caller.
  std::vector<ValueLattice> launchGeometry(const BodyLattice &caller,
                                           const LaunchSite &launch) const;

private:
  GlobalId knownHandle(const BodyLattice &caller,
                       const LaunchSite &launch) const;
  ParameterLattice evaluatePieces(const BodyLattice &caller,
                                  llvm::ArrayRef<const StubArgument *> pieces,
                                  llvm::ArrayRef<JumpFunction> actuals) const;

  const CombinedSummary &program;
  const Callers &callers;
  const ValueEvaluator &values;
  const CallEvaluator &calls;
};

} // namespace gpulto

#endif
