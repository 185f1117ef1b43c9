//===- MemoryTable.h - A program's report on memory accesses ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The linked program carries, in a section that is not loaded, what its kernels
// access; `gpulto explain --memory` prints it. docs/formats.md describes the
// bytes.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_TABLES_MEMORYTABLE_H
#define GPULTO_LTO_TABLES_MEMORYTABLE_H

#include "ipa/access/MemoryRow.h"
#include "support/Error.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <string>
#include <vector>

namespace gpulto {

/// Name of the section.
inline constexpr llvm::StringLiteral kMemorySection = ".gpulto.memory";

/// The rows of one image.
struct MemoryImage {
  /// "sm_90".
  std::string arch;
  std::vector<MemoryRow> rows;
  bool operator==(const MemoryImage &) const = default;
};

struct MemoryTable {
  std::vector<MemoryImage> images;
  bool operator==(const MemoryTable &) const = default;
};

/// Returns the contents of the section.
std::string encodeMemoryTable(const MemoryTable &table);

/// Reads the rows of a table, which are compressed in the section. Errors:
/// damaged; they name \p where.
llvm::Expected<MemoryTable> decodeMemoryRows(llvm::StringRef rows,
                                             const InputLocation &where);

/// Reads what encodeMemoryTable wrote. Errors: damaged, or of another version;
/// they name \p where.
llvm::Expected<MemoryTable> decodeMemoryTable(llvm::StringRef bytes,
                                              const InputLocation &where);

/// Returns the table of the linked program \p file. Errors: it is not an ELF
/// file, has no table, or a damaged one.
llvm::Expected<MemoryTable> readMemoryTable(llvm::MemoryBufferRef file,
                                            const InputLocation &where);

} // namespace gpulto

#endif
