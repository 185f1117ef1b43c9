//===- PartitionAssembly.cpp - Inline assembly of a partition -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lto/PartitionAssembly.h"

#include "ipa/AssemblyText.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

namespace gpulto {

/// Calls \p found with each call of inline assembly in \p values.
static void forEachAssembly(ArrayRef<GlobalValue *> values,
                            function_ref<void(CallBase &)> found) {
  for (GlobalValue *value : values)
    if (auto *function = dyn_cast<Function>(value))
      for (Instruction &instruction : instructions(*function))
        if (auto *call = dyn_cast<CallBase>(&instruction))
          if (call->isInlineAsm())
            found(*call);
}

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
  forEachAssembly(bodies, [&](CallBase &call) {
    StringRef text = cast<InlineAsm>(call.getCalledOperand())->getAsmString();
    addWords(text);
    if (definesUniqueLabel(text, isDevice))
      call.addFnAttr(Attribute::NoDuplicate);
  });
  return words;
}

void PartitionAssembly::addNamed(SmallVectorImpl<GlobalValue *> &used) const {
  for (const std::string &name : named)
    if (GlobalValue *value = partition.getNamedValue(name))
      used.push_back(value);
}

} // namespace gpulto
