//===- ExecMatrix.cpp - mma and wmma.mma ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fragments of all lanes are gathered into whole matrices, multiplied, and
// handed back. Elements of floating point become f64, in which their products
// are exact; D = C + A(0) * B(0) + A(1) * B(1) ... is summed in f64 in that
// order and rounded once, to nearest. Hardware sums several products at a time
// and truncates, in an order that is not documented; where no sum needs more
// bits than f32 has, both give the same. f64 is a chain of fma in that order.
// Integers are summed exactly, then wrapped or clamped.
//
//===----------------------------------------------------------------------===//

#include "emulator/exec/FloatCommon.h"

#include <limits>

namespace gpulto::emu::GPULTO_EMU_ISA {

namespace {

/// The largest matrix is 16 by 256 bits, the widest row of C 32.
constexpr unsigned kMostElements = 4096, kMostColumns = 32;

/// A matrix, or four of them, row by row.
template <class V> struct Matrix {
  V v[kMostElements];
  unsigned columns, size;

  Matrix(const MatrixOp &op, MatrixPart p)
      : columns(op.columns(p)), size(op.rows(p) * op.columns(p)) {}
  V &at(const MatrixPlace &p) {
    return v[p.tile * size + p.row * columns + p.column];
  }
};

/// A number of \p kExp and \p kMant bits that has no infinity and no NaN.
template <int kExp, int kMant> float decodeFinite(uint32_t bits) {
  constexpr int kBias = (1 << (kExp - 1)) - 1;
  uint32_t mantissa = bits & ((1 << kMant) - 1);
  int exponent = static_cast<int>(bits >> kMant & ((1 << kExp) - 1));
  if (exponent)
    mantissa |= 1 << kMant;
  float v = std::ldexp(static_cast<float>(mantissa),
                       (exponent ? exponent : 1) - kBias - kMant);
  return bits >> (kExp + kMant) & 1 ? -v : v;
}

template <class V> V readElement(MatrixType t, uint64_t bits);

template <> double readElement(MatrixType t, uint64_t bits) {
  uint32_t low = static_cast<uint32_t>(bits);
  switch (t) {
  case MatrixType::F16:
    return HalfFormat::decode(static_cast<uint16_t>(low));
  case MatrixType::BF16:
    return BFloatFormat::decode(static_cast<uint16_t>(low));
  case MatrixType::TF32: // The lower 13 bits of the register do not count.
    return bitCast<float>(low & 0xffffe000);
  case MatrixType::F32:
    return bitCast<float>(low);
  case MatrixType::F64:
    return bitCast<double>(bits);
  case MatrixType::E4M3:
    return E4M3Format::decode(static_cast<uint8_t>(low));
  case MatrixType::E5M2:
    return decodeSmall<5, 2>(static_cast<uint16_t>(low));
  case MatrixType::E3M2:
    return decodeFinite<3, 2>(low & 63);
  case MatrixType::E2M3:
    return decodeFinite<2, 3>(low & 63);
  default: // e2m1 lies in the middle of its byte.
    return decodeFinite<2, 1>(low >> 2 & 15);
  }
}

template <> int64_t readElement(MatrixType t, uint64_t bits) {
  switch (t) {
  case MatrixType::S8:
    return static_cast<int8_t>(bits);
  case MatrixType::S4:
    return static_cast<int64_t>(bits << 60) >> 60;
  case MatrixType::S32:
    return static_cast<int32_t>(bits);
  default: // u8, u4, b1
    return static_cast<int64_t>(bits);
  }
}

/// What is rounded to f32, or to f16, and its bits.
float toFloat(const MatrixOp &op, double v) {
  float f = canonical(static_cast<float>(v));
  constexpr float kLargest = std::numeric_limits<float>::max();
  return op.saturates && std::isinf(f) ? std::copysign(kLargest, f) : f;
}
uint16_t toHalf(const MatrixOp &op, double v) {
  uint16_t h = HalfFormat::encode(v);
  return op.saturates && (h & 0x7fff) == 0x7c00 ? h - 1 : h;
}

uint64_t writeElement(const MatrixOp &op, double v) {
  if (op.d == MatrixType::F64)
    return bitCast<uint64_t>(v);
  return op.d == MatrixType::F16 ? toHalf(op, v)
                                 : bitCast<uint32_t>(toFloat(op, v));
}
uint64_t writeElement(const MatrixOp &op, int64_t v) {
  if (op.saturates)
    v = v < INT32_MIN ? INT32_MIN : v > INT32_MAX ? INT32_MAX : v;
  return static_cast<uint32_t>(v);
}

/// Reads the fragments of all lanes from the registers at \p ops.
template <class V>
void gather(Warp &w, const MatrixOp &op, MatrixPart part, MatrixType t,
            const Op *ops, Matrix<V> &to) {
  unsigned wide = perRegister(t), bits = bitsOf(t);
  uint64_t mask = ~0ull >> (64 - bits);
  unsigned count = op.ownRegisters(part, t);
  for (unsigned r = 0; r < count; ++r)
    for (unsigned l = 0; l < kLanes; ++l) {
      uint64_t word = bits == 64 ? src<uint64_t>(w, ops[r])[l]
                                 : src<uint32_t>(w, ops[r])[l];
      for (unsigned e = 0; e < wide; ++e)
        to.at(op.place(part, t, l, r * wide + e)) =
            readElement<V>(t, word >> (e * bits) & mask);
    }
}

/// Writes D to the registers at \p ops of the lanes in \p m.
template <class V>
void scatter(Warp &w, const MatrixOp &op, uint32_t m, const Op *ops,
             Matrix<V> &from) {
  unsigned wide = perRegister(op.d), bits = bitsOf(op.d);
  for (unsigned r = 0; r < op.registers[0]; ++r) {
    if (ops[r] == kNoOp)
      continue;
    each(m, [&](unsigned l) {
      uint64_t word = 0;
      for (unsigned e = 0; e < wide; ++e) {
        MatrixPlace p = op.place(MatrixPart::C, op.d, l, r * wide + e);
        word |= writeElement(op, from.at(p)) << (e * bits);
      }
      if (bits == 64)
        dst<uint64_t>(w, ops[r])[l] = word;
      else
        dst<uint32_t>(w, ops[r])[l] = static_cast<uint32_t>(word);
    });
  }
}

struct Plain {
  template <class V> V operator()(V sum, V a, V b) const { return sum + a * b; }
};
struct Fused {
  double operator()(double sum, double a, double b) const {
    return opaque(std::fma(opaque(a), opaque(b), opaque(sum)));
  }
};
struct AndBits {
  int64_t operator()(int64_t sum, int64_t a, int64_t b) const {
    return sum + (a & b);
  }
};
struct XorBits {
  int64_t operator()(int64_t sum, int64_t a, int64_t b) const {
    return sum + (a ^ b);
  }
};

/// c += a * b
template <class F, class V>
void multiply(const MatrixOp &op, F step, const V *a, const V *b, V *c) {
  for (unsigned row = 0; row < op.m; ++row) {
    V sum[kMostColumns];
    std::memcpy(sum, c + row * op.n, op.n * sizeof(V));
    for (unsigned k = 0; k < op.k; ++k) {
      V x = a[row * op.k + k];
      for (unsigned column = 0; column < op.n; ++column)
        sum[column] = step(sum[column], x, b[k * op.n + column]);
    }
    std::memcpy(c + row * op.n, sum, op.n * sizeof(V));
  }
}

template <class V, class F> void mma(Warp &w, const Insn &i, uint32_t m) {
  const Function &fn = *w.frame->fn;
  const MatrixOp &op = fn.matrices[i.target];
  const Op *d = fn.extra.data() + i.extra;
  const Op *a = d + op.registers[0], *b = a + op.registers[1];
  Matrix<V> ma(op, MatrixPart::A), mb(op, MatrixPart::B), mc(op, MatrixPart::C);
  gather(w, op, MatrixPart::A, op.a, a, ma);
  gather(w, op, MatrixPart::B, op.b, b, mb);
  gather(w, op, MatrixPart::C, op.c, b + op.registers[2], mc);
  {
    RoundingScope scope(static_cast<Round>(op.round));
    for (unsigned t = 0; t < op.tiles(); ++t)
      multiply(op, F(), ma.v + t * ma.size, mb.v + t * mb.size,
               mc.v + t * mc.size);
  }
  scatter(w, op, m, d, mc);
}

} // namespace

Handler selectMatrix(const InsnDesc &d) {
  if (d.opcode != "mma" && (d.opcode != "wmma" || !d.has("mma")))
    return nullptr;
  if (d.has("b1"))
    return d.has("and") ? mma<int64_t, AndBits> : mma<int64_t, XorBits>;
  if (d.has("s32"))
    return mma<int64_t, Plain>;
  return d.has("f64") ? mma<double, Fused> : mma<double, Plain>;
}

} // namespace gpulto::emu::GPULTO_EMU_ISA
