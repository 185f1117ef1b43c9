//===- JumpFunctionLocals.cpp - Who writes a function's variables ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: all instructions that may write a local variable, an object that the
// function makes on the heap, or what a pointer parameter leads to, and whether
// a write is the last before a place.
//
//  1. describe  follows the uses of the address; the variable escapes if it is
//               used otherwise. What goes to a known callee is a write by that
//               callee, which whole-program analysis knows.
//  2. reaches   a write determines its bytes at a place if whichever way leads
//               there, no other one that overlaps them comes after it
//               (ReachingDefinitions.cpp).
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

#include "ipa/bodies/Analyze.h"
#include "ipa/runtime/CudaRuntime.h"
#include "ipa/values/JumpFunctionBuilder.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

namespace gpulto {

/// The bytes of the object that \p value, a call, makes on the heap, or of the
/// buffer that it gets for a launch; nothing if it is something else or that is
/// not a constant. Nobody else has a pointer to it before the function passes
/// one on.
std::optional<uint64_t>
JumpFunctionBuilder::heapObjectBytes(const llvm::Value &value) {
  auto *call = llvm::dyn_cast<llvm::CallBase>(&value);
  if (!call || !call->getCalledFunction() || call->arg_empty())
    return std::nullopt;
  if (std::optional<uint64_t> bytes = launchBufferBytes(*call))
    return bytes;
  const llvm::TargetLibraryInfo &library =
      context.analyses.getResult<llvm::TargetLibraryAnalysis>(function);
  auto *size = llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(0));
  // -fno-assume-sane-operator-new: the program's may keep the address.
  if (!size || !llvm::isNewLikeFn(call, &library) ||
      !call->returnDoesNotAlias())
    return std::nullopt;
  return size->getZExtValue();
}

/// Whether \p call ends the life of the object that \p pointer leads to, which
/// it neither writes for anybody to see nor keeps.
bool JumpFunctionBuilder::frees(const llvm::CallBase &call,
                                const llvm::Value &pointer) {
  const llvm::TargetLibraryInfo &library =
      context.analyses.getResult<llvm::TargetLibraryAnalysis>(function);
  return llvm::getFreedOperand(&call, &library) == &pointer;
}

/// Whether \p value is memory of the function itself: a variable, the copy of
/// an argument or an object on the heap.
bool JumpFunctionBuilder::isLocalVariable(const llvm::Value &value) {
  if (auto *argument = llvm::dyn_cast<llvm::Argument>(&value))
    return argument->hasByValAttr();
  return llvm::isa<llvm::AllocaInst>(value) || heapObjectBytes(value);
}

/// Whether nothing in the function can write the callee's copy \p byValue.
bool JumpFunctionBuilder::isUnmodified(const llvm::Argument &byValue) {
  const LocalVariable &uses = describe(byValue);
  return !uses.escapes && uses.writes.empty();
}

/// Whether a callee that may keep the address of \p local may have run before
/// \p at: whoever runs then may write it.
bool JumpFunctionBuilder::isKeptBefore(const LocalVariable &local,
                                       const llvm::Instruction &at) {
  if (local.escapesUnseen || local.keepers.empty())
    return local.escapesUnseen;
  if (!local.kept) {
    llvm::SmallVector<Definition, 4> keeping;
    for (const llvm::Instruction *keeper : local.keepers)
      keeping.push_back({keeper->getParent(), keeper});
    local.kept.emplace(keeping, function, context.analyses);
  }
  ReachingSet keepers = local.kept->before(at);
  return !keepers.isKnown || !keepers.ids.empty();
}

/// The number of \p variable in the function, from 1: the same for whoever
/// asks, since summaries name variables by it.
uint32_t JumpFunctionBuilder::localNumber(const llvm::Value &variable) {
  if (auto *argument = llvm::dyn_cast<llvm::Argument>(&variable))
    return argument->getArgNo() + 1;
  if (localNumbers.empty()) {
    uint32_t number = static_cast<uint32_t>(function.arg_size());
    for (const llvm::BasicBlock &block : function)
      for (const llvm::Instruction &instruction : block)
        if (llvm::isa<llvm::AllocaInst>(instruction) ||
            heapObjectBytes(instruction))
          localNumbers[&instruction] = ++number;
  }
  return localNumbers.lookup(&variable);
}

