//===- DriverDevices.h - The GPUs of this machine ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_TOOLS_DRIVER_DRIVERDEVICES_H
#define GPULTO_TOOLS_DRIVER_DRIVERDEVICES_H

#include "tools/driver/DriverCuda.h"

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace gpulto::driver {

/// Returns the architectures (sm_90) of this machine's GPUs, ascending, without
/// duplicates, according to the CUDA runtime: the one on the library path,
/// which may be the emulator's (gpulto-run), or \p toolkit's. Errors: no
/// runtime, no GPU.
llvm::Expected<std::vector<std::string>>
nativeArchitectures(const CudaToolkit &toolkit);

} // namespace gpulto::driver

#endif
