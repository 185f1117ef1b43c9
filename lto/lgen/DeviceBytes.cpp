//===- DeviceBytes.cpp - Permutations of bytes on a GPU -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: use one PRMT for several instructions in which ptxas finds none.
//
//   or (shl (zext i16 high), 16), (zext i16 low)      a half2 of two halves
//   mul (zext i16 x), 65537                           of the same twice
//   mul (and (lshr flags, 7), 0x01010101), 255        a mask of bytes
//
// CUDA's headers join halves as integers in memory, and clang's headers
// multiply to make masks from byte comparisons. For a vector of two numbers
// code generation makes `mov.b32 {low, high}`: 56 instructions less for 32
// pairs (CUDA 13.0, sm_90).
//
//===----------------------------------------------------------------------===//

#include "lto/lgen/DeviceBytes.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gpulto {

Value *createLanesOfSigns(IRBuilder<> &builder, Value *flags, unsigned width) {
  // Of each byte, the sign of one.
  constexpr uint32_t kOfBytes = 0xba98, kOfHalves = 0xbb99;
  return builder.CreateIntrinsic(
      builder.getInt32Ty(), Intrinsic::nvvm_prmt,
      {flags, builder.getInt32(0),
       builder.getInt32(width == 8 ? kOfBytes : kOfHalves)});
}

/// Returns \p instruction as a pair of 16 bits; null: it is none.
static Value *joinHalves(IRBuilder<> &builder, Instruction &instruction) {
  Value *low, *high;
  if (match(&instruction, m_Mul(m_ZExt(m_Value(low)), m_SpecificInt(0x10001))))
    high = low;
  else if (!match(&instruction,
                  m_c_Or(m_Shl(m_ZExt(m_Value(high)), m_SpecificInt(16)),
                         m_ZExt(m_Value(low)))))
    return nullptr;
  if (!low->getType()->isIntegerTy(16) || !high->getType()->isIntegerTy(16))
    return nullptr;
  Value *pair = PoisonValue::get(
      FixedVectorType::get(builder.getInt16Ty(), /*NumElts=*/2));
  pair = builder.CreateInsertElement(pair, low, uint64_t(0));
  pair = builder.CreateInsertElement(pair, high, uint64_t(1));
  return builder.CreateBitCast(pair, instruction.getType());
}

/// Returns \p instruction as a mask of lanes of \p width bits; null: it is
/// none.
static Value *permuteMask(IRBuilder<> &builder, Instruction &instruction,
                          unsigned width) {
  uint32_t one = width == 8 ? 0x01010101U : 0x00010001U;
  unsigned sign = width - 1;
  Value *flags;
  auto isOne = m_CombineOr(
      m_And(m_LShr(m_Value(flags), m_SpecificInt(sign)), m_SpecificInt(one)),
      m_LShr(m_And(m_Value(flags), m_SpecificInt(uint64_t(one) << sign)),
             m_SpecificInt(sign)));
  if (!match(&instruction, m_Mul(isOne, m_SpecificInt((1U << width) - 1))))
    return nullptr;
  return createLanesOfSigns(builder, flags, width);
}

PreservedAnalyses PermuteBytesPass::run(Function &function,
                                        FunctionAnalysisManager &) {
  SmallVector<WeakTrackingVH> replaced;
  for (Instruction &instruction : instructions(function)) {
    bool isJoin = instruction.getOpcode() == Instruction::Or ||
                  instruction.getOpcode() == Instruction::Mul;
    if (!isJoin || !instruction.getType()->isIntegerTy(32))
      continue;
    IRBuilder<> builder(&instruction);
    Value *permuted = joinHalves(builder, instruction);
    for (unsigned width : {8, 16})
      if (!permuted)
        permuted = permuteMask(builder, instruction, width);
    if (!permuted)
      continue;
    instruction.replaceAllUsesWith(permuted);
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
