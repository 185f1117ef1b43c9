//===- Progress.h - What a long link shows on a terminal --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_PROGRESS_H
#define GPULTO_LTO_PROGRESS_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace gpulto {

/// How far the jobs of a link are.
struct JobProgress {
  unsigned done = 0, running = 0, total = 0;
  bool waitsForMemory = false; ///< that other jobs, also of other links, have
};

enum class ProgressMode : uint8_t { Auto, On, Off };

/// One line on standard error that is rewritten as the link goes on: stage,
/// jobs done of all, jobs running, what they wait for. Auto: only when standard
/// error is a terminal, so logs stay quiet. The line is erased at the end.
class Progress {
public:
  Progress(ProgressMode mode, llvm::StringRef outputFile);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  void show(llvm::StringRef stage, const JobProgress &jobs);

private:
  bool isShown;
  std::string name;
  size_t width = 0; // of what stands on the line
};

} // namespace gpulto

#endif
