//===- LaunchBoundsAnalyze.cpp - What successful launches imply (LGEN) ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: find bounds of the grid, the block and the values from which they are
// computed.
//
//   void run(int n) { scale<<<(n + 255) / 256, 256>>>(p, n); }
//
//   In scale the grid has 1 to 8388607 blocks in x, and n is 1 to 2147483392:
//   with another n there is no launch that the runtime accepts.
//
//  1. add, addPair  the components of the launch: none is 0, and none exceeds
//                   what the hardware allows. Where x and y are computed as one
//                   64-bit sum, the bounds of both follow from the sum's.
//  2. noteOperand   from the result of an operation with a constant to the
//                   other operand, as far as there is but one range of those
//                   that lead there.
//  3. narrow        these bounds, those of the defining instructions and those
//                   of loops (for (int i = 0; i < 100; ++i)), as bounds of a
//                   jump function. A quotient of signed numbers has none
//                   without the first.
//
// No launch uses the result of an operation that is poison, so its flags (nsw,
// nuw) are premises of the program.
//
// Linear in the operations that compute the geometry.
//
// Source: ranges: LLVM's ConstantRange; limits: CUDA C++ Programming Guide,
// "Technical Specifications per Compute Capability"; cudaLaunchKernel returns
// an error for others and launches nothing.
//
//===----------------------------------------------------------------------===//

#include "ipa/launches/LaunchBounds.h"
#include "ipa/values/ValueBounds.h"
#include "ipa/values/ValueShapes.h"

#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/KnownBits.h"

using namespace llvm;

