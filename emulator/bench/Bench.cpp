//===- Bench.cpp - Speed of the interpreter -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each kernel: thread instructions (as the counters give them) divided by
// the processor time of a launch on one core of the host; without counters,
// with counters, with rows of accesses too, and with one thread at a time. They
// take turns, so that noise of the machine meets all alike. Reported: the
// median of the launches and the spread, half the range between the quartiles
// as a share of it.
//
//   gpultoEmuBench [--json] [runs [kernel]]
//
//===----------------------------------------------------------------------===//

#include "emulator/machine/Device.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <thread>

using namespace gpulto::emu;

namespace {

const std::string kHeader = ".version 8.5\n.target sm_90\n.address_size 64\n";

struct Case {
  const char *name;
  std::string ptx;
  uint32_t grid, block;
};

std::string repeat(const std::string &text, unsigned times) {
  std::string out;
  for (unsigned k = 0; k < times; ++k)
    out += text;
  return out;
}

std::string kernel(const std::string &body) {
  return kHeader +
         ".visible .entry k(.param .u64 p) {\n"
         "  .shared .align 16 .b8 s[8192];\n"
         "  .reg .b64 %p, %q<8>; .reg .b32 %i, %n, %r<16>; .reg .f32 %f<16>;\n"
         "  .reg .f64 %d<4>; .reg .pred %c<4>;\n"
         "  ld.param.u64 %p, [p]; mov.u32 %r0, %ctaid.x; mov.u32 %r1, "
         "%ntid.x;\n"
         "  mov.u32 %r2, %tid.x; mad.lo.u32 %i, %r0, %r1, %r2;\n"
         "  mad.wide.u32 %q0, %i, 4, %p; mov.u32 %n, 0;\n" +
         body + "\n  ret;\n}\n";
}

std::string loop(const std::string &body, unsigned count) {
  return "L:\n" + body + "  add.u32 %n, %n, 1; setp.lt.u32 %c0, %n, " +
         std::to_string(count) + "; @%c0 bra L;\n";
}

std::vector<Case> cases() {
  std::vector<Case> list;
  list.push_back(
      {"fma f32",
       kernel("ld.global.f32 %f0, [%q0]; mov.f32 %f1, 0f3F7FFFFF;"
              "mov.f32 %f2, 0f3A83126F; mov.f32 %f3, %f0; mov.f32 %f4, %f0;\n" +
              loop(repeat("fma.rn.f32 %f0, %f0, %f1, %f2;"
                          "fma.rn.f32 %f3, %f3, %f1, %f2;"
                          "mul.f32 %f4, %f4, %f1; add.f32 %f4, %f4, %f3;\n",
                          8),
                   200) +
              "add.f32 %f0, %f0, %f4; st.global.f32 [%q0], %f0;"),
       64, 256});
  list.push_back(
      {"hash u32",
       kernel("mov.u32 %r3, %i;\n" +
              loop(repeat("shl.b32 %r4, %r3, 13; xor.b32 %r3, %r3, %r4;"
                          "shr.u32 %r4, %r3, 17; xor.b32 %r3, %r3, %r4;"
                          "mul.lo.u32 %r3, %r3, 747796405;"
                          "add.u32 %r3, %r3, 3;\n",
                          4),
                   200) +
              "st.global.u32 [%q0], %r3;"),
       64, 256});
  list.push_back(
      {"fma f64",
       kernel("mov.f64 %d0, 0d3FF0000000000000; mov.f64 %d1, %d0;\n" +
              loop(repeat("fma.rn.f64 %d0, %d0, %d1, %d1;"
                          "mul.f64 %d2, %d0, %d1;",
                          8),
                   200)),
       64, 256});
  list.push_back(
      {"load store",
       kernel(loop(repeat("ld.global.f32 %f0, [%q0]; add.f32 %f0, %f0, %f0;"
                          "st.global.f32 [%q0], %f0;\n",
                          4),
                   100)),
       64, 256});
  list.push_back(
      {"matrix tile",
       kernel("shl.b32 %r3, %r2, 2; mov.u32 %r4, s; add.u32 %r3, %r3, %r4;"
              "and.b32 %r5, %r2, 15; shl.b32 %r5, %r5, 2;"
              "add.u32 %r5, %r5, %r4; shr.u32 %r6, %r2, 4;"
              "shl.b32 %r6, %r6, 6; add.u32 %r6, %r6, %r4;"
              "mov.f32 %f2, 0f00000000;\n" +
              loop(
                  "ld.global.f32 %f0, [%q0]; st.shared.f32 [%r3], %f0;"
                  "st.shared.f32 [%r3+1024], %f0; bar.sync 0;\n" +
                      [] {
                        std::string t;
                        for (int k = 0; k < 16; ++k)
                          t += "ld.shared.f32 %f0, [%r6+" +
                               std::to_string(4 * k) +
                               "]; ld.shared.f32 %f1, [%r5+" +
                               std::to_string(1024 + 64 * k) +
                               "]; fma.rn.f32 %f2, %f0, %f1, %f2;\n";
                        return t;
                      }() +
                      "bar.sync 0;\n",
                  20) +
              "st.global.f32 [%q0], %f2;"),
       64, 256});
  list.push_back(
      {"divergent",
       kernel("mov.u32 %r3, %i;\n" +
              loop("and.b32 %r4, %r3, 1; setp.eq.u32 %c1, %r4, 0;"
                   "@%c1 bra EVEN; mad.lo.u32 %r3, %r3, 3, 1; bra JOIN;\n"
                   "EVEN: shr.u32 %r3, %r3, 1;\nJOIN:\n",
                   500) +
              "st.global.u32 [%q0], %r3;"),
       64, 256});
  return list;
}

uint64_t numberAfter(const std::string &json, const std::string &key) {
  size_t at = json.find("\"" + key + "\": ");
  return at == std::string::npos
             ? 0
             : std::strtoull(json.c_str() + at + key.size() + 4, nullptr, 10);
}

double processorSeconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

[[noreturn]] void stop(const Status &status) {
  std::fprintf(stderr, "%s\n", status.text.c_str());
  std::exit(1);
}

/// A case loaded on a device of its own.
class Subject {
public:
  Subject(const Case &c, Options options) {
    Status status;
    options.threads = 1;
    device = Device::create(options, status);
    module = device ? device->loadModule({{c.name, c.ptx}}, status) : nullptr;
    if (!module)
      stop(status);
    config.grid = {c.grid, 1, 1};
    config.block = {c.block, 1, 1};
    buffer = device->allocate(uint64_t(c.grid) * c.block * 4,
                              AllocationKind::Device);
    launch(); // The first one decodes.
    seconds.clear();
  }

