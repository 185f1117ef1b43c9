//===- DeviceConvergence.cpp - Where whole warps shuffle ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: no code for warps that are not whole, where they always are.
//
//   __syncthreads();
//   if (threadIdx.x < 32)          // ptxas does not know how blocks look
//     sum = reduce(tile[lane]);    // five __shfl_xor_sync(0xffffffff, ...)
//   __syncthreads();
//
// On such a branch ptxas tests whether the warp is whole, and makes a second
// copy of each shuffle that collects its threads one by one: 100 bytes for
// each, in ggml's matrix products a fifth of all text. `bar.warp.sync` before
// the first shuffle says that it need not.
//
// That is allowed if the shuffle is whole: if all threads of the warp that have
// not exited execute it, each behind the same point where they all were:
//
// - the begin of a kernel,
// - a barrier of the block: it is `.aligned`, so "all threads in the warp must
//   execute the same" one,
// - or another whole one of what synchronizes a warp with a full mask.
//
// It is whole if, from all such points from which it is reached, nothing else
// that synchronizes comes first, but an exit or a barrier of the block: a
// thread that waits in a barrier never comes to the shuffle, whose "result is
// undefined" unless "all non-exited threads named in mask execute the same
// intrinsic". (By induction over what a thread executes, so that shuffles in a
// loop may prove each other.)
//
// Where a shuffle is reached from such a point in any case, or threads that do
// not take part exit, ptxas sees this by itself.
//
// Source: CUDA C++ Programming Guide, "Warp Shuffle Functions"; PTX ISA,
// "barrier", "bar.warp.sync"; what ptxas 13.0 makes of both.
//
//===----------------------------------------------------------------------===//

#include "lto/device/DeviceConvergence.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gpulto {

namespace {

/// What a call means for the threads of a warp.
enum class Meeting : uint8_t {
  None,    ///< no thread waits for another in it
  Block,   ///< a barrier of the block, executed by whole warps
  Warp,    ///< a full mask: each thread of the warp waits for all
  Shuffle, ///< that, by what ptxas makes two copies of
  Unknown, ///< some other threads, or a callee's
};

/// What synchronizes threads and is reached first from some place.
struct First {
  const CallInst *call = nullptr; ///< but for barriers of the block
  bool isAny = false;             ///< several calls, or one that is unknown
  bool mayBlock = false;          ///< a barrier of the block, too

  void join(const First &other) {
    isAny |= other.isAny || (call && other.call && call != other.call);
    mayBlock |= other.mayBlock;
    if (!call)
      call = other.call;
  }
  bool operator==(const First &) const = default;
};

/// A function's calls that synchronize, and which of them are whole.
class Warps {
public:
  explicit Warps(Function &function);

  /// Returns the whole shuffles.
  SmallVector<CallInst *> wholeShuffles() const;
  /// Whether threads of a warp may, for all that ptxas sees, part on the way to
  /// \p shuffle, a whole one, some for a barrier.
  bool mayPartBefore(const CallInst &shuffle, UniformityInfo &uniformity) const;

private:
  struct Block {
    SmallVector<CallInst *, 2> calls; ///< those that synchronize
    First atBegin;
    bool isWhole = true; ///< all threads come to its begin from one point
  };

  First firstBehind(const BasicBlock &block) const;
  bool updateFirst(const BasicBlock &block);
  bool updateWhole(const BasicBlock &block);

  bool isKernel;
  MapVector<const BasicBlock *, Block> blocks;
  DenseMap<const CallInst *, bool> isWhole;
};

} // namespace

static bool isFullMask(const Value *mask) {
  auto *constant = dyn_cast<ConstantInt>(mask);
  return constant && constant->isMinusOne();
}

