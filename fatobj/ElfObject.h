//===- ElfObject.h - A relocatable object in memory -------------*- C++ -*-===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the reader and the writer see of an ELF file, with every offset checked
// against the buffer. Internal to fatobj/.
//
// Why not LLVM's ELFFile (llvm/Object/ELF.h), with which lto/ looks for
// sections of programs: it would replace the reading of headers and names, a
// third of ElfObject.cpp, and take as much to adapt. Its errors number sections
// where ours name the place, file(member):(section); a file without a table of
// sections is one without sections there, and damaged here; and the writer puts
// headers, which are as in elf.h, back into files (ElfBuilder), which LLVM's
// library cannot do.
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_FATOBJ_ELFOBJECT_H
#define GPULTO_FATOBJ_ELFOBJECT_H

#include "support/Error.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <elf.h>
#include <vector>

namespace gpulto {

/// The type that clang gives .llvm.lto; not in Debian's elf.h.
inline constexpr uint32_t kShtLlvmLto = 0x6fff4c0c;

/// One section of an ElfObject.
struct ElfSection {
  size_t index = 0;
  llvm::StringRef name;
  Elf64_Shdr header = {};

  bool hasBytes() const {
    return header.sh_type != SHT_NOBITS && header.sh_type != SHT_NULL;
  }
};

/// A 64-bit little-endian ELF file in memory.
class ElfObject {
public:
  /// Opens \p file; reads headers and section names only. The buffer must
  /// outlive the object.
  static llvm::Expected<ElfObject> open(llvm::MemoryBufferRef file,
                                        const InputLocation &where);

  /// All sections, the null section included: index = position.
  const std::vector<ElfSection> &sections() const { return list; }
  /// Returns the first section of that name or null.
  const ElfSection *find(llvm::StringRef name) const;
  /// Returns the bytes of \p section in the file (empty for SHT_NOBITS).
  /// Errors: not within the file.
  llvm::Expected<llvm::StringRef> contents(const ElfSection &section) const;
  const Elf64_Ehdr &header() const { return ehdr; }
  size_t nameTableIndex() const { return nameTable; }
  const InputLocation &location() const { return where; }

private:
  llvm::Error readHeaders();
  llvm::Error readNames();

  llvm::StringRef bytes;
  InputLocation where;
  Elf64_Ehdr ehdr = {};
  size_t nameTable = 0;
  std::vector<ElfSection> list;
};

/// A symbol that is not local.
struct ElfSymbol {
  llvm::StringRef name; ///< in the file's bytes
  Elf64_Sym symbol = {};
  size_t section = 0; ///< SHN_XINDEX resolved
};

/// Returns the symbols of \p object that are not local, in the order of its
/// symbol table. Errors: malformed.
llvm::Expected<std::vector<ElfSymbol>> globalSymbols(const ElfObject &object);

} // namespace gpulto

#endif // GPULTO_FATOBJ_ELFOBJECT_H
