//===- ForeignCalls.cpp - Inlining from one module into another -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/ForeignCalls.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gpulto {

/// The number of instructions that a summary counts: debug information must not
/// change code.
static uint64_t countInstructions(const Function &function) {
  uint64_t count = 0;
  for (const BasicBlock &block : function)
    count += block.sizeWithoutDebug();
  return count;
}

void limitForeignInlining(Module &partition,
                          const DenseMap<const Function *, size_t> &modules,
                          uint64_t instructions) {
  DenseMap<const Function *, uint64_t> counts;
  auto isLarge = [&](const Function &callee) {
    auto [entry, isNew] = counts.try_emplace(&callee);
    if (isNew)
      entry->second = countInstructions(callee);
    return entry->second > instructions;
  };
  auto mayStay = [&](const Function &callee) {
    bool isCalledOnce = callee.hasLocalLinkage() && callee.hasOneUse();
    return !isCalledOnce && !callee.hasFnAttribute(Attribute::AlwaysInline);
  };
  for (Function &function : partition) {
    auto own = modules.find(&function);
    if (own == modules.end() || function.hasProfileData())
      continue;
    for (Instruction &instruction : llvm::instructions(function)) {
      auto *call = dyn_cast<CallBase>(&instruction);
      const Function *callee = call ? call->getCalledFunction() : nullptr;
      if (!callee || callee->isDeclaration())
        continue;
      auto other = modules.find(callee);
      if (other != modules.end() && other->second != own->second &&
          mayStay(*callee) && !call->hasFnAttr(Attribute::AlwaysInline) &&
          isLarge(*callee))
        call->setIsNoInline();
    }
  }
}

} // namespace gpulto
