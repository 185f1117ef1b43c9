//===- DriverSymbolOrder.cpp - Symbols of assembly in order ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The symbol table has fixed-size entries: first those of the IR, then those of
// assembly, which have no IR name. Names are in the string table in the order
// of first use, one after another:
//
//   entries   f  g  | x@V2  x@V1        f  g  | x@V1  x@V2
//   strings   ... f g x@V2 x@V1    ->   ... f g x@V1 x@V2
//
// Both keep their sizes, so the file is changed in place.
//
//===----------------------------------------------------------------------===//

#include "tools/driver/DriverSymbolOrder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Object/IRSymtab.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <algorithm>
#include <vector>

using namespace llvm;
using namespace llvm::irsymtab;

namespace gpulto::driver {

namespace {

/// The tables of a file that may be changed.
class SymbolTable {
public:
  SymbolTable(std::string &file, const BitcodeFileContents &contents)
      : symtab(file.data() + (contents.Symtab.data() - file.data())),
        strtab(file.data() + (contents.StrtabForSymtab.data() - file.data())),
        symtabSize(contents.Symtab.size()), names(contents.StrtabForSymtab),
        header(*reinterpret_cast<storage::Header *>(symtab)),
        symbols(
            reinterpret_cast<storage::Symbol *>(symtab + header.Symbols.Offset),
            header.Symbols.Size) {}

  void sort();

private:
  uint32_t endOfOthers() const;
  void placeNames(MutableArrayRef<storage::Symbol> sorted, uint32_t begin);

  char *symtab, *strtab;
  size_t symtabSize;
  StringRef names;
  storage::Header &header;
  MutableArrayRef<storage::Symbol> symbols;
};

} // namespace

static bool isOfAssembly(const storage::Symbol &symbol) {
  return symbol.IRName.Size == 0;
}

/// Returns where names begin that only assembly has.
uint32_t SymbolTable::endOfOthers() const {
  uint32_t end = 0;
  auto add = [&](const storage::Str &name) {
    end = std::max<uint32_t>(end, name.Offset + name.Size);
  };
  for (const storage::Str &name :
       {header.Producer, header.TargetTriple, header.SourceFileName})
    add(name);
  for (const storage::Symbol &symbol : symbols)
    if (!isOfAssembly(symbol)) {
      add(symbol.Name);
      add(symbol.IRName);
    }
  StringRef table(symtab, symtabSize);
  for (const storage::Comdat &comdat : header.Comdats.get(table))
    add(comdat.Name);
  for (const storage::Uncommon &rare : header.Uncommons.get(table)) {
    add(rare.COFFWeakExternFallbackName);
    add(rare.SectionName);
  }
  return end;
}

/// Writes the names of \p sorted that stand at \p begin or behind one after
/// another. The empty name is where it was first used.
void SymbolTable::placeNames(MutableArrayRef<storage::Symbol> sorted,
                             uint32_t begin) {
  std::string placed;
  for (storage::Symbol &symbol : sorted) {
    if (symbol.Name.Offset < begin)
      continue; // a name of the IR, too
    StringRef name = symbol.Name.get(names);
    symbol.Name.Offset = begin + placed.size();
    placed += name;
  }
  std::copy(placed.begin(), placed.end(), strtab + begin);
  auto placeEmpty = [&](storage::Str &name) {
    if (name.Size == 0 && name.Offset > begin)
      name.Offset = begin;
  };
  for (storage::Symbol &symbol : sorted)
    placeEmpty(symbol.IRName);
  placeEmpty(header.COFFLinkerOpts);
}

void SymbolTable::sort() {
  auto first = llvm::find_if(symbols, isOfAssembly);
  MutableArrayRef<storage::Symbol> ofAssembly =
      symbols.drop_front(first - symbols.begin());
  if (!llvm::all_of(ofAssembly, isOfAssembly))
    return; // several modules: none of ours
  llvm::sort(ofAssembly, [&](const auto &a, const auto &b) {
    return a.Name.get(names) < b.Name.get(names);
  });
  placeNames(ofAssembly, endOfOthers());
}

Expected<std::string> sortAssemblySymbols(StringRef bitcode) {
  std::string file = bitcode.str();
  Expected<BitcodeFileContents> contents =
      getBitcodeFileContents(MemoryBufferRef(file, "bitcode"));
  if (!contents)
    return contents.takeError();
  if (contents->Symtab.size() < sizeof(storage::Header) ||
      contents->Mods.size() != 1)
    return std::string();
  SymbolTable(file, *contents).sort();
  return file == bitcode ? std::string() : file;
}

} // namespace gpulto::driver
