//===- TransferSizesPropagate.cpp - Whether a launch writes all -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: prove that a launch writes each byte of an earlier copy.
//
//   cudaMemset(d, 0, n * sizeof(float));
//   k<<<(n + 255) / 256, 256>>>(d, n);     if (i < n) d[i] = ...
//   -> 4 * n bytes; elements below n: 4 * n; threads: 256 * ((n + 255) / 256),
//      at least n + 255 - 255
//
//  1. sumOf           sizes and counts as sums over the integers of unknown
//                     terms, through arithmetic that does not wrap, or of 64
//                     bits.
//  2. hasElements     the elements below the count are enough.
//  3. hasThreads      the threads are: the blocks are a quotient rounded up, or
//                     of what is a multiple.
//
// A comparison holds only if both sums differ by a constant that is not
// negative. Then the size is the count's bytes less the constant, modulo 2^64,
// so at most these, or too large for a copy that succeeds. That a count is not
// negative where it is compared as signed follows from the copy, too: the size
// is made of it by sign extension. The blocks of a launch that starts are from
// 1 to 2^31 - 1; where the sum that is divided wraps, there are none.
//
// Source: as DawnCC's symbolic ranges (G. Mendonca et al., TACO 2017), with
// equal symbols alone.
//
//===----------------------------------------------------------------------===//

#include "ipa/transfers/TransferSizes.h"
#include "summary/LaunchSum.h"

using namespace llvm;

namespace gpulto {

using Kind = TransferTerm::Kind;
using MaybeSum = std::optional<LaunchSum>;

namespace {

constexpr unsigned kWideBits = 64;
constexpr uint64_t kMost = uint64_t(1) << 48;

class SizeComparison {
public:
  SizeComparison(const TransferGraph &graph, const TransferOverwrite &overwrite)
      : graph(graph), overwrite(overwrite) {}

  bool run(const TransferNode &copy);

private:
  const TransferTerm &of(uint32_t term) const { return graph.terms[term]; }
  std::optional<uint64_t> constantOf(uint32_t term) const;
  MaybeSum sumOf(uint32_t term, bool isExact, unsigned depth = 0);
  bool isAtLeast(const MaybeSum &sum, const MaybeSum &other) const;
  MaybeSum elements(const MaybeSum &count) const;
  bool hasElements(const LaunchSum &size);
  bool hasThreads(const LaunchSum &size);
  MaybeSum threadsAtLeast(uint32_t blocks, unsigned depth = 0);
  bool fitsIndex(uint32_t bytes) const;

