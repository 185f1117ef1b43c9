//===- ApiCopy.cpp - Entry points: copies and fills -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every copy becomes a cudaMemcpy3DParms, so that capture, graphs and direct
// execution share one path (Operation.cpp).
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/Array.h"
#include "emulator/runtime/Operation.h"
#include "emulator/runtime/Runtime.h"

using namespace gpulto::emu;

namespace {

/// The stream of a call and how much the call waits for.
struct Target {
  cudaStream_t stream = nullptr;
  Call call = Call::Asynchronous;
};

constexpr Target kSynchronous{nullptr, Call::Synchronous};

cudaError_t submitCopy(Runtime &runtime, const cudaMemcpy3DParms &params,
                       const Target &target) {
  if (cudaError_t error = validateCopy(runtime, params))
    return error;
  return submit(runtime, target.stream, CopyOp{params}, target.call);
}

cudaError_t copyLinear(void *to, const void *from, size_t count,
                       cudaMemcpyKind kind, const Target &target) {
  return enter([&](Runtime &runtime) {
    return submitCopy(runtime, makeLinearCopy(to, from, count, kind).params,
                      target);
  });
}

cudaError_t copy2D(void *to, size_t toPitch, const void *from, size_t fromPitch,
                   size_t width, size_t height, cudaMemcpyKind kind,
                   const Target &target) {
  return enter([&](Runtime &runtime) -> cudaError_t {
    if (width > toPitch || width > fromPitch)
      return cudaErrorInvalidPitchValue;
    cudaMemcpy3DParms params{};
    params.srcPtr = {const_cast<void *>(from), fromPitch, width, height};
    params.dstPtr = {to, toPitch, width, height};
    params.extent = {width, height, 1};
    params.kind = kind;
    return submitCopy(runtime, params, target);
  });
}

/// A region of an array and a pitched area; widths and offsets in bytes, as
/// the 2D array forms count them.
struct ArrayRegion {
  cudaArray_const_t array;
  size_t xBytes, y;
};

/// Sets one side of \p params to an array. False when the bytes do not fall on
/// elements.
bool setArray(const ArrayRegion &region, size_t widthBytes,
              cudaArray_t &arraySlot, cudaPos &position, size_t &width) {
  Array *array = findArray(region.array);
  if (!array || region.xBytes % array->elementBytes ||
      widthBytes % array->elementBytes)
    return false;
  arraySlot = const_cast<cudaArray_t>(region.array);
  position = {region.xBytes / array->elementBytes, region.y, 0};
  width = widthBytes / array->elementBytes;
  return true;
}

cudaError_t copyToArray(const ArrayRegion &to, const void *from,
                        size_t fromPitch, size_t width, size_t height,
                        cudaMemcpyKind kind, const Target &target) {
  return enter([&](Runtime &runtime) -> cudaError_t {
    cudaMemcpy3DParms params{};
    size_t elements = 0;
    if (!setArray(to, width, params.dstArray, params.dstPos, elements))
      return cudaErrorInvalidValue;
    params.srcPtr = {const_cast<void *>(from), fromPitch, width, height};
    params.extent = {elements, height, 1};
    params.kind = kind;
    return submitCopy(runtime, params, target);
  });
}

cudaError_t copyFromArray(void *to, size_t toPitch, const ArrayRegion &from,
                          size_t width, size_t height, cudaMemcpyKind kind,
                          const Target &target) {
  return enter([&](Runtime &runtime) -> cudaError_t {
    cudaMemcpy3DParms params{};
    size_t elements = 0;
    if (!setArray(from, width, params.srcArray, params.srcPos, elements))
      return cudaErrorInvalidValue;
    params.dstPtr = {to, toPitch, width, height};
    params.extent = {elements, height, 1};
    params.kind = kind;
    return submitCopy(runtime, params, target);
  });
}

cudaError_t copySymbol(const void *symbol, size_t offset, size_t count,
                       void *to, const void *from, cudaMemcpyKind kind,
                       const Target &target) {
  return enter([&](Runtime &runtime) -> cudaError_t {
    VariableInfo info;
    if (cudaError_t error =
            runtime.registry.findVariable(runtime, symbol, info))
      return error;
    if (offset > info.sizeBytes || count > info.sizeBytes - offset)
      return cudaErrorInvalidValue;
    void *address = reinterpret_cast<void *>(info.address + offset);
    CopyOp op = to ? makeLinearCopy(to, address, count, kind)
                   : makeLinearCopy(address, from, count, kind);
    return submitCopy(runtime, op.params, target);
  });
}

cudaError_t fill(void *pointer, size_t pitch, int value, size_t width,
                 size_t height, size_t depth, size_t slicePitch,
                 const Target &target) {
  return enter([&](Runtime &runtime) {
    FillOp op;
    op.params.dst = pointer;
    op.params.pitch = pitch;
    op.params.value = static_cast<uint8_t>(value);
    op.params.elementSize = 1;
    op.params.width = width;
    op.params.height = height;
    op.depth = depth;
    op.slicePitch = slicePitch;
    return submit(runtime, target.stream, op, target.call);
  });
}

cudaError_t fill3D(const cudaPitchedPtr &pitched, int value,
                   const cudaExtent &extent, const Target &target) {
  return fill(pitched.ptr, pitched.pitch, value, extent.width, extent.height,
              extent.depth, pitched.pitch * pitched.ysize, target);
}

/// Checks that \p pointer is one of \p device, or of memory of all devices.
cudaError_t checkOnDevice(Runtime &runtime, const void *pointer, int device) {
  if (!runtime.isDevice(device))
    return cudaErrorInvalidDevice;
  Allocation allocation;
  if (runtime.device()->findAllocation(reinterpret_cast<uint64_t>(pointer),
                                       allocation) &&
      !isForAllDevices(allocation.kind) &&
      allocation.device != static_cast<unsigned>(device))
    return cudaErrorInvalidValue;
  return cudaSuccess;
}

cudaMemcpy3DParms fromPeerParams(const cudaMemcpy3DPeerParms &peer) {
  cudaMemcpy3DParms params{};
  params.srcArray = peer.srcArray;
  params.srcPos = peer.srcPos;
  params.srcPtr = peer.srcPtr;
  params.dstArray = peer.dstArray;
  params.dstPos = peer.dstPos;
  params.dstPtr = peer.dstPtr;
  params.extent = peer.extent;
  params.kind = cudaMemcpyDefault;
  return params;
}

cudaError_t copyPeer(void *to, int toDevice, const void *from, int fromDevice,
                     size_t count, const Target &target) {
  return enter([&](Runtime &runtime) -> cudaError_t {
    if (cudaError_t error = checkOnDevice(runtime, to, toDevice))
      return error;
    if (cudaError_t error = checkOnDevice(runtime, from, fromDevice))
      return error;
    return submitCopy(runtime,
                      makeLinearCopy(to, from, count, cudaMemcpyDefault).params,
                      target);
  });
}

cudaError_t copy3D(const cudaMemcpy3DParms *params, const Target &target) {
  return enter([&](Runtime &runtime) {
    return params ? submitCopy(runtime, *params, target)
                  : cudaErrorInvalidValue;
  });
}

cudaError_t copy3DPeer(const cudaMemcpy3DPeerParms *params,
                       const Target &target) {
  return enter([&](Runtime &runtime) -> cudaError_t {
    if (!params)
      return cudaErrorInvalidValue;
    if (!runtime.isDevice(params->srcDevice) ||
        !runtime.isDevice(params->dstDevice))
      return cudaErrorInvalidDevice;
    return submitCopy(runtime, fromPeerParams(*params), target);
  });
}

/// The old forms wrap over rows; whole rows from the start are one box.
bool isWholeRows(const Array *array, size_t xBytes, size_t count) {
  return array && xBytes == 0 && count > array->rowBytes() &&
         count % array->rowBytes() == 0;
}

cudaError_t copyBytesToArray(const ArrayRegion &to, const void *from,
                             size_t count, bool mayWrap, cudaMemcpyKind kind,
                             const Target &target) {
  const Array *array = findArray(to.array);
  if (mayWrap && isWholeRows(array, to.xBytes, count))
    return copyToArray(to, from, array->rowBytes(), array->rowBytes(),
                       count / array->rowBytes(), kind, target);
  return copyToArray(to, from, count, count, 1, kind, target);
}

cudaError_t copyBytesFromArray(void *to, const ArrayRegion &from, size_t count,
                               cudaMemcpyKind kind, const Target &target) {
  const Array *array = findArray(from.array);
  if (isWholeRows(array, from.xBytes, count))
    return copyFromArray(to, array->rowBytes(), from, array->rowBytes(),
                         count / array->rowBytes(), kind, target);
  return copyFromArray(to, count, from, count, 1, kind, target);
}

} // namespace

