//===- HandlesAnalyze.cpp - Where kernels' handles go (LGEN) --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: handles that reach launches through host code, and nothing else.
//
//   static const Kernel table[] = {relu, sigmoid};      a table of handles
//   run(table[i], n);                                   load of it, passed on
//   run(kernel, n) { kernel<<<grid, block>>>(p, n); }   parameter, launched
//
// A handle is followed while it is launched, compared, or passed to a direct
// call as it is. Between select and phi it may only be launched: a jump
// function has one value. All else is an escape.
//
//===----------------------------------------------------------------------===//

#include "ipa/Analyze.h"
#include "ipa/HandleUses.h"
#include "ipa/Handles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace gpulto {

uint8_t attributeUse(const llvm::Use &use) {
  auto *call = llvm::dyn_cast<llvm::CallBase>(use.getUser());
  const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
  if (!callee || !callee->isDeclaration() || !call->isArgOperand(&use))
    return 0;
  return attributeUse(callee->getName(), call->getArgOperandNo(&use));
}

//===----------------------------------------------------------------------===//
// What a handle may be
//===----------------------------------------------------------------------===//

static bool mentionsFunction(const llvm::Constant &constant) {
  if (llvm::isa<llvm::Function>(constant.stripPointerCasts()))
    return true;
  return llvm::isa<llvm::ConstantAggregate>(constant) &&
         llvm::any_of(constant.operands(), [](const llvm::Use &operand) {
           return mentionsFunction(*llvm::cast<llvm::Constant>(operand));
         });
}

const llvm::GlobalVariable *handleTableOf(const llvm::Value &value) {
  auto *load = llvm::dyn_cast<llvm::LoadInst>(&value);
  if (!load || !load->isSimple() || !load->getType()->isPointerTy())
    return nullptr;
  auto *table = llvm::dyn_cast<llvm::GlobalVariable>(
      llvm::getUnderlyingObject(load->getPointerOperand()));
  return table && table->isConstant() && table->hasDefinitiveInitializer() &&
                 mentionsFunction(*table->getInitializer())
             ? table
             : nullptr;
}

static bool collectHandles(JumpFunctionBuilder &builder,
                           const llvm::Value &value,
                           llvm::SmallVectorImpl<JumpFunction> &handles,
                           llvm::SmallPtrSetImpl<const llvm::Value *> &seen) {
  using Kind = JumpFunction::Kind;
  constexpr unsigned kMaxValues = 64;
  if (!seen.insert(&value).second)
    return true;
  if (seen.size() > kMaxValues)
    return false;
  auto collect = [&](const llvm::Value *operand) {
    return collectHandles(builder, *operand, handles, seen);
  };
  if (auto *phi = llvm::dyn_cast<llvm::PHINode>(&value))
    return llvm::all_of(phi->incoming_values(), [&](const llvm::Use &incoming) {
      return collect(incoming.get());
    });
  if (auto *select = llvm::dyn_cast<llvm::SelectInst>(&value))
    return collect(select->getTrueValue()) && collect(select->getFalseValue());
  if (llvm::isa<llvm::ConstantPointerNull, llvm::UndefValue>(value))
    return true; // launches nothing
  JumpFunction handle = builder.of(value);
  bool isWhole = handle.kind == Kind::LoadVariable ||
                 (handle.kind == Kind::SymbolAddress && handle.value == 0) ||
                 (handle.kind == Kind::PassThrough &&
                  handle.operation == JumpOperation::None);
  if (isWhole && !llvm::is_contained(handles, handle))
    handles.push_back(handle);
  return isWhole;
}

bool collectHandles(JumpFunctionBuilder &builder, const llvm::Value &value,
                    llvm::SmallVectorImpl<JumpFunction> &handles) {
  llvm::SmallPtrSet<const llvm::Value *, 8> seen;
  return collectHandles(builder, *value.stripPointerCasts(), handles, seen) &&
         !handles.empty();
}

//===----------------------------------------------------------------------===//
// Where handles go
//===----------------------------------------------------------------------===//

/// Whether \p use is an argument of a direct call whose jump function is that
/// of the value itself.
static bool isPassedOn(const llvm::Use &use) {
  auto *call = llvm::dyn_cast<llvm::CallBase>(use.getUser());
  const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
  if (!callee || !isCallEdge(*call) || !call->isArgOperand(&use) ||
      callee->getFunctionType() != call->getFunctionType())
    return false;
  unsigned index = call->getArgOperandNo(&use);
  return index < callee->arg_size() && !call->isByValArgument(index);
}

/// Whether \p user compares a handle with null. Another comparison tells one
/// kernel from the next: the handle is more than that of a body.
static bool isTest(const llvm::User &user) {
  auto *compare = llvm::dyn_cast<llvm::ICmpInst>(&user);
  return compare &&
         llvm::any_of(compare->operands(), [](const llvm::Use &operand) {
           return llvm::isa<llvm::ConstantPointerNull>(operand.get());
         });
}

/// Whether nothing is done with \p value but launching it and comparing it with
/// null.
static bool isLaunchedOnly(const LgenContext &context, const llvm::Value &value,
                           llvm::SmallPtrSetImpl<const llvm::Value *> &seen) {
  if (!seen.insert(&value).second)
    return true;
  return llvm::all_of(value.uses(), [&](const llvm::Use &use) {
    const llvm::User *user = use.getUser();
    if (llvm::isa<llvm::PHINode, llvm::SelectInst>(user))
      return isLaunchedOnly(context, *user, seen);
    return context.launchedUses.contains(&use) || isTest(*user);
  });
}

bool isFollowedUse(const LgenContext &context, const llvm::Use &use) {
  const llvm::User *user = use.getUser();
  if (llvm::isa<llvm::PHINode, llvm::SelectInst>(user)) {
    llvm::SmallPtrSet<const llvm::Value *, 8> seen;
    return isLaunchedOnly(context, *user, seen);
  }
  return context.launchedUses.contains(&use) || isTest(*user) ||
         isPassedOn(use);
}

bool isFollowed(const LgenContext &context, const llvm::Value &value) {
  return llvm::all_of(value.uses(), [&](const llvm::Use &use) {
    return isFollowedUse(context, use);
  });
}

void markHandleParameters(LgenContext &context, llvm::Function &function,
                          const FunctionSummary &result) {
  for (const llvm::Argument &argument : function.args()) {
    if (!argument.getType()->isPointerTy() || argument.use_empty() ||
        argument.hasPassPointeeByValueCopyAttr() ||
        !isFollowed(context, argument))
      continue;
    uint32_t flags = kParamIsHandle;
    for (const llvm::Use &use : argument.uses()) {
      uint8_t attribute = attributeUse(use);
      if (attribute & kQueriesHandle)
        flags |= kParamHandleQueried;
      if (attribute & kSetsHandle)
        flags |= kParamHandleSet;
    }
    context.summary.parameters[result.parameters.first + argument.getArgNo()]
        .flags |= flags;
  }
}

} // namespace gpulto
