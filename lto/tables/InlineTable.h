//===- InlineTable.h - A program's table of inlining ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The linked program carries, in a section that is not loaded, the outcomes of
// the calls that whole-program analysis decided on, with reasons; `gpulto
// explain --inlining` prints them. docs/formats.md describes the bytes.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_TABLES_INLINETABLE_H
#define GPULTO_LTO_TABLES_INLINETABLE_H

#include "ipa/inlining/Inlining.h"
#include "support/Error.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace gpulto {

/// Name of the section.
inline constexpr llvm::StringLiteral kInlineSection = ".gpulto.inlining";

inline constexpr size_t kInlineVerdictCount =
    static_cast<size_t>(InlineVerdict::Last) + 1;

struct InlineTableCall {
  /// Mangled, without what promotion adds; the file that the call stands in.
  std::string caller, callee, file;
  /// Without ids, and with the file as above.
  InlineOutcome outcome;
  bool operator==(const InlineTableCall &) const = default;
};

struct InlineTable {
  /// How many calls have each verdict.
  std::array<uint64_t, kInlineVerdictCount> counts{};
  /// By caller; none if there are too many.
  std::vector<InlineTableCall> calls;
  bool operator==(const InlineTable &) const = default;

  /// Returns the number of calls, described or not.
  uint64_t callCount() const;
};

/// Returns the table of \p outcomes, with each call if there are at most
/// Params::inlineTableCalls.
InlineTable makeInlineTable(const WpaContext &context,
                            llvm::ArrayRef<InlineOutcome> outcomes);

/// Returns the contents of the section.
std::string encodeInlineTable(const InlineTable &table);

/// Reads the rows of a table, which are compressed in the section. Errors:
/// damaged; they name \p where.
llvm::Expected<InlineTable> decodeInlineRows(llvm::StringRef rows,
                                             const InputLocation &where);

/// Reads what encodeInlineTable wrote. Errors: damaged, or of another version;
/// they name \p where.
llvm::Expected<InlineTable> decodeInlineTable(llvm::StringRef bytes,
                                              const InputLocation &where);

/// Returns the table of the linked program \p file. Errors: it is not an ELF
/// file, has no table, or a damaged one.
llvm::Expected<InlineTable> readInlineTable(llvm::MemoryBufferRef file,
                                            const InputLocation &where);

} // namespace gpulto

#endif
