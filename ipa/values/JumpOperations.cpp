//===- JumpOperations.cpp - Operations on jump functions ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/values/JumpOperations.h"

#include "ipa/values/ValueShapes.h"
#include "summary/ModuleSummary.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"

namespace gpulto {

using Kind = JumpFunction::Kind;

std::optional<JumpOperation> operationOf(unsigned opcode) {
  switch (opcode) {
  case llvm::Instruction::Add:
    return JumpOperation::Add;
  case llvm::Instruction::Sub:
    return JumpOperation::Sub;
  case llvm::Instruction::Mul:
    return JumpOperation::Mul;
  case llvm::Instruction::Shl:
    return JumpOperation::Shl;
  case llvm::Instruction::LShr:
    return JumpOperation::LShr;
  case llvm::Instruction::AShr:
    return JumpOperation::AShr;
  case llvm::Instruction::And:
    return JumpOperation::And;
  case llvm::Instruction::Or:
    return JumpOperation::Or;
  case llvm::Instruction::Xor:
    return JumpOperation::Xor;
  case llvm::Instruction::UDiv:
    return JumpOperation::UDiv;
  case llvm::Instruction::SDiv:
    return JumpOperation::SDiv;
  case llvm::Instruction::URem:
    return JumpOperation::URem;
  case llvm::Instruction::SRem:
    return JumpOperation::SRem;
  case llvm::Instruction::ZExt:
    return JumpOperation::ZExt;
  case llvm::Instruction::SExt:
    return JumpOperation::SExt;
  case llvm::Instruction::Trunc:
    return JumpOperation::Trunc;
  default:
    return std::nullopt;
  }
}

bool isInput(const JumpFunction &j) {
  return j.kind == Kind::PassThrough || j.kind == Kind::LoadAggregate ||
         j.kind == Kind::CallResult || j.kind == Kind::Memory ||
         j.kind == Kind::VariablePart || j.kind == Kind::Composed;
}

bool hasOwnBounds(const ModuleSummary &summary, const JumpFunction &j) {
  const JumpFunction *outer = &j;
  while (outer->kind == Kind::Composed && outer->count == 0)
    outer = &summary.jumpFunctions[outer->source];
  return outer->kind == Kind::Composed || outer->kind == Kind::Unknown;
}

/// Whether \p input is the high half of a pair, of which nothing is known, and
/// \p operand the low one: that stays known.
static bool isLowHalf(JumpOperation operation, const JumpFunction &input,
                      uint64_t operand) {
  return operation == JumpOperation::Or && input.kind == Kind::Unknown &&
         input.bitWidth == 2 * kHalfBits && input.alignLog2 >= kHalfBits &&
         operand <= UINT32_MAX;
}

JumpFunction JumpOperations::compose(JumpOperation operation,
                                     const JumpFunction &input,
                                     uint64_t operand, unsigned bits) {
  bool isConstant = input.kind == Kind::Constant;
  bool isPlain = input.kind == Kind::PassThrough &&
                 input.operation == JumpOperation::None && !input.hasFacts();
  if (!isConstant && !isInput(input) && !isLowHalf(operation, input, operand))
    return JumpFunction::unknown(bits);
  bool isSum =
      operation == JumpOperation::Add || operation == JumpOperation::Sub;
  if ((isSum && operand == 0) ||
      (operation == JumpOperation::Mul && operand == 1))
    return input;
  JumpFunction result = isPlain ? input : JumpFunction();
  result.operation = operation;
  result.value = operand;
  result.bitWidth = static_cast<uint16_t>(bits);
  if (isPlain)
    return result;
  result.kind = Kind::Composed;
  if (isConstant) {
    std::optional<uint64_t> value = evaluate(result, input.value);
    return value ? JumpFunction::constant(*value, result.bitWidth)
                 : JumpFunction::unknown(bits);
  }
  result.source = table.add(input).first;
  return result;
}

//===----------------------------------------------------------------------===//
// Operations on jump functions
//===----------------------------------------------------------------------===//

JumpFunction JumpOperations::compose(JumpOperation operation,
                                     const JumpFunction &left,
                                     const JumpFunction &right, unsigned bits) {
  if (right.kind == Kind::Constant)
    return compose(operation, left, right.value, bits);
  if (!isInput(right) || (!isInput(left) && left.kind != Kind::Constant))
    return JumpFunction::unknown(bits);
  return composeTwo(operation, left, right, bits);
}

JumpFunction JumpOperations::composeTwo(JumpOperation operation,
                                        const JumpFunction &left,
                                        const JumpFunction &right,
                                        unsigned bits) {
  JumpFunction result = JumpFunction::unknown(bits);
  result.kind = Kind::Composed;
  result.operation = operation;
  result.source = table.add(left).first;
  result.count = table.add(right).first + 1;
  return result;
}

JumpFunction JumpOperations::resized(const JumpFunction &input, unsigned bits) {
  if (input.bitWidth == bits)
    return input;
  return input.bitWidth < bits
             ? compose(JumpOperation::ZExt, input, input.bitWidth, bits)
             : compose(JumpOperation::Trunc, input, uint64_t(0), bits);
}

JumpFunction JumpOperations::applied(const llvm::Instruction &operation,
                                     const JumpFunction &input) {
  unsigned bits = scalarBits(*operation.getType());
  JumpOperation kind = *operationOf(operation.getOpcode());
  uint64_t operand =
      kind == JumpOperation::Trunc ? 0
      : operation.isCast()
          ? input.bitWidth
          : llvm::cast<llvm::ConstantInt>(operation.getOperand(1))
                ->getZExtValue();
  return compose(kind, input, operand, bits);
}

} // namespace gpulto
