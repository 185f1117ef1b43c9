//===- ExecFloat.cpp - f32 and f64 arithmetic, rounding to nearest --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, section 9.7.3. What PTX calls approximate is computed by the
// host's library here and so mostly more exact than on hardware; special cases
// (zeros, infinities, denormals under .ftz) follow PTX's tables.
//
//===----------------------------------------------------------------------===//

#include "emulator/exec/FloatCommon.h"

namespace gpulto::emu::GPULTO_EMU_ISA {

namespace {

/// How an instruction treats denormals and results.
constexpr int kFtz = 1, kSat = 2;

template <int kMode, class T> inline T in(T x) {
  return kMode & kFtz ? flush(x) : x;
}
template <int kMode, class T> inline T out(T x) {
  if (kMode & kSat)
    x = saturate(x);
  x = canonical(x);
  return kMode & kFtz ? flush(x) : x;
}

struct Add {
  template <class T> static T run(T a, T b) { return a + b; }
};
struct Sub {
  template <class T> static T run(T a, T b) { return a - b; }
};
struct Mul {
  template <class T> static T run(T a, T b) { return a * b; }
};
struct Div {
  template <class T> static T run(T a, T b) { return a / b; }
};

template <class T> inline bool isNegative(T x) {
  return bitCast<std::make_signed_t<UInt<T>>>(x) < 0;
}

/// IEEE 754-2008 minNum with -0 < +0: one NaN loses.
struct Min {
  template <class T> static T run(T a, T b) {
    T r = a < b ? a : b;
    r = a == b ? (isNegative(a) ? a : b) : r;
    return a != a ? b : b != b ? a : r;
  }
};
struct Max {
  template <class T> static T run(T a, T b) {
    T r = a > b ? a : b;
    r = a == b ? (isNegative(a) ? b : a) : r;
    return a != a ? b : b != b ? a : r;
  }
};
/// .NaN: one NaN wins.
template <class O> struct OrNaN {
  template <class T> static T run(T a, T b) {
    T sum = a + b;
    return a != a || b != b ? sum : O::run(a, b);
  }
};
/// .xorsign.abs: of the magnitudes, with the product's sign.
template <class O> struct XorSign {
  template <class T> static T run(T a, T b) {
    using B = UInt<T>;
    constexpr B kSign = B(1) << (sizeof(T) * 8 - 1);
    B sign = (bitCast<B>(a) ^ bitCast<B>(b)) & kSign;
    T r = O::run(std::fabs(a), std::fabs(b));
    return bitCast<T>(static_cast<B>(bitCast<B>(r) | sign));
  }
};

template <class O, class T, int kMode>
void binary(Warp &w, const Insn &i, uint32_t m) {
  map(
      m, dst<T>(w, i.d[0]),
      [](T a, T b) {
        return out<kMode>(O::template run<T>(in<kMode>(a), in<kMode>(b)));
      },
      src<T>(w, i.s[0]), src<T>(w, i.s[1]));
}

inline float fusedMultiplyAdd(float a, float b, float c) {
#ifdef __FMA__
  return __builtin_fmaf(a, b, c);
#else
  return std::fma(a, b, c);
#endif
}
inline double fusedMultiplyAdd(double a, double b, double c) {
#ifdef __FMA__
  return __builtin_fma(a, b, c);
#else
  return std::fma(a, b, c);
#endif
}

template <class T, int kMode> void fma(Warp &w, const Insn &i, uint32_t m) {
  map(
      m, dst<T>(w, i.d[0]),
      [](T a, T b, T c) {
        return out<kMode>(
            fusedMultiplyAdd(in<kMode>(a), in<kMode>(b), in<kMode>(c)));
      },
      src<T>(w, i.s[0]), src<T>(w, i.s[1]), src<T>(w, i.s[2]));
}
/// min or max of three.
template <class O, class T, int kMode>
void ternary(Warp &w, const Insn &i, uint32_t m) {
  map(
      m, dst<T>(w, i.d[0]),
      [](T a, T b, T c) {
        T ab = O::template run<T>(in<kMode>(a), in<kMode>(b));
        return out<kMode>(O::template run<T>(ab, in<kMode>(c)));
      },
      src<T>(w, i.s[0]), src<T>(w, i.s[1]), src<T>(w, i.s[2]));
}

/// neg and abs only touch the sign (and flush under .ftz).
template <class T, int kMode> void neg(Warp &w, const Insn &i, uint32_t m) {
  map(
      m, dst<T>(w, i.d[0]), [](T a) { return in<kMode>(-a); },
      src<T>(w, i.s[0]));
}
template <class T, int kMode> void abs(Warp &w, const Insn &i, uint32_t m) {
  map(
      m, dst<T>(w, i.d[0]), [](T a) { return in<kMode>(std::fabs(a)); },
      src<T>(w, i.s[0]));
}
template <class T> void copysign(Warp &w, const Insn &i, uint32_t m) {
  // The sign of the first on the magnitude of the second.
  map(
      m, dst<T>(w, i.d[0]), [](T a, T b) { return std::copysign(b, a); },
      src<T>(w, i.s[0]), src<T>(w, i.s[1]));
}

struct Sqrt {
  template <class T> static T run(T a) { return std::sqrt(a); }
};
struct Rcp {
  template <class T> static T run(T a) { return T(1) / a; }
};
struct Rsqrt {
  template <class T> static T run(T a) {
    return static_cast<T>(1.0 / std::sqrt(static_cast<double>(a)));
  }
};
struct Sin {
  template <class T> static T run(T a) { return std::sin(a); }
};
struct Cos {
  template <class T> static T run(T a) { return std::cos(a); }
};
struct Ex2 {
  template <class T> static T run(T a) { return std::exp2(a); }
};
struct Lg2 {
  template <class T> static T run(T a) { return std::log2(a); }
};
struct Tanh {
  template <class T> static T run(T a) { return std::tanh(a); }
};

template <class O, class T, int kMode>
void unary(Warp &w, const Insn &i, uint32_t m) {
  map(
      m, dst<T>(w, i.d[0]),
      [](T a) { return out<kMode>(O::template run<T>(in<kMode>(a))); },
      src<T>(w, i.s[0]));
}
template <class O, class T, int kMode>
void unarySlow(Warp &w, const Insn &i, uint32_t m) {
  mapEach(
      m, dst<T>(w, i.d[0]),
      [](T a) { return out<kMode>(O::template run<T>(in<kMode>(a))); },
      src<T>(w, i.s[0]));
}

/// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 use the upper word alone and
/// clear the lower one (section 9.7.3.14).
template <class O> void highWord(Warp &w, const Insn &i, uint32_t m) {
  mapEach(
      m, dst<double>(w, i.d[0]),
      [](double a) {
        uint64_t bits = bitCast<uint64_t>(a) & 0xffffffff00000000;
        if ((bits >> 52 & 2047) == 0)
          bits &= 1ull << 63;
        double r = O::template run<double>(bitCast<double>(bits));
        bits = bitCast<uint64_t>(r);
        if (r != r)
          return bitCast<double>(uint64_t(0x7fffffff00000000));
        if ((bits >> 52 & 2047) == 0)
          bits &= 1ull << 63;
        return bitCast<double>(bits & 0xffffffff00000000);
      },
      src<double>(w, i.s[0]));
}

enum class Test : uint8_t {
  Finite,
  Infinite,
  Number,
  NotANumber,
  Normal,
  Subnormal
};
template <class T, Test kTest> void testp(Warp &w, const Insn &i, uint32_t m) {
  const T *a = src<T>(w, i.s[0]);
  uint32_t r = 0;
  each(m, [&](unsigned l) {
    int c = std::fpclassify(a[l]);
    bool yes = kTest == Test::Finite       ? c != FP_NAN && c != FP_INFINITE
               : kTest == Test::Infinite   ? c == FP_INFINITE
               : kTest == Test::Number     ? c != FP_NAN
               : kTest == Test::NotANumber ? c == FP_NAN
               : kTest == Test::Normal     ? c == FP_NORMAL
                                           : c == FP_SUBNORMAL;
    r |= static_cast<uint32_t>(yes) << l;
  });
  writePred(w, i.d[0], m, r);
}

int modeOf(const InsnDesc &d) {
  return (d.has("ftz") ? kFtz : 0) | (d.has("sat") ? kSat : 0);
}

template <class O> Handler binaryFor(const InsnDesc &d) {
  if (d.type() == Type::F64)
    return binary<O, double, 0>;
  switch (modeOf(d)) {
  case 0:
    return binary<O, float, 0>;
  case kFtz:
    return binary<O, float, kFtz>;
  case kSat:
    return binary<O, float, kSat>;
  default:
    return binary<O, float, kFtz | kSat>;
  }
}
template <class O> Handler unarySlowFor(const InsnDesc &d) {
  if (d.type() == Type::F64)
    return unarySlow<O, double, 0>;
  return d.has("ftz") ? unarySlow<O, float, kFtz> : unarySlow<O, float, 0>;
}
template <class O> Handler unaryFor(const InsnDesc &d) {
  if (d.type() == Type::F64)
    return unary<O, double, 0>;
  return d.has("ftz") ? unary<O, float, kFtz> : unary<O, float, 0>;
}
Handler fmaFor(const InsnDesc &d) {
  if (d.type() == Type::F64)
    return fma<double, 0>;
  switch (modeOf(d)) {
  case 0:
    return fma<float, 0>;
  case kFtz:
    return fma<float, kFtz>;
  case kSat:
    return fma<float, kSat>;
  default:
    return fma<float, kFtz | kSat>;
  }
}

template <class O> Handler minMaxFor(const InsnDesc &d) {
  bool three = d.variant == 3; // Operands, as the decoder counted them.
  bool nan = d.has("NaN");
  if (three)
    return nan ? (d.has("ftz") ? ternary<OrNaN<O>, float, kFtz>
                               : ternary<OrNaN<O>, float, 0>)
               : (d.has("ftz") ? ternary<O, float, kFtz>
                               : ternary<O, float, 0>);
  if (d.has("xorsign"))
    return nan ? binaryFor<XorSign<OrNaN<O>>>(d) : binaryFor<XorSign<O>>(d);
  return nan ? binaryFor<OrNaN<O>>(d) : binaryFor<O>(d);
}

template <class T> Handler testFor(const InsnDesc &d) {
  if (d.has("finite"))
    return testp<T, Test::Finite>;
  if (d.has("infinite"))
    return testp<T, Test::Infinite>;
  if (d.has("number"))
    return testp<T, Test::Number>;
  if (d.has("notanumber"))
    return testp<T, Test::NotANumber>;
  if (d.has("normal"))
    return testp<T, Test::Normal>;
  return testp<T, Test::Subnormal>;
}

Handler selectSpecial(const InsnDesc &d) {
  std::string_view op = d.opcode;
  bool wideApprox = d.type() == Type::F64 && d.has("approx");
  if (op == "sqrt")
    return unaryFor<Sqrt>(d);
  if (op == "rcp")
    return wideApprox ? highWord<Rcp> : unaryFor<Rcp>(d);
  if (op == "rsqrt")
    return wideApprox && d.has("ftz") ? highWord<Rsqrt> : unaryFor<Rsqrt>(d);
  if (op == "sin")
    return unarySlowFor<Sin>(d);
  if (op == "cos")
    return unarySlowFor<Cos>(d);
  if (op == "ex2")
    return unarySlowFor<Ex2>(d);
  if (op == "lg2")
    return unarySlowFor<Lg2>(d);
  if (op == "tanh")
    return unarySlowFor<Tanh>(d);
  return nullptr;
}

} // namespace

Handler selectFloat(const InsnDesc &d) {
  std::string_view op = d.opcode;
  if (d.type() != Type::F32 && d.type() != Type::F64)
    return nullptr;
  bool wide = d.type() == Type::F64, ftz = d.has("ftz");
  if (op == "neg")
    return wide ? neg<double, 0> : ftz ? neg<float, kFtz> : neg<float, 0>;
  if (op == "abs")
    return wide ? abs<double, 0> : ftz ? abs<float, kFtz> : abs<float, 0>;
  if (op == "copysign")
    return wide ? copysign<double> : copysign<float>;
  if (op == "testp")
    return wide ? testFor<double>(d) : testFor<float>(d);
  if (op == "min")
    return minMaxFor<Min>(d);
  if (op == "max")
    return minMaxFor<Max>(d);
  if (roundOf(d) != Round::Nearest)
    return selectRounded(d);
  if (op == "add")
    return binaryFor<Add>(d);
  if (op == "sub")
    return binaryFor<Sub>(d);
  if (op == "mul")
    return binaryFor<Mul>(d);
  if (op == "div")
    return binaryFor<Div>(d);
  if (op == "fma" || op == "mad")
    return fmaFor(d);
  return selectSpecial(d);
}

} // namespace gpulto::emu::GPULTO_EMU_ISA
