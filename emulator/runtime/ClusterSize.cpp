//===- ClusterSize.cpp - The cluster size of a launch ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/ClusterSize.h"

namespace gpulto::emu {

std::array<uint32_t, 3> requiredCluster(const DeviceKernel &kernel) {
  const std::array<uint32_t, 3> &compiled = kernel.kernel->info().reqCluster;
  return compiled[0] ? compiled : kernel.requiredCluster;
}

std::array<uint32_t, 3> clusterFor(const DeviceKernel &kernel, dim3 named) {
  if (named.x)
    return {named.x, named.y, named.z};
  return kernel.requiredCluster;
}

bool readCluster(const cudaLaunchAttributeValue &value, dim3 &cluster) {
  cluster = {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
  unsigned zeros = !cluster.x + !cluster.y + !cluster.z;
  return zeros == 0 || zeros == 3;
}

} // namespace gpulto::emu
