//===- DeviceSpaces.cpp - Address spaces before InstCombine ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/device/DeviceSpaces.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"

using namespace llvm;

namespace gpulto {

PreservedAnalyses InferSpacesPass::run(Function &function,
                                       FunctionAnalysisManager &analyses) {
  SmallVector<AllocaInst *> locals;
  for (Instruction &instruction : instructions(function))
    if (auto *local = dyn_cast<AllocaInst>(&instruction))
      locals.push_back(local);
  SmallVector<FreezeInst *> hidden; // nothing is assumed of what it is
  for (AllocaInst *local : locals) {
    auto *freeze = new FreezeInst(local, "", std::next(local->getIterator()));
    local->replaceUsesWithIf(freeze,
                             [&](Use &use) { return use.getUser() != freeze; });
    hidden.push_back(freeze);
  }
  PreservedAnalyses preserved =
      InferAddressSpacesPass().run(function, analyses);
  for (auto [freeze, local] : zip(hidden, locals)) {
    freeze->replaceAllUsesWith(local);
    freeze->eraseFromParent();
  }
  return preserved;
}

} // namespace gpulto
