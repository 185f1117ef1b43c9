//===- MemoryReport.cpp - What the link says of memory accesses -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/tables/MemoryReport.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/GlobPattern.h"

#include <set>

using namespace llvm;

namespace gpulto {

/// Returns the places of the launches of \p row's kernel in such blocks.
static std::string
launchesOf(const MemoryRow &row,
           const std::map<std::string, KernelLaunches> &launches) {
  auto known = launches.find(withoutCloneSuffix(row.kernel).str());
  if (known == launches.end() || row.isExample)
    return {};
  constexpr size_t kMostPlaces = 3;
  std::string text;
  for (auto [shape, places] : zip(known->second.shapes, known->second.places)) {
    if (shape.block != row.block)
      continue;
    for (auto [number, place] : enumerate(places))
      if (number < kMostPlaces)
        text += (number ? ", " : "") + place;
    if (places.size() > kMostPlaces)
      text += " and " + utostr(places.size() - kMostPlaces) + " more";
  }
  return text;
}

void addAccesses(StringRef arch, std::vector<MemoryRow> rows,
                 const std::map<std::string, KernelLaunches> &launches,
                 MemoryTable &memory) {
  auto image = find_if(memory.images, [&](const MemoryImage &other) {
    return other.arch == arch;
  });
  if (image == memory.images.end()) {
    memory.images.push_back({arch.str(), {}});
    image = std::prev(memory.images.end());
  }
  for (MemoryRow &row : rows) {
    row.launches = launchesOf(row, launches);
    image->rows.push_back(std::move(row));
  }
}

/// Whether \p row is one that -Werror=gpulto-uncoalesced means: not one that
/// is misaligned in some warps only.
static bool isUncoalesced(const MemoryRow &row) {
  return row.isAlarm && row.space == MemorySpace::Global &&
         (row.verdict != AccessVerdict::Misaligned ||
          row.sectors.least > row.ideal);
}

static bool isAllowed(const MemoryRow &row,
                      const MemoryReportOptions &options) {
  return any_of(options.allowed, [&](const std::string &text) {
    GlobPattern glob = cantFail(GlobPattern::create(text)); // was checked
    return isOf(row, glob) || glob.match(row.file);
  });
}

void reportAccesses(const MemoryTable &memory,
                    const MemoryReportOptions &options,
                    Diagnostics &diagnostics) {
  std::set<std::string> said;
  for (const MemoryImage &image : memory.images)
    for (const MemoryRow &row : image.rows) {
      std::string message = messageOf(row);
      if (!row.isAlarm || !said.insert(subjectOf(row)).second)
        continue;
      if (options.isError && isUncoalesced(row) && !isAllowed(row, options))
        diagnostics.error(InputLocation(placeOf(row)),
                          message + " [-Werror=gpulto-uncoalesced]");
      Remark remark;
      remark.kind = RemarkKind::Analysis;
      remark.pass = "gpulto-memory";
      remark.name = "WastedBandwidth";
      remark.function = row.kernel;
      remark.where = {row.file, row.line, row.column};
      remark.text = message;
      if (!row.advice.empty())
        remark.text += "; " + row.advice;
      diagnostics.remark(std::move(remark));
    }
}

} // namespace gpulto
