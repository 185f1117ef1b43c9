//===- ApiCode.cpp - Entry points: registration, launch, functions --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/ClusterSize.h"
#include "emulator/runtime/CodeHandle.h"
#include "emulator/runtime/Deferred.h"
#include "emulator/runtime/HostImage.h"
#include "emulator/runtime/Operation.h"
#include "emulator/runtime/Runtime.h"
#include "emulator/runtime/Stream.h"

#include <algorithm>
#include <cstdio>
#include <vector_types.h>

using namespace gpulto::emu;

namespace {

CodeModule *moduleOf(void **handle) {
  return reinterpret_cast<CodeModule *>(handle);
}

cudaError_t launch(const void *function, dim3 grid, dim3 block, void **args,
                   size_t sharedBytes, cudaStream_t stream, bool cooperative,
                   dim3 cluster = {0, 0, 0}) {
  return enter([&](Runtime &runtime) {
    KernelOp op;
    if (cudaError_t error = makeKernelOp(runtime, function, grid, block, args,
                                         sharedBytes, cooperative, op))
      return error;
    op.cluster = cluster;
    return submit(runtime, stream, std::move(op));
  });
}

void fillAttributes(const DeviceKernel &entry, const DeviceLimits &limits,
                    cudaFuncAttributes &attributes) {
  const KernelInfo &info = entry.kernel->info();
  attributes = {};
  attributes.sharedSizeBytes = info.staticSharedBytes;
  attributes.constSizeBytes = info.constBytes;
  attributes.localSizeBytes = info.localBytes;
  attributes.maxThreadsPerBlock = info.maxThreadsPerBlock;
  attributes.numRegs = info.registers;
  attributes.ptxVersion = info.targetSm;
  attributes.binaryVersion = limits.computeMajor * 10 + limits.computeMinor;
  int64_t fits = std::max<int64_t>(0, int64_t(limits.sharedPerBlockBytes) -
                                          int64_t(info.staticSharedBytes));
  attributes.maxDynamicSharedSizeBytes =
      entry.maxDynamicSharedBytes >= 0 ? entry.maxDynamicSharedBytes : fits;
  attributes.preferredShmemCarveout = entry.sharedCarveout;
  std::array<uint32_t, 3> cluster = requiredCluster(entry);
  attributes.clusterDimMustBeSet = info.needsCluster || cluster[0];
  attributes.requiredClusterWidth = static_cast<int>(cluster[0]);
  attributes.requiredClusterHeight = static_cast<int>(cluster[1]);
  attributes.requiredClusterDepth = static_cast<int>(cluster[2]);
  attributes.clusterSchedulingPolicyPreference = entry.clusterPolicy;
  attributes.nonPortableClusterSizeAllowed = entry.allowsNonPortableCluster;
}

cudaError_t setAttribute(DeviceKernel &entry, const DeviceLimits &limits,
                         cudaFuncAttribute attribute, int value) {
  switch (attribute) {
  case cudaFuncAttributeMaxDynamicSharedMemorySize: {
    uint64_t fixed = entry.kernel->info().staticSharedBytes;
    if (value < 0 || uint64_t(value) + fixed > limits.sharedPerBlockOptinBytes)
      return cudaErrorInvalidValue;
    entry.maxDynamicSharedBytes = value;
    return cudaSuccess;
  }
  case cudaFuncAttributePreferredSharedMemoryCarveout:
    if (value < -1 || value > 100)
      return cudaErrorInvalidValue;
    entry.sharedCarveout = value;
    return cudaSuccess;
  case cudaFuncAttributeRequiredClusterWidth:
  case cudaFuncAttributeRequiredClusterHeight:
  case cudaFuncAttributeRequiredClusterDepth:
    if (entry.kernel->info().reqCluster[0])
      return cudaErrorNotPermitted;
    if (value < 0)
      return cudaErrorInvalidValue;
    entry.requiredCluster[attribute - cudaFuncAttributeRequiredClusterWidth] =
        static_cast<uint32_t>(value);
    return cudaSuccess;
  case cudaFuncAttributeNonPortableClusterSizeAllowed:
    if (value < 0 || value > 1)
      return cudaErrorInvalidValue;
    entry.allowsNonPortableCluster = value != 0;
    return cudaSuccess;
  case cudaFuncAttributeClusterSchedulingPolicyPreference:
    if (value < cudaClusterSchedulingPolicyDefault ||
        value > cudaClusterSchedulingPolicyLoadBalancing)
      return cudaErrorInvalidValue;
    entry.clusterPolicy = value;
    return cudaSuccess;
  default:
    return cudaErrorInvalidValue;
  }
}

cudaError_t loadLibrary(const char *origin, const void *code,
                        cudaLibrary_t *library) {
  return enter([&](Runtime &runtime) -> cudaError_t {
    if (!library || !code)
      return cudaErrorInvalidValue;
    CodeModule *module = nullptr;
    if (cudaError_t error =
            runtime.registry.loadCode(runtime, origin, code, nullptr, module))
      return error;
    *library = reinterpret_cast<cudaLibrary_t>(module);
    return cudaSuccess;
  });
}

} // namespace

