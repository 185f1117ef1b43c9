//===- FloatCommon.h - NaN, denormals, saturation, small formats ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Single-precision instructions return the NaN 0x7fffffff for any input NaN;
// double-precision ones behave like the host's (PTX ISA 9.0, section 9.7.3).
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_EXEC_FLOATCOMMON_H
#define GPULTO_EMULATOR_EXEC_FLOATCOMMON_H

#include "emulator/exec/ExecCommon.h"

#include <cmath>
#ifdef __F16C__
#include <immintrin.h>
#endif

namespace gpulto::emu::GPULTO_EMU_ISA {

constexpr uint32_t kNaN32 = 0x7fffffff;
constexpr uint16_t kNaN16 = 0x7fff;

inline float canonical(float x) {
  uint32_t bits = bitCast<uint32_t>(x);
  return bitCast<float>((bits & 0x7fffffff) > 0x7f800000 ? kNaN32 : bits);
}
inline double canonical(double x) { return x; }

/// Denormals to zero of the same sign.
inline float flush(float x) {
  uint32_t bits = bitCast<uint32_t>(x);
  return bitCast<float>((bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits);
}
inline double flush(double x) { return x; }

/// To [0, 1]; NaN becomes 0.
template <class T> inline T saturate(T x) {
  T low = x > T(0) ? x : T(0);
  return low < T(1) ? low : T(1);
}

enum class Round : uint8_t { Nearest, Zero, Down, Up };

/// Rounds the magnitude of a finite, non-zero double to a format with \p kExp
/// exponent and \p kMant fraction bits; \p away: away from zero in the directed
/// modes. Exact: rounds once. The result may lie beyond the format's range.
template <int kExp, int kMant>
inline uint64_t roundMagnitude(double value, Round round, bool away) {
  constexpr int kBias = (1 << (kExp - 1)) - 1;
  uint64_t bits = bitCast<uint64_t>(value);
  int exponent = static_cast<int>(bits >> 52 & 2047) - 1023;
  uint64_t mantissa = (bits & ((1ull << 52) - 1)) | 1ull << 52;
  if (exponent == -1023) // Far below the smallest value of these formats.
    return away ? 1 : 0;
  int shift = 52 - kMant;
  int biased = exponent + kBias;
  if (biased < 1) {
    shift += 1 - biased;
    biased = 0;
    if (shift > 63)
      return away ? 1 : 0;
  } else {
    --biased; // The hidden one of the mantissa adds it back.
  }
  uint64_t kept = mantissa >> shift;
  uint64_t rest = mantissa & ((1ull << shift) - 1), half = 1ull << (shift - 1);
  if (round == Round::Nearest ? rest > half || (rest == half && (kept & 1))
                              : away && rest)
    ++kept;
  return (static_cast<uint64_t>(biased) << kMant) + kept;
}

/// Converts to such a format, the top exponent being infinity and NaN.
template <int kExp, int kMant>
inline uint16_t encodeSmall(double value, Round round) {
  constexpr uint16_t kInfinity = ((1 << kExp) - 1) << kMant;
  uint16_t sign =
      static_cast<uint16_t>(bitCast<uint64_t>(value) >> 63 << (kExp + kMant));
  if (value != value)
    return kNaN16;
  if (std::isinf(value))
    return sign | kInfinity;
  if (value == 0)
    return sign;
  bool away = (round == Round::Up && !sign) || (round == Round::Down && sign);
  uint64_t result = roundMagnitude<kExp, kMant>(value, round, away);
  if (result >= kInfinity) {
    bool toInfinity = round == Round::Nearest || away;
    result = toInfinity ? kInfinity : kInfinity - 1;
  }
  return static_cast<uint16_t>(sign | result);
}

/// The two 8-bit formats, always with .satfinite: too large values become the
/// largest number, NaN becomes 0x7f.
struct E4M3Format {
  static uint8_t encode(double v) { return encodeTo<4, 3>(v, 0x7e); }
  static float decode(uint8_t b) {
    uint32_t sign = b & 0x80 ? 0x80000000 : 0;
    int exponent = b >> 3 & 15, mantissa = b & 7;
    if ((b & 0x7f) == 0x7f)
      return bitCast<float>(kNaN32);
    float m = static_cast<float>(exponent ? mantissa | 8 : mantissa);
    float v = std::ldexp(m, (exponent ? exponent : 1) - 10);
    return bitCast<float>(bitCast<uint32_t>(v) | sign);
  }
  template <int kExp, int kMant>
  static uint8_t encodeTo(double v, uint64_t largest) {
    uint8_t sign = static_cast<uint8_t>(bitCast<uint64_t>(v) >> 63 << 7);
    if (v != v)
      return 0x7f;
    if (std::isinf(v))
      return static_cast<uint8_t>(sign | largest);
    if (v == 0)
      return sign;
    uint64_t r = roundMagnitude<kExp, kMant>(v, Round::Nearest, false);
    return static_cast<uint8_t>(sign | (r > largest ? largest : r));
  }
};
struct E5M2Format {
  static uint8_t encode(double v) {
    return E4M3Format::encodeTo<5, 2>(v, 0x7b);
  }
};

/// The value of such a format; exact.
template <int kExp, int kMant> inline float decodeSmall(uint16_t h) {
  constexpr int kBias = (1 << (kExp - 1)) - 1;
  constexpr uint32_t kTop = (1 << kExp) - 1;
  uint32_t sign = static_cast<uint32_t>(h >> (kExp + kMant) & 1) << 31;
  uint32_t exponent = h >> kMant & kTop;
  uint32_t mantissa = h & ((1u << kMant) - 1);
  if (exponent == kTop)
    return bitCast<float>(mantissa ? kNaN32 : sign | 0x7f800000);
  if (exponent == 0) {
    float v = std::ldexp(static_cast<float>(mantissa), 1 - kBias - kMant);
    return sign ? -v : v;
  }
  return bitCast<float>(sign | (exponent + 127 - kBias) << 23 |
                        mantissa << (23 - kMant));
}

struct HalfFormat {
  static float decode(uint16_t h) {
#ifdef __F16C__
    return _cvtsh_ss(h);
#else
    return decodeSmall<5, 10>(h);
#endif
  }
  static uint16_t encode(double v, Round r = Round::Nearest) {
    return encodeSmall<5, 10>(v, r);
  }
  static uint16_t encodeFloat(float v) {
#ifdef __F16C__
    return v != v
               ? kNaN16
               : static_cast<uint16_t>(_cvtss_sh(v, _MM_FROUND_TO_NEAREST_INT));
#else
    return encodeSmall<5, 10>(v, Round::Nearest);
#endif
  }
  static constexpr uint16_t kOne = 0x3c00;
  static constexpr uint16_t kExponent = 0x7c00;
};
struct BFloatFormat {
  static float decode(uint16_t h) {
    return bitCast<float>(static_cast<uint32_t>(h) << 16);
  }
  static uint16_t encode(double v, Round r = Round::Nearest) {
    return encodeSmall<8, 7>(v, r);
  }
  static uint16_t encodeFloat(float v) {
    uint32_t bits = bitCast<uint32_t>(v);
    if ((bits & 0x7fffffff) > 0x7f800000)
      return kNaN16;
    return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
  static constexpr uint16_t kOne = 0x3f80;
  static constexpr uint16_t kExponent = 0x7f80;
};

/// The rounding that an instruction names; nearest if it names none.
inline Round roundOf(const InsnDesc &d) {
  if (d.has("rz") || d.has("rzi"))
    return Round::Zero;
  if (d.has("rm") || d.has("rmi"))
    return Round::Down;
  if (d.has("rp") || d.has("rpi"))
    return Round::Up;
  return Round::Nearest;
}

/// Sets the processor's rounding direction for its lifetime.
class RoundingScope {
public:
  explicit RoundingScope(Round r) {
    asm volatile("stmxcsr %0" : "=m"(saved));
    static constexpr uint32_t kBits[] = {0, 0x6000, 0x2000, 0x4000};
    uint32_t now = (saved & ~0x6000u) | kBits[static_cast<unsigned>(r)];
    asm volatile("ldmxcsr %0" : : "m"(now) : "memory");
  }
  ~RoundingScope() { asm volatile("ldmxcsr %0" : : "m"(saved) : "memory"); }
  RoundingScope(const RoundingScope &) = delete;
  RoundingScope &operator=(const RoundingScope &) = delete;

private:
  uint32_t saved;
};

/// Hides a value from the optimizer, so that arithmetic on it stays within a
/// RoundingScope.
template <class T> inline T opaque(T v) {
  asm volatile("" : "+x"(v) : : "memory");
  return v;
}

/// Arithmetic that is rounded once, in the direction of a RoundingScope.
enum class FloatKind : uint8_t { Add, Sub, Mul, Div, Fma, Sqrt, Rcp };

template <FloatKind K, class T> inline T compute(T a, T b, T c) {
  switch (K) {
  case FloatKind::Add:
    return a + b;
  case FloatKind::Sub:
    return a - b;
  case FloatKind::Mul:
    return a * b;
  case FloatKind::Div:
    return a / b;
  case FloatKind::Fma:
    return std::fma(a, b, c);
  case FloatKind::Sqrt:
    return std::sqrt(a);
  case FloatKind::Rcp:
    return T(1) / a;
  }
}

/// One such operation of instruction \p i, whose mode2 has .ftz as bit 0 and
/// .sat as bit 1.
template <FloatKind K, class T>
inline T computeRounded(const Insn &i, T a, T b, T c) {
  bool ftz = i.mode2 & 1;
  if (ftz) {
    a = flush(a);
    b = flush(b);
    c = flush(c);
  }
  T r = opaque(compute<K, T>(opaque(a), opaque(b), opaque(c)));
  if (i.mode2 & 2)
    r = saturate(r);
  r = canonical(r);
  return ftz ? flush(r) : r;
}

} // namespace gpulto::emu::GPULTO_EMU_ISA

#endif // GPULTO_EMULATOR_EXEC_FLOATCOMMON_H
