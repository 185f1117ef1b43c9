//===- Device.h - The emulated GPU, as its host runtime sees it -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface between the interpreter of PTX (this directory) and the
// replacement for the CUDA runtime (emulator/runtime). A Device owns memory
// and modules and runs kernels. Everything is synchronous: a launch returns
// when the grid has finished, so streams and events are in order by nature.
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_MACHINE_DEVICE_H
#define GPULTO_EMULATOR_MACHINE_DEVICE_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gpulto::emu {

/// Kinds of errors. The runtime maps each kind to one cudaError_t; the comment
/// after a kind names that code.
enum class ErrorKind : uint8_t {
  None,                 ///< cudaSuccess
  InvalidPtx,           ///< cudaErrorInvalidPtx: lexer, parser, decoder
  UnresolvedSymbol,     ///< cudaErrorInvalidPtx/JitCompilation: linking
  DuplicateSymbol,      ///< the same
  InvalidValue,         ///< cudaErrorInvalidValue
  InvalidConfiguration, ///< cudaErrorInvalidConfiguration
  /// A grid of no blocks: cudaErrorInvalidValue (seen on an H200 with CUDA
  /// 13.0); for device code cudaErrorInvalidConfiguration, as for the others.
  EmptyGrid,
  OutOfResources,       ///< cudaErrorLaunchOutOfResources
  CooperativeTooLarge,  ///< cudaErrorCooperativeLaunchTooLarge
  InvalidClusterSize,   ///< cudaErrorInvalidClusterSize
  OutOfMemory,          ///< cudaErrorMemoryAllocation
  NotImplemented,       ///< cudaErrorNotSupported; the text names what
  // The following happen while a kernel runs; they are sticky (see Device).
  IllegalAddress,      ///< cudaErrorIllegalAddress (bounds, freed memory)
  MisalignedAddress,   ///< cudaErrorMisalignedAddress
  InvalidAddressSpace, ///< cudaErrorInvalidAddressSpace
  IllegalInstruction,  ///< cudaErrorIllegalInstruction
  InvalidPc,           ///< cudaErrorInvalidPc: call through a wild pointer
  StackOverflow,       ///< cudaErrorLaunchFailure with that text
  Trap,                ///< cudaErrorLaunchFailure: trap
  Assert,              ///< cudaErrorAssert
  Deadlock,            ///< cudaErrorLaunchTimeout: nothing can run any more
  InstructionLimit,    ///< cudaErrorLaunchTimeout: Options::maxWarpInstructions
};

/// The outcome of an operation: success, or a kind and a text for humans.
struct [[nodiscard]] Status {
  ErrorKind kind = ErrorKind::None;
  /// For a fault: what, at which address, kernel, PTX file:line, source line,
  /// block and thread. Lower case, no final period. Empty on success.
  std::string text;

  bool ok() const { return kind == ErrorKind::None; }
  /// True for kinds that make every later call fail, as on hardware.
  bool isSticky() const { return kind >= ErrorKind::IllegalAddress; }
};

/// Who may use a range of memory, and its origin.
enum class AllocationKind : uint8_t {
  Device,         ///< cudaMalloc
  Managed,        ///< cudaMallocManaged, __managed__
  Host,           ///< cudaMallocHost, cudaHostAlloc
  HostRegistered, ///< cudaHostRegister: memory of the program itself
  Global,         ///< a .global variable of a module
  Constant,       ///< a .const variable of a module; device code only reads
  Param,          ///< parameters of a running kernel; device code only reads
  DeviceHeap,     ///< malloc in device code
  Pageable,       ///< memory of the program itself that nobody registered
  PageableConst,  ///< the same, where even the program may only read
};

/// True for memory that kernels may only read.
constexpr bool isReadOnly(AllocationKind kind) {
  return kind == AllocationKind::Constant || kind == AllocationKind::Param ||
         kind == AllocationKind::PageableConst;
}

/// How a coordinate outside of a texture is mapped into it.
enum class AddressMode : uint8_t { Wrap, Clamp, Mirror, Border };

/// The type of the channels of an image's elements.
enum class ChannelKind : uint8_t { Signed, Unsigned, Float };

