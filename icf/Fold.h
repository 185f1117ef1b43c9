//===- Fold.h - Identical code folding over the whole program ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_ICF_FOLD_H
#define GPULTO_ICF_FOLD_H

#include "ipa/callers/Callers.h"
#include "summary/WpaContext.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gpulto {

/// --gpulto-icf.
enum class FoldMode : uint8_t {
  /// Only what no program can tell: addresses that may be compared stay
  /// distinct.
  Safe,
  /// Also functions whose address is taken, if only bitcode can name them.
  All,
  None,
};

/// How kernels are folded.
enum class FoldKernels : uint8_t {
  /// Launches of one become launches of the other: only for kernels whose
  /// handle has no uses but launches.
  Launch,
  /// Handles stay, and are registered for one kernel: also for kernels whose
  /// handle goes where the analysis does not follow it.
  Register,
};

/// How often a definition may be found to differ from its leader; after that it
/// is no longer folded.
inline constexpr unsigned kMostFoldSplits = 8;

struct FoldOptions {
  FoldMode mode = FoldMode::Safe;
  FoldKernels kernels = FoldKernels::Launch;
  /// Definitions, by the tag of their module and their name in it, that were
  /// found to differ from the leader of their class although the digests are
  /// equal, and how often: those with equal counts form a class.
  std::map<std::pair<std::string, std::string>, unsigned> apart = {};
};

/// Definitions that do the same, one of which stays.
struct FoldClass {
  /// Replaces all of them from now on.
  GlobalId leader = kNone;
  std::vector<GlobalId> members; // without the leader, ascending
  /// Members that keep their own name and address, and jump to the leader;
  /// ascending.
  std::vector<GlobalId> jumps;
  /// Definitions that stay unchanged though they do the same; ascending.
  std::vector<GlobalId> stays;
};

/// Finds the functions, kernels and kernel stubs of the live program that do
/// the same as others; none under FoldMode::None. A kernel is in a class only
/// together with its counterparts in all images and, under FoldKernels::Launch,
/// with its stub. Ordered by leader. Remarks (gpulto-fold) say what was folded
/// and what prevented it for others.
///
/// Source: partition refinement as in J. E. Hopcroft, "An n log n algorithm for
/// minimizing states in a finite automaton" (1971); folding as in S. Tallam et
/// al., "Safe ICF: Pointer Safe and Unwinding aware Identical Code Folding in
/// the Gold Linker" (GCC Summit 2010), from an optimistic start.
std::vector<FoldClass> findFolds(const WpaContext &context,
                                 const Callers &callers,
                                 const FoldOptions &options);

} // namespace gpulto

#endif
