//===- DeviceUnrolling.cpp - Loops that stay loops ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: no text, and no work of ptxas, for rounds that gain nothing by standing
// one behind the other.
//
//   for (; k < stop; ++k) { much work }       // as often as a value says
//   #pragma unroll
//   for (int i = 0; i < 64; i += 4) {         // once: 16 rounds of 200
//     if (row(i) >= rows) continue;           // instructions that do not
//     out[row(i)] = scale(tile[i + warp]); }  // depend on i being known
//
// A loop that `#pragma unroll` asks to unroll completely stays one if
//
// 1. it has a known number of rounds, and these are large (with the loops in it
//    unrolled), so that its counter and branch are a small part of them, and so
//    are the instructions that would be constants if the counter were;
// 2. no branch depends on constants and the counter alone, so all rounds look
//    alike;
// 3. nothing in it may be in local memory at a place that differs by round: an
//    array gets registers only if all its indexes are known;
// 4. it has no barriers and calls;
// 5. beside it there is a loop that is entered as often and in which more time
//    is spent: all rounds of that (kAssumedRounds if only a run knows) are
//    kHotter times as much as all of this one.
//
// Or it gets so many rounds at once that these are large.
//
// What is lost is that several rounds could be in flight at once, which 1.
// makes small and 5. rare. nvcc leaves such loops, too, if they have a branch
// that its unroller does not follow.
//
// Source: LLVM's LoopUnrollPass.cpp (analyzeLoopUnrollCost) for what unrolling
// saves; G. S. Murthy et al., "Optimal loop unrolling for GPGPU programs",
// IPDPS 2010, for instruction fetch as its price.
//
//===----------------------------------------------------------------------===//

#include "lto/device/DeviceUnrolling.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CallingConv.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace gpulto {

/// Instructions between two branches back from which on a loop may stay one,
/// and how many times as many it must have when unrolled.
static constexpr uint64_t kLeastBody = 128;
static constexpr unsigned kLeastSaving = 2;
/// One of so many instructions may be constant in an unrolled round.
static constexpr unsigned kFolding = 8;
static constexpr uint64_t kAssumedRounds = 8;
static constexpr uint64_t kHotter = 4;
/// How many steps pointers are followed back.
static constexpr unsigned kMaxSteps = 32;

/// How many rounds \p loop has, as LLVM's unrolling sees it: by whichever exit
/// is sure to be taken first; 0 if none is.
static unsigned roundsOf(const Loop &loop, ScalarEvolution &evolution) {
  SmallVector<BasicBlock *, 4> exiting;
  loop.getExitingBlocks(exiting);
  unsigned rounds = 0;
  for (const BasicBlock *block : exiting)
    if (unsigned count = evolution.getSmallConstantTripCount(&loop, block))
      rounds = rounds ? std::min(rounds, count) : count;
  return rounds;
}

/// How many rounds of \p loop will stand one behind the other, if that is all:
/// LLVM does what the source asks for; 1 if it stays a loop.
static unsigned unrolledRounds(const Loop &loop, ScalarEvolution &evolution) {
  bool asksForAll = findOptionMDForLoop(&loop, "llvm.loop.unroll.enable") ||
                    findOptionMDForLoop(&loop, "llvm.loop.unroll.full");
  return asksForAll ? std::max(roundsOf(loop, evolution), 1u) : 1;
}

namespace {

/// One round of a loop, with the loops in it unrolled.
class Round {
public:
  Round(const Loop &loop, LoopInfo &loops, ScalarEvolution &evolution)
      : loop(loop), loops(loops) {
    for (const Loop *in : loop.getLoopsInPreorder())
      copies[in] = in == &loop ? 1
                               : copies[in->getParentLoop()] *
                                     unrolledRounds(*in, evolution);
    for (const BasicBlock *block : loop.blocks())
      all += block->sizeWithoutDebug() * copiesOf(*block);
  }

  /// Its instructions.
  uint64_t size() const { return all; }
  /// Whether rounds are alike, and next to nothing in them would be constant.
  bool savesNothing() const;
  /// Whether it accesses what may be local memory at an address that differs by
  /// round.
  bool walksLocal() const;
  /// Whether it has barriers or calls.
  bool hasCalls() const;

private:
  using Instructions = SmallPtrSet<const Instruction *, 32>;

