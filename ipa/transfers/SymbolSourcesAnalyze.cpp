//===- SymbolSourcesAnalyze.cpp - What copies to symbols copy (LGEN) ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
//   const float weights[] = {1, 2, 1};
//   cudaMemcpyToSymbol(filter, weights, sizeof weights);
//   -> source: i64 0x400000003f800000 at 0, i32 0x3f800000 at 8
//
// Bytes of a constant are told in words (constantBehind, addConstant), however
// many there are up to kMaxBytes. So are those of a local variable that fills
// and copies of constants left there (addLocal); what was stored there one by
// one, and what is in other memory, is told in up to 64 parts, in terms of the
// function's parameters; numbers in variables of the program in up to 1,024
// (addVariable), of which whole-program analysis knows what is stored there.
//
// Linear in the bytes of the constants that are copied.
//
//===----------------------------------------------------------------------===//

#include "ipa/runtime/CudaRuntime.h"
#include "ipa/transfers/SymbolSources.h"
#include "ipa/values/DerivedPointer.h"
#include "ipa/values/RuntimeCalls.h"
#include "summary/ModuleSummary.h"

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace gpulto {

/// All of a device's constant memory.
static constexpr uint64_t kMaxBytes = 64 * 1024;
/// Copies of copies are followed to this depth.
static constexpr unsigned kMaxDepth = 4;

SymbolSources::SymbolSources(LgenContext &context, llvm::Function &function)
    : context(context), function(function),
      layout(function.getParent()->getDataLayout()), values(context, function),
      locals(context, function), writes(context, function) {}

/// Returns the constant bytes that are behind \p pointer when \p at executes:
/// \p size of them or, if that is 0, all; none if they are no constant's.
SymbolSources::ConstantBytes
SymbolSources::constantBehind(const llvm::Value &pointer, uint64_t size,
                              const llvm::Instruction &at, unsigned depth) {
  int64_t distance = 0;
  const llvm::Value *base = stripOffsets(pointer, layout, distance);
  uint64_t offset = static_cast<uint64_t>(distance);
  if (distance < 0 || depth > kMaxDepth)
    return {};
  if (auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(base)) {
    if (!variable->isConstant() || !variable->hasDefinitiveInitializer())
      return {};
    uint64_t bytes =
        layout.getTypeAllocSize(variable->getValueType()).getFixedValue();
    bool isWithin = offset < bytes && size <= bytes - offset;
    return isWithin ? ConstantBytes{variable->getInitializer(), offset,
                                    size ? size : bytes - offset}
                    : ConstantBytes();
  }
  auto *variable = llvm::dyn_cast<llvm::AllocaInst>(base);
  if (!variable || !size || locals.describe(*variable).escapes)
    return {};
  LastWrites last =
      writes.before(locals.describe(*variable), offset, size, &at);
  if (!last.isKnown || last.fromEntry || last.writes.size() != 1)
    return {};
  const LocalWrite &write = *last.writes.front();
  auto *copy = llvm::dyn_cast<llvm::MemTransferInst>(write.instruction);
  bool isCovered = write.offset <= offset && write.size != kUnboundedSize &&
                   offset - write.offset + size <= write.size;
  if (!copy || copy->isVolatile() || !isCovered)
    return {};
  ConstantBytes copied =
      constantBehind(*copy->getRawSource(), write.size, *copy, depth + 1);
  return copied.constant
             ? ConstantBytes{copied.constant,
                             copied.offset + (offset - write.offset), size}
             : copied;
}

/// Returns how many of \p bytes, one or more, are told as one number.
static unsigned wordOf(uint64_t bytes) {
  constexpr uint64_t kWordBytes = 8;
  return static_cast<unsigned>(llvm::bit_floor(std::min(bytes, kWordBytes)));
}

/// Adds \p bytes, as far as they are numbers, to \p parts, from byte \p at of
/// what is copied on.
void SymbolSources::addConstant(const ConstantBytes &bytes, uint64_t at,
                                Parts &parts) const {
  auto add = [&](uint64_t index, unsigned count) {
    llvm::Type *type = llvm::IntegerType::get(function.getContext(), count * 8);
    llvm::Constant *value = llvm::ConstantFoldLoadFromConst(
        const_cast<llvm::Constant *>(bytes.constant), type,
        llvm::APInt(layout.getIndexSizeInBits(0), bytes.offset + index),
        layout);
    auto *number = llvm::dyn_cast_or_null<llvm::ConstantInt>(value);
    if (!number && !llvm::isa_and_nonnull<llvm::UndefValue>(value))
      return false;
    parts.push_back({*PartOffset::of(at + index),
                     JumpFunction::constant(number ? number->getZExtValue() : 0,
                                            static_cast<uint16_t>(count * 8))});
    return true;
  };
  for (uint64_t index = 0; index < bytes.size;) {
    unsigned count = wordOf(bytes.size - index);
    while (!add(index, count) && count > 1)
      count /= 2; // an address is among them
    index += count;
  }
}

/// Adds \p bytes of what is copied that are all \p byte to \p parts.
void SymbolSources::addFill(uint8_t byte, LocalBytes bytes, Parts &parts) {
  for (uint64_t index = 0; index < bytes.size;) {
    constexpr uint64_t kOnes = 0x0101010101010101;
    unsigned count = wordOf(bytes.size - index);
    parts.push_back({*PartOffset::of(bytes.offset + index),
                     JumpFunction::constant(byte * (kOnes >> (64 - count * 8)),
                                            static_cast<uint16_t>(count * 8))});
    index += count;
  }
}

/// Adds what \p range of \p local, which is at byte \p at of what \p call
/// copies, holds then.
void SymbolSources::addRange(const LocalVariable &local, const ToldBytes &range,
                             uint64_t at, const llvm::CallBase &call,
                             Parts &parts) {
  LastWrites last = writes.before(local, range.offset, range.size, &call);
  if (!last.isKnown)
    return;
  if (last.writes.empty()) // nobody has: any bytes will do
    return addFill(0, {at, range.size}, parts);
  const LocalWrite &write = *last.writes.front();
  bool isOnly = !last.fromEntry && last.writes.size() == 1;
  if (isOnly && write.offset <= range.offset && write.size != kUnboundedSize &&
      range.offset - write.offset + range.size <= write.size)
    addWritten(write, range.offset - write.offset, {at, range.size}, parts);
}

/// Adds \p bytes of what is copied, which \p write has left, to \p parts: those
/// from byte \p distance of it on.
void SymbolSources::addWritten(const LocalWrite &write, uint64_t distance,
                               LocalBytes bytes, Parts &parts) {
  if (auto *fill = llvm::dyn_cast<llvm::MemSetInst>(write.instruction)) {
    auto *byte = llvm::dyn_cast<llvm::ConstantInt>(fill->getValue());
    if (byte && !fill->isVolatile())
      addFill(static_cast<uint8_t>(byte->getZExtValue()), bytes, parts);
  } else if (auto *copy =
                 llvm::dyn_cast<llvm::MemTransferInst>(write.instruction)) {
    ConstantBytes copied =
        constantBehind(*copy->getRawSource(), write.size, *copy);
    if (copied.constant && !copy->isVolatile())
      addConstant({copied.constant, copied.offset + distance, bytes.size},
                  bytes.offset, parts);
  } else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(write.instruction)) {
    const llvm::Value &value = *store->getValueOperand();
    if (!store->isSimple())
      return;
    if (auto *constant = llvm::dyn_cast<llvm::Constant>(&value))
      return addConstant({constant, distance, bytes.size}, bytes.offset, parts);
    JumpFunction stored = values.of(value);
    if (bytes.size == write.size && stored.bitWidth == bytes.size * 8)
      parts.push_back({*PartOffset::of(bytes.offset), stored});
  }
}

