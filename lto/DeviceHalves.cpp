//===- DeviceHalves.cpp - Pairs of 16 bits on a GPU -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: a half2 is made of two halves by one instruction. CUDA's headers join
// them as integers in memory, of which the optimizer makes
//
//   or (shl (zext i16 high), 16), (zext i16 low)      mul (zext i16 x), 65537
//
// Code generation writes both extensions, the shift and the or, and ptxas finds
// no PRMT in them: 56 instructions more for 32 pairs (CUDA 13.0, sm_90). Of a
// vector it makes `mov.b32 {low, high}`, which is one PRMT, or none.
//
//===----------------------------------------------------------------------===//

#include "lto/DeviceHalves.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gpulto {

/// Whether \p value is made of two numbers of 16 bits.
static bool matchHalves(Value *value, Value *&low, Value *&high) {
  auto isHalf = [](Value *half) { return half->getType()->isIntegerTy(16); };
  if (!value->getType()->isIntegerTy(32))
    return false;
  if (match(value, m_c_Or(m_Shl(m_ZExt(m_Value(high)), m_SpecificInt(16)),
                          m_ZExt(m_Value(low)))))
    return isHalf(low) && isHalf(high);
  if (!match(value, m_Mul(m_ZExt(m_Value(low)), m_SpecificInt(0x10001))))
    return false;
  high = low;
  return isHalf(low);
}

PreservedAnalyses JoinHalvesPass::run(Function &function,
                                      FunctionAnalysisManager &) {
  SmallVector<WeakTrackingVH> replaced;
  for (Instruction &instruction : instructions(function)) {
    Value *low, *high;
    if (!matchHalves(&instruction, low, high))
      continue;
    IRBuilder<> builder(&instruction);
    Value *pair = PoisonValue::get(
        FixedVectorType::get(builder.getInt16Ty(), /*NumElts=*/2));
    pair = builder.CreateInsertElement(pair, low, uint64_t(0));
    pair = builder.CreateInsertElement(pair, high, uint64_t(1));
    instruction.replaceAllUsesWith(
        builder.CreateBitCast(pair, instruction.getType()));
    replaced.push_back(&instruction);
  }
  if (replaced.empty())
    return PreservedAnalyses::all();
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(replaced);
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace gpulto