extern "C" {

// Registration: called by constructors that the compilers emit ---------------

void **__cudaRegisterFatBinary(void *wrapper) {
  Runtime &runtime = Runtime::get();
  std::lock_guard<std::mutex> lock(runtime.mutex);
  return reinterpret_cast<void **>(runtime.registry.addFatBinary(wrapper));
}

void __cudaRegisterFatBinaryEnd(void **) {}

void __cudaUnregisterFatBinary(void **handle) {
  Runtime &runtime = Runtime::get();
  std::lock_guard<std::mutex> lock(runtime.mutex);
  runtime.registry.remove(moduleOf(handle));
}

void __cudaRegisterFunction(void **handle, const char *hostFunction, char *,
                            const char *deviceName, int, uint3 *, uint3 *,
                            dim3 *, dim3 *, int *) {
  Runtime &runtime = Runtime::get();
  std::lock_guard<std::mutex> lock(runtime.mutex);
  if (runtime.registry.isModule(handle))
    runtime.registry.addKernel(moduleOf(handle), hostFunction, deviceName,
                               runtime.settings.refuseDoubleStub);
}

void __cudaRegisterVar(void **handle, char *hostVariable, char *,
                       const char *deviceName, int isExtern, size_t sizeBytes,
                       int, int) {
  Runtime &runtime = Runtime::get();
  std::lock_guard<std::mutex> lock(runtime.mutex);
  if (runtime.registry.isModule(handle))
    runtime.registry.addVariable(moduleOf(handle), hostVariable, deviceName,
                                 sizeBytes, isExtern != 0);
}

void __cudaRegisterManagedVar(void **handle, void **hostPointer, char *,
                              const char *deviceName, int, size_t sizeBytes,
                              int, int) {
  Runtime &runtime = Runtime::get();
  std::lock_guard<std::mutex> lock(runtime.mutex);
  if (!runtime.registry.isModule(handle))
    return;
  runtime.registry.addManaged(moduleOf(handle), hostPointer, deviceName);
  runtime.registry.addVariable(moduleOf(handle),
                               reinterpret_cast<const void *>(hostPointer),
                               deviceName, sizeBytes, false);
}

/// Called by host code before it touches a managed variable.
char __cudaInitModule(void **handle) {
  return enter([&](Runtime &runtime) -> cudaError_t {
           if (!runtime.registry.isModule(handle))
             return cudaErrorInvalidResourceHandle;
           return runtime.registry.load(runtime, *moduleOf(handle),
                                        threadState().device);
         }) == cudaSuccess;
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t sharedBytes,
                                     cudaStream_t stream) {
  threadState().configurations.push_back({grid, block, sharedBytes, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block,
                                       size_t *sharedBytes, void *stream) {
  std::vector<CallConfiguration> &stack = threadState().configurations;
  if (stack.empty())
    return recordError(cudaErrorMissingConfiguration);
  *grid = stack.back().grid;
  *block = stack.back().block;
  *sharedBytes = stack.back().sharedBytes;
  *static_cast<cudaStream_t *>(stream) = stack.back().stream;
  stack.pop_back();
  return cudaSuccess;
}

// Launch ---------------------------------------------------------------------

/// Called by nvcc's stubs, which keep the handle and ignore a failure: so the
/// code is not loaded here, and the launch tells what is wrong with it.
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function) {
  return enter([&](Runtime &runtime) -> cudaError_t {
    KernelEntry *entry = runtime.registry.findEntry(function);
    *kernel = reinterpret_cast<cudaKernel_t>(entry);
    return entry ? cudaSuccess : cudaErrorInvalidDeviceFunction;
  });
}

cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *function) {
  if (!kernel)
    return recordError(cudaErrorInvalidValue);
  return __cudaGetKernel(kernel, function);
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol) {
  return withKernel(symbol, [&](Runtime &, KernelEntry &entry) {
    if (!function)
      return cudaErrorInvalidValue;
    *function = reinterpret_cast<cudaFunction_t>(&entry);
    return cudaSuccess;
  });
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                               void **args, size_t sharedBytes,
                               cudaStream_t stream) {
  return launch(kernel, grid, block, args, sharedBytes, stream, false);
}
GPULTO_EMU_PER_THREAD(__cudaLaunchKernel_ptsz, __cudaLaunchKernel);

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block,
                             void **args, size_t sharedBytes,
                             cudaStream_t stream) {
  return launch(function, grid, block, args, sharedBytes, stream, false);
}
GPULTO_EMU_PER_THREAD(cudaLaunchKernel_ptsz, cudaLaunchKernel);

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid,
                                        dim3 block, void **args,
                                        size_t sharedBytes,
                                        cudaStream_t stream) {
  return launch(function, grid, block, args, sharedBytes, stream, true);
}
GPULTO_EMU_PER_THREAD(cudaLaunchCooperativeKernel_ptsz,
                      cudaLaunchCooperativeKernel);

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config,
                                const void *function, void **args) {
  if (!config || (config->numAttrs && !config->attrs))
    return recordError(cudaErrorInvalidValue);
  bool cooperative = false; // The attributes that are not hints.
  dim3 cluster{0, 0, 0};
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute &attribute = config->attrs[i];
    if (attribute.id == cudaLaunchAttributeCooperative)
      cooperative = attribute.val.cooperative != 0;
    if (attribute.id == cudaLaunchAttributeClusterDimension &&
        !readCluster(attribute.val, cluster))
      return recordError(cudaErrorInvalidValue);
  }
  return launch(function, config->gridDim, config->blockDim, args,
                config->dynamicSmemBytes, config->stream, cooperative, cluster);
}
GPULTO_EMU_PER_THREAD(cudaLaunchKernelExC_ptsz, cudaLaunchKernelExC);

