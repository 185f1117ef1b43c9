//===- DriverLaunch.h - Launches of the driver API -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_RUNTIME_DRIVERLAUNCH_H
#define GPULTO_EMULATOR_RUNTIME_DRIVERLAUNCH_H

#include "emulator/runtime/Driver.h"
#include "emulator/runtime/Operation.h"

namespace gpulto::emu {

/// The arguments of a launch or of a graph node.
struct DriverLaunch {
  const void *function = nullptr;
  dim3 grid, block;
  size_t sharedBytes = 0;
  /// Either pointers to the parameters, or a list that names a buffer with all
  /// of them.
  void **params = nullptr, **extra = nullptr;
  bool cooperative = false;
  dim3 cluster{0, 0, 0};
};

/// Reads the list `extra` of a launch: the buffer with the parameters and its
/// size. False if it is malformed.
bool readExtra(void **extra, void *&buffer, size_t &size);

/// Fills in the operation of a launch on the current device.
cudaError_t makeKernelOp(Runtime &runtime, const DriverLaunch &from,
                         KernelOp &op);

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_RUNTIME_DRIVERLAUNCH_H
