//===- ProgramTable.h - Tables that a program carries for tools -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The form that all tables of a linked program share: a section that is not
// loaded, with a magic of four letters, the last of which is the version, two
// sizes and compressed rows.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_TABLES_PROGRAMTABLE_H
#define GPULTO_LTO_TABLES_PROGRAMTABLE_H

#include "support/Error.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <optional>
#include <string>

namespace gpulto {

/// Returns the contents of a section with \p rows.
std::string packTable(llvm::StringRef magic, llvm::StringRef rows);

/// Returns the rows that packTable was given. Errors: damaged, or without \p
/// magic, which identifies a table of \p what; they name \p where.
llvm::Expected<std::string> unpackTable(llvm::StringRef magic,
                                        llvm::StringRef what,
                                        llvm::StringRef bytes,
                                        const InputLocation &where);

/// A section of a program. \c bytes points into the file that was read.
struct ProgramTable {
  llvm::StringRef bytes;
  InputLocation where;
};

/// Returns the section \p name of the linked program \p file; nothing if there
/// is none. Errors: it is not an ELF file, or damaged.
llvm::Expected<std::optional<ProgramTable>>
findTable(llvm::MemoryBufferRef file, llvm::StringRef name,
          const InputLocation &where);

/// Returns the section \p name, as findTable does. If there is none, that is an
/// error, too, which gives \p why as the likely reason: "nothing was folded".
llvm::Expected<ProgramTable> requireTable(llvm::MemoryBufferRef file,
                                          llvm::StringRef name,
                                          llvm::StringRef why,
                                          const InputLocation &where);

/// Returns a host object that holds the section \p name with \p contents.
/// \p machine: an EM_ constant.
llvm::Expected<std::string> makeTableObject(llvm::StringRef name,
                                            llvm::StringRef contents,
                                            uint16_t machine);

} // namespace gpulto

#endif
