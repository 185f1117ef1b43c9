//===- WpaBench.cpp - Whole-program analysis of generated summaries -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
//   gpulto-wpa-bench [--functions=N] [--files=N] [--kernels=N] [--seed=N]
//                    [--icf=safe|none] [--jobs=N] [--digest]
//
// Generates the summaries of a program, reads them as a link does, runs
// whole-program analysis, and prints what both took as JSON: processor and wall
// seconds of each step and memory beyond the summaries' bytes, which a link
// maps.
//
//===----------------------------------------------------------------------===//

#include "bench/gen/SummaryGenerator.h"
#include "lto/job/JobPhases.h"
#include "lto/wpa/Wpa.h"
#include "support/Parallel.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <fstream>

using namespace gpulto;
using namespace llvm;

static cl::opt<unsigned> functions("functions", cl::init(100000));
static cl::opt<unsigned> files("files", cl::init(1000));
static cl::opt<unsigned> kernels("kernels", cl::init(1000));
static cl::opt<unsigned>
    threads("jobs", cl::init(hardware_concurrency().compute_thread_count()));
static cl::opt<uint64_t> seed("seed", cl::init(1));
static cl::opt<bool> printsDigest("digest");
static cl::opt<FoldMode>
    icf("icf", cl::init(FoldMode::Safe),
        cl::values(clEnumValN(FoldMode::Safe, "safe", ""),
                   clEnumValN(FoldMode::None, "none", "")));

/// Returns a digest of all that the jobs of \p plan say.
static std::string digestOfJobs(const LinkPlan &plan) {
  StableHasher hasher;
  for (size_t i = 0; i < plan.jobs->size(); ++i)
    hasher.add(digestOf(plan.jobs->make(i)));
  return hasher.finish().hex();
}

/// Returns the value of \p key in /proc/self/status, in megabytes.
static double statusMegabytes(StringRef key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    StringRef rest = line;
    uint64_t kilobytes;
    if (rest.consume_front(key) && rest.consume_front(":") &&
        !rest.trim().consumeInteger(10, kilobytes))
      return kilobytes / 1024.0;
  }
  return 0;
}

/// Reads the summaries of \p units, in parallel as a link does.
static std::vector<WpaModule> readAll(ArrayRef<GeneratedUnit> units) {
  std::vector<std::pair<uint32_t, StringRef>> summaries;
  for (auto [file, unit] : enumerate(units))
    for (StringRef summary : {StringRef(unit.host), StringRef(unit.device)})
      if (!summary.empty())
        summaries.push_back({file, summary});
  std::vector<WpaModule> modules(summaries.size());
  forEachPiece(threads, summaries.size(), [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      WpaModule &result = modules[i];
      result.module = readGenerated(summaries[i].second, summaries[i].first);
      result.bitcode.path = result.module.location.path;
      result.bitcode.digest = result.module.summary.bitcodeDigest;
    }
  });
  StringSet<> defined;
  for (WpaModule &module : modules)
    resolveGenerated(module.module, defined);
  return modules;
}

static double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(
      argc, argv, "whole-program analysis of generated summaries\n");
  GeneratorOptions shape{files, functions, kernels, seed};
  std::vector<GeneratedUnit> units;
  uint64_t bytes = 0;
  for (uint32_t file = 0; file < files; ++file) {
    units.push_back(generateUnit(shape, file));
    bytes += units.back().host.size() + units.back().device.size();
  }
  double before = statusMegabytes("VmRSS");
  double start = usedCpuSeconds();
  auto startTime = std::chrono::steady_clock::now();
  std::vector<WpaModule> modules = readAll(units);
  double read = usedCpuSeconds(), readWall = secondsSince(startTime);
  WpaOptions options;
  options.threads = threads;
  options.user.icf.mode = icf;
  Diagnostics diagnostics;
  Statistics statistics;
  Expected<LinkPlan> plan =
      planLink(std::move(modules), {}, options, diagnostics, statistics);
  ExitOnError check("gpulto-wpa-bench: ");
  check(plan.takeError());
  double planned = usedCpuSeconds();

  json::Object result{{"files", int64_t(files)},
                      {"functions", int64_t(functions)},
                      {"summary-mb", bytes / 1048576.0},
                      {"read-seconds", read - start},
                      {"read-wall-seconds", readWall},
                      {"plan-seconds", planned - read},
                      {"plan-wall-seconds", secondsSince(startTime) - readWall},
                      {"peak-mb", statusMegabytes("VmHWM") - before},
                      {"jobs", int64_t(plan->jobs->size())},
                      {"statistics", statistics.toJson()}};
  if (printsDigest)
    result["jobs-digest"] = digestOfJobs(*plan);
  outs() << formatv("{0:2}", json::Value(std::move(result))) << '\n';
  return 0;
}
