//===- ApiDevice.cpp - Entry points: device, errors, versions -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/Deferred.h"
#include "emulator/runtime/DeviceAttributes.h"
#include "emulator/runtime/MemoryPool.h"
#include "emulator/runtime/Runtime.h"
#include "emulator/runtime/Stream.h"
#include "emulator/runtime/TransferLog.h"
#include "emulator/trace/HostTrace.h"

#include <cstdio>
#include <dlfcn.h>

using namespace gpulto::emu;

namespace {

/// The version of the runtime this library stands in for.
#ifdef GPULTO_EMULATOR_RUNTIME_CUDA12NAMES_H
constexpr int kVersion = 12090;
#else
constexpr int kVersion = CUDART_VERSION;
#endif

cudaError_t checkDevice(const Runtime &runtime, int device) {
  return runtime.isDevice(device) ? cudaSuccess : cudaErrorInvalidDevice;
}

/// Runs \p body on a device and a peer of it, which must be two.
template <typename Body> cudaError_t withPeer(int device, int peer, Body body) {
  return enter([&](Runtime &runtime) -> cudaError_t {
    if (!runtime.isDevice(device) || !runtime.isDevice(peer) || device == peer)
      return cudaErrorInvalidDevice;
    return body(runtime.devices[device], DeviceSet(1) << peer);
  });
}

/// Lets a device use the memory of \p peers in addition to its own.
void setPeers(DeviceState &state, DeviceSet peers) {
  state.peers = peers;
  state.device->setPeers(peers | DeviceSet(1) << state.device->ordinal());
}

/// Finds a function of the emulator's libcuda.so.1, which is in the same
/// directory; null if it does not exist.
void *findDriverFunction(const char *name) {
  static void *driver = [] {
    Dl_info info{};
    dladdr(reinterpret_cast<void *>(&cudaGetDriverEntryPoint), &info);
    std::string path(info.dli_fname ? info.dli_fname : "");
    path.resize(path.rfind('/') + 1);
    return dlopen((path + "libcuda.so.1").c_str(), RTLD_NOW | RTLD_LOCAL);
  }();
  return driver ? dlsym(driver, name) : nullptr;
}

/// Values of cudaDeviceGetLimit before any is set, as an H100 reports them.
size_t defaultLimit(const DeviceLimits &limits, cudaLimit limit) {
  switch (limit) {
  case cudaLimitStackSize:
    return limits.stackBytes;
  case cudaLimitPrintfFifoSize:
    return 7 << 20;
  case cudaLimitMallocHeapSize:
    return limits.heapBytes;
  case cudaLimitMaxL2FetchGranularity:
    return 64;
  default:
    return 0;
  }
}

/// The program asks for errors, which a wait may have brought.
void noteUseOfError(Runtime &runtime) {
  if (runtime.transfers)
    runtime.transfers->observe(kGpultoTraceErrorCode);
}

} // namespace

