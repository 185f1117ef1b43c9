//===- JumpFunctionMemory.cpp - Jump functions of memory ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: say what is in memory when a call happens, in terms of constants,
// symbols and formal parameters. By-value aggregates live in local variables,
// whose contents at a call are found like this:
//
//  1. describe     all instructions that may write the variable
//                  (JumpFunctionLocals.cpp).
//  2. reaches      whether a write determines its bytes at the call (there).
//  3. collectParts stored values become parts; a copy of another variable or a
//                  constant is followed, and of a by-value formal what nobody
//                  may have written before.
//
// What is passed by reference (host code) is a variable of some caller. Where
// the caller hands its address to known callees and does nothing else with it,
// the parts are recorded with the variable's number (ofReference), and loads
// through a pointer parameter read these parts: whole-program analysis believes
// them if no callee that gets the address keeps it (ipa/constants/Pointees). No
// other pointer leads there, so what else the callee writes does not matter.
// What callees leave in such a variable is told by JumpFunctionWrites.cpp.
//
// Source: M. Jambor, J. Hubicka, IPA-SRA and aggregate jump functions in GCC
// (ipa-prop).
//
//===----------------------------------------------------------------------===//

#include "ipa/bodies/Analyze.h"
#include "ipa/values/JumpFunctionBuilder.h"
#include "ipa/values/LaunchedMemory.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

