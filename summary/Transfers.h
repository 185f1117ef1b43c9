//===- Transfers.h - What host code does around copies ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The control flow of a host function, reduced to what copies between host and
// device depend on: its calls, in order, and its own accesses to memory. WPA
// puts these together over calls (ipa/transfers/README.md).
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_SUMMARY_TRANSFERS_H
#define GPULTO_SUMMARY_TRANSFERS_H

#include "summary/JumpFunction.h"
#include "summary/Record.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

namespace gpulto {

enum class TransferValueKind : uint8_t {
  /// What the jump function says. If that is Unknown, a value that is computed
  /// anew whenever its block begins.
  Plain,
  /// What is in memory \c number bytes behind the pointer \c base.
  Load,
  /// The pointer \c base plus \c number bytes.
  Offset,
  /// \c base and \c other, or the constant \c number, combined.
  Operation,
  /// The address of one of the function's own variables.
  Local,
  /// The pointer that the allocating call which the jump function names left,
  /// and that runs no more than once.
  Allocated,
  Last = Allocated
};

inline constexpr const char *kTransferValueNames[] = {
    "plain", "load", "offset", "operation", "local", "allocated"};
static_assert(std::size(kTransferValueNames) ==
              size_t(TransferValueKind::Last) + 1);

/// A pointer or a size that an event names. Equal numbers are equal values, as
/// long as neither the block of one that it is made of begins again nor memory
/// that it is loaded from is written.
struct TransferValue {
  TransferValueKind kind = TransferValueKind::Plain;
  JumpOperation operation = JumpOperation::None;
  /// Bits; 0 for a pointer.
  uint16_t bitWidth = 0;
  /// Operation: where it wraps as a signed number, nobody may use it.
  bool isExact = false;
  /// Earlier values of the function; see TransferValueKind.
  uint32_t base = kNone;
  uint32_t other = kNone;
  uint64_t number = 0;
  /// Of what memory a pointer is, or what a number is. The distance of a
  /// pointer from the beginning of an Allocation is not known, but for
  /// Allocated.
  JumpFunction function;
  /// Plain: the block that computes it; kNone: it is the same in all of the
  /// function.
  uint32_t block = kNone;
  bool operator==(const TransferValue &) const = default;
};

template <typename V> void describe(V &v, TransferValue &t) {
  v.enumerator("", t.kind, kTransferValueNames);
  v.number("bits", t.bitWidth);
  v.jump("", t.function);
  switch (t.kind) {
  case TransferValueKind::Plain:
    v.numberOrNone("block", t.block);
    break;
  case TransferValueKind::Local:
  case TransferValueKind::Allocated:
    break;
  case TransferValueKind::Operation:
    v.enumerator("", t.operation, kJumpOperationNames);
    v.numberOrNone("with", t.other);
    v.boolean("exact", t.isExact);
    [[fallthrough]];
  case TransferValueKind::Load:
  case TransferValueKind::Offset:
    v.number("of", t.base);
    v.number("by", t.number);
    break;
  }
}

/// What is done with the memory that an operand leads to, and with the pointer;
/// what is known of a number.
enum TransferAccess : uint8_t {
  kTransferReads = 1u << 0,
  kTransferWrites = 1u << 1,
  kTransferKeeps = 1u << 2,
  /// Plain accesses: the memory is new, or was that of nobody before.
  kTransferBegins = 1u << 3,
  /// Copies: by their direction, the memory is the host's.
  kTransferOnHost = 1u << 4,
  /// Launches, behind the arguments: no pointers but the numbers of blocks, and
  /// of threads of a block, in x. Only if no other part of the configuration
  /// can make the launch fail.
  kTransferGrid = 1u << 5,
  /// Numbers: none of the sums and products that the function makes it of has
  /// wrapped as a signed number when the event happens.
  kTransferExact = 1u << 6,
  kTransferBlock = 1u << 7,
};

inline constexpr FlagName kTransferAccessNames[] = {
    {kTransferReads, "reads"},    {kTransferWrites, "writes"},
    {kTransferKeeps, "keeps"},    {kTransferBegins, "begins"},
    {kTransferOnHost, "on_host"}, {kTransferGrid, "grid"},
    {kTransferExact, "exact"},    {kTransferBlock, "block"}};

/// An operand of an event: one of the function's values. Without a value it is
/// a pointer of which nothing is known or, if nothing is done with it,
/// anything.
struct TransferOperand {
  uint32_t value = kNone;
  uint8_t access = 0;
  /// Plain accesses: what is read is among the first so many bytes from where
  /// the pointer points; 0: anywhere.
  uint32_t readBytes = 0;
  bool operator==(const TransferOperand &) const = default;