  const TransferGraph &graph;
  const TransferOverwrite &overwrite;
  /// Something was zero-extended, or is a number of 64 bits.
  bool hasUnsigned = false, hasWide = false;
};

} // namespace

std::optional<uint64_t> SizeComparison::constantOf(uint32_t term) const {
  std::optional<uint64_t> number = graph.constantOf(term);
  return number && *number < kMost ? number : std::nullopt;
}

/// The term \p term as an unknown of a sum.
static LaunchSum unknown(uint32_t term) {
  LaunchValue value;
  value.parameter = term;
  value.bitWidth = kWideBits;
  return launchSymbol(value);
}

static MaybeSum product(const MaybeSum &a, const MaybeSum &b) {
  return a && b ? multiplySums(*a, *b) : std::nullopt;
}

/// The term \p term as a sum over the integers; \p isExact says what is known
/// of its arithmetic.
MaybeSum SizeComparison::sumOf(uint32_t term, bool isExact, unsigned depth) {
  constexpr unsigned kMaxDepth = 16;
  if (std::optional<uint64_t> number = constantOf(term))
    return launchConstant(static_cast<int64_t>(*number));
  if (term == kNone || of(term).kind == Kind::Constant || depth > kMaxDepth)
    return std::nullopt;
  const TransferTerm &known = of(term);
  bool isWide = known.bitWidth == kWideBits;
  if (known.kind != Kind::Operation ||
      (!isWide && !isExact && !known.isExact)) {
    hasWide |= isWide;
    return unknown(term);
  }
  auto part = [&](uint32_t operand) {
    return sumOf(operand, isExact, depth + 1);
  };
  switch (known.operation) {
  case JumpOperation::ZExt:
    hasUnsigned = true;
    return part(known.first);
  case JumpOperation::SExt:
    return part(known.first);
  case JumpOperation::Mul:
    return product(part(known.first), part(known.second));
  case JumpOperation::Add: {
    MaybeSum a = part(known.first), b = part(known.second);
    return a && b ? addSums(*a, *b) : std::nullopt;
  }
  case JumpOperation::Shl: {
    std::optional<uint64_t> shift = constantOf(known.second);
    constexpr uint64_t kMaxShift = 32;
    return shift && *shift < kMaxShift
               ? product(part(known.first), launchConstant(1LL << *shift))
               : std::nullopt;
  }
  default:
    hasWide |= isWide;
    return unknown(term);
  }
}

/// Whether \p sum is \p other plus a constant that is not negative.
bool SizeComparison::isAtLeast(const MaybeSum &sum,
                               const MaybeSum &other) const {
  MaybeSum rest = sum && other ? subtractSums(*sum, *other) : std::nullopt;
  std::optional<int64_t> more = rest ? gpulto::constantOf(*rest) : std::nullopt;
  return more && *more >= 0;
}

/// The bytes of \p count elements.
MaybeSum SizeComparison::elements(const MaybeSum &count) const {
  return product(count, launchConstant(overwrite.elements.elementBytes));
}

/// Whether the elements below the count are \p size bytes.
bool SizeComparison::hasElements(const LaunchSum &size) {
  if (!overwrite.elements.isGuarded)
    return true;
  MaybeSum count = elements(sumOf(overwrite.count, false));
  // Of a count that is computed, only what is known of the size is known.
  bool isComputed = of(overwrite.count).kind == Kind::Operation;
  return (isComputed ? count == size : isAtLeast(count, size)) &&
         !((hasUnsigned || hasWide) && overwrite.elements.isSigned);
}

/// The threads of \p blocks, a term, are at least the result.
MaybeSum SizeComparison::threadsAtLeast(uint32_t blocks, unsigned depth) {
  constexpr unsigned kMaxDepth = 4;
  bool isExact = overwrite.blocks.isExact;
  uint64_t block = *constantOf(overwrite.threads);
  LaunchSum each = launchConstant(static_cast<int64_t>(block));
  auto whole = [&] { return product(sumOf(blocks, isExact), each); };
  if (blocks == kNone || depth > kMaxDepth)
    return std::nullopt;
  if (of(blocks).kind != Kind::Operation)
    return whole();
  const TransferTerm &known = of(blocks);
  std::optional<uint64_t> number = constantOf(known.second);
  bool isShift = known.operation == JumpOperation::LShr ||
                 known.operation == JumpOperation::AShr;
  bool isQuotient = isShift || known.operation == JumpOperation::UDiv ||
                    known.operation == JumpOperation::SDiv;
  switch (known.operation) {
  case JumpOperation::ZExt:
  case JumpOperation::SExt:
  case JumpOperation::Trunc:
    return threadsAtLeast(known.first, depth + 1);
  case JumpOperation::Add:
    // x / b + 1
    if (number == 1)
      if (MaybeSum rest = threadsAtLeast(known.first, depth + 1))
        return addSums(*rest, each);
    return whole();
  default:
    break;
  }
  if (!isQuotient)
    return whole();
  if (!number || !*number || (isShift && *number >= kWideBits))
    return std::nullopt;
  // b * (x / d) is more than x - d, if d is at most b.
  uint64_t divisor = isShift ? uint64_t(1) << *number : *number;
  if (divisor > block)
    return std::nullopt;
  uint32_t dividend = known.first;
  MaybeSum all = sumOf(dividend, isExact);
  if (all && all_of(all->terms, [&](const LaunchTerm &term) {
        return term.coefficient % static_cast<int64_t>(divisor) == 0;
      }))
    return all; // nothing is left over
  int64_t more = -static_cast<int64_t>(divisor - 1);
  const TransferTerm &divided = of(dividend);
  bool isSum = divided.kind == Kind::Operation &&
               divided.operation == JumpOperation::Add;
  if (std::optional<uint64_t> added =
          isSum && divided.second != kNone &&
                  of(divided.second).kind == Kind::Constant
              ? std::optional(of(divided.second).number)
              : std::nullopt) {
    int64_t number = SignExtend64(*added, divided.bitWidth);
    // A sum that wraps gives no blocks.
    if (number < -1 || number > static_cast<int64_t>(divisor))
      return std::nullopt;
    more += number;
    dividend = divided.first;
  }
  MaybeSum sum = sumOf(dividend, isExact);
  return sum ? addSums(*sum, launchConstant(more)) : std::nullopt;
}

/// Whether elements up to \p bytes bytes, a term, have numbers that the index
/// tells.
bool SizeComparison::fitsIndex(uint32_t bytes) const {
  if (overwrite.elements.isGuarded || overwrite.elements.indexBits == kWideBits)
    return true;
  uint64_t each = overwrite.elements.elementBytes;
  if (std::optional<uint64_t> number = constantOf(bytes))
    return *number < each * INT32_MAX;
  // So many elements as a signed number of 32 bits says.
  const TransferTerm &size = of(bytes);
  std::optional<uint64_t> factor = constantOf(size.second);
  if (size.kind != Kind::Operation || !factor)
    return false;
  bool isFew = size.operation == JumpOperation::Mul
                   ? *factor <= each
                   : size.operation == JumpOperation::Shl &&
                         *factor < kWideBits / 2 &&
                         uint64_t(1) << *factor <= each;
  const TransferTerm &count = of(size.first);
  return isFew && count.kind == Kind::Operation &&
         count.operation == JumpOperation::SExt;
}

/// Whether there are enough threads for \p size bytes.
bool SizeComparison::hasThreads(const LaunchSum &size) {
  const KernelOverwrite &known = overwrite.elements;
  if (known.isAnyGrid)
    return true;
  std::optional<uint64_t> block = constantOf(overwrite.threads);
  if (!block || !*block || (known.block && known.block != *block))
    return false;
  return isAtLeast(elements(threadsAtLeast(overwrite.blocks.term)), size);
}

bool SizeComparison::run(const TransferNode &copy) {
  MaybeSum size = sumOf(copy.bytes, copy.areBytesExact);
  return size && hasElements(*size) && fitsIndex(copy.bytes) &&
         hasThreads(*size);
}

bool writesAll(const TransferGraph &graph, const TransferOverwrite &overwrite,
               const TransferNode &copy) {
  return copy.bytes != kNone && SizeComparison(graph, overwrite).run(copy);
}

} // namespace gpulto
