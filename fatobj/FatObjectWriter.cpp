//===- FatObjectWriter.cpp - Writing fat and slim objects -----------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fat object is the host object with one section appended: all others keep
// their index, so symbols, groups and relocations stay as they are, byte for
// byte; only file offsets may change.
//
// A slim object (buildSlim) has no native code, but a symbol table that plain
// ar, nm and ranlib understand: each global symbol of the native object is
// kept with binding, type, visibility and size, defined against an empty
// section of the kind it had (code, data, zero-initialized, ...), since that
// kind is what nm's letters show.
//
//===----------------------------------------------------------------------===//

#include "fatobj/FatObjectWriter.h"

#include "fatobj/Compression.h"
#include "fatobj/ElfBuilder.h"
#include "fatobj/ElfObject.h"
#include "fatobj/FatObjectReader.h"
#include "fatobj/Format.h"
#include "fatobj/SymbolMarks.h"
#include "support/BinaryStream.h"
#include "support/Subprocess.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace gpulto;

//===----------------------------------------------------------------------===//
// The record
//===----------------------------------------------------------------------===//

namespace {

/// A row of the entry table and its payload.
struct EntryToWrite {
  EntryKind kind;
  uint32_t flags = 0;
  llvm::StringRef arch;
  uint64_t offset = 0;     ///< assigned, but for a HostBitcodeRef
  uint64_t storedSize = 0; ///< payload's, but for a HostBitcodeRef
  uint64_t rawSize = 0;
  Digest digest;
  llvm::StringRef payload;
  std::string owned; ///< holds a compressed payload
};

/// Adds a payload that is stored as it is.
EntryToWrite rawEntry(EntryKind kind, llvm::StringRef arch,
                      llvm::StringRef payload) {
  EntryToWrite entry;
  entry.kind = kind;
  entry.arch = arch;
  entry.payload = payload;
  entry.storedSize = entry.rawSize = payload.size();
  entry.digest = digestOf(payload);
  return entry;
}

/// Compresses the payload if that makes it smaller.
llvm::Error compress(EntryToWrite &entry, int level) {
  llvm::Expected<std::string> result = compressZstd(entry.payload, level);
  if (!result)
    return result.takeError();
  if (result->size() >= entry.payload.size())
    return llvm::Error::success();
  entry.owned = std::move(*result);
  entry.payload = entry.owned;
  entry.storedSize = entry.owned.size();
  entry.flags |= kEntryZstd;
  return llvm::Error::success();
}

llvm::Error addDevices(const FatObjectContents &contents,
                       const InputLocation &where,
                       const FatObjectOptions &options,
                       std::vector<EntryToWrite> &entries) {
  std::vector<const DeviceContents *> devices;
  for (const DeviceContents &device : contents.devices)
    devices.push_back(&device);
  llvm::sort(devices,
             [](const auto *a, const auto *b) { return a->arch < b->arch; });
  for (size_t i = 0; i != devices.size(); ++i) {
    const DeviceContents &device = *devices[i];
    if (device.arch.empty() || device.arch.size() >= kArchNameSize)
      return inputError(where, "architecture name '" + device.arch +
                                   "' is empty or too long");
    if (i != 0 && devices[i - 1]->arch == device.arch)
      return inputError(where, "architecture " + device.arch + " given twice");
    if (!device.summary.empty())
      entries.push_back(
          rawEntry(EntryKind::DeviceSummary, device.arch, device.summary));
    EntryToWrite bitcode =
        rawEntry(EntryKind::DeviceBitcode, device.arch, device.bitcode);
    if (options.zstdLevel > 0)
      if (llvm::Error error = compress(bitcode, options.zstdLevel))
        return error;
    entries.push_back(std::move(bitcode));
    // The strings may have moved with the vector (small ones live inside).
    for (EntryToWrite &entry : entries)
      if (!entry.owned.empty())
        entry.payload = entry.owned;
  }
  return llvm::Error::success();
}

llvm::Expected<EntryToWrite> bitcodeRef(llvm::StringRef bitcode,
                                        const InputLocation &where) {
  llvm::Expected<StrtabRange> names =
      findHostStrtab(bitcode, where.inSection(kHostBitcodeSection));
  if (!names)
    return names.takeError();
  EntryToWrite entry;
  entry.kind = EntryKind::HostBitcodeRef;
  entry.offset = names->offset;
  entry.storedSize = names->size;
  entry.rawSize = bitcode.size();
  entry.digest = digestOf(bitcode);
  return entry;
}

void writeTable(BinaryWriter &writer, llvm::ArrayRef<EntryToWrite> entries) {
  for (const EntryToWrite &entry : entries) {
    writer.u32(static_cast<uint32_t>(entry.kind));
    writer.u32(entry.flags);
    writer.bytes(entry.arch);
    writer.zeros(kArchNameSize - entry.arch.size());
    writer.u64(entry.offset);
    writer.u64(entry.storedSize);
    writer.u64(entry.rawSize);
    writer.digest(entry.digest);
  }
}

/// Gives every payload its place; returns the record's size.
uint64_t assignOffsets(llvm::MutableArrayRef<EntryToWrite> entries) {
  uint64_t at = kRecordHeaderSize + entries.size() * kRecordEntrySize;
  for (EntryToWrite &entry : entries) {
    if (entry.kind == EntryKind::HostBitcodeRef)
      continue;
    entry.offset = at;
    at = llvm::alignTo(at + entry.storedSize, kRecordAlignment);
  }
  return at;
}

std::string writeRecord(const Digest &optionDigest,
                        const FatObjectOptions &options,
                        llvm::MutableArrayRef<EntryToWrite> entries) {
  uint64_t size = assignOffsets(entries);
  BinaryWriter table;
  writeTable(table, entries);
  BinaryWriter writer;
  writer.reserve(size);
  writer.bytes(kRecordMagic);
  writer.u32(kRecordVersion);
  writer.u32(kRecordHeaderSize);
  writer.u64(size);
  writer.u32(LLVM_VERSION_MAJOR);
  writer.u32(LLVM_VERSION_MINOR);
  writer.u32(LLVM_VERSION_PATCH);
  writer.u32(options.slim ? kRecordSlim : 0);
  writer.digest(optionDigest);
  writer.u32(static_cast<uint32_t>(entries.size()));
  writer.u32(kRecordEntrySize);
  writer.digest(digestOf(table.str()));
  writer.u64(options.symbolTableBytes);
  writer.bytes(table.str());
  for (const EntryToWrite &entry : entries) {
    writer.bytes(entry.payload);
    writer.alignTo(kRecordAlignment);
  }
  assert(writer.size() == size && "offsets are as written");
  return writer.take();
}

} // namespace

