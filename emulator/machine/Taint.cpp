//===- Taint.cpp - Which values come from scattered loads -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane's register is tainted if its value was made of the result of a load at
// addresses that differ among the active lanes, or of an atomic. An access at a
// tainted address is one whose pattern the program's data decides, so no
// analysis of the code can tell it.
//
// Example: in a[idx[threadIdx.x]] the load of idx taints its result, and with
// it the address of the load of a.
//
// - An instruction's results are tainted in the lanes where a source is.
// - Where a tainted value splits the lanes that run (a branch, a guard), all
//   that they do until they are together again is what the data chose: results
//   are tainted, and requests are counted as chosen.
// - A shuffle hands taint on with the value, and taints all it chooses by a
//   tainted index. Votes, matches, reductions and matrix products taint all
//   lanes if one is tainted. Textures and surfaces are loads.
// - A load at one address taints nothing. A lane that is alone has one
//   address, and cannot tell: its result is as the address is.
// - Local memory, which a lane reads as it wrote it, keeps the taint, by byte,
//   as arguments and results of calls do. Loads of it at differing offsets are
//   like others. No other memory keeps it.
//
// Registers have one word of 32 bits, a bit a lane, at the place of their first
// value. All of this is done before the instruction runs.
//
//===----------------------------------------------------------------------===//

#include "emulator/machine/Accesses.h"
#include "emulator/ptx/InsnDesc.h"

#include <algorithm>
#include <cstring>

namespace gpulto::emu {

namespace {

/// An instruction that is about to run for the lanes in mask.
struct Step {
  Warp &w;
  const Insn &insn;
  uint32_t mask;
  const Function &fn;
  const Flow &flow;
  uint32_t *words;   ///< The frame's part of TaintShadow::registers.
  uint32_t byChoice; ///< The lanes, if tainted values chose them, or none.

