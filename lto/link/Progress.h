//===- Progress.h - Progress of a long link ---------------------*- C++ -*-===//
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

/// The progress of a link's jobs.
struct JobProgress {
  unsigned done = 0, running = 0, total = 0;
  bool waitsForMemory = false; ///< held by jobs, also of other links
  /// Memory that the running jobs together are expected to take. 0: unknown.
  uint64_t memoryBytes = 0;
  /// For the running job that started first: how long it has run, and its name.
  /// None and empty if none runs here.
  std::optional<double> oldestSeconds = std::nullopt;
  std::function<std::string()> oldestName = nullptr;
  /// Estimated time until all jobs are done, from the jobs already done. None
  /// if too few are.
  std::optional<double> secondsLeft = std::nullopt;
};

enum class ProgressMode : uint8_t { Auto, On, Off };

/// Reports on standard error what a link does. On a terminal it rewrites one
/// line and erases it at the end. Elsewhere, for logs, it writes a line every
/// kLogInterval, so a link that ends sooner prints nothing.
class Progress {
public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kLogInterval{10};

  /// Auto: depends on whether standard error is a terminal; On: as on a
  /// terminal. \p interval is kLogInterval except in tests.
  Progress(ProgressMode mode, llvm::StringRef outputFile,
           std::chrono::milliseconds interval = kLogInterval);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// The link has reached \p stage.
  void begin(llvm::StringRef stage);
  /// The jobs of this stage have made the progress \p jobs.
  void show(const JobProgress &jobs);

private:
  enum class Style : uint8_t { None, Line, Log };

  bool isDue() const;
  void write(std::string text);

  Style style;
  std::chrono::milliseconds interval;
  std::string name, stage;
  size_t width = 0; // of the text on the line
  Clock::time_point start = Clock::now(), written = start;
};

/// Returns the progress of the \p jobs of \p stage in words.
std::string describeProgress(llvm::StringRef stage, const JobProgress &jobs);

} // namespace gpulto

#endif
