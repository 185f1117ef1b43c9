//===- ExecHalf.cpp - f16, bf16 and their pairs ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums, products and quotients are computed in f32 and rounded again: f32 has
// more than twice the fraction bits plus two, so the second rounding is
// harmless (Figueroa, When is double rounding innocuous?, 1995). That does not
// hold for fma, which is computed in f64 with rounding to odd.
//
//===----------------------------------------------------------------------===//

#include "emulator/exec/FloatCommon.h"

namespace gpulto::emu::GPULTO_EMU_ISA {

namespace {

constexpr int kFtz = 1, kSat = 2, kRelu = 4;

/// a * b + c, where the product is exact in a double, rounded to odd.
inline double fmaToOdd(float a, float b, float c) {
  double p = static_cast<double>(a) * b, q = c, s = p + q;
  if (!std::isfinite(s))
    return s;
  double bb = s - p;
  double rest = (p - (s - bb)) + (q - bb); // What the sum lost (Knuth).
  if (rest == 0)
    return s;
  uint64_t bits = bitCast<uint64_t>(s);
  if (bits & 1)
    return s;
  return bitCast<double>((rest > 0) == (s > 0) ? bits + 1 : bits - 1);
}

template <class F> struct Formats {
  static uint16_t flushed(uint16_t h) {
    return h & F::kExponent ? h : h & 0x8000;
  }
};

template <class F, int kMode> inline float load(uint16_t h) {
  return F::decode(kMode & kFtz ? Formats<F>::flushed(h) : h);
}
template <class F, int kMode> inline uint16_t finish(uint16_t h) {
  bool nan = (h & 0x7fff) > F::kExponent;
  if (nan)
    h = kNaN16;
  if (kMode & kFtz)
    h = Formats<F>::flushed(h);
  if (kMode & kSat) {
    if (nan || h & 0x8000)
      h = 0;
    else if (h > F::kOne)
      h = F::kOne;
  }
  if ((kMode & kRelu) && !nan && h & 0x8000)
    h = 0;
  return h;
}

struct Add {
  template <class F> static uint16_t run(float a, float b, float) {
    return F::encodeFloat(a + b);
  }
};
struct Sub {
  template <class F> static uint16_t run(float a, float b, float) {
    return F::encodeFloat(a - b);
  }
};
struct Mul {
  template <class F> static uint16_t run(float a, float b, float) {
    return F::encodeFloat(a * b);
  }
};
struct Fma {
  template <class F> static uint16_t run(float a, float b, float c) {
    return F::encode(fmaToOdd(a, b, c));
  }
};
struct Ex2 {
  template <class F> static uint16_t run(float a, float, float) {
    return F::encodeFloat(std::exp2(a));
  }
};
struct Tanh {
  template <class F> static uint16_t run(float a, float, float) {
    return F::encodeFloat(std::tanh(a));
  }
};
inline bool negative(float x) { return bitCast<int32_t>(x) < 0; }
struct Min {
  template <class F> static uint16_t run(float a, float b, float) {
    float r = a < b || (a == b && negative(a)) ? a : b;
    return F::encodeFloat(a != a ? b : b != b ? a : r);
  }
};
struct Max {
  template <class F> static uint16_t run(float a, float b, float) {
    float r = a > b || (a == b && negative(b)) ? a : b;
    return F::encodeFloat(a != a ? b : b != b ? a : r);
  }
};
template <class O> struct OrNaN {
  template <class F> static uint16_t run(float a, float b, float c) {
    return a != a || b != b ? kNaN16 : O::template run<F>(a, b, c);
  }
};
template <class O> struct XorSign {
  template <class F> static uint16_t run(float a, float b, float c) {
    uint16_t sign = negative(a) != negative(b) ? 0x8000 : 0;
    return static_cast<uint16_t>(
        O::template run<F>(std::fabs(a), std::fabs(b), c) | sign);
  }
};

/// kParts is 1 or 2 halves in a register.
template <class O, class F, unsigned kParts, int kMode>
void arithmetic(Warp &w, const Insn &i, uint32_t m) {
  using R = std::conditional_t<kParts == 2, uint32_t, uint16_t>;
  R *d = dst<R>(w, i.d[0]);
  const R *a = src<R>(w, i.s[0]);
  const R *b = i.s[1] == kNoOp ? a : src<R>(w, i.s[1]);
  const R *c = i.s[2] == kNoOp ? a : src<R>(w, i.s[2]);
  each(m, [&](unsigned l) {
    uint32_t r = 0;
    for (unsigned k = 0; k < kParts; ++k) {
      uint16_t h = O::template run<F>(
          load<F, kMode>(static_cast<uint16_t>(a[l] >> (16 * k))),
          load<F, kMode>(static_cast<uint16_t>(b[l] >> (16 * k))),
          load<F, kMode>(static_cast<uint16_t>(c[l] >> (16 * k))));
      r |= static_cast<uint32_t>(finish<F, kMode>(h)) << (16 * k);
    }
    d[l] = static_cast<R>(r);
  });
}

template <class O, class F, unsigned kParts> Handler byMode(int mode) {
  switch (mode) {
  case 0:
    return arithmetic<O, F, kParts, 0>;
  case kFtz:
    return arithmetic<O, F, kParts, kFtz>;
  case kSat:
    return arithmetic<O, F, kParts, kSat>;
  case kFtz | kSat:
    return arithmetic<O, F, kParts, kFtz | kSat>;
  case kRelu:
    return arithmetic<O, F, kParts, kRelu>;
  case kFtz | kRelu:
    return arithmetic<O, F, kParts, kFtz | kRelu>;
  default:
    return nullptr;
  }
}
template <class O> Handler arithmeticFor(const InsnDesc &d) {
  int mode = (d.has("ftz") ? kFtz : 0) | (d.has("sat") ? kSat : 0) |
             (d.has("relu") ? kRelu : 0);
  switch (d.type()) {
  case Type::F16:
    return byMode<O, HalfFormat, 1>(mode);
  case Type::F16x2:
    return byMode<O, HalfFormat, 2>(mode);
  case Type::BF16:
    return byMode<O, BFloatFormat, 1>(mode);
  case Type::BF16x2:
    return byMode<O, BFloatFormat, 2>(mode);
  default:
    return nullptr;
  }
}

template <class R, bool kNegate> void sign(Warp &w, const Insn &i, uint32_t m) {
  constexpr R kSigns = static_cast<R>(0x80008000);
  map(
      m, dst<R>(w, i.d[0]),
      [](R a) { return static_cast<R>(kNegate ? a ^ kSigns : a & ~kSigns); },
      src<R>(w, i.s[0]));
}
/// With .ftz, denormals lose their fraction as well.
template <class R, bool kNegate>
void signFtz(Warp &w, const Insn &i, uint32_t m) {
  mapEach(
      m, dst<R>(w, i.d[0]),
      [](R a) {
        uint32_t r = 0;
        for (unsigned k = 0; k < sizeof(R) / 2; ++k) {
          uint16_t h = Formats<HalfFormat>::flushed(
              static_cast<uint16_t>(a >> (16 * k)));
          h = static_cast<uint16_t>(kNegate ? h ^ 0x8000 : h & 0x7fff);
          r |= static_cast<uint32_t>(h) << (16 * k);
        }
        return static_cast<R>(r);
      },
      src<R>(w, i.s[0]));
}
template <bool kNegate> Handler signFor(const InsnDesc &d) {
  bool pair = sizeOf(d.type()) == 4;
  if (d.has("ftz"))
    return pair ? signFtz<uint32_t, kNegate> : signFtz<uint16_t, kNegate>;
  return pair ? sign<uint32_t, kNegate> : sign<uint16_t, kNegate>;
}

template <class O> Handler minMaxFor(const InsnDesc &d) {
  bool nan = d.has("NaN");
  if (d.has("xorsign"))
    return nan ? arithmeticFor<XorSign<OrNaN<O>>>(d)
               : arithmeticFor<XorSign<O>>(d);
  return nan ? arithmeticFor<OrNaN<O>>(d) : arithmeticFor<O>(d);
}

} // namespace

Handler selectHalf(const InsnDesc &d) {
  Type t = d.type();
  if (t != Type::F16 && t != Type::F16x2 && t != Type::BF16 &&
      t != Type::BF16x2)
    return nullptr;
  std::string_view op = d.opcode;
  if (roundOf(d) != Round::Nearest)
    return nullptr;
  if (op == "add")
    return arithmeticFor<Add>(d);
  if (op == "sub")
    return arithmeticFor<Sub>(d);
  if (op == "mul")
    return arithmeticFor<Mul>(d);
  if (op == "fma")
    return d.has("oob") ? nullptr : arithmeticFor<Fma>(d);
  if (op == "neg")
    return signFor<true>(d);
  if (op == "abs")
    return signFor<false>(d);
  if (op == "min")
    return minMaxFor<Min>(d);
  if (op == "max")
    return minMaxFor<Max>(d);
  if (op == "ex2")
    return arithmeticFor<Ex2>(d);
  if (op == "tanh")
    return arithmeticFor<Tanh>(d);
  return nullptr;
}

} // namespace gpulto::emu::GPULTO_EMU_ISA
