//===- TransferTableFuzzer.cpp - Hostile tables of copies -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Input: a table as the section has it or, after a first byte that is odd, its
// rows before they are compressed.
//
//===----------------------------------------------------------------------===//

#include "lto/tables/TransferTable.h"
#include "support/UnitNames.h"

#include <cstdlib>

using namespace gpulto;
using namespace llvm;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  StringRef rest(reinterpret_cast<const char *>(data) + 1, size - 1);
  InputLocation where("fuzz");
  Expected<TransferTable> table = data[0] & 1
                                      ? decodeTransferRows(rest, where)
                                      : decodeTransferTable(rest, where);
  if (!table) {
    consumeError(table.takeError());
    return 0;
  }
  for (const TransferTableRow &row : table->rows)
    withNamesOfSource(row.reason);
  // What was read is written such that it reads the same again.
  Expected<TransferTable> again =
      decodeTransferTable(encodeTransferTable(*table), InputLocation("again"));
  if (!again || !(*again == *table))
    std::abort();
  return 0;
}
