//===- JumpFunctionMemory.cpp - Jump functions of memory ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: say what is in memory when a call happens, in terms of constants,
// symbols and formal parameters. By-value aggregates live in local variables,
// whose contents at a call are found like this:
//
//  1. describe     all instructions that may write the variable; it escapes if
//                  its address is used otherwise.
//  2. reaches      a write determines its bytes at the call if it is the only
//                  one that overlaps them and dominates the call, or if it is
//                  on the straight line of code before the call and no later
//                  overlapping write is.
//  3. collectParts stored values become parts; a copy of another variable, a
//                  constant or an unmodified formal is followed.
//
// What is passed by reference (host code) is a variable of some caller. Where
// the caller hands its address to known callees and does nothing else with it,
// the parts are recorded with the variable's number (ofReference), and loads
// through a pointer parameter read these parts: whole-program analysis believes
// them if no callee that gets the address keeps it (ipa/Pointees). No other
// pointer leads there, so what else the callee writes does not matter. What
// callees leave in such a variable is told by JumpFunctionWrites.cpp.
//
// Why not MemorySSA: its construction costs more than the whole of LGEN, and
// SROA and MemCpyOpt have left only such simple cases.
//
// Source: M. Jambor, J. Hubicka, IPA-SRA and aggregate jump functions in GCC
// (ipa-prop).
//
//===----------------------------------------------------------------------===//

#include "ipa/Analyze.h"
#include "ipa/JumpFunctionBuilder.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/TargetParser/Triple.h"

