//===- ExecAsync.cpp - cp.async and mbarrier ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An mbarrier object is 64 bits of shared memory whose layout is nobody else's
// business (struct Mbarrier). A phase ends when no arrivals and no bytes are
// outstanding; the barrier then expects the same arrivals again. The state
// that an arrival returns is the object before it, whose phase tells whether
// that phase has ended. The blocks of a cluster run on one thread of the host,
// so nothing here needs a lock.
//
//===----------------------------------------------------------------------===//

#include "emulator/exec/Resolve.h"

#include <algorithm>

namespace gpulto::emu::GPULTO_EMU_ISA {

namespace {

constexpr uint32_t kMostArrivals = (1u << 20) - 1;
constexpr int32_t kMostBytes = (1 << 20) - 1;

/// What an mbarrier object holds; on the right its bits.
struct Mbarrier {
  uint32_t pending;  // 0-19: arrivals outstanding
  uint32_t expected; // 20-39: arrivals of every phase
  int32_t bytes;     // 40-61: bytes outstanding; may be negative for a while
  uint32_t phase;    // 62
  bool isValid;      // 63
};
Mbarrier unpack(uint64_t v) {
  return {static_cast<uint32_t>(v) & kMostArrivals,
          static_cast<uint32_t>(v >> 20) & kMostArrivals,
          static_cast<int32_t>(static_cast<int64_t>(v << 2) >> 42),
          static_cast<uint32_t>(v >> 62) & 1, (v >> 63) != 0};
}
uint64_t pack(const Mbarrier &b) {
  return b.pending | static_cast<uint64_t>(b.expected) << 20 |
         (static_cast<uint64_t>(b.bytes) & 0x3fffff) << 40 |
         static_cast<uint64_t>(b.phase) << 62 |
         static_cast<uint64_t>(b.isValid) << 63;
}

/// Ends the phase when nothing is outstanding.
void endPhase(Block &block, Mbarrier &b) {
  if (b.pending || b.bytes)
    return;
  b.pending = b.expected;
  b.phase ^= 1;
  ++block.barrierPhase;
}

/// Applies \p op with its operand to \p b. Returns what is wrong, or null.
const char *apply(Block &block, unsigned op, uint32_t value, Mbarrier &b) {
  if (op == kMbarrierInit) {
    b = {value, value, 0, 0, true};
    return value && value <= kMostArrivals ? nullptr : "count of mbarrier.init";
  }
  if (!b.isValid)
    return "the mbarrier is not initialized";
  uint32_t arrivals = 0;
  switch (op) {
  case kMbarrierExpect:
  case kMbarrierArriveExpect:
  case kMbarrierDropExpect:
    b.bytes += static_cast<int32_t>(value);
    arrivals = op != kMbarrierExpect;
    break;
  case kMbarrierComplete:
    b.bytes -= static_cast<int32_t>(value);
    break;
  case kMbarrierArrive:
  case kMbarrierDrop:
    arrivals = value;
    break;
  default: // kMbarrierTouch: expects one arrival more, and makes it.
    return nullptr;
  }
  if (b.bytes > kMostBytes || b.bytes < -kMostBytes)
    return "more bytes than an mbarrier can count";
  if (arrivals > b.pending)
    return "more arrivals than the mbarrier expects";
  b.pending -= arrivals;
  if (op == kMbarrierDrop || op == kMbarrierDropExpect)
    b.expected -= std::min(arrivals, b.expected);
  if (arrivals || op == kMbarrierComplete)
    endPhase(block, b);
  return nullptr;
}

/// The block whose shared memory holds \p address; null after a fault.
Block *barrierOwner(Warp &w, const Insn &i, unsigned lane, uint64_t address) {
  Block *owner = sharedOwner(*w.block, address);
  if (!owner)
    raiseFault(w, i, lane, ErrorKind::InvalidAddressSpace,
               "the mbarrier is not in shared memory");
  return owner;
}

void mbarrier(Warp &w, const Insn &i, uint32_t m) {
  alignas(64) uint64_t a[kLanes];
  if (!resolve(w, i, m, 8, 8, true, a, i.mode > kMbarrierInvalidate))
    return;
  const uint32_t *value = i.s[1] == kNoOp ? nullptr : src<uint32_t>(w, i.s[1]);
  uint64_t *state = i.d[0] == kNoOp ? nullptr : dst<uint64_t>(w, i.d[0]);
  each(m, [&](unsigned l) {
    if (w.worker->faulted)
      return;
    Block *owner = barrierOwner(w, i, l, a[l]);
    if (!owner)
      return;
    uint64_t &word = *reinterpret_cast<uint64_t *>(a[l]);
    if (i.mode == kMbarrierInvalidate) {
      word = 0;
      return;
    }
    Mbarrier b = unpack(word);
    if (const char *wrong = apply(*owner, i.mode, value ? value[l] : 1, b)) {
      raiseFault(w, i, l, ErrorKind::IllegalInstruction, wrong);
      return;
    }
    if (state)
      state[l] = word;
    word = pack(b);
  });
}

/// complete_tx of \p bytes on the mbarrier at \p address, of any block.
void completeBytes(Warp &w, const Insn &i, unsigned lane, uint64_t address,
                   uint32_t bytes) {
  Block *owner = barrierOwner(w, i, lane, address);
  if (!owner)
    return;
  uint64_t &word = *reinterpret_cast<uint64_t *>(address);
  Mbarrier b = unpack(word);
  if (const char *wrong = apply(*owner, kMbarrierComplete, bytes, b))
    raiseFault(w, i, lane, ErrorKind::IllegalInstruction, wrong);
  word = pack(b);
}

/// test_wait and try_wait: whether the phase of the state, or the one with the
/// parity, has ended.
template <bool kParity> void wait(Warp &w, const Insn &i, uint32_t m) {
  alignas(64) uint64_t a[kLanes];
  if (!resolve(w, i, m, 8, 8, false, a, true))
    return;
  uint32_t ended = 0;
  each(m, [&](unsigned l) {
    if (w.worker->faulted || !barrierOwner(w, i, l, a[l]))
      return;
    Mbarrier b = unpack(*reinterpret_cast<const uint64_t *>(a[l]));
    if (!b.isValid) {
      raiseFault(w, i, l, ErrorKind::IllegalInstruction,
                 "the mbarrier is not initialized");
      return;
    }
    uint32_t phase = kParity ? src<uint32_t>(w, i.s[1])[l] & 1
                             : unpack(src<uint64_t>(w, i.s[1])[l]).phase;
    ended |= static_cast<uint32_t>(b.phase != phase) << l;
  });
  writePred(w, i.d[0], m, ended);
}

void pendingCount(Warp &w, const Insn &i, uint32_t m) {
  map(
      m, dst<uint32_t>(w, i.d[0]),
      [](uint64_t state) {
        return static_cast<uint32_t>(state) & kMostArrivals;
      },
      src<uint64_t>(w, i.s[1]));
}

/// cp.async of 4, 8 or 16 bytes, done at once. s[0]: shared address, s[1]:
/// global address, Insn::target its offset; Insn::bytes: size; s[2]: bytes to
/// take from the source, the rest zero (kNoOp: all); with Insn::mode 1 a
/// predicate that says to take none.
void copyAsync(Warp &w, const Insn &i, uint32_t m) {
  alignas(64) uint64_t to[kLanes], from[kLanes];
  unsigned bytes = i.bytes;
  Insn source = i;
  source.s[0] = i.s[1];
  source.imm = static_cast<int32_t>(i.target);
  source.space = Space::Global;
  source.flags &= static_cast<uint8_t>(~kAddress32);
  bool isPredicate = i.mode != 0;
  const uint32_t *take =
      i.s[2] == kNoOp || isPredicate ? nullptr : src<uint32_t>(w, i.s[2]);
  uint32_t reads = isPredicate ? m & ~predSrc(w, i.s[2]) : m;
  if (take) // Lanes that take nothing do not read.
    each(m, [&](unsigned l) {
      if (take[l] == 0)
        reads &= ~(1u << l);
    });
  if (!resolve(w, i, m, bytes, bytes, true, to))
    return;
  if (reads && !resolveAt(w, source, i, reads, bytes, bytes, false, from))
    return;
  each(m, [&](unsigned l) {
    unsigned n = !(reads >> l & 1)         ? 0
                 : take && take[l] < bytes ? take[l]
                                           : bytes;
    uint8_t t[16] = {};
    if (n)
      std::memcpy(t, reinterpret_cast<const void *>(from[l]), n);
    std::memcpy(reinterpret_cast<void *>(to[l]), t, bytes);
  });
}

/// A bulk copy; see decodeCopyBulk. Insn::target: offset of the source, extra:
/// of the mbarrier; s[2]: bytes.
void copyBulk(Warp &w, const Insn &i, uint32_t m) {
  Insn source = i, barrier = i;
  source.s[0] = i.s[1];
  source.imm = static_cast<int32_t>(i.target);
  source.space = i.mode & kBulkFromShared ? Space::Shared : Space::Global;
  source.flags = i.mode & kBulkFrom32 ? kAddress32 : 0;
  barrier.s[0] = i.s[3];
  barrier.imm = static_cast<int32_t>(i.extra);
  barrier.space = Space::Shared;
  barrier.flags = i.mode & kBulkBarrier32 ? kAddress32 : 0;
  const uint32_t *size = src<uint32_t>(w, i.s[2]);
  each(m, [&](unsigned l) {
    if (w.worker->faulted)
      return;
    alignas(64) uint64_t to[kLanes], from[kLanes], at[kLanes];
    uint32_t one = 1u << l, n = size[l];
    if (n % 16 || n > static_cast<uint32_t>(kMostBytes)) {
      raiseFault(w, i, l, ErrorKind::IllegalInstruction,
                 "bulk copy of " + std::to_string(n) + " bytes");
      return;
    }
    if (n) {
      if (!resolveAt(w, i, i, one, n, 16, true, to) ||
          !resolveAt(w, source, i, one, n, 16, false, from))
        return;
      std::memmove(reinterpret_cast<void *>(to[l]),
                   reinterpret_cast<const void *>(from[l]), n);
    }
    if (!(i.mode & kBulkHasBarrier) ||
        !resolveAt(w, barrier, i, one, 8, 8, true, at, true))
      return;
    completeBytes(w, i, l, at[l], n);
  });
}

/// st.bulk: fills with zeros. s[1]: bytes.
void storeBulk(Warp &w, const Insn &i, uint32_t m) {
  const uint64_t *size = src<uint64_t>(w, i.s[1]);
  each(m, [&](unsigned l) {
    if (w.worker->faulted || !size[l])
      return;
    if (size[l] % 8 || size[l] > w.block->launch->sharedBytes) {
      raiseFault(w, i, l, ErrorKind::IllegalInstruction,
                 "st.bulk of " + std::to_string(size[l]) + " bytes");
      return;
    }
    alignas(64) uint64_t to[kLanes];
    unsigned bytes = static_cast<unsigned>(size[l]);
    if (resolveAt(w, i, i, 1u << l, bytes, 8, true, to))
      std::memset(reinterpret_cast<void *>(to[l]), 0, bytes);
  });
}

} // namespace

Handler selectAsync(const InsnDesc &d) {
  if (d.opcode == "st" && d.has("bulk"))
    return storeBulk;
  bool isCopy = d.opcode == "cp";
  if (isCopy && d.has("bulk"))
    return copyBulk;
  if (isCopy && !d.has("mbarrier"))
    return copyAsync;
  if (!isCopy && d.opcode != "mbarrier")
    return nullptr;
  switch (d.variant) {
  case kMbarrierWait:
    return wait<false>;
  case kMbarrierWaitParity:
    return wait<true>;
  case kMbarrierPending:
    return pendingCount;
  default:
    return mbarrier;
  }
}

} // namespace gpulto::emu::GPULTO_EMU_ISA
