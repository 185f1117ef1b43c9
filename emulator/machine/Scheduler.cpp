//===- Scheduler.cpp - Blocks and threads of the host ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Goal: run blocks to their end one after the other where they do not wait for
// each other, and give all co-resident blocks their turn where they do.
//
// 0. The statements about blocks below hold for clusters: a worker runs the
//    blocks of a cluster in turns (runCluster). Without clusters, each has one
//    block.
// 1. A worker takes blocks in order of their index and runs one until it ends
//    (runBlock).
// 2. A block whose warps all went round spin loops, or ran for very long, goes
//    to the back of the worker's queue. When a whole round of the queue ended
//    no block, as many new ones are admitted as are resident: a grid barrier
//    over n blocks costs O(n log n) slices. The queue keeps the order of the
//    blocks: once its first block can go on, one round resolves a whole chain
//    of blocks that wait for their predecessors (decoupled look-back).
// 3. No more blocks are resident at once than the device would have, so a
//    program that hangs on hardware because of it hangs here, too.
// 4. Helpers start only when a grid has run for a while: most grids of tests
//    are shorter than the start of a thread.
//
//===----------------------------------------------------------------------===//

#include "emulator/machine/DeviceImpl.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <thread>
#include <xmmintrin.h>

namespace gpulto::emu {

bool growRegisters(Warp &w, size_t bytes);
bool growLocal(Warp &w, uint32_t bytes);
Frame *newFrame(Warp &w);
std::unique_ptr<RaceShadow, RaceShadowDelete> makeRaceShadow(size_t bytes);
const std::set<std::string> &raceReportsOf(const RaceShadow &shadow);

namespace {

/// Rounds over the warps of a block that only made progress, before others get
/// their turn.
constexpr unsigned kRoundsOfBlock = 64;
/// Warp instructions before helpers are started: some hundred microseconds.
constexpr uint64_t kAloneInsns = 1u << 14;
/// Blocks among which a seeded schedule changes the order.
constexpr uint64_t kShuffleWindow = 32;
/// Rounding to nearest, no flushing of denormals, no exceptions.
constexpr unsigned kDefaultControl = 0x1f80;

enum class BlockResult : uint8_t { Done, Yield, Blocked, Fault };

/// Randomness of a seeded schedule (splitmix64).
struct Random {
  uint64_t state;
  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
};

/// The clusters of a worker, which it visits in rounds.
struct Rounds {
  std::deque<std::unique_ptr<Cluster>> queue;
  std::vector<std::unique_ptr<Cluster>> pool; ///< Ended, to be used again.
  size_t left = 0; ///< To visit before more are admitted.
  bool hasEnded = false;
};

class Grid {
public:
  Grid(DeviceImpl &device, Launch &launch, unsigned threads,
       uint64_t residentLimit)
      : device(device), launch(launch), threads(threads),
        residentLimit(residentLimit) {}
  Status run();

private:
  void work(Worker &worker);
  void admit(Worker &worker, Rounds &rounds);
  void runNext(Worker &worker, Rounds &rounds);
  std::unique_ptr<Cluster>
  takeCluster(Worker &worker, std::vector<std::unique_ptr<Cluster>> &pool);
  bool initCluster(Cluster &cluster, uint64_t linear);
  bool initBlock(Cluster &cluster, Block &block, uint32_t rank);
  bool initWarp(Block &block, Warp &warp, uint32_t index);
  BlockResult runCluster(Worker &worker, Cluster &cluster);
  BlockResult runBlock(Worker &worker, Block &block);
  bool forceOrDeadlock(Worker &worker, Cluster &cluster);
  void raiseLimit(Worker &worker, Warp &w);
  void finishBlock(Block &block);
  void finishCluster(Cluster &cluster);
  void startHelpers();
  uint64_t orderOf(uint64_t index) const;