extern "C" {

// Consecutive bytes ----------------------------------------------------------

cudaError_t cudaMemcpy(void *to, const void *from, size_t count,
                       cudaMemcpyKind kind) {
  return copyLinear(to, from, count, kind, kSynchronous);
}
GPULTO_EMU_PER_THREAD(cudaMemcpy_ptds, cudaMemcpy);

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t count,
                            cudaMemcpyKind kind, cudaStream_t stream) {
  return copyLinear(to, from, count, kind, {stream});
}
GPULTO_EMU_PER_THREAD(cudaMemcpyAsync_ptsz, cudaMemcpyAsync);

cudaError_t cudaMemcpyPeer(void *to, int toDevice, const void *from,
                           int fromDevice, size_t count) {
  return copyPeer(to, toDevice, from, fromDevice, count, kSynchronous);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int toDevice, const void *from,
                                int fromDevice, size_t count,
                                cudaStream_t stream) {
  return copyPeer(to, toDevice, from, fromDevice, count, {stream});
}

cudaError_t cudaMemcpyBatchAsync(void *const *to, const void *const *from,
                                 const size_t *sizes, size_t count,
                                 cudaMemcpyAttributes *, size_t *, size_t,
                                 cudaStream_t stream) {
  for (size_t i = 0; i < count; ++i)
    if (cudaError_t error =
            copyLinear(to[i], from[i], sizes[i], cudaMemcpyDefault, {stream}))
      return error;
  return cudaSuccess;
}
GPULTO_EMU_PER_THREAD(cudaMemcpyBatchAsync_ptsz, cudaMemcpyBatchAsync);

