//===- SymtabFuzzer.cpp - Hostile symbol tables of bitcode ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What checkBitcodeSymtab lets through, LLVM reads without a crash.
//
//===----------------------------------------------------------------------===//

#include "linker-plugin/BitcodeSymtab.h"

#include "llvm/LTO/LTO.h"

using namespace llvm;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StringRef bytes(reinterpret_cast<const char *>(data), size);
  MemoryBufferRef bitcode(bytes, "fuzz.bc");
  if (Error error = gpulto::checkBitcodeSymtab(bitcode)) {
    consumeError(std::move(error));
    return 0;
  }
  auto input = lto::InputFile::create(bitcode);
  if (!input) {
    consumeError(input.takeError());
    return 0;
  }
  size_t sum = 0;
  auto use = [&](StringRef text) {
    for (char c : text)
      sum += static_cast<unsigned char>(c);
  };
  for (const lto::InputFile::Symbol &symbol : (*input)->symbols()) {
    use(symbol.getName());
    use(symbol.getIRName());
    use(symbol.getSectionName());
    sum += symbol.getComdatIndex() + symbol.getVisibility();
  }
  for (const auto &[name, kind] : (*input)->getComdatTable())
    use(name);
  for (StringRef library : (*input)->getDependentLibraries())
    use(library);
  use((*input)->getTargetTriple());
  volatile size_t used = sum; // keeps the reads
  (void)used;
  return 0;
}
