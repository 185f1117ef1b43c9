//===- IntegerTest.cpp - Integer arithmetic -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/test/EmuTest.h"

namespace gpulto::emu::test {
namespace {

class IntegerTest : public EmuTest {
protected:
  template <class T> static std::string name() {
    return (std::is_signed_v<T> ? ".s" : ".u") + std::to_string(sizeof(T) * 8);
  }
  template <class T> void arithmetic() {
    using U = std::make_unsigned_t<T>;
    std::string t = name<T>();
    auto e = edges<T>();
    check2<T>("add" + t + " %d, %a, %b;", e, e,
              [](T a, T b) { return T(U(a) + U(b)); });
    check2<T>("sub" + t + " %d, %a, %b;", e, e,
              [](T a, T b) { return T(U(a) - U(b)); });
    check2<T>("mul.lo" + t + " %d, %a, %b;", e, e,
              [](T a, T b) { return T(uint64_t(a) * uint64_t(b)); });
    check2<T>("mul.hi" + t + " %d, %a, %b;", e, e, [](T a, T b) {
      __int128 p = std::is_signed_v<T> ? __int128(a) * b
                                       : __int128((unsigned __int128)(a)*b);
      return T(p >> (sizeof(T) * 8));
    });
    check2<T>("div" + t + " %d, %a, %b;", e, e, [](T a, T b) {
      if (b == 0)
        return T(-1);
      return std::is_signed_v<T> && b == T(-1) ? T(U(0) - U(a)) : T(a / b);
    });
    check2<T>("rem" + t + " %d, %a, %b;", e, e, [](T a, T b) {
      if (b == 0)
        return a;
      return std::is_signed_v<T> && b == T(-1) ? T(0) : T(a % b);
    });
    check2<T>("min" + t + " %d, %a, %b;", e, e,
              [](T a, T b) { return std::min(a, b); });
    check2<T>("max" + t + " %d, %a, %b;", e, e,
              [](T a, T b) { return std::max(a, b); });
    check3<T>("mad.lo" + t + " %d, %a, %b, %c;", e, e,
              std::vector<T>{0, 1, T(-1)}, [](T a, T b, T c) {
                return T(uint64_t(a) * uint64_t(b) + uint64_t(c));
              });
    check3<T>("sad" + t + " %d, %a, %b, %c;", e, e, std::vector<T>{0, 5},
              [](T a, T b, T c) {
                U x = a < b ? U(b) - U(a) : U(a) - U(b);
                return T(x + U(c));
              });
  }
};

TEST_F(IntegerTest, ArithmeticU16) { arithmetic<uint16_t>(); }
TEST_F(IntegerTest, ArithmeticS16) { arithmetic<int16_t>(); }
TEST_F(IntegerTest, ArithmeticU32) { arithmetic<uint32_t>(); }
TEST_F(IntegerTest, ArithmeticS32) { arithmetic<int32_t>(); }
TEST_F(IntegerTest, ArithmeticU64) { arithmetic<uint64_t>(); }
TEST_F(IntegerTest, ArithmeticS64) { arithmetic<int64_t>(); }

TEST_F(IntegerTest, NegateAndAbsolute) {
  check1<int32_t>("neg.s32 %d, %a;", edges<int32_t>(),
                  [](int32_t a) { return int32_t(0u - uint32_t(a)); });
  check1<int32_t>("abs.s32 %d, %a;", edges<int32_t>(), [](int32_t a) {
    return a < 0 ? int32_t(0u - uint32_t(a)) : a;
  });
  check1<int64_t>("neg.s64 %d, %a;", edges<int64_t>(),
                  [](int64_t a) { return int64_t(0 - uint64_t(a)); });
  check1<int16_t>("abs.s16 %d, %a;", edges<int16_t>(),
                  [](int16_t a) { return int16_t(a < 0 ? -a : a); });
}

TEST_F(IntegerTest, Saturating) {
  auto e = edges<int32_t>();
  auto clamp = [](int64_t v) {
    return int32_t(
        std::min<int64_t>(std::max<int64_t>(v, INT32_MIN), INT32_MAX));
  };
  check2<int32_t>("add.sat.s32 %d, %a, %b;", e, e,
                  [&](int32_t a, int32_t b) { return clamp(int64_t(a) + b); });
  check2<int32_t>("sub.sat.s32 %d, %a, %b;", e, e,
                  [&](int32_t a, int32_t b) { return clamp(int64_t(a) - b); });
}

TEST_F(IntegerTest, Wide) {
  auto s = edges<int32_t>();
  auto u = edges<uint32_t>();
  check2<int64_t>("mul.wide.s32 %d, %a, %b;", s, s,
                  [](int32_t a, int32_t b) { return int64_t(a) * b; });
  check2<uint64_t>("mul.wide.u32 %d, %a, %b;", u, u,
                   [](uint32_t a, uint32_t b) { return uint64_t(a) * b; });
  check2<int32_t>("mul.wide.s16 %d, %a, %b;", edges<int16_t>(),
                  edges<int16_t>(),
                  [](int16_t a, int16_t b) { return int32_t(a) * b; });
  check2<uint32_t>("mul.wide.u16 %d, %a, %b;", edges<uint16_t>(),
                   edges<uint16_t>(),
                   [](uint16_t a, uint16_t b) { return uint32_t(a) * b; });
  check3<int64_t>("mad.wide.s32 %d, %a, %b, %c;", s, s,
                  std::vector<int64_t>{-1, INT64_MAX},
                  [](int32_t a, int32_t b, int64_t c) {
                    return int64_t(uint64_t(int64_t(a) * b) + uint64_t(c));
                  });
}

TEST_F(IntegerTest, Mul24) {
  auto low = [](int32_t a) { return int32_t(uint32_t(a) << 8) >> 8; };
  auto s = edges<int32_t>();
  check2<int32_t>("mul24.lo.s32 %d, %a, %b;", s, s, [&](int32_t a, int32_t b) {
    return int32_t(int64_t(low(a)) * low(b));
  });
  check2<int32_t>("mul24.hi.s32 %d, %a, %b;", s, s, [&](int32_t a, int32_t b) {
    return int32_t((int64_t(low(a)) * low(b)) >> 16);
  });
  check2<uint32_t>("mul24.lo.u32 %d, %a, %b;", edges<uint32_t>(),
                   edges<uint32_t>(), [](uint32_t a, uint32_t b) {
                     return uint32_t(uint64_t(a & 0xffffff) * (b & 0xffffff));
                   });
}

TEST_F(IntegerTest, CarryChain) {
  auto e = edges<uint64_t>();
  std::string split = "mov.b64 {%t, %u}, %a; mov.b64 {%x, %y}, %b;";
  check2<uint64_t>(split + "add.cc.u32 %t, %t, %x; addc.u32 %u, %u, %y;"
                           "mov.b64 %d, {%t, %u};",
                   e, e, [](uint64_t a, uint64_t b) { return a + b; });
  check2<uint64_t>(split + "sub.cc.u32 %t, %t, %x; subc.u32 %u, %u, %y;"
                           "mov.b64 %d, {%t, %u};",
                   e, e, [](uint64_t a, uint64_t b) { return a - b; });
  // 32 x 32 + 64 bits by mad.cc and madc.
  check3<uint64_t>(
      "mov.b64 {%t, %u}, %c;"
      "mad.lo.cc.u32 %t, %a, %b, %t;"
      "madc.hi.u32 %u, %a, %b, %u; mov.b64 %d, {%t, %u};",
      edges<uint32_t>(), edges<uint32_t>(),
      std::vector<uint64_t>{0, ~0ull, 0xffffffffull},
      [](uint32_t a, uint32_t b, uint64_t c) { return uint64_t(a) * b + c; });
}

TEST_F(IntegerTest, PartialWarpKeepsOtherLanes) {
  check2<uint32_t>("mov.u32 %d, 77; setp.lt.u32 %p, %a, %b;"
                   "@%p add.u32 %d, %a, %b;",
                   edges<uint32_t>(), edges<uint32_t>(),
                   [](uint32_t a, uint32_t b) { return a < b ? a + b : 77u; });
  check2<uint64_t>("mov.u64 %d, 77; setp.lt.u64 %p, %a, %b;"
                   "@!%p mul.lo.u64 %d, %a, %b;",
                   edges<uint64_t>(), edges<uint64_t>(),
                   [](uint64_t a, uint64_t b) { return a < b ? 77u : a * b; });
}

TEST_F(IntegerTest, Immediates) {
  check1<int32_t>("add.s32 %d, %a, -5;", edges<int32_t>(),
                  [](int32_t a) { return int32_t(uint32_t(a) - 5u); });
  check1<uint64_t>("and.b64 %d, %a, 0xff00000000;", edges<uint64_t>(),
                   [](uint64_t a) { return a & 0xff00000000; });
  check1<uint16_t>("xor.b16 %d, %a, -1;", edges<uint16_t>(),
                   [](uint16_t a) { return uint16_t(~a); });
}

} // namespace
} // namespace gpulto::emu::test