llvm::Expected<std::string>
gpulto::buildRecord(const FatObjectContents &contents,
                    llvm::StringRef hostBitcode, const InputLocation &where,
                    const FatObjectOptions &options) {
  std::vector<EntryToWrite> entries;
  if (!hostBitcode.empty()) {
    llvm::Expected<EntryToWrite> entry = bitcodeRef(hostBitcode, where);
    if (!entry)
      return entry.takeError();
    entries.push_back(std::move(*entry));
  }
  if (!contents.hostSummary.empty())
    entries.push_back(
        rawEntry(EntryKind::HostSummary, "", contents.hostSummary));
  if (options.symbolMarks)
    entries.push_back(
        rawEntry(EntryKind::SymbolMarks, "", *options.symbolMarks));
  if (llvm::Error error = addDevices(contents, where, options, entries))
    return error;
  return writeRecord(contents.optionDigest, options, entries);
}

//===----------------------------------------------------------------------===//
// The fat object
//===----------------------------------------------------------------------===//

/// A `.gpulto` section of \p bytes, named at \p nameOffset.
static SectionToWrite recordSection(llvm::StringRef bytes, size_t nameOffset) {
  SectionToWrite section;
  section.header.sh_name = static_cast<Elf64_Word>(nameOffset);
  section.header.sh_type = SHT_PROGBITS;
  section.header.sh_flags = SHF_EXCLUDE;
  section.header.sh_addralign = kRecordAlignment;
  section.contents = bytes;
  return section;
}

