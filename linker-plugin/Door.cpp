//===- Door.cpp - What every door does around the pipeline ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "linker-plugin/Door.h"

#include "support/Error.h"

#include "llvm/ADT/STLExtras.h"
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

void addInput(LinkInputs &inputs, LinkObject object,
              const lto::InputFile &input,
              ArrayRef<lto::SymbolResolution> resolutions,
              const JoinedBitcode *joined) {
  for (auto [symbol, resolution] : zip_equal(input.symbols(), resolutions)) {
    LinkSymbol to;
    to.irName = symbol.getIRName().str();
    to.name = symbol.getName().str();
    to.prevailing = resolution.Prevailing;
    to.finalDefinition = resolution.FinalDefinitionInLinkageUnit;
    // What code generation may call is used, too: memcpy, say.
    to.visibleToRegularObject =
        resolution.VisibleToRegularObj || symbol.isUsed();
    to.exportDynamic = resolution.ExportDynamic;
    to.linkerRedefined = resolution.LinkerRedefined;
    object.symbols.push_back(std::move(to));
  }
  if (joined)
    separateUnits(*joined, input, object.symbols);
  inputs.objects.push_back(std::move(object));
}

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
