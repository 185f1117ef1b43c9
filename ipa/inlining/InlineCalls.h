//===- InlineCalls.h - Calls that may be inlined, estimated -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The direct calls between host functions, with what inlining each would save
// and cost; ipa/inlining/InliningPropagate.cpp chooses among them.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_INLINING_INLINECALLS_H
#define GPULTO_IPA_INLINING_INLINECALLS_H

#include "ipa/inlining/Inlining.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace gpulto {

struct InlineEdge;

/// A function, as its callers will see it.
struct InlineBody {
  GlobalId id = kNone;
  ModuleIndex module = 0;
  uint64_t ownSize = 0, size = 0; ///< IR instructions, then with inlined ones
  uint64_t time = 0;              ///< IR instructions for each entry
  uint32_t component = 0;
  uint32_t stackBytes = 0;
  uint32_t parameters = 0;
  /// Number of the set of module options that it must share with its callers.
  uint32_t codegen = 0;
  uint32_t uses = 0; ///< calls
  /// Why it may not be inlined, whatever it would save.
  InlineVerdict never = InlineVerdict::Undecided;
  bool isHost = false;    ///< a host definition, not a stub
  bool mayInline = false; ///< its own calls
  bool isForced = false, isCold = false, isForSize = false;
  bool isMarkedCold = false; ///< an attribute says so
  bool hasUnknownCallers = false;
  /// Calls that may be inlined, and their callees.
  llvm::ArrayRef<InlineEdge *> edges;
  llvm::MutableArrayRef<InlineBody *> callees;
  /// Callers in its component that inlined it, and functions of its component
  /// that it has inlined.
  llvm::SmallVector<InlineBody *, 0> carriers, inlined;
};

/// A call, and what is known of it.
struct InlineEdge {
  InlineBody *caller = nullptr;
  InlineBody *callee = nullptr;
  uint32_t number = 0; ///< among the caller's calls
  bool isOpen = false; ///< it may be inlined
  /// Until it is decided, the verdict is Undecided, or the reason why it may
  /// not make the program larger.
  InlineOutcome outcome;
  /// The merit by which it was compared when it was decided.
  uint64_t merit = 0;

  bool isForeign() const { return caller->module != callee->module; }
  bool isSelf() const { return caller == callee; }
  /// Returns the instructions of the call itself, which inlining removes.
  uint32_t callSize() const;
  /// Returns the instructions that the program grows by inlining it now.
  int64_t growth() const;
};

/// The functions and calls of a program. Addresses are stable.
struct InlineGraph {
  std::vector<InlineBody> bodies; ///< as Callers::bodies
  std::vector<InlineEdge> edges;  ///< by caller, by number
};

/// Returns the direct calls of host functions. Of calls that may not be inlined
/// whatever they save, or whose callees are too large, it has only those
/// between modules. Lists of bodies are empty.
InlineGraph collectInlineCalls(const WpaContext &context,
                               const Callers &callers);

/// Decides how often \p body, which has \p calls of itself, is inlined into
/// itself; updates its size and the verdicts of these calls.
RecursiveInlining decideRecursion(InlineBody &body,
                                  llvm::ArrayRef<InlineEdge *> calls,
                                  const Params &params);

/// Emits remarks on \p outcomes.
void explainInlining(const WpaContext &context,
                     llvm::ArrayRef<InlineOutcome> outcomes);

} // namespace gpulto

#endif
