//===- Door.cpp - What every door does around the pipeline ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "linker-plugin/Door.h"

#include "support/Error.h"

#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace gpulto {
namespace {

void markAssemblySymbols(LinkInputs &inputs) {
  StringSet<> names;
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

} // namespace

Expected<LinkOutputs> runPipeline(LinkInputs &inputs,
                                  const ParsedLinkOptions &options,
                                  Diagnostics &diagnostics) {
  markAssemblySymbols(inputs);
  Expected<LinkOutputs> outputs = runLink(inputs, options.link, diagnostics);
  if (outputs && !options.remarksFile.empty())
    if (Error error = diagnostics.writeRemarksYaml(options.remarksFile))
      return error;
  return outputs;
}

} // namespace gpulto