  uint32_t of(Op op) const {
    return op == kNoOp || op & 1 ? 0 : words[(op >> 1) / 4];
  }
  const uint32_t *values(Op op) const {
    return reinterpret_cast<const uint32_t *>(w.base[op & 1] + (op >> 1));
  }
  void set(uint32_t offset, uint32_t tainted) {
    uint32_t &word = words[offset / 4];
    word = (word & ~mask) | ((tainted | byChoice) & mask);
  }
  void setResults(uint32_t tainted) {
    for (unsigned k = 0; k < flow.results; ++k)
      set(fn.flowOffsets[flow.first + k], tainted);
  }
  uint32_t ofSources() const {
    uint32_t tainted = 0;
    for (unsigned k = 0; k < flow.sources; ++k)
      tainted |= words[fn.flowOffsets[flow.first + flow.results + k] / 4];
    return tainted;
  }
  /// The registers that are loaded or stored.
  Op element(unsigned k, bool isStore) const {
    if (insn.vec > 1)
      return fn.extra[insn.extra + k];
    return isStore ? insn.s[1] : insn.d[0];
  }
};

} // namespace

static bool isUniform(uint32_t mask, const uint64_t *at) {
  uint64_t first = at[__builtin_ctz(mask)], apart = 0;
  for (uint32_t r = mask; r; r &= r - 1)
    apart |= at[__builtin_ctz(r)] ^ first;
  return apart == 0;
}

/// The taint of what the lanes \p mask load at \p at; \p address is that of the
/// addresses.
static uint32_t ofLoad(uint32_t mask, const uint64_t *at, uint32_t address) {
  if (!mask)
    return 0;
  if (!(mask & (mask - 1)))
    return address & mask;
  return isUniform(mask, at) ? 0 : mask;
}

/// Lanes of local memory whose bytes are all there.
static uint32_t localLanes(const Warp &w, const AccessLanes &lanes,
                           unsigned bytes) {
  uint32_t inside = 0;
  for (uint32_t r = lanes.masks[kAccessLocal]; r; r &= r - 1) {
    unsigned l = static_cast<unsigned>(__builtin_ctz(r));
    if (lanes.at[l] + bytes <= w.localBytes)
      inside |= 1u << l;
  }
  return inside;
}

static void traceLoad(Step &s) {
  AccessLanes lanes;
  locateAccess(s.w, s.insn, s.mask, lanes);
  const uint32_t address = s.of(s.insn.s[0]);
  const unsigned bytes = s.insn.bytes * s.insn.vec;
  countAccess(s.w, s.insn, lanes, bytes, address, s.byChoice);
  const uint32_t local = localLanes(s.w, lanes, bytes);
  const uint32_t others = ofLoad(s.mask & ~local, lanes.at, address);
  const bool isSlot = local && isUniform(local, lanes.at);
  for (unsigned k = 0; k < s.insn.vec; ++k) {
    Op op = s.element(k, false);
    if (op == kNoOp)
      continue;
    uint32_t stored = isSlot ? 0 : local;
    if (isSlot) {
      const uint32_t *from = s.w.taint->local.data() +
                             lanes.at[__builtin_ctz(local)] + k * s.insn.bytes;
      for (unsigned b = 0; b < s.insn.bytes; ++b)
        stored |= from[b] & local;
    }
    s.set(op >> 1, others | stored);
  }
}

static void traceStore(Step &s) {
  AccessLanes lanes;
  locateAccess(s.w, s.insn, s.mask, lanes);
  const unsigned bytes = s.insn.bytes * s.insn.vec;
  countAccess(s.w, s.insn, lanes, bytes, s.of(s.insn.s[0]), s.byChoice);
  uint32_t local = localLanes(s.w, lanes, bytes);
  while (local) {
    uint64_t at = lanes.at[__builtin_ctz(local)];
    uint32_t here = 0;
    for (uint32_t r = local; r; r &= r - 1)
      if (lanes.at[__builtin_ctz(r)] == at)
        here |= r & (0 - r);
    uint32_t *to = s.w.taint->local.data() + at;
    for (unsigned b = 0; b < bytes; ++b) {
      uint32_t value = s.of(s.element(b / s.insn.bytes, true)) | s.byChoice;
      to[b] = (to[b] & ~here) | (value & here);
    }
    local &= ~here;
  }
}

static void traceAtomic(Step &s) {
  AccessLanes lanes;
  locateAccess(s.w, s.insn, s.mask, lanes);
  countAccess(s.w, s.insn, lanes, s.insn.bytes * s.insn.vec, s.of(s.insn.s[0]),
              s.byChoice);
  s.setResults(s.mask);
}

/// cp.async; operands as in emulator/exec/ExecAsync.cpp.
static void traceAsyncCopy(Step &s) {
  const Insn &i = s.insn;
  AccessLanes to;
  locateAccess(s.w, i, s.mask, to);
  countAccess(s.w, i, to, i.bytes, s.of(i.s[0]), s.byChoice);
  uint32_t reads = s.mask;
  if (i.s[2] != kNoOp && i.mode)
    reads &= ~*s.values(i.s[2]);
  else if (i.s[2] != kNoOp)
    for (unsigned l = 0; l < kLanes; ++l)
      if (s.values(i.s[2])[l] == 0)
        reads &= ~(1u << l);
  if (!reads)
    return;
  Insn source = i;
  source.s[0] = i.s[1];
  source.imm = static_cast<int32_t>(i.target);
  source.space = Space::Global;
  source.flags &= static_cast<uint8_t>(~kAddress32);
  AccessLanes from;
  locateAccess(s.w, source, reads, from);
  countAccess(s.w, i, from, i.bytes, s.of(i.s[1]), s.byChoice);
}

/// The side of a bulk copy that is global memory.
static void traceBulkCopy(Step &s) {
  const Insn &i = s.insn;
  Insn side = i;
  if (i.space == Space::Shared) {
    if (i.mode & kBulkFromShared)
      return;
    side.s[0] = i.s[1];
    side.imm = static_cast<int32_t>(i.target);
    side.space = Space::Global;
    side.flags = i.mode & kBulkFrom32 ? kAddress32 : 0;
  }
  AccessLanes lanes;
  locateAccess(s.w, side, s.mask, lanes);
  for (uint32_t r = lanes.masks[kAccessGlobal]; r; r &= r - 1) {
    unsigned l = static_cast<unsigned>(__builtin_ctz(r));
    if (uint32_t bytes = s.values(i.s[2])[l])
      countBulkAccess(s.w, i, lanes.at[l], bytes, s.of(side.s[0]) >> l & 1,
                      s.byChoice != 0);
  }
}

/// ldmatrix and stmatrix: the first lanes have the addresses of rows.
static void traceMatrixRows(Step &s) {
  constexpr unsigned kRowBytes = 16, kRowsOfMatrix = 8;
  unsigned rows = s.fn.matrices[s.insn.target].count * kRowsOfMatrix;
  uint32_t used = s.mask & (kAllLanes >> (kLanes - rows));
  if (!used)
    return;
  AccessLanes lanes;
  locateAccess(s.w, s.insn, used, lanes);
  uint32_t address = s.of(s.insn.s[0]);
  countAccess(s.w, s.insn, lanes, kRowBytes, address, s.byChoice);
  s.setResults(ofLoad(used, lanes.at, address) ? s.mask : 0);
}

/// tex and suld; operands as in emulator/ptx/DecodeTexture.cpp.
static void traceImage(Step &s) {
  constexpr unsigned kChannels = 4;
  const Insn &i = s.insn;
  unsigned first = i.mode & kImageSurface ? i.vec : kChannels;
  unsigned count = i.mode2 + (i.mode & kImageLayered ? 1 : 0);
  bool differ = false;
  for (unsigned k = 0; k < count; ++k) {
    const uint32_t *at = s.values(s.fn.extra[i.extra + first + k]);
    for (uint32_t r = s.mask; r; r &= r - 1)
      differ |= at[__builtin_ctz(r)] != at[__builtin_ctz(s.mask)];
  }
  s.setResults(differ ? s.mask : 0);
}

static void traceShuffle(Step &s) {
  const Insn &i = s.insn;
  const uint32_t value = s.of(i.s[0]), *b = s.values(i.s[1]),
                 *c = s.values(i.s[2]);
  const uint32_t index = s.of(i.s[1]) | s.of(i.s[2]);
  uint32_t tainted = index;
  for (uint32_t r = s.mask; r; r &= r - 1) {
    unsigned l = static_cast<unsigned>(__builtin_ctz(r));
    bool in = false;
    unsigned from =
        shuffledLane(static_cast<ShuffleMode>(i.mode), l, b[l], c[l], in);
    tainted |= (value >> from & 1) << l;
  }
  if (i.d[0] != kNoOp)
    s.set(i.d[0] >> 1, tainted);
  if (i.d[1] != kNoOp)
    s.set(i.d[1] >> 1, index);
}

static void traceData(Step &s) {
  uint32_t tainted = s.ofSources();
  uint32_t &carry = s.w.taint->carry;
  if (s.flow.readsCarry)
    tainted |= carry;
  s.setResults(tainted);
  if (s.flow.writesCarry)
    carry = (carry & ~s.mask) | (tainted & s.mask);
}

/// Makes the shadow as large as what it shadows.
static void growShadow(Warp &w) {
  TaintShadow &shadow = *w.taint;
  if (shadow.registers.size() < w.regBytes / 4)
    shadow.registers.resize(w.regBytes / 4);
  if (shadow.local.size() < w.localBytes)
    shadow.local.resize(w.localBytes);
}

void resetTaint(Warp &w) {
  if (!w.taint)
    w.taint = std::make_unique<TaintShadow>();
  std::fill(w.taint->registers.begin(), w.taint->registers.end(), 0u);
  std::fill(w.taint->local.begin(), w.taint->local.end(), 0u);
  w.taint->carry = 0;
  w.taint->splits.clear();
}

/// Whether some of the lanes that run were split off others by a tainted value,
/// and are not together with them again.
static bool isSplit(Warp &w) {
  std::vector<uint32_t> &splits = w.taint->splits;
  std::erase_if(splits, [&](uint32_t group) {
    return (group & ~w.active) == 0;
  });
  return std::any_of(splits.begin(), splits.end(),
                     [&](uint32_t group) { return (group & w.active) != 0; });
}

/// Whether a tainted value keeps others of the lanes that run from running the
/// instruction. Remembers the group if they part.
static bool splitsHere(const Step &s) {
  uint32_t tainted = 0;
  if (s.insn.guard != kNoGuard && s.mask != s.w.active)
    tainted = s.words[s.insn.guard / 4];
  else if (s.insn.ctl == Ctl::BranchIndex)
    tainted = s.ofSources();
  if (!(tainted & s.w.active))
    return false;
  std::vector<uint32_t> &splits = s.w.taint->splits;
  bool parts = s.insn.ctl == Ctl::Branch || s.insn.ctl == Ctl::BranchIndex ||
               s.insn.ctl == Ctl::Exit || s.insn.ctl == Ctl::Return ||
               s.insn.ctl == Ctl::Call;
  if (parts &&
      std::find(splits.begin(), splits.end(), s.w.active) == splits.end())
    splits.push_back(s.w.active);
  return true;
}

void traceInsn(Warp &w, const Insn &insn, uint32_t mask) {
  growShadow(w);
  const Function &fn = *w.frame->fn;
  const Flow &flow = fn.flows[static_cast<size_t>(&insn - fn.code.data())];
  Step s{w,  insn, mask,
         fn, flow, w.taint->registers.data() + w.frame->regOffset / 4,
         0};
  bool isChosen = isSplit(w);
  isChosen |= splitsHere(s);
  s.byChoice = isChosen ? mask : 0;
  switch (flow.kind) {
  case FlowKind::Data:
    return traceData(s);
  case FlowKind::Load:
    return traceLoad(s);
  case FlowKind::Store:
    return traceStore(s);
  case FlowKind::Atomic:
    return traceAtomic(s);
  case FlowKind::AsyncCopy:
    return traceAsyncCopy(s);
  case FlowKind::BulkCopy:
    return traceBulkCopy(s);
  case FlowKind::MatrixRows:
    return traceMatrixRows(s);
  case FlowKind::Fragment:
    return s.setResults(mask);
  case FlowKind::Image:
    return traceImage(s);
  case FlowKind::Shuffle:
    return traceShuffle(s);
  case FlowKind::Lanes:
    return s.setResults(s.ofSources() & mask ? mask : 0);
  }
}

void copyTaint(Warp &w, unsigned lane, uint32_t to, uint32_t from,
               uint32_t bytes) {
  growShadow(w);
  uint32_t *local = w.taint->local.data(), bit = 1u << lane;
  for (uint32_t b = 0; b < bytes; ++b)
    local[to + b] = (local[to + b] & ~bit) | (local[from + b] & bit);
}

void clearTaint(Warp &w, uint32_t mask, const CallSite &site) {
  growShadow(w);
  for (const CallCopy &result : site.results)
    for (uint32_t b = 0; b < result.sizeBytes; ++b)
      w.taint->local[w.frame->localBase + result.callerOffset + b] &= ~mask;
}

} // namespace gpulto::emu
