//===- JumpFunctionBuilder.cpp - Jump functions from IR -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: say of an argument what it is in terms of constants, symbols and the
// formal parameters of the function it stands in. After the pre-link pipeline
// scalars are SSA values, so one look at the defining instruction is enough.
// What is in memory is found by JumpFunctionMemory.cpp.
//
// Source: D. Callahan et al., "Interprocedural Constant Propagation", 1986.
//
//===----------------------------------------------------------------------===//

#include "ipa/values/JumpFunctionBuilder.h"

#include "ipa/bodies/Analyze.h"
#include "ipa/runtime/CudaRuntime.h"
#include "ipa/values/HandleTables.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/KnownBits.h"

namespace gpulto {

using Kind = JumpFunction::Kind;

unsigned scalarBits(const llvm::Type &type) {
  if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(&type)) {
    unsigned element = scalarBits(*vector->getElementType());
    uint64_t bits = uint64_t(element) * vector->getNumElements();
    return element % 8 == 0 && bits <= 64 ? static_cast<unsigned>(bits) : 0;
  }
  if (type.isIntegerTy())
    return type.getIntegerBitWidth() <= 64 ? type.getIntegerBitWidth() : 0;
  if (type.isHalfTy() || type.isBFloatTy() || type.isFloatTy() ||
      type.isDoubleTy())
    return type.getScalarSizeInBits();
  return 0;
}

const llvm::Value *stripOffsets(const llvm::Value &pointer,
                                const llvm::DataLayout &layout,
                                int64_t &offset) {
  const llvm::Value *base = &pointer;
  offset = 0;
  while (true) {
    llvm::APInt step(layout.getIndexTypeSizeInBits(base->getType()), 0);
    const llvm::Value *next = base->stripAndAccumulateConstantOffsets(
        layout, step, /*AllowNonInbounds=*/true);
    offset += step.getSExtValue();
    auto *cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(next);
    if (!cast)
      return next;
    base = cast->getPointerOperand();
  }
}

std::optional<LaunchKind> launchKindOf(const llvm::CallBase &call) {
  constexpr unsigned kOperands = 8, kExOperands = 3, kDeviceOperands = 6;
  const llvm::Function *callee = call.getCalledFunction();
  if (!callee)
    return std::nullopt;
  std::optional<LaunchKind> kind = launchKindOf(callee->getName());
  bool isOfDevice = call.getModule()->getTargetTriple().isNVPTX();
  if ((kind == LaunchKind::Device) != isOfDevice)
    return std::nullopt;
  unsigned operands = kind == LaunchKind::RuntimeExC ? kExOperands
                      : kind == LaunchKind::Device   ? kDeviceOperands
                                                     : kOperands;
  return call.arg_size() == operands ? kind : std::nullopt;
}

std::optional<uint64_t> launchBufferBytes(const llvm::CallBase &call) {
  constexpr unsigned kOperands = 2, kSize = 1; // alignment, size
  const llvm::Function *callee = call.getCalledFunction();
  if (!callee || call.arg_size() != kOperands ||
      !call.getModule()->getTargetTriple().isNVPTX() ||
      !isRuntime(callee->getName(), RuntimeFunction::MakesLaunchBuffer))
    return std::nullopt;
  auto *size = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(kSize));
  return size ? std::optional(size->getZExtValue()) : std::nullopt;
}

bool addsKernelNode(const llvm::CallBase &call) {
  const llvm::Function *callee = call.getCalledFunction();
  return callee && callee->isDeclaration() &&
         isRuntime(callee->getName(), RuntimeFunction::AddsKernelNode) &&
         call.arg_size() == kNodeParamsOperand + 1;
}

/// Returns what is known of the function of the runtime that \p call calls, by
/// its name and, where that tells it from others, its number of arguments; null
/// if that is nothing.
static const RuntimeFunction *calledRuntime(const llvm::CallBase &call) {
  const llvm::Function *callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration())
    return nullptr;
  const RuntimeFunction *function = findRuntimeFunction(callee->getName());
  return function && function->arguments == call.arg_size() ? function
                                                            : nullptr;
}

