//===- LocalUses.cpp - What uses of an address do to a variable -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: all instructions that may write a variable, by the uses of its address.
// It escapes if that is used otherwise. What goes to a known callee is a write
// by that callee, which whole-program analysis knows.
//
//   Params p; p.n = 64; init(&p); kernel<<<...>>>(p);    two writes, no escape
//
// 1. follow      looks at each use of an address and of what is computed of it.
// 2. leastOffset says of indexes what they are at least, by ScalarEvolution.
// 3. launchSlot  tells arrays of arguments, which only launches read.
//
// Linear in the uses of each variable, which are bounded (kMaxUses of each
// address), whatever the length of the function is: it may have a place that
// asks in each of thousands of blocks.
//
// Why not MemorySSA: its construction costs more than the whole of LGEN, and
// SROA and MemCpyOpt have left only such simple cases.
//
// Source: M. Jambor, J. Hubicka, IPA-SRA and aggregate jump functions in GCC
// (ipa-prop).
//
//===----------------------------------------------------------------------===//

#include "ipa/values/LocalUses.h"

#include "ipa/values/DerivedPointer.h"
#include "ipa/values/LocalVariables.h"
#include "ipa/values/RuntimeCalls.h"
#include "ipa/values/ValueLimits.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PassManager.h"

namespace gpulto {

namespace {

/// Takes numbers that the loop's entry says are not negative for such.
class SignsKnown : public llvm::SCEVRewriteVisitor<SignsKnown> {
public:
  SignsKnown(llvm::ScalarEvolution &evolution, const llvm::Loop *loop)
      : SCEVRewriteVisitor(evolution), loop(loop) {}
  // NOLINTNEXTLINE(bugprone-derived-method-shadowing-base-method): LLVM's way
  const llvm::SCEV *visitSignExtendExpr(const llvm::SCEVSignExtendExpr *each) {
    const llvm::SCEV *operand = visit(each->getOperand());
    bool isPositive = SE.isKnownNonNegative(
        loop ? SE.applyLoopGuards(operand, loop) : operand);
    return isPositive ? SE.getZeroExtendExpr(operand, each->getType())
                      : SE.getSignExtendExpr(operand, each->getType());
  }

private:
  const llvm::Loop *loop;
};

/// Follows the address of one variable.
class LocalUses {
public:
  LocalUses(LocalVariables &locals, LgenContext &context,
            llvm::Function &function, LocalVariable &result)
      : locals(locals), context(context), function(function),
        layout(function.getParent()->getDataLayout()), result(result) {}

  /// Where an address leads whose uses are followed.
  struct Followed {
    uint64_t offset; ///< the byte of the variable, or the least if not isExact
    bool isExact;
    unsigned depth; ///< steps from the variable
  };

  void follow(const llvm::Value &pointer, Followed at);

private:
  /// What launches make of an address that is stored in memory.
  enum class LaunchSlot {
    None,     ///< not known, or nothing: it escapes
    Argument, ///< they read one argument there
    Arguments ///< they read addresses of arguments there
  };
  LaunchSlot launchSlot(const llvm::Value &pointer);
  bool isNonNegative(llvm::Value &index);
  uint64_t leastOffset(llvm::GetElementPtrInst &address);
  uint64_t leastOffset(llvm::GetElementPtrInst &address, uint64_t offset);
  Followed afterStep(llvm::GetElementPtrInst &address, Followed at);
  void followUse(const llvm::Use &use, Followed at);
  void followStore(const llvm::Use &use, Followed at);
  void followCall(const llvm::Use &use, Followed at);
  void followArgument(const llvm::CallBase &call, unsigned index, Followed at);
  void addWrite(const llvm::Instruction &instruction, Followed at,
                uint64_t size) {
    result.writes.push_back(
        {&instruction, at.offset, at.isExact ? size : kUnboundedSize});
  }

