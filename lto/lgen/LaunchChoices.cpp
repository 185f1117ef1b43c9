//===- LaunchChoices.cpp - A launch for each of a few blocks --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: kernels that know their block, where the host chooses it from a few.
//
//   int block = n < 64 ? 64 : n < 256 ? 128 : 256;
//   reduce<<<grid, block>>>(out, in, n);
//
// becomes `switch (block)`, with a launch by 64, one by 128 and one by 256.
// Then each is a context of its own for ipa-cp (ipa/clones), which makes a
// clone of the kernel where a known block pays: loops over it are unrolled. If
// it makes none, LTRANS joins the calls of the stub again.
//
// For the same reason, launches that stand in several places of the source,
// `if (n < 64) reduce<<<grid, 64>>>(...); else reduce<<<grid, 256>>>(...);`,
// are kept from being joined at compile time (`nomerge`).
//
// A launch is a call of __cudaPushCallConfiguration, the test of its result,
// and a call of the stub. They are copied, with what is between them, if no
// value of these blocks is used behind them; the last constant keeps the
// original.
//
//===----------------------------------------------------------------------===//

#include "lto/lgen/LaunchChoices.h"

#include "ipa/runtime/CudaRuntime.h"
#include "ipa/runtime/OffloadEntries.h"
#include "ipa/values/RuntimeCalls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

#include <optional>

using namespace llvm;