std::optional<unsigned> allocationResult(const llvm::CallBase &call) {
  const RuntimeFunction *function = calledRuntime(call);
  return function && function->has(RuntimeFunction::Allocates)
             ? std::optional(0u)
             : std::nullopt;
}

CopyAccess copyAccess(const llvm::CallBase &call, unsigned index) {
  const RuntimeFunction *function = calledRuntime(call);
  if (!function)
    return CopyAccess::None;
  return function->writes == int(index)  ? CopyAccess::Writes
         : function->reads == int(index) ? CopyAccess::Reads
                                         : CopyAccess::None;
}

bool isPackedPair(const llvm::Value &value) {
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  return instruction && value.getType()->isIntegerTy(64) &&
         instruction->getOpcode() == llvm::Instruction::Or;
}

JumpFunctionBuilder::JumpFunctionBuilder(LgenContext &context,
                                         llvm::Function &function)
    : context(context), function(function),
      layout(function.getParent()->getDataLayout()) {}

JumpFunction JumpFunctionBuilder::ofPointer(const llvm::Value &value) {
  JumpFunction j;
  if (llvm::isa<llvm::ConstantPointerNull>(value)) {
    j.kind = Kind::Null;
    return j;
  }
  int64_t offset = 0;
  const llvm::Value *base = stripOffsets(value, layout, offset);
  if (auto *global = llvm::dyn_cast<llvm::GlobalValue>(base)) {
    SymbolIndex symbol = context.indexOf(*global);
    if (symbol != kNone) {
      j.kind = Kind::SymbolAddress;
      j.source = symbol;
      j.value = static_cast<uint64_t>(offset);
    }
    return j;
  }
  auto *argument = llvm::dyn_cast<llvm::Argument>(base);
  if (argument && !argument->hasPassPointeeByValueCopyAttr()) {
    bool isSame = base == &value;
    j.kind = isSame ? Kind::PassThrough : Kind::Ancestor;
    j.source = argument->getArgNo();
    j.value = static_cast<uint64_t>(offset);
    return j;
  }
  if (JumpFunction derived = ofDerived(value);
      derived.kind != Kind::Unknown || derived.hasFacts())
    return derived;
  if (base == &value && context.summary.side == Side::Host)
    if (const llvm::GlobalVariable *table = handleTableOf(value))
      if (SymbolIndex symbol = context.indexOf(*table); symbol != kNone) {
        j.kind = Kind::LoadVariable;
        j.source = symbol;
        return j;
      }
  llvm::Align align = base->getPointerAlignment(layout);
  if (llvm::isa<llvm::PHINode, llvm::SelectInst, llvm::LoadInst>(base))
    align = std::max(align, llvm::Align(uint64_t(1) << choicesAlignLog2(base)));
  if (base != &value)
    align = llvm::commonAlignment(align, static_cast<uint64_t>(offset));
  j.alignLog2 = static_cast<uint8_t>(llvm::Log2(align));
  unsigned space = base->getType()->getPointerAddressSpace();
  j.addressSpace = static_cast<uint8_t>(space);
  if (auto *call = llvm::dyn_cast<llvm::CallBase>(base);
      call && base == &value) {
    JumpFunction result = ofCall(*call, 0, 0);
    j.kind = result.kind;
    j.source = result.source;
    j.nonNull = call->isReturnNonNull();
  }
  if (argument && space == 0)
    j.nonNull = !llvm::NullPointerIsDefined(&function);
  return j;
}

/// The \p bits bits at byte \p offset of what \p call returns, 0 for a pointer.
/// Functions of the C library, as LLVM knows them, are not of this program.
JumpFunction JumpFunctionBuilder::ofCall(const llvm::CallBase &call,
                                         uint64_t offset, unsigned bits) {
  JumpFunction j = JumpFunction::unknown(bits);
  const llvm::Function *callee = call.getCalledFunction();
  bool isLibrary = callee && callee->isDeclaration() &&
                   callee->hasFnAttribute(llvm::Attribute::NoFree);
  if (!callee || isLibrary || !isCallEdge(call))
    return j;
  j.kind = Kind::CallResult;
  j.source = callNumber(call);
  j.value = offset;
  return j;
}

