//===- GuardReloadsAnalyze.cpp - Facts that would save accesses (LGEN) ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: find accesses that a kernel makes only because pointers may overlap.
//
//   for (k = 0; k < n; ++k) out[row] += a[row * n + k] * x[k];
//       out apart from a and x: the sum stays in a register, one store remains
//   y[i] = a[i] + 1; z[i] = a[i] * 2;
//       y apart from a: a[i] is loaded once
//
// 1. visitLoop: an access that each iteration of a loop makes to one address
//    leaves the loop if nothing else in it may touch that memory.
// 2. visitBlock: a load of a value loaded or stored before in the block, with
//    only harmless instructions in between.
// 3. isHarmlessTo: the pointers that must be apart for that. WPA proves it or
//    lets the host test it.
//
// Accesses times the instructions of their loop, which are at most
// kMaxLoopSize; in blocks, linear with a window of kMaxWindow.
//
//===----------------------------------------------------------------------===//

#include "ipa/guards/GuardChances.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gpulto {

static std::optional<PointerSource> sourceOf(const Value &object,
                                             const DataLayout &layout) {
  std::optional<GuardFact> fact = guardSource(object, layout);
  return fact && object.getType()->isPointerTy()
             ? std::optional(pointerOf(*fact))
             : std::nullopt;
}

bool isHarmlessTo(const GuardedAccess &access, const Instruction &other,
                  const DataLayout &layout, GuardFacts &facts) {
  if (&other == access.instruction || !other.mayReadOrWriteMemory())
    return true;
  if (auto *call = dyn_cast<IntrinsicInst>(&other);
      call && call->isAssumeLikeIntrinsic())
    return true;
  const Value *pointer = getLoadStorePointerOperand(&other);
  if (!pointer || other.isVolatile() || other.isAtomic())
    return false;
  if (isa<LoadInst>(other) && !access.isStore)
    return true;
  const Value *object = getUnderlyingObject(pointer);
  if (isa<AllocaInst>(object))
    return true;
  if (auto *global = dyn_cast<GlobalVariable>(object))
    return global->getAddressSpace() != 0;
  if (auto *argument = dyn_cast<Argument>(object);
      argument && argument->hasByValAttr())
    return true; // a copy of the kernel's own
  std::optional<PointerSource> base = sourceOf(*object, layout);
  if (!base || *base == access.base)
    return false;
  const Function &kernel = *other.getFunction();
  auto isRestrict = [&](const PointerSource &source) {
    return !source.isPart && kernel.getArg(source.parameter)->hasNoAliasAttr();
  };
  if (isRestrict(access.base) || isRestrict(*base))
    return true;
  auto [first, second] = std::minmax(*base, access.base);
  GuardFact apart;
  apart.kind = GuardKind::Apart;
  apart.parameter = first.parameter;
  apart.isPart = first.isPart;
  apart.byteOffset = first.byteOffset;
  apart.other = second;
  facts.push_back(apart);
  return true;
}

namespace {

/// Instructions of a loop that is looked at.
constexpr unsigned kMaxLoopSize = 512;
/// Instructions between two accesses of a block.
constexpr unsigned kMaxWindow = 128;
/// An access less: several cycles of the unit that all warps share.
constexpr uint64_t kAccessGain = 4;

class ReloadFinder {
public:
  ReloadFinder(LgenContext &context, Function &kernel,
               EntryFrequencies &frequencies, GuardChances &chances)
      : kernel(kernel), layout(context.module.getDataLayout()),
        loops(context.analyses.getResult<LoopAnalysis>(kernel)),
        evolution(context.analyses.getResult<ScalarEvolutionAnalysis>(kernel)),
        dominators(context.analyses.getResult<DominatorTreeAnalysis>(kernel)),
        frequencies(frequencies), chances(chances) {}

