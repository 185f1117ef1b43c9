//===- Progress.cpp - Progress of a long link -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/link/Progress.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace gpulto {

/// Returns \p seconds in words: "7 s", "3 min", "2 h 5 min".
static std::string timeText(double seconds) {
  constexpr uint64_t kMinute = 60, kHour = 60 * kMinute;
  uint64_t whole = std::llround(seconds);
  if (whole < 2 * kMinute)
    return std::to_string(whole) + " s";
  if (whole < 2 * kHour)
    return std::to_string(whole / kMinute) + " min";
  return std::to_string(whole / kHour) + " h " +
         std::to_string(whole % kHour / kMinute) + " min";
}

std::string describeProgress(StringRef stage, const JobProgress &jobs) {
  std::string text;
  raw_string_ostream out(text);
  out << stage << ' ' << jobs.done << '/' << jobs.total << ", " << jobs.running
      << " running";
  if (jobs.memoryBytes)
    out << format(" in %.1f GiB", std::ldexp(double(jobs.memoryBytes), -30));
  if (jobs.waitsForMemory)
    out << ", waits for memory";
  if (jobs.oldestSeconds)
    out << ", longest for " << timeText(*jobs.oldestSeconds) << ": "
        << jobs.oldestName();
  if (jobs.secondsLeft)
    out << ", about " << timeText(*jobs.secondsLeft) << " left";
  return text;
}

Progress::Progress(ProgressMode mode, StringRef outputFile,
                   std::chrono::milliseconds interval)
    : style(mode == ProgressMode::Off ? Style::None
            : mode == ProgressMode::On || sys::Process::StandardErrIsDisplayed()
                ? Style::Line
                : Style::Log),
      interval(interval), name(sys::path::filename(outputFile)) {}

Progress::~Progress() {
  if (width)
    errs() << '\r' << std::string(width, ' ') << '\r';
}

bool Progress::isDue() const {
  return style == Style::Line ||
         (style == Style::Log && Clock::now() - written >= interval);
}

void Progress::begin(StringRef stage) {
  this->stage = stage.str();
  if (isDue())
    write(this->stage);
}

void Progress::show(const JobProgress &jobs) {
  if (isDue())
    write(describeProgress(stage, jobs));
}

void Progress::write(std::string text) {
  static constexpr size_t kColumns = 79; // of a terminal that does not say
  written = Clock::now();
  text = name + ": " + text;
  if (style == Style::Log) {
    double seconds = std::chrono::duration<double>(written - start).count();
    errs() << text << " (" << timeText(seconds) << ")\n";
    return;
  }
  unsigned columns = sys::Process::StandardErrColumns();
  text.resize(std::min<size_t>(text.size(), columns ? columns - 1 : kColumns));
  size_t old = width;
  width = text.size();
  if (text.size() < old)
    text.append(old - text.size(), ' ');
  errs() << '\r' << text;
}

} // namespace gpulto
