//===- Barriers.cpp - bar and barrier -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, section 9.7.13.1. Threads are counted one by one (barriers of
// sm_70 and later); where a barrier names a count, which is one of whole warps,
// a warp all of whose live threads are there counts as 32. Threads that ended
// are not waited for.
//
//===----------------------------------------------------------------------===//

#include "emulator/machine/Machine.h"

namespace gpulto::emu {

static bool isComplete(const Block &block, const BlockBarrier &b) {
  if (b.waits.empty())
    return false;
  if (b.expected == 0) {
    uint32_t waiting = 0;
    for (const BarrierWait &wait : b.waits)
      waiting += static_cast<uint32_t>(__builtin_popcount(wait.mask));
    return waiting + b.arrivedOnly >= block.liveThreads;
  }
  uint32_t count = b.arrivedOnly;
  for (size_t k = 0; k < b.waits.size(); ++k) {
    const Warp *warp = b.waits[k].warp;
    uint32_t mask = 0;
    bool counted = false;
    for (size_t j = 0; j < b.waits.size(); ++j) {
      if (b.waits[j].warp != warp)
        continue;
      counted |= j < k;
      mask |= b.waits[j].mask;
    }
    if (counted)
      continue;
    count += mask == warp->alive
                 ? kLanes
                 : static_cast<uint32_t>(__builtin_popcount(mask));
  }
  return count >= b.expected;
}

/// Writes the results of bar.red and lets everybody go.
static void complete(Block &block, BlockBarrier &b) {
  uint32_t threads = b.arrivedOnly;
  for (const BarrierWait &wait : b.waits)
    threads += static_cast<uint32_t>(__builtin_popcount(wait.mask));
  for (const BarrierWait &wait : b.waits) {
    Warp &w = *wait.warp;
    w.atBarrier &= ~wait.mask;
    const Insn &insn = *wait.insn;
    BarrierOp op = static_cast<BarrierOp>(insn.mode);
    if (op == BarrierOp::Sync || op == BarrierOp::Arrive)
      continue;
    uint8_t *to = w.regs.get() + wait.frame->regOffset + (insn.d[0] >> 1);
    uint32_t *words = reinterpret_cast<uint32_t *>(to);
    if (op == BarrierOp::Popc) {
      for (uint32_t r = wait.mask; r; r &= r - 1)
        words[__builtin_ctz(r)] = b.trueCount;
      continue;
    }
    bool value =
        op == BarrierOp::And ? b.trueCount == threads : b.trueCount != 0;
    words[0] = value ? words[0] | wait.mask : words[0] & ~wait.mask;
  }
  b = BlockBarrier();
  ++block.barrierPhase;
}

void arriveBarrier(Warp &w, const Insn &insn, uint32_t mask, uint32_t id,
                   uint32_t count, uint32_t predicate) {
  Block &block = *w.block;
  unsigned first = static_cast<unsigned>(__builtin_ctz(mask));
  if (id >= block.barriers.size()) {
    raiseFault(w, insn, first, ErrorKind::IllegalInstruction,
               "barrier " + std::to_string(id) + " of 16");
    return;
  }
  if (count % kLanes) {
    raiseFault(w, insn, first, ErrorKind::IllegalInstruction,
               "barrier for " + std::to_string(count) +
                   " threads, which are not whole warps");
    return;
  }
  BlockBarrier &b = block.barriers[id];
  b.expected = count;
  ++w.worker->barriers;
  if (static_cast<BarrierOp>(insn.mode) == BarrierOp::Arrive) {
    b.arrivedOnly += mask == w.alive
                         ? kLanes
                         : static_cast<uint32_t>(__builtin_popcount(mask));
  } else {
    b.waits.push_back({&w, &insn, w.frame, mask});
    b.trueCount += static_cast<uint32_t>(__builtin_popcount(predicate & mask));
    w.atBarrier |= mask;
  }
  if (isComplete(block, b))
    complete(block, b);
}

void recheckBarriers(Block &block) {
  if (!block.liveThreads)
    return;
  for (BlockBarrier &b : block.barriers)
    if (isComplete(block, b))
      complete(block, b);
}

} // namespace gpulto::emu
