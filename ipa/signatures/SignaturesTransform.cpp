//===- SignaturesTransform.cpp - Change signatures, in LTRANS -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
//   define hidden i32 @f(i32 %n, ptr %unused)  ->  define hidden void @f(i32)
//   call i32 @f(i32 3, ptr %p)                 ->  call void @f(i32 3)
//
// 1. checkUses: nothing has changed since WPA decided.
// 2. replaceFunction: a function of the new type gets name, attributes, body.
//    Attributes about argument memory become attributes about all memory if a
//    pointer goes, and the reverse if a loaded one comes (withMemory).
// 3. replaceCall, for each call, which loads what the body loaded.
// 4. markChanged: at the end the function gets another name, so that code with
//    the old signature does not link.
//
// Source: LLVM's DeadArgumentElimination.cpp and ArgumentPromotion.cpp, which
// do the same for internal functions; here all partitions do it to one function
// alike.
//
//===----------------------------------------------------------------------===//

#include "ipa/signatures/SignaturesTransform.h"

#include "ipa/signatures/LoadedParts.h"
#include "support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gpulto {

namespace {
/// What stands at one place of the new signature: an old parameter, or a part
/// of what it points to.
struct Place {
  unsigned parameter = 0;
  const LoadedPart *part = nullptr;
};

/// The new signature of a function, in terms of the old one.
struct NewSignature {
  SmallVector<Place, 8> places;
  bool dropsPointer = false;
  bool loadsPointer = false;
  bool dropsResult = false;

  NewSignature(const Function &function, const SignatureChange &change)
      : dropsResult(change.dropsResult) {
    loadsPointer = any_of(change.loaded, [](const LoadedPart &part) {
      return part.kind == ScalarKind::Pointer;
    });
    ArrayRef<LoadedPart> rest = change.loaded;
    for (unsigned i = 0; i < function.arg_size(); ++i) {
      bool isLoaded = !rest.empty() && rest.front().parameter == i;
      for (; !rest.empty() && rest.front().parameter == i;
           rest = rest.drop_front())
        places.push_back({i, &rest.front()});
      if (isLoaded)
        continue;
      if (!is_contained(change.dropped, i))
        places.push_back({i});
      else
        dropsPointer |= function.getArg(i)->getType()->isPointerTy();
    }
  }

  FunctionType *typeOf(const Function &function) const;
  AttributeList attributesOf(const AttributeList &old,
                             LLVMContext &context) const;
  AttributeSet withMemory(AttributeSet attributes, LLVMContext &context) const;
};
} // namespace

static Type *typeOf(const LoadedPart &part, LLVMContext &context) {
  return scalarType(part.kind, part.bitWidth, context);
}

/// Returns \p attributes of a function, or a call: memory whose pointer went is
/// no argument's any more, the body names it; memory whose pointer was loaded
/// is an argument's now.
AttributeSet NewSignature::withMemory(AttributeSet attributes,
                                      LLVMContext &context) const {
  if (!attributes.hasAttribute(Attribute::Memory))
    return attributes;
  MemoryEffects effects = attributes.getMemoryEffects();
  ModRefInfo both = effects.getModRef(IRMemLocation::ArgMem) |
                    effects.getModRef(IRMemLocation::Other);
  if (dropsPointer)
    effects = effects.getWithModRef(IRMemLocation::Other, both);
  if (loadsPointer)
    effects = effects.getWithModRef(IRMemLocation::ArgMem, both);
  AttrBuilder builder(context, attributes);
  builder.addMemoryAttr(effects);
  return AttributeSet::get(context, builder);
}

FunctionType *NewSignature::typeOf(const Function &function) const {
  SmallVector<Type *, 8> types;
  for (const Place &place : places)
    types.push_back(
        place.part ? gpulto::typeOf(*place.part, function.getContext())
                   : function.getFunctionType()->getParamType(place.parameter));
  Type *result = dropsResult ? Type::getVoidTy(function.getContext())
                             : function.getReturnType();
  return FunctionType::get(result, types, /*isVarArg=*/false);
}

AttributeList NewSignature::attributesOf(const AttributeList &old,
                                         LLVMContext &context) const {
  SmallVector<AttributeSet, 8> parameters;
  for (const Place &place : places) {
    AttributeSet set;
    if (!place.part)
      set = old.getParamAttrs(place.parameter);
    parameters.push_back(
        dropsResult ? set.removeAttribute(context, Attribute::Returned) : set);
  }
  return AttributeList::get(context, withMemory(old.getFnAttrs(), context),
                            dropsResult ? AttributeSet() : old.getRetAttrs(),
                            parameters);
}

/// Returns the part of \p parts that \p load loads, or null.
static const LoadedPart *partLoaded(const ArgumentLoad &load,
                                    unsigned parameter,
                                    ArrayRef<LoadedPart> parts) {
  auto found = find_if(parts, [&](const LoadedPart &part) {
    return part.parameter == parameter && part.byteOffset == load.byteOffset &&
           typeOf(part, load.load->getContext()) == load.load->getType();
  });
  return found == parts.end() ? nullptr : found;
}

