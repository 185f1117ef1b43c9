//===- Runtime.h - State of the replacement CUDA runtime -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file State shared by all entry points: the devices, the registered code,
/// the mutex, and the rules for errors.
///
/// By default everything runs synchronously: a kernel or copy has finished
/// before the call that enqueues it returns, an order that CUDA allows. Only
/// the *reporting* of a kernel's fault is deferred to the next call, as on
/// hardware, where a launch cannot know of it. With Settings::deferred work
/// waits in queues (Deferred.h).
///
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_RUNTIME_RUNTIME_H
#define GPULTO_EMULATOR_RUNTIME_RUNTIME_H

#include "emulator/machine/Device.h"
#include "emulator/runtime/Context.h"
#include "emulator/runtime/Registry.h"
#include "emulator/runtime/Settings.h"

#include <array>
#include <atomic>
#include <cuda_runtime_api.h>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string_view>
#include <vector>

namespace gpulto::emu {

class TransferLog;

/// A live allocation of cudaMalloc or its like.
struct LiveAllocation {
  AllocationKind kind = AllocationKind::Device;
  unsigned device = 0;
  /// The context in which it was made; null: none.
  const Context *context = currentContext();
};

/// The runtime's state of a device.
struct DeviceState {
  std::unique_ptr<Device> device;
  /// Not cudaSuccess after a kernel fault: every call fails with it while the
  /// device is the thread's current one.
  cudaError_t sticky = cudaSuccess;
  /// The context of the kernel that faulted.
  const Context *faulted = nullptr;
  /// Values of cudaDeviceSetLimit that are only remembered.
  std::map<int, size_t> limits;
  /// The other devices whose memory it can access.
  DeviceSet peers = 0;
  unsigned flags = cudaDeviceScheduleAuto;
  cudaFuncCache cacheConfig = cudaFuncCachePreferNone;
};

/// A pinned or registered host range, for cudaHostGetFlags.
struct HostRange {
  uint64_t sizeBytes = 0;
  unsigned flags = 0;
};

/// The program's advice for a range of managed memory; only to be read back.
struct Advice {
  uint64_t sizeBytes = 0;
  bool readMostly = false;
  cudaMemLocation preferred{cudaMemLocationTypeInvalid, cudaInvalidDeviceId};
  cudaMemLocation prefetched{cudaMemLocationTypeInvalid, cudaInvalidDeviceId};
  DeviceSet accessedBy = 0;
  bool accessedByHost = false;
};

/// The one state of the process. Made on first use and never destroyed, like
/// everything that entry points use: programs call them from atexit handlers,
/// static destructors, and threads that still run.
class Runtime {
public:
  /// Returns the process's runtime.
  static Runtime &get();

  /// Makes the devices at the first call. False if that fails; then initError()
  /// says why. The mutex must be held, as for the functions below.
  bool start();
  cudaError_t initError() const { return initFailure; }
  /// The calling thread's current device, once start() was true.
  Device *device() { return current().device.get(); }
  DeviceState &current();
  bool isDevice(int ordinal) const {
    return ordinal >= 0 && static_cast<unsigned>(ordinal) < settings.devices;
  }

  /// cuInit was called, directly or through the runtime API.
  bool isDriverInitialized() const { return isDriverReady; }
  void initializeDriver() { isDriverReady = true; }

  /// Frees memory that was allocated as one of two kinds; null is none.
  cudaError_t release(const void *pointer, AllocationKind kind,
                      AllocationKind orKind);

  /// Frees a device's memory, unloads its modules and forgets a sticky error,
  /// as cudaDeviceReset.
  void reset(unsigned ordinal);
  /// Frees what was allocated in a context, unloads its modules and forgets a
  /// fault that happened in it, as cuCtxDestroy. It does not forget the streams
  /// (see Stream.h).
  void releaseContext(const Context &context);

  /// Writes the files that the settings ask for. Called at exit.
  void writeReports();

  /// Guards all members below. Released while a host callback runs.
  std::mutex mutex;
  Settings settings;
  Registry registry;
  std::array<DeviceState, kMaxDevices> devices;
  /// Kernels that faulted so far.
  uint64_t faults = 0;
  /// Live allocations of cudaMalloc and its like, freed by reset().
  std::map<uint64_t, LiveAllocation> allocations;
  /// Memory of graphs, among the above. Freeing it outside of its graph returns
  /// it to the graph, whose next launch has it at the same address.
  std::set<uint64_t> graphOwned;
  /// Pinned and registered host memory, by address.
  std::map<uint64_t, HostRange> hostRanges;
  /// Advice by the address of the range.
  std::map<uint64_t, Advice> advice;
  /// The id of the next capture of a stream.
  unsigned long long nextCaptureId = 1;
  /// The log of copies and waits; null: none is wanted.
  std::unique_ptr<TransferLog> transfers;
  /// The last text that the device printed, to avoid printing it twice.
  std::string diagnosed;

private:
  Runtime();
  ~Runtime();
  Options deviceOptions();
  /// Frees the live allocations for which \p isMeant is true.
  void
  freeAllocations(const std::function<bool(const LiveAllocation &)> &isMeant);

