//===- ScalarValues.cpp - Jump functions of numbers -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: constants, and operations on values that whole-program analysis may
// know. ValueBounds has what instructions say of a number's bits and bounds.
//
//   dx = 1.0f / (n - 1); grid = (int)ceil(n / 256.0);    of a known n
//
// Floating-point numbers are computed as the program does: on the host, where
// no flag or target lets it do otherwise (isExact): `a * b + c` is
// llvm.fmuladd, which says nothing of its roundings. What depends on its mode,
// NaN and denormals, is not known (summary/JumpFunction). That the program does
// not change the rounding is LLVM's premise, too, outside of strictfp.
//
// Linear in the operations, which are bounded (OperationDepth).
//
// Source: D. Callahan et al., "Interprocedural Constant Propagation", 1986.
//
//===----------------------------------------------------------------------===//

#include "ipa/values/ScalarValues.h"

#include "ipa/values/JumpFunctionBuilder.h"
#include "ipa/values/JumpOperations.h"
#include "ipa/values/ValueLimits.h"
#include "ipa/values/ValueShapes.h"
#include "summary/ModuleSummary.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/TargetParser/Triple.h"

namespace gpulto {

using Kind = JumpFunction::Kind;

namespace {

std::optional<JumpOperation> operationOf(const llvm::MinMaxIntrinsic &call) {
  switch (call.getIntrinsicID()) {
  case llvm::Intrinsic::umin:
    return JumpOperation::UMin;
  case llvm::Intrinsic::umax:
    return JumpOperation::UMax;
  case llvm::Intrinsic::smin:
    return JumpOperation::SMin;
  case llvm::Intrinsic::smax:
    return JumpOperation::SMax;
  default:
    return std::nullopt;
  }
}

/// The operations of floating-point numbers.
std::optional<JumpOperation> floatOperationOf(unsigned opcode) {
  switch (opcode) {
  case llvm::Instruction::FAdd:
    return JumpOperation::FAdd;
  case llvm::Instruction::FSub:
    return JumpOperation::FSub;
  case llvm::Instruction::FMul:
    return JumpOperation::FMul;
  case llvm::Instruction::FDiv:
    return JumpOperation::FDiv;
  case llvm::Instruction::FPExt:
    return JumpOperation::FExt;
  case llvm::Instruction::FPTrunc:
    return JumpOperation::FTrunc;
  case llvm::Instruction::SIToFP:
    return JumpOperation::SIToFP;
  case llvm::Instruction::UIToFP:
    return JumpOperation::UIToFP;
  case llvm::Instruction::FPToSI:
    return JumpOperation::FPToSI;
  case llvm::Instruction::FPToUI:
    return JumpOperation::FPToUI;
  default:
    return std::nullopt;
  }
}

/// The bits of the vector constant \p vector, first element lowest.
std::optional<uint64_t> vectorBits(const llvm::Constant &vector) {
  auto &type = *llvm::cast<llvm::FixedVectorType>(vector.getType());
  unsigned width = scalarBits(*type.getElementType());
  uint64_t bits = 0;
  for (unsigned i = 0; i < type.getNumElements(); ++i) {
    const llvm::Constant *element = vector.getAggregateElement(i);
    uint64_t part;
    if (auto *integer = llvm::dyn_cast_or_null<llvm::ConstantInt>(element))
      part = integer->getZExtValue();
    else if (auto *number = llvm::dyn_cast_or_null<llvm::ConstantFP>(element))
      part = number->getValueAPF().bitcastToAPInt().getZExtValue();
    else
      return std::nullopt;
    bits |= part << (i * width);
  }
  return bits;
}

} // namespace

JumpFunction constantValue(const llvm::Value &value) {
  unsigned bits = scalarBits(*value.getType());
  if (bits && value.getType()->isVectorTy()) {
    std::optional<uint64_t> all = vectorBits(llvm::cast<llvm::Constant>(value));
    return all ? JumpFunction::constant(*all, static_cast<uint16_t>(bits))
               : JumpFunction::unknown(bits);
  }
  if (auto *integer = llvm::dyn_cast<llvm::ConstantInt>(&value))
    return bits ? JumpFunction::constant(integer->getZExtValue(),
                                         static_cast<uint16_t>(bits))
                : JumpFunction::unknown(0);
  if (auto *number = llvm::dyn_cast<llvm::ConstantFP>(&value))
    return bits ? JumpFunction::constant(
                      number->getValueAPF().bitcastToAPInt().getZExtValue(),
                      static_cast<uint16_t>(bits))
                : JumpFunction::unknown(0);
  return JumpFunction::unknown(bits);
}

/// Whether operations on values of \p type can be told.
static bool isNumber(const llvm::Type &type) {
  return type.isIntegerTy() || type.isFloatTy() || type.isDoubleTy();
}

/// As operations.compose(), of a value.
JumpFunction ScalarValues::ofComposition(JumpOperation operation,
                                         const llvm::Value &input,
                                         uint64_t operand, unsigned bits) {
  if (!isNumber(*input.getType()) || llvm::isa<llvm::Constant>(input) ||
      !depth.allows(1))
    return JumpFunction::unknown(bits);
  depth.enter(1);
  JumpFunction known = values.of(input);
  depth.leave(1);
  return operations.compose(operation, known, operand, bits);
}

/// Whether an operand, the left one if \p isLeft, bounds the result of
/// \p operation whatever the other one is.
static bool boundsAlone(JumpOperation operation, bool isLeft) {
  switch (operation) {
  case JumpOperation::And:
  case JumpOperation::UMin:
  case JumpOperation::UMax:
  case JumpOperation::URem:
    return true;
  case JumpOperation::LShr:
  case JumpOperation::UDiv:
    return isLeft;
  default:
    return false;
  }
}

/// `left OPERATION right`, neither known here, or a constant on the left.
JumpFunction ScalarValues::ofOperands(JumpOperation operation,
                                      const llvm::Value &left,
                                      const llvm::Value &right, unsigned bits) {
  // If there are two values, trees of them are kept lower.
  unsigned weight = llvm::isa<llvm::Constant>(left) ? 1 : 2;
  if (!depth.allows(weight))
    return JumpFunction::unknown(bits);
  depth.enter(weight);
  JumpFunction a = values.of(left), b = values.of(right);
  depth.leave(weight);
  // One may be unknown where the other one, or what is known of both, tells
  // something of the result.
  auto isOperand = [&](const JumpFunction &j, const JumpFunction &other,
                       bool isLeft) {
    return isInput(j) || j.kind == Kind::Constant ||
           (isInput(other) && j.bitWidth == bits &&
            (j.high || boundsAlone(operation, !isLeft)));
  };
  if (!isOperand(a, b, true) || !isOperand(b, a, false))
    return JumpFunction::unknown(bits);
  return operations.composeTwo(operation, a, b, bits);
}

/// Whether the target of \p function may compute a sum of a product as one,
/// with one rounding.
static bool mayFuse(const llvm::Function &function) {
  llvm::Triple triple(function.getParent()->getTargetTriple());
  llvm::StringRef features =
      function.getFnAttribute("target-features").getValueAsString();
  return triple.getArch() != llvm::Triple::x86_64 || features.contains("+fma");
}

/// Whether \p instruction, of floating-point numbers, yields what the operation
/// says and nothing else: in the host's code, without liberties that the
/// programmer gave, or the target takes. \p fusesAll: see ModuleFlag kFusesAll.
static bool isExact(const llvm::Instruction &instruction, bool fusesAll) {
  const llvm::Function &function = *instruction.getFunction();
  if (llvm::Triple(function.getParent()->getTargetTriple()).isNVPTX() ||
      function.hasFnAttribute(llvm::Attribute::StrictFP))
    return false;
  if (!llvm::isa<llvm::FPMathOperator>(instruction))
    return true;
  llvm::FastMathFlags liberties = instruction.getFastMathFlags();
  bool isSum = instruction.getOpcode() == llvm::Instruction::FAdd ||
               instruction.getOpcode() == llvm::Instruction::FSub;
  if (isSum && (liberties.allowContract() || fusesAll) && mayFuse(function))
    return false;
  liberties.setAllowContract(false);
  return liberties.none() &&
         !instruction.hasMetadata(llvm::LLVMContext::MD_fpmath);
}

/// The jump function of \p instruction if it is of floating-point numbers or
/// converts from or to them. Changes of sign are operations on the bits.
JumpFunction
ScalarValues::ofFloatInstruction(const llvm::Instruction &instruction) {
  unsigned bits = scalarBits(*instruction.getType());
  JumpFunction j = JumpFunction::unknown(bits);
  std::optional<JumpOperation> operation =
      floatOperationOf(instruction.getOpcode());
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  llvm::Intrinsic::ID id =
      call ? call->getIntrinsicID() : llvm::Intrinsic::not_intrinsic;
  bool isAbs = id == llvm::Intrinsic::fabs;
  bool isNegation = instruction.getOpcode() == llvm::Instruction::FNeg;
  if (id == llvm::Intrinsic::ceil)
    operation = JumpOperation::FCeil;
  if (id == llvm::Intrinsic::floor)
    operation = JumpOperation::FFloor;
  if ((!operation && !isAbs && !isNegation) ||
      !isNumber(*instruction.getType()) ||
      !isExact(instruction, summary.has(kFusesAll)))
    return j;
  const llvm::Value &input = *instruction.getOperand(0);
  if (isAbs || isNegation) {
    uint64_t sign = uint64_t(1) << (bits - 1);
    return isAbs ? ofComposition(JumpOperation::And, input, sign - 1, bits)
                 : ofComposition(JumpOperation::Xor, input, sign, bits);
  }
  if (takesWidth(*operation))
    return ofComposition(*operation, input, scalarBits(*input.getType()), bits);
  auto *operand = llvm::dyn_cast<llvm::ConstantFP>(instruction.getOperand(1));
  if (!operand)
    return ofOperands(*operation, input, *instruction.getOperand(1), bits);
  return ofComposition(*operation, input,
                       operand->getValueAPF().bitcastToAPInt().getZExtValue(),
                       bits);
}

JumpFunction ScalarValues::of(const llvm::Instruction &instruction) {
  unsigned bits = scalarBits(*instruction.getType());
  std::optional<JumpOperation> operation = operationOf(instruction.getOpcode());
  if (auto *minMax = llvm::dyn_cast<llvm::MinMaxIntrinsic>(&instruction))
    operation = operationOf(*minMax);
  if (!operation)
    return ofFloatInstruction(instruction);
  if (!bits || !instruction.getType()->isIntegerTy())
    return JumpFunction::unknown(bits);
  const llvm::Value &input = *instruction.getOperand(0);
  if (instruction.isCast()) {
    unsigned inputBits = scalarBits(*input.getType());
    return ofComposition(*operation, input,
                         *operation == JumpOperation::Trunc ? 0 : inputBits,
                         bits);
  }
  auto *operand = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(1));
  if (!operand)
    return ofOperands(*operation, input, *instruction.getOperand(1), bits);
  return ofComposition(*operation, input, operand->getZExtValue(), bits);
}

} // namespace gpulto