/// Whether \p argument is used for nothing but loads of \p parts.
static bool isOnlyLoaded(const Argument &argument, ArrayRef<LoadedPart> parts) {
  std::optional<ArgumentLoads> loads =
      argumentLoads(argument, argument.getParent()->getDataLayout());
  return loads && all_of(*loads, [&](const ArgumentLoad &load) {
           return partLoaded(load, argument.getArgNo(), parts);
         });
}

static Error checkUses(const Function &function,
                       const SignatureChange &change) {
  auto fail = [&](const Twine &what) {
    return makeError("the signature of '" + function.getName() +
                     "' cannot change: " + what);
  };
  if (function.isVarArg() || function.isIntrinsic())
    return fail("it is no plain function");
  for (uint32_t i : change.dropped) {
    if (i >= function.arg_size())
      return fail("there is no parameter " + Twine(i));
    if (!function.isDeclaration() && !function.getArg(i)->use_empty())
      return fail("parameter " + Twine(i) + " is used");
  }
  for (const LoadedPart &part : change.loaded) {
    uint32_t i = part.parameter;
    if (i >= function.arg_size() || !typeOf(part, function.getContext()) ||
        !function.getArg(i)->getType()->isPointerTy() ||
        part.alignLog2 > Value::MaxAlignmentExponent)
      return fail("there is nothing to load behind parameter " + Twine(i));
    if (!function.isDeclaration() &&
        !isOnlyLoaded(*function.getArg(i), change.loaded))
      return fail("parameter " + Twine(i) + " is used otherwise");
  }
  for (const Use &use : function.uses()) {
    auto *call = dyn_cast<CallBase>(use.getUser());
    if (!call || !call->isCallee(&use) ||
        call->getFunctionType() != function.getFunctionType() ||
        call->hasOperandBundles() || call->isMustTailCall())
      return fail("it is used otherwise than by plain calls");
    if (change.dropsResult && !call->use_empty())
      return fail("its result is used");
  }
  return Error::success();
}

/// Lets the loads of \p part, behind \p old, be \p argument.
static void replaceLoads(Argument &old, const LoadedPart &part,
                         Argument &argument) {
  auto loads = argumentLoads(old, argument.getParent()->getDataLayout());
  for (const ArgumentLoad &load : *loads)
    if (partLoaded(load, old.getArgNo(), part)) {
      load.load->replaceAllUsesWith(&argument);
      load.load->eraseFromParent();
    }
}

/// Removes the address computations that start at \p pointer.
static void removeSteps(Value &pointer) {
  for (User *user : make_early_inc_range(pointer.users())) {
    auto *step = cast<GetElementPtrInst>(user);
    removeSteps(*step);
    step->eraseFromParent();
  }
}

/// Moves all of \p function, except its calls, to a new function.
static Function &replaceFunction(Function &function,
                                 const NewSignature &signature) {
  Function &changed =
      *Function::Create(signature.typeOf(function), function.getLinkage(),
                        function.getAddressSpace());
  changed.copyAttributesFrom(&function);
  changed.setComdat(function.getComdat());
  changed.setAttributes(
      signature.attributesOf(function.getAttributes(), function.getContext()));
  function.getParent()->getFunctionList().insert(function.getIterator(),
                                                 &changed);
  changed.takeName(&function);
  changed.splice(changed.begin(), &function);
  for (auto [i, place] : enumerate(signature.places)) {
    Argument &old = *function.getArg(place.parameter);
    Argument &argument = *changed.getArg(i);
    if (place.part) {
      argument.setName(old.getName() + "." + Twine(place.part->byteOffset));
      replaceLoads(old, *place.part, argument);
      continue;
    }
    old.replaceAllUsesWith(&argument);
    argument.takeName(&old);
  }
  // Only debug information, and addresses for loads that are gone, are left.
  for (Argument &old : function.args()) {
    removeSteps(old);
    old.replaceAllUsesWith(PoisonValue::get(old.getType()));
  }
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

/// Loads \p part behind \p pointer before \p call.
static Value *loadPart(Value &pointer, const LoadedPart &part, CallBase &call) {
  IRBuilder<> builder(&call);
  Value *address = part.byteOffset
                       ? builder.CreateInBoundsPtrAdd(
                             &pointer, builder.getInt64(part.byteOffset))
                       : &pointer;
  return builder.CreateAlignedLoad(typeOf(part, call.getContext()), address,
                                   Align(uint64_t(1) << part.alignLog2));
}

static void replaceCall(CallBase &call, Function &callee,
                        const NewSignature &signature) {
  SmallVector<Value *, 8> arguments;
  for (const Place &place : signature.places) {
    Value *argument = call.getArgOperand(place.parameter);
    arguments.push_back(place.part ? loadPart(*argument, *place.part, call)
                                   : argument);
  }
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

Error changeSignature(Function &function, const SignatureChange &change) {
  function.removeDeadConstantUsers();
  if (Error error = checkUses(function, change))
    return error;
  NewSignature signature(function, change);
  signature.dropsResult &= !function.getReturnType()->isVoidTy();
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
    function.setName(function.getName() + ".gpulto.isra");
}

} // namespace gpulto
