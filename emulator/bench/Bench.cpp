//===- Bench.cpp - Speed of the interpreter -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each kernel: thread instructions (as the counters give them) divided by
// the best of several runs' time on one core of the host; without counters,
// with counters, and with one thread at a time.
//
//   gpultoEmuBench [runs [kernel]]
//
//===----------------------------------------------------------------------===//

#include "emulator/Device.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

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

/// Best time of \p runs launches in seconds; fills \p insns from counters.
double measure(const Case &c, Options options, unsigned runs, uint64_t &insns) {
  Status status;
  options.threads = 1;
  auto device = Device::create(options, status);
  auto module =
      device ? device->loadModule({{c.name, c.ptx}}, status) : nullptr;
  if (!module) {
    std::fprintf(stderr, "%s\n", status.text.c_str());
    std::exit(1);
  }
  uint64_t p =
      device->allocate(uint64_t(c.grid) * c.block * 4, AllocationKind::Device);
  LaunchConfig config;
  config.grid = {c.grid, 1, 1};
  config.block = {c.block, 1, 1};
  double best = 1e9;
  for (unsigned k = 0; k < runs; ++k) {
    auto start = std::chrono::steady_clock::now();
    status = device->launch(*module->findKernel("k"), config, &p);
    std::chrono::duration<double> d = std::chrono::steady_clock::now() - start;
    if (!status.ok()) {
      std::fprintf(stderr, "%s\n", status.text.c_str());
      std::exit(1);
    }
    best = std::min(best, d.count());
  }
  if (options.counters)
    insns = numberAfter(device->countersJson(), "thread_instructions");
  return best;
}

} // namespace

int main(int argc, char **argv) {
  unsigned runs = argc > 1 ? unsigned(std::atoi(argv[1])) : 5;
  std::printf("%-12s %14s %10s %10s %10s   (G thread instructions a second)\n",
              "kernel", "instructions", "plain", "counters", "one thread");
  for (const Case &c : cases()) {
    if (argc > 2 && std::strcmp(argv[2], c.name))
      continue;
    uint64_t insns = 0;
    Options counting, single;
    counting.counters = true;
    single.oneThreadAtATime = true;
    double counted = measure(c, counting, runs, insns);
    double plain = measure(c, Options(), runs, insns);
    double one = measure(c, single, 1, insns);
    double g = static_cast<double>(insns) / 1e9;
    std::printf("%-12s %14llu %10.2f %10.2f %10.2f\n", c.name,
                static_cast<unsigned long long>(insns), g / plain, g / counted,
                g / one);
  }
  return 0;
}
