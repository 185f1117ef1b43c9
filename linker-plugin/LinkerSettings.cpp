//===- LinkerSettings.cpp - What options do to symbols --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "linker-plugin/LinkerSettings.h"

#include "support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/RuntimeLibcalls.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace gpulto {

void ExcludedLibs::add(StringRef value) {
  while (!value.empty()) {
    size_t end = std::min(value.size(), value.find_first_of(",:"));
    if (end)
      names.push_back(value.take_front(end).str());
    value = value.drop_front(std::min(value.size(), end + 1));
  }
}

bool ExcludedLibs::contains(StringRef path) const {
  StringRef name = sys::path::filename(path);
  StringRef stem = name;
  if (suffixIsOptional)
    stem.consume_back(".a");
  return !name.empty() && any_of(names, [&](StringRef excluded) {
    return excluded == "ALL" || excluded == name || excluded == stem;
  });
}

std::vector<StringRef> wrappedRuntime(ArrayRef<std::string> wrapped,
                                      const Triple &triple) {
  std::vector<StringRef> names;
  if (wrapped.empty())
    return names;
  TargetLibraryInfoImpl library(triple);
  RTLIB::RuntimeLibcallsInfo calls(triple);
  auto isRuntime = [&](StringRef name) {
    LibFunc function;
    if (library.getLibFunc(name, function))
      return true;
    return calls.getSupportedLibcallImpl(name) != RTLIB::Unsupported;
  };
  for (const std::string &name : wrapped)
    if (isRuntime(name))
      names.push_back(name);
  return names;
}

void markWrapped(ArrayRef<std::string> wrapped, LinkInputs &inputs) {
  if (wrapped.empty())
    return;
  StringSet<> names;
  for (const std::string &name : wrapped)
    for (StringRef prefix : {"", "__wrap_", "__real_"})
      names.insert((prefix + name).str());
  for (LinkObject &object : inputs.objects)
    for (LinkSymbol &symbol : object.symbols)
      symbol.visibleToRegularObject |= names.contains(symbol.name);
}

StringSet<> markExcluded(const ExcludedLibs &excluded, LinkInputs &inputs) {
  StringSet<> names;
  if (inputs.output == OutputKind::Relocatable)
    return names;
  for (const LinkObject &object : inputs.objects)
    if (excluded.contains(object.archive))
      for (const LinkSymbol &symbol : object.symbols)
        if (symbol.prevailing)
          names.insert(symbol.name);
  if (!names.empty())
    for (LinkObject &object : inputs.objects)
      for (LinkSymbol &symbol : object.symbols)
        symbol.finalDefinition |= names.contains(symbol.name);
  return names;
}

/// Hides what \p names has of the symbol table \p section of \p file, whose
/// bytes may be written.
static Error hideSymbols(const StringSet<> &names,
                         const object::ELF64LEFile &file,
                         const object::ELF64LE::Shdr &section) {
  Expected<object::ELF64LE::SymRange> symbols = file.symbols(&section);
  if (!symbols)
    return symbols.takeError();
  Expected<StringRef> strings = file.getStringTableForSymtab(section);
  if (!strings)
    return strings.takeError();
  for (const object::ELF64LE::Sym &symbol : *symbols) {
    Expected<StringRef> name = symbol.getName(*strings);
    if (!name)
      return name.takeError();
    bool isDefinition = symbol.getBinding() != ELF::STB_LOCAL &&
                        symbol.st_shndx != ELF::SHN_UNDEF;
    if (isDefinition && symbol.getVisibility() != ELF::STV_INTERNAL &&
        names.contains(*name))
      const_cast<object::ELF64LE::Sym &>(symbol).setVisibility(ELF::STV_HIDDEN);
  }
  return Error::success();
}

Error hideSymbols(const StringSet<> &names, NativeObject &object) {
  std::unique_ptr<WritableMemoryBuffer> copy =
      WritableMemoryBuffer::getNewUninitMemBuffer(
          object.contents->getBufferSize(),
          object.contents->getBufferIdentifier());
  llvm::copy(object.contents->getBuffer(), copy->getBufferStart());
  auto file = object::ELF64LEFile::create(
      StringRef(copy->getBufferStart(), copy->getBufferSize()));
  InputLocation where(object.name);
  if (!file)
    return inputError(where, toString(file.takeError()));
  auto sections = file->sections();
  if (!sections)
    return inputError(where, toString(sections.takeError()));
  for (const object::ELF64LE::Shdr &section : *sections)
    if (section.sh_type == ELF::SHT_SYMTAB)
      if (Error error = hideSymbols(names, *file, section))
        return inputError(where, toString(std::move(error)));
  object.contents = std::move(copy);
  return Error::success();
}

} // namespace gpulto
