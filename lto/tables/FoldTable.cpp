//===- FoldTable.cpp - A program's table of folds -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/tables/FoldTable.h"

#include "lto/tables/ProgramTable.h"
#include "support/BinaryStream.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace gpulto {

/// Begins the section; the digit is the version.
static constexpr StringLiteral kMagic = "GFD2";

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
      rows.uleb(member.number + 1); // kNone: 0
    }
  }
  return packTable(kMagic, rows.str());
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
      member.number = in.uleb32() - 1;
    }
    if (in.failed())
      break;
  }
  if (Error error = in.finish())
    return std::move(error);
  return table;
}

Expected<FoldTable> decodeFoldTable(StringRef bytes,
                                    const InputLocation &where) {
  Expected<std::string> rows = unpackTable(kMagic, "folds", bytes, where);
  if (!rows)
    return rows.takeError();
  return decodeFoldRows(*rows, where);
}

Expected<FoldTable> readFoldTable(MemoryBufferRef file,
                                  const InputLocation &where) {
  auto found = requireTable(file, kFoldSection, "nothing was folded", where);
  if (!found)
    return found.takeError();
  return decodeFoldTable(found->bytes, found->where);
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

} // namespace gpulto