  std::atomic<bool> isDriverReady{false};
  /// Set when all devices exist.
  std::atomic<bool> isStarted{false};
  cudaError_t initFailure = cudaSuccess;
};

/// A configuration that a `<<<...>>>` pushed and the stub has not popped yet.
struct CallConfiguration {
  dim3 grid, block;
  size_t sharedBytes;
  cudaStream_t stream;
};

/// State of a host thread.
struct ThreadState {
  /// Unique among all threads.
  uint64_t id = 0;
  /// The device that cudaSetDevice chose.
  unsigned device = 0;
  /// The result of cudaGetLastError.
  cudaError_t lastError = cudaSuccess;
  cudaStreamCaptureMode captureMode = cudaStreamCaptureModeGlobal;
  /// The stack of contexts; the last is the current one. `device` is its
  /// device.
  std::vector<Context *> contexts;
  /// The null handle denotes the thread's own default stream, not the legacy
  /// one: a form of that name is running.
  bool usesOwnStream = false;
  /// A function of the driver API is running: it does not bind a context.
  bool isInDriver = false;
  /// Destination of messages while code is loaded; null: standard error.
  std::string *log = nullptr;
  std::vector<CallConfiguration> configurations;
};

/// Returns the calling thread's state. It exists as long as the thread runs any
/// code: destructors of thread_local objects and, in the main thread, of static
/// ones may still call the API.
ThreadState &threadState();

/// Remembers \p error as the thread's last error unless it is success or "not
/// ready", and returns it.
cudaError_t recordError(cudaError_t error);

/// Maps the device's error kinds to the API's codes.
cudaError_t toCudaError(ErrorKind kind);

/// Return the API's name and text for \p error.
const char *errorName(cudaError_t error);
const char *errorMessage(cudaError_t error);

/// Prints \p text with the emulator's prefix on standard error, or adds it to
/// the thread's log, if there is one.
void complain(std::string_view text);

/// Prints \p status unless it is success or the device has printed it, and
/// returns its code.
cudaError_t report(const Status &status);

/// Runs \p body as an entry point that needs the device: locks, fails with a
/// sticky error or if there is no device, and records the result.
template <typename Body> cudaError_t enter(Body body) {
  Runtime &runtime = Runtime::get();
  std::lock_guard<std::mutex> lock(runtime.mutex);
  if (!runtime.start())
    return recordError(runtime.initError());
  bindContext();
  if (cudaError_t sticky = runtime.current().sticky)
    return recordError(sticky);
  return recordError(body(runtime));
}

/// During its lifetime the null handle denotes the thread's own stream.
class OwnStreamScope {
public:
  OwnStreamScope() : thread(threadState()), before(thread.usesOwnStream) {
    thread.usesOwnStream = true;
  }
  ~OwnStreamScope() { thread.usesOwnStream = before; }
  OwnStreamScope(const OwnStreamScope &) = delete;
  OwnStreamScope &operator=(const OwnStreamScope &) = delete;

private:
  ThreadState &thread;
  bool before;
};

/// For GPULTO_EMU_PER_THREAD: `call` is a function in that scope.
template <typename Function> struct OnOwnStream;
template <typename Result, typename... Arguments>
struct OnOwnStream<Result (*)(Arguments...)> {
  template <Result (*function)(Arguments...)>
  static Result call(Arguments... arguments) {
    OwnStreamScope scope;
    return function(arguments...);
  }
};

/// Returns cudaErrorNotSupported and says once, on standard error, that
/// \p what is missing.
cudaError_t notSupported(const char *what);

/// Reports the same for a function of the driver API, without changing the
/// thread's last error.
void complainNotSupported(const char *what);

} // namespace gpulto::emu

/// Declares \p form, an older name, as another for \p function. Both may be
/// macros (Cuda12Names.h).
#define GPULTO_EMU_OLDER(form, function) GPULTO_EMU_OLDER_OF(form, function)
// NOLINTBEGIN(bugprone-macro-parentheses): \p form is declared
#define GPULTO_EMU_OLDER_OF(form, function)                                    \
  extern "C" decltype(function) form __attribute__((alias(#function)))
// NOLINTEND(bugprone-macro-parentheses)

/// Defines \p form as \p function with the thread's own stream as the default
/// one. A symbol cannot be the alias of a function template, hence the jump.
#define GPULTO_EMU_PER_THREAD(form, function)                                  \
  GPULTO_EMU_PER_THREAD_OF(form, function)
#define GPULTO_EMU_PER_THREAD_OF(form, function)                               \
  extern "C" {                                                                 \
  extern decltype(&(function)) const gpultoEmuTarget_##form                    \
      __attribute__((visibility("hidden")));                                   \
  decltype(&(function)) const gpultoEmuTarget_##form __attribute__((used)) =   \
      gpulto::emu::OnOwnStream<decltype(&(function))>::call<&(function)>;      \
  }                                                                            \
  __asm__(".text\n"                                                            \
          ".globl " #form "\n"                                                 \
          ".type " #form ", @function\n" #form ":\n"                           \
          "\tjmp *gpultoEmuTarget_" #form "(%rip)\n"                           \
          ".size " #form ", .-" #form "\n")

#endif // GPULTO_EMULATOR_RUNTIME_RUNTIME_H
