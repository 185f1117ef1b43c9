//===- ExecPaired.cpp - f32x2 and mixed arithmetic, floats of few bits ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What PTX 8.6 and later have for sm_100: arithmetic on pairs of f32 in 64
// bits; add, sub and fma of f16 or bf16 sources into f32; conversions of pairs
// to and from formats of four, six and eight bits. PTX ISA 9.0, "cvt": these
// formats have no infinity and no NaN (ue8m0 a NaN), so all that is too large
// becomes the largest number, and so does NaN.
//
//===----------------------------------------------------------------------===//

#include "emulator/exec/FloatCommon.h"

namespace gpulto::emu::GPULTO_EMU_ISA {

namespace {

float half(uint64_t pair, unsigned k) {
  return bitCast<float>(static_cast<uint32_t>(pair >> (32 * k)));
}

/// .f32x2; Insn::mode is the rounding.
template <FloatKind K> void paired(Warp &w, const Insn &i, uint32_t m) {
  const uint64_t *a = src<uint64_t>(w, i.s[0]), *b = src<uint64_t>(w, i.s[1]);
  const uint64_t *c = i.s[2] == kNoOp ? a : src<uint64_t>(w, i.s[2]);
  uint64_t *d = dst<uint64_t>(w, i.d[0]);
  RoundingScope scope(static_cast<Round>(i.mode));
  each(m, [&](unsigned l) {
    uint64_t r = 0;
    for (unsigned k = 0; k < 2; ++k) {
      float v =
          computeRounded<K>(i, half(a[l], k), half(b[l], k), half(c[l], k));
      r |= static_cast<uint64_t>(bitCast<uint32_t>(v)) << (32 * k);
    }
    d[l] = r;
  });
}

/// add, sub: a small and c f32 (s[1]); fma: a and b small, c f32.
template <FloatKind K, class F> void mixed(Warp &w, const Insn &i, uint32_t m) {
  const uint16_t *a = src<uint16_t>(w, i.s[0]);
  const uint16_t *b = K == FloatKind::Fma ? src<uint16_t>(w, i.s[1]) : a;
  const float *c = src<float>(w, i.s[K == FloatKind::Fma ? 2 : 1]);
  float *d = dst<float>(w, i.d[0]);
  RoundingScope scope(static_cast<Round>(i.mode));
  each(m, [&](unsigned l) {
    float x = F::decode(a[l]);
    d[l] = K == FloatKind::Fma ? computeRounded<K>(i, x, F::decode(b[l]), c[l])
                               : computeRounded<K>(i, x, c[l], c[l]);
  });
}

template <FloatKind K> Handler selectKind(const InsnDesc &d) {
  if (d.has("f32x2"))
    return paired<K>;
  if constexpr (K != FloatKind::Mul)
    return d.types[1] == Type::F16 ? mixed<K, HalfFormat>
                                   : mixed<K, BFloatFormat>;
  return nullptr;
}

// Conversions.
// ----------------------------------------------------------------

/// A format without infinity and NaN.
template <int kExp, int kMant> struct FiniteFormat {
  static uint32_t encode(float v, Round, bool) {
    constexpr uint32_t kLargest = (1u << (kExp + kMant)) - 1;
    if (v != v)
      return kLargest;
    uint32_t sign = bitCast<uint32_t>(v) >> 31 << (kExp + kMant);
    if (v == 0)
      return sign;
    if (std::isinf(v))
      return sign | kLargest;
    uint64_t r = roundMagnitude<kExp, kMant>(v, Round::Nearest, false);
    return sign | static_cast<uint32_t>(r > kLargest ? kLargest : r);
  }
  static float decode(uint32_t bits) {
    uint32_t sign = bits >> (kExp + kMant) & 1;
    uint32_t exponent = bits >> kMant & ((1u << kExp) - 1);
    uint32_t mantissa = bits & ((1u << kMant) - 1);
    constexpr int kBias = (1 << (kExp - 1)) - 1;
    float v = std::ldexp(
        static_cast<float>(exponent ? mantissa | 1u << kMant : mantissa),
        static_cast<int>(exponent ? exponent : 1) - kBias - kMant);
    return sign ? -v : v;
  }
};

/// Powers of two: the exponent of an f32, whose sign does not count.
struct ScaleFormat {
  static constexpr uint32_t kNaN = 0xff, kLargest = 0xfe;
  static uint32_t encode(float v, Round round, bool saturates) {
    uint32_t bits = bitCast<uint32_t>(v) & 0x7fffffff;
    uint32_t exponent = bits >> 23, mantissa = bits & 0x7fffff;
    uint32_t tooLarge = saturates ? kLargest : kNaN;
    if (exponent == 0xff)
      return mantissa ? kNaN : tooLarge;
    constexpr uint32_t kSmallest = 0x400000; // 2^-127, a denormal.
    if (round == Round::Up && mantissa > (exponent ? 0 : kSmallest))
      ++exponent;
    return exponent > kLargest ? tooLarge : exponent;
  }
};

/// Reads element \p k of the sources, the upper one first: of two f32
/// registers, or of a pair in one.
template <class F>
float pairElement(Warp &w, const Insn &i, unsigned l, unsigned k) {
  if (i.s[1] != kNoOp)
    return src<float>(w, i.s[k ? 0 : 1])[l];
  return F::decode(
      static_cast<uint16_t>(src<uint32_t>(w, i.s[0])[l] >> (16 * k)));
}

/// A pair to one of elements of kBits bits. Insn::mode2: bit 0 .relu, bit 1
/// .satfinite; a pair in one register is of \p S.
template <class F, unsigned kBits, class S>
void encodePair(Warp &w, const Insn &i, uint32_t m) {
  uint16_t *d = dst<uint16_t>(w, i.d[0]);
  each(m, [&](unsigned l) {
    uint32_t r = 0;
    for (unsigned k = 0; k < 2; ++k) {
      float v = pairElement<S>(w, i, l, k);
      if (i.mode2 & 1 && !(v > 0) && v == v)
        v = 0;
      r |= F::encode(v, static_cast<Round>(i.mode), i.mode2 & 2) << (kBits * k);
    }
    d[l] = static_cast<uint16_t>(r);
  });
}

/// Pairs of such elements to f16x2.
template <class F, unsigned kBits>
void decodePair(Warp &w, const Insn &i, uint32_t m) {
  const uint16_t *a = src<uint16_t>(w, i.s[0]);
  uint32_t *d = dst<uint32_t>(w, i.d[0]);
  each(m, [&](unsigned l) {
    uint32_t r = 0;
    for (unsigned k = 0; k < 2; ++k) {
      float v = F::decode(a[l] >> (kBits * k) & ((1u << kBits) - 1));
      if (i.mode2 & 1 && !(v > 0))
        v = 0;
      r |= static_cast<uint32_t>(HalfFormat::encodeFloat(v)) << (16 * k);
    }
    d[l] = r;
  });
}

/// ue8m0x2 to bf16x2.
void decodeScales(Warp &w, const Insn &i, uint32_t m) {
  const uint16_t *a = src<uint16_t>(w, i.s[0]);
  uint32_t *d = dst<uint32_t>(w, i.d[0]);
  auto one = [](uint32_t e) -> uint32_t {
    constexpr uint32_t kSmallest = 0x40;
    return e == ScaleFormat::kNaN ? kNaN16 : e ? e << 7 : kSmallest;
  };
  each(m, [&](unsigned l) { d[l] = one(a[l] & 0xff) | one(a[l] >> 8) << 16; });
}

template <class F, unsigned kBits> Handler selectFormat(const InsnDesc &d) {
  if (d.variant == kSmallDecode)
    return decodePair<F, kBits>;
  return encodePair<F, kBits, HalfFormat>;
}

} // namespace

Handler selectPaired(const InsnDesc &d) {
  if (d.variant < kPairedFirst)
    return nullptr;
  switch (d.variant) {
  case kPairedArithmetic:
    return d.opcode == "add"   ? selectKind<FloatKind::Add>(d)
           : d.opcode == "sub" ? selectKind<FloatKind::Sub>(d)
           : d.opcode == "mul" ? selectKind<FloatKind::Mul>(d)
                               : selectKind<FloatKind::Fma>(d);
  default:
    if (d.has("e2m3x2"))
      return selectFormat<FiniteFormat<2, 3>, 8>(d);
    if (d.has("e3m2x2"))
      return selectFormat<FiniteFormat<3, 2>, 8>(d);
    if (d.has("e2m1x2"))
      return selectFormat<FiniteFormat<2, 1>, 4>(d);
    return d.variant == kSmallDecode ? decodeScales
                                     : encodePair<ScaleFormat, 8, BFloatFormat>;
  }
}

} // namespace gpulto::emu::GPULTO_EMU_ISA
