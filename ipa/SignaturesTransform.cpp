//===- SignaturesTransform.cpp - Change signatures, in LTRANS -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
//   define hidden i32 @f(i32 %n, ptr %unused)     ->  define hidden void
//   @f(i32) call i32 @f(i32 3, ptr %p)                    ->  call void @f(i32
//   3)
//
// 1. checkUses: nothing has changed since WPA decided.
// 2. replaceFunction: a function of the new type gets name, attributes, body.
//    What is said of memory behind arguments holds of all memory if a pointer
//    goes: the body may name what it pointed to.
// 3. replaceCall, for each call.
// 4. markChanged: at the end the function gets another name, so that code which
//    knows it by the old signature does not link.
//
// Source: LLVM's DeadArgumentElimination.cpp, which does the same for internal
// functions; here all partitions do it to one function alike.
//
//===----------------------------------------------------------------------===//

#include "ipa/SignaturesTransform.h"

#include "support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gpulto {

namespace {
/// The new signature of a function, in terms of the old one.
struct NewSignature {
  SmallVector<unsigned, 8> kept;
  bool dropsPointer = false;
  bool dropsResult = false;

  NewSignature(const Function &function, ArrayRef<uint32_t> dropped,
               bool dropsResult)
      : dropsResult(dropsResult) {
    for (unsigned i = 0; i < function.arg_size(); ++i)
      if (!is_contained(dropped, i))
        kept.push_back(i);
      else
        dropsPointer |= function.getArg(i)->getType()->isPointerTy();
  }

  FunctionType *typeOf(const Function &function) const;
  AttributeList attributesOf(const AttributeList &old,
                             LLVMContext &context) const;
};
} // namespace

/// Returns \p attributes of a function, or a call, whose body now names the
/// memory that it got a pointer to: that is no argument's any more.
static AttributeSet withoutArgumentMemory(AttributeSet attributes,
                                          LLVMContext &context) {
  if (!attributes.hasAttribute(Attribute::Memory))
    return attributes;
  MemoryEffects effects = attributes.getMemoryEffects();
  effects = effects.getWithModRef(IRMemLocation::Other,
                                  effects.getModRef(IRMemLocation::ArgMem) |
                                      effects.getModRef(IRMemLocation::Other));
  AttrBuilder builder(context, attributes);
  builder.addMemoryAttr(effects);
  return AttributeSet::get(context, builder);
}

FunctionType *NewSignature::typeOf(const Function &function) const {
  SmallVector<Type *, 8> types;
  for (unsigned i : kept)
    types.push_back(function.getFunctionType()->getParamType(i));
  Type *result = dropsResult ? Type::getVoidTy(function.getContext())
                             : function.getReturnType();
  return FunctionType::get(result, types, /*isVarArg=*/false);
}

AttributeList NewSignature::attributesOf(const AttributeList &old,
                                         LLVMContext &context) const {
  SmallVector<AttributeSet, 8> parameters;
  for (unsigned i : kept) {
    AttributeSet set = old.getParamAttrs(i);
    parameters.push_back(
        dropsResult ? set.removeAttribute(context, Attribute::Returned) : set);
  }
  AttributeSet ofFunction = old.getFnAttrs();
  if (dropsPointer)
    ofFunction = withoutArgumentMemory(ofFunction, context);
  return AttributeList::get(context, ofFunction,
                            dropsResult ? AttributeSet() : old.getRetAttrs(),
                            parameters);
}

static Error checkUses(const Function &function, ArrayRef<uint32_t> dropped,
                       bool dropsResult) {
  auto fail = [&](const Twine &what) {
    return makeError("the signature of '" + function.getName() +
                     "' cannot change: " + what);
  };
  if (function.isVarArg() || function.isIntrinsic())
    return fail("it is no plain function");
  for (uint32_t i : dropped) {
    if (i >= function.arg_size())
      return fail("there is no parameter " + Twine(i));
    if (!function.isDeclaration() && !function.getArg(i)->use_empty())
      return fail("parameter " + Twine(i) + " is used");
  }
  for (const Use &use : function.uses()) {
    auto *call = dyn_cast<CallBase>(use.getUser());
    if (!call || !call->isCallee(&use) ||
        call->getFunctionType() != function.getFunctionType() ||
        call->hasOperandBundles() || call->isMustTailCall())
      return fail("it is used otherwise than by plain calls");
    if (dropsResult && !call->use_empty())
      return fail("its result is used");
  }
  return Error::success();
}

