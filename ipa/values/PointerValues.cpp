//===- PointerValues.cpp - Jump functions of pointers ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: say what a pointer leads into although nobody knows where.
//
//   __shared__ float tile[8][32];   sum(tile[threadIdx.x], 32);
//   -> &tile at a multiple of 128: shared memory, aligned to 128 if tile is
//
// What a pointer was computed from by additions, it is based on (LLVM's rules
// of pointer aliasing): the memory and the address space are the same. Their
// distance is a sum of products, so it is a multiple of the least power of two
// that is in one of them; that holds where it wraps, too. Nothing else is known
// of it. Whole-program analysis must not take it for the memory at the base:
// such a jump function is composed and no pointer passed on.
//
// A pointer that a loop moves is followed back to what it starts from if that
// is the same in each round: a parameter, or a variable of the module.
//
//===----------------------------------------------------------------------===//

#include "ipa/values/PointerValues.h"

#include "ipa/values/CallResults.h"
#include "ipa/values/DerivedPointer.h"
#include "ipa/values/HandleTables.h"
#include "ipa/values/JumpFunctionBuilder.h"
#include "ipa/values/JumpOperations.h"
#include "ipa/values/LocalVariables.h"
#include "ipa/values/ReachingWrites.h"
#include "summary/ModuleSummary.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace gpulto {

using Kind = JumpFunction::Kind;

PointerValues::PointerValues(JumpFunctionBuilder &values,
                             LocalVariables &locals, ReachingWrites &writes,
                             CallResults &calls, LgenContext &context,
                             llvm::Function &function)
    : values(values), locals(locals), writes(writes), calls(calls),
      context(context), function(function),
      layout(function.getParent()->getDataLayout()) {}

/// Whether the address \p base of \p function is not null, if it is one that
/// only this module knows.
static bool isNonNullBase(const llvm::Value &base,
                          const llvm::Function &function) {
  if (auto *argument = llvm::dyn_cast<llvm::Argument>(&base))
    return argument->hasNonNullAttr();
  auto *global = llvm::dyn_cast<llvm::GlobalVariable>(&base);
  return (global && !global->hasExternalWeakLinkage() &&
          !global->isAbsoluteSymbolRef()) ||
         (llvm::isa<llvm::AllocaInst>(base) &&
          !llvm::NullPointerIsDefined(&function));
}

JumpFunction PointerValues::of(const llvm::Value &value) {
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
    JumpFunction result = calls.ofCall(*call, 0, 0);
    j.kind = result.kind;
    j.source = result.source;
    j.nonNull = call->isReturnNonNull();
  }
  if (argument && space == 0)
    j.nonNull = !llvm::NullPointerIsDefined(&function);
  return j;
}

/// What is known of an address in the stack frame, but for its contents. Not
/// that it is local memory of the device: LLVM passes what such a variable is a
/// copy of instead of it where the callee only reads (MemCpyOpt, InstCombine).
JumpFunction PointerValues::ofLocalAddress(const llvm::AllocaInst &variable,
                                           const DerivedPointer &from) {
  JumpFunction j;
  unsigned space = variable.getAddressSpace();
  j.addressSpace = static_cast<uint8_t>(space);
  j.alignLog2 = static_cast<uint8_t>(
      std::min(llvm::Log2(variable.getAlign()), from.distanceLog2));
  j.nonNull =
      space == 0 && from.isInBounds && isNonNullBase(variable, function);
  return j;
}

/// Adds to \p values what ReachingWrites::storedAt() finds in \p variable, a
/// local one. Returns whether it finds anything.
bool PointerValues::addStored(
    const llvm::Value &variable, uint64_t offset,
    llvm::SmallVectorImpl<const llvm::Value *> &values) {
  const LocalVariable &local = locals.describe(variable);
  // What a parameter is when the function is entered, its caller knows.
  if (llvm::isa<llvm::Argument>(variable) || local.escapes ||
      local.dependsOnCallees())
    return false;
  const std::optional<ReachingWrites::StoredValues> &stored =
      writes.storedAt(local, offset);
  if (stored)
    llvm::append_range(values, *stored);
  return stored.has_value();
}

