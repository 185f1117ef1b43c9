//===- DeviceImpl.h - The emulated GPU ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_MACHINE_DEVICEIMPL_H
#define GPULTO_EMULATOR_MACHINE_DEVICEIMPL_H

#include "emulator/machine/Counters.h"
#include "emulator/machine/Device.h"
#include "emulator/machine/DeviceCalls.h"
#include "emulator/machine/ModuleImpl.h"

#include <atomic>
#include <set>

namespace gpulto::emu {

/// State shared by the devices of a process.
struct Process {
  Memory memory;
  Counters counters;
  std::mutex mutex; ///< Guards what follows.
  /// By Function::globalId; null where a module was unloaded.
  std::vector<FunctionEntry *> functions;
  uint64_t nextImage = 1;
};

class DeviceImpl final : public Device {
public:
  DeviceImpl(Options options, std::shared_ptr<Process> process);
  ~DeviceImpl() override;

  const DeviceLimits &limits() const override { return options.limits; }
  unsigned ordinal() const override { return number; }
  void setPeers(DeviceSet devices) override { peers = devices; }
  void setHeapBytes(uint64_t bytes) override {
    options.limits.heapBytes = bytes;
  }
  void setStackBytes(uint64_t bytes) override {
    options.limits.stackBytes = bytes;
  }
  uint64_t allocate(uint64_t sizeBytes, AllocationKind kind) override;
  /// Returns the address of memory for malloc in device code, or 0.
  uint64_t allocateHeap(uint64_t sizeBytes, uint64_t alignBytes);
  Status free(uint64_t address, AllocationKind kind) override;
  void setPoolAccess(uint64_t address, DeviceSet devices) override {
    memory.setPoolAccess(address, devices);
  }
  uint64_t reserveAddresses(uint64_t sizeBytes, uint64_t alignBytes) override {
    return memory.reserveAddresses(sizeBytes, alignBytes);
  }
  Status freeAddresses(uint64_t address, uint64_t sizeBytes) override;
  std::shared_ptr<PhysicalMemory> createPhysical(uint64_t sizeBytes) override {
    return memory.createPhysical(sizeBytes, number, options.poison);
  }
  Status map(uint64_t address, uint64_t sizeBytes, uint64_t offset,
             std::shared_ptr<PhysicalMemory> physical) override;
  Status unmap(uint64_t address, uint64_t sizeBytes) override;
  Status registerHost(const void *address, uint64_t sizeBytes) override;
  Status unregisterHost(const void *address) override;
  bool findAllocation(uint64_t address, Allocation &allocation) const override;
  bool isDeviceAddress(uint64_t address) const override;
  uint64_t allocatedBytes() const override {
    return memory.allocatedBytes(number);
  }
  Status checkLive(const void *address, uint64_t sizeBytes,
                   const char *what) const override;
  void poison(uint64_t address, uint64_t sizeBytes) override;
  Status copy(void *destination, const void *source, uint64_t sizeBytes,
              CopyDirection direction) override;
  Status fill(void *destination, uint32_t value, unsigned elementBytes,
              uint64_t count) override;
  uint64_t addImage(const Image &image) override;
  void removeImage(uint64_t handle) override;
  std::unique_ptr<Module>
  loadModule(std::vector<PtxSource> sources, Status &error,
             std::shared_ptr<const ManagedVariables> managed) override;
  Status checkLaunch(const Kernel &kernel,
                     const LaunchConfig &config) const override;
  Status launch(const Kernel &kernel, const LaunchConfig &config,
                const void *params) override;
  uint32_t maxBlocksPerSm(const Kernel &kernel, uint32_t threadsPerBlock,
                          uint64_t dynamicSharedBytes) const override;
  uint32_t maxActiveClusters(const Kernel &kernel, uint32_t threadsPerBlock,
                             uint64_t dynamicSharedBytes,
                             uint32_t blocksPerCluster) const override;
  Status stickyError() const override;
  void resetSticky() override;
  std::string countersJson() const override;
  std::vector<std::string> raceReports() const override;

  /// Gives \p entry a handle for function pointers.
  void addFunction(FunctionEntry &entry);
  void removeFunction(FunctionEntry &entry);
  /// The function of this device with that handle, or null.
  FunctionEntry *functionOf(uint64_t handle);
  void addRaces(const std::set<std::string> &reports);
  /// Reports the result of \p text, unless it was called for \p insn before.
  void warnOnce(const Insn *insn, const std::function<std::string()> &text);
  /// A handle for a stream or event of device code.
  uint64_t makeHandle() { return nextHandle++; }
  /// The address of \p text in device memory; the same for the same text.
  uint64_t textAddress(const std::string &text);
  Status checkConfig(const KernelImpl &kernel,
                     const LaunchConfig &config) const;
  void countLaunch(const Launch &launch,
                   const std::vector<std::vector<InsnCounts>> &counts,
                   uint64_t barriers, const AccessTable &accesses);

  Options options;
  std::shared_ptr<Process> process;
  Memory &memory;
  const ExecTable *exec = nullptr;

private:
  friend class ModuleImpl;
  Status runKernel(const DeviceOperation &op, uint64_t &spentInsns,
                   std::vector<DeviceOperation> &started);
  Status runArea(const DeviceOperation &op);
  Status checkCluster(const KernelInfo &info, const LaunchConfig &config,
                      const std::array<uint32_t, 3> &cluster) const;
  void report(std::string_view text) const;

  mutable std::mutex launchMutex, stateMutex;
  unsigned number = 0;
  std::atomic<DeviceSet> peers{0};
  Status sticky;
  std::set<std::string> races;
  std::set<const Insn *> warned;
  uint64_t nextGridId = 1;
  /// Replaced on changes: running kernels keep the table with which they began.
  std::shared_ptr<const ImageTable> images =
      std::make_shared<const ImageTable>();
  uint64_t workspace = 0; ///< Launch::workspace; made at first need.
  std::atomic<uint64_t> nextHandle{256}; ///< Below are streams with a name.
  std::map<std::string, uint64_t> texts;
};

/// Runs a grid on up to \p threads threads, with up to \p residentLimit blocks
/// at once; defined in Scheduler.cpp.
Status runGrid(DeviceImpl &device, Launch &launch, unsigned threads,
               uint64_t residentLimit);

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_MACHINE_DEVICEIMPL_H