static ElfBuilder builderLike(const ElfObject &object) {
  ElfBuilder builder;
  builder.machine = object.header().e_machine;
  builder.flags = object.header().e_flags;
  builder.osAbi = object.header().e_ident[EI_OSABI];
  builder.abiVersion = object.header().e_ident[EI_ABIVERSION];
  return builder;
}

static llvm::Expected<std::string> buildFat(const ElfObject &object,
                                            llvm::StringRef record) {
  ElfBuilder builder = builderLike(object);
  builder.nameTable = object.nameTableIndex();
  const ElfSection *present = object.find(kFatObjectSection);
  std::string names;
  for (const ElfSection &section : object.sections()) {
    SectionToWrite out;
    out.header = section.header;
    if (&section == present) {
      out.contents = record;
    } else {
      llvm::Expected<llvm::StringRef> contents = object.contents(section);
      if (!contents)
        return contents.takeError();
      out.contents = *contents;
    }
    builder.sections.push_back(out);
  }
  if (!present) {
    // The table may also hold the symbols' names: it only grows at its end.
    llvm::StringRef table = builder.sections[builder.nameTable].contents;
    names.append(table.begin(), table.end());
    size_t nameOffset = names.size();
    names += kFatObjectSection.str() + '\0';
    builder.sections[builder.nameTable].contents = names;
    builder.sections.push_back(recordSection(record, nameOffset));
  }
  return builder.build();
}

//===----------------------------------------------------------------------===//
// The slim object
//===----------------------------------------------------------------------===//

