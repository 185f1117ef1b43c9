//===- GuardSource.cpp - Values that the host can test --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/indexes/GuardSource.h"

#include "summary/JumpFunction.h"

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace gpulto {

std::optional<GuardFact> guardSource(const Value &value,
                                     const DataLayout &layout) {
  Type *type = value.getType();
  constexpr unsigned kMaxBits = 64;
  if (!type->isPointerTy() &&
      !(type->isIntegerTy() && type->getIntegerBitWidth() <= kMaxBits))
    return std::nullopt;
  GuardFact fact;
  fact.bitWidth = type->isPointerTy() ? 0 : type->getIntegerBitWidth();
  if (auto *argument = dyn_cast<Argument>(&value)) {
    if (argument->hasByValAttr())
      return std::nullopt;
    fact.parameter = argument->getArgNo();
    return fact;
  }
  auto *load = dyn_cast<LoadInst>(&value);
  if (!load || !load->isSimple())
    return std::nullopt;
  APInt offset(layout.getIndexTypeSizeInBits(load->getPointerOperandType()), 0);
  auto *aggregate = dyn_cast<Argument>(
      load->getPointerOperand()->stripAndAccumulateConstantOffsets(
          layout, offset, /*AllowNonInbounds=*/true));
  if (!aggregate || !aggregate->hasByValAttr() || offset.isNegative())
    return std::nullopt;
  uint64_t size = layout.getTypeAllocSize(aggregate->getParamByValType());
  std::optional<PartOffset> place = PartOffset::of(offset.getZExtValue());
  if (!place || *place + layout.getTypeStoreSize(type) > size)
    return std::nullopt;
  fact.parameter = aggregate->getArgNo();
  fact.isPart = true;
  fact.byteOffset = *place;
  return fact;
}

} // namespace gpulto