/// A texture or surface object: elements in device memory, row by row, and how
/// instructions read them.
struct Image {
  uint64_t address = 0;
  uint64_t rowBytes = 0; ///< From one row to the next.
  /// In elements; height and depth are 0 in images of fewer dimensions.
  uint32_t width = 0, height = 0, depth = 0;
  uint32_t layers = 0; ///< 0: not layered.
  ChannelKind kind = ChannelKind::Float;
  uint8_t channels = 1;         ///< 1, 2 or 4
  uint8_t channelBytes = 4;     ///< 1, 2 or 4; of floats 2 or 4
  bool isSurface = false;       ///< What follows is for textures.
  bool isLinear = false;        ///< Linear memory: integer coordinates alone.
  bool filtersLinearly = false; ///< Floats and normalized integers alone.
  bool normalizedCoordinates = false;
  /// Integers of 8 and 16 bits become floats in [0, 1] or [-1, 1].
  bool normalizesIntegers = false;
  bool isSrgb = false;
  std::array<AddressMode, 3> addressModes{};
  std::array<float, 4> border{}; ///< Of integers, their bits.

  uint32_t rows() const { return height ? height : 1; }
  uint32_t slices() const { return layers ? layers : depth ? depth : 1; }
  uint32_t elementBytes() const { return uint32_t(channels) * channelBytes; }
  unsigned dimensions() const { return depth ? 3 : height ? 2 : 1; }
};

/// True for memory that every device may use.
constexpr bool isForAllDevices(AllocationKind kind) {
  return kind == AllocationKind::Managed || kind == AllocationKind::Host ||
         kind == AllocationKind::HostRegistered ||
         kind == AllocationKind::Pageable ||
         kind == AllocationKind::PageableConst;
}

/// Devices of one process, at most.
constexpr unsigned kMaxDevices = 16;
/// A set of devices: bit n stands for device n.
using DeviceSet = uint32_t;
/// Of memory that no device may use; no device has that number.
constexpr DeviceSet kNoDevice = DeviceSet(1) << 31;

/// One live range of memory. Addresses are those of this process too.
struct Allocation {
  uint64_t address = 0;
  uint64_t sizeBytes = 0;
  AllocationKind kind = AllocationKind::Device;
  /// The device on or for which it was made.
  unsigned device = 0;
  /// For memory from a pool: the devices that may use it, whatever peers are
  /// enabled. Empty: the device itself and those that have it as a peer.
  DeviceSet poolAccess = 0;
};

/// The size of the emulated GPU. The defaults follow an sm_90 part in all that
/// a program can exceed (blocks, shared memory, registers) but have fewer
/// multiprocessors, so that programs that fill the machine stay small.
struct DeviceLimits {
  uint32_t computeMajor = 9, computeMinor = 0;
  uint32_t smCount = 16;
  uint32_t warpSize = 32;
  uint32_t maxThreadsPerBlock = 1024;
  std::array<uint32_t, 3> maxBlockDim{1024, 1024, 64};
  std::array<uint32_t, 3> maxGridDim{2147483647u, 65535, 65535};
  uint32_t maxThreadsPerSm = 2048;
  uint32_t maxBlocksPerSm = 32;
  uint32_t registersPerSm = 65536;
  uint32_t sharedPerBlockBytes = 48 * 1024;
  uint32_t sharedPerBlockOptinBytes = 227 * 1024;
  uint32_t sharedPerSmBytes = 228 * 1024;
  uint32_t reservedSharedPerBlockBytes = 1024;
  uint32_t maxClusterBlocks = 8, maxNonPortableClusterBlocks = 16;
  uint32_t constantBytes = 64 * 1024;
  uint64_t globalBytes = 16ull << 30; ///< Limit for all allocations together.
  uint64_t heapBytes = 8ull << 20;    ///< cudaLimitMallocHeapSize
  uint64_t stackBytes = 1024;         ///< cudaLimitStackSize, as reported
  /// Kernels may use all memory of the process, as with heterogeneous memory
  /// management (cudaDevAttrPageableMemoryAccess).
  bool accessesHostMemory = false;
};

/// The limits of a device of compute capability \p arch (times ten). Those
/// before sm_90 have the size of one, but no clusters.
DeviceLimits limitsOf(unsigned arch);

