//===- SymbolMarks.cpp - The symbols that a compiler wrote ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fatobj/SymbolMarks.h"

#include "fatobj/ElfObject.h"
#include "fatobj/Format.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace gpulto {

static constexpr unsigned kBindingShift = 2;
static constexpr uint64_t kVisibilityMask = 3;
static constexpr uint64_t kBindingMask = 15;
static constexpr uint64_t kDefined = 1 << 6;
static constexpr uint64_t kAttributes = 0xff;

uint64_t symbolMark(StringRef name, unsigned binding, unsigned visibility,
                    bool isDefined) {
  return (xxh3_64bits(name) & ~kAttributes) | (visibility & kVisibilityMask) |
         (binding & kBindingMask) << kBindingShift | (isDefined ? kDefined : 0);
}

Expected<std::vector<MarkedSymbol>> markSymbols(const ElfObject &object) {
  Expected<std::vector<ElfSymbol>> symbols = globalSymbols(object);
  if (!symbols)
    return symbols.takeError();
  std::vector<MarkedSymbol> result;
  for (const ElfSymbol &symbol : *symbols)
    result.push_back(
        {symbol.name,
         symbolMark(symbol.name, ELF64_ST_BIND(symbol.symbol.st_info),
                    ELF64_ST_VISIBILITY(symbol.symbol.st_other),
                    symbol.symbol.st_shndx != SHN_UNDEF)});
  return result;
}

std::string encodeMarks(ArrayRef<MarkedSymbol> symbols) {
  std::string bytes(symbols.size() * kSymbolMarkSize, '\0');
  for (size_t i = 0; i < symbols.size(); ++i)
    support::endian::write64le(&bytes[i * kSymbolMarkSize], symbols[i].mark);
  return bytes;
}

static uint64_t markAt(StringRef marks, size_t i) {
  return support::endian::read64le(marks.data() + i * kSymbolMarkSize);
}

bool areMarked(ArrayRef<MarkedSymbol> symbols, StringRef marks) {
  if (symbols.size() * kSymbolMarkSize != marks.size())
    return false;
  for (size_t i = 0; i < symbols.size(); ++i)
    if (symbols[i].mark != markAt(marks, i))
      return false;
  return true;
}

namespace {

/// The combined marks of a name in all units.
struct Written {
  uint8_t visibilities = 0; ///< bits, by STV_*
  uint16_t bindings = 0;    ///< bits, by STB_*
  bool isDefined = false;
};

using Units = DenseMap<uint64_t, Written>; ///< by the name's part of a mark

Units gather(ArrayRef<StringRef> units) {
  Units result;
  for (StringRef marks : units)
    for (size_t i = 0; i < marks.size() / kSymbolMarkSize; ++i) {
      uint64_t mark = markAt(marks, i);
      Written &written = result[mark & ~kAttributes];
      written.visibilities |= 1 << (mark & kVisibilityMask);
      written.bindings |= 1 << (mark >> kBindingShift & kBindingMask);
      written.isDefined |= (mark & kDefined) != 0;
    }
  return result;
}

/// Returns what was done to a symbol with \p mark; empty: nothing.
StringRef changeOf(uint64_t mark, const Units &units) {
  auto found = units.find(mark & ~kAttributes);
  if (found == units.end())
    return "renamed or added";
  const Written &written = found->second;
  bool isDefined = mark & kDefined;
  if (isDefined != written.isDefined)
    return isDefined ? "defined" : "removed the definition of";
  if (!(written.bindings >> (mark >> kBindingShift & kBindingMask) & 1))
    return "changed the binding of";
  if (!(written.visibilities >> (mark & kVisibilityMask) & 1))
    return "changed the visibility of";
  return "";
}

} // namespace

std::string findSymbolChange(ArrayRef<MarkedSymbol> symbols,
                             ArrayRef<StringRef> units,
                             ArrayRef<StringRef> names) {
  if (symbols.empty())
    return "";
  Units written = gather(units);
  DenseSet<uint64_t> seen;
  for (const MarkedSymbol &symbol : symbols) {
    seen.insert(symbol.mark & ~kAttributes);
    StringRef change = changeOf(symbol.mark, written);
    if (!change.empty() && !isGuardSymbol(symbol.name))
      return (change + " '" + symbol.name + "'").str();
  }
  for (StringRef name : names) {
    uint64_t key = symbolMark(name, 0, 0, false);
    auto found = written.find(key);
    if (found != written.end() && found->second.isDefined &&
        !seen.contains(key))
      return ("removed '" + name + "'").str();
  }
  return "";
}

} // namespace gpulto
