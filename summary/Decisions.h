//===- Decisions.h - What WPA decided, for LTRANS to carry out --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The only output of whole-program analysis for LTRANS. Passes write their
// results here and later ones read them here; there is no side channel.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_SUMMARY_DECISIONS_H
#define GPULTO_SUMMARY_DECISIONS_H

#include "summary/Facts.h"
#include "summary/Ids.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <iterator>
#include <vector>

namespace gpulto {

/// The visibility of a symbol that a partition defines.
enum class FinalLinkage : uint8_t {
  /// Only this partition: internal.
  Internal,
  /// Other partitions of this link: external, hidden. A local symbol gets the
  /// module's tag as suffix (promotion).
  Hidden,
  /// As the source said: native objects or other programs may use it.
  Preserved,
  /// As Preserved, but the linker redefines the name (--wrap): uses must not
  /// rely on this body, so it becomes weak.
  Redefined,
  Last = Redefined
};

inline constexpr const char *kFinalLinkageNames[] = {"internal", "hidden",
                                                     "preserved", "redefined"};
static_assert(std::size(kFinalLinkageNames) == size_t(FinalLinkage::Last) + 1);

/// A direct call of a host function whose callee is to be inlined, in each copy
/// of the caller's body.
struct InlinedCall {
  /// Position among the calls of the function's summary.
  uint32_t call = 0;
  /// The called definition.
  GlobalId callee = kNone;
  /// Nothing else uses the callee, so it needs no code of its own.
  bool isOnlyUse = false;
  bool operator==(const InlinedCall &) const = default;
};

/// RecursiveCall::chance of a call that runs once per entry.
inline constexpr uint64_t kCertainCall = 1024;

/// A recursive call at which a host function is inlined into itself.
struct RecursiveCall {
  /// Position among the calls of the function's summary.
  uint32_t call = 0;
  /// Executions per entry, in 1/kCertainCall; at most one.
  uint32_t chance = 0;
  bool operator==(const RecursiveCall &) const = default;
};

template <typename A> void transfer(A &a, RecursiveCall &c) {
  a.field("call", c.call);
  a.field("chance", c.chance);
}

/// How often a host function is inlined into itself: \c copies times, the
/// likeliest calls first, no deeper than \c depth.
struct RecursiveInlining {
  uint32_t copies = 0;
  uint32_t depth = 0;
  std::vector<RecursiveCall> calls{}; // ascending
  bool operator==(const RecursiveInlining &) const = default;
};

template <typename A> void transfer(A &a, RecursiveInlining &r) {
  a.field("copies", r.copies);
  a.field("depth", r.depth);
  a.field("calls", r.calls);
}

/// What is known of a copy between host and device, of a fill or of a wait: of
/// one call in the program, however often it is entered.
enum class TransferVerdict : uint8_t {
  /// It stays.
  Needed,
  /// What it would write is there already, always or in all rounds of a loop
  /// but the first.
  Redundant,
  FirstRound,
  /// The same as FirstRound, if it copies what it copied last: that is tested.
  Asked,
  /// Nobody reads what it writes.
  Dead,
  /// A variable of the device has these bytes from the start.
  Once,
  /// Nobody reads what it writes in any round of a loop but the last.
  LastRound,
  /// A call that only waits, or a copy that waits longer than it has to: what
  /// comes next waits for the same, or nobody needs it before host code has
  /// done other things.
  WaitNeedless,
  WaitMovable,
  Last = WaitMovable
};

/// Whether \p verdict is one of a wait, not of a copy.
inline bool isOfWait(TransferVerdict verdict) {
  return verdict == TransferVerdict::WaitNeedless ||
         verdict == TransferVerdict::WaitMovable;
}

struct TransferRow {
  /// The function that copies, and the position of the call in it.
  GlobalId function = kNone;
  uint32_t call = 0;
  TransferVerdict verdict = TransferVerdict::Needed;
  /// Why, as a sentence.
  std::string reason;
  bool operator==(const TransferRow &) const = default;
};

/// Decisions over the whole program, indexed by GlobalId.
struct Decisions {
  /// Definitions that the output needs.
  llvm::BitVector live;
  /// Live definitions that something outside the bitcode can name. They keep
  /// their names and linkage.
  llvm::BitVector visibleOutside;
  /// What is decided of functions, if their calls enter the definition of this
  /// link. Looked up only, never iterated.
  llvm::DenseMap<GlobalId, FunctionDecisions> functions{};
  /// Live variables that keep the value of their initializer, and those whose
  /// value nobody reads; nothing outside the bitcode can tell.
  llvm::BitVector neverWritten{};
  llvm::BitVector neverRead{};
  /// Variables whose only values are those of their initializers and those in
  /// FunctionSummary::variableStores.
  llvm::BitVector plainlyWritten{};
  /// Variables of the device of which bytes are known whenever anything reads
  /// them, by offset. Those that are among neverWritten have these from the
  /// start, instead of what their initializers say. Looked up only, never
  /// iterated.
  llvm::DenseMap<GlobalId, std::vector<KnownBytes>> knownBytes{};
  /// Plans for a function's bodies, by clone number, if any. Looked up only,
  /// never iterated.
  llvm::DenseMap<GlobalId, std::vector<BodyPlan>> plans{};
  /// Copies and fills, in the order of the program.
  std::vector<TransferRow> transfers{};
  /// For host functions and their clones. Looked up only, never iterated.
  llvm::DenseMap<GlobalId, std::vector<SignatureChange>> signatures{};

