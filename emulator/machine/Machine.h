//===- Machine.h - The state of what runs decoded code --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp runs 32 lanes in lockstep where they agree and keeps a program counter
// and a call frame per lane where they do not. A register is a column set: 32
// values side by side (structure of arrays), so one handler call is a short
// vector loop. A predicate is a 32-bit mask. Frames are slices of one register
// stack per warp; since every lane owns its column, lanes at different depths
// of calls never touch each other's values.
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_MACHINE_MACHINE_H
#define GPULTO_EMULATOR_MACHINE_MACHINE_H

#include "emulator/machine/AccessTable.h"
#include "emulator/machine/Device.h"
#include "emulator/machine/HostPages.h"
#include "emulator/machine/MemoryShadow.h"
#include "emulator/ptx/Code.h"

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace gpulto::emu {

struct Warp;
struct Block;
struct Cluster;
struct Worker;
struct Launch;

/// One activation shared by all lanes that reached it with the same layout.
struct Frame {
  const Function *fn = nullptr;
  uint32_t regOffset = 0;
  uint32_t localBase = 0;
  uint32_t depth = 0;
  uint32_t id = 0;
  Frame *lastCallee = nullptr; ///< Of those called from here.
  Frame *firstCallee = nullptr, *nextSibling = nullptr;
};

/// How a lane returns from a call.
struct CallRecord {
  Frame *frame = nullptr;
  uint32_t pc = 0;
  const CallSite *site = nullptr;
};

/// Dynamic counts of one instruction.
struct InsnCounts {
  uint64_t warps = 0, threads = 0;
  uint64_t divergent = 0;
  uint64_t accesses = 0, sectors = 0, idealSectors = 0, bytes = 0;
  uint64_t sharedBytes = 0, bankConflicts = 0;
  uint64_t localBytes = 0; ///< Through generic addresses only.
};

/// The counts of an instruction's last access, and the relative positions of
/// its lanes: a similar access counts the same.
struct AccessMemo {
  const Insn *insn = nullptr;
  uint32_t mask = 0;
  uint32_t phase = 0; ///< The first address modulo a word or sector.
  uint32_t distance[kLanes] = {}; ///< From the first lane's address.
  uint32_t counts[4] = {};
};
constexpr unsigned kMemoCount = 256;

/// The fault that stopped a launch.
struct Fault {
  ErrorKind kind = ErrorKind::None;
  std::string text;
};

/// The live range that an instruction touched last.
struct CachedRange {
  uint64_t begin = 1, end = 0;
  uint32_t epoch = 0;
  AllocationKind kind = AllocationKind::Device;
};

constexpr unsigned kRangeCacheSize = 256;

/// A host thread that runs blocks.
struct Worker {
  Launch *launch = nullptr;
  Fault fault;
  bool faulted = false;
  std::array<CachedRange, kRangeCacheSize> ranges;
  HostPages hostPages;
  /// By Function::globalId; filled at first use.
  std::vector<std::vector<InsnCounts>> counts;
  /// For shared and global accesses; only with counters.
  std::vector<AccessMemo> sharedMemos, globalMemos;
  /// Only when accesses are traced; filled like counts. The memos are by space.
  AccessTable accesses;
  std::vector<AccessMemo> accessMemos;
  uint64_t warpInsns = 0;
  uint64_t barriers = 0;
};

/// A thread that waits at a block barrier.
struct BarrierWait {
  Warp *warp;
  const Insn *insn;
  Frame *frame;
  uint32_t mask;
};

struct BlockBarrier {
  std::vector<BarrierWait> waits;
  uint32_t expected = 0;    ///< Threads; 0: all of the block.
  uint32_t arrivedOnly = 0; ///< Threads of bar.arrive.
  uint32_t trueCount = 0;   ///< Threads whose predicate holds.
};

struct Warp {
  uint8_t *base[2] = {nullptr, nullptr}; ///< Frame and constants in use.
  Worker *worker = nullptr;
  Worker *lastWorker = nullptr; ///< Whose counts are in use.
  Block *block = nullptr;
  InsnCounts *counts = nullptr;         ///< Of the function in use; null: off.
  FunctionAccesses *accesses = nullptr; ///< The same.
  Frame *frame = nullptr;               ///< Of the group that runs.
  uint32_t active = 0;                  ///< Lanes of the group that runs.
  uint32_t alive = 0;
  uint32_t atBarrier = 0;      ///< Wait at a barrier of the block or cluster.
  uint32_t atCluster = 0;      ///< Of these: at that of the cluster.
  uint32_t clusterArrived = 0; ///< Arrived there in the current phase.
  uint32_t clusterPassed = 0;  ///< Arrived in the previous one, not waited.
  uint32_t atSync = 0;         ///< Wait for lanes of their warp.
  uint32_t deferred = 0;       ///< Used up their share; others first.
  uint32_t carry = 0;          ///< CC.CF
  uint32_t syncPhase = 0;      ///< Grows when lanes of the warp synchronize.
  uint32_t index = 0;          ///< In the block.
  bool hasThreadIds = false;   ///< tid is filled in.
  uint32_t pc[kLanes] = {};
  Frame *frames[kLanes] = {};
  uint32_t tid[3][kLanes] = {};
  uint32_t syncMask[kLanes] = {}; ///< Member masks of lanes in atSync.
  AlignedBytes regs;
  size_t regBytes = 0;
  AlignedBytes local;
  uint32_t localBytes = 0; ///< Per lane.
  uint32_t localStride = 0;
  std::deque<Frame> framePool;
  size_t framesUsed = 0;
  std::vector<CallRecord> calls[kLanes];
  std::unique_ptr<TaintShadow> taint; ///< Only when accesses are traced.
};

/// Shadow of shared memory for the race report; see RaceCheck.cpp.
struct RaceShadow;
struct RaceShadowDelete {
  void operator()(RaceShadow *) const;
};

/// What a block has of the device runtime; see DeviceCalls.h.
struct DeviceCalls;
struct DeviceCallsDelete {
  void operator()(DeviceCalls *) const;
};
struct DeviceOperation;

struct Block {
  Launch *launch = nullptr;
  Cluster *cluster = nullptr;
  uint32_t rank = 0; ///< In the cluster.
  uint64_t linear = 0;
  uint32_t ctaid[3] = {};
  uint8_t *shared = nullptr;
  AlignedBytes sharedMemory;
  std::vector<std::unique_ptr<Warp>> warps;
  std::array<BlockBarrier, 16> barriers;
  uint32_t liveThreads = 0;
  uint32_t barrierPhase = 0; ///< Grows at each completed barrier.
  bool isFresh = true;       ///< Has not run yet.
  std::string output;
  std::unique_ptr<RaceShadow, RaceShadowDelete> race;
  std::unique_ptr<DeviceCalls, DeviceCallsDelete> calls; ///< Null: none yet.
  uint32_t nextWarp = 0;
};

/// Blocks that run together on one host thread; mostly a single one.
struct Cluster {
  uint32_t id[3] = {};
  std::vector<std::unique_ptr<Block>> blocks; ///< By rank.
  uint32_t liveThreads = 0;
  uint32_t arrived = 0; ///< Threads at barrier.cluster in this phase.
};

class DeviceImpl;

/// Textures and surfaces by handle.
using ImageTable = std::map<uint64_t, Image>;

/// A running grid; read-only while it runs, except where noted.
struct Launch {
  DeviceImpl *device = nullptr;
  Memory *memory = nullptr;
  const Function *kernel = nullptr;
  const void *layout = nullptr; ///< Whose shared layout is patched in.
  uint32_t grid[3] = {1, 1, 1};
  uint32_t block[3] = {1, 1, 1};
  uint32_t cluster[3] = {1, 1, 1};
  bool hasClusters = false; ///< A size was named, be it of one block.
  uint32_t threadsPerBlock = 1;
  uint32_t blocksPerCluster = 1;
  uint64_t clusterCount = 1;
  uint32_t staticShared = 0, dynamicShared = 0, sharedBytes = 0;
  std::vector<uint8_t> params;
  std::shared_ptr<const ImageTable> images;
  uint32_t smCount = 1;
  uint64_t gridId = 0;
  /// For a cooperative launch: two zeroed words {size, barrier}, which
  /// cooperative groups find through %envreg1 (high half) and %envreg2;
  /// otherwise 0.
  uint64_t workspace = 0;
  bool singleThread = true; ///< One worker: atomics need no lock.
  bool counting = false;
  bool tracing = false; ///< Accesses and taint; only when counting.
  bool checkRaces = false;
  MemoryShadow *shadow = nullptr; ///< Is told of accesses; null: off.
  bool poison = false; ///< Shared memory begins with kPoison.
  bool oneThread = false;
  uint64_t seed = 0;
  uint64_t instructionLimit = ~0ull; ///< Warp instructions.
  uint64_t sharedWindow = 0, localWindow = 0, paramWindow = 0;
  DeviceSet peers = 1; ///< Devices whose memory the kernel may use.
  // Results after its end.
  uint64_t warpInsns = 0;
  std::vector<DeviceOperation> operations;
};

/// Records a fault of \p lane at \p insn, with its place, unless there already
/// is one.
void raiseFault(Warp &w, const Insn &insn, unsigned lane, ErrorKind kind,
                const std::string &text);

/// Finds out why \p address may not be accessed and raises the fault.
void raiseAddressFault(Warp &w, const Insn &insn, unsigned lane,
                       uint64_t address, unsigned bytes, bool isWrite);

/// Slow path of global accesses: the live range around \p address, or false.
bool findRange(Warp &w, uint64_t address, CachedRange &range);

/// Counts an access of lanes \p mask at \p addresses (global or generic).
void countGlobal(Warp &w, const Insn &insn, uint32_t mask,
                 const uint64_t *addresses, unsigned bytes);
/// Counts bank conflicts of an access to shared memory (offsets).
void countShared(Warp &w, const Insn &insn, uint32_t mask,
                 const uint32_t *offsets, unsigned bytes);
/// Counts the parts of a generic access that go to shared and local memory.
void countWindows(Warp &w, const Insn &insn, uint32_t mask,
                  const uint64_t *addresses, unsigned bytes);
/// Records accesses to shared memory for the race report.
void noteShared(Warp &w, const Insn &insn, uint32_t mask,
                const uint64_t *offsets, unsigned bytes, bool isWrite,
                bool isAtomic);

/// Adds up the access of \p insn, which is about to run for \p mask, and moves
/// taint as it will move values.
void traceInsn(Warp &w, const Insn &insn, uint32_t mask);
/// Makes the taint of a warp that is about to start.
void resetTaint(Warp &w);
/// Copies the taint of a lane's local memory.
void copyTaint(Warp &w, unsigned lane, uint32_t to, uint32_t from,
               uint32_t bytes);
/// Takes the taint from the results of a call of an external function.
void clearTaint(Warp &w, uint32_t mask, const CallSite &site);

/// Enters the callees of \p site for \p mask; false on a fault.
bool enterCalls(Warp &w, const Insn &insn, uint32_t mask, const CallSite &site,
                uint32_t returnPc);
/// Raises the fault of trap, brkpt, and instructions without a handler.
void raiseStop(Warp &w, const Insn &insn, uint32_t mask);
/// Returns from the running frame for \p mask.
void leaveCall(Warp &w, uint32_t mask);
/// Runs an external function for \p mask; false on a fault.
bool callExternal(Warp &w, const Insn &insn, uint32_t mask,
                  const CallSite &site);
/// Arrival of \p mask at a block barrier; lanes wait or all continue.
void arriveBarrier(Warp &w, const Insn &insn, uint32_t mask, uint32_t id,
                   uint32_t count, uint32_t predicate);
/// To be called when lanes of a block ended: barriers may be complete now.
void recheckBarriers(Block &block);
/// barrier.cluster.arrive and .wait; lanes wait or continue.
void clusterBarrier(Warp &w, const Insn &insn, uint32_t mask);
/// To be called when the lanes in \p mask ended.
void leaveCluster(Warp &w, uint32_t mask);
/// The block of \p from's cluster whose shared memory holds \p address (one of
/// this process), or null.
Block *sharedOwner(Block &from, uint64_t address);
/// The address in this process of \p offset, which is in the windows of the
/// cluster's blocks; 0 after a fault.
uint64_t clusterAddress(Warp &w, const Insn &insn, unsigned lane,
                        uint64_t offset, unsigned bytes, bool isWrite);
/// Makes \p frame the one in use.
void useFrame(Warp &w, Frame *frame);

/// Why runWarp returned.
enum class RunResult : uint8_t {
  Slice,    ///< It may be waiting for others: a spin loop, nanosleep.
  Progress, ///< It has run for long.
  Blocked,  ///< Every lane waits for a barrier or for lanes of its warp.
  Done,
  Fault, ///< Worker::fault
};

/// The handlers of one level of the instruction set.
struct ExecTable {
  Selector select;
  /// Runs a warp for a slice. With \p force, if no lane can run, lanes that
  /// wait for lanes of their warp continue without these.
  RunResult (*runWarp)(Warp &w, bool force);
};
namespace isa_base {
const ExecTable &execTable();
}
namespace isa_v3 {
const ExecTable &execTable();
}

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_MACHINE_MACHINE_H