// Rows and boxes -------------------------------------------------------------

cudaError_t cudaMemcpy2D(void *to, size_t toPitch, const void *from,
                         size_t fromPitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
  return copy2D(to, toPitch, from, fromPitch, width, height, kind,
                kSynchronous);
}
GPULTO_EMU_PER_THREAD(cudaMemcpy2D_ptds, cudaMemcpy2D);

cudaError_t cudaMemcpy2DAsync(void *to, size_t toPitch, const void *from,
                              size_t fromPitch, size_t width, size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  return copy2D(to, toPitch, from, fromPitch, width, height, kind, {stream});
}
GPULTO_EMU_PER_THREAD(cudaMemcpy2DAsync_ptsz, cudaMemcpy2DAsync);

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *params,
                              cudaStream_t stream) {
  return copy3D(params, {stream});
}
GPULTO_EMU_PER_THREAD(cudaMemcpy3DAsync_ptsz, cudaMemcpy3DAsync);

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *params) {
  return copy3D(params, kSynchronous);
}
GPULTO_EMU_PER_THREAD(cudaMemcpy3D_ptds, cudaMemcpy3D);

cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms *params,
                                  cudaStream_t stream) {
  return copy3DPeer(params, {stream});
}
GPULTO_EMU_PER_THREAD(cudaMemcpy3DPeerAsync_ptsz, cudaMemcpy3DPeerAsync);

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms *params) {
  return copy3DPeer(params, kSynchronous);
}
GPULTO_EMU_PER_THREAD(cudaMemcpy3DPeer_ptds, cudaMemcpy3DPeer);

