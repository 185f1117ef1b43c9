//===- CodeHandle.h - Handles of code and kernels -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library of the runtime API and a module or library of the driver API are
// all a CodeModule.
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_RUNTIME_CODEHANDLE_H
#define GPULTO_EMULATOR_RUNTIME_CODEHANDLE_H

#include "emulator/runtime/Runtime.h"

namespace gpulto::emu {

/// Loads the code behind \p handle on the current device and runs \p body on
/// it, with the runtime, the CodeModule and the device's Module.
/// cudaErrorInvalidResourceHandle if there is none, or if it belongs to another
/// device.
template <typename Body> cudaError_t withCode(const void *handle, Body body) {
  return enter([&](Runtime &runtime) -> cudaError_t {
    if (!runtime.registry.isModule(handle))
      return cudaErrorInvalidResourceHandle;
    auto &module = *static_cast<CodeModule *>(const_cast<void *>(handle));
    unsigned device = threadState().device;
    if (module.context && module.context->device != device)
      return cudaErrorInvalidResourceHandle;
    if (cudaError_t error = runtime.registry.load(runtime, module, device))
      return error;
    return body(runtime, module, *module.on[device].module);
  });
}

/// Runs \p body on the kernel that \p function denotes.
template <typename Body>
cudaError_t withKernel(const void *function, Body body) {
  return enter([&](Runtime &runtime) -> cudaError_t {
    KernelEntry *entry = nullptr;
    if (cudaError_t error = runtime.registry.findKernel(
            runtime, function, threadState().device, entry))
      return error;
    return body(runtime, *entry);
  });
}

/// The same with the current device's form of the kernel.
template <typename Body>
cudaError_t withDeviceKernel(const void *function, Body body) {
  return withKernel(function, [&](Runtime &runtime, KernelEntry &entry) {
    return body(*runtime.device(), entry.on[threadState().device]);
  });
}

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_RUNTIME_CODEHANDLE_H
