//===- Effects.h - What a body may do to memory and control -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_SUMMARY_EFFECTS_H
#define GPULTO_SUMMARY_EFFECTS_H

#include "summary/Record.h"

#include <cstdint>

namespace gpulto {

/// What a body may do to memory beyond its own stack, one bit each for read and
/// write, and to control, as its callers must take it: what orders accesses of
/// other threads reads and writes other memory, too. Callees are not included:
/// WPA adds them.
enum MemoryEffect : uint32_t {
  kReadsArguments = 1u << 0,
  kWritesArguments = 1u << 1,
  kReadsGlobals = 1u << 2,
  kWritesGlobals = 1u << 3,
  kReadsOther = 1u << 4,
  kWritesOther = 1u << 5,
  kReadsInaccessible = 1u << 6,
  kWritesInaccessible = 1u << 7,
  kSynchronizes = 1u << 8,
  /// Throws, or passes on what a callee throws.
  kUnwinds = 1u << 9,
  /// Has a loop that may not end, or an instruction that may not come back.
  kMayNotReturn = 1u << 10,
  /// Frees memory, or runs assembly that may.
  kFrees = 1u << 11,
  /// The language lets it not loop for ever without an effect.
  kMustProgress = 1u << 12,
  /// Itself stores to memory that kWritesOther is about: that is not only of
  /// barriers and fences, which let other threads' stores be seen.
  kStoresOther = 1u << 13,
  /// A body with FunctionSummary::members: as kStoresOther, but not only
  /// through these.
  kStoresElsewhere = 1u << 14,
  /// Itself loads from memory that kReadsOther is about.
  kLoadsOther = 1u << 15,
};

inline constexpr FlagName kMemoryEffectNames[] = {
    {kReadsArguments, "reads_arguments"},
    {kWritesArguments, "writes_arguments"},
    {kReadsGlobals, "reads_globals"},
    {kWritesGlobals, "writes_globals"},
    {kReadsOther, "reads_other"},
    {kWritesOther, "writes_other"},
    {kReadsInaccessible, "reads_inaccessible"},
    {kWritesInaccessible, "writes_inaccessible"},
    {kSynchronizes, "synchronizes"},
    {kUnwinds, "unwinds"},
    {kMayNotReturn, "may_not_return"},
    {kFrees, "frees"},
    {kMustProgress, "mustprogress"},
    {kStoresOther, "stores_other"},
    {kStoresElsewhere, "stores_elsewhere"},
    {kLoadsOther, "loads_other"},
};

} // namespace gpulto

#endif
