//===- DriverMemory.cpp - Driver API: memory ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/Driver.h"
#include "emulator/runtime/MemoryPool.h"

#include <cstring>

using namespace gpulto::emu;

namespace {

/// Finds the live memory at \p address.
cudaError_t findLive(Runtime &runtime, CUdeviceptr address,
                     Allocation &allocation) {
  return runtime.device()->findAllocation(address, allocation)
             ? cudaSuccess
             : cudaErrorInvalidValue;
}

template <typename Value> void put(void *data, Value value) {
  std::memcpy(data, &value, sizeof(Value));
}

/// The pool that the memory at \p address is of, or null.
CUmemoryPool poolOf(CUdeviceptr address) {
  auto found = pools().allocations.find(address);
  return found == pools().allocations.end()
             ? nullptr
             : reinterpret_cast<CUmemoryPool>(found->second.first);
}

/// The context that made the memory; the device's primary one where nobody
/// kept it.
const Context *contextOf(Runtime &runtime, const Allocation &allocation) {
  auto found = runtime.allocations.find(allocation.address);
  return found != runtime.allocations.end() && found->second.context
             ? found->second.context
             : &primaryContext(allocation.device);
}

bool isHostMemory(const Allocation &allocation) {
  return allocation.kind == AllocationKind::Host ||
         allocation.kind == AllocationKind::HostRegistered;
}

cudaError_t readPointerAttribute(Runtime &runtime, void *data,
                                 CUpointer_attribute attribute,
                                 CUdeviceptr address) {
  Allocation allocation;
  if (!data)
    return cudaErrorInvalidValue;
  if (cudaError_t error = findLive(runtime, address, allocation))
    return error;
  bool isHost = isHostMemory(allocation);
  bool isManaged = allocation.kind == AllocationKind::Managed;
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_CONTEXT:
    put(data, contextOf(runtime, allocation));
    return cudaSuccess;
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    put(data, isHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    return cudaSuccess;
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    put(data, address);
    return cudaSuccess;
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    if (!isHost && !isManaged)
      return cudaErrorInvalidValue;
    put(data, pointerOf(address));
    return cudaSuccess;
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: // All of them are.
  case CU_POINTER_ATTRIBUTE_MAPPED:
    put(data, 1u);
    return cudaSuccess;
  case CU_POINTER_ATTRIBUTE_BUFFER_ID:
  case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
    // Addresses are not reused for a long time.
    put(data, static_cast<unsigned long long>(allocation.address));
    return cudaSuccess;
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    put(data, static_cast<unsigned>(isManaged));
    return cudaSuccess;
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    put(data, static_cast<int>(allocation.device));
    return cudaSuccess;
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
  case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
    put(data, static_cast<CUdeviceptr>(allocation.address));
    return cudaSuccess;
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
  case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
    put(data, static_cast<size_t>(allocation.sizeBytes));
    return cudaSuccess;
  case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    put(data, 0ull);
    return cudaSuccess;
  case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
  case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
  case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
    put(data, 0);
    return cudaSuccess;
  case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
    put(data, CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE);
    return cudaSuccess;
  case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
    put(data, poolOf(allocation.address));
    return cudaSuccess;
  default:
    return cudaErrorInvalidValue;
  }
}

/// Bytes of the value of an attribute.
size_t pointerAttributeBytes(CUpointer_attribute attribute) {
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
  case CU_POINTER_ATTRIBUTE_MAPPED:
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
  case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
  case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
  case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
  case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
    return 4;
  default:
    return 8;
  }
}

} // namespace

extern "C" {

// Allocation -----------------------------------------------------------------

CUresult cuMemGetInfo(size_t *freeBytes, size_t *totalBytes) {
  return inContext([&] { return cudaMemGetInfo(freeBytes, totalBytes); });
}

CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes) {
  return inContext([&] {
    return bytes ? cudaMalloc(pointerOf(address), bytes)
                 : cudaErrorInvalidValue;
  });
}

