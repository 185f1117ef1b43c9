//===- FatBinary.cpp - Reading the device images in a program -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every field is read through `Reader`, which refuses to leave its bytes, so a
// damaged program gives a message and not a crash. The offsets are those of
// fatbinary 13.0; nothing is cast onto structs.
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/FatBinary.h"

#include <cstdio>
#include <cstring>
#include <lz4.h>
#include <optional>
#include <set>
#include <zstd.h>

namespace gpulto::emu {
namespace {

constexpr uint32_t kContainerMagic = 0xba55ed50;
constexpr uint64_t kContainerHeaderBytes = 16;
constexpr uint64_t kEntryHeaderBytes = 64;

/// Text does not shrink more than this: LZ4 cannot, and PTX that zstd shrinks a
/// thousandfold says the same line a thousand times. Guards against allocating
/// what a damaged header asks for.
constexpr uint64_t kMaxRatio = 4096;

/// Bits of an entry's flags word.
constexpr uint64_t kFlagLz4 = 0x2000;
constexpr uint64_t kFlagZstd = 0x8000;
constexpr uint64_t kFlagArchExact = 0x100000;
constexpr uint64_t kFlagArchFamily = 0x200000;

/// Little-endian reads inside a fixed range of bytes.
class Reader {
public:
  explicit Reader(std::span<const uint8_t> bytes) : bytes(bytes) {}

  template <typename T> std::optional<T> read(uint64_t offset) const {
    if (offset > bytes.size() || bytes.size() - offset < sizeof(T))
      return std::nullopt;
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return value;
  }