/// Returns log2 of a number that each of \p pointers, and what calls allocate,
/// is a multiple of, if they are one of several that calls have allocated, that
/// are parameters, or null: buffers that a loop exchanges, in variables or in
/// members of one.
unsigned
PointerValues::choicesAlignLog2(llvm::ArrayRef<const llvm::Value *> pointers) {
  constexpr size_t kMaxSteps = 16;
  unsigned result = kAllocationAlignLog2;
  llvm::SmallPtrSet<const llvm::Value *, 8> seen;
  llvm::SmallVector<const llvm::Value *, 8> stack(pointers.begin(),
                                                  pointers.end());
  while (!stack.empty() && result) {
    const llvm::Value *next = stack.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (auto *phi = llvm::dyn_cast<llvm::PHINode>(next)) {
      stack.append(phi->op_begin(), phi->op_end());
    } else if (auto *select = llvm::dyn_cast<llvm::SelectInst>(next)) {
      stack.push_back(select->getTrueValue());
      stack.push_back(select->getFalseValue());
    } else if (auto *load = llvm::dyn_cast<llvm::LoadInst>(next)) {
      int64_t offset = 0;
      const llvm::Value *base =
          stripOffsets(*load->getPointerOperand(), layout, offset);
      if (!load->isSimple() || offset < 0 || !locals.isLocalVariable(*base) ||
          !addStored(*base, static_cast<uint64_t>(offset), stack))
        return 0;
    } else if (llvm::isa<llvm::Argument>(next)) {
      result = std::min<unsigned>(
          result, llvm::Log2(next->getPointerAlignment(layout)));
    } else if (!llvm::isa<llvm::ConstantPointerNull>(next)) {
      return 0;
    }
    if (seen.size() > kMaxSteps)
      return 0;
  }
  return result;
}

unsigned PointerValues::storedAlignLog2(const llvm::Value &variable,
                                        uint64_t offset) {
  llvm::SmallVector<const llvm::Value *, 8> stored;
  return addStored(variable, offset, stored) ? choicesAlignLog2(stored) : 0;
}

/// The pointer \p value in terms of what it was derived from, at a distance
/// that is not known or that no other jump function says; Unknown if that is
/// not known either.
JumpFunction PointerValues::ofDerived(const llvm::Value &value) {
  std::optional<DerivedPointer> from = derivationOf(value, layout);
  if (!from)
    return JumpFunction();
  const llvm::Value &base = *from->base;
  if (auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&base))
    return ofLocalAddress(*variable, *from);
  if (&base == &value)
    return JumpFunction();
  JumpFunction source = values.of(base);
  if (source.kind == Kind::Allocation) {
    source.alignLog2 = static_cast<uint8_t>(
        std::min<unsigned>(source.alignLog2, from->distanceLog2));
    source.nonNull = false;
    return source;
  }
  if (!isInput(source) && source.kind != Kind::SymbolAddress &&
      !source.isPointerPassedOn())
    return JumpFunction();
  JumpFunction j;
  j.kind = Kind::Composed;
  j.operation = JumpOperation::Add;
  j.source = context.jumpFunctions.add(source).first;
  j.value = uint64_t(1) << from->distanceLog2;
  j.alignLog2 = static_cast<uint8_t>(std::min(
      llvm::Log2(base.getPointerAlignment(layout)), from->distanceLog2));
  j.addressSpace =
      static_cast<uint8_t>(base.getType()->getPointerAddressSpace());
  j.nonNull = from->isInBounds && !llvm::NullPointerIsDefined(&function) &&
              isNonNullBase(base, function);
  return j;
}

} // namespace gpulto