extern "C" {

// Errors ---------------------------------------------------------------------

const char *cudaGetErrorName(cudaError_t error) { return errorName(error); }

const char *cudaGetErrorString(cudaError_t error) {
  return errorMessage(error);
}

cudaError_t cudaGetLastError(void) {
  ThreadState &thread = threadState();
  cudaError_t error = thread.lastError;
  // A sticky error stays the last error.
  Runtime &runtime = Runtime::get();
  std::lock_guard<std::mutex> lock(runtime.mutex);
  noteUseOfError(runtime);
  if (error == cudaSuccess || error != runtime.current().sticky)
    thread.lastError = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError(void) {
  noteUseOfError(Runtime::get());
  return threadState().lastError;
}

// Versions -------------------------------------------------------------------

cudaError_t cudaDriverGetVersion(int *version) {
  if (!version)
    return recordError(cudaErrorInvalidValue);
  *version = kVersion;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version) {
  return cudaDriverGetVersion(version);
}

cudaError_t cudaProfilerStart(void) { return cudaSuccess; }
cudaError_t cudaProfilerStop(void) { return cudaSuccess; }

// Devices --------------------------------------------------------------------

cudaError_t cudaGetDeviceCount(int *count) {
  if (!count)
    return recordError(cudaErrorInvalidValue);
  *count = static_cast<int>(Runtime::get().settings.devices);
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device) {
  return enter([&](Runtime &runtime) {
    if (!properties)
      return cudaErrorInvalidValue;
    if (cudaError_t error = checkDevice(runtime, device))
      return error;
    deviceProperties(*runtime.devices[device].device, *properties);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute,
                                   int device) {
  return enter([&](Runtime &runtime) {
    if (cudaError_t error = checkDevice(runtime, device))
      return error;
    if (!value ||
        !deviceAttribute(*runtime.devices[device].device, attribute, *value))
      return cudaErrorInvalidValue;
    return cudaSuccess;
  });
}

cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *properties) {
  // All are alike.
  if (!device || !properties)
    return recordError(cudaErrorInvalidValue);
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  return enter([&](Runtime &runtime) { return checkDevice(runtime, device); });
}

cudaError_t cudaSetDevice(int device) {
  // Not of enter(): a fault of the device that was current does not matter.
  Runtime &runtime = Runtime::get();
  std::lock_guard<std::mutex> lock(runtime.mutex);
  if (!runtime.start())
    return recordError(runtime.initError());
  if (cudaError_t error = checkDevice(runtime, device))
    return recordError(error);
  Context &primary = primaryContext(static_cast<unsigned>(device));
  runtime.initializeDriver();
  primary.isAlive = primary.isHeldByRuntime = true;
  setCurrentContext(&primary);
  return recordError(runtime.current().sticky);
}

cudaError_t cudaGetDevice(int *device) {
  if (!device)
    return recordError(cudaErrorInvalidValue);
  *device = static_cast<int>(threadState().device);
  return cudaSuccess;
}

cudaError_t cudaSetValidDevices(int *devices, int count) {
  for (int i = 0; i < count; ++i)
    if (!Runtime::get().isDevice(devices[i]))
      return recordError(cudaErrorInvalidDevice);
  return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return enter([&](Runtime &runtime) {
    if (flags & ~static_cast<unsigned>(cudaDeviceMask))
      return cudaErrorInvalidValue;
    runtime.current().flags = flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceFlags(unsigned *flags) {
  return enter([&](Runtime &runtime) {
    if (!flags)
      return cudaErrorInvalidValue;
    *flags = runtime.current().flags | cudaDeviceMapHost;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize(void) {
  return enter([](Runtime &runtime) {
    if (runtime.transfers)
      runtime.transfers->waitForDevice(threadState().device, true);
    return legacyStreamIsBlocked() ? cudaErrorStreamCaptureUnsupported
                                   : waitForContext(runtime, currentContext());
  });
}

cudaError_t cudaDeviceReset(void) {
  Runtime &runtime = Runtime::get();
  std::lock_guard<std::mutex> lock(runtime.mutex);
  unsigned device = threadState().device;
  (void)waitForDevice(runtime, device);
  // Other errors stay to be asked for.
  if (cudaError_t sticky = runtime.current().sticky;
      sticky && threadState().lastError == sticky)
    threadState().lastError = cudaSuccess;
  destroyAllStreams(device);
  forgetPools(device);
  runtime.reset(device);
  Context &primary = primaryContext(device);
  primary.isHeldByRuntime = false;
  primary.isAlive = primary.retained != 0;
  if (currentContext() == &primary)
    popContext();
  return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return enter([&](Runtime &runtime) {
    if (cudaError_t error = waitForDevice(runtime, threadState().device))
      return error; // What was launched before has the old limits.
    switch (limit) {
    case cudaLimitStackSize:
      runtime.device()->setStackBytes(value);
      break;
    case cudaLimitMallocHeapSize:
      runtime.device()->setHeapBytes(value);
      break;
    case cudaLimitPrintfFifoSize:
    case cudaLimitMaxL2FetchGranularity:
    case cudaLimitPersistingL2CacheSize:
      break;
    default: // limits of device-side launches
      return cudaErrorUnsupportedLimit;
    }
    runtime.current().limits[limit] = value;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit limit) {
  return enter([&](Runtime &runtime) {
    if (!value)
      return cudaErrorInvalidValue;
    if (limit == cudaLimitDevRuntimeSyncDepth ||
        limit == cudaLimitDevRuntimePendingLaunchCount)
      return cudaErrorUnsupportedLimit;
    const std::map<int, size_t> &limits = runtime.current().limits;
    auto found = limits.find(limit);
    *value = found != limits.end()
                 ? found->second
                 : defaultLimit(runtime.device()->limits(), limit);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *config) {
  return enter([&](Runtime &runtime) {
    if (!config)
      return cudaErrorInvalidValue;
    *config = runtime.current().cacheConfig;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  return enter([&](Runtime &runtime) {
    runtime.current().cacheConfig = config;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig *config) {
  return enter([&](Runtime &) {
    if (!config)
      return cudaErrorInvalidValue;
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  // Only one bank size exists since compute capability 5.0.
  return enter([](Runtime &) { return cudaSuccess; });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  if (least)
    *least = 0;
  if (greatest)
    *greatest = -5;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *busId) {
  if (!device || !busId)
    return recordError(cudaErrorInvalidValue);
  for (unsigned i = 0; i < Runtime::get().settings.devices; ++i) {
    std::string known = pciBusId(i);
    if (busId != known && busId != known.substr(5)) // Without the domain.
      continue;
    *device = static_cast<int>(i);
    return cudaSuccess;
  }
  return recordError(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetPCIBusId(char *busId, int length, int device) {
  if (!busId || length < 13)
    return recordError(cudaErrorInvalidValue);
  if (cudaError_t error = checkDevice(Runtime::get(), device))
    return recordError(error);
  std::snprintf(busId, length, "%s", pciBusId(device).c_str());
  return cudaSuccess;
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *width,
                                                 const cudaChannelFormatDesc *,
                                                 int device) {
  if (!width)
    return recordError(cudaErrorInvalidValue);
  *width = 268435456;
  return recordError(checkDevice(Runtime::get(), device));
}

cudaError_t cudaCtxResetPersistingL2Cache(void) {
  return enter([](Runtime &) { return cudaSuccess; });
}

// Peers: every device can be one of every other
// --------------------------------

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  const Runtime &runtime = Runtime::get();
  if (!can)
    return recordError(cudaErrorInvalidValue);
  *can = device != peer;
  return recordError(runtime.isDevice(device) && runtime.isDevice(peer)
                         ? cudaSuccess
                         : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  int device = static_cast<int>(threadState().device);
  return withPeer(device, peer, [&](DeviceState &state, DeviceSet bit) {
    if (flags)
      return cudaErrorInvalidValue;
    if (state.peers & bit)
      return cudaErrorPeerAccessAlreadyEnabled;
    setPeers(state, state.peers | bit);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  int device = static_cast<int>(threadState().device);
  return withPeer(device, peer, [&](DeviceState &state, DeviceSet bit) {
    if (!(state.peers & bit))
      return cudaErrorPeerAccessNotEnabled;
    if (cudaError_t error =
            waitForDevice(Runtime::get(), state.device->ordinal()))
      return error;
    setPeers(state, state.peers & ~bit);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, cudaDeviceP2PAttr attribute,
                                      int device, int peer) {
  return withPeer(device, peer, [&](DeviceState &, DeviceSet) {
    if (!value)
      return cudaErrorInvalidValue;
    *value = attribute != cudaDevP2PAttrPerformanceRank;
    return cudaSuccess;
  });
}

// The driver API -------------------------------------------------------------

cudaError_t
cudaGetDriverEntryPointByVersion(const char *symbol, void **function,
                                 unsigned version, unsigned long long flags,
                                 cudaDriverEntryPointQueryResult *status) {
  if (!symbol || !function)
    return recordError(cudaErrorInvalidValue);
  *function = nullptr;
  if (flags == cudaEnableDefault && threadState().usesOwnStream)
    flags = cudaEnablePerThreadDefaultStream;
  // cudaEnableLegacyStream and its kin have the numbers of the driver's flags,
  // the result those of its result.
  using Query = int(const char *, void **, int, uint64_t, int *);
  auto *query =
      reinterpret_cast<Query *>(findDriverFunction("cuGetProcAddress_v2"));
  if (!query)
    return recordError(cudaErrorInsufficientDriver);
  int found = cudaDriverEntryPointSymbolNotFound;
  constexpr int kNotFound = 500; // CUDA_ERROR_NOT_FOUND, told by the status
  int result =
      query(symbol, function, static_cast<int>(version), flags, &found);
  if (status)
    *status = static_cast<cudaDriverEntryPointQueryResult>(found);
  return recordError(result == kNotFound ? cudaSuccess
                                         : static_cast<cudaError_t>(result));
}
GPULTO_EMU_PER_THREAD(cudaGetDriverEntryPointByVersion_ptsz,
                      cudaGetDriverEntryPointByVersion);

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function,
                                    unsigned long long flags,
                                    cudaDriverEntryPointQueryResult *status) {
  return cudaGetDriverEntryPointByVersion(symbol, function, kVersion, flags,
                                          status);
}
GPULTO_EMU_PER_THREAD(cudaGetDriverEntryPoint_ptsz, cudaGetDriverEntryPoint);

} // extern "C"
