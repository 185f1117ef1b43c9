//===- DriverCode.cpp - Driver API: modules, libraries, functions ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/CodeHandle.h"
#include "emulator/runtime/Deferred.h"
#include "emulator/runtime/Driver.h"
#include "emulator/runtime/JitOptions.h"

#include <algorithm>

using namespace gpulto::emu;

namespace {

CUmodule handleOf(CodeModule *module) {
  return reinterpret_cast<CUmodule>(module);
}

/// Runs \p body on the code behind \p handle in the current context.
template <typename Body> CUresult withModule(const void *handle, Body body) {
  return inContext([&] { return withCode(handle, body); });
}

/// Loads \p code for the current context, or for all as a library.
CUresult load(const char *origin, const void *code, const JitOptions &options,
              bool isLibrary, CodeModule *&module) {
  return inContext([&]() -> CUresult {
    if (!code)
      return CUDA_ERROR_INVALID_VALUE;
    JitLog log(options);
    return toResult(enter([&](Runtime &runtime) {
      return runtime.registry.loadCode(runtime, origin, code,
                                       isLibrary ? nullptr : currentContext(),
                                       module);
    }));
  });
}

CUresult loadModule(const char *origin, const void *code,
                    const JitOptions &options, CUmodule *result) {
  CodeModule *module = nullptr;
  if (!result)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = load(origin, code, options, false, module))
    return error;
  *result = handleOf(module);
  return CUDA_SUCCESS;
}

CUresult loadLibrary(const char *origin, const void *code,
                     const JitOptions &options, CUlibrary *result) {
  CodeModule *module = nullptr;
  if (!result)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = load(origin, code, options, true, module))
    return error;
  *result = reinterpret_cast<CUlibrary>(module);
  return CUDA_SUCCESS;
}

cudaError_t findFunction(Runtime &runtime, CodeModule &module, const char *name,
                         CUfunction *result) {
  KernelEntry *entry = nullptr;
  if (!name || !result)
    return cudaErrorInvalidValue;
  cudaError_t error =
      runtime.registry.findKernelByName(runtime, module, name, entry);
  if (error == cudaSuccess)
    *result = reinterpret_cast<CUfunction>(entry);
  return error;
}

cudaError_t findGlobal(Module &code, const char *name, CUdeviceptr *address,
                       size_t *bytes) {
  if (!name)
    return cudaErrorInvalidValue;
  const VariableInfo *info = code.findVariable(name);
  if (!info)
    return cudaErrorSymbolNotFound;
  if (address)
    *address = info->address;
  if (bytes)
    *bytes = info->sizeBytes;
  return cudaSuccess;
}

/// Reads an attribute from the runtime's attributes of a function.
cudaError_t readAttribute(const cudaFuncAttributes &attributes,
                          CUfunction_attribute which, int *value) {
  switch (which) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *value = attributes.maxThreadsPerBlock;
    return cudaSuccess;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    *value = static_cast<int>(attributes.sharedSizeBytes);
    return cudaSuccess;
  case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    *value = static_cast<int>(attributes.constSizeBytes);
    return cudaSuccess;
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    *value = static_cast<int>(attributes.localSizeBytes);
    return cudaSuccess;
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    *value = attributes.numRegs;
    return cudaSuccess;
  case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    *value = attributes.ptxVersion;
    return cudaSuccess;
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
    *value = attributes.binaryVersion;
    return cudaSuccess;
  case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
    *value = attributes.cacheModeCA;
    return cudaSuccess;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    *value = attributes.maxDynamicSharedSizeBytes;
    return cudaSuccess;
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    *value = attributes.preferredShmemCarveout;
    return cudaSuccess;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
    *value = attributes.clusterDimMustBeSet;
    return cudaSuccess;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    *value = attributes.requiredClusterWidth;
    return cudaSuccess;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    *value = attributes.requiredClusterHeight;
    return cudaSuccess;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
    *value = attributes.requiredClusterDepth;
    return cudaSuccess;
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    *value = attributes.nonPortableClusterSizeAllowed;
    return cudaSuccess;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    *value = attributes.clusterSchedulingPolicyPreference;
    return cudaSuccess;
  default:
    return cudaErrorInvalidValue;
  }
}