  void launch() {
    double start = processorSeconds();
    Status status = device->launch(*module->findKernel("k"), config, &buffer);
    if (!status.ok())
      stop(status);
    seconds.push_back(processorSeconds() - start);
  }

  /// Of the first launch, by the counters.
  uint64_t instructions() const {
    return numberAfter(device->countersJson(), "thread_instructions");
  }

  std::vector<double> seconds;

private:
  std::unique_ptr<Device> device;
  std::unique_ptr<Module> module;
  LaunchConfig config;
  uint64_t buffer = 0;
};

/// Quantile \p q of sorted values, between neighbors in proportion.
double quantile(const std::vector<double> &sorted, double q) {
  double at = q * static_cast<double>(sorted.size() - 1);
  size_t low = static_cast<size_t>(at);
  size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] +
         (at - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

struct Rate {
  double median = 0; ///< G thread instructions a second.
  double spread = 0;
};
Rate rateOf(uint64_t instructions, const std::vector<double> &seconds) {
  std::vector<double> rates;
  for (double s : seconds)
    rates.push_back(static_cast<double>(instructions) / s * 1e-9);
  std::sort(rates.begin(), rates.end());
  Rate r;
  r.median = quantile(rates, 0.5);
  r.spread = (quantile(rates, 0.75) - quantile(rates, 0.25)) / 2 / r.median;
  return r;
}

struct Result {
  uint64_t instructions = 0;
  Rate plain, counters, accesses, oneThread;
};

Result measure(const Case &c, unsigned runs) {
  Options counting, tracing, single;
  counting.counters = tracing.counters = tracing.accesses = true;
  single.oneThreadAtATime = true;
  Subject plain(c, Options()), counted(c, counting), traced(c, tracing),
      one(c, single);
  Result r;
  r.instructions = counted.instructions();
  for (unsigned k = 0; k < runs; ++k) {
    plain.launch();
    counted.launch();
    traced.launch();
    if (k % 4 == 0) // It takes ten times as long.
      one.launch();
  }
  r.plain = rateOf(r.instructions, plain.seconds);
  r.counters = rateOf(r.instructions, counted.seconds);
  r.accesses = rateOf(r.instructions, traced.seconds);
  r.oneThread = rateOf(r.instructions, one.seconds);
  return r;
}

std::string processorName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("model name", 0) == 0)
      return line.substr(line.find(':') + 2);
  return "";
}