  void run() {
    for (Loop *loop : loops.getLoopsInPreorder())
      visitLoop(*loop);
    for (BasicBlock &block : kernel)
      visitBlock(block);
  }

private:
  std::optional<GuardedAccess> accessOf(Instruction &instruction);
  const SCEV *addressOf(const GuardedAccess &access) {
    return evolution.getSCEV(getLoadStorePointerOperand(access.instruction));
  }
  void visitLoop(const Loop &loop);
  void visitBlock(BasicBlock &block);
  void visitReload(const GuardedAccess &load);

  Function &kernel;
  const DataLayout &layout;
  LoopInfo &loops;
  ScalarEvolution &evolution;
  DominatorTree &dominators;
  EntryFrequencies &frequencies;
  GuardChances &chances;
};

std::optional<GuardedAccess> ReloadFinder::accessOf(Instruction &instruction) {
  const Value *pointer = getLoadStorePointerOperand(&instruction);
  if (!pointer || instruction.isVolatile() || instruction.isAtomic())
    return std::nullopt;
  std::optional<PointerSource> base =
      sourceOf(*getUnderlyingObject(pointer), layout);
  if (!base)
    return std::nullopt;
  return GuardedAccess{&instruction, *base, isa<StoreInst>(instruction)};
}

/// Whether \p a and \p b access the same bytes, if their addresses are equal.
static bool areOfOneType(Instruction &a, Instruction &b) {
  return getLoadStoreType(&a) == getLoadStoreType(&b);
}

void ReloadFinder::visitLoop(const Loop &loop) {
  const BasicBlock *latch = loop.getLoopLatch();
  unsigned size = 0;
  for (const BasicBlock *block : loop.blocks())
    size += block->size();
  if (!latch || size > kMaxLoopSize)
    return;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block) {
      std::optional<GuardedAccess> access = accessOf(instruction);
      // What a deeper loop does it does more often: that one counts.
      if (!access || loops.getLoopFor(block) != &loop ||
          !dominators.dominates(block, latch))
        continue;
      const SCEV *address = addressOf(*access);
      if (!evolution.isLoopInvariant(address, &loop))
        continue;
      GuardFacts facts;
      auto isOfOneValue = [&](Instruction &other) {
        std::optional<GuardedAccess> same = accessOf(other);
        return same && same->base == access->base &&
               areOfOneType(instruction, other) && addressOf(*same) == address;
      };
      bool isAlone = all_of(loop.blocks(), [&](BasicBlock *other) {
        return all_of(*other, [&](Instruction &between) {
          return isHarmlessTo(*access, between, layout, facts) ||
                 isOfOneValue(between);
        });
      });
      if (isAlone)
        chances.add(facts, kAccessGain, frequencies.of(*block));
    }
}

/// Looks for what made the value of \p load known in its block.
void ReloadFinder::visitReload(const GuardedAccess &load) {
  const SCEV *address = nullptr;
  GuardFacts facts;
  unsigned window = 0;
  for (Instruction *before = load.instruction->getPrevNode();
       before && window < kMaxWindow;
       before = before->getPrevNode(), ++window) {
    if (!before->mayReadOrWriteMemory())
      continue;
    std::optional<GuardedAccess> access = accessOf(*before);
    if (access && access->base == load.base &&
        areOfOneType(*before, *load.instruction)) {
      address = address ? address : addressOf(load);
      if (addressOf(*access) == address) {
        chances.add(facts, kAccessGain,
                    frequencies.of(*load.instruction->getParent()));
        return;
      }
    }
    if (!isHarmlessTo(load, *before, layout, facts))
      return;
  }
}

void ReloadFinder::visitBlock(BasicBlock &block) {
  for (Instruction &instruction : block)
    if (isa<LoadInst>(instruction))
      if (std::optional<GuardedAccess> load = accessOf(instruction))
        visitReload(*load);
}

} // namespace

void findReloadGuards(LgenContext &context, Function &kernel,
                      EntryFrequencies &frequencies, GuardChances &chances) {
  ReloadFinder(context, kernel, frequencies, chances).run();
}

} // namespace gpulto
