//===- FoldJumpTransform.cpp - Enter another body instead (LTRANS) --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "icf/FoldAttributes.h"
#include "icf/FoldTransform.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace gpulto {

/// Returns what is no promise of \p list, for a call with or a declaration of
/// \p parameters parameters.
static AttributeList withoutPromises(LLVMContext &context, AttributeList list,
                                     unsigned parameters) {
  auto drop = [&](unsigned index) {
    AttributeSet set = list.getAttributes(index);
    for (Attribute attribute : set)
      if (isPromise(attribute))
        list = list.removeAttributeAtIndex(context, index,
                                           attribute.getKindAsEnum());
  };
  drop(AttributeList::FunctionIndex);
  drop(AttributeList::ReturnIndex);
  for (unsigned i = 0; i < parameters; ++i)
    drop(AttributeList::FirstArgIndex + i);
  return list;
}

/// Returns whether metadata of kind \p kind only tells where code comes from
/// and how often it runs.
static bool isDescription(unsigned kind) {
  return kind == LLVMContext::MD_dbg || kind == LLVMContext::MD_prof ||
         kind == LLVMContext::MD_DIAssignID;
}

static MDNode *numberNode(LLVMContext &context, unsigned number) {
  return MDNode::get(context, ConstantAsMetadata::get(ConstantInt::get(
                                  Type::getInt32Ty(context), number)));
}

static void dropPromises(Instruction &instruction) {
  auto *math = dyn_cast<FPMathOperator>(&instruction);
  // These are no promises here: bodies that differ in them are not folded.
  FastMathFlags flags = math ? math->getFastMathFlags() : FastMathFlags();
  instruction.dropPoisonGeneratingFlags();
  if (math)
    instruction.copyFastMathFlags(flags);
  SmallVector<std::pair<unsigned, MDNode *>, 4> attached;
  instruction.getAllMetadataOtherThanDebugLoc(attached);
  for (auto [kind, node] : attached)
    if (isPromise(kind) && !isDescription(kind))
      instruction.setMetadata(kind, nullptr);
  auto *call = dyn_cast<CallBase>(&instruction);
  if (!call)
    return;
  call->setAttributes(withoutPromises(call->getContext(), call->getAttributes(),
                                      call->arg_size()));
  // Members may call others.
  if (call->getMetadata(kCalleeMark))
    call->setMetadata(kCalleeMark,
                      numberNode(call->getContext(), kUnknownCallee));
}

void dropPromises(Function &function) {
  function.setAttributes(withoutPromises(
      function.getContext(), function.getAttributes(), function.arg_size()));
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    if (!isMarker(instruction))
      dropPromises(instruction);
    else if (!isa<DbgInfoIntrinsic>(instruction))
      instruction.eraseFromParent();
}

void markCallsOf(Function &function, unsigned number) {
  LLVMContext &context = function.getContext();
  unsigned kind = context.getMDKindID(kCalleeMark);
  for (Use &use : function.uses()) {
    auto *call = dyn_cast<CallBase>(use.getUser());
    if (call && call->isCallee(&use) && !call->getMetadata(kind))
      call->setMetadata(kind, numberNode(context, number));
  }
}

void makeJump(Function &function, Function &target) {
  GlobalValue::LinkageTypes linkage = function.getLinkage();
  function.deleteBody();
  function.setLinkage(linkage);
  LLVMContext &context = function.getContext();
  IRBuilder<> builder(BasicBlock::Create(context, "", &function));
  SmallVector<Value *, 8> arguments(
      map_range(function.args(), [](Argument &a) -> Value * { return &a; }));
  CallInst *call =
      builder.CreateCall(function.getFunctionType(), &target, arguments);
  AttributeList list =
      withoutPromises(context, function.getAttributes(), function.arg_size());
  call->setAttributes(list.removeFnAttributes(context));
  call->setCallingConv(function.getCallingConv());
  call->setTailCall();
  // The body is not to come back by inlining.
  call->setIsNoInline();
  if (function.hasFnAttribute(Attribute::StrictFP))
    call->addFnAttr(Attribute::StrictFP);
  if (function.getReturnType()->isVoidTy())
    builder.CreateRetVoid();
  else
    builder.CreateRet(call);
}

} // namespace gpulto
