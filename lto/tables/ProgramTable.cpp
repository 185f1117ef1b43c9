//===- ProgramTable.cpp - Tables that a program carries for tools ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/tables/ProgramTable.h"

#include "fatobj/SectionObject.h"
#include "support/BinaryStream.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Compression.h"

using namespace llvm;

namespace gpulto {

/// Larger than what any program has; guards against absurd sizes.
static constexpr uint64_t kMaxTableBytes = uint64_t(1) << 30;

std::string packTable(StringRef magic, StringRef rows) {
  SmallVector<uint8_t, 0> packed;
  compression::zstd::compress(arrayRefFromStringRef(rows), packed);
  BinaryWriter out;
  out.bytes(magic);
  out.uleb(rows.size());
  out.uleb(packed.size());
  out.bytes(toStringRef(packed));
  return out.take();
}

Expected<std::string> unpackTable(StringRef magic, StringRef what,
                                  StringRef bytes, const InputLocation &where) {
  BinaryReader in(bytes, where);
  if (in.bytes(magic.size()) != magic)
    in.fail(
        "no table of " + what +
        ", or one of another version: use the gpulto that linked the program");
  uint64_t rawBytes = in.uleb();
  StringRef packed = in.bytes(in.uleb());
  if (rawBytes > kMaxTableBytes)
    in.fail("absurd size");
  if (Error error = in.finish())
    return std::move(error);
  SmallVector<uint8_t, 0> raw;
  if (Error error = compression::zstd::decompress(arrayRefFromStringRef(packed),
                                                  raw, rawBytes))
    return inputError(where, toString(std::move(error)));
  return toStringRef(raw).str();
}

Expected<std::optional<ProgramTable>>
findTable(MemoryBufferRef file, StringRef name, const InputLocation &where) {
  auto object = object::ObjectFile::createELFObjectFile(file);
  if (!object)
    return inputError(where, toString(object.takeError()));
  for (const object::SectionRef &section : (*object)->sections()) {
    Expected<StringRef> found = section.getName();
    if (!found)
      return inputError(where, toString(found.takeError()));
    if (*found != name)
      continue;
    Expected<StringRef> contents = section.getContents();
    if (!contents)
      return inputError(where, toString(contents.takeError()));
    InputLocation place(where.path, where.member);
    place.section = name.str();
    return ProgramTable{*contents, place};
  }
  return std::nullopt;
}

Expected<ProgramTable> requireTable(MemoryBufferRef file, StringRef name,
                                    StringRef why, const InputLocation &where) {
  auto found = findTable(file, name, where);
  if (!found)
    return found.takeError();
  if (!*found)
    return inputError(where,
                      "no section " + name + ": " + why +
                          ", or it was stripped, or linked without gpulto");
  return **found;
}

Expected<std::string> makeTableObject(StringRef name, StringRef contents,
                                      uint16_t machine) {
  // No flags: neither loaded nor dropped.
  return makeSectionObject(
      {name, ELF::SHT_PROGBITS, /*flags=*/0, /*alignment=*/1, contents},
      machine);
}

} // namespace gpulto