void printJson(const std::vector<std::pair<std::string, Result>> &results,
               unsigned runs) {
  std::printf(
      "{\n \"suite\": \"emulator\",\n \"machine\": {\n  \"cpu\": \"%s\","
      "\n  \"cores\": %u\n },\n \"repetitions\": %u,\n \"unit\": \"G "
      "thread instructions per second of processor time, one core\",\n"
      " \"kernels\": {",
      processorName().c_str(), std::thread::hardware_concurrency(), runs);
  const char *comma = "";
  for (const auto &[name, r] : results) {
    std::printf("%s\n  \"%s\": {\n   \"thread-instructions\": %llu", comma,
                name.c_str(), static_cast<unsigned long long>(r.instructions));
    for (auto [mode, rate] :
         {std::pair{"plain", &r.plain}, std::pair{"counters", &r.counters},
          std::pair{"accesses", &r.accesses},
          std::pair{"one-thread-at-a-time", &r.oneThread}})
      std::printf(",\n   \"%s\": {\n    \"median\": %.3f,\n    \"spread\": %.4f"
                  "\n   }",
                  mode, rate->median, rate->spread);
    std::printf("\n  }");
    comma = ",";
  }
  std::printf("\n }\n}\n");
}

} // namespace

int main(int argc, char **argv) {
  bool json = argc > 1 && !std::strcmp(argv[1], "--json");
  if (json) {
    --argc;
    ++argv;
  }
  unsigned runs = argc > 1 ? unsigned(std::strtoul(argv[1], nullptr, 10)) : 9;
  if (!runs) {
    std::fprintf(stderr, "usage: gpultoEmuBench [--json] [runs [kernel]]\n");
    return 1;
  }
  std::vector<std::pair<std::string, Result>> results;
  if (!json)
    std::printf("%-12s %14s %15s %15s %15s %15s   (G thread instructions a "
                "second)\n",
                "kernel", "instructions", "plain", "counters", "accesses",
                "one thread");
  for (const Case &c : cases()) {
    if (argc > 2 && std::strcmp(argv[2], c.name) != 0)
      continue;
    Result r = measure(c, runs);
    results.emplace_back(c.name, r);
    if (!json)
      std::printf("%-12s %14llu %7.2f +- %3.0f%% %7.2f +- %3.0f%% "
                  "%7.2f +- %3.0f%% %7.3f +- %3.0f%%\n",
                  c.name, static_cast<unsigned long long>(r.instructions),
                  r.plain.median, 100 * r.plain.spread, r.counters.median,
                  100 * r.counters.spread, r.accesses.median,
                  100 * r.accesses.spread, r.oneThread.median,
                  100 * r.oneThread.spread);
  }
  if (json)
    printJson(results, runs);
  return 0;
}
