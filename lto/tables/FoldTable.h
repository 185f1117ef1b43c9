//===- FoldTable.h - A program's table of folds -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The linked program carries, in a section that is not loaded, which of its
// functions do the same and what became of each: for people who miss a symbol,
// and for tools that name frames. docs/formats.md describes the bytes.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_TABLES_FOLDTABLE_H
#define GPULTO_LTO_TABLES_FOLDTABLE_H

#include "lto/job/LtransJob.h"
#include "support/Error.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gpulto {

/// Name of the section.
inline constexpr llvm::StringLiteral kFoldSection = ".gpulto.folds";

/// What became of a definition in a class.
enum class FoldState : uint8_t {
  /// The body that stays.
  Leads,
  /// Removed: its uses are the leader's.
  Folded,
  /// A separate symbol that jumps to the leader.
  Jumps,
  /// It does the same, but has its own body.
  Stays,
  Last = Stays
};

struct FoldTableMember {
  /// The symbol's name, mangled, without what promotion adds.
  std::string name;
  FoldState state = FoldState::Leads;
  /// Estimates: IR instructions, and bytes of code.
  uint32_t instructions = 0;
  uint32_t sizeBytes = 0;
  /// Jumps, Stays: why it is not folded.
  std::string reason;
  /// Its number in the table of call sites; kNone: it has none. It hardly
  /// depends on the rest of the program, so that folds of other functions
  /// change no object.
  uint32_t number = kNone;
  bool operator==(const FoldTableMember &) const = default;
};

struct FoldTableClass {
  /// "sm_90"; empty: host.
  std::string arch;
  /// The leader first.
  std::vector<FoldTableMember> members;
  bool operator==(const FoldTableClass &) const = default;
};

struct FoldTable {
  std::vector<FoldTableClass> classes;
  bool operator==(const FoldTable &) const = default;
};

/// Returns the contents of the section.
std::string encodeFoldTable(const FoldTable &table);

/// Reads the rows of a table, which are compressed in the section. Errors:
/// damaged; they name \p where.
llvm::Expected<FoldTable> decodeFoldRows(llvm::StringRef rows,
                                         const InputLocation &where);

/// Reads what encodeFoldTable wrote. Errors: damaged, or of another version;
/// they name \p where.
llvm::Expected<FoldTable> decodeFoldTable(llvm::StringRef bytes,
                                          const InputLocation &where);

/// Returns the table of the linked program \p file. Errors: it is not an ELF
/// file, has no table (it was linked without gpulto, or no functions in it do
/// the same), or a damaged one.
llvm::Expected<FoldTable> readFoldTable(llvm::MemoryBufferRef file,
                                        const InputLocation &where);

/// Returns comments for the end of \p ptx, the device code for \p arch: the
/// source names of each kernel that stands for several in \p table.
std::string describeFoldedKernels(llvm::StringRef ptx, llvm::StringRef arch,
                                  const FoldTable &table);

} // namespace gpulto

#endif
