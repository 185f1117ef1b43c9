//===- AssemblyDeclarations.cpp - Names of inline assembly ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lto/lgen/AssemblyDeclarations.h"

#include "ipa/bodies/AssemblyText.h"
#include "summary/ModuleSummary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ModuleSymbolTable.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace gpulto {

/// Returns whether registers in inline assembly of \p module may look like
/// names: those of x86 have a `%`, except in Intel's syntax.
static bool hasPlainRegisters(const Module &module) {
  bool result = !Triple(module.getTargetTriple()).isX86();
  for (const Function &function : module)
    forEachInlineAssembly(function, [&](const CallBase &call, StringRef text) {
      auto *assembly = cast<InlineAsm>(call.getCalledOperand());
      result |= assembly->getDialect() == InlineAsm::AD_Intel ||
                text.contains("noprefix");
    });
  return result;
}

/// Adds to \p words the words in assembly of \p module that are not symbols.
static void addRegisters(const Module &module, StringSet<> &words) {
  for (StringRef word :
       {"ptr",   "byte",  "word",    "dword",   "fword",    "qword",
        "tbyte", "oword", "xmmword", "ymmword", "zmmword",  "offset",
        "short", "near",  "far",     "flat",    "noprefix", "lsl",
        "lsr",   "asr",   "ror",     "st"})
    words.insert(word);
  std::string error;
  const Target *target =
      TargetRegistry::lookupTarget(module.getTargetTriple(), error);
  std::unique_ptr<MCRegisterInfo> registers(
      target ? target->createMCRegInfo(module.getTargetTriple()) : nullptr);
  for (unsigned i = 1; registers && i < registers->getNumRegs(); ++i)
    words.insert(StringRef(registers->getName(i)).lower());
}

bool declareAssemblyNames(Module &module, const ModuleSummary &summary) {
  SmallVector<StringRef> names;
  for (const SymbolRecord &symbol : summary.symbols)
    if (symbol.kind == SymbolKind::Assembly && symbol.isDeclaration() &&
        symbol.linkage == Linkage::External &&
        !module.getNamedValue(symbol.name))
      names.push_back(symbol.name);
  if (names.empty())
    return false;
  StringSet<> known; // or no symbols
  if (hasPlainRegisters(module))
    addRegisters(module, known);
  if (!module.getModuleInlineAsm().empty())
    ModuleSymbolTable::CollectAsmSymbols(
        module, [&](StringRef name, object::BasicSymbolRef::Flags) {
          known.insert(name);
        });
  llvm::erase_if(names, [&](StringRef name) {
    return known.contains(name) || known.contains(name.lower());
  });
  for (StringRef name : names)
    new GlobalVariable(module, Type::getInt8Ty(module.getContext()),
                       /*isConstant=*/false, GlobalValue::ExternalLinkage,
                       /*Initializer=*/nullptr, name);
  return !names.empty();
}

} // namespace gpulto
