//===- DeviceLaunches.h - Kernels that launch kernels -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_DEVICE_DEVICELAUNCHES_H
#define GPULTO_LTO_DEVICE_DEVICELAUNCHES_H

namespace llvm {
class Module;
}

namespace gpulto {

/// Writes launches of the device module \p module as nvcc does, by the second
/// form of the device runtime's functions. With the first, which clang 22 uses,
/// what is launched into cudaStreamTailLaunch does not wait for the grids that
/// the launching one has launched (seen on an H200 with driver 580.159).
/// Launches whose buffers are used in other ways are left as they are.
void launchInSecondForm(llvm::Module &module);

} // namespace gpulto

#endif // GPULTO_LTO_DEVICE_DEVICELAUNCHES_H
