//===- TimeTrace.h - One time trace of a link and its jobs ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// LLVM's profiler traces one process. Each job traces itself into a file of its
// own; the link shifts those events to its own clock and writes them all as one
// trace, with the job's number as process number (0 is the link).
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_LINK_TIMETRACE_H
#define GPULTO_LTO_LINK_TIMETRACE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace gpulto {

/// The trace of a link; does nothing if there is no file to write.
class TimeTrace {
public:
  /// Starts tracing if \p file is not empty and nobody else traces this
  /// process.
  explicit TimeTrace(llvm::StringRef file);
  ~TimeTrace();
  TimeTrace(const TimeTrace &) = delete;
  TimeTrace &operator=(const TimeTrace &) = delete;

  /// Writes the link's events and those of the jobs, which left theirs at
  /// jobTracePath of \p jobPrefixes. Errors: the file cannot be written, a
  /// job's trace cannot be read.
  llvm::Error write(llvm::ArrayRef<std::string> jobPrefixes);

private:
  std::string file;
  bool ownsProfiler = false;
};

/// Returns where the job with output prefix \p prefix leaves its trace.
std::string jobTracePath(llvm::StringRef prefix);

/// In a forked job: forgets the parent's events and starts a trace of its own,
/// if the parent traces.
void beginJobTrace();

/// In a forked job: writes its trace to \p path, if it traces.
llvm::Error endJobTrace(llvm::StringRef path);

} // namespace gpulto

#endif
