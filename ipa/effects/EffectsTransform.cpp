//===- EffectsTransform.cpp - Put effects on declarations, in LTRANS
//-------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A function that a partition calls but does not contain is a declaration, and
// LLVM knows only what clang wrote there. Whole-program analysis knows more:
//
//   memory touched         memory(...)
//   never throws           nounwind      (invokes become calls)
//   never, always returns  noreturn, willreturn
//   no frees, no atomics   nofree, nosync
//   pointer parameters     readnone, readonly, writeonly, nocapture
//   ignored parameters     calls pass poison: what computes it is dropped
//
// Bodies get the same attributes: LLVM's own inference starts from there.
//
//===----------------------------------------------------------------------===//

#include "ipa/effects/EffectsTransform.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/ModRef.h"

using namespace llvm;

namespace gpulto {

static ModRefInfo modRef(uint32_t may, uint32_t reads, uint32_t writes) {
  return (may & reads ? ModRefInfo::Ref : ModRefInfo::NoModRef) |
         (may & writes ? ModRefInfo::Mod : ModRefInfo::NoModRef);
}

/// Returns LLVM's memory effects for a function that does \p may. Other memory
/// may be that of an argument, which the function chose among several, or left
/// where a callee finds it. `errno` is ordinary memory, a target's own state is
/// hidden. Source: LLVM's FunctionAttrs.cpp.
static MemoryEffects memoryOf(uint32_t may) {
  using Location = IRMemLocation;
  ModRefInfo arguments = modRef(may, kReadsArguments | kReadsOther,
                                kWritesArguments | kWritesOther);
  ModRefInfo other =
      modRef(may, kReadsGlobals | kReadsOther, kWritesGlobals | kWritesOther);
  ModRefInfo hidden = modRef(may, kReadsInaccessible, kWritesInaccessible);
  return MemoryEffects(Location::ArgMem, arguments) |
         MemoryEffects(Location::InaccessibleMem, hidden) |
         MemoryEffects(Location::TargetMem0, hidden) |
         MemoryEffects(Location::TargetMem1, hidden) |
         MemoryEffects(Location::ErrnoMem, other) |
         MemoryEffects(Location::Other, other);
}

static void applyMemory(Function &function, uint32_t may) {
  MemoryEffects known = function.getMemoryEffects();
  MemoryEffects effects = known & memoryOf(may);
  if (effects == known)
    return;
  function.setMemoryEffects(effects);
  if (!isModSet(effects.getModRef(IRMemLocation::ArgMem)))
    for (Argument &argument : function.args())
      argument.removeAttr(Attribute::Writable);
}

/// LLVM's attribute for a parameter that is only read, only written or neither.
static Attribute::AttrKind accessAttribute(bool reads, bool writes) {
  return reads    ? Attribute::ReadOnly
         : writes ? Attribute::WriteOnly
                  : Attribute::ReadNone;
}

static void applyParameter(Argument &argument, uint32_t may) {
  if (!argument.getType()->isPointerTy() ||
      argument.hasPassPointeeByValueCopyAttr() || argument.hasSwiftErrorAttr())
    return;
  if (may & kParamMayEscape)
    return; // code that has it may use it in the function, too
  if (!(may & kParamMayCompare))
    argument.addAttr(Attribute::getWithCaptureInfo(argument.getContext(),
                                                   CaptureInfo::none()));
  bool reads =
      (may & kParamMayRead) && !argument.hasAttribute(Attribute::WriteOnly);
  bool writes =
      (may & kParamMayWrite) && !argument.hasAttribute(Attribute::ReadOnly);
  if ((reads && writes) || argument.hasAttribute(Attribute::ReadNone))
    return;
  argument.removeAttr(Attribute::ReadOnly);
  argument.removeAttr(Attribute::WriteOnly);
  if (!writes)
    argument.removeAttr(Attribute::Writable);
  argument.addAttr(accessAttribute(reads, writes));
}

/// Lets direct calls pass nothing in particular for \p argument, which the body
/// ignores: what computes it goes.
static void dropActuals(Argument &argument) {
  Function &function = *argument.getParent();
  unsigned index = argument.getArgNo();
  if (argument.hasPassPointeeByValueCopyAttr() ||
      argument.hasSwiftErrorAttr() || argument.hasReturnedAttr() ||
      argument.hasStructRetAttr() || argument.hasNestAttr())
    return;
  // Poison must not be promised to be anything.
  AttributeMask promises = AttributeFuncs::getUBImplyingAttributes();
  function.removeParamAttrs(index, promises);
  for (User *user : function.users()) {
    auto *call = dyn_cast<CallBase>(user);
    if (!call || call->getCalledFunction() != &function ||
        call->isMustTailCall() || call->getFunction()->hasOptNone())
      continue;
    call->removeParamAttrs(index, promises);
    call->setArgOperand(index, PoisonValue::get(argument.getType()));
  }
}

void applyEffects(Function &function, const FunctionEffects &effects) {
  if (function.arg_size() != effects.parameters.size() ||
      function.hasOptNone() || function.hasFnAttribute(Attribute::Naked))
    return;
  applyMemory(function, effects.may);
  if (!(effects.may & kUnwinds))
    function.setDoesNotThrow();
  if (!(effects.may & kSynchronizes))
    function.setNoSync();
  if (!(effects.may & kFrees))
    function.setDoesNotFreeMemory();
  if (effects.neverReturns) {
    // clang takes a call of a loop without end for one that comes back.
    function.removeFnAttr(Attribute::WillReturn);
    function.removeFnAttr(Attribute::MustProgress);
    function.setDoesNotReturn();
  }
  if (effects.alwaysReturns)
    function.setWillReturn();
  for (auto [argument, may] : zip(function.args(), effects.parameters)) {
    applyParameter(argument, may);
    if ((may & kParamUnused) && argument.use_empty())
      dropActuals(argument);
  }
}

void removeStores(GlobalVariable &variable) {
  SmallVector<Value *, 8> pointers{&variable};
  SmallSetVector<Instruction *, 8> writes;
  while (!pointers.empty()) {
    Value *pointer = pointers.pop_back_val();
    for (Use &use : pointer->uses()) {
      User *user = use.getUser();
      auto *store = dyn_cast<StoreInst>(user);
      auto *memory = dyn_cast<MemIntrinsic>(user);
      if (isa<GEPOperator>(user))
        pointers.push_back(user);
      if ((store && store->isSimple() &&
           use.getOperandNo() == StoreInst::getPointerOperandIndex()) ||
          (memory && !memory->isVolatile() && use.getOperandNo() == 0))
        writes.insert(cast<Instruction>(user));
    }
  }
  for (Instruction *write : writes)
    write->eraseFromParent();
}

void replaceByPrivateCopy(GlobalVariable &variable, uint64_t sizeBytes,
                          unsigned alignLog2) {
  Module &module = *variable.getParent();
  auto *type = ArrayType::get(Type::getInt8Ty(module.getContext()), sizeBytes);
  auto *copy = new GlobalVariable(
      module, type, /*isConstant=*/false, GlobalValue::InternalLinkage,
      Constant::getNullValue(type), "", &variable, GlobalValue::NotThreadLocal,
      variable.getAddressSpace());
  copy->setAlignment(Align(uint64_t(1) << alignLog2));
  copy->takeName(&variable);
  variable.replaceAllUsesWith(copy);
  variable.eraseFromParent();
}

} // namespace gpulto