const JumpFunctionBuilder::LocalVariable &
JumpFunctionBuilder::describe(const llvm::Value &variable) {
  auto [entry, isNew] = locals.try_emplace(&variable);
  if (!isNew)
    return *entry->second;
  // While its uses are looked at it counts as escaped.
  entry->second = std::make_unique<LocalVariable>();
  LocalVariable result;
  result.escapes = result.escapesUnseen = false;
  result.number = localNumber(variable);
  follow(variable, {/*offset=*/0, /*isExact=*/true, /*depth=*/0}, result);
  if (heapObjectBytes(variable))
    result.starts.push_back(llvm::cast<llvm::Instruction>(&variable));
  // Whose size is not known cannot be named where its address is passed.
  auto *alloca = llvm::dyn_cast<llvm::AllocaInst>(&variable);
  std::optional<llvm::TypeSize> size =
      alloca ? alloca->getAllocationSize(layout) : std::nullopt;
  result.escapesUnseen |=
      alloca && (!size || size->isScalable()) && result.dependsOnCallees();
  // Control comes back to where nothing of what was written since is known.
  result.escapesUnseen |= returnsTwice();
  result.escapes |= result.escapesUnseen;
  addRanges(result);
  LocalVariable &stored = *locals[&variable];
  stored = std::move(result);
  return stored;
}

