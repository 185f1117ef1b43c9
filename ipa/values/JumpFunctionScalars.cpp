//===- JumpFunctionScalars.cpp - Jump functions of numbers ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: constants, operations on values that whole-program analysis may know,
// and what the defining instructions say of a number's bits and bounds.
//
//   dx = 1.0f / (n - 1); grid = (int)ceil(n / 256.0);    of a known n
//
// Floating-point numbers are computed as the program does: on the host, where
// no flag or target lets it do otherwise (isExact): `a * b + c` is
// llvm.fmuladd, which says nothing of its roundings. What depends on its mode,
// NaN and denormals, is not known (summary/JumpFunction). That the program does
// not change the rounding is LLVM's premise, too, outside of strictfp.
//
// Linear in the depth of operations, which is bounded (kMaxOperations).
//
// Source: D. Callahan et al., "Interprocedural Constant Propagation", 1986;
// ranges: LLVM's ConstantRange.
//
//===----------------------------------------------------------------------===//

#include "ipa/bodies/Analyze.h"
#include "ipa/values/JumpFunctionBuilder.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/TargetParser/Triple.h"

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

JumpFunction JumpFunctionBuilder::ofConstant(const llvm::Value &value) {
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

bool isInput(const JumpFunction &j) {
  return j.kind == Kind::PassThrough || j.kind == Kind::LoadAggregate ||
         j.kind == Kind::CallResult || j.kind == Kind::Memory ||
         j.kind == Kind::VariablePart || j.kind == Kind::Composed;
}

/// Whether operations on values of \p type can be told.
static bool isNumber(const llvm::Type &type) {
  return type.isIntegerTy() || type.isFloatTy() || type.isDoubleTy();
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

/// `input OPERATION operand`, where \p input is what is known of a number: of a
/// formal parameter directly, of other values by way of the table.
JumpFunction JumpFunctionBuilder::compose(JumpOperation operation,
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
  result.source = context.jumpFunctions.add(input).first;
  return result;
}

/// `left OPERATION right`, of which something is known.
JumpFunction JumpFunctionBuilder::composedOfTwo(JumpOperation operation,
                                                const JumpFunction &left,
                                                const JumpFunction &right,
                                                unsigned bits) {
  JumpFunction result = JumpFunction::unknown(bits);
  result.kind = Kind::Composed;
  result.operation = operation;
  result.source = context.jumpFunctions.add(left).first;
  result.count = context.jumpFunctions.add(right).first + 1;
  return result;
}

/// As compose(), of a value.
JumpFunction JumpFunctionBuilder::ofComposition(JumpOperation operation,
                                                const llvm::Value &input,
                                                uint64_t operand,
                                                unsigned bits) {
  if (!isNumber(*input.getType()) || llvm::isa<llvm::Constant>(input) ||
      operationDepth >= kMaxOperations)
    return JumpFunction::unknown(bits);
  ++operationDepth;
  JumpFunction of = this->of(input);
  --operationDepth;
  return compose(operation, of, operand, bits);
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
JumpFunction JumpFunctionBuilder::ofOperands(JumpOperation operation,
                                             const llvm::Value &left,
                                             const llvm::Value &right,
                                             unsigned bits) {
  // Each has two operands, so trees of them are kept lower.
  constexpr unsigned kWeight = 2;
  if (operationDepth + kWeight > kMaxOperations)
    return JumpFunction::unknown(bits);
  operationDepth += kWeight;
  JumpFunction a = of(left), b = of(right);
  operationDepth -= kWeight;
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
  return composedOfTwo(operation, a, b, bits);
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
JumpFunctionBuilder::ofFloatInstruction(const llvm::Instruction &instruction) {
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
      !isExact(instruction, context.summary.has(kFusesAll)))
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

JumpFunction
JumpFunctionBuilder::ofScalarInstruction(const llvm::Instruction &instruction) {
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

/// The range of the integer \p value by its defining instructions; with choices
/// between values followed to \p depth.
static llvm::ConstantRange rangeOf(const llvm::Value &value,
                                   const llvm::KnownBits &bits,
                                   const llvm::DataLayout &layout,
                                   unsigned depth) {
  constexpr unsigned kMaxChoices = 8;
  llvm::ConstantRange range =
      llvm::ConstantRange::fromKnownBits(bits, /*IsSigned=*/false)
          .intersectWith(
              llvm::computeConstantRange(&value, /*ForSigned=*/false));
  llvm::SmallVector<const llvm::Value *, 4> choices;
  if (auto *phi = llvm::dyn_cast<llvm::PHINode>(&value);
      phi && phi->getNumIncomingValues() <= kMaxChoices)
    choices.append(phi->value_op_begin(), phi->value_op_end());
  if (auto *select = llvm::dyn_cast<llvm::SelectInst>(&value))
    choices = {select->getTrueValue(), select->getFalseValue()};
  if (choices.empty() || depth == 0)
    return range;
  auto united = llvm::ConstantRange::getEmpty(range.getBitWidth());
  for (const llvm::Value *choice : choices)
    united = united.unionWith(rangeOf(
        *choice, llvm::computeKnownBits(choice, layout), layout, depth - 1));
  return range.intersectWith(united);
}

llvm::ConstantRange evolvedRange(llvm::ScalarEvolution &evolution,
                                 const llvm::Value &value) {
  const llvm::SCEV *expression =
      evolution.getSCEV(const_cast<llvm::Value *>(&value));
  return evolution.getUnsignedRange(expression)
      .intersectWith(evolution.getSignedRange(expression),
                     llvm::ConstantRange::Unsigned);
}

/// The range of \p value by ScalarEvolution, where that is worth what it costs:
/// for counters of loops and quotients of two numbers, also if they are
/// converted or packed with a constant as x and y of a dim3.
llvm::ConstantRange
JumpFunctionBuilder::evolvedRange(const llvm::Value &value) {
  constexpr unsigned kMaxSteps = 2;
  const llvm::Value *core = &value;
  for (unsigned step = 0; step < kMaxSteps; ++step) {
    auto *instruction = llvm::dyn_cast<llvm::Instruction>(core);
    bool isPacked = instruction && isPackedPair(*instruction) &&
                    llvm::isa<llvm::ConstantInt>(instruction->getOperand(1));
    if (!isPacked && !llvm::isa_and_nonnull<llvm::CastInst>(instruction))
      break;
    core = instruction->getOperand(0);
  }
  auto *phi = llvm::dyn_cast<llvm::PHINode>(core);
  bool isCounter =
      phi &&
      context.analyses.getResult<llvm::LoopAnalysis>(function).isLoopHeader(
          phi->getParent());
  auto *operation = llvm::dyn_cast<llvm::BinaryOperator>(core);
  bool isQuotient = operation &&
                    operation->getOpcode() == llvm::Instruction::UDiv &&
                    !llvm::isa<llvm::Constant>(operation->getOperand(1));
  if (!isCounter && !isQuotient)
    return llvm::ConstantRange::getFull(scalarBits(*value.getType()));
  return gpulto::evolvedRange(
      context.analyses.getResult<llvm::ScalarEvolutionAnalysis>(function),
      value);
}

/// Adds what the defining instructions say of the bits of \p value.
void JumpFunctionBuilder::addBounds(const llvm::Value &value,
                                    JumpFunction &result) {
  constexpr unsigned kMaxChoiceDepth = 2, kLeastBits = 8;
  if (!value.getType()->isIntegerTy() || result.bitWidth < kLeastBits)
    return; // a flag has two values anyway
  llvm::KnownBits bits = llvm::computeKnownBits(&value, layout);
  if (bits.hasConflict())
    return; // this does not run
  llvm::ConstantRange range =
      rangeOf(value, bits, layout, kMaxChoiceDepth)
          .intersectWith(evolvedRange(value), llvm::ConstantRange::Unsigned);
  result.alignLog2 = static_cast<uint8_t>(
      std::min<unsigned>(bits.countMinTrailingZeros(), result.bitWidth - 1));
  if (range.isEmptySet() || range.isWrappedSet() || range.isFullSet())
    return;
  result.low = range.getUnsignedMin().getZExtValue();
  result.high = range.getUnsignedMax().getZExtValue();
}

} // namespace gpulto