static Meeting meetingOf(const CallInst &call) {
  switch (call.getIntrinsicID()) {
  case Intrinsic::nvvm_barrier_cta_sync_aligned_all:
  case Intrinsic::nvvm_barrier_cta_sync_aligned_count:
  case Intrinsic::nvvm_barrier_cta_red_and_aligned_all:
  case Intrinsic::nvvm_barrier_cta_red_and_aligned_count:
  case Intrinsic::nvvm_barrier_cta_red_or_aligned_all:
  case Intrinsic::nvvm_barrier_cta_red_or_aligned_count:
  case Intrinsic::nvvm_barrier_cta_red_popc_aligned_all:
  case Intrinsic::nvvm_barrier_cta_red_popc_aligned_count:
    return Meeting::Block;
  case Intrinsic::nvvm_shfl_sync_bfly_f32:
  case Intrinsic::nvvm_shfl_sync_bfly_f32p:
  case Intrinsic::nvvm_shfl_sync_bfly_i32:
  case Intrinsic::nvvm_shfl_sync_bfly_i32p:
  case Intrinsic::nvvm_shfl_sync_down_f32:
  case Intrinsic::nvvm_shfl_sync_down_f32p:
  case Intrinsic::nvvm_shfl_sync_down_i32:
  case Intrinsic::nvvm_shfl_sync_down_i32p:
  case Intrinsic::nvvm_shfl_sync_idx_f32:
  case Intrinsic::nvvm_shfl_sync_idx_f32p:
  case Intrinsic::nvvm_shfl_sync_idx_i32:
  case Intrinsic::nvvm_shfl_sync_idx_i32p:
  case Intrinsic::nvvm_shfl_sync_up_f32:
  case Intrinsic::nvvm_shfl_sync_up_f32p:
  case Intrinsic::nvvm_shfl_sync_up_i32:
  case Intrinsic::nvvm_shfl_sync_up_i32p:
    return isFullMask(call.getArgOperand(0)) ? Meeting::Shuffle
                                             : Meeting::Unknown;
  case Intrinsic::nvvm_bar_warp_sync:
  case Intrinsic::nvvm_match_all_sync_i32p:
  case Intrinsic::nvvm_match_all_sync_i64p:
  case Intrinsic::nvvm_match_any_sync_i32:
  case Intrinsic::nvvm_match_any_sync_i64:
  case Intrinsic::nvvm_vote_all_sync:
  case Intrinsic::nvvm_vote_any_sync:
  case Intrinsic::nvvm_vote_ballot_sync:
  case Intrinsic::nvvm_vote_uni_sync:
    return isFullMask(call.getArgOperand(0)) ? Meeting::Warp : Meeting::Unknown;
  case Intrinsic::nvvm_redux_sync_add:
  case Intrinsic::nvvm_redux_sync_and:
  case Intrinsic::nvvm_redux_sync_max:
  case Intrinsic::nvvm_redux_sync_min:
  case Intrinsic::nvvm_redux_sync_or:
  case Intrinsic::nvvm_redux_sync_umax:
  case Intrinsic::nvvm_redux_sync_umin:
  case Intrinsic::nvvm_redux_sync_xor:
    return isFullMask(call.getArgOperand(1)) ? Meeting::Warp : Meeting::Unknown;
  default:
    return call.isConvergent() ? Meeting::Unknown : Meeting::None;
  }
}

/// What comes first from just before \p call on.
static First firstAt(const CallInst &call) {
  First first;
  Meeting meeting = meetingOf(call);
  first.mayBlock = meeting == Meeting::Block;
  first.isAny = meeting == Meeting::Unknown;
  if (meeting != Meeting::Block)
    first.call = &call;
  return first;
}

First Warps::firstBehind(const BasicBlock &block) const {
  First first;
  // What calls a function goes on behind it.
  first.isAny = isa<ReturnInst>(block.getTerminator()) && !isKernel;
  for (const BasicBlock *next : successors(&block))
    first.join(blocks.find(next)->second.atBegin);
  return first;
}

bool Warps::updateFirst(const BasicBlock &block) {
  Block &known = blocks.find(&block)->second;
  First first =
      known.calls.empty() ? firstBehind(block) : firstAt(*known.calls.front());
  return std::exchange(known.atBegin, first) != first;
}

