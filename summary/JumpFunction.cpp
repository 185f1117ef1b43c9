//===- JumpFunction.cpp - Evaluating jump functions -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "summary/JumpFunction.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/Support/MathExtras.h"

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

//===----------------------------------------------------------------------===//
// Floating-point numbers
//===----------------------------------------------------------------------===//

/// Whether \p number is the same wherever it is computed.
bool isCertain(const llvm::APFloat &number) {
  return number.isFinite() && !number.isDenormal();
}

/// The floating-point number with \p width bits \p bits; nothing if it is not a
/// number, or not a certain one.
std::optional<llvm::APFloat> toFloat(uint64_t bits, uint64_t width) {
  if (width != 32 && width != 64)
    return std::nullopt;
  llvm::APFloat number(width == 32 ? llvm::APFloat::IEEEsingle()
                                   : llvm::APFloat::IEEEdouble(),
                       llvm::APInt(static_cast<unsigned>(width),
                                   truncateTo(bits, unsigned(width))));
  return isCertain(number) ? std::optional(number) : std::nullopt;
}

std::optional<uint64_t> toBits(const llvm::APFloat &number) {
  if (!isCertain(number))
    return std::nullopt;
  return number.bitcastToAPInt().getZExtValue();
}

/// Applies `formal OP operand` of two numbers of \p width bits.
std::optional<uint64_t> applyToFloats(JumpOperation operation, uint64_t formal,
                                      uint64_t operand, unsigned width) {
  constexpr auto kNearest = llvm::APFloat::rmNearestTiesToEven;
  std::optional<llvm::APFloat> left = toFloat(formal, width);
  std::optional<llvm::APFloat> right = toFloat(operand, width);
  if (!left || !right)
    return std::nullopt;
  switch (operation) {
  case JumpOperation::FAdd:
    left->add(*right, kNearest);
    break;
  case JumpOperation::FSub:
    left->subtract(*right, kNearest);
    break;
  case JumpOperation::FMul:
    left->multiply(*right, kNearest);
    break;
  default: // FDiv
    left->divide(*right, kNearest);
    break;
  }
  return toBits(*left);
}

/// Rounds the number \p formal of \p formalWidth bits, or converts it to
/// another number or to an integer of \p width bits.
std::optional<uint64_t> applyToFloat(JumpOperation operation, uint64_t formal,
                                     uint64_t formalWidth, unsigned width) {
  std::optional<llvm::APFloat> number = toFloat(formal, formalWidth);
  bool isInteger =
      operation == JumpOperation::FPToSI || operation == JumpOperation::FPToUI;
  bool isRounding =
      operation == JumpOperation::FCeil || operation == JumpOperation::FFloor;
  if (!number || (!isInteger && width != 32 && width != 64) ||
      (isRounding && width != formalWidth))
    return std::nullopt;
  bool isExact = false;
  switch (operation) {
  case JumpOperation::FCeil:
    number->roundToIntegral(llvm::APFloat::rmTowardPositive);
    return toBits(*number);
  case JumpOperation::FFloor:
    number->roundToIntegral(llvm::APFloat::rmTowardNegative);
    return toBits(*number);
  case JumpOperation::FExt:
  case JumpOperation::FTrunc:
    number->convert(width == 32 ? llvm::APFloat::IEEEsingle()
                                : llvm::APFloat::IEEEdouble(),
                    llvm::APFloat::rmNearestTiesToEven, &isExact);
    return toBits(*number);
  default: { // FPToSI, FPToUI
    if (width == 0 || width > 64)
      return std::nullopt;
    llvm::APSInt integer(width, operation == JumpOperation::FPToUI);
    if (number->convertToInteger(integer, llvm::APFloat::rmTowardZero,
                                 &isExact) == llvm::APFloat::opInvalidOp)
      return std::nullopt; // too large
    return integer.getZExtValue();
  }
  }
}

/// Converts the integer \p formal of \p formalWidth bits to a number of
/// \p width bits.
std::optional<uint64_t> applyToInteger(bool isSigned, uint64_t formal,
                                       uint64_t formalWidth, unsigned width) {
  if (formalWidth == 0 || formalWidth > 64 || (width != 32 && width != 64))
    return std::nullopt;
  unsigned bits = static_cast<unsigned>(formalWidth);
  llvm::APFloat number(width == 32 ? llvm::APFloat::IEEEsingle()
                                   : llvm::APFloat::IEEEdouble());
  number.convertFromAPInt(llvm::APInt(bits, truncateTo(formal, bits)), isSigned,
                          llvm::APFloat::rmNearestTiesToEven);
  return toBits(number);
}

//===----------------------------------------------------------------------===//
// All operations
//===----------------------------------------------------------------------===//

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
  case JumpOperation::FAdd:
  case JumpOperation::FSub:
  case JumpOperation::FMul:
  case JumpOperation::FDiv:
    return applyToFloats(operation, formal, operand, width);
  case JumpOperation::FCeil:
  case JumpOperation::FFloor:
  case JumpOperation::FExt:
  case JumpOperation::FTrunc:
  case JumpOperation::FPToSI:
  case JumpOperation::FPToUI:
    return applyToFloat(operation, formal, operand, width);
  case JumpOperation::SIToFP:
  case JumpOperation::UIToFP:
    return applyToInteger(operation == JumpOperation::SIToFP, formal, operand,
                          width);
  case JumpOperation::CeilLog2:
    return truncateTo(ceilLog2(truncateTo(formal, unsigned(operand))), width);
  }
  return std::nullopt;
}

} // namespace

uint64_t ceilLog2(uint64_t number) {
  return number == 0 ? 0 : llvm::Log2_64_Ceil(number);
}

bool takesWidth(JumpOperation operation) {
  switch (operation) {
  case JumpOperation::ZExt:
  case JumpOperation::SExt:
  case JumpOperation::FCeil:
  case JumpOperation::FFloor:
  case JumpOperation::FExt:
  case JumpOperation::FTrunc:
  case JumpOperation::SIToFP:
  case JumpOperation::UIToFP:
  case JumpOperation::FPToSI:
  case JumpOperation::FPToUI:
  case JumpOperation::CeilLog2:
    return true;
  default:
    return false;
  }
}

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
