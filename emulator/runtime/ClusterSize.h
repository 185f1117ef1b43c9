//===- ClusterSize.h - The cluster size of a launch -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_RUNTIME_CLUSTERSIZE_H
#define GPULTO_EMULATOR_RUNTIME_CLUSTERSIZE_H

#include "emulator/runtime/Registry.h"

#include <cuda_runtime_api.h>

namespace gpulto::emu {

/// The size that the kernel requires, or else its attributes; all 0: none.
std::array<uint32_t, 3> requiredCluster(const DeviceKernel &kernel);

/// The size for a launch whose attribute has size \p named (all 0: it has
/// none).
std::array<uint32_t, 3> clusterFor(const DeviceKernel &kernel, dim3 named);

/// Reads a launch attribute. False if some, but not all, dimensions are 0.
bool readCluster(const cudaLaunchAttributeValue &value, dim3 &cluster);

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_RUNTIME_CLUSTERSIZE_H
