//===- Stamp.cpp - The note of a link in its output -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lto/tables/Stamp.h"

#include "fatobj/SectionObject.h"
#include "lto/link/Version.h"
#include "support/BinaryStream.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Object/ELF.h"

using namespace llvm;

namespace gpulto {

/// The owner of the notes, with its terminator.
static constexpr StringLiteral kNoteName =
    StringLiteral::withInnerNUL("gpulto\0");
/// The type of the notes is the version of what is in them.
static constexpr uint32_t kStampVersion = 1;
/// Each takes at least so many.
static constexpr uint64_t kStageBytes = 2, kInputBytes = 7, kDeviceBytes = 2;
/// Of the parts of a note, and of the section.
static constexpr uint64_t kNoteAlignment = 4;

std::string StampInput::name() const {
  return InputLocation(path, member).str();
}

void StampInput::add(StampDevice device) {
  if (!is_contained(devices, device))
    devices.push_back(std::move(device));
}

Stamp makeStamp(OutputKind output) {
  Stamp stamp;
  stamp.version = GPULTO_VERSION;
  stamp.llvmVersion = LLVM_VERSION_STRING;
  stamp.output = output;
  return stamp;
}

static std::string encodeDescription(const Stamp &stamp) {
  BinaryWriter out;
  out.string(stamp.version);
  out.string(stamp.llvmVersion);
  out.enumerator(stamp.output);
  out.uleb(stamp.stages.size());
  for (const auto &[name, value] : stamp.stages) {
    out.string(name);
    out.string(value);
  }
  out.uleb(stamp.inputs.size());
  for (const StampInput &input : stamp.inputs) {
    out.string(input.path);
    out.string(input.member);
    out.enumerator(input.treatment);
    out.enumerator(input.form);
    out.string(input.reason);
    out.uleb(input.devices.size());
    for (const StampDevice &device : input.devices) {
      out.string(device.arch);
      out.boolean(device.isNative);
    }
    out.uleb(input.count);
  }
  return out.take();
}

static StampInput readInput(BinaryReader &in) {
  StampInput input;
  input.path = in.string().str();
  input.member = in.string().str();
  input.treatment = in.enumerator(StampTreatment::Last);
  input.form = in.enumerator(StampForm::Last);
  input.reason = in.string().str();
  input.devices.resize(in.count(kDeviceBytes));
  for (StampDevice &device : input.devices) {
    device.arch = in.string().str();
    device.isNative = in.boolean();
  }
  input.count = in.uleb32();
  return input;
}

static Expected<Stamp> decodeDescription(BinaryReader in) {
  Stamp stamp;
  stamp.version = in.string().str();
  stamp.llvmVersion = in.string().str();
  stamp.output = in.enumerator(OutputKind::Last);
  stamp.stages.resize(in.count(kStageBytes));
  for (auto &[name, value] : stamp.stages) {
    name = in.string().str();
    value = in.string().str();
  }
  for (size_t left = in.count(kInputBytes); left && !in.failed(); --left)
    stamp.inputs.push_back(readInput(in));
  if (Error error = in.finish())
    return std::move(error);
  return stamp;
}

static Error otherVersion(const InputLocation &where, uint32_t version) {
  return inputError(where, "stamp of version " + Twine(version) +
                               ", this program reads " + Twine(kStampVersion));
}

std::string encodeStamps(ArrayRef<Stamp> stamps) {
  BinaryWriter out;
  for (const Stamp &stamp : stamps) {
    std::string description = encodeDescription(stamp);
    out.u32(kNoteName.size());
    out.u32(static_cast<uint32_t>(description.size()));
    out.u32(kStampVersion);
    out.bytes(kNoteName);
    out.alignTo(kNoteAlignment);
    out.bytes(description);
    out.alignTo(kNoteAlignment);
  }
  return out.take();
}

Expected<std::vector<Stamp>> decodeStamps(StringRef bytes,
                                          const InputLocation &section) {
  BinaryReader in(bytes, section.at(section.offset));
  std::vector<Stamp> stamps;
  while (!in.atEnd()) {
    uint32_t nameBytes = in.u32(), descriptionBytes = in.u32();
    uint64_t typeAt = in.position();
    uint32_t type = in.u32();
    uint64_t nameAt = in.position();
    StringRef name = in.bytes(nameBytes);
    in.alignTo(kNoteAlignment);
    if (!in.failed() && name != kNoteName)
      return inputError(section.at(section.offset + nameAt),
                        "a note that is not gpulto's");
    if (!in.failed() && type != kStampVersion)
      return otherVersion(section.at(section.offset + typeAt), type);
    BinaryReader description = in.sub(descriptionBytes);
    in.alignTo(kNoteAlignment);
    if (Error error = in.takeError())
      return std::move(error);
    Expected<Stamp> stamp = decodeDescription(description);
    if (!stamp)
      return stamp.takeError();
    stamps.push_back(std::move(*stamp));
  }
  if (Error error = in.takeError())
    return std::move(error);
  return stamps;
}

namespace {
using File = object::ELF64LEFile;
}

/// Appends the stamps of the section \p header of \p elf, if it is ours.
static Error readSection(const File &elf, const File::Elf_Shdr &header,
                         const InputLocation &where,
                         std::vector<Stamp> &stamps) {
  if (header.sh_type != ELF::SHT_NOTE)
    return Error::success();
  Expected<StringRef> name = elf.getSectionName(header);
  if (!name)
    return inputError(where, toString(name.takeError()));
  if (*name != kStampSection)
    return Error::success();
  InputLocation section = where.inSection(kStampSection);
  Expected<ArrayRef<uint8_t>> contents = elf.getSectionContents(header);
  if (!contents)
    return inputError(section, toString(contents.takeError()));
  auto found = decodeStamps(toStringRef(*contents), section);
  if (!found)
    return found.takeError();
  append_range(stamps, std::move(*found));
  return Error::success();
}

/// Appends the stamps in the segment \p notes. Other notes are next to ours,
/// and linkers align them differently, so it searches for ours.
static Error findNotes(StringRef notes, const InputLocation &where,
                       std::vector<Stamp> &stamps) {
  constexpr size_t kHeaderBytes = 3 * sizeof(uint32_t);
  for (size_t at = notes.find(kNoteName); at != StringRef::npos;
       at = notes.find(kNoteName, at + kNoteName.size())) {
    if (at < kHeaderBytes)
      continue;
    size_t start = at - kHeaderBytes;
    BinaryReader header(notes.substr(start, kHeaderBytes));
    if (header.u32() != kNoteName.size())
      continue;
    uint64_t bytes = kHeaderBytes + alignTo(kNoteName.size(), kNoteAlignment) +
                     alignTo(uint64_t(header.u32()), kNoteAlignment);
    auto found = decodeStamps(notes.substr(start, bytes),
                              where.at(where.offset + start));
    if (!found)
      return found.takeError();
    append_range(stamps, std::move(*found));
  }
  return Error::success();
}

/// Appends the stamps of a program without sections (llvm-strip
/// --strip-sections).
static Error readSegments(const File &elf, StringRef file,
                          const InputLocation &where,
                          std::vector<Stamp> &stamps) {
  auto segments = elf.program_headers();
  if (!segments)
    return inputError(where, toString(segments.takeError()));
  for (const File::Elf_Phdr &segment : *segments)
    if (segment.p_type == ELF::PT_NOTE)
      if (Error error =
              findNotes(file.substr(segment.p_offset, segment.p_filesz),
                        where.at(segment.p_offset), stamps))
        return error;
  return Error::success();
}

Expected<std::vector<Stamp>> readStamps(MemoryBufferRef file,
                                        const InputLocation &where) {
  StringRef bytes = file.getBuffer();
  if (!bytes.starts_with(StringRef(ELF::ElfMagic, 4)))
    return inputError(where, "no ELF file");
  if (bytes.size() < sizeof(File::Elf_Ehdr) ||
      bytes[ELF::EI_CLASS] != ELF::ELFCLASS64 ||
      bytes[ELF::EI_DATA] != ELF::ELFDATA2LSB)
    return inputError(where, "not a 64-bit little-endian ELF file");
  Expected<File> elf = File::create(bytes);
  if (!elf)
    return inputError(where, toString(elf.takeError()));
  auto sections = elf->sections();
  if (!sections)
    return inputError(where, toString(sections.takeError()));
  std::vector<Stamp> stamps;
  for (const File::Elf_Shdr &section : *sections)
    if (Error error = readSection(*elf, section, where, stamps))
      return error;
  if (sections->empty())
    if (Error error = readSegments(*elf, bytes, where, stamps))
      return error;
  return stamps;
}

Expected<std::string> makeStampObject(ArrayRef<Stamp> stamps,
                                      uint16_t machine) {
  std::string notes = encodeStamps(stamps);
  return makeSectionObject(
      {kStampSection, ELF::SHT_NOTE, ELF::SHF_ALLOC, kNoteAlignment, notes},
      machine);
}

} // namespace gpulto
