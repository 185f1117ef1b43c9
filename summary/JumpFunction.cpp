//===- JumpFunction.cpp - Evaluating jump functions -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "summary/JumpFunction.h"

#include <algorithm>

namespace gpulto {

namespace {

/// Keeps the low \p width bits; width 0 (a pointer) and 64 keep all.
uint64_t truncateTo(uint64_t bits, unsigned width) {
  if (width == 0 || width >= 64)
    return bits;
  return bits & ((uint64_t(1) << width) - 1);
}

/// Reads the low \p width bits as a signed number.
int64_t signExtend(uint64_t bits, unsigned width) {
  if (width == 0 || width >= 64)
    return static_cast<int64_t>(bits);
  unsigned unused = 64 - width;
  return static_cast<int64_t>(bits << unused) >> unused;
}

/// Applies `formal OP operand` in \p width bits. ZExt and SExt widen from
/// \p operand bits; Trunc narrows to \p width. Nothing where LLVM's operation
/// would be poison or undefined.
std::optional<uint64_t> apply(JumpOperation operation, uint64_t formal,
                              uint64_t operand, unsigned width) {
  unsigned bits = width == 0 ? 64 : width;
  bool isShift = operation == JumpOperation::Shl ||
                 operation == JumpOperation::LShr ||
                 operation == JumpOperation::AShr;
  if (isShift && operand >= bits)
    return std::nullopt;
  switch (operation) {
  case JumpOperation::None:
  case JumpOperation::Trunc:
    return truncateTo(formal, width);
  case JumpOperation::Add:
    return truncateTo(formal + operand, width);
  case JumpOperation::Sub:
    return truncateTo(formal - operand, width);
  case JumpOperation::Mul:
    return truncateTo(formal * operand, width);
  case JumpOperation::Shl:
    return truncateTo(formal << operand, width);
  case JumpOperation::LShr:
    return truncateTo(formal, width) >> operand;
  case JumpOperation::AShr:
    return truncateTo(
        static_cast<uint64_t>(signExtend(formal, width) >> operand), width);
  case JumpOperation::And:
    return truncateTo(formal & operand, width);
  case JumpOperation::Or:
    return truncateTo(formal | operand, width);
  case JumpOperation::Xor:
    return truncateTo(formal ^ operand, width);
  case JumpOperation::ZExt:
    return truncateTo(truncateTo(formal, operand), width);
  case JumpOperation::SExt:
    return truncateTo(static_cast<uint64_t>(signExtend(formal, operand)),
                      width);
  case JumpOperation::UDiv:
    if (truncateTo(operand, width) == 0)
      return std::nullopt;
    return truncateTo(formal, width) / truncateTo(operand, width);
  case JumpOperation::URem:
    if (truncateTo(operand, width) == 0)
      return std::nullopt;
    return truncateTo(formal, width) % truncateTo(operand, width);
  case JumpOperation::SDiv:
  case JumpOperation::SRem: {
    int64_t dividend = signExtend(formal, width);
    int64_t divisor = signExtend(operand, width);
    // The least number divided by -1 has no result.
    if (divisor == 0 || divisor == -1)
      return std::nullopt;
    int64_t result = operation == JumpOperation::SDiv ? dividend / divisor
                                                      : dividend % divisor;
    return truncateTo(static_cast<uint64_t>(result), width);
  }
  case JumpOperation::UMin:
    return std::min(truncateTo(formal, width), truncateTo(operand, width));
  case JumpOperation::UMax:
    return std::max(truncateTo(formal, width), truncateTo(operand, width));
  case JumpOperation::SMin:
    return truncateTo(
        static_cast<uint64_t>(
            std::min(signExtend(formal, width), signExtend(operand, width))),
        width);
  case JumpOperation::SMax:
    return truncateTo(
        static_cast<uint64_t>(
            std::max(signExtend(formal, width), signExtend(operand, width))),
        width);
  }
  return std::nullopt;
}

} // namespace

std::optional<uint64_t> evaluate(const JumpFunction &function,
                                 std::optional<uint64_t> formal) {
  switch (function.kind) {
  case JumpFunction::Kind::Constant:
    return function.value;
  case JumpFunction::Kind::Null:
    return 0;
  case JumpFunction::Kind::PassThrough:
  case JumpFunction::Kind::Composed:
    if (!formal)
      return std::nullopt;
    return apply(function.operation, *formal, function.value,
                 function.bitWidth);
  default:
    return std::nullopt;
  }
}

} // namespace gpulto
