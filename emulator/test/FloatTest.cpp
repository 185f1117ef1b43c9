//===- FloatTest.cpp - f32, f64, f16, bf16 --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/test/EmuTest.h"

#include <cfenv>

namespace gpulto::emu::test {
namespace {

class FloatTest : public EmuTest {
protected:
  static float flush(float x) {
    return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
  }
  template <class T> static T rounded(int mode, T a, T b, T c, int what) {
    volatile T x = a, y = b, z = c, r = 0;
    int old = std::fegetround();
    std::fesetround(mode);
    switch (what) {
    case 0:
      r = x + y;
      break;
    case 1:
      r = x * y;
      break;
    case 2:
      r = x / y;
      break;
    case 3:
      r = std::fma(T(x), T(y), T(z));
      break;
    default:
      r = std::sqrt(T(x));
    }
    std::fesetround(old);
    return r;
  }
};

TEST_F(FloatTest, ArithmeticF32) {
  auto e = floatEdges<float>();
  check2<float>("add.rn.f32 %d, %a, %b;", e, e,
                [](float a, float b) { return a + b; });
  check2<float>("sub.f32 %d, %a, %b;", e, e,
                [](float a, float b) { return a - b; });
  check2<float>("mul.f32 %d, %a, %b;", e, e,
                [](float a, float b) { return a * b; });
  check2<float>("div.rn.f32 %d, %a, %b;", e, e,
                [](float a, float b) { return a / b; });
  check3<float>("fma.rn.f32 %d, %a, %b, %c;", e, e, e,
                [](float a, float b, float c) { return std::fma(a, b, c); });
}

TEST_F(FloatTest, ArithmeticF64) {
  auto e = floatEdges<double>();
  check2<double>("add.f64 %d, %a, %b;", e, e, std::plus<double>());
  check2<double>("sub.f64 %d, %a, %b;", e, e, std::minus<double>());
  check2<double>("mul.f64 %d, %a, %b;", e, e, std::multiplies<double>());
  check2<double>("div.rn.f64 %d, %a, %b;", e, e, std::divides<double>());
  check3<double>(
      "fma.rn.f64 %d, %a, %b, %c;", e, e, e,
      [](double a, double b, double c) { return std::fma(a, b, c); });
}

TEST_F(FloatTest, CanonicalNaN) {
  auto bits =
      apply<uint32_t>("add.f32 %d, %a, %b;",
                      std::vector<uint32_t>{0xffc00001, 0x7f800000, 0x7fc00000},
                      std::vector<uint32_t>{0x3f800000, 0xff800000, 0x3f800000},
                      std::vector<uint32_t>(3));
  EXPECT_EQ(bits, (std::vector<uint32_t>(3, 0x7fffffff)));
}

TEST_F(FloatTest, FlushToZero) {
  auto e = floatEdges<float>();
  check2<float>("add.ftz.f32 %d, %a, %b;", e, e,
                [](float a, float b) { return flush(flush(a) + flush(b)); });
  check2<float>("mul.ftz.f32 %d, %a, %b;", e, e,
                [](float a, float b) { return flush(flush(a) * flush(b)); });
}

TEST_F(FloatTest, Saturate) {
  auto e = floatEdges<float>();
  check2<float>("add.sat.f32 %d, %a, %b;", e, e, [](float a, float b) {
    float r = a + b;
    return r > 0 ? std::min(r, 1.0f) : 0.0f;
  });
}

TEST_F(FloatTest, DirectedRounding) {
  auto f = std::vector<float>{1, -1, 3, 1e-8f, 0.1f, -7.3f, 1e38f, 1e-45f};
  auto d = std::vector<double>{1, -1, 3, 1e-17, 0.1, -7.3, 1e308, 5e-324};
  struct Mode {
    const char *name;
    int mode;
  };
  for (Mode m : {Mode{".rz", FE_TOWARDZERO}, Mode{".rm", FE_DOWNWARD},
                 Mode{".rp", FE_UPWARD}}) {
    std::string r = m.name;
    check2<float>("add" + r + ".f32 %d, %a, %b;", f, f, [&](float a, float b) {
      return rounded<float>(m.mode, a, b, 0, 0);
    });
    check2<double>("mul" + r + ".f64 %d, %a, %b;", d, d,
                   [&](double a, double b) {
                     return rounded<double>(m.mode, a, b, 0, 1);
                   });
    check2<float>("div" + r + ".f32 %d, %a, %b;", f, f, [&](float a, float b) {
      return rounded<float>(m.mode, a, b, 0, 2);
    });
    check3<float>("fma" + r + ".f32 %d, %a, %b, %c;", f, f, f,
                  [&](float a, float b, float c) {
                    return rounded<float>(m.mode, a, b, c, 3);
                  });
    check1<double>("sqrt" + r + ".f64 %d, %a;", d, [&](double a) {
      return rounded<double>(m.mode, a, 0, 0, 4);
    });
  }
}

TEST_F(FloatTest, MinMax) {
  auto e = floatEdges<float>();
  auto low = [](float a, float b) {
    if (a != a)
      return b;
    if (b != b)
      return a;
    return a < b || (a == b && std::signbit(a)) ? a : b;
  };
  check2<float>("min.f32 %d, %a, %b;", e, e, low);
  check2<float>("max.f32 %d, %a, %b;", e, e, [&](float a, float b) {
    if (a != a || b != b)
      return low(a, b);
    return -low(-a, -b);
  });
  check2<float>("min.NaN.f32 %d, %a, %b;", e, e, [&](float a, float b) {
    return a != a || b != b ? NAN : low(a, b);
  });
  auto d = floatEdges<double>();
  check2<double>("max.f64 %d, %a, %b;", d, d, [](double a, double b) {
    if (a != a)
      return b;
    if (b != b)
      return a;
    return a > b || (a == b && !std::signbit(a)) ? a : b;
  });
}

TEST_F(FloatTest, Signs) {
  auto e = floatEdges<float>();
  check1<float>("neg.f32 %d, %a;", e, [](float a) { return -a; });
  check1<float>("abs.f32 %d, %a;", e, [](float a) { return std::fabs(a); });
  check2<float>("copysign.f32 %d, %a, %b;", e, e,
                [](float a, float b) { return std::copysign(b, a); });
  check1<double>("abs.f64 %d, %a;", floatEdges<double>(),
                 [](double a) { return std::fabs(a); });
}

TEST_F(FloatTest, Special) {
  auto e = floatEdges<float>();
  check1<float>("sqrt.rn.f32 %d, %a;", e, [](float a) { return std::sqrt(a); });
  check1<float>("rcp.rn.f32 %d, %a;", e, [](float a) { return 1.0f / a; });
  check1<double>("sqrt.rn.f64 %d, %a;", floatEdges<double>(),
                 [](double a) { return std::sqrt(a); });
  check1<double>("rcp.rn.f64 %d, %a;", floatEdges<double>(),
                 [](double a) { return 1.0 / a; });
  check1<float>("ex2.approx.f32 %d, %a;", e,
                [](float a) { return std::exp2(a); });
  check1<float>("lg2.approx.f32 %d, %a;", e,
                [](float a) { return std::log2(a); });
  check1<float>("rsqrt.approx.f32 %d, %a;", e,
                [](float a) { return float(1.0 / std::sqrt(double(a))); });
  auto small = std::vector<float>{0, 1, -1, 0.5f, 3.1f, 100};
  check1<float>("sin.approx.f32 %d, %a;", small,
                [](float a) { return std::sin(a); });
  check1<float>("cos.approx.f32 %d, %a;", small,
                [](float a) { return std::cos(a); });
  check1<float>("tanh.approx.f32 %d, %a;", small,
                [](float a) { return std::tanh(a); });
}

TEST_F(FloatTest, TestProperty) {
  auto e = floatEdges<float>();
  auto test = [&](const char *name, auto f) {
    check1<uint32_t>(std::string("testp.") + name +
                         ".f32 %p, %a; selp.u32 %d, 1, 0, %p;",
                     e, [&](float a) { return uint32_t(f(a)); });
  };
  test("finite", [](float a) { return std::isfinite(a); });
  test("infinite", [](float a) { return std::isinf(a); });
  test("number", [](float a) { return !std::isnan(a); });
  test("notanumber", [](float a) { return std::isnan(a); });
  test("normal", [](float a) { return std::isnormal(a); });
  test("subnormal", [](float a) { return std::fpclassify(a) == FP_SUBNORMAL; });
}

// Halves, by way of conversions that are tested elsewhere against exact ones.

float halfValue(uint16_t h) {
  int e = h >> 10 & 31, m = h & 1023;
  float v = e == 31  ? (m ? NAN : INFINITY)
            : e == 0 ? std::ldexp(float(m), -24)
                     : std::ldexp(float(m | 1024), e - 25);
  return h & 0x8000 ? -v : v;
}
/// The nearest half by search among all of them.
uint16_t nearestHalf(double v) {
  if (v != v)
    return 0x7fff;
  uint16_t sign = std::signbit(v) ? 0x8000 : 0;
  double m = std::fabs(v);
  if (m >= 65520)
    return uint16_t(sign | 0x7c00);
  unsigned low = 0, high = 0x7bff; // halfValue is monotone here.
  while (low < high) {
    unsigned mid = (low + high + 1) / 2;
    if (double(halfValue(uint16_t(mid))) <= m)
      low = mid;
    else
      high = mid - 1;
  }
  double below = halfValue(uint16_t(low));
  double above = low == 0x7bff ? 65536.0 : halfValue(uint16_t(low + 1));
  if (m - below > above - m || (m - below == above - m && (low & 1)))
    ++low;
  return uint16_t(sign | low);
}

const std::vector<uint16_t> kHalves{
    0,      0x8000, 0x3c00, 0xbc00, 0x3555, 0x0001, 0x83ff, 0x0400, 0x7bff,
    0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x4248, 0x1400, 0x3c01, 0x6400, 0x0c55};

TEST_F(FloatTest, Half) {
  check2<uint16_t>("add.f16 %d, %a, %b;", kHalves, kHalves,
                   [](uint16_t a, uint16_t b) {
                     return nearestHalf(double(halfValue(a)) + halfValue(b));
                   });
  check2<uint16_t>("mul.f16 %d, %a, %b;", kHalves, kHalves,
                   [](uint16_t a, uint16_t b) {
                     return nearestHalf(double(halfValue(a)) * halfValue(b));
                   });
  check3<uint16_t>(
      "fma.rn.f16 %d, %a, %b, %c;", kHalves, kHalves, kHalves,
      [](uint16_t a, uint16_t b, uint16_t c) {
        // 80-bit floats hold a product of halves and most sums.
        long double v = (long double)halfValue(a) * halfValue(b) + halfValue(c);
        double d = double(v);
        if (std::isfinite(d) && (long double)d != v) {
          // To odd, so that the second rounding is right.
          double z = (long double)d > v ? std::nextafter(d, -1e300) : d;
          uint64_t bits = std::bit_cast<uint64_t>(z);
          if (!(bits & 1))
            z = std::nextafter(z, 1e300);
          d = z;
        }
        return nearestHalf(d);
      });
  check2<uint16_t>("max.f16 %d, %a, %b;", kHalves, kHalves,
                   [](uint16_t a, uint16_t b) {
                     float x = halfValue(a), y = halfValue(b);
                     if (x != x || y != y)
                       return x == x ? a : y == y ? b : uint16_t(0x7fff);
                     bool first = x > y || (x == y && !(a & 0x8000));
                     return first ? a : b;
                   });
  check1<uint16_t>("neg.f16 %d, %a;", kHalves,
                   [](uint16_t a) { return uint16_t(a ^ 0x8000); });
}

TEST_F(FloatTest, HalfPairs) {
  std::vector<uint32_t> pairs;
  for (size_t k = 0; k < kHalves.size(); ++k)
    pairs.push_back(uint32_t(kHalves[k]) << 16 |
                    kHalves[(k * 7 + 3) % kHalves.size()]);
  check2<uint32_t>(
      "add.rn.f16x2 %d, %a, %b;", pairs, pairs, [](uint32_t a, uint32_t b) {
        uint32_t r = 0;
        for (unsigned s : {0u, 16u})
          r |= uint32_t(nearestHalf(double(halfValue(uint16_t(a >> s))) +
                                    halfValue(uint16_t(b >> s))))
               << s;
        return r;
      });
}

TEST_F(FloatTest, BFloat) {
  auto value = [](uint16_t h) {
    return std::bit_cast<float>(uint32_t(h) << 16);
  };
  auto e = std::vector<uint16_t>{0,      0x8000, 0x3f80, 0xbf80, 0x0001,
                                 0x7f7f, 0x7f80, 0x7fc0, 0x4049, 0x3dcd};
  check2<uint16_t>("add.rn.bf16 %d, %a, %b;", e, e,
                   [&](uint16_t a, uint16_t b) {
                     float r = value(a) + value(b);
                     if (r != r)
                       return uint16_t(0x7fff);
                     uint32_t bits = std::bit_cast<uint32_t>(r);
                     uint32_t low = bits & 0xffff, up = bits >> 16;
                     up += low > 0x8000 || (low == 0x8000 && (up & 1));
                     return uint16_t(up);
                   });
}

} // namespace
} // namespace gpulto::emu::test
