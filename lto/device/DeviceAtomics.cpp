//===- DeviceAtomics.cpp - CUDA's atomic operations -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/device/DeviceAtomics.h"

#include "lto/lgen/ModuleRepair.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

namespace gpulto {

/// Replaces \p exchange of 16 bits, which LLVM makes a loop of exchanges of 32.
static void exchangeHalfWord(AtomicCmpXchgInst &exchange) {
  StringRef space;
  switch (exchange.getPointerAddressSpace()) {
  case NVPTXAS::ADDRESS_SPACE_GLOBAL:
    space = ".global";
    break;
  case NVPTXAS::ADDRESS_SPACE_SHARED:
    space = ".shared";
    break;
  default:
    break;
  }
  IRBuilder<> builder(&exchange);
  Value *operands[] = {exchange.getPointerOperand(),
                       exchange.getCompareOperand(),
                       exchange.getNewValOperand()};
  Type *half = builder.getInt16Ty();
  auto *type = FunctionType::get(half, {operands[0]->getType(), half, half},
                                 /*isVarArg=*/false);
  Value *old = builder.CreateCall(
      InlineAsm::get(type,
                     ("atom" + space + ".cas.b16 $0, [$1], $2, $3;").str(),
                     "=h,l,h,h,~{memory}", /*hasSideEffects=*/true),
      operands);
  Value *result =
      builder.CreateInsertValue(PoisonValue::get(exchange.getType()), old, 0);
  exchange.replaceAllUsesWith(builder.CreateInsertValue(
      result, builder.CreateICmpEQ(old, operands[1]), 1));
  exchange.eraseFromParent();
}

/// Makes what markRelaxedExchanges marked what CUDA says it is.
static void relaxExchanges(Module &module, unsigned smVersion) {
  constexpr unsigned kSmOfHalfWords = 70;
  LLVMContext &context = module.getContext();
  for (Function &function : module)
    for (Instruction &instruction :
         make_early_inc_range(instructions(function))) {
      auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction);
      if (!exchange || !exchange->hasMetadata(kRelaxedExchange))
        continue;
      exchange->setSuccessOrdering(AtomicOrdering::Monotonic);
      exchange->setFailureOrdering(AtomicOrdering::Monotonic);
      exchange->setSyncScopeID(context.getOrInsertSyncScopeID("device"));
      if (exchange->getNewValOperand()->getType()->isIntegerTy(16) &&
          smVersion >= kSmOfHalfWords)
        exchangeHalfWord(*exchange);
    }
}

/// Drops fences between a thread and itself (`atomic_signal_fence`), which have
/// done their work, and for which NVPTX has no instruction.
static void dropSignalFences(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction :
         make_early_inc_range(instructions(function)))
      if (auto *fence = dyn_cast<FenceInst>(&instruction);
          fence && fence->getSyncScopeID() == SyncScope::SingleThread)
        fence->eraseFromParent();
}

void lowerAtomics(Module &module, unsigned smVersion) {
  relaxExchanges(module, smVersion);
  dropSignalFences(module);
}

} // namespace gpulto
