//===- SectionObject.cpp - An object that carries one section -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fatobj/SectionObject.h"

#include "fatobj/ElfBuilder.h"
#include "support/BinaryStream.h"
#include "support/Error.h"

#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace gpulto {

/// Returns the note by which an x86-64 object allows protection of indirect
/// branches and returns: linkers keep what all objects allow.
static std::string propertyNote() {
  constexpr StringLiteral kName = StringLiteral::withInnerNUL("GNU\0");
  constexpr uint32_t kPropertyBytes = 16;
  BinaryWriter out;
  out.u32(kName.size());
  out.u32(kPropertyBytes);
  out.u32(NT_GNU_PROPERTY_TYPE_0);
  out.bytes(kName);
  out.u32(GNU_PROPERTY_X86_FEATURE_1_AND);
  out.u32(sizeof(uint32_t));
  out.u32(GNU_PROPERTY_X86_FEATURE_1_IBT | GNU_PROPERTY_X86_FEATURE_1_SHSTK);
  out.alignTo(sizeof(uint64_t));
  return out.take();
}

/// Returns the symbol table of an object: \p section, its first, has a hidden
/// weak symbol, whose name is at 1 in the table of names.
static std::string symbolTable(const DataSection &section) {
  BinaryWriter out;
  out.bytes(std::string(sizeof(Elf64_Sym), '\0')); // the null symbol
  out.u32(1);
  out.u8(ELF64_ST_INFO(STB_WEAK, STT_OBJECT));
  out.u8(STV_HIDDEN);
  out.u16(1);
  out.u64(0);
  out.u64(section.contents.size());
  return out.take();
}

Expected<std::string> makeSectionObject(const DataSection &section,
                                        uint16_t machine) {
  ElfBuilder builder;
  builder.machine = machine;
  builder.sections.emplace_back(); // the null section
  std::string names(1, '\0');
  auto add = [&](const DataSection &from) {
    SectionToWrite &to = builder.sections.emplace_back();
    to.header.sh_name = names.size();
    to.header.sh_type = from.type;
    to.header.sh_flags = from.flags;
    to.header.sh_addralign = from.alignment;
    to.contents = from.contents;
    names += from.name;
    names += '\0';
  };
  add(section);
  std::string property = propertyNote();
  if (machine == EM_X86_64)
    add({".note.gnu.property", SHT_NOTE, SHF_ALLOC, sizeof(uint64_t),
         property});
  add({".note.GNU-stack", SHT_PROGBITS, 0, 1, ""});
  std::string symbols, symbolNames;
  if (!section.symbol.empty()) {
    symbols = symbolTable(section);
    symbolNames = '\0' + section.symbol.str() + '\0';
    add({".strtab", SHT_STRTAB, 0, 1, symbolNames});
    add({".symtab", SHT_SYMTAB, 0, sizeof(uint64_t), symbols});
    Elf64_Shdr &header = builder.sections.back().header;
    header.sh_link = builder.sections.size() - 2;
    header.sh_info = 1; // the first that is not local
    header.sh_entsize = sizeof(Elf64_Sym);
  }
  add({".shstrtab", SHT_STRTAB, 0, 1, ""});
  builder.nameTable = builder.sections.size() - 1;
  builder.sections.back().contents = names;
  return builder.build();
}

Expected<uint16_t> elfMachine(StringRef triple) {
  switch (Triple(triple).getArch()) {
  case Triple::x86_64:
    return EM_X86_64;
  case Triple::aarch64:
    return EM_AARCH64;
  default:
    return makeError("cannot make objects for '" + triple + "'");
  }
}

} // namespace gpulto
