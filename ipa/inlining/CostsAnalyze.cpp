//===- CostsAnalyze.cpp - Size, time, registers of bodies (LGEN) --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: record what a body costs, so that the inliner and the partitioner need
// no body.
//
//  1. Size: the target's code-size cost of each instruction, times the bytes of
//     an average instruction of the side (x86-64: 4; SASS: 16).
//  2. Time: the same cost weighed by the executions of the block per entry.
//  3. Stack: allocas of constant size in the entry block.
//  4. Registers (device): the most 32-bit units alive at once, by the classical
//     backward liveness over blocks; addresses folded into accesses and values
//     of predicates count too, so it is an upper estimate before scheduling.
//  5. Frequencies of call edges and launches.
//
// Linear in instructions; liveness: blocks x loop depth.
// Source of liveness: A. Aho et al., Compilers, 2nd ed., section 9.2.5.
//
//===----------------------------------------------------------------------===//

#include "ipa/bodies/Passes.h"
#include "summary/ModuleSummary.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace gpulto {

namespace {

constexpr uint32_t kHostInstructionBytes = 4;
constexpr uint32_t kDeviceInstructionBytes = 16;
/// Above this many values liveness is not computed block by block; the largest
/// block decides.
constexpr size_t kMaxLiveBits = size_t(1) << 26;

bool isMarker(const llvm::Instruction &instruction) {
  return llvm::isa<llvm::DbgInfoIntrinsic>(instruction) ||
         instruction.isLifetimeStartOrEnd();
}

/// Backward liveness in units of 32-bit registers.
class Liveness {
public:
  explicit Liveness(const llvm::Function &function)
      : function(function), layout(function.getParent()->getDataLayout()) {
    auto number = [&](const llvm::Value &value) {
      unsigned units = registersOf(*value.getType());
      if (!units)
        return;
      numbers[&value] = static_cast<unsigned>(width.size());
      width.push_back(units);
    };
    // A kernel's parameters are in constant memory.
    if (function.getCallingConv() != llvm::CallingConv::PTX_Kernel)
      for (const llvm::Argument &argument : function.args())
        number(argument);
    for (const llvm::BasicBlock &block : function)
      for (const llvm::Instruction &instruction : block)
        if (!llvm::isa<llvm::AllocaInst>(instruction))
          number(instruction);
  }

  unsigned maximum();

private:
  unsigned registersOf(llvm::Type &type) {
    constexpr uint64_t kRegisterBits = 32;
    if (type.isVoidTy() || !type.isSized() || type.isIntegerTy(1))
      return 0;
    uint64_t bits = layout.getTypeSizeInBits(&type).getKnownMinValue();
    return static_cast<unsigned>((bits + kRegisterBits - 1) / kRegisterBits);
  }
  void use(const llvm::Value *value) {
    auto found = numbers.find(value);
    if (found == numbers.end() || live.test(found->second))
      return;
    live.set(found->second);
    units += width[found->second];
    most = std::max(most, units);
  }
  void define(const llvm::Value &value) {
    auto found = numbers.find(&value);
    if (found == numbers.end() || !live.test(found->second))
      return;
    live.reset(found->second);
    units -= width[found->second];
  }
  void scan(const llvm::BasicBlock &block);

  const llvm::Function &function;
  const llvm::DataLayout &layout;
  llvm::DenseMap<const llvm::Value *, unsigned> numbers;
  std::vector<unsigned> width;
  llvm::DenseMap<const llvm::BasicBlock *, llvm::BitVector> liveIn;
  llvm::BitVector live;
  unsigned units = 0;
  unsigned most = 0;
};

/// Leaves in `live` what is alive at the start of \p block.
void Liveness::scan(const llvm::BasicBlock &block) {
  live.clear();
  live.resize(static_cast<unsigned>(width.size()));
  for (const llvm::BasicBlock *successor : llvm::successors(&block)) {
    auto known = liveIn.find(successor);
    if (known != liveIn.end())
      live |= known->second;
    for (const llvm::PHINode &phi : successor->phis()) {
      auto incoming = numbers.find(phi.getIncomingValueForBlock(&block));
      if (incoming != numbers.end())
        live.set(incoming->second);
    }
  }
  units = 0;
  for (unsigned i : live.set_bits())
    units += width[i];
  most = std::max(most, units);
  for (const llvm::Instruction &instruction : llvm::reverse(block)) {
    define(instruction);
    if (llvm::isa<llvm::PHINode>(instruction))
      continue;
    for (const llvm::Use &operand : instruction.operands())
      use(operand.get());
  }
}

unsigned Liveness::maximum() {
  bool isTooLarge = width.size() * function.size() > kMaxLiveBits;
  llvm::SmallVector<const llvm::BasicBlock *, 32> order(
      llvm::post_order(&function.getEntryBlock()));
  bool isStable = false;
  while (!isStable) {
    isStable = true;
    for (const llvm::BasicBlock *block : order) {
      scan(*block);
      if (isTooLarge)
        continue;
      llvm::BitVector &known = liveIn[block];
      if (known == live)
        continue;
      known = live;
      isStable = false;
    }
  }
  return most;
}

class CostFacts {
public:
  explicit CostFacts(LgenContext &context)
      : context(context), summary(context.summary) {}