// Functions ------------------------------------------------------------------

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes,
                                  const void *function) {
  return withDeviceKernel(function, [&](Device &device, DeviceKernel &kernel) {
    if (!attributes)
      return cudaErrorInvalidValue;
    fillAttributes(kernel, device.limits(), *attributes);
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void *function,
                                 cudaFuncAttribute attribute, int value) {
  return withDeviceKernel(function, [&](Device &device, DeviceKernel &kernel) {
    return setAttribute(kernel, device.limits(), attribute, value);
  });
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel,
                                            cudaFuncAttribute attribute,
                                            int value, int device) {
  return enter([&](Runtime &runtime) -> cudaError_t {
    if (!runtime.isDevice(device))
      return cudaErrorInvalidDevice;
    KernelEntry *entry = nullptr;
    if (cudaError_t error =
            runtime.registry.findKernel(runtime, kernel, device, entry))
      return error;
    return setAttribute(entry->on[device],
                        runtime.devices[device].device->limits(), attribute,
                        value);
  });
}

cudaError_t cudaFuncSetCacheConfig(const void *function, cudaFuncCache) {
  return withKernel(function,
                    [](Runtime &, KernelEntry &) { return cudaSuccess; });
}

cudaError_t cudaFuncSetSharedMemConfig(const void *function,
                                       cudaSharedMemConfig) {
  return withKernel(function,
                    [](Runtime &, KernelEntry &) { return cudaSuccess; });
}

cudaError_t cudaFuncGetName(const char **name, const void *function) {
  return withKernel(function, [&](Runtime &, KernelEntry &entry) {
    if (!name)
      return cudaErrorInvalidValue;
    *name = entry.name.c_str();
    return cudaSuccess;
  });
}

cudaError_t cudaFuncGetParamInfo(const void *function, size_t index,
                                 size_t *offset, size_t *size) {
  return withDeviceKernel(function, [&](Device &, DeviceKernel &kernel) {
    const KernelInfo &info = kernel.kernel->info();
    if (!offset || index >= info.params.size())
      return cudaErrorInvalidValue;
    *offset = info.params[index].offsetBytes;
    if (size)
      *size = info.params[index].sizeBytes;
    return cudaSuccess;
  });
}

// Occupancy ------------------------------------------------------------------

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *function, int blockSize, size_t dynamicBytes,
    unsigned) {
  return withDeviceKernel(function, [&](Device &device, DeviceKernel &kernel) {
    if (!blocks || blockSize <= 0)
      return cudaErrorInvalidValue;
    *blocks = device.maxBlocksPerSm(*kernel.kernel, blockSize, dynamicBytes);
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                          const void *function,
                                                          int blockSize,
                                                          size_t dynamicBytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      blocks, function, blockSize, dynamicBytes, 0);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes,
                                                      const void *function,
                                                      int blocks,
                                                      int blockSize) {
  return withDeviceKernel(function, [&](Device &device, DeviceKernel &kernel) {
    if (!bytes || blocks <= 0 || blockSize <= 0)
      return cudaErrorInvalidValue;
    const DeviceLimits &limits = device.limits();
    // The largest amount with which that many blocks still fit.
    uint64_t low = 0, high = limits.sharedPerBlockOptinBytes;
    auto fits = [&](uint64_t dynamicBytes) {
      return device.maxBlocksPerSm(*kernel.kernel, blockSize, dynamicBytes) >=
             static_cast<uint32_t>(blocks);
    };
    if (!fits(0))
      return cudaErrorInvalidValue;
    while (low < high) {
      uint64_t middle = (low + high + 1) / 2;
      if (fits(middle))
        low = middle;
      else
        high = middle - 1;
    }
    *bytes = low;
    return cudaSuccess;
  });
}

// Libraries ------------------------------------------------------------------

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code,
                                cudaJitOption *, void **, unsigned,
                                cudaLibraryOption *, void **, unsigned) {
  return loadLibrary("code of cudaLibraryLoadData", code, library);
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *path,
                                    cudaJitOption *, void **, unsigned,
                                    cudaLibraryOption *, void **, unsigned) {
  std::string text;
  if (!path || !readWholeFile(path, text).empty())
    return recordError(cudaErrorFileNotFound);
  return loadLibrary(path, text.c_str(), library);
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return withCode(library, [](Runtime &runtime, CodeModule &module, Module &) {
    if (cudaError_t error = waitForDevices(runtime))
      return error;
    runtime.registry.remove(&module);
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library,
                                 const char *name) {
  return withCode(library, [&](Runtime &runtime, CodeModule &module, Module &) {
    KernelEntry *entry = nullptr;
    if (!kernel || !name)
      return cudaErrorInvalidValue;
    cudaError_t error =
        runtime.registry.findKernelByName(runtime, module, name, entry);
    *kernel = reinterpret_cast<cudaKernel_t>(entry);
    return error;
  });
}

cudaError_t cudaLibraryGetKernelCount(unsigned *count, cudaLibrary_t library) {
  return withCode(library, [&](Runtime &, CodeModule &, Module &code) {
    if (!count)
      return cudaErrorInvalidValue;
    *count = code.kernelNames().size();
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned count,
                                        cudaLibrary_t library) {
  return withCode(
      library,
      [&](Runtime &runtime, CodeModule &module, Module &code) -> cudaError_t {
        std::vector<KernelEntry *> found;
        if (cudaError_t error = runtime.registry.findKernels(
                runtime, module, code, count, found))
          return error;
        for (size_t i = 0; i < found.size(); ++i)
          kernels[i] = reinterpret_cast<cudaKernel_t>(found[i]);
        return cudaSuccess;
      });
}

cudaError_t cudaLibraryGetGlobal(void **address, size_t *bytes,
                                 cudaLibrary_t library, const char *name) {
  return withCode(library, [&](Runtime &, CodeModule &, Module &code) {
    const VariableInfo *info = name ? code.findVariable(name) : nullptr;
    if (!info)
      return name ? cudaErrorSymbolNotFound : cudaErrorInvalidValue;
    if (address)
      *address = reinterpret_cast<void *>(info->address);
    if (bytes)
      *bytes = info->sizeBytes;
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryGetManaged(void **address, size_t *bytes,
                                  cudaLibrary_t library, const char *name) {
  return cudaLibraryGetGlobal(address, bytes, library, name);
}

} // extern "C"