/// Functions of the host's runtime for device code (cudaDeviceGetAttribute and
/// the like). If one is null, device code gets an error.
struct HostRuntime {
  int version = 0;
  /// Fills in a cudaDeviceAttr; false if there is no such attribute.
  std::function<bool(unsigned device, int attribute, int &value)> attribute;
  /// Of a cudaError_t.
  std::function<std::string(int error)> errorName, errorString;
};

class MemoryShadow;

/// How the device behaves; fixed at its creation, except where a setter exists.
struct Options {
  DeviceLimits limits;
  /// Worker threads; 0 takes one per core. 1 makes spinning kernels
  /// deterministic.
  unsigned threads = 0;
  /// If not 0: perturb the order of warps and blocks with this seed.
  uint64_t scheduleSeed = 0;
  /// Report races on shared memory (see Device::raceReports).
  bool checkRaces = false;
  /// If not 0: stop a launch after this many warp instructions, at the next
  /// backward branch or call; then one thread runs all blocks.
  uint64_t maxWarpInstructions = 0;
  /// Gather performance counters (see Device::countersJson).
  bool counters = false;
  /// Memory whose first contents CUDA leaves open holds kPoison, not zeros.
  bool poison = false;
  /// With counters: also a row for each access instruction, and taint.
  bool accesses = false;
  /// Is told what kernels load and store, if not null; with one thread only.
  MemoryShadow *shadow = nullptr;
  /// Run one thread at a time instead of warps; for comparison in bench/.
  bool oneThreadAtATime = false;
  /// Use the handlers for every x86-64, not those for AVX2; for tests.
  bool baselineIsa = false;
  /// Receives what device printf prints, after each launch, blocks in order.
  /// Null: stdout.
  std::function<void(std::string_view)> print;
  /// Receives errors, assertion texts and race reports. Null: stderr.
  std::function<void(std::string_view)> diagnose;
  HostRuntime host;
};

/// One translation unit of device code.
struct PtxSource {
  std::string name; ///< Shown in messages, e.g. "app: image 1 of 2".
  std::string text; ///< Whole PTX; a final NUL is tolerated.
};

/// One formal parameter of a kernel in its packed parameter buffer.
struct KernelParam {
  uint32_t offsetBytes = 0;
  uint32_t sizeBytes = 0;
  uint32_t alignBytes = 0;
};

/// Static properties of a kernel.
struct KernelInfo {
  std::string name; ///< As in PTX (mangled).
  std::vector<KernelParam> params;
  uint32_t paramBytes = 0;
  /// Largest number of 32-bit registers live at once, as an estimate of what
  /// ptxas would allocate. At most 255, at least 16.
  uint32_t registers = 0;
  uint64_t staticSharedBytes = 0;
  uint64_t localBytes = 0; ///< .local of the kernel itself, callees excluded.
  uint64_t constBytes = 0; ///< .const of the module.
  bool usesDynamicShared = false;
  uint32_t ptxMajor = 0, ptxMinor = 0;      ///< .version
  uint32_t targetSm = 0;                    ///< .target, e.g. 90
  std::array<uint32_t, 3> maxntid{0, 0, 0}; ///< All 0 when absent.
  std::array<uint32_t, 3> reqntid{0, 0, 0}; ///< All 0 when absent.
  uint32_t minnctapersm = 0, maxnreg = 0;   ///< 0 when absent.
  /// .reqnctapercluster with its size, .explicitcluster, .maxclusterrank (0
  /// when absent), .blocksareclusters.
  std::array<uint32_t, 3> reqCluster{0, 0, 0};
  bool needsCluster = false;
  uint32_t maxClusterRank = 0;
  bool gridCountsClusters = false;
  uint32_t maxThreadsPerBlock = 1024; ///< From the limits and the above.
  /// Its body prints, asserts, traps, or calls what may.
  bool maySpeak = false;
};

/// A kernel of a loaded module; lives as long as the module.
class Kernel {
public:
  virtual const KernelInfo &info() const = 0;

protected:
  ~Kernel() = default;
};

/// A variable of a loaded module.
struct VariableInfo {
  std::string name;
  uint64_t address = 0;
  uint64_t sizeBytes = 0;
  AllocationKind kind = AllocationKind::Global;
};

