//===- Driver.h - What entry points of the driver API share ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file libcuda.so.1 also contains the entry points of the runtime API, under
/// hidden names: most functions of the driver API check the context and call
/// one of them. Handles of streams, events, graphs, pools, kernels and arrays
/// are the same in both, so a program may mix them.
///
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_RUNTIME_DRIVER_H
#define GPULTO_EMULATOR_RUNTIME_DRIVER_H

#include "emulator/runtime/Runtime.h"

#include <cuda.h>

namespace gpulto::emu {

/// Maps the runtime's codes to the driver's. Those from 100 on are the same
/// numbers; the runtime has finer ones below.
CUresult toResult(cudaError_t error);
inline CUresult toResult(CUresult result) { return result; }

/// Returns CUDA_ERROR_NOT_SUPPORTED, and says once that \p what is missing.
CUresult driverNotSupported(const char *what);

/// During its lifetime the runtime's entry points bind no context and leave the
/// thread's last error alone.
class DriverScope {
public:
  DriverScope() : thread(threadState()), lastError(thread.lastError) {
    thread.isInDriver = true;
  }
  ~DriverScope() {
    thread.isInDriver = false;
    thread.lastError = lastError;
  }
  DriverScope(const DriverScope &) = delete;
  DriverScope &operator=(const DriverScope &) = delete;

private:
  ThreadState &thread;
  cudaError_t lastError;
};

/// Returns the error of a function that needs cuInit, if any.
CUresult checkInitialized();

/// Returns the error of a function that needs a current context, if any.
CUresult checkContext();

/// Runs \p body, which locks what it needs, as an entry point that needs no
/// context.
template <typename Body> CUresult inDriver(Body body) {
  if (CUresult result = checkInitialized())
    return result;
  DriverScope scope;
  return toResult(body());
}

/// The same for an entry point that needs a current context.
template <typename Body> CUresult inContext(Body body) {
  if (CUresult result = checkContext())
    return result;
  DriverScope scope;
  return toResult(body());
}

/// Runs \p body with the runtime locked and the devices made, whatever the
/// state of the context or the device.
template <typename Body> CUresult locked(Body body) {
  Runtime &runtime = Runtime::get();
  std::lock_guard<std::mutex> lock(runtime.mutex);
  if (!runtime.start())
    return toResult(runtime.initError());
  return toResult(body(runtime));
}

/// Device addresses are addresses of the process.
inline void *pointerOf(CUdeviceptr address) {
  return reinterpret_cast<void *>(address);
}
inline void **pointerOf(CUdeviceptr *slot) {
  return reinterpret_cast<void **>(slot);
}

/// Converts the argument for a function of the runtime API, a record with the
/// same layout in both APIs.
template <typename To, typename From> To *sameLayout(From *record) {
  static_assert(sizeof(To) == sizeof(From));
  return reinterpret_cast<To *>(record);
}

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_RUNTIME_DRIVER_H
