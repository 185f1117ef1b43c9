//===- MemoryUsesAnalyze.cpp - What a body does through a pointer ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/bodies/Passes.h"
#include "ipa/values/MemoryUses.h"
#include "ipa/values/RuntimeCalls.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

namespace gpulto {

using Kind = MemoryUse::Kind;

/// Adds what \p call does with its operand \p use, which points to byte
/// \p offset; false if that is not known.
static bool addCallUse(const llvm::CallBase &call, const llvm::Use &use,
                       uint64_t offset, const llvm::DataLayout &layout,
                       MemoryUses &uses) {
  if (call.isLifetimeStartOrEnd() || call.isDroppable() ||
      llvm::isa<llvm::DbgInfoIntrinsic>(call))
    return true;
  if (!call.isArgOperand(&use))
    return false;
  unsigned index = call.getArgOperandNo(&use);
  auto add = [&](Kind kind, uint64_t size) {
    uses.push_back({kind, &call, offset, size, index});
    return true;
  };
  if (auto *memory = llvm::dyn_cast<llvm::MemIntrinsic>(&call)) {
    auto *length = llvm::dyn_cast<llvm::ConstantInt>(memory->getLength());
    return length && !memory->isVolatile() &&
           add(index == 0 ? Kind::Write : Kind::Read, length->getZExtValue());
  }
  if (!isCallEdge(call) || !call.getCalledFunction())
    return false;
  if (call.isByValArgument(index))
    return add(Kind::Read,
               layout.getTypeAllocSize(call.getParamByValType(index)));
  if (uint64_t bytes = resultBytes(call, index, layout))
    return add(Kind::Write, bytes);
  return add(Kind::Passed, 0);
}

bool isByValue(const MemoryUse &use) {
  auto *call = llvm::dyn_cast<llvm::CallBase>(use.user);
  return use.kind == Kind::Read && call && isCallEdge(*call) &&
         call->isByValArgument(use.argument);
}

std::optional<MemoryUses> memoryUses(const llvm::Value &pointer,
                                     const llvm::DataLayout &layout) {
  constexpr unsigned kMaxUses = 256;
  MemoryUses uses;
  unsigned seen = 0;
  using Place = std::pair<const llvm::Value *, uint64_t>;
  llvm::SmallVector<Place, 8> stack{{&pointer, 0}};
  llvm::SmallDenseSet<Place, 8> choices; // of phis that come round again
  while (!stack.empty()) {
    auto [address, offset] = stack.pop_back_val();
    for (const llvm::Use &use : address->uses()) {
      if (++seen > kMaxUses)
        return std::nullopt;
      const llvm::User *user = use.getUser();
      if (auto *step = llvm::dyn_cast<llvm::GEPOperator>(user)) {
        llvm::APInt bytes(layout.getIndexTypeSizeInBits(step->getType()), 0);
        if (!step->accumulateConstantOffset(layout, bytes) ||
            static_cast<int64_t>(offset) + bytes.getSExtValue() < 0)
          return std::nullopt;
        stack.push_back({step, offset + bytes.getSExtValue()});
      } else if (llvm::isa<llvm::SelectInst, llvm::PHINode>(user)) {
        if (choices.insert({user, offset}).second)
          stack.push_back({user, offset});
      } else if (auto *load = llvm::dyn_cast<llvm::LoadInst>(user);
                 load && load->isSimple()) {
        uses.push_back({Kind::Load, load, offset,
                        layout.getTypeStoreSize(load->getType())});
      } else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(user);
                 store && store->isSimple() && use.getOperandNo() == 1) {
        uses.push_back(
            {Kind::Store, store, offset,
             layout.getTypeStoreSize(store->getValueOperand()->getType())});
      } else if (auto *call = llvm::dyn_cast<llvm::CallBase>(user);
                 !call || !addCallUse(*call, use, offset, layout, uses)) {
        return std::nullopt;
      }
    }
  }
  return uses;
}

bool callsDeclared(const llvm::Value &call, llvm::StringRef name) {
  auto *base = llvm::dyn_cast<llvm::CallBase>(&call);
  const llvm::Function *callee = base ? base->getCalledFunction() : nullptr;
  return callee && callee->isDeclaration() && callee->getName() == name;
}

bool isOwnMemory(const llvm::Value &value) {
  return llvm::isa<llvm::AllocaInst>(value) || callsDeclared(value, "_Znwm");
}

std::optional<uint32_t> MemoryNumbers::of(const llvm::Value &object) {
  if (auto *argument = llvm::dyn_cast<llvm::Argument>(&object))
    return argument->getType()->isPointerTy()
               ? std::optional<uint32_t>(argument->getArgNo())
               : std::nullopt;
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(&object);
  if (!instruction || !isOwnMemory(*instruction))
    return std::nullopt;
  if (own.empty()) {
    const llvm::Function &function = *instruction->getFunction();
    uint32_t number = static_cast<uint32_t>(function.arg_size());
    for (const llvm::Instruction &any : llvm::instructions(function))
      if (isOwnMemory(any))
        own[&any] = number++;
  }
  return own.lookup(&object);
}

} // namespace gpulto
