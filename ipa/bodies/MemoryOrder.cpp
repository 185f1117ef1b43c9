//===- MemoryOrder.cpp - Where threads wait for each other ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/bodies/MemoryOrder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/IPO/Attributor.h"

using namespace llvm;

namespace gpulto {

bool ordersThreads(const Instruction &instruction) {
  return instruction.isVolatile() ||
         (instruction.isAtomic() && AANoSync::isNonRelaxedAtomic(&instruction));
}

bool ordersThreads(const Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) {
    return !isa<CallBase>(instruction) && ordersThreads(instruction);
  });
}

void doubtNarrowEffects(Module &module) {
  SmallVector<Function *> worklist;
  for (Function &function : module)
    if (ordersThreads(function))
      worklist.push_back(&function);
  while (!worklist.empty()) {
    Function *function = worklist.pop_back_val();
    if (function->getMemoryEffects() == MemoryEffects::unknown())
      continue; // nobody has concluded anything from it
    function->setMemoryEffects(MemoryEffects::unknown());
    for (User *user : function->users())
      if (auto *call = dyn_cast<CallBase>(user);
          call && call->getCalledOperand() == function)
        worklist.push_back(call->getFunction());
  }
}

} // namespace gpulto
