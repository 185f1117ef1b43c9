//===- FoldTableFuzzer.cpp - Hostile tables of folds ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Input: a table as the section has it or, after a first byte that is odd, its
// rows before they are compressed.
//
//===----------------------------------------------------------------------===//

#include "lto/FoldTable.h"
#include "support/BinaryStream.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compression.h"

#include <cstdlib>

using namespace gpulto;
using namespace llvm;

/// Returns a section that holds \p rows.
static std::string pack(StringRef rows) {
  SmallVector<uint8_t, 0> packed;
  compression::zstd::compress(arrayRefFromStringRef(rows), packed);
  BinaryWriter out;
  out.bytes("GFD1");
  out.uleb(rows.size());
  out.uleb(packed.size());
  out.bytes(toStringRef(packed));
  return out.take();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  StringRef rest(reinterpret_cast<const char *>(data) + 1, size - 1);
  std::string bytes = data[0] & 1 ? pack(rest) : rest.str();
  Expected<FoldTable> table = decodeFoldTable(bytes, InputLocation("fuzz"));
  if (!table) {
    consumeError(table.takeError());
    return 0;
  }
  // What was read is written such that it reads the same again.
  Expected<FoldTable> again =
      decodeFoldTable(encodeFoldTable(*table), InputLocation("again"));
  if (!again || !(*again == *table))
    std::abort();
  return 0;
}
