//===- ExecRounded.cpp - f32 and f64 arithmetic, directed rounding --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/exec/FloatCommon.h"

namespace gpulto::emu::GPULTO_EMU_ISA {

namespace {

enum class Kind : uint8_t { Add, Sub, Mul, Div, Fma, Sqrt, Rcp };

template <Kind K, class T> inline T compute(T a, T b, T c) {
  switch (K) {
  case Kind::Add:
    return a + b;
  case Kind::Sub:
    return a - b;
  case Kind::Mul:
    return a * b;
  case Kind::Div:
    return a / b;
  case Kind::Fma:
    return std::fma(a, b, c);
  case Kind::Sqrt:
    return std::sqrt(a);
  case Kind::Rcp:
    return T(1) / a;
  }
}

/// Insn::mode holds the rounding, Insn::mode2 bit 0 .ftz, bit 1 .sat.
template <Kind K, class T> void rounded(Warp &w, const Insn &i, uint32_t m) {
  T *d = dst<T>(w, i.d[0]);
  const T *a = src<T>(w, i.s[0]);
  const T *b = i.s[1] == kNoOp ? a : src<T>(w, i.s[1]);
  const T *c = i.s[2] == kNoOp ? a : src<T>(w, i.s[2]);
  bool ftz = i.mode2 & 1, sat = i.mode2 & 2;
  RoundingScope scope(static_cast<Round>(i.mode));
  each(m, [&](unsigned l) {
    T x = a[l], y = b[l], z = c[l];
    if (ftz) {
      x = flush(x);
      y = flush(y);
      z = flush(z);
    }
    T r = opaque(compute<K, T>(opaque(x), opaque(y), opaque(z)));
    if (sat)
      r = saturate(r);
    r = canonical(r);
    d[l] = ftz ? flush(r) : r;
  });
}

template <Kind K> Handler roundedFor(Type t) {
  return t == Type::F64 ? rounded<K, double> : rounded<K, float>;
}

} // namespace

Handler selectRounded(const InsnDesc &d) {
  std::string_view op = d.opcode;
  Type t = d.type();
  if (op == "add")
    return roundedFor<Kind::Add>(t);
  if (op == "sub")
    return roundedFor<Kind::Sub>(t);
  if (op == "mul")
    return roundedFor<Kind::Mul>(t);
  if (op == "div")
    return roundedFor<Kind::Div>(t);
  if (op == "fma" || op == "mad")
    return roundedFor<Kind::Fma>(t);
  if (op == "sqrt")
    return roundedFor<Kind::Sqrt>(t);
  if (op == "rcp")
    return roundedFor<Kind::Rcp>(t);
  return nullptr;
}

} // namespace gpulto::emu::GPULTO_EMU_ISA
