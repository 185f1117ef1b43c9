//===- DriverDevice.cpp - Driver API: devices -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/DeviceAttributes.h"
#include "emulator/runtime/Driver.h"

#include <cstring>

using namespace gpulto::emu;

namespace {

/// Runs \p body on a device.
template <typename Body> CUresult withDevice(CUdevice ordinal, Body body) {
  return inDriver([&] {
    return locked([&](Runtime &runtime) -> CUresult {
      if (!runtime.isDevice(ordinal))
        return CUDA_ERROR_INVALID_DEVICE;
      return toResult(body(*runtime.devices[ordinal].device));
    });
  });
}

int attributeOf(const Device &device, cudaDeviceAttr which) {
  int value = 0;
  (void)deviceAttribute(device, which, value);
  return value;
}

cudaDeviceProp propertiesOf(const Device &device) {
  cudaDeviceProp properties{};
  deviceProperties(device, properties);
  return properties;
}

} // namespace

extern "C" {

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  return withDevice(ordinal, [&](Device &) {
    if (!device)
      return CUDA_ERROR_INVALID_VALUE;
    *device = ordinal;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetCount(int *count) {
  return inDriver([&] { return cudaGetDeviceCount(count); });
}

CUresult cuDeviceGetName(char *name, int length, CUdevice ordinal) {
  return withDevice(ordinal, [&](Device &device) {
    if (!name || length <= 0)
      return CUDA_ERROR_INVALID_VALUE;
    std::snprintf(name, static_cast<size_t>(length), "%s",
                  propertiesOf(device).name);
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice ordinal) {
  return withDevice(ordinal, [&](Device &device) {
    if (!uuid)
      return CUDA_ERROR_INVALID_VALUE;
    *uuid = propertiesOf(device).uuid;
    return CUDA_SUCCESS;
  });
}
#undef cuDeviceGetUuid
GPULTO_EMU_OLDER(cuDeviceGetUuid, cuDeviceGetUuid_v2);

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice ordinal) {
  return withDevice(ordinal, [&](Device &device) {
    if (!bytes)
      return CUDA_ERROR_INVALID_VALUE;
    *bytes = device.limits().globalBytes;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                              CUdevice ordinal) {
  return withDevice(ordinal, [&](Device &device) {
    if (!value)
      return CUDA_ERROR_INVALID_VALUE;
    // Attributes of what the runtime API does not have.
    switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
      *value = 1;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS_V1:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR_V1:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR:
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_CAN_TEX2D_GATHER:
    case CU_DEVICE_ATTRIBUTE_COOPERATIVE_MULTI_DEVICE_LAUNCH:
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS:
    case CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK:
    case CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_MAXIMUM_LENGTH:
    case CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_HOST_ALLOC_DMA_BUF_SUPPORTED:
      *value = 0;
      return CUDA_SUCCESS;
    default:
      break;
    }
    auto same = static_cast<cudaDeviceAttr>(attribute);
    return deviceAttribute(device, same, *value) ? CUDA_SUCCESS
                                                 : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice ordinal) {
  return withDevice(ordinal, [&](Device &device) {
    if (!major || !minor)
      return CUDA_ERROR_INVALID_VALUE;
    *major = static_cast<int>(device.limits().computeMajor);
    *minor = static_cast<int>(device.limits().computeMinor);
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetProperties(CUdevprop *properties, CUdevice ordinal) {
  return withDevice(ordinal, [&](Device &device) {
    if (!properties)
      return CUDA_ERROR_INVALID_VALUE;
    cudaDeviceProp from = propertiesOf(device);
    *properties = {};
    properties->maxThreadsPerBlock = from.maxThreadsPerBlock;
    std::memcpy(properties->maxThreadsDim, from.maxThreadsDim,
                sizeof(properties->maxThreadsDim));
    std::memcpy(properties->maxGridSize, from.maxGridSize,
                sizeof(properties->maxGridSize));
    properties->sharedMemPerBlock = static_cast<int>(from.sharedMemPerBlock);
    properties->totalConstantMemory = static_cast<int>(from.totalConstMem);
    properties->SIMDWidth = from.warpSize;
    properties->memPitch = static_cast<int>(from.memPitch);
    properties->regsPerBlock = from.regsPerBlock;
    properties->clockRate = attributeOf(device, cudaDevAttrClockRate);
    properties->textureAlign = static_cast<int>(from.textureAlignment);
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *busId) {
  return inDriver([&] { return cudaDeviceGetByPCIBusId(device, busId); });
}

CUresult cuDeviceGetPCIBusId(char *busId, int length, CUdevice device) {
  return inDriver([&] { return cudaDeviceGetPCIBusId(busId, length, device); });
}

CUresult cuDeviceGetExecAffinitySupport(int *isSupported, CUexecAffinityType,
                                        CUdevice ordinal) {
  return withDevice(ordinal, [&](Device &) {
    if (!isSupported)
      return CUDA_ERROR_INVALID_VALUE;
    *isSupported = 0;
    return CUDA_SUCCESS;
  });
}

// Pools ----------------------------------------------------------------------

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  return inDriver([&] { return cudaDeviceSetMemPool(device, pool); });
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device) {
  return inDriver([&] { return cudaDeviceGetMemPool(pool, device); });
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device) {
  return inDriver([&] { return cudaDeviceGetDefaultMemPool(pool, device); });
}

// Graphs' memory -------------------------------------------------------------

CUresult cuDeviceGraphMemTrim(CUdevice device) {
  return inDriver([&] { return cudaDeviceGraphMemTrim(device); });
}

CUresult cuDeviceGetGraphMemAttribute(CUdevice device,
                                      CUgraphMem_attribute attribute,
                                      void *value) {
  return inDriver([&] {
    return cudaDeviceGetGraphMemAttribute(
        device, static_cast<cudaGraphMemAttributeType>(attribute), value);
  });
}

CUresult cuDeviceSetGraphMemAttribute(CUdevice device,
                                      CUgraphMem_attribute attribute,
                                      void *value) {
  return inDriver([&] {
    return cudaDeviceSetGraphMemAttribute(
        device, static_cast<cudaGraphMemAttributeType>(attribute), value);
  });
}

// Peers ----------------------------------------------------------------------

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
  return inDriver([&] { return cudaDeviceCanAccessPeer(can, device, peer); });
}

CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attribute,
                                 CUdevice device, CUdevice peer) {
  return inDriver([&] {
    return cudaDeviceGetP2PAttribute(
        value, static_cast<cudaDeviceP2PAttr>(attribute), device, peer);
  });
}

CUresult cuCtxEnablePeerAccess(CUcontext handle, unsigned flags) {
  return inContext([&] {
    const Context *peer = findContext(handle);
    if (!peer || !peer->isAlive)
      return CUDA_ERROR_INVALID_CONTEXT;
    return toResult(
        cudaDeviceEnablePeerAccess(static_cast<int>(peer->device), flags));
  });
}

CUresult cuCtxDisablePeerAccess(CUcontext handle) {
  return inContext([&] {
    const Context *peer = findContext(handle);
    if (!peer || !peer->isAlive)
      return CUDA_ERROR_INVALID_CONTEXT;
    return toResult(
        cudaDeviceDisablePeerAccess(static_cast<int>(peer->device)));
  });
}

} // extern "C"
