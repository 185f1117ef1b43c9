//===- ModuleRepair.cpp - What clang leaves wrong in modules --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/lgen/ModuleRepair.h"

#include "fatobj/Format.h"
#include "ipa/runtime/KernelAnnotations.h"
#include "ipa/runtime/OffloadEntries.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/AutoUpgrade.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/xxhash.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm/Transforms/Utils/NameAnonGlobals.h"

#include <vector>

using namespace llvm;

namespace gpulto {

/// Returns what \p variable is an offload entry of, or null.
static GlobalValue *registeredBy(const GlobalVariable &variable) {
  if (!isOffloadEntry(variable))
    return nullptr;
  std::optional<OffloadFields> fields = offloadFields(variable);
  return fields ? const_cast<GlobalValue *>(fields->address) : nullptr;
}

bool confineRegistered(Module &module) {
  bool changed = false;
  for (const GlobalVariable &entry : module.globals()) {
    GlobalValue *symbol = registeredBy(entry);
    bool isShadow = symbol && isa<GlobalVariable>(symbol);
    if (!symbol || symbol->isDeclaration() || symbol->hasLocalLinkage() ||
        !(isShadow || symbol->hasLinkOnceLinkage()))
      continue;
    if (isShadow && symbol->hasExternalLinkage())
      symbol->setLinkage(GlobalValue::WeakAnyLinkage);
    symbol->setVisibility(GlobalValue::HiddenVisibility);
    symbol->setDSOLocal(true);
    changed = true;
  }
  return changed;
}

bool makeStubsUnique(Module &module) {
  bool changed = false;
  for (const GlobalVariable &entry : module.globals()) {
    auto *stub = dyn_cast_or_null<Function>(registeredBy(entry));
    if (!stub || stub->isDeclaration() || stub->hasPrefixData())
      continue;
    stub->setPrefixData(ConstantInt::get(Type::getInt64Ty(module.getContext()),
                                         xxh3_64bits(entry.getName())));
    changed = true;
  }
  return changed;
}

bool joinRenamed(Module &module) {
  bool changed = false;
  for (GlobalVariable &renamed : module.globals()) {
    auto [plain, unit] = renamed.getName().rsplit("__static__");
    GlobalVariable *old = module.getNamedGlobal(plain);
    if (unit.empty() || renamed.isDeclaration() || !old || old == &renamed ||
        !old->isDeclaration() || old->getType() != renamed.getType())
      continue;
    old->replaceAllUsesWith(&renamed);
    changed = true;
  }
  return changed;
}

bool sortExternallyUsed(Module &module) {
  GlobalVariable *list = module.getNamedGlobal("__clang_gpu_used_external");
  if (!list || !list->hasInitializer())
    return false;
  auto *array = dyn_cast<ConstantArray>(list->getInitializer());
  if (!array)
    return false;
  std::vector<Constant *> symbols;
  for (Value *operand : array->operands())
    symbols.push_back(cast<Constant>(operand));
  llvm::sort(symbols, [](Constant *a, Constant *b) {
    return a->stripPointerCasts()->getName() <
           b->stripPointerCasts()->getName();
  });
  list->setInitializer(ConstantArray::get(array->getType(), symbols));
  for (Constant *symbol : symbols) {
    auto *value = dyn_cast<GlobalObject>(symbol->stripPointerCasts());
    if (!value || !value->isDeclaration())
      continue;
    value->removeFromParent();
    if (auto *function = dyn_cast<Function>(value))
      module.getFunctionList().push_back(function);
    else
      module.insertGlobalVariable(cast<GlobalVariable>(value));
  }
  return true;
}

bool definePureVirtual(Module &module) {
  bool changed = false;
  for (StringRef name : {"__cxa_pure_virtual", "__cxa_deleted_virtual"}) {
    Function *function = module.getFunction(name);
    if (!function || !function->isDeclaration() || function->use_empty())
      continue;
    function->setLinkage(GlobalValue::WeakAnyLinkage);
    function->setDoesNotReturn();
    IRBuilder<> builder(
        BasicBlock::Create(module.getContext(), "entry", function));
    builder.CreateIntrinsic(Intrinsic::trap, ArrayRef<Type *>(),
                            ArrayRef<Value *>());
    builder.CreateUnreachable();
    changed = true;
  }
  return changed;
}

/// Declares the annotation \p entry {object, text, file, line, arguments} if it
/// is one of ours, and returns whether it is.
static bool declareAttribute(const Constant &entry) {
  auto *kernel = dyn_cast<Function>(entry.getOperand(0)->stripPointerCasts());
  StringRef text;
  if (!kernel || !getConstantStringInfo(entry.getOperand(1), text) ||
      !text.consume_front("gpulto."))
    return false;
  auto *arguments =
      dyn_cast<GlobalVariable>(entry.getOperand(4)->stripPointerCasts());
  auto argument = [&](unsigned i) -> uint32_t {
    Constant *value = arguments && arguments->hasInitializer()
                          ? arguments->getInitializer()->getAggregateElement(i)
                          : nullptr;
    auto *number = dyn_cast_or_null<ConstantInt>(value);
    return number ? static_cast<uint32_t>(number->getZExtValue()) : 1;
  };
  KernelAnnotations annotations(*kernel);
  if (text == "cluster_dims")
    annotations.requireCluster({argument(0), argument(1), argument(2)});
  else if (text == "maxnreg")
    annotations.limitRegisters(argument(0));
  else
    return false;
  return true;
}

bool declareNvccAttributes(Module &module) {
  GlobalVariable *list = module.getNamedGlobal("llvm.global.annotations");
  auto *entries = list && list->hasInitializer()
                      ? dyn_cast<ConstantArray>(list->getInitializer())
                      : nullptr;
  if (!entries)
    return false;
  std::vector<Constant *> kept;
  for (Value *operand : entries->operands())
    if (auto *entry = cast<Constant>(operand); !declareAttribute(*entry))
      kept.push_back(entry);
  if (kept.size() == entries->getNumOperands())
    return false;
  if (!kept.empty()) {
    auto *type = ArrayType::get(kept.front()->getType(), kept.size());
    auto *rest =
        new GlobalVariable(module, type, list->isConstant(), list->getLinkage(),
                           ConstantArray::get(type, kept));
    rest->copyAttributesFrom(list);
    rest->takeName(list);
  }
  list->eraseFromParent();
  return true;
}

bool limitRegisters(Module &module, uint32_t registers) {
  bool changed = false;
  for (Function &function : module) {
    KernelAnnotations annotations(function);
    // Launch bounds win for ptxas, too.
    if (!annotations.isKernel() || annotations.requiredThreads() ||
        annotations.maxThreads())
      continue;
    annotations.limitRegisters(registers);
    changed = true;
  }
  return changed;
}

/// The pragma that applies to \p variable, as its initializer is; see
/// TargetLoweringObjectFileELF::getExplicitSectionGlobal.
static StringRef sectionPragma(const GlobalVariable &variable) {
  const Constant &value = *variable.getInitializer();
  if (!variable.isConstant())
    return value.isNullValue() ? "bss-section" : "data-section";
  return value.needsDynamicRelocation() ? "relro-section" : "rodata-section";
}

bool placeByPragmas(Module &module) {
  bool changed = false;
  auto place = [&](GlobalObject &object, Attribute section) {
    if (!section.isValid() || object.hasSection())
      return;
    object.setSection(section.getValueAsString());
    changed = true;
  };
  for (GlobalVariable &variable : module.globals())
    if (variable.hasInitializer() && variable.hasImplicitSection())
      place(variable, variable.getAttribute(sectionPragma(variable)));
  for (Function &function : module)
    if (!function.isDeclaration())
      place(function, function.getFnAttribute("implicit-section-name"));
  return changed;
}

/// Drops what clang embedded for tools that work on objects: the device code of
/// the unit and, from -ffat-lto-objects, the module's own bitcode.
static void removeEmbedded(Module &module) {
  auto isEmbedded = [](const Constant *value) {
    auto *variable = dyn_cast<GlobalVariable>(value->stripPointerCasts());
    return variable && (variable->getSection() == kOffloadingSection ||
                        variable->getSection() == kHostBitcodeSection);
  };
  removeFromUsedLists(module, [&](Constant *used) { return isEmbedded(used); });
  for (GlobalVariable &variable : make_early_inc_range(module.globals()))
    if (isEmbedded(&variable)) {
      variable.removeDeadConstantUsers(); // the list that it was in
      if (variable.use_empty())
        variable.eraseFromParent();
    }
}

bool doubtForeignConstants(Module &module) {
  bool changed = false;
  for (GlobalVariable &variable : module.globals())
    if (variable.isDeclaration() && variable.isConstant() &&
        !variable.getName().starts_with("_ZT")) {
      variable.setConstant(false);
      changed = true;
    }
  return changed;
}

void upgradeStockModule(Module &module) {
  UpgradeModuleFlags(module);
  UpgradeNVVMAnnotations(module);
  Triple triple(module.getTargetTriple());
  if (triple.isNVPTX())
    module.setDataLayout(triple.computeDataLayout());
}

void repairStockModule(Module &module) {
  removeEmbedded(module);
  nameUnamedGlobals(module);
  sortExternallyUsed(module);
  if (!Triple(module.getTargetTriple()).isNVPTX()) {
    makeStubsUnique(module);
    placeByPragmas(module);
    doubtForeignConstants(module);
    return;
  }
  joinRenamed(module);
  definePureVirtual(module);
}

} // namespace gpulto
