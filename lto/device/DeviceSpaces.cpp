//===- DeviceSpaces.cpp - Address spaces before InstCombine ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/device/DeviceSpaces.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"

using namespace llvm;

namespace gpulto {

/// Whether \p value is a pointer that leads nowhere: a constant, or one of \p
/// nowhere.
static bool leadsNowhere(const Value &value,
                         const SmallPtrSetImpl<const Instruction *> &nowhere) {
  if (isa<ConstantPointerNull, UndefValue>(value))
    return true;
  const auto *instruction = dyn_cast<Instruction>(&value);
  return instruction && nowhere.contains(instruction);
}

/// Returns the selections, phis and addresses of \p function that are made of
/// null pointers only. LLVM 22 finds no address space for them, but one for what
/// is made of them and of others, and leaves an operand of that empty.
static SmallPtrSet<const Instruction *, 8> findNowhere(Function &function) {
  SmallPtrSet<const Instruction *, 8> nowhere;
  for (const Instruction &instruction : instructions(function))
    if (instruction.getType()->isPointerTy() &&
        isa<SelectInst, PHINode, GetElementPtrInst>(instruction))
      nowhere.insert(&instruction);
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (const Instruction &instruction : instructions(function)) {
      if (!nowhere.contains(&instruction))
        continue;
      bool stays = true;
      if (const auto *choice = dyn_cast<SelectInst>(&instruction))
        stays = leadsNowhere(*choice->getTrueValue(), nowhere) &&
                leadsNowhere(*choice->getFalseValue(), nowhere);
      else if (const auto *phi = dyn_cast<PHINode>(&instruction))
        stays = all_of(phi->incoming_values(), [&](const Use &use) {
          return leadsNowhere(*use.get(), nowhere);
        });
      else
        stays = leadsNowhere(
            *cast<GetElementPtrInst>(instruction).getPointerOperand(), nowhere);
      if (!stays)
        isChanged |= nowhere.erase(&instruction);
    }
  }
  return nowhere;
}

PreservedAnalyses InferSpacesPass::run(Function &function,
                                       FunctionAnalysisManager &analyses) {
  SmallPtrSet<const Instruction *, 8> nowhere = findNowhere(function);
  SmallVector<Instruction *> hidden; // nothing is assumed of what it is
  for (Instruction &instruction : instructions(function))
    if (isa<AllocaInst>(instruction) || nowhere.contains(&instruction))
      hidden.push_back(&instruction);
  SmallVector<FreezeInst *> freezes;
  for (Instruction *instruction : hidden) {
    BasicBlock::iterator place = std::next(instruction->getIterator());
    if (isa<PHINode>(instruction))
      place = instruction->getParent()->getFirstInsertionPt();
    auto *freeze = new FreezeInst(instruction, "", place);
    instruction->replaceUsesWithIf(
        freeze, [&](Use &use) { return use.getUser() != freeze; });
    freezes.push_back(freeze);
  }
  PreservedAnalyses preserved =
      InferAddressSpacesPass().run(function, analyses);
  for (auto [freeze, instruction] : zip(freezes, hidden)) {
    freeze->replaceAllUsesWith(instruction);
    freeze->eraseFromParent();
  }
  return preserved;
}

} // namespace gpulto
