//===- ElfObject.cpp - A relocatable object in memory ---------------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fatobj/ElfObject.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

using namespace gpulto;

/// Returns the \p index-th of the \p Record that begin at \p offset of \p
/// bytes, at any alignment. The caller has checked that it is there.
template <typename Record>
static Record readRecord(llvm::StringRef bytes, uint64_t offset,
                         uint64_t index = 0) {
  Record result;
  std::memcpy(&result, bytes.data() + offset + index * sizeof(Record),
              sizeof(Record));
  return result;
}

llvm::Expected<ElfObject> ElfObject::open(llvm::MemoryBufferRef file,
                                          const InputLocation &where) {
  ElfObject result;
  result.bytes = file.getBuffer();
  result.where = where;
  if (llvm::Error error = result.readHeaders())
    return std::move(error);
  if (llvm::Error error = result.readNames())
    return std::move(error);
  return result;
}

/// Numbers of sections that do not fit the file header stand in the header of
/// the null section.
llvm::Error ElfObject::readHeaders() {
  if (!bytes.starts_with(ELFMAG) || bytes.size() < sizeof(Elf64_Ehdr))
    return inputError(where, "no ELF file");
  if (bytes[EI_CLASS] != ELFCLASS64 || bytes[EI_DATA] != ELFDATA2LSB)
    return inputError(where, "not a 64-bit little-endian ELF file");
  ehdr = readRecord<Elf64_Ehdr>(bytes, 0);
  if (ehdr.e_version != EV_CURRENT || ehdr.e_shoff == 0)
    return inputError(where, "malformed ELF header");
  if (ehdr.e_shentsize != sizeof(Elf64_Shdr))
    return inputError(where, "malformed section headers");
  uint64_t room = ehdr.e_shoff > bytes.size()
                      ? 0
                      : (bytes.size() - ehdr.e_shoff) / sizeof(Elf64_Shdr);
  if (room == 0)
    return inputError(where, "section headers outside of the file");
  auto null = readRecord<Elf64_Shdr>(bytes, ehdr.e_shoff);
  uint64_t count = ehdr.e_shnum != 0 ? ehdr.e_shnum : null.sh_size;
  if (count > room)
    return inputError(where, "section headers outside of the file");
  nameTable = ehdr.e_shstrndx != SHN_XINDEX ? ehdr.e_shstrndx : null.sh_link;
  if (nameTable == 0 || nameTable >= count)
    return inputError(where, "no table of section names");
  list.resize(count);
  for (uint64_t i = 0; i != count; ++i) {
    list[i].index = i;
    list[i].header = readRecord<Elf64_Shdr>(bytes, ehdr.e_shoff, i);
  }
  return llvm::Error::success();
}

llvm::Error ElfObject::readNames() {
  if (list[nameTable].header.sh_type != SHT_STRTAB)
    return inputError(where, "no table of section names");
  llvm::Expected<llvm::StringRef> names = contents(list[nameTable]);
  if (!names)
    return names.takeError();
  for (ElfSection &section : llvm::drop_begin(list)) {
    size_t end = names->find('\0', section.header.sh_name);
    if (end == llvm::StringRef::npos)
      return inputError(where, "malformed section name");
    section.name = names->slice(section.header.sh_name, end);
  }
  return llvm::Error::success();
}

const ElfSection *ElfObject::find(llvm::StringRef name) const {
  for (const ElfSection &section : list)
    if (section.index != 0 && section.name == name)
      return &section;
  return nullptr;
}

llvm::Expected<llvm::StringRef>
ElfObject::contents(const ElfSection &section) const {
  if (!section.hasBytes())
    return llvm::StringRef();
  uint64_t offset = section.header.sh_offset;
  uint64_t size = section.header.sh_size;
  if (offset > bytes.size() || size > bytes.size() - offset)
    return inputError(where.inSection(section.name),
                      "section outside of the file: offset " +
                          llvm::Twine(offset) + ", size " + llvm::Twine(size) +
                          ", file size " + llvm::Twine(bytes.size()));
  return bytes.substr(offset, size);
}

static llvm::Error damagedSymbols(const ElfObject &object, const char *what) {
  return inputError(object.location().inSection(".symtab"), what);
}

/// Returns the section numbers that do not fit the symbols of \p table, one for
/// each symbol; empty if there are none. Errors: outside of the file.
static llvm::Expected<llvm::StringRef>
extendedIndexes(const ElfObject &object, const ElfSection &table) {
  for (const ElfSection &section : object.sections())
    if (section.header.sh_type == SHT_SYMTAB_SHNDX &&
        section.header.sh_link == table.index)
      return object.contents(section);
  return llvm::StringRef();
}

/// Adds the symbols of \p table, whose names are in \p strings.
static llvm::Error addGlobals(const ElfObject &object, const ElfSection &table,
                              llvm::StringRef strings,
                              std::vector<ElfSymbol> &result) {
  llvm::Expected<llvm::StringRef> symbols = object.contents(table);
  if (!symbols)
    return symbols.takeError();
  llvm::Expected<llvm::StringRef> extended = extendedIndexes(object, table);
  if (!extended)
    return extended.takeError();
  if (symbols->size() % sizeof(Elf64_Sym) != 0)
    return damagedSymbols(object, "malformed symbol table");
  for (size_t i = 1; i < symbols->size() / sizeof(Elf64_Sym); ++i) {
    ElfSymbol found;
    found.symbol = readRecord<Elf64_Sym>(*symbols, 0, i);
    found.section = found.symbol.st_shndx;
    if (ELF64_ST_BIND(found.symbol.st_info) == STB_LOCAL)
      continue;
    size_t end = strings.find('\0', found.symbol.st_name);
    if (end == llvm::StringRef::npos)
      return damagedSymbols(object, "malformed symbol name");
    found.name = strings.slice(found.symbol.st_name, end);
    bool isWide = found.symbol.st_shndx == SHN_XINDEX;
    if (isWide && extended->size() / sizeof(Elf64_Word) <= i)
      return damagedSymbols(object, "malformed symbol");
    if (isWide)
      found.section = readRecord<Elf64_Word>(*extended, 0, i);
    bool ordinary = found.symbol.st_shndx < SHN_LORESERVE || isWide;
    if (ordinary && found.section >= object.sections().size())
      return damagedSymbols(object, "symbol in a section that is not there");
    result.push_back(found);
  }
  return llvm::Error::success();
}

llvm::Expected<std::vector<ElfSymbol>>
gpulto::globalSymbols(const ElfObject &object) {
  std::vector<ElfSymbol> result;
  for (const ElfSection &section : object.sections()) {
    if (section.header.sh_type != SHT_SYMTAB)
      continue;
    if (section.header.sh_link >= object.sections().size())
      return damagedSymbols(object, "no table of symbol names");
    auto strings = object.contents(object.sections()[section.header.sh_link]);
    if (!strings)
      return strings.takeError();
    if (llvm::Error error = addGlobals(object, section, *strings, result))
      return std::move(error);
  }
  return result;
}
