//===- DeviceReductions.cpp - Where strength is reduced -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: LLVM's strength reductions where they pay.
//
// LoopStrengthReduce gives addresses in a loop variables of their own, each of
// which takes a register from before the loop to its end:
//
//   for (i...)                      for (i..., p += 4, q += 4)
//     use(a[i], b[i + n])   ->        use(*p, *q)
//
// That spares a few instructions a round. In a small loop it is much, and a
// thread has registers to spare; in a large one it is nothing, and ptxas spills
// or takes more registers than it would. So loops of more than
// kMostLoopInstructions stay as they are. (LLVM's pass leaves loops around
// others alone.)
//
// Measured for 25 files of ggml (sm_90, CUDA 13.0; 1,428 kernels): 12.20 MB of
// text instead of 12.31, 3,768 bytes of stack instead of 3,856, 1.3 % fewer
// registers, and 5 % less CPU time of the link, of ptxas above all.
// Instructions in SASS, weighted by 10 for each loop around them, for each that
// computes or accesses memory: 25 kernels have over 2 % fewer, 2 have up to
// 2.4 % more. Without the pass altogether there are 415 kernels with more; with
// limits of 150 and 100, 8 and 30; with 400, 14 with fewer.
//
// StraightLineStrengthReduce is quadratic where many values have a part in
// common; DeviceDistances.cpp finds most of what it does.
//
//===----------------------------------------------------------------------===//

#include "lto/device/DeviceReductions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/LoopPass.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/InitializePasses.h"
#include "llvm/Pass.h"
#include "llvm/PassRegistry.h"

using namespace llvm;

namespace gpulto {

/// Instructions of a loop whose strength is reduced.
static constexpr unsigned kMostLoopInstructions = 200;

/// Additions, multiplications and addresses of a function that
/// StraightLineStrengthReduce runs over. ggml's matrix products, some of which
/// spill more without it, have up to 1900, its flash attention from 3000 to
/// 5000.
static constexpr unsigned kMostCandidates = 2048;

bool mayBeReduced(const Instruction &instruction) {
  switch (instruction.getOpcode()) {
  case Instruction::Add:
  case Instruction::Mul:
    return instruction.getType()->isIntegerTy();
  case Instruction::GetElementPtr:
    return instruction.getType()->isPointerTy();
  default:
    return false;
  }
}

ReductionGate::ReductionGate(LLVMContext &context)
    : context(context), outer(context.getOptPassGate()) {
  context.setOptPassGate(*this);
}

ReductionGate::~ReductionGate() { context.setOptPassGate(outer); }

bool ReductionGate::shouldRunPass(StringRef pass, StringRef description) const {
  // A pass over functions says its argument, one over loops its name.
  if ((isLargeFunction && pass == "slsr") ||
      (isLargeLoop && pass == "Loop Strength Reduction"))
    return false;
  return !outer.isEnabled() || outer.shouldRunPass(pass, description);
}

void ReductionGate::enter(const Function &function) {
  auto candidates = make_filter_range(instructions(function), mayBeReduced);
  isLargeFunction = range_size(candidates) > kMostCandidates;
}

void ReductionGate::enter(const Loop &loop) {
  size_t count = 0;
  for (const BasicBlock *block : loop.blocks())
    count += block->size();
  isLargeLoop = count > kMostLoopInstructions;
}

namespace {

class EnterFunctionPass : public FunctionPass {
public:
  static char ID;
  explicit EnterFunctionPass(ReductionGate &gate)
      : FunctionPass(ID), gate(gate) {}
  StringRef getPassName() const override { return "gpulto function gate"; }
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesAll();
  }
  bool runOnFunction(Function &function) override {
    gate.enter(function);
    return false;
  }

private:
  ReductionGate &gate;
};

class EnterLoopPass : public LoopPass {
public:
  static char ID;
  explicit EnterLoopPass(ReductionGate &gate) : LoopPass(ID), gate(gate) {}
  StringRef getPassName() const override { return "gpulto loop gate"; }
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesAll();
  }
  bool runOnLoop(Loop *loop, LPPassManager &) override {
    gate.enter(*loop);
    return false;
  }

private:
  ReductionGate &gate;
};

char EnterFunctionPass::ID = 0;
char EnterLoopPass::ID = 0;

} // namespace

// Each behind the pass that comes before what it is for.
void insertReductionGate(TargetPassConfig &config, ReductionGate &gate) {
  PassRegistry &registry = *PassRegistry::getPassRegistry();
  auto insertBehind = [&](StringRef argument, Pass *pass) {
    config.insertPass(registry.getPassInfo(argument)->getTypeInfo(), pass);
  };
  initializeSpeculativeExecutionLegacyPassPass(registry);
  insertBehind("speculative-execution", new EnterFunctionPass(gate));
  initializeCanonicalizeFreezeInLoopsPass(registry);
  insertBehind("canon-freeze", new EnterLoopPass(gate));
}

} // namespace gpulto
