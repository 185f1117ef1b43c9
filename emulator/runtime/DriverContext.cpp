//===- DriverContext.cpp - Driver API: contexts ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/Deferred.h"
#include "emulator/runtime/Driver.h"
#include "emulator/runtime/MemoryPool.h"
#include "emulator/runtime/Stream.h"

using namespace gpulto::emu;

namespace {

/// The result of cuCtxGetApiVersion for every context, as in the real driver.
constexpr unsigned kContextVersion = 3020;

CUcontext handleOf(Context *context) {
  return reinterpret_cast<CUcontext>(context);
}

/// Runs \p body on the primary context of a device.
template <typename Body> CUresult withPrimary(CUdevice device, Body body) {
  return inDriver([&] {
    return locked([&](Runtime &runtime) -> CUresult {
      if (!runtime.isDevice(device))
        return CUDA_ERROR_INVALID_DEVICE;
      return body(runtime, primaryContext(static_cast<unsigned>(device)));
    });
  });
}

/// Runs \p body on the context of a handle, or on the current one if it is
/// null.
template <typename Body> CUresult withContext(CUcontext handle, Body body) {
  return inDriver([&] {
    return locked([&](Runtime &) -> CUresult {
      Context *context = handle ? findContext(handle) : currentContext();
      if (!context)
        return CUDA_ERROR_INVALID_CONTEXT;
      if (!context->isAlive)
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
      return body(*context);
    });
  });
}

void resetPrimary(Runtime &runtime, Context &primary) {
  (void)waitForDevice(runtime, primary.device);
  if (hasOtherContexts(primary.device)) {
    // What they have stays, and so does what no context owns.
    destroyStreamsOf(primary);
    runtime.releaseContext(primary);
  } else {
    destroyAllStreams(primary.device);
    forgetPools(primary.device);
    runtime.reset(primary.device);
  }
  primary.isAlive = primary.isHeldByRuntime = false;
  primary.retained = 0;
}

bool areContextFlags(unsigned flags) {
  return !(flags & ~static_cast<unsigned>(CU_CTX_FLAGS_MASK));
}

CUresult makeContext(CUcontext *result, unsigned flags, CUdevice device) {
  return inDriver([&] {
    return locked([&](Runtime &runtime) -> CUresult {
      if (!runtime.isDevice(device))
        return CUDA_ERROR_INVALID_DEVICE;
      if (!result || !areContextFlags(flags))
        return CUDA_ERROR_INVALID_VALUE;
      Context *context = createContext(static_cast<unsigned>(device), flags);
      pushContext(context);
      *result = handleOf(context);
      return CUDA_SUCCESS;
    });
  });
}

} // namespace

