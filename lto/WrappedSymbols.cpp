//===- WrappedSymbols.cpp - The linker's --wrap on bitcode ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lto/WrappedSymbols.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"
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

void leaveToLinker(Module &partition, ArrayRef<std::string> wrapped) {
  for (const std::string &name : wrapped)
    if (GlobalValue *value = partition.getNamedValue(name);
        value && value->isDeclarationForLinker())
      rename(*value, (kReal + name).str());
}

} // namespace gpulto