  void run() {
    for (size_t i = 0; i < context.bodies.size(); ++i)
      fill(*context.bodies[i], summary.functions[i]);
  }

private:
  void fill(llvm::Function &function, FunctionSummary &result);
  void fillLoops(llvm::Function &function, FunctionSummary &result);
  uint32_t stackBytes(const llvm::Function &function);

  LgenContext &context;
  ModuleSummary &summary;
};

uint32_t CostFacts::stackBytes(const llvm::Function &function) {
  const llvm::DataLayout &layout = function.getParent()->getDataLayout();
  uint64_t bytes = 0;
  for (const llvm::Instruction &instruction : function.getEntryBlock())
    if (auto *local = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
      if (std::optional<llvm::TypeSize> size = local->getAllocationSize(layout))
        bytes =
            llvm::alignTo(bytes, local->getAlign()) + size->getKnownMinValue();
  return static_cast<uint32_t>(std::min<uint64_t>(bytes, UINT32_MAX));
}

void CostFacts::fillLoops(llvm::Function &function, FunctionSummary &result) {
  if (function.size() == 1) {
    auto *branch =
        llvm::dyn_cast<llvm::BranchInst>(function.front().getTerminator());
    if (branch) {
      result.flags |= kHasLoop;
      result.maxLoopDepth = 1;
    }
    return;
  }
  const llvm::LoopInfo &loops =
      context.analyses.getResult<llvm::LoopAnalysis>(function);
  for (const llvm::Loop *loop : loops.getLoopsInPreorder())
    result.maxLoopDepth = std::max<uint16_t>(
        result.maxLoopDepth, static_cast<uint16_t>(loop->getLoopDepth()));
  if (!loops.empty())
    result.flags |= kHasLoop;
}

void CostFacts::fill(llvm::Function &function, FunctionSummary &result) {
  const llvm::TargetTransformInfo &target =
      context.analyses.getResult<llvm::TargetIRAnalysis>(function);
  EntryFrequencies frequencies(context, function);
  fillLoops(function, result);
  uint64_t size = 0, time = 0;
  size_t nextCall = result.calls.first;
  size_t endCall = nextCall + result.calls.count;
  for (const llvm::BasicBlock &block : function) {
    uint32_t frequency = frequencies.of(block);
    uint64_t cost = 0;
    for (const llvm::Instruction &instruction : block) {
      if (isMarker(instruction))
        continue;
      ++result.instructionCount;
      if (nextCall < endCall &&
          context.callInstructions[nextCall] == &instruction)
        summary.calls[nextCall++].frequency = frequency;
      llvm::InstructionCost price = target.getInstructionCost(
          &instruction, llvm::TargetTransformInfo::TCK_SizeAndLatency);
      constexpr uint64_t kInvalidPrice = 64;
      cost +=
          price.isValid()
              ? static_cast<uint64_t>(std::max<int64_t>(0, price.getValue()))
              : kInvalidPrice;
    }
    size += cost;
    time += cost * frequency;
  }
  bool isDevice = summary.side == Side::Device;
  uint64_t bytes =
      size * (isDevice ? kDeviceInstructionBytes : kHostInstructionBytes);
  result.sizeBytes =
      static_cast<uint32_t>(std::min<uint64_t>(bytes, UINT32_MAX));
  constexpr uint64_t kPerEntry = 256;
  result.timeCycles = (time + kPerEntry - 1) / kPerEntry;
  result.stackBytes = stackBytes(function);
  if (isDevice)
    result.registersPerThread = static_cast<uint16_t>(
        std::min(Liveness(function).maximum(), unsigned(UINT16_MAX)));
}

} // namespace

void analyzeCosts(LgenContext &context) { CostFacts(context).run(); }

} // namespace gpulto
