//===- ExecMove.cpp - mov, special registers, predicates, cvta ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/exec/ExecCommon.h"

#include <chrono>

namespace gpulto::emu::GPULTO_EMU_ISA {

namespace {

template <class T> void move(Warp &w, const Insn &i, uint32_t m) {
  T *d = dst<T>(w, i.d[0]);
  const T *a = src<T>(w, i.s[0]);
  if (m == kAllLanes)
    std::memmove(d, a, sizeof(T) * kLanes);
  else
    blend(m, d, a);
}
void movePred(Warp &w, const Insn &i, uint32_t m) {
  writePred(w, i.d[0], m, predSrc(w, i.s[0]));
}

// Logic on predicates. --------------------------------------------------------

void predAnd(Warp &w, const Insn &i, uint32_t m) {
  writePred(w, i.d[0], m, predSrc(w, i.s[0]) & predSrc(w, i.s[1]));
}
void predOr(Warp &w, const Insn &i, uint32_t m) {
  writePred(w, i.d[0], m, predSrc(w, i.s[0]) | predSrc(w, i.s[1]));
}
void predXor(Warp &w, const Insn &i, uint32_t m) {
  writePred(w, i.d[0], m, predSrc(w, i.s[0]) ^ predSrc(w, i.s[1]));
}
void predNot(Warp &w, const Insn &i, uint32_t m) {
  writePred(w, i.d[0], m, ~predSrc(w, i.s[0]));
}

// Vectors of parts and one whole. Parts are in Function::extra. --------------

const Op *parts(Warp &w, const Insn &i) {
  return w.frame->fn->extra.data() + i.extra;
}

template <class Part, class Whole>
void pack(Warp &w, const Insn &i, uint32_t m) {
  const Op *ops = parts(w, i);
  Whole *d = dst<Whole>(w, i.d[0]);
  alignas(64) Whole t[kLanes] = {};
  for (unsigned k = 0; k < i.vec; ++k) {
    const Part *p = src<Part>(w, ops[k]);
    unsigned shift = k * sizeof(Part) * 8;
    EMU_VECTORIZE
    for (unsigned l = 0; l < kLanes; ++l)
      t[l] = static_cast<Whole>(t[l] | static_cast<Whole>(p[l]) << shift);
  }
  blend(m, d, t);
}
template <class Part, class Whole>
void unpack(Warp &w, const Insn &i, uint32_t m) {
  const Op *ops = parts(w, i);
  alignas(64) Whole t[kLanes]; // A part may be the whole's register.
  std::memcpy(t, src<Whole>(w, i.s[0]), sizeof(t));
  for (unsigned k = 0; k < i.vec; ++k) {
    if (ops[k] == kNoOp)
      continue;
    unsigned shift = k * sizeof(Part) * 8;
    map(
        m, dst<Part>(w, ops[k]),
        [shift](Whole x) { return static_cast<Part>(x >> shift); },
        static_cast<const Whole *>(t));
  }
}

/// Bytes, which have registers of 16 bits.
template <class Whole> void packBytes(Warp &w, const Insn &i, uint32_t m) {
  const Op *ops = parts(w, i);
  alignas(64) Whole t[kLanes] = {};
  for (unsigned k = 0; k < i.vec; ++k) {
    const uint16_t *p = src<uint16_t>(w, ops[k]);
    for (unsigned l = 0; l < kLanes; ++l)
      t[l] =
          static_cast<Whole>(t[l] | static_cast<Whole>(p[l] & 0xff) << (8 * k));
  }
  blend(m, dst<Whole>(w, i.d[0]), t);
}
template <class Whole> void unpackBytes(Warp &w, const Insn &i, uint32_t m) {
  const Op *ops = parts(w, i);
  alignas(64) Whole t[kLanes];
  std::memcpy(t, src<Whole>(w, i.s[0]), sizeof(t));
  for (unsigned k = 0; k < i.vec; ++k)
    if (ops[k] != kNoOp)
      map(
          m, dst<uint16_t>(w, ops[k]),
          [k](Whole x) { return static_cast<uint16_t>(x >> (8 * k) & 0xff); },
          static_cast<const Whole *>(t));
}

template <class Part> Handler packFor(unsigned whole, bool isPack) {
  switch (whole) {
  case 2:
    if constexpr (sizeof(Part) < 2)
      return isPack ? pack<Part, uint16_t> : unpack<Part, uint16_t>;
    return nullptr;
  case 4:
    if constexpr (sizeof(Part) < 4)
      return isPack ? pack<Part, uint32_t> : unpack<Part, uint32_t>;
    return nullptr;
  case 8:
    return isPack ? pack<Part, uint64_t> : unpack<Part, uint64_t>;
  default:
    return nullptr;
  }
}

/// b128 is two columns of 64 bits, the lower one first.
void pack128(Warp &w, const Insn &i, uint32_t m) {
  const Op *ops = parts(w, i);
  alignas(64) uint64_t t[2][kLanes];
  std::memcpy(t[0], src<uint64_t>(w, ops[0]), sizeof(t[0]));
  std::memcpy(t[1], src<uint64_t>(w, ops[1]), sizeof(t[1]));
  blend(m, dst<uint64_t>(w, i.d[0]), t[0]);
  blend(m, dst<uint64_t>(w, i.d[0]) + kLanes, t[1]);
}
void unpack128(Warp &w, const Insn &i, uint32_t m) {
  const Op *ops = parts(w, i);
  const uint64_t *s = src<uint64_t>(w, i.s[0]);
  for (unsigned k = 0; k < 2; ++k)
    if (ops[k] != kNoOp)
      blend(m, dst<uint64_t>(w, ops[k]), s + k * kLanes);
}
void move128(Warp &w, const Insn &i, uint32_t m) {
  const uint64_t *s = src<uint64_t>(w, i.s[0]);
  blend(m, dst<uint64_t>(w, i.d[0]), s);
  blend(m, dst<uint64_t>(w, i.d[0]) + kLanes, s + kLanes);
}

// Special registers. ----------------------------------------------------------

uint64_t nanoseconds() {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(
          std::chrono::system_clock::now().time_since_epoch())
          .count());
}

uint64_t clusterSpecial(const Block &block, unsigned reg) {
  const Launch &launch = *block.launch;
  switch (reg) {
  case kClusterIdX:
  case kClusterIdY:
  case kClusterIdZ:
    return block.cluster->id[reg - kClusterIdX];
  case kNclusterIdX:
  case kNclusterIdY:
  case kNclusterIdZ:
    return launch.grid[reg - kNclusterIdX] / launch.cluster[reg - kNclusterIdX];
  case kClusterCtaidX:
  case kClusterCtaidY:
  case kClusterCtaidZ:
    return block.ctaid[reg - kClusterCtaidX] %
           launch.cluster[reg - kClusterCtaidX];
  case kClusterNctaidX:
  case kClusterNctaidY:
  case kClusterNctaidZ:
    return launch.cluster[reg - kClusterNctaidX];
  case kClusterCtaRank:
    return block.rank;
  case kClusterNctaRank:
    return launch.blocksPerCluster;
  case kIsExplicitCluster:
    return launch.hasClusters;
  default:
    return 0;
  }
}

/// The value where it is the same for all lanes.
uint64_t uniformSpecial(Warp &w, unsigned reg) {
  const Launch &launch = *w.block->launch;
  switch (reg) {
  case kNtidX:
  case kNtidY:
  case kNtidZ:
    return launch.block[reg - kNtidX];
  case kCtaidX:
  case kCtaidY:
  case kCtaidZ:
    return w.block->ctaid[reg - kCtaidX];
  case kNctaidX:
  case kNctaidY:
  case kNctaidZ:
    return launch.grid[reg - kNctaidX];
  case kWarpId:
    return w.index;
  case kNwarpId:
    return 64;
  case kSmId:
    return w.block->linear % launch.smCount;
  case kNsmId:
    return launch.smCount;
  case kGridId:
    return launch.gridId;
  case kEnvReg1:
    return launch.workspace >> 32;
  case kEnvReg2:
    return launch.workspace & UINT32_MAX;
  case kClock:
  case kClock64:
    return w.worker->warpInsns;
  case kClockHi:
    return w.worker->warpInsns >> 32;
  case kGlobalTimer:
  case kGlobalTimerLo:
    return nanoseconds();
  case kGlobalTimerHi:
    return nanoseconds() >> 32;
  case kDynamicSmemSize:
    return launch.dynamicShared;
  case kTotalSmemSize:
  case kAggrSmemSize:
    return launch.sharedBytes;
  default:
    return reg < kClusterIdX ? 0 : clusterSpecial(*w.block, reg);
  }
}

uint32_t laneMask(unsigned reg, unsigned lane) {
  uint32_t eq = 1u << lane, lt = eq - 1;
  switch (reg) {
  case kLaneMaskEq:
    return eq;
  case kLaneMaskLt:
    return lt;
  case kLaneMaskLe:
    return lt | eq;
  case kLaneMaskGt:
    return ~(lt | eq);
  default:
    return ~lt;
  }
}

template <class T> void special(Warp &w, const Insn &i, uint32_t m) {
  T *d = dst<T>(w, i.d[0]);
  unsigned reg = i.mode;
  if (reg <= kTidZ) {
    const uint32_t *tid = w.tid[reg];
    map(m, d, [](uint32_t x) { return static_cast<T>(x); }, tid);
    return;
  }
  if (reg == kLaneId) {
    each(m, [&](unsigned l) { d[l] = static_cast<T>(l); });
    return;
  }
  if (reg >= kLaneMaskEq && reg <= kLaneMaskGt) {
    each(m, [&](unsigned l) { d[l] = static_cast<T>(laneMask(reg, l)); });
    return;
  }
  T v = static_cast<T>(uniformSpecial(w, reg));
  map(m, d, [v](uint32_t) { return v; }, w.tid[0]);
}

void specialPred(Warp &w, const Insn &i, uint32_t m) {
  writePred(w, i.d[0], m, uniformSpecial(w, i.mode) ? kAllLanes : 0);
}

/// Address of something in the frame's local area.
template <class T> void frameLocal(Warp &w, const Insn &i, uint32_t m) {
  T v = static_cast<T>(w.frame->localBase + static_cast<uint64_t>(i.imm));
  map(m, dst<T>(w, i.d[0]), [v](uint32_t) { return v; }, w.tid[0]);
}
/// An immediate that is patched: the offset of a shared variable.
template <class T> void immediate(Warp &w, const Insn &i, uint32_t m) {
  T v = static_cast<T>(i.imm);
  map(m, dst<T>(w, i.d[0]), [v](uint32_t) { return v; }, w.tid[0]);
}

// Address spaces. -------------------------------------------------------------

uint64_t windowOf(const Launch &launch, Space space) {
  switch (space) {
  case Space::Shared:
    return launch.sharedWindow;
  case Space::Local:
    return launch.localWindow;
  case Space::Param:
    return launch.paramWindow;
  default:
    return 0;
  }
}
/// mapa: the address of \p s[0], one of shared memory of any block, in the
/// block with the rank of s[1]. With Insn::space Shared as an offset, else
/// generic.
template <class T> void mapAddress(Warp &w, const Insn &i, uint32_t m) {
  uint64_t window =
      i.space == Space::Shared ? 0 : w.block->launch->sharedWindow;
  alignas(64) uint64_t a[kLanes];
  const T *s = src<T>(w, i.s[0]);
  for (unsigned l = 0; l < kLanes; ++l)
    a[l] = s[l] - window;
  const uint32_t *rank = src<uint32_t>(w, i.s[1]);
  T *d = dst<T>(w, i.d[0]);
  each(m, [&](unsigned l) {
    bool isFar = a[l] - kClusterWindows < kMaxClusterBlocks * kWindowBytes;
    if (a[l] >= kWindowBytes && !isFar)
      return raiseFault(w, i, l, ErrorKind::InvalidAddressSpace,
                        "mapa of an address that is not one of shared memory");
    if (rank[l] >= w.block->launch->blocksPerCluster)
      return raiseFault(w, i, l, ErrorKind::IllegalInstruction,
                        "mapa to block " + std::to_string(rank[l]) +
                            " of a cluster of " +
                            std::to_string(w.block->launch->blocksPerCluster));
    d[l] = static_cast<T>(window + kClusterWindows + rank[l] * kWindowBytes +
                          a[l] % kWindowBytes);
  });
}
/// getctarank: of the block whose shared memory the address is one of.
template <class T> void addressRank(Warp &w, const Insn &i, uint32_t m) {
  uint64_t window =
      i.space == Space::Shared ? 0 : w.block->launch->sharedWindow;
  uint32_t own = w.block->rank;
  map(
      m, dst<uint32_t>(w, i.d[0]),
      [window, own](T a) {
        uint64_t offset = a - window;
        return offset < kClusterWindows
                   ? own
                   : static_cast<uint32_t>((offset - kClusterWindows) /
                                           kWindowBytes);
      },
      src<T>(w, i.s[0]));
}
/// cvta; mode 1 is cvta.to. With 32-bit registers the window cannot be told.
void cvta(Warp &w, const Insn &i, uint32_t m) {
  uint64_t window = windowOf(*w.block->launch, i.space);
  if (i.flags & kFrameLocal) // A function's parameter lies in local memory.
    window = w.block->launch->localWindow;
  if (i.mode)
    window = 0 - window;
  map(
      m, dst<uint64_t>(w, i.d[0]), [window](uint64_t a) { return a + window; },
      src<uint64_t>(w, i.s[0]));
}
void isspacep(Warp &w, const Insn &i, uint32_t m) {
  const Launch &launch = *w.block->launch;
  const uint64_t *a = src<uint64_t>(w, i.s[0]);
  uint32_t r = 0;
  uint64_t window = windowOf(launch, i.space);
  each(m, [&](unsigned l) {
    uint64_t offset = a[l] - launch.sharedWindow;
    bool inWindows = offset < kWindowCount * kWindowBytes;
    bool yes = i.space == Space::Const ? i.mode != 0
               : window                ? a[l] - window < kWindowBytes
                                       : !inWindows;
    if (i.space == Space::Shared) {
      uint64_t far = offset - kClusterWindows;
      yes |= far < kMaxClusterBlocks * kWindowBytes &&
             (i.mode || far / kWindowBytes == w.block->rank);
    }
    if (i.space == Space::Const) {
      CachedRange range;
      yes = !inWindows && findRange(w, a[l], range) &&
            range.kind == AllocationKind::Constant;
    }
    r |= static_cast<uint32_t>(yes) << l;
  });
  writePred(w, i.d[0], m, r);
}

void nothing(Warp &, const Insn &, uint32_t) {}
void fence(Warp &, const Insn &, uint32_t) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

Handler selectMov(const InsnDesc &d) {
  switch (d.variant) {
  case kMovePack:
  case kMoveUnpack: {
    bool isPack = d.variant == kMovePack;
    unsigned whole = isPack ? d.destBytes : d.sourceBytes;
    unsigned part = isPack ? d.sourceBytes : d.destBytes;
    if (whole == 16)
      return part != 8 ? nullptr : isPack ? pack128 : unpack128;
    switch (part) {
    case 1:
      if (whole == 2)
        return isPack ? packBytes<uint16_t> : unpackBytes<uint16_t>;
      return isPack ? packBytes<uint32_t> : unpackBytes<uint32_t>;
    case 2:
      return packFor<uint16_t>(whole, isPack);
    case 4:
      return packFor<uint32_t>(whole, isPack);
    default:
      return nullptr;
    }
  }
  case kMoveSpecial:
    if (d.destBytes == 0)
      return specialPred;
    if (d.destBytes == 2)
      return special<uint16_t>;
    return d.destBytes == 8 ? special<uint64_t> : special<uint32_t>;
  case kMoveFrameLocal:
    return d.destBytes == 8 ? frameLocal<uint64_t> : frameLocal<uint32_t>;
  case kMoveShared:
    return d.destBytes == 8 ? immediate<uint64_t> : immediate<uint32_t>;
  default:
    break;
  }
  if (d.type() == Type::Pred)
    return movePred;
  if (sizeOf(d.type()) == 16)
    return move128;
  return forWidth(sizeOf(d.type()),
                  [](auto x) -> Handler { return move<decltype(x)>; });
}

} // namespace

Handler selectMove(const InsnDesc &d) {
  std::string_view op = d.opcode;
  if (op == "mov")
    return selectMov(d);
  if (d.type() == Type::Pred) {
    if (op == "and")
      return predAnd;
    if (op == "or")
      return predOr;
    if (op == "xor")
      return predXor;
    if (op == "not")
      return predNot;
  }
  if (op == "cvta")
    return sizeOf(d.type()) == 8 ? cvta : Handler(nullptr);
  if (op == "isspacep")
    return isspacep;
  if (op == "mapa")
    return sizeOf(d.type()) == 8 ? mapAddress<uint64_t> : mapAddress<uint32_t>;
  if (op == "getctarank")
    return sizeOf(d.type()) == 8 ? addressRank<uint64_t>
                                 : addressRank<uint32_t>;
  if (op == "membar" || op == "fence")
    return fence;
  if (op == "prefetch" || op == "prefetchu" || op == "discard" ||
      op == "applypriority" || op == "pmevent" || op == "griddepcontrol" ||
      op == "nop" || op == "setmaxnreg")
    return nothing;
  return nullptr;
}

} // namespace gpulto::emu::GPULTO_EMU_ISA
