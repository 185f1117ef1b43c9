//===- FarDeviceCode.cpp - Where device code lies in a program ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "linker-plugin/FarDeviceCode.h"

#include "fatobj/SectionObject.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace llvm;

namespace gpulto {

bool isDeviceSection(StringRef name) {
  return name == ".nv_fatbin" || name == "__nv_relfatbin";
}

Expected<std::vector<NativeObject>> makeFarMarks(const DeviceSections &sections,
                                                 uint16_t machine) {
  std::vector<NativeObject> marks;
  if (machine != ELF::EM_X86_64)
    return marks;
  for (const auto &[section, bytes] : sections) {
    // Retained, or --gc-sections drops what nobody refers to.
    Expected<std::string> object = makeSectionObject(
        {section, ELF::SHT_PROGBITS,
         ELF::SHF_ALLOC | ELF::SHF_X86_64_LARGE | ELF::SHF_GNU_RETAIN, 1, ""},
        machine);
    if (!object)
      return object.takeError();
    std::string name = "gpulto.far" + section + ".o";
    marks.push_back({name, MemoryBuffer::getMemBufferCopy(*object, name)});
  }
  return marks;
}

std::string nearDeviceCodeWarning(const DeviceSections &sections) {
  // The reach of a 32-bit relocation, less other data to cross.
  constexpr uint64_t kReach = (uint64_t(1) << 31) - (uint64_t(64) << 20);
  uint64_t bytes = 0;
  for (const auto &[section, size] : sections)
    bytes += size;
  if (bytes < kReach)
    return "";
  return formatv("{0:f1} GiB of device code lie between code and data, where "
                 "relocations of 32 bits do not reach across them; link with "
                 "lld (-fuse-ld=lld), which puts device code behind all else",
                 std::ldexp(double(bytes), -30))
      .str();
}

} // namespace gpulto
