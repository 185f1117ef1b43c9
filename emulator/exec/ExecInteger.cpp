//===- ExecInteger.cpp - Integer arithmetic -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, sections 9.7.1 and 9.7.2. Division by zero gives all ones and
// remainder by zero the dividend, as the hardware's routines do; PTX leaves
// both open.
//
//===----------------------------------------------------------------------===//

#include "emulator/exec/ExecCommon.h"

#include <limits>

namespace gpulto::emu::GPULTO_EMU_ISA {

namespace {

template <class T> using U = std::make_unsigned_t<T>;
template <class T> struct WideOf;
template <> struct WideOf<uint16_t> {
  using type = uint32_t;
};
template <> struct WideOf<int16_t> {
  using type = int32_t;
};
template <> struct WideOf<uint32_t> {
  using type = uint64_t;
};
template <> struct WideOf<int32_t> {
  using type = int64_t;
};
template <> struct WideOf<uint64_t> {
  using type = unsigned __int128;
};
template <> struct WideOf<int64_t> {
  using type = __int128;
};
template <class T> using Wide = typename WideOf<T>::type;

/// Widest unsigned type that does not promote to int: products of uint16_t
/// would otherwise overflow a signed int.
template <class T>
using Calc = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

struct Add {
  template <class T> static T run(T a, T b) {
    return static_cast<T>(static_cast<Calc<T>>(a) + static_cast<Calc<T>>(b));
  }
};
struct Sub {
  template <class T> static T run(T a, T b) {
    return static_cast<T>(static_cast<Calc<T>>(a) - static_cast<Calc<T>>(b));
  }
};
struct Mul {
  template <class T> static T run(T a, T b) {
    return static_cast<T>(static_cast<Calc<T>>(a) * static_cast<Calc<T>>(b));
  }
};
struct MulHi {
  template <class T> static T run(T a, T b) {
    return static_cast<T>((static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b)) >>
                          (sizeof(T) * 8));
  }
};
struct Min {
  template <class T> static T run(T a, T b) { return a < b ? a : b; }
};
struct Max {
  template <class T> static T run(T a, T b) { return a > b ? a : b; }
};
/// Not below zero.
template <class O> struct Relu {
  template <class T> static T run(T a, T b) {
    return Max::run<T>(O::template run<T>(a, b), T(0));
  }
};
struct And {
  template <class T> static T run(T a, T b) { return a & b; }
};
struct Or {
  template <class T> static T run(T a, T b) { return a | b; }
};
struct Xor {
  template <class T> static T run(T a, T b) { return a ^ b; }
};
struct Div {
  template <class T> static T run(T a, T b) {
    if (b == 0)
      return static_cast<T>(-1);
    if (std::is_signed_v<T> && b == static_cast<T>(-1))
      return Sub::run<T>(0, a);
    return static_cast<T>(a / b);
  }
};
struct Rem {
  template <class T> static T run(T a, T b) {
    if (b == 0)
      return a;
    if (std::is_signed_v<T> && b == static_cast<T>(-1))
      return 0;
    return static_cast<T>(a % b);
  }
};
struct AddSat {
  template <class T> static T run(T a, T b) {
    T r;
    if (!__builtin_add_overflow(a, b, &r))
      return r;
    return a < 0 ? std::numeric_limits<T>::min()
                 : std::numeric_limits<T>::max();
  }
};
struct SubSat {
  template <class T> static T run(T a, T b) {
    T r;
    if (!__builtin_sub_overflow(a, b, &r))
      return r;
    return a < 0 ? std::numeric_limits<T>::min()
                 : std::numeric_limits<T>::max();
  }
};
/// The value of the low 24 bits of a 32-bit integer.
template <class T> inline T low24(T a) {
  return static_cast<T>(static_cast<T>(static_cast<uint32_t>(a) << 8) >> 8);
}
struct Mul24Lo {
  template <class T> static T run(T a, T b) {
    return static_cast<T>(static_cast<Wide<T>>(low24(a)) *
                          static_cast<Wide<T>>(low24(b)));
  }
};
struct Mul24Hi {
  template <class T> static T run(T a, T b) {
    return static_cast<T>(
        (static_cast<Wide<T>>(low24(a)) * static_cast<Wide<T>>(low24(b))) >>
        16);
  }
};

template <class O, class T> void binary(Warp &w, const Insn &i, uint32_t m) {
  map(
      m, dst<T>(w, i.d[0]), [](T a, T b) { return O::template run<T>(a, b); },
      src<T>(w, i.s[0]), src<T>(w, i.s[1]));
}
template <class O, class T>
void binarySlow(Warp &w, const Insn &i, uint32_t m) {
  mapEach(
      m, dst<T>(w, i.d[0]), [](T a, T b) { return O::template run<T>(a, b); },
      src<T>(w, i.s[0]), src<T>(w, i.s[1]));
}
/// a * b + c where the product is of kind O.
template <class O, class T>
void multiplyAdd(Warp &w, const Insn &i, uint32_t m) {
  map(
      m, dst<T>(w, i.d[0]),
      [](T a, T b, T c) { return Add::run<T>(O::template run<T>(a, b), c); },
      src<T>(w, i.s[0]), src<T>(w, i.s[1]), src<T>(w, i.s[2]));
}
template <class T> void madHiSat(Warp &w, const Insn &i, uint32_t m) {
  map(
      m, dst<T>(w, i.d[0]),
      [](T a, T b, T c) { return AddSat::run<T>(MulHi::run<T>(a, b), c); },
      src<T>(w, i.s[0]), src<T>(w, i.s[1]), src<T>(w, i.s[2]));
}
template <class T> void mulWide(Warp &w, const Insn &i, uint32_t m) {
  using D = Wide<T>;
  map(
      m, dst<D>(w, i.d[0]),
      [](T a, T b) { return static_cast<D>(static_cast<D>(a) * b); },
      src<T>(w, i.s[0]), src<T>(w, i.s[1]));
}
template <class T> void madWide(Warp &w, const Insn &i, uint32_t m) {
  using D = Wide<T>;
  map(
      m, dst<D>(w, i.d[0]),
      [](T a, T b, D c) {
        return Add::run<D>(static_cast<D>(static_cast<D>(a) * b), c);
      },
      src<T>(w, i.s[0]), src<T>(w, i.s[1]), src<D>(w, i.s[2]));
}
template <class T> void negate(Warp &w, const Insn &i, uint32_t m) {
  map(
      m, dst<T>(w, i.d[0]), [](T a) { return Sub::run<T>(0, a); },
      src<T>(w, i.s[0]));
}
template <class T> void absolute(Warp &w, const Insn &i, uint32_t m) {
  map(
      m, dst<T>(w, i.d[0]), [](T a) { return a < 0 ? Sub::run<T>(0, a) : a; },
      src<T>(w, i.s[0]));
}
template <class T> void negateSat(Warp &w, const Insn &i, uint32_t m) {
  map(
      m, dst<T>(w, i.d[0]), [](T a) { return SubSat::run<T>(0, a); },
      src<T>(w, i.s[0]));
}
/// |a - b| + c
template <class T> void sad(Warp &w, const Insn &i, uint32_t m) {
  map(
      m, dst<T>(w, i.d[0]),
      [](T a, T b, T c) {
        return Add::run<T>(a < b ? Sub::run<T>(b, a) : Sub::run<T>(a, b), c);
      },
      src<T>(w, i.s[0]), src<T>(w, i.s[1]), src<T>(w, i.s[2]));
}

// Extended precision: the carry is one bit a lane. -------------------------

/// d = a + b + carry-in, or a + ~b + carry-in for subtraction (the flag is a
/// borrow there).
template <class T, bool kSub, bool kIn, bool kOut>
void addCarry(Warp &w, const Insn &i, uint32_t m) {
  T *d = dst<T>(w, i.d[0]);
  const T *a = src<T>(w, i.s[0]), *b = src<T>(w, i.s[1]);
  uint32_t carry = w.carry, out = 0;
  each(m, [&](unsigned l) {
    T in = kIn ? carry >> l & 1 : 0, r;
    bool c1 = kSub ? __builtin_sub_overflow(a[l], b[l], &r)
                   : __builtin_add_overflow(a[l], b[l], &r);
    bool c2 = kSub ? __builtin_sub_overflow(r, in, &r)
                   : __builtin_add_overflow(r, in, &r);
    d[l] = r;
    out |= static_cast<uint32_t>(c1 | c2) << l;
  });
  if (kOut)
    w.carry = (carry & ~m) | out;
}

template <class T, bool kHi, bool kIn, bool kOut>
void madCarry(Warp &w, const Insn &i, uint32_t m) {
  using UT = U<T>;
  UT *d = dst<UT>(w, i.d[0]);
  const T *a = src<T>(w, i.s[0]), *b = src<T>(w, i.s[1]);
  const UT *c = src<UT>(w, i.s[2]);
  uint32_t carry = w.carry, out = 0;
  each(m, [&](unsigned l) {
    UT in = kIn ? carry >> l & 1 : 0;
    UT r = static_cast<UT>(kHi ? MulHi::run<T>(a[l], b[l])
                               : Mul::run<T>(a[l], b[l]));
    bool c1 = __builtin_add_overflow(r, c[l], &r);
    bool c2 = __builtin_add_overflow(r, in, &r);
    d[l] = r;
    out |= static_cast<uint32_t>(c1 | c2) << l;
  });
  if (kOut)
    w.carry = (carry & ~m) | out;
}

template <class O> Handler binaryFor(Type t) {
  return forInteger(t,
                    [](auto x) -> Handler { return binary<O, decltype(x)>; });
}
template <class O> Handler slowFor(Type t) {
  return forInteger(
      t, [](auto x) -> Handler { return binarySlow<O, decltype(x)>; });
}
template <class O> Handler madFor(Type t) {
  return forInteger(
      t, [](auto x) -> Handler { return multiplyAdd<O, decltype(x)>; });
}

template <class T, bool kSub> Handler carryFor(bool in, bool out) {
  if (in)
    return out ? addCarry<T, kSub, true, true> : addCarry<T, kSub, true, false>;
  return addCarry<T, kSub, false, true>;
}
template <class T> Handler madCarryFor(bool hi, bool in, bool out) {
  if (hi) {
    if (in)
      return out ? madCarry<T, true, true, true>
                 : madCarry<T, true, true, false>;
    return madCarry<T, true, false, true>;
  }
  if (in)
    return out ? madCarry<T, false, true, true>
               : madCarry<T, false, true, false>;
  return madCarry<T, false, false, true>;
}

Handler selectCarry(const InsnDesc &d) {
  std::string_view op = d.opcode;
  bool out = d.has("cc"), in = op.back() == 'c';
  bool wide = sizeOf(d.type()) == 8;
  if (op == "add" || op == "addc")
    return wide ? carryFor<uint64_t, false>(in, out)
                : carryFor<uint32_t, false>(in, out);
  if (op == "sub" || op == "subc")
    return wide ? carryFor<uint64_t, true>(in, out)
                : carryFor<uint32_t, true>(in, out);
  if (op != "mad" && op != "madc")
    return nullptr;
  switch (d.type()) {
  case Type::U32:
    return madCarryFor<uint32_t>(d.has("hi"), in, out);
  case Type::S32:
    return madCarryFor<int32_t>(d.has("hi"), in, out);
  case Type::U64:
    return madCarryFor<uint64_t>(d.has("hi"), in, out);
  case Type::S64:
    return madCarryFor<int64_t>(d.has("hi"), in, out);
  default:
    return nullptr;
  }
}

Handler selectMultiply(const InsnDesc &d, bool mad) {
  Type t = d.type();
  if (d.has("wide")) {
    switch (t) {
    case Type::U16:
      return mad ? madWide<uint16_t> : mulWide<uint16_t>;
    case Type::S16:
      return mad ? madWide<int16_t> : mulWide<int16_t>;
    case Type::U32:
      return mad ? madWide<uint32_t> : mulWide<uint32_t>;
    case Type::S32:
      return mad ? madWide<int32_t> : mulWide<int32_t>;
    default:
      return nullptr;
    }
  }
  if (d.has("hi")) {
    if (d.has("sat"))
      return mad && t == Type::S32 ? madHiSat<int32_t> : Handler(nullptr);
    return mad ? madFor<MulHi>(t) : binaryFor<MulHi>(t);
  }
  return mad ? madFor<Mul>(t) : binaryFor<Mul>(t);
}

/// The 24-bit multiplications, 32-bit only.
Handler select24(const InsnDesc &d) {
  bool hi = d.has("hi"), s = d.type() == Type::S32;
  if (sizeOf(d.type()) != 4 || d.has("sat"))
    return nullptr;
  if (d.opcode == "mul24") {
    if (hi)
      return s ? binary<Mul24Hi, int32_t> : binary<Mul24Hi, uint32_t>;
    return s ? binary<Mul24Lo, int32_t> : binary<Mul24Lo, uint32_t>;
  }
  if (hi)
    return s ? multiplyAdd<Mul24Hi, int32_t> : multiplyAdd<Mul24Hi, uint32_t>;
  return s ? multiplyAdd<Mul24Lo, int32_t> : multiplyAdd<Mul24Lo, uint32_t>;
}

} // namespace

