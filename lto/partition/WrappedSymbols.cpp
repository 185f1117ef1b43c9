//===- WrappedSymbols.cpp - The linker's --wrap on bitcode ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lto/partition/WrappedSymbols.h"

#include "ipa/bodies/AssemblyText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gpulto {

static constexpr StringLiteral kWrap = "__wrap_";
static constexpr StringLiteral kReal = "__real_";

std::string nameUnderWrap(StringRef name, ArrayRef<std::string> wrapped) {
  if (is_contained(wrapped, name))
    return (kWrap + name).str();
  if (name.consume_front(kReal) && is_contained(wrapped, name))
    return name.str();
  return "";
}

/// Gives \p value the name \p name, or its uses to what has that name.
static void rename(GlobalValue &value, StringRef name) {
  if (GlobalValue *other = value.getParent()->getNamedValue(name)) {
    value.replaceAllUsesWith(other);
    value.eraseFromParent();
    return;
  }
  value.setName(name);
}

void wrapSymbols(Module &module, ArrayRef<std::string> wrapped) {
  if (wrapped.empty())
    return;
  // Both ends of a chain may be there: find all before any is renamed.
  SmallVector<std::pair<GlobalValue *, std::string>> renamed;
  for (GlobalValue &value : module.global_values())
    if (value.isDeclaration() && !value.hasLocalLinkage())
      if (std::string name = nameUnderWrap(value.getName(), wrapped);
          !name.empty())
        renamed.push_back({&value, std::move(name)});
  for (auto &[value, name] : renamed)
    value->setName("");
  for (auto &[value, name] : renamed)
    rename(*value, name);
}

static bool isNamePart(char c) {
  return isAlnum(c) || c == '_' || c == '.' || c == '$';
}

/// Returns \p text with `__wrap_NAME` for the word \p name. Of a `$` in front,
/// a mark of AT&T's syntax, there are two in inline assembly.
static std::string wrapWord(StringRef text, StringRef name) {
  std::string result;
  size_t done = 0;
  for (size_t at = text.find(name); at != StringRef::npos;
       at = text.find(name, done)) {
    StringRef before = text.take_front(at).rtrim('$');
    StringRef behind = text.drop_front(at + name.size());
    bool isWord = (before.empty() || !isNamePart(before.back())) &&
                  (behind.empty() || !isNamePart(behind.front()));
    result += text.slice(done, at);
    result += isWord ? StringRef(kWrap) : StringRef();
    result += name;
    done = at + name.size();
  }
  return result + text.drop_front(done).str();
}

/// Returns \p text, assembly of a unit that defines none of \p names, with the
/// names under --wrap.
static std::string wrapWords(StringRef text, ArrayRef<std::string> names) {
  std::string result = text.str();
  for (const std::string &name : names)
    result = wrapWord(result, name);
  return result;
}

void wrapAssembly(Module &module, ArrayRef<GlobalValue *> bodies,
                  ArrayRef<std::string> wrapped) {
  StringSet<> defined;
  for (const GlobalValue &value : module.global_values())
    if (!value.isDeclaration())
      defined.insert(value.getName());
  forEachAsmDefinition(module.getModuleInlineAsm(), /*isDevice=*/false,
                       [&](StringRef name) { defined.insert(name); });
  SmallVector<std::string> names;
  llvm::copy_if(wrapped, std::back_inserter(names),
                [&](StringRef name) { return !defined.contains(name); });
  if (names.empty())
    return;
  module.setModuleInlineAsm(wrapWords(module.getModuleInlineAsm(), names));
  for (GlobalValue *value : bodies)
    if (auto *function = dyn_cast<Function>(value))
      for (Instruction &instruction : instructions(*function)) {
        auto *call = dyn_cast<CallBase>(&instruction);
        if (!call || !call->isInlineAsm())
          continue;
        auto *old = cast<InlineAsm>(call->getCalledOperand());
        call->setCalledOperand(InlineAsm::get(
            old->getFunctionType(), wrapWords(old->getAsmString(), names),
            old->getConstraintString(), old->hasSideEffects(),
            old->isAlignStack(), old->getDialect(), old->canThrow()));
      }
}

void leaveToLinker(Module &partition, ArrayRef<std::string> wrapped) {
  for (const std::string &name : wrapped)
    if (GlobalValue *value = partition.getNamedValue(name);
        value && value->isDeclarationForLinker())
      rename(*value, (kReal + name).str());
}

} // namespace gpulto
