//===- FoldTable.cpp - What a program holds of its folds ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/FoldTable.h"

#include "fatobj/SectionObject.h"
#include "support/BinaryStream.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Compression.h"

using namespace llvm;

namespace gpulto {

/// Begins the section; the digit is the version.
static constexpr StringLiteral kMagic = "GFD1";
/// Larger than what any program has; guards against absurd sizes.
static constexpr uint64_t kMaxTableBytes = uint64_t(1) << 30;

std::string encodeFoldTable(const FoldTable &table) {
  BinaryWriter rows;
  rows.uleb(table.classes.size());
  for (const FoldTableClass &fold : table.classes) {
    rows.string(fold.arch);
    rows.uleb(fold.members.size());
    for (const FoldTableMember &member : fold.members) {
      rows.string(member.name);
      rows.enumerator(member.state);
      rows.uleb(member.instructions);
      rows.uleb(member.sizeBytes);
      rows.string(member.reason);
    }
  }
  SmallVector<uint8_t, 0> packed;
  compression::zstd::compress(arrayRefFromStringRef(rows.str()), packed);
  BinaryWriter out;
  out.bytes(kMagic);
  out.uleb(rows.size());
  out.uleb(packed.size());
  out.bytes(toStringRef(packed));
  return out.take();
}

Expected<FoldTable> decodeFoldRows(StringRef rows, const InputLocation &where) {
  BinaryReader in(rows, where);
  FoldTable table;
  table.classes.resize(in.count());
  for (FoldTableClass &fold : table.classes) {
    fold.arch = in.string().str();
    fold.members.resize(in.count());
    if (fold.members.empty())
      in.fail("a class without a leader");
    for (FoldTableMember &member : fold.members) {
      member.name = in.string().str();
      member.state = in.enumerator(FoldState::Last);
      member.instructions = in.uleb32();
      member.sizeBytes = in.uleb32();
      member.reason = in.string().str();
    }
    if (in.failed())
      break;
  }
  if (Error error = in.finish())
    return std::move(error);
  return table;
}

Expected<FoldTable> decodeFoldTable(StringRef bytes, InputLocation where) {
  BinaryReader in(bytes, where);
  if (in.bytes(kMagic.size()) != kMagic)
    in.fail("no table of folds, or one of another version");
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
  return decodeFoldRows(toStringRef(raw), where);
}

Expected<FoldTable> readFoldTable(MemoryBufferRef file,
                                  const InputLocation &where) {
  auto object = object::ObjectFile::createELFObjectFile(file);
  if (!object)
    return inputError(where, toString(object.takeError()));
  for (const object::SectionRef &section : (*object)->sections()) {
    Expected<StringRef> name = section.getName();
    if (!name)
      return inputError(where, toString(name.takeError()));
    if (*name != kFoldSection)
      continue;
    Expected<StringRef> contents = section.getContents();
    if (!contents)
      return inputError(where, toString(contents.takeError()));
    InputLocation place(where.path, where.member);
    place.section = kFoldSection.str();
    return decodeFoldTable(*contents, place);
  }
  return inputError(where, "no section " + kFoldSection +
                               ": nothing was folded, or it was linked "
                               "without gpulto");
}

std::string describeFoldedKernels(StringRef ptx, StringRef arch,
                                  const FoldTable &table) {
  StringSet<> kernels;
  constexpr StringLiteral kEntry = ".entry ";
  for (size_t at = ptx.find(kEntry); at != StringRef::npos;
       at = ptx.find(kEntry, at + kEntry.size()))
    kernels.insert(ptx.drop_front(at + kEntry.size()).take_until([](char c) {
      return c == '(' || isSpace(c);
    }));
  std::string comments;
  for (const FoldTableClass &fold : table.classes) {
    const std::string &leader = fold.members.front().name;
    if (fold.arch != arch || !kernels.contains(leader))
      continue;
    comments += "// kernel " + leader + " is also:\n";
    for (const FoldTableMember &member : drop_begin(fold.members))
      comments += "//   " + member.name + "\n";
  }
  return comments;
}

Expected<std::string> makeFoldObject(const FoldTable &table, uint16_t machine) {
  std::string contents = encodeFoldTable(table);
  // No flags: neither loaded nor dropped.
  return makeSectionObject(
      {kFoldSection, ELF::SHT_PROGBITS, /*flags=*/0, /*alignment=*/1, contents},
      machine);
}

} // namespace gpulto