  /// How often \p block stands in a round.
  uint64_t copiesOf(const BasicBlock &block) const {
    return copies.lookup(loops.getLoopFor(&block));
  }
  Instructions constants(bool isCounterKnown) const;

  const Loop &loop;
  LoopInfo &loops;
  /// By loop in it: how often its body stands in a round.
  DenseMap<const Loop *, uint64_t> copies;
  uint64_t all = 0;
};

} // namespace

/// Whether the counter \p phi of \p loop begins with a constant.
static bool beginsKnown(const PHINode &phi, const Loop &loop) {
  const BasicBlock *before = loop.getLoopPreheader();
  return before && isa<ConstantInt>(phi.getIncomingValueForBlock(before));
}

/// Returns the instructions that are constants once the counters of the loops
/// in it are, and its own is if \p isCounterKnown.
Round::Instructions Round::constants(bool isCounterKnown) const {
  Instructions known;
  SmallVector<std::pair<const PHINode *, const Loop *>, 8> counters;
  for (const Loop *in : loop.getLoopsInPreorder()) {
    bool isUnrolled =
        in == &loop ? isCounterKnown
                    : copies.lookup(in) > copies.lookup(in->getParentLoop());
    if (!isUnrolled || !in->getLoopLatch())
      continue;
    for (const PHINode &phi : in->getHeader()->phis())
      if (beginsKnown(phi, *in)) {
        known.insert(&phi);
        counters.push_back({&phi, in});
      }
  }
  auto isKnown = [&](const Value *value) {
    auto *instruction = dyn_cast<Instruction>(value);
    return isa<Constant>(value) || (instruction && known.contains(instruction));
  };
  LoopBlocksRPO order(const_cast<Loop *>(&loop));
  order.perform(&loops);
  // Counters that more than constants go into are none, until all are some.
  for (bool changed = true; changed;) {
    for (const BasicBlock *block : order)
      for (const Instruction &instruction : *block) {
        if (isa<PHINode>(instruction))
          continue;
        known.erase(&instruction);
        if (!instruction.isTerminator() && !isa<CallBase>(instruction) &&
            !instruction.mayReadOrWriteMemory() &&
            all_of(instruction.operands(), isKnown))
          known.insert(&instruction);
      }
    changed = false;
    for (auto [phi, in] : counters)
      if (known.contains(phi) &&
          !isKnown(phi->getIncomingValueForBlock(in->getLoopLatch())))
        changed |= known.erase(phi);
  }
  return known;
}

bool Round::savesNothing() const {
  Instructions before = constants(/*isCounterKnown=*/false);
  uint64_t saved = 0;
  for (const Instruction *instruction : constants(/*isCounterKnown=*/true)) {
    const BasicBlock *block = instruction->getParent();
    if (before.contains(instruction))
      continue;
    saved += copiesOf(*block);
    bool isOwnCounter = any_of(instruction->users(), [&](const User *user) {
      auto *branch = dyn_cast<BranchInst>(user);
      return branch && branch->getParent() == loop.getLoopLatch();
    });
    bool decides = any_of(instruction->users(), [](const User *user) {
      return isa<BranchInst, SwitchInst, SelectInst>(user);
    });
    if (decides && !isOwnCounter)
      return false;
  }
  return saved * kFolding <= all;
}

/// Whether \p pointer, of a kernel or of what it calls, may be the address of
/// local memory.
static bool mayBeLocal(const Value *pointer) {
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(pointer, objects, /*LI=*/nullptr, kMaxSteps);
  return any_of(objects, [](const Value *object) {
    unsigned space = object->getType()->getPointerAddressSpace();
    if (space == NVPTXAS::ADDRESS_SPACE_GLOBAL ||
        space == NVPTXAS::ADDRESS_SPACE_SHARED ||
        space == NVPTXAS::ADDRESS_SPACE_CONST || isa<GlobalVariable>(object))
      return false;
    auto *argument = dyn_cast<Argument>(object);
    return !argument || argument->hasPointeeInMemoryValueAttr() ||
           argument->getParent()->getCallingConv() != CallingConv::PTX_Kernel;
  });
}

bool Round::walksLocal() const {
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block) {
      if (!instruction.mayReadOrWriteMemory())
        continue;
      for (const Value *operand : instruction.operands())
        if (operand->getType()->isPointerTy() &&
            !loop.isLoopInvariant(operand) && mayBeLocal(operand))
          return true;
    }
  return false;
}

