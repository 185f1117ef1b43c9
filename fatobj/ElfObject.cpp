//===- ElfObject.cpp - A relocatable as libelf sees it --------------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fatobj/ElfObject.h"

using namespace gpulto;

static llvm::Error elfError(const InputLocation &where, const char *what) {
  const char *why = elf_errmsg(-1);
  return inputError(where, llvm::Twine(what) + ": " +
                               (why ? why : "unknown libelf error"));
}

llvm::Expected<ElfObject> ElfObject::open(llvm::MemoryBufferRef file,
                                          const InputLocation &where) {
  llvm::StringRef bytes = file.getBuffer();
  if (!bytes.starts_with(ELFMAG) || bytes.size() < sizeof(Elf64_Ehdr))
    return inputError(where, "no ELF file");
  if (bytes[EI_CLASS] != ELFCLASS64 || bytes[EI_DATA] != ELFDATA2LSB)
    return inputError(where, "not a 64-bit little-endian ELF file");
  elf_version(EV_CURRENT);
  ElfObject result;
  result.bytes = bytes;
  result.where = where;
  // libelf takes a pointer to char, but does not write to the image.
  result.elf.reset(elf_memory(const_cast<char *>(bytes.data()), bytes.size()));
  if (!result.elf || elf_kind(result.elf.get()) != ELF_K_ELF)
    return elfError(where, "malformed ELF file");
  if (!gelf_getehdr(result.elf.get(), &result.ehdr) ||
      elf_getshdrstrndx(result.elf.get(), &result.nameTable) != 0)
    return elfError(where, "malformed ELF header");
  size_t count = 0;
  if (elf_getshdrnum(result.elf.get(), &count) != 0)
    return elfError(where, "malformed section headers");
  if (count > bytes.size() / sizeof(Elf64_Shdr))
    return inputError(where, "section headers outside of the file");
  if (result.nameTable == 0 || result.nameTable >= count)
    return inputError(where, "no table of section names");
  result.list.reserve(count);
  for (size_t i = 0; i != count; ++i) {
    ElfSection section;
    section.index = i;
    section.scn = elf_getscn(result.elf.get(), i);
    if (!section.scn || !gelf_getshdr(section.scn, &section.header))
      return elfError(where, "malformed section header");
    const char *name = i == 0 ? ""
                              : elf_strptr(result.elf.get(), result.nameTable,
                                           section.header.sh_name);
    if (!name)
      return elfError(where, "malformed section name");
    section.name = name;
    result.list.push_back(section);
  }
  return result;
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

/// Adds the symbols of the table \p section, whose names are in \p strings.
static llvm::Error addGlobals(const ElfObject &object,
                              const ElfSection &section,
                              llvm::StringRef strings,
                              std::vector<ElfSymbol> &result) {
  Elf_Data *data = elf_getdata(section.scn, nullptr);
  if (!data)
    return damagedSymbols(object, "malformed symbol table");
  Elf_Data *extended = nullptr;
  if (int index = elf_scnshndx(section.scn); index > 0)
    extended = elf_getdata(elf_getscn(object.handle(), index), nullptr);
  int count = static_cast<int>(data->d_size / sizeof(Elf64_Sym));
  for (int i = 1; i < count; ++i) {
    ElfSymbol found;
    Elf32_Word wide = 0;
    if (!gelf_getsymshndx(data, extended, i, &found.symbol, &wide))
      return damagedSymbols(object, "malformed symbol");
    if (GELF_ST_BIND(found.symbol.st_info) == STB_LOCAL)
      continue;
    size_t end = strings.find('\0', found.symbol.st_name);
    if (end == llvm::StringRef::npos)
      return damagedSymbols(object, "malformed symbol name");
    found.name = strings.slice(found.symbol.st_name, end);
    found.section =
        found.symbol.st_shndx == SHN_XINDEX ? wide : found.symbol.st_shndx;
    bool ordinary = found.symbol.st_shndx < SHN_LORESERVE ||
                    found.symbol.st_shndx == SHN_XINDEX;
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
