//===- ApiMemory.cpp - Entry points: allocation ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/Deferred.h"
#include "emulator/runtime/Graph.h"
#include "emulator/runtime/MemoryPool.h"
#include "emulator/runtime/Runtime.h"
#include "emulator/runtime/Stream.h"
#include "emulator/runtime/TransferLog.h"

#include <algorithm>

using namespace gpulto::emu;

namespace {

/// cudaMallocPitch rounds rows up to this, as an H100 does.
constexpr size_t kPitchBytes = 512;

cudaError_t allocate(Runtime &runtime, AllocationKind kind, size_t sizeBytes,
                     void **pointer, unsigned device = threadState().device) {
  if (!pointer)
    return cudaErrorInvalidValue;
  if (sizeBytes == 0) {
    *pointer = nullptr;
    return cudaSuccess;
  }
  // As in the runtime, the old value stays if there is no memory.
  Device &on = *runtime.devices[device].device;
  uint64_t address = on.allocate(sizeBytes, kind);
  if (!address && countPending()) {
    // Work that waits may free some.
    if (cudaError_t error = waitForDevice(runtime, device))
      return error;
    address = on.allocate(sizeBytes, kind);
  }
  if (!address)
    return cudaErrorMemoryAllocation;
  runtime.allocations[address] = {kind, device};
  if (runtime.transfers)
    runtime.transfers->allocated(address, sizeBytes, kind);
  *pointer = reinterpret_cast<void *>(address);
  return cudaSuccess;
}

/// Waits for the devices that may use the memory: the one it is on, or all.
cudaError_t waitForUsers(Runtime &runtime, const void *pointer) {
  Allocation allocation;
  bool isFound = runtime.device()->findAllocation(
      reinterpret_cast<uint64_t>(pointer), allocation);
  if (!isFound || isForAllDevices(allocation.kind))
    return waitForDevices(runtime);
  return waitForDevice(runtime, allocation.device);
}

cudaError_t allocateHost(Runtime &runtime, size_t sizeBytes, unsigned flags,
                         void **pointer) {
  cudaError_t error =
      allocate(runtime, AllocationKind::Host, sizeBytes, pointer);
  if (error == cudaSuccess && *pointer)
    runtime.hostRanges[reinterpret_cast<uint64_t>(*pointer)] = {sizeBytes,
                                                                flags};
  return error;
}

/// Finds the pinned or registered range that holds \p pointer.
const HostRange *findHostRange(const Runtime &runtime, const void *pointer) {
  uint64_t address = reinterpret_cast<uint64_t>(pointer);
  auto next = runtime.hostRanges.upper_bound(address);
  if (next == runtime.hostRanges.begin())
    return nullptr;
  --next;
  return address - next->first < next->second.sizeBytes ? &next->second
                                                        : nullptr;
}

size_t pitchFor(size_t widthBytes) {
  return (widthBytes + kPitchBytes - 1) / kPitchBytes * kPitchBytes;
}

/// A location of memory that exists here: a device, or the host.
bool isKnownLocation(const Runtime &runtime, const cudaMemLocation &location) {
  return location.type != cudaMemLocationTypeDevice ||
         runtime.isDevice(location.id);
}

/// Checks that a range is one of managed memory, or of the program's where
/// kernels may use that.
cudaError_t checkManaged(Runtime &runtime, const void *pointer, size_t count) {
  Allocation allocation;
  uint64_t address = reinterpret_cast<uint64_t>(pointer);
  Device &device = *runtime.device();
  if (count && device.limits().accessesHostMemory &&
      !device.isDeviceAddress(address) &&
      !device.findAllocation(address, allocation))
    return cudaSuccess;
  if (!count || !runtime.device()->findAllocation(address, allocation) ||
      allocation.kind != AllocationKind::Managed ||
      address - allocation.address + count > allocation.sizeBytes)
    return cudaErrorInvalidValue;
  return cudaSuccess;
}

} // namespace