CUresult cuMemAllocPitch(CUdeviceptr *address, size_t *pitch, size_t width,
                         size_t height, unsigned elementBytes) {
  return inContext([&] {
    bool isElement =
        elementBytes == 4 || elementBytes == 8 || elementBytes == 16;
    return isElement && width && height
               ? cudaMallocPitch(pointerOf(address), pitch, width, height)
               : cudaErrorInvalidValue;
  });
}

CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned flags) {
  return inContext(
      [&] { return cudaMallocManaged(pointerOf(address), bytes, flags); });
}

CUresult cuMemFree(CUdeviceptr address) {
  return inContext([&] { return cudaFree(pointerOf(address)); });
}

CUresult cuMemAllocHost(void **pointer, size_t bytes) {
  return inContext([&] { return cudaMallocHost(pointer, bytes); });
}

CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags) {
  return inContext([&] { return cudaHostAlloc(pointer, bytes, flags); });
}

CUresult cuMemFreeHost(void *pointer) {
  return inContext([&] { return cudaFreeHost(pointer); });
}

CUresult cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned flags) {
  return inContext([&] { return cudaHostRegister(pointer, bytes, flags); });
}
#undef cuMemHostRegister
GPULTO_EMU_OLDER(cuMemHostRegister, cuMemHostRegister_v2);

CUresult cuMemHostUnregister(void *pointer) {
  return inContext([&] { return cudaHostUnregister(pointer); });
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr *address, void *pointer,
                                   unsigned flags) {
  return inContext([&] {
    return cudaHostGetDevicePointer(pointerOf(address), pointer, flags);
  });
}

CUresult cuMemHostGetFlags(unsigned *flags, void *pointer) {
  return inContext([&] { return cudaHostGetFlags(flags, pointer); });
}

// What is known of an address ------------------------------------------------

CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *bytes,
                              CUdeviceptr address) {
  return inContext([&] {
    return enter([&](Runtime &runtime) -> cudaError_t {
      Allocation allocation;
      if (cudaError_t error = findLive(runtime, address, allocation))
        return error;
      if (base)
        *base = allocation.address;
      if (bytes)
        *bytes = allocation.sizeBytes;
      return cudaSuccess;
    });
  });
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute,
                               CUdeviceptr address) {
  return inContext([&] {
    return enter([&](Runtime &runtime) {
      return readPointerAttribute(runtime, data, attribute, address);
    });
  });
}

/// Unlike the single form it succeeds for any pointer and fills in zeros.
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes,
                                void **data, CUdeviceptr address) {
  return inContext([&] {
    return enter([&](Runtime &runtime) -> cudaError_t {
      if (!count || !attributes || !data)
        return cudaErrorInvalidValue;
      for (unsigned i = 0; i < count; ++i)
        if (readPointerAttribute(runtime, data[i], attributes[i], address))
          std::memset(data[i], 0, pointerAttributeBytes(attributes[i]));
      return cudaSuccess;
    });
  });
}

CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute,
                               CUdeviceptr address) {
  return inContext([&] {
    return enter([&](Runtime &runtime) -> cudaError_t {
      Allocation allocation;
      if (!value || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS)
        return cudaErrorInvalidValue;
      return findLive(runtime, address, allocation);
    });
  });
}

// Managed memory -------------------------------------------------------------

CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, size_t bytes,
                               CUmemLocation location, unsigned flags,
                               CUstream stream) {
  return inContext([&] {
    return cudaMemPrefetchAsync(pointerOf(address), bytes,
                                *sameLayout<cudaMemLocation>(&location), flags,
                                stream);
  });
}

CUresult cuMemAdvise_v2(CUdeviceptr address, size_t bytes, CUmem_advise advice,
                        CUmemLocation location) {
  return inContext([&] {
    return cudaMemAdvise(pointerOf(address), bytes,
                         static_cast<cudaMemoryAdvise>(advice),
                         *sameLayout<cudaMemLocation>(&location));
  });
}