namespace gpulto {

using Kind = JumpFunction::Kind;

namespace {

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

void appendPart(llvm::SmallVectorImpl<AggregatePart> &parts, uint64_t offset,
                const JumpFunction &value) {
  if (std::optional<PartOffset> place = PartOffset::of(offset))
    parts.push_back({*place, value});
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
  uint32_t bytes = static_cast<uint32_t>(
      layout.getTypeStoreSize(load.getType()).getFixedValue());
  uint64_t begin = static_cast<uint64_t>(offset);
  bool isCopy = argument && argument->hasByValAttr();
  if (!isReference && !(isCopy && isOfEntry(*argument, begin, bytes, load)))
    return ofLocal(*base, begin, load);
  j.kind = Kind::LoadAggregate;
  j.source = argument->getArgNo();
  j.value = begin;
  if (isCopy && isUnmodified(*argument))
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

/// The \p bits bits, 0 for a pointer, at byte \p offset of \p variable.
JumpFunction
JumpFunctionBuilder::ofVariable(const llvm::GlobalVariable &variable,
                                uint64_t offset, unsigned bits) {
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
  return j;
}

/// Whether the \p size bytes at byte \p offset behind \p argument are at \p at
/// what they were when the function was entered, as far as they are written
/// through this argument.
bool JumpFunctionBuilder::isOfEntry(const llvm::Argument &argument,
                                    uint64_t offset, uint64_t size,
                                    const llvm::Instruction &at) {
  const LocalVariable &local = describe(argument);
  if (local.escapesUnseen ||
      (argument.hasByValAttr() && isKeptBefore(local, at)))
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
  JumpFunction j;
  j.kind = Kind::Allocation;
  j.source = callNumber(call);
  j.alignLog2 = kAllocationAlignLog2;
  return j;
}

/// Whether \p variable holds the memory of \p write, an allocation that reaches
/// \p at, or null there: if it fails, what was there before stays.
bool JumpFunctionBuilder::leavesAllocation(const llvm::Value &variable,
                                           const LocalVariable &local,
                                           const Write &write,
                                           const llvm::Instruction &at) {
  if (hasSucceeded(llvm::cast<llvm::CallBase>(*write.instruction),
                   *at.getParent(), dominatorTree()))
    return true;
  // What callers put there is not among the writes.
  if (llvm::isa<llvm::Argument>(variable))
    return false;
  ReachingSet before =
      definitions(local, write.offset, write.size, Among::NonNull)
          .before(*write.instruction);
  return before.isKnown && llvm::all_of(before.ids, [&](uint32_t id) {
           return &local.writes[id] == &write;
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
  for (const Write &write : local.writes) {
    auto *call = llvm::dyn_cast<llvm::CallBase>(write.instruction);
    if (call && allocationResult(*call) && write.offset == offset &&
        load.getType()->isPointerTy() && reaches(write, local, load))
      return leavesAllocation(variable, local, write, load)
                 ? ofAllocation(*call)
                 : anyWritten();
    auto *store = llvm::dyn_cast<llvm::StoreInst>(write.instruction);
    if (!store || !store->isSimple() || write.offset != offset ||
        store->getValueOperand()->getType() != load.getType() ||
        !reaches(write, local, load))
      continue;
    ++loadDepth;
    j = of(*store->getValueOperand());
    --loadDepth;
    return j;
  }
  return j;
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
      appendPart(parts, offset - shift, value);
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
    appendPart(parts, first - begin, result);
}

/// Appends the \p size bytes from byte \p begin on behind \p argument if they
/// are what they were when the function was entered.
void JumpFunctionBuilder::addEntry(
    const llvm::Argument &argument, uint64_t begin, uint64_t size,
    const llvm::Instruction &at, llvm::SmallVectorImpl<AggregatePart> &parts) {
  if (begin + size > PartOffset::kLast || !isOfEntry(argument, begin, size, at))
    return;
  JumpFunction entry;
  entry.kind = Kind::LoadAggregate;
  entry.source = argument.getArgNo();
  entry.value = begin;
  entry.count = static_cast<uint32_t>(size);
  parts.push_back({0, entry});
}

/// Appends those of the \p size bytes from byte \p begin on of \p byValue that
/// are what the caller passed.
void JumpFunctionBuilder::addUnwritten(
    const llvm::Argument &byValue, uint64_t begin, uint64_t size,
    const llvm::Instruction &at, llvm::SmallVectorImpl<AggregatePart> &parts) {
  llvm::SmallVector<uint64_t, 16> cuts = {begin, begin + size};
  for (const Write &write : describe(byValue).writes)
    for (uint64_t cut :
         {write.offset,
          write.size == kUnboundedSize ? begin : write.offset + write.size})
      if (cut > begin && cut < begin + size)
        cuts.push_back(cut);
  llvm::sort(cuts);
  for (size_t i = 0; i + 1 < cuts.size() && parts.size() < kMaxParts; ++i) {
    llvm::SmallVector<AggregatePart, 1> entry;
    if (cuts[i] != cuts[i + 1])
      addEntry(byValue, cuts[i], cuts[i + 1] - cuts[i], at, entry);
    for (const AggregatePart &part : entry)
      appendPart(parts, cuts[i] - begin, part.value);
  }
}

/// Appends what is in \p bytes (begin, size) of \p variable, which has a value
/// of type \p type at byte \p offset, at any time.
void JumpFunctionBuilder::addVariableParts(
    const llvm::GlobalVariable &variable, llvm::Type &type, uint64_t offset,
    std::pair<uint64_t, uint64_t> bytes,
    llvm::SmallVectorImpl<AggregatePart> &parts) {
  uint64_t typeBytes = layout.getTypeStoreSize(&type).getKnownMinValue();
  bool isWithin =
      offset >= bytes.first && offset + typeBytes <= bytes.first + bytes.second;
  unsigned bits = scalarBits(type);
  if (parts.size() >= kMaxParts || offset > PartOffset::kLast)
    return;
  if (auto *structure = llvm::dyn_cast<llvm::StructType>(&type)) {
    const llvm::StructLayout *fields = layout.getStructLayout(structure);
    for (unsigned i = 0; i < structure->getNumElements(); ++i)
      addVariableParts(variable, *structure->getElementType(i),
                       offset + fields->getElementOffset(i).getFixedValue(),
                       bytes, parts);
  } else if (auto *array = llvm::dyn_cast<llvm::ArrayType>(&type)) {
    llvm::Type &element = *array->getElementType();
    uint64_t stride = layout.getTypeAllocSize(&element).getFixedValue();
    uint64_t count = std::min<uint64_t>(array->getNumElements(), kMaxParts);
    for (uint64_t i = 0; i < count; ++i)
      addVariableParts(variable, element, offset + i * stride, bytes, parts);
  } else if (isWithin && (type.isPointerTy() || (bits && bits % 8 == 0))) {
    JumpFunction value = ofVariable(variable, offset, bits);
    if (value.kind != Kind::Unknown)
      appendPart(parts, offset - bytes.first, value);
  }
}

/// Appends the known parts of the \p size bytes at \p pointer + \p shift, or of
/// as many as parts are told of: counts of bytes fit 32 bits, too.
void JumpFunctionBuilder::collectParts(
    const llvm::Value &pointer, uint64_t size, const llvm::Instruction &at,
    uint64_t shift, llvm::SmallVectorImpl<AggregatePart> &parts,
    unsigned depth) {
  int64_t baseOffset = 0;
  const llvm::Value *base = stripOffsets(pointer, layout, baseOffset);
  if (baseOffset < 0 || depth > kMaxDepth)
    return;
  size = std::min<uint64_t>(size, PartOffset::kLast);
  uint64_t begin = shift + static_cast<uint64_t>(baseOffset);
  if (auto *global = llvm::dyn_cast<llvm::GlobalVariable>(base)) {
    if (global->isConstant() && global->hasDefinitiveInitializer())
      collectConstantParts(*global->getInitializer(), 0, size, begin, parts);
    else
      addVariableParts(*global, *global->getValueType(), 0, {begin, size},
                       parts);
    return;
  }
  if (auto *reference = llvm::dyn_cast<llvm::Argument>(base);
      reference && isPassedByReference(*reference) &&
      !reference->hasStructRetAttr())
    return addEntry(*reference, begin, size, at, parts);
  if (!isLocalVariable(*base) && !isResult(*base))
    return;
  const LocalVariable &local = describe(*base);
  auto *byValue = llvm::dyn_cast<llvm::Argument>(base);
  bool isCopy = byValue && byValue->hasByValAttr();
  if (!isCopy && local.dependsOnCallees())
    return collectWritten(*base, begin, size, &at, parts, depth);
  if (isCopy ? isKeptBefore(local, at) : local.escapes)
    return;
  if (isCopy)
    addUnwritten(*byValue, begin, size, at, parts);
  for (const Write *last : lastWrites(local, begin, size, at)) {
    const Write &write = *last;
    if (parts.size() >= kMaxParts)
      break;
    if (auto *store = llvm::dyn_cast<llvm::StoreInst>(write.instruction)) {
      bool isInside =
          write.offset >= begin && write.offset - begin + write.size <= size;
      JumpFunction value = of(*store->getValueOperand());
      // The callee may know parts of what it returns.
      if (value.kind == Kind::CallResult)
        value.count = value.bitWidth / 8;
      bool isKnown = value.kind != Kind::Unknown ||
                     (value.bitWidth == 0 && value.alignLog2);
      if (isInside && store->isSimple() && isKnown && value.bitWidth % 8 == 0)
        appendPart(parts, write.offset - begin, value);
      continue;
    }
    if (auto *call = llvm::dyn_cast<llvm::CallBase>(write.instruction);
        call && allocationResult(*call)) {
      if (write.offset >= begin && write.offset - begin + write.size <= size &&
          leavesAllocation(*base, local, write, at))
        appendPart(parts, write.offset - begin, ofAllocation(*call));
      continue;
    }
    if (write.isReturned) {
      addResult(llvm::cast<llvm::CallBase>(*write.instruction), write, begin,
                size, parts);
      continue;
    }
    auto *copy = llvm::dyn_cast<llvm::MemTransferInst>(write.instruction);
    if (!copy || copy->isVolatile())
      continue;
    uint64_t first = std::max(begin, write.offset);
    uint64_t end = std::min(begin + size, write.offset + write.size);
    llvm::SmallVector<AggregatePart, 8> copied;
    collectParts(*copy->getRawSource(), end - first, *copy,
                 first - write.offset, copied, depth + 1);
    for (const AggregatePart &part : copied)
      appendPart(parts, first - begin + part.byteOffset, part.value);
  }
  if (!isCopy)
    addExchanged(*base, begin, size, parts);
}

/// Appends how pointers among the \p size bytes from byte \p begin on of the
/// local variable \p variable are aligned, of which nothing else is known.
void JumpFunctionBuilder::addExchanged(
    const llvm::Value &variable, uint64_t begin, uint64_t size,
    llvm::SmallVectorImpl<AggregatePart> &parts) {
  for (const Bytes &range : describe(variable).ranges) {
    bool isWithin = range.offset >= begin &&
                    range.offset - begin + layout.getPointerSize() <= size;
    uint64_t offset = range.offset - begin;
    llvm::SmallVector<const llvm::Value *, 8> stored;
    if (!isWithin || parts.size() >= kMaxParts ||
        llvm::any_of(parts,
                     [&](const AggregatePart &part) {
                       return part.byteOffset == offset;
                     }) ||
        !addStored(variable, range.offset, stored))
      continue;
    JumpFunction pointer;
    pointer.alignLog2 = static_cast<uint8_t>(choicesAlignLog2(stored));
    if (pointer.alignLog2)
      appendPart(parts, offset, pointer);
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
  const llvm::Instruction *place = &at;
  // A copy of a whole formal: follow it through one temporary.
  auto formalOf = [&](const llvm::Value &value) -> const llvm::Argument * {
    auto *argument = llvm::dyn_cast<llvm::Argument>(&value);
    if (!argument || !argument->hasByValAttr() ||
        layout.getTypeAllocSize(argument->getParamByValType())
                .getFixedValue() != size ||
        !isOfEntry(*argument, 0, size, *place))
      return nullptr;
    return argument;
  };
  if (auto *variable = llvm::dyn_cast<llvm::AllocaInst>(source)) {
    const LocalVariable &local = describe(*variable);
    for (const Write &write : local.writes) {
      auto *copy = llvm::dyn_cast<llvm::MemTransferInst>(write.instruction);
      if (!local.escapes && copy && !copy->isVolatile() && write.offset == 0 &&
          write.size >= size && reaches(write, local, at)) {
        source = copy->getRawSource();
        place = copy;
      }
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
