//===- ApiArray.cpp - Entry points: CUDA arrays ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/Array.h"
#include "emulator/runtime/Deferred.h"
#include "emulator/runtime/Runtime.h"
#include "emulator/runtime/TransferLog.h"

using namespace gpulto::emu;

namespace {

cudaError_t makeArray(Runtime &runtime, cudaArray_t *result,
                      const cudaChannelFormatDesc *format, cudaExtent extent,
                      unsigned flags) {
  if (!result || !format || extent.width == 0)
    return cudaErrorInvalidValue;
  if (flags & (cudaArraySparse | cudaArrayDeferredMapping))
    return notSupported("a sparse array or one without memory");
  size_t bits = format->x + format->y + format->z + format->w;
  if (bits == 0 || bits % 8)
    return cudaErrorInvalidChannelDescriptor;
  auto array = std::make_unique<Array>();
  array->format = *format;
  array->extent = extent;
  array->flags = flags;
  array->elementBytes = bits / 8;
  size_t bytes = array->rowBytes() * array->rows() * array->slices();
  array->address = runtime.device()->allocate(bytes, AllocationKind::Device);
  if (runtime.transfers)
    runtime.transfers->allocated(array->address, bytes, AllocationKind::Device);
  if (!array->address)
    return cudaErrorMemoryAllocation;
  runtime.allocations[array->address] = {AllocationKind::Device,
                                         threadState().device};
  *result = reinterpret_cast<cudaArray_t>(array.get());
  const void *key = array.get();
  arrays()[key] = std::move(array);
  return cudaSuccess;
}

} // namespace

extern "C" {

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                            cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

cudaError_t cudaMallocArray(cudaArray_t *array,
                            const cudaChannelFormatDesc *format, size_t width,
                            size_t height, unsigned flags) {
  return enter([&](Runtime &runtime) {
    return makeArray(runtime, array, format, {width, height, 0}, flags);
  });
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array,
                              const cudaChannelFormatDesc *format,
                              cudaExtent extent, unsigned flags) {
  return enter([&](Runtime &runtime) {
    return makeArray(runtime, array, format, extent, flags);
  });
}

cudaError_t cudaFreeArray(cudaArray_t handle) {
  return enter([&](Runtime &runtime) -> cudaError_t {
    if (!handle)
      return cudaSuccess;
    Array *array = findArray(handle);
    if (!array)
      return cudaErrorInvalidResourceHandle;
    if (cudaError_t error = waitForDevices(runtime))
      return error;
    Status status =
        runtime.device()->free(array->address, AllocationKind::Device);
    runtime.allocations.erase(array->address);
    arrays().erase(handle);
    return report(status);
  });
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *format, cudaExtent *extent,
                             unsigned *flags, cudaArray_t handle) {
  return enter([&](Runtime &) {
    Array *array = findArray(handle);
    if (!array)
      return cudaErrorInvalidResourceHandle;
    if (format)
      *format = array->format;
    if (extent)
      *extent = array->extent;
    if (flags)
      *flags = array->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *format,
                               cudaArray_const_t handle) {
  return cudaArrayGetInfo(format, nullptr, nullptr,
                          const_cast<cudaArray_t>(handle));
}

} // extern "C"
