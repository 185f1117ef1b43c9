//===- DriverLaunch.cpp - Driver API: launches and occupancy of clusters --===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/DriverLaunch.h"

#include "emulator/runtime/ClusterSize.h"
#include "emulator/runtime/Stream.h"

using namespace gpulto::emu;

namespace {

cudaLaunchConfig_t configOf(const CUlaunchConfig &config) {
  cudaLaunchConfig_t same{};
  same.gridDim = {config.gridDimX, config.gridDimY, config.gridDimZ};
  same.blockDim = {config.blockDimX, config.blockDimY, config.blockDimZ};
  same.dynamicSmemBytes = config.sharedMemBytes;
  same.stream = config.hStream;
  same.attrs = sameLayout<cudaLaunchAttribute>(config.attrs);
  same.numAttrs = config.numAttrs;
  return same;
}

CUresult launch(const DriverLaunch &from, cudaStream_t stream) {
  return inContext([&] {
    return enter([&](Runtime &runtime) {
      KernelOp op;
      if (cudaError_t error = makeKernelOp(runtime, from, op))
        return error;
      return submit(runtime, stream, std::move(op));
    });
  });
}

} // namespace

bool gpulto::emu::readExtra(void **extra, void *&buffer, size_t &size) {
  while (*extra != CU_LAUNCH_PARAM_END) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
      buffer = extra[1];
    else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
      size = *static_cast<size_t *>(extra[1]);
    else
      return false;
    extra += 2;
  }
  return buffer || !size;
}

cudaError_t gpulto::emu::makeKernelOp(Runtime &runtime,
                                      const DriverLaunch &from, KernelOp &op) {
  KernelEntry *entry = nullptr;
  unsigned device = threadState().device;
  if (from.params && from.extra)
    return cudaErrorInvalidValue;
  if (cudaError_t error =
          runtime.registry.findKernel(runtime, from.function, device, entry))
    return error;
  // A function of a module is one of its context's device.
  const Context *context = entry->owner->context;
  if (context && context->device != device)
    return cudaErrorInvalidResourceHandle;
  const KernelInfo &info = entry->on[device].kernel->info();
  std::vector<void *> pointers;
  void **args = from.params;
  if (from.extra) {
    void *buffer = nullptr;
    size_t size = 0;
    if (!readExtra(from.extra, buffer, size) || size < info.paramBytes)
      return cudaErrorInvalidValue;
    for (const KernelParam &param : info.params)
      pointers.push_back(static_cast<uint8_t *>(buffer) + param.offsetBytes);
    args = pointers.data();
  }
  cudaError_t error =
      makeKernelOp(runtime, from.function, from.grid, from.block, args,
                   from.sharedBytes, from.cooperative, op);
  op.cluster = from.cluster;
  return error;
}

extern "C" {

CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY,
                        unsigned gridZ, unsigned blockX, unsigned blockY,
                        unsigned blockZ, unsigned sharedBytes, CUstream stream,
                        void **params, void **extra) {
  DriverLaunch from{function, {gridX, gridY, gridZ}, {blockX, blockY, blockZ}};
  from.sharedBytes = sharedBytes;
  from.params = params;
  from.extra = extra;
  return launch(from, stream);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned gridX,
                                   unsigned gridY, unsigned gridZ,
                                   unsigned blockX, unsigned blockY,
                                   unsigned blockZ, unsigned sharedBytes,
                                   CUstream stream, void **params) {
  DriverLaunch from{function, {gridX, gridY, gridZ}, {blockX, blockY, blockZ}};
  from.sharedBytes = sharedBytes;
  from.params = params;
  from.cooperative = true;
  return launch(from, stream);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                          void **params, void **extra) {
  if (!config || (config->numAttrs && !config->attrs))
    return CUDA_ERROR_INVALID_VALUE;
  cudaLaunchConfig_t same = configOf(*config);
  DriverLaunch from{function, same.gridDim, same.blockDim};
  from.sharedBytes = same.dynamicSmemBytes;
  from.params = params;
  from.extra = extra;
  for (unsigned i = 0; i < same.numAttrs; ++i) {
    const cudaLaunchAttribute &attribute = same.attrs[i];
    if (attribute.id == cudaLaunchAttributeCooperative)
      from.cooperative = attribute.val.cooperative != 0;
    if (attribute.id == cudaLaunchAttributeClusterDimension &&
        !readCluster(attribute.val, from.cluster))
      return CUDA_ERROR_INVALID_VALUE;
  }
  return launch(from, same.stream);
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data) {
  return inContext([&] { return cudaLaunchHostFunc(stream, function, data); });
}

/// How the host waits is no matter: the function has run when this returns.
CUresult cuLaunchHostFunc_v2(CUstream stream, CUhostFn function, void *data,
                             unsigned) {
  return cuLaunchHostFunc(stream, function, data);
}

CUresult cuOccupancyMaxPotentialClusterSize(int *size, CUfunction function,
                                            const CUlaunchConfig *config) {
  return inContext([&] {
    if (!config)
      return cudaErrorInvalidValue;
    cudaLaunchConfig_t same = configOf(*config);
    return cudaOccupancyMaxPotentialClusterSize(size, function, &same);
  });
}

CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction function,
                                      const CUlaunchConfig *config) {
  return inContext([&] {
    if (!config)
      return cudaErrorInvalidValue;
    cudaLaunchConfig_t same = configOf(*config);
    return cudaOccupancyMaxActiveClusters(clusters, function, &same);
  });
}

} // extern "C"
