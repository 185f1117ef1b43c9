//===- VisibilityTransform.cpp - Promote, internalize, in LTRANS ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: several partitions are built from one module, so its local symbols must
// be one object for all of them, and become local again if WPA found that only
// one partition uses them.
//
//   static int count;  int next() { return ++count; }
//                      void reset() { count = 0; }
//
// With next in one partition and reset in another, `count` is promoted to
// `count.gpulto.<tag>`, external and hidden, in both; with both in one, it
// comes out as the local `count` again.
//
// 1. promoteLocals renames in the source module, before anything is moved:
//    moving a local symbol would copy it, silently.
// 2. applyFinalLinkage works on the finished partition.
//
// Copyable constants are not promoted: copies are cheaper than symbols, and
// nobody can tell them apart. Symbols of llvm.used, and those that assembly
// names, are promoted like others; assembly that knows them by name finds a
// local alias next to the definition (WPA keeps assembly and what it names in
// one partition).
//
// Source: promotion is that of ThinLTO (T. Johnson, M. Amini, X. D. Li,
// "ThinLTO: Scalable and Incremental LTO", CGO 2017), there without alias.
//
//===----------------------------------------------------------------------===//

#include "ipa/symbols/VisibilityTransform.h"

#include "ipa/bodies/Contents.h"
#include "support/Error.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace gpulto {

static bool holdsBlockAddress(const Constant &initializer) {
  SmallVector<const Constant *, 8> worklist = {&initializer};
  SmallPtrSet<const Constant *, 16> seen;
  while (!worklist.empty()) {
    const Constant *constant = worklist.pop_back_val();
    if (isa<BlockAddress>(constant))
      return true;
    if (isa<GlobalValue>(constant) || !seen.insert(constant).second)
      continue;
    for (const Use &operand : constant->operands())
      if (const auto *inner = dyn_cast<Constant>(operand))
        worklist.push_back(inner);
  }
  return false;
}

bool isCopyable(const GlobalVariable &global, bool isUsed) {
  return isContentsOnly(global) && !isUsed &&
         !holdsBlockAddress(*global.getInitializer());
}

static void promote(GlobalValue &symbol, StringRef suffix) {
  symbol.setName(symbol.getName() + suffix);
  symbol.setLinkage(GlobalValue::ExternalLinkage);
  symbol.setVisibility(GlobalValue::HiddenVisibility);
  symbol.setDSOLocal(true);
  if (auto *object = dyn_cast<GlobalObject>(&symbol))
    object->setComdat(nullptr);
}

void promoteLocals(Module &module, StringRef suffix,
                   ArrayRef<GlobalValue *> always) {
  SmallVector<GlobalValue *, 8> list;
  collectUsedGlobalVariables(module, list, /*CompilerUsed=*/false);
  collectUsedGlobalVariables(module, list, /*CompilerUsed=*/true);
  SmallPtrSet<GlobalValue *, 8> used(list.begin(), list.end());
  SmallPtrSet<GlobalValue *, 32> wanted(always.begin(), always.end());
  for (GlobalValue &symbol : module.global_values()) {
    if (!symbol.hasLocalLinkage() || symbol.getName().starts_with("llvm."))
      continue;
    auto *variable = dyn_cast<GlobalVariable>(&symbol);
    if (variable && !wanted.contains(variable) &&
        isCopyable(*variable, used.contains(variable)))
      continue;
    promote(symbol, suffix);
  }
}

/// Makes \p symbol strong: its only definition of the program is this one.
static void makeExternal(GlobalValue &symbol) {
  symbol.setLinkage(GlobalValue::ExternalLinkage);
}

/// linkonce may be dropped where it is not used, but other partitions and
/// native objects count on this definition.
static void keepDefinition(GlobalValue &symbol) {
  if (symbol.hasLinkOnceODRLinkage())
    symbol.setLinkage(GlobalValue::WeakODRLinkage);
  else if (symbol.hasLinkOnceLinkage())
    symbol.setLinkage(GlobalValue::WeakAnyLinkage);
}

static void internalize(GlobalValue &symbol, bool wasPrivate) {
  symbol.setVisibility(GlobalValue::DefaultVisibility);
  symbol.setLinkage(wasPrivate ? GlobalValue::PrivateLinkage
                               : GlobalValue::InternalLinkage);
}