namespace gpulto {

/// How many blocks a launch may choose from, and how many instructions it may
/// take on the host.
static constexpr unsigned kMostChoices = 4;
static constexpr size_t kMostInstructions = 64;
/// Blocks of a launch, and how far its choice is followed.
static constexpr size_t kMostBlocks = 4, kMostSteps = 16;

/// Calls \p act for each call in \p module that launches, or says how.
template <typename Action>
static void forEachLaunchCall(Module &module, Action act) {
  for (Function &function : module) {
    bool isOfLaunch =
        isStubName(function.getName()) ||
        isRuntime(function.getName(), RuntimeFunction::PushesLaunch);
    if (!isOfLaunch)
      continue;
    for (User *user : function.users())
      if (auto *call = dyn_cast<CallBase>(user);
          call && call->getCalledFunction() == &function)
        act(*call);
  }
}

bool keepLaunchesApart(Module &module) {
  bool found = false;
  forEachLaunchCall(module, [&](CallBase &call) {
    call.addFnAttr(Attribute::NoMerge);
    found = true;
  });
  return found;
}

void letLaunchesJoin(Module &module) {
  forEachLaunchCall(
      module, [](CallBase &call) { call.removeFnAttr(Attribute::NoMerge); });
}

namespace {

/// A value that chooses from constants, and what a launch's operand is for
/// each.
struct Choice {
  Value *value = nullptr;
  SmallVector<std::pair<ConstantInt *, ConstantInt *>, kMostChoices> blocks;
};

} // namespace

/// Returns what the selects and phis of \p value choose from: at least two
/// constants, or nothing if there are others, or too many.
static SmallVector<ConstantInt *, kMostChoices> constantsOf(Value &value) {
  SetVector<Value *> seen;
  SmallVector<ConstantInt *, kMostChoices> constants;
  seen.insert(&value);
  for (size_t i = 0; i < seen.size(); ++i) {
    if (auto *constant = dyn_cast<ConstantInt>(seen[i])) {
      constants.push_back(constant);
    } else if (auto *select = dyn_cast<SelectInst>(seen[i])) {
      seen.insert(select->getTrueValue());
      seen.insert(select->getFalseValue());
    } else if (auto *phi = dyn_cast<PHINode>(seen[i])) {
      seen.insert(phi->op_begin(), phi->op_end());
    } else {
      return {};
    }
    if (seen.size() > kMostSteps)
      return {};
  }
  if (constants.size() < 2 || constants.size() > kMostChoices)
    return {};
  // In the order of their values: that of operands differs with the compiler.
  llvm::sort(constants, [](const ConstantInt *a, const ConstantInt *b) {
    return a->getValue().ult(b->getValue());
  });
  return constants;
}

/// Returns what \p operand, of a launch, chooses from by itself or by what
/// casts and operations with constants make of one value.
static std::optional<Choice> choiceOf(Value &operand,
                                      const DataLayout &layout) {
  Choice choice{&operand, {}};
  SmallVector<Instruction *, 4> steps; // from the operand to the choice
  while (!isa<SelectInst, PHINode>(choice.value)) {
    auto *step = dyn_cast<Instruction>(choice.value);
    if (!step || !isa<CastInst, BinaryOperator>(step) ||
        steps.size() == kMostSteps)
      return std::nullopt;
    steps.push_back(step);
    if (count_if(step->operands(), IsaPred<Constant>) + 1 !=
        step->getNumOperands())
      return std::nullopt;
    choice.value = *find_if_not(step->operands(), IsaPred<Constant>);
  }
  for (ConstantInt *constant : constantsOf(*choice.value)) {
    ConstantInt *block = constant;
    for (Instruction *step : reverse(steps)) {
      SmallVector<Constant *, 2> operands;
      for (Value *value : step->operands())
        operands.push_back(isa<Constant>(value) ? cast<Constant>(value)
                                                : block);
      block = dyn_cast_or_null<ConstantInt>(
          ConstantFoldInstOperands(step, operands, layout));
      if (!block)
        return std::nullopt;
    }
    choice.blocks.push_back({constant, block});
  }
  return choice.blocks.empty() ? std::nullopt : std::optional(choice);
}

/// Returns the blocks of the launch that \p push begins, its own first; none if
/// it does not look like one.
static SmallVector<BasicBlock *, kMostBlocks> blocksOf(CallBase &push) {
  SmallVector<BasicBlock *, kMostBlocks> blocks{push.getParent()};
  if (auto *invoke = dyn_cast<InvokeInst>(&push)) {
    if (!invoke->getNormalDest()->getSinglePredecessor())
      return {};
    blocks.push_back(invoke->getNormalDest());
  }
  auto [call, success] = checkedPush(*blocks.back());
  if (call != &push)
    return {};
  auto *next = const_cast<BasicBlock *>(success);
  while (next->getSinglePredecessor() && blocks.size() < kMostBlocks) {
    blocks.push_back(next);
    if (any_of(*next, [](const Instruction &instruction) {
          auto *call = dyn_cast<CallBase>(&instruction);
          const Function *callee = call ? call->getCalledFunction() : nullptr;
          return callee && isStubName(callee->getName());
        }))
      return blocks;
    next = next->getSingleSuccessor();
    if (!next)
      break;
  }
  return {};
}

/// Whether the instructions of \p blocks, of the first those from \p push on,
/// may stand twice: phis behind them are the only users elsewhere.
static bool mayBeCopied(const CallBase &push, ArrayRef<BasicBlock *> blocks) {
  size_t size = 0;
  for (const BasicBlock *block : blocks) {
    auto begin =
        block == push.getParent() ? push.getIterator() : block->begin();
    for (const Instruction &instruction : make_range(begin, block->end())) {
      auto *call = dyn_cast<CallBase>(&instruction);
      if (isa<AllocaInst, NoAliasScopeDeclInst>(instruction) ||
          instruction.getType()->isTokenTy() || instruction.isEHPad() ||
          (call && (call->cannotDuplicate() || call->isConvergent())) ||
          ++size > kMostInstructions)
        return false;
      if (any_of(instruction.uses(), [&](const Use &use) {
            auto *user = cast<Instruction>(use.getUser());
            auto *phi = dyn_cast<PHINode>(user);
            return !is_contained(blocks, phi ? phi->getIncomingBlock(use)
                                             : user->getParent());
          }))
        return false;
    }
  }
  return true;
}

/// Copies \p blocks; returns the copy of the first, in which \p push, of that,
/// has the operand \p constant.
static BasicBlock *copyLaunch(CallBase &push, ArrayRef<BasicBlock *> blocks,
                              Constant &constant) {
  ValueToValueMapTy copies;
  SmallVector<BasicBlock *, kMostBlocks> made;
  for (BasicBlock *block : blocks) {
    made.push_back(
        CloneBasicBlock(block, copies, ".choice", block->getParent()));
    copies[block] = made.back();
  }
  remapInstructionsInBlocks(made, copies);
  for (BasicBlock *block : blocks)
    for (BasicBlock *next : successors(block))
      if (!is_contained(blocks, next))
        for (PHINode &phi : next->phis()) {
          Value *value = phi.getIncomingValueForBlock(block);
          Value *copy = copies.lookup(value);
          phi.addIncoming(copy ? copy : value, cast<BasicBlock>(copies[block]));
        }
  cast<CallBase>(copies[&push])->setArgOperand(kPushBlock, &constant);
  return made.front();
}

static bool splitLaunch(CallBase &push, OptimizationRemarkEmitter &remarks) {
  const DataLayout &layout = push.getDataLayout();
  std::optional<Choice> choice =
      choiceOf(*push.getArgOperand(kPushBlock), layout);
  if (!choice)
    return false;
  SmallVector<BasicBlock *, kMostBlocks> blocks = blocksOf(push);
  if (blocks.empty() || !mayBeCopied(push, blocks))
    return false;
  remarks.emit([&] {
    std::string text;
    for (auto [constant, block] : choice->blocks)
      text += (text.empty() ? "" : ", ") +
              utostr(block->getValue().getLoBits(32).getZExtValue());
    return OptimizationRemark("launch-choices", "LaunchForEachBlock", &push)
           << "a launch for each of its blocks: " << ore::NV("Blocks", text);
  });
  BasicBlock *head = push.getParent();
  blocks.front() = SplitBlock(head, &push);
  push.setArgOperand(kPushBlock, choice->blocks.pop_back_val().second);
  Instruction *branch = head->getTerminator();
  IRBuilder<> builder(branch);
  builder.SetCurrentDebugLocation(push.getDebugLoc());
  if (!isGuaranteedNotToBeUndefOrPoison(choice->value))
    choice->value = builder.CreateFreeze(choice->value);
  SwitchInst *chooses = builder.CreateSwitch(choice->value, blocks.front());
  branch->eraseFromParent();
  for (auto [constant, block] : choice->blocks)
    chooses->addCase(constant, copyLaunch(push, blocks, *block));
  return true;
}

PreservedAnalyses SplitLaunchesPass::run(Function &function,
                                         FunctionAnalysisManager &analyses) {
  SmallVector<CallBase *, 4> pushes;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<CallBase>(&instruction); call && isPush(*call))
      pushes.push_back(call);
  if (pushes.empty() || function.hasOptSize() ||
      function.hasFnAttribute(Attribute::Cold))
    return PreservedAnalyses::all();
  auto &remarks =
      analyses.getResult<OptimizationRemarkEmitterAnalysis>(function);
  bool changed = false;
  for (CallBase *push : pushes)
    changed |= splitLaunch(*push, remarks);
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace gpulto
