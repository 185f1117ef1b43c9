//===- ApiCluster.cpp - Cluster sizes and their occupancy -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/ClusterSize.h"
#include "emulator/runtime/CodeHandle.h"
#include "emulator/runtime/Runtime.h"

#include <algorithm>

using namespace gpulto::emu;

namespace {

uint32_t threadsOf(const cudaLaunchConfig_t &config) {
  return config.blockDim.x * config.blockDim.y * config.blockDim.z;
}

uint32_t mostBlocks(const Device &device, const DeviceKernel &kernel) {
  const DeviceLimits &limits = device.limits();
  uint32_t most = kernel.allowsNonPortableCluster
                      ? limits.maxNonPortableClusterBlocks
                      : limits.maxClusterBlocks;
  uint32_t rank = kernel.kernel->info().maxClusterRank;
  return rank ? std::min(most, rank) : most;
}

/// The blocks of the cluster that \p config names; 0 when it does not fit the
/// kernel or the device.
uint32_t blocksNamed(const Device &device, const DeviceKernel &kernel,
                     const cudaLaunchConfig_t &config) {
  std::array<uint32_t, 3> required = requiredCluster(kernel);
  dim3 named{required[0], required[1], required[2]};
  for (unsigned i = 0; i < config.numAttrs; ++i)
    if (config.attrs[i].id == cudaLaunchAttributeClusterDimension &&
        !readCluster(config.attrs[i].val, named))
      return 0;
  if (required[0] && (named.x != required[0] || named.y != required[1] ||
                      named.z != required[2]))
    return 0;
  uint32_t blocks = named.x * named.y * named.z;
  return blocks <= mostBlocks(device, kernel) ? blocks : 0;
}

} // namespace

extern "C" {

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *function,
                                           const cudaLaunchConfig_t *config) {
  return withDeviceKernel(function, [&](Device &device, DeviceKernel &kernel) {
    if (!clusters || !config || !threadsOf(*config))
      return cudaErrorInvalidValue;
    uint32_t blocks = blocksNamed(device, kernel, *config);
    if (!blocks)
      return cudaErrorInvalidClusterSize;
    *clusters = static_cast<int>(device.maxActiveClusters(
        *kernel.kernel, threadsOf(*config), config->dynamicSmemBytes, blocks));
    return cudaSuccess;
  });
}

cudaError_t
cudaOccupancyMaxPotentialClusterSize(int *size, const void *function,
                                     const cudaLaunchConfig_t *config) {
  return withDeviceKernel(function, [&](Device &device, DeviceKernel &kernel) {
    if (!size || !config || !threadsOf(*config))
      return cudaErrorInvalidValue;
    std::array<uint32_t, 3> required = requiredCluster(kernel);
    uint32_t blocks = required[0] * required[1] * required[2];
    if (!blocks) {
      blocks = mostBlocks(device, kernel);
      while (blocks &&
             !device.maxActiveClusters(*kernel.kernel, threadsOf(*config),
                                       config->dynamicSmemBytes, blocks))
        --blocks;
    }
    *size = static_cast<int>(blocks);
    return cudaSuccess;
  });
}

} // extern "C"
