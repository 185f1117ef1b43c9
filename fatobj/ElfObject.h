//===- ElfObject.h - A relocatable as libelf sees it ------------*- C++ -*-===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of libelf's interface that the reader and the writer share, with
// every offset checked against the buffer. Internal to fatobj/.
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_FATOBJ_ELFOBJECT_H
#define GPULTO_FATOBJ_ELFOBJECT_H

#include "support/Error.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <gelf.h>
#include <libelf.h>
#include <memory>
#include <vector>

namespace gpulto {

/// The type that clang gives .llvm.lto; not in Debian's elf.h.
inline constexpr uint32_t kShtLlvmLto = 0x6fff4c0c;

struct ElfDeleter {
  void operator()(Elf *elf) const { elf_end(elf); }
};
using ElfHandle = std::unique_ptr<Elf, ElfDeleter>;

/// One section of an ElfObject.
struct ElfSection {
  size_t index = 0;
  llvm::StringRef name;
  GElf_Shdr header = {};
  Elf_Scn *scn = nullptr;

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
  const GElf_Ehdr &header() const { return ehdr; }
  size_t nameTableIndex() const { return nameTable; }
  Elf *handle() const { return elf.get(); }
  const InputLocation &location() const { return where; }

private:
  ElfHandle elf;
  llvm::StringRef bytes;
  InputLocation where;
  GElf_Ehdr ehdr = {};
  size_t nameTable = 0;
  std::vector<ElfSection> list;
};

/// A symbol that is not local.
struct ElfSymbol {
  llvm::StringRef name; ///< in the file's bytes
  GElf_Sym symbol = {};
  size_t section = 0; ///< SHN_XINDEX resolved
};

/// Returns the symbols of \p object that are not local, in the order of its
/// symbol table. Errors: malformed.
llvm::Expected<std::vector<ElfSymbol>> globalSymbols(const ElfObject &object);

} // namespace gpulto

#endif // GPULTO_FATOBJ_ELFOBJECT_H
