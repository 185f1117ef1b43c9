//===- DriverVirtual.cpp - Driver API: virtual memory management ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reserved addresses, memory without an address, and the mapping of one to the
// other. Memory is a file of the system, so it can be mapped at several places;
// nothing of this belongs to a context.
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/Deferred.h"
#include "emulator/runtime/Driver.h"

#include <algorithm>

using namespace gpulto::emu;

namespace {

/// What sizes, offsets and addresses are multiples of, as on an H100.
constexpr size_t kGranularityBytes = size_t(2) << 20;

bool isGranular(uint64_t number) { return number % kGranularityBytes == 0; }

/// The object behind CUmemGenericAllocationHandle.
struct MemoryHandle {
  std::shared_ptr<PhysicalMemory> physical;
  CUmemAllocationProp properties{};
  size_t sizeBytes = 0;
  unsigned references = 1;
};

/// What is mapped at an address.
struct Mapping {
  size_t sizeBytes = 0;
  std::shared_ptr<MemoryHandle> handle;
  DeviceSet access = 0;
};

/// All of the process; guarded by the runtime's mutex.
struct VirtualMemory {
  std::map<CUmemGenericAllocationHandle, std::shared_ptr<MemoryHandle>> handles;
  std::map<CUdeviceptr, Mapping> mappings;
};

VirtualMemory &virtualMemory() {
  static auto *all = new VirtualMemory; // never destroyed, as the Runtime
  return *all;
}

std::shared_ptr<MemoryHandle> findHandle(CUmemGenericAllocationHandle handle) {
  auto found = virtualMemory().handles.find(handle);
  return found == virtualMemory().handles.end() ? nullptr : found->second;
}

/// Returns the mapping that holds \p address; the end of all when there is
/// none.
auto findMapping(CUdeviceptr address) {
  auto &mappings = virtualMemory().mappings;
  auto next = mappings.upper_bound(address);
  if (next == mappings.begin())
    return mappings.end();
  --next;
  return address - next->first < next->second.sizeBytes ? next : mappings.end();
}

/// Checks properties of memory that this has; says what it has not.
CUresult checkProperties(const Runtime &runtime,
                         const CUmemAllocationProp *properties) {
  if (!properties || properties->type != CU_MEM_ALLOCATION_TYPE_PINNED)
    return CUDA_ERROR_INVALID_VALUE;
  if (properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
    return driverNotSupported("cuMemCreate for memory of the host");
  if (!runtime.isDevice(properties->location.id))
    return CUDA_ERROR_INVALID_DEVICE;
  if (properties->requestedHandleTypes != CU_MEM_HANDLE_TYPE_NONE)
    return driverNotSupported("cuMemCreate with a shareable handle");
  return CUDA_SUCCESS;
}

/// Returns the devices that may use a mapping after \p list was applied.
CUresult applyAccess(const Runtime &runtime, const CUmemAccessDesc *list,
                     size_t count, DeviceSet &access) {
  for (size_t i = 0; i < count; ++i) {
    const CUmemLocation &location = list[i].location;
    if (location.type != CU_MEM_LOCATION_TYPE_DEVICE)
      return CUDA_ERROR_INVALID_VALUE;
    if (!runtime.isDevice(location.id))
      return CUDA_ERROR_INVALID_DEVICE;
    DeviceSet bit = DeviceSet(1) << location.id;
    if (list[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
      access |= bit;
    else if (list[i].flags == CU_MEM_ACCESS_FLAGS_PROT_NONE)
      access &= ~bit;
    else
      return driverNotSupported("cuMemSetAccess for reading alone");
  }
  return CUDA_SUCCESS;
}

/// Runs \p body on every mapping of a range, which must consist of whole ones.
template <typename Body>
CUresult forMappings(CUdeviceptr address, size_t bytes, Body body) {
  auto &mappings = virtualMemory().mappings;
  CUdeviceptr end = address + bytes;
  for (CUdeviceptr at = address; at < end;) {
    auto found = mappings.find(at);
    if (found == mappings.end() || found->second.sizeBytes > end - at)
      return CUDA_ERROR_INVALID_VALUE;
    at += found->second.sizeBytes;
  }
  for (CUdeviceptr at = address; at < end;) {
    auto found = mappings.find(at);
    at += found->second.sizeBytes;
    if (CUresult result = body(found->first, found->second))
      return result;
  }
  return CUDA_SUCCESS;
}

template <typename Body> CUresult withMemory(Body body) {
  return inDriver([&] { return locked(body); });
}

} // namespace

extern "C" {

// Addresses ------------------------------------------------------------------

CUresult cuMemAddressReserve(CUdeviceptr *address, size_t bytes, size_t align,
                             CUdeviceptr, unsigned long long flags) {
  return withMemory([&](Runtime &runtime) {
    bool isPower = (align & (align - 1)) == 0;
    if (!address || !bytes || !isGranular(bytes) || !isPower || flags)
      return CUDA_ERROR_INVALID_VALUE;
    // The address that the program would like is a hint.
    uint64_t found = runtime.devices[0].device->reserveAddresses(
        bytes, std::max(align, kGranularityBytes));
    if (!found)
      return CUDA_ERROR_OUT_OF_MEMORY;
    *address = found;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes) {
  return withMemory([&](Runtime &runtime) {
    return report(runtime.devices[0].device->freeAddresses(address, bytes));
  });
}

// Memory ---------------------------------------------------------------------

CUresult cuMemGetAllocationGranularity(size_t *bytes,
                                       const CUmemAllocationProp *properties,
                                       CUmemAllocationGranularity_flags) {
  return withMemory([&](Runtime &runtime) -> CUresult {
    if (!bytes)
      return CUDA_ERROR_INVALID_VALUE;
    if (CUresult result = checkProperties(runtime, properties))
      return result;
    *bytes = kGranularityBytes;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *result, size_t bytes,
                     const CUmemAllocationProp *properties,
                     unsigned long long flags) {
  return withMemory([&](Runtime &runtime) -> CUresult {
    if (!result || !bytes || !isGranular(bytes) || flags)
      return CUDA_ERROR_INVALID_VALUE;
    if (CUresult error = checkProperties(runtime, properties))
      return error;
    auto handle = std::make_shared<MemoryHandle>();
    handle->physical =
        runtime.devices[properties->location.id].device->createPhysical(bytes);
    if (!handle->physical)
      return CUDA_ERROR_OUT_OF_MEMORY;
    handle->properties = *properties;
    handle->sizeBytes = bytes;
    *result = reinterpret_cast<CUmemGenericAllocationHandle>(handle.get());
    virtualMemory().handles[*result] = std::move(handle);
    return CUDA_SUCCESS;
  });
}

/// What is mapped stays until it is unmapped.
CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return withMemory([&](Runtime &) {
    std::shared_ptr<MemoryHandle> memory = findHandle(handle);
    if (!memory)
      return CUDA_ERROR_INVALID_VALUE;
    if (--memory->references == 0)
      virtualMemory().handles.erase(handle);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *result,
                                     void *pointer) {
  return withMemory([&](Runtime &) {
    auto found = findMapping(reinterpret_cast<CUdeviceptr>(pointer));
    if (!result || found == virtualMemory().mappings.end())
      return CUDA_ERROR_INVALID_VALUE;
    std::shared_ptr<MemoryHandle> memory = found->second.handle;
    *result = reinterpret_cast<CUmemGenericAllocationHandle>(memory.get());
    // It may have been released since.
    bool isNew = virtualMemory().handles.emplace(*result, memory).second;
    memory->references = isNew ? 1 : memory->references + 1;
    return CUDA_SUCCESS;
  });
}

CUresult
cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *properties,
                                       CUmemGenericAllocationHandle handle) {
  return withMemory([&](Runtime &) {
    std::shared_ptr<MemoryHandle> memory = findHandle(handle);
    if (!properties || !memory)
      return CUDA_ERROR_INVALID_VALUE;
    *properties = memory->properties;
    return CUDA_SUCCESS;
  });
}

// Mapping --------------------------------------------------------------------

CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset,
                  CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
  return withMemory([&](Runtime &runtime) -> CUresult {
    std::shared_ptr<MemoryHandle> memory = findHandle(handle);
    if (!memory || flags || !isGranular(address) || !isGranular(bytes) ||
        !isGranular(offset))
      return CUDA_ERROR_INVALID_VALUE;
    Status status = runtime.devices[0].device->map(address, bytes, offset,
                                                   memory->physical);
    if (!status.ok())
      return toResult(report(status));
    virtualMemory().mappings[address] = {bytes, std::move(memory), 0};
    return CUDA_SUCCESS;
  });
}

CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
  return withMemory([&](Runtime &runtime) {
    if (cudaError_t error = waitForDevices(runtime))
      return toResult(error);
    return forMappings(
        address, bytes, [&](CUdeviceptr at, const Mapping &mapping) {
          CUresult result = toResult(
              report(runtime.devices[0].device->unmap(at, mapping.sizeBytes)));
          virtualMemory().mappings.erase(at);
          return result;
        });
  });
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes,
                        const CUmemAccessDesc *list, size_t count) {
  return withMemory([&](Runtime &runtime) -> CUresult {
    if (!list || !count || !bytes)
      return CUDA_ERROR_INVALID_VALUE;
    return forMappings(
        address, bytes, [&](CUdeviceptr at, Mapping &mapping) -> CUresult {
          DeviceSet access = mapping.access;
          if (CUresult result = applyAccess(runtime, list, count, access))
            return result;
          mapping.access = access;
          // No device is not the same as no list, which goes by peers.
          runtime.devices[0].device->setPoolAccess(at,
                                                   access ? access : kNoDevice);
          return CUDA_SUCCESS;
        });
  });
}

CUresult cuMemGetAccess(unsigned long long *flags,
                        const CUmemLocation *location, CUdeviceptr address) {
  return withMemory([&](Runtime &runtime) {
    auto found = findMapping(address);
    if (!flags || !location || found == virtualMemory().mappings.end() ||
        location->type != CU_MEM_LOCATION_TYPE_DEVICE ||
        !runtime.isDevice(location->id))
      return CUDA_ERROR_INVALID_VALUE;
    *flags = found->second.access >> location->id & 1
                 ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
                 : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return CUDA_SUCCESS;
  });
}

} // extern "C"
