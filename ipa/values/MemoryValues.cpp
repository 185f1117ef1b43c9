//===- MemoryValues.cpp - Jump functions of what is in memory -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: say what one value in memory is where a load finds it, or where a part
// of an aggregate is asked for, in terms of constants, symbols, formal
// parameters and what callees leave.
//
//   Params p; init(&p, n); step(&p); kernel<<<p.blocks, 256>>>(p.data);
//   -> the bytes of p.blocks are what call 1 leaves behind its argument 0
//
//  1. ofLoad    is the memory the module's, a caller's or the function's own?
//               Of the latter the last store says it if there is one (ofLocal).
//  2. ofWritten where callees write, too: all writes that may have been the
//               last of these bytes (ReachingWrites). A call that may write the
//               variable is one: whole-program analysis goes on to what was
//               there before it if the callee leaves the bytes alone. An
//               allocation may fail, so what was there before is one more.
//  3. choiceOf  says what one of them left; all of them must be told.
//
// What is passed by reference (host code) is a variable of some caller. What
// was there at the entry is one more choice. It holds if no other pointer leads
// there, as with the variables of callers.
//
// Source: M. Jambor, J. Hubicka, IPA-SRA and aggregate jump functions in GCC
// (ipa-prop).
//
//===----------------------------------------------------------------------===//

#include "ipa/values/MemoryValues.h"

#include "ipa/bodies/Passes.h"
#include "ipa/runtime/CudaRuntime.h"
#include "ipa/values/CallResults.h"
#include "ipa/values/DerivedPointer.h"
#include "ipa/values/JumpFunctionBuilder.h"
#include "ipa/values/LaunchedMemory.h"
#include "ipa/values/LocalVariables.h"
#include "ipa/values/ReachingWrites.h"
#include "ipa/values/RuntimeCalls.h"
#include "ipa/values/ValueLimits.h"
#include "ipa/values/ValueShapes.h"
#include "summary/ModuleSummary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace gpulto {

using Kind = JumpFunction::Kind;

MemoryValues::MemoryValues(JumpFunctionBuilder &values, LocalVariables &locals,
                           ReachingWrites &writes, CallResults &calls,
                           LgenContext &context, llvm::Function &function)
    : values(values), locals(locals), writes(writes), calls(calls),
      context(context), function(function),
      layout(function.getParent()->getDataLayout()) {}

JumpFunction MemoryValues::ofLoad(const llvm::Instruction &load) {
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
    return ofVariable(*variable, static_cast<uint64_t>(offset), bits, load);
  auto *argument = llvm::dyn_cast<llvm::Argument>(base);
  bool isReference = argument && isPassedByReference(*argument);
  if (offset < 0 || (!locals.isLocalVariable(*base) && !isReference))
    return j;
  uint32_t bytes = static_cast<uint32_t>(
      layout.getTypeStoreSize(load.getType()).getFixedValue());
  uint64_t begin = static_cast<uint64_t>(offset);
  bool isCopy = argument && argument->hasByValAttr();
  if (!isReference && !(isCopy && isOfEntry(*argument, begin, bytes, load)))
    return ofLocal(*base, begin, load);
  j.kind = Kind::LoadAggregate;
  j.source = argument->getArgNo();
  j.value = begin;
  if (isCopy && locals.isUnmodified(*argument))
    return j;
  if (isOfEntry(*argument, j.value, bytes, load)) {
    j.count = bytes;
    return j;
  }
  if (loadDepth > kMaxDepth)
    return j;
  ++loadDepth;
  JumpFunction written = ofWritten(*argument, j.value, bytes, bits == 0, &load);
  --loadDepth;
  if (written.kind == Kind::Unknown)
    return j;
  written.bitWidth = j.bitWidth;
  return written;
}

