//===- CubinSymbols.cpp - The names in relocatable device code ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A cubin is an ELF file. NVIDIA's additions to symbols have no published
// description; these were found by comparing the output of ptxas (13.0) for
// known PTX:
//
//   type 13                a variable; st_other: 0x20 global, 0x40 shared,
//                          0x80 constant memory. OBJECT, the ELF type, in
//                          cubins of whole programs
//   st_other & 0x10        of a function: a kernel
//   weak, undefined        __UDT_OFFSET, .nv.reservedSmem.offset0, ...:
//                          nvlink's
//
//===----------------------------------------------------------------------===//

#include "lto/devicelink/CubinSymbols.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"

#include <optional>

using namespace llvm;

namespace gpulto {

using CubinFile = object::ELF64LEFile;

static constexpr uint8_t kCudaObject = 13;  // STT_CUDA_OBJECT
static constexpr uint8_t kCudaEntry = 0x10; // STO_CUDA_ENTRY
static constexpr uint8_t kCudaShared = 0x40;

/// Returns what \p symbol is, or nothing when other code cannot mean it.
static std::optional<NativeSymbol::Kind>
kindOf(const CubinFile::Elf_Sym &symbol) {
  if (symbol.getBinding() == ELF::STB_LOCAL)
    return std::nullopt;
  switch (symbol.getType()) {
  case ELF::STT_FUNC:
    return symbol.st_other & kCudaEntry ? NativeSymbol::Kind::Kernel
                                        : NativeSymbol::Kind::Function;
  case ELF::STT_OBJECT:
    return NativeSymbol::Kind::Variable;
  case kCudaObject:
    if (symbol.st_other & kCudaShared)
      return std::nullopt;
    return NativeSymbol::Kind::Variable;
  default:
    return std::nullopt;
  }
}

static Error readTable(const CubinFile &file, const CubinFile::Elf_Shdr &table,
                       std::vector<NativeSymbol> &result) {
  auto symbols = file.symbols(&table);
  if (!symbols)
    return symbols.takeError();
  auto strings = file.getStringTableForSymtab(table);
  if (!strings)
    return strings.takeError();
  for (const CubinFile::Elf_Sym &symbol : *symbols) {
    std::optional<NativeSymbol::Kind> kind = kindOf(symbol);
    bool isWeak = symbol.getBinding() == ELF::STB_WEAK;
    if (!kind || (isWeak && symbol.isUndefined()))
      continue;
    Expected<StringRef> name = symbol.getName(*strings);
    if (!name)
      return name.takeError();
    result.push_back({name->str(), *kind, !symbol.isUndefined(), isWeak});
  }
  return Error::success();
}

Expected<std::vector<NativeSymbol>>
readCubinSymbols(StringRef cubin, const InputLocation &where) {
  std::vector<NativeSymbol> result;
  auto read = [&]() -> Error {
    auto file = CubinFile::create(cubin);
    if (!file)
      return file.takeError();
    auto sections = file->sections();
    if (!sections)
      return sections.takeError();
    for (const CubinFile::Elf_Shdr &section : *sections)
      if (section.sh_type == ELF::SHT_SYMTAB)
        if (Error error = readTable(*file, section, result))
          return error;
    return Error::success();
  };
  if (Error error = read())
    return inputError(where, toString(std::move(error)));
  return result;
}

} // namespace gpulto