  LocalVariables &locals;
  LgenContext &context;
  llvm::Function &function;
  const llvm::DataLayout &layout;
  LocalVariable &result;
};

} // namespace

/// What launches make of an address that is stored at \p pointer. Addresses in
/// a local array that only launches read do not escape: the runtime copies what
/// they point to and keeps none. What such an array points to is no such array:
/// kernels get its contents. The parameters of a graph's node are one step
/// further away: they have the address of such an array.
LocalUses::LaunchSlot LocalUses::launchSlot(const llvm::Value &pointer) {
  int64_t offset;
  auto *variable =
      llvm::dyn_cast<llvm::AllocaInst>(stripOffsets(pointer, layout, offset));
  if (!variable)
    return LaunchSlot::None;
  const LocalVariable &array = locals.describe(*variable);
  if (array.escapes || array.isLoaded || array.isArgument)
    return LaunchSlot::None;
  if (!array.isNodeParams)
    return LaunchSlot::Argument;
  return offset == int64_t(kNodeArguments) && !array.isLaunched
             ? LaunchSlot::Arguments
             : LaunchSlot::None;
}

/// Whether \p index is not negative: by its definition, or as a counter that
/// does not start below zero when its loop is entered.
bool LocalUses::isNonNegative(llvm::Value &index) {
  if (llvm::isKnownNonNegative(&index, layout))
    return true;
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(&index);
  if (!instruction ||
      !context.analyses.getResult<llvm::LoopAnalysis>(function).getLoopFor(
          instruction->getParent()))
    return false;
  auto &evolution =
      context.analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  auto *counter =
      llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(&index));
  return counter && counter->isAffine() && counter->hasNoSignedWrap() &&
         evolution.isKnownNonNegative(counter->getStepRecurrence(evolution)) &&
         evolution.isKnownNonNegative(evolution.applyLoopGuards(
             counter->getStart(), counter->getLoop()));
}

/// The least byte of the variable that \p address may lead to, however the way
/// there is made of steps back and forth; 0: not known.
uint64_t LocalUses::leastOffset(llvm::GetElementPtrInst &address) {
  auto &evolution =
      context.analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  const llvm::Loop *loop =
      context.analyses.getResult<llvm::LoopAnalysis>(function).getLoopFor(
          address.getParent());
  const llvm::SCEV *whole = evolution.getSCEV(&address);
  auto *base =
      llvm::dyn_cast<llvm::SCEVUnknown>(evolution.getPointerBase(whole));
  if (!base || base->getValue() != llvm::getUnderlyingObject(&address, 0))
    return 0;
  llvm::APInt least = evolution.getSignedRangeMin(
      SignsKnown(evolution, loop).visit(evolution.removePointerBase(whole)));
  return least.isNegative() ? 0 : least.getZExtValue();
}

/// The least byte of the variable that \p address may lead to, of which the
/// pointer operand leads to \p offset or behind.
uint64_t LocalUses::leastOffset(llvm::GetElementPtrInst &address,
                                uint64_t offset) {
  llvm::SmallMapVector<llvm::Value *, llvm::APInt, 4> variable;
  unsigned width = layout.getIndexTypeSizeInBits(address.getType());
  llvm::APInt constant(width, 0);
  // In bounds, so nothing wraps.
  if (!address.isInBounds() ||
      !llvm::cast<llvm::GEPOperator>(address).collectOffset(
          layout, width, variable, constant) ||
      constant.isNegative())
    return leastOffset(address);
  for (const auto &[index, scale] : variable)
    if (scale.isNegative() || index->getType()->getScalarSizeInBits() > width ||
        !isNonNegative(*index))
      return leastOffset(address);
  return offset + constant.getZExtValue();
}

/// Returns where \p address leads, whose pointer operand leads to \p at.
LocalUses::Followed LocalUses::afterStep(llvm::GetElementPtrInst &address,
                                         Followed at) {
  llvm::APInt step(layout.getIndexTypeSizeInBits(address.getType()), 0);
  bool isConstant =
      address.accumulateConstantOffset(layout, step) && !step.isNegative();
  return {isConstant ? at.offset + step.getZExtValue()
                     : leastOffset(address, at.offset),
          at.isExact && isConstant, at.depth + 1};
}

/// Adds what the uses of \p pointer, which leads to \p at, do to the variable.
void LocalUses::follow(const llvm::Value &pointer, Followed at) {
  constexpr unsigned kMaxUses = 256;
  if (at.depth > kMaxDepth || pointer.hasNUsesOrMore(kMaxUses))
    return result.escape();
  for (const llvm::Use &use : pointer.uses())
    followUse(use, at);
}