Handler selectInteger(const InsnDesc &d) {
  std::string_view op = d.opcode;
  Type t = d.type();
  if (!isInteger(t))
    return nullptr;
  if (d.has("cc") || op == "addc" || op == "subc" || op == "madc")
    return selectCarry(d);
  if (op == "add")
    return !d.has("sat")    ? binaryFor<Add>(t)
           : t == Type::S32 ? binary<AddSat, int32_t>
                            : Handler(nullptr);
  if (op == "sub")
    return !d.has("sat")    ? binaryFor<Sub>(t)
           : t == Type::S32 ? binary<SubSat, int32_t>
                            : Handler(nullptr);
  if (op == "mul" || op == "mad")
    return selectMultiply(d, op == "mad");
  if (op == "mul24" || op == "mad24")
    return select24(d);
  if (op == "div")
    return slowFor<Div>(t);
  if (op == "rem")
    return slowFor<Rem>(t);
  if (d.has("relu") && t != Type::S32)
    return nullptr;
  if (op == "min")
    return d.has("relu") ? binary<Relu<Min>, int32_t> : binaryFor<Min>(t);
  if (op == "max")
    return d.has("relu") ? binary<Relu<Max>, int32_t> : binaryFor<Max>(t);
  if (op == "and")
    return binaryFor<And>(t);
  if (op == "or")
    return binaryFor<Or>(t);
  if (op == "xor")
    return binaryFor<Xor>(t);
  if (op == "neg")
    return d.has("sat") && t == Type::S32
               ? negateSat<int32_t>
               : forInteger(
                     t, [](auto x) -> Handler { return negate<decltype(x)>; });
  if (op == "abs")
    return forInteger(t,
                      [](auto x) -> Handler { return absolute<decltype(x)>; });
  if (op == "sad")
    return forInteger(t, [](auto x) -> Handler { return sad<decltype(x)>; });
  return nullptr;
}

} // namespace gpulto::emu::GPULTO_EMU_ISA
