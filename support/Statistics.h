//===- Statistics.h - Phase timers and counters -----------------*- C++ -*-===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_SUPPORT_STATISTICS_H
#define GPULTO_SUPPORT_STATISTICS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/TimeProfiler.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace gpulto {

/// What one phase took, summed over its runs.
struct PhaseUsage {
  double wallMs = 0;
  double cpuMs = 0;           ///< of all threads of this process, in that time
  double childCpuMs = 0;      ///< of children waited for in that time
  uint64_t peakRssGrowth = 0; ///< bytes by which the process's peak rose
  uint64_t runs = 0;
};

/// Counters and phase times of one link or compile. Thread-safe.
class Statistics {
public:
  Statistics() = default;
  Statistics(const Statistics &) = delete;
  Statistics &operator=(const Statistics &) = delete;

  /// Adds \p amount to the counter \p name. Names are `stage.whatUnit`, e.g.
  /// `wpa.summaryBytes`.
  void add(llvm::StringRef name, uint64_t amount = 1);
  /// Sets the counter \p name.
  void set(llvm::StringRef name, uint64_t value);
  /// Raises the counter \p name to \p value if that is more.
  void max(llvm::StringRef name, uint64_t value);
  /// Sets a text value (version, options).
  void note(llvm::StringRef name, llvm::StringRef text);
  /// Adds one run of a phase; PhaseTimer does it.
  void addPhase(llvm::StringRef name, const PhaseUsage &usage);
  /// Attaches a structured value (job list, kernel table) as \p name.
  void attach(llvm::StringRef name, llvm::json::Value value);

  /// Returns the counter, 0 if it was never touched.
  uint64_t value(llvm::StringRef name) const;

  /// Returns {"counters": {...}, "notes": {...}, "phases": [...], ...}; keys
  /// sorted, phases in the order of their first run.
  llvm::json::Value toJson() const;
  /// Writes toJson() to \p path (`-`: stdout).
  llvm::Error writeJson(llvm::StringRef path) const;

private:
  mutable std::mutex lock;
  std::map<std::string, uint64_t> counters;
  std::map<std::string, std::string> notes;
  std::map<std::string, llvm::json::Value> attached;
  std::vector<std::pair<std::string, PhaseUsage>> phases;
};

/// Measures a phase from construction to destruction; also adds it to
/// --time-trace.
class PhaseTimer {
public:
  /// \p statistics may be null: then only --time-trace sees the phase.
  PhaseTimer(Statistics *statistics, llvm::StringRef name,
             llvm::StringRef detail = "");
  ~PhaseTimer() { stop(); }
  PhaseTimer(const PhaseTimer &) = delete;
  PhaseTimer &operator=(const PhaseTimer &) = delete;

  /// Ends the phase now, also in the time trace.
  void stop();

private:
  Statistics *statistics;
  std::string name;
  std::optional<llvm::TimeTraceScope> trace;
  std::chrono::steady_clock::time_point start;
  PhaseUsage before;
};

} // namespace gpulto

#endif // GPULTO_SUPPORT_STATISTICS_H
