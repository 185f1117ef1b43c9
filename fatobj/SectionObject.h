//===- SectionObject.h - An object that carries one section -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_FATOBJ_SECTIONOBJECT_H
#define GPULTO_FATOBJ_SECTIONOBJECT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>

namespace gpulto {

/// Data that a link puts into its output as a section of its own.
struct DataSection {
  llvm::StringRef name;
  uint32_t type = 0;  ///< SHT_PROGBITS, SHT_NOTE
  uint64_t flags = 0; ///< SHF_ALLOC, or none: not loaded
  uint64_t alignment = 1;
  llvm::StringRef contents;
  /// A hidden, weak symbol at its start; all sections that use one name must
  /// have the same contents. Empty: none.
  llvm::StringRef symbol = "";
};

/// Returns an ELF object for \p machine (an EM_ constant) that holds only \p
/// section: no other symbols, not even the name of a source file, and nothing
/// that weakens the properties of the output (a non-executable stack,
/// control-flow protection). Errors: those of ElfBuilder.
llvm::Expected<std::string> makeSectionObject(const DataSection &section,
                                              uint16_t machine);

/// Returns the EM_ constant for \p triple. Errors: a processor that gpulto does
/// not know.
llvm::Expected<uint16_t> elfMachine(llvm::StringRef triple);

} // namespace gpulto

#endif // GPULTO_FATOBJ_SECTIONOBJECT_H
