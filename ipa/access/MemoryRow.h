//===- MemoryRow.h - What is known of one access to memory ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A row of the report on memory accesses: one place in the source, in one
// kernel, for one shape of its blocks. Jobs write rows, the link gathers them,
// `gpulto explain --memory` prints them.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_ACCESS_MEMORYROW_H
#define GPULTO_IPA_ACCESS_MEMORYROW_H

#include "llvm/ADT/StringRef.h"

#include <array>
#include <cstdint>
#include <string>

namespace llvm {
class GlobPattern;
} // namespace llvm

namespace gpulto {

enum class MemorySpace : uint8_t {
  Global,
  Shared,
  Constant,
  Local,
  Last = Local
};

enum class AccessKind : uint8_t {
  Load,
  Store,
  Atomic,
  /// No access: a branch at which lanes part.
  Branch,
  Last = Branch
};

/// How the lanes of a warp share what memory moves.
enum class AccessVerdict : uint8_t {
  /// All lanes name one address, or only one lane is there.
  Broadcast,
  /// As few sectors as the bytes need; in shared memory, one turn.
  Coalesced,
  /// It would be coalesced if it began at the start of a sector.
  Misaligned,
  /// Neighboring lanes lie equally far apart.
  Strided,
  /// More sectors than needed, of another pattern.
  Uncoalesced,
  /// Shared memory: lanes wait for one bank. Constant memory: for each other.
  Conflict,
  /// A branch in a loop: lanes of a warp go both ways.
  Divergent,
  /// Data decides.
  Irregular,
  /// Not known.
  Unknown,
  Last = Unknown
};

/// Returns the word for \p verdict in reports: "uncoalesced".
llvm::StringRef wordFor(AccessVerdict verdict);
llvm::StringRef wordFor(AccessKind kind);
llvm::StringRef wordFor(MemorySpace space);

/// Sectors, in all warps of a block; those expected on average.
struct RowSectors {
  uint64_t least = 0, most = 0;
  double expected = 0;
  bool operator==(const RowSectors &) const = default;
};

struct MemoryRow {
  /// Linkage names: of the kernel in PTX, and of the function of the source
  /// that the access stands in; "" without line tables.
  std::string kernel, function;
  /// As line tables say; "" and 0 without.
  std::string file;
  uint32_t line = 0, column = 0;
  MemorySpace space = MemorySpace::Global;
  AccessKind kind = AccessKind::Load;
  AccessVerdict verdict = AccessVerdict::Unknown;
  /// It wastes bandwidth, unless a premise in \c reason is wrong.
  bool isAlarm = false;
  /// Bytes that a lane accesses at once.
  uint32_t sizeBytes = 0;
  uint32_t loopDepth = 0;
  /// Threads of the block. No launch is known to have it: it is an example.
  std::array<uint32_t, 3> block{};
  bool isExample = false;
  /// Requests of a block, if each warp comes by once: the warps with an active
  /// lane, times the instructions that the place has become.
  uint64_t requests = 0;
  /// Sectors of 32 bytes that they move; those that the bytes need; lines of
  /// 128 bytes. In shared and constant memory, turns beyond the first.
  RowSectors sectors;
  uint64_t ideal = 0;
  double lines = 0;
  /// Sectors expected if x and y of the kernel and of its launches were
  /// exchanged; 0: that cannot be, or is not known.
  double swapped = 0;
  /// What is accessed: `parameter 'p'`, `variable 'table'`; "" if unknown.
  std::string base;
  /// Where the launches with such blocks stand: "main.cu:6:3, main.cu:9:3"; the
  /// link fills it in.
  std::string launches;
  /// Clauses without capital and period; "": nothing to say.
  std::string reason, advice;
  bool operator==(const MemoryRow &) const = default;
};

/// Returns "file.cu:6:3", or "" if that is not known.
std::string placeOf(const MemoryRow &row);

/// Whether sectors of \p row are known.
bool hasSectors(const MemoryRow &row);

/// Returns what \p row says, in one line without its place and advice. Names
/// are demangled.
std::string messageOf(const MemoryRow &row);

/// Returns what is equal for rows that a reader takes for one: those of a
/// kernel and its versions, in all images.
std::string subjectOf(const MemoryRow &row);

/// Whether \p glob matches the name of the kernel: mangled, as in the source,
/// or that without parameters.
bool isOf(const MemoryRow &row, const llvm::GlobPattern &glob);

/// Whether \p glob matches \p kernel, a linkage name, \p name, that of the
/// source, or the latter without parameters.
bool isNamed(llvm::StringRef kernel, llvm::StringRef name,
             const llvm::GlobPattern &glob);

/// See support/BinaryArchive.h.
template <typename A> void transfer(A &a, MemoryRow &row) {
  a.field(row.kernel);
  a.field(row.function);
  a.field(row.file);
  a.field(row.line);
  a.field(row.column);
  a.enumerator(row.space, MemorySpace::Last);
  a.enumerator(row.kind, AccessKind::Last);
  a.enumerator(row.verdict, AccessVerdict::Last);
  a.field(row.isAlarm);
  a.field(row.sizeBytes);
  a.field(row.loopDepth);
  for (uint32_t &size : row.block)
    a.field(size);
  a.field(row.isExample);
  a.field(row.requests);
  a.field(row.sectors.least);
  a.field(row.sectors.most);
  a.field(row.sectors.expected);
  a.field(row.ideal);
  a.field(row.lines);
  a.field(row.swapped);
  a.field(row.base);
  a.field(row.launches);
  a.field(row.reason);
  a.field(row.advice);
}

} // namespace gpulto

#endif
