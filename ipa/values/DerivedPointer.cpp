//===- DerivedPointer.cpp - What a pointer was computed from --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/values/DerivedPointer.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/KnownBits.h"

namespace gpulto {

const llvm::Value *stripOffsets(const llvm::Value &pointer,
                                const llvm::DataLayout &layout,
                                int64_t &offset) {
  const llvm::Value *base = &pointer;
  offset = 0;
  while (true) {
    llvm::APInt step(layout.getIndexTypeSizeInBits(base->getType()), 0);
    const llvm::Value *next = base->stripAndAccumulateConstantOffsets(
        layout, step, /*AllowNonInbounds=*/true);
    offset += step.getSExtValue();
    auto *cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(next);
    if (!cast)
      return next;
    base = cast->getPointerOperand();
  }
}

/// Greater powers of two say no more of an address.
static constexpr unsigned kMaxDistanceLog2 = 32;

/// Returns log2 of a number that \p number is a multiple of.
static unsigned zerosOf(const llvm::APInt &number) {
  return number.isZero() ? kMaxDistanceLog2
                         : std::min(number.countr_zero(), kMaxDistanceLog2);
}

/// Takes the distance that \p address adds into account. Returns whether it can
/// be told.
static bool addDistance(const llvm::GEPOperator &address,
                        const llvm::DataLayout &layout,
                        DerivedPointer &result) {
  llvm::SmallMapVector<llvm::Value *, llvm::APInt, 4> terms;
  unsigned width = layout.getIndexTypeSizeInBits(address.getType());
  llvm::APInt constant(width, 0);
  if (address.getType()->isVectorTy() ||
      !address.collectOffset(layout, width, terms, constant))
    return false;
  unsigned zeros = zerosOf(constant);
  for (const auto &[index, scale] : terms)
    zeros = std::min(
        zeros,
        zerosOf(scale) +
            llvm::computeKnownBits(index, layout).countMinTrailingZeros());
  result.distanceLog2 = std::min(result.distanceLog2, zeros);
  // No address but 0 of the generic address space is null.
  result.isInBounds &=
      address.isInBounds() && address.getPointerAddressSpace() == 0;
  return true;
}

std::optional<DerivedPointer> derivationOf(const llvm::Value &pointer,
                                           const llvm::DataLayout &layout) {
  constexpr unsigned kMaxSteps = 32;
  DerivedPointer result{nullptr, kMaxDistanceLog2,
                        pointer.getType()->getPointerAddressSpace() == 0};
  bool isOneOfMany = false;
  llvm::SmallPtrSet<const llvm::Value *, 8> seen;
  llvm::SmallVector<const llvm::Value *, 8> stack{&pointer};
  while (!stack.empty()) {
    const llvm::Value *next = stack.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (seen.size() > kMaxSteps)
      return std::nullopt;
    if (auto *address = llvm::dyn_cast<llvm::GEPOperator>(next)) {
      if (!addDistance(*address, layout, result))
        return std::nullopt;
      stack.push_back(address->getPointerOperand());
    } else if (auto *cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(next)) {
      stack.push_back(cast->getPointerOperand());
    } else if (auto *phi = llvm::dyn_cast<llvm::PHINode>(next)) {
      isOneOfMany = true;
      stack.append(phi->op_begin(), phi->op_end());
    } else if (auto *select = llvm::dyn_cast<llvm::SelectInst>(next)) {
      isOneOfMany = true;
      stack.push_back(select->getTrueValue());
      stack.push_back(select->getFalseValue());
    } else if (result.base) {
      return std::nullopt; // seen holds each value once: another one
    } else {
      result.base = next;
    }
  }
  // What an instruction yields may differ from one round of a loop to the next.
  if (!result.base || (isOneOfMany && !llvm::isa<llvm::Argument>(result.base) &&
                       !llvm::isa<llvm::GlobalValue>(result.base)))
    return std::nullopt;
  return result;
}

} // namespace gpulto
