//===- DeviceCalls.h - The device runtime: what kernels ask for -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA's device runtime (dynamic parallelism) by the names of its functions.
// DeviceLaunch.cpp has launches, copies, streams and events, DeviceRuntime.cpp
// the rest.
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_MACHINE_DEVICECALLS_H
#define GPULTO_EMULATOR_MACHINE_DEVICECALLS_H

#include "emulator/machine/ModuleImpl.h"

#include <map>
#include <set>
#include <string_view>
#include <vector>

namespace gpulto::emu {

/// The codes of cudaError_t that the device runtime returns.
enum class DeviceError : int {
  Success = 0,
  InvalidValue = 1,
  MemoryAllocation = 2,
  InvalidConfiguration = 9,
  InvalidDeviceFunction = 98,
  InvalidDevice = 101,
  UnsupportedLimit = 215,
  InvalidPtx = 218,
  InvalidResourceHandle = 400,
  LaunchOutOfResources = 701,
  NotSupported = 801,
  InvalidClusterSize = 912,
};

/// An operation that a grid started: a kernel, a copy, or a fill (with \c
/// value, if there is no source). It runs when the grid has ended.
struct DeviceOperation {
  const KernelImpl *kernel = nullptr;
  LaunchConfig config;
  std::vector<uint8_t> params;
  uint64_t destination = 0, source = 0;
  uint64_t destinationPitch = 0, sourcePitch = 0;
  uint64_t widthBytes = 0, rows = 1;
  uint8_t value = 0;
  bool isTail = false; ///< After all others that the grid started.
};

/// Memory for the parameters of a launch.
struct ParameterBuffer {
  const KernelImpl *kernel = nullptr; ///< Null: named at the launch.
  LaunchConfig config;
  uint64_t sizeBytes = 0;
};

/// State of the device runtime for the threads of a block.
struct DeviceCalls {
  std::vector<DeviceOperation> operations;
  std::map<uint64_t, ParameterBuffer> buffers; ///< By address.
  std::set<uint64_t> streams, events;
  std::map<uint32_t, DeviceError> lastErrors; ///< By thread.
};

/// One call of one thread.
struct DeviceCall {
  Warp &w;
  const Insn &insn;
  unsigned lane;
  const CallSite &site;

  DeviceImpl &device() const;
  DeviceCalls &state() const; ///< Of the block.
  /// The argument number \p k.
  template <class T> T argument(size_t k) const;
  template <class T> void setResult(T value) const;
  /// Returns \p error, and keeps it for cudaGetLastError.
  void finish(DeviceError error) const;
  /// Stores \p value at \p address; false, after a fault, if it must not be
  /// written.
  template <class T> bool store(uint64_t address, const T &value) const;
  /// The kernel that a function pointer stands for, or null.
  const KernelImpl *kernel(uint64_t handle) const;

private:
  uint8_t *argumentBytes(size_t k, size_t &sizeBytes) const;
  void setResultBytes(const void *value, size_t sizeBytes) const;
  bool storeBytes(uint64_t address, const void *value, size_t sizeBytes) const;
};

template <class T> T DeviceCall::argument(size_t k) const {
  T value{};
  size_t size = sizeof(T);
  if (const uint8_t *from = argumentBytes(k, size))
    __builtin_memcpy(&value, from, size);
  return value;
}
template <class T> void DeviceCall::setResult(T value) const {
  setResultBytes(&value, sizeof(value));
}
template <class T>
bool DeviceCall::store(uint64_t address, const T &value) const {
  return storeBytes(address, &value, sizeof(value));
}

/// The function of the device runtime with that name, or None.
External runtimeFunction(std::string_view name);
/// Runs such a function for one thread; false on a fault.
bool callRuntime(const DeviceCall &call);
/// The part of callRuntime in DeviceLaunch.cpp. Sets \p handled.
bool callLaunch(const DeviceCall &call, bool &handled);
/// Frees what a block that ended has not launched.
void releaseBuffers(DeviceImpl &device, DeviceCalls &calls);

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_MACHINE_DEVICECALLS_H
