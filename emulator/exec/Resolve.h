//===- Resolve.h - From PTX addresses to addresses of this process --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every access is checked: alignment, bounds, liveness, space. For global
// memory the check of a whole warp is two comparisons against the range that
// the same instruction touched last; only a miss queries the allocator.
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_EXEC_RESOLVE_H
#define GPULTO_EMULATOR_EXEC_RESOLVE_H

#include "emulator/exec/ExecCommon.h"

#include <string>

namespace gpulto::emu::GPULTO_EMU_ISA {

/// Addresses of \p place's operand for all lanes (off ones too). A 32-bit
/// register and an offset add up to 32 bits: compilers move a negative part of
/// an index into the register and a positive one into the offset.
inline void addresses(Warp &w, const Insn &place, uint64_t *a) {
  uint64_t offset = static_cast<uint64_t>(place.imm);
  if (place.flags & kFrameLocal)
    offset += w.frame->localBase;
  if (place.s[0] == kNoOp) {
    EMU_VECTORIZE
    for (unsigned l = 0; l < kLanes; ++l)
      a[l] = offset;
  } else if (place.flags & kAddress32) {
    const uint32_t *r = src<uint32_t>(w, place.s[0]);
    const uint32_t offset32 = static_cast<uint32_t>(offset);
    EMU_VECTORIZE
    for (unsigned l = 0; l < kLanes; ++l)
      a[l] = r[l] + offset32;
  } else {
    const uint64_t *r = src<uint64_t>(w, place.s[0]);
    EMU_VECTORIZE
    for (unsigned l = 0; l < kLanes; ++l)
      a[l] = r[l] + offset;
  }
}

struct Extent {
  uint64_t low, high, bits; ///< Smallest, largest, and all bits that are set.
};
inline Extent extentOf(const uint64_t *a) {
  // Signed comparisons vectorize. User-space addresses and offsets are
  // positive, and others have been excluded by their magnitude.
  int64_t low = INT64_MAX, high = INT64_MIN;
  uint64_t bits = 0;
  EMU_VECTORIZE
  for (unsigned l = 0; l < kLanes; ++l) {
    int64_t v = static_cast<int64_t>(a[l]);
    low = v < low ? v : low;
    high = v > high ? v : high;
    bits |= a[l];
  }
  return {static_cast<uint64_t>(low), static_cast<uint64_t>(high), bits};
}

/// Puts the address of the first active lane into inactive lanes, so that
/// whole-warp checks need no mask.
inline void fillOff(uint32_t m, uint64_t *a) {
  if (m == kAllLanes)
    return;
  uint64_t first = a[__builtin_ctz(m)];
  EMU_VECTORIZE
  for (unsigned l = 0; l < kLanes; ++l) {
    uint64_t on = 0 - static_cast<uint64_t>(m >> l & 1);
    a[l] = (a[l] & on) | (first & ~on);
  }
}

// The fast path. --------------------------------------------------------------

/// The relative positions of the lanes of a whole warp.
enum class Pattern : uint8_t { Consecutive, Uniform, Scattered };

template <class A> inline Pattern patternOf(const A *r, A stride) {
  A first = r[0], apart = 0, differs = 0;
  EMU_VECTORIZE
  for (unsigned l = 0; l < kLanes; ++l) {
    A d = r[l] - first;
    differs |= d;
    // A 32-bit product: a 64-bit one does not vectorize.
    apart |= d - static_cast<A>(l * static_cast<uint32_t>(stride));
  }
  return apart == 0     ? Pattern::Consecutive
         : differs == 0 ? Pattern::Uniform
                        : Pattern::Scattered;
}

/// Finds where a whole warp's access begins, \p at, and its \p pattern. False
/// if it is scattered, may wrap around or is not aligned to \p bytes.
inline bool findShort(Warp &w, const Insn &i, unsigned bytes, uint64_t &at,
                      Pattern &pattern) {
  at = static_cast<uint64_t>(i.imm);
  if (i.flags & kAddress32) {
    const uint32_t *r = src<uint32_t>(w, i.s[0]);
    pattern = patternOf<uint32_t>(r, bytes);
    at = static_cast<uint32_t>(at + r[0]);
    if (at + bytes * kLanes > 1ull << 32) // Some lanes may wrap around.
      return false;
  } else {
    const uint64_t *r = src<uint64_t>(w, i.s[0]);
    pattern = patternOf<uint64_t>(r, bytes);
    at += r[0];
  }
  return pattern != Pattern::Scattered && !(at & (bytes - 1));
}

/// An access of a whole warp to consecutive elements, or by all lanes to one:
/// checked by its ends. False if it is neither, or anything is unusual; then
/// the slow path decides. For local memory (uniform offsets) \p first is the
/// first lane's and lanes are Warp::localStride apart.
inline bool resolveShort(Warp &w, const Insn &i, uint32_t m, unsigned bytes,
                         bool isWrite, uint64_t &first, Pattern &pattern) {
  if (m != kAllLanes || i.s[0] == kNoOp)
    return false;
  uint64_t at = 0;
  if (!findShort(w, i, bytes, at, pattern))
    return false;
  uint64_t total = pattern == Pattern::Uniform ? bytes : bytes * kLanes;
  const Launch &launch = *w.block->launch;
  switch (i.space) {
  case Space::Shared:
    if (w.block->race || at > launch.sharedBytes ||
        at + total > launch.sharedBytes)
      return false;
    if (w.counts) {
      InsnCounts &c = w.counts[&i - w.frame->fn->code.data()];
      ++c.accesses;
      c.sharedBytes += uint64_t(bytes) * kLanes;
    }
    first = reinterpret_cast<uint64_t>(w.block->shared) + at;
    return true;
  case Space::Local:
    if (pattern != Pattern::Uniform || at > w.localBytes ||
        at + bytes > w.localBytes)
      return false;
    first = reinterpret_cast<uint64_t>(w.local.get()) + at;
    return true;
  case Space::Param:
    return false;
  default:
    break;
  }
  const CachedRange &range =
      w.worker
          ->ranges[(reinterpret_cast<uintptr_t>(&i) >> 6) % kRangeCacheSize];
  bool isConstant = range.kind == AllocationKind::Constant;
  if (at < range.begin || at + total > range.end ||
      range.epoch != launch.memory->epoch() ||
      (isWrite && isReadOnly(range.kind)) ||
      (i.space == Space::Const && !isConstant))
    return false;
  if (w.counts) {
    InsnCounts &c = w.counts[&i - w.frame->fn->code.data()];
    ++c.accesses;
    c.bytes += uint64_t(bytes) * kLanes;
    c.sectors += (at + total - 1) / 32 - at / 32 + 1;
    c.idealSectors += (total + 31) / 32;
  }
  if (launch.shadow)
    launch.shadow->access(at, total, !isWrite, isWrite);
  first = at;
  return true;
}

// The middle path.
// -------------------------------------------------------------

/// One pass over the lanes' addresses: d is the distance from \p begin;
/// inactive lanes get distance 0. Returns false if a distance exceeds \p limit
/// or an address is not a multiple of \p bytes.
template <class A>
inline bool checkLanes(const A *r, uint64_t offset, uint32_t m, uint64_t begin,
                       uint64_t limit, unsigned bytes, uint64_t target,
                       uint64_t stride, uint64_t *p) {
  uint64_t outside = 0, bits = 0;
  EMU_VECTORIZE
  for (unsigned l = 0; l < kLanes; ++l) {
    uint64_t on = 0 - static_cast<uint64_t>(m >> l & 1);
    uint64_t at = r ? static_cast<A>(r[l] + static_cast<A>(offset)) : offset;
    uint64_t d = (at - begin) & on;
    outside |= d | (limit - d);
    bits |= d;
    p[l] = d + target + l * stride;
  }
  // begin is at least 256-byte aligned, so the distance shows misalignment.
  return static_cast<int64_t>(outside) >= 0 && !(bits & (bytes - 1));
}

/// Counts an access to shared memory that begins at \p base.
inline void countSharedAt(Warp &w, const Insn &i, uint32_t m, const uint64_t *a,
                          uint64_t base, unsigned bytes) {
  alignas(64) uint32_t offsets[kLanes];
  EMU_VECTORIZE
  for (unsigned l = 0; l < kLanes; ++l)
    offsets[l] = static_cast<uint32_t>(a[l] - base);
  countShared(w, i, m, offsets, bytes);
}

/// The access of any lanes if all fall into the range that the instruction
/// touched last, or into shared or local memory. False: the slow path decides.
inline bool resolveMiddle(Warp &w, const Insn &i, uint32_t m, unsigned bytes,
                          bool isWrite, uint64_t *p) {
  const Launch &launch = *w.block->launch;
  uint64_t begin = 0, size = 0, target = 0, stride = 0;
  switch (i.space) {
  case Space::Shared:
    if (w.block->race)
      return false;
    size = launch.sharedBytes;
    target = reinterpret_cast<uint64_t>(w.block->shared);
    break;
  case Space::Local:
    size = w.localBytes;
    target = reinterpret_cast<uint64_t>(w.local.get());
    stride = w.localStride;
    break;
  case Space::Param:
    return false;
  default: {
    const CachedRange &range =
        w.worker
            ->ranges[(reinterpret_cast<uintptr_t>(&i) >> 6) % kRangeCacheSize];
    bool isConstant = range.kind == AllocationKind::Constant;
    if (range.epoch != launch.memory->epoch() || range.end <= range.begin ||
        range.begin % 256 || (isWrite && isReadOnly(range.kind)) ||
        (i.space == Space::Const && !isConstant))
      return false;
    begin = target = range.begin;
    size = range.end - range.begin;
  }
  }
  if (size < bytes)
    return false;
  uint64_t offset = static_cast<uint64_t>(i.imm);
  if (i.flags & kFrameLocal)
    offset += w.frame->localBase;
  bool is32 = i.flags & kAddress32;
  bool ok;
  if (i.s[0] == kNoOp)
    ok = checkLanes<uint64_t>(nullptr, offset, m, begin, size - bytes, bytes,
                              target, stride, p);
  else if (is32)
    ok = checkLanes(src<uint32_t>(w, i.s[0]), offset, m, begin, size - bytes,
                    bytes, target, stride, p);
  else
    ok = checkLanes(src<uint64_t>(w, i.s[0]), offset, m, begin, size - bytes,
                    bytes, target, stride, p);
  if (!ok || i.space == Space::Local)
    return ok;
  if (launch.shadow && i.space != Space::Shared)
    launch.shadow->accessLanes(m, p, bytes, !isWrite, isWrite);
  if (!w.counts)
    return true;
  if (i.space != Space::Shared) {
    countGlobal(w, i, m, p, bytes);
    return true;
  }
  countSharedAt(w, i, m, p, target, bytes);
  return true;
}

// The slow path.
// ---------------------------------------------------------------

/// Offsets into a lane's local memory to addresses.
inline bool resolveLocal(Warp &w, const Insn &at, uint32_t m, unsigned bytes,
                         uint64_t *a) {
  Extent e = extentOf(a);
  if (e.low > w.localBytes || e.high > w.localBytes ||
      e.high + bytes > w.localBytes) {
    each(m, [&](unsigned l) {
      if (a[l] > w.localBytes || a[l] + bytes > w.localBytes)
        raiseFault(w, at, l, ErrorKind::IllegalAddress,
                   "access to local memory beyond its end");
    });
    return false;
  }
  uint64_t base = reinterpret_cast<uint64_t>(w.local.get());
  uint64_t stride = w.localStride;
  EMU_VECTORIZE
  for (unsigned l = 0; l < kLanes; ++l)
    a[l] += base + l * stride;
  return true;
}

/// Maps an offset in the cluster's windows that belongs to the own block to its
/// own window.
inline uint64_t ownOffset(const Warp &w, uint64_t offset) {
  uint64_t window = kClusterWindows + w.block->rank * kWindowBytes;
  return offset - window < kWindowBytes ? offset - window : offset;
}

/// Offsets of shared memory, some in other blocks. Neither counters nor the
/// race check see these.
inline bool resolveCluster(Warp &w, const Insn &at, uint32_t m, unsigned bytes,
                           bool isWrite, uint64_t *a) {
  uint64_t own = reinterpret_cast<uint64_t>(w.block->shared);
  uint64_t size = w.block->launch->sharedBytes;
  each(m, [&](unsigned l) {
    if (a[l] + bytes <= size)
      a[l] += own;
    else if (!w.worker->faulted)
      a[l] = clusterAddress(w, at, l, a[l], bytes, isWrite);
  });
  fillOff(m, a);
  return !w.worker->faulted;
}

inline bool resolveShared(Warp &w, const Insn &at, uint32_t m, unsigned bytes,
                          bool isWrite, bool isAtomic, uint64_t *a) {
  uint64_t size = w.block->launch->sharedBytes;
  Extent e = extentOf(a);
  if (e.high - kClusterWindows < kMaxClusterBlocks * kWindowBytes) {
    for (unsigned l = 0; l < kLanes; ++l)
      a[l] = ownOffset(w, a[l]);
    e = extentOf(a);
    if (e.high >= kClusterWindows)
      return resolveCluster(w, at, m, bytes, isWrite, a);
  }
  if (e.low > size || e.high > size || e.high + bytes > size) {
    each(m, [&](unsigned l) {
      if (a[l] > size || a[l] + bytes > size)
        raiseAddressFault(w, at, l, w.block->launch->sharedWindow + a[l], bytes,
                          isWrite);
    });
    return false;
  }
  if (w.counts)
    countSharedAt(w, at, m, a, 0, bytes);
  if (w.block->race)
    noteShared(w, at, m, a, bytes, isWrite, isAtomic);
  uint64_t base = reinterpret_cast<uint64_t>(w.block->shared);
  EMU_VECTORIZE
  for (unsigned l = 0; l < kLanes; ++l)
    a[l] += base;
  return true;
}

/// One lane's generic address; returns 0 after a fault.
inline uint64_t resolveOne(Warp &w, const Insn &at, unsigned lane, uint64_t a,
                           unsigned bytes, bool isWrite, bool isAtomic,
                           CachedRange &range) {
  const Launch &launch = *w.block->launch;
  uint64_t offset = ownOffset(w, a - launch.sharedWindow);
  if (offset < kWindowBytes) {
    if (offset + bytes <= launch.sharedBytes) {
      if (w.block->race) {
        uint64_t offsets[kLanes] = {};
        offsets[lane] = offset;
        noteShared(w, at, 1u << lane, offsets, bytes, isWrite, isAtomic);
      }
      return reinterpret_cast<uint64_t>(w.block->shared) + offset;
    }
  } else if (offset - kClusterWindows < kMaxClusterBlocks * kWindowBytes) {
    return clusterAddress(w, at, lane, offset, bytes, isWrite);
  } else if (a - launch.localWindow < kWindowBytes) {
    offset = a - launch.localWindow;
    if (offset + bytes <= w.localBytes)
      return reinterpret_cast<uint64_t>(w.local.get()) +
             lane * uint64_t(w.localStride) + offset;
  } else if (a - launch.paramWindow < kWindowBytes) {
    offset = a - launch.paramWindow;
    if (offset + bytes <= launch.params.size() && !isWrite)
      return reinterpret_cast<uint64_t>(launch.params.data()) + offset;
  } else {
    if (!(range.begin <= a && a + bytes <= range.end &&
          range.epoch == launch.memory->epoch()) &&
        !findRange(w, a, range)) {
      raiseAddressFault(w, at, lane, a, bytes, isWrite);
      return 0;
    }
    if (a + bytes <= range.end && !(isWrite && isReadOnly(range.kind))) {
      if (launch.shadow)
        launch.shadow->access(a, bytes, !isWrite || isAtomic, isWrite);
      return a;
    }
  }
  raiseAddressFault(w, at, lane, a, bytes, isWrite);
  return 0;
}

/// Global, constant and generic addresses.
inline bool resolveGlobal(Warp &w, const Insn &at, Space space, uint32_t m,
                          unsigned bytes, bool isWrite, bool isAtomic,
                          uint64_t *a) {
  Memory &memory = *w.block->launch->memory;
  CachedRange &range =
      w.worker
          ->ranges[(reinterpret_cast<uintptr_t>(&at) >> 6) % kRangeCacheSize];
  Extent e = extentOf(a);
  bool isConstant = space == Space::Const;
  for (unsigned attempt = 0; attempt < 2; ++attempt) {
    if (range.begin <= e.low && e.high + bytes <= range.end &&
        e.low <= e.high && range.epoch == memory.epoch()) {
      if (!(isWrite && isReadOnly(range.kind)) &&
          !(isConstant && range.kind != AllocationKind::Constant)) {
        if (w.counts)
          countGlobal(w, at, m, a, bytes);
        if (MemoryShadow *shadow = w.block->launch->shadow)
          shadow->accessLanes(m, a, bytes, !isWrite || isAtomic, isWrite);
        return true;
      }
    }
    if (attempt == 0 && !findRange(w, a[__builtin_ctz(m)], range))
      break;
  }
  // Several allocations, windows, or a fault.
  if (isConstant || space == Space::Global) {
    uint64_t window = w.block->launch->sharedWindow;
    bool bad = false;
    each(m, [&](unsigned l) {
      if (a[l] - window < kWindowCount * kWindowBytes) {
        raiseFault(w, at, l, ErrorKind::InvalidAddressSpace,
                   "the address of shared or local memory, parameters or code "
                   "is used as one of global memory");
        bad = true;
      }
    });
    if (bad)
      return false;
  }
  if (w.counts) {
    countGlobal(w, at, m, a, bytes);
    countWindows(w, at, m, a, bytes);
  }
  bool ok = true;
  each(m, [&](unsigned l) {
    if (!ok)
      return;
    uint64_t r = resolveOne(w, at, l, a[l], bytes, isWrite, isAtomic, range);
    if (r && isConstant && range.kind != AllocationKind::Constant) {
      raiseFault(w, at, l, ErrorKind::InvalidAddressSpace,
                 "the address is not one of constant memory");
      r = 0;
    }
    ok = r != 0;
    a[l] = r;
  });
  fillOff(m, a);
  return ok;
}

/// Kernel parameters through a register.
inline bool resolveParam(Warp &w, const Insn &at, uint32_t m, unsigned bytes,
                         uint64_t *a) {
  const std::vector<uint8_t> &params = w.block->launch->params;
  bool ok = true;
  each(m, [&](unsigned l) {
    if (ok && (a[l] > params.size() || a[l] + bytes > params.size())) {
      raiseFault(w, at, l, ErrorKind::IllegalAddress,
                 "access beyond the kernel's parameters");
      ok = false;
    }
    a[l] += reinterpret_cast<uint64_t>(params.data());
  });
  fillOff(m, a);
  return ok;
}

/// Checks and translates \p a, the addresses of \p m in the space of \p place.
/// Otherwise as resolveAt.
inline bool resolveLanes(Warp &w, const Insn &place, const Insn &at, uint32_t m,
                         unsigned bytes, unsigned align, bool isWrite,
                         uint64_t *a, bool isAtomic = false) {
  fillOff(m, a);
  uint64_t bits = 0;
  EMU_VECTORIZE
  for (unsigned l = 0; l < kLanes; ++l)
    bits |= a[l];
  if (bits & (align - 1)) {
    each(m, [&](unsigned l) {
      if (a[l] & (align - 1))
        raiseFault(w, at, l, ErrorKind::MisalignedAddress,
                   "the address is not a multiple of " + std::to_string(align));
    });
    return false;
  }
  switch (place.space) {
  case Space::Shared:
    return resolveShared(w, at, m, bytes, isWrite, isAtomic, a);
  case Space::Local:
    return resolveLocal(w, at, m, bytes, a);
  case Space::Param:
    return place.flags & kIsKernel ? resolveParam(w, at, m, bytes, a)
                                   : resolveLocal(w, at, m, bytes, a);
  default:
    return resolveGlobal(w, at, place.space, m, bytes, isWrite, isAtomic, a);
  }
}

/// Checks and translates the access of \p place (operand, offset, space) for
/// the lanes of \p m; faults and counts name \p at. Inactive lanes get an
/// address of an active lane. Returns false after a fault.
inline bool resolveAt(Warp &w, const Insn &place, const Insn &at, uint32_t m,
                      unsigned bytes, unsigned align, bool isWrite, uint64_t *a,
                      bool isAtomic = false) {
  if (&place == &at && bytes == align && !isAtomic &&
      resolveMiddle(w, at, m, bytes, isWrite, a))
    return true;
  addresses(w, place, a);
  return resolveLanes(w, place, at, m, bytes, align, isWrite, a, isAtomic);
}

inline bool resolve(Warp &w, const Insn &i, uint32_t m, unsigned bytes,
                    unsigned align, bool isWrite, uint64_t *a,
                    bool isAtomic = false) {
  return resolveAt(w, i, i, m, bytes, align, isWrite, a, isAtomic);
}

} // namespace gpulto::emu::GPULTO_EMU_ISA

#endif // GPULTO_EMULATOR_EXEC_RESOLVE_H