extern "C" {

// Primary contexts -----------------------------------------------------------

CUresult cuDevicePrimaryCtxRetain(CUcontext *result, CUdevice device) {
  return withPrimary(device, [&](Runtime &, Context &primary) {
    if (!result)
      return CUDA_ERROR_INVALID_VALUE;
    ++primary.retained;
    primary.isAlive = true;
    *result = handleOf(&primary);
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  return withPrimary(device, [&](Runtime &runtime, Context &primary) {
    if (!primary.retained)
      return CUDA_ERROR_INVALID_CONTEXT;
    if (--primary.retained == 0 && !primary.isHeldByRuntime)
      resetPrimary(runtime, primary);
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  return withPrimary(device, [&](Runtime &runtime, Context &primary) {
    resetPrimary(runtime, primary);
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
  return withPrimary(device, [&](Runtime &, Context &primary) {
    if (!areContextFlags(flags))
      return CUDA_ERROR_INVALID_VALUE;
    primary.flags = flags;
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags,
                                    int *isActive) {
  return withPrimary(device, [&](Runtime &, Context &primary) {
    if (!flags || !isActive)
      return CUDA_ERROR_INVALID_VALUE;
    *flags = primary.flags;
    *isActive = primary.isAlive;
    return CUDA_SUCCESS;
  });
}

#undef cuDevicePrimaryCtxRelease
#undef cuDevicePrimaryCtxReset
#undef cuDevicePrimaryCtxSetFlags
GPULTO_EMU_OLDER(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2);
GPULTO_EMU_OLDER(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2);
GPULTO_EMU_OLDER(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2);

// Making and destroying ------------------------------------------------------

CUresult cuCtxCreate_v4(CUcontext *result, CUctxCreateParams *params,
                        unsigned flags, CUdevice device) {
  if (params && (params->numExecAffinityParams || params->cigParams))
    return driverNotSupported("cuCtxCreate with an execution affinity");
  return makeContext(result, flags, device);
}

CUresult cuCtxCreate_v3(CUcontext *result, CUexecAffinityParam *, int count,
                        unsigned flags, CUdevice device) {
  if (count)
    return driverNotSupported("cuCtxCreate with an execution affinity");
  return makeContext(result, flags, device);
}

CUresult cuCtxCreate_v2(CUcontext *result, unsigned flags, CUdevice device) {
  return makeContext(result, flags, device);
}

CUresult cuCtxDestroy(CUcontext handle) {
  return inDriver([&] {
    return locked([&](Runtime &runtime) -> CUresult {
      Context *context = findContext(handle);
      if (!context || context->isPrimary)
        return CUDA_ERROR_INVALID_CONTEXT;
      if (!context->isAlive)
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
      (void)waitForContext(runtime, context);
      destroyStreamsOf(*context);
      runtime.releaseContext(*context);
      context->isAlive = false;
      if (currentContext() == context)
        popContext();
      return CUDA_SUCCESS;
    });
  });
}
#undef cuCtxDestroy
GPULTO_EMU_OLDER(cuCtxDestroy, cuCtxDestroy_v2);

// The current one ------------------------------------------------------------

CUresult cuCtxPushCurrent(CUcontext handle) {
  return inDriver([&] {
    return locked([&](Runtime &) {
      Context *context = findContext(handle);
      if (!context || !context->isAlive)
        return context ? CUDA_ERROR_CONTEXT_IS_DESTROYED
                       : CUDA_ERROR_INVALID_CONTEXT;
      pushContext(context);
      return CUDA_SUCCESS;
    });
  });
}

CUresult cuCtxPopCurrent(CUcontext *result) {
  return inDriver([&] {
    Context *context = currentContext();
    if (!context)
      return CUDA_ERROR_INVALID_CONTEXT;
    popContext();
    if (result)
      *result = handleOf(context);
    return CUDA_SUCCESS;
  });
}
#undef cuCtxPushCurrent
#undef cuCtxPopCurrent
GPULTO_EMU_OLDER(cuCtxPushCurrent, cuCtxPushCurrent_v2);
GPULTO_EMU_OLDER(cuCtxPopCurrent, cuCtxPopCurrent_v2);

CUresult cuCtxSetCurrent(CUcontext handle) {
  return inDriver([&] {
    return locked([&](Runtime &) {
      Context *context = findContext(handle);
      if (handle && !context)
        return CUDA_ERROR_INVALID_CONTEXT;
      if (context && !context->isAlive)
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
      setCurrentContext(context);
      return CUDA_SUCCESS;
    });
  });
}

CUresult cuCtxGetCurrent(CUcontext *result) {
  return inDriver([&] {
    if (!result)
      return CUDA_ERROR_INVALID_VALUE;
    *result = handleOf(currentContext());
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext handle) {
  return withContext(handle, [&](Context &context) {
    if (!device)
      return CUDA_ERROR_INVALID_VALUE;
    *device = static_cast<CUdevice>(context.device);
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetDevice(CUdevice *device) {
  return cuCtxGetDevice_v2(device, nullptr);
}

CUresult cuCtxGetFlags(unsigned *flags) {
  return withContext(nullptr, [&](Context &context) {
    if (!flags)
      return CUDA_ERROR_INVALID_VALUE;
    *flags = context.flags;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSetFlags(unsigned flags) {
  return withContext(nullptr, [&](Context &context) {
    if (!areContextFlags(flags))
      return CUDA_ERROR_INVALID_VALUE;
    context.flags = flags;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetId(CUcontext handle, unsigned long long *id) {
  return withContext(handle, [&](Context &context) {
    if (!id)
      return CUDA_ERROR_INVALID_VALUE;
    *id = context.id;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetApiVersion(CUcontext handle, unsigned *version) {
  return withContext(handle, [&](Context &) {
    if (!version)
      return CUDA_ERROR_INVALID_VALUE;
    *version = kContextVersion;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSynchronize(void) {
  return inContext([] { return cudaDeviceSynchronize(); });
}

CUresult cuCtxSynchronize_v2(CUcontext handle) {
  if (CUresult result =
          withContext(handle, [](Context &) { return CUDA_SUCCESS; }))
    return result;
  if (!handle)
    return cuCtxSynchronize();
  pushContext(findContext(handle));
  CUresult result = cuCtxSynchronize();
  popContext();
  return result;
}

// Settings -------------------------------------------------------------------

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  return inContext(
      [&] { return cudaDeviceSetLimit(static_cast<cudaLimit>(limit), value); });
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit) {
  return inContext([&] {
    return limit < CU_LIMIT_SHMEM_SIZE
               ? cudaDeviceGetLimit(value, static_cast<cudaLimit>(limit))
               : cudaErrorUnsupportedLimit;
  });
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *config) {
  return inContext([&] {
    return cudaDeviceGetCacheConfig(reinterpret_cast<cudaFuncCache *>(config));
  });
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  return inContext([&] {
    return cudaDeviceSetCacheConfig(static_cast<cudaFuncCache>(config));
  });
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig *config) {
  return inContext([&] {
    return cudaDeviceGetSharedMemConfig(
        reinterpret_cast<cudaSharedMemConfig *>(config));
  });
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) {
  return inContext([&] {
    return cudaDeviceSetSharedMemConfig(
        static_cast<cudaSharedMemConfig>(config));
  });
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  return inContext(
      [&] { return cudaDeviceGetStreamPriorityRange(least, greatest); });
}

CUresult cuCtxResetPersistingL2Cache(void) {
  return inContext([] { return cudaCtxResetPersistingL2Cache(); });
}

} // extern "C"
