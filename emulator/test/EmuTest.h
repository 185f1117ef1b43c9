//===- EmuTest.h - Running snippets of PTX in tests -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_TEST_EMUTEST_H
#define GPULTO_EMULATOR_TEST_EMUTEST_H

#include "emulator/machine/Device.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace gpulto::emu::test {

inline const std::string kHeader =
    ".version 8.5\n.target sm_90\n.address_size 64\n";

template <class T> std::string bitsType() {
  return ".b" + std::to_string(sizeof(T) * 8);
}

/// Values at the borders of an integer type.
template <class T> std::vector<T> edges() {
  using L = std::numeric_limits<T>;
  return {T(0),
          T(1),
          T(2),
          T(3),
          T(-1),
          T(-2),
          L::min(),
          L::max(),
          T(7),
          T(L::max() - 1),
          T(L::min() + 1),
          T(31),
          T(32),
          T(33),
          T(64),
          T(0x5a),
          T(0x1234567812345678ull)};
}

/// Values at the borders of a floating-point type.
template <class T> std::vector<T> floatEdges() {
  using L = std::numeric_limits<T>;
  return {T(0),
          T(-0.0),
          T(1),
          T(-1),
          T(0.5),
          T(1.5),
          T(2.5),
          T(-2.5),
          T(3.14159265358979),
          L::min(),
          -L::min(),
          L::denorm_min(),
          -L::denorm_min(),
          L::min() / 2,
          L::max(),
          L::lowest(),
          L::infinity(),
          -L::infinity(),
          L::quiet_NaN(),
          T(1e10),
          T(-123456.789),
          L::epsilon(),
          T(1) + L::epsilon()};
}

/// Equal bits; for floats any NaN equals any other unless \p exactNaN.
template <class T> bool same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    if (a != a && b != b)
      return true;
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

class EmuTest : public testing::Test {
protected:
  explicit EmuTest(Options options = defaults()) { make(options); }

  static Options defaults() {
    Options o;
    o.threads = 1;
    // The whole suite runs once more on the handlers without AVX2.
    o.baselineIsa = std::getenv("GPULTO_EMU_TEST_BASELINE") != nullptr;
    return o;
  }

  void make(Options options) {
    options.diagnose = [this](std::string_view t) { diagnostics += t; };
    options.print = [this](std::string_view t) { printed += t; };
    Status status;
    device = Device::create(options, status);
    ASSERT_TRUE(device) << status.text;
  }

  std::unique_ptr<Module> load(const std::string &ptx) {
    Status status;
    auto module = device->loadModule({{"test.ptx", ptx}}, status);
    EXPECT_TRUE(module) << status.text;
    return module;
  }

  uint64_t alloc(uint64_t bytes) {
    return device->allocate(bytes, AllocationKind::Device);
  }
  template <class T> uint64_t upload(const std::vector<T> &v) {
    uint64_t p = alloc(std::max<size_t>(1, v.size()) * sizeof(T));
    std::memcpy(reinterpret_cast<void *>(p), v.data(), v.size() * sizeof(T));
    return p;
  }
  template <class T> std::vector<T> download(uint64_t p, size_t n) {
    std::vector<T> v(n);
    std::memcpy(v.data(), reinterpret_cast<void *>(p), n * sizeof(T));
    return v;
  }

  template <class... Args>
  Status launch(Module &module, const char *kernel, LaunchConfig config,
                Args... args) {
    const Kernel *k = module.findKernel(kernel);
    EXPECT_TRUE(k) << kernel;
    if (!k)
      return {ErrorKind::InvalidValue, "no kernel"};
    const KernelInfo &info = k->info();
    std::vector<uint8_t> params(info.paramBytes + 1);
    size_t index = 0;
    [[maybe_unused]] auto put = [&](auto value) {
      std::memcpy(params.data() + info.params.at(index).offsetBytes, &value,
                  sizeof(value));
      ++index;
    };
    (put(args), ...);
    return device->launch(*k, config, params.data());
  }

  static LaunchConfig blocks(uint32_t grid, uint32_t block) {
    LaunchConfig c;
    c.grid = {grid, 1, 1};
    c.block = {block, 1, 1};
    return c;
  }

