//===- DriverCopy.h - Copies of the driver API -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_RUNTIME_DRIVERCOPY_H
#define GPULTO_EMULATOR_RUNTIME_DRIVERCOPY_H

#include "emulator/runtime/Driver.h"

namespace gpulto::emu {

/// Converts a copy to the form of the runtime API.
cudaError_t toRuntimeCopy(const CUDA_MEMCPY3D &copy, cudaMemcpy3DParms &params);

/// Converts it back.
cudaError_t toDriverCopy(const cudaMemcpy3DParms &params, CUDA_MEMCPY3D &copy);

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_RUNTIME_DRIVERCOPY_H
