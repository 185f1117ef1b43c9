//===- DeviceImage.cpp - PTX, cubins and fatbinary containers -------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fatbinary container has no published description. This one was found by
// comparing the output of NVIDIA's fatbinary (CUDA 13.0) for known inputs;
// test/unit/fatobj/DeviceImageTest.cpp compares again wherever the tool is
// present. All little-endian.
//
//   container, 16 bytes            entry header, 64 bytes and more
//   +0  u32 magic 0xba55ed50       +0  u16 kind: 1 PTX, 2 cubin, 8 NVVM IR
//   +4  u16 version 1              +2  u16 version 0x0101
//   +6  u16 header size 16         +4  u32 header size, a multiple of 8
//   +8  u64 size of all entries    +8  u64 payload size, a multiple of 8
//   +16 entries                    +16 u32 compressed size, 0: not compressed
//                                  +20 u32 offset of the attributes, or 0
//   attributes, in the header      +24 u16 minor, +26 u16 major: PTX ISA
//   +0 u32 offset of the text              version, or EI_ABIVERSION and 1
//   +4 u32 size                    +28 u32 architecture (90)
//   then ptxas options and NUL     +32 u32 offset of the name, +36 u32 size
//   (PTX), or NUL and the          +40 u64 flags (below)
//   section .nv.compat (cubins     +48 u64 0
//   of sm_100 and newer)           +56 u64 raw size if compressed, else 0
//
// PTX is stored with a final NUL, and padded by at least one more when it is
// not compressed and fits exactly.
//
//===----------------------------------------------------------------------===//

#include "fatobj/DeviceImage.h"

#include "fatobj/Compression.h"
#include "fatobj/ElfObject.h"
#include "support/BinaryStream.h"
#include "support/Parallel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <optional>
#include <tuple>
#include <vector>

using namespace gpulto;

namespace {

constexpr uint32_t kContainerMagic = 0xba55ed50;
constexpr uint16_t kContainerVersion = 1;
constexpr uint16_t kContainerHeaderSize = 16;
constexpr uint16_t kEntryVersion = 0x0101;
constexpr uint32_t kEntryHeaderSize = 64;
constexpr uint64_t kAlignment = 8;
constexpr uint16_t kNvvmKind = 8; ///< what `nvcc -dlto` makes

constexpr uint64_t kFlag64Bit = 1 << 0;
constexpr uint64_t kFlagLinux = 1 << 4;
constexpr uint64_t kFlagLz4 = 1 << 13;
constexpr uint64_t kFlagZstd = 1 << 15;
constexpr uint64_t kFlagArchSpecific = 1 << 20; ///< sm_90a
constexpr uint64_t kFlagFamily = 1 << 21;       ///< sm_100f
constexpr uint64_t kFlagCompat = 1 << 24;       ///< .nv.compat is attached

// nvcc's, found by comparing bytes. (For size it takes level 19.)
constexpr int kZstdLevel = 5;
constexpr unsigned kFirstCompatArch = 100;

} // namespace

//===----------------------------------------------------------------------===//
// Architecture names
//===----------------------------------------------------------------------===//

std::string DeviceArch::digits() const {
  std::string result = std::to_string(number);
  if (suffix)
    result += suffix;
  return result;
}

std::string DeviceArch::realName() const { return "sm_" + digits(); }

std::string DeviceArch::name() const {
  return (isVirtual ? "compute_" : "sm_") + digits();
}

llvm::Expected<DeviceArch> gpulto::parseArch(llvm::StringRef name) {
  DeviceArch arch;
  llvm::StringRef rest = name;
  arch.isVirtual = rest.consume_front("compute_");
  bool known = arch.isVirtual || rest.consume_front("sm_");
  if (rest.ends_with("a") || rest.ends_with("f")) {
    arch.suffix = rest.back();
    rest = rest.drop_back();
  }
  bool digits = !rest.empty() && llvm::all_of(rest, llvm::isDigit);
  constexpr unsigned kFewest = 10, kMost = 999;
  if (!known || !digits || rest.getAsInteger(10, arch.number) ||
      arch.number < kFewest || arch.number > kMost || rest[0] == '0')
    return makeError("unknown GPU architecture '" + name +
                     "', expected sm_NN or compute_NN");
  return arch;
}

std::optional<gpulto::ImageCompression>
gpulto::parseCompression(llvm::StringRef mode) {
  return llvm::StringSwitch<std::optional<ImageCompression>>(mode)
      .Case("none", ImageCompression::None)
      .Case("speed", ImageCompression::Lz4)
      .Cases({"balance", "default"}, ImageCompression::Zstd)
      .Case("all", ImageCompression::ZstdAll)
      .Case("size", ImageCompression::Smallest)
      .Default(std::nullopt);
}

