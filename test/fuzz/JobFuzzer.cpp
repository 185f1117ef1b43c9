//===- JobFuzzer.cpp - Hostile job files ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lto/job/LtransJob.h"

#include <cstdlib>

using namespace gpulto;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  llvm::Expected<LtransJob> job = readJob(text, "fuzz.job.json");
  if (!job) {
    llvm::consumeError(job.takeError());
    return 0;
  }
  // What was read is written such that it reads the same again.
  llvm::Expected<LtransJob> again = readJob(writeJob(*job), "again.job.json");
  if (!again || !(*again == *job))
    std::abort();
  return 0;
}
