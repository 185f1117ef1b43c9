//===- VariableStoresAnalyze.cpp - What is stored in variables (LGEN) -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: where all stores in a variable are known, a load of it yields one of
// the values stored.
//
//   static float *in, *out;  cudaMalloc(&in, n); ...  scale<<<g, b>>>(in, out);
//
// LGEN tells plain stores, and allocations that leave their pointer in a
// variable, with jump functions; any other use of its address that may write
// makes all that is stored there unknown (ReferenceFlag). Whole-program
// analysis joins the stores of all bodies (ConstantsSolver) if the variable is
// used by nobody else.
//
//===----------------------------------------------------------------------===//

#include "ipa/JumpFunctionBuilder.h"

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
  if (!write.variable || offset < 0 || offset > INT32_MAX)
    return std::nullopt;
  write.offset = static_cast<uint64_t>(offset);
  return write;
}

JumpFunction JumpFunctionBuilder::ofStored(const llvm::Instruction &instruction,
                                           const VariableWrite &write) {
  if (!write.value)
    return ofAllocation(llvm::cast<llvm::CallBase>(instruction));
  JumpFunction j = of(*write.value);
  return j.bitWidth % 8 == 0 ? j : JumpFunction();
}

/// Appends the numbers and null pointers in \p constant, which is at byte
/// \p offset.
static void addInitialParts(LgenContext &context,
                            const llvm::Constant &constant, uint64_t offset,
                            llvm::SmallVectorImpl<AggregatePart> &parts) {
  constexpr unsigned kMaxInitialParts = 64;
  const llvm::DataLayout &layout = context.module.getDataLayout();
  llvm::Type *type = constant.getType();
  if (parts.size() >= kMaxInitialParts || offset > INT32_MAX)
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
      parts.push_back({static_cast<uint32_t>(offset), value});
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

JumpFunction initialParts(LgenContext &context,
                          const llvm::GlobalVariable &variable) {
  llvm::SmallVector<AggregatePart, 8> parts;
  // Of constants those that other modules may name.
  if ((!variable.isConstant() || variable.hasExternalLinkage()) &&
      variable.hasInitializer() && !variable.getInitializer()->isNullValue())
    addInitialParts(context, *variable.getInitializer(), 0, parts);
  return parts.empty() ? JumpFunction()
                       : context.jumpFunctions.aggregate(parts);
}

} // namespace gpulto
