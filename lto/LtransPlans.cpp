//===- LtransPlans.cpp - Carry decisions out in a partition ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// 1. While a body is read, the calls that enter clones are marked.
// 2. Once all bodies are there, clones are copied from them, as they were read.
// 3. Then each body and each clone gets its own calls and facts.
//
//===----------------------------------------------------------------------===//

#include "lto/LtransPlans.h"

#include "ipa/FactsTransform.h"
#include "lto/DeviceCodegen.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace gpulto {

Error markRedirects(Function &function, const JobSymbol &symbol) {
  SmallVector<uint32_t> numbers;
  for (const JobBody &body : symbol.bodies)
    for (const JobRedirect &redirect : body.redirects)
      numbers.push_back(redirect.call);
  if (numbers.empty())
    return Error::success();
  llvm::sort(numbers);
  return markCalls(function, numbers, symbol.calls);
}

namespace {
class PlanApplier {
public:
  explicit PlanApplier(Module &partition)
      : partition(partition), context(partition.getContext()),
        isDevice(Triple(partition.getTargetTriple()).isNVPTX()) {}

  void run(ArrayRef<PlannedFunction> planned);

private:
  Constant *addressOf(const ValueFact &fact);
  Function *bodyOf(Function &function, const JobSymbol &symbol,
                   const JobBody &body);
  void redirectCalls(Function &function, const JobBody &body);

  Module &partition;
  LLVMContext &context;
  bool isDevice;
};
} // namespace

/// Returns the symbol of \p fact, declared if it is in another partition.
Constant *PlanApplier::addressOf(const ValueFact &fact) {
  if (GlobalValue *value = partition.getNamedValue(fact.symbolName))
    return value;
  if (isDevice)
    return nullptr; // each device partition is closed
  GlobalValue *value;
  if (fact.isFunction)
    value = Function::Create(
        FunctionType::get(Type::getVoidTy(context), /*isVarArg=*/true),
        GlobalValue::ExternalLinkage, fact.symbolName, partition);
  else
    value =
        new GlobalVariable(partition, Type::getInt8Ty(context),
                           /*isConstant=*/false, GlobalValue::ExternalLinkage,
                           /*Initializer=*/nullptr, fact.symbolName);
  // Promoted symbols are hidden; others are seen as the linker sees them.
  if (StringRef(fact.symbolName).contains(promotedName("", ""))) {
    value->setVisibility(GlobalValue::HiddenVisibility);
    value->setDSOLocal(true);
  }
  return value;
}

/// Returns the function that \p body is about: \p function, which \p symbol
/// names, or a new copy of it.
Function *PlanApplier::bodyOf(Function &function, const JobSymbol &symbol,
                              const JobBody &body) {
  if (body.clone.empty())
    return &function;
  ValueToValueMapTy map;
  Function *clone = CloneFunction(&function, map);
  clone->setName(body.clone);
  clone->setComdat(nullptr);
  clone->setVisibility(GlobalValue::DefaultVisibility);
  clone->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  if (symbol.role == JobRole::Import)
    clone->setLinkage(GlobalValue::AvailableExternallyLinkage);
  else
    clone->setLinkage(body.cloneLinkage == FinalLinkage::Internal
                          ? GlobalValue::InternalLinkage
                          : GlobalValue::ExternalLinkage);
  if (!clone->hasLocalLinkage())
    clone->setVisibility(GlobalValue::HiddenVisibility);
  clone->setDSOLocal(true);
  return clone;
}

/// Lets the marked calls of \p function enter the clones that \p body says.
void PlanApplier::redirectCalls(Function &function, const JobBody &body) {
  for (auto [number, call] : takeMarkedCalls(function)) {
    auto redirect = find_if(
        body.redirects, [n = number](const auto &r) { return r.call == n; });
    if (redirect == body.redirects.end())
      continue;
    Function *clone = partition.getFunction(redirect->callee);
    if (!clone) {
      clone = Function::Create(call->getFunctionType(),
                               GlobalValue::ExternalLinkage, redirect->callee,
                               partition);
      if (Function *callee = call->getCalledFunction())
        clone->copyAttributesFrom(callee);
      clone->setVisibility(GlobalValue::HiddenVisibility);
      clone->setDSOLocal(true);
    }
    call->setCalledOperand(clone);
  }
}

/// Makes the clones and puts what whole-program analysis decided into bodies.
void PlanApplier::run(ArrayRef<PlannedFunction> planned) {
  std::vector<std::pair<Function *, const JobBody *>> bodies;
  for (const auto &[name, symbol] : planned) {
    Function *function = partition.getFunction(name);
    if (!function || function->isDeclaration())
      continue; // an import that nothing refers to
    for (const JobBody &body : symbol->bodies)
      bodies.push_back({bodyOf(*function, *symbol, body), &body});
  }
  // All copies are made: bodies may change.
  for (auto [function, body] : bodies) {
    redirectCalls(*function, *body);
    bool changed = !body->clone.empty();
    changed |=
        applyValueFacts(*function, body->facts,
                        [&](const ValueFact &fact) { return addressOf(fact); });
    if (isDevice)
      changed |= applyGeometry(*function, body->facts);
    if (changed && isDevice)
      function->addFnAttr(kChangedAttribute);
  }
  for (const auto &[name, symbol] : planned)
    if (Function *function = partition.getFunction(name))
      takeMarkedCalls(*function); // only clones redirect them
}

void applyPlans(Module &partition, ArrayRef<PlannedFunction> planned) {
  PlanApplier(partition).run(planned);
}

} // namespace gpulto