/// Adds what \p call copies, \p size bytes behind \p pointer, if that leads to
/// a local variable that no other function writes; returns whether it does.
bool SymbolSources::addLocal(const llvm::Value &pointer, uint64_t size,
                             const llvm::CallBase &call, Parts &parts) {
  int64_t distance = 0;
  auto *variable =
      llvm::dyn_cast<llvm::AllocaInst>(stripOffsets(pointer, layout, distance));
  if (!variable || distance < 0)
    return false;
  const LocalVariable &local = locals.describe(*variable);
  if (local.escapes || local.isWrittenByCallees)
    return false;
  uint64_t begin = static_cast<uint64_t>(distance);
  for (const ToldBytes &range : writes.rangesOf(local, {begin, size}))
    addRange(local, range, range.offset - begin, call, parts);
  return true;
}

/// Adds what \p call copies, \p size bytes behind \p pointer, if that leads to
/// a variable of the program; returns whether it does. Pointers are no known
/// bytes.
bool SymbolSources::addVariable(const llvm::Value &pointer, uint64_t size,
                                const llvm::CallBase &call, Parts &parts) {
  constexpr size_t kMaxParts = 1024;
  int64_t distance = 0;
  auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(
      stripOffsets(pointer, layout, distance));
  if (!variable || variable->isConstant() || distance < 0)
    return false;
  llvm::append_range(
      parts,
      llvm::make_filter_range(
          values.partsOfVariable(*variable, static_cast<uint64_t>(distance),
                                 size, call, kMaxParts),
          [](const AggregatePart &part) { return part.value.bitWidth != 0; }));
  return true;
}

