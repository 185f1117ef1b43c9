//===- Inlining.h - Which calls of host code are inlined --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_INLINING_INLINING_H
#define GPULTO_IPA_INLINING_INLINING_H

#include "ipa/callers/Callers.h"

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace gpulto {

/// What becomes of a call, and why. Written as a number: append only.
enum class InlineVerdict : uint8_t {
  Undecided,
  Inlined,
  TooLarge,
  Cold,
  ForSize,
  Recursive,
  CallerFull,
  ModuleFull,
  LittleGain,
  StackFull,
  Folded,
  Weak,
  Redefined,
  NoInline,
  NoInlineSite,
  NotOptimized,
  VariableArguments,
  Naked,
  ReturnsTwice,
  AssemblyLabels,
  ComputedGoto,
  OtherOptions,
  Last = OtherOptions
};

/// A call of a host function, with its estimates and decision.
struct InlineOutcome {
  GlobalId caller = kNone, callee = kNone;
  SourcePlace place;
  InlineVerdict verdict = InlineVerdict::Undecided;
  bool isOnlyUse = false; ///< nothing else uses the callee
  bool isForced = false;  ///< alwaysinline
  /// Executions per entry of the caller, in 1/256.
  uint32_t frequency = 256;
  /// Instructions of time that each execution saves, and how many of them a
  /// constant argument saves.
  uint64_t saved = 0;
  uint32_t constantGain = 0;
  /// Instructions by which the program grows, at the time of the decision, and
  /// by which it may grow.
  int64_t growth = 0;
  uint64_t allowed = 0;
  /// For a recursive call that is inlined: how often, and how deep.
  uint32_t copies = 0, depth = 0;
  bool operator==(const InlineOutcome &) const = default;

  bool isInlined() const { return verdict == InlineVerdict::Inlined; }
  /// Returns whether it was weighed, that is, nothing forbids it.
  bool isWeighed() const { return verdict < InlineVerdict::Folded; }
};

/// Returns the premise that \p verdict finds missing in a call that stays; "it"
/// is the callee.
llvm::StringRef reasonOf(InlineVerdict verdict);

/// Returns the reason for \p outcome, as the end of a sentence.
std::string describe(const InlineOutcome &outcome);

/// Decides which direct calls of host functions are inlined, with remarks of
/// gpulto-inlining: Decisions::inlinedCalls, inlined and recursions. Returns
/// the outcomes of calls between modules and of recursive calls, by caller.
/// Needs the plans of bodies. Deterministic; near linear in calls of small
/// functions.
std::vector<InlineOutcome> chooseInlining(WpaContext &context,
                                          const Callers &callers);

} // namespace gpulto

#endif
