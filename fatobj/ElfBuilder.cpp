//===- ElfBuilder.cpp - Building a relocatable with libelf ----------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libelf writes only to a descriptor, so the file is built in a memfd. All data
// is passed as ELF_T_BYTE and the layout is ours (ELF_F_LAYOUT): libelf then
// neither converts nor "corrects" what the compiler wrote.
//
//===----------------------------------------------------------------------===//

#include "fatobj/ElfBuilder.h"

#include "fatobj/ElfObject.h"
#include "support/Error.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cerrno>
#include <sys/mman.h>
#include <unistd.h>

using namespace gpulto;

static llvm::Error libelfError(const char *what) {
  const char *why = elf_errmsg(-1);
  return makeError(llvm::Twine("cannot build the object: ") + what + ": " +
                   (why ? why : "unknown libelf error"));
}

/// Bytes that alignment may add to a file in all. More is a damaged header:
/// the gaps are written out.
static constexpr uint64_t kMaxPadding = 64 << 20;

/// Adds one section at \p offset; returns the offset after it.
static llvm::Error addSection(Elf *elf, const SectionToWrite &section,
                              uint64_t &offset, uint64_t &padding) {
  Elf_Scn *scn = elf_newscn(elf);
  if (!scn)
    return libelfError("new section");
  GElf_Shdr header = section.header;
  uint64_t alignment = std::max<uint64_t>(header.sh_addralign, 1);
  if (!llvm::isPowerOf2_64(alignment) || alignment > kMaxPadding)
    return makeError("section alignment " + llvm::Twine(alignment));
  uint64_t aligned = llvm::alignTo(offset, alignment);
  padding += aligned - offset;
  if (padding > kMaxPadding)
    return makeError("section alignments need more than " +
                     llvm::Twine(kMaxPadding) + " bytes of padding");
  offset = aligned;
  header.sh_offset = offset;
  if (header.sh_type != SHT_NOBITS) {
    header.sh_size = section.contents.size();
    offset += header.sh_size;
  }
  Elf_Data *data = elf_newdata(scn);
  if (!data)
    return libelfError("new section data");
  data->d_type = ELF_T_BYTE;
  data->d_version = EV_CURRENT;
  data->d_align = alignment;
  data->d_size = header.sh_size;
  // libelf does not write through d_buf.
  if (header.sh_type != SHT_NOBITS && !section.contents.empty())
    data->d_buf = const_cast<char *>(section.contents.data());
  if (!gelf_update_shdr(scn, &header))
    return libelfError("section header");
  return llvm::Error::success();
}

/// Section indices of SHN_LORESERVE and above do not fit the file header and
/// stand in the null section's header, whose size libelf sets itself.
static llvm::Error setNameTable(Elf *elf, GElf_Ehdr &header, size_t index) {
  if (index < SHN_LORESERVE) {
    header.e_shstrndx = static_cast<GElf_Half>(index);
    return llvm::Error::success();
  }
  header.e_shstrndx = SHN_XINDEX;
  Elf_Scn *null = elf_getscn(elf, 0);
  GElf_Shdr nullHeader = {};
  if (!null || !gelf_getshdr(null, &nullHeader))
    return libelfError("null section");
  nullHeader.sh_link = static_cast<GElf_Word>(index);
  if (!gelf_update_shdr(null, &nullHeader))
    return libelfError("null section");
  return llvm::Error::success();
}

static llvm::Error fillFile(Elf *elf, const ElfBuilder &builder) {
  if (!gelf_newehdr(elf, ELFCLASS64))
    return libelfError("file header");
  elf_flagelf(elf, ELF_C_SET, ELF_F_LAYOUT);
  uint64_t offset = sizeof(Elf64_Ehdr), padding = 0;
  for (size_t i = 1; i < builder.sections.size(); ++i)
    if (llvm::Error error =
            addSection(elf, builder.sections[i], offset, padding))
      return error;
  GElf_Ehdr header = {};
  if (!gelf_getehdr(elf, &header))
    return libelfError("file header");
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_OSABI] = builder.osAbi;
  header.e_ident[EI_ABIVERSION] = builder.abiVersion;
  header.e_type = ET_REL;
  header.e_machine = builder.machine;
  header.e_version = EV_CURRENT;
  header.e_flags = builder.flags;
  header.e_shoff = llvm::alignTo(offset, alignof(Elf64_Shdr));
  if (llvm::Error error = setNameTable(elf, header, builder.nameTable))
    return error;
  if (!gelf_update_ehdr(elf, &header) || elf_update(elf, ELF_C_WRITE) < 0)
    return libelfError("write");
  return llvm::Error::success();
}

static llvm::Expected<std::string> readBack(int fd) {
  off_t size = lseek(fd, 0, SEEK_END);
  if (size < 0)
    return fileError("memory file", "cannot read", errno);
  std::string result(static_cast<size_t>(size), '\0');
  for (size_t at = 0; at != result.size();) {
    ssize_t part = pread(fd, result.data() + at, result.size() - at,
                         static_cast<off_t>(at));
    if (part < 0 && errno == EINTR)
      continue;
    if (part <= 0)
      return fileError("memory file", "cannot read", errno);
    at += static_cast<size_t>(part);
  }
  return result;
}

llvm::Expected<std::string> ElfBuilder::build() const {
  int fd = memfd_create("gpulto-object", MFD_CLOEXEC);
  if (fd < 0)
    return fileError("memory file", "cannot create", errno);
  llvm::scope_exit closeFile([&] { close(fd); });
  elf_version(EV_CURRENT);
  ElfHandle elf(elf_begin(fd, ELF_C_WRITE, nullptr));
  if (!elf)
    return libelfError("begin");
  if (llvm::Error error = fillFile(elf.get(), *this))
    return error;
  elf.reset();
  return readBack(fd);
}
