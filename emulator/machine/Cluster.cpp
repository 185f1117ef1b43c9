//===- Cluster.cpp - barrier.cluster and distributed shared memory --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "barrier.cluster". A thread arrives, and waits later for the end
// of the phase in which it arrived; a phase ends when all threads that have not
// ended arrived. The blocks of a cluster run on one thread of the host, so
// nothing here needs a lock.
//
//===----------------------------------------------------------------------===//

#include "emulator/machine/DeviceImpl.h"
#include "emulator/machine/Machine.h"

namespace gpulto::emu {

/// Ends the phase if everybody arrived.
static void recheckCluster(Cluster &cluster) {
  if (!cluster.arrived || cluster.arrived < cluster.liveThreads)
    return;
  cluster.arrived = 0;
  for (std::unique_ptr<Block> &block : cluster.blocks) {
    ++block->barrierPhase;
    for (std::unique_ptr<Warp> &w : block->warps) {
      w->clusterPassed |= w->clusterArrived & ~w->atCluster;
      w->clusterArrived = 0;
      w->atBarrier &= ~w->atCluster;
      w->atCluster = 0;
    }
  }
}

static void raiseMisuse(Warp &w, const Insn &insn, uint32_t lanes,
                        const char *text) {
  raiseFault(w, insn, static_cast<unsigned>(__builtin_ctz(lanes)),
             ErrorKind::IllegalInstruction, text);
}

void clusterBarrier(Warp &w, const Insn &insn, uint32_t mask) {
  Cluster &cluster = *w.block->cluster;
  bool isWait = insn.mode != 0;
  uint32_t known = w.clusterArrived | w.clusterPassed;
  if (isWait) {
    if (mask & ~known) {
      raiseMisuse(w, insn, mask & ~known,
                  "barrier.cluster.wait of a thread that did not arrive");
      return;
    }
    uint32_t waiting = mask & w.clusterArrived;
    w.clusterPassed &= ~mask;
    w.atCluster |= waiting;
    w.atBarrier |= waiting;
    return;
  }
  if (mask & known) {
    raiseMisuse(w, insn, mask & known,
                "barrier.cluster.arrive twice without a wait");
    return;
  }
  ++w.worker->barriers;
  w.clusterArrived |= mask;
  cluster.arrived += static_cast<uint32_t>(__builtin_popcount(mask));
  recheckCluster(cluster);
}

void leaveCluster(Warp &w, uint32_t mask) {
  Cluster &cluster = *w.block->cluster;
  cluster.liveThreads -= static_cast<uint32_t>(__builtin_popcount(mask));
  cluster.arrived -=
      static_cast<uint32_t>(__builtin_popcount(mask & w.clusterArrived));
  w.clusterArrived &= ~mask;
  w.clusterPassed &= ~mask;
  recheckCluster(cluster);
}

Block *sharedOwner(Block &from, uint64_t address) {
  for (std::unique_ptr<Block> &block : from.cluster->blocks)
    if (address - reinterpret_cast<uint64_t>(block->shared) <
        from.launch->sharedBytes)
      return block.get();
  return nullptr;
}

uint64_t clusterAddress(Warp &w, const Insn &insn, unsigned lane,
                        uint64_t offset, unsigned bytes, bool isWrite) {
  const Launch &launch = *w.block->launch;
  uint64_t rank = (offset - kClusterWindows) / kWindowBytes;
  uint64_t at = offset % kWindowBytes;
  if (offset < kClusterWindows || rank >= launch.blocksPerCluster ||
      at + bytes > launch.sharedBytes) {
    raiseAddressFault(w, insn, lane, launch.sharedWindow + offset, bytes,
                      isWrite);
    return 0;
  }
  Block &owner = *w.block->cluster->blocks[rank];
  if (!owner.liveThreads) {
    raiseFault(w, insn, lane, ErrorKind::IllegalAddress,
               "shared memory of block " + std::to_string(rank) +
                   " of the cluster, which has ended");
    return 0;
  }
  return reinterpret_cast<uint64_t>(owner.shared) + at;
}

} // namespace gpulto::emu
