//===- PointerAccesses.cpp - What a body does with a pointer --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// LGEN bounds what a kernel touches through a pointer, and LTRANS marks the
// same accesses: both find them here, in the same body.
//
//===----------------------------------------------------------------------===//

#include "ipa/bodies/PointerAccesses.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gpulto {

//===----------------------------------------------------------------------===//
// Parts of by-value aggregates
//===----------------------------------------------------------------------===//

/// Collects what the uses of \p pointer, byte \p offset of the parameter if
/// \p isExact, do.
static void collectLoads(Value &pointer, uint64_t offset, bool isExact,
                         const DataLayout &layout, PartLoads &result) {
  for (Use &use : pointer.uses()) {
    auto *user = cast<Instruction>(use.getUser());
    if (auto *load = dyn_cast<LoadInst>(user)) {
      if (isExact && load->isSimple())
        result.loads.push_back({load, offset});
      continue;
    }
    if (isa<ICmpInst>(user))
      continue;
    if (auto *address = dyn_cast<GetElementPtrInst>(user)) {
      APInt step(layout.getIndexTypeSizeInBits(address->getType()), 0);
      bool isConstant =
          address->accumulateConstantOffset(layout, step) && !step.isNegative();
      collectLoads(*address, offset + (isConstant ? step.getZExtValue() : 0),
                   isExact && isConstant, layout, result);
    } else if (isa<AddrSpaceCastInst, BitCastInst>(user)) {
      collectLoads(*user, offset, isExact, layout, result);
    } else if (isa<MemTransferInst>(user)) {
      result.isReadOnly &= use.getOperandNo() == 1; // the source
    } else if (auto *call = dyn_cast<CallBase>(user)) {
      bool isHarmless = call->isLifetimeStartOrEnd() || call->isDroppable();
      if (call->isArgOperand(&use)) {
        unsigned index = call->getArgOperandNo(&use);
        isHarmless |=
            call->isByValArgument(index) ||
            (call->onlyReadsMemory(index) && call->doesNotCapture(index));
      }
      result.isReadOnly &= isHarmless;
    } else {
      result.isReadOnly = false; // PHI, select, store and what else there is
    }
  }
}

PartLoads loadsOfParts(Argument &argument, const DataLayout &layout) {
  PartLoads parts;
  collectLoads(argument, 0, true, layout, parts);
  return parts;
}

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

std::optional<SmallVector<Value *, 4>> valuesOf(Function &kernel,
                                                const PointerSource &source) {
  if (source.parameter >= kernel.arg_size())
    return std::nullopt;
  Argument &argument = *kernel.getArg(source.parameter);
  SmallVector<Value *, 4> values;
  if (!source.isPart) {
    if (!argument.getType()->isPointerTy() || argument.hasByValAttr())
      return std::nullopt;
    values.push_back(&argument);
    return values;
  }
  if (!argument.hasByValAttr())
    return std::nullopt;
  PartLoads parts = loadsOfParts(argument, kernel.getParent()->getDataLayout());
  if (!parts.isReadOnly)
    return std::nullopt;
  for (auto [load, offset] : parts.loads)
    if (offset == source.byteOffset && load->getType()->isPointerTy())
      values.push_back(load);
  return values;
}

namespace {
class AccessCollector {
public:
  explicit AccessCollector(const DataLayout &layout) : layout(layout) {}

  /// Collects what the uses of \p pointer do. Returns whether all of it is
  /// understood.
  bool collect(Value &pointer) {
    return all_of(pointer.uses(), [&](Use &use) { return visit(use); });
  }
  std::vector<PointerAccess> accesses;

private:
  bool visit(Use &use);
  bool visitCall(CallBase &call, Use &use);
  bool add(Instruction &instruction, Use &use, TypeSize size) {
    if (size.isScalable())
      return false;
    accesses.push_back({&instruction, use.get(), size.getFixedValue()});
    return true;
  }

  const DataLayout &layout;
};
} // namespace

bool AccessCollector::visit(Use &use) {
  auto *user = dyn_cast<Instruction>(use.getUser());
  if (!user)
    return false;
  if (isa<LoadInst>(user))
    return add(*user, use, layout.getTypeStoreSize(user->getType()));
  if (auto *store = dyn_cast<StoreInst>(user))
    return use.getOperandNo() == StoreInst::getPointerOperandIndex() &&
           add(*user, use,
               layout.getTypeStoreSize(store->getValueOperand()->getType()));
  if (auto *update = dyn_cast<AtomicRMWInst>(user))
    return use.getOperandNo() == AtomicRMWInst::getPointerOperandIndex() &&
           add(*user, use,
               layout.getTypeStoreSize(update->getValOperand()->getType()));
  if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(user))
    return use.getOperandNo() == AtomicCmpXchgInst::getPointerOperandIndex() &&
           add(*user, use,
               layout.getTypeStoreSize(
                   exchange->getNewValOperand()->getType()));
  if (isa<GetElementPtrInst>(user))
    return use.getOperandNo() == GetElementPtrInst::getPointerOperandIndex() &&
           collect(*user);
  if (isa<AddrSpaceCastInst, BitCastInst>(user))
    return collect(*user);
  if (isa<ICmpInst>(user))
    return isa<ConstantPointerNull>(user->getOperand(1 - use.getOperandNo()));
  if (auto *call = dyn_cast<CallBase>(user))
    return visitCall(*call, use);
  return false;
}

bool AccessCollector::visitCall(CallBase &call, Use &use) {
  auto *intrinsic = dyn_cast<IntrinsicInst>(&call);
  if (!intrinsic)
    return false;
  if (intrinsic->isAssumeLikeIntrinsic())
    return true;
  if (auto *memory = dyn_cast<MemIntrinsic>(intrinsic)) {
    auto *length = dyn_cast<ConstantInt>(memory->getLength());
    return length && length->getValue().isIntN(32) &&
           add(call, use, TypeSize::getFixed(length->getZExtValue()));
  }
  switch (intrinsic->getIntrinsicID()) {
  default:
    return false;
  }
}

std::optional<std::vector<PointerAccess>>
accessesThrough(Function &kernel, const PointerSource &source) {
  std::optional<SmallVector<Value *, 4>> values = valuesOf(kernel, source);
  if (!values)
    return std::nullopt;
  AccessCollector collector(kernel.getParent()->getDataLayout());
  for (Value *value : *values)
    if (!collector.collect(*value))
      return std::nullopt;
  return std::move(collector.accesses);
}

} // namespace gpulto
