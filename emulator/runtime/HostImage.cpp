//===- HostImage.cpp - Memory of the program around a pointer -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/HostImage.h"

#include "emulator/machine/HostPages.h"

#include <cstring>
#include <link.h>
#include <unistd.h>

namespace gpulto::emu {
namespace {

constexpr uint32_t kWrapperMagic = 0x466243b1;
constexpr uint32_t kContainerMagic = 0xba55ed50;
constexpr uint32_t kElfMagic = 0x464c457f;
/// A linked image: this, the number of texts, and each with its size before it;
/// all numbers of 8 bytes.
constexpr uint64_t kLinkedMagic = 0x4b4c6f746c757067; // "gpultoLK"
/// A device link of more units than this is taken for a damaged array.
constexpr size_t kMaxPrelinked = size_t(1) << 20;

/// The wrapper as the compilers lay it out.
struct Wrapper {
  uint32_t magic;
  uint32_t version;
  const void *container;
  const void *prelinked;
};

struct SegmentQuery {
  uintptr_t address;
  uintptr_t end = 0;
  std::string file;
};

int visitObject(dl_phdr_info *info, size_t, void *data) {
  auto *query = static_cast<SegmentQuery *>(data);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &header = info->dlpi_phdr[i];
    uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    if (header.p_type != PT_LOAD || !(header.p_flags & PF_R) ||
        query->address < begin || query->address >= begin + header.p_memsz)
      continue;
    query->end = begin + header.p_memsz;
    query->file = info->dlpi_name ? info->dlpi_name : "";
    return 1;
  }
  return 0;
}

std::string executableName() {
  char path[4096];
  ssize_t size = readlink("/proc/self/exe", path, sizeof(path));
  return size > 0 ? std::string(path, size) : "the program";
}

/// End of the readable mappings, joined where they touch, around \p address;
/// 0 when there is none.
uintptr_t mappingEnd(uintptr_t address) {
  uintptr_t result = 0;
  for (const HostMapping &mapping : readHostMappings()) {
    auto [begin, end] = mapping.range;
    if (result ? begin == result : address >= begin && address < end)
      result = end;
    else if (result)
      break;
  }
  return result;
}

std::string readContainerAt(const void *pointer, DeviceImages &images) {
  HostMemory memory = readableFrom(pointer);
  if (memory.bytes.empty())
    return "fat binary: pointer to a container leads nowhere";
  return readContainer(memory.bytes, images);
}

uint32_t magicOf(const HostMemory &memory) {
  uint32_t magic = 0;
  if (memory.bytes.size() >= sizeof(magic))
    std::memcpy(&magic, memory.bytes.data(), sizeof(magic));
  return magic;
}

} // namespace

HostMemory readableFrom(const void *pointer) {
  HostMemory memory;
  SegmentQuery query;
  query.address = reinterpret_cast<uintptr_t>(pointer);
  if (dl_iterate_phdr(visitObject, &query))
    memory.file = query.file.empty() ? executableName() : query.file;
  else
    query.end = mappingEnd(query.address);
  if (query.end > query.address)
    memory.bytes = {static_cast<const uint8_t *>(pointer),
                    query.end - query.address};
  return memory;
}

std::string readWrapper(const void *wrapper, DeviceImages &images,
                        std::string &file) {
  HostMemory memory = readableFrom(wrapper);
  file = memory.file;
  if (memory.bytes.size() < sizeof(Wrapper))
    return "fat binary: pointer to the wrapper leads nowhere";
  Wrapper header;
  std::memcpy(&header, memory.bytes.data(), sizeof(header));
  if (header.magic != kWrapperMagic)
    return "fat binary: not a wrapper (magic is not 0x466243b1)";
  if (header.version != 1 && header.version != 2)
    return "fat binary: wrapper of version " + std::to_string(header.version) +
           ", this emulator reads 1 and 2";
  if (std::string error = readContainerAt(header.container, images);
      !error.empty())
    return error;
  if (header.version == 1 || !header.prelinked)
    return "";

  // nvcc's device link: the first container has the linked cubin, the array
  // leads to the containers of the units, which hold the relocatable PTX.
  HostMemory list = readableFrom(header.prelinked);
  for (size_t i = 0; i < kMaxPrelinked; ++i) {
    if (list.bytes.size() < (i + 1) * sizeof(void *))
      return "fat binary: list of prelinked units has no end";
    const void *unit = nullptr;
    std::memcpy(&unit, list.bytes.data() + i * sizeof(void *), sizeof(unit));
    if (!unit)
      return "";
    if (std::string error = readContainerAt(unit, images); !error.empty())
      return error;
  }
  return "fat binary: implausibly many prelinked units";
}

/// Reads the number at \p offset and moves on. False at the end.
static bool readNumber(std::span<const uint8_t> bytes, uint64_t &offset,
                       uint64_t &number) {
  if (bytes.size() < sizeof(number) || offset > bytes.size() - sizeof(number))
    return false;
  std::memcpy(&number, bytes.data() + offset, sizeof(number));
  offset += sizeof(number);
  return true;
}

std::string writeLinkedImage(const std::vector<std::string> &texts) {
  std::string image;
  auto append = [&](uint64_t number) {
    image.append(reinterpret_cast<const char *>(&number), sizeof(number));
  };
  append(kLinkedMagic);
  append(texts.size());
  for (const std::string &text : texts) {
    append(text.size());
    image += text;
  }
  return image;
}

static std::string readLinkedImage(std::span<const uint8_t> bytes,
                                   DeviceImages &images) {
  uint64_t offset = sizeof(kLinkedMagic), count = 0;
  bool isWhole = readNumber(bytes, offset, count);
  for (uint64_t i = 0; isWhole && i < count; ++i) {
    uint64_t size = 0;
    if (!readNumber(bytes, offset, size) || size > bytes.size() - offset) {
      isWhole = false;
      break;
    }
    images.containerStarts.push_back(images.images.size());
    DeviceImage &image = images.images.emplace_back();
    image.kind = ImageKind::Ptx;
    image.text.assign(reinterpret_cast<const char *>(bytes.data()) + offset,
                      size);
    readTargetLine(image);
    offset += size;
  }
  return isWhole ? "" : "linked image: cut off";
}

std::string readCode(const void *code, DeviceImages &images) {
  HostMemory memory = readableFrom(code);
  std::string file;
  uint64_t offset = 0, magic = 0;
  if (readNumber(memory.bytes, offset, magic) && magic == kLinkedMagic)
    return readLinkedImage(memory.bytes, images);
  switch (magicOf(memory)) {
  case kWrapperMagic:
    return readWrapper(code, images, file);
  case kContainerMagic:
    return readContainer(memory.bytes, images);
  case kElfMagic:
    images.containerStarts.push_back(images.images.size());
    images.images.emplace_back().kind = ImageKind::Cubin;
    return "";
  default:
    break;
  }
  const void *end = memory.bytes.empty() ? nullptr
                                         : std::memchr(memory.bytes.data(), 0,
                                                       memory.bytes.size());
  if (!end)
    return "device code is neither a fat binary nor text ending in zero";
  images.containerStarts.push_back(images.images.size());
  DeviceImage &image = images.images.emplace_back();
  image.kind = ImageKind::Ptx;
  image.text.assign(reinterpret_cast<const char *>(memory.bytes.data()),
                    static_cast<const uint8_t *>(end) - memory.bytes.data());
  readTargetLine(image);
  return "";
}

} // namespace gpulto::emu
