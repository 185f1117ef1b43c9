//===- BitsTest.cpp - Shifts, bit fields, permutations --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/test/EmuTest.h"

namespace gpulto::emu::test {
namespace {

using BitsTest = EmuTest;

const std::vector<uint32_t> kShifts{0,  1,  5,  15, 16,  17,  31,        32,
                                    33, 63, 64, 65, 255, 256, 0x80000000};

template <class T> T shiftLeft(T a, uint32_t b) {
  return b >= sizeof(T) * 8 ? T(0) : T(uint64_t(a) << b);
}
template <class T> T shiftRight(T a, uint32_t b) {
  if (b >= sizeof(T) * 8)
    return std::is_signed_v<T> && a < 0 ? T(-1) : T(0);
  return T(a >> b);
}

TEST_F(BitsTest, Shifts) {
  check2<uint16_t>("shl.b16 %d, %a, %b;", edges<uint16_t>(), kShifts,
                   shiftLeft<uint16_t>);
  check2<uint32_t>("shl.b32 %d, %a, %b;", edges<uint32_t>(), kShifts,
                   shiftLeft<uint32_t>);
  check2<uint64_t>("shl.b64 %d, %a, %b;", edges<uint64_t>(), kShifts,
                   shiftLeft<uint64_t>);
  check2<uint16_t>("shr.u16 %d, %a, %b;", edges<uint16_t>(), kShifts,
                   shiftRight<uint16_t>);
  check2<int16_t>("shr.s16 %d, %a, %b;", edges<int16_t>(), kShifts,
                  shiftRight<int16_t>);
  check2<uint32_t>("shr.u32 %d, %a, %b;", edges<uint32_t>(), kShifts,
                   shiftRight<uint32_t>);
  check2<int32_t>("shr.s32 %d, %a, %b;", edges<int32_t>(), kShifts,
                  shiftRight<int32_t>);
  check2<uint64_t>("shr.u64 %d, %a, %b;", edges<uint64_t>(), kShifts,
                   shiftRight<uint64_t>);
  check2<int64_t>("shr.s64 %d, %a, %b;", edges<int64_t>(), kShifts,
                  shiftRight<int64_t>);
}

TEST_F(BitsTest, FunnelShift) {
  auto e = std::vector<uint32_t>{0, 1, 0x80000000, 0xdeadbeef, ~0u};
  auto wide = [](uint32_t a, uint32_t b) { return uint64_t(b) << 32 | a; };
  check3<uint32_t>("shf.l.clamp.b32 %d, %a, %b, %c;", e, e, kShifts,
                   [&](uint32_t a, uint32_t b, uint32_t c) {
                     return uint32_t((wide(a, b) << std::min(c, 32u)) >> 32);
                   });
  check3<uint32_t>("shf.r.clamp.b32 %d, %a, %b, %c;", e, e, kShifts,
                   [&](uint32_t a, uint32_t b, uint32_t c) {
                     return uint32_t(wide(a, b) >> std::min(c, 32u));
                   });
  check3<uint32_t>("shf.l.wrap.b32 %d, %a, %b, %c;", e, e, kShifts,
                   [&](uint32_t a, uint32_t b, uint32_t c) {
                     return uint32_t((wide(a, b) << (c & 31)) >> 32);
                   });
  check3<uint32_t>("shf.r.wrap.b32 %d, %a, %b, %c;", e, e, kShifts,
                   [&](uint32_t a, uint32_t b, uint32_t c) {
                     return uint32_t(wide(a, b) >> (c & 31));
                   });
}

TEST_F(BitsTest, Logic) {
  auto e = edges<uint32_t>();
  check2<uint32_t>("and.b32 %d, %a, %b;", e, e, std::bit_and<uint32_t>());
  check2<uint32_t>("or.b32 %d, %a, %b;", e, e, std::bit_or<uint32_t>());
  check2<uint32_t>("xor.b32 %d, %a, %b;", e, e, std::bit_xor<uint32_t>());
  check1<uint64_t>("not.b64 %d, %a;", edges<uint64_t>(),
                   [](uint64_t a) { return ~a; });
  check1<uint32_t>("cnot.b32 %d, %a;", e,
                   [](uint32_t a) { return uint32_t(a == 0); });
  for (unsigned table : {0x00u, 0xffu, 0x96u, 0xe8u, 0xcau, 0x1bu})
    check3<uint32_t>("lop3.b32 %d, %a, %b, %c, " + std::to_string(table) + ";",
                     std::vector<uint32_t>{0xf0f0f0f0, 0x12345678},
                     std::vector<uint32_t>{0xcccccccc, 0x9abcdef0},
                     std::vector<uint32_t>{0xaaaaaaaa, 0x0badcafe},
                     [=](uint32_t a, uint32_t b, uint32_t c) {
                       uint32_t r = 0;
                       for (unsigned k = 0; k < 32; ++k) {
                         unsigned index = (a >> k & 1) << 2 |
                                          (b >> k & 1) << 1 | (c >> k & 1);
                         r |= (table >> index & 1) << k;
                       }
                       return r;
                     });
}

TEST_F(BitsTest, Counts) {
  check1<uint32_t>("popc.b32 %d, %a;", edges<uint32_t>(),
                   [](uint32_t a) { return uint32_t(std::popcount(a)); });
  check1<uint32_t>("popc.b64 %d, %a;", edges<uint64_t>(),
                   [](uint64_t a) { return uint32_t(std::popcount(a)); });
  check1<uint32_t>("clz.b32 %d, %a;", edges<uint32_t>(),
                   [](uint32_t a) { return uint32_t(std::countl_zero(a)); });
  check1<uint32_t>("clz.b64 %d, %a;", edges<uint64_t>(),
                   [](uint64_t a) { return uint32_t(std::countl_zero(a)); });
  check1<uint32_t>("bfind.u32 %d, %a;", edges<uint32_t>(), [](uint32_t a) {
    return a ? 31u - uint32_t(std::countl_zero(a)) : ~0u;
  });
  check1<uint32_t>(
      "bfind.shiftamt.u32 %d, %a;", edges<uint32_t>(),
      [](uint32_t a) { return a ? uint32_t(std::countl_zero(a)) : ~0u; });
  check1<uint32_t>("bfind.s64 %d, %a;", edges<int64_t>(), [](int64_t a) {
    uint64_t u = uint64_t(a < 0 ? ~a : a);
    return u ? 63u - uint32_t(std::countl_zero(u)) : ~0u;
  });
  check1<uint32_t>("brev.b32 %d, %a;", edges<uint32_t>(), [](uint32_t a) {
    uint32_t r = 0;
    for (unsigned k = 0; k < 32; ++k)
      r |= (a >> k & 1) << (31 - k);
    return r;
  });
  check1<uint64_t>("brev.b64 %d, %a;", edges<uint64_t>(), [](uint64_t a) {
    uint64_t r = 0;
    for (unsigned k = 0; k < 64; ++k)
      r |= (a >> k & 1) << (63 - k);
    return r;
  });
  check3<uint32_t>("fns.b32 %d, %a, %b, %c;",
                   std::vector<uint32_t>{0, 0xaaaaaaaa, 0x80000001, ~0u},
                   std::vector<uint32_t>{0, 1, 15, 31},
                   std::vector<int32_t>{0, 1, 2, -1, -3, 33},
                   [](uint32_t mask, uint32_t base, int32_t n) {
                     if (n == 0)
                       return mask >> base & 1 ? base : ~0u;
                     int count = 0, step = n > 0 ? 1 : -1;
                     for (int k = int(base); k >= 0 && k < 32; k += step)
                       if ((mask >> k & 1) && ++count == std::abs(n))
                         return uint32_t(k);
                     return ~0u;
                   });
}

/// PTX's own definition, bit by bit.
template <class T> T extractField(T a, uint32_t b, uint32_t c) {
  unsigned msb = sizeof(T) * 8 - 1, pos = b & 255, len = c & 255;
  uint64_t u = std::make_unsigned_t<T>(a), r = 0;
  bool sign = !std::is_signed_v<T> || len == 0
                  ? false
                  : u >> std::min(pos + len - 1, msb) & 1;
  for (unsigned k = 0; k <= msb; ++k) {
    bool bit = k < len && pos + k <= msb ? u >> (pos + k) & 1 : sign;
    r |= uint64_t(bit) << k;
  }
  return T(r);
}

TEST_F(BitsTest, ExtractField) {
  auto lengths = std::vector<uint32_t>{0, 1, 7, 8, 31, 32, 33, 64, 255};
  check3<uint32_t>("bfe.u32 %d, %a, %b, %c;", edges<uint32_t>(), kShifts,
                   lengths, extractField<uint32_t>);
  check3<int32_t>("bfe.s32 %d, %a, %b, %c;", edges<int32_t>(), kShifts, lengths,
                  extractField<int32_t>);
  check3<uint64_t>("bfe.u64 %d, %a, %b, %c;", edges<uint64_t>(), kShifts,
                   lengths, extractField<uint64_t>);
  check3<int64_t>("bfe.s64 %d, %a, %b, %c;", edges<int64_t>(), kShifts, lengths,
                  extractField<int64_t>);
}

TEST_F(BitsTest, InsertField) {
  auto insert = [](uint64_t a, uint64_t b, unsigned pos, unsigned len,
                   unsigned bits) {
    for (unsigned k = 0; k < len && pos + k < bits; ++k) {
      b &= ~(1ull << (pos + k));
      b |= (a >> k & 1) << (pos + k);
    }
    return b;
  };
  for (unsigned len : {0u, 1u, 8u, 31u, 32u, 40u, 64u}) {
    std::string l = std::to_string(len);
    check3<uint32_t>("bfi.b32 %d, %a, %b, %c, " + l + ";",
                     std::vector<uint32_t>{0, ~0u, 0x1234},
                     std::vector<uint32_t>{0, ~0u, 0x89abcdef}, kShifts,
                     [&](uint32_t a, uint32_t b, uint32_t c) {
                       return uint32_t(insert(a, b, c & 255, len, 32));
                     });
    check3<uint64_t>("bfi.b64 %d, %a, %b, %c, " + l + ";",
                     std::vector<uint64_t>{0, ~0ull, 0x1234},
                     std::vector<uint64_t>{0, ~0ull, 0x89abcdef}, kShifts,
                     [&](uint64_t a, uint64_t b, uint32_t c) {
                       return insert(a, b, c & 255, len, 64);
                     });
  }
}

TEST_F(BitsTest, Permute) {
  auto select = [](uint32_t a, uint32_t b, uint32_t s) {
    uint64_t v = uint64_t(b) << 32 | a;
    uint32_t byte = uint32_t(v >> (8 * (s & 7))) & 255;
    return s & 8 ? (byte & 128 ? 255u : 0u) : byte;
  };
  auto e = std::vector<uint32_t>{0x33221100, 0xf7e6d5c4, 0x80ff7f01};
  check3<uint32_t>("prmt.b32 %d, %a, %b, %c;", e, e,
                   std::vector<uint32_t>{0x3210, 0x7654, 0x0123, 0xfedc, 0x9999,
                                         0x5410, 0xffff3210},
                   [&](uint32_t a, uint32_t b, uint32_t c) {
                     uint32_t r = 0;
                     for (unsigned k = 0; k < 4; ++k)
                       r |= select(a, b, c >> (4 * k) & 15) << (8 * k);
                     return r;
                   });
  auto n = std::vector<uint32_t>{0, 1, 2, 3, 7};
  check3<uint32_t>("prmt.b32.f4e %d, %a, %b, %c;", e, e, n,
                   [](uint32_t a, uint32_t b, uint32_t c) {
                     return uint32_t((uint64_t(b) << 32 | a) >> (8 * (c & 3)));
                   });
  check3<uint32_t>("prmt.b32.rc8 %d, %a, %b, %c;", e, e, n,
                   [](uint32_t a, uint32_t, uint32_t c) {
                     return (a >> (8 * (c & 3)) & 255) * 0x01010101u;
                   });
  check3<uint32_t>("prmt.b32.rc16 %d, %a, %b, %c;", e, e, n,
                   [](uint32_t a, uint32_t, uint32_t c) {
                     return (a >> (16 * (c & 1)) & 0xffff) * 0x00010001u;
                   });
}

TEST_F(BitsTest, DotProducts) {
  auto e = edges<uint32_t>();
  auto c = std::vector<uint32_t>{0, 100, ~0u};
  check3<uint32_t>("dp4a.u32.u32 %d, %a, %b, %c;", e, e, c,
                   [](uint32_t a, uint32_t b, uint32_t s) {
                     for (unsigned k = 0; k < 32; k += 8)
                       s += (a >> k & 255) * (b >> k & 255);
                     return s;
                   });
  check3<uint32_t>("dp4a.s32.u32 %d, %a, %b, %c;", e, e, c,
                   [](uint32_t a, uint32_t b, uint32_t s) {
                     for (unsigned k = 0; k < 32; k += 8)
                       s += uint32_t(int8_t(a >> k) * int(b >> k & 255));
                     return s;
                   });
  check3<uint32_t>("dp2a.hi.s32.s32 %d, %a, %b, %c;", e, e, c,
                   [](uint32_t a, uint32_t b, uint32_t s) {
                     for (unsigned k = 0; k < 2; ++k)
                       s += uint32_t(int16_t(a >> (16 * k)) *
                                     int8_t(b >> (8 * k + 16)));
                     return s;
                   });
}

/// Element by element what PTX says of a SIMD video instruction, for elements
/// of \p kBits bits; \p f computes without wrapping.
template <unsigned kBits, class F>
static uint32_t elements(uint32_t a, uint32_t b, bool aSigned, bool bSigned,
                         F f) {
  auto extend = [](uint32_t v, unsigned at, bool isSigned) {
    int64_t e = v >> at & ((1u << kBits) - 1);
    return isSigned && e >> (kBits - 1) ? e - (1 << kBits) : e;
  };
  uint32_t d = 0;
  for (unsigned at = 0; at < 32; at += kBits)
    d |= (uint32_t(f(extend(a, at, aSigned), extend(b, at, bSigned))) &
          ((1u << kBits) - 1))
         << at;
  return d;
}

TEST_F(BitsTest, Video) {
  std::vector<uint32_t> e = {0,          0x01020304, 0xff80807f, 0x7f80ff00,
                             0x80007fff, 0xffffffff, 0x7fff8000, 0x12ff9a80};
  auto add = [](int64_t x, int64_t y) { return x + y; };
  auto average = [](int64_t x, int64_t y) {
    return (x + y + (x + y >= 0)) >> 1;
  };
  auto apart = [](int64_t x, int64_t y) { return std::abs(x - y); };
  auto clamped = [](auto f, int64_t low, int64_t high) {
    return [=](int64_t x, int64_t y) { return std::clamp(f(x, y), low, high); };
  };
  auto check4 = [&](const char *code, bool isSigned, auto f) {
    check2<uint32_t>(code, e, e, [&](uint32_t a, uint32_t b) {
      return elements<8>(a, b, isSigned, isSigned, f);
    });
  };
  auto check2x = [&](const char *code, bool isSigned, auto f) {
    check2<uint32_t>(code, e, e, [&](uint32_t a, uint32_t b) {
      return elements<16>(a, b, isSigned, isSigned, f);
    });
  };
  check4("vadd4.u32.u32.u32 %d, %a, %b, %c;", false, add);
  check4("vadd4.s32.s32.s32.sat %d, %a, %b, %c;", true,
         clamped(add, -128, 127));
  check4("vadd4.u32.u32.u32.sat %d, %a, %b, %c;", false, clamped(add, 0, 255));
  check2x("vadd2.s32.s32.s32.sat %d, %a, %b, %c;", true,
          clamped(add, -32768, 32767));
  auto subtract = [](int64_t x, int64_t y) { return x - y; };
  check2x("vsub2.u32.u32.u32.sat %d, %a, %b, %c;", false,
          clamped(subtract, 0, 65535));
  check4("vsub4.u32.u32.u32 %d, %a, %b, %c;", false, subtract);
  check4("vavrg4.s32.s32.s32 %d, %a, %b, %c;", true, average);
  check2x("vavrg2.u32.u32.u32 %d, %a, %b, %c;", false, average);
  check4("vabsdiff4.u32.u32.u32 %d, %a, %b, %c;", false, apart);
  check4("vabsdiff4.s32.s32.s32.sat %d, %a, %b, %c;", true,
         clamped(apart, 0, 127));
  auto least = [](int64_t x, int64_t y) { return std::min(x, y); };
  auto most = [](int64_t x, int64_t y) { return std::max(x, y); };
  check4("vmin4.s32.s32.s32 %d, %a, %b, %c;", true, least);
  check2x("vmax2.u32.u32.u32 %d, %a, %b, %c;", false, most);
  auto greaterEqual = [](int64_t x, int64_t y) { return int64_t(x >= y); };
  check4("vset4.s32.s32.ge %d, %a, %b, %c;", true, greaterEqual);
  check2x("vset2.u32.u32.ge %d, %a, %b, %c;", false, greaterEqual);
  check2x("vset2.u32.u32.ne %d, %a, %b, %c;", false,
          [](int64_t x, int64_t y) { return int64_t(x != y); });
  // The same by the names that DPX intrinsics use.
  check2x("add.u16x2 %d, %a, %b;", false, add);
  check2x("add.s16x2 %d, %a, %b;", true, add);
  check2x("min.u16x2 %d, %a, %b;", false, least);
  check2x("max.s16x2 %d, %a, %b;", true, most);
  check2x("max.s16x2.relu %d, %a, %b;", true, clamped(most, 0, 32767));
  check2x("min.relu.s16x2 %d, %a, %b;", true, clamped(least, 0, 32767));
  check2<uint32_t>("max.s32.relu %d, %a, %b;", e, e,
                   [](uint32_t a, uint32_t b) {
                     return std::max({int32_t(a), int32_t(b), 0});
                   });
  check2<uint32_t>("min.relu.s32 %d, %a, %b;", e, e,
                   [](uint32_t a, uint32_t b) {
                     return std::max(std::min(int32_t(a), int32_t(b)), 0);
                   });
  check3<uint32_t>("vabsdiff4.u32.u32.u32.add %d, %a, %b, %c;", e, e, e,
                   [](uint32_t a, uint32_t b, uint32_t c) {
                     for (unsigned k = 0; k < 32; k += 8)
                       c += uint32_t(
                           std::abs(int(a >> k & 255) - int(b >> k & 255)));
                     return c;
                   });
  check3<uint32_t>("vabsdiff2.s32.s32.s32.add %d, %a, %b, %c;", e, e, e,
                   [](uint32_t a, uint32_t b, uint32_t c) {
                     for (unsigned k = 0; k < 32; k += 16)
                       c += uint32_t(
                           std::abs(int16_t(a >> k) - int16_t(b >> k)));
                     return c;
                   });
}

TEST_F(BitsTest, MaskAndExtend) {
  check2<uint32_t>("bmsk.clamp.b32 %d, %a, %b;", kShifts, kShifts,
                   [](uint32_t a, uint32_t b) {
                     uint64_t pos = std::min(a, 32u), len = std::min(b, 32u);
                     return uint32_t(((1ull << len) - 1) << pos);
                   });
  check2<int32_t>("szext.wrap.s32 %d, %a, %b;", edges<int32_t>(),
                  std::vector<uint32_t>{1, 8, 16, 31, 32, 0},
                  [](int32_t a, uint32_t b) {
                    uint32_t n = b & 31;
                    if (n == 0)
                      return 0;
                    return int32_t(uint32_t(a) << (32 - n)) >> (32 - n);
                  });
}

} // namespace
} // namespace gpulto::emu::test
