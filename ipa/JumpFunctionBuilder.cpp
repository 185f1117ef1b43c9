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

#include "ipa/JumpFunctionBuilder.h"

#include "ipa/Analyze.h"
#include "ipa/HandleUses.h"
#include "ipa/Handles.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
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
  constexpr unsigned kOperands = 8, kExOperands = 3;
  const llvm::Function *callee = call.getCalledFunction();
  if (!callee)
    return std::nullopt;
  std::optional<LaunchKind> kind = launchKindOf(callee->getName());
  bool isEx = kind == LaunchKind::RuntimeExC;
  return call.arg_size() == (isEx ? kExOperands : kOperands) ? kind
                                                             : std::nullopt;
}

std::optional<unsigned> allocationResult(const llvm::CallBase &call) {
  const llvm::Function *callee = call.getCalledFunction();
  llvm::StringRef name = callee ? callee->getName() : llvm::StringRef();
  if (!name.consume_front("cudaMalloc") || !callee->isDeclaration())
    return std::nullopt;
  name.consume_back("_ptsz");
  // The number of parameters tells the runtime's functions from others.
  unsigned parameters = llvm::StringSwitch<unsigned>(name)
                            .Case("", 2)
                            .Cases("Managed", "Async", 3)
                            .Cases("Pitch", "FromPoolAsync", 4)
                            .Default(0);
  if (parameters == 0 || call.arg_size() != parameters)
    return std::nullopt;
  return 0;
}

