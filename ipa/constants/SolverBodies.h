//===- SolverBodies.h - Definitions, clones and whom they call --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_CONSTANTS_SOLVERBODIES_H
#define GPULTO_IPA_CONSTANTS_SOLVERBODIES_H

#include "ipa/callers/Callers.h"
#include "ipa/constants/BodyLattice.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <utility>
#include <vector>

namespace gpulto {

/// A call, or a launch, of a body: the how manieth of its function.
struct CallSite {
  BodyIndex caller = kNone;
  uint32_t number = 0;
  bool isLaunch = false;
};

/// All bodies, definitions and clones of them, with what is known of each, and
/// which one each call enters.
class SolverBodies {
public:
  SolverBodies(const CombinedSummary &program, const Callers &callers);

  const std::vector<BodyLattice> &all() const { return bodies; }
  std::vector<BodyLattice> &all() { return bodies; }
  const BodyLattice &operator[](BodyIndex index) const { return bodies[index]; }
  BodyLattice &operator[](BodyIndex index) { return bodies[index]; }

  /// Returns the body of the definition \p id or, if \p clone is not 0, of that
  /// clone of it; kNone when there is no such body.
  BodyIndex indexOf(GlobalId id, uint32_t clone) const;
  /// Adds a clone of the definition \p id, which no call enters; returns its
  /// index.
  BodyIndex addClone(GlobalId id);
  /// Number of clones of the definition \p id.
  uint32_t cloneCount(GlobalId id) const;

  /// Lets call \p site, of the definition that \p clone is one of, enter
  /// \p clone instead.
  void redirect(CallSite site, BodyIndex clone);
  /// Lets the launches of call \p number of \p caller launch what \p stubClone
  /// stands for.
  void redirectLaunch(BodyIndex caller, uint32_t number, BodyIndex stubClone);
  /// Returns how many calls and launches have been led elsewhere.
  uint32_t redirectionCount() const { return redirectedCount; }
  /// Returns the clone that call \p number of \p caller was redirected to, or
  /// kNone.
  BodyIndex redirected(BodyIndex caller, uint32_t number) const;
  /// Returns the clone of the stub that stands for what call \p number of
  /// \p caller launches, or kNone.
  BodyIndex launched(BodyIndex caller, uint32_t number) const;
  /// Whether any call of \p caller was redirected, or launches what stands for
  /// a clone.
  bool isRedirecting(BodyIndex caller) const {
    return caller < redirecting.size() && redirecting.test(caller);
  }

  /// Returns the number of calls in \p body.
  uint32_t callCount(BodyIndex body) const {
    return callers.calleesOf(callers.bodyIndex(bodies[body].id)).size();
  }
  /// Returns the body that call \p number of \p caller enters, or kNone.
  BodyIndex calleeOf(BodyIndex caller, uint32_t number) const;
  /// As calleeOf(), by an alias, too.
  BodyIndex enteredBy(const BodyLattice &caller, uint32_t number) const;
  /// Returns the arguments of call \p number of \p caller.
  llvm::ArrayRef<JumpFunction> actualsOf(const BodyLattice &caller,
                                         uint32_t number) const;
  /// Calls \p visit with all bodies that \p launch of \p caller may enter.
  void forEachLaunched(const BodyLattice &caller, const LaunchSite &launch,
                       llvm::function_ref<void(BodyIndex)> visit) const;
  /// Whether \p body launches kernels, or stores to variables.
  bool isActive(BodyIndex body) const { return active.test(body); }

private:
  using Redirections =
      llvm::DenseMap<std::pair<BodyIndex, uint32_t>, BodyIndex>;

  void noteBody(const BodyLattice &body);
  void noteRedirection(BodyIndex caller);

  const CombinedSummary &program;
  const Callers &callers;
  std::vector<BodyLattice> bodies; // Callers::bodies, then clones
  /// By BodyIndex: see isActive().
  llvm::BitVector active;
  // Looked up only, never iterated.
  llvm::DenseMap<GlobalId, uint32_t> cloneCounts;
  llvm::DenseMap<std::pair<GlobalId, uint32_t>, BodyIndex> clones;
  Redirections redirections, launchRedirections;
  uint32_t redirectedCount = 0;
  /// By BodyIndex: bodies with calls in these.
  llvm::BitVector redirecting;
};

} // namespace gpulto

#endif
