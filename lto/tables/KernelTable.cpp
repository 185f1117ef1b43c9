//===- KernelTable.cpp - What a link says of each kernel ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/tables/KernelTable.h"

#include "lto/tables/ProgramTable.h"
#include "support/BinaryArchive.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <tuple>

using namespace llvm;

namespace gpulto {

/// Begins the section; the digit is the version.
static constexpr StringLiteral kMagic = "GKE1";

template <typename A> static void transfer(A &a, KernelFact &fact) {
  a.enumerator(fact.kind, RemarkKind::Analysis);
  a.field(fact.name);
  a.field(fact.text);
}

template <typename A> static void transfer(A &a, KernelStory &story) {
  a.field(story.kernel);
  a.field(story.file);
  a.field(story.line);
  a.list(story.facts);
}

KernelTable makeKernelTable(ArrayRef<Remark> remarks) {
  std::map<std::string, KernelStory> stories;
  for (const Remark &remark : remarks) {
    if (remark.function.empty())
      continue; // of a whole partition
    KernelStory &story = stories[remark.function];
    story.kernel = remark.function;
    if (story.file.empty()) {
      story.file = remark.where.file;
      story.line = remark.where.line;
    }
    KernelFact fact{remark.kind, remark.name, remark.text};
    if (!is_contained(story.facts, fact))
      story.facts.push_back(std::move(fact));
  }
  KernelTable table;
  for (auto &[name, story] : stories) {
    // Not by input: paths of objects differ from directory to directory.
    llvm::sort(story.facts, [](const KernelFact &a, const KernelFact &b) {
      return std::tie(a.kind, a.name, a.text) <
             std::tie(b.kind, b.name, b.text);
    });
    table.kernels.push_back(std::move(story));
  }
  return table;
}

std::string encodeKernelTable(const KernelTable &table) {
  ArchiveWriter writer;
  KernelTable copy = table; // transfer() serves the reader too, which writes
  writer.list(copy.kernels);
  return packTable(kMagic, writer.out.str());
}

Expected<KernelTable> decodeKernelTable(StringRef bytes,
                                        const InputLocation &where) {
  Expected<std::string> rows = unpackTable(kMagic, "kernels", bytes, where);
  if (!rows)
    return rows.takeError();
  ArchiveReader reader{BinaryReader(*rows, where)};
  KernelTable table;
  reader.list(table.kernels);
  if (Error error = reader.in.finish())
    return std::move(error);
  return table;
}

Expected<KernelTable> readKernelTable(MemoryBufferRef file,
                                      const InputLocation &where) {
  auto found = requireTable(file, kKernelSection,
                            "it has no kernels that gpulto compiled", where);
  if (!found)
    return found.takeError();
  return decodeKernelTable(found->bytes, found->where);
}

} // namespace gpulto