bool Round::hasCalls() const {
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block)
      if (auto *call = dyn_cast<CallBase>(&instruction);
          call && (call->isConvergent() ||
                   !(isa<IntrinsicInst>(call) || call->isInlineAsm())))
        return true;
  return false;
}

static uint64_t instructionsOf(const Loop &loop) {
  uint64_t count = 0;
  for (const BasicBlock *block : loop.blocks())
    count += block->sizeWithoutDebug();
  return count;
}

/// How many rounds \p loop is thought to have.
static uint64_t assumedRounds(const Loop &loop, ScalarEvolution &evolution) {
  if (unsigned rounds = roundsOf(loop, evolution))
    return rounds;
  unsigned most = evolution.getSmallConstantMaxTripCount(&loop);
  return most ? std::min<uint64_t>(most, kAssumedRounds) : kAssumedRounds;
}

/// Returns a loop beside \p loop in which so much more time is spent than in
/// this one, \p size instructions in all its rounds, or null.
static const Loop *hotterBeside(const Loop &loop, uint64_t size,
                                LoopInfo &loops, ScalarEvolution &evolution) {
  for (const Loop *other : loops.getLoopsInPreorder()) {
    if (other->contains(&loop) || loop.contains(other))
      continue;
    // All of this one while the other is entered once.
    uint64_t all = size;
    const Loop *around = loop.getParentLoop();
    for (; around && !around->contains(other); around = around->getParentLoop())
      all *= roundsOf(*around, evolution);
    if (all && all * kHotter <=
                   instructionsOf(*other) * assumedRounds(*other, evolution))
      return other;
  }
  return nullptr;
}

/// Returns how many of \p rounds rounds of \p size instructions, without a
/// remainder, are enough of them between two branches back.
static unsigned enoughRounds(uint64_t size, unsigned rounds) {
  unsigned count = 1;
  while (size * count < kLeastBody || rounds % count)
    if (++count == rounds)
      break;
  return count;
}

/// Has \p loop unrolled \p count times.
static void limit(Loop &loop, unsigned count) {
  loop.setLoopID(makePostTransformationMetadata(loop.getHeader()->getContext(),
                                                loop.getLoopID(),
                                                {"llvm.loop.unroll."}, {}));
  addStringMetadataToLoop(
      &loop, count > 1 ? "llvm.loop.unroll.count" : "llvm.loop.unroll.disable",
      count);
}

PreservedAnalyses LimitUnrollingPass::run(Loop &loop, LoopAnalysisManager &,
                                          LoopStandardAnalysisResults &analyses,
                                          LPMUpdater &) {
  LoopInfo &loops = analyses.LI;
  ScalarEvolution &evolution = analyses.SE;
  unsigned rounds = unrolledRounds(loop, evolution);
  if (rounds < kLeastSaving || !loop.isLoopSimplifyForm() ||
      !loop.getHeader()->getModule()->getTargetTriple().isNVPTX())
    return PreservedAnalyses::all();
  Round round(loop, loops, evolution);
  uint64_t size = round.size();
  unsigned count = enoughRounds(size, rounds);
  if (count * kLeastSaving > rounds || round.hasCalls() ||
      !round.savesNothing() || round.walksLocal())
    return PreservedAnalyses::all();
  const Loop *hotter = hotterBeside(loop, size * rounds, loops, evolution);
  if (!hotter)
    return PreservedAnalyses::all();
  OptimizationRemarkEmitter remarks(loop.getHeader()->getParent());
  remarks.emit([&] {
    DebugLoc place = hotter->getStartLoc();
    OptimizationRemarkMissed remark("loop-unroll", "StaysLoop",
                                    loop.getStartLoc(), loop.getHeader());
    remark << "loop not unrolled completely: each of its "
           << ore::NV("Rounds", rounds) << " rounds has "
           << ore::NV("Instructions", static_cast<unsigned>(size))
           << " instructions, of which that would save next to none, and more "
              "time is spent in the loop";
    if (DebugLoc place = hotter->getStartLoc())
      remark << " at line " << ore::NV("Hotter", place.getLine());
    return remark << "; '#pragma unroll " << ore::NV("Wish", rounds)
                  << "' unrolls it";
  });
  limit(loop, count);
  return PreservedAnalyses::all();
}

} // namespace gpulto