cudaError_t getAttribute(const void *function, CUfunction_attribute which,
                         int *value) {
  cudaFuncAttributes attributes{};
  if (!value)
    return cudaErrorInvalidValue;
  if (cudaError_t error = cudaFuncGetAttributes(&attributes, function))
    return error;
  return readAttribute(attributes, which, value);
}

/// Runs \p body with a device's primary context in place of the current one.
template <typename Body> CUresult onDevice(CUdevice device, Body body) {
  return inContext([&]() -> CUresult {
    if (!Runtime::get().isDevice(device))
      return CUDA_ERROR_INVALID_DEVICE;
    pushContext(&primaryContext(static_cast<unsigned>(device)));
    CUresult result = toResult(body());
    popContext();
    return result;
  });
}

} // namespace

extern "C" {

// Modules --------------------------------------------------------------------

CUresult cuModuleLoad(CUmodule *module, const char *path) {
  std::string text;
  if (!path)
    return CUDA_ERROR_INVALID_VALUE;
  if (!readWholeFile(path, text).empty())
    return CUDA_ERROR_FILE_NOT_FOUND;
  return loadModule(path, text.c_str(), {}, module);
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                            CUjit_option *options, void **values) {
  JitOptions jit{options, values, count};
  if (CUresult result = jit.check())
    return result;
  return loadModule("code of cuModuleLoadDataEx", image, jit, module);
}

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  return loadModule("code of cuModuleLoadData", image, {}, module);
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image) {
  return loadModule("code of cuModuleLoadFatBinary", image, {}, module);
}

CUresult cuModuleUnload(CUmodule handle) {
  return withModule(handle, [](Runtime &runtime, CodeModule &module, Module &) {
    if (!module.context) // A library's, which is unloaded with that.
      return cudaErrorInvalidResourceHandle;
    if (cudaError_t error = waitForDevices(runtime))
      return error;
    runtime.registry.remove(&module);
    return cudaSuccess;
  });
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode) {
  return inDriver([&] {
    if (!mode)
      return CUDA_ERROR_INVALID_VALUE;
    *mode = CU_MODULE_LAZY_LOADING;
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule handle,
                             const char *name) {
  return withModule(handle,
                    [&](Runtime &runtime, CodeModule &module, Module &) {
                      return findFunction(runtime, module, name, function);
                    });
}

CUresult cuModuleGetFunctionCount(unsigned *count, CUmodule handle) {
  return withModule(handle, [&](Runtime &, CodeModule &, Module &code) {
    if (!count)
      return cudaErrorInvalidValue;
    *count = static_cast<unsigned>(code.kernelNames().size());
    return cudaSuccess;
  });
}

CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned count,
                                    CUmodule handle) {
  return withModule(
      handle,
      [&](Runtime &runtime, CodeModule &module, Module &code) -> cudaError_t {
        std::vector<KernelEntry *> found;
        if (cudaError_t error = runtime.registry.findKernels(
                runtime, module, code, count, found))
          return error;
        if (!found.empty() && !functions)
          return cudaErrorInvalidValue;
        for (size_t i = 0; i < found.size(); ++i)
          functions[i] = reinterpret_cast<CUfunction>(found[i]);
        return cudaSuccess;
      });
}

CUresult cuModuleGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule handle,
                           const char *name) {
  return withModule(handle, [&](Runtime &, CodeModule &, Module &code) {
    return findGlobal(code, name, address, bytes);
  });
}

// Libraries ------------------------------------------------------------------

CUresult cuLibraryLoadData(CUlibrary *library, const void *code,
                           CUjit_option *options, void **values, unsigned count,
                           CUlibraryOption *, void **, unsigned) {
  JitOptions jit{options, values, count};
  if (CUresult result = jit.check())
    return result;
  return loadLibrary("code of cuLibraryLoadData", code, jit, library);
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path,
                               CUjit_option *options, void **values,
                               unsigned count, CUlibraryOption *, void **,
                               unsigned) {
  JitOptions jit{options, values, count};
  if (CUresult result = jit.check())
    return result;
  std::string text;
  if (!path)
    return CUDA_ERROR_INVALID_VALUE;
  if (!readWholeFile(path, text).empty())
    return CUDA_ERROR_FILE_NOT_FOUND;
  return loadLibrary(path, text.c_str(), jit, library);
}

