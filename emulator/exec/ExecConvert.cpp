//===- ExecConvert.cpp - cvt ----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, section 9.7.9.21. The common conversions between registers of
// just the types' sizes are vector loops; everything else (directed rounding,
// saturation, registers wider than the types, small formats) goes value by
// value through one routine that reads what it does from Insn::imm (a
// ConvertPlan).
//
//===----------------------------------------------------------------------===//

#include "emulator/exec/FloatCommon.h"

#include <limits>

namespace gpulto::emu::GPULTO_EMU_ISA {

namespace {

/// What NaN becomes: 0 from f32 to at most 32 bits, else the integer with only
/// its top bit set, as hardware has it (PTX says 0 for all).
template <class D> inline D nanAsInteger(bool isNarrow) {
  return isNarrow || sizeof(D) < 4
             ? D(0)
             : static_cast<D>(1ull << (sizeof(D) * 8 - 1));
}

/// Float to integer: clamps.
template <class D, class S> inline D toInteger(S x) {
  constexpr S kLow = static_cast<S>(std::numeric_limits<D>::min());
  // 2^bits of the maximum, exactly representable.
  constexpr S kHigh = static_cast<S>(std::numeric_limits<D>::max() / 2 + 1) * 2;
  if (x != x)
    return nanAsInteger<D>(sizeof(S) == 4 && sizeof(D) <= 4);
  if (x <= kLow)
    return std::numeric_limits<D>::min();
  if (x >= kHigh)
    return std::numeric_limits<D>::max();
  return static_cast<D>(x);
}

template <class T> inline T roundToIntegral(T x, Round r) {
  switch (r) {
  case Round::Nearest:
    return std::nearbyint(x);
  case Round::Zero:
    return std::trunc(x);
  case Round::Down:
    return std::floor(x);
  case Round::Up:
    return std::ceil(x);
  }
  return x;
}

/// f32 and f64 to integers, kRound as in cvt.rni and so on.
template <class D, class S, Round kRound, bool kFtz>
void floatToInteger(Warp &w, const Insn &i, uint32_t m) {
  mapEach(
      m, dst<D>(w, i.d[0]),
      [](S x) {
        if (kFtz)
          x = flush(x);
        return toInteger<D, S>(roundToIntegral(x, kRound));
      },
      src<S>(w, i.s[0]));
}
/// The most common one, f32 to s32 by truncation, without branches.
void truncateF32S32(Warp &w, const Insn &i, uint32_t m) {
  map(
      m, dst<int32_t>(w, i.d[0]),
      [](float x) {
        float clamped = x > -2147483648.0f ? x : -2147483648.0f;
        clamped = clamped < 2147483520.0f ? clamped : 2147483520.0f;
        int32_t v = static_cast<int32_t>(clamped);
        v = x >= 2147483648.0f ? 2147483647 : v;
        return x != x ? 0 : v;
      },
      src<float>(w, i.s[0]));
}

/// Between integers of at least 16 bits, and from integers to floats rounding
/// to nearest.
template <class D, class S> void plain(Warp &w, const Insn &i, uint32_t m) {
  map(
      m, dst<D>(w, i.d[0]), [](S x) { return static_cast<D>(x); },
      src<S>(w, i.s[0]));
}
template <bool kFtz> void widen(Warp &w, const Insn &i, uint32_t m) {
  map(
      m, dst<double>(w, i.d[0]),
      [](float x) { return static_cast<double>(kFtz ? flush(x) : x); },
      src<float>(w, i.s[0]));
}
template <bool kFtz> void narrow(Warp &w, const Insn &i, uint32_t m) {
  map(
      m, dst<float>(w, i.d[0]),
      [](double x) {
        float r = canonical(static_cast<float>(x));
        return kFtz ? flush(r) : r;
      },
      src<double>(w, i.s[0]));
}
template <class F> void widenHalf(Warp &w, const Insn &i, uint32_t m) {
  mapEach(
      m, dst<float>(w, i.d[0]),
      [](uint16_t x) { return canonical(F::decode(x)); },
      src<uint16_t>(w, i.s[0]));
}
template <class F> void narrowHalf(Warp &w, const Insn &i, uint32_t m) {
  mapEach(
      m, dst<uint16_t>(w, i.d[0]), [](float x) { return F::encodeFloat(x); },
      src<float>(w, i.s[0]));
}

// The general routine. -------------------------------------------------------

/// Unpacked Insn::imm.
struct Plan {
  Type to, from;
  Round round;
  bool integral, sat, ftz, relu;
  unsigned destBytes, sourceBytes;
};
Plan planOf(const Insn &i) {
  uint64_t v = static_cast<uint64_t>(i.imm);
  Plan p;
  p.to = static_cast<Type>(v & 255);
  p.from = static_cast<Type>(v >> 8 & 255);
  p.round = static_cast<Round>(v >> 16 & 3);
  p.integral = v >> 18 & 1;
  p.sat = v >> 19 & 1;
  p.ftz = v >> 20 & 1;
  p.relu = v >> 21 & 1;
  p.destBytes = static_cast<unsigned>(v >> 24 & 255);
  p.sourceBytes = static_cast<unsigned>(v >> 32 & 255);
  return p;
}

uint64_t readRegister(Warp &w, Op o, unsigned bytes, unsigned lane) {
  switch (bytes) {
  case 2:
    return src<uint16_t>(w, o)[lane];
  case 4:
    return src<uint32_t>(w, o)[lane];
  default:
    return src<uint64_t>(w, o)[lane];
  }
}
void writeRegister(Warp &w, Op o, unsigned bytes, unsigned lane, uint64_t v) {
  switch (bytes) {
  case 2:
    dst<uint16_t>(w, o)[lane] = static_cast<uint16_t>(v);
    break;
  case 4:
    dst<uint32_t>(w, o)[lane] = static_cast<uint32_t>(v);
    break;
  default:
    dst<uint64_t>(w, o)[lane] = v;
  }
}

double readFloat(Type t, uint64_t bits, bool ftz) {
  switch (t) {
  case Type::F16:
    return HalfFormat::decode(static_cast<uint16_t>(bits));
  case Type::BF16:
    return BFloatFormat::decode(static_cast<uint16_t>(bits));
  case Type::F32: {
    float f = bitCast<float>(static_cast<uint32_t>(bits));
    return ftz ? flush(f) : f;
  }
  default:
    return bitCast<double>(bits);
  }
}

/// Sign- or zero-extends the low bytes.
int64_t extend(Type t, uint64_t bits) {
  unsigned shift = 64 - 8 * sizeOf(t);
  return isSigned(t) ? static_cast<int64_t>(bits << shift) >> shift
                     : static_cast<int64_t>(bits << shift >> shift);
}

uint64_t encodeFloat(const Plan &p, double v) {
  if (p.relu && !(v > 0) && v == v)
    v = 0;
  if (p.sat)
    v = saturate(v);
  switch (p.to) {
  case Type::F16:
    return HalfFormat::encode(v, p.round);
  case Type::BF16:
    return BFloatFormat::encode(v, p.round);
  case Type::F32: {
    RoundingScope scope(p.round);
    double x = opaque(v);
    float f = opaque(static_cast<float>(x));
    f = canonical(f);
    return bitCast<uint32_t>(p.ftz ? flush(f) : f);
  }
  default:
    return bitCast<uint64_t>(v);
  }
}

uint64_t convertToInteger(const Plan &p, double v) {
  if (v != v && p.from != Type::F64 && sizeOf(p.to) <= 4)
    return 0;
  v = roundToIntegral(v, p.round);
  switch (p.to) {
  case Type::S8:
    return static_cast<uint64_t>(int64_t(toInteger<int8_t, double>(v)));
  case Type::U8:
    return toInteger<uint8_t, double>(v);
  case Type::S16:
    return static_cast<uint64_t>(int64_t(toInteger<int16_t, double>(v)));
  case Type::U16:
    return toInteger<uint16_t, double>(v);
  case Type::S32:
    return static_cast<uint64_t>(int64_t(toInteger<int32_t, double>(v)));
  case Type::U32:
    return toInteger<uint32_t, double>(v);
  case Type::S64:
    return static_cast<uint64_t>(toInteger<int64_t, double>(v));
  default:
    return toInteger<uint64_t, double>(v);
  }
}

/// Clamps an integer of type \p from to the range of \p to.
int64_t clampInteger(Type to, Type from, int64_t v) {
  bool negative = isSigned(from) && v < 0;
  unsigned bits = 8 * sizeOf(to);
  if (isSigned(to)) {
    int64_t high = static_cast<int64_t>(~0ull >> (65 - bits));
    if (!negative && static_cast<uint64_t>(v) > static_cast<uint64_t>(high))
      return high;
    return negative && v < -high - 1 ? -high - 1 : v;
  }
  if (negative)
    return 0;
  uint64_t high = ~0ull >> (64 - bits);
  return static_cast<uint64_t>(v) > high ? static_cast<int64_t>(high) : v;
}

uint64_t integerToFloat(const Plan &p, int64_t v) {
  // 64-bit integers do not fit a double: round once, in the right format.
  RoundingScope scope(p.round);
  bool isSignedFrom = isSigned(p.from);
  asm volatile("" : "+r"(v) : : "memory");
  if (p.to == Type::F64) {
    double d = isSignedFrom ? static_cast<double>(v)
                            : static_cast<double>(static_cast<uint64_t>(v));
    return bitCast<uint64_t>(opaque(d));
  }
  if (p.to == Type::F32) {
    float f = isSignedFrom ? static_cast<float>(v)
                           : static_cast<float>(static_cast<uint64_t>(v));
    return bitCast<uint32_t>(opaque(f));
  }
  // The small formats: to odd in a double, which keeps the second rounding
  // right.
  uint64_t magnitude = isSignedFrom && v < 0 ? 0 - static_cast<uint64_t>(v)
                                             : static_cast<uint64_t>(v);
  if (magnitude >> 53)
    magnitude = (magnitude & ~0xfffull) | ((magnitude & 0xfff) ? 0x1000 : 0);
  double d = static_cast<double>(magnitude);
  if (isSignedFrom && v < 0)
    d = -d;
  return p.to == Type::F16 ? HalfFormat::encode(d, p.round)
                           : BFloatFormat::encode(d, p.round);
}

uint64_t convertOne(const Plan &p, uint64_t bits) {
  if (isFloat(p.from)) {
    double v = readFloat(p.from, bits, p.ftz);
    if (!isFloat(p.to))
      return convertToInteger(p, v);
    if (p.integral && p.to == p.from) {
      double r = roundToIntegral(v, p.round);
      Plan exact = p;
      exact.round = Round::Nearest;
      return encodeFloat(exact, r);
    }
    return encodeFloat(p, v);
  }
  int64_t v = extend(p.from, bits);
  if (isFloat(p.to))
    return integerToFloat(p, v);
  if (p.sat)
    v = clampInteger(p.to, p.from, v);
  // A destination register that is wider is extended by the type's sign.
  return static_cast<uint64_t>(extend(p.to, static_cast<uint64_t>(v)));
}

void general(Warp &w, const Insn &i, uint32_t m) {
  Plan p = planOf(i);
  each(m, [&](unsigned l) {
    uint64_t bits = readRegister(w, i.s[0], p.sourceBytes, l);
    writeRegister(w, i.d[0], p.destBytes, l, convertOne(p, bits));
  });
}

/// cvt.rn.f16x2.f32 d, a, b: a to the upper half, b to the lower.
template <class F> void packHalves(Warp &w, const Insn &i, uint32_t m) {
  Plan p = planOf(i);
  uint32_t *d = dst<uint32_t>(w, i.d[0]);
  const float *a = src<float>(w, i.s[0]), *b = src<float>(w, i.s[1]);
  auto one = [&](float x) {
    if (p.relu && !(x > 0) && x == x)
      x = 0;
    if (p.sat)
      x = saturate(x);
    return F::encode(x, p.round);
  };
  each(m, [&](unsigned l) {
    d[l] = static_cast<uint32_t>(one(a[l])) << 16 | one(b[l]);
  });
}

// Formats of eight bits, in pairs.
// ---------------------------------------------

/// a to the upper byte, b to the lower. Insn::imm: the plan, for .relu.
template <class F> void packBytes(Warp &w, const Insn &i, uint32_t m) {
  bool relu = planOf(i).relu;
  uint16_t *d = dst<uint16_t>(w, i.d[0]);
  const float *a = src<float>(w, i.s[0]), *b = src<float>(w, i.s[1]);
  auto one = [relu](float x) {
    return F::encode(relu && !(x > 0) && x == x ? 0 : x);
  };
  each(m, [&](unsigned l) {
    d[l] = static_cast<uint16_t>(one(a[l]) << 8 | one(b[l]));
  });
}
template <class F> void halvesToBytes(Warp &w, const Insn &i, uint32_t m) {
  bool relu = planOf(i).relu;
  uint16_t *d = dst<uint16_t>(w, i.d[0]);
  const uint32_t *a = src<uint32_t>(w, i.s[0]);
  auto one = [relu](uint32_t h) {
    float x = HalfFormat::decode(static_cast<uint16_t>(h));
    return F::encode(relu && !(x > 0) && x == x ? 0 : x);
  };
  each(m, [&](unsigned l) {
    d[l] = static_cast<uint16_t>(one(a[l] >> 16) << 8 | one(a[l]));
  });
}
template <bool kE4M3> void bytesToHalves(Warp &w, const Insn &i, uint32_t m) {
  uint32_t *d = dst<uint32_t>(w, i.d[0]);
  const uint16_t *a = src<uint16_t>(w, i.s[0]);
  auto one = [](uint8_t b) {
    // e5m2 is the upper half of f16.
    uint16_t h = static_cast<uint16_t>(b << 8);
    if (kE4M3)
      h = HalfFormat::encodeFloat(E4M3Format::decode(b));
    return static_cast<uint32_t>((h & 0x7fff) > 0x7c00 ? kNaN16 : h);
  };
  each(m, [&](unsigned l) {
    d[l] = one(static_cast<uint8_t>(a[l] >> 8)) << 16 |
           one(static_cast<uint8_t>(a[l]));
  });
}

/// f32 with ten bits of fraction; .rna: ties away from zero, else to even.
template <bool kAway> void toTensorFloat(Warp &w, const Insn &i, uint32_t m) {
  map(
      m, dst<uint32_t>(w, i.d[0]),
      [](uint32_t a) {
        if ((a & 0x7f800000) == 0x7f800000)
          return (a & 0x7fffff) ? kNaN32 : a;
        return (a + (kAway ? 0x1000 : 0xfff + (a >> 13 & 1))) & ~0x1fffu;
      },
      src<uint32_t>(w, i.s[0]));
}

Handler selectSmall(const InsnDesc &d) {
  Type to = d.types[0], from = d.types[1];
  if (to == Type::TF32 && from == Type::F32)
    return d.has("rna")  ? toTensorFloat<true>
           : d.has("rn") ? toTensorFloat<false>
                         : Handler(nullptr);
  if (to == Type::E4M3x2)
    return from == Type::F32     ? packBytes<E4M3Format>
           : from == Type::F16x2 ? halvesToBytes<E4M3Format>
                                 : Handler(nullptr);
  if (to == Type::E5M2x2)
    return from == Type::F32     ? packBytes<E5M2Format>
           : from == Type::F16x2 ? halvesToBytes<E5M2Format>
                                 : Handler(nullptr);
  if (to == Type::F16x2 && from == Type::E4M3x2)
    return bytesToHalves<true>;
  if (to == Type::F16x2 && from == Type::E5M2x2)
    return bytesToHalves<false>;
  return nullptr;
}

/// cvt.pack.sat: s8/u8 pairs below c's upper half, or s16/u16 pairs.
template <class T> void packIntegers(Warp &w, const Insn &i, uint32_t m) {
  uint32_t *d = dst<uint32_t>(w, i.d[0]);
  const int32_t *a = src<int32_t>(w, i.s[0]), *b = src<int32_t>(w, i.s[1]);
  const uint32_t *c = i.s[2] == kNoOp ? nullptr : src<uint32_t>(w, i.s[2]);
  constexpr unsigned kBits = sizeof(T) * 8;
  auto clamp = [](int32_t x) {
    int32_t low = std::numeric_limits<T>::min();
    int32_t high = std::numeric_limits<T>::max();
    return static_cast<uint32_t>(static_cast<UInt<T>>(x < low    ? low
                                                      : x > high ? high
                                                                 : x));
  };
  each(m, [&](unsigned l) {
    uint32_t r = clamp(a[l]) << kBits | clamp(b[l]);
    if constexpr (kBits < 16)
      if (c)
        r |= c[l] << (2 * kBits);
    d[l] = r;
  });
}

template <class S> Handler floatSource(const InsnDesc &d) {
  bool ftz = d.has("ftz");
  Round r = roundOf(d);
  Type to = d.types[0];
  if (std::is_same_v<S, float> && to == Type::S32 && r == Round::Zero && !ftz)
    return truncateF32S32;
  auto pick = [&](auto dest) -> Handler {
    using D = decltype(dest);
    if (ftz)
      return nullptr;
    switch (r) {
    case Round::Nearest:
      return floatToInteger<D, S, Round::Nearest, false>;
    case Round::Zero:
      return floatToInteger<D, S, Round::Zero, false>;
    case Round::Down:
      return floatToInteger<D, S, Round::Down, false>;
    case Round::Up:
      return floatToInteger<D, S, Round::Up, false>;
    }
    return nullptr;
  };
  return sizeOf(to) < 4 ? nullptr : forInteger(to, pick);
}

/// The vector loops; null when the general routine has to do it.
Handler selectFast(const InsnDesc &d) {
  Type to = d.types[0], from = d.types[1];
  if (d.destBytes != sizeOf(to) || d.sourceBytes != sizeOf(from) ||
      d.has("sat") || d.has("relu"))
    return nullptr;
  bool ftz = d.has("ftz");
  if (isInteger(to) && isInteger(from))
    return forInteger(to, [from](auto dest) {
      return forInteger(from, [dest](auto source) -> Handler {
        (void)dest;
        return plain<decltype(dest), decltype(source)>;
      });
    });
  Round r = roundOf(d);
  if (isFloat(to) && isInteger(from)) {
    if (r != Round::Nearest)
      return nullptr;
    if (to == Type::F32)
      return forInteger(from, [](auto source) -> Handler {
        return plain<float, decltype(source)>;
      });
    if (to == Type::F64)
      return forInteger(from, [](auto source) -> Handler {
        return plain<double, decltype(source)>;
      });
    return nullptr;
  }
  if (isInteger(to))
    return from == Type::F32   ? floatSource<float>(d)
           : from == Type::F64 ? floatSource<double>(d)
                               : nullptr;
  if (to == Type::F64 && from == Type::F32)
    return ftz ? widen<true> : widen<false>;
  if (r != Round::Nearest || d.has("rni"))
    return nullptr;
  if (to == Type::F32 && from == Type::F64)
    return ftz ? narrow<true> : narrow<false>;
  if (ftz)
    return nullptr;
  if (to == Type::F32 && from == Type::F16)
    return widenHalf<HalfFormat>;
  if (to == Type::F32 && from == Type::BF16)
    return widenHalf<BFloatFormat>;
  if (to == Type::F16 && from == Type::F32)
    return narrowHalf<HalfFormat>;
  if (to == Type::BF16 && from == Type::F32)
    return narrowHalf<BFloatFormat>;
  return nullptr;
}

bool isConvertible(Type t) {
  return (isInteger(t) && t != Type::B8 && t != Type::B16 && t != Type::B32 &&
          t != Type::B64) ||
         t == Type::F16 || t == Type::BF16 || t == Type::F32 || t == Type::F64;
}

} // namespace

Handler selectConvert(const InsnDesc &d) {
  if (d.opcode != "cvt")
    return nullptr;
  Type to = d.types[0], from = d.types[1];
  if (d.has("pack")) {
    switch (to) {
    case Type::S8:
      return packIntegers<int8_t>;
    case Type::U8:
      return packIntegers<uint8_t>;
    case Type::S16:
      return packIntegers<int16_t>;
    case Type::U16:
      return packIntegers<uint16_t>;
    default:
      return nullptr;
    }
  }
  if (Handler h = selectSmall(d))
    return h;
  if (from == Type::F32 && to == Type::F16x2)
    return packHalves<HalfFormat>;
  if (from == Type::F32 && to == Type::BF16x2)
    return packHalves<BFloatFormat>;
  if (!isConvertible(to) || !isConvertible(from) || d.has("rs"))
    return nullptr;
  if (Handler h = selectFast(d))
    return h;
  return general;
}

} // namespace gpulto::emu::GPULTO_EMU_ISA