bool gpulto::archNameLess(llvm::StringRef a, llvm::StringRef b) {
  auto key = [](llvm::StringRef name) {
    llvm::Expected<DeviceArch> arch = parseArch(name);
    if (arch)
      return std::tuple(arch->number, arch->suffix, name);
    llvm::consumeError(arch.takeError());
    return std::tuple(~0u, '\0', name);
  };
  return key(a) < key(b);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

/// The fixed part of an entry's header.
struct EntryHeader {
  uint16_t kind, version;
  uint32_t headerSize;
  uint64_t payloadSize;
  uint32_t compressedSize, attributes;
  uint16_t minor, major;
  uint32_t arch, nameOffset, nameSize;
  uint64_t flags, zero, rawSize;
};

EntryHeader readHeader(BinaryReader &reader) {
  EntryHeader h = {};
  h.kind = reader.u16();
  h.version = reader.u16();
  h.headerSize = reader.u32();
  h.payloadSize = reader.u64();
  h.compressedSize = reader.u32();
  h.attributes = reader.u32();
  h.minor = reader.u16();
  h.major = reader.u16();
  h.arch = reader.u32();
  h.nameOffset = reader.u32();
  h.nameSize = reader.u32();
  h.flags = reader.u64();
  h.zero = reader.u64();
  h.rawSize = reader.u64();
  return h;
}

/// Returns the bytes of an image, decompressed.
llvm::Expected<std::string>
unpack(const EntryHeader &h, llvm::StringRef payload, const InputLocation &at) {
  if (!(h.flags & (kFlagLz4 | kFlagZstd)))
    return payload.str();
  if (h.compressedSize > payload.size())
    return inputError(at, "compressed image is larger than its entry");
  llvm::StringRef stored = payload.take_front(h.compressedSize);
  auto raw = h.flags & kFlagZstd ? decompressZstd(stored, h.rawSize, at)
                                 : decompressLz4(stored, h.rawSize, at);
  if (!raw)
    return raw.takeError();
  return (*raw)->getBuffer().str();
}

/// Reads name and options from the variable part of a header.
llvm::Error readText(llvm::StringRef header, const EntryHeader &h,
                     const InputLocation &at, DeviceImage &image) {
  BinaryReader reader(header, at);
  reader.seek(h.nameOffset);
  image.name = reader.bytes(h.nameSize).str();
  if (image.kind == DeviceImage::Kind::Ptx && h.attributes) {
    reader.seek(h.attributes);
    uint32_t offset = reader.u32();
    uint32_t size = reader.u32();
    reader.seek(offset);
    image.options = reader.bytes(size).str();
  }
  return reader.takeError();
}

DeviceArch archOf(const EntryHeader &h) {
  DeviceArch arch;
  arch.number = h.arch;
  arch.isVirtual = h.kind == 1;
  if (h.flags & kFlagArchSpecific)
    arch.suffix = 'a';
  else if (h.flags & kFlagFamily)
    arch.suffix = 'f';
  return arch;
}

llvm::Error readEntry(BinaryReader &reader, Fatbinary &container) {
  InputLocation at = reader.location();
  uint64_t start = reader.position();
  EntryHeader h = readHeader(reader);
  reader.seek(start);
  llvm::StringRef header = reader.bytes(h.headerSize);
  InputLocation payloadAt = reader.location();
  llvm::StringRef payload = reader.bytes(h.payloadSize);
  if (llvm::Error error = reader.takeError())
    return error;
  if (h.headerSize < kEntryHeaderSize)
    return inputError(at, "fatbinary entry header of " +
                              llvm::Twine(h.headerSize) + " bytes");
  if (h.kind == kNvvmKind)
    container.nvvm.push_back(archOf(h));
  bool isPtx = h.kind == static_cast<uint16_t>(DeviceImage::Kind::Ptx);
  if (!isPtx && h.kind != static_cast<uint16_t>(DeviceImage::Kind::Cubin))
    return llvm::Error::success();
  DeviceImage image;
  image.kind = static_cast<DeviceImage::Kind>(h.kind);
  image.arch = archOf(h);
  llvm::Expected<std::string> bytes = unpack(h, payload, payloadAt);
  if (!bytes)
    return bytes.takeError();
  image.bytes = std::move(*bytes);
  if (isPtx)
    image.bytes.resize(llvm::StringRef(image.bytes).rtrim('\0').size());
  if (llvm::Error error = readText(header, h, at, image))
    return error;
  container.images.push_back(std::move(image));
  return llvm::Error::success();
}

llvm::Error readContainer(BinaryReader &reader, Fatbinary &container) {
  InputLocation at = reader.location();
  uint32_t magic = reader.u32();
  uint16_t version = reader.u16();
  uint16_t headerSize = reader.u16();
  uint64_t size = reader.u64();
  if (llvm::Error error = reader.takeError())
    return error;
  if (magic != kContainerMagic)
    return inputError(at, "no fatbinary");
  if (version != kContainerVersion || headerSize < kContainerHeaderSize)
    return inputError(at, "fatbinary version " + llvm::Twine(version) +
                              ", known is " + llvm::Twine(kContainerVersion));
  reader.skip(headerSize - kContainerHeaderSize);
  BinaryReader entries = reader.sub(size);
  while (!entries.atEnd())
    if (llvm::Error error = readEntry(entries, container))
      return error;
  return entries.takeError();
}

} // namespace

