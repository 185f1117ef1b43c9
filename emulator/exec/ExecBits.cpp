//===- ExecBits.cpp - Bit fields, shifts, counts, permutations ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/exec/ExecCommon.h"

namespace gpulto::emu::GPULTO_EMU_ISA {

namespace {

/// Shift amounts are 32 bits whatever the type, and clamp at its width.
template <class T> void shiftLeft(Warp &w, const Insn &i, uint32_t m) {
  constexpr uint32_t kBits = sizeof(T) * 8;
  using C = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  map(
      m, dst<T>(w, i.d[0]),
      [](T a, uint32_t b) {
        C r = static_cast<C>(a) << (b & (kBits - 1));
        return b < kBits ? static_cast<T>(r) : T(0);
      },
      src<T>(w, i.s[0]), src<uint32_t>(w, i.s[1]));
}
template <class T> void shiftRight(Warp &w, const Insn &i, uint32_t m) {
  constexpr uint32_t kBits = sizeof(T) * 8;
  map(
      m, dst<T>(w, i.d[0]),
      [](T a, uint32_t b) {
        if (std::is_signed_v<T>)
          return static_cast<T>(a >> (b < kBits ? b : kBits - 1));
        T r = static_cast<T>(a >> (b & (kBits - 1)));
        return b < kBits ? r : T(0);
      },
      src<T>(w, i.s[0]), src<uint32_t>(w, i.s[1]));
}

/// shf: mode bit 0: right; bit 1: wrap instead of clamp.
template <int kMode> void funnel(Warp &w, const Insn &i, uint32_t m) {
  map(
      m, dst<uint32_t>(w, i.d[0]),
      [](uint32_t a, uint32_t b, uint32_t c) {
        uint32_t n = kMode & 2 ? c & 31 : (c > 32 ? 32 : c);
        uint64_t v = static_cast<uint64_t>(b) << 32 | a;
        return static_cast<uint32_t>(kMode & 1 ? v >> n : (v << n) >> 32);
      },
      src<uint32_t>(w, i.s[0]), src<uint32_t>(w, i.s[1]),
      src<uint32_t>(w, i.s[2]));
}

template <class T> void bitNot(Warp &w, const Insn &i, uint32_t m) {
  map(
      m, dst<T>(w, i.d[0]), [](T a) { return static_cast<T>(~a); },
      src<T>(w, i.s[0]));
}
template <class T> void cnot(Warp &w, const Insn &i, uint32_t m) {
  map(
      m, dst<T>(w, i.d[0]), [](T a) { return static_cast<T>(a == 0); },
      src<T>(w, i.s[0]));
}

template <class T> void popc(Warp &w, const Insn &i, uint32_t m) {
  mapEach(
      m, dst<uint32_t>(w, i.d[0]),
      [](T a) { return static_cast<uint32_t>(__builtin_popcountll(a)); },
      src<T>(w, i.s[0]));
}
template <class T> inline uint32_t leadingZeros(T a) {
  constexpr uint32_t kBits = sizeof(T) * 8;
  return a ? static_cast<uint32_t>(__builtin_clzll(a)) - (64 - kBits) : kBits;
}
template <class T> void clz(Warp &w, const Insn &i, uint32_t m) {
  mapEach(
      m, dst<uint32_t>(w, i.d[0]), [](T a) { return leadingZeros<T>(a); },
      src<T>(w, i.s[0]));
}
/// Position of the top bit that differs from the sign; kShift counts from it.
template <class T, bool kShift> void bfind(Warp &w, const Insn &i, uint32_t m) {
  using UT = std::make_unsigned_t<T>;
  constexpr uint32_t kBits = sizeof(T) * 8;
  mapEach(
      m, dst<uint32_t>(w, i.d[0]),
      [](T a) {
        UT u = static_cast<UT>(std::is_signed_v<T> && a < 0 ? ~a : a);
        if (!u)
          return 0xffffffffu;
        uint32_t zeros = leadingZeros<UT>(u);
        return kShift ? zeros : kBits - 1 - zeros;
      },
      src<T>(w, i.s[0]));
}
template <class T> void brev(Warp &w, const Insn &i, uint32_t m) {
  map(
      m, dst<T>(w, i.d[0]),
      [](T v) {
        uint64_t x = v;
        x = (x >> 1 & 0x5555555555555555) | (x & 0x5555555555555555) << 1;
        x = (x >> 2 & 0x3333333333333333) | (x & 0x3333333333333333) << 2;
        x = (x >> 4 & 0x0f0f0f0f0f0f0f0f) | (x & 0x0f0f0f0f0f0f0f0f) << 4;
        return static_cast<T>(__builtin_bswap64(x) >> (64 - sizeof(T) * 8));
      },
      src<T>(w, i.s[0]));
}
/// Position of the n-th set bit from \c base, up or down; all ones: none.
void fns(Warp &w, const Insn &i, uint32_t m) {
  mapEach(
      m, dst<uint32_t>(w, i.d[0]),
      [](uint32_t mask, uint32_t base, int32_t offset) {
        if (base > 31)
          return 0xffffffffu;
        if (offset == 0)
          return mask >> base & 1 ? base : 0xffffffffu;
        int step = offset > 0 ? 1 : -1;
        int64_t count = 0, wanted = offset > 0 ? offset : -int64_t(offset);
        for (int pos = static_cast<int>(base); pos >= 0 && pos < 32;
             pos += step)
          if (mask >> pos & 1 && ++count == wanted)
            return static_cast<uint32_t>(pos);
        return 0xffffffffu;
      },
      src<uint32_t>(w, i.s[0]), src<uint32_t>(w, i.s[1]),
      src<int32_t>(w, i.s[2]));
}

template <class T> void bfe(Warp &w, const Insn &i, uint32_t m) {
  using UT = std::make_unsigned_t<T>;
  constexpr uint32_t kBits = sizeof(T) * 8;
  map(
      m, dst<T>(w, i.d[0]),
      [](T a, uint32_t b, uint32_t c) {
        uint32_t pos = b & 255, len = c & 255;
        // The bit that fills up: the field's top bit, or the sign.
        uint32_t top = pos + len - 1;
        top = top > kBits - 1 ? kBits - 1 : top;
        UT sign = std::is_signed_v<T> && len
                      ? static_cast<UT>(0) - (static_cast<UT>(a) >> top & 1)
                      : 0;
        UT field = pos < kBits ? static_cast<UT>(a) >> (pos & (kBits - 1)) : 0;
        UT keep = len < kBits ? (UT(1) << (len & (kBits - 1))) - 1 : ~UT(0);
        // Bits beyond the value's width are filled with the sign, too.
        UT inside = pos < kBits ? ~UT(0) >> (pos & (kBits - 1)) : 0;
        keep &= inside;
        return static_cast<T>((field & keep) | (sign & ~keep));
      },
      src<T>(w, i.s[0]), src<uint32_t>(w, i.s[1]), src<uint32_t>(w, i.s[2]));
}
template <class T> void bfi(Warp &w, const Insn &i, uint32_t m) {
  constexpr uint32_t kBits = sizeof(T) * 8;
  map(
      m, dst<T>(w, i.d[0]),
      [](T a, T b, uint32_t c, uint32_t d) {
        uint32_t pos = c & 255, len = d & 255;
        T ones = len < kBits ? (T(1) << (len & (kBits - 1))) - 1 : ~T(0);
        T mask = pos < kBits ? ones << (pos & (kBits - 1)) : 0;
        T field = pos < kBits ? a << (pos & (kBits - 1)) : 0;
        return static_cast<T>((b & ~mask) | (field & mask));
      },
      src<T>(w, i.s[0]), src<T>(w, i.s[1]), src<uint32_t>(w, i.s[2]),
      src<uint32_t>(w, i.s[3]));
}
/// bmsk: a mask of b bits from position a; mode 1 wraps.
template <bool kWrap> void bmsk(Warp &w, const Insn &i, uint32_t m) {
  map(
      m, dst<uint32_t>(w, i.d[0]),
      [](uint32_t a, uint32_t b) {
        uint64_t pos = kWrap ? a & 31 : (a > 32 ? 32 : a);
        uint64_t len = kWrap ? b & 31 : (b > 32 ? 32 : b);
        return static_cast<uint32_t>(((1ull << len) - 1) << pos);
      },
      src<uint32_t>(w, i.s[0]), src<uint32_t>(w, i.s[1]));
}
/// szext: the low b bits, extended; mode 1 wraps.
template <class T, bool kWrap> void szext(Warp &w, const Insn &i, uint32_t m) {
  map(
      m, dst<T>(w, i.d[0]),
      [](T a, uint32_t b) {
        uint32_t n = kWrap ? b & 31 : b;
        if (n >= 32)
          return a;
        if (n == 0)
          return T(0);
        uint32_t up = static_cast<uint32_t>(a) << (32 - n);
        return static_cast<T>(static_cast<T>(up) >> (32 - n));
      },
      src<T>(w, i.s[0]), src<uint32_t>(w, i.s[1]));
}

/// prmt: byte selection; the default mode takes four selectors.
uint32_t permute(uint32_t a, uint32_t b, uint32_t c) {
  uint64_t v = static_cast<uint64_t>(b) << 32 | a;
  uint32_t r = 0;
  for (unsigned k = 0; k < 4; ++k) {
    uint32_t selector = c >> (4 * k) & 15;
    uint32_t byte = static_cast<uint32_t>(v >> (8 * (selector & 7))) & 255;
    if (selector & 8)
      byte = byte & 128 ? 255 : 0;
    r |= byte << (8 * k);
  }
  return r;
}
void prmt(Warp &w, const Insn &i, uint32_t m) {
  map(m, dst<uint32_t>(w, i.d[0]), permute, src<uint32_t>(w, i.s[0]),
      src<uint32_t>(w, i.s[1]), src<uint32_t>(w, i.s[2]));
}
/// The special modes as selectors of the default one, by c & 3.
constexpr uint32_t kPermuteModes[6][4] = {
    {0x3210, 0x4321, 0x5432, 0x6543}, // f4e
    {0x5670, 0x6701, 0x7012, 0x0123}, // b4e
    {0x0000, 0x1111, 0x2222, 0x3333}, // rc8
    {0x3210, 0x3211, 0x3222, 0x3333}, // ecl
    {0x0000, 0x1110, 0x2210, 0x3210}, // ecr
    {0x1010, 0x3232, 0x1010, 0x3232}, // rc16
};
template <int kMode> void prmtMode(Warp &w, const Insn &i, uint32_t m) {
  mapEach(
      m, dst<uint32_t>(w, i.d[0]),
      [](uint32_t a, uint32_t b, uint32_t c) {
        return permute(a, b, kPermuteModes[kMode][c & 3]);
      },
      src<uint32_t>(w, i.s[0]), src<uint32_t>(w, i.s[1]),
      src<uint32_t>(w, i.s[2]));
}

void lop3(Warp &w, const Insn &i, uint32_t m) {
  uint32_t table = static_cast<uint32_t>(i.imm);
  map(
      m, dst<uint32_t>(w, i.d[0]),
      [table](uint32_t a, uint32_t b, uint32_t c) {
        uint32_t r = 0;
        for (unsigned k = 0; k < 8; ++k) {
          uint32_t on = table >> k & 1 ? ~0u : 0u;
          r |= on & (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
        }
        return r;
      },
      src<uint32_t>(w, i.s[0]), src<uint32_t>(w, i.s[1]),
      src<uint32_t>(w, i.s[2]));
}

/// dp4a: four products of bytes; types of a and b separately signed.
template <bool kSignedA, bool kSignedB>
void dp4a(Warp &w, const Insn &i, uint32_t m) {
  map(
      m, dst<uint32_t>(w, i.d[0]),
      [](uint32_t a, uint32_t b, uint32_t c) {
        for (unsigned k = 0; k < 32; k += 8) {
          int32_t x = kSignedA ? static_cast<int8_t>(a >> k)
                               : static_cast<int32_t>(a >> k & 255);
          int32_t y = kSignedB ? static_cast<int8_t>(b >> k)
                               : static_cast<int32_t>(b >> k & 255);
          c += static_cast<uint32_t>(x * y);
        }
        return c;
      },
      src<uint32_t>(w, i.s[0]), src<uint32_t>(w, i.s[1]),
      src<uint32_t>(w, i.s[2]));
}
/// dp2a: two halves of a with two bytes of b, the low or the high pair.
template <bool kSignedA, bool kSignedB, bool kHi>
void dp2a(Warp &w, const Insn &i, uint32_t m) {
  map(
      m, dst<uint32_t>(w, i.d[0]),
      [](uint32_t a, uint32_t b, uint32_t c) {
        for (unsigned k = 0; k < 2; ++k) {
          uint32_t half = a >> (16 * k) & 0xffff;
          uint32_t byte = b >> (8 * k + (kHi ? 16 : 0)) & 255;
          int32_t x = kSignedA ? static_cast<int16_t>(half)
                               : static_cast<int32_t>(half);
          int32_t y =
              kSignedB ? static_cast<int8_t>(byte) : static_cast<int32_t>(byte);
          c += static_cast<uint32_t>(x) * static_cast<uint32_t>(y);
        }
        return c;
      },
      src<uint32_t>(w, i.s[0]), src<uint32_t>(w, i.s[1]),
      src<uint32_t>(w, i.s[2]));
}

Handler selectDot(const InsnDesc &d) {
  bool a = isSigned(d.types[0]), b = isSigned(d.types[1]), hi = d.has("hi");
  if (d.opcode == "dp4a")
    return a ? (b ? dp4a<true, true> : dp4a<true, false>)
             : (b ? dp4a<false, true> : dp4a<false, false>);
  if (hi)
    return a ? (b ? dp2a<true, true, true> : dp2a<true, false, true>)
             : (b ? dp2a<false, true, true> : dp2a<false, false, true>);
  return a ? (b ? dp2a<true, true, false> : dp2a<true, false, false>)
           : (b ? dp2a<false, true, false> : dp2a<false, false, false>);
}

Handler selectPermute(const InsnDesc &d) {
  if (d.has("f4e"))
    return prmtMode<0>;
  if (d.has("b4e"))
    return prmtMode<1>;
  if (d.has("rc8"))
    return prmtMode<2>;
  if (d.has("ecl"))
    return prmtMode<3>;
  if (d.has("ecr"))
    return prmtMode<4>;
  if (d.has("rc16"))
    return prmtMode<5>;
  return prmt;
}

Handler selectFind(const InsnDesc &d) {
  bool shift = d.has("shiftamt");
  switch (d.type()) {
  case Type::U32:
    return shift ? bfind<uint32_t, true> : bfind<uint32_t, false>;
  case Type::S32:
    return shift ? bfind<int32_t, true> : bfind<int32_t, false>;
  case Type::U64:
    return shift ? bfind<uint64_t, true> : bfind<uint64_t, false>;
  case Type::S64:
    return shift ? bfind<int64_t, true> : bfind<int64_t, false>;
  default:
    return nullptr;
  }
}

} // namespace

Handler selectBits(const InsnDesc &d) {
  std::string_view op = d.opcode;
  unsigned bytes = sizeOf(d.type());
  bool wide = bytes == 8;
  if (!isInteger(d.type()))
    return nullptr;
  if (op == "shl")
    return forWidth(bytes,
                    [](auto x) -> Handler { return shiftLeft<decltype(x)>; });
  if (op == "shr")
    return forInteger(
        d.type(), [](auto x) -> Handler { return shiftRight<decltype(x)>; });
  if (op == "not")
    return forWidth(bytes,
                    [](auto x) -> Handler { return bitNot<decltype(x)>; });
  if (op == "cnot")
    return forWidth(bytes, [](auto x) -> Handler { return cnot<decltype(x)>; });
  if (op == "shf") {
    bool right = d.has("r"), wrap = d.has("wrap");
    return right ? (wrap ? funnel<3> : funnel<1>)
                 : (wrap ? funnel<2> : funnel<0>);
  }
  if (op == "popc")
    return wide ? popc<uint64_t> : popc<uint32_t>;
  if (op == "clz")
    return wide ? clz<uint64_t> : clz<uint32_t>;
  if (op == "bfind")
    return selectFind(d);
  if (op == "brev")
    return wide ? brev<uint64_t> : brev<uint32_t>;
  if (op == "fns")
    return fns;
  if (op == "bfe")
    return bytes < 4 ? nullptr
                     : forInteger(
                           d.type(),
                           [](auto x) -> Handler { return bfe<decltype(x)>; });
  if (op == "bfi")
    return wide ? bfi<uint64_t> : bfi<uint32_t>;
  if (op == "bmsk")
    return d.has("wrap") ? bmsk<true> : bmsk<false>;
  if (op == "szext") {
    bool wrap = d.has("wrap");
    return isSigned(d.type())
               ? (wrap ? szext<int32_t, true> : szext<int32_t, false>)
               : (wrap ? szext<uint32_t, true> : szext<uint32_t, false>);
  }
  if (op == "prmt")
    return selectPermute(d);
  if (op == "lop3")
    return lop3;
  if (op == "dp4a" || op == "dp2a")
    return selectDot(d);
  return nullptr;
}

} // namespace gpulto::emu::GPULTO_EMU_ISA