  /// Calls to be inlined, by caller, in the order of its calls. Within a module
  /// LLVM's inliner decides again; these say which bodies it needs.
  std::vector<InlinedCall> inlinedCalls{};
  /// By GlobalId: where the calls of a caller begin; the last element is the
  /// end. Empty if there are no calls.
  std::vector<uint32_t> firstInlinedCall{};
  /// Host functions that are inlined at some call.
  llvm::BitVector inlined{};
  /// Host functions that are inlined into themselves. Looked up only, never
  /// iterated.
  llvm::DenseMap<GlobalId, RecursiveInlining> recursions{};

  /// Returns the calls in \p id to be inlined.
  llvm::ArrayRef<InlinedCall> inlinedCallsOf(GlobalId id) const {
    if (firstInlinedCall.empty())
      return {};
    return llvm::ArrayRef(inlinedCalls)
        .slice(firstInlinedCall[id],
               firstInlinedCall[id + 1] - firstInlinedCall[id]);
  }
  bool isInlined(GlobalId id) const {
    return id < inlined.size() && inlined.test(id);
  }
  /// Returns what is decided of the function \p id, or null if nothing is; \p
  /// id may be kNone.
  const FunctionDecisions *decisionsOf(GlobalId id) const {
    auto found = id == kNone ? functions.end() : functions.find(id);
    return found == functions.end() ? nullptr : &found->second;
  }
  /// Returns what the function \p id does, callees included, or null if
  /// unknown; \p id may be kNone.
  const FunctionEffects *effectsOf(GlobalId id) const {
    const FunctionDecisions *known = decisionsOf(id);
    return known && known->effects ? &*known->effects : nullptr;
  }
  Coldness coldnessOf(GlobalId id) const {
    const FunctionDecisions *known = decisionsOf(id);
    return known ? known->coldness : Coldness::Normal;
  }
  bool isCold(GlobalId id) const { return coldnessOf(id) == Coldness::Cold; }
  bool isNeverWritten(GlobalId id) const {
    return id < neverWritten.size() && neverWritten.test(id);
  }
  llvm::ArrayRef<KnownBytes> knownBytesOf(GlobalId id) const {
    auto found = knownBytes.find(id);
    return found == knownBytes.end() ? llvm::ArrayRef<KnownBytes>()
                                     : llvm::ArrayRef(found->second);
  }
  bool isPlainlyWritten(GlobalId id) const {
    return id < plainlyWritten.size() && plainlyWritten.test(id);
  }
  bool isNeverRead(GlobalId id) const {
    return id < neverRead.size() && neverRead.test(id);
  }
  /// Returns how the signatures of \p id and its clones change.
  llvm::ArrayRef<SignatureChange> signaturesOf(GlobalId id) const {
    auto found = signatures.find(id);
    return found == signatures.end() ? llvm::ArrayRef<SignatureChange>()
                                     : llvm::ArrayRef(found->second);
  }
  /// Returns the plans for \p id, the definition and its clones.
  llvm::ArrayRef<BodyPlan> plansOf(GlobalId id) const {
    auto found = plans.find(id);
    return found == plans.end() ? llvm::ArrayRef<BodyPlan>()
                                : llvm::ArrayRef(found->second);
  }
};

} // namespace gpulto

#endif
