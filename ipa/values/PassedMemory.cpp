//===- PassedMemory.cpp - What calls get by reference ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: what a function passes and leaves in memory, as the jump functions of
// arguments, calls and returns.
//
//   void Solver::run(int n) { this->n = n; check(); kernel<<<this->n, 64>>>();
//   }
//
// Where a function hands the address of a variable to known callees and does
// nothing else with it, the parts are recorded with the variable's number
// (ofReference), and loads through a pointer parameter read these parts:
// whole-program analysis believes them if no callee that gets the address keeps
// it (ipa/constants/Pointees). No other pointer leads there, so what else the
// callee writes does not matter.
//
// What a function leaves behind a pointer parameter is told in the same way at
// its returns (ofOutput), with what was there at its entry as one more choice.
// So is what is there when it passes the pointer on (withPartsNow), and what it
// finds there itself.
//
// Source: aggregate jump functions: GCC's ipa-prop.
//
//===----------------------------------------------------------------------===//

#include "ipa/values/PassedMemory.h"

#include "ipa/values/DerivedPointer.h"
#include "ipa/values/JumpFunctionBuilder.h"
#include "ipa/values/LocalVariables.h"
#include "ipa/values/MemoryParts.h"
#include "ipa/values/MemoryValues.h"
#include "ipa/values/ReachingWrites.h"
#include "ipa/values/ValueShapes.h"
#include "summary/ModuleSummary.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace gpulto {

using Kind = JumpFunction::Kind;

PassedMemory::PassedMemory(JumpFunctionBuilder &values, LocalVariables &locals,
                           ReachingWrites &writes, MemoryValues &contents,
                           MemoryParts &memory, LgenContext &context,
                           llvm::Function &function)
    : values(values), locals(locals), writes(writes), contents(contents),
      memory(memory), context(context), function(function),
      layout(function.getParent()->getDataLayout()) {}

/// How far behind a pointer parameter a function is asked what it leaves.
static constexpr uint64_t kMaxOutputBytes = uint64_t(1) << 30;

/// Puts \p parts in the order of their bytes.
static void sortParts(llvm::SmallVectorImpl<AggregatePart> &parts) {
  llvm::sort(parts, [](const AggregatePart &a, const AggregatePart &b) {
    return a.byteOffset < b.byteOffset;
  });
}

llvm::SmallVector<AggregatePart, 8>
PassedMemory::partsOf(const llvm::Value &pointer, uint64_t size,
                      const llvm::Instruction &at) {
  llvm::SmallVector<AggregatePart, 8> parts;
  memory.collectParts(pointer, size, at, 0, parts);
  sortParts(parts);
  return parts;
}

JumpFunction PassedMemory::ofMemory(const llvm::Value &pointer, uint64_t size,
                                    const llvm::Instruction &at) {
  const llvm::Value *source = &pointer;
  const llvm::Instruction *place = &at;
  // A copy of a whole formal: follow it through one temporary.
  auto formalOf = [&](const llvm::Value &value) -> const llvm::Argument * {
    auto *argument = llvm::dyn_cast<llvm::Argument>(&value);
    if (!argument || !argument->hasByValAttr() ||
        layout.getTypeAllocSize(argument->getParamByValType())
                .getFixedValue() != size ||
        !contents.isOfEntry(*argument, 0, size, *place))
      return nullptr;
    return argument;
  };
  if (auto *variable = llvm::dyn_cast<llvm::AllocaInst>(source)) {
    const LocalVariable &local = locals.describe(*variable);
    for (const LocalWrite &write : local.writes) {
      auto *copy = llvm::dyn_cast<llvm::MemTransferInst>(write.instruction);
      if (!local.escapes && copy && !copy->isVolatile() && write.offset == 0 &&
          write.size >= size && writes.reaches(write, local, at)) {
        source = copy->getRawSource();
        place = copy;
      }
    }
  }
  if (const llvm::Argument *argument = formalOf(*source))
    return JumpFunction::passThrough(argument->getArgNo(), 0);
  int64_t offset = 0;
  auto *reference =
      llvm::dyn_cast<llvm::Argument>(stripOffsets(*source, layout, offset));
  if (reference && isPassedByReference(*reference) && offset >= 0) {
    JumpFunction result = JumpFunction::passThrough(reference->getArgNo(), 0);
    result.kind = offset ? Kind::Ancestor : Kind::PassThrough;
    result.value = static_cast<uint64_t>(offset);
    return result;
  }
  llvm::SmallVector<AggregatePart, 8> parts;
  memory.collectParts(pointer, size, at, 0, parts);
  if (parts.empty())
    return JumpFunction();
  sortParts(parts);
  return context.jumpFunctions.aggregate(parts);
}

