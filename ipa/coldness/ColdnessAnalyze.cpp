//===- ColdnessAnalyze.cpp - Calls that are rarely reached (LGEN) ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: find the calls of a body that hardly ever run, without a profile.
//
//   if (__builtin_expect(p == nullptr, 0)) report(p);   report: cold
//   if (n > max) { note(n); fail("too large"); }        note, fail: cold
//   try { work(); } catch (...) { undo(); }             undo: cold
//   switch (code) { case 0: f(); ... case 299: g(); }   none, rare as each is
//
// Block frequencies do not suffice: one case in 300, or the last of a chain of
// nine conditions, is as improbable as code that the program calls improbable.
//
// 1. Blocks that are cold by themselves (saysCold): a landing pad, a call with
//    attribute cold, an end that does not return. exit() is not such an end:
//    programs reach it after all their work.
// 2. Blocks that lead only to those (spreadBack), except in loops, which may
//    run long before they do.
// 3. Blocks reachable only through those, or over edges that branch weights
//    call improbable (spreadForward).
//
// The entry is never cold. Bodies with a profile are left to LLVM, which knows
// more. Linear in edges.
//
// Source: unlikelyExecuted and the limit of 1 % in LLVM's HotColdSplitting.cpp;
// GCC's predict.cc (unlikely_executed_stmt_p), which does not take exit() for
// unlikely either.
//
//===----------------------------------------------------------------------===//

#include "ipa/bodies/Passes.h"
#include "summary/ModuleSummary.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/ProfDataUtils.h"

#include <numeric>

namespace gpulto {

namespace {

/// An edge taken less often than once in so many times is cold.
constexpr uint64_t kColdChance = 100;

/// Whether \p call ends the program or the thread in the ordinary way.
bool isOrdinaryEnd(const llvm::CallBase &call) {
  static constexpr llvm::StringLiteral kEnds[] = {"exit", "_exit", "_Exit",
                                                  "quick_exit", "pthread_exit"};
  const llvm::Function *callee = call.getCalledFunction();
  return callee && llvm::is_contained(kEnds, callee->getName());
}

bool saysCold(const llvm::BasicBlock &block) {
  if (block.isEHPad())
    return true;
  bool endsOrdinarily = false;
  for (const llvm::Instruction &instruction : block)
    if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
      if (call->hasFnAttr(llvm::Attribute::Cold))
        return true;
      endsOrdinarily |= isOrdinaryEnd(*call);
    }
  return llvm::isa<llvm::UnreachableInst>(block.getTerminator()) &&
         !endsOrdinarily;
}

class ColdBlocks {
public:
  ColdBlocks(const llvm::Function &function, const llvm::LoopInfo &loops)
      : entry(function.getEntryBlock()), loops(loops) {
    for (const llvm::BasicBlock &block : function)
      if (&block != &entry && saysCold(block))
        cold.insert(&block);
    spreadBack();
    spreadForward();
  }

  bool contains(const llvm::BasicBlock &block) const {
    return cold.contains(&block);
  }

private:
  void spreadBack();
  void spreadForward();
  llvm::SmallVector<const llvm::BasicBlock *, 4>
  warmSuccessors(const llvm::BasicBlock &block) const;

  const llvm::BasicBlock &entry;
  const llvm::LoopInfo &loops;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> cold; // looked up only
};

/// Returns the successors of \p block that are not known to be cold.
llvm::SmallVector<const llvm::BasicBlock *, 4>
ColdBlocks::warmSuccessors(const llvm::BasicBlock &block) const {
  const llvm::Instruction &end = *block.getTerminator();
  llvm::SmallVector<uint32_t, 4> weights;
  if (!llvm::extractBranchWeights(end, weights) ||
      weights.size() != end.getNumSuccessors())
    weights.assign(end.getNumSuccessors(), 1);
  bool isBranch = llvm::isa<llvm::BranchInst, llvm::SwitchInst>(end);
  uint64_t total = std::accumulate(weights.begin(), weights.end(), uint64_t(0));
  bool isWeighted = isBranch && llvm::any_of(weights, [&](auto w) {
                      return w != weights[0];
                    });
  llvm::SmallVector<const llvm::BasicBlock *, 4> result;
  for (unsigned i = 0; i < end.getNumSuccessors(); ++i)
    if (!cold.contains(end.getSuccessor(i)) &&
        !(isWeighted && weights[i] * kColdChance < total))
      result.push_back(end.getSuccessor(i));
  return result;
}

void ColdBlocks::spreadBack() {
  for (const llvm::BasicBlock *block : llvm::post_order(&entry))
    if (block != &entry && !loops.getLoopFor(block) &&
        block->getTerminator()->getNumSuccessors() &&
        warmSuccessors(*block).empty())
      cold.insert(block);
}

void ColdBlocks::spreadForward() {
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> warm{&entry};
  llvm::SmallVector<const llvm::BasicBlock *, 16> worklist{&entry};
  while (!worklist.empty())
    for (const llvm::BasicBlock *next :
         warmSuccessors(*worklist.pop_back_val()))
      if (warm.insert(next).second)
        worklist.push_back(next);
  for (const llvm::BasicBlock &block : *entry.getParent())
    if (!warm.contains(&block))
      cold.insert(&block);
}

/// Marks \p calls of \p function, which are \p instructions.
void markCalls(LgenContext &context, llvm::Function &function,
               llvm::MutableArrayRef<CallEdge> calls,
               llvm::ArrayRef<const llvm::CallBase *> instructions) {
  const llvm::LoopInfo &loops =
      context.analyses.getResult<llvm::LoopAnalysis>(function);
  ColdBlocks cold(function, loops);
  bool hasProfile =
      (context.summary.flags & kHasProfile) || function.hasProfileData();
  for (auto [call, instruction] : llvm::zip_equal(calls, instructions)) {
    const llvm::BasicBlock &block = *instruction->getParent();
    if (loops.getLoopFor(&block))
      call.flags |= kLoopSite;
    if (!hasProfile &&
        (cold.contains(block) || instruction->hasFnAttr(llvm::Attribute::Cold)))
      call.flags |= kColdSite;
  }
}

} // namespace

void analyzeColdness(LgenContext &context) {
  ModuleSummary &summary = context.summary;
  if (summary.side != Side::Host)
    return;
  for (size_t i = 0; i < context.bodies.size(); ++i) {
    Range calls = summary.functions[i].calls;
    if (!calls.empty())
      markCalls(
          context, *context.bodies[i],
          llvm::MutableArrayRef(summary.calls).slice(calls.first, calls.count),
          llvm::ArrayRef(context.callInstructions)
              .slice(calls.first, calls.count));
  }
}

} // namespace gpulto
