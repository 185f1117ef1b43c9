//===- AssemblySymbols.cpp - What module assembly refers to ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "linker-plugin/AssemblySymbols.h"

#include "llvm/ADT/StringSet.h"

namespace gpulto {

void markAssemblySymbols(LinkInputs &inputs) {
  llvm::StringSet<> names;
  for (const LinkObject &object : inputs.objects)
    for (const LinkSymbol &symbol : object.symbols)
      if (symbol.irName.empty())
        names.insert(symbol.name);
  if (names.empty())
    return;
  for (LinkObject &object : inputs.objects)
    for (LinkSymbol &symbol : object.symbols)
      if (names.contains(symbol.name))
        symbol.visibleToRegularObject = true;
}

} // namespace gpulto
