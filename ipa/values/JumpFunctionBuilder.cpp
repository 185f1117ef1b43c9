//===- JumpFunctionBuilder.cpp - Jump functions from IR -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: say of an argument what it is in terms of constants, symbols and the
// formal parameters of the function it stands in. After the pre-link pipeline
// scalars are SSA values, so one look at the defining instruction is enough.
// of() asks one class for each kind of value; each asks of() for the values
// that its own are in terms of.
//
// Source: D. Callahan et al., "Interprocedural Constant Propagation", 1986.
//
//===----------------------------------------------------------------------===//

#include "ipa/values/JumpFunctionBuilder.h"

#include "ipa/values/CallResults.h"
#include "ipa/values/JumpOperations.h"
#include "ipa/values/LocalVariables.h"
#include "ipa/values/LoopResults.h"
#include "ipa/values/MemoryParts.h"
#include "ipa/values/MemoryValues.h"
#include "ipa/values/PackedPairs.h"
#include "ipa/values/PassedMemory.h"
#include "ipa/values/PointerValues.h"
#include "ipa/values/ReachingWrites.h"
#include "ipa/values/ScalarValues.h"
#include "ipa/values/ValueBounds.h"
#include "ipa/values/ValueLimits.h"
#include "ipa/values/ValueShapes.h"
#include "ipa/values/VariableWrites.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace gpulto {

using Kind = JumpFunction::Kind;

struct JumpFunctionBuilder::Kinds {
  Kinds(JumpFunctionBuilder &values, LgenContext &context,
        llvm::Function &function)
      : operations(context.jumpFunctions), locals(context, function),
        writes(context, function), calls(function),
        scalars(values, operations, depth, context.summary),
        pairs(values, operations, function.getParent()->getDataLayout()),
        loops(values, operations, depth, context, function),
        pointers(values, locals, writes, calls, context, function),
        contents(values, locals, writes, calls, context, function),
        parts(values, locals, writes, calls, pointers, contents, context,
              function),
        passed(values, locals, writes, contents, parts, context, function) {}

  OperationDepth depth;
  JumpOperations operations;
  LocalVariables locals;
  ReachingWrites writes;
  CallResults calls;
  ScalarValues scalars;
  PackedPairs pairs;
  LoopResults loops;
  PointerValues pointers;
  MemoryValues contents;
  MemoryParts parts;
  PassedMemory passed;
};

JumpFunctionBuilder::JumpFunctionBuilder(LgenContext &context,
                                         llvm::Function &function)
    : context(context), function(function),
      kinds(std::make_unique<Kinds>(*this, context, function)) {}

JumpFunctionBuilder::~JumpFunctionBuilder() = default;

JumpFunction JumpFunctionBuilder::of(const llvm::Value &value) {
  const llvm::Type &type = *value.getType();
  auto *load = llvm::dyn_cast<llvm::LoadInst>(&value);
  if (load) {
    JumpFunction j = kinds->contents.ofLoad(*load);
    if (j.kind != Kind::Unknown)
      return j;
  }
  if (type.isPointerTy())
    return kinds->pointers.of(value);
  if (llvm::isa<llvm::Constant>(value))
    return constantValue(value);
  if (auto *argument = llvm::dyn_cast<llvm::Argument>(&value)) {
    unsigned bits = scalarBits(type);
    return bits ? JumpFunction::passThrough(argument->getArgNo(),
                                            static_cast<uint16_t>(bits))
                : JumpFunction::unknown(0);
  }
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  JumpFunction j = JumpFunction::unknown(scalarBits(type));
  if (instruction && j.bitWidth) {
    j = kinds->calls.of(value);
    if (j.kind == Kind::Unknown)
      j = kinds->scalars.of(*instruction);
    if (auto *phi = llvm::dyn_cast<llvm::PHINode>(instruction)) {
      j = kinds->loops.of(*phi);
      if (j.kind == Kind::Unknown)
        j = kinds->contents.ofSpared(*phi);
    }
    if (j.kind == Kind::Unknown || hasOwnBounds(context.summary, j))
      addBounds(context, function, value, j);
  }
  return j;
}

/// What is stored where \p ret returns: the elements of a structure, or the
/// halves of a pair that the calling convention packs into one register.
JumpFunction JumpFunctionBuilder::ofReturn(const llvm::ReturnInst &ret) {
  const llvm::DataLayout &layout = function.getParent()->getDataLayout();
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
    return value.getType()->isPointerTy()
               ? kinds->passed.ofReference(value, call)
               : of(value);
  const llvm::DataLayout &layout = function.getParent()->getDataLayout();
  uint64_t size =
      layout.getTypeAllocSize(call.getParamByValType(index)).getFixedValue();
  return ofMemory(value, size, call);
}

JumpFunction JumpFunctionBuilder::ofStored(const llvm::Instruction &instruction,
                                           const VariableWrite &write) {
  if (!write.value)
    return kinds->calls.ofAllocation(llvm::cast<llvm::CallBase>(instruction));
  JumpFunction j = of(*write.value);
  return j.bitWidth % 8 == 0 ? j : JumpFunction();
}

JumpFunction JumpFunctionBuilder::ofMemory(const llvm::Value &pointer,
                                           uint64_t size,
                                           const llvm::Instruction &at) {
  return kinds->passed.ofMemory(pointer, size, at);
}

llvm::SmallVector<AggregatePart, 8>
JumpFunctionBuilder::partsOf(const llvm::Value &pointer, uint64_t size,
                             const llvm::Instruction &at) {
  return kinds->passed.partsOf(pointer, size, at);
}

llvm::SmallVector<AggregatePart, 8>
JumpFunctionBuilder::partsOfVariable(const llvm::GlobalVariable &variable,
                                     uint64_t offset, uint64_t size,
                                     const llvm::Instruction &at, size_t most) {
  llvm::SmallVector<AggregatePart, 8> parts;
  kinds->parts.collectVariable(variable, {offset, size}, at, most, parts);
  return parts;
}

JumpFunction
JumpFunctionBuilder::ofOutput(const llvm::Argument &argument,
                              llvm::ArrayRef<const llvm::Instruction *> rets) {
  return kinds->passed.ofOutput(argument, rets);
}

std::pair<JumpFunction, JumpFunction>
JumpFunctionBuilder::halvesOf(const llvm::Value &value) {
  return kinds->pairs.halvesOf(value);
}

std::pair<JumpFunction, JumpFunction>
JumpFunctionBuilder::halvesOf(const JumpFunction &whole) {
  return kinds->pairs.halvesOf(whole);
}

const llvm::Value *
JumpFunctionBuilder::storedPointer(const llvm::Value &slots, uint64_t offset,
                                   const llvm::Instruction &at) {
  return kinds->passed.storedPointer(slots, offset, at);
}

} // namespace gpulto
