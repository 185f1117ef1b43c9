//===- Statistics.cpp - Phase timers and counters -------------------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "support/Statistics.h"

#include "support/Subprocess.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>
#include <sys/resource.h>

using namespace gpulto;

void Statistics::add(llvm::StringRef name, uint64_t amount) {
  std::lock_guard guard(lock);
  counters[name.str()] += amount;
}

void Statistics::set(llvm::StringRef name, uint64_t value) {
  std::lock_guard guard(lock);
  counters[name.str()] = value;
}

void Statistics::max(llvm::StringRef name, uint64_t value) {
  std::lock_guard guard(lock);
  uint64_t &counter = counters[name.str()];
  counter = std::max(counter, value);
}

void Statistics::note(llvm::StringRef name, llvm::StringRef text) {
  std::lock_guard guard(lock);
  notes[name.str()] = text.str();
}

void Statistics::attach(llvm::StringRef name, llvm::json::Value value) {
  std::lock_guard guard(lock);
  attached.insert_or_assign(name.str(), std::move(value));
}

void Statistics::addPhase(llvm::StringRef name, const PhaseUsage &usage) {
  std::lock_guard guard(lock);
  auto found = std::find_if(phases.begin(), phases.end(),
                            [&](const auto &row) { return row.first == name; });
  if (found == phases.end())
    found = phases.insert(phases.end(), {name.str(), PhaseUsage()});
  PhaseUsage &sum = found->second;
  sum.wallMs += usage.wallMs;
  sum.cpuMs += usage.cpuMs;
  sum.childCpuMs += usage.childCpuMs;
  sum.peakRssGrowth += usage.peakRssGrowth;
  sum.runs += usage.runs;
}

uint64_t Statistics::value(llvm::StringRef name) const {
  std::lock_guard guard(lock);
  auto found = counters.find(name.str());
  return found == counters.end() ? 0 : found->second;
}

/// Milliseconds to three digits: microseconds are what the clock is good for.
static double rounded(double ms) { return std::round(ms * 1000) / 1000; }

static int64_t integer(uint64_t value) {
  return static_cast<int64_t>(std::min<uint64_t>(value, INT64_MAX));
}

llvm::json::Value Statistics::toJson() const {
  std::lock_guard guard(lock);
  llvm::json::Object countersJson, notesJson;
  for (const auto &[name, value] : counters)
    countersJson[name] = integer(value);
  for (const auto &[name, text] : notes)
    notesJson[name] = llvm::json::fixUTF8(text);
  llvm::json::Array phasesJson;
  for (const auto &[name, usage] : phases)
    phasesJson.push_back(
        llvm::json::Object{{"name", name},
                           {"wallMs", rounded(usage.wallMs)},
                           {"cpuMs", rounded(usage.cpuMs)},
                           {"childCpuMs", rounded(usage.childCpuMs)},
                           {"peakRssGrowthBytes", integer(usage.peakRssGrowth)},
                           {"runs", integer(usage.runs)}});
  llvm::json::Object result{{"counters", std::move(countersJson)},
                            {"notes", std::move(notesJson)},
                            {"phases", std::move(phasesJson)}};
  for (const auto &[name, value] : attached)
    result[name] = value;
  return result;
}

llvm::Error Statistics::writeJson(llvm::StringRef path) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::formatv("{0:2}", toJson()) << "\n"; // json sorts its keys
  if (path != "-")
    return writeFileAtomically(path, text);
  llvm::outs() << text;
  llvm::outs().flush();
  return llvm::Error::success();
}

static double milliseconds(const timeval &time) {
  return static_cast<double>(time.tv_sec) * 1e3 +
         static_cast<double>(time.tv_usec) / 1e3;
}

/// What the process has used up to now.
static PhaseUsage usageNow() {
  rusage self = {}, children = {};
  getrusage(RUSAGE_SELF, &self);
  getrusage(RUSAGE_CHILDREN, &children);
  PhaseUsage result;
  result.cpuMs = milliseconds(self.ru_utime) + milliseconds(self.ru_stime);
  result.childCpuMs =
      milliseconds(children.ru_utime) + milliseconds(children.ru_stime);
  result.peakRssGrowth = static_cast<uint64_t>(self.ru_maxrss) * 1024;
  return result;
}

PhaseTimer::PhaseTimer(Statistics *statistics, llvm::StringRef name,
                       llvm::StringRef detail)
    : statistics(statistics), name(name), trace(std::in_place, name, detail),
      start(std::chrono::steady_clock::now()) {
  if (statistics)
    before = usageNow();
}

void PhaseTimer::stop() {
  trace.reset();
  if (!statistics)
    return;
  PhaseUsage now = usageNow();
  std::chrono::duration<double, std::milli> wall =
      std::chrono::steady_clock::now() - start;
  PhaseUsage used;
  used.wallMs = wall.count();
  used.cpuMs = now.cpuMs - before.cpuMs;
  used.childCpuMs = now.childCpuMs - before.childCpuMs;
  used.peakRssGrowth = now.peakRssGrowth - before.peakRssGrowth;
  used.runs = 1;
  statistics->addPhase(name, used);
  statistics = nullptr;
}