JumpFunction PassedMemory::ofReference(const llvm::Value &pointer,
                                       const llvm::CallBase &call) {
  JumpFunction address = values.of(pointer);
  if (address.isPointerPassedOn())
    return withPartsNow(address, call);
  int64_t offset = 0;
  const llvm::Value &variable = *stripOffsets(pointer, layout, offset);
  std::optional<uint64_t> size = locals.heapObjectBytes(variable);
  if (offset < 0 || locals.frees(call, pointer) ||
      (address.kind != Kind::Unknown && !size))
    return address;
  if (auto *alloca = llvm::dyn_cast<llvm::AllocaInst>(&variable))
    if (std::optional<llvm::TypeSize> bytes = alloca->getAllocationSize(layout);
        bytes && !bytes->isScalable())
      size = bytes->getFixedValue();
  if (!size || locals.describe(variable).escapesUnseen)
    return address;
  llvm::SmallVector<AggregatePart, 8> parts;
  if (*size > static_cast<uint64_t>(offset))
    memory.collectParts(pointer, *size - static_cast<uint64_t>(offset), call, 0,
                        parts);
  sortParts(parts);
  // Without parts, too: this call may be the one that writes the variable, even
  // backwards from its end.
  JumpFunction result = context.jumpFunctions.aggregate(parts);
  result.value = locals.numberOf(variable);
  result.alignLog2 = address.alignLog2;
  result.addressSpace = address.addressSpace;
  result.nonNull = address.nonNull;
  return result;
}

/// \p address, a pointer parameter that \p call gets, with what the function
/// has left there before.
JumpFunction PassedMemory::withPartsNow(JumpFunction address,
                                        const llvm::CallBase &call) {
  const llvm::Argument &argument = *function.getArg(address.source);
  int64_t offset = static_cast<int64_t>(address.value);
  if (!isPassedByReference(argument) || offset < 0 ||
      static_cast<uint64_t>(offset) >= kMaxOutputBytes)
    return address;
  // What kernels get does not lead to the host's memory.
  const llvm::Function *callee = call.getCalledFunction();
  SymbolIndex symbol = callee ? context.indexOf(*callee) : kNone;
  if (symbol != kNone && context.summary.symbols[symbol].has(kKernelStub))
    return address;
  const LocalVariable &local = locals.describe(argument);
  if (local.escapesUnseen || local.writes.empty())
    return address;
  // A callee that gets two addresses may mix them up.
  auto isThere = [&](const llvm::Use &use) {
    return use->getType()->isPointerTy() &&
           llvm::getUnderlyingObject(use.get()) == &argument;
  };
  if (llvm::count_if(call.args(), isThere) != 1)
    return address;
  llvm::SmallVector<AggregatePart, 8> parts;
  const llvm::Instruction *place = &call;
  uint64_t begin = static_cast<uint64_t>(offset);
  memory.collectWritten(argument, begin, kMaxOutputBytes - begin, place, parts);
  sortParts(parts);
  if (parts.empty())
    return address;
  JumpFunction now = context.jumpFunctions.aggregate(parts);
  address.parameter = now.source;
  address.count = now.count;
  return address;
}

JumpFunction
PassedMemory::ofOutput(const llvm::Argument &argument,
                       llvm::ArrayRef<const llvm::Instruction *> rets) {
  if (!isPassedByReference(argument) || argument.hasStructRetAttr() ||
      rets.empty())
    return JumpFunction();
  const LocalVariable &local = locals.describe(argument);
  if (local.escapesUnseen || local.writes.empty())
    return JumpFunction();
  llvm::SmallVector<AggregatePart, 8> parts;
  memory.collectWritten(argument, 0, kMaxOutputBytes, rets, parts);
  sortParts(parts);
  return parts.empty() ? JumpFunction()
                       : context.jumpFunctions.aggregate(parts);
}

const llvm::Value *PassedMemory::storedPointer(const llvm::Value &slots,
                                               uint64_t offset,
                                               const llvm::Instruction &at) {
  auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&slots);
  if (!variable)
    return nullptr;
  uint64_t pointerBytes = layout.getPointerSize();
  const LocalVariable &local = locals.describe(*variable);
  if (local.escapes)
    return nullptr;
  for (const LocalWrite &write : local.writes) {
    auto *store = llvm::dyn_cast<llvm::StoreInst>(write.instruction);
    if (store && write.offset == offset && write.size == pointerBytes &&
        writes.reaches(write, local, at))
      return store->getValueOperand();
  }
  return nullptr;
}

} // namespace gpulto
