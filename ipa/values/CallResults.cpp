//===- CallResults.cpp - What calls return and allocate -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/values/CallResults.h"

#include "ipa/bodies/Passes.h"
#include "ipa/values/ValueShapes.h"

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace gpulto {

using Kind = JumpFunction::Kind;

CallResults::CallResults(llvm::Function &function)
    : function(function), layout(function.getParent()->getDataLayout()) {}

uint32_t CallResults::numberOf(const llvm::CallBase &call) {
  if (numbers.empty()) {
    uint32_t number = 0;
    for (const llvm::BasicBlock &block : function)
      for (const llvm::Instruction &instruction : block)
        if (auto *edge = llvm::dyn_cast<llvm::CallBase>(&instruction);
            edge && isCallEdge(*edge))
          numbers[edge] = number++;
  }
  return numbers.lookup(&call);
}

JumpFunction CallResults::ofCall(const llvm::CallBase &call, uint64_t offset,
                                 unsigned bits) {
  JumpFunction j = JumpFunction::unknown(bits);
  const llvm::Function *callee = call.getCalledFunction();
  bool isLibrary = callee && callee->isDeclaration() &&
                   callee->hasFnAttribute(llvm::Attribute::NoFree);
  if (!callee || isLibrary || !isCallEdge(call))
    return j;
  j.kind = Kind::CallResult;
  j.source = numberOf(call);
  j.value = offset;
  return j;
}

JumpFunction CallResults::of(const llvm::Value &value) {
  unsigned bits = scalarBits(*value.getType());
  if (auto *call = llvm::dyn_cast<llvm::CallBase>(&value))
    return ofCall(*call, 0, bits);
  auto *element = llvm::dyn_cast<llvm::ExtractValueInst>(&value);
  auto *call =
      element && element->getNumIndices() == 1
          ? llvm::dyn_cast<llvm::CallBase>(element->getAggregateOperand())
          : nullptr;
  auto *type =
      call ? llvm::dyn_cast<llvm::StructType>(call->getType()) : nullptr;
  if (!type)
    return JumpFunction::unknown(bits);
  return ofCall(*call,
                layout.getStructLayout(type)
                    ->getElementOffset(*element->idx_begin())
                    .getFixedValue(),
                bits);
}

JumpFunction CallResults::ofAllocation(const llvm::CallBase &call) {
  JumpFunction j;
  j.kind = Kind::Allocation;
  j.source = numberOf(call);
  j.alignLog2 = kAllocationAlignLog2;
  return j;
}

} // namespace gpulto
