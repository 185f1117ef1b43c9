//===- Calls.h - Calls and other uses of symbols ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_SUMMARY_CALLS_H
#define GPULTO_SUMMARY_CALLS_H

#include "summary/Record.h"

#include <cstdint>
#include <tuple>

namespace gpulto {

/// A word of CallFlags.
using CallFlags = uint32_t;

/// What a call site says of itself.
enum CallFlag : CallFlags {
  kTailCall = 1u << 0,
  kMustTail = 1u << 1,
  kInvoke = 1u << 2,
  kNoInlineSite = 1u << 3,
  kAlwaysInlineSite = 1u << 4,
  kConvergentSite = 1u << 5,
  /// Runs seldom: an attribute says so, or it is in a block that does
  /// (ipa/coldness/ColdnessAnalyze).
  kColdSite = 1u << 6,
  /// What attributes promise of this call whoever the callee is: it does not
  /// unwind, it comes back, it does not synchronize, it frees nothing.
  kNoUnwindSite = 1u << 7,
  kWillReturnSite = 1u << 8,
  kNoSyncSite = 1u << 9,
  kNoFreeSite = 1u << 10,
  /// Attributes say what memory the call touches, and the caller's own effects
  /// include it.
  kKnownMemorySite = 1u << 11,
  /// No pointer argument is written through or kept.
  kReadsArgumentsSite = 1u << 12,
  /// Runs whenever the function is entered, unless something before it does not
  /// come back.
  kAlwaysReachedSite = 1u << 13,
  /// In a loop of the caller.
  kLoopSite = 1u << 14,
  /// Nobody uses what the callee returns, which is not void.
  kIgnoresResultSite = 1u << 15,
};

inline constexpr FlagName kCallFlagNames[] = {
    {kTailCall, "tail"},
    {kMustTail, "musttail"},
    {kInvoke, "invoke"},
    {kNoInlineSite, "noinline"},
    {kAlwaysInlineSite, "alwaysinline"},
    {kConvergentSite, "convergent"},
    {kColdSite, "cold"},
    {kNoUnwindSite, "nounwind"},
    {kWillReturnSite, "willreturn"},
    {kNoSyncSite, "nosync"},
    {kNoFreeSite, "nofree"},
    {kKnownMemorySite, "known_memory"},
    {kReadsArgumentsSite, "reads_arguments"},
    {kAlwaysReachedSite, "always_reached"},
    {kLoopSite, "loop"},
    {kIgnoresResultSite, "ignores_result"},
};

struct CallEdge {
  /// Symbol called, or kNone for an indirect call.
  SymbolIndex callee = kNone;
  CallFlags flags = 0;
  /// Executions per entry of the caller, in 1/256 (256: once); LGEN keeps three
  /// significant bits.
  uint32_t frequency = 256;
  /// Jump functions of the arguments, in ModuleSummary::jumpFunctions. Trailing
  /// Unknown ones are dropped.
  Range arguments;
  SourcePlace place;
  bool operator==(const CallEdge &) const = default;
};

template <typename V> void describe(V &v, CallEdge &c) {
  v.symbol("", c.callee, true);
  v.place(c.place);
  v.template interned<Shape::Call>(std::tie(c.flags, c.frequency),
                                   [&](auto &v) {
                                     v.frequency("freq", c.frequency);
                                     v.flags("", c.flags, kCallFlagNames);
                                   });
  v.jumps("args", c.arguments);
}

/// A word of ReferenceFlags.
using ReferenceFlags = uint16_t;

/// How a body uses a symbol other than by calling it.
enum ReferenceFlag : ReferenceFlags {
  kReads = 1u << 0,
  kWrites = 1u << 1,
  /// The address escapes from a plain load, store or call.
  kTakesAddress = 1u << 2,
  /// A kernel's handle is given to a function of the runtime that reads, or
  /// sets, attributes of the kernel, and keeps nothing. Sets: this handle is
  /// none that another kernel may have.
  kQueriesHandle = 1u << 3,
  kSetsHandle = 1u << 4,
  /// A function's address goes to launches as their handle, to arguments of
  /// direct calls, to variables, to callers and to where callees do not look,
  /// as LaunchSite::handles, jump functions and FunctionSummary::handleFlows
  /// tell.
  kPassesHandle = 1u << 5,
  /// Reads of a variable yield more than what kPassesHandle allows, or what is
  /// HandleTarget::Beside.
  kReadsValue = 1u << 6,
  /// Not all that is written to a variable is among
  /// FunctionSummary::variableStores.
  kWritesUnknown = 1u << 7,
  /// Host: a variable of the device is named, by its symbol, to a function of
  /// the runtime that copies to or from it, and keeps nothing.
  kNamesVariable = 1u << 8,
};

inline constexpr FlagName kReferenceFlagNames[] = {
    {kReads, "reads"},          {kWrites, "writes"},
    {kTakesAddress, "address"}, {kQueriesHandle, "queries"},
    {kSetsHandle, "sets"},      {kPassesHandle, "passes"},
    {kReadsValue, "value"},     {kWritesUnknown, "writes_unknown"},
    {kNamesVariable, "names"}};

struct ReferenceEdge {
  SymbolIndex symbol = kNone;
  ReferenceFlags flags = 0;
  bool operator==(const ReferenceEdge &) const = default;
};

template <typename V> void describe(V &v, ReferenceEdge &r) {
  v.nearSymbol("", r.symbol);
  v.flags("", r.flags, kReferenceFlagNames);
}
} // namespace gpulto

#endif
