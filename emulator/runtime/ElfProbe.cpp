//===- ElfProbe.cpp - What a program needs from its runtime ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/ElfProbe.h"

#include <cstdio>
#include <cstring>
#include <elf.h>
#include <optional>
#include <string_view>
#include <vector>

namespace gpulto::emu {
namespace {

/// Section names under which compilers keep device code.
constexpr const char *kDeviceSections[] = {".nv_fatbin", ".nvFatBinSegment",
                                           "__nv_relfatbin"};

/// What the static runtime keeps among its constants (CUDA 13.0 looked at);
/// its symbols are gone from stripped programs.
constexpr std::string_view kStaticRuntime = "/cudart.shm.";

/// A file read in pieces; every read says whether it succeeded.
class File {
public:
  explicit File(const std::string &path)
      : handle(std::fopen(path.c_str(), "rb")) {}
  ~File() {
    if (handle)
      std::fclose(handle);
  }
  File(const File &) = delete;
  File &operator=(const File &) = delete;

  bool read(uint64_t offset, void *into, size_t size) const {
    return handle && offset < (uint64_t(1) << 62) &&
           std::fseek(handle, static_cast<long>(offset), SEEK_SET) == 0 &&
           std::fread(into, 1, size, handle) == size;
  }

  /// Reads a table that a header announces; refuses implausible sizes.
  template <typename T>
  std::optional<std::vector<T>> table(uint64_t offset, uint64_t bytes) const {
    constexpr uint64_t kMaxTableBytes = uint64_t(1) << 30;
    if (bytes > kMaxTableBytes)
      return std::nullopt;
    std::vector<T> items(bytes / sizeof(T));
    if (!items.empty() && !read(offset, items.data(), items.size() * sizeof(T)))
      return std::nullopt;
    return items;
  }

private:
  std::FILE *handle;
};

std::string stringAt(const std::vector<char> &strings, uint64_t offset) {
  if (offset >= strings.size())
    return "";
  const char *begin = strings.data() + offset;
  return std::string(begin, strnlen(begin, strings.size() - offset));
}

/// Reads the table that the section with index \p index holds.
template <typename T>
std::vector<T> sectionTable(const File &file,
                            const std::vector<Elf64_Shdr> &sections,
                            size_t index) {
  if (index >= sections.size())
    return {};
  auto items =
      file.table<T>(sections[index].sh_offset, sections[index].sh_size);
  return items ? std::move(*items) : std::vector<T>();
}

void probeDynamic(const File &file, const std::vector<Elf64_Shdr> &sections,
                  const Elf64_Shdr &section, ElfProbe &probe) {
  auto entries = file.table<Elf64_Dyn>(section.sh_offset, section.sh_size);
  std::vector<char> strings =
      sectionTable<char>(file, sections, section.sh_link);
  if (!entries)
    return;
  for (const Elf64_Dyn &entry : *entries) {
    if (entry.d_tag == DT_RPATH)
      probe.hasRpath = true;
    if (entry.d_tag != DT_NEEDED)
      continue;
    std::string name = stringAt(strings, entry.d_un.d_val);
    if (name == "libcuda.so.1")
      probe.needsDriver = true;
    if (name.rfind("libcudart.so", 0) == 0) {
      probe.needsCudart = true;
      probe.cudartName = name;
    }
  }
}

void probeSymbols(const File &file, const std::vector<Elf64_Shdr> &sections,
                  const Elf64_Shdr &section, ElfProbe &probe) {
  auto symbols = file.table<Elf64_Sym>(section.sh_offset, section.sh_size);
  std::vector<char> strings =
      sectionTable<char>(file, sections, section.sh_link);
  if (!symbols)
    return;
  for (const Elf64_Sym &symbol : *symbols)
    if (symbol.st_shndx == SHN_UNDEF &&
        stringAt(strings, symbol.st_name) == "__cudaRegisterFatBinary")
      probe.importsRegistration = true;
}

/// Whether \p section holds the bytes \p wanted.
bool holds(const File &file, const Elf64_Shdr &section,
           std::string_view wanted) {
  auto bytes = file.table<char>(section.sh_offset, section.sh_size);
  return bytes && std::string_view(bytes->data(), bytes->size()).find(wanted) !=
                      std::string_view::npos;
}

} // namespace

ElfProbe probeElf(const std::string &path) {
  ElfProbe probe;
  File file(path);
  Elf64_Ehdr header;
  if (!file.read(0, &header, sizeof(header)) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_shentsize != sizeof(Elf64_Shdr))
    return probe;
  probe.isElf = true;
  auto sections = file.table<Elf64_Shdr>(
      header.e_shoff, uint64_t(header.e_shnum) * sizeof(Elf64_Shdr));
  if (!sections)
    return probe;
  std::vector<char> names =
      sectionTable<char>(file, *sections, header.e_shstrndx);
  const Elf64_Shdr *constants = nullptr;
  for (const Elf64_Shdr &section : *sections) {
    std::string name = stringAt(names, section.sh_name);
    for (const char *deviceSection : kDeviceSections)
      probe.hasDeviceCode |= name == deviceSection;
    if (section.sh_type == SHT_DYNAMIC)
      probeDynamic(file, *sections, section, probe);
    if (section.sh_type == SHT_DYNSYM)
      probeSymbols(file, *sections, section, probe);
    if (name == ".rodata")
      constants = &section;
  }
  // Only then it is asked for; constants may be large.
  if ((probe.needsCudart || probe.needsDriver) && constants)
    probe.hasStaticRuntime = holds(file, *constants, kStaticRuntime);
  return probe;
}

} // namespace gpulto::emu
