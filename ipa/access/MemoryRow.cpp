//===- MemoryRow.cpp - What is known of one access to memory --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/access/MemoryRow.h"

#include "summary/Facts.h"
#include "support/UnitNames.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/GlobPattern.h"

#include <cmath>

using namespace llvm;

namespace gpulto {

StringRef wordFor(AccessVerdict verdict) {
  static constexpr StringLiteral kWords[] = {
      "broadcast", "coalesced", "misaligned", "strided", "uncoalesced",
      "conflict",  "divergent", "irregular",  "unknown"};
  static_assert(std::size(kWords) == size_t(AccessVerdict::Last) + 1);
  return kWords[static_cast<size_t>(verdict)];
}

StringRef wordFor(AccessKind kind) {
  static constexpr StringLiteral kWords[] = {"load", "store", "atomic",
                                             "branch"};
  static_assert(std::size(kWords) == size_t(AccessKind::Last) + 1);
  return kWords[static_cast<size_t>(kind)];
}

StringRef wordFor(MemorySpace space) {
  static constexpr StringLiteral kWords[] = {"global", "shared", "constant",
                                             "local"};
  static_assert(std::size(kWords) == size_t(MemorySpace::Last) + 1);
  return kWords[static_cast<size_t>(space)];
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

std::string placeOf(const MemoryRow &row) {
  if (row.line == 0)
    return {};
  std::string place = row.file + ":" + utostr(row.line);
  if (row.column)
    place += ":" + utostr(row.column);
  return place;
}

static std::string blockOf(const MemoryRow &row) {
  std::string text = utostr(row.block[0]);
  if (row.block[1] > 1 || row.block[2] > 1)
    text += "x" + utostr(row.block[1]);
  if (row.block[2] > 1)
    text += "x" + utostr(row.block[2]);
  return text;
}

/// Returns \p all for each request: "4", "4.5".
static std::string perRequest(double all, uint64_t requests) {
  constexpr uint64_t kTenths = 10;
  auto tenths = static_cast<uint64_t>(
      requests ? std::llround(all * kTenths / double(requests)) : 0);
  std::string text = utostr(tenths / kTenths);
  return tenths % kTenths ? text + "." + utostr(tenths % kTenths) : text;
}

bool hasSectors(const MemoryRow &row) {
  return row.kind != AccessKind::Branch &&
         row.verdict != AccessVerdict::Irregular &&
         row.verdict != AccessVerdict::Unknown && row.requests != 0;
}

/// "32 sectors instead of 4 for a warp", of what is in shared memory "7 turns
/// more than one".
static std::string costText(const MemoryRow &row) {
  if (!hasSectors(row))
    return {};
  std::string text = perRequest(row.sectors.expected, row.requests);
  if (row.space == MemorySpace::Shared || row.space == MemorySpace::Constant)
    return text + " turns of a warp beyond the first";
  text += text == "1" ? " sector" : " sectors";
  if (row.sectors.expected > double(row.ideal))
    text += " instead of " + perRequest(double(row.ideal), row.requests);
  return text + " for a warp";
}

/// "load of 4 bytes of 'in'".
static std::string accessText(const MemoryRow &row) {
  if (row.kind == AccessKind::Branch)
    return "branch";
  std::string text = formatv("{0} of {1} byte{2}", wordFor(row.kind),
                             row.sizeBytes, row.sizeBytes == 1 ? "" : "s");
  if (row.space != MemorySpace::Global)
    text = (wordFor(row.space) + " " + text).str();
  if (!row.base.empty())
    text += (row.kind == AccessKind::Load ? " from " : " to ") + row.base;
  return text;
}

std::string messageOf(const MemoryRow &row) {
  std::string text = wordFor(row.verdict).str() + " " + accessText(row) +
                     " in '" + demangled(withoutCloneSuffix(row.kernel)) + "'";
  if (std::string cost = costText(row); !cost.empty())
    text += ": " + cost;
  if (!row.reason.empty())
    text += ": " + row.reason;
  return text + " (" + (row.isExample ? "if blocks are " : "blocks of ") +
         blockOf(row) + ")";
}

std::string subjectOf(const MemoryRow &row) {
  return (withoutCloneSuffix(row.kernel) + "\n" + placeOf(row) + "\n" +
          accessText(row) + "\n" + blockOf(row) +
          (row.line ? StringRef() : StringRef(row.reason).split(',').first))
      .str();
}

/// Whether \p glob is the name of the kernel: mangled, as in the source, or
/// that without parameters.
bool isOf(const MemoryRow &row, const GlobPattern &glob) {
  StringRef kernel = withoutCloneSuffix(row.kernel);
  return isNamed(kernel, demangled(kernel), glob);
}

bool isNamed(StringRef kernel, StringRef name, const GlobPattern &glob) {
  StringRef plain =
      name.take_until([](char c) { return c == '(' || c == '<'; });
  plain = plain.substr(plain.rfind(' ') + 1); // of templates: the result
  return glob.match(kernel) || glob.match(name) || glob.match(plain);
}

} // namespace gpulto
