//===- ExecCompare.cpp - setp, set, selp, slct ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, sections 9.7.5 to 9.7.7. setp may combine the result with a
// predicate (Insn::mode: 0 none, 1 and, 2 or, 3 xor; s[2]) and write the
// combination of the opposite to d[1].
//
//===----------------------------------------------------------------------===//

#include "emulator/exec/FloatCommon.h"

namespace gpulto::emu::GPULTO_EMU_ISA {

namespace {

enum class Cmp : uint8_t {
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu,
  Num,
  Nan
};

template <Cmp C, class T> inline bool compare(T a, T b) {
  bool unordered = a != a || b != b;
  switch (C) {
  case Cmp::Eq:
    return a == b;
  case Cmp::Ne:
    return a != b && !unordered;
  case Cmp::Lt:
    return a < b;
  case Cmp::Le:
    return a <= b;
  case Cmp::Gt:
    return a > b;
  case Cmp::Ge:
    return a >= b;
  case Cmp::Equ:
    return a == b || unordered;
  case Cmp::Neu:
    return a != b;
  case Cmp::Ltu:
    return !(a >= b);
  case Cmp::Leu:
    return !(a > b);
  case Cmp::Gtu:
    return !(a <= b);
  case Cmp::Geu:
    return !(a < b);
  case Cmp::Num:
    return !unordered;
  case Cmp::Nan:
    return unordered;
  }
}

template <Cmp C, class T, bool kFtz>
uint32_t compareLanes(const T *a, const T *b) {
  alignas(32) uint8_t bytes[kLanes];
  EMU_VECTORIZE
  for (unsigned l = 0; l < kLanes; ++l) {
    T x = a[l], y = b[l];
    if constexpr (kFtz) {
      x = flush(x);
      y = flush(y);
    }
    bytes[l] = compare<C>(x, y);
  }
  return toMask(bytes);
}

/// The two results of setp.
inline void writeResults(Warp &w, const Insn &i, uint32_t m, uint32_t r) {
  uint32_t opposite = ~r;
  if (i.mode) {
    uint32_t p = predSrc(w, i.s[2]);
    if (i.mode == 1) {
      r &= p;
      opposite &= p;
    } else if (i.mode == 2) {
      r |= p;
      opposite |= p;
    } else {
      r ^= p;
      opposite ^= p;
    }
  }
  if (i.d[0] != kNoOp)
    writePred(w, i.d[0], m, r);
  if (i.d[1] != kNoOp)
    writePred(w, i.d[1], m, opposite);
}

template <Cmp C, class T, bool kFtz>
void setp(Warp &w, const Insn &i, uint32_t m) {
  writeResults(w, i, m,
               compareLanes<C, T, kFtz>(src<T>(w, i.s[0]), src<T>(w, i.s[1])));
}

/// The halves as floats: 16-bit formats compare as these. F16x2 writes the low
/// half's result to d[0] and the high half's to d[1].
template <Cmp C, class F, unsigned kParts>
void setpHalf(Warp &w, const Insn &i, uint32_t m) {
  using R = std::conditional_t<kParts == 2, uint32_t, uint16_t>;
  const R *a = src<R>(w, i.s[0]), *b = src<R>(w, i.s[1]);
  uint32_t r[2] = {0, 0};
  each(m, [&](unsigned l) {
    for (unsigned k = 0; k < kParts; ++k) {
      float x = F::decode(static_cast<uint16_t>(a[l] >> (16 * k)));
      float y = F::decode(static_cast<uint16_t>(b[l] >> (16 * k)));
      r[k] |= static_cast<uint32_t>(compare<C>(x, y)) << l;
    }
  });
  if (kParts == 1) {
    writeResults(w, i, m, r[0]);
    return;
  }
  uint32_t p = i.mode ? predSrc(w, i.s[2]) : 0;
  for (unsigned k = 0; k < 2; ++k) {
    if (i.d[k] == kNoOp)
      continue;
    uint32_t v = i.mode == 0   ? r[k]
                 : i.mode == 1 ? r[k] & p
                 : i.mode == 2 ? r[k] | p
                               : r[k] ^ p;
    writePred(w, i.d[k], m, v);
  }
}

/// set: the result as a register: all ones, or 1.0 (Insn::mode2 bit 0), of 4 or
/// 2 bytes, after combination.
template <Cmp C, class T, bool kFtz, class R>
void set(Warp &w, const Insn &i, uint32_t m) {
  uint32_t r = compareLanes<C, T, kFtz>(src<T>(w, i.s[0]), src<T>(w, i.s[1]));
  if (i.mode) {
    uint32_t p = predSrc(w, i.s[2]);
    r = i.mode == 1 ? r & p : i.mode == 2 ? r | p : r ^ p;
  }
  R *d = dst<R>(w, i.d[0]);
  R yes = static_cast<R>(i.imm);
  each(m, [&](unsigned l) { d[l] = r >> l & 1 ? yes : R(0); });
}
/// set with 16-bit formats as source and any destination; Insn::imm is "true"
/// for one part. Parts beyond one only go with 32-bit destinations.
template <Cmp C, class F, unsigned kParts>
void setHalf(Warp &w, const Insn &i, uint32_t m) {
  using S = std::conditional_t<kParts == 2, uint32_t, uint16_t>;
  const S *a = src<S>(w, i.s[0]), *b = src<S>(w, i.s[1]);
  uint32_t p = i.mode ? predSrc(w, i.s[2]) : 0;
  each(m, [&](unsigned l) {
    uint32_t result = 0;
    for (unsigned k = 0; k < kParts; ++k) {
      bool r = compare<C>(F::decode(static_cast<uint16_t>(a[l] >> (16 * k))),
                          F::decode(static_cast<uint16_t>(b[l] >> (16 * k))));
      bool q = p >> l & 1;
      r = i.mode == 0   ? r
          : i.mode == 1 ? (r && q)
          : i.mode == 2 ? (r || q)
                        : r != q;
      if (r)
        result |= static_cast<uint32_t>(i.imm) << (16 * k);
    }
    if (i.bytes == 2)
      dst<uint16_t>(w, i.d[0])[l] = static_cast<uint16_t>(result);
    else
      dst<uint32_t>(w, i.d[0])[l] = result;
  });
}

template <class T> void selp(Warp &w, const Insn &i, uint32_t m) {
  T *d = dst<T>(w, i.d[0]);
  const T *a = src<T>(w, i.s[0]), *b = src<T>(w, i.s[1]);
  uint32_t p = predSrc(w, i.s[2]);
  alignas(64) T t[kLanes];
  EMU_VECTORIZE
  for (unsigned l = 0; l < kLanes; ++l) {
    T take = static_cast<T>(0) - static_cast<T>(p >> l & 1);
    t[l] = static_cast<T>((a[l] & take) | (b[l] & ~take));
  }
  if (m == kAllLanes)
    std::memcpy(d, t, sizeof(t));
  else
    blend(m, d, t);
}

/// slct: a where c >= 0, else b; a NaN takes b.
template <class T, class C, bool kFtz>
void slct(Warp &w, const Insn &i, uint32_t m) {
  mapEach(
      m, dst<T>(w, i.d[0]),
      [](T a, T b, C c) {
        if constexpr (kFtz)
          c = flush(c);
        return c >= 0 ? a : b;
      },
      src<T>(w, i.s[0]), src<T>(w, i.s[1]), src<C>(w, i.s[2]));
}

bool cmpOf(const InsnDesc &d, Cmp &c) {
  struct Entry {
    std::string_view name;
    Cmp cmp;
  };
  static constexpr Entry kNames[] = {
      {"eq", Cmp::Eq},   {"ne", Cmp::Ne},   {"lt", Cmp::Lt},
      {"le", Cmp::Le},   {"gt", Cmp::Gt},   {"ge", Cmp::Ge},
      {"lo", Cmp::Lt},   {"ls", Cmp::Le},   {"hi", Cmp::Gt},
      {"hs", Cmp::Ge},   {"equ", Cmp::Equ}, {"neu", Cmp::Neu},
      {"ltu", Cmp::Ltu}, {"leu", Cmp::Leu}, {"gtu", Cmp::Gtu},
      {"geu", Cmp::Geu}, {"num", Cmp::Num}, {"nan", Cmp::Nan}};
  for (std::string_view m : *d.modifiers)
    for (const Entry &e : kNames)
      if (m == e.name) {
        c = e.cmp;
        return true;
      }
  return false;
}

/// Calls f with a Constant<Cmp>; integers only know the first six.
template <class F> Handler withCmp(Cmp c, bool integer, F f) {
  switch (c) {
  case Cmp::Eq:
    return f(Constant<Cmp::Eq>());
  case Cmp::Ne:
    return f(Constant<Cmp::Ne>());
  case Cmp::Lt:
    return f(Constant<Cmp::Lt>());
  case Cmp::Le:
    return f(Constant<Cmp::Le>());
  case Cmp::Gt:
    return f(Constant<Cmp::Gt>());
  case Cmp::Ge:
    return f(Constant<Cmp::Ge>());
  default:
    break;
  }
  if (integer)
    return nullptr;
  switch (c) {
  case Cmp::Equ:
    return f(Constant<Cmp::Equ>());
  case Cmp::Neu:
    return f(Constant<Cmp::Neu>());
  case Cmp::Ltu:
    return f(Constant<Cmp::Ltu>());
  case Cmp::Leu:
    return f(Constant<Cmp::Leu>());
  case Cmp::Gtu:
    return f(Constant<Cmp::Gtu>());
  case Cmp::Geu:
    return f(Constant<Cmp::Geu>());
  case Cmp::Num:
    return f(Constant<Cmp::Num>());
  default:
    return f(Constant<Cmp::Nan>());
  }
}

Handler selectSetp(const InsnDesc &d, Cmp c) {
  Type t = d.type();
  bool ftz = d.has("ftz");
  if (isInteger(t))
    return withCmp(c, true, [t](auto k) {
      return forInteger(t, [](auto x) -> Handler {
        return setp<decltype(k)::value, decltype(x), false>;
      });
    });
  return withCmp(c, false, [t, ftz](auto k) -> Handler {
    constexpr Cmp kCmp = decltype(k)::value;
    switch (t) {
    case Type::F32:
      return ftz ? setp<kCmp, float, true> : setp<kCmp, float, false>;
    case Type::F64:
      return setp<kCmp, double, false>;
    case Type::F16:
      return setpHalf<kCmp, HalfFormat, 1>;
    case Type::F16x2:
      return setpHalf<kCmp, HalfFormat, 2>;
    case Type::BF16:
      return setpHalf<kCmp, BFloatFormat, 1>;
    case Type::BF16x2:
      return setpHalf<kCmp, BFloatFormat, 2>;
    default:
      return nullptr;
    }
  });
}

Handler selectSet(const InsnDesc &d, Cmp c) {
  Type t = d.types[1];
  bool ftz = d.has("ftz"), narrow = sizeOf(d.types[0]) == 2;
  if (isInteger(t))
    return withCmp(c, true, [t, narrow](auto k) {
      return forInteger(t, [narrow](auto x) -> Handler {
        constexpr Cmp kCmp = decltype(k)::value;
        using T = decltype(x);
        return narrow ? set<kCmp, T, false, uint16_t>
                      : set<kCmp, T, false, uint32_t>;
      });
    });
  return withCmp(c, false, [t, ftz, narrow](auto k) -> Handler {
    constexpr Cmp kCmp = decltype(k)::value;
    switch (t) {
    case Type::F32:
      if (narrow)
        return set<kCmp, float, false, uint16_t>;
      return ftz ? set<kCmp, float, true, uint32_t>
                 : set<kCmp, float, false, uint32_t>;
    case Type::F64:
      return narrow ? set<kCmp, double, false, uint16_t>
                    : set<kCmp, double, false, uint32_t>;
    case Type::F16:
      return setHalf<kCmp, HalfFormat, 1>;
    case Type::F16x2:
      return setHalf<kCmp, HalfFormat, 2>;
    case Type::BF16:
      return setHalf<kCmp, BFloatFormat, 1>;
    case Type::BF16x2:
      return setHalf<kCmp, BFloatFormat, 2>;
    default:
      return nullptr;
    }
  });
}

} // namespace

Handler selectCompare(const InsnDesc &d) {
  std::string_view op = d.opcode;
  if (op == "selp")
    return forWidth(sizeOf(d.type()),
                    [](auto x) -> Handler { return selp<decltype(x)>; });
  if (op == "slct") {
    bool byFloat = d.types[1] == Type::F32, ftz = d.has("ftz");
    return forWidth(sizeOf(d.type()), [byFloat, ftz](auto x) -> Handler {
      using T = decltype(x);
      return !byFloat ? slct<T, int32_t, false>
             : ftz    ? slct<T, float, true>
                      : slct<T, float, false>;
    });
  }
  Cmp c;
  if ((op != "setp" && op != "set") || !cmpOf(d, c))
    return nullptr;
  return op == "setp" ? selectSetp(d, c) : selectSet(d, c);
}

} // namespace gpulto::emu::GPULTO_EMU_ISA
