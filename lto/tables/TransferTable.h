//===- TransferTable.h - A program's table of copies ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The linked program carries, in a section that is not loaded, what was decided
// of its copies and fills between host and device, with reasons; `gpulto
// explain --transfers` prints them. docs/formats.md describes the bytes.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_TABLES_TRANSFERTABLE_H
#define GPULTO_LTO_TABLES_TRANSFERTABLE_H

#include "summary/Decisions.h"
#include "summary/WpaContext.h"
#include "support/Error.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gpulto {

/// Name of the section.
inline constexpr llvm::StringLiteral kTransferSection = ".gpulto.transfers";

/// One call that copies or fills.
struct TransferTableRow {
  /// The function that the call is in: mangled, without what promotion adds.
  std::string function;
  /// The runtime's function: "cudaMemcpy".
  std::string callee;
  /// Where the call is; the line and the column are 0 where not known.
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;
  TransferVerdict verdict = TransferVerdict::Needed;
  /// The call was changed, and not only found to be one that could be.
  bool isChanged = false;
  /// What a sentence says of the call, with linkage names between quotes: "is
  /// not made: nobody reads what it writes".
  std::string reason;
  bool operator==(const TransferTableRow &) const = default;
};

struct TransferTable {
  std::vector<TransferTableRow> rows; ///< in the order of the program
  bool operator==(const TransferTable &) const = default;
};

/// Returns the table of what \p context decided.
TransferTable makeTransferTable(const WpaContext &context);

/// Returns the contents of the section.
std::string encodeTransferTable(const TransferTable &table);

/// Reads the rows of a table, which are compressed in the section. Errors:
/// damaged; they name \p where.
llvm::Expected<TransferTable> decodeTransferRows(llvm::StringRef rows,
                                                 const InputLocation &where);

/// Reads what encodeTransferTable wrote. Errors: damaged, or of another
/// version; they name \p where.
llvm::Expected<TransferTable> decodeTransferTable(llvm::StringRef bytes,
                                                  const InputLocation &where);

/// Returns the table of the linked program \p file. Errors: it is not an ELF
/// file, has no table, or a damaged one.
llvm::Expected<TransferTable> readTransferTable(llvm::MemoryBufferRef file,
                                                const InputLocation &where);

} // namespace gpulto

#endif
