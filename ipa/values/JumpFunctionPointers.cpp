//===- JumpFunctionPointers.cpp - Pointers at unknown distances -----------===//
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

#include "ipa/values/JumpFunctionBuilder.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/KnownBits.h"

namespace gpulto {

using Kind = JumpFunction::Kind;

/// Greater powers of two say no more of an address.
static constexpr unsigned kMaxDistanceLog2 = 32;

/// Returns log2 of a number that \p number is a multiple of.
static unsigned zerosOf(const llvm::APInt &number) {
  return number.isZero() ? kMaxDistanceLog2
                         : std::min(number.countr_zero(), kMaxDistanceLog2);
}

/// Takes the distance that \p address adds into account. Returns whether it can
/// be told.
static bool addDistance(const llvm::GEPOperator &address,
                        const llvm::DataLayout &layout,
                        DerivedPointer &result) {
  llvm::SmallMapVector<llvm::Value *, llvm::APInt, 4> terms;
  unsigned width = layout.getIndexTypeSizeInBits(address.getType());
  llvm::APInt constant(width, 0);
  if (address.getType()->isVectorTy() ||
      !address.collectOffset(layout, width, terms, constant))
    return false;
  unsigned zeros = zerosOf(constant);
  for (const auto &[index, scale] : terms)
    zeros = std::min(
        zeros,
        zerosOf(scale) +
            llvm::computeKnownBits(index, layout).countMinTrailingZeros());
  result.distanceLog2 = std::min(result.distanceLog2, zeros);
  // No address but 0 of the generic address space is null.
  result.isInBounds &=
      address.isInBounds() && address.getPointerAddressSpace() == 0;
  return true;
}

std::optional<DerivedPointer> derivationOf(const llvm::Value &pointer,
                                           const llvm::DataLayout &layout) {
  constexpr unsigned kMaxSteps = 32;
  DerivedPointer result{nullptr, kMaxDistanceLog2,
                        pointer.getType()->getPointerAddressSpace() == 0};
  bool isOneOfMany = false;
  llvm::SmallPtrSet<const llvm::Value *, 8> seen;
  llvm::SmallVector<const llvm::Value *, 8> stack{&pointer};
  while (!stack.empty()) {
    const llvm::Value *next = stack.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (seen.size() > kMaxSteps)
      return std::nullopt;
    if (auto *address = llvm::dyn_cast<llvm::GEPOperator>(next)) {
      if (!addDistance(*address, layout, result))
        return std::nullopt;
      stack.push_back(address->getPointerOperand());
    } else if (auto *cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(next)) {
      stack.push_back(cast->getPointerOperand());
    } else if (auto *phi = llvm::dyn_cast<llvm::PHINode>(next)) {
      isOneOfMany = true;
      stack.append(phi->op_begin(), phi->op_end());
    } else if (auto *select = llvm::dyn_cast<llvm::SelectInst>(next)) {
      isOneOfMany = true;
      stack.push_back(select->getTrueValue());
      stack.push_back(select->getFalseValue());
    } else if (result.base) {
      return std::nullopt; // seen holds each value once: another one
    } else {
      result.base = next;
    }
  }
  // What an instruction yields may differ from one round of a loop to the next.
  if (!result.base || (isOneOfMany && !llvm::isa<llvm::Argument>(result.base) &&
                       !llvm::isa<llvm::GlobalValue>(result.base)))
    return std::nullopt;
  return result;
}

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

/// What is known of an address in the stack frame, but for its contents. Not
/// that it is local memory of the device: LLVM passes what such a variable is a
/// copy of instead of it where the callee only reads (MemCpyOpt, InstCombine).
JumpFunction
JumpFunctionBuilder::ofLocalAddress(const llvm::AllocaInst &variable,
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

/// What is stored at byte \p offset of \p local anywhere; not pointers to
/// memory that calls allocate there, nor zeros. Nothing if something else is
/// written there, or nothing is.
std::optional<JumpFunctionBuilder::StoredValues>
JumpFunctionBuilder::findStored(const LocalVariable &local,
                                uint64_t offset) const {
  bool isWritten = false;
  StoredValues values;
  for (const Write &write : local.writes) {
    auto *store = llvm::dyn_cast<llvm::StoreInst>(write.instruction);
    auto *call = llvm::dyn_cast<llvm::CallBase>(write.instruction);
    bool isWhole =
        write.offset == offset &&
        ((store && store->isSimple()) || (call && allocationResult(*call)));
    if (!overlaps(write.offset, write.size, offset, layout.getPointerSize()) ||
        isZeroFill(*write.instruction))
      continue;
    if (!isWhole ||
        (store && !store->getValueOperand()->getType()->isPointerTy()))
      return std::nullopt;
    isWritten = true;
    if (store)
      values.push_back(store->getValueOperand());
  }
  return isWritten ? std::optional(values) : std::nullopt;
}

/// Adds to \p values what findStored() finds in \p variable, a local one.
/// Returns whether it finds anything.
bool JumpFunctionBuilder::addStored(
    const llvm::Value &variable, uint64_t offset,
    llvm::SmallVectorImpl<const llvm::Value *> &values) {
  const LocalVariable &local = describe(variable);
  // What a parameter is when the function is entered, its caller knows.
  if (llvm::isa<llvm::Argument>(variable) || local.escapes ||
      local.dependsOnCallees())
    return false;
  auto [entry, isNew] = local.stored.try_emplace(offset);
  if (isNew)
    entry->second = findStored(local, offset);
  if (entry->second)
    llvm::append_range(values, *entry->second);
  return entry->second.has_value();
}

/// Returns log2 of a number that each of \p pointers, and what calls allocate,
/// is a multiple of, if they are one of several that calls have allocated, that
/// are parameters, or null: buffers that a loop exchanges, in variables or in
/// members of one.
unsigned JumpFunctionBuilder::choicesAlignLog2(
    llvm::ArrayRef<const llvm::Value *> pointers) {
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
      if (!load->isSimple() || offset < 0 || !isLocalVariable(*base) ||
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

/// The pointer \p value in terms of what it was derived from, at a distance
/// that is not known or that no other jump function says; Unknown if that is
/// not known either.
JumpFunction JumpFunctionBuilder::ofDerived(const llvm::Value &value) {
  std::optional<DerivedPointer> from = derivationOf(value, layout);
  if (!from)
    return JumpFunction();
  const llvm::Value &base = *from->base;
  if (auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&base))
    return ofLocalAddress(*variable, *from);
  if (&base == &value)
    return JumpFunction();
  JumpFunction source = of(base);
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
