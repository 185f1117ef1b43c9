//===- OffloadImages.cpp - Device code as stock clang stores it -----------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layout is that of llvm/Object/OffloadBinary.h. LLVM's own reader trusts
// the offsets of strings and images, so they must be checked before it sees an
// input; once they are, nothing is left for it to do.
//
//===----------------------------------------------------------------------===//

#include "fatobj/OffloadImages.h"

#include "support/BinaryStream.h"

using namespace gpulto;
using namespace llvm::object;

static constexpr llvm::StringLiteral kOffloadMagic = "\x10\xff\x10\xad";
static constexpr uint64_t kOffloadAlignment = 8;

llvm::StringRef gpulto::nameOf(ImageKind kind) {
  switch (kind) {
  case IMG_Object:
    return "an object";
  case IMG_Bitcode:
    return "bitcode";
  case IMG_Cubin:
    return "a cubin";
  case IMG_Fatbinary:
    return "a fat binary";
  case IMG_PTX:
    return "PTX";
  case IMG_SPIRV:
    return "SPIR-V";
  case IMG_None:
  case IMG_LAST:
    break;
  }
  return "of an unknown kind";
}

/// Returns the string at \p offset of \p binary, which must end in it.
static llvm::StringRef stringAt(BinaryReader &reader, llvm::StringRef binary,
                                uint64_t offset) {
  size_t end = offset < binary.size() ? binary.find('\0', offset)
                                      : llvm::StringRef::npos;
  if (end == llvm::StringRef::npos) {
    reader.fail("string outside of its offload binary");
    return {};
  }
  return binary.slice(offset, end);
}

/// Reads the binary of \p binary, whose header has been read up to its size.
static llvm::Expected<OffloadImage> readBinary(llvm::StringRef binary,
                                               const InputLocation &where) {
  OffloadImage image;
  image.location = where;
  BinaryReader reader(binary, where);
  reader.skip(offsetof(OffloadBinary::Header, EntryOffset));
  uint64_t entry = reader.u64();
  reader.seek(entry);
  image.kind = static_cast<ImageKind>(reader.u16());
  image.producer = static_cast<OffloadKind>(reader.u16());
  reader.skip(sizeof(uint32_t)); // flags
  uint64_t strings = reader.u64();
  uint64_t count = reader.u64();
  uint64_t imageOffset = reader.u64();
  uint64_t imageSize = reader.u64();
  reader.seek(strings);
  count = reader.checkCount(count, sizeof(OffloadBinary::StringEntry));
  for (uint64_t i = 0; i < count && !reader.failed(); ++i) {
    llvm::StringRef key = stringAt(reader, binary, reader.u64());
    llvm::StringRef value = stringAt(reader, binary, reader.u64());
    if (key == "triple")
      image.triple = value;
    else if (key == "arch")
      image.arch = value;
  }
  reader.seek(imageOffset);
  image.bytes = reader.bytes(imageSize);
  if (llvm::Error error = reader.takeError())
    return std::move(error);
  return image;
}

llvm::Expected<std::vector<OffloadImage>>
gpulto::readOffloadImages(llvm::StringRef section, const InputLocation &where) {
  std::vector<OffloadImage> images;
  BinaryReader reader(section, where);
  while (!reader.atEnd()) {
    InputLocation at = reader.location();
    uint64_t start = reader.position();
    llvm::StringRef magic = reader.bytes(
        std::min<uint64_t>(kOffloadMagic.size(), reader.remaining()));
    if (magic.find_first_not_of('\0') == llvm::StringRef::npos)
      continue; // ld -r pads each piece to the section's alignment
    if (magic != kOffloadMagic)
      return inputError(at, "no offload binary");
    uint32_t version = reader.u32();
    uint64_t size = reader.u64();
    if (!reader.failed() && version != OffloadBinary::Version)
      return inputError(at, "offload binary of version " +
                                llvm::Twine(version) + ", expected " +
                                llvm::Twine(OffloadBinary::Version));
    constexpr uint64_t kHeaderSize = sizeof(OffloadBinary::Header);
    if (!reader.failed() && (size < kHeaderSize || size % kOffloadAlignment))
      return inputError(at, "offload binary of " + llvm::Twine(size) +
                                " bytes, no possible size");
    reader.seek(start);
    llvm::StringRef binary = reader.bytes(size);
    if (llvm::Error error = reader.takeError())
      return std::move(error);
    llvm::Expected<OffloadImage> image = readBinary(binary, at);
    if (!image)
      return image.takeError();
    images.push_back(std::move(*image));
  }
  if (llvm::Error error = reader.takeError())
    return std::move(error);
  return images;
}
