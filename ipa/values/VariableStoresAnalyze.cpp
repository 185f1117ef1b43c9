//===- VariableStoresAnalyze.cpp - What is stored in variables (LGEN) -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: if all stores to a variable are known, a load of it yields one of the
// stored values.
//
//   static float *in, *out;  cudaMalloc(&in, n); ...  scale<<<g, b>>>(in, out);
//
// LGEN records plain stores, and allocations that leave their pointer in a
// variable, with jump functions; any other use of its address that may write
// makes its contents unknown (ReferenceFlag). Whole-program analysis joins the
// stores of all bodies (ConstantsSolver) if nothing else uses the variable.
//
//===----------------------------------------------------------------------===//

#include "ipa/runtime/OffloadEntries.h"
#include "ipa/values/DerivedPointer.h"
#include "ipa/values/JumpFunctionBuilder.h"
#include "ipa/values/RuntimeCalls.h"
#include "ipa/values/ValueShapes.h"
#include "ipa/values/VariableWrites.h"
#include "summary/ModuleSummary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace gpulto {

std::optional<VariableWrite>
variableWrite(const llvm::Instruction &instruction) {
  const llvm::DataLayout &layout = instruction.getModule()->getDataLayout();
  VariableWrite write;
  const llvm::Value *pointer = nullptr;
  if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    if (!store->isSimple())
      return std::nullopt;
    pointer = store->getPointerOperand();
    write.value = store->getValueOperand();
    write.size =
        layout.getTypeStoreSize(write.value->getType()).getKnownMinValue();
  } else if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
    std::optional<unsigned> result = allocationResult(*call);
    if (!result)
      return std::nullopt;
    pointer = call->getArgOperand(*result);
    write.size = layout.getPointerSize();
  }
  int64_t offset = 0;
  if (!pointer || !llvm::isa<llvm::Constant>(pointer))
    return std::nullopt;
  write.variable = llvm::dyn_cast<llvm::GlobalVariable>(
      stripOffsets(*pointer, layout, offset));
  std::optional<PartOffset> place =
      PartOffset::of(static_cast<uint64_t>(offset));
  if (!write.variable || !place || write.size > PartOffset::kLast)
    return std::nullopt;
  write.offset = *place;
  return write;
}

/// Appends the numbers and null pointers in \p constant, which is at byte
/// \p offset.
static void addInitialParts(LgenContext &context,
                            const llvm::Constant &constant, uint64_t offset,
                            llvm::SmallVectorImpl<AggregatePart> &parts) {
  constexpr unsigned kMaxInitialParts = 64;
  const llvm::DataLayout &layout = context.module.getDataLayout();
  llvm::Type *type = constant.getType();
  if (parts.size() >= kMaxInitialParts || offset > PartOffset::kLast)
    return;
  unsigned bits = type->isVectorTy() ? 0 : scalarBits(*type);
  JumpFunction value;
  if (llvm::isa<llvm::ConstantPointerNull>(constant))
    value.kind = JumpFunction::Kind::Null;
  else if (auto *number = llvm::dyn_cast<llvm::ConstantInt>(&constant);
           number && bits)
    value = JumpFunction::constant(number->getZExtValue(),
                                   static_cast<uint16_t>(bits));
  else if (auto *real = llvm::dyn_cast<llvm::ConstantFP>(&constant);
           real && bits)
    value = JumpFunction::constant(
        real->getValueAPF().bitcastToAPInt().getZExtValue(),
        static_cast<uint16_t>(bits));
  if (value.kind != JumpFunction::Kind::Unknown) {
    if (value.bitWidth % 8 == 0)
      appendPart(parts, offset, value);
    return;
  }
  if (auto *structure = llvm::dyn_cast<llvm::StructType>(type)) {
    const llvm::StructLayout *fields = layout.getStructLayout(structure);
    for (unsigned i = 0; i < structure->getNumElements(); ++i)
      if (const llvm::Constant *part = constant.getAggregateElement(i))
        addInitialParts(context, *part,
                        offset + fields->getElementOffset(i).getFixedValue(),
                        parts);
  } else if (auto *array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    uint64_t stride =
        layout.getTypeAllocSize(array->getElementType()).getFixedValue();
    uint64_t count =
        std::min<uint64_t>(array->getNumElements(), kMaxInitialParts);
    for (uint64_t i = 0; i < count; ++i)
      if (const llvm::Constant *part =
              constant.getAggregateElement(static_cast<unsigned>(i)))
        addInitialParts(context, *part, offset + i * stride, parts);
  }
}

/// Appends the addresses of functions in \p constant, which is at byte
/// \p offset; false if those are not all.
static bool addFunctions(LgenContext &context, const llvm::Constant &constant,
                         uint64_t offset,
                         llvm::SmallVectorImpl<AggregatePart> &parts) {
  constexpr unsigned kMaxFunctions = 256;
  const llvm::DataLayout &layout = context.module.getDataLayout();
  if (llvm::isa<llvm::ConstantData>(constant))
    return true;
  if (auto *global = llvm::dyn_cast<llvm::GlobalValue>(&constant)) {
    JumpFunction address;
    address.kind = JumpFunction::Kind::SymbolAddress;
    address.source = context.indexOf(*global);
    if (llvm::isa<llvm::GlobalVariable>(global))
      return true;
    std::optional<PartOffset> place = PartOffset::of(offset);
    if (!place)
      return false;
    parts.push_back({*place, address});
    return address.source != kNone && parts.size() <= kMaxFunctions;
  }
  auto *structure = llvm::dyn_cast<llvm::StructType>(constant.getType());
  auto *array = llvm::dyn_cast<llvm::ArrayType>(constant.getType());
  if (!llvm::isa<llvm::ConstantAggregate>(constant) || (!structure && !array))
    return false;
  for (unsigned i = 0; i < constant.getNumOperands(); ++i) {
    uint64_t distance =
        structure ? layout.getStructLayout(structure)->getElementOffset(i)
                  : i * layout.getTypeAllocSize(array->getElementType())
                            .getFixedValue();
    auto &part = *llvm::cast<llvm::Constant>(constant.getOperand(i));
    if (!addFunctions(context, part, offset + distance, parts))
      return false;
  }
  return true;
}

JumpFunction initialParts(LgenContext &context,
                          const llvm::GlobalVariable &variable) {
  llvm::SmallVector<AggregatePart, 8> parts, functions;
  if (!variable.hasInitializer() || variable.getInitializer()->isNullValue())
    return JumpFunction();
  const llvm::Constant &initializer = *variable.getInitializer();
  // Of constants those that other modules may name.
  if (!variable.isConstant() || variable.hasExternalLinkage())
    addInitialParts(context, initializer, 0, parts);
  if (addFunctions(context, initializer, 0, functions) &&
      llvm::any_of(functions, [&](const AggregatePart &part) {
        return isStubName(context.summary.symbols[part.value.source].name);
      }))
    parts.append(functions);
  llvm::stable_sort(parts, [](const AggregatePart &a, const AggregatePart &b) {
    return a.byteOffset < b.byteOffset;
  });
  return parts.empty() ? JumpFunction()
                       : context.jumpFunctions.aggregate(parts);
}

} // namespace gpulto