/// Memory without an address (Device::createPhysical); lives no longer than the
/// process's devices.
class PhysicalMemory;

/// Managed variables of a module by name, with their memory; shared by the
/// modules of all devices, and freed with the last.
class ManagedVariables;

/// Linked device code with its variables in device memory. Unloading is
/// destruction; the Device must outlive it.
class Module {
public:
  virtual ~Module() = default;
  /// Returns null if there is none. Decodes nothing, so it is cheap.
  virtual const Kernel *findKernel(std::string_view name) const = 0;
  /// Returns null when there is none.
  virtual const VariableInfo *findVariable(std::string_view name) const = 0;
  /// All names in the order of the sources.
  virtual std::vector<std::string> kernelNames() const = 0;
  /// The variables declared as managed. Every device's module of the same code
  /// has them at the same addresses (see Device::loadModule).
  virtual std::shared_ptr<const ManagedVariables> managedVariables() const = 0;
  /// Decodes every function now and returns the first error; otherwise a
  /// function is decoded at its first use.
  virtual Status decodeAll() = 0;
};

/// How one grid is started.
struct LaunchConfig {
  std::array<uint32_t, 3> grid{1, 1, 1};
  std::array<uint32_t, 3> block{1, 1, 1};
  uint64_t dynamicSharedBytes = 0;
  bool cooperative = false;
  /// Blocks of a cluster; all 0: as the kernel says.
  std::array<uint32_t, 3> cluster{0, 0, 0};
  bool allowsNonPortableCluster = false;
};

/// What memory that nobody has written holds with Options::poison, in each two
/// bytes: a quiet NaN as half, bfloat16, float and double, a large number as an
/// integer, and no address (a canonical one has 16 or 17 equal bits on top).
constexpr uint16_t kPoison = 0x7ffc;

/// Direction of a copy, for the counters.
enum class CopyDirection : uint8_t {
  HostToDevice,
  DeviceToHost,
  DeviceToDevice,
  HostToHost,
};

/// An emulated GPU. All functions may be called from several threads; launches
/// of a device run one after the other. After a sticky error of a launch every
/// launch fails with that error until resetSticky().
class Device {
public:
  /// Returns null and fills \p error if memory cannot be reserved. With \p
  /// sibling, the device shares that device's process: one space of addresses,
  /// counters and handles.
  static std::unique_ptr<Device> create(Options options, Status &error,
                                        Device *sibling = nullptr);
  virtual ~Device() = default;

  virtual const DeviceLimits &limits() const = 0;
  /// Its number among the devices of the process, from 0.
  virtual unsigned ordinal() const = 0;
  /// The devices whose memory kernels of this one may use, including itself.
  virtual void setPeers(DeviceSet peers) = 0;
  virtual void setHeapBytes(uint64_t bytes) = 0;
  virtual void setStackBytes(uint64_t bytes) = 0;

  // Memory ------------------------------------------------------------------

  /// Returns the address of new memory (also an address of this process,
  /// 512-byte aligned), or 0 if limits().globalBytes are used up. Contents are
  /// zero, so that runs repeat, or kPoison; no program may rely on either.
  /// Freed addresses are not reused for a long time, to detect uses after free.
  virtual uint64_t allocate(uint64_t sizeBytes, AllocationKind kind) = 0;
  /// \p address must be the start of a live allocation of \p kind, else
  /// InvalidValue.
  virtual Status free(uint64_t address, AllocationKind kind) = 0;
  /// Sets who may use a live allocation from a pool (Allocation::poolAccess).
  virtual void setPoolAccess(uint64_t address, DeviceSet devices) = 0;

  /// Reserves addresses at which memory can be mapped. Returns 0 if none are
  /// left. Unmapped addresses are not live.
  virtual uint64_t reserveAddresses(uint64_t sizeBytes,
                                    uint64_t alignBytes) = 0;
  /// Releases a complete reserved range with nothing mapped, else InvalidValue.
  virtual Status freeAddresses(uint64_t address, uint64_t sizeBytes) = 0;
  /// Makes memory of this device without an address; it counts against
  /// globalBytes until the last reference and mapping is gone. Null if they are
  /// used up.
  virtual std::shared_ptr<PhysicalMemory>
  createPhysical(uint64_t sizeBytes) = 0;
  /// Maps a part of such memory into a reserved range, as an allocation that no
  /// kernel may use before setPoolAccess. All numbers are multiples of pages.
  virtual Status map(uint64_t address, uint64_t sizeBytes, uint64_t offset,
                     std::shared_ptr<PhysicalMemory> physical) = 0;
  /// Undoes one complete map(), else InvalidValue.
  virtual Status unmap(uint64_t address, uint64_t sizeBytes) = 0;

