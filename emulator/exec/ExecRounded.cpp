//===- ExecRounded.cpp - f32 and f64 arithmetic, directed rounding --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/exec/FloatCommon.h"

namespace gpulto::emu::GPULTO_EMU_ISA {

namespace {

/// Insn::mode holds the rounding.
template <FloatKind K, class T>
void rounded(Warp &w, const Insn &i, uint32_t m) {
  T *d = dst<T>(w, i.d[0]);
  const T *a = src<T>(w, i.s[0]);
  const T *b = i.s[1] == kNoOp ? a : src<T>(w, i.s[1]);
  const T *c = i.s[2] == kNoOp ? a : src<T>(w, i.s[2]);
  RoundingScope scope(static_cast<Round>(i.mode));
  each(m, [&](unsigned l) { d[l] = computeRounded<K>(i, a[l], b[l], c[l]); });
}

template <FloatKind K> Handler roundedFor(Type t) {
  return t == Type::F64 ? rounded<K, double> : rounded<K, float>;
}

} // namespace

Handler selectRounded(const InsnDesc &d) {
  std::string_view op = d.opcode;
  Type t = d.type();
  if (op == "add")
    return roundedFor<FloatKind::Add>(t);
  if (op == "sub")
    return roundedFor<FloatKind::Sub>(t);
  if (op == "mul")
    return roundedFor<FloatKind::Mul>(t);
  if (op == "div")
    return roundedFor<FloatKind::Div>(t);
  if (op == "fma" || op == "mad")
    return roundedFor<FloatKind::Fma>(t);
  if (op == "sqrt")
    return roundedFor<FloatKind::Sqrt>(t);
  if (op == "rcp")
    return roundedFor<FloatKind::Rcp>(t);
  return nullptr;
}

} // namespace gpulto::emu::GPULTO_EMU_ISA
