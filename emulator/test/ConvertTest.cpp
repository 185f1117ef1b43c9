//===- ConvertTest.cpp - cvt, setp, set, selp, slct, mov ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/test/EmuTest.h"

#include <cfenv>

namespace gpulto::emu::test {
namespace {

using ConvertTest = EmuTest;

TEST_F(ConvertTest, IntegerToInteger) {
  auto s64 = edges<int64_t>();
  auto s32 = edges<int32_t>();
  check1<uint64_t>("cvt.u64.u32 %d, %a;", edges<uint32_t>(),
                   [](uint32_t a) { return uint64_t(a); });
  check1<int64_t>("cvt.s64.s32 %d, %a;", s32,
                  [](int32_t a) { return int64_t(a); });
  check1<uint32_t>("cvt.u32.u64 %d, %a;", edges<uint64_t>(),
                   [](uint64_t a) { return uint32_t(a); });
  check1<int32_t>("cvt.s32.s8 %d, %a;", s32,
                  [](int32_t a) { return int32_t(int8_t(a)); });
  check1<uint32_t>("cvt.u32.u16 %d, %a;", edges<uint16_t>(),
                   [](uint16_t a) { return uint32_t(a); });
  check1<int16_t>("cvt.s16.s8 %d, %a;", edges<int16_t>(),
                  [](int16_t a) { return int16_t(int8_t(a)); });
  check1<uint16_t>("cvt.u16.u32 %d, %a;", edges<uint32_t>(),
                   [](uint32_t a) { return uint16_t(a); });
  check1<int32_t>("cvt.sat.s32.s64 %d, %a;", s64, [](int64_t a) {
    return int32_t(std::clamp<int64_t>(a, INT32_MIN, INT32_MAX));
  });
  check1<uint32_t>("cvt.sat.u32.s64 %d, %a;", s64, [](int64_t a) {
    return uint32_t(std::clamp<int64_t>(a, 0, UINT32_MAX));
  });
  check1<uint16_t>("cvt.sat.u8.s32 %d, %a;", s32,
                   [](int32_t a) { return uint16_t(std::clamp(a, 0, 255)); });
}

TEST_F(ConvertTest, IntegerToFloat) {
  check1<float>("cvt.rn.f32.s32 %d, %a;", edges<int32_t>(),
                [](int32_t a) { return float(a); });
  check1<float>("cvt.rn.f32.u64 %d, %a;", edges<uint64_t>(),
                [](uint64_t a) { return float(a); });
  check1<double>("cvt.rn.f64.s64 %d, %a;", edges<int64_t>(),
                 [](int64_t a) { return double(a); });
  check1<double>("cvt.rn.f64.u32 %d, %a;", edges<uint32_t>(),
                 [](uint32_t a) { return double(a); });
  auto odd = std::vector<int32_t>{16777217, -16777217, 33554435, INT32_MAX};
  check1<float>("cvt.rz.f32.s32 %d, %a;", odd, [](int32_t a) {
    float f = float(a);
    return std::fabs(double(f)) > std::fabs(double(a)) ? std::nextafter(f, 0.f)
                                                       : f;
  });
  check1<float>("cvt.rp.f32.s32 %d, %a;", odd, [](int32_t a) {
    float f = float(a);
    return double(f) < double(a) ? std::nextafter(f, INFINITY) : f;
  });
}

template <class T, class S> T clampTo(S x) {
  if (x != x)
    return sizeof(S) == 4 && sizeof(T) <= 4
               ? T(0)
               : T(std::numeric_limits<std::make_signed_t<T>>::min());
  if (x <= S(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  if (x >= std::ldexp(S(1), std::numeric_limits<T>::digits))
    return std::numeric_limits<T>::max();
  return T(x);
}

TEST_F(ConvertTest, FloatToInteger) {
  auto f = floatEdges<float>();
  f.insert(f.end(), {2147483648.0f, -2147483648.0f, 4294967296.0f, 3e9f});
  auto d = floatEdges<double>();
  d.insert(d.end(), {2147483647.5, -2147483648.5, 9.3e18, 1.9e19, 0.49999});
  check1<int32_t>("cvt.rzi.s32.f32 %d, %a;", f,
                  [](float a) { return clampTo<int32_t>(std::trunc(a)); });
  check1<uint32_t>("cvt.rzi.u32.f32 %d, %a;", f,
                   [](float a) { return clampTo<uint32_t>(std::trunc(a)); });
  check1<int32_t>("cvt.rni.s32.f32 %d, %a;", f,
                  [](float a) { return clampTo<int32_t>(std::nearbyint(a)); });
  check1<int32_t>("cvt.rmi.s32.f64 %d, %a;", d,
                  [](double a) { return clampTo<int32_t>(std::floor(a)); });
  check1<int64_t>("cvt.rpi.s64.f64 %d, %a;", d,
                  [](double a) { return clampTo<int64_t>(std::ceil(a)); });
  check1<uint64_t>("cvt.rzi.u64.f64 %d, %a;", d,
                   [](double a) { return clampTo<uint64_t>(std::trunc(a)); });
  check1<int64_t>("cvt.rzi.s64.f32 %d, %a;", f,
                  [](float a) { return clampTo<int64_t>(std::trunc(a)); });
}

TEST_F(ConvertTest, FloatToFloat) {
  auto f = floatEdges<float>();
  auto d = floatEdges<double>();
  check1<double>("cvt.f64.f32 %d, %a;", f, [](float a) { return double(a); });
  check1<float>("cvt.rn.f32.f64 %d, %a;", d, [](double a) { return float(a); });
  check1<float>("cvt.rm.f32.f64 %d, %a;", d, [](double a) {
    int old = std::fegetround();
    std::fesetround(FE_DOWNWARD);
    volatile double x = a;
    volatile float r = float(x);
    std::fesetround(old);
    return float(r);
  });
  check1<float>("cvt.rni.f32.f32 %d, %a;", f,
                [](float a) { return std::nearbyint(a); });
  check1<float>("cvt.rmi.f32.f32 %d, %a;", f,
                [](float a) { return std::floor(a); });
  check1<float>("cvt.sat.f32.f32 %d, %a;", f,
                [](float a) { return a > 0 ? std::min(a, 1.0f) : 0.0f; });
  check1<double>("cvt.rpi.f64.f64 %d, %a;", d,
                 [](double a) { return std::ceil(a); });
}

TEST_F(ConvertTest, HalfRoundTrip) {
  // Every half: to float and back, exactly; through NaN canonically.
  std::vector<uint16_t> all(65536);
  for (unsigned k = 0; k < 65536; ++k)
    all[k] = uint16_t(k);
  check1<uint16_t>(
      "cvt.f32.f16 %t, %a; cvt.rn.f16.f32 %d, %t;", all,
      [](uint16_t a) { return (a & 0x7fff) > 0x7c00 ? uint16_t(0x7fff) : a; });
  check1<uint16_t>(
      "cvt.f32.bf16 %t, %a; cvt.rn.bf16.f32 %d, %t;", all,
      [](uint16_t a) { return (a & 0x7fff) > 0x7f80 ? uint16_t(0x7fff) : a; });
  check1<uint16_t>(
      "cvt.f64.f16 %w0, %a; cvt.rn.f16.f64 %d, %w0;", all,
      [](uint16_t a) { return (a & 0x7fff) > 0x7c00 ? uint16_t(0x7fff) : a; });
}

TEST_F(ConvertTest, HalfRounding) {
  auto f = std::vector<float>{65519.0f, 65520.0f, 1.0009766f, 1.00048828f,
                              5.96e-8f, 2.98e-8f, 2.9e-8f,    -1.0006f};
  // The exact ends: 65520 rounds to infinity, 1 + 2^-11 to even.
  auto n = apply<uint16_t>("cvt.rn.f16.f32 %d, %a;", f, f, f);
  EXPECT_EQ(n, (std::vector<uint16_t>{0x7bff, 0x7c00, 0x3c01, 0x3c00, 0x0001,
                                      0x0000, 0x0000, 0xbc01}));
  auto z = apply<uint16_t>("cvt.rz.f16.f32 %d, %a;", f, f, f);
  EXPECT_EQ(z[1], 0x7bff);
  EXPECT_EQ(z[7], 0xbc00);
  auto packed =
      apply<uint32_t>("cvt.rn.f16x2.f32 %d, %a, %b;", std::vector<float>{1.0f},
                      std::vector<float>{-2.0f}, std::vector<float>{0});
  EXPECT_EQ(packed[0], 0x3c00c000u);
}

TEST_F(ConvertTest, EightBitFloats) {
  // Every byte: to f16 pairs and back, exactly.
  std::vector<uint16_t> all(256);
  for (unsigned k = 0; k < 256; ++k)
    all[k] = uint16_t(k << 8 | (255 - k));
  auto canonical = [](uint16_t a, auto isNaN) {
    uint16_t r = 0;
    for (unsigned s : {0u, 8u}) {
      unsigned b = a >> s & 255;
      r = uint16_t(r | (isNaN(b & 127) ? 0x7f : b) << s);
    }
    return r;
  };
  check1<uint16_t>("cvt.rn.f16x2.e4m3x2 %t, %a;"
                   "cvt.rn.satfinite.e4m3x2.f16x2 %d, %t;",
                   all, [&](uint16_t a) {
                     return canonical(a, [](unsigned b) { return b == 127; });
                   });
  // e5m2 has infinities, which become the largest number on the way back.
  check1<uint16_t>("cvt.rn.f16x2.e5m2x2 %t, %a;"
                   "cvt.rn.satfinite.e5m2x2.f16x2 %d, %t;",
                   all, [&](uint16_t a) {
                     uint16_t r =
                         canonical(a, [](unsigned b) { return b > 124; });
                     for (unsigned s : {0u, 8u})
                       if ((r >> s & 127) == 124)
                         r = uint16_t(r - (1u << s));
                     return r;
                   });
  auto r = apply<uint16_t>(
      "cvt.rn.satfinite.e4m3x2.f32 %d, %a, %b;",
      std::vector<float>{448, 1e9f, -1, 1.0625f, 0.0009765625f, NAN},
      std::vector<float>{464, -INFINITY, 0, 1.1875f, 0.001f, -0.0f},
      std::vector<float>(6));
  EXPECT_EQ(r, (std::vector<uint16_t>{0x7e7e, 0x7efe, 0xb800, 0x383a, 0x0001,
                                      0x7f80}));
}

TEST_F(ConvertTest, TensorFloat) {
  auto r = apply<uint32_t>(
      "cvt.rna.tf32.f32 %d, %a;",
      std::vector<uint32_t>{0x3f801000, 0x3f800fff, 0x7fffffff, 0xff800000},
      std::vector<uint32_t>(4), std::vector<uint32_t>(4));
  EXPECT_EQ(r, (std::vector<uint32_t>{0x3f802000, 0x3f800000, 0x7fffffff,
                                      0xff800000}));
}

TEST_F(ConvertTest, CompareIntegers) {
  auto compare = [&](const std::string &cmp, auto f) {
    check2<uint32_t>("setp." + cmp + ".s32 %p, %a, %b; selp.u32 %d, 1, 0, %p;",
                     edges<int32_t>(), edges<int32_t>(),
                     [&](int32_t a, int32_t b) { return uint32_t(f(a, b)); });
  };
  compare("eq", std::equal_to<int32_t>());
  compare("ne", std::not_equal_to<int32_t>());
  compare("lt", std::less<int32_t>());
  compare("le", std::less_equal<int32_t>());
  compare("gt", std::greater<int32_t>());
  compare("ge", std::greater_equal<int32_t>());
  check2<uint32_t>("setp.hi.u64 %p, %a, %b; selp.u32 %d, 1, 0, %p;",
                   edges<uint64_t>(), edges<uint64_t>(),
                   [](uint64_t a, uint64_t b) { return uint32_t(a > b); });
}

TEST_F(ConvertTest, CompareFloats) {
  auto e = floatEdges<float>();
  auto compare = [&](const std::string &cmp, auto f) {
    check2<uint32_t>("setp." + cmp + ".f32 %p, %a, %b; selp.u32 %d, 1, 0, %p;",
                     e, e, [&](float a, float b) { return uint32_t(f(a, b)); });
  };
  auto un = [](float a, float b) { return a != a || b != b; };
  compare("eq", [](float a, float b) { return a == b; });
  compare("ne", [&](float a, float b) { return a != b && !un(a, b); });
  compare("ltu", [&](float a, float b) { return a < b || un(a, b); });
  compare("geu", [&](float a, float b) { return a >= b || un(a, b); });
  compare("equ", [&](float a, float b) { return a == b || un(a, b); });
  compare("neu", [&](float a, float b) { return a != b; });
  compare("leu", [&](float a, float b) { return a <= b || un(a, b); });
  compare("gtu", [&](float a, float b) { return a > b || un(a, b); });
  compare("num", [&](float a, float b) { return !un(a, b); });
  compare("nan", [&](float a, float b) { return un(a, b); });
}

TEST_F(ConvertTest, CompareCombines) {
  auto e = edges<int32_t>();
  check2<uint32_t>(
      "setp.lt.s32 %q, %a, 0; setp.gt.and.s32 %p, %a, %b, !%q;"
      "selp.u32 %d, 1, 0, %p;",
      e, e, [](int32_t a, int32_t b) { return uint32_t(a > b && a >= 0); });
  check2<uint32_t>("setp.gt.s32 %p|%q, %a, %b; selp.u32 %t, 1, 0, %p;"
                   "selp.u32 %u, 2, 0, %q; or.b32 %d, %t, %u;",
                   e, e, [](int32_t a, int32_t b) { return a > b ? 1u : 2u; });
  check2<uint32_t>("set.lt.u32.s32 %d, %a, %b;", e, e,
                   [](int32_t a, int32_t b) { return a < b ? ~0u : 0u; });
  check2<float>("set.lt.f32.s32 %d, %a, %b;", e, e,
                [](int32_t a, int32_t b) { return a < b ? 1.0f : 0.0f; });
}

TEST_F(ConvertTest, Select) {
  check3<int64_t>(
      "slct.s64.s32 %d, %a, %b, %c;", edges<int64_t>(), std::vector<int64_t>{5},
      edges<int32_t>(),
      [](int64_t a, int64_t b, int32_t c) { return c >= 0 ? a : b; });
  check3<uint32_t>(
      "slct.u32.f32 %d, %a, %b, %c;", std::vector<uint32_t>{1},
      std::vector<uint32_t>{2}, floatEdges<float>(),
      [](uint32_t a, uint32_t b, float c) { return c >= 0 ? a : b; });
}

TEST_F(ConvertTest, PackAndUnpack) {
  check2<uint64_t>(
      "mov.b64 %d, {%a, %b};", edges<uint32_t>(), edges<uint32_t>(),
      [](uint32_t a, uint32_t b) { return uint64_t(b) << 32 | a; });
  check1<uint32_t>("mov.b64 {%t, %u}, %a; xor.b32 %d, %t, %u;",
                   edges<uint64_t>(),
                   [](uint64_t a) { return uint32_t(a) ^ uint32_t(a >> 32); });
  check2<uint32_t>(
      "mov.b32 %d, {%a, %b};", edges<uint16_t>(), edges<uint16_t>(),
      [](uint16_t a, uint16_t b) { return uint32_t(b) << 16 | a; });
  check1<uint32_t>("mov.b64 {_, %d}, %a;", edges<uint64_t>(),
                   [](uint64_t a) { return uint32_t(a >> 32); });
}

TEST_F(ConvertTest, SpecialRegisters) {
  auto module = load(kHeader + R"(
.visible .entry k(.param .u64 out) {
  .reg .b64 %p, %q; .reg .b32 %r<20>;
  ld.param.u64 %p, [out];
  mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y; mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x; mov.u32 %r4, %ntid.y; mov.u32 %r5, %nctaid.x;
  mad.lo.u32 %r6, %r1, %r3, %r0; mul.lo.u32 %r7, %r3, %r4;
  mad.lo.u32 %r6, %r2, %r7, %r6;
  mad.wide.u32 %q, %r6, 32, %p;
  mov.u32 %r8, %laneid; mov.u32 %r9, %warpid; mov.u32 %r10, %lanemask_lt;
  mov.u32 %r11, WARP_SZ; mov.u32 %r12, %dynamic_smem_size;
  st.global.v4.b32 [%q], {%r0, %r1, %r2, %r8};
  st.global.v4.b32 [%q+16], {%r9, %r10, %r11, %r12};
  ret;
})");
  uint64_t out = alloc(2 * 80 * 32);
  LaunchConfig c = blocks(2, 40);
  c.block[1] = 2;
  c.dynamicSharedBytes = 48;
  ASSERT_TRUE(launch(*module, "k", c, out).ok());
  auto v = download<uint32_t>(out, 2 * 80 * 8);
  for (uint32_t i = 0; i < 160; ++i) {
    uint32_t t = i % 80;
    std::vector<uint32_t> want{
        t % 40, t / 40, i / 80, t % 32, t / 32, (1u << (t % 32)) - 1, 32, 48};
    EXPECT_EQ(std::vector<uint32_t>(v.begin() + i * 8, v.begin() + i * 8 + 8),
              want);
  }
}

} // namespace
} // namespace gpulto::emu::test
