//===- Stretches.h - What a function does between calls ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// LGEN and LTRANS number the stretches of a function (TransferEvent::stretch)
// alike: from 0, a new one with each block and behind each call of the summary.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_TRANSFERS_STRETCHES_H
#define GPULTO_IPA_TRANSFERS_STRETCHES_H

#include "ipa/bodies/Passes.h"

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicInst.h"

namespace gpulto {

/// Whether \p instruction is a call of the summary.
inline bool endsStretch(const llvm::Instruction &instruction) {
  auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call && isCallEdge(*call);
}

/// Whether \p instruction may write memory as a part of its stretch.
inline bool writesInStretch(const llvm::Instruction &instruction) {
  auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return instruction.mayWriteToMemory() && !endsStretch(instruction) &&
         !(intrinsic && (intrinsic->isLifetimeStartOrEnd() ||
                         llvm::isa<llvm::DbgInfoIntrinsic>(intrinsic) ||
                         intrinsic->isDroppable() ||
                         intrinsic->onlyAccessesInaccessibleMemory()));
}

} // namespace gpulto

#endif