llvm::Expected<std::vector<Fatbinary>>
gpulto::readFatbinaries(llvm::StringRef bytes, const InputLocation &where) {
  std::vector<Fatbinary> containers;
  BinaryReader reader(bytes, where);
  if (reader.atEnd())
    return inputError(where, "no fatbinary");
  while (!reader.atEnd()) {
    if (llvm::Error error = readContainer(reader, containers.emplace_back()))
      return error;
    // Containers that a linker joined are padded with zeros.
    llvm::StringRef rest = bytes.substr(reader.position());
    size_t padding = rest.find_first_not_of('\0');
    reader.skip(padding == llvm::StringRef::npos ? rest.size() : padding);
  }
  return containers;
}

llvm::Expected<std::vector<DeviceImage>>
gpulto::readFatbinary(llvm::StringRef bytes, const InputLocation &where) {
  auto containers = readFatbinaries(bytes, where);
  if (!containers)
    return containers.takeError();
  std::vector<DeviceImage> images;
  for (Fatbinary &container : *containers)
    llvm::move(container.images, std::back_inserter(images));
  return images;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Returns the version in the `.version X.Y` directive of PTX.
static llvm::Expected<std::pair<uint16_t, uint16_t>>
ptxVersion(llvm::StringRef ptx) {
  llvm::StringRef rest = ptx;
  while (!rest.empty()) {
    auto [line, next] = rest.split('\n');
    rest = next;
    line = line.trim();
    if (!line.consume_front(".version"))
      continue;
    auto [major, minor] = line.ltrim().split('.');
    minor = minor.take_while(llvm::isDigit);
    uint16_t majorValue = 0, minorValue = 0;
    if (!major.getAsInteger(10, majorValue) &&
        !minor.getAsInteger(10, minorValue))
      return std::pair(majorValue, minorValue);
    break;
  }
  return makeError("PTX without a .version directive");
}

/// Returns the section .nv.compat of a cubin, empty if it has none.
static llvm::Expected<llvm::StringRef> compatSection(llvm::StringRef cubin) {
  InputLocation where("cubin");
  auto object = ElfObject::open(llvm::MemoryBufferRef(cubin, "cubin"), where);
  if (!object)
    return object.takeError();
  const ElfSection *section = object->find(".nv.compat");
  return section ? object->contents(*section) : llvm::StringRef();
}

namespace {

/// What an entry is made of before its header is written.
struct EntryParts {
  uint16_t major = 0, minor = 0;
  uint64_t flags = kFlag64Bit | kFlagLinux;
  uint32_t attributesSize = 0;
  bool hasAttributes = false;
  std::string text;    ///< after the attributes' two words
  std::string payload; ///< unpadded
  uint64_t rawSize = 0;
};

} // namespace

static llvm::Error describePtx(const DeviceImage &image, EntryParts &parts) {
  auto version = ptxVersion(image.bytes);
  if (!version)
    return version.takeError();
  std::tie(parts.major, parts.minor) = *version;
  parts.hasAttributes = true;
  parts.attributesSize = static_cast<uint32_t>(image.options.size());
  parts.text = image.options + '\0';
  parts.payload = image.bytes + '\0';
  return llvm::Error::success();
}

static llvm::Error describeCubin(const DeviceImage &image, EntryParts &parts) {
  llvm::Expected<llvm::StringRef> compat = compatSection(image.bytes);
  if (!compat)
    return compat.takeError();
  parts.major = 1;
  parts.minor = static_cast<uint8_t>(image.bytes[EI_ABIVERSION]);
  if (!compat->empty() && image.arch.number >= kFirstCompatArch) {
    parts.hasAttributes = true;
    parts.attributesSize = static_cast<uint32_t>(compat->size());
    parts.text = '\0' + compat->str();
    parts.flags |= kFlagCompat;
  }
  parts.payload = image.bytes;
  return llvm::Error::success();
}

static llvm::Error compressParts(const DeviceImage &image,
                                 ImageCompression compression,
                                 EntryParts &parts) {
  bool isPtx = image.kind == DeviceImage::Kind::Ptx;
  if (compression == ImageCompression::None ||
      (!isPtx && compression < ImageCompression::ZstdAll))
    return llvm::Error::success();
  bool isLz4 = compression == ImageCompression::Lz4;
  llvm::Expected<std::string> stored =
      isLz4 ? compressLz4(parts.payload)
      : compression == ImageCompression::Smallest
          ? compressZstdSmall(parts.payload)
          : compressZstd(parts.payload, kZstdLevel);
  if (!stored)
    return stored.takeError();
  if (stored->size() >= parts.payload.size())
    return llvm::Error::success();
  parts.rawSize = parts.payload.size();
  parts.payload = std::move(*stored);
  parts.flags |= isLz4 ? kFlagLz4 : kFlagZstd;
  return llvm::Error::success();
}

/// The variable part of a header: name, attributes.
static std::string variablePart(const DeviceImage &image,
                                const EntryParts &parts, uint32_t &attributes) {
  BinaryWriter writer;
  if (!image.name.empty()) {
    writer.bytes(image.name);
    writer.u8(0);
    writer.alignTo(kAlignment);
  }
  attributes = 0;
  if (parts.hasAttributes) {
    attributes = static_cast<uint32_t>(kEntryHeaderSize + writer.size());
    constexpr uint32_t kTwoWords = 8;
    writer.u32(attributes + kTwoWords);
    writer.u32(parts.attributesSize);
    writer.bytes(parts.text);
    writer.alignTo(kAlignment);
  }
  return writer.take();
}

static llvm::Expected<std::string> entryOf(const DeviceImage &image,
                                           ImageCompression compression) {
  if (image.bytes.empty())
    return makeError("empty device image for " + image.arch.name());
  bool isPtx = image.kind == DeviceImage::Kind::Ptx;
  EntryParts parts;
  if (llvm::Error error =
          isPtx ? describePtx(image, parts) : describeCubin(image, parts))
    return std::move(error);
  if (image.arch.suffix == 'a')
    parts.flags |= kFlagArchSpecific;
  if (image.arch.suffix == 'f')
    parts.flags |= kFlagFamily;
  if (llvm::Error error = compressParts(image, compression, parts))
    return std::move(error);
  if (parts.payload.size() > UINT32_MAX && parts.rawSize)
    return makeError("device image of more than 4 GB");
  uint32_t attributes = 0;
  std::string variable = variablePart(image, parts, attributes);
  BinaryWriter writer;
  writer.u16(static_cast<uint16_t>(image.kind));
  writer.u16(kEntryVersion);
  writer.u32(static_cast<uint32_t>(kEntryHeaderSize + variable.size()));
  writer.u64(llvm::alignTo(parts.payload.size(), kAlignment));
  writer.u32(parts.rawSize ? static_cast<uint32_t>(parts.payload.size()) : 0);
  writer.u32(attributes);
  writer.u16(parts.minor);
  writer.u16(parts.major);
  writer.u32(image.arch.number);
  writer.u32(image.name.empty() ? 0 : kEntryHeaderSize);
  writer.u32(static_cast<uint32_t>(image.name.size()));
  writer.u64(parts.flags);
  writer.u64(0);
  writer.u64(parts.rawSize);
  writer.bytes(variable);
  writer.bytes(parts.payload);
  writer.alignTo(kAlignment);
  return writer.take();
}

llvm::Expected<std::string>
gpulto::writeFatbinary(llvm::ArrayRef<DeviceImage> images,
                       ImageCompression compression, unsigned threads) {
  for (size_t i = 0; i != images.size(); ++i)
    for (size_t j = 0; j != i; ++j)
      if (images[i].kind == images[j].kind &&
          images[i].arch.digits() == images[j].arch.digits())
        return makeError("two device images of one kind for " +
                         images[i].arch.name() +
                         ": the loader would take one and ignore the other");
  BinaryWriter writer;
  writer.u32(kContainerMagic);
  writer.u16(kContainerVersion);
  writer.u16(kContainerHeaderSize);
  uint64_t sizeAt = writer.size();
  writer.u64(0);
  std::vector<std::optional<llvm::Expected<std::string>>> entries(
      images.size());
  forEachOf(threads, images.size(), [&](size_t i) {
    entries[i].emplace(entryOf(images[i], compression));
  });
  llvm::Error problem = llvm::Error::success();
  for (std::optional<llvm::Expected<std::string>> &entry : entries)
    if (*entry)
      writer.bytes(**entry);
    else
      problem = joinErrors(std::move(problem), entry->takeError());
  if (problem)
    return std::move(problem);
  writer.patchU64(sizeAt, writer.size() - kContainerHeaderSize);
  return writer.take();
}