// Arrays ---------------------------------------------------------------------

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t xBytes, size_t y,
                                     const void *from, size_t fromPitch,
                                     size_t width, size_t height,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  return copyToArray({to, xBytes, y}, from, fromPitch, width, height, kind,
                     {stream});
}
GPULTO_EMU_PER_THREAD(cudaMemcpy2DToArrayAsync_ptsz, cudaMemcpy2DToArrayAsync);

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t xBytes, size_t y,
                                const void *from, size_t fromPitch,
                                size_t width, size_t height,
                                cudaMemcpyKind kind) {
  return copyToArray({to, xBytes, y}, from, fromPitch, width, height, kind,
                     kSynchronous);
}
GPULTO_EMU_PER_THREAD(cudaMemcpy2DToArray_ptds, cudaMemcpy2DToArray);

cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t toPitch,
                                       cudaArray_const_t from, size_t xBytes,
                                       size_t y, size_t width, size_t height,
                                       cudaMemcpyKind kind,
                                       cudaStream_t stream) {
  return copyFromArray(to, toPitch, {from, xBytes, y}, width, height, kind,
                       {stream});
}
GPULTO_EMU_PER_THREAD(cudaMemcpy2DFromArrayAsync_ptsz,
                      cudaMemcpy2DFromArrayAsync);

cudaError_t cudaMemcpy2DFromArray(void *to, size_t toPitch,
                                  cudaArray_const_t from, size_t xBytes,
                                  size_t y, size_t width, size_t height,
                                  cudaMemcpyKind kind) {
  return copyFromArray(to, toPitch, {from, xBytes, y}, width, height, kind,
                       kSynchronous);
}
GPULTO_EMU_PER_THREAD(cudaMemcpy2DFromArray_ptds, cudaMemcpy2DFromArray);

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t toXBytes,
                                     size_t toY, cudaArray_const_t from,
                                     size_t fromXBytes, size_t fromY,
                                     size_t width, size_t height,
                                     cudaMemcpyKind kind) {
  return enter([&](Runtime &runtime) -> cudaError_t {
    cudaMemcpy3DParms params{};
    size_t elements = 0;
    if (!setArray({from, fromXBytes, fromY}, width, params.srcArray,
                  params.srcPos, elements) ||
        !setArray({to, toXBytes, toY}, width, params.dstArray, params.dstPos,
                  elements))
      return cudaErrorInvalidValue;
    params.extent = {elements, height, 1};
    params.kind = kind;
    return submitCopy(runtime, params, kSynchronous);
  });
}
GPULTO_EMU_PER_THREAD(cudaMemcpy2DArrayToArray_ptds, cudaMemcpy2DArrayToArray);

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t xBytes, size_t y,
                                   const void *from, size_t count,
                                   cudaMemcpyKind kind, cudaStream_t stream) {
  return copyBytesToArray({to, xBytes, y}, from, count, false, kind, {stream});
}
GPULTO_EMU_PER_THREAD(cudaMemcpyToArrayAsync_ptsz, cudaMemcpyToArrayAsync);

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t xBytes, size_t y,
                              const void *from, size_t count,
                              cudaMemcpyKind kind) {
  return copyBytesToArray({to, xBytes, y}, from, count, true, kind,
                          kSynchronous);
}
GPULTO_EMU_PER_THREAD(cudaMemcpyToArray_ptds, cudaMemcpyToArray);

cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from,
                                     size_t xBytes, size_t y, size_t count,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  return copyBytesFromArray(to, {from, xBytes, y}, count, kind, {stream});
}
GPULTO_EMU_PER_THREAD(cudaMemcpyFromArrayAsync_ptsz, cudaMemcpyFromArrayAsync);

cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t xBytes,
                                size_t y, size_t count, cudaMemcpyKind kind) {
  return copyBytesFromArray(to, {from, xBytes, y}, count, kind, kSynchronous);
}
GPULTO_EMU_PER_THREAD(cudaMemcpyFromArray_ptds, cudaMemcpyFromArray);