CopyAccess copyAccess(const llvm::CallBase &call, unsigned index) {
  struct Entry {
    llvm::StringLiteral name;
    unsigned arguments;
    unsigned index;
    CopyAccess access;
  };
  // CUDA Runtime API, 6.9 Memory Management. Not the Async ones, which may read
  // after they have returned.
  static constexpr Entry kEntries[] = {
      {"cudaMemcpy", 4, 0, CopyAccess::Writes},
      {"cudaMemcpy", 4, 1, CopyAccess::Reads},
      {"cudaMemcpy2D", 7, 0, CopyAccess::Writes},
      {"cudaMemcpy2D", 7, 2, CopyAccess::Reads},
      {"cudaMemcpyToSymbol", 5, 1, CopyAccess::Reads},
      {"cudaMemcpyFromSymbol", 5, 0, CopyAccess::Writes},
  };
  const llvm::Function *callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration())
    return CopyAccess::None;
  llvm::StringRef name = callee->getName();
  name.consume_back("_ptds");
  for (const Entry &entry : kEntries)
    if (name == entry.name && index == entry.index &&
        call.arg_size() == entry.arguments)
      return entry.access;
  return CopyAccess::None;
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
  // Memory that a call allocated, at any distance from its beginning.
  const llvm::Value *object = llvm::getUnderlyingObject(base);
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(object)) {
    JumpFunction allocated = ofLoad(*load);
    if (allocated.kind == Kind::Allocation) {
      if (object != base)
        allocated.alignLog2 = 0;
      else if (offset)
        allocated.alignLog2 = static_cast<uint8_t>(std::min<unsigned>(
            allocated.alignLog2,
            llvm::countr_zero(static_cast<uint64_t>(offset))));
      allocated.nonNull = false;
      return allocated;
    }
    if (object != &value && isInput(allocated) &&
        context.summary.side == Side::Host) {
      // One byte away: nothing is known of the distance.
      constexpr uint64_t kSomewhere = 1;
      j.kind = Kind::Composed;
      j.operation = JumpOperation::Add;
      j.source = context.jumpFunctions.add(allocated).first;
      j.value = object == base ? static_cast<uint64_t>(offset) : kSomewhere;
      return j;
    }
  }
  if (base == &value && context.summary.side == Side::Host)
    if (const llvm::GlobalVariable *table = handleTableOf(value))
      if (SymbolIndex symbol = context.indexOf(*table); symbol != kNone) {
        j.kind = Kind::LoadVariable;
        j.source = symbol;
        return j;
      }
  llvm::Align align = base->getPointerAlignment(layout);
  if (base != &value)
    align = llvm::commonAlignment(align, static_cast<uint64_t>(offset));
  j.alignLog2 = static_cast<uint8_t>(llvm::Log2(align));
  unsigned space = base->getType()->getPointerAddressSpace();
  bool isLocal = llvm::isa<llvm::AllocaInst>(base) || argument;
  j.addressSpace = static_cast<uint8_t>(space);
  if (auto *call = llvm::dyn_cast<llvm::CallBase>(base);
      call && base == &value) {
    JumpFunction result = ofCall(*call, 0, 0);
    j.kind = result.kind;
    j.source = result.source;
    j.nonNull = call->isReturnNonNull();
  }
  if (isLocal && space == 0)
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
    if (j.kind == Kind::Unknown || isOfTwo(context.summary, j))
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
      parts.push_back({static_cast<uint32_t>(offset), part});
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
    for (unsigned i = 0; i < type->getNumElements(); ++i)
      if (const llvm::Value *element = llvm::FindInsertedValue(value, {i}))
        add(layout.getStructLayout(type)->getElementOffset(i).getFixedValue(),
            of(*element));
  } else {
    JumpFunction whole = of(*value);
    bool isPacked = isPackedPair(*value) || whole.kind == Kind::Unknown;
    if (!isPacked || !value->getType()->isIntegerTy(64))
      return whole;
    constexpr uint64_t kHalfBytes = 4;
    auto [low, high] = halvesOf(*value);
    add(0, low);
    add(kHalfBytes, high);
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

std::pair<JumpFunction, JumpFunction>
JumpFunctionBuilder::halvesOf(const llvm::Value &value, unsigned depth) {
  constexpr unsigned kHalf = 32;
  std::pair<JumpFunction, JumpFunction> result(JumpFunction::unknown(kHalf),
                                               JumpFunction::unknown(kHalf));
  if (!value.getType()->isIntegerTy(2 * kHalf) || depth > kMaxDepth)
    return result;
  JumpFunction zero = JumpFunction::constant(0, kHalf);
  if (auto *constant = llvm::dyn_cast<llvm::ConstantInt>(&value)) {
    uint64_t bits = constant->getZExtValue();
    return {JumpFunction::constant(uint32_t(bits), kHalf),
            JumpFunction::constant(bits >> kHalf, kHalf)};
  }
  JumpFunction whole = of(value);
  if (whole.kind == Kind::Constant)
    return {JumpFunction::constant(uint32_t(whole.value), kHalf),
            JumpFunction::constant(whole.value >> kHalf, kHalf)};
  if (whole.kind == Kind::PassThrough &&
      whole.operation == JumpOperation::None) {
    whole.operation = JumpOperation::Trunc;
    whole.bitWidth = kHalf;
    return {whole, result.second};
  }
  if (whole.kind == Kind::CallResult || whole.kind == Kind::LoadAggregate ||
      whole.kind == Kind::Memory || whole.kind == Kind::VariablePart) {
    JumpFunction low = whole, high = whole;
    low.bitWidth = high.bitWidth = kHalf;
    high.value += kHalf / 8;
    if (whole.kind == Kind::LoadAggregate && whole.count)
      low.count = high.count = kHalf / 8;
    return {low, high};
  }
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (!instruction)
    return result;
  // What was 64 bits wide before it became a component: `(n + 255) / 256` of a
  // size_t.
  if (auto *mask =
          instruction->getOpcode() == llvm::Instruction::And
              ? llvm::dyn_cast<llvm::ConstantInt>(instruction->getOperand(1))
              : nullptr;
      mask && mask->getZExtValue() == UINT32_MAX)
    return {halvesOf(*instruction->getOperand(0), depth + 1).first, zero};
  auto isZero = [&](const JumpFunction &j) { return j == zero; };
  switch (instruction->getOpcode()) {
  case llvm::Instruction::ZExt:
    if (instruction->getOperand(0)->getType()->isIntegerTy(kHalf))
      return {of(*instruction->getOperand(0)), zero};
    return {result.first, zero};
  case llvm::Instruction::Shl: {
    auto *amount =
        llvm::dyn_cast<llvm::ConstantInt>(instruction->getOperand(1));
    if (!amount || amount->getZExtValue() != kHalf)
      return result;
    return {zero, halvesOf(*instruction->getOperand(0), depth + 1).first};
  }
  case llvm::Instruction::Or: {
    auto a = halvesOf(*instruction->getOperand(0), depth + 1);
    auto b = halvesOf(*instruction->getOperand(1), depth + 1);
    auto combine = [&](const JumpFunction &x, const JumpFunction &y) {
      if (isZero(x) || isZero(y))
        return isZero(x) ? y : x;
      return JumpFunction::unknown(kHalf);
    };
    return {combine(a.first, b.first), combine(a.second, b.second)};
  }
  default: {
    llvm::KnownBits bits = llvm::computeKnownBits(&value, layout);
    auto halfOf = [&](unsigned first) {
      llvm::KnownBits half = bits.extractBits(kHalf, first);
      if (half.isConstant())
        return JumpFunction::constant(half.getConstant().getZExtValue(), kHalf);
      JumpFunction j =
          first == 0 ? ofComposition(JumpOperation::Trunc, value, 0, kHalf)
                     : JumpFunction::unknown(kHalf);
      if (!half.hasConflict() && !half.getMaxValue().isAllOnes()) {
        j.low = half.getMinValue().getZExtValue();
        j.high = half.getMaxValue().getZExtValue();
      }
      return j;
    };
    return {halfOf(0), halfOf(kHalf)};
  }
  }
}

} // namespace gpulto
