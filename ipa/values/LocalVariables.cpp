//===- LocalVariables.cpp - Who writes a function's variables -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Each variable is described once: addUses() follows its address, here is what
// the variable itself says. Its number is the same for whoever asks.
//
//===----------------------------------------------------------------------===//

#include "ipa/values/LocalVariables.h"

#include "ipa/values/LocalUses.h"
#include "ipa/values/RuntimeCalls.h"

#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"

#include <map>

namespace gpulto {

LocalVariables::LocalVariables(LgenContext &context, llvm::Function &function)
    : context(context), function(function),
      layout(function.getParent()->getDataLayout()) {}

LocalVariables::~LocalVariables() = default;

std::optional<uint64_t>
LocalVariables::heapObjectBytes(const llvm::Value &value) const {
  auto *call = llvm::dyn_cast<llvm::CallBase>(&value);
  if (!call || !call->getCalledFunction() || call->arg_empty())
    return std::nullopt;
  if (std::optional<uint64_t> bytes = launchBufferBytes(*call))
    return bytes;
  const llvm::TargetLibraryInfo &library =
      context.analyses.getResult<llvm::TargetLibraryAnalysis>(function);
  auto *size = llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(0));
  // -fno-assume-sane-operator-new: the program's may keep the address.
  if (!size || !llvm::isNewLikeFn(call, &library) ||
      !call->returnDoesNotAlias())
    return std::nullopt;
  return size->getZExtValue();
}

bool LocalVariables::frees(const llvm::CallBase &call,
                           const llvm::Value &pointer) const {
  const llvm::TargetLibraryInfo &library =
      context.analyses.getResult<llvm::TargetLibraryAnalysis>(function);
  return llvm::getFreedOperand(&call, &library) == &pointer;
}

bool LocalVariables::isLocalVariable(const llvm::Value &value) const {
  if (auto *argument = llvm::dyn_cast<llvm::Argument>(&value))
    return argument->hasByValAttr();
  return llvm::isa<llvm::AllocaInst>(value) || heapObjectBytes(value);
}

bool LocalVariables::isUnmodified(const llvm::Argument &byValue) {
  const LocalVariable &uses = describe(byValue);
  return !uses.escapes && uses.writes.empty();
}

uint32_t LocalVariables::numberOf(const llvm::Value &variable) {
  if (auto *argument = llvm::dyn_cast<llvm::Argument>(&variable))
    return argument->getArgNo() + 1;
  if (numbers.empty()) {
    uint32_t number = static_cast<uint32_t>(function.arg_size());
    for (const llvm::BasicBlock &block : function)
      for (const llvm::Instruction &instruction : block)
        if (llvm::isa<llvm::AllocaInst>(instruction) ||
            heapObjectBytes(instruction))
          numbers[&instruction] = ++number;
  }
  return numbers.lookup(&variable);
}

/// Sets what writes of \p local have in common.
static void addRanges(LocalVariable &local) {
  std::map<LocalBytes, uint32_t> numbers;
  llvm::SmallDenseMap<const llvm::Instruction *, unsigned, 16> count;
  for (LocalWrite &write : local.writes) {
    LocalBytes bytes{write.offset, write.size};
    auto [entry, isNew] =
        numbers.try_emplace(bytes, static_cast<uint32_t>(local.ranges.size()));
    if (isNew)
      local.ranges.push_back(bytes);
    write.range = entry->second;
    ++count[write.instruction];
    local.isWrittenByCallees |= write.isByCallee && !write.isReturned;
  }
  for (LocalWrite &write : local.writes)
    write.isOnly = count.lookup(write.instruction) == 1;
}

const LocalVariable &LocalVariables::describe(const llvm::Value &variable) {
  auto [entry, isNew] = locals.try_emplace(&variable);
  if (!isNew)
    return *entry->second;
  // While its uses are looked at it counts as escaped.
  entry->second = std::make_unique<LocalVariable>();
  LocalVariable result;
  result.escapes = result.escapesUnseen = false;
  result.number = numberOf(variable);
  addUses(*this, context, function, variable, result);
  if (heapObjectBytes(variable))
    result.starts.push_back(llvm::cast<llvm::Instruction>(&variable));
  // Whose size is not known cannot be named where its address is passed.
  auto *alloca = llvm::dyn_cast<llvm::AllocaInst>(&variable);
  std::optional<llvm::TypeSize> size =
      alloca ? alloca->getAllocationSize(layout) : std::nullopt;
  result.escapesUnseen |=
      alloca && (!size || size->isScalable()) && result.dependsOnCallees();
  // Control comes back to where nothing of what was written since is known.
  result.escapesUnseen |= returnsTwice();
  result.escapes |= result.escapesUnseen;
  addRanges(result);
  LocalVariable &stored = *locals[&variable];
  stored = std::move(result);
  return stored;
}

/// Whether control may come back to a call of the function once more.
bool LocalVariables::returnsTwice() {
  if (!callsTwiceReturning)
    callsTwiceReturning = function.callsFunctionThatReturnsTwice();
  return *callsTwiceReturning;
}

} // namespace gpulto
