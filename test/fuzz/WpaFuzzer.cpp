//===- WpaFuzzer.cpp - Whole-program analysis of hostile summaries --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Summaries that the reader accepts may still say what no compiler would: an
// analysis may refuse them but must not crash on them. Input: a byte for
// resolutions, partitions and whether all comes twice; two bytes for the length
// of the first summary, little-endian; that; the second. One may be the host's
// and the other its device's. They bring their own names.
//
//===----------------------------------------------------------------------===//

#include "lto/wpa/Wpa.h"
#include "summary/ModuleSummary.h"
#include "summary/SummaryFormat.h"

#include <vector>

using namespace gpulto;
using namespace llvm;

/// Adds the summary \p bytes, if it is one, as a module of object \p object.
/// \p salt stands for what the linker said of its symbols.
static void addModule(std::vector<WpaModule> &modules, StringRef bytes,
                      uint32_t object, uint8_t salt) {
  Expected<ModuleSummary> summary =
      readSummary(bytes, "", InputLocation("fuzz.o"));
  if (!summary) {
    consumeError(summary.takeError());
    return;
  }
  WpaModule &added = modules.emplace_back();
  added.module.object = object;
  added.module.location = InputLocation("fuzz.o");
  added.bitcode.path = "fuzz.o";
  for (size_t i = 0; i < summary->symbols.size(); ++i) {
    if (summary->side != Side::Host)
      break;
    uint8_t flags = kResolved | kFinalDefinition;
    if (object == 0)
      flags |= kPrevailing;
    if ((i + salt) % 3 == 0)
      flags |= kVisibleToRegular;
    added.module.resolution.push_back(flags);
  }
  added.module.summary = std::move(*summary);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 3)
    return 0;
  uint8_t salt = data[0];
  size_t length = data[1] | data[2] << 8;
  StringRef rest(reinterpret_cast<const char *>(data) + 3, size - 3);
  std::vector<WpaModule> modules;
  for (uint32_t object = 0; object <= (salt & 1); ++object)
    for (StringRef part : {rest.take_front(length), rest.substr(length)})
      if (!part.empty())
        addModule(modules, part, object, salt);
  if (modules.empty())
    return 0;
  WpaOptions options;
  static constexpr PartitionMode kModes[] = {
      PartitionMode::Balanced, PartitionMode::One, PartitionMode::Max,
      PartitionMode::OneToOne};
  options.user.partitions.mode = kModes[(salt >> 1) % 4];
  options.user.partitions.count = (salt >> 3) % 5;
  options.isRelocatable = salt & 0x80;
  Diagnostics diagnostics;
  Statistics statistics;
  consumeError(
      planLink(std::move(modules), {}, options, diagnostics, statistics)
          .takeError());
  return 0;
}
