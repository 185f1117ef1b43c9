//===- ExecMemory.cpp - ld and st -----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An access has three steps: the lanes' addresses; their check and translation
// to addresses of this process (Resolve.h); and the transfer. Where a whole
// warp touches consecutive elements, or all lanes the same, checking the ends
// is enough and the transfer is one vector move.
//
//===----------------------------------------------------------------------===//

#include "emulator/exec/Resolve.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace gpulto::emu::GPULTO_EMU_ISA {

namespace {

inline const Op *elements(Warp &w, const Insn &i, Op single[1], bool isLoad) {
  if (i.vec > 1)
    return w.frame->fn->extra.data() + i.extra;
  single[0] = isLoad ? i.d[0] : i.s[1];
  return single;
}

/// Calls \p f with the vector width as a Constant.
template <class F> inline void withWidth(unsigned vec, F f) {
  if (vec == 1)
    f(Constant<1u>());
  else if (vec == 2)
    f(Constant<2u>());
  else if (vec == 4)
    f(Constant<4u>());
  else
    f(Constant<8u>());
}

/// Up to 16 bytes are moved at once, which hardware guarantees for relaxed
/// vector accesses that such programs as CUB's scan rely on.
template <class T, unsigned kCount>
inline void readElements(T *t, uint64_t address) {
  if constexpr (sizeof(T) * kCount == 16)
    _mm_store_si128(reinterpret_cast<__m128i *>(t),
                    _mm_load_si128(reinterpret_cast<const __m128i *>(address)));
  else
    std::memcpy(t, reinterpret_cast<const void *>(address), sizeof(T) * kCount);
}
template <class T, unsigned kCount>
inline void writeElements(uint64_t address, const T *t) {
  if constexpr (sizeof(T) * kCount == 16)
    _mm_store_si128(reinterpret_cast<__m128i *>(address),
                    _mm_load_si128(reinterpret_cast<const __m128i *>(t)));
  else
    std::memcpy(reinterpret_cast<void *>(address), t, sizeof(T) * kCount);
}

/// Whole warps of the short way.
template <class T, class R, unsigned kCount>
void loadShort(Warp &w, const Insn &i, const Op *ops, uint64_t first,
               Pattern pattern) {
  if (i.space == Space::Local) {
    const uint64_t stride = w.localStride;
    for (unsigned k = 0; k < kCount; ++k) {
      if (kCount > 1 && ops[k] == kNoOp)
        continue;
      R *d = dst<R>(w, ops[k]);
      uint64_t at = first + k * sizeof(T);
      EMU_VECTORIZE
      for (unsigned l = 0; l < kLanes; ++l)
        d[l] = static_cast<R>(*reinterpret_cast<const T *>(at + l * stride));
    }
    return;
  }
  const T *from = reinterpret_cast<const T *>(first);
  for (unsigned k = 0; k < kCount; ++k) {
    if (kCount > 1 && ops[k] == kNoOp)
      continue;
    R *d = dst<R>(w, ops[k]);
    if (pattern == Pattern::Uniform) {
      R v = static_cast<R>(from[k]);
      EMU_VECTORIZE
      for (unsigned l = 0; l < kLanes; ++l)
        d[l] = v;
    } else if constexpr (kCount == 1 && std::is_same_v<T, R>) {
      std::memcpy(d, from, sizeof(T) * kLanes);
    } else {
      EMU_VECTORIZE
      for (unsigned l = 0; l < kLanes; ++l)
        d[l] = static_cast<R>(from[l * kCount + k]);
    }
  }
}

#ifdef __AVX2__
/// Words of shared memory at any offsets, by the gather instruction. False when
/// an offset is out of bounds or not a multiple of four.
bool gatherShared(Warp &w, const Insn &i, uint32_t m, uint32_t *d) {
  const Launch &launch = *w.block->launch;
  if (i.s[0] == kNoOp || launch.sharedBytes < 4 || w.block->race)
    return false;
  const __m256i offset = _mm256_set1_epi32(static_cast<int>(i.imm));
  const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  __m256i at[4], on[4], high = _mm256_setzero_si256(), bits = high;
  const __m256i *r32 =
      reinterpret_cast<const __m256i *>(src<uint32_t>(w, i.s[0]));
  for (unsigned k = 0; k < 4; ++k) {
    __m256i v;
    if (i.flags & kAddress32) {
      v = _mm256_loadu_si256(r32 + k);
    } else {
      // Low halves; the upper ones must be zero.
      __m256i a = _mm256_loadu_si256(r32 + 2 * k);
      __m256i b = _mm256_loadu_si256(r32 + 2 * k + 1);
      bits =
          _mm256_or_si256(bits, _mm256_srli_epi64(_mm256_or_si256(a, b), 32));
      __m256 s = _mm256_shuffle_ps(_mm256_castsi256_ps(a),
                                   _mm256_castsi256_ps(b), 0x88);
      v = _mm256_permute4x64_epi64(_mm256_castps_si256(s), 0xd8);
    }
    __m256i lanes = _mm256_set1_epi32(static_cast<int>(m >> (8 * k)));
    on[k] = _mm256_cmpeq_epi32(_mm256_and_si256(lanes, bit), bit);
    at[k] = _mm256_and_si256(_mm256_add_epi32(v, offset), on[k]);
    high = _mm256_max_epu32(high, at[k]);
    bits = _mm256_or_si256(bits, _mm256_and_si256(at[k], _mm256_set1_epi32(3)));
  }
  __m256i limit = _mm256_set1_epi32(static_cast<int>(launch.sharedBytes - 4));
  __m256i inside = _mm256_cmpeq_epi32(_mm256_max_epu32(high, limit), limit);
  if (_mm256_movemask_epi8(inside) != -1 || !_mm256_testz_si256(bits, bits))
    return false;
  if (w.counts) {
    alignas(64) uint32_t offsets[kLanes];
    for (unsigned k = 0; k < 4; ++k)
      _mm256_store_si256(reinterpret_cast<__m256i *>(offsets) + k, at[k]);
    countShared(w, i, m, offsets, 4);
  }
  const int *base = reinterpret_cast<const int *>(w.block->shared);
  __m256i *to = reinterpret_cast<__m256i *>(d);
  for (unsigned k = 0; k < 4; ++k) {
    __m256i old = _mm256_loadu_si256(to + k);
    __m256i v = _mm256_i32gather_epi32(base, at[k], 1);
    _mm256_storeu_si256(to + k, _mm256_blendv_epi8(old, v, on[k]));
  }
  return true;
}
#else
inline bool gatherShared(Warp &, const Insn &, uint32_t, uint32_t *) {
  return false;
}
#endif

/// Loads elements of type T into registers of type R.
template <class T, class R, unsigned kCount>
void loadVector(Warp &w, const Insn &i, uint32_t m, const Op *ops) {
  uint64_t first;
  Pattern pattern;
  constexpr unsigned kBytes = kCount * sizeof(T);
  bool torn = kBytes > 8 && i.ctl == Ctl::Spin; // Must be atomic by lane.
  if (!torn && resolveShort(w, i, m, kBytes, false, first, pattern)) {
    loadShort<T, R, kCount>(w, i, ops, first, pattern);
    return;
  }
  if constexpr (kCount == 1 && std::is_same_v<T, uint32_t> &&
                std::is_same_v<R, uint32_t>)
    if (i.space == Space::Shared &&
        gatherShared(w, i, m, dst<uint32_t>(w, ops[0])))
      return;
  alignas(64) uint64_t p[kLanes];
  if (!resolve(w, i, m, kBytes, kBytes, false, p))
    return;
  if constexpr (kCount == 1) {
    // Lanes that are off have a readable address, too.
    alignas(64) R t[kLanes];
    EMU_VECTORIZE
    for (unsigned l = 0; l < kLanes; ++l)
      t[l] = static_cast<R>(*reinterpret_cast<const T *>(p[l]));
    R *d = dst<R>(w, ops[0]);
    if (m == kAllLanes)
      std::memcpy(d, t, sizeof(t));
    else
      blend(m, d, t);
  } else {
    R *d[kCount];
    for (unsigned k = 0; k < kCount; ++k)
      d[k] = ops[k] == kNoOp ? nullptr : dst<R>(w, ops[k]);
    each(m, [&](unsigned l) {
      alignas(16) T t[kCount];
      readElements<T, kCount>(t, p[l]);
      for (unsigned k = 0; k < kCount; ++k)
        if (d[k])
          d[k][l] = static_cast<R>(t[k]);
    });
  }
}
template <class T, class R> void load(Warp &w, const Insn &i, uint32_t m) {
  Op single[1];
  const Op *ops = elements(w, i, single, true);
  withWidth(i.vec, [&](auto count) {
    loadVector<T, R, decltype(count)::value>(w, i, m, ops);
  });
}

/// Loads the elements of a vector that are used. The others get what no program
/// may rely on; they may lie behind the end of their memory.
template <class T, class R> void loadUsed(Warp &w, const Insn &i, uint32_t m) {
  Op single[1];
  const Op *ops = elements(w, i, single, true);
  const unsigned used = i.mode;
  alignas(64) uint64_t p[kLanes];
  if (!resolve(w, i, m, used * sizeof(T), i.vec * sizeof(T), false, p))
    return;
  for (unsigned k = 0; k < i.vec; ++k) {
    if (ops[k] == kNoOp)
      continue;
    R *d = dst<R>(w, ops[k]);
    each(m, [&](unsigned l) {
      T t = static_cast<T>(~T(0));
      if (k < used)
        std::memcpy(&t, reinterpret_cast<const T *>(p[l]) + k, sizeof(T));
      d[l] = static_cast<R>(t);
    });
  }
}

template <class T, class R, unsigned kCount>
void storeShort(Warp &w, const Insn &i, const Op *ops, uint64_t first) {
  if (i.space == Space::Local) {
    const uint64_t stride = w.localStride;
    for (unsigned k = 0; k < kCount; ++k) {
      const R *s = src<R>(w, ops[k]);
      uint64_t at = first + k * sizeof(T);
      EMU_VECTORIZE
      for (unsigned l = 0; l < kLanes; ++l)
        *reinterpret_cast<T *>(at + l * stride) = static_cast<T>(s[l]);
    }
    return;
  }
  T *to = reinterpret_cast<T *>(first);
  for (unsigned k = 0; k < kCount; ++k) {
    const R *s = src<R>(w, ops[k]);
    EMU_VECTORIZE
    for (unsigned l = 0; l < kLanes; ++l)
      to[l * kCount + k] = static_cast<T>(s[l]);
  }
}
template <class T, class R, unsigned kCount>
void storeVector(Warp &w, const Insn &i, uint32_t m, const Op *ops) {
  uint64_t first;
  Pattern pattern;
  constexpr unsigned kBytes = kCount * sizeof(T);
  bool torn = kBytes > 8 && i.mode2; // Must be atomic by lane.
  if (!torn && resolveShort(w, i, m, kBytes, true, first, pattern) &&
      (pattern == Pattern::Consecutive || i.space == Space::Local)) {
    storeShort<T, R, kCount>(w, i, ops, first);
    return;
  }
  alignas(64) uint64_t p[kLanes];
  if (!resolve(w, i, m, kBytes, kBytes, true, p))
    return;
  const R *s[kCount];
  for (unsigned k = 0; k < kCount; ++k)
    s[k] = src<R>(w, ops[k]);
  each(m, [&](unsigned l) {
    alignas(16) T t[kCount];
    for (unsigned k = 0; k < kCount; ++k)
      t[k] = static_cast<T>(s[k][l]);
    writeElements<T, kCount>(p[l], t);
  });
}
template <class T, class R> void store(Warp &w, const Insn &i, uint32_t m) {
  Op single[1];
  const Op *ops = elements(w, i, single, false);
  withWidth(i.vec, [&](auto count) {
    storeVector<T, R, decltype(count)::value>(w, i, m, ops);
  });
}

/// ld.param of a kernel at a fixed offset: one value for all lanes. The
/// decoder has checked the bounds.
template <class T, class R>
void loadKernelParam(Warp &w, const Insn &i, uint32_t m) {
  const uint8_t *from =
      w.block->launch->params.data() + static_cast<uint64_t>(i.imm);
  Op single[1];
  const Op *ops = elements(w, i, single, true);
  for (unsigned k = 0; k < i.vec; ++k) {
    if (ops[k] == kNoOp)
      continue;
    T t;
    std::memcpy(&t, from + k * sizeof(T), sizeof(t));
    R v = static_cast<R>(t);
    map(m, dst<R>(w, ops[k]), [v](uint32_t) { return v; }, w.tid[0]);
  }
}

/// b128: a column pair; atomically, as one 16-byte move.
void load128(Warp &w, const Insn &i, uint32_t m) {
  alignas(64) uint64_t p[kLanes];
  if (!resolve(w, i, m, 16, 16, false, p))
    return;
  uint64_t *d = dst<uint64_t>(w, i.d[0]);
  each(m, [&](unsigned l) {
    __m128i v = _mm_load_si128(reinterpret_cast<const __m128i *>(p[l]));
    d[l] = static_cast<uint64_t>(_mm_cvtsi128_si64(v));
    d[kLanes + l] =
        static_cast<uint64_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(v, v)));
  });
}
void store128(Warp &w, const Insn &i, uint32_t m) {
  alignas(64) uint64_t p[kLanes];
  if (!resolve(w, i, m, 16, 16, true, p))
    return;
  const uint64_t *s = src<uint64_t>(w, i.s[1]);
  each(m, [&](unsigned l) {
    _mm_store_si128(reinterpret_cast<__m128i *>(p[l]),
                    _mm_set_epi64x(static_cast<long long>(s[kLanes + l]),
                                   static_cast<long long>(s[l])));
  });
}

