//===- SummaryFuzzer.cpp - Hostile summaries ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Input: a byte n, n bytes that stand for the bitcode's names, the summary.
//
//===----------------------------------------------------------------------===//

#include "summary/ModuleSummary.h"
#include "summary/SummaryFormat.h"

#include <cstdlib>
#include <string>

using namespace gpulto;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  llvm::StringRef rest(reinterpret_cast<const char *>(data) + 1, size - 1);
  llvm::StringRef names = rest.take_front(data[0]);
  llvm::StringRef bytes = rest.drop_front(names.size());
  InputLocation where("fuzz.summary");
  auto summary = readSummary(bytes, names, where);
  if (!summary) {
    llvm::consumeError(summary.takeError());
    return 0;
  }
  // What was read is written such that it reads the same again.
  std::string written = writeSummary(*summary, names);
  auto again = readSummary(written, names, where);
  if (!again || !(*again == *summary))
    std::abort();
  return 0;
}
