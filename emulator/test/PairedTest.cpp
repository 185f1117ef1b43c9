//===- PairedTest.cpp - f32x2, mixed arithmetic, floats of few bits -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/test/EmuTest.h"

#include <bit>
#include <cfenv>

namespace gpulto::emu::test {

using PairedTest = EmuTest;

static uint64_t pairOf(float low, float high) {
  return std::bit_cast<uint32_t>(low) | uint64_t(std::bit_cast<uint32_t>(high))
                                            << 32;
}
static float part(uint64_t pair, unsigned k) {
  return std::bit_cast<float>(static_cast<uint32_t>(pair >> (32 * k)));
}
static std::vector<uint64_t> pairs() {
  std::vector<float> f = floatEdges<float>();
  std::vector<uint64_t> v;
  for (size_t k = 0; k < f.size(); ++k)
    v.push_back(pairOf(f[k], f[(k * 7 + 3) % f.size()]));
  return v;
}
/// Bits of a result; NaN is 0x7fffffff.
static uint32_t bitsOf(float x) {
  return x != x ? 0x7fffffff : std::bit_cast<uint32_t>(x);
}
static float flushed(float x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
}

TEST_F(PairedTest, Arithmetic) {
  struct Case {
    const char *op;
    int round;
    bool ftz;
  };
  for (const Case &t :
       {Case{"rn", FE_TONEAREST, false}, Case{"rz", FE_TOWARDZERO, false},
        Case{"rm", FE_DOWNWARD, false}, Case{"rp.ftz", FE_UPWARD, true}}) {
    auto each = [&](uint64_t a, uint64_t b, uint64_t c, auto f) {
      std::fesetround(t.round);
      uint64_t r = 0;
      for (unsigned k = 0; k < 2; ++k) {
        auto read = [&](uint64_t pair) {
          float x = part(pair, k);
          return t.ftz ? flushed(x) : x;
        };
        volatile float x = read(a), y = read(b), z = read(c);
        volatile float v = f(x, y, z);
        r |= uint64_t(bitsOf(t.ftz ? flushed(v) : v)) << (32 * k);
      }
      std::fesetround(FE_TONEAREST);
      return r;
    };
    std::string op = t.op;
    auto v = pairs();
    check2<uint64_t>(
        "add." + op + ".f32x2 %d, %a, %b;", v, v, [&](uint64_t a, uint64_t b) {
          return each(a, b, b, [](float x, float y, float) { return x + y; });
        });
    check2<uint64_t>(
        "sub." + op + ".f32x2 %d, %a, %b;", v, v, [&](uint64_t a, uint64_t b) {
          return each(a, b, b, [](float x, float y, float) { return x - y; });
        });
    check2<uint64_t>(
        "mul." + op + ".f32x2 %d, %a, %b;", v, v, [&](uint64_t a, uint64_t b) {
          return each(a, b, b, [](float x, float y, float) { return x * y; });
        });
    check3<uint64_t>("fma." + op + ".f32x2 %d, %a, %b, %c;", v, v, v,
                     [&](uint64_t a, uint64_t b, uint64_t c) {
                       return each(a, b, c, [](float x, float y, float z) {
                         return std::fma(x, y, z);
                       });
                     });
  }
}

TEST_F(PairedTest, Mixed) {
  // bf16 is the upper half of an f32.
  std::vector<uint16_t> small{0,      0x8000, 0x3f80, 0xbf80, 0x4049,
                              0x7f7f, 0x0001, 0x7f80, 0x7fc0};
  auto wide = [](uint16_t h) {
    return std::bit_cast<float>(uint32_t(h) << 16);
  };
  auto f = floatEdges<float>();
  auto same = [](float x) {
    return x != x ? std::bit_cast<float>(0x7fffffff) : x;
  };
  check2<float>("add.f32.bf16 %d, %a, %b;", small, f,
                [&](uint16_t a, float b) { return same(wide(a) + b); });
  check2<float>("sub.rn.sat.f32.bf16 %d, %a, %b;", small, f,
                [&](uint16_t a, float b) {
                  float r = wide(a) - b;
                  return r > 0 ? std::min(r, 1.0f) : 0.0f;
                });
  check3<float>("fma.rn.f32.bf16 %d, %a, %b, %c;", small, small, f,
                [&](uint16_t a, uint16_t b, float c) {
                  return same(std::fma(wide(a), wide(b), c));
                });
  // 1.5 and -2 in f16.
  check2<float>(
      "add.f32.f16 %d, %a, %b;", std::vector<uint16_t>{0x3e00, 0xc000},
      std::vector<float>{1, 0.25f},
      [](uint16_t a, float b) { return (a == 0x3e00 ? 1.5f : -2.0f) + b; });
}

/// The number nearest to v that \p decode has for some code below \p codes, of
/// two the one with an even code; NaN and what is too large: the largest.
template <class F> static uint32_t nearest(float v, uint32_t codes, F decode) {
  if (v != v)
    return codes - 1;
  uint32_t best = 0;
  double distance = INFINITY;
  double magnitude = std::min<double>(std::fabs(v), 1000);
  for (uint32_t code = 0; code < codes; ++code) {
    double d = std::fabs(magnitude - decode(code));
    if (d < distance || (d == distance && code % 2 == 0)) {
      distance = d;
      best = code;
    }
  }
  return best | (std::signbit(v) ? codes : 0);
}

TEST_F(PairedTest, SmallFormats) {
  struct Format {
    const char *name;
    int exponentBits, mantissaBits;
    unsigned elementBits;
  };
  std::vector<float> values;
  for (int k = -40; k <= 40; ++k)
    values.push_back(static_cast<float>(k) * 0.203125f);
  for (float v :
       {0.03125f, 0.0625f, 0.09375f, 0.125f, 0.25f,     0.75f,    1.25f, 1.75f,
        2.5f,     3.5f,    5.0f,     6.0f,   7.0f,      7.25f,    7.75f, 26.0f,
        28.0f,    31.0f,   1e20f,    -0.0f,  -INFINITY, INFINITY, NAN})
    values.push_back(v);
  for (const Format &t : {Format{"e2m3x2", 2, 3, 8}, Format{"e3m2x2", 3, 2, 8},
                          Format{"e2m1x2", 2, 1, 4}}) {
    uint32_t codes = 1u << (t.exponentBits + t.mantissaBits);
    auto decode = [&](uint32_t code) {
      uint32_t e = code >> t.mantissaBits,
               m = code & ((1u << t.mantissaBits) - 1);
      int bias = (1 << (t.exponentBits - 1)) - 1;
      return std::ldexp(e ? double(m + (1u << t.mantissaBits)) : double(m),
                        static_cast<int>(e ? e : 1) - bias - t.mantissaBits);
    };
    std::string name = t.name,
                to = t.elementBits == 4
                         ? "{ .reg .b8 %s; cvt.rn.satfinite.e2m1x2.f32 %s, %a, "
                           "%b; mov.b16 %d, {%s, 0}; }"
                         : "cvt.rn.satfinite." + name + ".f32 %d, %a, %b;";
    check2<uint16_t>(to, values, values, [&](float a, float b) {
      return static_cast<uint16_t>(nearest(a, codes, decode) << t.elementBits |
                                   nearest(b, codes, decode));
    });
    std::string relu =
        t.elementBits == 4
            ? "{ .reg .b8 %s; cvt.rn.satfinite.relu.e2m1x2.f32 %s, %a, %b; "
              "mov.b16 %d, {%s, 0}; }"
            : "cvt.rn.satfinite.relu." + name + ".f32 %d, %a, %b;";
    check2<uint16_t>(relu, values, values, [&](float a, float b) {
      a = a < 0 || a == 0 ? 0.0f : a;
      b = b < 0 || b == 0 ? 0.0f : b;
      return static_cast<uint16_t>(nearest(a, codes, decode) << t.elementBits |
                                   nearest(b, codes, decode));
    });
    std::vector<uint16_t> all;
    for (uint32_t k = 0; k < 2 * codes; ++k)
      all.push_back(
          static_cast<uint16_t>(k | (k * 5 % (2 * codes)) << t.elementBits));
    std::string from = t.elementBits == 4
                           ? "{ .reg .b8 %s, %z; mov.b16 {%s, %z}, %a; "
                             "cvt.rn.f16x2.e2m1x2 %d, %s; }"
                           : "cvt.rn.f16x2." + name + " %d, %a;";
    // Back to bits of f32 for the comparison of values.
    std::vector<uint32_t> got =
        apply<uint32_t>(from, all, std::vector<uint32_t>(all.size()),
                        std::vector<uint32_t>(all.size()));
    for (size_t k = 0; k < all.size(); ++k)
      for (unsigned part = 0; part < 2; ++part) {
        uint32_t element = all[k] >> (t.elementBits * part) & (2 * codes - 1);
        double want = decode(element & (codes - 1));
        uint32_t h = got[k] >> (16 * part) & 0xffff;
        int e = static_cast<int>(h >> 10 & 31);
        double have =
            std::ldexp(double((h & 1023) | (e ? 1024 : 0)), (e ? e : 1) - 25);
        EXPECT_EQ(have, want) << name << " " << element;
        EXPECT_EQ(h >> 15, element / codes) << name << " " << element;
      }
  }
}

TEST_F(PairedTest, Scales) {
  std::vector<float> values = floatEdges<float>();
  for (float v : {0x1p-127f, 0x1.8p-127f, 0x1p-128f, 3.0f, 0x1.8p127f})
    values.push_back(v);
  auto encode = [](float v, bool up, bool saturates) -> uint32_t {
    uint32_t big = saturates ? 0xfe : 0xff;
    if (v != v)
      return 0xff;
    if (std::isinf(v))
      return big;
    int e = 0;
    double f = std::frexp(double(std::fabs(v)), &e); // f * 2^e, f in [.5, 1)
    int power = f == 0 ? -1000 : e - 1;
    if (up && f > 0.5)
      ++power;
    return power < -127  ? 0
           : power > 127 ? big
                         : static_cast<uint32_t>(power + 127);
  };
  for (bool up : {false, true})
    for (bool saturates : {false, true})
      check2<uint16_t>(
          std::string("cvt.") + (up ? "rp" : "rz") +
              (saturates ? ".satfinite" : "") + ".ue8m0x2.f32 %d, %a, %b;",
          values, values, [&](float a, float b) {
            return static_cast<uint16_t>(encode(a, up, saturates) << 8 |
                                         encode(b, up, saturates));
          });
  check1<uint16_t>(
      "cvt.rp.ue8m0x2.bf16x2 %d, %a;",
      std::vector<uint32_t>{0x3f803f81, 0x7f804000, 0xffc00000},
      [](uint32_t a) -> uint16_t {
        return a == 0x3f803f81 ? 0x7f80 : a == 0x7f804000 ? 0xff80 : 0xff00;
      });
  check1<uint32_t>(
      "cvt.rn.bf16x2.ue8m0x2 %d, %a;",
      std::vector<uint16_t>{0x7f00, 0xff80, 0xfe01},
      [](uint16_t a) -> uint32_t {
        return a == 0x7f00 ? 0x3f800040 : a == 0xff80 ? 0x7fff4000 : 0x7f000080;
      });
}

TEST_F(PairedTest, ReductionOfFloats) {
  auto run = [&](const std::string &op, std::vector<float> v) {
    v.resize(32, v[0]);
    return std::bit_cast<uint32_t>(
        apply<float>("redux.sync." + op + ".f32 %d, %a, 0xffffffff;", v,
                     std::vector<uint32_t>(32), std::vector<uint32_t>(32))[5]);
  };
  auto bits = [](float v) { return std::bit_cast<uint32_t>(v); };
  EXPECT_EQ(run("min", {3, -7, 5, -2}), bits(-7));
  EXPECT_EQ(run("max", {3, -7, 5, -2}), bits(5));
  EXPECT_EQ(run("max.abs", {3, -7, 5, -2}), bits(7));
  EXPECT_EQ(run("min.abs", {3, -7, 5, -2}), bits(2));
  EXPECT_EQ(run("min", {0.0f, -0.0f}), bits(-0.0f));
  EXPECT_EQ(run("max", {-0.0f, 0.0f}), bits(0.0f));
  EXPECT_EQ(run("min", {NAN, -INFINITY}), bits(-INFINITY));
  EXPECT_EQ(run("min.NaN", {4, NAN}), 0x7fffffffu);
  EXPECT_EQ(run("max", {NAN, NAN}), 0x7fffffffu);
}

// Vectors of 256 bits, and hints that change nothing.
TEST_F(PairedTest, WideVectors) {
  std::vector<uint32_t> v(32 * 16);
  for (uint32_t k = 0; k < v.size(); ++k)
    v[k] = k * 7;
  for (const char *move :
       {"ld.global.L2::evict_last.v8.b32 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, "
        "[%q]; st.global.L1::no_allocate.v8.b32 [%q+32], "
        "{%r7,%r6,%r5,%r4,%r3,%r2,%r1,%r0};",
        "ld.global.nc.L1::evict_last.L2::evict_first.L2::256B.v8.f32 "
        "{%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%q]; st.global.v8.f32 [%q+32], "
        "{%r7,%r6,%r5,%r4,%r3,%r2,%r1,%r0};"}) {
    auto module = load(kHeader + R"(
.visible .entry k(.param .u64 p) {
  .reg .b64 %p, %q; .reg .b32 %r<8>, %i; ld.param.u64 %p, [p];
  mov.u32 %i, %tid.x; mad.wide.u32 %q, %i, 64, %p; setmaxnreg.inc.sync.aligned.u32 64;
  griddepcontrol.wait; griddepcontrol.launch_dependents;
)" + move + "ret; }\n");
    ASSERT_TRUE(module);
    uint64_t p = upload(v);
    Status s = launch(*module, "k", blocks(1, 32), p);
    ASSERT_TRUE(s.ok()) << s.text;
    auto r = download<uint32_t>(p, v.size());
    for (uint32_t l = 0; l < 32; ++l)
      for (uint32_t k = 0; k < 8; ++k)
        EXPECT_EQ(r[l * 16 + 8 + k], v[l * 16 + 7 - k]);
    s = launch(*module, "k", blocks(1, 32), p + 16);
    EXPECT_EQ(s.kind, ErrorKind::MisalignedAddress) << s.text;
    device->resetSticky();
  }
}

} // namespace gpulto::emu::test