/// Takes off \p value what compilers conclude from a body: what is called in
/// its place (--wrap) may do anything.
static void forgetBody(GlobalValue &value) {
  auto *function = dyn_cast<Function>(&value);
  if (!function)
    return;
  AttributeMask concluded;
  for (Attribute::AttrKind kind :
       {Attribute::Memory, Attribute::MustProgress, Attribute::NoFree,
        Attribute::NoRecurse, Attribute::NoReturn, Attribute::NoSync,
        Attribute::NoUnwind, Attribute::WillReturn, Attribute::Speculatable,
        Attribute::Captures, Attribute::ReadNone, Attribute::ReadOnly,
        Attribute::WriteOnly, Attribute::Returned, Attribute::NoAlias,
        Attribute::NonNull, Attribute::Range, Attribute::Dereferenceable})
    concluded.addAttribute(kind);
  function->removeFnAttrs(concluded);
  function->removeRetAttrs(concluded);
  for (unsigned i = 0; i < function->arg_size(); ++i)
    function->removeParamAttrs(i, concluded);
}

static void setFinalLinkage(const FinalSymbol &symbol) {
  GlobalValue &value = *symbol.value;
  bool wasLocal = !symbol.localName.empty();
  switch (symbol.linkage) {
  case FinalLinkage::Internal:
    return internalize(value, symbol.wasPrivate);
  case FinalLinkage::Hidden:
    makeExternal(value);
    value.setVisibility(GlobalValue::HiddenVisibility);
    value.setDSOLocal(true);
    return;
  case FinalLinkage::Preserved:
    if (!wasLocal)
      keepDefinition(value);
    return;
  case FinalLinkage::Redefined:
    value.setLinkage(GlobalValue::WeakAnyLinkage);
    forgetBody(value);
    return;
  }
}

namespace {

/// Gives the definitions of one partition their names.
class Renamer {
public:
  Renamer(Module &module, const StringSet<> &assemblyWords)
      : module(module), assemblyWords(assemblyWords),
        library(Triple(module.getTargetTriple())) {}

  Error restoreName(const FinalSymbol &symbol);
  Error addLocalAlias(const FinalSymbol &symbol);
  /// Keeps the aliases from being dropped.
  void finish() { appendToCompilerUsed(module, aliases); }

private:
  /// LLVM itself may call it: a local `memcpy` of one source file must not
  /// catch the calls that another one needs.
  bool isLibraryName(StringRef name) const {
    LibFunc ignored;
    return library.getLibFunc(name, ignored);
  }
  Error nameIsTaken(const FinalSymbol &symbol) const;

  Module &module;
  const StringSet<> &assemblyWords;
  TargetLibraryInfoImpl library;
  SmallVector<GlobalValue *> aliases;
};

} // namespace

Error Renamer::nameIsTaken(const FinalSymbol &symbol) const {
  if (!assemblyWords.contains(symbol.localName))
    return Error::success();
  return makeError("assembly names the local symbol '" + symbol.localName +
                   "', and two symbols of that name are in one partition");
}

/// Gives a symbol that is local again its old name.
Error Renamer::restoreName(const FinalSymbol &symbol) {
  if (symbol.localName.empty())
    return Error::success();
  if (!symbol.isNamed && (isLibraryName(symbol.localName) ||
                          assemblyWords.contains(symbol.localName)))
    return Error::success();
  if (!module.getNamedValue(symbol.localName)) {
    symbol.value->setName(symbol.localName);
    return Error::success();
  }
  return symbol.isNamed ? nameIsTaken(symbol) : Error::success();
}

/// Makes the promoted \p symbol known to assembly under its old name too.
Error Renamer::addLocalAlias(const FinalSymbol &symbol) {
  if (symbol.localName.empty() || !symbol.isNamed)
    return Error::success();
  if (module.getNamedValue(symbol.localName))
    return nameIsTaken(symbol);
  GlobalValue &value = *symbol.value;
  auto *alias = GlobalAlias::create(
      value.getValueType(), value.getAddressSpace(),
      GlobalValue::InternalLinkage, symbol.localName, &value, &module);
  alias->setThreadLocalMode(value.getThreadLocalMode());
  aliases.push_back(alias);
  return Error::success();
}

Error applyFinalLinkage(Module &module, ArrayRef<FinalSymbol> symbols,
                        const StringSet<> &assemblyWords) {
  for (const FinalSymbol &symbol : symbols)
    setFinalLinkage(symbol);
  // What assembly may name goes first when two symbols want one name.
  Renamer renamer(module, assemblyWords);
  for (bool named : {true, false})
    for (const FinalSymbol &symbol : symbols) {
      if (symbol.isNamed != named)
        continue;
      bool isInternal = symbol.linkage == FinalLinkage::Internal;
      if (Error error = isInternal ? renamer.restoreName(symbol)
                                   : renamer.addLocalAlias(symbol))
        return error;
    }
  renamer.finish();
  return Error::success();
}

} // namespace gpulto
