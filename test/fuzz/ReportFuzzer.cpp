//===- ReportFuzzer.cpp - Hostile reports of jobs -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lto/job/LtransReport.h"

#include <cstdlib>

using namespace gpulto;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  llvm::Expected<LtransReport> report = decodeReport(bytes, "fuzz.report");
  if (!report) {
    llvm::consumeError(report.takeError());
    return 0;
  }
  // What was read is written such that it reads the same again.
  std::string written = encodeReport(*report);
  llvm::Expected<LtransReport> again = decodeReport(written, "again.report");
  if (!again || encodeReport(*again) != written)
    std::abort();
  return 0;
}
