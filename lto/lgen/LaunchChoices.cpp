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
// original. Of a launch by a function of the runtime, only the call is copied.
// If the block is in a cudaLaunchConfig_t, it is stored there once more before
// each copy: it is where MemorySSA finds it to be the last that was stored.
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
#include "llvm/Analysis/MemorySSA.h"
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
    const RuntimeFunction *known = findRuntimeFunction(function.getName());
    bool isOfLaunch =
        isStubName(function.getName()) ||
        (known && (known->launch || known->has(RuntimeFunction::PushesLaunch)));
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

/// A call that launches, or begins a launch, and where it gets its block from:
/// an operand, or the last store to a field of its configuration.
struct Launch {
  CallBase *call;
  Use *block;

  /// Lets \p copy, of the call, have the block \p constant.
  void setBlock(CallBase &copy, Constant &constant) const {
    Instruction *user = &copy;
    if (block->getUser() != call) {
      user = cast<Instruction>(block->getUser())->clone();
      user->insertBefore(copy.getIterator());
    }
    user->setOperand(block->getOperandNo(), &constant);
  }
};

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

/// Gives \p call a block of its own, which it returns; what uses its result
/// elsewhere uses a phi.
static BasicBlock *isolate(CallBase &call) {
  BasicBlock *block = SplitBlock(call.getParent(), &call);
  auto *invoke = dyn_cast<InvokeInst>(&call);
  BasicBlock *next =
      invoke ? invoke->getNormalDest() : SplitBlock(block, call.getNextNode());
  if (!call.use_empty() && next->getSinglePredecessor()) {
    FoldSingleEntryPHINodes(next);
    PHINode *result =
        PHINode::Create(call.getType(), kMostChoices, "", next->begin());
    call.replaceUsesOutsideBlock(result, block);
    result->addIncoming(&call, block);
  }
  return block;
}

/// Returns the blocks of \p launch, its own alone, or none if it may not stand
/// twice.
static SmallVector<BasicBlock *, kMostBlocks> separate(const Launch &launch) {
  CallBase &call = *launch.call;
  if (!isPush(call))
    return call.cannotDuplicate() || call.isConvergent()
               ? SmallVector<BasicBlock *, kMostBlocks>()
               : SmallVector<BasicBlock *, kMostBlocks>{isolate(call)};
  SmallVector<BasicBlock *, kMostBlocks> blocks = blocksOf(call);
  if (blocks.empty() || !mayBeCopied(call, blocks))
    return {};
  blocks.front() = SplitBlock(call.getParent(), &call);
  return blocks;
}

/// Copies \p blocks, which begin with \p launch; returns the copy of the first,
/// in which the launch has the block \p constant.
static BasicBlock *copyLaunch(const Launch &launch,
                              ArrayRef<BasicBlock *> blocks,
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
  launch.setBlock(*cast<CallBase>(copies[launch.call]), constant);
  return made.front();
}

static bool splitLaunch(const Launch &launch,
                        OptimizationRemarkEmitter &remarks) {
  CallBase &call = *launch.call;
  std::optional<Choice> choice =
      choiceOf(*launch.block->get(), call.getDataLayout());
  if (!choice)
    return false;
  BasicBlock *head = call.getParent();
  SmallVector<BasicBlock *, kMostBlocks> blocks = separate(launch);
  if (blocks.empty())
    return false;
  remarks.emit([&] {
    std::string text;
    for (auto [constant, block] : choice->blocks)
      text += (text.empty() ? "" : ", ") +
              utostr(block->getValue().getLoBits(32).getZExtValue());
    return OptimizationRemark("launch-choices", "LaunchForEachBlock", &call)
           << "a launch for each of its blocks: " << ore::NV("Blocks", text);
  });
  Instruction *branch = head->getTerminator();
  IRBuilder<> builder(branch);
  builder.SetCurrentDebugLocation(call.getDebugLoc());
  if (!isGuaranteedNotToBeUndefOrPoison(choice->value))
    choice->value = builder.CreateFreeze(choice->value);
  SwitchInst *chooses = builder.CreateSwitch(choice->value, blocks.front());
  branch->eraseFromParent();
  auto [last, ofLast] = choice->blocks.pop_back_val();
  for (auto [constant, block] : choice->blocks)
    chooses->addCase(constant, copyLaunch(launch, blocks, *block));
  launch.setBlock(call, *ofLast);
  return true;
}

/// Whether \p instruction launches by a function of the runtime.
static bool isRuntimeLaunch(const Instruction *instruction) {
  auto *call = dyn_cast<CallBase>(instruction);
  return call && launchKindOf(*call);
}

/// Returns the store of the block's x to the configuration of \p call, a launch
/// by cudaLaunchKernelExC, which is the last before it; null if there is none.
/// The runtime does not write what a launch gets.
static StoreInst *storedBlock(const CallBase &call, MemorySSA &memory) {
  const DataLayout &layout = call.getDataLayout();
  auto *config = dyn_cast<AllocaInst>(call.getArgOperand(0));
  if (!config)
    return nullptr;
  SmallVector<StoreInst *, 4> stores;
  for (User *user : config->users())
    if (auto *field = dyn_cast<GEPOperator>(user))
      for (User *access : field->users())
        if (auto *store = dyn_cast<StoreInst>(access)) {
          APInt offset(layout.getIndexTypeSizeInBits(field->getType()), 0);
          if (store->isSimple() && store->getPointerOperand() == field &&
              field->accumulateConstantOffset(layout, offset) &&
              offset == kConfigBlock)
            stores.push_back(store);
        }
  for (StoreInst *store : stores) {
    MemoryLocation location = MemoryLocation::get(store);
    const MemoryAccess *last = memory.getMemoryAccess(&call);
    do
      last = memory.getWalker()->getClobberingMemoryAccess(
          cast<MemoryUseOrDef>(last)->getDefiningAccess(), location);
    while (isa<MemoryDef>(last) && !memory.isLiveOnEntryDef(last) &&
           isRuntimeLaunch(cast<MemoryDef>(last)->getMemoryInst()));
    if (last == memory.getMemoryAccess(store))
      return store;
  }
  return nullptr;
}

PreservedAnalyses SplitLaunchesPass::run(Function &function,
                                         FunctionAnalysisManager &analyses) {
  SmallVector<Launch, 4> launches;
  if (function.hasOptSize() || function.hasFnAttribute(Attribute::Cold))
    return PreservedAnalyses::all();
  for (Instruction &instruction : instructions(function)) {
    auto *call = dyn_cast<CallBase>(&instruction);
    if (!call)
      continue;
    std::optional<LaunchKind> kind = launchKindOf(*call);
    if (isPush(*call))
      launches.push_back({call, &call->getArgOperandUse(kPushBlock)});
    else if (kind == LaunchKind::Runtime || kind == LaunchKind::Cooperative)
      launches.push_back({call, &call->getArgOperandUse(kLaunchBlock)});
    else if (kind == LaunchKind::RuntimeExC)
      if (StoreInst *store = storedBlock(
              *call, analyses.getResult<MemorySSAAnalysis>(function).getMSSA()))
        launches.push_back({call, &store->getOperandUse(0)});
  }
  auto &remarks =
      analyses.getResult<OptimizationRemarkEmitterAnalysis>(function);
  bool changed = false;
  for (const Launch &launch : launches)
    changed |= splitLaunch(launch, remarks);
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace gpulto