  DeviceImpl &device;
  Launch &launch;
  unsigned threads;
  uint64_t residentLimit;
  std::atomic<uint64_t> nextCluster{0};
  std::atomic<uint64_t> resident{0}; ///< Blocks.
  std::atomic<bool> stop{false};
  std::mutex mutex;
  std::vector<std::unique_ptr<Worker>> workers;
  std::vector<std::thread> helpers;
  std::map<uint64_t, std::string> outputs;
  std::map<uint64_t, std::vector<DeviceOperation>> operations;
  std::set<std::string> races;
  Fault fault;
};

/// The cluster that is started as number \p index.
uint64_t Grid::orderOf(uint64_t index) const {
  if (!launch.seed)
    return index;
  uint64_t first = index / kShuffleWindow * kShuffleWindow;
  uint64_t n = std::min(kShuffleWindow, launch.clusterCount - first);
  uint64_t order[kShuffleWindow];
  for (uint64_t k = 0; k < n; ++k)
    order[k] = first + k;
  Random random{launch.seed ^ (first * 0x9e3779b97f4a7c15)};
  for (uint64_t k = n; k > 1; --k)
    std::swap(order[k - 1], order[random.next() % k]);
  return order[index - first];
}

bool Grid::initWarp(Block &block, Warp &w, uint32_t index) {
  const Function &kernel = *launch.kernel;
  w.block = &block;
  w.index = index;
  w.alive = w.atBarrier = w.atSync = w.deferred = w.carry = 0;
  w.atCluster = w.clusterArrived = w.clusterPassed = 0;
  w.syncPhase = 0;
  bool hadCalls = w.framesUsed > 1;
  w.framesUsed = 0;
  w.frame = nullptr;
  w.counts = nullptr;
  w.accesses = nullptr;
  if (launch.tracing)
    resetTaint(w);
  if (!growRegisters(w, std::max<size_t>(kernel.frameBytes, 64)))
    return false;
  w.localBytes = 0;
  if (!growLocal(w, kernel.localBytes))
    return false;
  Frame *root = newFrame(w);
  root->fn = &kernel;
  uint32_t first = index * kLanes;
  uint32_t threadsLeft = launch.threadsPerBlock - first;
  w.alive = threadsLeft >= kLanes ? kAllLanes : (1u << threadsLeft) - 1;
  for (unsigned l = 0; l < kLanes; ++l) {
    w.pc[l] = 0;
    w.frames[l] = root;
  }
  if (hadCalls)
    for (std::vector<CallRecord> &calls : w.calls)
      calls.clear();
  if (w.hasThreadIds) // Of an earlier block of this grid.
    return true;
  w.hasThreadIds = true;
  for (unsigned l = 0; l < kLanes; ++l) {
    uint32_t t = first + l;
    w.tid[0][l] = t % launch.block[0];
    w.tid[1][l] = t / launch.block[0] % launch.block[1];
    w.tid[2][l] = t / launch.block[0] / launch.block[1];
  }
  return true;
}

bool Grid::initBlock(Cluster &cluster, Block &block, uint32_t rank) {
  block.launch = &launch;
  block.cluster = &cluster;
  block.rank = rank;
  const uint32_t *size = launch.cluster;
  const uint32_t at[3] = {rank % size[0], rank / size[0] % size[1],
                          rank / size[0] / size[1]};
  for (unsigned k = 0; k < 3; ++k)
    block.ctaid[k] = cluster.id[k] * size[k] + at[k];
  block.linear = block.ctaid[0] +
                 launch.grid[0] * (block.ctaid[1] +
                                   uint64_t(launch.grid[1]) * block.ctaid[2]);
  block.liveThreads = launch.threadsPerBlock;
  block.barrierPhase = 0;
  block.nextWarp = 0;
  for (BlockBarrier &b : block.barriers)
    b = BlockBarrier();
  if (!block.sharedMemory) {
    block.sharedMemory = allocateAligned(launch.sharedBytes);
    if (!block.sharedMemory)
      return false;
    block.shared = block.sharedMemory.get();
  } else {
    memset(block.shared, 0, launch.sharedBytes);
  }
  if (launch.poison)
    fillPoison(block.shared, launch.sharedBytes);
  uint32_t warps = (launch.threadsPerBlock + kLanes - 1) / kLanes;
  while (block.warps.size() < warps)
    block.warps.push_back(std::make_unique<Warp>());
  for (uint32_t k = 0; k < warps; ++k)
    if (!initWarp(block, *block.warps[k], k))
      return false;
  if (launch.checkRaces)
    block.race = makeRaceShadow(launch.sharedBytes);
  return true;
}

bool Grid::initCluster(Cluster &cluster, uint64_t linear) {
  uint32_t count[2] = {launch.grid[0] / launch.cluster[0],
                       launch.grid[1] / launch.cluster[1]};
  cluster.id[0] = static_cast<uint32_t>(linear % count[0]);
  cluster.id[1] = static_cast<uint32_t>(linear / count[0] % count[1]);
  cluster.id[2] = static_cast<uint32_t>(linear / count[0] / count[1]);
  cluster.liveThreads = launch.threadsPerBlock * launch.blocksPerCluster;
  cluster.arrived = 0;
  while (cluster.blocks.size() < launch.blocksPerCluster)
    cluster.blocks.push_back(std::make_unique<Block>());
  for (uint32_t rank = 0; rank < launch.blocksPerCluster; ++rank)
    if (!initBlock(cluster, *cluster.blocks[rank], rank))
      return false;
  return true;
}

/// Warps wait and none can run. Lets lanes go that wait for lanes of their own
/// warp; if there are none, this is a deadlock.
bool Grid::forceOrDeadlock(Worker &worker, Cluster &cluster) {
  Warp *waiting = nullptr;
  uint32_t live = 0;
  for (std::unique_ptr<Block> &block : cluster.blocks) {
    for (std::unique_ptr<Warp> &w : block->warps) {
      if (w->atSync) {
        w->worker = &worker;
        return device.exec->runWarp(*w, true) != RunResult::Fault;
      }
      if (!waiting && w->alive & w->atBarrier)
        waiting = w.get();
    }
    if (!live)
      live = block->liveThreads;
  }
  unsigned lane = waiting ? static_cast<unsigned>(__builtin_ctz(
                                waiting->alive & waiting->atBarrier))
                          : 0;
  std::string text = "deadlock: " + std::to_string(live) +
                     " threads of the block live and none can go on";
  if (!waiting) {
    worker.faulted = true;
    worker.fault = {ErrorKind::Deadlock, text};
    return false;
  }
  waiting->worker = &worker;
  useFrame(*waiting, waiting->frames[lane]);
  uint32_t pc = waiting->pc[lane];
  const Insn &insn = waiting->frame->fn->code[pc ? pc - 1 : 0];
  raiseFault(*waiting, insn, lane, ErrorKind::Deadlock, text);
  return false;
}

/// The fault of a launch that ran for too long, at a place where \p w is.
void Grid::raiseLimit(Worker &worker, Warp &w) {
  std::string text = "the launch ran " +
                     std::to_string(device.options.maxWarpInstructions) +
                     " warp instructions, which is the limit";
  if (!w.alive) {
    worker.faulted = true;
    worker.fault = {ErrorKind::InstructionLimit,
                    text + ": kernel " + launch.kernel->name};
    return;
  }
  unsigned lane = static_cast<unsigned>(__builtin_ctz(w.alive));
  useFrame(w, w.frames[lane]);
  const Insn &insn = w.frame->fn->code[w.pc[lane]];
  raiseFault(w, insn, lane, ErrorKind::InstructionLimit, text);
}

BlockResult Grid::runBlock(Worker &worker, Block &block) {
  Random random{launch.seed ^ (block.linear + 1)};
  size_t n = (launch.threadsPerBlock + kLanes - 1) / kLanes;
  for (unsigned round = 0;; ++round) {
    bool ran = false, spun = false;
    size_t start = launch.seed ? random.next() % n : 0;
    for (size_t k = 0; k < n; ++k) {
      Warp &w = *block.warps[(start + k) % n];
      if (!(w.alive & ~w.atBarrier & ~w.atSync))
        continue;
      ran = true;
      w.worker = &worker;
      RunResult r = device.exec->runWarp(w, false);
      if (r == RunResult::Fault)
        return BlockResult::Fault;
      spun |= r == RunResult::Slice;
      bool isLast = !block.cluster->liveThreads &&
                    resident.load() == launch.blocksPerCluster &&
                    nextCluster.load() >= launch.clusterCount;
      if (worker.warpInsns >= launch.instructionLimit && !isLast) {
        raiseLimit(worker, w);
        return BlockResult::Fault;
      }
    }
    if (!block.liveThreads)
      return BlockResult::Done;
    if (stop.load(std::memory_order_relaxed))
      return BlockResult::Yield;
    if (!ran)
      return BlockResult::Blocked;
    if (spun || round >= kRoundsOfBlock)
      return BlockResult::Yield;
  }
}

/// Gives the blocks of \p cluster their turns, until it has to give way.
BlockResult Grid::runCluster(Worker &worker, Cluster &cluster) {
  for (unsigned round = 0;; ++round) {
    uint64_t before = worker.warpInsns;
    bool yields = round >= kRoundsOfBlock;
    for (std::unique_ptr<Block> &block : cluster.blocks) {
      if (!block->liveThreads)
        continue;
      BlockResult r = runBlock(worker, *block);
      if (r == BlockResult::Fault)
        return r;
      yields |= r == BlockResult::Yield;
    }
    if (!cluster.liveThreads)
      return BlockResult::Done;
    if (worker.warpInsns == before && !forceOrDeadlock(worker, cluster))
      return BlockResult::Fault;
    if (!cluster.liveThreads)
      return BlockResult::Done;
    if (yields || stop.load(std::memory_order_relaxed))
      return BlockResult::Yield;
  }
}

std::unique_ptr<Cluster>
Grid::takeCluster(Worker &worker, std::vector<std::unique_ptr<Cluster>> &pool) {
  if (stop.load(std::memory_order_relaxed) ||
      nextCluster.load(std::memory_order_relaxed) >= launch.clusterCount)
    return nullptr;
  uint64_t blocks = launch.blocksPerCluster;
  if (resident.fetch_add(blocks) + blocks > residentLimit) {
    resident -= blocks;
    return nullptr;
  }
  uint64_t index = nextCluster.fetch_add(1);
  if (index >= launch.clusterCount) {
    resident -= blocks;
    return nullptr;
  }
  std::unique_ptr<Cluster> cluster;
  if (!pool.empty()) {
    cluster = std::move(pool.back());
    pool.pop_back();
  } else {
    cluster = std::make_unique<Cluster>();
  }
  if (!initCluster(*cluster, orderOf(index))) {
    worker.faulted = true;
    worker.fault = {ErrorKind::OutOfMemory, "out of memory for a block"};
    stop = true;
    return nullptr;
  }
  return cluster;
}

void Grid::finishBlock(Block &block) {
  if (block.output.empty() && !block.race && !block.calls)
    return;
  std::lock_guard lock(mutex);
  if (!block.output.empty())
    outputs[block.linear] = std::move(block.output);
  block.output.clear();
  if (block.calls) {
    releaseBuffers(device, *block.calls);
    operations[block.linear] = std::move(block.calls->operations);
    block.calls.reset();
  }
  if (block.race)
    races.insert(raceReportsOf(*block.race).begin(),
                 raceReportsOf(*block.race).end());
}

void Grid::finishCluster(Cluster &cluster) {
  resident -= launch.blocksPerCluster;
  for (std::unique_ptr<Block> &block : cluster.blocks)
    finishBlock(*block);
}

/// Begins a round: admits one cluster if there is none, or doubles their number
/// if the last round ended none.
void Grid::admit(Worker &worker, Rounds &rounds) {
  size_t wanted = 1;
  if (!rounds.queue.empty())
    wanted = rounds.hasEnded ? 0 : rounds.queue.size();
  if (!launch.singleThread && !rounds.queue.empty() && !rounds.hasEnded)
    std::this_thread::yield(); // The awaited worker may need this core.
  for (; wanted; --wanted) {
    std::unique_ptr<Cluster> cluster = takeCluster(worker, rounds.pool);
    if (!cluster)
      break;
    rounds.queue.push_back(std::move(cluster));
  }
  rounds.left = rounds.queue.size();
  rounds.hasEnded = false;
}

void Grid::runNext(Worker &worker, Rounds &rounds) {
  std::unique_ptr<Cluster> cluster = std::move(rounds.queue.front());
  rounds.queue.pop_front();
  --rounds.left;
  BlockResult result = runCluster(worker, *cluster);
  bool isRunning =
      result == BlockResult::Yield || result == BlockResult::Blocked;
  if (isRunning && !stop.load(std::memory_order_relaxed)) {
    rounds.queue.push_back(std::move(cluster));
    return;
  }
  finishCluster(*cluster);
  if (result == BlockResult::Done) {
    rounds.pool.push_back(std::move(cluster));
    rounds.hasEnded = true;
  } else if (result == BlockResult::Fault) {
    stop = true;
  }
}

void Grid::work(Worker &worker) {
  unsigned control = _mm_getcsr();
  _mm_setcsr(kDefaultControl);
  Rounds rounds;
  while (!worker.faulted) {
    if (rounds.queue.empty() || rounds.left == 0)
      admit(worker, rounds);
    if (rounds.queue.empty()) {
      // Others may still hold places that blocks not yet begun wait for.
      bool more = nextCluster.load() < launch.clusterCount;
      if (!more || stop.load())
        break;
      std::this_thread::yield();
      continue;
    }
    runNext(worker, rounds);
    if (&worker == workers[0].get() && threads > 1 && helpers.empty() &&
        worker.warpInsns > kAloneInsns)
      startHelpers();
    if (stop.load(std::memory_order_relaxed)) {
      for (std::unique_ptr<Cluster> &c : rounds.queue)
        finishCluster(*c);
      break;
    }
  }
  _mm_setcsr(control);
}

void Grid::startHelpers() {
  uint64_t left =
      launch.clusterCount - std::min(launch.clusterCount, nextCluster.load());
  unsigned wanted =
      static_cast<unsigned>(std::min<uint64_t>(threads - 1, left));
  if (!wanted) {
    threads = 1;
    return;
  }
  launch.singleThread = false;
  for (unsigned k = 0; k < wanted; ++k) {
    workers.push_back(std::make_unique<Worker>());
    workers.back()->launch = &launch;
  }
  for (unsigned k = 0; k < wanted; ++k) {
    Worker *worker = workers[workers.size() - 1 - k].get();
    helpers.emplace_back([this, worker] { work(*worker); });
  }
}

Status Grid::run() {
  workers.reserve(threads);
  workers.push_back(std::make_unique<Worker>());
  workers[0]->launch = &launch;
  launch.singleThread = true;
  work(*workers[0]);
  for (std::thread &t : helpers)
    t.join();
  // The fault of the first worker that has one; what others did is lost.
  Fault first;
  for (const std::unique_ptr<Worker> &w : workers)
    if (w->faulted && first.kind == ErrorKind::None)
      first = w->fault;
  std::string output;
  for (auto &[linear, text] : outputs)
    output += text;
  if (!output.empty()) {
    if (device.options.print) {
      device.options.print(output);
    } else {
      fwrite(output.data(), 1, output.size(), stdout);
      fflush(stdout);
    }
  }
  for (auto &[linear, started] : operations)
    std::move(started.begin(), started.end(),
              std::back_inserter(launch.operations));
  for (const std::unique_ptr<Worker> &w : workers)
    launch.warpInsns += w->warpInsns;
  if (!races.empty())
    device.addRaces(races);
  if (launch.counting) {
    std::vector<std::vector<InsnCounts>> counts;
    uint64_t barriers = 0;
    for (const std::unique_ptr<Worker> &w : workers) {
      barriers += w->barriers;
      if (counts.size() < w->counts.size())
        counts.resize(w->counts.size());
      for (size_t f = 0; f < w->counts.size(); ++f) {
        const std::vector<InsnCounts> &from = w->counts[f];
        if (counts[f].size() < from.size())
          counts[f].resize(from.size());
        for (size_t k = 0; k < from.size(); ++k)
          addCounts(counts[f][k], from[k]);
      }
    }
    AccessTable accesses;
    for (const std::unique_ptr<Worker> &w : workers)
      addAccesses(accesses, w->accesses);
    device.countLaunch(launch, counts, barriers, accesses);
  }
  return first.kind == ErrorKind::None ? Status()
                                       : Status{first.kind, first.text};
}

} // namespace

Status runGrid(DeviceImpl &device, Launch &launch, unsigned threads,
               uint64_t residentLimit) {
  return Grid(device, launch, threads, residentLimit).run();
}

} // namespace gpulto::emu
