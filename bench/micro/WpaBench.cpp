//===- WpaBench.cpp - Whole-program analysis of generated summaries -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
//   gpulto-wpa-bench [--functions=N] [--files=N] [--kernels=N] [--seed=N]
//                    [--icf=safe|none]
//
// Generates the summaries of a program, reads them as a link does, runs
// whole-program analysis, and prints what both took as JSON: processor seconds
// of each step and memory beyond the summaries' bytes, which a link maps.
//
//===----------------------------------------------------------------------===//

#include "bench/gen/SummaryGenerator.h"
#include "lto/JobPhases.h"
#include "lto/Wpa.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <fstream>

using namespace gpulto;
using namespace llvm;

static cl::opt<unsigned> functions("functions", cl::init(100000));
static cl::opt<unsigned> files("files", cl::init(1000));
static cl::opt<unsigned> kernels("kernels", cl::init(1000));
static cl::opt<uint64_t> seed("seed", cl::init(1));
static cl::opt<IcfMode> icf("icf", cl::init(IcfMode::Safe),
                            cl::values(clEnumValN(IcfMode::Safe, "safe", ""),
                                       clEnumValN(IcfMode::None, "none", "")));

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

static WpaModule makeModule(StringRef bytes, uint32_t file,
                            StringSet<> &defined) {
  WpaModule result;
  result.module = readGenerated(bytes, file, defined);
  result.bitcode.path = result.module.location.path;
  result.bitcode.digest = result.module.summary.bitcodeDigest;
  return result;
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
  std::vector<WpaModule> modules;
  StringSet<> defined;
  for (uint32_t file = 0; file < files; ++file)
    for (StringRef summary :
         {StringRef(units[file].host), StringRef(units[file].device)})
      if (!summary.empty())
        modules.push_back(makeModule(summary, file, defined));
  double read = usedCpuSeconds();
  WpaOptions options;
  const Params params;
  options.icf.mode = icf;
  Diagnostics diagnostics;
  Statistics statistics;
  Expected<LinkPlan> plan = planLink(std::move(modules), {}, options, params,
                                     diagnostics, statistics);
  ExitOnError check("gpulto-wpa-bench: ");
  check(plan.takeError());
  double planned = usedCpuSeconds();

  json::Object result{{"files", int64_t(files)},
                      {"functions", int64_t(functions)},
                      {"summary-mb", bytes / 1048576.0},
                      {"read-seconds", read - start},
                      {"plan-seconds", planned - read},
                      {"peak-mb", statusMegabytes("VmHWM") - before},
                      {"jobs", int64_t(plan->jobs->size())},
                      {"statistics", statistics.toJson()}};
  outs() << formatv("{0:2}", json::Value(std::move(result))) << '\n';
  return 0;
}
