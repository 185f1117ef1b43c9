//===- DeviceImpl.cpp - The emulated GPU ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/machine/DeviceImpl.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <thread>

namespace gpulto::emu {

std::unique_ptr<Device> Device::create(Options options, Status &error,
                                       Device *sibling) {
  std::shared_ptr<Process> process;
  if (sibling) {
    process = static_cast<DeviceImpl *>(sibling)->process;
  } else {
    process = std::make_shared<Process>();
    if (!process->memory.reserve()) {
      error = {ErrorKind::OutOfMemory,
               "cannot reserve address space for device memory"};
      return nullptr;
    }
  }
  error = {};
  return std::make_unique<DeviceImpl>(std::move(options), std::move(process));
}

DeviceImpl::DeviceImpl(Options o, std::shared_ptr<Process> p)
    : options(std::move(o)), process(std::move(p)), memory(process->memory),
      number(memory.addDevice(options.limits.globalBytes)),
      peers(DeviceSet(1) << number) {
  bool hasV3 = __builtin_cpu_supports("avx2") &&
               __builtin_cpu_supports("fma") &&
               __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c");
  exec = hasV3 && !options.baselineIsa ? &isa_v3::execTable()
                                       : &isa_base::execTable();
  if (!options.threads)
    options.threads = std::max(1u, std::thread::hardware_concurrency());
}

DeviceImpl::~DeviceImpl() = default;

void DeviceImpl::report(std::string_view text) const {
  if (options.diagnose) {
    options.diagnose(text);
    return;
  }
  fwrite(text.data(), 1, text.size(), stderr);
}

// Memory.
// -------------------------------------------------------------------------

uint64_t DeviceImpl::allocate(uint64_t sizeBytes, AllocationKind kind) {
  // What textures need, as device properties say.
  uint64_t address = memory.allocate(sizeBytes, 512, kind, number);
  if (address)
    poison(address, sizeBytes);
  return address;
}

uint64_t DeviceImpl::allocateHeap(uint64_t sizeBytes, uint64_t alignBytes) {
  if (memory.heapBytes(number) + sizeBytes > options.limits.heapBytes)
    return 0;
  uint64_t address = memory.allocate(sizeBytes, alignBytes,
                                     AllocationKind::DeviceHeap, number);
  if (address)
    poison(address, sizeBytes);
  return address;
}

void DeviceImpl::poison(uint64_t address, uint64_t sizeBytes) {
  if (options.poison)
    fillPoison(reinterpret_cast<void *>(address), sizeBytes);
}

uint64_t DeviceImpl::addImage(const Image &image) {
  uint64_t handle;
  {
    std::lock_guard lock(process->mutex);
    handle = process->nextImage++;
  }
  std::lock_guard lock(stateMutex);
  auto changed = std::make_shared<ImageTable>(*images);
  (*changed)[handle] = image;
  images = std::move(changed);
  return handle;
}

void DeviceImpl::removeImage(uint64_t handle) {
  std::lock_guard lock(stateMutex);
  auto changed = std::make_shared<ImageTable>(*images);
  changed->erase(handle);
  images = std::move(changed);
}

Status DeviceImpl::free(uint64_t address, AllocationKind kind) {
  Allocation allocation;
  if (options.shadow && memory.find(address, allocation)) {
    std::lock_guard lock(options.shadow->mutex);
    options.shadow->forget(address, allocation.sizeBytes);
  }
  if (memory.release(address, kind))
    return {};
  return {ErrorKind::InvalidValue,
          std::string("not the start of ") + allocationName(kind)};
}

Status DeviceImpl::freeAddresses(uint64_t address, uint64_t sizeBytes) {
  if (memory.freeAddresses(address, sizeBytes))
    return {};
  return {ErrorKind::InvalidValue,
          "not a reserved range, or memory is mapped in it"};
}

Status DeviceImpl::map(uint64_t address, uint64_t sizeBytes, uint64_t offset,
                       std::shared_ptr<PhysicalMemory> physical) {
  if (memory.map(address, sizeBytes, offset, std::move(physical)))
    return {};
  return {ErrorKind::InvalidValue,
          "not within a reserved range, not within the memory, or something is "
          "mapped there"};
}

Status DeviceImpl::unmap(uint64_t address, uint64_t sizeBytes) {
  if (memory.unmap(address, sizeBytes))
    return {};
  return {ErrorKind::InvalidValue, "not what was mapped there"};
}

Status DeviceImpl::registerHost(const void *address, uint64_t sizeBytes) {
  if (memory.registerHost(reinterpret_cast<uint64_t>(address), sizeBytes,
                          number))
    return {};
  return {ErrorKind::InvalidValue, "memory is registered already, or empty"};
}

Status DeviceImpl::unregisterHost(const void *address) {
  if (memory.unregisterHost(reinterpret_cast<uint64_t>(address)))
    return {};
  return {ErrorKind::InvalidValue, "memory is not registered"};
}

bool DeviceImpl::findAllocation(uint64_t address,
                                Allocation &allocation) const {
  return memory.find(address, allocation);
}

bool DeviceImpl::isDeviceAddress(uint64_t address) const {
  return memory.contains(address);
}

Status DeviceImpl::checkLive(const void *address, uint64_t sizeBytes,
                             const char *what) const {
  if (memory.isLive(reinterpret_cast<uint64_t>(address), sizeBytes))
    return {};
  return {ErrorKind::InvalidValue,
          std::string(what) + " of " + std::to_string(sizeBytes) +
              " bytes is not within live device memory"};
}

Status DeviceImpl::copy(void *destination, const void *source,
                        uint64_t sizeBytes, CopyDirection direction) {
  if (!sizeBytes)
    return {};
  if (Status s = checkLive(destination, sizeBytes, "destination"); !s.ok())
    return s;
  if (Status s = checkLive(source, sizeBytes, "source"); !s.ok())
    return s;
  if (options.counters)
    process->counters.addCopy(direction, sizeBytes,
                              memcmp(destination, source, sizeBytes) == 0);
  memmove(destination, source, sizeBytes);
  return {};
}

Status DeviceImpl::fill(void *destination, uint32_t value,
                        unsigned elementBytes, uint64_t count) {
  if (elementBytes != 1 && elementBytes != 2 && elementBytes != 4)
    return {ErrorKind::InvalidValue, "element of a fill"};
  if (Status s = checkLive(destination, elementBytes * count, "destination");
      !s.ok())
    return s;
  if (elementBytes == 1) {
    memset(destination, static_cast<int>(value), count);
    return {};
  }
  uint8_t *to = static_cast<uint8_t *>(destination);
  for (uint64_t k = 0; k < count; ++k)
    memcpy(to + k * elementBytes, &value, elementBytes);
  return {};
}

// Code.
// -----------------------------------------------------------------------------

void DeviceImpl::addFunction(FunctionEntry &entry) {
  std::lock_guard lock(process->mutex);
  std::vector<FunctionEntry *> &functions = process->functions;
  entry.fn.globalId = static_cast<uint32_t>(functions.size());
  entry.fn.handle = memory.codeWindow() + functions.size() * kCodeStep;
  functions.push_back(&entry);
}

void DeviceImpl::removeFunction(FunctionEntry &entry) {
  std::lock_guard lock(process->mutex);
  process->functions[entry.fn.globalId] = nullptr;
}

FunctionEntry *DeviceImpl::functionOf(uint64_t handle) {
  std::lock_guard lock(process->mutex);
  const std::vector<FunctionEntry *> &functions = process->functions;
  uint64_t offset = handle - memory.codeWindow();
  if (offset % kCodeStep || offset / kCodeStep >= functions.size())
    return nullptr;
  FunctionEntry *found = functions[offset / kCodeStep];
  return found && &found->module->device == this ? found : nullptr;
}

std::unique_ptr<Module>
DeviceImpl::loadModule(std::vector<PtxSource> sources, Status &error,
                       std::shared_ptr<const ManagedVariables> managed) {
  auto module = std::make_unique<ModuleImpl>(*this, std::move(managed));
  error = module->load(std::move(sources));
  if (!error.ok())
    return nullptr;
  return module;
}

uint64_t DeviceImpl::textAddress(const std::string &text) {
  std::lock_guard lock(stateMutex);
  auto [it, isNew] = texts.try_emplace(text, 0);
  if (!isNew)
    return it->second;
  it->second =
      memory.allocate(text.size() + 1, 16, AllocationKind::Global, number);
  if (it->second)
    memcpy(reinterpret_cast<void *>(it->second), text.c_str(), text.size() + 1);
  return it->second;
}

/// Rounds registers as the hardware gives them out: by warp, 256 at a time.
static uint32_t registersOfWarp(uint32_t registers) {
  return (registers * kLanes + 255) & ~255u;
}

uint32_t DeviceImpl::maxBlocksPerSm(const Kernel &kernel,
                                    uint32_t threadsPerBlock,
                                    uint64_t dynamicSharedBytes) const {
  const DeviceLimits &l = options.limits;
  const KernelInfo &info = kernel.info();
  if (!threadsPerBlock || threadsPerBlock > info.maxThreadsPerBlock)
    return 0;
  uint32_t warps = (threadsPerBlock + kLanes - 1) / kLanes;
  uint32_t blocks =
      std::min(l.maxBlocksPerSm, l.maxThreadsPerSm / (warps * kLanes));
  // A launch bound makes the compiler keep to as many registers as fit.
  uint32_t perBlock = registersOfWarp(info.registers) * warps;
  uint32_t byRegisters = l.registersPerSm / perBlock;
  if (byRegisters == 0)
    byRegisters = 1;
  blocks = std::min(blocks, std::max(byRegisters, info.minnctapersm));
  uint64_t shared = info.staticSharedBytes + dynamicSharedBytes;
  if (shared > l.sharedPerBlockOptinBytes)
    return 0;
  shared += l.reservedSharedPerBlockBytes;
  return std::min<uint32_t>(blocks,
                            static_cast<uint32_t>(l.sharedPerSmBytes / shared));
}

uint32_t DeviceImpl::maxActiveClusters(const Kernel &kernel,
                                       uint32_t threadsPerBlock,
                                       uint64_t dynamicSharedBytes,
                                       uint32_t blocksPerCluster) const {
  return options.limits.smCount *
         maxBlocksPerSm(kernel, threadsPerBlock, dynamicSharedBytes) /
         blocksPerCluster;
}

/// The blocks of a cluster of such a launch; those the kernel requires where it
/// names none.
static std::array<uint32_t, 3> clusterOf(const KernelInfo &info,
                                         const LaunchConfig &c) {
  return c.cluster[0] ? c.cluster : info.reqCluster;
}

/// The grid in blocks.
static std::array<uint32_t, 3> gridOf(const KernelInfo &info,
                                      const LaunchConfig &c) {
  std::array<uint32_t, 3> grid = c.grid;
  if (info.gridCountsClusters && info.reqCluster[0])
    for (unsigned k = 0; k < 3; ++k)
      grid[k] *= info.reqCluster[k];
  return grid;
}

Status DeviceImpl::checkCluster(const KernelInfo &info, const LaunchConfig &c,
                                const std::array<uint32_t, 3> &cluster) const {
  const DeviceLimits &l = options.limits;
  auto bad = [&](const std::string &text) {
    return Status{ErrorKind::InvalidClusterSize,
                  text + " for kernel " + info.name};
  };
  if (!cluster[0])
    return info.needsCluster ? bad("no cluster size") : Status();
  std::array<uint32_t, 3> grid = gridOf(info, c);
  uint64_t blocks = 1;
  for (unsigned k = 0; k < 3; ++k) {
    if (!cluster[k] || grid[k] % cluster[k])
      return bad("grid dimension " + std::to_string(grid[k]) +
                 ", not a multiple of the cluster's " +
                 std::to_string(cluster[k]));
    if (info.reqCluster[0] && cluster[k] != info.reqCluster[k])
      return bad("cluster other than .reqnctapercluster");
    blocks *= cluster[k];
  }
  uint32_t most = c.allowsNonPortableCluster ? l.maxNonPortableClusterBlocks
                                             : l.maxClusterBlocks;
  if (info.maxClusterRank)
    most = std::min(most, info.maxClusterRank);
  return blocks <= most
             ? Status()
             : bad("cluster of " + std::to_string(blocks) +
                   " blocks, at most " + std::to_string(most) + " are allowed");
}

Status DeviceImpl::checkConfig(const KernelImpl &kernel,
                               const LaunchConfig &c) const {
  const DeviceLimits &l = options.limits;
  const KernelInfo &info = kernel.info();
  auto bad = [&](const std::string &text) {
    return Status{ErrorKind::InvalidConfiguration,
                  text + " for kernel " + info.name};
  };
  uint64_t threads = 1;
  std::array<uint32_t, 3> grid = gridOf(info, c);
  for (unsigned k = 0; k < 3; ++k) {
    if (!grid[k])
      return {ErrorKind::EmptyGrid, "grid dimension 0 for kernel " + info.name};
    if (grid[k] > l.maxGridDim[k])
      return bad("grid dimension " + std::to_string(grid[k]));
    if (!c.block[k] || c.block[k] > l.maxBlockDim[k])
      return bad("block dimension " + std::to_string(c.block[k]));
    threads *= c.block[k];
  }
  if (threads > l.maxThreadsPerBlock)
    return bad("block of " + std::to_string(threads) + " threads");
  if (info.reqntid[0]) {
    for (unsigned k = 0; k < 3; ++k)
      if (c.block[k] != info.reqntid[k])
        return {ErrorKind::InvalidValue,
                "block differs from .reqntid of kernel " + info.name};
  }
  if (threads > info.maxThreadsPerBlock)
    return {ErrorKind::InvalidValue,
            "block of " + std::to_string(threads) + " threads, kernel " +
                info.name + " is compiled for " +
                std::to_string(info.maxThreadsPerBlock)};
  uint64_t shared = info.staticSharedBytes + c.dynamicSharedBytes;
  if (shared > l.sharedPerBlockOptinBytes)
    return {ErrorKind::InvalidValue,
            std::to_string(shared) + " bytes of shared memory for kernel " +
                info.name + ", the device has " +
                std::to_string(l.sharedPerBlockOptinBytes)};
  std::array<uint32_t, 3> cluster = clusterOf(info, c);
  if (Status s = checkCluster(info, c, cluster); !s.ok())
    return s;
  uint32_t blocksPerCluster =
      cluster[0] ? cluster[0] * cluster[1] * cluster[2] : 1;
  if (!maxActiveClusters(kernel, static_cast<uint32_t>(threads),
                         c.dynamicSharedBytes, blocksPerCluster) &&
      blocksPerCluster > 1)
    return {ErrorKind::InvalidClusterSize,
            "no cluster of " + std::to_string(blocksPerCluster) +
                " blocks of kernel " + info.name + " fits the device"};
  if (!c.cooperative)
    return {};
  uint64_t fits = uint64_t(l.smCount) *
                  maxBlocksPerSm(kernel, static_cast<uint32_t>(threads),
                                 c.dynamicSharedBytes);
  uint64_t blocks = uint64_t(grid[0]) * grid[1] * grid[2];
  if (blocks > fits)
    return {ErrorKind::CooperativeTooLarge,
            "cooperative grid of " + std::to_string(blocks) + " blocks, only " +
                std::to_string(fits) + " fit the device"};
  return {};
}

/// Sets what \p config and the kernel say of the shape of the grid.
static void setShape(Launch &launch, const KernelInfo &info,
                     const LaunchConfig &config) {
  std::array<uint32_t, 3> cluster = clusterOf(info, config);
  launch.hasClusters = cluster[0] != 0;
  for (unsigned d = 0; d < 3; ++d) {
    launch.grid[d] = gridOf(info, config)[d];
    launch.block[d] = config.block[d];
    launch.cluster[d] = std::max(cluster[d], 1u);
    launch.threadsPerBlock *= launch.block[d];
    launch.blocksPerCluster *= launch.cluster[d];
    launch.clusterCount *= launch.grid[d] / launch.cluster[d];
  }
}

/// Runs one grid. \p spentInsns are the warp instructions of the launch so far;
/// what the grid started goes to \p started.
Status DeviceImpl::runKernel(const DeviceOperation &op, uint64_t &spentInsns,
                             std::vector<DeviceOperation> &started) {
  const KernelImpl &kernel = *op.kernel;
  const LaunchConfig &config = op.config;
  kernel.patchShared();
  Launch launch;
  launch.device = this;
  launch.memory = &memory;
  launch.peers = peers;
  launch.kernel = &kernel.entry->fn;
  launch.layout = &kernel;
  setShape(launch, kernel.info(), config);
  launch.staticShared = kernel.staticShared;
  launch.dynamicShared = static_cast<uint32_t>(config.dynamicSharedBytes);
  launch.sharedBytes = launch.staticShared + launch.dynamicShared;
  launch.params = op.params;
  launch.smCount = options.limits.smCount;
  launch.gridId = nextGridId++;
  if (config.cooperative) {
    constexpr uint64_t kWorkspaceBytes = 256;
    if (!workspace)
      workspace =
          memory.allocate(kWorkspaceBytes, 256, AllocationKind::Global, number);
    if (!workspace)
      return {ErrorKind::OutOfMemory, "no memory for a cooperative launch"};
    std::memset(reinterpret_cast<void *>(workspace), 0, kWorkspaceBytes);
    launch.workspace = workspace;
  }
  {
    std::lock_guard stateLock(stateMutex);
    launch.images = images;
  }
  launch.counting = options.counters;
  launch.tracing = options.counters && options.accesses;
  launch.shadow = options.shadow;
  launch.checkRaces = options.checkRaces && launch.sharedBytes;
  launch.poison = options.poison;
  launch.oneThread = options.oneThreadAtATime;
  launch.seed = options.scheduleSeed;
  unsigned threads = options.threads;
  if (options.maxWarpInstructions) { // To stop at the same place every time.
    launch.instructionLimit = options.maxWarpInstructions -
                              std::min(options.maxWarpInstructions, spentInsns);
    threads = 1;
  }
  launch.sharedWindow = memory.sharedWindow();
  launch.localWindow = memory.localWindow();
  launch.paramWindow = memory.paramWindow();
  uint64_t perSm = std::max(1u, maxBlocksPerSm(kernel, launch.threadsPerBlock,
                                               config.dynamicSharedBytes));
  Status status = runGrid(*this, launch, threads, perSm * launch.smCount);
  spentInsns += launch.warpInsns;
  started = std::move(launch.operations);
  return status;
}

/// Runs a copy or a fill that device code asked for.
Status DeviceImpl::runArea(const DeviceOperation &op) {
  for (uint64_t row = 0; row < op.rows; ++row) {
    auto *to =
        reinterpret_cast<void *>(op.destination + row * op.destinationPitch);
    auto *from =
        reinterpret_cast<const void *>(op.source + row * op.sourcePitch);
    bool isLive = checkLive(to, op.widthBytes, "destination").ok() &&
                  (!op.source || checkLive(from, op.widthBytes, "source").ok());
    if (!isLive)
      return {ErrorKind::IllegalAddress,
              "a copy or fill of device code uses freed memory"};
    if (options.shadow) {
      if (op.source)
        options.shadow->read(op.source + row * op.sourcePitch, op.widthBytes);
      options.shadow->write(op.destination + row * op.destinationPitch,
                            op.widthBytes);
    }
    if (op.source)
      memmove(to, from, op.widthBytes);
    else
      memset(to, op.value, op.widthBytes);
  }
  return {};
}

Status DeviceImpl::checkLaunch(const Kernel &k,
                               const LaunchConfig &config) const {
  const KernelImpl &kernel = static_cast<const KernelImpl &>(k);
  if (Status s = kernel.prepare(); !s.ok())
    return s;
  return checkConfig(kernel, config);
}

/// Everything runs one after the other: operations started by a grid before
/// those started next to the grid, its tail launches last.
Status DeviceImpl::launch(const Kernel &k, const LaunchConfig &config,
                          const void *params) {
  std::lock_guard lock(launchMutex);
  if (Status s = stickyError(); !s.ok())
    return s;
  if (Status s = checkLaunch(k, config); !s.ok())
    return s;
  const KernelImpl &kernel = static_cast<const KernelImpl &>(k);
  std::deque<DeviceOperation> queue(1);
  queue[0].kernel = &kernel;
  queue[0].config = config;
  const uint8_t *bytes = static_cast<const uint8_t *>(params);
  if (uint32_t size = kernel.info().paramBytes)
    queue[0].params.assign(bytes, bytes + size);
  Status status;
  uint64_t spentInsns = 0;
  while (status.ok() && !queue.empty()) {
    DeviceOperation op = std::move(queue.front());
    queue.pop_front();
    std::vector<DeviceOperation> started;
    status = op.kernel ? runKernel(op, spentInsns, started) : runArea(op);
    for (bool isTail : {true, false})
      for (size_t n = started.size(); n-- > 0;)
        if (started[n].isTail == isTail)
          queue.push_front(std::move(started[n]));
  }
  if (!status.ok()) {
    report("gpulto-emu: " + status.text + "\n");
    if (status.isSticky()) {
      std::lock_guard state(stateMutex);
      sticky = status;
    }
  }
  return status;
}

Status DeviceImpl::stickyError() const {
  std::lock_guard lock(stateMutex);
  return sticky;
}

void DeviceImpl::resetSticky() {
  std::lock_guard lock(stateMutex);
  sticky = {};
}

// Reports.
// ----------------------------------------------------------------------------

void DeviceImpl::countLaunch(const Launch &launch,
                             const std::vector<std::vector<InsnCounts>> &counts,
                             uint64_t barriers, const AccessTable &accesses) {
  std::vector<const Function *> functions;
  {
    std::lock_guard lock(process->mutex);
    for (const FunctionEntry *f : process->functions)
      functions.push_back(f ? &f->fn : nullptr);
  }
  const KernelImpl *kernel = static_cast<const KernelImpl *>(launch.layout);
  process->counters.addLaunch(launch, kernel->info().registers, counts,
                              functions, barriers);
  if (launch.tracing)
    process->counters.addAccesses(launch, accesses, functions);
}

std::string DeviceImpl::countersJson() const {
  return options.counters ? process->counters.json(options.accesses) : "{}";
}

void DeviceImpl::addRaces(const std::set<std::string> &reports) {
  std::lock_guard lock(stateMutex);
  for (const std::string &text : reports)
    if (races.insert(text).second)
      report("gpulto-emu: " + text + "\n");
}

void DeviceImpl::warnOnce(const Insn *insn,
                          const std::function<std::string()> &text) {
  std::lock_guard lock(stateMutex);
  if (warned.insert(insn).second)
    report("gpulto-emu: warning: " + text() + "\n");
}

std::vector<std::string> DeviceImpl::raceReports() const {
  std::lock_guard lock(stateMutex);
  return {races.begin(), races.end()};
}

} // namespace gpulto::emu
