//===- ValueLattice.h - What is known of a value, by contexts ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// One element of the lattice of interprocedural constant propagation:
//
//   Top        no context seen yet
//   Constant   the same bits in every context
//   Symbol     the same symbol's address plus the same offset in every context
//   Allocation into the memory that the same call of the same body allocated,
//              or null; as far as known, in the same calls of that body
//   Varying    differs; bits, bounds and pointer facts may still hold
//
// An element goes down only. Bounds would go down for long, so after
// kMaxWidenings steps they are given up; everything else has few steps.
//
// Source: D. Callahan, K. D. Cooper, K. Kennedy, L. Torczon, "Interprocedural
// Constant Propagation", SIGPLAN 1986; known bits and ranges as in GCC's ipa-cp
// (ipcp_bits_lattice, ipcp_vr_lattice).
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_CONSTANTS_VALUELATTICE_H
#define GPULTO_IPA_CONSTANTS_VALUELATTICE_H

#include "summary/CombinedSummary.h"
#include "summary/JumpFunction.h"

#include "llvm/ADT/Hashing.h"

#include <optional>

namespace llvm {
struct KnownBits;
} // namespace llvm

namespace gpulto {

/// The calls by which the body that allocates was entered, the inner first: a
/// constructor allocates other memory in each of its calls. A plain value; what
/// is not known is at the end.
class EnteringCalls {
public:
  /// None is known.
  EnteringCalls() = default;
  /// Returns by which calls a body is entered that call \p number of \p caller
  /// enters, which itself was entered by these.
  EnteringCalls followedBy(GlobalId caller, uint32_t number) const;
  /// Returns the calls that both have, from the inner one on.
  EnteringCalls common(EnteringCalls other) const;
  /// Whether nothing is entered by both: a call that both know differs.
  bool areApart(EnteringCalls other) const;

  bool operator==(const EnteringCalls &) const = default;
  friend llvm::hash_code hash_value(const EnteringCalls &calls) {
    return llvm::hash_combine(calls.inner, calls.outer);
  }

private:
  friend class ValueLattice;
  EnteringCalls(uint64_t inner, uint64_t outer) : inner(inner), outer(outer) {}
  /// Caller plus 1, number; 0: not known. More calls are not told apart.
  uint64_t inner = 0, outer = 0;
};

/// A lattice element. A plain value.
class ValueLattice {
public:
  enum class State : uint8_t { Top, Constant, Symbol, Allocation, Varying };

  /// Top.
  ValueLattice() = default;
  /// Nothing is known; \p width in bits, 0 for pointers and the unknown.
  static ValueLattice varying(unsigned width = 0);
  static ValueLattice constant(uint64_t bits, unsigned width);
  /// The address of the definition \p symbol plus \p offset bytes.
  static ValueLattice address(GlobalId symbol, uint64_t offset);

  /// Into the memory that call \p number of the function \p caller allocates,
  /// when that was entered by \p entered.
  static ValueLattice allocation(GlobalId caller, uint32_t number,
                                 EnteringCalls entered = EnteringCalls());

  State state() const { return current; }
  bool isTop() const { return current == State::Top; }
  bool isConstant() const { return current == State::Constant; }
  /// Bits; 0 for pointers.
  unsigned width() const { return bitWidth; }
  /// Constant: its bits. Symbol: the offset in bytes. Allocation: the call.
  uint64_t value() const { return bits; }
  /// Symbol: the definition. Allocation: the function that calls.
  GlobalId symbol() const { return target; }
  /// Allocation: how the function that calls was entered.
  EnteringCalls entered() const {
    return current == State::Allocation ? EnteringCalls(zeros, ones)
                                        : EnteringCalls();
  }
  /// Unsigned bounds, both inclusive, and bits known to be 0 and 1. Meaningful
  /// for widths of 1 to 64 below Top.
  uint64_t low() const { return lowest; }
  uint64_t high() const { return highest; }
  uint64_t knownZeros() const { return isScalar() ? zeros : 0; }
  uint64_t knownOnes() const { return isScalar() ? ones : 0; }
  /// Pointers: log2 of the proven alignment, the address space pointed into (0:
  /// not known), whether it cannot be null.
  unsigned alignLog2() const { return align; }
  unsigned addressSpace() const { return space; }
  bool isNonNull() const { return nonNull; }
  /// Pointers: how many bytes from there on are known to be memory, as long as
  /// a kernel that got the pointer runs.
  uint64_t dereferenceableBytes() const { return lasting; }
  /// Whether anything at all is known below Top.
  bool hasFacts() const;

  /// Lowers this element to what holds for \p other too. Returns whether it
  /// changed.
  bool meet(const ValueLattice &other);
  /// Adds the facts of \p site, which hold in every context of it.
  void addFacts(const JumpFunction &site);
  /// Says that the pointer is not null and leads to \p bytes bytes, at least
  /// one, that last; see dereferenceableBytes().
  void addLasting(uint64_t bytes) {
    lasting = bytes;
    nonNull = true;
  }
  /// Lowers a symbol's address to a pointer with nothing but its alignment.
  void forgetSymbol();
  /// Takes known bits and bounds into account that each imply of the other.
  void reconcile();

  /// Returns what `formal OPERATION operand` of the pass-through, ancestor or
  /// composed jump function \p function is when its formal parameter, or what
  /// it is composed of, is \p formal.
  static ValueLattice passThrough(const JumpFunction &function,
                                  const ValueLattice &formal);

  /// Returns what `left OPERATION right` of the composed jump function
  /// \p function is.
  static ValueLattice combine(const JumpFunction &function,
                              const ValueLattice &left,
                              const ValueLattice &right);

  bool operator==(const ValueLattice &) const = default;

private:
  static constexpr uint8_t kMaxWidenings = 8;

  bool isNull() const {
    return current == State::Constant && bitWidth == 0 && bits == 0;
  }
  /// Unsigned, both inclusive.
  struct Bounds {
    uint64_t low = 0;
    uint64_t high = 0;
  };
  static std::optional<Bounds> applyToBounds(const JumpFunction &function,
                                             Bounds left, Bounds right);
  static ValueLattice derivedPointer(const JumpFunction &function,
                                     const ValueLattice &base);
  void setKnown(const llvm::KnownBits &known, std::optional<Bounds> bounds);
  bool isScalar() const { return bitWidth >= 1 && bitWidth <= 64; }
  void setUnknown();
  void setEntered(EnteringCalls entered);
  void makeVarying();
  void addBounds(const JumpFunction &site);

  State current = State::Top;
  uint8_t align = 0;
  uint8_t space = 0;
  bool nonNull = false;
  uint8_t widenings = 0;
  uint16_t bitWidth = 0;
  GlobalId target = kNone;
  uint64_t bits = 0;
  /// Known bits; of an allocation, which has none, the calls of entered().
  uint64_t zeros = 0, ones = 0;
  uint64_t lowest = 0, highest = 0;
  uint64_t lasting = 0;
};

} // namespace gpulto

#endif
