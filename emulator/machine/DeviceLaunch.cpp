//===- DeviceLaunch.cpp - Launches, copies and streams of device code -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA C++ Programming Guide 13.0, "CUDA Dynamic Parallelism". A parent cannot
// wait for its children, so these run when its grid has ended, blocks in order,
// each block's operations in the order in which its threads made them; that
// keeps what streams and events promise. Each child is followed by all that it
// started itself; tail launches come last. See DeviceImpl::launch.
//
//===----------------------------------------------------------------------===//

#include "emulator/machine/DeviceCalls.h"
#include "emulator/machine/DeviceImpl.h"

#include <algorithm>
#include <cstring>

namespace gpulto::emu {

namespace {

/// Handles of streams that exist without being created: null, legacy,
/// per-thread, cudaStreamTailLaunch, cudaStreamFireAndForget.
constexpr uint64_t kStreamTailLaunch = 3, kStreamFireAndForget = 4;
constexpr uint32_t kStreamNonBlocking = 1, kEventDisableTiming = 2;
constexpr uint64_t kBufferAlign = 64;

using Dim = std::array<uint32_t, 3>;

bool isStream(const DeviceCall &call, uint64_t stream) {
  return stream <= kStreamFireAndForget || call.state().streams.count(stream);
}

DeviceError errorOf(const Status &status) {
  switch (status.kind) {
  case ErrorKind::None:
    return DeviceError::Success;
  case ErrorKind::InvalidValue:
    return DeviceError::InvalidValue;
  case ErrorKind::InvalidConfiguration:
  case ErrorKind::EmptyGrid:
    return DeviceError::InvalidConfiguration;
  case ErrorKind::InvalidClusterSize:
    return DeviceError::InvalidClusterSize;
  case ErrorKind::OutOfMemory:
    return DeviceError::MemoryAllocation;
  case ErrorKind::InvalidPtx:
    return DeviceError::InvalidPtx;
  default:
    return DeviceError::LaunchOutOfResources;
  }
}

/// Returns 0 if there is no memory.
uint64_t makeBuffer(const DeviceCall &call, const ParameterBuffer &buffer) {
  DeviceImpl &device = call.device();
  uint64_t address = device.memory.allocate(
      std::max<uint64_t>(buffer.sizeBytes, 1), kBufferAlign,
      AllocationKind::Global, device.ordinal());
  if (address)
    call.state().buffers[address] = buffer;
  return address;
}

void getBuffer(const DeviceCall &call) {
  ParameterBuffer buffer;
  buffer.sizeBytes = call.argument<uint64_t>(1);
  call.setResult(makeBuffer(call, buffer));
}

void getBufferV2(const DeviceCall &call) {
  ParameterBuffer buffer;
  buffer.kernel = call.kernel(call.argument<uint64_t>(0));
  uint64_t address = 0;
  DeviceError error = DeviceError::InvalidDeviceFunction;
  if (buffer.kernel) {
    buffer.config.grid = call.argument<Dim>(1);
    buffer.config.block = call.argument<Dim>(2);
    buffer.config.dynamicSharedBytes = call.argument<uint32_t>(3);
    buffer.sizeBytes = buffer.kernel->info().paramBytes;
    address = makeBuffer(call, buffer);
    error = DeviceError::MemoryAllocation;
  }
  if (!address) // The caller does not launch then.
    call.finish(error);
  call.setResult(address);
}

/// Launches what lies in the buffer at \p address.
void launchBuffer(const DeviceCall &call, uint64_t address,
                  const ParameterBuffer &buffer, uint64_t stream) {
  DeviceImpl &device = call.device();
  DeviceOperation op;
  op.kernel = buffer.kernel;
  op.config = buffer.config;
  op.isTail = stream == kStreamTailLaunch;
  uint64_t size = buffer.kernel->info().paramBytes;
  Status status = buffer.kernel->prepare();
  if (status.ok())
    status = device.checkConfig(*buffer.kernel, op.config);
  DeviceError error = size > buffer.sizeBytes ? DeviceError::InvalidValue
                      : !isStream(call, stream)
                          ? DeviceError::InvalidResourceHandle
                          : errorOf(status);
  if (error == DeviceError::Success) {
    const uint8_t *from = reinterpret_cast<const uint8_t *>(address);
    op.params.assign(from, from + size);
    call.state().operations.push_back(std::move(op));
  }
  call.state().buffers.erase(address);
  device.memory.release(address, AllocationKind::Global);
  call.finish(error);
}

/// LaunchDevice(function, buffer, grid, block, sharedBytes, stream), or
/// LaunchDeviceV2(buffer, stream).
void launchDevice(const DeviceCall &call, bool isV2) {
  uint64_t address = call.argument<uint64_t>(isV2 ? 0 : 1);
  auto found = call.state().buffers.find(address);
  if (found == call.state().buffers.end()) {
    call.finish(DeviceError::InvalidValue);
    return;
  }
  ParameterBuffer buffer = found->second;
  if (!isV2) {
    buffer.kernel = call.kernel(call.argument<uint64_t>(0));
    buffer.config.grid = call.argument<Dim>(2);
    buffer.config.block = call.argument<Dim>(3);
    buffer.config.dynamicSharedBytes = call.argument<uint32_t>(4);
  }
  if (!buffer.kernel) {
    call.finish(DeviceError::InvalidDeviceFunction);
    return;
  }
  launchBuffer(call, address, buffer, call.argument<uint64_t>(isV2 ? 1 : 5));
}

// Copies and fills.
// -----------------------------------------------------------

/// True when \p rows rows from \p address on lie in one allocation.
bool isWithin(Warp &w, uint64_t address, uint64_t pitch, uint64_t width,
              uint64_t rows, bool isWrite) {
  CachedRange range;
  uint64_t bytes = 0;
  return !__builtin_mul_overflow(pitch, rows - 1, &bytes) &&
         !__builtin_add_overflow(bytes, width, &bytes) &&
         findRange(w, address, range) && !(isWrite && isReadOnly(range.kind)) &&
         bytes <= range.end - address;
}

void enqueueArea(const DeviceCall &call, DeviceOperation op, uint64_t stream) {
  bool isCopy = op.source != 0;
  op.isTail = stream == kStreamTailLaunch;
  DeviceError error = DeviceError::Success;
  if (!isStream(call, stream))
    error = DeviceError::InvalidResourceHandle;
  else if (op.widthBytes && op.rows &&
           (op.widthBytes > op.destinationPitch ||
            (isCopy && op.widthBytes > op.sourcePitch) ||
            !isWithin(call.w, op.destination, op.destinationPitch,
                      op.widthBytes, op.rows, true) ||
            (isCopy && !isWithin(call.w, op.source, op.sourcePitch,
                                 op.widthBytes, op.rows, false))))
    error = DeviceError::InvalidValue;
  else if (op.widthBytes && op.rows)
    call.state().operations.push_back(std::move(op));
  call.finish(error);
}

/// MemcpyAsync(to, from, bytes, kind, stream); Memcpy2DAsync(to, pitch, from,
/// pitch, width, rows, kind, stream).
void copy(const DeviceCall &call, bool is2D) {
  DeviceOperation op;
  op.destination = call.argument<uint64_t>(0);
  op.source = call.argument<uint64_t>(is2D ? 2 : 1);
  op.widthBytes = call.argument<uint64_t>(is2D ? 4 : 2);
  op.rows = is2D ? call.argument<uint64_t>(5) : 1;
  op.destinationPitch = is2D ? call.argument<uint64_t>(1) : op.widthBytes;
  op.sourcePitch = is2D ? call.argument<uint64_t>(3) : op.widthBytes;
  if (!op.source && op.widthBytes)
    call.finish(DeviceError::InvalidValue);
  else
    enqueueArea(call, std::move(op), call.argument<uint64_t>(is2D ? 7 : 4));
}

/// MemsetAsync(to, value, bytes, stream); Memset2DAsync(to, pitch, value,
/// width, rows, stream).
void fill(const DeviceCall &call, bool is2D) {
  DeviceOperation op;
  op.destination = call.argument<uint64_t>(0);
  op.value = static_cast<uint8_t>(call.argument<uint32_t>(is2D ? 2 : 1));
  op.widthBytes = call.argument<uint64_t>(is2D ? 3 : 2);
  op.rows = is2D ? call.argument<uint64_t>(4) : 1;
  op.destinationPitch = is2D ? call.argument<uint64_t>(1) : op.widthBytes;
  enqueueArea(call, std::move(op), call.argument<uint64_t>(is2D ? 5 : 3));
}

// Streams and events.
// ---------------------------------------------------------

bool create(const DeviceCall &call, std::set<uint64_t> &handles,
            uint32_t required) {
  if (call.argument<uint32_t>(1) != required) {
    call.finish(DeviceError::InvalidValue);
    return true;
  }
  uint64_t handle = call.device().makeHandle();
  if (!call.store(call.argument<uint64_t>(0), handle))
    return false;
  handles.insert(handle);
  call.finish(DeviceError::Success);
  return true;
}

void destroy(const DeviceCall &call, std::set<uint64_t> &handles) {
  bool found = handles.erase(call.argument<uint64_t>(0)) != 0;
  call.finish(found ? DeviceError::Success
                    : DeviceError::InvalidResourceHandle);
}

/// EventRecord(event, stream) and StreamWaitEvent(stream, event, flags):
/// nothing to do, since all is in order.
void useEvent(const DeviceCall &call, uint64_t event, uint64_t stream) {
  bool isNamed = stream == kStreamTailLaunch || stream == kStreamFireAndForget;
  call.finish(isNamed ? DeviceError::InvalidValue
              : isStream(call, stream) && call.state().events.count(event)
                  ? DeviceError::Success
                  : DeviceError::InvalidResourceHandle);
}

} // namespace

bool callLaunch(const DeviceCall &call, bool &handled) {
  handled = true;
  switch (call.site.external) {
  case External::GetParameterBuffer:
    getBuffer(call);
    return true;
  case External::GetParameterBufferV2:
    getBufferV2(call);
    return true;
  case External::LaunchDevice:
  case External::LaunchDeviceV2:
    launchDevice(call, call.site.external == External::LaunchDeviceV2);
    return true;
  case External::MemcpyAsync:
  case External::Memcpy2DAsync:
    copy(call, call.site.external == External::Memcpy2DAsync);
    return true;
  case External::MemsetAsync:
  case External::Memset2DAsync:
    fill(call, call.site.external == External::Memset2DAsync);
    return true;
  case External::StreamCreate:
    return create(call, call.state().streams, kStreamNonBlocking);
  case External::EventCreate:
    return create(call, call.state().events, kEventDisableTiming);
  case External::StreamDestroy:
    destroy(call, call.state().streams);
    return true;
  case External::EventDestroy:
    destroy(call, call.state().events);
    return true;
  case External::EventRecord:
    useEvent(call, call.argument<uint64_t>(0), call.argument<uint64_t>(1));
    return true;
  case External::StreamWaitEvent:
    useEvent(call, call.argument<uint64_t>(1), call.argument<uint64_t>(0));
    return true;
  default:
    handled = false;
    return true;
  }
}

void releaseBuffers(DeviceImpl &device, DeviceCalls &calls) {
  for (const auto &[address, buffer] : calls.buffers)
    device.memory.release(address, AllocationKind::Global);
  calls.buffers.clear();
}

} // namespace gpulto::emu
