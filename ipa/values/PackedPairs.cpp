//===- PackedPairs.cpp - The two values of 32 bits in one of 64 -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/values/PackedPairs.h"

#include "ipa/values/JumpFunctionBuilder.h"
#include "ipa/values/JumpOperations.h"
#include "ipa/values/ValueLimits.h"
#include "ipa/values/ValueShapes.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/KnownBits.h"

namespace gpulto {

using Kind = JumpFunction::Kind;

bool isPackedPair(const llvm::Value &value) {
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  return instruction && value.getType()->isIntegerTy(64) &&
         instruction->getOpcode() == llvm::Instruction::Or;
}

/// Whether \p instruction, of 64 bits, yields its first operand with the halves
/// in the places of each other.
static bool isSwap(const llvm::Instruction &instruction) {
  auto *rotation = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (!rotation || (rotation->getIntrinsicID() != llvm::Intrinsic::fshl &&
                    rotation->getIntrinsicID() != llvm::Intrinsic::fshr))
    return false;
  auto *amount = llvm::dyn_cast<llvm::ConstantInt>(rotation->getArgOperand(2));
  return rotation->getArgOperand(0) == rotation->getArgOperand(1) && amount &&
         amount->getZExtValue() == kHalfBits;
}

/// The half of the 64 bits \p whole that starts at bit \p first.
static JumpFunction halfOfMemory(JumpFunction whole, unsigned first) {
  JumpFunction half = JumpFunction::unknown(kHalfBits);
  half.kind = whole.kind;
  half.source = whole.source;
  half.value = whole.value + first / 8;
  half.count = whole.count;
  half.parameter = whole.parameter;
  if (whole.kind == Kind::LoadAggregate && whole.count)
    half.count = kHalfBits / 8;
  return half;
}

/// Adds that \p half, of 32 bits, is in [\p low, \p high].
static void narrow(JumpFunction &half, uint64_t low, uint64_t high) {
  if (half.high) {
    low = std::max(low, half.low);
    high = std::min(high, half.high);
  }
  if (half.kind == Kind::Constant || low > high ||
      (low == 0 && high == UINT32_MAX))
    return;
  if (low == high) {
    half = JumpFunction::constant(low, kHalfBits);
    return;
  }
  half.low = low;
  half.high = high;
}

/// Adds to \p half, from bit \p first of \p whole on, what the bounds of that
/// say.
static void addBoundsOf(const JumpFunction &whole, unsigned first,
                        JumpFunction &half) {
  bool isOneHigh = whole.low >> kHalfBits == whole.high >> kHalfBits;
  if (whole.high && first != 0)
    narrow(half, whole.low >> first, whole.high >> first);
  else if (whole.high && isOneHigh)
    narrow(half, uint32_t(whole.low), uint32_t(whole.high));
}

PackedPairs::Halves PackedPairs::halvesOf(const JumpFunction &whole) {
  auto partFrom = [&](unsigned first) {
    switch (whole.kind) {
    case Kind::Constant:
      return JumpFunction::constant(uint32_t(whole.value >> first), kHalfBits);
    case Kind::CallResult:
    case Kind::LoadAggregate:
    case Kind::Memory:
    case Kind::VariablePart:
      return halfOfMemory(whole, first);
    default:
      break;
    }
    JumpFunction shifted = first
                               ? operations.compose(JumpOperation::LShr, whole,
                                                    first, 2 * kHalfBits)
                               : whole;
    return operations.compose(JumpOperation::Trunc, shifted, 0, kHalfBits);
  };
  auto halfFrom = [&](unsigned first) {
    JumpFunction half = partFrom(first);
    addBoundsOf(whole, first, half);
    return half;
  };
  if (whole.bitWidth != 2 * kHalfBits)
    return {JumpFunction::unknown(kHalfBits), JumpFunction::unknown(kHalfBits)};
  return {halfFrom(0), halfFrom(kHalfBits)};
}

PackedPairs::Halves PackedPairs::halvesOf(const llvm::Value &value,
                                          unsigned depth) {
  if (!value.getType()->isIntegerTy(2 * kHalfBits) || depth > kMaxDepth)
    return {JumpFunction::unknown(kHalfBits), JumpFunction::unknown(kHalfBits)};
  JumpFunction whole = values.of(value);
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  bool isComputed = whole.kind == Kind::Unknown ||
                    whole.kind == Kind::Composed ||
                    whole.kind == Kind::PassThrough;
  return instruction && isComputed ? halvesOf(*instruction, whole, depth)
                                   : halvesOf(whole);
}

/// `a | b`, if one of them is zero.
static std::optional<JumpFunction> unlessZero(const JumpFunction &a,
                                              const JumpFunction &b) {
  JumpFunction zero = JumpFunction::constant(0, kHalfBits);
  if (a == zero || b == zero)
    return a == zero ? b : a;
  return std::nullopt;
}

/// The halves of \p value, of which \p whole is the jump function: its operands
/// may say more.
PackedPairs::Halves PackedPairs::halvesOf(const llvm::Instruction &value,
                                          const JumpFunction &whole,
                                          unsigned depth) {
  JumpFunction zero = JumpFunction::constant(0, kHalfBits);
  auto halvesOfOperand = [&](unsigned i) {
    return halvesOf(*value.getOperand(i), depth + 1);
  };
  auto isOperand = [&](unsigned i, uint64_t bits) {
    auto *constant = llvm::dyn_cast<llvm::ConstantInt>(value.getOperand(i));
    return constant && constant->getZExtValue() == bits;
  };
  if (isSwap(value)) {
    auto [low, high] = halvesOfOperand(0);
    return {high, low};
  }
  switch (value.getOpcode()) {
  case llvm::Instruction::ZExt: {
    const llvm::Value &input = *value.getOperand(0);
    bool isHalf = input.getType()->isIntegerTy(kHalfBits);
    return {isHalf ? values.of(input) : halvesOf(whole).first, zero};
  }
  case llvm::Instruction::Shl:
    if (!isOperand(1, kHalfBits))
      break;
    return {zero, halvesOfOperand(0).first};
  case llvm::Instruction::And:
    // What was 64 bits wide before it became a component: `(n + 255) / 256` of
    // a size_t.
    if (!isOperand(1, UINT32_MAX))
      break;
    return {halvesOfOperand(0).first, zero};
  case llvm::Instruction::Or: {
    auto a = halvesOfOperand(0), b = halvesOfOperand(1);
    std::optional<JumpFunction> low = unlessZero(a.first, b.first);
    std::optional<JumpFunction> high = unlessZero(a.second, b.second);
    if (low && high)
      return {*low, *high};
    auto both = halvesOf(whole);
    return {low.value_or(both.first), high.value_or(both.second)};
  }
  default:
    break;
  }
  Halves halves = halvesOf(whole);
  addKnownBits(value, halves);
  return halves;
}

/// Adds to \p halves, of \p value, what its defining instructions say of its
/// bits.
void PackedPairs::addKnownBits(const llvm::Value &value, Halves &halves) {
  llvm::KnownBits bits = llvm::computeKnownBits(&value, layout);
  auto add = [&](unsigned first, JumpFunction &half) {
    llvm::KnownBits known = bits.extractBits(kHalfBits, first);
    if (!known.hasConflict())
      narrow(half, known.getMinValue().getZExtValue(),
             known.getMaxValue().getZExtValue());
  };
  add(0, halves.first);
  add(kHalfBits, halves.second);
}

} // namespace gpulto
