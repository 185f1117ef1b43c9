//===- Door.cpp - The common part of all doors ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "linker-plugin/Door.h"

#include "fatobj/SectionObject.h"
#include "lto/read/NvccCode.h"
#include "support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/TargetParser/Host.h"

#include <algorithm>

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

/// Sees to it that device code lies far from code and data, or warns.
Error placeDeviceCode(const NativeInputs &natives, FarDeviceCode how,
                      uint16_t machine, DoorOutputs &outputs,
                      Diagnostics &diagnostics) {
  DeviceSections sections = natives.deviceSections();
  if (outputs.link.deviceBytes)
    sections[".nv_fatbin"] += outputs.link.deviceBytes;
  if (how == FarDeviceCode::Impossible)
    if (std::string text = nearDeviceCodeWarning(sections); !text.empty())
      diagnostics.warning(text);
  if (how != FarDeviceCode::ByFlag)
    return Error::success();
  Expected<std::vector<NativeObject>> marks = makeFarMarks(sections, machine);
  if (!marks)
    return marks.takeError();
  llvm::move(*marks, std::back_inserter(outputs.behind));
  return Error::success();
}

/// Returns the object with the stamps of \p outputs, of which the first is this
/// link's.
Expected<NativeObject> stampObject(LinkOutputs &outputs,
                                   const NativeInputs &natives,
                                   uint16_t machine, StringRef sysroot,
                                   const ParsedLinkOptions &options) {
  natives.complete(outputs.stamps.front(), options, sysroot);
  // As where a linker joins the notes of its inputs: the last is of the link.
  std::vector<Stamp> stamps = std::move(outputs.stamps);
  std::rotate(stamps.begin(), stamps.begin() + 1, stamps.end());
  Expected<std::string> bytes = makeStampObject(stamps, machine);
  if (!bytes)
    return bytes.takeError();
  constexpr StringLiteral kName = "gpulto.stamp.o";
  return NativeObject{kName.str(),
                      MemoryBuffer::getMemBufferCopy(*bytes, kName)};
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
    to.linkerRedefined = resolution.LinkerRedefined;
    object.symbols.push_back(std::move(to));
  }
  if (joined)
    separateUnits(*joined, input, object.symbols);
  inputs.objects.push_back(std::move(object));
}

/// Runs the pipeline on \p inputs, which are not none.
static Expected<LinkOutputs> runOnInputs(LinkInputs &inputs,
                                         const NativeInputs &natives,
                                         const LinkerSettings &settings,
                                         const ParsedLinkOptions &options,
                                         Diagnostics &diagnostics) {
  markAssemblySymbols(inputs);
  markWrapped(settings.wrapped, inputs);
  StringSet<> hidden = markExcluded(settings.excludedLibs, inputs);
  inputs.native = {natives.foreignCode(options, settings.sysroot),
                   natives.runtimeFunctions(options, settings.sysroot),
                   natives.usedFunctions(options, settings.sysroot)};
  Expected<LinkOutputs> outputs = runLink(inputs, options.link, diagnostics);
  if (!outputs || hidden.empty())
    return outputs;
  for (NativeObject &object : outputs->objects)
    if (Error error = hideSymbols(hidden, object))
      return std::move(error);
  return outputs;
}

Expected<DoorOutputs> runPipeline(LinkInputs &inputs,
                                  const NativeInputs &natives,
                                  const LinkerSettings &settings,
                                  const ParsedLinkOptions &options,
                                  Diagnostics &diagnostics) {
  const std::string &sysroot = settings.sysroot;
  DoorOutputs result;
  natives.report(options, sysroot, diagnostics);
  if (diagnostics.hasErrors())
    return result;
  result.link.stamps.push_back(makeStamp(inputs.output));
  if (inputs.objects.empty()) {
    if (options.link.remote.emit != BuildFileKind::None)
      return makeError("--gpulto-emit=: no input is to be optimized");
    // Without objects of ours nobody links device code.
    if (inputs.output != OutputKind::Relocatable)
      if (Error error = refuseWaiting(inputs.nvccObjects))
        return error;
  } else {
    Expected<LinkOutputs> outputs =
        runOnInputs(inputs, natives, settings, options, diagnostics);
    if (!outputs)
      return outputs.takeError();
    result.link = std::move(*outputs);
    if (!result.link.buildFile.empty())
      return result;
    if (!options.remarksFile.empty())
      if (Error error = diagnostics.writeRemarks(options.remarksFile,
                                                 options.remarksFormat))
        return error;
  }
  if (natives.hasOtherKind()) {
    diagnostics.warning("the output does not say what was optimized: it is not "
                        "for a little-endian machine of 64 bits");
    return result;
  }
  Expected<uint16_t> machine = natives.machine()
                                   ? Expected<uint16_t>(*natives.machine())
                                   : elfMachine(sys::getDefaultTargetTriple());
  if (!machine)
    return machine.takeError();
  Expected<NativeObject> stamp =
      stampObject(result.link, natives, *machine, sysroot, options);
  if (!stamp)
    return stamp.takeError();
  result.behind.push_back(std::move(*stamp));
  if (inputs.output != OutputKind::Relocatable)
    if (Error error = placeDeviceCode(natives, settings.farDeviceCode, *machine,
                                      result, diagnostics))
      return std::move(error);
  return result;
}

} // namespace gpulto
