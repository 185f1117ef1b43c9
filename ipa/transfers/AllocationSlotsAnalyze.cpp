//===- AllocationSlotsAnalyze.cpp - Where calls leave new memory (LGEN) ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: know what memory the pointers in a variable lead to, although nobody
// knows which element of an array they are in.
//
//   for (i...) { cudaMalloc(&plan[i].in, n); cudaMalloc(&plan[i].out, n); }
//   for (i...) k<<<...>>>(plan[i].in, plan[i].out);
//   -> the first argument is memory of the first call, the second of the second
//
// All accesses of the variable are at constants plus multiples of one stride,
// so what is stored at one remainder is only found there.
//
//===----------------------------------------------------------------------===//

#include "ipa/transfers/AllocationSlots.h"
#include "ipa/values/RuntimeCalls.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

#include <numeric>
#include <optional>

namespace gpulto {

/// Returns how many bytes \p use, the address of a variable's bytes, loads a
/// pointer from or stores something other than null to; nothing if it does
/// more.
static std::optional<uint64_t> accessedBytes(const llvm::Use &use,
                                             const llvm::DataLayout &layout) {
  const llvm::User *user = use.getUser();
  auto sizeOf = [&](llvm::Type *type) {
    return layout.getTypeStoreSize(type).getFixedValue();
  };
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(user))
    return load->getType()->isPointerTy() ? sizeOf(load->getType()) : 0;
  if (auto *store = llvm::dyn_cast<llvm::StoreInst>(user)) {
    const llvm::Value &value = *store->getValueOperand();
    if (use.getOperandNo() != llvm::StoreInst::getPointerOperandIndex())
      return std::nullopt;
    return llvm::isa<llvm::ConstantPointerNull>(value)
               ? 0
               : sizeOf(value.getType());
  }
  auto *call = llvm::dyn_cast<llvm::CallBase>(user);
  if (!call || !call->isArgOperand(&use))
    return std::nullopt;
  auto *fill = llvm::dyn_cast<llvm::MemSetInst>(call);
  auto *byte =
      fill ? llvm::dyn_cast<llvm::ConstantInt>(fill->getValue()) : nullptr;
  if (call->isLifetimeStartOrEnd() || (byte && byte->isZero()))
    return 0; // null pointers
  uint64_t bytes = resultBytes(*call, call->getArgOperandNo(&use), layout);
  return bytes ? std::optional(bytes) : std::nullopt;
}

/// Collects the accesses of \p variable; returns whether that are all.
bool AllocationSlots::collect(const llvm::AllocaInst &variable,
                              llvm::SmallVectorImpl<Access> &accesses) const {
  constexpr unsigned kMaxUses = 512;
  struct Pointer {
    const llvm::Value *value;
    int64_t offset;
    uint64_t stride;
  };
  llvm::SmallVector<Pointer, 8> stack{{&variable, 0, 0}};
  unsigned uses = 0;
  while (!stack.empty()) {
    Pointer pointer = stack.pop_back_val();
    for (const llvm::Use &use : pointer.value->uses()) {
      const llvm::User *user = use.getUser();
      if (++uses > kMaxUses || pointer.offset < 0)
        return false;
      auto *address = llvm::dyn_cast<llvm::GEPOperator>(user);
      if (!address) {
        std::optional<uint64_t> bytes = accessedBytes(use, layout);
        if (!bytes)
          return false;
        if (*bytes)
          accesses.push_back({user, static_cast<uint64_t>(pointer.offset),
                              pointer.stride, *bytes});
        continue;
      }
      unsigned bits = layout.getIndexTypeSizeInBits(address->getType());
      llvm::SmallMapVector<llvm::Value *, llvm::APInt, 4> variables;
      llvm::APInt constant(bits, 0);
      if (!address->collectOffset(layout, bits, variables, constant))
        return false;
      uint64_t stride = pointer.stride;
      for (const auto &[index, scale] : variables)
        stride = std::gcd(stride, scale.abs().getLimitedValue());
      stack.push_back({user, pointer.offset + constant.getSExtValue(), stride});
    }
  }
  return true;
}

/// Finds the calls of which each load may yield a pointer.
void AllocationSlots::findSources(llvm::ArrayRef<Access> accesses,
                                  Slots &slots) {
  uint64_t stride = 0;
  for (const Access &access : accesses)
    stride = std::gcd(stride, access.stride);
  auto place = [&](const Access &access) {
    return stride ? access.offset % stride : access.offset;
  };
  bool fits = llvm::all_of(accesses, [&](const Access &access) {
    return !stride || place(access) + access.bytes <= stride;
  });
  for (const Access &access : accesses) {
    auto *load = llvm::dyn_cast<llvm::LoadInst>(access.user);
    if (!load) {
      auto *call = llvm::dyn_cast<llvm::CallBase>(access.user);
      if (call && allocationResult(*call))
        slots.allocations.push_back(call);
      continue;
    }
    const llvm::CallBase *source = nullptr;
    bool isOne = fits;
    for (const Access &other : accesses) {
      if (llvm::isa<llvm::LoadInst>(other.user) ||
          place(other) + other.bytes <= place(access) ||
          place(access) + access.bytes <= place(other))
        continue;
      auto *call = llvm::dyn_cast<llvm::CallBase>(other.user);
      isOne &= call && allocationResult(*call) &&
               place(other) == place(access) && (!source || source == call);
      source = call;
    }
    slots.loads.push_back(load);
    slots.sources.push_back(isOne ? source : nullptr);
  }
}

const AllocationSlots::Slots &
AllocationSlots::of(const llvm::AllocaInst &variable) {
  std::unique_ptr<Slots> &slots = known[&variable];
  if (!slots) {
    slots = std::make_unique<Slots>();
    llvm::SmallVector<Access, 16> accesses;
    slots->isSeen = collect(variable, accesses);
    findSources(accesses, *slots);
  }
  return *slots;
}

const llvm::CallBase *
AllocationSlots::sourceOf(const llvm::LoadInst &load,
                          const llvm::AllocaInst &variable) {
  const Slots &slots = of(variable);
  if (!slots.isSeen)
    return nullptr;
  for (auto [each, source] : llvm::zip(slots.loads, slots.sources))
    if (each == &load)
      return source;
  return nullptr;
}

} // namespace gpulto