/// Returns what \p call, which is \p copy, copies.
JumpFunction SymbolSources::contentsOf(const llvm::CallBase &call,
                                       const RuntimeFunction &copy) {
  const llvm::Value &source = *call.getArgOperand(copy.source);
  auto *bytes =
      llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(copy.bytes));
  uint64_t size = bytes ? bytes->getZExtValue() : 0;
  if (size > kMaxBytes)
    return {};
  Parts parts;
  ConstantBytes constant = constantBehind(source, size, call);
  if (constant.constant && constant.size <= kMaxBytes)
    addConstant(constant, 0, parts);
  else if (size && !addLocal(source, size, call, parts) &&
           !addVariable(source, size, call, parts))
    llvm::append_range(parts, values.partsOf(source, size, call));
  llvm::stable_sort(parts, [](const AggregatePart &a, const AggregatePart &b) {
    return a.byteOffset < b.byteOffset;
  });
  return context.jumpFunctions.aggregate(parts);
}

void SymbolSources::run(FunctionSummary &result,
                        llvm::ArrayRef<uint32_t> copies) {
  std::vector<SymbolSource> &all = context.summary.symbolSources;
  uint32_t first = static_cast<uint32_t>(all.size());
  for (uint32_t number : copies) {
    const llvm::CallBase &call =
        *context.callInstructions[result.calls.first + number];
    JumpFunction contents = contentsOf(call, *symbolCopy(call));
    if (contents.count)
      all.push_back({number, contents});
  }
  if (all.size() != first)
    result.symbolSources = {first, static_cast<uint32_t>(all.size()) - first};
}

void analyzeSymbolSources(LgenContext &context, llvm::Function &function,
                          FunctionSummary &result) {
  llvm::SmallVector<uint32_t, 8> copies;
  for (uint32_t number = 0; number < result.calls.count; ++number) {
    const RuntimeFunction *copy =
        symbolCopy(*context.callInstructions[result.calls.first + number]);
    if (copy && copy->has(RuntimeFunction::ToSymbol))
      copies.push_back(number);
  }
  if (!copies.empty())
    SymbolSources(context, function).run(result, copies);
}

} // namespace gpulto