// Variables ------------------------------------------------------------------

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from,
                                    size_t count, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  if (!from)
    return recordError(cudaErrorInvalidValue);
  return copySymbol(symbol, offset, count, nullptr, from, kind, {stream});
}
GPULTO_EMU_PER_THREAD(cudaMemcpyToSymbolAsync_ptsz, cudaMemcpyToSymbolAsync);

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from,
                               size_t count, size_t offset,
                               cudaMemcpyKind kind) {
  if (!from)
    return recordError(cudaErrorInvalidValue);
  return copySymbol(symbol, offset, count, nullptr, from, kind, kSynchronous);
}
GPULTO_EMU_PER_THREAD(cudaMemcpyToSymbol_ptds, cudaMemcpyToSymbol);

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol,
                                      size_t count, size_t offset,
                                      cudaMemcpyKind kind,
                                      cudaStream_t stream) {
  if (!to)
    return recordError(cudaErrorInvalidValue);
  return copySymbol(symbol, offset, count, to, nullptr, kind, {stream});
}
GPULTO_EMU_PER_THREAD(cudaMemcpyFromSymbolAsync_ptsz,
                      cudaMemcpyFromSymbolAsync);

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t count,
                                 size_t offset, cudaMemcpyKind kind) {
  if (!to)
    return recordError(cudaErrorInvalidValue);
  return copySymbol(symbol, offset, count, to, nullptr, kind, kSynchronous);
}
GPULTO_EMU_PER_THREAD(cudaMemcpyFromSymbol_ptds, cudaMemcpyFromSymbol);

cudaError_t cudaGetSymbolAddress(void **address, const void *symbol) {
  return enter([&](Runtime &runtime) -> cudaError_t {
    VariableInfo info;
    if (!address)
      return cudaErrorInvalidValue;
    if (cudaError_t error =
            runtime.registry.findVariable(runtime, symbol, info))
      return error;
    *address = reinterpret_cast<void *>(info.address);
    return cudaSuccess;
  });
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol) {
  return enter([&](Runtime &runtime) -> cudaError_t {
    VariableInfo info;
    if (!size)
      return cudaErrorInvalidValue;
    if (cudaError_t error =
            runtime.registry.findVariable(runtime, symbol, info))
      return error;
    *size = info.sizeBytes;
    return cudaSuccess;
  });
}

// Fills ----------------------------------------------------------------------

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t count,
                            cudaStream_t stream) {
  return fill(pointer, count, value, count, 1, 1, 0, {stream});
}
GPULTO_EMU_PER_THREAD(cudaMemsetAsync_ptsz, cudaMemsetAsync);

cudaError_t cudaMemset(void *pointer, int value, size_t count) {
  return fill(pointer, count, value, count, 1, 1, 0, kSynchronous);
}
GPULTO_EMU_PER_THREAD(cudaMemset_ptds, cudaMemset);

cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value,
                              size_t width, size_t height,
                              cudaStream_t stream) {
  return fill(pointer, pitch, value, width, height, 1, 0, {stream});
}
GPULTO_EMU_PER_THREAD(cudaMemset2DAsync_ptsz, cudaMemset2DAsync);

cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width,
                         size_t height) {
  return fill(pointer, pitch, value, width, height, 1, 0, kSynchronous);
}
GPULTO_EMU_PER_THREAD(cudaMemset2D_ptds, cudaMemset2D);

cudaError_t cudaMemset3DAsync(cudaPitchedPtr pitched, int value,
                              cudaExtent extent, cudaStream_t stream) {
  return fill3D(pitched, value, extent, {stream});
}
GPULTO_EMU_PER_THREAD(cudaMemset3DAsync_ptsz, cudaMemset3DAsync);

cudaError_t cudaMemset3D(cudaPitchedPtr pitched, int value, cudaExtent extent) {
  return fill3D(pitched, value, extent, kSynchronous);
}
GPULTO_EMU_PER_THREAD(cudaMemset3D_ptds, cudaMemset3D);

} // extern "C"
