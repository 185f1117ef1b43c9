//===- MemoryParts.cpp - The parts of what is in memory -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: say what is in memory when a call happens, in parts. By-value
// aggregates live in local variables, whose contents at a call are found like
// this:
//
//  1. collectParts   stored values become parts (addStored); a copy of another
//                    variable or a constant is followed (addCopied), and of a
//                    by-value formal what nobody may have written before
//                    (addUnwritten).
//  2. collectWritten where callees write, too, does this for each range of
//                    bytes that is written as a whole, and for the gaps between
//                    them, which only callees and copies write. MemoryValues
//                    says what is in one.
//
// Linear in places, each of which has few ranges (kMaxParts).
//
// Source: M. Jambor, J. Hubicka, IPA-SRA and aggregate jump functions in GCC
// (ipa-prop).
//
//===----------------------------------------------------------------------===//

#include "ipa/values/MemoryParts.h"

#include "ipa/values/CallResults.h"
#include "ipa/values/DerivedPointer.h"
#include "ipa/values/JumpFunctionBuilder.h"
#include "ipa/values/LocalVariables.h"
#include "ipa/values/MemoryValues.h"
#include "ipa/values/PointerValues.h"
#include "ipa/values/ReachingWrites.h"
#include "ipa/values/RuntimeCalls.h"
#include "ipa/values/ValueLimits.h"
#include "ipa/values/ValueShapes.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace gpulto {

using Kind = JumpFunction::Kind;

MemoryParts::MemoryParts(JumpFunctionBuilder &values, LocalVariables &locals,
                         ReachingWrites &writes, CallResults &calls,
                         PointerValues &pointers, MemoryValues &contents,
                         LgenContext &context, llvm::Function &function)
    : values(values), locals(locals), writes(writes), calls(calls),
      pointers(pointers), contents(contents), context(context),
      layout(function.getParent()->getDataLayout()) {}

/// Whether \p value is where the function leaves what it returns, which nobody
/// else can see before.
static bool isResult(const llvm::Value &value) {
  auto *argument = llvm::dyn_cast<llvm::Argument>(&value);
  return argument && argument->hasStructRetAttr() && argument->hasNoAliasAttr();
}

