//===- Progress.cpp - What a long link shows on a terminal ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/Progress.h"

#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gpulto {

Progress::Progress(ProgressMode mode, StringRef outputFile)
    : isShown(mode == ProgressMode::On ||
              (mode == ProgressMode::Auto &&
               sys::Process::StandardErrIsDisplayed())),
      name(sys::path::filename(outputFile)) {}

Progress::~Progress() {
  if (width)
    errs() << '\r' << std::string(width, ' ') << '\r';
}

void Progress::show(StringRef stage, const JobProgress &jobs) {
  if (!isShown)
    return;
  std::string line =
      name + ": " + stage.str() + " " + std::to_string(jobs.done) + "/" +
      std::to_string(jobs.total) + ", " + std::to_string(jobs.running) +
      " running" + (jobs.waitsForMemory ? ", waits for memory" : "");
  size_t old = width;
  width = line.size();
  if (line.size() < old)
    line.append(old - line.size(), ' ');
  errs() << '\r' << line;
}

} // namespace gpulto
