//===- Progress.h - What a long link says of itself -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_LINK_PROGRESS_H
#define GPULTO_LTO_LINK_PROGRESS_H

#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace gpulto {

/// How far the jobs of a link are.
struct JobProgress {
  unsigned done = 0, running = 0, total = 0;
  bool waitsForMemory = false; ///< that other jobs, also of other links, have
  /// What the running jobs are expected to take together. 0: not known.
  uint64_t memoryBytes = 0;
  /// Of the running job that was started first: how long it has run, and its
  /// name. None, empty: none runs here.
  std::optional<double> oldestSeconds = std::nullopt;
  std::function<std::string()> oldestName = nullptr;
  /// Until all jobs are done, by what those that are done took. None: too few
  /// are.
  std::optional<double> secondsLeft = std::nullopt;
};

enum class ProgressMode : uint8_t { Auto, On, Off };

/// Says on standard error what a link does. On a terminal that is one line,
/// which is rewritten as the link goes on and erased at its end. Elsewhere, for
/// logs, it is a line each time that kLogInterval has passed, so a link that
/// ends sooner says nothing.
class Progress {
public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kLogInterval{10};

  /// Auto: whether standard error is a terminal decides how; On: as on one.
  /// \p interval is kLogInterval but in tests.
  Progress(ProgressMode mode, llvm::StringRef outputFile,
           std::chrono::milliseconds interval = kLogInterval);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// The link has come to \p stage.
  void begin(llvm::StringRef stage);
  /// The jobs of this stage are as far as \p jobs says.
  void show(const JobProgress &jobs);

private:
  enum class Style : uint8_t { None, Line, Log };

  bool isDue() const;
  void write(std::string text);

  Style style;
  std::chrono::milliseconds interval;
  std::string name, stage;
  size_t width = 0; // of what stands on the line
  Clock::time_point start = Clock::now(), written = start;
};

/// Returns in words how far the \p jobs of \p stage are.
std::string describeProgress(llvm::StringRef stage, const JobProgress &jobs);

} // namespace gpulto

#endif