/// Appends those of \p bytes of a constant that \p constant, which is at byte
/// \p offset of it, has.
void MemoryParts::addConstantParts(const llvm::Constant &constant,
                                   uint64_t offset, LocalBytes bytes,
                                   Parts &parts) {
  if (parts.size() >= kMaxParts)
    return;
  llvm::Type *type = constant.getType();
  unsigned bits = scalarBits(*type);
  if (bits || type->isPointerTy()) {
    uint64_t valueBytes = layout.getTypeStoreSize(type).getFixedValue();
    JumpFunction value = values.of(constant);
    if (offset >= bytes.offset &&
        offset - bytes.offset + valueBytes <= bytes.size &&
        value.kind != Kind::Unknown && bits % 8 == 0)
      appendPart(parts, offset - bytes.offset, value);
    return;
  }
  auto element = [&](unsigned i, uint64_t elementOffset) {
    if (const llvm::Constant *part = constant.getAggregateElement(i))
      addConstantParts(*part, offset + elementOffset, bytes, parts);
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

/// Appends what \p call returns by \p write, as far as it is of
/// \p bytes.
void MemoryParts::addResult(const llvm::CallBase &call, const LocalWrite &write,
                            LocalBytes bytes, Parts &parts) {
  uint64_t first = std::max(bytes.offset, write.offset);
  uint64_t end = std::min(bytes.offset + bytes.size, write.offset + write.size);
  JumpFunction result = calls.ofCall(call, first - write.offset, 0);
  result.count = static_cast<uint32_t>(end - first);
  if (result.kind == Kind::CallResult)
    appendPart(parts, first - bytes.offset, result);
}

/// Appends \p bytes behind \p argument, as the first part, if they are what
/// they were when the function was entered.
void MemoryParts::addEntry(const llvm::Argument &argument, LocalBytes bytes,
                           const llvm::Instruction &at, Parts &parts) {
  if (bytes.offset + bytes.size > PartOffset::kLast ||
      !contents.isOfEntry(argument, bytes.offset, bytes.size, at))
    return;
  JumpFunction entry;
  entry.kind = Kind::LoadAggregate;
  entry.source = argument.getArgNo();
  entry.value = bytes.offset;
  entry.count = static_cast<uint32_t>(bytes.size);
  parts.push_back({0, entry});
}

/// Appends those of \p bytes of \p byValue that are what the caller passed.
void MemoryParts::addUnwritten(const llvm::Argument &byValue, LocalBytes bytes,
                               const llvm::Instruction &at, Parts &parts) {
  uint64_t begin = bytes.offset, size = bytes.size;
  llvm::SmallVector<uint64_t, 16> cuts = {begin, begin + size};
  for (const LocalWrite &write : locals.describe(byValue).writes)
    for (uint64_t cut :
         {write.offset,
          write.size == kUnboundedSize ? begin : write.offset + write.size})
      if (cut > begin && cut < begin + size)
        cuts.push_back(cut);
  llvm::sort(cuts);
  for (size_t i = 0; i + 1 < cuts.size() && parts.size() < kMaxParts; ++i) {
    llvm::SmallVector<AggregatePart, 1> entry;
    if (cuts[i] != cuts[i + 1])
      addEntry(byValue, {cuts[i], cuts[i + 1] - cuts[i]}, at, entry);
    for (const AggregatePart &part : entry)
      appendPart(parts, cuts[i] - begin, part.value);
  }
}

/// What collectVariable() is asked for.
struct MemoryParts::VariableBytes {
  const llvm::GlobalVariable &variable;
  LocalBytes bytes;
  const llvm::Instruction &at;
  size_t most = 0;
};

/// Appends what is \p asked for of a value of type \p type at byte \p offset of
/// the variable.
void MemoryParts::addVariableParts(const VariableBytes &asked, llvm::Type &type,
                                   uint64_t offset, Parts &parts) {
  const LocalBytes &bytes = asked.bytes;
  uint64_t typeBytes = layout.getTypeStoreSize(&type).getKnownMinValue();
  bool isWithin =
      offset >= bytes.offset && offset + typeBytes <= bytes.offset + bytes.size;
  unsigned bits = scalarBits(type);
  if (parts.size() >= asked.most || offset > PartOffset::kLast)
    return;
  if (auto *structure = llvm::dyn_cast<llvm::StructType>(&type)) {
    const llvm::StructLayout *fields = layout.getStructLayout(structure);
    for (unsigned i = 0; i < structure->getNumElements(); ++i)
      addVariableParts(asked, *structure->getElementType(i),
                       offset + fields->getElementOffset(i).getFixedValue(),
                       parts);
  } else if (auto *array = llvm::dyn_cast<llvm::ArrayType>(&type)) {
    llvm::Type &element = *array->getElementType();
    uint64_t stride = layout.getTypeAllocSize(&element).getFixedValue();
    uint64_t count = std::min<uint64_t>(array->getNumElements(), asked.most);
    for (uint64_t i = 0; i < count; ++i)
      addVariableParts(asked, element, offset + i * stride, parts);
  } else if (isWithin && (type.isPointerTy() || (bits && bits % 8 == 0))) {
    JumpFunction value =
        contents.ofVariable(asked.variable, offset, bits, asked.at);
    if (value.kind != Kind::Unknown)
      appendPart(parts, offset - bytes.offset, value);
  }
}

void MemoryParts::collectVariable(const llvm::GlobalVariable &variable,
                                  LocalBytes bytes, const llvm::Instruction &at,
                                  size_t most, Parts &parts) {
  addVariableParts({variable, bytes, at, most}, *variable.getValueType(), 0,
                   parts);
}

/// Appends what \p store, which is \p write, leaves, if it is of \p bytes.
void MemoryParts::addStored(const llvm::StoreInst &store,
                            const LocalWrite &write, LocalBytes bytes,
                            Parts &parts) {
  bool isInside = write.offset >= bytes.offset &&
                  write.offset - bytes.offset + write.size <= bytes.size;
  JumpFunction value = values.of(*store.getValueOperand());
  // The callee may know parts of what it returns.
  if (value.kind == Kind::CallResult)
    value.count = value.bitWidth / 8;
  bool isKnown =
      value.kind != Kind::Unknown || (value.bitWidth == 0 && value.alignLog2);
  if (isInside && store.isSimple() && isKnown && value.bitWidth % 8 == 0)
    appendPart(parts, write.offset - bytes.offset, value);
}

/// Appends what \p instruction, which is \p write, leaves in \p bytes, if it
/// copies other memory there.
void MemoryParts::addCopied(const llvm::Instruction &instruction,
                            const LocalWrite &write, LocalBytes bytes,
                            Parts &parts, unsigned depth) {
  auto *copy = llvm::dyn_cast<llvm::MemTransferInst>(&instruction);
  if (!copy || copy->isVolatile())
    return;
  uint64_t first = std::max(bytes.offset, write.offset);
  uint64_t end = std::min(bytes.offset + bytes.size, write.offset + write.size);
  llvm::SmallVector<AggregatePart, 8> copied;
  collectParts(*copy->getRawSource(), end - first, *copy, first - write.offset,
               copied, depth + 1);
  for (const AggregatePart &part : copied)
    appendPart(parts, first - bytes.offset + part.byteOffset, part.value);
}

/// Appends the known parts of \p bytes of \p variable, of the function itself,
/// which no callee writes.
void MemoryParts::addLocalParts(const llvm::Value &variable, LocalBytes bytes,
                                const llvm::Instruction &at, Parts &parts,
                                unsigned depth) {
  const LocalVariable &local = locals.describe(variable);
  for (const LocalWrite *last :
       writes.lastWrites(local, bytes.offset, bytes.size, at)) {
    const LocalWrite &write = *last;
    if (parts.size() >= kMaxParts)
      break;
    if (auto *store = llvm::dyn_cast<llvm::StoreInst>(write.instruction)) {
      addStored(*store, write, bytes, parts);
    } else if (const llvm::CallBase *call = asAllocation(*write.instruction)) {
      if (write.offset >= bytes.offset &&
          write.offset - bytes.offset + write.size <= bytes.size &&
          contents.leavesAllocation(variable, local, write, at))
        appendPart(parts, write.offset - bytes.offset,
                   calls.ofAllocation(*call));
    } else if (write.isReturned) {
      addResult(llvm::cast<llvm::CallBase>(*write.instruction), write, bytes,
                parts);
    } else {
      addCopied(*write.instruction, write, bytes, parts, depth);
    }
  }
}

void MemoryParts::collectParts(const llvm::Value &pointer, uint64_t size,
                               const llvm::Instruction &at, uint64_t shift,
                               Parts &parts, unsigned depth) {
  int64_t baseOffset = 0;
  const llvm::Value *base = stripOffsets(pointer, layout, baseOffset);
  if (baseOffset < 0 || depth > kMaxDepth)
    return;
  LocalBytes bytes{shift + static_cast<uint64_t>(baseOffset),
                   std::min<uint64_t>(size, PartOffset::kLast)};
  if (auto *global = llvm::dyn_cast<llvm::GlobalVariable>(base)) {
    if (global->isConstant() && global->hasDefinitiveInitializer())
      addConstantParts(*global->getInitializer(), 0, bytes, parts);
    else
      collectVariable(*global, bytes, at, kMaxParts, parts);
    return;
  }
  if (auto *reference = llvm::dyn_cast<llvm::Argument>(base);
      reference && isPassedByReference(*reference) &&
      !reference->hasStructRetAttr())
    return addEntry(*reference, bytes, at, parts);
  if (!locals.isLocalVariable(*base) && !isResult(*base))
    return;
  const LocalVariable &local = locals.describe(*base);
  auto *byValue = llvm::dyn_cast<llvm::Argument>(base);
  bool isCopy = byValue && byValue->hasByValAttr();
  if (!isCopy && local.dependsOnCallees())
    return collectWritten(*base, bytes.offset, bytes.size, &at, parts, depth);
  if (isCopy ? writes.isKeptBefore(local, at) : local.escapes)
    return;
  if (isCopy)
    addUnwritten(*byValue, bytes, at, parts);
  addLocalParts(*base, bytes, at, parts, depth);
  if (!isCopy)
    addExchanged(*base, bytes, parts);
}

/// Appends how pointers among \p bytes of the local variable \p variable are
/// aligned, of which nothing else is known.
void MemoryParts::addExchanged(const llvm::Value &variable, LocalBytes bytes,
                               Parts &parts) {
  for (const LocalBytes &range : locals.describe(variable).ranges) {
    bool isWithin =
        range.offset >= bytes.offset &&
        range.offset - bytes.offset + layout.getPointerSize() <= bytes.size;
    uint64_t offset = range.offset - bytes.offset;
    if (!isWithin || parts.size() >= kMaxParts ||
        llvm::any_of(parts, [&](const AggregatePart &part) {
          return part.byteOffset == offset;
        }))
      continue;
    JumpFunction pointer;
    pointer.alignLog2 =
        static_cast<uint8_t>(pointers.storedAlignLog2(variable, range.offset));
    if (pointer.alignLog2)
      appendPart(parts, offset, pointer);
  }
}

/// Appends the parts of \p range, which is a copy of other memory's, of bytes
/// that begin at \p begin; returns false if it is not.
bool MemoryParts::collectCopied(const llvm::Value &variable,
                                const ToldBytes &range, uint64_t begin,
                                Places places, Parts &parts, unsigned depth) {
  const LocalVariable &local = locals.describe(variable);
  LastWrites last = writes.before(local, range.offset, range.size, places);
  if (!last.isKnown || last.writes.size() != 1 ||
      (last.fromEntry && llvm::isa<llvm::Argument>(variable)))
    return false;
  const LocalWrite &write = *last.writes.front();
  auto *copy = llvm::dyn_cast<llvm::MemTransferInst>(write.instruction);
  bool isCovered = write.offset <= range.offset &&
                   write.size != kUnboundedSize &&
                   range.offset - write.offset + range.size <= write.size;
  if (!copy || copy->isVolatile() || !isCovered)
    return false;
  llvm::SmallVector<AggregatePart, 8> copied;
  collectParts(*copy->getRawSource(), range.size, *copy,
               range.offset - write.offset, copied, depth + 1);
  uint32_t number = local.number;
  for (const AggregatePart &part : copied) {
    JumpFunction memory =
        context.jumpFunctions.aggregate(AggregatePart{0, part.value});
    memory.kind = Kind::Memory;
    memory.parameter = number;
    appendPart(parts, range.offset - begin + part.byteOffset, memory);
  }
  return true;
}

void MemoryParts::collectWritten(const llvm::Value &variable, uint64_t begin,
                                 uint64_t size, Places places, Parts &parts,
                                 unsigned depth) {
  const LocalVariable &local = locals.describe(variable);
  for (const ToldBytes &range : writes.rangesOf(local, {begin, size})) {
    if (parts.size() >= kMaxParts)
      return;
    if (collectCopied(variable, range, begin, places, parts, depth))
      continue;
    JumpFunction memory = contents.ofWritten(variable, range.offset, range.size,
                                             range.isPointer, places);
    if (memory.kind != Kind::Unknown)
      appendPart(parts, range.offset - begin, memory);
  }
}

} // namespace gpulto