/// \p value as what a call returns, or as an element of it.
JumpFunction JumpFunctionBuilder::ofResult(const llvm::Value &value) {
  unsigned bits = scalarBits(*value.getType());
  if (auto *call = llvm::dyn_cast<llvm::CallBase>(&value))
    return ofCall(*call, 0, bits);
  auto *element = llvm::dyn_cast<llvm::ExtractValueInst>(&value);
  auto *call =
      element && element->getNumIndices() == 1
          ? llvm::dyn_cast<llvm::CallBase>(element->getAggregateOperand())
          : nullptr;
  auto *type =
      call ? llvm::dyn_cast<llvm::StructType>(call->getType()) : nullptr;
  if (!type)
    return JumpFunction::unknown(bits);
  return ofCall(*call,
                layout.getStructLayout(type)
                    ->getElementOffset(*element->idx_begin())
                    .getFixedValue(),
                bits);
}

JumpFunction JumpFunctionBuilder::of(const llvm::Value &value) {
  const llvm::Type &type = *value.getType();
  auto *load = llvm::dyn_cast<llvm::LoadInst>(&value);
  if (load) {
    JumpFunction j = ofLoad(*load);
    if (j.kind != Kind::Unknown)
      return j;
  }
  if (type.isPointerTy())
    return ofPointer(value);
  if (llvm::isa<llvm::Constant>(value))
    return ofConstant(value);
  if (auto *argument = llvm::dyn_cast<llvm::Argument>(&value)) {
    unsigned bits = scalarBits(type);
    return bits ? JumpFunction::passThrough(argument->getArgNo(),
                                            static_cast<uint16_t>(bits))
                : JumpFunction::unknown(0);
  }
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  JumpFunction j = JumpFunction::unknown(scalarBits(type));
  if (instruction && j.bitWidth) {
    j = ofResult(value);
    if (j.kind == Kind::Unknown)
      j = ofScalarInstruction(*instruction);
    if (auto *phi = llvm::dyn_cast<llvm::PHINode>(instruction))
      j = ofLoopResult(*phi);
    if (j.kind == Kind::Unknown || hasOwnBounds(context.summary, j))
      addBounds(value, j);
  }
  return j;
}

/// What is stored where \p ret returns: the elements of a structure, or the
/// halves of a pair that the calling convention packs into one register.
JumpFunction JumpFunctionBuilder::ofReturn(const llvm::ReturnInst &ret) {
  llvm::SmallVector<AggregatePart, 8> parts;
  auto add = [&](uint64_t offset, const JumpFunction &part) {
    if (part.kind != Kind::Unknown && part.bitWidth % 8 == 0)
      appendPart(parts, offset, part);
  };
  auto isPair = [&](const llvm::Value &value, const JumpFunction &whole) {
    return (isPackedPair(value) || whole.kind == Kind::Unknown) &&
           value.getType()->isIntegerTy(2 * kHalfBits);
  };
  auto addHalves = [&](uint64_t offset, const llvm::Value &value) {
    auto [low, high] = halvesOf(value);
    add(offset, low);
    add(offset + kHalfBits / 8, high);
  };
  auto *value = ret.getReturnValue();
  auto *type =
      value ? llvm::dyn_cast<llvm::StructType>(value->getType()) : nullptr;
  if (!value) {
    for (const llvm::Argument &argument : function.args())
      if (argument.hasStructRetAttr())
        parts =
            partsOf(argument,
                    layout.getTypeAllocSize(argument.getParamStructRetType())
                        .getFixedValue(),
                    ret);
  } else if (type) {
    for (unsigned i = 0; i < type->getNumElements(); ++i) {
      const llvm::Value *element = llvm::FindInsertedValue(value, {i});
      if (!element)
        continue;
      uint64_t offset =
          layout.getStructLayout(type)->getElementOffset(i).getFixedValue();
      JumpFunction whole = of(*element);
      if (isPair(*element, whole))
        addHalves(offset, *element);
      else
        add(offset, whole);
    }
  } else {
    JumpFunction whole = of(*value);
    if (!isPair(*value, whole))
      return whole;
    addHalves(0, *value);
    if (parts.empty())
      return whole;
  }
  return parts.empty() ? JumpFunction()
                       : context.jumpFunctions.aggregate(parts);
}