template <class T, class R> Handler loadInto(unsigned variant) {
  switch (variant) {
  case kKernelParameters:
    return loadKernelParam<T, R>;
  case kUsedElements:
    return loadUsed<T, R>;
  default:
    return load<T, R>;
  }
}
template <class T> Handler loadFor(unsigned registerBytes, unsigned variant) {
  switch (registerBytes) {
  case 2:
    if constexpr (sizeof(T) <= 2)
      return loadInto<T, uint16_t>(variant);
    return nullptr;
  case 4:
    if constexpr (sizeof(T) <= 4)
      return loadInto<T, uint32_t>(variant);
    return nullptr;
  case 8:
    return loadInto<T, uint64_t>(variant);
  default:
    return nullptr;
  }
}
template <class T> Handler storeFor(unsigned registerBytes) {
  switch (registerBytes) {
  case 2:
    if constexpr (sizeof(T) <= 2)
      return store<T, uint16_t>;
    return nullptr;
  case 4:
    if constexpr (sizeof(T) <= 4)
      return store<T, uint32_t>;
    return nullptr;
  case 8:
    return store<T, uint64_t>;
  default:
    return nullptr;
  }
}

} // namespace

Handler selectMemory(const InsnDesc &d) {
  Type t = d.type();
  if (d.opcode == "ld" || d.opcode == "ldu") {
    unsigned r = d.destBytes, v = d.variant;
    switch (sizeOf(t)) {
    case 1:
      return isSigned(t) ? loadFor<int8_t>(r, v) : loadFor<uint8_t>(r, v);
    case 2:
      return isSigned(t) ? loadFor<int16_t>(r, v) : loadFor<uint16_t>(r, v);
    case 4:
      return isSigned(t) && r == 8 ? loadFor<int32_t>(r, v)
                                   : loadFor<uint32_t>(r, v);
    case 8:
      return loadFor<uint64_t>(r, v);
    case 16:
      return load128;
    default:
      return nullptr;
    }
  }
  if (d.opcode != "st")
    return nullptr;
  unsigned r = d.sourceBytes;
  switch (sizeOf(t)) {
  case 1:
    return storeFor<uint8_t>(r);
  case 2:
    return storeFor<uint16_t>(r);
  case 4:
    return storeFor<uint32_t>(r);
  case 8:
    return storeFor<uint64_t>(r);
  case 16:
    return store128;
  default:
    return nullptr;
  }
}

} // namespace gpulto::emu::GPULTO_EMU_ISA
