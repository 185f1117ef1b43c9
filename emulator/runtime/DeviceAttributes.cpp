//===- DeviceAttributes.cpp - Attributes of the device --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/DeviceAttributes.h"

#include <cstdio>
#include <cstring>
#include <optional>

namespace gpulto::emu {
namespace {

/// Attributes that do not depend on the emulated device: an H100's.
struct FixedAttribute {
  cudaDeviceAttr attribute;
  int value;
};

constexpr FixedAttribute kFixed[] = {
    {cudaDevAttrMaxPitch, 2147483647},
    {cudaDevAttrClockRate, 1980000},
    {cudaDevAttrTextureAlignment, 512},
    {cudaDevAttrGpuOverlap, 1},
    {cudaDevAttrKernelExecTimeout, 0},
    {cudaDevAttrIntegrated, 0},
    {cudaDevAttrCanMapHostMemory, 1},
    {cudaDevAttrComputeMode, cudaComputeModeDefault},
    {cudaDevAttrMaxTexture1DWidth, 131072},
    {cudaDevAttrMaxTexture2DWidth, 131072},
    {cudaDevAttrMaxTexture2DHeight, 65536},
    {cudaDevAttrMaxTexture3DWidth, 16384},
    {cudaDevAttrMaxTexture3DHeight, 16384},
    {cudaDevAttrMaxTexture3DDepth, 16384},
    {cudaDevAttrMaxTexture2DLayeredWidth, 32768},
    {cudaDevAttrMaxTexture2DLayeredHeight, 32768},
    {cudaDevAttrMaxTexture2DLayeredLayers, 2048},
    {cudaDevAttrSurfaceAlignment, 512},
    {cudaDevAttrConcurrentKernels, 1},
    {cudaDevAttrEccEnabled, 1},
    {cudaDevAttrPciDeviceId, 0},
    {cudaDevAttrPciDomainId, 0},
    {cudaDevAttrTccDriver, 0},
    {cudaDevAttrMemoryClockRate, 2619000},
    {cudaDevAttrGlobalMemoryBusWidth, 5120},
    {cudaDevAttrL2CacheSize, 52428800},
    {cudaDevAttrAsyncEngineCount, 3},
    {cudaDevAttrUnifiedAddressing, 1},
    {cudaDevAttrMaxTexture1DLayeredWidth, 32768},
    {cudaDevAttrMaxTexture1DLayeredLayers, 2048},
    {cudaDevAttrMaxTexture2DGatherWidth, 32768},
    {cudaDevAttrMaxTexture2DGatherHeight, 32768},
    {cudaDevAttrMaxTexture3DWidthAlt, 8192},
    {cudaDevAttrMaxTexture3DHeightAlt, 8192},
    {cudaDevAttrMaxTexture3DDepthAlt, 32768},
    {cudaDevAttrTexturePitchAlignment, 32},
    {cudaDevAttrMaxTextureCubemapWidth, 32768},
    {cudaDevAttrMaxTextureCubemapLayeredWidth, 32768},
    {cudaDevAttrMaxTextureCubemapLayeredLayers, 2046},
    {cudaDevAttrMaxSurface1DWidth, 32768},
    {cudaDevAttrMaxSurface2DWidth, 131072},
    {cudaDevAttrMaxSurface2DHeight, 65536},
    {cudaDevAttrMaxSurface3DWidth, 16384},
    {cudaDevAttrMaxSurface3DHeight, 16384},
    {cudaDevAttrMaxSurface3DDepth, 16384},
    {cudaDevAttrMaxSurface1DLayeredWidth, 32768},
    {cudaDevAttrMaxSurface1DLayeredLayers, 2048},
    {cudaDevAttrMaxSurface2DLayeredWidth, 32768},
    {cudaDevAttrMaxSurface2DLayeredHeight, 32768},
    {cudaDevAttrMaxSurface2DLayeredLayers, 2048},
    {cudaDevAttrMaxSurfaceCubemapWidth, 32768},
    {cudaDevAttrMaxSurfaceCubemapLayeredWidth, 32768},
    {cudaDevAttrMaxSurfaceCubemapLayeredLayers, 2046},
    {cudaDevAttrMaxTexture1DLinearWidth, 268435456},
    {cudaDevAttrMaxTexture2DLinearWidth, 131072},
    {cudaDevAttrMaxTexture2DLinearHeight, 65000},
    {cudaDevAttrMaxTexture2DLinearPitch, 2097120},
    {cudaDevAttrMaxTexture2DMipmappedWidth, 32768},
    {cudaDevAttrMaxTexture2DMipmappedHeight, 32768},
    {cudaDevAttrMaxTexture1DMipmappedWidth, 32768},
    {cudaDevAttrStreamPrioritiesSupported, 1},
    {cudaDevAttrGlobalL1CacheSupported, 1},
    {cudaDevAttrLocalL1CacheSupported, 1},
    {cudaDevAttrManagedMemory, 1},
    {cudaDevAttrIsMultiGpuBoard, 0},
    {cudaDevAttrMultiGpuBoardGroupID, 0},
    {cudaDevAttrHostNativeAtomicSupported, 0},
    {cudaDevAttrSingleToDoublePrecisionPerfRatio, 2},
    {cudaDevAttrConcurrentManagedAccess, 1},
    {cudaDevAttrComputePreemptionSupported, 1},
    {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
    {cudaDevAttrCooperativeLaunch, 1},
    {cudaDevAttrCanFlushRemoteWrites, 0},
    {cudaDevAttrHostRegisterSupported, 1},
    {cudaDevAttrPageableMemoryAccessUsesHostPageTables, 0},
    {cudaDevAttrDirectManagedMemAccessFromHost, 0},
    {cudaDevAttrMaxPersistingL2CacheSize, 32768000},
    {cudaDevAttrMaxAccessPolicyWindowSize, 134213632},
    {cudaDevAttrSparseCudaArraySupported, 0},
    {cudaDevAttrHostRegisterReadOnlySupported, 0},
    {cudaDevAttrTimelineSemaphoreInteropSupported, 0},
    {cudaDevAttrMemoryPoolsSupported, 1},
    {cudaDevAttrGPUDirectRDMASupported, 0},
    {cudaDevAttrGPUDirectRDMAFlushWritesOptions, 0},
    {cudaDevAttrGPUDirectRDMAWritesOrdering, 0},
    {cudaDevAttrMemoryPoolSupportedHandleTypes, 0},
    {cudaDevAttrDeferredMappingCudaArraySupported, 0},
    {cudaDevAttrIpcEventSupport, 0},
    {cudaDevAttrMemSyncDomainCount, 4},
    {cudaDevAttrNumaConfig, cudaDeviceNumaConfigNone},
    {cudaDevAttrNumaId, -1},
    {cudaDevAttrMpsEnabled, 0},
    {cudaDevAttrHostNumaId, 0},
    {cudaDevAttrD3D12CigSupported, 0},
    {cudaDevAttrVulkanCigSupported, 0},
    {cudaDevAttrGpuPciDeviceId, 0},
    {cudaDevAttrGpuPciSubsystemId, 0},
    {cudaDevAttrHostNumaMemoryPoolsSupported, 0},
    {cudaDevAttrHostNumaMultinodeIpcSupported, 0},
    {cudaDevAttrHostMemoryPoolsSupported, 0},
    {cudaDevAttrOnlyPartialHostNativeAtomicSupported, 0},
};

int pciBusNumber(unsigned ordinal) { return static_cast<int>(ordinal) + 1; }

/// Attributes that follow the emulated device.
std::optional<int> limitAttribute(const Device &device,
                                  cudaDeviceAttr attribute) {
  const DeviceLimits &limits = device.limits();
  switch (attribute) {
  case cudaDevAttrPciBusId:
    return pciBusNumber(device.ordinal());
  case cudaDevAttrMaxThreadsPerBlock:
    return limits.maxThreadsPerBlock;
  case cudaDevAttrMaxBlockDimX:
    return limits.maxBlockDim[0];
  case cudaDevAttrMaxBlockDimY:
    return limits.maxBlockDim[1];
  case cudaDevAttrMaxBlockDimZ:
    return limits.maxBlockDim[2];
  case cudaDevAttrMaxGridDimX:
    return limits.maxGridDim[0];
  case cudaDevAttrMaxGridDimY:
    return limits.maxGridDim[1];
  case cudaDevAttrMaxGridDimZ:
    return limits.maxGridDim[2];
  case cudaDevAttrMaxSharedMemoryPerBlock:
    return limits.sharedPerBlockBytes;
  case cudaDevAttrTotalConstantMemory:
    return limits.constantBytes;
  case cudaDevAttrWarpSize:
    return limits.warpSize;
  case cudaDevAttrMaxRegistersPerBlock:
  case cudaDevAttrMaxRegistersPerMultiprocessor:
    return limits.registersPerSm;
  case cudaDevAttrMultiProcessorCount:
    return limits.smCount;
  case cudaDevAttrMaxThreadsPerMultiProcessor:
    return limits.maxThreadsPerSm;
  case cudaDevAttrComputeCapabilityMajor:
    return limits.computeMajor;
  case cudaDevAttrComputeCapabilityMinor:
    return limits.computeMinor;
  case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
    return limits.sharedPerSmBytes;
  case cudaDevAttrMaxSharedMemoryPerBlockOptin:
    return limits.sharedPerBlockOptinBytes;
  case cudaDevAttrMaxBlocksPerMultiprocessor:
    return limits.maxBlocksPerSm;
  case cudaDevAttrClusterLaunch:
    return limits.maxClusterBlocks > 1;
  case cudaDevAttrReservedSharedMemoryPerBlock:
    return limits.reservedSharedPerBlockBytes;
  case cudaDevAttrPageableMemoryAccess:
    return limits.accessesHostMemory;
  default:
    return std::nullopt;
  }
}

/// Reads attributes for the property record, where all codes exist.
class AttributeReader {
public:
  explicit AttributeReader(const Device &device) : device(device) {}
  int operator()(cudaDeviceAttr attribute) const {
    int value = 0;
    (void)deviceAttribute(device, attribute, value);
    return value;
  }

private:
  const Device &device;
};

void textureProperties(const AttributeReader &get, cudaDeviceProp &p) {
  p.textureAlignment = get(cudaDevAttrTextureAlignment);
  p.texturePitchAlignment = get(cudaDevAttrTexturePitchAlignment);
  p.maxTexture1D = get(cudaDevAttrMaxTexture1DWidth);
  p.maxTexture1DMipmap = get(cudaDevAttrMaxTexture1DMipmappedWidth);
  p.maxTexture2D[0] = get(cudaDevAttrMaxTexture2DWidth);
  p.maxTexture2D[1] = get(cudaDevAttrMaxTexture2DHeight);
  p.maxTexture2DMipmap[0] = get(cudaDevAttrMaxTexture2DMipmappedWidth);
  p.maxTexture2DMipmap[1] = get(cudaDevAttrMaxTexture2DMipmappedHeight);
  p.maxTexture2DLinear[0] = get(cudaDevAttrMaxTexture2DLinearWidth);
  p.maxTexture2DLinear[1] = get(cudaDevAttrMaxTexture2DLinearHeight);
  p.maxTexture2DLinear[2] = get(cudaDevAttrMaxTexture2DLinearPitch);
  p.maxTexture2DGather[0] = get(cudaDevAttrMaxTexture2DGatherWidth);
  p.maxTexture2DGather[1] = get(cudaDevAttrMaxTexture2DGatherHeight);
  p.maxTexture3D[0] = get(cudaDevAttrMaxTexture3DWidth);
  p.maxTexture3D[1] = get(cudaDevAttrMaxTexture3DHeight);
  p.maxTexture3D[2] = get(cudaDevAttrMaxTexture3DDepth);
  p.maxTexture3DAlt[0] = get(cudaDevAttrMaxTexture3DWidthAlt);
  p.maxTexture3DAlt[1] = get(cudaDevAttrMaxTexture3DHeightAlt);
  p.maxTexture3DAlt[2] = get(cudaDevAttrMaxTexture3DDepthAlt);
  p.maxTextureCubemap = get(cudaDevAttrMaxTextureCubemapWidth);
  p.maxTexture1DLayered[0] = get(cudaDevAttrMaxTexture1DLayeredWidth);
  p.maxTexture1DLayered[1] = get(cudaDevAttrMaxTexture1DLayeredLayers);
  p.maxTexture2DLayered[0] = get(cudaDevAttrMaxTexture2DLayeredWidth);
  p.maxTexture2DLayered[1] = get(cudaDevAttrMaxTexture2DLayeredHeight);
  p.maxTexture2DLayered[2] = get(cudaDevAttrMaxTexture2DLayeredLayers);
  p.maxTextureCubemapLayered[0] = get(cudaDevAttrMaxTextureCubemapLayeredWidth);
  p.maxTextureCubemapLayered[1] =
      get(cudaDevAttrMaxTextureCubemapLayeredLayers);
}

void surfaceProperties(const AttributeReader &get, cudaDeviceProp &p) {
  p.surfaceAlignment = get(cudaDevAttrSurfaceAlignment);
  p.maxSurface1D = get(cudaDevAttrMaxSurface1DWidth);
  p.maxSurface2D[0] = get(cudaDevAttrMaxSurface2DWidth);
  p.maxSurface2D[1] = get(cudaDevAttrMaxSurface2DHeight);
  p.maxSurface3D[0] = get(cudaDevAttrMaxSurface3DWidth);
  p.maxSurface3D[1] = get(cudaDevAttrMaxSurface3DHeight);
  p.maxSurface3D[2] = get(cudaDevAttrMaxSurface3DDepth);
  p.maxSurface1DLayered[0] = get(cudaDevAttrMaxSurface1DLayeredWidth);
  p.maxSurface1DLayered[1] = get(cudaDevAttrMaxSurface1DLayeredLayers);
  p.maxSurface2DLayered[0] = get(cudaDevAttrMaxSurface2DLayeredWidth);
  p.maxSurface2DLayered[1] = get(cudaDevAttrMaxSurface2DLayeredHeight);
  p.maxSurface2DLayered[2] = get(cudaDevAttrMaxSurface2DLayeredLayers);
  p.maxSurfaceCubemap = get(cudaDevAttrMaxSurfaceCubemapWidth);
  p.maxSurfaceCubemapLayered[0] = get(cudaDevAttrMaxSurfaceCubemapLayeredWidth);
  p.maxSurfaceCubemapLayered[1] =
      get(cudaDevAttrMaxSurfaceCubemapLayeredLayers);
}

void limitProperties(const DeviceLimits &limits, const AttributeReader &get,
                     cudaDeviceProp &p) {
  p.totalGlobalMem = limits.globalBytes;
  p.sharedMemPerBlock = limits.sharedPerBlockBytes;
  p.regsPerBlock = get(cudaDevAttrMaxRegistersPerBlock);
  p.warpSize = limits.warpSize;
  p.memPitch = get(cudaDevAttrMaxPitch);
  p.maxThreadsPerBlock = limits.maxThreadsPerBlock;
  for (int i = 0; i < 3; ++i) {
    p.maxThreadsDim[i] = limits.maxBlockDim[i];
    p.maxGridSize[i] = limits.maxGridDim[i];
  }
  p.totalConstMem = limits.constantBytes;
  p.major = limits.computeMajor;
  p.minor = limits.computeMinor;
  p.multiProcessorCount = limits.smCount;
  p.maxThreadsPerMultiProcessor = limits.maxThreadsPerSm;
  p.sharedMemPerMultiprocessor = limits.sharedPerSmBytes;
  p.regsPerMultiprocessor = limits.registersPerSm;
  p.sharedMemPerBlockOptin = limits.sharedPerBlockOptinBytes;
  p.maxBlocksPerMultiProcessor = limits.maxBlocksPerSm;
  p.reservedSharedMemPerBlock = limits.reservedSharedPerBlockBytes;
}

void featureProperties(const AttributeReader &get, cudaDeviceProp &p) {
  p.integrated = get(cudaDevAttrIntegrated);
  p.canMapHostMemory = get(cudaDevAttrCanMapHostMemory);
  p.concurrentKernels = get(cudaDevAttrConcurrentKernels);
  p.ECCEnabled = get(cudaDevAttrEccEnabled);
  p.pciBusID = get(cudaDevAttrPciBusId);
  p.pciDeviceID = get(cudaDevAttrPciDeviceId);
  p.pciDomainID = get(cudaDevAttrPciDomainId);
  p.tccDriver = get(cudaDevAttrTccDriver);
  p.asyncEngineCount = get(cudaDevAttrAsyncEngineCount);
  p.unifiedAddressing = get(cudaDevAttrUnifiedAddressing);
  p.memoryBusWidth = get(cudaDevAttrGlobalMemoryBusWidth);
  p.l2CacheSize = get(cudaDevAttrL2CacheSize);
  p.persistingL2CacheMaxSize = get(cudaDevAttrMaxPersistingL2CacheSize);
  p.streamPrioritiesSupported = get(cudaDevAttrStreamPrioritiesSupported);
  p.globalL1CacheSupported = get(cudaDevAttrGlobalL1CacheSupported);
  p.localL1CacheSupported = get(cudaDevAttrLocalL1CacheSupported);
  p.managedMemory = get(cudaDevAttrManagedMemory);
  p.hostNativeAtomicSupported = get(cudaDevAttrHostNativeAtomicSupported);
  p.pageableMemoryAccess = get(cudaDevAttrPageableMemoryAccess);
  p.concurrentManagedAccess = get(cudaDevAttrConcurrentManagedAccess);
  p.computePreemptionSupported = get(cudaDevAttrComputePreemptionSupported);
  p.canUseHostPointerForRegisteredMem =
      get(cudaDevAttrCanUseHostPointerForRegisteredMem);
  p.cooperativeLaunch = get(cudaDevAttrCooperativeLaunch);
  p.accessPolicyMaxWindowSize = get(cudaDevAttrMaxAccessPolicyWindowSize);
  p.hostRegisterSupported = get(cudaDevAttrHostRegisterSupported);
  p.memoryPoolsSupported = get(cudaDevAttrMemoryPoolsSupported);
  p.clusterLaunch = get(cudaDevAttrClusterLaunch);
  p.deviceNumaId = get(cudaDevAttrNumaId);
}

} // namespace

std::string pciBusId(unsigned ordinal) {
  char text[16];
  std::snprintf(text, sizeof(text), "0000:%02x:00.0", pciBusNumber(ordinal));
  return text;
}

bool deviceAttribute(const Device &device, cudaDeviceAttr attribute,
                     int &value) {
  if (std::optional<int> limit = limitAttribute(device, attribute)) {
    value = *limit;
    return true;
  }
  for (const FixedAttribute &fixed : kFixed)
    if (fixed.attribute == attribute) {
      value = fixed.value;
      return true;
    }
  return false;
}

void deviceProperties(const Device &device, cudaDeviceProp &properties) {
  const DeviceLimits &limits = device.limits();
  std::memset(&properties, 0, sizeof(properties));
  std::snprintf(properties.name, sizeof(properties.name),
                "gpulto emulated GPU (sm_%u%u)", limits.computeMajor,
                limits.computeMinor);
  // A fixed value, so that programs that print it stay reproducible.
  std::memcpy(properties.uuid.bytes, "gpulto-emulator", 16);
  properties.uuid.bytes[15] = static_cast<char>(device.ordinal());
  AttributeReader get(device);
  limitProperties(limits, get, properties);
  featureProperties(get, properties);
  textureProperties(get, properties);
  surfaceProperties(get, properties);
}

} // namespace gpulto::emu
