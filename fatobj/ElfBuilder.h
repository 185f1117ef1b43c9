//===- ElfBuilder.h - Building a relocatable object -------------*- C++ -*-===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Internal to fatobj/: what the writer makes files of. Sections come in
// index order; file offsets are assigned in that order, headers come last.
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_FATOBJ_ELFBUILDER_H
#define GPULTO_FATOBJ_ELFBUILDER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <elf.h>
#include <string>
#include <vector>

namespace gpulto {

/// A section to be written. sh_name is an offset into the section that the
/// builder's nameTable names; sh_offset is assigned.
struct SectionToWrite {
  Elf64_Shdr header = {};
  llvm::StringRef contents; ///< must outlive build()
};

/// A relocatable object to be written.
struct ElfBuilder {
  uint16_t machine = 0;
  uint32_t flags = 0;
  uint8_t osAbi = 0;
  uint8_t abiVersion = 0;
  size_t nameTable = 0;                 ///< index of the section names
  std::vector<SectionToWrite> sections; ///< the null section included

  /// Returns the file. Errors: sections that no file can hold.
  llvm::Expected<std::string> build() const;
};

} // namespace gpulto

#endif // GPULTO_FATOBJ_ELFBUILDER_H
