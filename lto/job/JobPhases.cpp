//===- JobPhases.cpp - Phases of a job, reported to the link --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/job/JobPhases.h"

#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cstdint>
#include <sys/resource.h>
#include <unistd.h>

using namespace llvm;

namespace gpulto {

/// Begins a line about a phase; no message holds this byte.
static constexpr char kPhaseMark = '\1';
/// Begins the line about memory, likewise.
static constexpr char kMemoryMark = '\2';

static uint64_t usedMicroseconds() {
  uint64_t sum = 0;
  for (int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage = {};
    getrusage(who, &usage);
    for (const timeval &time : {usage.ru_utime, usage.ru_stime})
      sum += time.tv_sec * 1000000 + time.tv_usec;
  }
  return sum;
}

double usedCpuSeconds() { return double(usedMicroseconds()) * 1e-6; }

void closePhases(std::vector<JobPhase> &phases, double cpuSeconds) {
  for (size_t i = 0; i < phases.size(); ++i) {
    double end = i + 1 < phases.size() ? phases[i + 1].cpuSeconds : cpuSeconds;
    phases[i].cpuSeconds = std::max(0.0, end - phases[i].cpuSeconds);
  }
}

void sendPhase(StringRef phase) {
  std::string line = kPhaseMark + std::to_string(usedMicroseconds()) + " " +
                     phase.str() + "\n";
  // Shorter than PIPE_BUF: written in one piece. Losing a line does no harm.
  if (write(STDERR_FILENO, line.data(), line.size()) < 0)
    return;
}

/// Returns the most memory that one of \p who has had: RUSAGE_...
static uint64_t peakBytesOf(int who) {
  static constexpr uint64_t kKilobyte = 1024;
  rusage usage = {};
  getrusage(who, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * kKilobyte;
}

uint64_t ownPeakBytes() { return peakBytesOf(RUSAGE_SELF); }

uint64_t takenMemoryBytes(uint64_t before, uint64_t expectedBytes) {
  uint64_t own = peakBytesOf(RUSAGE_SELF);
  // The kernel counts the pages of the process that it was before exec as a
  // program's: a peak not above ours says nothing else.
  uint64_t tools = peakBytesOf(RUSAGE_CHILDREN);
  if (tools <= own)
    tools = std::min(tools, expectedBytes);
  return own - std::min(own, before) + tools;
}

void sendMemory(uint64_t bytes) {
  std::string line = kMemoryMark + std::to_string(bytes) + "\n";
  if (write(STDERR_FILENO, line.data(), line.size()) < 0)
    return;
}

std::optional<uint64_t> takeMemory(std::string &text) {
  size_t begin = text.find(kMemoryMark);
  if (begin == std::string::npos)
    return std::nullopt;
  StringRef line = StringRef(text).substr(begin + 1);
  uint64_t bytes = 0;
  bool isNumber = !line.consumeInteger(10, bytes);
  text.erase(begin, text.find('\n', begin) - begin + 1);
  return isNumber ? std::optional(bytes) : std::nullopt;
}

std::vector<JobPhase> takePhases(std::string &text, double cpuSeconds) {
  std::vector<JobPhase> phases; // with the time of their beginning
  std::string rest;
  SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n');
  for (size_t i = 0; i < lines.size(); ++i) {
    // What was written without a newline before may stand in front.
    auto [before, mark] = lines[i].split(kPhaseMark);
    rest += before;
    if (before.size() == lines[i].size()) {
      if (i + 1 != lines.size())
        rest += '\n';
      continue;
    }
    uint64_t microseconds = 0;
    mark.consumeInteger(10, microseconds);
    phases.push_back({mark.ltrim().str(), double(microseconds) * 1e-6});
  }
  text = std::move(rest);
  closePhases(phases, cpuSeconds);
  return phases;
}

} // namespace gpulto