/// Moves all that \p function is, but for its calls, to a new function.
static Function &replaceFunction(Function &function,
                                 const NewSignature &signature) {
  Function &changed =
      *Function::Create(signature.typeOf(function), function.getLinkage(),
                        function.getAddressSpace());
  changed.copyAttributesFrom(&function);
  changed.IsNewDbgInfoFormat = function.IsNewDbgInfoFormat;
  changed.setComdat(function.getComdat());
  changed.setAttributes(
      signature.attributesOf(function.getAttributes(), function.getContext()));
  function.getParent()->getFunctionList().insert(function.getIterator(),
                                                 &changed);
  changed.takeName(&function);
  changed.splice(changed.begin(), &function);
  for (auto [i, argument] : enumerate(changed.args())) {
    Argument &old = *function.getArg(signature.kept[i]);
    old.replaceAllUsesWith(&argument);
    argument.takeName(&old);
  }
  for (Argument &old : function.args()) // debug information of dropped ones
    if (!is_contained(signature.kept, old.getArgNo()))
      old.replaceAllUsesWith(PoisonValue::get(old.getType()));
  if (signature.dropsResult)
    for (BasicBlock &block : changed)
      if (auto *end = dyn_cast<ReturnInst>(block.getTerminator())) {
        ReturnInst *plain = ReturnInst::Create(
            function.getContext(), /*retVal=*/nullptr, end->getIterator());
        plain->setDebugLoc(end->getDebugLoc());
        end->eraseFromParent();
      }
  SmallVector<std::pair<unsigned, MDNode *>, 2> metadata;
  function.getAllMetadata(metadata);
  for (auto [kind, node] : metadata)
    changed.addMetadata(kind, *node);
  return changed;
}

static void replaceCall(CallBase &call, Function &callee,
                        const NewSignature &signature) {
  SmallVector<Value *, 8> arguments;
  for (unsigned i : signature.kept)
    arguments.push_back(call.getArgOperand(i));
  CallBase *changed = nullptr;
  if (auto *invoke = dyn_cast<InvokeInst>(&call)) {
    changed = InvokeInst::Create(&callee, invoke->getNormalDest(),
                                 invoke->getUnwindDest(), arguments, "",
                                 call.getIterator());
  } else {
    auto *plain = CallInst::Create(&callee, arguments, "", call.getIterator());
    plain->setTailCallKind(cast<CallInst>(call).getTailCallKind());
    changed = plain;
  }
  changed->setCallingConv(call.getCallingConv());
  changed->setAttributes(
      signature.attributesOf(call.getAttributes(), call.getContext()));
  changed->copyMetadata(call);
  if (signature.dropsResult) {
    for (unsigned ofResult :
         {LLVMContext::MD_range, LLVMContext::MD_nonnull,
          LLVMContext::MD_noundef, LLVMContext::MD_dereferenceable,
          LLVMContext::MD_dereferenceable_or_null, LLVMContext::MD_align})
      changed->setMetadata(ofResult, nullptr);
  } else {
    changed->copyIRFlags(&call);
    call.replaceAllUsesWith(changed);
    changed->takeName(&call);
  }
  call.eraseFromParent();
}

Error changeSignature(Function &function, ArrayRef<uint32_t> dropped,
                      bool dropsResult) {
  dropsResult &= !function.getReturnType()->isVoidTy();
  function.removeDeadConstantUsers();
  if (Error error = checkUses(function, dropped, dropsResult))
    return error;
  NewSignature signature(function, dropped, dropsResult);
  SmallVector<CallBase *, 8> calls;
  for (User *user : function.users())
    calls.push_back(cast<CallBase>(user));
  Function &changed = replaceFunction(function, signature);
  for (CallBase *call : calls)
    replaceCall(*call, changed, signature);
  function.replaceAllUsesWith(&changed); // metadata
  function.clearMetadata();
  function.eraseFromParent();
  return Error::success();
}

void markChanged(Function &function) {
  if (!function.hasLocalLinkage())
    function.setName(function.getName() + ".isra");
}

} // namespace gpulto
