//===- InlineCalls.h - Calls that may be inlined, estimated -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What ipa/InliningPropagate.cpp chooses from: the direct calls between host
// functions, with what each would save and cost.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_INLINECALLS_H
#define GPULTO_IPA_INLINECALLS_H

#include "ipa/Inlining.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <deque>

namespace gpulto {

struct InlineBody;

/// A call, and what is known of it.
struct InlineEdge {
  InlineBody *caller = nullptr;
  InlineBody *callee = nullptr;
  uint32_t number = 0;    ///< among the caller's calls
  uint32_t callSize = 0;  ///< instructions that go with the call
  bool isForeign = false; ///< the callee is of another module
  /// While it is not decided, the verdict is Undecided, or the reason for which
  /// it may not make the program larger.
  InlineOutcome outcome;
  /// When it was decided: what it was compared by.
  uint64_t merit = 0;
};

/// A function, as its callers will see it.
struct InlineBody {
  GlobalId id = kNone;
  ModuleIndex module = 0;
  uint64_t ownSize = 0, size = 0; ///< IR instructions, and when inlined into
  uint64_t time = 0;              ///< IR instructions for each entry
  uint32_t component = 0;
  /// Calls that may be inlined, and their callees.
  llvm::SmallVector<InlineEdge *, 0> edges;
  llvm::SmallVector<InlineBody *, 0> callees;
  /// Its calls of itself that may be inlined.
  llvm::SmallVector<InlineEdge *, 0> selfCalls;
  uint32_t stackBytes = 0;
  /// Callers of its component that inlined it, and what of its component it
  /// has inlined.
  llvm::SmallVector<InlineBody *, 0> carriers, inlined;
};

/// The functions and calls of a program. Addresses stay.
struct InlineGraph {
  std::deque<InlineBody> bodies; ///< ascending ids
  std::deque<InlineEdge> edges;  ///< by caller, by number
};

/// Returns the direct calls of host functions. Of those that may not be inlined
/// whatever they save, only calls between modules are there, and in no body's
/// list.
InlineGraph collectInlineCalls(const WpaContext &context,
                               const Callers &callers);

/// Decides how often \p body, which has calls of itself, is inlined into
/// itself; its size and the verdicts of these calls say it, too.
RecursiveInlining decideRecursion(InlineBody &body, const Params &params);

/// Gives remarks on \p outcomes.
void explainInlining(const WpaContext &context,
                     llvm::ArrayRef<InlineOutcome> outcomes);

} // namespace gpulto

#endif