namespace {

/// Empty sections that symbols are defined against: one per letter of nm.
enum SlimSection : unsigned {
  SlimText,
  SlimData,
  SlimBss,
  SlimRodata,
  SlimTlsData,
  SlimTlsBss,
  kSlimSections
};

struct SlimSectionInfo {
  const char *name;
  uint32_t type;
  uint64_t flags;
};

constexpr SlimSectionInfo kSlimInfo[kSlimSections] = {
    {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR},
    {".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE},
    {".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE},
    {".rodata", SHT_PROGBITS, SHF_ALLOC},
    {".tdata", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE | SHF_TLS},
    {".tbss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE | SHF_TLS}};

SlimSection slimSectionFor(const Elf64_Shdr &header) {
  bool zero = header.sh_type == SHT_NOBITS;
  if (header.sh_flags & SHF_TLS)
    return zero ? SlimTlsBss : SlimTlsData;
  if (header.sh_flags & SHF_EXECINSTR)
    return SlimText;
  if (zero)
    return SlimBss;
  return header.sh_flags & SHF_WRITE ? SlimData : SlimRodata;
}

/// A string table under construction. Offset 0 is the empty string.
struct StringTable {
  std::string bytes = std::string(1, '\0');
  size_t add(llvm::StringRef text) {
    size_t at = bytes.size();
    bytes += text;
    bytes += '\0';
    return at;
  }
};

/// Puts a slim object together.
class SlimBuilder {
public:
  SlimBuilder(const ElfObject &object, llvm::StringRef bitcode,
              const Elf64_Shdr &bitcodeHeader, llvm::StringRef record)
      : object(object), bitcode(bitcode), bitcodeHeader(bitcodeHeader),
        record(record) {}

  llvm::Expected<std::string> build();

private:
  size_t addSection(llvm::StringRef name, uint32_t type, uint64_t flags,
                    uint64_t alignment, llvm::StringRef contents);
  void addSymbol(Elf64_Sym symbol, llvm::StringRef name, size_t section);
  void addNativeSymbols(llvm::ArrayRef<ElfSymbol> symbols);
  void addGuard();
  void addTables();

  const ElfObject &object;
  llvm::StringRef bitcode;
  Elf64_Shdr bitcodeHeader;
  llvm::StringRef record;
  ElfBuilder builder;
  StringTable sectionNames, symbolNames;
  BinaryWriter symbols, guardRelocation;
  uint32_t symbolCount = 0;
  std::string guardSpace = std::string(sizeof(uint64_t), '\0');
};

} // namespace

size_t SlimBuilder::addSection(llvm::StringRef name, uint32_t type,
                               uint64_t flags, uint64_t alignment,
                               llvm::StringRef contents) {
  SectionToWrite section;
  section.header.sh_name = static_cast<Elf64_Word>(sectionNames.add(name));
  section.header.sh_type = type;
  section.header.sh_flags = flags;
  section.header.sh_addralign = alignment;
  section.contents = contents;
  builder.sections.push_back(section);
  return builder.sections.size() - 1;
}

void SlimBuilder::addSymbol(Elf64_Sym symbol, llvm::StringRef name,
                            size_t section) {
  symbols.u32(static_cast<uint32_t>(name.empty() ? 0 : symbolNames.add(name)));
  symbols.u8(symbol.st_info);
  symbols.u8(symbol.st_other);
  symbols.u16(static_cast<uint16_t>(section));
  symbols.u64(symbol.st_value);
  symbols.u64(symbol.st_size);
  ++symbolCount;
}

void SlimBuilder::addNativeSymbols(llvm::ArrayRef<ElfSymbol> natives) {
  size_t sections[kSlimSections] = {};
  for (const ElfSymbol &native : natives) {
    Elf64_Sym symbol = native.symbol;
    size_t section = symbol.st_shndx; // SHN_UNDEF, SHN_ABS, SHN_COMMON
    bool ordinary = symbol.st_shndx == SHN_XINDEX ||
                    (section != SHN_UNDEF && section < SHN_LORESERVE);
    if (ordinary) {
      SlimSection kind =
          slimSectionFor(object.sections()[native.section].header);
      const SlimSectionInfo &info = kSlimInfo[kind];
      if (sections[kind] == 0)
        sections[kind] = addSection(info.name, info.type, info.flags, 1, "");
      section = sections[kind];
      symbol.st_value = 0;
    }
    addSymbol(symbol, native.name, section);
  }
}

/// Refers to the guard symbol from a section that no linker drops. A linker
/// that takes this object for a native one then reports the symbol.
void SlimBuilder::addGuard() {
  uint32_t guardIndex = symbolCount;
  Elf64_Sym guard = {};
  guard.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE);
  guard.st_other = STV_HIDDEN;
  addSymbol(guard, kGuardSymbol, SHN_UNDEF);
  size_t section =
      addSection(".init_array", SHT_INIT_ARRAY, SHF_ALLOC | SHF_WRITE,
                 sizeof(uint64_t), guardSpace);
  builder.sections[section].header.sh_entsize = sizeof(uint64_t);
  uint32_t type =
      object.header().e_machine == EM_AARCH64 ? R_AARCH64_ABS64 : R_X86_64_64;
  guardRelocation.u64(0);
  guardRelocation.u64(ELF64_R_INFO(static_cast<uint64_t>(guardIndex), type));
  guardRelocation.u64(0);
  size_t relocations = addSection(".rela.init_array", SHT_RELA, SHF_INFO_LINK,
                                  sizeof(uint64_t), guardRelocation.str());
  Elf64_Shdr &header = builder.sections[relocations].header;
  header.sh_entsize = sizeof(Elf64_Rela);
  header.sh_info = static_cast<Elf64_Word>(section);
  header.sh_link = static_cast<Elf64_Word>(relocations + 1); // .symtab
}

void SlimBuilder::addTables() {
  size_t symtab =
      addSection(".symtab", SHT_SYMTAB, 0, sizeof(uint64_t), symbols.str());
  Elf64_Shdr &header = builder.sections[symtab].header;
  header.sh_entsize = sizeof(Elf64_Sym);
  header.sh_info = 1; // the null symbol is the only local one
  header.sh_link = static_cast<Elf64_Word>(symtab + 1);
  addSection(".strtab", SHT_STRTAB, 0, 1, symbolNames.bytes);
  size_t names = addSection(".shstrtab", SHT_STRTAB, 0, 1, "");
  builder.sections[names].contents = sectionNames.bytes;
  builder.nameTable = names;
}

llvm::Expected<std::string> SlimBuilder::build() {
  uint16_t machine = object.header().e_machine;
  if (machine != EM_X86_64 && machine != EM_AARCH64)
    return inputError(object.location(), "slim objects are made for x86-64 "
                                         "and AArch64 only");
  auto natives = globalSymbols(object);
  if (!natives)
    return natives.takeError();
  builder = builderLike(object);
  builder.sections.emplace_back(); // the null section
  addSymbol(Elf64_Sym(), "", SHN_UNDEF);
  addSection(kHostBitcodeSection, bitcodeHeader.sh_type, bitcodeHeader.sh_flags,
             bitcodeHeader.sh_addralign, bitcode);
  addSection(kFatObjectSection, SHT_PROGBITS, SHF_EXCLUDE, kRecordAlignment,
             record);
  addSection(".note.GNU-stack", SHT_PROGBITS, 0, 1, "");
  addNativeSymbols(*natives);
  addGuard();
  addTables();
  return builder.build();
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

llvm::Expected<llvm::StringRef>
gpulto::hostBitcodeOf(llvm::MemoryBufferRef object,
                      const InputLocation &where) {
  llvm::Expected<ElfObject> elf = ElfObject::open(object, where);
  if (!elf)
    return elf.takeError();
  const ElfSection *section = elf->find(kHostBitcodeSection);
  return section ? elf->contents(*section) : llvm::StringRef();
}

llvm::Expected<std::string> gpulto::addToObject(
    llvm::MemoryBufferRef object, const FatObjectContents &contents,
    const InputLocation &where, const FatObjectOptions &options) {
  llvm::Expected<ElfObject> elf = ElfObject::open(object, where);
  if (!elf)
    return elf.takeError();
  if (elf->header().e_type != ET_REL)
    return inputError(where, "no relocatable object");
  if (elf->find(kFatObjectSection) && !options.replace)
    return inputError(where, "the object has a " + kFatObjectSection +
                                 " section already");
  llvm::StringRef bitcode;
  const ElfSection *section = elf->find(kHostBitcodeSection);
  if (section) {
    llvm::Expected<llvm::StringRef> bytes = elf->contents(*section);
    if (!bytes)
      return bytes.takeError();
    bitcode = *bytes;
  }
  if (options.slim && bitcode.empty())
    return inputError(where, "a slim object needs host bitcode in " +
                                 kHostBitcodeSection);
  FatObjectOptions recordOptions = options;
  const ElfSection *symbols = elf->find(".symtab");
  if (symbols && !options.slim)
    recordOptions.symbolTableBytes = symbols->header.sh_size;
  llvm::Expected<std::vector<MarkedSymbol>> marked = markSymbols(*elf);
  if (!marked)
    return marked.takeError();
  recordOptions.symbolMarks = encodeMarks(*marked);
  llvm::Expected<std::string> record =
      buildRecord(contents, bitcode, where, recordOptions);
  if (!record)
    return record.takeError();
  if (options.slim)
    return SlimBuilder(*elf, bitcode, section->header, *record).build();
  return buildFat(*elf, *record);
}

llvm::Error gpulto::writeFatObject(llvm::StringRef inputPath,
                                   const FatObjectContents &contents,
                                   llvm::StringRef outputPath,
                                   const FatObjectOptions &options) {
  auto buffer = llvm::MemoryBuffer::getFile(inputPath, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return makeError(inputPath + ": cannot open (" +
                     buffer.getError().message() + ")");
  llvm::Expected<std::string> bytes =
      addToObject((*buffer)->getMemBufferRef(), contents,
                  InputLocation(inputPath), options);
  if (!bytes)
    return bytes.takeError();
  return writeFileAtomically(outputPath, *bytes);
}
