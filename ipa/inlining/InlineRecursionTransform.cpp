//===- InlineRecursionTransform.cpp - Functions inlined into themselves ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Carries out the choice of ipa/inlining/InlineRecursionPropagate.cpp on
// bodies. It inlines a copy of the original function, whose calls enter the
// function. So each inlined copy has calls to continue with, and all remaining
// calls enter the resulting function.
//
//===----------------------------------------------------------------------===//

#include "ipa/bodies/CallMarks.h"
#include "ipa/bodies/Passes.h"
#include "ipa/inlining/InliningTransform.h"
#include "support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/InlineCost.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <queue>

using namespace llvm;

namespace gpulto {

/// Returns a mark: the call's chance, and copies and depth of the function.
static MDNode *makeMark(LLVMContext &context, ArrayRef<uint32_t> numbers) {
  SmallVector<Metadata *, 3> operands;
  for (uint32_t number : numbers)
    operands.push_back(ConstantAsMetadata::get(
        ConstantInt::get(Type::getInt32Ty(context), number)));
  return MDNode::get(context, operands);
}

static uint32_t numberIn(const MDNode &mark, unsigned index) {
  return mdconst::extract<ConstantInt>(mark.getOperand(index))->getZExtValue();
}

Error markRecursion(Function &function, const RecursiveInlining &recursion,
                    uint32_t callCount) {
  if (!recursion.copies)
    return Error::success();
  LLVMContext &context = function.getContext();
  uint32_t number = 0;
  for (Instruction &instruction : instructions(function)) {
    auto *call = dyn_cast<CallBase>(&instruction);
    if (!call || !isCallEdge(*call))
      continue;
    for (const RecursiveCall &chosen : recursion.calls)
      if (chosen.call == number)
        call->setMetadata(kRecursionMark,
                          makeMark(context, {chosen.chance, recursion.copies,
                                             recursion.depth}));
    ++number;
  }
  if (number != callCount)
    return makeError("'" + function.getName() + "' has " + Twine(number) +
                     " calls, its summary " + Twine(callCount));
  return Error::success();
}

namespace {
/// A call that may be inlined.
struct Candidate {
  uint64_t chance = 0;
  uint32_t depth = 1;
  uint32_t order = 0; // of two that are as likely, the first
  CallBase *call = nullptr;
  bool operator<(const Candidate &other) const {
    return std::tuple(chance, other.order) < std::tuple(other.chance, order);
  }
};

/// Inlines one function into itself.
class SelfInliner {
public:
  SelfInliner(Function &function, uint32_t copies, uint32_t depth)
      : function(function), copies(copies), depth(depth) {}
  void run();

private:
  void add(CallBase &call, uint64_t chance, uint32_t level);
  bool inlineCopy(const Candidate &candidate);

  Function &function;
  uint32_t copies, depth;
  Function *original = nullptr;
  uint32_t added = 0;
  std::priority_queue<Candidate> queue;
};
} // namespace

/// Adds \p call, which runs \p chance times for each entry of the body that it
/// stands in times its own chance.
void SelfInliner::add(CallBase &call, uint64_t chance, uint32_t level) {
  MDNode *mark = call.getMetadata(kRecursionMark);
  if (!mark || level > depth)
    return;
  call.setMetadata(kRecursionMark, nullptr);
  // It may enter a clone, or another function's, by now.
  if (call.getCalledFunction() != &function || call.isNoInline() ||
      call.isMustTailCall())
    return;
  queue.push(
      {chance * numberIn(*mark, 0) / kCertainCall, level, added++, &call});
}

bool SelfInliner::inlineCopy(const Candidate &candidate) {
  candidate.call->setCalledFunction(original);
  InlineFunctionInfo info;
  if (!InlineFunction(*candidate.call, info).isSuccess()) {
    candidate.call->setCalledFunction(&function);
    return false;
  }
  for (CallBase *call : info.InlinedCallSites)
    add(*call, candidate.chance, candidate.depth + 1);
  return true;
}

void SelfInliner::run() {
  ValueToValueMapTy values;
  original = CloneFunction(&function, values);
  original->setLinkage(GlobalValue::InternalLinkage);
  original->setVisibility(GlobalValue::DefaultVisibility);
  original->setComdat(nullptr);
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<CallBase>(&instruction))
      add(*call, kCertainCall, 1);
  // The function calls itself, which LLVM does not inline; the copy does not.
  bool isViable = isInlineViable(*original).isSuccess();
  while (isViable && copies && !queue.empty()) {
    Candidate candidate = queue.top();
    queue.pop();
    if (inlineCopy(candidate))
      --copies;
  }
  original->eraseFromParent();
}

/// Returns whether \p function may be copied into itself.
static bool mayInlineItself(Function &function) {
  return !function.isDeclaration() &&
         !function.hasAvailableExternallyLinkage() &&
         !function.isInterposable() && !function.isPresplitCoroutine() &&
         !function.hasOptNone() &&
         !function.hasFnAttribute(Attribute::NoInline);
}

/// Returns a mark in \p function, or null.
static MDNode *findMark(const Function &function) {
  for (const Instruction &instruction : instructions(function))
    if (MDNode *mark = instruction.getMetadata(kRecursionMark))
      return mark;
  return nullptr;
}

void inlineRecursion(Module &partition) {
  SmallVector<std::pair<Function *, MDNode *>> marked;
  for (Function &function : partition)
    if (MDNode *mark = findMark(function))
      marked.push_back({&function, mark});
  for (auto [function, mark] : marked) {
    if (mayInlineItself(*function))
      SelfInliner(*function, numberIn(*mark, 1), numberIn(*mark, 2)).run();
    for (Instruction &instruction : instructions(*function))
      instruction.setMetadata(kRecursionMark, nullptr);
  }
}

} // namespace gpulto
