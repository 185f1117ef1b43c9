//===- DeviceKnownBits.cpp - Known bits that pay off on a GPU -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: avoid 64-bit divisions where facts prove 32 bits.
//
//   for (i = thread; i < count; i += step) ... i / size ...
//       count and size below 2^32: a division of 32 bits
//
// Code generation tests at run time whether 32 bits suffice, and has code for
// both: some 70 machine instructions, and the registers of the longer path.
// LLVM's CorrelatedValuePropagation narrows with LazyValueInfo, which knows
// nothing about values carried around a loop; ScalarEvolution does.
//
// Linear in divisions, except for ScalarEvolution's analysis.
//
//===----------------------------------------------------------------------===//

#include "lto/device/DeviceKnownBits.h"

#include "lto/partition/LtransPlans.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gpulto {

//===----------------------------------------------------------------------===//
// Divisions
//===----------------------------------------------------------------------===//

static constexpr unsigned kWideBits = 64, kNarrowBits = 32;

/// Whether \p value, unsigned, fits 32 bits at \p user.
static bool fitsNarrow(Value &value, const Instruction &user,
                       ScalarEvolution &evolution) {
  const SCEV *known = evolution.getSCEV(&value);
  APInt most = APInt::getLowBitsSet(kWideBits, kNarrowBits);
  return evolution.getUnsignedRangeMax(known).ule(most) ||
         evolution.isKnownPredicateAt(ICmpInst::ICMP_ULE, known,
                                      evolution.getConstant(most), &user);
}

/// Both operands of \p division are below 2^32, so its sign does not matter.
static void narrow(BinaryOperator &division) {
  IRBuilder<> builder(&division);
  bool isQuotient = division.getOpcode() == Instruction::UDiv ||
                    division.getOpcode() == Instruction::SDiv;
  Type *type = builder.getIntNTy(kNarrowBits);
  Value *result =
      builder.CreateBinOp(isQuotient ? Instruction::UDiv : Instruction::URem,
                          builder.CreateTrunc(division.getOperand(0), type),
                          builder.CreateTrunc(division.getOperand(1), type));
  if (auto *made = dyn_cast<BinaryOperator>(result); made && isQuotient)
    made->setIsExact(division.isExact());
  division.replaceAllUsesWith(builder.CreateZExt(result, division.getType()));
  division.eraseFromParent();
}

PreservedAnalyses NarrowDivisionsPass::run(Function &function,
                                           FunctionAnalysisManager &analyses) {
  if (!function.hasFnAttribute(kChangedAttribute))
    return PreservedAnalyses::all();
  SmallVector<BinaryOperator *, 8> divisions;
  for (Instruction &instruction : instructions(function))
    if (instruction.isIntDivRem() &&
        instruction.getType()->isIntegerTy(kWideBits) &&
        !isa<Constant>(instruction.getOperand(1)))
      divisions.push_back(cast<BinaryOperator>(&instruction));
  bool changed = false;
  for (BinaryOperator *division : divisions) {
    auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
    if (!fitsNarrow(*division->getOperand(0), *division, evolution) ||
        !fitsNarrow(*division->getOperand(1), *division, evolution))
      continue;
    narrow(*division);
    changed = true;
  }
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

//===----------------------------------------------------------------------===//
// Alignment
//===----------------------------------------------------------------------===//

/// Whether \p pointer is a parameter, or loaded from memory as parts of them
/// are.
static bool isParameter(const Value &pointer) {
  auto *argument = dyn_cast<Argument>(&pointer);
  return argument ? !argument->hasByValAttr() : isa<LoadInst>(pointer);
}

PreservedAnalyses RestateAlignmentPass::run(Function &function,
                                            FunctionAnalysisManager &analyses) {
  /// A thread's widest access: more alignment is of no use.
  constexpr Align kWidestAccess = Align::Constant<16>();
  const DataLayout &layout = function.getParent()->getDataLayout();
  SmallVector<AddrSpaceCastInst *, 8> casts;
  for (Instruction &instruction : instructions(function))
    if (auto *cast = dyn_cast<AddrSpaceCastInst>(&instruction))
      if (const Value *pointer = cast->getPointerOperand();
          isParameter(*pointer) &&
          pointer->getPointerAlignment(layout) >= kWidestAccess)
        casts.push_back(cast);
  if (casts.empty())
    return PreservedAnalyses::all();
  auto &assumptions = analyses.getResult<AssumptionAnalysis>(function);
  for (AddrSpaceCastInst *cast : casts) {
    IRBuilder<> builder(cast->getParent(), std::next(cast->getIterator()));
    assumptions.registerAssumption(
        llvm::cast<AssumeInst>(builder.CreateAlignmentAssumption(
            layout, cast, kWidestAccess.value())));
  }
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace gpulto
