//===- ApiDevice.cpp - Entry points: device, errors, versions -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/DeviceAttributes.h"
#include "emulator/runtime/Runtime.h"
#include "emulator/runtime/Stream.h"

#include <cstdio>
#include <cstring>

using namespace gpulto::emu;

namespace {

/// The version of the runtime this library stands in for.
constexpr int kVersion = CUDART_VERSION;
constexpr const char *kPciBusId = "0000:01:00.0";

cudaError_t checkDevice(int device) {
  return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
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

} // namespace

extern "C" {

// Errors ---------------------------------------------------------------------

const char *cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define GPULTO_CUDA_ERROR(code, message)                                       \
  case code:                                                                   \
    return #code;
#include "emulator/runtime/Errors.def"
  }
  return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error) {
  switch (error) {
#define GPULTO_CUDA_ERROR(code, message)                                       \
  case code:                                                                   \
    return message;
#include "emulator/runtime/Errors.def"
  }
  return "unrecognized error code";
}

cudaError_t cudaGetLastError(void) {
  ThreadState &thread = threadState();
  cudaError_t error = thread.lastError;
  // A sticky error stays the last error.
  Runtime &runtime = Runtime::get();
  std::lock_guard<std::mutex> lock(runtime.mutex);
  if (error == cudaSuccess || error != runtime.sticky)
    thread.lastError = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError(void) { return threadState().lastError; }

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

// The device -----------------------------------------------------------------

cudaError_t cudaGetDeviceCount(int *count) {
  if (!count)
    return recordError(cudaErrorInvalidValue);
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device) {
  return enter([&](Runtime &runtime) {
    if (!properties)
      return cudaErrorInvalidValue;
    if (cudaError_t error = checkDevice(device))
      return error;
    deviceProperties(runtime.device()->limits(), *properties);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute,
                                   int device) {
  return enter([&](Runtime &runtime) {
    if (cudaError_t error = checkDevice(device))
      return error;
    if (!value ||
        !deviceAttribute(runtime.device()->limits(), attribute, *value))
      return cudaErrorInvalidValue;
    return cudaSuccess;
  });
}

cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *properties) {
  if (!device || !properties)
    return recordError(cudaErrorInvalidValue);
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  return enter([&](Runtime &) { return checkDevice(device); });
}

cudaError_t cudaSetDevice(int device) {
  return enter([&](Runtime &) { return checkDevice(device); });
}

cudaError_t cudaGetDevice(int *device) {
  if (!device)
    return recordError(cudaErrorInvalidValue);
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaSetValidDevices(int *devices, int count) {
  for (int i = 0; i < count; ++i)
    if (devices[i] != 0)
      return recordError(cudaErrorInvalidDevice);
  return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return enter([&](Runtime &runtime) {
    if (flags & ~static_cast<unsigned>(cudaDeviceMask))
      return cudaErrorInvalidValue;
    runtime.deviceFlags = flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceFlags(unsigned *flags) {
  return enter([&](Runtime &runtime) {
    if (!flags)
      return cudaErrorInvalidValue;
    *flags = runtime.deviceFlags | cudaDeviceMapHost;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize(void) {
  return enter([](Runtime &) {
    return legacyStreamIsBlocked() ? cudaErrorStreamCaptureUnsupported
                                   : cudaSuccess;
  });
}

cudaError_t cudaDeviceReset(void) {
  Runtime &runtime = Runtime::get();
  std::lock_guard<std::mutex> lock(runtime.mutex);
  destroyAllStreams();
  runtime.reset();
  threadState().lastError = cudaSuccess;
  return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return enter([&](Runtime &runtime) {
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
    runtime.limits[limit] = value;
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
    auto found = runtime.limits.find(limit);
    *value = found != runtime.limits.end()
                 ? found->second
                 : defaultLimit(runtime.device()->limits(), limit);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *config) {
  return enter([&](Runtime &runtime) {
    if (!config)
      return cudaErrorInvalidValue;
    *config = runtime.cacheConfig;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  return enter([&](Runtime &runtime) {
    runtime.cacheConfig = config;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig *config) {
  return enter([&](Runtime &runtime) {
    if (!config)
      return cudaErrorInvalidValue;
    *config = runtime.sharedMemConfig;
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
  if (std::strcmp(busId, kPciBusId) && std::strcmp(busId, kPciBusId + 5))
    return recordError(cudaErrorInvalidDevice);
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *busId, int length, int device) {
  if (!busId || length < 13)
    return recordError(cudaErrorInvalidValue);
  if (cudaError_t error = checkDevice(device))
    return recordError(error);
  std::snprintf(busId, length, "%s", kPciBusId);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *width,
                                                 const cudaChannelFormatDesc *,
                                                 int device) {
  if (!width)
    return recordError(cudaErrorInvalidValue);
  *width = 268435456;
  return recordError(checkDevice(device));
}

cudaError_t cudaCtxResetPersistingL2Cache(void) {
  return enter([](Runtime &) { return cudaSuccess; });
}

// Peers: there are none ------------------------------------------------------

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  if (!can)
    return recordError(cudaErrorInvalidValue);
  *can = 0;
  return recordError(device || peer ? cudaErrorInvalidDevice : cudaSuccess);
}

cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
  return recordError(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceDisablePeerAccess(int) {
  return recordError(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetP2PAttribute(int *, cudaDeviceP2PAttr, int, int) {
  return recordError(cudaErrorInvalidDevice);
}

// The driver API is not emulated ---------------------------------------------

cudaError_t
cudaGetDriverEntryPointByVersion(const char *, void **function, unsigned,
                                 unsigned long long,
                                 cudaDriverEntryPointQueryResult *status) {
  if (function)
    *function = nullptr;
  if (status)
    *status = cudaDriverEntryPointSymbolNotFound;
  return notSupported("cudaGetDriverEntryPoint (the driver API)");
}
GPULTO_EMU_ALIAS(cudaGetDriverEntryPointByVersion_ptsz,
                 cudaGetDriverEntryPointByVersion);

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function,
                                    unsigned long long flags,
                                    cudaDriverEntryPointQueryResult *status) {
  return cudaGetDriverEntryPointByVersion(symbol, function, 0, flags, status);
}
GPULTO_EMU_ALIAS(cudaGetDriverEntryPoint_ptsz, cudaGetDriverEntryPoint);

} // extern "C"
