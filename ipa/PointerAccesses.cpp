//===- PointerAccesses.cpp - What a body does with a pointer --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// LGEN bounds what a kernel touches through a pointer, and LTRANS marks the
// same accesses: both find them here, in the same body.
//
//===----------------------------------------------------------------------===//

#include "ipa/PointerAccesses.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
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

} // namespace gpulto
