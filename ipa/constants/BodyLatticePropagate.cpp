//===- BodyLatticePropagate.cpp - What is known of one body ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/constants/BodyLattice.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace gpulto {

/// Numbers in aggregates are kept in pieces of at most this size, if anything
/// is known of them.
static constexpr unsigned kPieceBits = 32;

/// Returns what is known of the 32 bits of \p pair, of 64, from \p first on.
static ValueLattice halfOf(const ValueLattice &pair, unsigned first) {
  JumpFunction shift = JumpFunction::passThrough(0, 2 * kPieceBits);
  shift.operation = JumpOperation::LShr;
  shift.value = first;
  JumpFunction half = JumpFunction::passThrough(0, kPieceBits);
  half.operation = JumpOperation::Trunc;
  return ValueLattice::passThrough(half,
                                   ValueLattice::passThrough(shift, pair));
}

/// Returns what is known of the 64 bits of which \p low and \p high, of 32, are
/// the halves.
static ValueLattice joinHalves(const ValueLattice &low,
                               const ValueLattice &high) {
  auto widened = [](const ValueLattice &half) {
    JumpFunction wide = JumpFunction::passThrough(0, 2 * kPieceBits);
    wide.operation = JumpOperation::ZExt;
    wide.value = kPieceBits;
    return ValueLattice::passThrough(wide, half);
  };
  JumpFunction shift = JumpFunction::passThrough(0, 2 * kPieceBits);
  shift.operation = JumpOperation::Shl;
  shift.value = kPieceBits;
  // No bit is in both, so a sum is the same, and has bounds.
  JumpFunction sum = JumpFunction::passThrough(0, 2 * kPieceBits);
  sum.operation = JumpOperation::Add;
  return ValueLattice::combine(
      sum, ValueLattice::passThrough(shift, widened(high)), widened(low));
}

ValueLattice readParts(ArrayRef<PartLattice> parts, uint64_t offset,
                       unsigned width) {
  constexpr unsigned kPointerBits = 2 * kPieceBits;
  auto at = [&](uint64_t byte, unsigned bits) -> const ValueLattice * {
    for (const PartLattice &part : parts)
      if (part.byteOffset == byte && part.value.width() == bits)
        return &part.value;
    return nullptr;
  };
  if (const ValueLattice *value = at(offset, width))
    return *value;
  const ValueLattice *low = at(offset, kPieceBits),
                     *high = at(offset + kPieceBits / 8, kPieceBits);
  if ((width != 0 && width != kPointerBits) || !(low || high))
    return ValueLattice::varying(width);
  ValueLattice unknown = ValueLattice::varying(kPieceBits);
  ValueLattice both = joinHalves(low ? *low : unknown, high ? *high : unknown);
  if (width != 0)
    return both;
  bool isNull = both.isConstant() && both.value() == 0;
  // Only null is known to be a pointer.
  return isNull ? ValueLattice::constant(0, 0) : ValueLattice::varying(0);
}

void addPart(std::vector<PartLattice> &parts, uint64_t offset,
             const ValueLattice &value) {
  auto add = [&](uint64_t at, const ValueLattice &part) {
    if (std::optional<PartOffset> place = PartOffset::of(at))
      parts.push_back({*place, part});
  };
  bool isPair = value.width() == 2 * kPieceBits && value.hasFacts();
  if (!isPair)
    return add(offset, value);
  add(offset, halfOf(value, 0));
  add(offset + kPieceBits / 8, halfOf(value, kPieceBits));
}

uint64_t bytesOf(unsigned width) {
  constexpr uint64_t kPointerBytes = 8;
  return width ? (width + 7) / 8 : kPointerBytes;
}

ParameterLattice unknownBytes() {
  ParameterLattice result;
  result.whole = ValueLattice::varying();
  result.hasParts = true;
  result.isPrivate = false;
  return result;
}

bool meetParts(ParameterLattice &known, const ParameterLattice &actual) {
  if (!actual.hasParts)
    return false;
  if (!known.hasParts) {
    known.parts = actual.parts;
    known.hasParts = true;
    return true;
  }
  bool changed = false;
  std::vector<PartLattice> kept;
  for (PartLattice &part : known.parts) {
    auto other = llvm::find_if(actual.parts, [&](const PartLattice &a) {
      return a.byteOffset == part.byteOffset &&
             a.value.width() == part.value.width();
    });
    if (other == actual.parts.end()) {
      changed = true;
      continue;
    }
    changed |= part.value.meet(other->value);
    kept.push_back(part);
  }
  known.parts = std::move(kept);
  return changed;
}

bool meetParameter(ParameterLattice &known, const ParameterLattice &actual) {
  bool changed = known.whole.meet(actual.whole);
  changed |= meetParts(known, actual);
  changed |= known.isPrivate && !actual.isPrivate;
  known.isPrivate &= actual.isPrivate;
  return changed;
}

static uint64_t hashOf(const ValueLattice &value) {
  return hash_combine(value.state(), value.width(), value.value(),
                      value.symbol(), value.low(), value.high(),
                      value.knownZeros(), value.knownOnes(), value.alignLog2(),
                      value.addressSpace(), value.isNonNull(), value.entered(),
                      value.dereferenceableBytes());
}

uint64_t hashOf(const ParameterLattice &known) {
  hash_code hash =
      hash_combine(hashOf(known.whole), known.hasParts, known.isPrivate);
  for (const PartLattice &part : known.parts)
    hash = hash_combine(hash, uint32_t(part.byteOffset), hashOf(part.value));
  return hash;
}

} // namespace gpulto
