//===- ValueShapes.cpp - What values look like ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/values/ValueShapes.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

namespace gpulto {

unsigned scalarBits(const llvm::Type &type) {
  if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(&type)) {
    unsigned element = scalarBits(*vector->getElementType());
    uint64_t bits = uint64_t(element) * vector->getNumElements();
    return element % 8 == 0 && bits <= 64 ? static_cast<unsigned>(bits) : 0;
  }
  if (type.isIntegerTy())
    return type.getIntegerBitWidth() <= 64 ? type.getIntegerBitWidth() : 0;
  if (type.isHalfTy() || type.isBFloatTy() || type.isFloatTy() ||
      type.isDoubleTy())
    return type.getScalarSizeInBits();
  return 0;
}

bool isZeroFill(const llvm::Instruction &instruction) {
  auto *fill = llvm::dyn_cast<llvm::MemSetInst>(&instruction);
  auto *value =
      fill ? llvm::dyn_cast<llvm::ConstantInt>(fill->getValue()) : nullptr;
  return value && value->isZero() && !fill->isVolatile();
}

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

} // namespace gpulto
