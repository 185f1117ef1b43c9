//===- WpaFuzzer.cpp - Whole-program analysis of hostile summaries --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A summary that the reader accepts may still say what no compiler would: an
// analysis may refuse it but must not crash on it. Input as for SummaryFuzzer,
// with a byte in front: resolutions, partitions, and whether it comes twice.
//
//===----------------------------------------------------------------------===//

#include "lto/Wpa.h"
#include "summary/SummaryFormat.h"

#include <string>

using namespace gpulto;

/// Returns \p summary as the module of object \p object. \p salt stands for
/// what the linker said of its symbols.
static WpaModule makeModule(const ModuleSummary &summary, uint32_t object,
                            uint8_t salt) {
  WpaModule result;
  result.module.summary = summary;
  result.module.object = object;
  result.module.location = InputLocation("fuzz.o");
  result.bitcode.path = "fuzz.o";
  if (summary.side != Side::Host)
    return result;
  for (size_t i = 0; i < summary.symbols.size(); ++i) {
    uint8_t flags = kResolved | kFinalDefinition;
    if (object == 0)
      flags |= kPrevailing;
    if ((i + salt) % 3 == 0)
      flags |= kVisibleToRegular;
    result.module.resolution.push_back(flags);
  }
  return result;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 2)
    return 0;
  uint8_t salt = data[0];
  llvm::StringRef rest(reinterpret_cast<const char *>(data) + 2, size - 2);
  llvm::StringRef names = rest.take_front(data[1]);
  llvm::StringRef bytes = rest.drop_front(names.size());
  auto summary = readSummary(bytes, names, InputLocation("fuzz.o"));
  if (!summary) {
    llvm::consumeError(summary.takeError());
    return 0;
  }
  std::vector<WpaModule> modules;
  modules.push_back(makeModule(*summary, 0, salt));
  if (salt & 1)
    modules.push_back(makeModule(*summary, 1, salt));
  WpaOptions options;
  static constexpr PartitionMode kModes[] = {
      PartitionMode::Balanced, PartitionMode::One, PartitionMode::Max,
      PartitionMode::OneToOne};
  options.partitions.mode = kModes[(salt >> 1) % 4];
  options.partitions.count = (salt >> 3) % 5;
  options.isRelocatable = salt & 0x80;
  Diagnostics diagnostics;
  Statistics statistics;
  llvm::consumeError(
      planLink(std::move(modules), options, Params(), diagnostics, statistics)
          .takeError());
  return 0;
}