  /// A kernel that loads %a, %b, %c of its thread, runs \p code, stores %d.
  /// %p and %q are predicates, %t and %u 32-bit temporaries, %w 64-bit ones.
  template <class D, class A, class B, class C>
  static std::string snippet(const std::string &code) {
    auto load = [](const char *reg, const char *param, size_t bytes) {
      std::string n = std::to_string(bytes), t = std::to_string(bytes * 8);
      return std::string("  ld.param.u64 %ptr, [") + param +
             "];\n  mad.wide.u32 %ptr, %i, " + n + ", %ptr;\n  ld.global.b" +
             t + " " + reg + ", [%ptr];\n";
    };
    return kHeader +
           ".visible .entry k(.param .u64 d, .param .u64 a, .param .u64 b, "
           ".param .u64 c, .param .u32 n) {\n"
           "  .reg .b64 %ptr, %w<4>;\n  .reg .pred %p, %q, %out;\n"
           "  .reg .b32 %i, %n, %t, %u, %x, %y;\n  .reg " +
           bitsType<D>() + " %d;\n  .reg " + bitsType<A>() + " %a;\n  .reg " +
           bitsType<B>() + " %b;\n  .reg " + bitsType<C>() +
           " %c;\n"
           "  mov.u32 %i, %ctaid.x;\n  mov.u32 %t, %ntid.x;\n"
           "  mov.u32 %u, %tid.x;\n  mad.lo.u32 %i, %i, %t, %u;\n"
           "  ld.param.u32 %n, [n];\n  setp.ge.u32 %out, %i, %n;\n"
           "  @%out exit;\n" +
           load("%a", "a", sizeof(A)) + load("%b", "b", sizeof(B)) +
           load("%c", "c", sizeof(C)) + "  " + code +
           "\n  ld.param.u64 %ptr, [d];\n  mad.wide.u32 %ptr, %i, " +
           std::to_string(sizeof(D)) + ", %ptr;\n  st.global" + bitsType<D>() +
           " [%ptr], %d;\n  ret;\n}\n";
  }

  template <class D, class A, class B, class C>
  std::vector<D> apply(const std::string &code, const std::vector<A> &a,
                       const std::vector<B> &b, const std::vector<C> &c) {
    auto module = load(snippet<D, A, B, C>(code));
    if (!module)
      return {};
    uint32_t n = static_cast<uint32_t>(a.size());
    std::vector<D> start(n, D());
    uint64_t pd = upload(start), pa = upload(a), pb = upload(b), pc = upload(c);
    Status s =
        launch(*module, "k", blocks((n + 127) / 128, 128), pd, pa, pb, pc, n);
    EXPECT_TRUE(s.ok()) << s.text << "\n" << code;
    std::vector<D> result = download<D>(pd, n);
    for (uint64_t p : {pd, pa, pb, pc})
      EXPECT_TRUE(device->free(p, AllocationKind::Device).ok());
    return result;
  }

  /// Every pair and triple of the given values (triples thinned out); compares
  /// with \p expected. Runs with whole warps and, since the number is odd, with
  /// part of one.
  template <class D, class A, class B, class C, class F>
  void check3(const std::string &code, const std::vector<A> &as,
              const std::vector<B> &bs, const std::vector<C> &cs, F expected) {
    std::vector<A> a;
    std::vector<B> b;
    std::vector<C> c;
    for (A x : as)
      for (B y : bs)
        for (C z : cs) {
          a.push_back(x);
          b.push_back(y);
          c.push_back(z);
        }
    if (a.size() % 32 == 0) {
      a.push_back(a[0]);
      b.push_back(b[0]);
      c.push_back(c[0]);
    }
    std::vector<D> d = apply<D>(code, a, b, c);
    unsigned failures = 0;
    for (size_t k = 0; k < d.size() && failures < 5; ++k) {
      D want = expected(a[k], b[k], c[k]);
      if (same(d[k], want))
        continue;
      ++failures;
      ADD_FAILURE() << code << "\n  a=" << +a[k] << " b=" << +b[k]
                    << " c=" << +c[k] << ": got " << +d[k] << ", expected "
                    << +want;
    }
  }
  template <class D, class A, class B, class F>
  void check2(const std::string &code, const std::vector<A> &as,
              const std::vector<B> &bs, F expected) {
    check3<D>(code, as, bs, std::vector<uint32_t>{0},
              [&](A a, B b, uint32_t) { return expected(a, b); });
  }
  template <class D, class A, class F>
  void check1(const std::string &code, const std::vector<A> &as, F expected) {
    check3<D>(code, as, std::vector<uint32_t>{0}, std::vector<uint32_t>{0},
              [&](A a, uint32_t, uint32_t) { return expected(a); });
  }

  std::unique_ptr<Device> device;
  std::string printed, diagnostics;
};

} // namespace gpulto::emu::test

#endif // GPULTO_EMULATOR_TEST_EMUTEST_H
