//===- BitcodeSymtab.cpp - Is bitcode's symbol table sound? ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "linker-plugin/BitcodeSymtab.h"

#include "support/Error.h"

#include "llvm/ADT/bit.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Comdat.h"
#include "llvm/Object/IRSymtab.h"

#include <optional>

using namespace llvm;
using namespace llvm::irsymtab;

namespace gpulto {
namespace {

/// The two blobs of a table. Checks return what is damaged, or null.
struct Table {
  StringRef symtab, strtab;

  bool holds(const storage::Str &text) const {
    return uint64_t(text.Offset) + text.Size <= strtab.size();
  }
  template <typename T> bool holds(const storage::Range<T> &range) const {
    return range.Offset + uint64_t(range.Size) * sizeof(T) <= symtab.size();
  }

  const char *checkHeader(const storage::Header &header) const;
  const char *checkSymbol(const storage::Symbol &symbol, size_t comdats) const;
  const char *checkModules(const storage::Header &header) const;
  const char *check() const;
};

const char *Table::checkHeader(const storage::Header &header) const {
  if (!holds(header.Modules) || !holds(header.Comdats) ||
      !holds(header.Symbols) || !holds(header.Uncommons) ||
      !holds(header.DependentLibraries))
    return "a table outside of it";
  if (!holds(header.TargetTriple) || !holds(header.SourceFileName) ||
      !holds(header.COFFLinkerOpts))
    return "a name outside of the string table";
  return nullptr;
}

const char *Table::checkSymbol(const storage::Symbol &symbol,
                               size_t comdats) const {
  constexpr uint32_t kNoComdat = ~0u;
  if (!holds(symbol.Name) || !holds(symbol.IRName))
    return "a symbol's name outside of the string table";
  if (symbol.ComdatIndex != kNoComdat && symbol.ComdatIndex >= comdats)
    return "a COMDAT group that does not exist";
  uint32_t visibility = symbol.Flags >> storage::Symbol::FB_visibility & 3;
  if (visibility > GlobalValue::ProtectedVisibility)
    return "an unknown visibility";
  return nullptr;
}

/// Symbols belong to modules, and those of them that have a record of rare
/// properties use these in order.
const char *Table::checkModules(const storage::Header &header) const {
  ArrayRef<storage::Symbol> symbols = header.Symbols.get(symtab);
  size_t rareCount = header.Uncommons.Size;
  for (const storage::Module &module : header.Modules.get(symtab)) {
    if (module.Begin > module.End || module.End > symbols.size() ||
        module.UncBegin > rareCount)
      return "a module with symbols outside of the table";
    size_t rare = 0;
    for (const storage::Symbol &symbol :
         symbols.slice(module.Begin, module.End - module.Begin))
      rare += symbol.Flags >> storage::Symbol::FB_has_uncommon & 1;
    if (rare > rareCount - module.UncBegin)
      return "a symbol without its properties";
  }
  return nullptr;
}

const char *Table::check() const {
  const auto &header =
      *reinterpret_cast<const storage::Header *>(symtab.data());
  // The producer decides whether the rest is looked at or made anew.
  if (!holds(header.Producer))
    return "a name outside of the string table";
  if (header.Version != storage::Header::kCurrentVersion)
    return nullptr;
  if (const char *problem = checkHeader(header))
    return problem;
  for (const storage::Comdat &comdat : header.Comdats.get(symtab))
    if (!holds(comdat.Name) ||
        comdat.SelectionKind > Comdat::SelectionKind::SameSize)
      return "a damaged COMDAT group";
  for (const storage::Symbol &symbol : header.Symbols.get(symtab))
    if (const char *problem = checkSymbol(symbol, header.Comdats.Size))
      return problem;
  for (const storage::Uncommon &rare : header.Uncommons.get(symtab))
    if (!holds(rare.COFFWeakExternFallbackName) || !holds(rare.SectionName) ||
        (rare.CommonAlign && !has_single_bit(uint32_t(rare.CommonAlign))))
      return "damaged properties of a symbol";
  for (const storage::Str &library : header.DependentLibraries.get(symtab))
    if (!holds(library))
      return "a name outside of the string table";
  return checkModules(header);
}

} // namespace

Error checkBitcodeSymtab(MemoryBufferRef bitcode) {
  Expected<BitcodeFileContents> contents = getBitcodeFileContents(bitcode);
  if (!contents)
    return contents.takeError();
  Table table{contents->Symtab, contents->StrtabForSymtab};
  if (table.symtab.size() < sizeof(storage::Header))
    return Error::success(); // LLVM makes one from the bodies
  if (const char *problem = table.check())
    return makeError(Twine("the bitcode's symbol table is damaged: it names ") +
                     problem + "; recompile the object");
  return Error::success();
}

} // namespace gpulto