  std::optional<std::span<const uint8_t>> slice(uint64_t offset,
                                                uint64_t size) const {
    if (offset > bytes.size() || bytes.size() - offset < size)
      return std::nullopt;
    return bytes.subspan(offset, size);
  }

private:
  std::span<const uint8_t> bytes;
};

/// The fields of an entry's header that matter here.
struct EntryHeader {
  uint16_t kind;
  uint32_t headerBytes, compressedBytes, optionsOffset, arch;
  uint64_t payloadBytes, flags, textBytes;
};

std::string at(uint64_t offset, const std::string &what) {
  char hex[32];
  std::snprintf(hex, sizeof(hex),
                "+0x%llx: ", static_cast<unsigned long long>(offset));
  return "fat binary" + std::string(hex) + what;
}

std::optional<EntryHeader> readEntryHeader(const Reader &r, uint64_t offset) {
  if (!r.slice(offset, kEntryHeaderBytes))
    return std::nullopt;
  EntryHeader h;
  h.kind = *r.read<uint16_t>(offset);
  h.headerBytes = *r.read<uint32_t>(offset + 4);
  h.payloadBytes = *r.read<uint64_t>(offset + 8);
  h.compressedBytes = *r.read<uint32_t>(offset + 16);
  h.optionsOffset = *r.read<uint32_t>(offset + 20);
  h.arch = *r.read<uint32_t>(offset + 28);
  h.flags = *r.read<uint64_t>(offset + 40);
  h.textBytes = *r.read<uint64_t>(offset + 56);
  return h;
}

/// Tells whether the entry's recorded options name `--compile-only`, which
/// fatbinary stores for PTX that a device link is to finish.
bool hasCompileOnly(const Reader &r, uint64_t offset, const EntryHeader &h) {
  if (h.optionsOffset == 0 || uint64_t(h.optionsOffset) + 8 > h.headerBytes)
    return false;
  auto textOffset = r.read<uint32_t>(offset + h.optionsOffset);
  auto textBytes = r.read<uint32_t>(offset + h.optionsOffset + 4);
  if (!textOffset || !textBytes ||
      uint64_t(*textOffset) + *textBytes > h.headerBytes)
    return false;
  auto text = r.slice(offset + *textOffset, *textBytes);
  if (!text)
    return false;
  std::string_view view(reinterpret_cast<const char *>(text->data()),
                        text->size());
  return view.find("--compile-only") != std::string_view::npos;
}

std::string expandZstd(std::span<const uint8_t> in, std::string &out) {
  size_t written =
      ZSTD_decompress(out.data(), out.size(), in.data(), in.size());
  if (ZSTD_isError(written))
    return std::string("zstd: ") + ZSTD_getErrorName(written);
  if (written != out.size())
    return "zstd: fewer bytes than the header says";
  return "";
}

std::string expandLz4(std::span<const uint8_t> in, std::string &out) {
  int written = LZ4_decompress_safe(reinterpret_cast<const char *>(in.data()),
                                    out.data(), static_cast<int>(in.size()),
                                    static_cast<int>(out.size()));
  if (written < 0 || static_cast<size_t>(written) != out.size())
    return "lz4: damaged block";
  return "";
}

/// Decompresses the payload of a PTX entry into \p text.
std::string expandPtx(std::span<const uint8_t> payload, const EntryHeader &h,
                      std::string &text) {
  if (!(h.flags & (kFlagLz4 | kFlagZstd))) {
    text.assign(reinterpret_cast<const char *>(payload.data()), payload.size());
  } else {
    if (h.compressedBytes > payload.size())
      return "compressed size exceeds the payload";
    if (h.textBytes == 0 || h.textBytes > kMaxImageBytes ||
        h.textBytes / kMaxRatio > h.compressedBytes)
      return "implausible decompressed size " + std::to_string(h.textBytes);
    text.resize(h.textBytes);
    auto in = payload.subspan(0, h.compressedBytes);
    std::string error =
        h.flags & kFlagZstd ? expandZstd(in, text) : expandLz4(in, text);
    if (!error.empty())
      return error;
  }
  // The text is stored with its terminator and padding; what a parser sees
  // ends at the first zero byte.
  if (size_t end = text.find('\0'); end != std::string::npos)
    text.resize(end);
  return "";
}

std::string readEntry(const Reader &r, uint64_t offset, const EntryHeader &h,
                      DeviceImages &into) {
  auto payload = r.slice(offset + h.headerBytes, h.payloadBytes);
  if (!payload)
    return at(offset, "entry runs past the end of its container");
  DeviceImage image;
  image.arch = h.arch;
  if (h.kind == 1)
    image.kind = ImageKind::Ptx;
  else if (h.kind == 2)
    image.kind = ImageKind::Cubin;
  if (h.flags & kFlagArchExact)
    image.scope = ArchScope::Exact;
  if (h.flags & kFlagArchFamily)
    image.scope = ArchScope::Family;
  if (image.kind == ImageKind::Ptx) {
    image.isRelocatable = hasCompileOnly(r, offset, h);
    if (std::string error = expandPtx(*payload, h, image.text); !error.empty())
      return at(offset, error);
    readTargetLine(image);
  }
  into.images.push_back(std::move(image));
  return "";
}

/// Newest first; of one architecture the most specific.
std::pair<unsigned, unsigned> rank(const DeviceImage &image) {
  unsigned specific = image.scope == ArchScope::Exact    ? 2
                      : image.scope == ArchScope::Family ? 1
                                                         : 0;
  return {image.arch, specific};
}

} // namespace

void readTargetLine(DeviceImage &image) {
  size_t pos = image.text.find(".target");
  if (pos == std::string::npos)
    return;
  pos = image.text.find("sm_", pos);
  if (pos == std::string::npos)
    return;
  unsigned arch = 0;
  for (pos += 3; pos < image.text.size() && image.text[pos] >= '0' &&
                 image.text[pos] <= '9' && arch < 10000;
       ++pos)
    arch = arch * 10 + (image.text[pos] - '0');
  if (arch)
    image.arch = arch;
  if (pos < image.text.size() && image.text[pos] == 'a')
    image.scope = ArchScope::Exact;
  if (pos < image.text.size() && image.text[pos] == 'f')
    image.scope = ArchScope::Family;
}

std::string readContainer(std::span<const uint8_t> bytes, DeviceImages &into) {
  Reader whole(bytes);
  auto magic = whole.read<uint32_t>(0);
  auto headerBytes = whole.read<uint16_t>(6);
  auto bodyBytes = whole.read<uint64_t>(8);
  if (!magic || !headerBytes || !bodyBytes)
    return at(0, "shorter than a container's header");
  if (*magic != kContainerMagic)
    return at(0, "not a container (magic is not 0xba55ed50)");
  if (*headerBytes < kContainerHeaderBytes)
    return at(6, "header size below 16");
  auto body = whole.slice(*headerBytes, *bodyBytes);
  if (!body)
    return at(8, "container runs past the end of its section");

  Reader r(bytes.subspan(0, *headerBytes + *bodyBytes));
  into.containerStarts.push_back(into.images.size());
  uint64_t offset = *headerBytes, end = *headerBytes + *bodyBytes;
  while (offset + kEntryHeaderBytes <= end) {
    auto h = readEntryHeader(r, offset);
    if (!h || h->headerBytes < kEntryHeaderBytes)
      return at(offset, "entry header size below 64");
    if (std::string error = readEntry(r, offset, *h, into); !error.empty())
      return error;
    offset += h->headerBytes + h->payloadBytes;
  }
  return "";
}

/// Devices of one family have the same major number. 10.1 is what 11.0 was
/// called before CUDA 13.
static unsigned familyOf(unsigned arch) {
  constexpr unsigned kOldName = 101, kNewFamily = 11;
  return arch == kOldName ? kNewFamily : arch / 10;
}

bool fitsDevice(const DeviceImage &image, unsigned deviceArch) {
  if (image.kind != ImageKind::Ptx || image.arch > deviceArch)
    return false;
  switch (image.scope) {
  case ArchScope::Forward:
    return true;
  case ArchScope::Exact:
    return image.arch == deviceArch;
  case ArchScope::Family:
    return familyOf(image.arch) == familyOf(deviceArch);
  }
  return false;
}

std::vector<size_t> selectImages(const DeviceImages &images,
                                 unsigned deviceArch) {
  std::vector<size_t> chosen;
  for (size_t c = 0; c < images.containerStarts.size(); ++c) {
    size_t begin = images.containerStarts[c];
    size_t end = c + 1 < images.containerStarts.size()
                     ? images.containerStarts[c + 1]
                     : images.images.size();
    std::optional<size_t> best;
    for (size_t i = begin; i < end; ++i)
      if (fitsDevice(images.images[i], deviceArch) &&
          (!best || rank(images.images[i]) > rank(images.images[*best])))
        best = i;
    if (!best)
      continue;
    for (size_t i = begin; i < end; ++i)
      if (i == *best || (fitsDevice(images.images[i], deviceArch) &&
                         rank(images.images[i]) == rank(images.images[*best]) &&
                         images.images[i].text != images.images[*best].text))
        chosen.push_back(i);
  }
  return chosen;
}

std::string explainNoImage(const DeviceImages &images, unsigned deviceArch) {
  std::set<std::pair<unsigned, ArchScope>> cubins, ptxs;
  for (const DeviceImage &image : images.images) {
    if (image.kind == ImageKind::Cubin)
      cubins.insert({image.arch, image.scope});
    if (image.kind == ImageKind::Ptx)
      ptxs.insert({image.arch, image.scope});
  }
  auto list = [](const std::set<std::pair<unsigned, ArchScope>> &archs) {
    std::string text;
    for (auto [arch, scope] : archs)
      text += (text.empty() ? "sm_" : ", sm_") + std::to_string(arch) +
              (scope == ArchScope::Exact    ? "a"
               : scope == ArchScope::Family ? "f"
                                            : "");
    return text;
  };
  if (!ptxs.empty())
    return "the program's PTX is for " + list(ptxs) +
           ", which an emulated sm_" + std::to_string(deviceArch) +
           " does not run; pass --arch=" +
           std::to_string(ptxs.rbegin()->first) + " to gpulto-run";
  if (!cubins.empty())
    return "the program holds machine code (" + list(cubins) +
           ") but no PTX, and the emulator runs PTX; compile with nvcc "
           "-gencode arch=compute_NN,code=compute_NN (or plain -arch=sm_NN), "
           "with clang --cuda-include-ptx=all, or name a PTX file with "
           "--device-code=FILE.ptx";
  return "the program's fat binary holds no device code";
}

} // namespace gpulto::emu
