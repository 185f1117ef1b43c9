//===- MemoryTable.cpp - A program's report on memory accesses ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/tables/MemoryTable.h"

#include "lto/tables/ProgramTable.h"
#include "support/BinaryArchive.h"

using namespace llvm;

namespace gpulto {

/// Begins the section; the digit is the version.
static constexpr StringLiteral kMagic = "GMA2";

template <typename A> static void transfer(A &a, MemoryImage &image) {
  a.field(image.arch);
  a.list(image.rows);
}

std::string encodeMemoryTable(const MemoryTable &table) {
  ArchiveWriter writer;
  MemoryTable copy = table; // transfer() serves the reader too, which writes
  writer.list(copy.images);
  return packTable(kMagic, writer.out.str());
}

Expected<MemoryTable> decodeMemoryRows(StringRef rows,
                                       const InputLocation &where) {
  ArchiveReader reader{BinaryReader(rows, where)};
  MemoryTable table;
  reader.list(table.images);
  if (Error error = reader.in.finish())
    return std::move(error);
  return table;
}

Expected<MemoryTable> decodeMemoryTable(StringRef bytes,
                                        const InputLocation &where) {
  Expected<std::string> rows =
      unpackTable(kMagic, "memory accesses", bytes, where);
  if (!rows)
    return rows.takeError();
  return decodeMemoryRows(*rows, where);
}

Expected<MemoryTable> readMemoryTable(MemoryBufferRef file,
                                      const InputLocation &where) {
  auto found = requireTable(file, kMemorySection,
                            "it has no kernels that gpulto compiled", where);
  if (!found)
    return found.takeError();
  return decodeMemoryTable(found->bytes, found->where);
}

} // namespace gpulto
