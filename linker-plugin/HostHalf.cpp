//===- HostHalf.cpp - Which half of an object a linker reads --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Only for an object that a tool has changed since it was compiled
// (isAsCompiled), or that stock clang made, is the native half checked for more
// than the bitcode. It has more if
//
//   - it has names of more source files (STT_FILE) than bitcode files, or
//   - it defines a symbol that no bitcode file defines. Symbols that code
//     generation creates (GCC_except_table0, f.cold) are recognized by name.
//
// The native half also differs if a tool has edited its symbols: objcopy
// --localize-symbol, which often follows `ld -r`, --redefine-sym, --weaken. It
// then does not match the marks in the records (fatobj/SymbolMarks.h).
//
// Limits: in objects of stock clang, and with records of version 2, only
// symbols that became local or weak are noticed; assembly without a .file
// directive and without any symbol, for instance with only entries of
// .init_array, is not noticed.
//
//===----------------------------------------------------------------------===//

#include "linker-plugin/HostHalf.h"

#include "fatobj/FatObjectReader.h"
#include "lto/lgen/StockObject.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ELFObjectFile.h"

#include <functional>
#include <optional>

using namespace llvm;

namespace gpulto {
namespace {

constexpr ReadOptions kWithSymbols = {.symbols = true};

using Tables = std::vector<std::unique_ptr<lto::InputFile>>;

/// Names that code generation, or the passes behind the point where the bitcode
/// was taken, give to what they make up.
bool isMadeUp(StringRef name) {
  static constexpr StringLiteral kPrefixes[] = {
      "GCC_except_table", "DW.ref.",  "_MergedGlobals", "switch.table.",
      "reltable.",        "__const.", "__unnamed_",     "gpulto.guard",
      "__llvm_",          "__prof",   "__covrec_"};
  return any_of(kPrefixes,
                [&](StringRef prefix) { return name.starts_with(prefix); });
}

/// Adds the names of all that \p bitcode defines or uses, local ones too.
Error addNames(StringRef bitcode, const lto::InputFile &table,
               const InputLocation &where, StringSet<> &names) {
  for (const lto::InputFile::Symbol &symbol : table.symbols())
    names.insert(symbol.getName());
  // The module that is found refers to its name.
  auto found = findSingleModule(MemoryBufferRef(bitcode, where.path), where);
  if (!found)
    return found.takeError();
  LLVMContext context;
  auto module = found->getLazyModule(context, /*ShouldLazyLoadMetadata=*/true,
                                     /*IsImporting=*/false);
  if (!module)
    return inputError(where, toString(module.takeError()));
  for (const GlobalValue &value : (*module)->global_values())
    if (value.hasLocalLinkage())
      names.insert(value.getName());
  // Labels that stay in the object are symbols too.
  StringRef assembly = (*module)->getModuleInlineAsm();
  SmallVector<StringRef> lines;
  assembly.split(lines, '\n');
  for (StringRef line : lines)
    if (auto [label, rest] = line.trim().split(':'); label.size() < line.size())
      names.insert(label.trim());
  return Error::success();
}

/// Returns whether \p name, or what it was before passes appended `.cold` or
/// `.2` to it, is among \p names.
bool isDescribed(StringRef name, const StringSet<> &names) {
  while (true) {
    if (names.contains(name))
      return true;
    size_t dot = name.rfind('.');
    if (dot == StringRef::npos || dot == 0)
      return false;
    name = name.take_front(dot);
  }
}

/// How well a symbol is known to other objects.
enum class Binding { None, Local, Weak, Global };

Binding bindingOf(object::ELFSymbolRef symbol) {
  return symbol.getBinding() == ELF::STB_LOCAL  ? Binding::Local
         : symbol.getBinding() == ELF::STB_WEAK ? Binding::Weak
                                                : Binding::Global;
}

/// Returns a symbol that some of \p tables defines for more objects than
/// \p bindings, those of the native half, say; empty if there is none.
StringRef findChanged(const Tables &tables,
                      const StringMap<Binding> &bindings) {
  for (const auto &table : tables)
    for (const lto::InputFile::Symbol &symbol : table->symbols()) {
      Binding found = bindings.lookup(symbol.getName());
      Binding wanted = symbol.isWeak() ? Binding::Weak : Binding::Global;
      if (!symbol.isUndefined() && found != Binding::None && found < wanted)
        return symbol.getName();
    }
  return "";
}

/// The bitcode files of an object and their symbol tables.
struct Bitcode {
  std::vector<StringRef> files;
  Tables tables;
};

/// Returns what a tool has done to a symbol of \p fat since it was compiled;
/// empty: nothing, or nobody knows.
std::string findEdit(const FatObject &fat, const Bitcode &bitcode) {
  std::vector<StringRef> marks, names;
  for (const HostUnit &unit : fat.units) {
    if (!unit.record || !fat.records[*unit.record].symbolMarks)
      return "";
    marks.push_back(*fat.records[*unit.record].symbolMarks);
  }
  for (const auto &table : bitcode.tables)
    for (const lto::InputFile::Symbol &symbol : table->symbols())
      if (!symbol.isUndefined())
        names.push_back(symbol.getName());
  return findSymbolChange(fat.symbols, marks, names);
}

/// Returns why the native half of \p file has to be linked: \p bitcode does not
/// describe all of it. Empty: it does.
Expected<std::string> whyNative(MemoryBufferRef file, const FatObject &fat,
                                const Bitcode &bitcode,
                                const InputLocation &where) {
  if (bitcode.files.empty())
    return "the host bitcode of this object is gone";
  StringSet<> names;
  for (auto [bytes, table] : zip_equal(bitcode.files, bitcode.tables))
    if (Error error = addNames(bytes, *table, where, names))
      return std::move(error);
  auto isForeign = [](const Twine &what) {
    return ("the object has native code " + what +
            " that its bitcode does not describe")
        .str();
  };
  StringMap<Binding> bindings;
  auto object = object::ObjectFile::createELFObjectFile(file);
  if (!object)
    return inputError(where, toString(object.takeError()));
  size_t sources = 0;
  for (const object::SymbolRef &symbol : (*object)->symbols()) {
    object::ELFSymbolRef elf(symbol);
    Expected<StringRef> name = symbol.getName();
    Expected<uint32_t> flags = symbol.getFlags();
    if (!name || !flags)
      return inputError(
          where, toString(joinErrors(name.takeError(), flags.takeError())));
    if (elf.getELFType() == ELF::STT_FILE && ++sources > bitcode.files.size())
      return isForeign("of '" + *name + "'");
    if (elf.getELFType() == ELF::STT_FILE ||
        elf.getELFType() == ELF::STT_SECTION || name->empty() ||
        (*flags & object::SymbolRef::SF_Undefined) || name->starts_with(".L"))
      continue;
    if (!isDescribed(*name, names) && !isMadeUp(*name))
      return isForeign("with '" + *name + "'");
    Binding &binding = bindings[*name];
    binding = std::max(binding, bindingOf(elf));
  }
  StringRef changed = findChanged(bitcode.tables, bindings);
  if (!changed.empty())
    return ("a tool has changed the binding of '" + changed +
            "' in this object")
        .str();
  std::string edit = findEdit(fat, bitcode);
  return edit.empty() ? edit : "a tool has " + edit + " in this object";
}

/// What keeps an object without usable bitcode from being linked natively.
std::string whyNotNative(const FatObject &fat) {
  bool hasDevice =
      fat.offloadingSection.find_first_not_of('\0') != StringRef::npos ||
      any_of(fat.records,
             [](const FatRecord &record) { return !record.devices.empty(); });
  if (hasDevice)
    return "its device code cannot be linked without the bitcode of the host "
           "code; link the original objects";
  if (any_of(fat.records, [](const FatRecord &record) { return record.slim; }))
    return "it has no native code of all its parts; link the original objects";
  return "";
}

/// Returns the native half, if it is as good as the bitcode for a right
/// program; \p reason says why it is wanted.
Expected<HostHalf> nativeHalf(const FatObject &fat, const Twine &reason,
                              const InputLocation &where) {
  std::string obstacle = whyNotNative(fat);
  if (!obstacle.empty())
    return inputError(where, reason + "; " + obstacle);
  HostHalf half;
  half.warning =
      (reason + "; it is linked without link-time optimization").str();
  return half;
}

/// Reads the symbol tables of the bitcode files of \p fat.
Expected<Bitcode> readTables(const FatObject &fat, StringRef name,
                             const InputLocation &where) {
  Bitcode result;
  for (const HostUnit &unit : fat.units) {
    auto table = lto::InputFile::create(MemoryBufferRef(unit.bitcode, name));
    if (!table)
      return inputError(where, toString(table.takeError()));
    result.tables.push_back(std::move(*table));
    result.files.push_back(unit.bitcode);
  }
  return result;
}

} // namespace

Expected<HostHalf> HostHalves::choose(MemoryBufferRef file,
                                      const InputLocation &where) {
  Expected<FatObject> fat = readFatObject(file, where, kWithSymbols);
  if (!fat)
    return fat.takeError();
  StringRef name = file.getBufferIdentifier();
  if (isAsCompiled(*fat))
    return HostHalf{MemoryBufferRef(fat->bitcodeSection, name), ""};
  if (fat->units.empty() && fat->records.empty()) {
    if (fat->offloadingSection.find_first_not_of('\0') != StringRef::npos)
      return inputError(where.inSection(".llvm.offloading"),
                        "device code without the bitcode of its host code; "
                        "recompile the object with gpulto-clang++ -flto=gpu, "
                        "or with clang -flto -ffat-lto-objects -foffload-lto");
    return HostHalf();
  }
  Expected<Bitcode> bitcode = readTables(*fat, name, where);
  if (!bitcode)
    return bitcode.takeError();
  Expected<std::string> reason = whyNative(file, *fat, *bitcode, where);
  if (!reason)
    return reason.takeError();
  if (!reason->empty())
    return nativeHalf(*fat, *reason, where);
  if (bitcode->files.size() == 1)
    return HostHalf{MemoryBufferRef(bitcode->files.front(), name), ""};
  auto joined =
      join(bitcode->tables, bitcode->files, fat->bitcodeSection, file, where);
  if (!joined)
    return joined.takeError();
  return HostHalf{*joined, ""};
}

std::string HostHalves::whyNotLinkedAgain(MemoryBufferRef file,
                                          const InputLocation &where) {
  Expected<FatObject> fat = readFatObject(file, where, kWithSymbols);
  if (!fat)
    return toString(fat.takeError());
  if (fat->units.empty() && fat->records.empty())
    return "";
  Expected<Bitcode> bitcode =
      readTables(*fat, file.getBufferIdentifier(), where);
  if (!bitcode)
    return toString(bitcode.takeError());
  Expected<std::string> reason = whyNative(file, *fat, *bitcode, where);
  return reason ? *reason : toString(reason.takeError());
}

/// Writes all modules into one bitcode file, as `llvm-cat -b` does: each keeps
/// its bytes and its string table.
Expected<MemoryBufferRef>
HostHalves::join(ArrayRef<std::unique_ptr<lto::InputFile>> tables,
                 ArrayRef<StringRef> files, StringRef section,
                 MemoryBufferRef object, const InputLocation &where) {
  JoinedBitcode &joined = joinedFiles.emplace_back();
  joined.section = section;
  BitcodeWriter writer(joined.bytes);
  for (auto [bitcode, table] : zip_equal(files, tables)) {
    Expected<BitcodeModule> module =
        findSingleModule(MemoryBufferRef(bitcode, where.path), where);
    if (!module)
      return module.takeError();
    append_range(joined.bytes, module->getBuffer());
    writer.copyStrtab(module->getStrtab());
    joined.symbolCounts.push_back(table->symbols().size());
  }
  StringRef bytes(joined.bytes.data(), joined.bytes.size());
  return MemoryBufferRef(bytes, object.getBufferIdentifier());
}

const JoinedBitcode *HostHalves::findJoined(StringRef bitcode) const {
  for (const JoinedBitcode &joined : joinedFiles)
    if (std::less_equal<>()(joined.bytes.data(), bitcode.data()) &&
        std::less<>()(bitcode.data(),
                      joined.bytes.data() + joined.bytes.size()))
      return &joined;
  return nullptr;
}

/// Returns how good a definition is: the linker takes a strong one before a
/// common one before a weak one, and the first of equals.
static unsigned strength(const lto::InputFile::Symbol &symbol) {
  return symbol.isWeak() ? 0 : symbol.isCommon() ? 1 : 2;
}

void separateUnits(const JoinedBitcode &joined, const lto::InputFile &input,
                   std::vector<LinkSymbol> &symbols) {
  ArrayRef<lto::InputFile::Symbol> table = input.symbols();
  size_t next = 0;
  for (auto [unit, count] : enumerate(joined.symbolCounts))
    for (size_t end = std::min(symbols.size(), next + count); next < end;
         ++next)
      symbols[next].unit = unit;
  // A COMDAT group is kept in the first file that has it.
  StringMap<uint32_t> keptIn;
  auto isDropped = [&](size_t i) {
    int comdat = table[i].getComdatIndex();
    if (comdat < 0)
      return false;
    auto [name, kind] = input.getComdatTable()[comdat];
    return kind != Comdat::NoDeduplicate &&
           keptIn.try_emplace(name, symbols[i].unit).first->second !=
               symbols[i].unit;
  };
  StringMap<size_t> best;
  for (size_t i = 0; i < table.size(); ++i) {
    if (table[i].isUndefined() || isDropped(i))
      continue;
    auto [it, isNew] = best.try_emplace(table[i].getName(), i);
    size_t old = it->second;
    bool larger = table[i].isCommon() && table[old].isCommon() &&
                  table[i].getCommonSize() > table[old].getCommonSize();
    if (!isNew && (larger || strength(table[i]) > strength(table[old])))
      it->second = i;
  }
  // The linker's decision about one definition holds for the name.
  for (size_t i = 0; i < table.size(); ++i) {
    auto found = best.find(table[i].getName());
    if (found == best.end() || found->second == i)
      continue;
    LinkSymbol &chosen = symbols[found->second];
    if (symbols[i].prevailing) {
      chosen.prevailing = true;
      chosen.finalDefinition |= symbols[i].finalDefinition;
    }
    chosen.visibleToRegularObject |= symbols[i].visibleToRegularObject;
    chosen.linkerRedefined |= symbols[i].linkerRedefined;
    symbols[i].prevailing = false;
  }
}

} // namespace gpulto