JumpFunction JumpFunctionBuilder::ofArgument(const llvm::CallBase &call,
                                             unsigned index) {
  const llvm::Value &value = *call.getArgOperand(index);
  if (!call.isByValArgument(index))
    return value.getType()->isPointerTy() ? ofReference(value, call)
                                          : of(value);
  uint64_t size =
      layout.getTypeAllocSize(call.getParamByValType(index)).getFixedValue();
  return ofMemory(value, size, call);
}

/// What \p pointer, an argument of \p call, is and points to.
JumpFunction JumpFunctionBuilder::ofReference(const llvm::Value &pointer,
                                              const llvm::CallBase &call) {
  JumpFunction address = of(pointer);
  if (address.isPointerPassedOn())
    return withPartsNow(address, call);
  int64_t offset = 0;
  const llvm::Value &variable = *stripOffsets(pointer, layout, offset);
  std::optional<uint64_t> size = heapObjectBytes(variable);
  if (offset < 0 || frees(call, pointer) ||
      (address.kind != Kind::Unknown && !size))
    return address;
  if (auto *alloca = llvm::dyn_cast<llvm::AllocaInst>(&variable))
    if (std::optional<llvm::TypeSize> bytes = alloca->getAllocationSize(layout);
        bytes && !bytes->isScalable())
      size = bytes->getFixedValue();
  if (!size || describe(variable).escapesUnseen)
    return address;
  llvm::SmallVector<AggregatePart, 8> parts;
  if (*size > static_cast<uint64_t>(offset))
    collectParts(pointer, *size - static_cast<uint64_t>(offset), call, 0, parts,
                 0);
  llvm::sort(parts, [](const AggregatePart &a, const AggregatePart &b) {
    return a.byteOffset < b.byteOffset;
  });
  // Without parts, too: this call may be the one that writes the variable, even
  // backwards from its end.
  JumpFunction result = context.jumpFunctions.aggregate(parts);
  result.value = localNumber(variable);
  result.alignLog2 = address.alignLog2;
  result.addressSpace = address.addressSpace;
  result.nonNull = address.nonNull;
  return result;
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

std::pair<JumpFunction, JumpFunction>
JumpFunctionBuilder::halvesOf(const JumpFunction &whole) {
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
    JumpFunction shifted =
        first ? compose(JumpOperation::LShr, whole, first, 2 * kHalfBits)
              : whole;
    return compose(JumpOperation::Trunc, shifted, 0, kHalfBits);
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

std::pair<JumpFunction, JumpFunction>
JumpFunctionBuilder::halvesOf(const llvm::Value &value, unsigned depth) {
  if (!value.getType()->isIntegerTy(2 * kHalfBits) || depth > kMaxDepth)
    return {JumpFunction::unknown(kHalfBits), JumpFunction::unknown(kHalfBits)};
  JumpFunction whole = of(value);
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
std::pair<JumpFunction, JumpFunction>
JumpFunctionBuilder::halvesOf(const llvm::Instruction &value,
                              const JumpFunction &whole, unsigned depth) {
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
    return {isHalf ? of(input) : halvesOf(whole).first, zero};
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
  std::pair<JumpFunction, JumpFunction> halves = halvesOf(whole);
  addKnownBits(value, halves);
  return halves;
}

/// Adds to \p halves, of \p value, what its defining instructions say of its
/// bits.
void JumpFunctionBuilder::addKnownBits(
    const llvm::Value &value, std::pair<JumpFunction, JumpFunction> &halves) {
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
