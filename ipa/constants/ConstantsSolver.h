//===- ConstantsSolver.h - Lattices over calls and launches -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_CONSTANTS_CONSTANTSSOLVER_H
#define GPULTO_IPA_CONSTANTS_CONSTANTSSOLVER_H

#include "ipa/callers/Callers.h"
#include "ipa/constants/BodyLattice.h"
#include "ipa/constants/Pointees.h"
#include "ipa/constants/SolverBodies.h"

#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <vector>

namespace gpulto {

/// Propagates what callers pass over calls and launches of all live bodies, to
/// the greatest fixed point.
class ConstantsSolver {
public:
  ConstantsSolver(const WpaContext &context, const Callers &callers,
                  const Pointees &pointees);
  ~ConstantsSolver();

  /// Solves for the bodies and redirections there are now: the first time from
  /// the top on, then what has changed since
  /// (ipa/constants/SolverAgain). Deterministic.
  void solve();

  /// Adds a clone of the definition \p id; returns its index. Its callers are
  /// those that redirect() gives it.
  BodyIndex addClone(GlobalId id);
  /// Lets call \p site, of the definition that \p clone is one of, enter
  /// \p clone instead.
  void redirect(CallSite site, BodyIndex clone);

  /// Adds a clone of the stub \p stub and of its kernel in every image; returns
  /// the stub's. All have the same number. Each kernel is of no other stub.
  BodyIndex addKernelClone(GlobalId stub);
  /// Lets the launches of call \p number of \p caller launch what \p stubClone
  /// stands for.
  void redirectLaunch(BodyIndex caller, uint32_t number, BodyIndex stubClone);

  const std::vector<BodyLattice> &bodies() const;
  /// Returns the definition \p id or, if \p clone is not 0, that clone of it;
  /// null when there is no such body.
  const BodyLattice *find(GlobalId id, uint32_t clone) const;
  /// Number of clones of the definition \p id.
  uint32_t cloneCount(GlobalId id) const;
  /// Returns the number of calls in \p body.
  uint32_t callCount(BodyIndex body) const;
  /// Returns the body that call \p number of \p caller enters, or kNone.
  BodyIndex calleeOf(BodyIndex caller, uint32_t number) const;
  /// Returns what every call of \p body that this link sees returns.
  ValueLattice returned(const BodyLattice &body) const;
  /// Returns the clone that call \p number of \p caller was redirected to, or
  /// kNone.
  BodyIndex redirected(BodyIndex caller, uint32_t number) const;

  /// Whether any call of \p caller was redirected, or launches what stands for
  /// a clone.
  bool hasRedirections(BodyIndex caller) const;

  /// Returns the clone of the stub that stands for what call \p number of
  /// \p caller launches, or kNone.
  BodyIndex launched(BodyIndex caller, uint32_t number) const;

  /// Returns what the body that call \p number of \p caller enters, which is
  /// one, knows there: of its parameters, not those of its other calls.
  BodyLattice entry(BodyIndex caller, uint32_t number) const;

  /// Returns what argument \p index of call \p number of \p caller is.
  ValueLattice argument(BodyIndex caller, uint32_t number,
                        uint32_t index) const;
  /// Returns whether argument() has depended on what is stored in variables
  /// since this was asked last.
  bool hasAskedVariables() const;
  /// Returns what \p function, of the module of \p caller, is in that body.
  ValueLattice valueOf(const BodyLattice &caller,
                       const JumpFunction &function) const;
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
  /// Those who have the bodies, who evaluate and who solve.
  struct Parts;

  const CombinedSummary &program;
  const std::unique_ptr<Parts> parts;
  bool isSolved = false;
};

} // namespace gpulto

#endif