extern "C" {

cudaError_t cudaMalloc(void **pointer, size_t sizeBytes) {
  return enter([&](Runtime &runtime) {
    return allocate(runtime, AllocationKind::Device, sizeBytes, pointer);
  });
}

cudaError_t cudaFree(void *pointer) {
  return enter([&](Runtime &runtime) -> cudaError_t {
    // Of a pool's memory all accesses are taken to be over.
    if (pointer && !isOfPool(pointer)) {
      if (runtime.transfers)
        runtime.transfers->waitForDevice(threadState().device, false);
      if (cudaError_t error = waitForUsers(runtime, pointer))
        return error;
    }
    return runtime.release(pointer, AllocationKind::Device,
                           AllocationKind::Managed);
  });
}

cudaError_t cudaMallocManaged(void **pointer, size_t sizeBytes,
                              unsigned flags) {
  return enter([&](Runtime &runtime) {
    if (sizeBytes == 0 ||
        (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
      return cudaErrorInvalidValue;
    return allocate(runtime, AllocationKind::Managed, sizeBytes, pointer);
  });
}

cudaError_t cudaMallocHost(void **pointer, size_t sizeBytes) {
  return enter([&](Runtime &runtime) {
    return allocateHost(runtime, sizeBytes, cudaHostAllocDefault, pointer);
  });
}

cudaError_t cudaHostAlloc(void **pointer, size_t sizeBytes, unsigned flags) {
  return enter([&](Runtime &runtime) {
    if (flags & ~(cudaHostAllocPortable | cudaHostAllocMapped |
                  cudaHostAllocWriteCombined))
      return cudaErrorInvalidValue;
    return allocateHost(runtime, sizeBytes, flags, pointer);
  });
}

cudaError_t cudaFreeHost(void *pointer) {
  return enter([&](Runtime &runtime) -> cudaError_t {
    if (cudaError_t error = waitForDevices(runtime))
      return error;
    runtime.hostRanges.erase(reinterpret_cast<uint64_t>(pointer));
    return runtime.release(pointer, AllocationKind::Host, AllocationKind::Host);
  });
}

cudaError_t cudaHostRegister(void *pointer, size_t sizeBytes, unsigned flags) {
  return enter([&](Runtime &runtime) -> cudaError_t {
    if (!pointer || !sizeBytes)
      return cudaErrorInvalidValue;
    if (findHostRange(runtime, pointer))
      return cudaErrorHostMemoryAlreadyRegistered;
    Status status = runtime.device()->registerHost(pointer, sizeBytes);
    if (!status.ok())
      return report(status);
    uint64_t address = reinterpret_cast<uint64_t>(pointer);
    runtime.allocations[address] = {AllocationKind::HostRegistered,
                                    threadState().device};
    if (runtime.transfers)
      runtime.transfers->allocated(address, sizeBytes,
                                   AllocationKind::HostRegistered);
    runtime.hostRanges[address] = {sizeBytes, flags};
    return cudaSuccess;
  });
}

cudaError_t cudaHostUnregister(void *pointer) {
  return enter([&](Runtime &runtime) -> cudaError_t {
    uint64_t address = reinterpret_cast<uint64_t>(pointer);
    auto found = runtime.allocations.find(address);
    if (found == runtime.allocations.end() ||
        found->second.kind != AllocationKind::HostRegistered)
      return cudaErrorHostMemoryNotRegistered;
    if (cudaError_t error = waitForDevices(runtime))
      return error;
    // A host function may have changed the table.
    runtime.allocations.erase(address);
    runtime.hostRanges.erase(address);
    return report(runtime.device()->unregisterHost(pointer));
  });
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned) {
  return enter([&](Runtime &runtime) {
    if (!device || !findHostRange(runtime, host))
      return cudaErrorInvalidValue;
    *device = host;
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *host) {
  return enter([&](Runtime &runtime) {
    const HostRange *range = findHostRange(runtime, host);
    if (!flags || !range)
      return cudaErrorInvalidValue;
    // With unified addressing all pinned memory is mapped.
    *flags = range->flags | cudaHostAllocMapped;
    return cudaSuccess;
  });
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width,
                            size_t height) {
  return enter([&](Runtime &runtime) {
    if (!pitch)
      return cudaErrorInvalidValue;
    *pitch = pitchFor(width);
    return allocate(runtime, AllocationKind::Device, *pitch * height, pointer);
  });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr *pitched, cudaExtent extent) {
  return enter([&](Runtime &runtime) {
    if (!pitched)
      return cudaErrorInvalidValue;
    pitched->pitch = pitchFor(extent.width);
    pitched->xsize = extent.width;
    pitched->ysize = extent.height;
    return allocate(runtime, AllocationKind::Device,
                    pitched->pitch * extent.height * extent.depth,
                    &pitched->ptr);
  });
}

cudaError_t cudaMemGetInfo(size_t *freeBytes, size_t *totalBytes) {
  return enter([&](Runtime &runtime) {
    size_t total = runtime.device()->limits().globalBytes;
    if (totalBytes)
      *totalBytes = total;
    if (freeBytes)
      *freeBytes = total - runtime.device()->allocatedBytes();
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes,
                                     const void *pointer) {
  return enter([&](Runtime &runtime) {
    if (!attributes)
      return cudaErrorInvalidValue;
    *attributes = {};
    attributes->device = -2; // what the runtime says for unregistered memory
    attributes->hostPointer = const_cast<void *>(pointer);
    Allocation allocation;
    if (!runtime.device()->findAllocation(reinterpret_cast<uint64_t>(pointer),
                                          allocation)) {
      attributes->type = cudaMemoryTypeUnregistered;
      return cudaSuccess;
    }
    attributes->device = static_cast<int>(allocation.device);
    attributes->devicePointer = const_cast<void *>(pointer);
    switch (allocation.kind) {
    case AllocationKind::Host:
    case AllocationKind::HostRegistered:
      attributes->type = cudaMemoryTypeHost;
      break;
    case AllocationKind::Managed:
      attributes->type = cudaMemoryTypeManaged;
      break;
    default:
      attributes->type = cudaMemoryTypeDevice;
      attributes->hostPointer = nullptr;
      break;
    }
    return cudaSuccess;
  });
}

} // extern "C"

// Managed memory: it is always where it is needed ----------------------------

namespace {

/// Applies one piece of advice to what is remembered of a range.
cudaError_t advise(Advice &advice, cudaMemoryAdvise what,
                   cudaMemLocation location) {
  bool isHost = location.type != cudaMemLocationTypeDevice;
  switch (what) {
  case cudaMemAdviseSetReadMostly:
  case cudaMemAdviseUnsetReadMostly:
    advice.readMostly = what == cudaMemAdviseSetReadMostly;
    return cudaSuccess;
  case cudaMemAdviseSetPreferredLocation:
    advice.preferred = location;
    return cudaSuccess;
  case cudaMemAdviseUnsetPreferredLocation:
    advice.preferred = Advice().preferred;
    return cudaSuccess;
  case cudaMemAdviseSetAccessedBy:
  case cudaMemAdviseUnsetAccessedBy:
    if (isHost)
      advice.accessedByHost = what == cudaMemAdviseSetAccessedBy;
    else if (what == cudaMemAdviseSetAccessedBy)
      advice.accessedBy |= DeviceSet(1) << location.id;
    else
      advice.accessedBy &= ~(DeviceSet(1) << location.id);
    return cudaSuccess;
  }
  return cudaErrorInvalidValue;
}

/// How the older attributes name a place: a device, the host or none.
int deviceIdOf(const cudaMemLocation &location) {
  if (location.type == cudaMemLocationTypeDevice)
    return location.id;
  return location.type == cudaMemLocationTypeInvalid ? cudaInvalidDeviceId
                                                     : cudaCpuDeviceId;
}

cudaError_t readRangeAttribute(const Advice &advice, void *data, size_t size,
                               cudaMemRangeAttribute attribute) {
  int *values = static_cast<int *>(data);
  if (!data || size == 0 || size % sizeof(int))
    return cudaErrorInvalidValue;
  if (attribute == cudaMemRangeAttributeAccessedBy) {
    size_t used = 0, room = size / sizeof(int);
    for (unsigned i = 0; i < kMaxDevices; ++i)
      if (advice.accessedBy >> i & 1 && used < room)
        values[used++] = static_cast<int>(i);
    if (advice.accessedByHost && used < room)
      values[used++] = cudaCpuDeviceId;
    std::fill(values + used, values + room, cudaInvalidDeviceId);
    return cudaSuccess;
  }
  if (size != sizeof(int))
    return cudaErrorInvalidValue;
  switch (attribute) {
  case cudaMemRangeAttributeReadMostly:
    *values = advice.readMostly;
    return cudaSuccess;
  case cudaMemRangeAttributePreferredLocation:
    *values = deviceIdOf(advice.preferred);
    return cudaSuccess;
  case cudaMemRangeAttributeLastPrefetchLocation:
    *values = deviceIdOf(advice.prefetched);
    return cudaSuccess;
  case cudaMemRangeAttributePreferredLocationType:
    *values = advice.preferred.type;
    return cudaSuccess;
  case cudaMemRangeAttributePreferredLocationId:
    *values = advice.preferred.id;
    return cudaSuccess;
  case cudaMemRangeAttributeLastPrefetchLocationType:
    *values = advice.prefetched.type;
    return cudaSuccess;
  case cudaMemRangeAttributeLastPrefetchLocationId:
    *values = advice.prefetched.id;
    return cudaSuccess;
  default:
    return cudaErrorInvalidValue;
  }
}

/// Finds what was advised of the whole range [pointer, pointer + count).
Advice adviceOf(const Runtime &runtime, const void *pointer, size_t count) {
  uint64_t address = reinterpret_cast<uint64_t>(pointer);
  auto next = runtime.advice.upper_bound(address);
  if (next == runtime.advice.begin())
    return {};
  --next;
  uint64_t offset = address - next->first;
  bool covers = offset < next->second.sizeBytes &&
                count <= next->second.sizeBytes - offset;
  return covers ? next->second : Advice();
}

/// The record of a range, made from what holds for it so far.
Advice &adviceFor(Runtime &runtime, const void *pointer, size_t count) {
  Advice known = adviceOf(runtime, pointer, count);
  known.sizeBytes = count;
  Advice &slot = runtime.advice[reinterpret_cast<uint64_t>(pointer)];
  if (slot.sizeBytes < count)
    slot = known;
  return slot;
}

} // namespace

extern "C" {

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t count,
                                 cudaMemLocation location, unsigned flags,
                                 cudaStream_t stream) {
  return enter([&](Runtime &runtime) -> cudaError_t {
    if (flags || !isKnownLocation(runtime, location))
      return cudaErrorInvalidValue;
    if (!findStream(stream))
      return cudaErrorInvalidResourceHandle;
    if (cudaError_t error = checkManaged(runtime, pointer, count))
      return error;
    adviceFor(runtime, pointer, count).prefetched = location;
    return cudaSuccess;
  });
}
GPULTO_EMU_PER_THREAD(cudaMemPrefetchAsync_ptsz, cudaMemPrefetchAsync);

cudaError_t cudaMemAdvise(const void *pointer, size_t count,
                          cudaMemoryAdvise what, cudaMemLocation location) {
  return enter([&](Runtime &runtime) -> cudaError_t {
    bool readsLocation = what != cudaMemAdviseSetReadMostly &&
                         what != cudaMemAdviseUnsetReadMostly;
    if (readsLocation && !isKnownLocation(runtime, location))
      return cudaErrorInvalidValue;
    if (cudaError_t error = checkManaged(runtime, pointer, count))
      return error;
    return advise(adviceFor(runtime, pointer, count), what, location);
  });
}

cudaError_t cudaMemRangeGetAttribute(void *data, size_t size,
                                     cudaMemRangeAttribute attribute,
                                     const void *pointer, size_t count) {
  return enter([&](Runtime &runtime) -> cudaError_t {
    if (cudaError_t error = checkManaged(runtime, pointer, count))
      return error;
    return readRangeAttribute(adviceOf(runtime, pointer, count), data, size,
                              attribute);
  });
}

cudaError_t cudaMemRangeGetAttributes(void **data, size_t *sizes,
                                      cudaMemRangeAttribute *attributes,
                                      size_t attributeCount,
                                      const void *pointer, size_t count) {
  if (!data || !sizes || !attributes)
    return recordError(cudaErrorInvalidValue);
  for (size_t i = 0; i < attributeCount; ++i)
    if (cudaError_t error = cudaMemRangeGetAttribute(
            data[i], sizes[i], attributes[i], pointer, count))
      return error;
  return cudaSuccess;
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t,
                                     unsigned) {
  return enter([&](Runtime &runtime) {
    if (!findStream(stream))
      return cudaErrorInvalidResourceHandle;
    return checkManaged(runtime, pointer, 1);
  });
}
GPULTO_EMU_PER_THREAD(cudaStreamAttachMemAsync_ptsz, cudaStreamAttachMemAsync);

} // extern "C"

// Stream-ordered memory ------------------------------------------------------

namespace {

cudaMemPool_t handleOf(MemoryPool *pool) {
  return reinterpret_cast<cudaMemPool_t>(pool);
}

cudaError_t allocateFromPool(Runtime &runtime, MemoryPool &pool,
                             size_t sizeBytes, cudaStream_t handle,
                             void **pointer) {
  Stream *stream = findStream(handle);
  if (!stream)
    return cudaErrorInvalidResourceHandle;
  if (!stream->capture) {
    cudaError_t error = allocate(runtime, AllocationKind::Device, sizeBytes,
                                 pointer, pool.device);
    if (error == cudaSuccess && *pointer) {
      runtime.device()->setPoolAccess(reinterpret_cast<uint64_t>(*pointer),
                                      pool.access);
      pool.usedBytes += sizeBytes;
      pool.usedHighBytes = std::max(pool.usedHighBytes, pool.usedBytes);
      pools().allocations[reinterpret_cast<uint64_t>(*pointer)] = {&pool,
                                                                   sizeBytes};
    }
    return error;
  }
  AllocateOp op;
  op.params.bytesize = sizeBytes;
  op.params.poolProps.allocType = cudaMemAllocationTypePinned;
  op.params.poolProps.location = {cudaMemLocationTypeDevice,
                                  static_cast<int>(pool.device)};
  if (cudaError_t error = makeAllocateOp(runtime, op))
    return error;
  *pointer = op.params.dptr;
  return submit(runtime, handle, std::move(op));
}

cudaError_t readPoolAttribute(const MemoryPool &pool, cudaMemPoolAttr attribute,
                              void *value) {
  auto found = pool.attributes.find(attribute);
  uint64_t set = found == pool.attributes.end() ? 0 : found->second;
  switch (attribute) {
  case cudaMemPoolReuseFollowEventDependencies:
  case cudaMemPoolReuseAllowOpportunistic:
  case cudaMemPoolReuseAllowInternalDependencies:
    *static_cast<int *>(value) = found == pool.attributes.end() ? 1 : set;
    return cudaSuccess;
  case cudaMemPoolAttrReleaseThreshold:
    *static_cast<uint64_t *>(value) = set;
    return cudaSuccess;
  case cudaMemPoolAttrReservedMemCurrent:
  case cudaMemPoolAttrUsedMemCurrent:
    *static_cast<uint64_t *>(value) = pool.usedBytes;
    return cudaSuccess;
  case cudaMemPoolAttrReservedMemHigh:
  case cudaMemPoolAttrUsedMemHigh:
    *static_cast<uint64_t *>(value) = pool.usedHighBytes;
    return cudaSuccess;
  default:
    return cudaErrorInvalidValue;
  }
}

template <typename Body> cudaError_t withPool(cudaMemPool_t handle, Body body) {
  return enter([&](Runtime &runtime) -> cudaError_t {
    MemoryPool *pool = findPool(handle);
    if (!pool)
      return cudaErrorInvalidValue;
    return body(runtime, *pool);
  });
}

} // namespace

extern "C" {

cudaError_t cudaMallocAsync(void **pointer, size_t sizeBytes,
                            cudaStream_t stream) {
  return enter([&](Runtime &runtime) -> cudaError_t {
    const Stream *on = findStream(stream);
    if (!on)
      return cudaErrorInvalidResourceHandle;
    return allocateFromPool(runtime, *pools().current[on->device], sizeBytes,
                            stream, pointer);
  });
}
GPULTO_EMU_PER_THREAD(cudaMallocAsync_ptsz, cudaMallocAsync);

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t sizeBytes,
                                    cudaMemPool_t pool, cudaStream_t stream) {
  return withPool(pool, [&](Runtime &runtime, MemoryPool &from) {
    return allocateFromPool(runtime, from, sizeBytes, stream, pointer);
  });
}
GPULTO_EMU_PER_THREAD(cudaMallocFromPoolAsync_ptsz, cudaMallocFromPoolAsync);

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t handle) {
  return enter([&](Runtime &runtime) -> cudaError_t {
    Stream *stream = findStream(handle);
    if (!stream)
      return cudaErrorInvalidResourceHandle;
    if (!pointer)
      return cudaErrorInvalidValue;
    return submit(runtime, handle, FreeOp{pointer, !stream->capture});
  });
}
GPULTO_EMU_PER_THREAD(cudaFreeAsync_ptsz, cudaFreeAsync);

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
  if (!pool || !Runtime::get().isDevice(device))
    return recordError(pool ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
  *pool = handleOf(&pools().standard[device]);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
  return enter([&](Runtime &runtime) {
    if (!pool || !runtime.isDevice(device))
      return pool ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    *pool = handleOf(pools().current[device]);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t handle) {
  return withPool(handle, [&](Runtime &runtime, MemoryPool &pool) {
    if (!runtime.isDevice(device))
      return cudaErrorInvalidDevice;
    if (pool.device != static_cast<unsigned>(device))
      return cudaErrorInvalidValue;
    pools().current[device] = &pool;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool,
                              const cudaMemPoolProps *properties) {
  return enter([&](Runtime &runtime) {
    if (!pool || !properties ||
        properties->location.type != cudaMemLocationTypeDevice ||
        !runtime.isDevice(properties->location.id))
      return cudaErrorInvalidValue;
    if (properties->handleTypes != cudaMemHandleTypeNone)
      return notSupported("cudaMemPoolCreate with a shareable handle");
    auto made = std::make_unique<MemoryPool>();
    made->device = static_cast<unsigned>(properties->location.id);
    made->access = DeviceSet(1) << made->device;
    *pool = handleOf(made.get());
    pools().made[made.get()] = std::move(made);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle) {
  return withPool(handle, [](Runtime &, MemoryPool &pool) {
    Pools &all = pools();
    MemoryPool &standard = all.standard[pool.device];
    if (&pool == &standard)
      return cudaErrorInvalidValue;
    if (all.current[pool.device] == &pool)
      all.current[pool.device] = &standard;
    std::erase_if(all.allocations,
                  [&](const auto &item) { return item.second.first == &pool; });
    all.made.erase(&pool);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t handle, size_t) {
  return withPool(handle, [](Runtime &, MemoryPool &) { return cudaSuccess; });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle,
                                    cudaMemPoolAttr attribute, void *value) {
  return withPool(handle, [&](Runtime &, MemoryPool &pool) {
    return value ? readPoolAttribute(pool, attribute, value)
                 : cudaErrorInvalidValue;
  });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle,
                                    cudaMemPoolAttr attribute, void *value) {
  return withPool(handle, [&](Runtime &, MemoryPool &pool) {
    if (!value)
      return cudaErrorInvalidValue;
    switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
      pool.attributes[attribute] = *static_cast<int *>(value);
      return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold:
      pool.attributes[attribute] = *static_cast<uint64_t *>(value);
      return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
      pool.usedHighBytes = pool.usedBytes;
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
    }
  });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t handle,
                                 const cudaMemAccessDesc *list, size_t count) {
  return withPool(handle, [&](Runtime &runtime, MemoryPool &pool) {
    DeviceSet access = pool.access;
    for (size_t i = 0; i < count; ++i) {
      const cudaMemLocation &location = list[i].location;
      if (!isKnownLocation(runtime, location))
        return cudaErrorInvalidDevice;
      if (location.type != cudaMemLocationTypeDevice)
        continue;
      DeviceSet bit = DeviceSet(1) << location.id;
      access = list[i].flags == cudaMemAccessFlagsProtNone ? access & ~bit
                                                           : access | bit;
    }
    if (!(access >> pool.device & 1)) // Its own device keeps it.
      return cudaErrorInvalidDevice;
    pool.access = access;
    for (const auto &[address, from] : pools().allocations)
      if (from.first == &pool)
        runtime.device()->setPoolAccess(address, access);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags *flags,
                                 cudaMemPool_t handle,
                                 cudaMemLocation *location) {
  return withPool(handle, [&](Runtime &runtime, MemoryPool &pool) {
    if (!flags || !location || !isKnownLocation(runtime, *location))
      return cudaErrorInvalidValue;
    bool isAllowed = location->type != cudaMemLocationTypeDevice ||
                     pool.access >> location->id & 1;
    *flags = isAllowed ? cudaMemAccessFlagsProtReadWrite
                       : cudaMemAccessFlagsProtNone;
    return cudaSuccess;
  });
}

} // extern "C"
