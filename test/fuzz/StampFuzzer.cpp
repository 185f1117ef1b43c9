//===- StampFuzzer.cpp - Hostile stamps of programs -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Input: the contents of the section, or a file if it begins like an ELF file.
//
//===----------------------------------------------------------------------===//

#include "lto/tables/Stamp.h"

#include <cstdlib>

using namespace gpulto;
using namespace llvm;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StringRef bytes(reinterpret_cast<const char *>(data), size);
  InputLocation where("fuzz");
  Expected<std::vector<Stamp>> stamps =
      bytes.starts_with("\x7f"
                        "ELF")
          ? readStamps(MemoryBufferRef(bytes, "fuzz"), where)
          : decodeStamps(bytes, where);
  if (!stamps) {
    consumeError(stamps.takeError());
    return 0;
  }
  // What was read is written such that it reads the same again.
  Expected<std::vector<Stamp>> again =
      decodeStamps(encodeStamps(*stamps), InputLocation("again"));
  if (!again || !(*again == *stamps))
    std::abort();
  return 0;
}