void LocalUses::followUse(const llvm::Use &use, Followed at) {
  auto *user = llvm::cast<llvm::Instruction>(use.getUser());
  if (llvm::isa<llvm::LoadInst, llvm::ICmpInst>(user)) {
    result.isLoaded |= llvm::isa<llvm::LoadInst>(user);
    return;
  }
  if (llvm::isa<llvm::StoreInst>(user))
    return followStore(use, at);
  if (auto *address = llvm::dyn_cast<llvm::GetElementPtrInst>(user))
    return follow(*address, afterStep(*address, at));
  if (llvm::isa<llvm::AddrSpaceCastInst, llvm::BitCastInst>(user))
    return follow(*user, {at.offset, at.isExact, at.depth + 1});
  // Clean-ups of several objects are one.
  auto freesUser = [&](const llvm::User *last) {
    auto *call = llvm::dyn_cast<llvm::CallBase>(last);
    return call && locals.frees(*call, *user);
  };
  if (llvm::isa<llvm::PHINode>(user) && llvm::all_of(user->users(), freesUser))
    return;
  // Where one of several parts, or variables, is read, none is written.
  auto isRead = [](const llvm::User *last) {
    return llvm::isa<llvm::LoadInst>(last);
  };
  if (llvm::isa<llvm::PHINode, llvm::SelectInst>(user) &&
      llvm::all_of(user->users(), isRead)) {
    result.isLoaded = true;
    return;
  }
  auto *call = llvm::dyn_cast<llvm::CallBase>(user);
  if (!call || !call->isArgOperand(&use))
    return result.escape();
  followCall(use, at);
}

void LocalUses::followStore(const llvm::Use &use, Followed at) {
  auto &store = *llvm::cast<llvm::StoreInst>(use.getUser());
  if (use.getOperandNo() == store.getPointerOperandIndex()) {
    llvm::Type *type = store.getValueOperand()->getType();
    return addWrite(store, at, layout.getTypeStoreSize(type).getFixedValue());
  }
  LaunchSlot slot = launchSlot(*store.getPointerOperand());
  result.isArgument |= slot == LaunchSlot::Argument;
  if (slot == LaunchSlot::None)
    result.escape();
}

void LocalUses::followCall(const llvm::Use &use, Followed at) {
  auto &call = *llvm::cast<llvm::CallBase>(use.getUser());
  if (auto *mark = llvm::dyn_cast<llvm::IntrinsicInst>(&call);
      mark && mark->getIntrinsicID() == llvm::Intrinsic::lifetime_start)
    result.starts.push_back(&call);
  if (call.isLifetimeStartOrEnd() || call.isDroppable() ||
      locals.frees(call, *use.get()))
    return;
  unsigned index = call.getArgOperandNo(&use);
  if (auto *memory = llvm::dyn_cast<llvm::MemIntrinsic>(&call)) {
    auto *length = llvm::dyn_cast<llvm::ConstantInt>(memory->getLength());
    result.isLoaded |= index != 0;
    if (index == 0)
      addWrite(call, at, length ? length->getZExtValue() : kUnboundedSize);
    return;
  }
  if (launchKindOf(call)) {
    result.isLaunched = true;
    return;
  }
  if (addsKernelNode(call) && index == kNodeParamsOperand && at.isExact &&
      at.offset == 0) {
    result.isNodeParams = true;
    return;
  }
  if (CopyAccess access = copyAccess(call, index); access != CopyAccess::None) {
    result.isLoaded = true;
    if (access == CopyAccess::Writes)
      addWrite(call, at, kUnboundedSize);
    return;
  }
  if (allocationResult(call) == index)
    return addWrite(call, at, layout.getPointerSize());
  followArgument(call, index, at);
}

/// Adds what a callee of which nothing is known here may do with argument
/// \p index. Its edge says what it gets, so WPA can say what it does with it.
void LocalUses::followArgument(const llvm::CallBase &call, unsigned index,
                               Followed at) {
  result.isLoaded = true;
  if (call.isByValArgument(index))
    return;
  const llvm::Function *callee = call.getCalledFunction();
  bool isEdge = callee && !callee->isIntrinsic() && at.isExact;
  bool isKept = !call.doesNotCapture(index);
  if (isKept)
    result.keepers.push_back(&call);
  if (isEdge && call.paramHasAttr(index, llvm::Attribute::StructRet)) {
    uint64_t size = layout.getTypeAllocSize(call.getParamStructRetType(index))
                        .getFixedValue();
    result.writes.push_back(
        {&call, at.offset, size, true, true, index, at.offset});
    if (isKept)
      result.escape(/*isSeen=*/true);
    return;
  }
  if (isKept)
    result.escape(/*isSeen=*/isEdge);
  if (!call.onlyReadsMemory(index))
    result.writes.push_back(
        {&call, 0, kUnboundedSize, isEdge, false, index, at.offset});
}

void addUses(LocalVariables &locals, LgenContext &context,
             llvm::Function &function, const llvm::Value &variable,
             LocalVariable &result) {
  LocalUses(locals, context, function, result)
      .follow(variable, {/*offset=*/0, /*isExact=*/true, /*depth=*/0});
}

} // namespace gpulto