  /// Adds an access through the same pointer.
  void add(uint8_t another, uint32_t anotherReadBytes) {
    bool isFirst = !(access & kTransferReads);
    bool isKnown = anotherReadBytes && (isFirst || readBytes);
    if (another & kTransferReads)
      readBytes = isKnown ? std::max(readBytes, anotherReadBytes) : 0;
    access |= another;
  }
};

enum class TransferEventKind : uint8_t {
  /// A basic block begins: \c targets are how many events behind this one those
  /// are that begin its successors.
  Block,
  /// Call \c call of the function; an operand for each argument, trailing ones
  /// that do not matter left out. What a callee without a body in this program
  /// does is in the operands' access.
  Call,
  /// Plain accesses through pointers, in any order and number.
  Access,
  /// Anything may be read and written.
  Unknown,
  /// The pointers become known to code that no event describes, at any time.
  Keeps,
  /// Call \c call, which was the last of its kind, has returned 0.
  Succeeded,
  Last = Succeeded
};

inline constexpr const char *kTransferEventNames[] = {
    "block", "call", "access", "unknown", "keeps", "succeeded"};
static_assert(std::size(kTransferEventNames) ==
              size_t(TransferEventKind::Last) + 1);

/// What is behind a basic block.
enum class TransferEnd : uint8_t {
  GoesOn,  ///< other blocks
  Returns, ///< the caller
  Unwinds, ///< who catches
  Stops,   ///< nothing
  Last = Stops
};

inline constexpr const char *kTransferEndNames[] = {"goes_on", "returns",
                                                    "unwinds", "stops"};
static_assert(std::size(kTransferEndNames) == size_t(TransferEnd::Last) + 1);

/// At most so many events and values describe a function; others are unknown.
constexpr uint32_t kMaxTransferEvents = 1024, kMaxTransferOperands = 255;

struct TransferEvent {
  TransferEventKind kind = TransferEventKind::Block;
  uint32_t call = kNone;
  /// Access and Unknown, if they write: in which stretch of the function. That
  /// is what a block does between two calls of the summary; they are numbered
  /// in the order of the function (ipa/transfers/Stretches.h).
  uint32_t stretch = kNone;
  std::vector<TransferOperand> operands;
  std::vector<int32_t> targets;
  /// Blocks: the innermost loop around it, from 1; 0: none.
  uint32_t loop = 0;
  /// The first block: of each loop of the function the loop around it, or 0.
  std::vector<uint32_t> parents;
  TransferEnd end = TransferEnd::GoesOn;
  bool operator==(const TransferEvent &) const = default;
};

/// Whether what \p event does itself may write memory.
inline bool writes(const TransferEvent &event) {
  return event.kind == TransferEventKind::Unknown ||
         (event.kind == TransferEventKind::Access &&
          std::any_of(event.operands.begin(), event.operands.end(),
                      [](const TransferOperand &operand) {
                        return operand.access & kTransferWrites;
                      }));
}

template <typename V> void describe(V &v, TransferEvent &e) {
  using Kind = TransferEventKind;
  v.enumerator("", e.kind, kTransferEventNames);
  auto target = [](auto &v, int32_t &value) { v.signedNumber("to", value); };
  auto parent = [](auto &v, uint32_t &value) { v.number("in", value); };
  if (e.kind == Kind::Block) {
    v.enumerator("", e.end, kTransferEndNames);
    v.list("to", e.targets, kMaxTransferEvents, target);
    v.number("loop", e.loop);
    v.list("parents", e.parents, kMaxTransferEvents, parent);
    return;
  }
  if (e.kind == Kind::Call || e.kind == Kind::Succeeded)
    v.nearCall("", e.call);
  v.list("operands", e.operands, kMaxTransferOperands,
         [&e](auto &v, TransferOperand &operand) {
           v.nearNumberOrNone("value", operand.value);
           v.flags("", operand.access, kTransferAccessNames);
           if (e.kind == Kind::Access && operand.access & kTransferReads)
             v.number("first", operand.readBytes);
         });
  if (writes(e))
    v.number("stretch", e.stretch);
}

/// Elements that a kernel writes whatever it reads, of \c elementBytes each,
/// side by side from where a pointer parameter points: the threads with index i
/// = blockIdx.x * \c block + threadIdx.x, where 0 stands for blockDim.x, write
/// element i.
struct KernelOverwrite {
  uint32_t parameter = 0;
  uint32_t elementBytes = 0;
  uint32_t block = 0;
  /// Of the index: beyond them it is another one.
  uint16_t indexBits = 0;
  /// Each thread writes those that are whole grids behind its own, too.
  bool isAnyGrid = false;
  /// Only elements below parameter \c count or, if that is kNone, \c number, in
  /// a signed or unsigned comparison.
  bool isGuarded = false;
  bool isSigned = false;
  uint32_t count = kNone;
  uint64_t number = 0;
  bool operator==(const KernelOverwrite &) const = default;
};

template <typename V> void describe(V &v, KernelOverwrite &o) {
  v.formal("of", o.parameter);
  v.number("element", o.elementBytes);
  v.number("block", o.block);
  v.number("bits", o.indexBits);
  v.boolean("any_grid", o.isAnyGrid);
  v.boolean("guarded", o.isGuarded);
  v.boolean("signed", o.isSigned);
  v.numberOrNone("below", o.count);
  v.number("below", o.number);
  constexpr unsigned kMaxBits = 64;
  v.check(o.elementBytes && o.indexBits <= kMaxBits,
          "elements of no size, or numbered in too many bits");
}

/// What is in the memory that call \c call of the function, a copy to the
/// symbol of a variable of the device, comes from. Known parts, from where the
/// copy begins, as an Aggregate; they may be more than it copies.
struct SymbolSource {
  uint32_t call = kNone;
  JumpFunction contents;
  bool operator==(const SymbolSource &) const = default;
};

template <typename V> void describe(V &v, SymbolSource &s) {
  v.call("", s.call);
  v.jump("", s.contents);
}

} // namespace gpulto

#endif
