//===- FatObjectReader.cpp - Reading fat objects and archives -------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common path of every link (one record, bitcode size as recorded) reads
// section headers, the record's header and its entries, but neither bitcode nor
// summaries. Digests of payloads are checked on demand, and if bitcode must be
// matched to records after `ld -r`.
//
//===----------------------------------------------------------------------===//

#include "fatobj/FatObjectReader.h"

#include "fatobj/Compression.h"
#include "fatobj/ElfObject.h"
#include "fatobj/Format.h"
#include "support/BinaryStream.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Magic.h"

using namespace gpulto;

const DeviceRecord *FatRecord::findDevice(llvm::StringRef arch) const {
  for (const DeviceRecord &device : devices)
    if (device.arch == arch)
      return &device;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

namespace {

/// One row of a record's entry table, checked against the record's size.
struct Entry {
  EntryKind kind = EntryKind::HostSummary;
  uint32_t flags = 0;
  llvm::StringRef arch;
  uint64_t offset = 0;
  uint64_t storedSize = 0;
  uint64_t rawSize = 0;
  Digest digest;
  llvm::StringRef payload; ///< empty for a HostBitcodeRef
};

/// A record and what is to be resolved after all records are known.
struct ParsedRecord {
  FatRecord record;
  bool hasHostBitcode = false;
  uint64_t hostBitcodeSize = 0;
  uint64_t namesOffset = 0;
  uint64_t namesSize = 0;
};

class RecordParser {
public:
  RecordParser(llvm::StringRef record, const char *base,
               const InputLocation &where, const ReadOptions &options)
      : bytes(record), base(base), where(where), options(options) {}

  llvm::Expected<ParsedRecord> parse();

private:
  llvm::Error parseEntry(BinaryReader &reader, ParsedRecord &result);
  llvm::Error checkEntry(Entry &entry, const InputLocation &at);
  llvm::Error place(const Entry &entry, const InputLocation &at,
                    ParsedRecord &result);
  DeviceRecord &deviceFor(llvm::StringRef arch, FatRecord &record);

  llvm::StringRef bytes; ///< the whole record
  const char *base;
  InputLocation where; ///< of its first byte
  const ReadOptions &options;
};

} // namespace

/// Checks the fixed part and the entry table of a record whose size is known
/// to be right, then every entry.
llvm::Expected<ParsedRecord> RecordParser::parse() {
  BinaryReader reader(bytes, where);
  reader.skip(kRecordMagic.size());
  ParsedRecord result;
  FatRecord &record = result.record;
  record.location = where;
  reader.skip(sizeof(uint32_t)); // version: checked before
  uint32_t headerSize = reader.u32();
  reader.skip(sizeof(uint64_t)); // size: checked before
  record.llvmMajor = reader.u32();
  record.llvmMinor = reader.u32();
  record.llvmPatch = reader.u32();
  uint32_t flags = reader.u32();
  record.slim = flags & kRecordSlim;
  record.optionDigest = reader.digest();
  uint32_t count = reader.u32();
  uint32_t entrySize = reader.u32();
  Digest tableDigest = reader.digest();
  record.symbolTableBytes = reader.u64();
  if (llvm::Error error = reader.takeError())
    return error;
  if (headerSize != kRecordHeaderSize || entrySize != kRecordEntrySize ||
      (flags & ~kRecordSlim))
    return inputError(where, "malformed record header");
  size_t entries = reader.checkCount(count, kRecordEntrySize);
  llvm::StringRef table = reader.bytes(entries * kRecordEntrySize);
  if (llvm::Error error = reader.takeError())
    return error;
  if (digestOf(table) != tableDigest)
    return inputError(where.at(where.offset + kRecordHeaderSize),
                      "the entry table does not match its digest");
  BinaryReader tableReader(table, where.at(where.offset + kRecordHeaderSize));
  for (size_t i = 0; i != entries; ++i)
    if (llvm::Error error = parseEntry(tableReader, result))
      return error;
  return result;
}

llvm::Error RecordParser::parseEntry(BinaryReader &reader,
                                     ParsedRecord &result) {
  InputLocation at = reader.location();
  Entry entry;
  uint32_t kind = reader.u32();
  entry.flags = reader.u32();
  llvm::StringRef arch = reader.bytes(kArchNameSize);
  entry.offset = reader.u64();
  entry.storedSize = reader.u64();
  entry.rawSize = reader.u64();
  entry.digest = reader.digest();
  if (llvm::Error error = reader.takeError())
    return error;
  if (kind == 0 || kind > kLastEntryKind)
    return inputError(at, "unknown entry kind " + llvm::Twine(kind));
  entry.kind = static_cast<EntryKind>(kind);
  entry.arch = arch.take_while([](char c) { return c != 0; });
  bool padded = arch.drop_front(entry.arch.size()).find_first_not_of('\0') ==
                llvm::StringRef::npos;
  bool printable =
      llvm::all_of(entry.arch, [](char c) { return llvm::isPrint(c); });
  if (!padded || !printable || entry.arch.size() == kArchNameSize)
    return inputError(at, "malformed architecture name");
  if (llvm::Error error = checkEntry(entry, at))
    return error;
  return place(entry, at, result);
}

llvm::Error RecordParser::checkEntry(Entry &entry, const InputLocation &at) {
  bool isDevice = entry.kind == EntryKind::DeviceSummary ||
                  entry.kind == EntryKind::DeviceBitcode;
  if (isDevice == entry.arch.empty())
    return inputError(at, isDevice ? "device entry without an architecture"
                                   : "host entry with an architecture");
  if (entry.flags & ~kEntryZstd ||
      (entry.flags && entry.kind != EntryKind::DeviceBitcode))
    return inputError(at, "unknown flags " + llvm::Twine(entry.flags));
  if (entry.kind == EntryKind::HostBitcodeRef)
    return llvm::Error::success(); // ranges are of .llvm.lto
  uint64_t first = bytes.size() < kRecordHeaderSize ? 0 : kRecordHeaderSize;
  if (entry.offset < first || entry.offset > bytes.size() ||
      entry.storedSize > bytes.size() - entry.offset)
    return inputError(at, "entry outside of its record: offset " +
                              llvm::Twine(entry.offset) + ", size " +
                              llvm::Twine(entry.storedSize) + ", record size " +
                              llvm::Twine(bytes.size()));
  if (!(entry.flags & kEntryZstd) && entry.storedSize != entry.rawSize)
    return inputError(at, "stored and raw size differ");
  entry.payload = bytes.substr(entry.offset, entry.storedSize);
  // These are read whole anyway; jobs check what else they read.
  bool isReadWhole = entry.kind == EntryKind::HostSummary ||
                     entry.kind == EntryKind::DeviceSummary ||
                     entry.kind == EntryKind::SymbolMarks;
  bool checked =
      isReadWhole || (options.verifyDigests && !(entry.flags & kEntryZstd));
  if (checked && digestOf(entry.payload) != entry.digest)
    return inputError(where.at(where.offset + entry.offset),
                      "the contents do not match their digest");
  return llvm::Error::success();
}

DeviceRecord &RecordParser::deviceFor(llvm::StringRef arch, FatRecord &record) {
  for (DeviceRecord &device : record.devices)
    if (device.arch == arch)
      return device;
  record.devices.emplace_back();
  record.devices.back().arch = arch.str();
  return record.devices.back();
}

llvm::Error RecordParser::place(const Entry &entry, const InputLocation &at,
                                ParsedRecord &result) {
  FatRecord &record = result.record;
  bool repeated = false;
  switch (entry.kind) {
  case EntryKind::HostSummary:
    repeated = record.hostSummary.data() != nullptr;
    record.hostSummary = entry.payload;
    break;
  case EntryKind::SymbolMarks:
    if (entry.payload.size() % kSymbolMarkSize)
      return inputError(at, "half a mark of a symbol");
    repeated = record.symbolMarks.has_value();
    record.symbolMarks = entry.payload;
    break;
  case EntryKind::HostBitcodeRef:
    repeated = result.hasHostBitcode;
    result.hasHostBitcode = true;
    result.hostBitcodeSize = entry.rawSize;
    result.namesOffset = entry.offset;
    result.namesSize = entry.storedSize;
    record.hostBitcodeDigest = entry.digest;
    break;
  case EntryKind::DeviceSummary: {
    DeviceRecord &device = deviceFor(entry.arch, record);
    repeated = device.summary.data() != nullptr;
    device.summary = entry.payload;
    break;
  }
  case EntryKind::DeviceBitcode: {
    BitcodeRef &bitcode = deviceFor(entry.arch, record).bitcode;
    repeated = bitcode.offset != 0;
    bitcode.offset = static_cast<uint64_t>(entry.payload.data() - base);
    bitcode.storedSize = entry.storedSize;
    bitcode.rawSize = entry.rawSize;
    bitcode.digest = entry.digest;
    bitcode.compressed = entry.flags & kEntryZstd;
    break;
  }
  }
  return repeated ? inputError(at, "entry occurs twice in a record")
                  : llvm::Error::success();
}

/// Checks magic, version and size of the record at the reader's position and
/// returns its bytes.
static llvm::Expected<llvm::StringRef> nextRecord(BinaryReader &reader) {
  InputLocation at = reader.location();
  uint64_t start = reader.position();
  if (reader.bytes(kRecordMagic.size()) != kRecordMagic) {
    if (llvm::Error error = reader.takeError())
      return error;
    return inputError(at, "no record magic");
  }
  uint32_t version = reader.u32();
  reader.skip(sizeof(uint32_t));
  uint64_t size = reader.u64();
  if (llvm::Error error = reader.takeError())
    return error;
  if (version < kOldestRecordVersion || version > kRecordVersion)
    return inputError(
        at, "record version " + llvm::Twine(version) + ", this linker reads " +
                llvm::Twine(kOldestRecordVersion) + " to " +
                llvm::Twine(kRecordVersion) + "; recompile the object");
  if (size < kRecordHeaderSize)
    return inputError(at, "record size " + llvm::Twine(size) +
                              " is smaller than its header");
  reader.seek(start);
  llvm::StringRef bytes = reader.bytes(size);
  if (llvm::Error error = reader.takeError())
    return error;
  return bytes;
}

//===----------------------------------------------------------------------===//
// Host bitcode
//===----------------------------------------------------------------------===//

/// Sets a record's bitcode and names, given its blob.
static llvm::Error attachBitcode(ParsedRecord &parsed, llvm::StringRef blob,
                                 const char *base) {
  FatRecord &record = parsed.record;
  if (parsed.namesOffset > blob.size() ||
      parsed.namesSize > blob.size() - parsed.namesOffset)
    return inputError(record.location,
                      "name table outside of the host bitcode");
  record.hostBitcode = blob;
  record.hostBitcodeOffset = static_cast<uint64_t>(blob.data() - base);
  record.hostNames = blob.substr(parsed.namesOffset, parsed.namesSize);
  return llvm::Error::success();
}

/// Matches records to the bitcode files of a section that `ld -r` put
/// together: in order, by size and digest. Bitcode of no record is stock
/// clang's.
static llvm::Expected<std::vector<HostUnit>>
matchBitcode(llvm::MutableArrayRef<ParsedRecord> records,
             llvm::StringRef section, const char *base,
             const InputLocation &where) {
  auto blobs = splitBitcode(section, where.inSection(kHostBitcodeSection));
  if (!blobs)
    return blobs.takeError();
  std::vector<HostUnit> units;
  for (llvm::StringRef blob : *blobs)
    units.push_back({blob, std::nullopt});
  size_t next = 0;
  for (auto [r, parsed] : llvm::enumerate(records)) {
    if (!parsed.hasHostBitcode)
      continue;
    // Each blob is hashed at most once, so this is linear in the section.
    while (next != units.size() &&
           (units[next].bitcode.size() != parsed.hostBitcodeSize ||
            digestOf(units[next].bitcode) != parsed.record.hostBitcodeDigest))
      ++next;
    if (next == units.size())
      return inputError(parsed.record.location,
                        "the host bitcode of this record is not in " +
                            kHostBitcodeSection + "; recompile the object");
    if (llvm::Error error = attachBitcode(parsed, units[next].bitcode, base))
      return std::move(error);
    units[next++].record = r;
  }
  return units;
}

static llvm::Expected<std::vector<HostUnit>>
resolveBitcode(llvm::MutableArrayRef<ParsedRecord> records,
               llvm::StringRef section, const char *base,
               const InputLocation &where, const ReadOptions &options) {
  if (section.empty()) {
    for (ParsedRecord &parsed : records)
      parsed.record.hostBitcodeLost = parsed.hasHostBitcode;
    return std::vector<HostUnit>();
  }
  bool plain = records.size() == 1 && records[0].hasHostBitcode &&
               records[0].hostBitcodeSize == section.size() &&
               !options.verifyDigests;
  if (!plain)
    return matchBitcode(records, section, base, where);
  if (llvm::Error error = attachBitcode(records[0], section, base))
    return std::move(error);
  return std::vector<HostUnit>{{section, size_t(0)}};
}

/// Reads all that readFatRecords and readFatObject return of records and units.
static llvm::Expected<FatObject>
readRecordsAndUnits(llvm::StringRef section, llvm::StringRef bitcodeSection,
                    const char *base, const InputLocation &where,
                    const ReadOptions &options) {
  InputLocation start =
      where.section.empty() ? where.inSection(kFatObjectSection) : where;
  BinaryReader reader(section, start);
  llvm::SmallVector<ParsedRecord, 1> parsed;
  while (true) {
    // ld -r pads each piece to the section's alignment.
    uint64_t padding = std::min<uint64_t>(
        reader.remaining(),
        llvm::alignTo(reader.position(), kRecordAlignment) - reader.position());
    if (reader.bytes(padding).find_first_not_of('\0') != llvm::StringRef::npos)
      return inputError(reader.location(), "bytes between records");
    if (reader.atEnd())
      break;
    if (section.substr(reader.position(), kRecordAlignment)
            .find_first_not_of('\0') == llvm::StringRef::npos) {
      reader.skip(std::min<uint64_t>(kRecordAlignment, reader.remaining()));
      continue;
    }
    InputLocation at = reader.location();
    llvm::Expected<llvm::StringRef> bytes = nextRecord(reader);
    if (!bytes)
      return bytes.takeError();
    auto record = RecordParser(*bytes, base, at, options).parse();
    if (!record)
      return record.takeError();
    parsed.push_back(std::move(*record));
  }
  auto units = resolveBitcode(parsed, bitcodeSection, base, where, options);
  if (!units)
    return units.takeError();
  FatObject result;
  result.units = std::move(*units);
  for (ParsedRecord &one : parsed)
    result.records.push_back(std::move(one.record));
  return result;
}

llvm::Expected<std::vector<FatRecord>>
gpulto::readFatRecords(llvm::StringRef section, llvm::StringRef bitcodeSection,
                       const char *base, const InputLocation &where,
                       const ReadOptions &options) {
  auto object =
      readRecordsAndUnits(section, bitcodeSection, base, where, options);
  if (!object)
    return object.takeError();
  return std::move(object->records);
}

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

bool gpulto::isOneUnit(const FatObject &object) {
  return object.records.size() == 1 && object.units.size() == 1 &&
         object.units[0].record &&
         object.records[0].symbolTableBytes == object.symbolTableBytes &&
         object.symbolTableBytes != 0;
}

bool gpulto::isAsCompiled(const FatObject &object) {
  if (!isOneUnit(object))
    return false;
  const std::optional<llvm::StringRef> &marks = object.records[0].symbolMarks;
  return !marks || areMarked(object.symbols, *marks);
}

/// Returns whether \p file is an ELF object with a section of one of \p names.
static bool hasSection(llvm::MemoryBufferRef file,
                       llvm::ArrayRef<llvm::StringRef> names) {
  if (llvm::identify_magic(file.getBuffer()) !=
      llvm::file_magic::elf_relocatable)
    return false;
  llvm::Expected<ElfObject> object = ElfObject::open(file, InputLocation());
  if (!object) {
    llvm::consumeError(object.takeError());
    return false;
  }
  return llvm::any_of(names,
                      [&](llvm::StringRef name) { return object->find(name); });
}

bool gpulto::hasFatObjectSection(llvm::MemoryBufferRef file) {
  return hasSection(file, {kFatObjectSection});
}

bool gpulto::mayHoldDeviceCode(llvm::MemoryBufferRef file) {
  return llvm::identify_magic(file.getBuffer()) == llvm::file_magic::bitcode ||
         hasSection(file, {kFatObjectSection, kOffloadingSection});
}

/// Returns the contents of the only section of that name, empty if there is
/// none. Linkers join sections of one name, so two are malformed.
static llvm::Expected<llvm::StringRef> onlySection(const ElfObject &object,
                                                   llvm::StringRef name) {
  const ElfSection *found = nullptr;
  for (const ElfSection &section : object.sections()) {
    if (section.index == 0 || section.name != name)
      continue;
    if (found)
      return inputError(object.location().inSection(name),
                        "section occurs twice");
    found = &section;
  }
  if (!found)
    return llvm::StringRef();
  if (found->header.sh_flags & SHF_COMPRESSED)
    return inputError(object.location().inSection(name),
                      "section is compressed; objcopy "
                      "--decompress-debug-sections undoes that");
  return object.contents(*found);
}

llvm::Expected<FatObject> gpulto::readFatObject(llvm::MemoryBufferRef file,
                                                const InputLocation &where,
                                                const ReadOptions &options) {
  llvm::Expected<ElfObject> object = ElfObject::open(file, where);
  if (!object)
    return object.takeError();
  FatObject result;
  llvm::StringRef records;
  std::pair<llvm::StringRef, llvm::StringRef *> wanted[] = {
      {kFatObjectSection, &records},
      {kHostBitcodeSection, &result.bitcodeSection},
      {kOffloadingSection, &result.offloadingSection}};
  for (auto [name, target] : wanted) {
    // Stock objects may hold several .llvm.offloading; the first one serves.
    if (name == kOffloadingSection) {
      if (const ElfSection *section = object->find(name)) {
        auto contents = object->contents(*section);
        if (!contents)
          return contents.takeError();
        *target = *contents;
      }
      continue;
    }
    llvm::Expected<llvm::StringRef> contents = onlySection(*object, name);
    if (!contents)
      return contents.takeError();
    *target = *contents;
  }
  if (const ElfSection *symbols = object->find(".symtab"))
    result.symbolTableBytes = symbols->header.sh_size;
  if (options.symbols) {
    auto symbols = markSymbols(*object);
    if (!symbols)
      return symbols.takeError();
    result.symbols = std::move(*symbols);
  }
  auto parsed = readRecordsAndUnits(records, result.bitcodeSection,
                                    file.getBufferStart(), where, options);
  if (!parsed)
    return parsed.takeError();
  result.records = std::move(parsed->records);
  result.units = std::move(parsed->units);
  return result;
}

//===----------------------------------------------------------------------===//
// Payloads
//===----------------------------------------------------------------------===//

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
gpulto::decompressBitcode(llvm::MemoryBufferRef file, const BitcodeRef &ref,
                          const InputLocation &where, bool verify) {
  llvm::StringRef bytes = file.getBuffer();
  InputLocation at = where.at(ref.offset);
  if (ref.offset > bytes.size() || ref.storedSize > bytes.size() - ref.offset)
    return inputError(at, "device bitcode outside of the object");
  llvm::StringRef stored = bytes.substr(ref.offset, ref.storedSize);
  std::unique_ptr<llvm::MemoryBuffer> result;
  if (ref.compressed) {
    auto raw = decompressZstd(stored, ref.rawSize, at);
    if (!raw)
      return raw.takeError();
    result = std::move(*raw);
  } else {
    result = llvm::MemoryBuffer::getMemBuffer(stored, where.str(),
                                              /*RequiresNullTerminator=*/false);
  }
  if (verify && digestOf(result->getBuffer()) != ref.digest)
    return inputError(at, "device bitcode does not match its digest");
  return result;
}