/// What launches make of an address that is stored at \p pointer. Addresses in
/// a local array that only launches read do not escape: the runtime copies what
/// they point to and keeps none. What such an array points to is no such array:
/// kernels get its contents. The parameters of a graph's node are one step
/// further away: they have the address of such an array.
JumpFunctionBuilder::LaunchSlot
JumpFunctionBuilder::launchSlot(const llvm::Value &pointer) {
  int64_t offset;
  auto *variable =
      llvm::dyn_cast<llvm::AllocaInst>(stripOffsets(pointer, layout, offset));
  if (!variable)
    return LaunchSlot::None;
  const LocalVariable &array = describe(*variable);
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
bool JumpFunctionBuilder::isNonNegative(llvm::Value &index) {
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

} // namespace

/// The least byte of the variable that \p address may lead to, however the way
/// there is made of steps back and forth; 0: not known.
uint64_t JumpFunctionBuilder::leastOffset(llvm::GetElementPtrInst &address) {
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
uint64_t JumpFunctionBuilder::leastOffset(llvm::GetElementPtrInst &address,
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
JumpFunctionBuilder::Followed
JumpFunctionBuilder::afterStep(llvm::GetElementPtrInst &address, Followed at) {
  llvm::APInt step(layout.getIndexTypeSizeInBits(address.getType()), 0);
  bool isConstant =
      address.accumulateConstantOffset(layout, step) && !step.isNegative();
  return {isConstant ? at.offset + step.getZExtValue()
                     : leastOffset(address, at.offset),
          at.isExact && isConstant, at.depth + 1};
}

/// Adds what the uses of \p pointer, which leads to \p at, do to the variable.
void JumpFunctionBuilder::follow(const llvm::Value &pointer, Followed at,
                                 LocalVariable &result) {
  constexpr unsigned kMaxUses = 256;
  if (at.depth > kMaxDepth || pointer.hasNUsesOrMore(kMaxUses))
    return result.escape();
  for (const llvm::Use &use : pointer.uses())
    followUse(use, at, result);
}

void JumpFunctionBuilder::followUse(const llvm::Use &use, Followed at,
                                    LocalVariable &result) {
  auto *user = llvm::cast<llvm::Instruction>(use.getUser());
  if (llvm::isa<llvm::LoadInst, llvm::ICmpInst>(user)) {
    result.isLoaded |= llvm::isa<llvm::LoadInst>(user);
    return;
  }
  if (llvm::isa<llvm::StoreInst>(user))
    return followStore(use, at, result);
  if (auto *address = llvm::dyn_cast<llvm::GetElementPtrInst>(user))
    return follow(*address, afterStep(*address, at), result);
  if (llvm::isa<llvm::AddrSpaceCastInst, llvm::BitCastInst>(user))
    return follow(*user, {at.offset, at.isExact, at.depth + 1}, result);
  // Clean-ups of several objects are one.
  auto freesUser = [&](const llvm::User *last) {
    auto *call = llvm::dyn_cast<llvm::CallBase>(last);
    return call && frees(*call, *user);
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
  followCall(use, at, result);
}

void JumpFunctionBuilder::followStore(const llvm::Use &use, Followed at,
                                      LocalVariable &result) {
  auto &store = *llvm::cast<llvm::StoreInst>(use.getUser());
  if (use.getOperandNo() == store.getPointerOperandIndex()) {
    llvm::Type *type = store.getValueOperand()->getType();
    return result.addWrite(store, at,
                           layout.getTypeStoreSize(type).getFixedValue());
  }
  LaunchSlot slot = launchSlot(*store.getPointerOperand());
  result.isArgument |= slot == LaunchSlot::Argument;
  if (slot == LaunchSlot::None)
    result.escape();
}

void JumpFunctionBuilder::followCall(const llvm::Use &use, Followed at,
                                     LocalVariable &result) {
  auto &call = *llvm::cast<llvm::CallBase>(use.getUser());
  if (auto *mark = llvm::dyn_cast<llvm::IntrinsicInst>(&call);
      mark && mark->getIntrinsicID() == llvm::Intrinsic::lifetime_start)
    result.starts.push_back(&call);
  if (call.isLifetimeStartOrEnd() || call.isDroppable() ||
      frees(call, *use.get()))
    return;
  unsigned index = call.getArgOperandNo(&use);
  if (auto *memory = llvm::dyn_cast<llvm::MemIntrinsic>(&call)) {
    auto *length = llvm::dyn_cast<llvm::ConstantInt>(memory->getLength());
    result.isLoaded |= index != 0;
    if (index == 0)
      result.addWrite(call, at,
                      length ? length->getZExtValue() : kUnboundedSize);
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
      result.addWrite(call, at, kUnboundedSize);
    return;
  }
  if (allocationResult(call) == index)
    return result.addWrite(call, at, layout.getPointerSize());
  followArgument(call, index, at, result);
}

/// Adds what a callee of which nothing is known here may do with argument
/// \p index. Its edge says what it gets, so WPA can say what it does with it.
void JumpFunctionBuilder::followArgument(const llvm::CallBase &call,
                                         unsigned index, Followed at,
                                         LocalVariable &result) {
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

/// Sets what writes of \p local have in common.
void JumpFunctionBuilder::addRanges(LocalVariable &local) {
  std::map<Bytes, uint32_t> numbers;
  llvm::SmallDenseMap<const llvm::Instruction *, unsigned, 16> count;
  for (Write &write : local.writes) {
    Bytes bytes{write.offset, write.size};
    auto [entry, isNew] =
        numbers.try_emplace(bytes, static_cast<uint32_t>(local.ranges.size()));
    if (isNew)
      local.ranges.push_back(bytes);
    write.range = entry->second;
    ++count[write.instruction];
    local.isWrittenByCallees |= write.isByCallee && !write.isReturned;
  }
  for (Write &write : local.writes)
    write.isOnly = count.lookup(write.instruction) == 1;
}

/// The instruction that wrote \p bytes of \p local, all of them, when \p at
/// executes: whichever way leads there, it is the last that wrote one of them.
/// Null if there is none.
const llvm::Instruction *
JumpFunctionBuilder::lastOf(const LocalVariable &local, Bytes bytes,
                            const llvm::Instruction &at) {
  if (bytes.size == kUnboundedSize)
    return nullptr;
  ReachingSet set =
      definitions(local, bytes.offset, bytes.size, Among::Each).before(at);
  bool isOne = set.isKnown && !set.fromEntry && set.ids.size() == 1;
  return isOne ? local.writes[set.ids.front()].instruction : nullptr;
}

/// Whether the bytes of \p write hold what it wrote when \p at executes.
bool JumpFunctionBuilder::reaches(const Write &write,
                                  const LocalVariable &variable,
                                  const llvm::Instruction &at) {
  return lastOf(variable, {write.offset, write.size}, at) == write.instruction;
}

/// The writes of some of the \p size bytes at byte \p offset of \p local of
/// which reaches() holds at \p at.
llvm::SmallVector<const JumpFunctionBuilder::Write *, 8>
JumpFunctionBuilder::lastWrites(const LocalVariable &local, uint64_t offset,
                                uint64_t size, const llvm::Instruction &at) {
  llvm::SmallVector<const llvm::Instruction *, 16> last(local.ranges.size());
  for (auto [range, instruction] : llvm::zip_equal(local.ranges, last))
    if (overlaps(range.offset, range.size, offset, size))
      instruction = lastOf(local, range, at);
  llvm::SmallVector<const Write *, 8> result;
  for (const Write &write : local.writes)
    if (last[write.range] == write.instruction)
      result.push_back(&write);
  return result;
}

/// Whether control may come back to a call of the function once more.
bool JumpFunctionBuilder::returnsTwice() {
  if (!callsTwiceReturning)
    callsTwiceReturning = function.callsFunctionThatReturnsTwice();
  return *callsTwiceReturning;
}

llvm::DominatorTree &JumpFunctionBuilder::dominatorTree() {
  if (!dominators)
    dominators =
        &context.analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  return *dominators;
}

} // namespace gpulto
