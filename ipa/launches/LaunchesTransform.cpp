//===- LaunchesTransform.cpp - Known launch geometry, in LTRANS --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// With block (256, 1, 1) and grid (4, 1, 1) in every launch:
//
//   blockDim.x   256            threadIdx.x  in [0, 256)
//   gridDim.x    4              blockIdx.x   in [0, 4)
//   the kernel   .reqntid 256   (.maxntid where only an upper bound is known)
//
// .reqntid lets ptxas rely on the block size; no launch of the program uses
// another. It cannot be combined with .maxntid, which it replaces if it is the
// tighter of the two; a launch that exceeds __launch_bounds__ fails as before.
//
//===----------------------------------------------------------------------===//

#include "ipa/launches/LaunchesTransform.h"

#include "ipa/runtime/GeometryReads.h"
#include "ipa/runtime/KernelAnnotations.h"
#include "summary/Launches.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gpulto {

/// Replaces or bounds the value of \p call, a read of \p read.
static void applyToRead(CallInst &call, GeometryRead read,
                        const GeometryFact &fact) {
  Type *type = call.getType();
  uint32_t low = read.isIndex ? 0 : fact.low;
  uint32_t high = read.isIndex ? fact.high - 1 : fact.high;
  if (low == high) {
    call.replaceAllUsesWith(ConstantInt::get(type, low));
    call.eraseFromParent();
    return;
  }
  // clang gives the hardware's limits in both forms.
  unsigned width = type->getIntegerBitWidth();
  call.setMetadata(LLVMContext::MD_range, nullptr);
  call.removeRetAttr(Attribute::Range);
  call.addRangeRetAttr(
      ConstantRange(APInt(width, low), APInt(width, uint64_t(high) + 1)));
}

static bool applyToReads(Function &function, ArrayRef<GeometryFact> geometry) {
  SmallVector<std::pair<CallInst *, GeometryRead>, 16> reads;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<IntrinsicInst>(&instruction))
      if (auto read = geometryRead(call->getIntrinsicID());
          read && read->component < geometry.size())
        reads.push_back({call, *read});
  for (auto [call, read] : reads)
    applyToRead(*call, read, geometry[read.component]);
  return !reads.empty();
}

//===----------------------------------------------------------------------===//
// Declaring the block size
//===----------------------------------------------------------------------===//

static constexpr uint64_t kMaxThreads = 1024;

/// Declares the block size of \p kernel, or the most threads it can have, and
/// what ptxas's --maxrregcount would have meant for it. Returns whether it did.
static bool declareBlock(Function &kernel, ArrayRef<GeometryFact> block,
                         uint32_t maxRegisters) {
  KernelAnnotations annotations(kernel);
  if (annotations.requiredThreads())
    return false;
  uint64_t most = 1;
  bool isConstant = true;
  for (const GeometryFact &fact : block) {
    most *= fact.high;
    isConstant &= fact.isConstant();
  }
  uint64_t bound = annotations.maxThreads();
  if (most > (bound ? bound : kMaxThreads) || (!isConstant && most == bound))
    return false;
  if (!isConstant && most == kMaxThreads)
    return false;
  if (!bound && maxRegisters)
    annotations.limitRegisters(maxRegisters);
  if (isConstant)
    annotations.requireBlock({block[0].high, block[1].high, block[2].high});
  else
    annotations.limitThreads(most);
  return true;
}

static bool hasGeometry(const Function &function, const FunctionFacts &facts) {
  return !function.isDeclaration() && !function.hasOptNone() &&
         facts.geometry.size() > kBlockZ;
}

bool declareBlockSize(Function &function, const FunctionFacts &facts,
                      uint32_t maxRegisters) {
  return facts.mayDeclareBlock && hasGeometry(function, facts) &&
         declareBlock(function, ArrayRef(facts.geometry).drop_front(kBlockX),
                      maxRegisters);
}

bool applyGeometry(Function &function, const FunctionFacts &facts) {
  return hasGeometry(function, facts) && applyToReads(function, facts.geometry);
}

bool applyGuardedGrid(Function &function, const FunctionFacts &guard) {
  return applyToReads(function, ArrayRef(guard.geometry).take_front(1));
}

} // namespace gpulto
