//===- PartitionAssembly.cpp - Inline assembly of a partition -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lto/partition/PartitionAssembly.h"

#include "ipa/bodies/AssemblyText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

namespace gpulto {

/// Declares in the partition what \p value of another module is, if the
/// partition does not have it.
void PartitionAssembly::declareLike(const GlobalValue &value) {
  if (partition.getNamedValue(value.getName()))
    return;
  if (auto *function = dyn_cast<Function>(&value)) {
    auto *made = Function::Create(
        function->getFunctionType(), GlobalValue::ExternalLinkage,
        function->getAddressSpace(), function->getName(), &partition);
    made->setCallingConv(function->getCallingConv());
    made->setAttributes(function->getAttributes());
  } else if (auto *variable = dyn_cast<GlobalVariable>(&value)) {
    auto *made = new GlobalVariable(
        partition, variable->getValueType(), variable->isConstant(),
        GlobalValue::ExternalLinkage, nullptr, variable->getName(), nullptr,
        variable->getThreadLocalMode(), variable->getAddressSpace());
    made->setAlignment(variable->getAlign());
  }
}

StringSet<> PartitionAssembly::add(const Module &source, bool withModule,
                                   ArrayRef<GlobalValue *> bodies) {
  StringSet<> words;
  auto addWords = [&](StringRef text) {
    forEachAsmToken(text, [&](const AsmToken &token) {
      allWords.insert(token.text);
      if (!words.insert(token.text).second || !isDevice)
        return;
      if (const GlobalValue *value = source.getNamedValue(token.text)) {
        declareLike(*value);
        named.push_back(token.text.str());
      }
    });
  };
  if (withModule)
    addWords(source.getModuleInlineAsm());
  for (GlobalValue *value : bodies) {
    auto *function = dyn_cast<Function>(value);
    if (!function)
      continue;
    forEachInlineAssembly(*function, [&](const CallBase &call, StringRef text) {
      addWords(text);
      if (!definesAsmNames(text, isDevice))
        return;
      const_cast<CallBase &>(call).addFnAttr(Attribute::NoDuplicate);
      forEachAsmDefinition(text, isDevice, [&](StringRef name) {
        noteDefinition(name, function->getName());
      });
    });
  }
  return words;
}

void PartitionAssembly::noteDefinition(StringRef name, StringRef function) {
  std::vector<std::string> &definers = definersOf[name];
  if (!is_contained(definers, function))
    definers.push_back(function.str());
}

void PartitionAssembly::separateDefinitions() const {
  for (const auto &entry : definersOf) {
    if (entry.getValue().size() == 1)
      continue;
    for (const std::string &name : entry.getValue())
      if (Function *function = partition.getFunction(name)) {
        function->removeFnAttr(Attribute::AlwaysInline);
        function->addFnAttr(Attribute::NoInline);
      }
  }
}

void PartitionAssembly::addNamed(SmallVectorImpl<GlobalValue *> &used) const {
  for (const std::string &name : named)
    if (GlobalValue *value = partition.getNamedValue(name))
      used.push_back(value);
}

} // namespace gpulto