namespace gpulto {

using Kind = JumpFunction::Kind;

namespace {

/// Blocks looked at before a call, each the single predecessor of the next.
constexpr unsigned kMaxStraightLine = 16;

/// Whether \p value is memory of the function itself.
bool isLocalVariable(const llvm::Value &value) {
  if (auto *argument = llvm::dyn_cast<llvm::Argument>(&value))
    return argument->hasByValAttr();
  return llvm::isa<llvm::AllocaInst>(value);
}

/// Whether \p value is where the function leaves what it returns, which nobody
/// else can see before.
bool isResult(const llvm::Value &value) {
  auto *argument = llvm::dyn_cast<llvm::Argument>(&value);
  return argument && argument->hasStructRetAttr() && argument->hasNoAliasAttr();
}

} // namespace

bool isPassedByReference(const llvm::Argument &argument) {
  return argument.getType()->isPointerTy() &&
         !argument.hasPassPointeeByValueCopyAttr() &&
         !argument.hasSwiftErrorAttr() &&
         !llvm::Triple(argument.getParent()->getParent()->getTargetTriple())
              .isNVPTX();
}

bool overlaps(uint64_t aOffset, uint64_t aSize, uint64_t bOffset,
              uint64_t bSize) {
  uint64_t aEnd = aOffset + std::min(aSize, ~uint64_t(0) - aOffset);
  uint64_t bEnd = bOffset + std::min(bSize, ~uint64_t(0) - bOffset);
  return aOffset < bEnd && bOffset < aEnd;
}

JumpFunction JumpFunctionBuilder::ofLoad(const llvm::Instruction &load) {
  unsigned bits = scalarBits(*load.getType());
  JumpFunction j = JumpFunction::unknown(bits);
  int64_t offset = 0;
  auto &instruction = llvm::cast<llvm::LoadInst>(load);
  bool isByteSized = bits ? bits % 8 == 0 : load.getType()->isPointerTy();
  if (!instruction.isSimple() || !isByteSized)
    return j;
  const llvm::Value *base =
      stripOffsets(*instruction.getPointerOperand(), layout, offset);
  if (auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(base);
      variable && offset >= 0)
    return ofVariable(*variable, static_cast<uint64_t>(offset), bits);
  auto *argument = llvm::dyn_cast<llvm::Argument>(base);
  bool isReference = argument && isPassedByReference(*argument);
  if (offset < 0 || (!isLocalVariable(*base) && !isReference))
    return j;
  if (!isReference && (!argument || !isUnmodified(*argument)))
    return ofLocal(*base, static_cast<uint64_t>(offset), load);
  j.kind = Kind::LoadAggregate;
  j.source = argument->getArgNo();
  j.value = static_cast<uint64_t>(offset);
  uint32_t bytes = static_cast<uint32_t>(
      layout.getTypeStoreSize(load.getType()).getFixedValue());
  if (isReference && isOfEntry(*argument, j.value, bytes, load))
    j.count = bytes;
  return j;
}

/// The \p bits bits, 0 for a pointer, at byte \p offset of \p variable.
JumpFunction
JumpFunctionBuilder::ofVariable(const llvm::GlobalVariable &variable,
                                uint64_t offset, unsigned bits) {
  JumpFunction j = JumpFunction::unknown(bits);
  SymbolIndex symbol = context.indexOf(variable);
  if (variable.isConstant() || variable.isThreadLocal() || symbol == kNone ||
      context.summary.side == Side::Device)
    return j;
  j.kind = Kind::VariablePart;
  j.source = symbol;
  j.value = offset;
  return j;
}

/// Whether the \p size bytes at byte \p offset behind \p argument are at \p at
/// what they were when the function was entered, as far as they are written
/// through this argument.
bool JumpFunctionBuilder::isOfEntry(const llvm::Argument &argument,
                                    uint64_t offset, uint64_t size,
                                    const llvm::Instruction &at) {
  const LocalVariable &local = describe(argument);
  if (local.escapesUnseen)
    return false;
  Reaching reaching = reachingWrites(local, offset, size, &at);
  return reaching.isKnown && reaching.writes.empty();
}

/// The number of \p call among the call edges of the function.
uint32_t JumpFunctionBuilder::callNumber(const llvm::CallBase &call) {
  if (callNumbers.empty()) {
    uint32_t number = 0;
    for (const llvm::BasicBlock &block : function)
      for (const llvm::Instruction &instruction : block)
        if (auto *edge = llvm::dyn_cast<llvm::CallBase>(&instruction);
            edge && isCallEdge(*edge))
          callNumbers[edge] = number++;
  }
  return callNumbers.lookup(&call);
}

/// A pointer to the memory that \p call allocates. Not known to be other than
/// null: the call may fail.
JumpFunction JumpFunctionBuilder::ofAllocation(const llvm::CallBase &call) {
  // "at least 256 bytes": CUDA C++ Programming Guide, device memory accesses.
  constexpr uint8_t kAlignLog2 = 8;
  JumpFunction j;
  j.kind = Kind::Allocation;
  j.source = callNumber(call);
  j.alignLog2 = kAlignLog2;
  return j;
}

/// Whether all that may have been written where \p write, an allocation, writes
/// is null or allocated by the same function: if it fails, what was there
/// before stays.
bool JumpFunctionBuilder::holdsAllocationsOnly(const LocalVariable &local,
                                               const Write &write) {
  const llvm::Value *allocator =
      llvm::cast<llvm::CallBase>(write.instruction)->getCalledOperand();
  return llvm::all_of(local.writes, [&](const Write &other) {
    if (!overlaps(other.offset, other.size, write.offset, write.size))
      return true;
    if (auto *store = llvm::dyn_cast<llvm::StoreInst>(other.instruction)) {
      auto *constant = llvm::dyn_cast<llvm::Constant>(store->getValueOperand());
      return (constant && constant->isNullValue()) ||
             !mayReach(*store, *write.instruction, nullptr);
    }
    auto *call = llvm::dyn_cast<llvm::CallBase>(other.instruction);
    auto *fill = llvm::dyn_cast<llvm::MemSetInst>(other.instruction);
    auto *zero =
        fill ? llvm::dyn_cast<llvm::ConstantInt>(fill->getValue()) : nullptr;
    return (zero && zero->isZero()) || (call && allocationResult(*call) &&
                                        call->getCalledOperand() == allocator);
  });
}

/// What \p load finds at byte \p offset of \p variable.
JumpFunction JumpFunctionBuilder::ofLocal(const llvm::Value &variable,
                                          uint64_t offset,
                                          const llvm::Instruction &load) {
  JumpFunction j = JumpFunction::unknown(scalarBits(*load.getType()));
  const LocalVariable &local = describe(variable);
  if (loadDepth > kMaxDepth)
    return j;
  if (local.dependsOnCallees()) {
    uint64_t size = layout.getTypeStoreSize(load.getType()).getFixedValue();
    ++loadDepth;
    JumpFunction written =
        ofWritten(variable, offset, size, load.getType()->isPointerTy(), &load);
    --loadDepth;
    if (written.kind == Kind::Unknown)
      return j;
    written.bitWidth = j.bitWidth;
    return written;
  }
  if (local.escapes)
    return j;
  for (const Write &write : local.writes) {
    auto *call = llvm::dyn_cast<llvm::CallBase>(write.instruction);
    if (call && allocationResult(*call) && write.offset == offset &&
        load.getType()->isPointerTy() && reaches(write, local, load) &&
        holdsAllocationsOnly(local, write))
      return ofAllocation(*call);
    auto *store = llvm::dyn_cast<llvm::StoreInst>(write.instruction);
    if (!store || !store->isSimple() || write.offset != offset ||
        store->getValueOperand()->getType() != load.getType() ||
        !reaches(write, local, load))
      continue;
    ++loadDepth;
    j = of(*store->getValueOperand());
    --loadDepth;
    break;
  }
  return j;
}

//===----------------------------------------------------------------------===//
// Local variables
//===----------------------------------------------------------------------===//

/// Whether nothing in the function can write the callee's copy \p byValue.
bool JumpFunctionBuilder::isUnmodified(const llvm::Argument &byValue) {
  const LocalVariable &uses = describe(byValue);
  return !uses.escapes && uses.writes.empty();
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
        if (llvm::isa<llvm::AllocaInst>(instruction))
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
  follow(variable, 0, true, result, 0);
  // Whose size is not known cannot be named where its address is passed.
  auto *alloca = llvm::dyn_cast<llvm::AllocaInst>(&variable);
  std::optional<llvm::TypeSize> size =
      alloca ? alloca->getAllocationSize(layout) : std::nullopt;
  result.escapesUnseen |=
      alloca && (!size || size->isScalable()) && result.dependsOnCallees();
  result.escapes |= result.escapesUnseen;
  LocalVariable &stored = *locals[&variable];
  stored = std::move(result);
  return stored;
}

/// Whether \p pointer is into a local array that only launches read: the
/// addresses stored there do not escape (the runtime copies what they point
/// to and keeps none).
bool JumpFunctionBuilder::isLaunchArray(const llvm::Value &pointer) {
  int64_t offset;
  auto *variable =
      llvm::dyn_cast<llvm::AllocaInst>(stripOffsets(pointer, layout, offset));
  if (!variable)
    return false;
  const LocalVariable &array = describe(*variable);
  return !array.escapes && !array.isLoaded;
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

/// The least byte of the variable that \p address may lead to, of which the
/// pointer operand leads to \p offset or behind.
uint64_t
JumpFunctionBuilder::leastOffset(const llvm::GetElementPtrInst &address,
                                 uint64_t offset) {
  llvm::MapVector<llvm::Value *, llvm::APInt> variable;
  unsigned width = layout.getIndexTypeSizeInBits(address.getType());
  llvm::APInt constant(width, 0);
  // In bounds, so nothing wraps.
  if (!address.isInBounds() ||
      !llvm::cast<llvm::GEPOperator>(address).collectOffset(
          layout, width, variable, constant) ||
      constant.isNegative())
    return 0;
  for (const auto &[index, scale] : variable)
    if (scale.isNegative() || index->getType()->getScalarSizeInBits() > width ||
        !isNonNegative(*index))
      return 0;
  return offset + constant.getZExtValue();
}

/// Adds what the uses of \p pointer (byte \p offset of the variable if
/// \p isExact, else at least that) do to it.
void JumpFunctionBuilder::follow(const llvm::Value &pointer, uint64_t offset,
                                 bool isExact, LocalVariable &result,
                                 unsigned depth) {
  constexpr unsigned kMaxUses = 256;
  auto escape = [&](bool isSeen = false) {
    result.escapes = true;
    result.escapesUnseen |= !isSeen;
  };
  if (depth > kMaxDepth || pointer.hasNUsesOrMore(kMaxUses))
    return escape();
  auto addWrite = [&](const llvm::Instruction &instruction, uint64_t size) {
    if (isExact)
      result.writes.push_back({&instruction, offset, size});
    else
      result.writes.push_back({&instruction, offset, kUnboundedSize});
  };
  for (const llvm::Use &use : pointer.uses()) {
    auto *user = llvm::cast<llvm::Instruction>(use.getUser());
    if (llvm::isa<llvm::LoadInst, llvm::ICmpInst>(user)) {
      result.isLoaded |= llvm::isa<llvm::LoadInst>(user);
      continue;
    }
    if (auto *store = llvm::dyn_cast<llvm::StoreInst>(user)) {
      if (use.getOperandNo() != store->getPointerOperandIndex()) {
        if (!isLaunchArray(*store->getPointerOperand()))
          escape();
      } else
        addWrite(*store,
                 layout.getTypeStoreSize(store->getValueOperand()->getType())
                     .getFixedValue());
      continue;
    }
    if (auto *address = llvm::dyn_cast<llvm::GetElementPtrInst>(user)) {
      llvm::APInt step(layout.getIndexTypeSizeInBits(address->getType()), 0);
      bool isConstant =
          address->accumulateConstantOffset(layout, step) && !step.isNegative();
      follow(*address,
             isConstant ? offset + step.getZExtValue()
                        : leastOffset(*address, offset),
             isExact && isConstant, result, depth + 1);
      continue;
    }
    if (llvm::isa<llvm::AddrSpaceCastInst, llvm::BitCastInst>(user)) {
      follow(*user, offset, isExact, result, depth + 1);
      continue;
    }
    auto *call = llvm::dyn_cast<llvm::CallBase>(user);
    if (!call || !call->isArgOperand(&use)) {
      escape();
      continue;
    }
    if (auto *mark = llvm::dyn_cast<llvm::IntrinsicInst>(call);
        mark && mark->getIntrinsicID() == llvm::Intrinsic::lifetime_start)
      result.starts.push_back(call);
    if (call->isLifetimeStartOrEnd() || call->isDroppable())
      continue;
    unsigned index = call->getArgOperandNo(&use);
    if (auto *memory = llvm::dyn_cast<llvm::MemIntrinsic>(call)) {
      auto *length = llvm::dyn_cast<llvm::ConstantInt>(memory->getLength());
      result.isLoaded |= index != 0;
      if (index == 0)
        addWrite(*call, length ? length->getZExtValue() : kUnboundedSize);
      continue;
    }
    if (launchKindOf(*call))
      continue;
    if (CopyAccess access = copyAccess(*call, index);
        access != CopyAccess::None) {
      result.isLoaded = true;
      if (access == CopyAccess::Writes)
        addWrite(*call, kUnboundedSize);
      continue;
    }
    if (allocationResult(*call) == index) {
      addWrite(*call, layout.getPointerSize());
      continue;
    }
    result.isLoaded = true;
    if (call->isByValArgument(index))
      continue;
    // Its edge says what the callee gets, so WPA can say what it does with it.
    const llvm::Function *callee = call->getCalledFunction();
    bool isEdge = callee && !callee->isIntrinsic() && isExact;
    if (isEdge && call->paramHasAttr(index, llvm::Attribute::StructRet)) {
      uint64_t size =
          layout.getTypeAllocSize(call->getParamStructRetType(index))
              .getFixedValue();
      result.writes.push_back({call, offset, size, true, true, index, offset});
      if (!call->doesNotCapture(index))
        escape(/*isSeen=*/true);
      continue;
    }
    if (!call->doesNotCapture(index))
      escape(/*isSeen=*/isEdge);
    if (!call->onlyReadsMemory(index))
      result.writes.push_back(
          {call, 0, kUnboundedSize, isEdge, false, index, offset});
  }
}

/// Whether the bytes of \p write hold what it wrote when \p at executes.
bool JumpFunctionBuilder::reaches(const Write &write,
                                  const LocalVariable &variable,
                                  const llvm::Instruction &at) {
  if (write.size == kUnboundedSize)
    return false;
  llvm::SmallPtrSet<const llvm::Instruction *, 8> rivals;
  for (const Write &other : variable.writes)
    if (other.instruction != write.instruction &&
        overlaps(other.offset, other.size, write.offset, write.size))
      rivals.insert(other.instruction);
  auto dominates = [&] {
    if (write.instruction->getParent() == at.getParent())
      return write.instruction->comesBefore(&at);
    return dominatorTree().dominates(write.instruction, &at);
  };
  if (rivals.empty())
    return dominates();
  const llvm::BasicBlock *block = at.getParent();
  llvm::BasicBlock::const_iterator position = at.getIterator();
  for (unsigned step = 0; step < kMaxStraightLine; ++step) {
    while (position != block->begin()) {
      --position;
      if (&*position == write.instruction)
        return true;
      if (rivals.contains(&*position))
        return false;
    }
    block = block->getSinglePredecessor();
    if (!block || block == at.getParent())
      break;
    position = block->end();
  }
  // Not on a straight line: no rival may run between the two.
  const llvm::BasicBlock *home = write.instruction->getParent();
  return dominates() && llvm::none_of(rivals, [&](const auto *rival) {
           bool isBefore = rival->getParent() == home &&
                           rival->comesBefore(write.instruction);
           return !isBefore && mayReach(*rival, at, home);
         });
}

llvm::DominatorTree &JumpFunctionBuilder::dominatorTree() {
  if (!dominators)
    dominators =
        &context.analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  return *dominators;
}

/// Whether control may go from behind \p from to \p to without running block
/// \p avoided, if given, from its beginning.
bool JumpFunctionBuilder::mayReach(const llvm::Instruction &from,
                                   const llvm::Instruction &to,
                                   const llvm::BasicBlock *avoided) {
  // LLVM's isPotentiallyReachable gives up after 32 blocks; main is longer.
  constexpr size_t kMaxBlocks = 4096;
  const llvm::BasicBlock *target = to.getParent();
  if (from.getParent() == target && from.comesBefore(&to))
    return true;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 32> seen;
  llvm::SmallVector<const llvm::BasicBlock *, 32> worklist;
  auto visit = [&](const llvm::BasicBlock *block) {
    for (const llvm::BasicBlock *next : llvm::successors(block))
      if (next != avoided && seen.insert(next).second)
        worklist.push_back(next);
  };
  visit(from.getParent());
  while (!worklist.empty() && seen.size() < kMaxBlocks) {
    const llvm::BasicBlock *block = worklist.pop_back_val();
    if (block == target)
      return true;
    visit(block);
  }
  return !worklist.empty();
}

void JumpFunctionBuilder::collectConstantParts(
    const llvm::Constant &constant, uint64_t offset, uint64_t size,
    uint64_t shift, llvm::SmallVectorImpl<AggregatePart> &parts) {
  if (parts.size() >= kMaxParts)
    return;
  llvm::Type *type = constant.getType();
  unsigned bits = scalarBits(*type);
  if (bits || type->isPointerTy()) {
    uint64_t bytes = layout.getTypeStoreSize(type).getFixedValue();
    JumpFunction value = of(constant);
    if (offset >= shift && offset - shift + bytes <= size &&
        value.kind != Kind::Unknown && bits % 8 == 0)
      parts.push_back({static_cast<uint32_t>(offset - shift), value});
    return;
  }
  auto element = [&](unsigned i, uint64_t elementOffset) {
    if (const llvm::Constant *part = constant.getAggregateElement(i))
      collectConstantParts(*part, offset + elementOffset, size, shift, parts);
  };
  if (auto *structure = llvm::dyn_cast<llvm::StructType>(type)) {
    const llvm::StructLayout *fields = layout.getStructLayout(structure);
    for (unsigned i = 0; i < structure->getNumElements(); ++i)
      element(i, fields->getElementOffset(i).getFixedValue());
  } else if (auto *array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    uint64_t stride =
        layout.getTypeAllocSize(array->getElementType()).getFixedValue();
    uint64_t count = std::min<uint64_t>(array->getNumElements(), kMaxParts);
    for (uint64_t i = 0; i < count; ++i)
      element(static_cast<unsigned>(i), i * stride);
  }
}

/// Appends what \p call returns by \p write, as far as it is of the \p size
/// bytes from \p begin on.
void JumpFunctionBuilder::addResult(
    const llvm::CallBase &call, const Write &write, uint64_t begin,
    uint64_t size, llvm::SmallVectorImpl<AggregatePart> &parts) {
  uint64_t first = std::max(begin, write.offset);
  uint64_t end = std::min(begin + size, write.offset + write.size);
  JumpFunction result = ofCall(call, first - write.offset, 0);
  result.count = static_cast<uint32_t>(end - first);
  if (result.kind == Kind::CallResult)
    parts.push_back({static_cast<uint32_t>(first - begin), result});
}

/// Appends the known parts of the \p size bytes at \p pointer + \p shift.
void JumpFunctionBuilder::collectParts(
    const llvm::Value &pointer, uint64_t size, const llvm::Instruction &at,
    uint64_t shift, llvm::SmallVectorImpl<AggregatePart> &parts,
    unsigned depth) {
  int64_t baseOffset = 0;
  const llvm::Value *base = stripOffsets(pointer, layout, baseOffset);
  if (baseOffset < 0 || depth > kMaxDepth)
    return;
  uint64_t begin = shift + static_cast<uint64_t>(baseOffset);
  if (auto *global = llvm::dyn_cast<llvm::GlobalVariable>(base)) {
    if (global->isConstant() && global->hasDefinitiveInitializer())
      collectConstantParts(*global->getInitializer(), 0, size, begin, parts);
    return;
  }
  if (!isLocalVariable(*base) && !isResult(*base))
    return;
  const LocalVariable &local = describe(*base);
  if (local.dependsOnCallees())
    return collectWritten(*base, begin, size, &at, parts, depth);
  if (local.escapes)
    return;
  for (const Write &write : local.writes) {
    if (parts.size() >= kMaxParts ||
        !overlaps(write.offset, write.size, begin, size) ||
        !reaches(write, local, at))
      continue;
    if (auto *store = llvm::dyn_cast<llvm::StoreInst>(write.instruction)) {
      bool isInside =
          write.offset >= begin && write.offset - begin + write.size <= size;
      JumpFunction value = of(*store->getValueOperand());
      // The callee may know parts of what it returns.
      if (value.kind == Kind::CallResult)
        value.count = value.bitWidth / 8;
      if (isInside && store->isSimple() && value.kind != Kind::Unknown &&
          value.bitWidth % 8 == 0)
        parts.push_back({static_cast<uint32_t>(write.offset - begin), value});
      continue;
    }
    if (auto *call = llvm::dyn_cast<llvm::CallBase>(write.instruction);
        call && allocationResult(*call)) {
      if (write.offset >= begin && write.offset - begin + write.size <= size &&
          holdsAllocationsOnly(local, write))
        parts.push_back(
            {static_cast<uint32_t>(write.offset - begin), ofAllocation(*call)});
      continue;
    }
    if (write.isReturned) {
      addResult(llvm::cast<llvm::CallBase>(*write.instruction), write, begin,
                size, parts);
      continue;
    }
    auto *copy = llvm::dyn_cast<llvm::MemTransferInst>(write.instruction);
    if (!copy || copy->isVolatile() || write.offset > begin ||
        write.offset + write.size < begin + size)
      continue;
    collectParts(*copy->getRawSource(), size, *copy, begin - write.offset,
                 parts, depth + 1);
  }
}

llvm::SmallVector<AggregatePart, 8>
JumpFunctionBuilder::partsOf(const llvm::Value &pointer, uint64_t size,
                             const llvm::Instruction &at) {
  llvm::SmallVector<AggregatePart, 8> parts;
  collectParts(pointer, size, at, 0, parts, 0);
  llvm::sort(parts, [](const AggregatePart &a, const AggregatePart &b) {
    return a.byteOffset < b.byteOffset;
  });
  return parts;
}

JumpFunction JumpFunctionBuilder::ofMemory(const llvm::Value &pointer,
                                           uint64_t size,
                                           const llvm::Instruction &at) {
  const llvm::Value *source = &pointer;
  // A copy of a whole formal: follow it through one temporary.
  auto formalOf = [&](const llvm::Value &value) -> const llvm::Argument * {
    auto *argument = llvm::dyn_cast<llvm::Argument>(&value);
    if (!argument || !argument->hasByValAttr() ||
        layout.getTypeAllocSize(argument->getParamByValType())
                .getFixedValue() != size ||
        !isUnmodified(*argument))
      return nullptr;
    return argument;
  };
  if (auto *variable = llvm::dyn_cast<llvm::AllocaInst>(source)) {
    const LocalVariable &local = describe(*variable);
    for (const Write &write : local.writes) {
      auto *copy = llvm::dyn_cast<llvm::MemTransferInst>(write.instruction);
      if (!local.escapes && copy && !copy->isVolatile() && write.offset == 0 &&
          write.size >= size && reaches(write, local, at))
        source = copy->getRawSource();
    }
  }
  if (const llvm::Argument *argument = formalOf(*source))
    return JumpFunction::passThrough(argument->getArgNo(), 0);
  int64_t offset = 0;
  auto *reference =
      llvm::dyn_cast<llvm::Argument>(stripOffsets(*source, layout, offset));
  if (reference && isPassedByReference(*reference) && offset >= 0) {
    JumpFunction result = JumpFunction::passThrough(reference->getArgNo(), 0);
    result.kind = offset ? Kind::Ancestor : Kind::PassThrough;
    result.value = static_cast<uint64_t>(offset);
    return result;
  }
  llvm::SmallVector<AggregatePart, 8> parts;
  collectParts(pointer, size, at, 0, parts, 0);
  if (parts.empty())
    return JumpFunction();
  llvm::sort(parts, [](const AggregatePart &a, const AggregatePart &b) {
    return a.byteOffset < b.byteOffset;
  });
  return context.jumpFunctions.aggregate(parts);
}

const llvm::Value *
JumpFunctionBuilder::storedPointer(const llvm::Value &slots, uint64_t offset,
                                   const llvm::Instruction &at) {
  auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&slots);
  if (!variable)
    return nullptr;
  uint64_t pointerBytes = layout.getPointerSize();
  const LocalVariable &local = describe(*variable);
  if (local.escapes)
    return nullptr;
  for (const Write &write : local.writes) {
    auto *store = llvm::dyn_cast<llvm::StoreInst>(write.instruction);
    if (store && write.offset == offset && write.size == pointerBytes &&
        reaches(write, local, at))
      return store->getValueOperand();
  }
  return nullptr;
}

} // namespace gpulto
