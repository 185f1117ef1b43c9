//===- SymbolSourcesAnalyze.cpp - What copies to symbols copy (LGEN) ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
//   const float weights[] = {1, 2, 1};
//   cudaMemcpyToSymbol(filter, weights, sizeof weights);
//   -> source: i64 0x400000003f800000 at 0, i32 0x3f800000 at 8
//
// Bytes of a constant, or of a local variable that is a copy of one, are told
// in words (constantBehind), however many there are up to kMaxBytes. Of other
// memory jump functions tell up to 64 parts, in terms of the function's
// parameters.
//
// Linear in the bytes of the constants that are copied.
//
//===----------------------------------------------------------------------===//

#include "ipa/runtime/CudaRuntime.h"
#include "ipa/transfers/SymbolSources.h"
#include "ipa/values/DerivedPointer.h"
#include "ipa/values/JumpFunctionBuilder.h"
#include "ipa/values/RuntimeCalls.h"

#include "llvm/ADT/APInt.h"
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
      layout(function.getParent()->getDataLayout()), locals(context, function),
      writes(context, function) {}

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

/// Returns the parts of \p bytes that are numbers.
std::vector<AggregatePart>
SymbolSources::partsOf(const ConstantBytes &bytes) const {
  constexpr unsigned kWordBytes = 8;
  std::vector<AggregatePart> parts;
  auto add = [&](uint64_t at, unsigned count) {
    llvm::Type *type = llvm::IntegerType::get(function.getContext(), count * 8);
    llvm::Constant *value = llvm::ConstantFoldLoadFromConst(
        const_cast<llvm::Constant *>(bytes.constant), type,
        llvm::APInt(layout.getIndexSizeInBits(0), bytes.offset + at), layout);
    auto *number = llvm::dyn_cast_or_null<llvm::ConstantInt>(value);
    if (!number && !llvm::isa_and_nonnull<llvm::UndefValue>(value))
      return false;
    uint64_t bits = number ? number->getZExtValue() : 0;
    parts.push_back(
        {*PartOffset::of(at),
         JumpFunction::constant(bits, static_cast<uint16_t>(count * 8))});
    return true;
  };
  for (uint64_t at = 0; at < bytes.size; at += kWordBytes) {
    uint64_t left = bytes.size - at;
    if (left >= kWordBytes && add(at, kWordBytes))
      continue;
    for (uint64_t byte = 0; byte < std::min<uint64_t>(left, kWordBytes); ++byte)
      add(at + byte, 1);
  }
  return parts;
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
  ConstantBytes constant = constantBehind(source, size, call);
  if (constant.constant && constant.size <= kMaxBytes)
    return context.jumpFunctions.aggregate(partsOf(constant));
  if (!size)
    return {};
  return context.jumpFunctions.aggregate(
      JumpFunctionBuilder(context, function).partsOf(source, size, call));
}

void SymbolSources::run(FunctionSummary &result) {
  std::vector<SymbolSource> &all = context.summary.symbolSources;
  uint32_t first = static_cast<uint32_t>(all.size());
  for (uint32_t number = 0; number < result.calls.count; ++number) {
    const llvm::CallBase &call =
        *context.callInstructions[result.calls.first + number];
    const RuntimeFunction *copy = symbolCopy(call);
    if (!copy || !copy->has(RuntimeFunction::ToSymbol))
      continue;
    JumpFunction contents = contentsOf(call, *copy);
    if (contents.kind == JumpFunction::Kind::Aggregate && contents.count)
      all.push_back({number, contents});
  }
  if (all.size() != first)
    result.symbolSources = {first, static_cast<uint32_t>(all.size()) - first};
}

} // namespace gpulto