/// Returns the plain stores of the function in \p variable.
llvm::ArrayRef<MemoryValues::PlainStore>
MemoryValues::storesIn(const llvm::GlobalVariable &variable) {
  if (!variableStores) {
    variableStores.emplace();
    for (const llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
        if (std::optional<VariableWrite> write = variableWrite(*store))
          (*variableStores)[write->variable].push_back({store, *write});
  }
  auto found = variableStores->find(&variable);
  return found == variableStores->end() ? llvm::ArrayRef<PlainStore>()
                                        : llvm::ArrayRef(found->second);
}

/// Whether the function has stored something in all \p bytes of \p variable at
/// once, each time before \p at executes.
bool MemoryValues::isStoredBefore(const llvm::GlobalVariable &variable,
                                  LocalBytes bytes,
                                  const llvm::Instruction &at) {
  return llvm::any_of(storesIn(variable), [&](const PlainStore &plain) {
    const auto &[store, write] = plain;
    return write.offset <= bytes.offset &&
           bytes.offset - write.offset + bytes.size <= write.size &&
           context.analyses.getResult<llvm::DominatorTreeAnalysis>(function)
               .dominates(store, &at);
  });
}

JumpFunction MemoryValues::ofSpared(const llvm::PHINode &phi) {
  constexpr unsigned kMostValues = 32;
  JumpFunction unknown = JumpFunction::unknown(scalarBits(*phi.getType()));
  auto loadOf = [&](const llvm::Value *value) {
    auto *load = llvm::dyn_cast<llvm::LoadInst>(value);
    int64_t offset = 0;
    return load && llvm::isa<llvm::GlobalVariable>(
                       stripOffsets(*load->getPointerOperand(), layout, offset))
               ? load
               : nullptr;
  };
  const auto *first = llvm::find_if(phi.incoming_values(), loadOf);
  if (first == phi.incoming_values().end())
    return unknown;
  const llvm::LoadInst &load = *loadOf(*first);
  JumpFunction part = ofLoad(load);
  if (part.kind != Kind::VariablePart || !part.parameter)
    return unknown;
  int64_t offset = 0;
  auto &variable = llvm::cast<llvm::GlobalVariable>(
      *stripOffsets(*load.getPointerOperand(), layout, offset));
  auto isStored = [&](const llvm::Value *value) {
    return llvm::any_of(storesIn(variable), [&](const PlainStore &plain) {
      return plain.write.value == value && plain.write.offset == part.value;
    });
  };
  llvm::SmallSetVector<const llvm::Value *, 8> values;
  values.insert(phi.value_op_begin(), phi.value_op_end());
  for (size_t i = 0; i < values.size(); ++i) {
    const llvm::Value *value = values[i];
    if (value == &phi || isStored(value) ||
        (loadOf(value) && ofLoad(llvm::cast<llvm::LoadInst>(*value)) == part))
      continue;
    auto *choice = llvm::dyn_cast<llvm::PHINode>(value);
    if (!choice || values.size() > kMostValues)
      return unknown;
    values.insert(choice->value_op_begin(), choice->value_op_end());
  }
  return part;
}

JumpFunction MemoryValues::ofVariable(const llvm::GlobalVariable &variable,
                                      uint64_t offset, unsigned bits,
                                      const llvm::Instruction &at) {
  JumpFunction j = JumpFunction::unknown(bits);
  SymbolIndex symbol = context.indexOf(variable);
  // A number in a constant of another module; LLVM has followed what is here.
  bool isForeignNumber = variable.isDeclaration() && bits;
  if ((variable.isConstant() && !isForeignNumber) || variable.isThreadLocal() ||
      symbol == kNone || context.summary.side == Side::Device)
    return j;
  j.kind = Kind::VariablePart;
  j.source = symbol;
  j.value = offset;
  uint64_t size = bits ? bits / 8 : layout.getPointerSize();
  j.parameter = isStoredBefore(variable, {offset, size}, at);
  return j;
}

bool MemoryValues::isOfEntry(const llvm::Argument &argument, uint64_t offset,
                             uint64_t size, const llvm::Instruction &at) {
  const LocalVariable &local = locals.describe(argument);
  if (local.escapesUnseen ||
      (argument.hasByValAttr() && writes.isKeptBefore(local, at)))
    return false;
  LastWrites last = writes.before(local, offset, size, &at);
  return last.isKnown && last.writes.empty();
}

bool MemoryValues::leavesAllocation(const llvm::Value &variable,
                                    const LocalVariable &local,
                                    const LocalWrite &write,
                                    const llvm::Instruction &at) {
  if (hasSucceeded(
          llvm::cast<llvm::CallBase>(*write.instruction), *at.getParent(),
          context.analyses.getResult<llvm::DominatorTreeAnalysis>(function)))
    return true;
  // What callers put there is not among the writes.
  if (llvm::isa<llvm::Argument>(variable))
    return false;
  return writes.isFirst(write, local);
}

/// What \p load finds at byte \p offset of \p variable.
JumpFunction MemoryValues::ofLocal(const llvm::Value &variable, uint64_t offset,
                                   const llvm::Instruction &load) {
  JumpFunction j = JumpFunction::unknown(scalarBits(*load.getType()));
  const LocalVariable &local = locals.describe(variable);
  if (loadDepth > kMaxDepth)
    return j;
  auto anyWritten = [&] {
    uint64_t size = layout.getTypeStoreSize(load.getType()).getFixedValue();
    ++loadDepth;
    JumpFunction written =
        ofWritten(variable, offset, size, load.getType()->isPointerTy(), &load);
    --loadDepth;
    if (written.kind == Kind::Unknown)
      return j;
    written.bitWidth = j.bitWidth;
    return written;
  };
  if (local.dependsOnCallees())
    return anyWritten();
  if (local.escapes)
    return j;
  for (const LocalWrite &write : local.writes) {
    auto *call = llvm::dyn_cast<llvm::CallBase>(write.instruction);
    if (call && allocationResult(*call) && write.offset == offset &&
        load.getType()->isPointerTy() && writes.reaches(write, local, load))
      return leavesAllocation(variable, local, write, load)
                 ? calls.ofAllocation(*call)
                 : anyWritten();
    auto *store = llvm::dyn_cast<llvm::StoreInst>(write.instruction);
    if (!store || !store->isSimple() || write.offset != offset ||
        store->getValueOperand()->getType() != load.getType() ||
        !writes.reaches(write, local, load))
      continue;
    ++loadDepth;
    j = values.of(*store->getValueOperand());
    --loadDepth;
    return j;
  }
  return j;
}

/// What \p store leaves, as a choice.
JumpFunction MemoryValues::ofStore(const llvm::StoreInst &store) {
  ++loadDepth;
  JumpFunction j = values.of(*store.getValueOperand());
  --loadDepth;
  if (j.bitWidth % 8 != 0)
    return JumpFunction();
  if (j.kind == Kind::CallResult)
    j.count = j.bitWidth / 8;
  return j;
}

/// What \p write left in the \p size bytes at byte \p offset of its variable;
/// Unknown without facts if that cannot be told.
JumpFunction MemoryValues::choiceOf(const LocalWrite &write, uint64_t offset,
                                    uint64_t size, bool isPointer) {
  JumpFunction j;
  bool isSame = write.offset == offset && write.size == size;
  bool isCovered = write.offset <= offset && write.size != kUnboundedSize &&
                   offset - write.offset + size <= write.size;
  auto *call = llvm::dyn_cast<llvm::CallBase>(write.instruction);
  if (auto *store = llvm::dyn_cast<llvm::StoreInst>(write.instruction)) {
    return isSame && store->isSimple() && loadDepth <= kMaxDepth
               ? ofStore(*store)
               : j;
  }
  if (asAllocation(*write.instruction))
    return isSame ? calls.ofAllocation(*call) : j;
  if (isZeroFill(*write.instruction)) {
    constexpr uint64_t kMaxZeroBytes = 8;
    if (!isCovered || size > kMaxZeroBytes)
      return j;
    if (!isPointer)
      return JumpFunction::constant(0, static_cast<uint16_t>(size * 8));
    j.kind = Kind::Null;
    return j;
  }
  if (!write.isByCallee)
    return j;
  if (write.isReturned) {
    if (isCovered)
      j = calls.ofCall(*call, offset - write.offset, 0);
    j.count = j.kind == Kind::Unknown ? 0 : static_cast<uint32_t>(size);
    return j;
  }
  const llvm::Function *callee = call->getCalledFunction();
  bool isRuntime = callee->isDeclaration() && isRuntimeName(callee->getName());
  if (offset < write.passed || !isCallEdge(*call) || isRuntime)
    return j;
  j.kind = Kind::CallMemory;
  j.source = calls.numberOf(*call);
  j.parameter = write.argument;
  j.value = offset - write.passed;
  j.count = static_cast<uint32_t>(size);
  return j;
}

JumpFunction MemoryValues::ofWritten(const llvm::Value &variable,
                                     uint64_t offset, uint64_t size,
                                     bool isPointer, Places places) {
  const LocalVariable &local = locals.describe(variable);
  auto *argument = llvm::dyn_cast<llvm::Argument>(&variable);
  // Calls do not tell that they get the address of a copy.
  if (local.escapesUnseen || (argument && argument->hasByValAttr()))
    return JumpFunction();
  LastWrites last = writes.before(local, offset, size, places);
  bool isOfEntry = last.fromEntry && argument && !argument->hasStructRetAttr();
  if (!last.isKnown)
    return JumpFunction();
  llvm::SmallVector<AggregatePart, 8> choices;
  for (const LocalWrite *write : last.writes) {
    JumpFunction choice = choiceOf(*write, offset, size, isPointer);
    // A callee that gets two addresses may mix them up.
    if (!write->isOnly || (choice.kind == Kind::Unknown && !choice.hasFacts()))
      return JumpFunction();
    choices.push_back({0, choice});
  }
  if (isOfEntry) {
    JumpFunction entry;
    entry.kind = Kind::LoadAggregate;
    entry.source = argument->getArgNo();
    entry.value = offset;
    entry.count = static_cast<uint32_t>(size);
    choices.push_back({0, entry});
  }
  JumpFunction result = context.jumpFunctions.aggregate(choices);
  result.kind = Kind::Memory;
  result.parameter = local.number;
  if (choices.empty())
    result.value = size; // nobody has written them
  return result;
}

} // namespace gpulto
