//===- Runtime.cpp - State of the replacement CUDA runtime ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/Runtime.h"

#include "emulator/runtime/Deferred.h"
#include "emulator/runtime/DeviceAttributes.h"
#include "emulator/runtime/Stream.h"
#include "emulator/runtime/TransferLog.h"

#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <set>

namespace gpulto::emu {

/// How the device begins what it says; replaced by the library's own.
constexpr std::string_view kDevicePrefix = "gpulto-emu: ";

/// What the runtime calls a code that it does not have.
constexpr const char *kUnknownError = "unrecognized error code";

Runtime &Runtime::get() {
  static Runtime *runtime = new Runtime; // never destroyed, see the header
  return *runtime;
}

Runtime::Runtime() {
  if (const char *number = std::getenv(kDevicesVariable))
    if (std::string error = applySetting(settings, "devices", number);
        !error.empty())
      complain(std::string(kDevicesVariable) + ": " + error);
  const char *text = std::getenv(kSettingsVariable);
  std::vector<std::string> errors;
  settings = parseSettings(text ? text : "", errors, settings);
  for (const std::string &error : errors)
    complain(std::string(kSettingsVariable) + ": " + error);
  if (!settings.transfers.empty())
    transfers = std::make_unique<TransferLog>();
}

Runtime::~Runtime() = default;

DeviceState &Runtime::current() { return devices[threadState().device]; }

Options Runtime::deviceOptions() {
  Options options;
  options.limits = limitsOf(settings.arch);
  if (settings.smCount)
    options.limits.smCount = settings.smCount;
  if (settings.memoryMiB)
    options.limits.globalBytes = settings.memoryMiB << 20;
  options.limits.accessesHostMemory = settings.hmm;
  options.threads = settings.threads;
  options.scheduleSeed = settings.scheduleSeed;
  options.checkRaces = settings.raceCheck;
  options.maxWarpInstructions = settings.maxInstructions;
  options.counters = !settings.counters.empty();
  options.accesses = settings.accesses;
  options.poison = settings.poison;
  // What kernels that spin count depends on who runs when.
  if (options.counters && !options.threads)
    options.threads = 1;
  if (transfers) {
    options.shadow = &transfers->shadow;
    options.threads = 1;
  }
  options.diagnose = [this](std::string_view text) {
    if (text.substr(0, kDevicePrefix.size()) == kDevicePrefix)
      text.remove_prefix(kDevicePrefix.size());
    while (!text.empty() && text.back() == '\n')
      text.remove_suffix(1);
    diagnosed = text;
    complain(text);
  };
  options.host.version = CUDART_VERSION;
  options.host.attribute = [this](unsigned device, int attribute, int &value) {
    return deviceAttribute(*devices[device].device,
                           static_cast<cudaDeviceAttr>(attribute), value);
  };
  options.host.errorName = [](int error) {
    return errorName(static_cast<cudaError_t>(error));
  };
  options.host.errorString = [](int error) {
    return errorMessage(static_cast<cudaError_t>(error));
  };
  return options;
}

bool Runtime::start() {
  if (isStarted || initFailure != cudaSuccess)
    return isStarted;
  for (unsigned i = 0; i < settings.devices; ++i) {
    Status status;
    devices[i].device =
        Device::create(deviceOptions(), status, devices[0].device.get());
    if (devices[i].device)
      continue;
    initFailure = report(status) == cudaErrorMemoryAllocation
                      ? cudaErrorMemoryAllocation
                      : cudaErrorInitializationError;
    return false;
  }
  isStarted = true;
  return true;
}

cudaError_t Runtime::release(const void *pointer, AllocationKind kind,
                             AllocationKind orKind) {
  if (!pointer)
    return cudaSuccess;
  uint64_t address = reinterpret_cast<uint64_t>(pointer);
  auto found = allocations.find(address);
  if (found == allocations.end() ||
      (found->second.kind != kind && found->second.kind != orKind))
    return cudaErrorInvalidValue;
  if (graphOwned.count(address))
    return cudaSuccess;
  Status status = device()->free(address, found->second.kind);
  allocations.erase(found);
  advice.erase(address);
  return report(status);
}

void Runtime::reset(unsigned ordinal) {
  DeviceState &state = devices[ordinal];
  if (!state.device)
    return;
  registry.removeOf(primaryContext(ordinal));
  registry.unload(ordinal);
  freeAllocations([&](const LiveAllocation &allocation) {
    return allocation.device == ordinal;
  });
  state.device->resetSticky();
  state.device->setPeers(DeviceSet(1) << ordinal);
  std::unique_ptr<Device> device = std::move(state.device);
  state = DeviceState();
  state.device = std::move(device);
}

void Runtime::freeAllocations(
    const std::function<bool(const LiveAllocation &)> &isMeant) {
  std::erase_if(allocations, [&](const auto &item) {
    const auto &[address, allocation] = item;
    if (!isMeant(allocation))
      return false;
    Device &device = *devices[allocation.device].device;
    if (allocation.kind == AllocationKind::HostRegistered)
      (void)device.unregisterHost(reinterpret_cast<void *>(address));
    else
      (void)device.free(address, allocation.kind);
    graphOwned.erase(address);
    hostRanges.erase(address);
    advice.erase(address);
    return true;
  });
}

void Runtime::releaseContext(const Context &context) {
  registry.removeOf(context);
  freeAllocations([&](const LiveAllocation &allocation) {
    return allocation.context == &context;
  });
  DeviceState &state = devices[context.device];
  if (state.faulted != &context)
    return;
  state.device->resetSticky();
  state.sticky = cudaSuccess;
  state.faulted = nullptr;
}

static void writeReport(const char *what, const std::string &path,
                        const std::string &text) {
  std::FILE *file = std::fopen(path.c_str(), "w");
  bool failed =
      !file || std::fwrite(text.data(), 1, text.size(), file) != text.size();
  if (file)
    failed |= std::fclose(file) != 0;
  if (failed)
    complain(std::string("cannot write ") + what + " to " + path);
}

void Runtime::writeReports() {
  if (size_t pending = countPending(); pending && settings.verbose)
    complain("never ran: " + std::to_string(pending) +
             (pending == 1 ? " operation" : " operations") +
             " that nobody waited for");
  if (!isStarted)
    return;
  if (!settings.counters.empty())
    writeReport("counters", settings.counters,
                devices[0].device->countersJson());
  if (transfers)
    writeReport("the log of transfers", settings.transfers, transfers->json());
}

/// Called when a thread ends, after the destructors of its thread_local
/// objects. A later call, of the destructor of another key, begins anew.
static void forgetThread(void *data) {
  std::unique_ptr<ThreadState> state(static_cast<ThreadState *>(data));
  std::lock_guard<std::mutex> lock(Runtime::get().mutex);
  destroyThreadStreams(state->id);
}

ThreadState &threadState() {
  static std::atomic<uint64_t> nextId{1};
  static const pthread_key_t key = [] {
    pthread_key_t made{};
    pthread_key_create(&made, forgetThread);
    return made;
  }();
  auto *state = static_cast<ThreadState *>(pthread_getspecific(key));
  if (!state) {
    state = new ThreadState;
    state->id = nextId++;
    pthread_setspecific(key, state);
  }
  return *state;
}

cudaError_t recordError(cudaError_t error) {
  if (error != cudaSuccess && error != cudaErrorNotReady)
    threadState().lastError = error;
  return error;
}

cudaError_t toCudaError(ErrorKind kind) {
  switch (kind) {
  case ErrorKind::None:
    return cudaSuccess;
  case ErrorKind::InvalidPtx:
  case ErrorKind::UnresolvedSymbol:
  case ErrorKind::DuplicateSymbol:
    return cudaErrorInvalidPtx;
  case ErrorKind::InvalidValue:
  case ErrorKind::EmptyGrid:
    return cudaErrorInvalidValue;
  case ErrorKind::InvalidConfiguration:
    return cudaErrorInvalidConfiguration;
  case ErrorKind::OutOfResources:
    return cudaErrorLaunchOutOfResources;
  case ErrorKind::CooperativeTooLarge:
    return cudaErrorCooperativeLaunchTooLarge;
  case ErrorKind::InvalidClusterSize:
    return cudaErrorInvalidClusterSize;
  case ErrorKind::OutOfMemory:
    return cudaErrorMemoryAllocation;
  case ErrorKind::NotImplemented:
    return cudaErrorNotSupported;
  case ErrorKind::IllegalAddress:
    return cudaErrorIllegalAddress;
  case ErrorKind::MisalignedAddress:
    return cudaErrorMisalignedAddress;
  case ErrorKind::InvalidAddressSpace:
    return cudaErrorInvalidAddressSpace;
  case ErrorKind::IllegalInstruction:
    return cudaErrorIllegalInstruction;
  case ErrorKind::InvalidPc:
    return cudaErrorInvalidPc;
  case ErrorKind::StackOverflow:
  case ErrorKind::Trap:
    return cudaErrorLaunchFailure;
  case ErrorKind::Assert:
    return cudaErrorAssert;
  case ErrorKind::Deadlock:
  case ErrorKind::InstructionLimit:
    return cudaErrorLaunchTimeout;
  }
  return cudaErrorUnknown;
}

const char *errorName(cudaError_t error) {
  switch (error) {
#define GPULTO_CUDA_ERROR(code, message)                                       \
  case code:                                                                   \
    return #code;
#include "emulator/runtime/Errors.def"
  }
  return kUnknownError;
}

const char *errorMessage(cudaError_t error) {
  switch (error) {
#define GPULTO_CUDA_ERROR(code, message)                                       \
  case code:                                                                   \
    return message;
#include "emulator/runtime/Errors.def"
  }
  return kUnknownError;
}

void complain(std::string_view text) {
  if (std::string *log = threadState().log) {
    log->append(text).append("\n");
    return;
  }
  std::fflush(stdout);
  std::fprintf(stderr, "gpulto emulator: %.*s\n", static_cast<int>(text.size()),
               text.data());
}

cudaError_t report(const Status &status) {
  // The device has told about what happened in a kernel.
  bool isTold = status.isSticky() || status.text == Runtime::get().diagnosed;
  if (!status.ok() && !isTold && !status.text.empty())
    complain(status.text);
  return toCudaError(status.kind);
}

void complainNotSupported(const char *what) {
  static std::mutex *mutex = new std::mutex; // never destroyed
  static auto *told = new std::set<std::string>;
  std::lock_guard<std::mutex> lock(*mutex);
  if (told->insert(what).second)
    complain(std::string(what) + " is not supported");
}

cudaError_t notSupported(const char *what) {
  complainNotSupported(what);
  return recordError(cudaErrorNotSupported);
}

/// The library was loaded before the program ran, so its finalizer runs after
/// the program's atexit handlers.
__attribute__((destructor)) static void writeReportsAtExit() {
  Runtime::get().writeReports();
}

} // namespace gpulto::emu

/// Called by the generated definitions of what is not implemented.
extern "C" int gpultoEmuNotSupported(const char *name) {
  return gpulto::emu::notSupported(name);
}

/// The same for the driver API; CUDA_ERROR_NOT_SUPPORTED is that number, too.
extern "C" int gpultoEmuDriverNotSupported(const char *name) {
  gpulto::emu::complainNotSupported(name);
  return cudaErrorNotSupported;
}
