//===- ElfBuilder.cpp - Building a relocatable object ---------------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// File header, sections in the order of their indexes, section headers.
//
//===----------------------------------------------------------------------===//

#include "fatobj/ElfBuilder.h"

#include "support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace gpulto;

/// Bytes that alignment may add to a file in all. More is a damaged header:
/// the gaps are written out.
static constexpr uint64_t kMaxPadding = 64 << 20;

/// Places one section at \p offset or behind; moves \p offset to its end.
static llvm::Error place(Elf64_Shdr &header, llvm::StringRef contents,
                         uint64_t &offset, uint64_t &padding) {
  uint64_t alignment = std::max<uint64_t>(header.sh_addralign, 1);
  if (!llvm::isPowerOf2_64(alignment) || alignment > kMaxPadding)
    return makeError("section alignment " + llvm::Twine(alignment));
  header.sh_offset = llvm::alignTo(offset, alignment);
  padding += header.sh_offset - offset;
  if (padding > kMaxPadding)
    return makeError("section alignments need more than " +
                     llvm::Twine(kMaxPadding) + " bytes of padding");
  offset = header.sh_offset;
  if (header.sh_type == SHT_NOBITS)
    return llvm::Error::success();
  header.sh_size = contents.size();
  offset += header.sh_size;
  return llvm::Error::success();
}

/// Writes numbers of sections. Those of SHN_LORESERVE and above do not fit the
/// file header and stand in the header of the null section.
static void setNumbers(Elf64_Ehdr &file, Elf64_Shdr &null, size_t count,
                       size_t nameTable) {
  file.e_shnum = count < SHN_LORESERVE ? count : 0;
  if (count >= SHN_LORESERVE)
    null.sh_size = count;
  file.e_shstrndx = nameTable < SHN_LORESERVE ? nameTable : SHN_XINDEX;
  if (nameTable >= SHN_LORESERVE)
    null.sh_link = static_cast<Elf64_Word>(nameTable);
}

static Elf64_Ehdr fileHeader(const ElfBuilder &builder, uint64_t sectionTable) {
  Elf64_Ehdr header = {};
  llvm::copy(llvm::StringRef(ELFMAG), header.e_ident);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_ident[EI_OSABI] = builder.osAbi;
  header.e_ident[EI_ABIVERSION] = builder.abiVersion;
  header.e_type = ET_REL;
  header.e_machine = builder.machine;
  header.e_version = EV_CURRENT;
  header.e_shoff = sectionTable;
  header.e_flags = builder.flags;
  header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_shentsize = sizeof(Elf64_Shdr);
  return header;
}

template <typename Record>
static void append(std::string &file, const Record &record) {
  file.append(reinterpret_cast<const char *>(&record), sizeof(Record));
}

llvm::Expected<std::string> ElfBuilder::build() const {
  std::vector<Elf64_Shdr> headers;
  uint64_t end = sizeof(Elf64_Ehdr), padding = 0;
  for (const SectionToWrite &section : sections) {
    headers.push_back(section.header);
    if (headers.size() == 1)
      headers.back() = {}; // the null section
    else if (llvm::Error error =
                 place(headers.back(), section.contents, end, padding))
      return std::move(error);
  }
  Elf64_Ehdr header =
      fileHeader(*this, llvm::alignTo(end, alignof(Elf64_Shdr)));
  setNumbers(header, headers.front(), headers.size(), nameTable);

  std::string file;
  file.reserve(header.e_shoff + headers.size() * sizeof(Elf64_Shdr));
  append(file, header);
  for (auto [section, placed] : llvm::zip_equal(sections, headers)) {
    if (placed.sh_type == SHT_NOBITS || placed.sh_type == SHT_NULL)
      continue;
    file.resize(placed.sh_offset);
    file += section.contents;
  }
  file.resize(header.e_shoff);
  for (const Elf64_Shdr &placed : headers)
    append(file, placed);
  return file;
}
