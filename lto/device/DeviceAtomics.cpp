//===- DeviceAtomics.cpp - CUDA's atomic operations -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
//   atomicrmw add ptr addrspace(1) %p, i32 1 acq_rel
//   atom.global.add.u32           clang 22's: relaxed, for one GPU
//   atom.acq_rel.sys.global.add.u32                          ours
//
// LLVM 22 drops the ordering and the scope of each atomicrmw that is one
// instruction (LLVM 23 no longer does), so that clang could make CUDA's atomic
// functions, which order nothing, sequentially consistent ones. Those are
// marked (kRelaxedAtomic), and all others are written here. It is right about
// cmpxchg, loads, stores, and what it makes a loop of cmpxchg.
//
// Source: PTX ISA 8.5, "atom" and "Memory Consistency Model".
//
//===----------------------------------------------------------------------===//

#include "lto/device/DeviceAtomics.h"

#include "lto/lgen/ModuleRepair.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/AtomicOrdering.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

namespace gpulto {

/// The first architecture whose atomic operations have an ordering.
static constexpr unsigned kSmOfOrderings = 70;

/// ".global" of the address space \p space; "" of those that `atom` finds out.
static StringRef spaceSuffix(unsigned space) {
  switch (space) {
  case NVPTXAS::ADDRESS_SPACE_GLOBAL:
    return ".global";
  case NVPTXAS::ADDRESS_SPACE_SHARED:
    return ".shared";
  default:
    return "";
  }
}

/// Puts the one instruction \p text in the place of \p atomic.
static CallInst *writeAtomic(Instruction &atomic, const std::string &text,
                             const std::string &constraints, Type *result,
                             ArrayRef<Value *> operands) {
  SmallVector<Type *, 3> types;
  for (Value *operand : operands)
    types.push_back(operand->getType());
  IRBuilder<> builder(&atomic);
  return builder.CreateCall(
      InlineAsm::get(FunctionType::get(result, types, /*isVarArg=*/false), text,
                     constraints + ",~{memory}", /*hasSideEffects=*/true),
      operands);
}

/// Replaces \p exchange of 16 bits, which LLVM makes a loop of exchanges of 32.
static void exchangeHalfWord(AtomicCmpXchgInst &exchange) {
  Value *compared = exchange.getCompareOperand();
  Value *old = writeAtomic(
      exchange,
      ("atom" + spaceSuffix(exchange.getPointerAddressSpace()) +
       ".cas.b16 $0, [$1], $2, $3;")
          .str(),
      "=h,l,h,h", compared->getType(),
      {exchange.getPointerOperand(), compared, exchange.getNewValOperand()});
  IRBuilder<> builder(&exchange);
  Value *result =
      builder.CreateInsertValue(PoisonValue::get(exchange.getType()), old, 0);
  exchange.replaceAllUsesWith(builder.CreateInsertValue(
      result, builder.CreateICmpEQ(old, compared), 1));
  exchange.eraseFromParent();
}

/// Makes what is marked what CUDA says it is.
static void relax(AtomicCmpXchgInst &exchange, unsigned smVersion) {
  exchange.setSuccessOrdering(AtomicOrdering::Monotonic);
  exchange.setFailureOrdering(AtomicOrdering::Monotonic);
  exchange.setSyncScopeID(
      exchange.getContext().getOrInsertSyncScopeID("device"));
  if (exchange.getNewValOperand()->getType()->isIntegerTy(16) &&
      smVersion >= kSmOfOrderings)
    exchangeHalfWord(exchange);
}

/// Returns "add.u32" of \p atomic if it is one instruction for LLVM 22
/// (NVPTXTargetLowering::shouldExpandAtomicRMWInIR), else "".
static std::string instructionName(const AtomicRMWInst &atomic) {
  Type *type = atomic.getType();
  unsigned bits = type->isPointerTy() ? 64 : type->getScalarSizeInBits();
  if (type->isVectorTy() || (bits != 32 && bits != 64) ||
      atomic.getPointerAddressSpace() == NVPTXAS::ADDRESS_SPACE_LOCAL)
    return "";
  auto typed = [&](const char *name) { return name + utostr(bits); };
  switch (atomic.getOperation()) {
  case AtomicRMWInst::Add:
  case AtomicRMWInst::Sub:
    return typed("add.u");
  case AtomicRMWInst::FAdd:
    return typed("add.f");
  case AtomicRMWInst::Xchg:
    return typed("exch.b");
  case AtomicRMWInst::And:
    return typed("and.b");
  case AtomicRMWInst::Or:
    return typed("or.b");
  case AtomicRMWInst::Xor:
    return typed("xor.b");
  case AtomicRMWInst::Max:
    return typed("max.s");
  case AtomicRMWInst::Min:
    return typed("min.s");
  case AtomicRMWInst::UMax:
    return typed("max.u");
  case AtomicRMWInst::UMin:
    return typed("min.u");
  case AtomicRMWInst::UIncWrap:
    return bits == 32 ? "inc.u32" : "";
  case AtomicRMWInst::UDecWrap:
    return bits == 32 ? "dec.u32" : "";
  default:
    return "";
  }
}

/// Returns ".gpu" of \p atomic.
static StringRef scopeSuffix(const AtomicRMWInst &atomic, unsigned smVersion) {
  constexpr unsigned kSmOfClusters = 90;
  SmallVector<StringRef> names;
  atomic.getContext().getSyncScopeNames(names);
  return StringSwitch<StringRef>(names[atomic.getSyncScopeID()])
      .Cases({"singlethread", "block"}, ".cta")
      .Case("cluster", smVersion >= kSmOfClusters ? ".cluster" : ".gpu")
      .Case("device", ".gpu")
      .Default(".sys");
}

static StringRef orderSuffix(AtomicOrdering ordering) {
  switch (ordering) {
  case AtomicOrdering::SequentiallyConsistent: // behind a fence
  case AtomicOrdering::Acquire:
    return ".acquire";
  case AtomicOrdering::Release:
    return ".release";
  case AtomicOrdering::AcquireRelease:
    return ".acq_rel";
  default:
    return ".relaxed";
  }
}

/// Writes \p atomic, which is the instruction \p name, with its ordering and
/// \p scope.
static void writeOrdered(AtomicRMWInst &atomic, const std::string &name,
                         StringRef scope) {
  IRBuilder<> builder(&atomic);
  std::string text;
  if (atomic.getOrdering() == AtomicOrdering::SequentiallyConsistent)
    text = ("fence.sc" + scope + "; ").str();
  text += ("atom" + orderSuffix(atomic.getOrdering()) + scope +
           spaceSuffix(atomic.getPointerAddressSpace()) + "." + name +
           " $0, [$1], $2;")
              .str();
  Type *type = atomic.getType();
  Value *value = atomic.getValOperand();
  if (atomic.getOperation() == AtomicRMWInst::Sub)
    value = builder.CreateNeg(value);
  if (type->isPointerTy())
    value = builder.CreatePtrToInt(value, builder.getInt64Ty());
  bool isWide = value->getType()->getScalarSizeInBits() == 64;
  const char *constraint = type->isFloatTy()    ? "f"
                           : type->isDoubleTy() ? "d"
                           : isWide             ? "l"
                                                : "r";
  Value *old = writeAtomic(
      atomic, text, "=" + std::string(constraint) + ",l," + constraint,
      value->getType(), {atomic.getPointerOperand(), value});
  atomic.replaceAllUsesWith(builder.CreateBitOrPointerCast(old, type));
  atomic.eraseFromParent();
}

/// Orders \p atomic by fences, for GPUs that have no other way.
static void orderByFences(AtomicRMWInst &atomic) {
  AtomicOrdering ordering = atomic.getOrdering();
  IRBuilder<> builder(&atomic);
  if (isReleaseOrStronger(ordering))
    builder.CreateFence(ordering, atomic.getSyncScopeID());
  builder.SetInsertPoint(atomic.getNextNode());
  if (isAcquireOrStronger(ordering))
    builder.CreateFence(AtomicOrdering::Acquire, atomic.getSyncScopeID());
  atomic.setOrdering(AtomicOrdering::Monotonic);
}

static void lowerReadModifyWrite(AtomicRMWInst &atomic, unsigned smVersion) {
  if (atomic.hasMetadata(kRelaxedAtomic)) {
    atomic.setOrdering(AtomicOrdering::Monotonic);
    atomic.setSyncScopeID(atomic.getContext().getOrInsertSyncScopeID("device"));
    return;
  }
  std::string name = instructionName(atomic);
  if (name.empty())
    return;
  bool isOrdered = isStrongerThanMonotonic(atomic.getOrdering());
  StringRef scope = scopeSuffix(atomic, smVersion);
  if (smVersion < kSmOfOrderings) {
    if (isOrdered)
      orderByFences(atomic);
  } else if (isOrdered || scope != ".gpu") { // LLVM's is relaxed, for the GPU
    writeOrdered(atomic, name, scope);
  }
}

static void lowerOperations(Module &module, unsigned smVersion) {
  for (Function &function : module)
    for (Instruction &instruction :
         make_early_inc_range(instructions(function))) {
      if (auto *atomic = dyn_cast<AtomicRMWInst>(&instruction))
        lowerReadModifyWrite(*atomic, smVersion);
      else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction);
               exchange && exchange->hasMetadata(kRelaxedAtomic))
        relax(*exchange, smVersion);
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
  lowerOperations(module, smVersion);
  dropSignalFences(module);
}

} // namespace gpulto