namespace gpulto {

/// How far operations are followed.
static constexpr unsigned kMaxOperations = 8;

//===----------------------------------------------------------------------===//
// Components
//===----------------------------------------------------------------------===//

/// Whether the 32 bits of \p value from bit \p first on are known to be 0.
static bool isZeroHalf(const Value &value, unsigned first,
                       const DataLayout &layout) {
  return computeKnownBits(&value, layout)
      .extractBits(kHalfBits, first)
      .isZero();
}

/// Returns the 32-bit number that is in the 64-bit \p pair from bit \p first
/// on, as clang packs the x and y of a dim3; null if there is none.
static const Value *halfOf(const Value &pair, unsigned first,
                           const DataLayout &layout) {
  const Value *value = &pair;
  for (unsigned step = 0; step < kMaxOperations; ++step) {
    auto *operation = dyn_cast<Instruction>(value);
    if (!operation || !value->getType()->isIntegerTy(2 * kHalfBits))
      return nullptr;
    const Value *left = operation->getOperand(0);
    if (operation->getOpcode() == Instruction::ZExt)
      return first == 0 && left->getType()->isIntegerTy(kHalfBits) ? left
                                                                   : nullptr;
    if (operation->getOpcode() == Instruction::Or) {
      const Value *right = operation->getOperand(1);
      bool isLeft = isZeroHalf(*right, first, layout);
      if (!isLeft && !isZeroHalf(*left, first, layout))
        return nullptr;
      value = isLeft ? left : right;
      continue;
    }
    auto *amount = operation->getOpcode() == Instruction::Shl
                       ? dyn_cast<ConstantInt>(operation->getOperand(1))
                       : nullptr;
    if (!amount || amount->getZExtValue() != kHalfBits || first == 0)
      return nullptr;
    value = left;
    first = 0;
  }
  return nullptr;
}

void LaunchBounds::addPair(const Value &pair, Geometry first) {
  auto *instruction = dyn_cast<Instruction>(&pair);
  if (!instruction)
    return;
  const DataLayout &layout = instruction->getModule()->getDataLayout();
  for (unsigned half = 0; half < 2; ++half)
    if (const Value *value = halfOf(pair, half * kHalfBits, layout))
      add(*value, static_cast<Geometry>(first + half));
  noteHalves(*instruction, first);
}

/// Notes the halves of \p pair where only their sum is computed:
/// `(64 << 32) + 16 - i` of the blocks (16 - i, 64), i from 0 to 16. All values
/// of the pair then have one high half.
void LaunchBounds::noteHalves(const Instruction &pair, Geometry first) {
  if (!evolution || components[first] || components[first + 1])
    return;
  ConstantRange range = evolvedRange(*evolution, pair);
  uint64_t low = range.getUnsignedMin().getZExtValue();
  uint64_t high = range.getUnsignedMax().getZExtValue();
  if (high >> kHalfBits != low >> kHalfBits)
    return;
  bounds[first] = {static_cast<uint32_t>(low), static_cast<uint32_t>(high)};
  bounds[first + 1].low = bounds[first + 1].high = high >> kHalfBits;
}

void LaunchBounds::add(const Value &value, Geometry component) {
  if (isa<Constant>(value) || !value.getType()->isIntegerTy(kHalfBits))
    return;
  components[component] = &value;
  note(value, ConstantRange(APInt(kHalfBits, 1),
                            APInt(kHalfBits, kGeometryLimits[component]) + 1));
}

//===----------------------------------------------------------------------===//
// What they are computed from
//===----------------------------------------------------------------------===//

/// Notes that \p value is in \p range wherever the launch happens.
void LaunchBounds::note(const Value &value, const ConstantRange &range) {
  if (isa<Constant>(value) || range.isFullSet() || range.isEmptySet())
    return;
  ConstantRange narrowed = range;
  if (auto known = ranges.find(&value); known != ranges.end())
    narrowed = narrowed.intersectWith(
        ConstantRange(known->second.first, known->second.second));
  if (narrowed.isEmptySet())
    return; // this launch never succeeds
  ranges.insert_or_assign(&value,
                          std::pair(narrowed.getLower(), narrowed.getUpper()));
  if (auto *operation = dyn_cast<Instruction>(&value);
      operation && ranges.size() <= kDimensions * kMaxOperations)
    noteOperand(*operation, narrowed);
}

/// Returns which dividends the positive \p divisor takes to the quotients
/// [\p low, \p high], of which the first is positive, below \p limit.
static ConstantRange dividends(const APInt &low, const APInt &high,
                               const APInt &divisor, const APInt &limit) {
  bool overflows = false;
  APInt first = low.umul_ov(divisor, overflows);
  if (overflows || first.ugt(limit))
    return ConstantRange::getEmpty(low.getBitWidth());
  APInt last = high.umul_ov(divisor, overflows);
  if (!overflows)
    last = last.uadd_ov(divisor - 1, overflows);
  if (overflows || last.ugt(limit))
    last = limit;
  return ConstantRange::getNonEmpty(first, last + 1);
}

/// Notes what follows for the other operand of \p operation with a constant, or
/// for that of a conversion, from its result being in \p range.
void LaunchBounds::noteOperand(const Instruction &operation,
                               const ConstantRange &range) {
  const Value &operand = *operation.getOperand(0);
  unsigned width = range.getBitWidth();
  if (isa<ZExtInst, SExtInst>(operation)) {
    unsigned narrow = operand.getType()->getScalarSizeInBits();
    bool isPositive = range.getSignedMin().isNonNegative();
    if (isa<ZExtInst>(operation) || isPositive)
      note(operand,
           range
               .intersectWith(ConstantRange(APInt(width, 0),
                                            APInt::getOneBitSet(width, narrow)))
               .truncate(narrow));
    return;
  }
  auto *constant = operation.getNumOperands() == 2
                       ? dyn_cast<ConstantInt>(operation.getOperand(1))
                       : nullptr;
  if (!constant || !operand.getType()->isIntegerTy(width))
    return;
  const APInt &number = constant->getValue();
  if (operation.getOpcode() == Instruction::Add) {
    using Flags = OverflowingBinaryOperator;
    ConstantRange before = range.sub(ConstantRange(number));
    for (auto [holds, flag] :
         {std::pair(operation.hasNoSignedWrap(), Flags::NoSignedWrap),
          std::pair(operation.hasNoUnsignedWrap(), Flags::NoUnsignedWrap)})
      if (holds)
        before = before.intersectWith(ConstantRange::makeExactNoWrapRegion(
            Instruction::Add, number, flag));
    return note(operand, before);
  }
  bool isSigned = operation.getOpcode() == Instruction::SDiv ||
                  operation.getOpcode() == Instruction::AShr;
  bool isShift = operation.getOpcode() == Instruction::LShr ||
                 operation.getOpcode() == Instruction::AShr;
  bool isDivision =
      isSigned || isShift || operation.getOpcode() == Instruction::UDiv;
  if (!isDivision || (isShift && number.uge(width)))
    return;
  APInt divisor =
      isShift ? APInt::getOneBitSet(width, number.getZExtValue()) : number;
  APInt limit =
      isSigned ? APInt::getSignedMaxValue(width) : APInt::getMaxValue(width);
  APInt low = range.getUnsignedMin(), high = range.getUnsignedMax();
  // A quotient of 0 may be of a negative dividend.
  if (range.isWrappedSet() || low.isZero() || divisor.isZero() ||
      divisor.ugt(limit) || (isSigned && high.isNegative()))
    return;
  note(operand, dividends(low, high, divisor, limit));
}

//===----------------------------------------------------------------------===//
// Jump functions
//===----------------------------------------------------------------------===//

void LaunchBounds::narrow(const Value &value, JumpFunction &function) const {
  if (!value.getType()->isIntegerTy() ||
      function.kind == JumpFunction::Kind::Constant ||
      function.bitWidth != value.getType()->getIntegerBitWidth())
    return;
  ConstantRange range = computeConstantRange(&value, /*ForSigned=*/false);
  if (auto known = ranges.find(&value); known != ranges.end())
    range = range.intersectWith(
        ConstantRange(known->second.first, known->second.second),
        ConstantRange::Unsigned);
  if (evolution && isa<Instruction>(value))
    range = range.intersectWith(evolvedRange(*evolution, value),
                                ConstantRange::Unsigned);
  if (function.high)
    range = range.intersectWith(
        ConstantRange::getNonEmpty(APInt(function.bitWidth, function.low),
                                   APInt(function.bitWidth, function.high) + 1),
        ConstantRange::Unsigned);
  if (range.isEmptySet() || range.isWrappedSet() || range.isFullSet())
    return;
  function.low = range.getUnsignedMin().getZExtValue();
  function.high = range.getUnsignedMax().getZExtValue();
}

void LaunchBounds::narrow(Geometry component, JumpFunction &function) const {
  if (components[component])
    return narrow(*components[component], function);
  uint64_t low = bounds[component].low, high = bounds[component].high;
  if (high == 0 || function.kind == JumpFunction::Kind::Constant)
    return;
  if (low == high) {
    function = JumpFunction::constant(low, kHalfBits);
    return;
  }
  low = std::max<uint64_t>(low, 1);
  high = std::min<uint64_t>(high, kGeometryLimits[component]);
  if (low == 1 && high == kGeometryLimits[component])
    return;
  if (function.high) {
    low = std::max(low, function.low);
    high = std::min(high, function.high);
  }
  if (low > high)
    return; // this launch never succeeds
  function.low = low;
  function.high = high;
}

} // namespace gpulto
