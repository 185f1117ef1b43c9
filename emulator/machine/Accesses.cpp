//===- Accesses.cpp - Rows of access instructions -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every request of an access instruction is added to the row of the instruction
// and the memory; full warps, warps with inactive lanes, and the last warps of
// blocks that are no multiple of 32 threads apart from each other. This is done
// before the instruction runs, from its operands, so that handlers and their
// fast paths know nothing of it.
//
// Local memory is counted as hardware lays it out: words of four bytes, those
// of the 32 lanes side by side.
//
//===----------------------------------------------------------------------===//

#include "emulator/machine/Accesses.h"

#include "emulator/machine/DeviceImpl.h"
#include "emulator/machine/Sectors.h"

#include <algorithm>
#include <cstring>

namespace gpulto::emu {

/// Addresses as in emulator/exec/Resolve.h.
static void addressesOf(Warp &w, const Insn &place, uint64_t *a) {
  uint64_t offset = static_cast<uint64_t>(place.imm);
  if (place.flags & kFrameLocal)
    offset += w.frame->localBase;
  if (place.s[0] == kNoOp) {
    std::fill_n(a, kLanes, offset);
    return;
  }
  const uint8_t *from = w.base[place.s[0] & 1] + (place.s[0] >> 1);
  if (place.flags & kAddress32) {
    uint32_t r[kLanes];
    memcpy(r, from, sizeof(r));
    for (unsigned l = 0; l < kLanes; ++l)
      a[l] = r[l] + static_cast<uint32_t>(offset);
    return;
  }
  memcpy(a, from, kLanes * sizeof(uint64_t));
  for (unsigned l = 0; l < kLanes; ++l)
    a[l] += offset;
}

/// Takes \p offset in the windows of shared memory to one of the block's own;
/// false for one of another block.
static bool ownShared(const Warp &w, uint64_t &offset) {
  uint64_t window = kClusterWindows + w.block->rank * kWindowBytes;
  if (offset - window < kWindowBytes)
    offset -= window;
  return offset < w.block->launch->sharedBytes;
}

/// The lanes \p m whose address is a generic one.
static void locateGeneric(Warp &w, uint32_t m, AccessLanes &lanes) {
  const Launch &launch = *w.block->launch;
  for (uint32_t r = m; r; r &= r - 1) {
    unsigned l = static_cast<unsigned>(__builtin_ctz(r));
    uint64_t offset = lanes.at[l] - launch.sharedWindow;
    uint32_t bit = 1u << l;
    if (offset >= kWindowCount * kWindowBytes) {
      lanes.masks[kAccessGlobal] |= bit;
    } else if (uint64_t inLocal = lanes.at[l] - launch.localWindow;
               inLocal < kWindowBytes) {
      lanes.masks[kAccessLocal] |= bit;
      lanes.at[l] = inLocal;
    } else if (ownShared(w, offset)) {
      lanes.masks[kAccessShared] |= bit;
      lanes.at[l] = offset;
    }
  }
}

void locateAccess(Warp &w, const Insn &place, uint32_t m, AccessLanes &lanes) {
  addressesOf(w, place, lanes.at);
  switch (place.space) {
  case Space::Shared:
    for (uint32_t r = m; r; r &= r - 1) {
      unsigned l = static_cast<unsigned>(__builtin_ctz(r));
      if (ownShared(w, lanes.at[l]))
        lanes.masks[kAccessShared] |= 1u << l;
    }
    return;
  case Space::Local:
    lanes.masks[kAccessLocal] = m;
    return;
  case Space::Param:
    if (!(place.flags & kIsKernel))
      lanes.masks[kAccessLocal] = m;
    return;
  case Space::Const:
    lanes.masks[kAccessConst] = m;
    return;
  case Space::Generic:
    locateGeneric(w, m, lanes);
    return;
  default:
    lanes.masks[kAccessGlobal] = m;
  }
}

namespace {

/// What one request costs.
struct Cost {
  uint32_t sectors = 0, ideal = 0, lines = 0, conflicts = 0;
};

} // namespace

/// Of \p n accesses to global or constant memory.
static Cost costOf(uint64_t *addresses, size_t n, unsigned bytes) {
  Cost c;
  c.sectors = unitsTouched(addresses, n, bytes, kSectorBytes);
  c.lines = unitsTouched(addresses, n, bytes, kLineBytes);
  size_t distinct = distinctOf(addresses, n);
  c.ideal = idealSectors(distinct, bytes);
  c.conflicts = static_cast<uint32_t>(distinct - 1);
  return c;
}

/// Of the lanes \p mask at \p at, without a memo.
static Cost costOf(AccessSpace space, uint32_t mask, const uint64_t *at,
                   unsigned bytes) {
  uint64_t addresses[kLanes];
  uint32_t offsets[kLanes] = {};
  size_t n = 0;
  for (uint32_t r = mask; r; r &= r - 1) {
    unsigned l = static_cast<unsigned>(__builtin_ctz(r));
    offsets[l] = static_cast<uint32_t>(at[l]);
    addresses[n++] = at[l];
  }
  if (space == kAccessShared) {
    Cost c;
    c.conflicts = conflictsOf(mask, offsets, bytes);
    return c;
  }
  Cost c = costOf(addresses, n,
                  std::min(bytes, space == kAccessLocal ? kBankBytes : bytes));
  if (space == kAccessLocal && bytes > kBankBytes) { // Further words alike.
    c.sectors *= bytes / kBankBytes;
    c.lines *= bytes / kBankBytes;
    c.ideal = idealSectors(n, bytes);
  }
  if (space != kAccessConst)
    c.conflicts = 0;
  return c;
}

/// The same; costs of an access like the instruction's last are remembered.
static Cost costOf(Warp &w, const Insn &insn, AccessSpace space, uint32_t mask,
                   const uint64_t *at, unsigned bytes) {
  AccessMemo probe;
  probe.insn = &insn;
  unsigned modulus = space == kAccessShared ? kBankBytes : unsigned(kLineBytes);
  if (!describeAccess(mask, at, modulus, probe))
    return costOf(space, mask, at, bytes);
  std::vector<AccessMemo> &memos = w.worker->accessMemos;
  if (memos.empty())
    memos.resize(kMemoCount * kAccessSpaces);
  AccessMemo &memo = memos[space * kMemoCount + memoIndex(insn)];
  if (!isLike(memo, probe)) {
    Cost c = costOf(space, mask, at, bytes);
    probe.counts[0] = c.sectors;
    probe.counts[1] = c.ideal;
    probe.counts[2] = c.lines;
    probe.counts[3] = c.conflicts;
    memo = probe;
  }
  return {memo.counts[0], memo.counts[1], memo.counts[2], memo.counts[3]};
}

/// The sums that a request of the lanes \p mask belongs to.
static AccessSums &sumsOf(Warp &w, const Insn &insn, AccessSpace space,
                          uint32_t mask) {
  std::unique_ptr<AccessRow> &row =
      (*w.accesses)[static_cast<size_t>(&insn - w.frame->fn->code.data()) *
                        kAccessSpaces +
                    space];
  if (!row)
    row = std::make_unique<AccessRow>();
  uint32_t threads = w.block->launch->threadsPerBlock - w.index * kLanes;
  bool isLast = threads < kLanes;
  uint32_t all = isLast ? (1u << threads) - 1 : kAllLanes;
  unsigned group = isLast ? kLastFullWarp : kFullWarp;
  return row->groups[group + (mask != all)];
}

static void addRequest(AccessSums &s, uint32_t mask, const Cost &c,
                       bool isTainted, bool isChosen) {
  ++s.requests;
  s.lanes += static_cast<unsigned>(__builtin_popcount(mask));
  s.tainted += isTainted;
  s.chosen += isChosen;
  s.sectors += c.sectors;
  s.idealSectors += c.ideal;
  s.lines += c.lines;
  s.overIdeal += c.sectors > c.ideal;
  s.severalLines += c.lines > 1;
  s.conflicts += c.conflicts;
  s.minSectors = std::min(s.minSectors, c.sectors);
  s.maxSectors = std::max(s.maxSectors, c.sectors);
  s.maxConflicts = std::max(s.maxConflicts, c.conflicts);
}

/// Local memory as hardware has it.
static void interleave(uint32_t mask, uint64_t *at) {
  for (uint32_t r = mask; r; r &= r - 1) {
    unsigned l = static_cast<unsigned>(__builtin_ctz(r));
    at[l] =
        at[l] / kBankBytes * kLineBytes + l * kBankBytes + at[l] % kBankBytes;
  }
}

void countAccess(Warp &w, const Insn &insn, const AccessLanes &lanes,
                 unsigned bytes, uint32_t tainted, uint32_t chosen) {
  if (insn.cls == InsnClass::Param) // Of a call.
    return;
  for (unsigned k = 0; k < kAccessSpaces; ++k) {
    uint32_t mask = lanes.masks[k];
    if (!mask)
      continue;
    AccessSpace space = static_cast<AccessSpace>(k);
    uint64_t at[kLanes];
    memcpy(at, lanes.at, sizeof(at));
    if (space == kAccessLocal)
      interleave(mask, at);
    addRequest(sumsOf(w, insn, space, mask), mask,
               costOf(w, insn, space, mask, at, bytes), tainted & mask,
               chosen & mask);
  }
}

void countBulkAccess(Warp &w, const Insn &insn, uint64_t address,
                     uint32_t bytes, bool isTainted, bool isChosen) {
  Cost c;
  auto touched = [&](uint64_t unit) {
    return static_cast<uint32_t>((address + bytes - 1) / unit - address / unit +
                                 1);
  };
  c.sectors = touched(kSectorBytes);
  c.lines = touched(kLineBytes);
  c.ideal = idealSectors(1, bytes);
  addRequest(sumsOf(w, insn, kAccessGlobal, 1), 1, c, isTainted, isChosen);
}

static void addSums(AccessSums &to, const AccessSums &from) {
  to.requests += from.requests;
  to.lanes += from.lanes;
  to.tainted += from.tainted;
  to.chosen += from.chosen;
  to.sectors += from.sectors;
  to.idealSectors += from.idealSectors;
  to.lines += from.lines;
  to.overIdeal += from.overIdeal;
  to.severalLines += from.severalLines;
  to.conflicts += from.conflicts;
  to.minSectors = std::min(to.minSectors, from.minSectors);
  to.maxSectors = std::max(to.maxSectors, from.maxSectors);
  to.maxConflicts = std::max(to.maxConflicts, from.maxConflicts);
}

void addRow(AccessRow &to, const AccessRow &from) {
  for (unsigned g = 0; g < kAccessGroups; ++g)
    addSums(to.groups[g], from.groups[g]);
}

void addAccesses(AccessTable &to, const AccessTable &from) {
  if (to.size() < from.size())
    to.resize(from.size());
  for (size_t f = 0; f < from.size(); ++f) {
    if (to[f].size() < from[f].size())
      to[f].resize(from[f].size());
    for (size_t k = 0; k < from[f].size(); ++k) {
      if (!from[f][k])
        continue;
      if (!to[f][k])
        to[f][k] = std::make_unique<AccessRow>();
      addRow(*to[f][k], *from[f][k]);
    }
  }
}

} // namespace gpulto::emu