CUresult cuLibraryUnload(CUlibrary handle) {
  return inDriver([&] {
    return locked([&](Runtime &runtime) {
      if (!runtime.registry.isModule(handle))
        return CUDA_ERROR_INVALID_HANDLE;
      auto *module = reinterpret_cast<CodeModule *>(handle);
      if (module->context || module->wrapper)
        return CUDA_ERROR_INVALID_HANDLE;
      (void)waitForDevices(runtime);
      runtime.registry.remove(module);
      return CUDA_SUCCESS;
    });
  });
}

CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary handle,
                            const char *name) {
  return withModule(
      handle, [&](Runtime &runtime, CodeModule &module, Module &) {
        return findFunction(runtime, module, name,
                            reinterpret_cast<CUfunction *>(kernel));
      });
}

CUresult cuLibraryGetKernelCount(unsigned *count, CUlibrary handle) {
  return cuModuleGetFunctionCount(count, reinterpret_cast<CUmodule>(handle));
}

CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned count,
                                   CUlibrary handle) {
  return cuModuleEnumerateFunctions(reinterpret_cast<CUfunction *>(kernels),
                                    count, reinterpret_cast<CUmodule>(handle));
}

/// A library's module in the current context is the library.
CUresult cuLibraryGetModule(CUmodule *result, CUlibrary handle) {
  return withModule(handle, [&](Runtime &, CodeModule &module, Module &) {
    if (!result)
      return cudaErrorInvalidValue;
    *result = handleOf(&module);
    return cudaSuccess;
  });
}

CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes,
                            CUlibrary handle, const char *name) {
  return withModule(handle, [&](Runtime &, CodeModule &, Module &code) {
    return findGlobal(code, name, address, bytes);
  });
}

CUresult cuLibraryGetManaged(CUdeviceptr *address, size_t *bytes,
                             CUlibrary handle, const char *name) {
  return cuLibraryGetGlobal(address, bytes, handle, name);
}

// Kernels: functions of every context ----------------------------------------

CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel) {
  return inContext([&] {
    cudaFunction_t found = nullptr;
    if (!function)
      return cudaErrorInvalidValue;
    cudaError_t error = cudaGetFuncBySymbol(&found, kernel);
    if (error == cudaSuccess)
      *function = found;
    return error;
  });
}

CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel) {
  return cuFuncGetModule(reinterpret_cast<CUmodule *>(library),
                         reinterpret_cast<CUfunction>(kernel));
}

CUresult cuKernelGetAttribute(int *value, CUfunction_attribute which,
                              CUkernel kernel, CUdevice device) {
  return onDevice(device, [&] { return getAttribute(kernel, which, value); });
}

CUresult cuKernelSetAttribute(CUfunction_attribute which, int value,
                              CUkernel kernel, CUdevice device) {
  return onDevice(device, [&] {
    return cudaFuncSetAttribute(kernel, static_cast<cudaFuncAttribute>(which),
                                value);
  });
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache,
                                CUdevice device) {
  return onDevice(device, [&] {
    return cudaFuncSetCacheConfig(kernel, cudaFuncCachePreferNone);
  });
}

CUresult cuKernelGetName(const char **name, CUkernel kernel) {
  return inContext([&] { return cudaFuncGetName(name, kernel); });
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset,
                              size_t *size) {
  return inContext(
      [&] { return cudaFuncGetParamInfo(kernel, index, offset, size); });
}

// Functions ------------------------------------------------------------------

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute which,
                            CUfunction function) {
  return inContext([&] { return getAttribute(function, which, value); });
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute which,
                            int value) {
  return inContext([&] {
    return cudaFuncSetAttribute(function, static_cast<cudaFuncAttribute>(which),
                                value);
  });
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache) {
  return inContext([&] {
    return cudaFuncSetCacheConfig(function, cudaFuncCachePreferNone);
  });
}

CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig) {
  return inContext([&] {
    return cudaFuncSetSharedMemConfig(function, cudaSharedMemBankSizeDefault);
  });
}

CUresult cuFuncGetModule(CUmodule *module, CUfunction function) {
  return inContext([&] {
    return enter([&](Runtime &runtime) {
      const KernelEntry *entry = runtime.registry.findEntry(function);
      if (!entry)
        return cudaErrorInvalidDeviceFunction;
      if (!module)
        return cudaErrorInvalidValue;
      *module = handleOf(entry->owner);
      return cudaSuccess;
    });
  });
}

CUresult cuFuncGetName(const char **name, CUfunction function) {
  return inContext([&] { return cudaFuncGetName(name, function); });
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset,
                            size_t *size) {
  return inContext(
      [&] { return cudaFuncGetParamInfo(function, index, offset, size); });
}

CUresult cuFuncGetParamCount(CUfunction function, size_t *count) {
  return inContext([&] {
    return withDeviceKernel(function, [&](Device &, DeviceKernel &kernel) {
      if (!count)
        return cudaErrorInvalidValue;
      *count = kernel.kernel->info().params.size();
      return cudaSuccess;
    });
  });
}

CUresult cuKernelGetParamCount(CUkernel kernel, size_t *count) {
  return cuFuncGetParamCount(reinterpret_cast<CUfunction>(kernel), count);
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function) {
  return inContext([&] {
    cudaFunction_t found = nullptr;
    if (!state)
      return cudaErrorInvalidValue;
    cudaError_t error = cudaGetFuncBySymbol(&found, function);
    *state = CU_FUNCTION_LOADING_STATE_LOADED;
    return error;
  });
}

CUresult cuFuncLoad(CUfunction function) {
  return inContext([&] {
    cudaFunction_t found = nullptr;
    return cudaGetFuncBySymbol(&found, function);
  });
}

// Occupancy ------------------------------------------------------------------

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, CUfunction function, int blockSize, size_t dynamicBytes,
    unsigned flags) {
  return inContext([&] {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks, function, blockSize, dynamicBytes, flags);
  });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                     CUfunction function,
                                                     int blockSize,
                                                     size_t dynamicBytes) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      blocks, function, blockSize, dynamicBytes, 0);
}

/// As the header of the runtime API does it: the block size, a multiple of the
/// warp's, with which most threads are resident; the largest of several.
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(
    int *minGridSize, int *blockSize, CUfunction function,
    CUoccupancyB2DSize dynamicBytesOf, size_t dynamicBytes, int limit,
    unsigned flags) {
  if (!minGridSize || !blockSize)
    return CUDA_ERROR_INVALID_VALUE;
  int most = 0, warp = 0, processors = 0;
  if (CUresult result = cuFuncGetAttribute(
          &most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function))
    return result;
  CUdevice device = 0;
  if (CUresult result = cuCtxGetDevice(&device))
    return result;
  (void)cuDeviceGetAttribute(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device);
  (void)cuDeviceGetAttribute(&processors,
                             CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
  if (limit > 0)
    most = std::min(most, limit);
  int bestThreads = 0;
  for (int size = (most + warp - 1) / warp * warp; size > 0; size -= warp) {
    int tried = std::min(size, most), blocks = 0;
    size_t bytes = dynamicBytesOf ? dynamicBytesOf(tried) : dynamicBytes;
    if (CUresult result = cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
            &blocks, function, tried, bytes, flags))
      return result;
    if (blocks * tried <= bestThreads)
      continue;
    bestThreads = blocks * tried;
    *blockSize = tried;
    *minGridSize = blocks * processors;
  }
  return bestThreads ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize,
                                          CUfunction function,
                                          CUoccupancyB2DSize dynamicBytesOf,
                                          size_t dynamicBytes, int limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(
      minGridSize, blockSize, function, dynamicBytesOf, dynamicBytes, limit, 0);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes,
                                                 CUfunction function,
                                                 int blocks, int blockSize) {
  return inContext([&] {
    return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, function, blocks,
                                                     blockSize);
  });
}

} // extern "C"
