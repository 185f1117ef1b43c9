//===- SignaturesAnalyze.cpp - What keeps signatures (LGEN) ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: let whole-program analysis change parameters and result of a host
// function only if each definition, declaration and call of it can follow.
//
// - The type of each function, and its calling convention, as a hash: modules
//   may declare one function differently, in C.
// - kSignatureFixed: coroutines, bodies with prefix data, allocation functions
//   whose attributes name parameters, bodies with a musttail call, which must
//   agree with that; callees of such calls, of calls through another type or
//   calling convention, and of calls with operand bundles.
// - kParamIsSpecial: by-value aggregates, `this` of other languages, vectors...
// - kIgnoresResultSite.
// - FunctionSummary::loadedParts (ipa/signatures/LoadedPartsAnalyze.cpp).
//
// Linear in calls and parameters.
//
//===----------------------------------------------------------------------===//

#include "ipa/bodies/Passes.h"
#include "ipa/signatures/LoadedParts.h"
#include "summary/ModuleSummary.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

namespace gpulto {

namespace {

/// Opaque pointers leave little to tell; structures count by their names, so
/// two names of one make two types, which is safe.
uint64_t hashOfType(const llvm::Function &function) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  function.getFunctionType()->print(stream);
  StableHasher hasher;
  hasher.add(llvm::StringRef(text));
  hasher.add(uint64_t(function.getCallingConv()));
  return hasher.finish().lo;
}

bool isFixed(const llvm::Function &function) {
  using A = llvm::Attribute;
  return function.hasPrefixData() || function.hasPrologueData() ||
         function.hasGC() || function.hasFnAttribute("thunk") ||
         function.hasFnAttribute(A::PresplitCoroutine) ||
         function.hasFnAttribute(A::AllocSize);
}

bool isPlain(const llvm::CallBase &call, const llvm::GlobalValue &callee) {
  auto *function = llvm::dyn_cast<llvm::Function>(&callee);
  return function && call.getCalledOperand() == function &&
         call.getFunctionType() == function->getFunctionType() &&
         call.getCallingConv() == function->getCallingConv() &&
         !call.hasOperandBundles() && !call.isMustTailCall() &&
         llvm::isa<llvm::CallInst, llvm::InvokeInst>(call);
}

bool isSpecial(const llvm::Argument &argument) {
  using A = llvm::Attribute;
  llvm::Type *type = argument.getType();
  if (!type->isIntegerTy() && !type->isFloatingPointTy() &&
      !type->isPointerTy())
    return true;
  return llvm::any_of(
      llvm::ArrayRef<A::AttrKind>{
          A::ByVal, A::ByRef, A::InAlloca, A::Preallocated, A::StructRet,
          A::Nest, A::InReg, A::SwiftError, A::SwiftSelf, A::SwiftAsync,
          A::Returned, A::AllocAlign, A::AllocatedPointer},
      [&](A::AttrKind kind) { return argument.hasAttribute(kind); });
}

void analyzeCall(LgenContext &context, const llvm::CallBase &call,
                 CallEdge &edge) {
  ModuleSummary &summary = context.summary;
  auto fix = [&](SymbolIndex symbol) {
    if (symbol != kNone)
      summary.symbols[symbol].flags |= kSignatureFixed;
  };
  if (!call.getType()->isVoidTy() && call.use_empty())
    edge.flags |= kIgnoresResultSite;
  if (call.isMustTailCall())
    fix(context.indexOf(*call.getFunction()));
  auto *callee = llvm::dyn_cast<llvm::GlobalValue>(
      call.getCalledOperand()->stripPointerCasts());
  if (callee && !isPlain(call, *callee))
    fix(edge.callee);
}

} // namespace

void analyzeSignatures(LgenContext &context) {
  ModuleSummary &summary = context.summary;
  if (summary.side != Side::Host)
    return;
  for (const llvm::Function &function : context.module) {
    SymbolIndex symbol = context.indexOf(function);
    if (symbol == kNone)
      continue;
    summary.symbols[symbol].typeHash = hashOfType(function);
    if (isFixed(function))
      summary.symbols[symbol].flags |= kSignatureFixed;
  }
  for (size_t i = 0; i < context.bodies.size(); ++i) {
    FunctionSummary &body = summary.functions[i];
    body.loadedParts.first = static_cast<uint32_t>(summary.loadedParts.size());
    for (const llvm::Argument &argument : context.bodies[i]->args()) {
      ParameterRecord &parameter =
          summary.parameters[body.parameters.first + argument.getArgNo()];
      if (isSpecial(argument))
        parameter.flags |= kParamIsSpecial;
      else
        parameter.pointerNeed = addLoadedParts(context, argument);
    }
    body.loadedParts.count = static_cast<uint32_t>(summary.loadedParts.size()) -
                             body.loadedParts.first;
    if (body.loadedParts.count == 0)
      body.loadedParts = {};
  }
  for (size_t i = 0; i < summary.calls.size(); ++i)
    analyzeCall(context, *context.callInstructions[i], summary.calls[i]);
}

} // namespace gpulto