/// Threads of one warp part, or meet, in the calls of \p block; says so of the
/// calls and of the blocks that follow. Returns whether these change.
bool Warps::updateWhole(const BasicBlock &block) {
  const Block &known = blocks.find(&block)->second;
  bool whole = known.isWhole;
  for (auto [i, call] : enumerate(known.calls)) {
    Meeting meeting = meetingOf(*call);
    if (meeting == Meeting::Unknown)
      whole = false;
    else if (meeting == Meeting::Block)
      whole = true;
    isWhole[call] = whole;
    First behind = i + 1 < known.calls.size() ? firstAt(*known.calls[i + 1])
                                              : firstBehind(block);
    whole &= !behind.isAny;
  }
  bool changed = false;
  for (const BasicBlock *next : successors(&block)) {
    Block &after = blocks.find(next)->second;
    changed |= after.isWhole && !whole;
    after.isWhole &= whole;
  }
  return changed;
}

Warps::Warps(Function &function)
    : isKernel(function.getCallingConv() == CallingConv::PTX_Kernel) {
  for (BasicBlock &block : function) {
    Block &known = blocks[&block];
    for (Instruction &instruction : block)
      if (auto *call = dyn_cast<CallInst>(&instruction);
          call && meetingOf(*call) != Meeting::None)
        known.calls.push_back(call);
  }
  auto untilSame = [&](auto &&range, auto update) {
    for (bool changed = true; changed;) {
      changed = false;
      for (auto &[block, known] : range)
        changed |= update(*block);
    }
  };
  untilSame(reverse(blocks),
            [&](const BasicBlock &block) { return updateFirst(block); });
  Block &entry = blocks.front().second;
  entry.isWhole = isKernel && !entry.atBegin.isAny;
  untilSame(blocks,
            [&](const BasicBlock &block) { return updateWhole(block); });
}

SmallVector<CallInst *> Warps::wholeShuffles() const {
  SmallVector<CallInst *> shuffles;
  for (const auto &[block, known] : blocks)
    for (CallInst *call : known.calls)
      if (meetingOf(*call) == Meeting::Shuffle && isWhole.lookup(call))
        shuffles.push_back(call);
  return shuffles;
}

bool Warps::mayPartBefore(const CallInst &shuffle,
                          UniformityInfo &uniformity) const {
  const BasicBlock *home = shuffle.getParent();
  if (blocks.find(home)->second.calls.front() != &shuffle)
    return false;
  // The blocks between it and the points before.
  SetVector<const BasicBlock *> between;
  between.insert(home);
  for (size_t i = 0; i < between.size(); ++i)
    for (const BasicBlock *before : predecessors(between[i])) {
      bool parts = any_of(successors(before), [&](const BasicBlock *other) {
        return blocks.find(other)->second.atBegin !=
               blocks.find(between[i])->second.atBegin;
      });
      if (parts && firstBehind(*before).mayBlock &&
          uniformity.hasDivergentTerminator(*before))
        return true;
      if (blocks.find(before)->second.calls.empty())
        between.insert(before);
    }
  return false;
}

PreservedAnalyses
RestateConvergencePass::run(Function &function,
                            FunctionAnalysisManager &analyses) {
  if (!function.getParent()->getTargetTriple().isNVPTX())
    return PreservedAnalyses::all();
  Warps warps(function);
  SmallVector<CallInst *> shuffles = warps.wholeShuffles();
  if (shuffles.empty())
    return PreservedAnalyses::all();
  auto &uniformity = analyses.getResult<UniformityInfoAnalysis>(function);
  erase_if(shuffles, [&](const CallInst *shuffle) {
    return !warps.mayPartBefore(*shuffle, uniformity);
  });
  for (CallInst *shuffle : shuffles) {
    IRBuilder<> builder(shuffle);
    builder.CreateIntrinsic(Intrinsic::nvvm_bar_warp_sync,
                            shuffle->getArgOperand(0));
  }
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace gpulto