  /// Makes memory of the program accessible to kernels.
  virtual Status registerHost(const void *address, uint64_t sizeBytes) = 0;
  virtual Status unregisterHost(const void *address) = 0;
  /// Fills \p allocation with the live range that holds \p address. False if
  /// there is none: then it is pageable host memory, or wild. A freed address
  /// is wild, too; isDeviceAddress distinguishes them.
  virtual bool findAllocation(uint64_t address,
                              Allocation &allocation) const = 0;
  /// True for addresses in the device's reserved mapping, live or not. Only
  /// live ones may be touched.
  virtual bool isDeviceAddress(uint64_t address) const = 0;
  /// Bytes that this device has allocated and not freed, and that count against
  /// globalBytes.
  virtual uint64_t allocatedBytes() const = 0;
  /// Copies like memmove, after a check that whatever lies in the device's
  /// mapping is live; counts the bytes (and those that did not change).
  virtual Status copy(void *destination, const void *source, uint64_t sizeBytes,
                      CopyDirection direction) = 0;
  /// The check of copy and fill: whatever of the range lies in the device's
  /// mapping must be live. \p what names it in the message.
  virtual Status checkLive(const void *address, uint64_t sizeBytes,
                           const char *what) const = 0;
  /// Gives live memory the contents of new memory, as far as Options::poison
  /// changes them.
  virtual void poison(uint64_t address, uint64_t sizeBytes) = 0;
  /// Repeats an element of 1, 2 or 4 bytes; checked as copy.
  virtual Status fill(void *destination, uint32_t value, unsigned elementBytes,
                      uint64_t count) = 0;

  /// Returns the handle of the image for kernels that start from now on; never
  /// 0 and never reused.
  virtual uint64_t addImage(const Image &image) = 0;
  virtual void removeImage(uint64_t handle) = 0;

  // Code --------------------------------------------------------------------

  /// Parses and links the sources into one module. Relocatable sources find
  /// each other's definitions. Returns null and fills \p error (with name:line)
  /// on failure. \p managed are the managed variables of the same code's module
  /// on another device; null if there is none yet.
  virtual std::unique_ptr<Module>
  loadModule(std::vector<PtxSource> sources, Status &error,
             std::shared_ptr<const ManagedVariables> managed = nullptr) = 0;

  /// The errors of launch() that show before the grid runs.
  virtual Status checkLaunch(const Kernel &kernel,
                             const LaunchConfig &config) const = 0;
  /// Runs a grid, and all that it launches, to completion. \p params are
  /// info().paramBytes bytes, each parameter at its offset.
  virtual Status launch(const Kernel &kernel, const LaunchConfig &config,
                        const void *params) = 0;
  /// Blocks of this shape that fit one multiprocessor (0: none fits).
  virtual uint32_t maxBlocksPerSm(const Kernel &kernel,
                                  uint32_t threadsPerBlock,
                                  uint64_t dynamicSharedBytes) const = 0;
  /// Clusters of \p blocksPerCluster such blocks that the device holds at once.
  virtual uint32_t maxActiveClusters(const Kernel &kernel,
                                     uint32_t threadsPerBlock,
                                     uint64_t dynamicSharedBytes,
                                     uint32_t blocksPerCluster) const = 0;
  /// The sticky error, or success.
  virtual Status stickyError() const = 0;
  virtual void resetSticky() = 0;

  // Reports -----------------------------------------------------------------

  /// All counters so far as one JSON document, with the same bytes in every
  /// run. "{}" without Options::counters.
  virtual std::string countersJson() const = 0;
  /// Races on shared memory seen so far, one line each, sorted.
  virtual std::vector<std::string> raceReports() const = 0;
};

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_MACHINE_DEVICE_H
