//===- Operation.cpp - What a stream or graph can do ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/Operation.h"

#include "emulator/runtime/Array.h"
#include "emulator/runtime/ClusterSize.h"
#include "emulator/runtime/Deferred.h"
#include "emulator/runtime/Graph.h"
#include "emulator/runtime/MemoryPool.h"
#include "emulator/runtime/Runtime.h"
#include "emulator/runtime/Stream.h"
#include "emulator/runtime/TransferLog.h"

#include <algorithm>
#include <cstring>

namespace gpulto::emu {
namespace {

/// One side of a copy, as addresses.
struct CopySide {
  uint8_t *base = nullptr;
  size_t pitch = 0;
  size_t slicePitch = 0;
};

/// A copy in bytes, ready to run.
struct CopyPlan {
  CopySide to, from;
  size_t widthBytes = 0, height = 0, depth = 0;
};

/// Resolves one side; false when the region leaves an array.
bool resolveSide(cudaArray_t handle, const cudaPitchedPtr &pitched,
                 const cudaPos &position, const cudaExtent &extent,
                 size_t elementBytes, CopySide &side) {
  if (handle) {
    Array *array = findArray(handle);
    if (!array || position.x + extent.width > array->extent.width ||
        position.y + extent.height > array->rows() ||
        position.z + extent.depth > array->slices())
      return false;
    side.pitch = array->rowBytes();
    side.slicePitch = side.pitch * array->rows();
    side.base = reinterpret_cast<uint8_t *>(array->address) +
                position.z * side.slicePitch + position.y * side.pitch +
                position.x * array->elementBytes;
    return true;
  }
  if (!pitched.ptr)
    return false;
  size_t widthBytes = extent.width * elementBytes;
  bool hasRows = extent.height > 1 || extent.depth > 1;
  if (hasRows && pitched.pitch < widthBytes)
    return false;
  side.pitch = pitched.pitch;
  side.slicePitch =
      pitched.pitch * (pitched.ysize ? pitched.ysize : extent.height);
  // A position in plain memory counts bytes, next to an array elements.
  side.base = static_cast<uint8_t *>(pitched.ptr) +
              position.z * side.slicePitch + position.y * side.pitch +
              position.x * elementBytes;
  return true;
}

cudaError_t planCopy(const cudaMemcpy3DParms &params, CopyPlan &plan) {
  if ((params.srcArray && params.srcPtr.ptr) ||
      (params.dstArray && params.dstPtr.ptr))
    return cudaErrorInvalidValue;
  size_t elementBytes = 1;
  if (Array *array = findArray(params.srcArray))
    elementBytes = array->elementBytes;
  else if (Array *array = findArray(params.dstArray))
    elementBytes = array->elementBytes;
  plan.widthBytes = params.extent.width * elementBytes;
  plan.height = params.extent.height;
  plan.depth = params.extent.depth;
  if (plan.widthBytes == 0 || plan.height == 0 || plan.depth == 0)
    return cudaSuccess;
  if (!resolveSide(params.dstArray, params.dstPtr, params.dstPos, params.extent,
                   elementBytes, plan.to) ||
      !resolveSide(params.srcArray, params.srcPtr, params.srcPos, params.extent,
                   elementBytes, plan.from))
    return params.srcArray || params.dstArray || plan.height > 1
               ? cudaErrorInvalidPitchValue
               : cudaErrorInvalidValue;
  return cudaSuccess;
}

/// True when the runtime counts the address as the device's: with unified
/// addressing also pinned and managed memory may take the device's role, and
/// any memory where kernels may use it.
bool mayBeDevice(const Device &device, const void *pointer) {
  Allocation allocation;
  uint64_t address = reinterpret_cast<uint64_t>(pointer);
  return device.limits().accessesHostMemory ||
         device.isDeviceAddress(address) ||
         device.findAllocation(address, allocation);
}

/// True for memory that lies on the device, for the direction of a copy.
bool isOnDevice(const Device &device, const void *pointer) {
  Allocation allocation;
  if (!device.findAllocation(reinterpret_cast<uint64_t>(pointer), allocation))
    return false;
  return allocation.kind != AllocationKind::Host &&
         allocation.kind != AllocationKind::HostRegistered;
}

CopyDirection directionOf(const Device &device, const void *to,
                          const void *from) {
  bool toDevice = isOnDevice(device, to), fromDevice = isOnDevice(device, from);
  if (toDevice)
    return fromDevice ? CopyDirection::DeviceToDevice
                      : CopyDirection::HostToDevice;
  return fromDevice ? CopyDirection::DeviceToHost : CopyDirection::HostToHost;
}

/// The runtime rejects a pageable host address where the kind says "device".
cudaError_t checkKind(const Device &device, cudaMemcpyKind kind, const void *to,
                      const void *from) {
  switch (kind) {
  case cudaMemcpyHostToHost:
  case cudaMemcpyDefault:
    return cudaSuccess;
  case cudaMemcpyHostToDevice:
    return mayBeDevice(device, to) ? cudaSuccess : cudaErrorInvalidValue;
  case cudaMemcpyDeviceToHost:
    return mayBeDevice(device, from) ? cudaSuccess : cudaErrorInvalidValue;
  case cudaMemcpyDeviceToDevice:
    return mayBeDevice(device, to) && mayBeDevice(device, from)
               ? cudaSuccess
               : cudaErrorInvalidValue;
  }
  return cudaErrorInvalidMemcpyDirection;
}

/// The sides of a copy, with what was staged as the source if it was.
cudaError_t planCopy(const CopyOp &op, CopyPlan &plan) {
  if (cudaError_t error = planCopy(op.params, plan))
    return error;
  if (op.staged.empty())
    return cudaSuccess;
  const void *bytes = op.staged.data();
  plan.from.base = static_cast<uint8_t *>(const_cast<void *>(bytes));
  plan.from.pitch = plan.widthBytes;
  plan.from.slicePitch = plan.widthBytes * plan.height;
  return cudaSuccess;
}

/// Calls \p body with each run of consecutive bytes of a copy.
template <typename Body> cudaError_t forRows(const CopyPlan &plan, Body body) {
  // Rows that follow each other without a gap are one copy.
  size_t width = plan.widthBytes, height = plan.height;
  if (height > 1 && plan.to.pitch == width && plan.from.pitch == width) {
    width *= height;
    height = 1;
  }
  for (size_t z = 0; z < plan.depth; ++z)
    for (size_t y = 0; y < height; ++y) {
      Status status =
          body(plan.to.base + z * plan.to.slicePitch + y * plan.to.pitch,
               plan.from.base + z * plan.from.slicePitch + y * plan.from.pitch,
               width);
      if (!status.ok())
        return report(status);
    }
  return cudaSuccess;
}

bool isEmpty(const CopyPlan &plan) {
  return plan.widthBytes == 0 || plan.height == 0 || plan.depth == 0;
}

cudaError_t checkOne(Runtime &runtime, const CopyOp &op) {
  CopyPlan plan;
  if (cudaError_t error = planCopy(op, plan))
    return error;
  if (isEmpty(plan))
    return cudaSuccess;
  const Device &device = *runtime.device();
  if (cudaError_t error =
          checkKind(device, op.params.kind, plan.to.base, plan.from.base))
    return error;
  return forRows(plan, [&](uint8_t *to, const uint8_t *from, size_t bytes) {
    Status status = device.checkLive(to, bytes, "destination");
    return status.ok() ? device.checkLive(from, bytes, "source") : status;
  });
}

cudaError_t run(Runtime &runtime, const CopyOp &op) {
  CopyPlan plan;
  if (cudaError_t error = planCopy(op, plan))
    return error;
  if (isEmpty(plan))
    return cudaSuccess;
  Device &device = *runtime.device();
  if (cudaError_t error =
          checkKind(device, op.params.kind, plan.to.base, plan.from.base))
    return error;
  CopyDirection direction = directionOf(device, plan.to.base, plan.from.base);
  if (runtime.transfers) {
    // What fails is not copied.
    if (cudaError_t error = checkOne(runtime, op))
      return error;
    std::vector<CopyRow> rows;
    (void)forRows(plan, [&](uint8_t *to, const uint8_t *from, size_t bytes) {
      rows.push_back({reinterpret_cast<uint64_t>(to),
                      reinterpret_cast<uint64_t>(from), bytes});
      return Status();
    });
    runtime.transfers->copying(runtime, op.site, direction, rows);
  }
  return forRows(plan, [&](uint8_t *to, const uint8_t *from, size_t bytes) {
    return device.copy(to, from, bytes, direction);
  });
}

/// Checks a fill and calls \p body with each run of consecutive elements.
template <typename Body>
cudaError_t forRows(const Device &device, const FillOp &op, Body body) {
  const cudaMemsetParams &params = op.params;
  if (params.width == 0 || params.height == 0 || op.depth == 0)
    return cudaSuccess;
  unsigned bytes = params.elementSize;
  if (bytes != 1 && bytes != 2 && bytes != 4)
    return cudaErrorInvalidValue;
  size_t rowBytes = params.width * bytes;
  if (params.height > 1 && params.pitch < rowBytes)
    return cudaErrorInvalidValue;
  if (!mayBeDevice(device, params.dst))
    return cudaErrorInvalidValue;
  size_t width = params.width, height = params.height;
  if (height > 1 && params.pitch == rowBytes) {
    width *= height;
    height = 1;
  }
  uint8_t *base = static_cast<uint8_t *>(params.dst);
  for (size_t z = 0; z < op.depth; ++z)
    for (size_t y = 0; y < height; ++y) {
      Status status = body(base + z * op.slicePitch + y * params.pitch, width);
      if (!status.ok())
        return report(status);
    }
  return cudaSuccess;
}

cudaError_t checkOne(Runtime &runtime, const FillOp &op) {
  const Device &device = *runtime.device();
  return forRows(device, op, [&](uint8_t *to, size_t count) {
    return device.checkLive(to, count * op.params.elementSize, "destination");
  });
}

cudaError_t run(Runtime &runtime, const FillOp &op) {
  Device &device = *runtime.device();
  if (runtime.transfers) {
    if (cudaError_t error = checkOne(runtime, op))
      return error;
    std::vector<CopyRow> rows;
    (void)forRows(device, op, [&](uint8_t *to, size_t count) {
      rows.push_back(
          {reinterpret_cast<uint64_t>(to), 0, count * op.params.elementSize});
      return Status();
    });
    if (!rows.empty())
      runtime.transfers->filling(runtime, op.site, rows,
                                 {op.params.value, op.params.elementSize});
  }
  return forRows(device, op, [&](uint8_t *to, size_t count) {
    return device.fill(to, op.params.value, op.params.elementSize, count);
  });
}

/// Refuses more dynamic shared memory than the function may have.
cudaError_t checkShared(const DeviceLimits &limits, const KernelOp &op) {
  const DeviceKernel &here = op.entry->on[op.device];
  uint64_t fixed = here.kernel->info().staticSharedBytes;
  uint64_t allowed =
      here.maxDynamicSharedBytes >= 0      ? here.maxDynamicSharedBytes
      : fixed < limits.sharedPerBlockBytes ? limits.sharedPerBlockBytes - fixed
                                           : 0;
  if (allowed + fixed < limits.sharedPerBlockBytes)
    allowed = limits.sharedPerBlockBytes - fixed;
  return op.sharedBytes > allowed ? cudaErrorInvalidValue : cudaSuccess;
}

/// Finds the code of a launch and its shape, and checks what can be checked
/// without the device.
cudaError_t prepareLaunch(Runtime &runtime, const KernelOp &op,
                          const Kernel *&kernel, LaunchConfig &config) {
  DeviceState &state = runtime.devices[op.device];
  if (state.sticky != cudaSuccess)
    return state.sticky;
  // The module may have been unloaded since, by cudaDeviceReset, or be gone
  // with its library.
  if (!op.entry->owner)
    return cudaErrorInvalidDeviceFunction;
  if (cudaError_t error =
          runtime.registry.load(runtime, *op.entry->owner, op.device))
    return error;
  const DeviceKernel &attributes = op.entry->on[op.device];
  kernel = attributes.kernel;
  if (!kernel)
    return cudaErrorInvalidDeviceFunction;
  if (cudaError_t error = checkShared(state.device->limits(), op))
    return error;
  config.grid = {op.grid.x, op.grid.y, op.grid.z};
  config.block = {op.block.x, op.block.y, op.block.z};
  config.dynamicSharedBytes = op.sharedBytes;
  config.cooperative = op.cooperative;
  config.cluster = clusterFor(attributes, op.cluster);
  config.allowsNonPortableCluster = attributes.allowsNonPortableCluster;
  return cudaSuccess;
}

cudaError_t checkOne(Runtime &runtime, const KernelOp &op) {
  const Kernel *kernel = nullptr;
  LaunchConfig config;
  if (cudaError_t error = prepareLaunch(runtime, op, kernel, config))
    return error;
  return report(
      runtime.devices[op.device].device->checkLaunch(*kernel, config));
}

cudaError_t run(Runtime &runtime, const KernelOp &op) {
  const Kernel *kernel = nullptr;
  LaunchConfig config;
  if (cudaError_t error = prepareLaunch(runtime, op, kernel, config))
    return error;
  if (runtime.settings.verbose)
    complain("launch " + op.entry->name + " grid " + std::to_string(op.grid.x) +
             "x" + std::to_string(op.grid.y) + "x" + std::to_string(op.grid.z) +
             " block " + std::to_string(op.block.x) + "x" +
             std::to_string(op.block.y) + "x" + std::to_string(op.block.z) +
             " shared " + std::to_string(op.sharedBytes) +
             (op.device ? " device " + std::to_string(op.device) : ""));
  DeviceState &state = runtime.devices[op.device];
  std::unique_lock<std::mutex> logged;
  if (runtime.transfers)
    logged = runtime.transfers->beginKernel();
  Status status = state.device->launch(*kernel, config, op.params.data());
  if (runtime.transfers)
    runtime.transfers->endKernel(std::move(logged));
  if (status.ok())
    return cudaSuccess;
  if (!status.isSticky())
    return report(status);
  // On hardware the launch has succeeded by the time the kernel faults.
  state.sticky = toCudaError(status.kind);
  state.faulted = currentContext();
  ++runtime.faults;
  return cudaSuccess;
}

cudaError_t run(Runtime &runtime, const HostOp &op) {
  // A callback is told of a fault before it; a host function is not called
  // then.
  cudaError_t sticky = runtime.current().sticky;
  // The function may take locks that another thread holds while it calls us.
  runtime.mutex.unlock();
  if (op.callback)
    op.callback(op.stream, sticky, op.params.userData);
  else if (op.params.fn)
    op.params.fn(op.params.userData);
  runtime.mutex.lock();
  return cudaSuccess;
}

cudaError_t checkOne(Runtime &, const EventRecordOp &op) {
  // A node of a graph may outlive its event.
  return op.record || findEvent(reinterpret_cast<cudaEvent_t>(op.event))
             ? cudaSuccess
             : cudaErrorInvalidResourceHandle;
}

cudaError_t run(Runtime &runtime, const EventRecordOp &op) {
  if (cudaError_t error = checkOne(runtime, op))
    return error;
  // The event may be gone or have been recorded anew while this waited.
  if (op.record && (!findEvent(reinterpret_cast<cudaEvent_t>(op.event)) ||
                    op.event->record != op.record))
    return cudaSuccess;
  op.event->isRecorded = true;
  op.event->time = std::chrono::steady_clock::now();
  op.event->capture.reset();
  return cudaSuccess;
}

cudaError_t run(Runtime &runtime, const ChildOp &op) {
  std::vector<GraphNode *> order;
  if (!topologicalOrder(*op.graph, order))
    return cudaErrorInvalidValue;
  return runGraph(runtime, order);
}

cudaError_t checkOne(Runtime &runtime, const ChildOp &op) {
  std::vector<GraphNode *> order;
  if (!topologicalOrder(*op.graph, order))
    return cudaErrorInvalidValue;
  for (const GraphNode *node : order)
    if (node->isEnabled)
      if (cudaError_t error = check(runtime, node->operation))
        return error;
  return cudaSuccess;
}

/// Memory of graphs stays in place, but what it held is lost.
cudaError_t run(Runtime &runtime, const AllocateOp &op) {
  if (op.memory)
    runtime.devices[op.memory->device].device->poison(op.memory->address,
                                                      op.memory->sizeBytes);
  return cudaSuccess;
}

cudaError_t run(Runtime &runtime, const FreeOp &op) {
  if (!op.releases)
    return cudaSuccess;
  auto &allocations = pools().allocations;
  auto found = allocations.find(reinterpret_cast<uint64_t>(op.address));
  if (found != allocations.end()) {
    found->second.first->usedBytes -= found->second.second;
    allocations.erase(found);
  }
  return runtime.release(op.address, AllocationKind::Device,
                         AllocationKind::Managed);
}

cudaError_t checkOne(Runtime &runtime, const FreeOp &op) {
  uint64_t address = reinterpret_cast<uint64_t>(op.address);
  return !op.releases || runtime.allocations.count(address)
             ? cudaSuccess
             : cudaErrorInvalidValue;
}

/// Streams keep the order that an EventWaitOp asks for (Deferred.h).
cudaError_t run(Runtime &, const EmptyOp &) { return cudaSuccess; }
cudaError_t run(Runtime &, const EventWaitOp &) { return cudaSuccess; }

/// What can always run.
template <typename Op> cudaError_t checkOne(Runtime &, const Op &) {
  return cudaSuccess;
}

/// Finds where memory is, and on which device.
Place placeOf(const Device &device, const void *pointer, unsigned &ordinal) {
  Allocation allocation;
  if (!device.findAllocation(reinterpret_cast<uint64_t>(pointer), allocation))
    return Place::Pageable;
  ordinal = allocation.device;
  switch (allocation.kind) {
  case AllocationKind::Host:
  case AllocationKind::HostRegistered:
    return Place::PageLocked;
  case AllocationKind::Managed:
    return Place::Managed;
  default:
    return Place::Device;
  }
}

} // namespace

cudaError_t makeKernelOp(Runtime &runtime, const void *function, dim3 grid,
                         dim3 block, void **args, size_t sharedBytes,
                         bool cooperative, KernelOp &op) {
  op.device = threadState().device;
  KernelEntry *entry = nullptr;
  if (cudaError_t error =
          runtime.registry.findKernel(runtime, function, op.device, entry))
    return error;
  op.entry = entry->shared_from_this();
  op.function = function;
  op.grid = grid;
  op.block = block;
  op.sharedBytes = sharedBytes;
  op.cooperative = cooperative;
  const KernelInfo &info = entry->on[op.device].kernel->info();
  op.params.resize(info.paramBytes);
  for (size_t i = 0; i < info.params.size(); ++i) {
    const KernelParam &param = info.params[i];
    if (!args || !args[i])
      return cudaErrorInvalidValue;
    std::memcpy(op.params.data() + param.offsetBytes, args[i], param.sizeBytes);
  }
  return cudaSuccess;
}

GraphMemoryUse &graphMemoryUse(unsigned device) {
  static std::array<GraphMemoryUse, kMaxDevices> uses;
  return uses[device];
}

GraphMemory::~GraphMemory() {
  graphMemoryUse(device).currentBytes -= sizeBytes;
  Runtime &runtime = Runtime::get();
  runtime.graphOwned.erase(address);
  if (runtime.allocations.erase(address))
    (void)runtime.device()->free(address, AllocationKind::Device);
}

cudaError_t makeAllocateOp(Runtime &runtime, AllocateOp &op) {
  const cudaMemLocation &location = op.params.poolProps.location;
  if (location.type != cudaMemLocationTypeDevice ||
      !runtime.isDevice(location.id))
    return cudaErrorInvalidValue;
  unsigned ordinal = static_cast<unsigned>(location.id);
  Device &device = *runtime.devices[ordinal].device;
  uint64_t address =
      device.allocate(op.params.bytesize, AllocationKind::Device);
  if (!address)
    return cudaErrorMemoryAllocation;
  DeviceSet access = DeviceSet(1) << ordinal;
  for (size_t i = 0; i < op.params.accessDescCount; ++i)
    access |= DeviceSet(1) << op.params.accessDescs[i].location.id;
  device.setPoolAccess(address, access);
  op.params.accessDescs = nullptr; // The caller's.
  op.params.accessDescCount = 0;
  runtime.allocations[address] = {AllocationKind::Device, ordinal};
  runtime.graphOwned.insert(address);
  op.memory = std::make_shared<GraphMemory>();
  op.memory->device = ordinal;
  op.memory->address = address;
  op.memory->sizeBytes = op.params.bytesize;
  GraphMemoryUse &use = graphMemoryUse(ordinal);
  use.currentBytes += op.params.bytesize;
  use.highBytes = std::max(use.highBytes, use.currentBytes);
  op.params.dptr = reinterpret_cast<void *>(address);
  return cudaSuccess;
}

CopyOp makeLinearCopy(void *destination, const void *source, size_t sizeBytes,
                      cudaMemcpyKind kind) {
  CopyOp op;
  op.params.srcPtr = {const_cast<void *>(source), sizeBytes, sizeBytes, 1};
  op.params.dstPtr = {destination, sizeBytes, sizeBytes, 1};
  op.params.extent = {sizeBytes, 1, 1};
  op.params.kind = kind;
  return op;
}

cudaError_t validateCopy(Runtime &runtime, const cudaMemcpy3DParms &params) {
  CopyPlan plan;
  if (cudaError_t error = planCopy(params, plan))
    return error;
  if (!plan.to.base)
    return cudaSuccess;
  return checkKind(*runtime.device(), params.kind, plan.to.base,
                   plan.from.base);
}

cudaError_t stage(CopyOp &op) {
  CopyPlan plan;
  if (cudaError_t error = planCopy(op, plan))
    return error;
  std::vector<std::byte> staged(plan.widthBytes * plan.height * plan.depth);
  std::byte *to = staged.data();
  for (size_t z = 0; z < plan.depth; ++z)
    for (size_t y = 0; y < plan.height; ++y, to += plan.widthBytes)
      std::memcpy(
          to, plan.from.base + z * plan.from.slicePitch + y * plan.from.pitch,
          plan.widthBytes);
  op.staged = std::move(staged);
  return cudaSuccess;
}

CopyPlaces placesOf(const Device &device, const CopyOp &op) {
  CopyPlaces places;
  CopyPlan plan;
  if (planCopy(op, plan) != cudaSuccess || isEmpty(plan)) {
    places.isEmpty = true;
    return places;
  }
  places.to = placeOf(device, plan.to.base, places.toDevice);
  places.from = placeOf(device, plan.from.base, places.fromDevice);
  return places;
}

CopyPlaces placesOf(const Device &device, const FillOp &op) {
  CopyPlaces places;
  places.to = placeOf(device, op.params.dst, places.toDevice);
  places.fromDevice = places.toDevice;
  return places;
}

cudaError_t check(Runtime &runtime, const Operation &operation) {
  return std::visit([&](auto &op) { return checkOne(runtime, op); }, operation);
}

cudaError_t execute(Runtime &runtime, Operation &operation) {
  return std::visit([&](auto &op) { return run(runtime, op); }, operation);
}

cudaError_t submit(Runtime &runtime, cudaStream_t handle, Operation operation,
                   Call call) {
  Stream *stream = findStream(handle);
  if (!stream)
    return cudaErrorInvalidResourceHandle;
  // Copies and fills go to a stream of any device, kernels do not.
  const auto *kernel = std::get_if<KernelOp>(&operation);
  if (kernel && kernel->device != stream->device)
    return cudaErrorInvalidResourceHandle;
  if (!stream->capture) {
    if (stream->isLegacy && legacyStreamIsBlocked())
      return cudaErrorStreamCaptureImplicit;
    if (runtime.settings.deferred)
      return defer(runtime, *stream, std::move(operation), call);
    if (!runtime.transfers)
      return execute(runtime, operation);
    runtime.transfers->submitting(*stream, operation);
    cudaError_t error = execute(runtime, operation);
    if (error == cudaSuccess)
      runtime.transfers->submitted(*stream, operation);
    return error;
  }
  if (stream->capture->isInvalid)
    return cudaErrorStreamCaptureInvalidated;
  if (call == Call::Synchronous)
    return checkNotCapturing(*stream);
  GraphNode *node =
      addNode(*stream->capture->graph, stream->tail, std::move(operation));
  if (!node)
    return cudaErrorInvalidValue;
  stream->tail = {node};
  return cudaSuccess;
}

} // namespace gpulto::emu
