//===- SymtabFuzzer.cpp - Hostile symbol tables of bitcode ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What checkBitcodeSymtab lets through, LLVM's reader of such tables, which
// checks nothing, reads without a crash.
//
//===----------------------------------------------------------------------===//

#include "linker-plugin/BitcodeSymtab.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Object/IRSymtab.h"

using namespace llvm;

static size_t sum(StringRef text) {
  size_t result = 0;
  for (char c : text)
    result += static_cast<unsigned char>(c);
  return result;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StringRef bytes(reinterpret_cast<const char *>(data), size);
  MemoryBufferRef bitcode(bytes, "fuzz.bc");
  if (Error error = gpulto::checkBitcodeSymtab(bitcode)) {
    consumeError(std::move(error));
    return 0;
  }
  Expected<BitcodeFileContents> contents = getBitcodeFileContents(bitcode);
  if (!contents) {
    consumeError(contents.takeError());
    return 0;
  }
  StringRef symtab = contents->Symtab;
  using irsymtab::storage::Header;
  if (symtab.size() < sizeof(Header) ||
      reinterpret_cast<const Header *>(symtab.data())->Version !=
          Header::kCurrentVersion)
    return 0; // LLVM makes one from the bodies
  irsymtab::Reader reader(symtab, contents->StrtabForSymtab);
  volatile size_t used =
      sum(reader.getTargetTriple()) + sum(reader.getSourceFileName());
  for (unsigned i = 0; i < reader.getNumModules(); ++i)
    for (const irsymtab::Reader::SymbolRef &symbol : reader.module_symbols(i))
      used = used + sum(symbol.getName()) + sum(symbol.getIRName()) +
             sum(symbol.getSectionName()) + symbol.getVisibility();
  for (const auto &[name, kind] : reader.getComdatTable())
    used = used + sum(name);
  for (StringRef library : reader.getDependentLibraries())
    used = used + sum(library);
  return 0;
}
