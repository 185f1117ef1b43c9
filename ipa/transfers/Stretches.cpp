//===- Stretches.cpp - What a function does between calls -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/transfers/Stretches.h"

#include "ipa/bodies/Passes.h"

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace gpulto {

bool endsStretch(const Instruction &instruction) {
  auto *call = dyn_cast<CallBase>(&instruction);
  return call && isCallEdge(*call);
}

bool writesInStretch(const Instruction &instruction) {
  auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
  return instruction.mayWriteToMemory() && !endsStretch(instruction) &&
         !(intrinsic &&
           (intrinsic->isLifetimeStartOrEnd() ||
            isa<DbgInfoIntrinsic>(intrinsic) || intrinsic->isDroppable() ||
            intrinsic->onlyAccessesInaccessibleMemory()));
}

} // namespace gpulto
