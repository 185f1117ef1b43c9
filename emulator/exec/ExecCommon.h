//===- ExecCommon.h - How instruction handlers reach their operands -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handlers are compiled once per level of the x86-64 instruction set, each time
// in a namespace of its own (GPULTO_EMU_ISA). A handler is a loop over 32 lanes
// that the compiler turns into vector code; with some lanes off, all are
// computed and the results blended, which is as fast, except where an operation
// is slow or may trap (mapEach).
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_EXEC_EXECCOMMON_H
#define GPULTO_EMULATOR_EXEC_EXECCOMMON_H

#include "emulator/machine/Machine.h"
#include "emulator/ptx/InsnDesc.h"

#include <cstring>
#include <emmintrin.h>
#include <type_traits>

#if defined(__clang__)
#define EMU_VECTORIZE                                                          \
  _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#else
#define EMU_VECTORIZE _Pragma("GCC ivdep")
#endif

namespace gpulto::emu::GPULTO_EMU_ISA {

template <class T> inline T *dst(Warp &w, Op o) {
  return reinterpret_cast<T *>(w.base[0] + (o >> 1));
}
template <class T> inline const T *src(Warp &w, Op o) {
  return reinterpret_cast<const T *>(w.base[o & 1] + (o >> 1));
}
inline uint32_t &predDst(Warp &w, Op o) {
  return *reinterpret_cast<uint32_t *>(w.base[0] + (o >> 1));
}
inline uint32_t predSrc(Warp &w, Op o) {
  return *reinterpret_cast<const uint32_t *>(w.base[o & 1] + (o >> 1));
}
/// Writes the bits of \p value for the lanes in \p mask.
inline void writePred(Warp &w, Op o, uint32_t mask, uint32_t value) {
  uint32_t &p = predDst(w, o);
  p = (p & ~mask) | (value & mask);
}

/// 32 bytes, 0 or not, to one mask.
inline uint32_t toMask(const uint8_t *bytes) {
  const __m128i *v = reinterpret_cast<const __m128i *>(bytes);
  __m128i zero = _mm_setzero_si128();
  uint32_t lo = static_cast<uint32_t>(
      _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128(v), zero)));
  uint32_t hi = static_cast<uint32_t>(
      _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128(v + 1), zero)));
  return ~(lo | hi << 16);
}

/// The unsigned integer of \p kBytes bytes.
template <unsigned kBytes> struct UIntOf;
template <> struct UIntOf<1> {
  using type = uint8_t;
};
template <> struct UIntOf<2> {
  using type = uint16_t;
};
template <> struct UIntOf<4> {
  using type = uint32_t;
};
template <> struct UIntOf<8> {
  using type = uint64_t;
};
template <class T> using UInt = typename UIntOf<sizeof(T)>::type;

/// d[l] = t[l] for the lanes of \p m. By bits, since compilers turn a selection
/// of values into a selection of addresses here.
template <class D> inline void blend(uint32_t m, D *d, const D *t) {
  using B = UInt<D>;
  B *to = reinterpret_cast<B *>(d);
  const B *from = reinterpret_cast<const B *>(t);
  EMU_VECTORIZE
  for (unsigned l = 0; l < kLanes; ++l) {
    B keep = static_cast<B>(0) - static_cast<B>(m >> l & 1);
    to[l] = static_cast<B>((from[l] & keep) | (to[l] & ~keep));
  }
}

/// d[l] = f(s[l]...) for the lanes of \p m. \p f has no side effects; it is
/// called for every lane.
template <class D, class F, class... S>
inline void map(uint32_t m, D *d, F f, const S *...s) {
  if (m == kAllLanes) {
    EMU_VECTORIZE
    for (unsigned l = 0; l < kLanes; ++l)
      d[l] = f(s[l]...);
    return;
  }
  alignas(64) D t[kLanes];
  EMU_VECTORIZE
  for (unsigned l = 0; l < kLanes; ++l)
    t[l] = f(s[l]...);
  blend(m, d, t);
}

/// The same, called only for the lanes of \p m.
template <class F> inline void each(uint32_t m, F f) {
  if (m == kAllLanes) {
    for (unsigned l = 0; l < kLanes; ++l)
      f(l);
    return;
  }
  for (; m; m &= m - 1)
    f(static_cast<unsigned>(__builtin_ctz(m)));
}
template <class D, class F, class... S>
inline void mapEach(uint32_t m, D *d, F f, const S *...s) {
  each(m, [&](unsigned l) { d[l] = f(s[l]...); });
}

template <class T> inline T bitCast(auto value) {
  static_assert(sizeof(T) == sizeof(value));
  T r;
  std::memcpy(&r, &value, sizeof(r));
  return r;
}

/// A compile-time function argument.
template <auto V> struct Constant {
  static constexpr auto value = V;
};

/// Calls \p f with a null pointer of the C++ type of an integer PTX type;
/// returns f's result or null for other types.
template <class F> inline Handler forInteger(Type t, F f) {
  switch (t) {
  case Type::U16:
  case Type::B16:
    return f(uint16_t());
  case Type::U32:
  case Type::B32:
    return f(uint32_t());
  case Type::U64:
  case Type::B64:
    return f(uint64_t());
  case Type::S16:
    return f(int16_t());
  case Type::S32:
    return f(int32_t());
  case Type::S64:
    return f(int64_t());
  default:
    return nullptr;
  }
}

/// Calls \p f with the unsigned type of that width.
template <class F> inline Handler forWidth(unsigned bytes, F f) {
  switch (bytes) {
  case 2:
    return f(uint16_t());
  case 4:
    return f(uint32_t());
  case 8:
    return f(uint64_t());
  default:
    return nullptr;
  }
}

// One selector per file; each returns null for instructions of the others.
Handler selectInteger(const InsnDesc &);
Handler selectBits(const InsnDesc &);
Handler selectFloat(const InsnDesc &);
Handler selectRounded(const InsnDesc &);
Handler selectHalf(const InsnDesc &);
Handler selectCompare(const InsnDesc &);
Handler selectConvert(const InsnDesc &);
Handler selectMove(const InsnDesc &);
Handler selectMemory(const InsnDesc &);
Handler selectAtomic(const InsnDesc &);
Handler selectAsync(const InsnDesc &);
Handler selectVideo(const InsnDesc &);
Handler selectTexture(const InsnDesc &);
Handler selectSurface(const InsnDesc &);
Handler selectWarp(const InsnDesc &);
Handler selectMatrix(const InsnDesc &);
Handler selectFragment(const InsnDesc &);
Handler selectPaired(const InsnDesc &);
RunResult runWarp(Warp &w, bool force);

} // namespace gpulto::emu::GPULTO_EMU_ISA

#endif // GPULTO_EMULATOR_EXEC_EXECCOMMON_H