/// How the forms of CUDA 12 name a place.
static CUmemLocation locationOf(CUdevice device) {
  CUmemLocation location{};
  location.type = device == CU_DEVICE_CPU ? CU_MEM_LOCATION_TYPE_HOST
                                          : CU_MEM_LOCATION_TYPE_DEVICE;
  location.id = device == CU_DEVICE_CPU ? 0 : device;
  return location;
}

CUresult prefetchOf12(CUdeviceptr address, size_t bytes, CUdevice device,
                      CUstream stream) __asm__("cuMemPrefetchAsync");
CUresult prefetchOf12(CUdeviceptr address, size_t bytes, CUdevice device,
                      CUstream stream) {
  return cuMemPrefetchAsync_v2(address, bytes, locationOf(device), 0, stream);
}

CUresult adviseOf12(CUdeviceptr address, size_t bytes, CUmem_advise advice,
                    CUdevice device) __asm__("cuMemAdvise");
CUresult adviseOf12(CUdeviceptr address, size_t bytes, CUmem_advise advice,
                    CUdevice device) {
  return cuMemAdvise_v2(address, bytes, advice, locationOf(device));
}

CUresult cuMemRangeGetAttribute(void *data, size_t size,
                                CUmem_range_attribute attribute,
                                CUdeviceptr address, size_t bytes) {
  return inContext([&] {
    return cudaMemRangeGetAttribute(
        data, size, static_cast<cudaMemRangeAttribute>(attribute),
        pointerOf(address), bytes);
  });
}

CUresult cuMemRangeGetAttributes(void **data, size_t *sizes,
                                 CUmem_range_attribute *attributes,
                                 size_t count, CUdeviceptr address,
                                 size_t bytes) {
  return inContext([&] {
    return cudaMemRangeGetAttributes(
        data, sizes, sameLayout<cudaMemRangeAttribute>(attributes), count,
        pointerOf(address), bytes);
  });
}

CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr address,
                                size_t bytes, unsigned flags) {
  return inContext([&] {
    return cudaStreamAttachMemAsync(stream, pointerOf(address), bytes, flags);
  });
}

// Stream-ordered memory ------------------------------------------------------

CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream) {
  return inContext(
      [&] { return cudaMallocAsync(pointerOf(address), bytes, stream); });
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t bytes,
                                 CUmemoryPool pool, CUstream stream) {
  return inContext([&] {
    return cudaMallocFromPoolAsync(pointerOf(address), bytes, pool, stream);
  });
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  return inContext([&] { return cudaFreeAsync(pointerOf(address), stream); });
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *properties) {
  return inDriver([&] {
    return cudaMemPoolCreate(pool,
                             sameLayout<const cudaMemPoolProps>(properties));
  });
}

CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  return inDriver([&] { return cudaMemPoolDestroy(pool); });
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t bytes) {
  return inDriver([&] { return cudaMemPoolTrimTo(pool, bytes); });
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute,
                               void *value) {
  return inDriver([&] {
    return cudaMemPoolSetAttribute(
        pool, static_cast<cudaMemPoolAttr>(attribute), value);
  });
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute,
                               void *value) {
  return inDriver([&] {
    return cudaMemPoolGetAttribute(
        pool, static_cast<cudaMemPoolAttr>(attribute), value);
  });
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *list,
                            size_t count) {
  return inDriver([&] {
    return cudaMemPoolSetAccess(pool, sameLayout<const cudaMemAccessDesc>(list),
                                count);
  });
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool pool,
                            CUmemLocation *location) {
  return inDriver([&] {
    return cudaMemPoolGetAccess(sameLayout<cudaMemAccessFlags>(flags), pool,
                                sameLayout<cudaMemLocation>(location));
  });
}

} // extern "C"
