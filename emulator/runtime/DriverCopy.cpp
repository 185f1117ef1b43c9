//===- DriverCopy.cpp - Driver API: copies and fills ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/DriverCopy.h"

#include "emulator/runtime/Array.h"
#include "emulator/runtime/Operation.h"

#include <optional>

using namespace gpulto::emu;

namespace {

/// One side of a copy, with the driver's words for both dimensions.
struct Side {
  CUmemorytype type;
  void *host;
  CUdeviceptr device;
  CUarray array;
  size_t xBytes, y, z, pitch, height;
};

/// Fills in one side; \p elementBytes is that of the arrays that take part, or
/// 1.
cudaError_t setSide(const Side &side, size_t elementBytes, size_t widthBytes,
                    size_t rows, cudaArray_t &array, cudaPos &position,
                    cudaPitchedPtr &pitched) {
  if (side.xBytes % elementBytes)
    return cudaErrorInvalidValue;
  position = {side.xBytes / elementBytes, side.y, side.z};
  switch (side.type) {
  case CU_MEMORYTYPE_ARRAY:
    array = reinterpret_cast<cudaArray_t>(side.array);
    return array ? cudaSuccess : cudaErrorInvalidValue;
  case CU_MEMORYTYPE_HOST:
    pitched.ptr = side.host;
    break;
  case CU_MEMORYTYPE_DEVICE:
  case CU_MEMORYTYPE_UNIFIED:
    pitched.ptr = pointerOf(side.device);
    break;
  default:
    return cudaErrorInvalidValue;
  }
  // Without rows or slices the pitch need not be given.
  pitched.pitch = side.pitch ? side.pitch : side.xBytes + widthBytes;
  pitched.xsize = widthBytes;
  pitched.ysize = side.height ? side.height : side.y + rows;
  return cudaSuccess;
}

size_t elementBytesOf(const Side &side) {
  const Array *array =
      side.type == CU_MEMORYTYPE_ARRAY
          ? findArray(reinterpret_cast<cudaArray_t>(side.array))
          : nullptr;
  return array ? array->elementBytes : 0;
}

cudaMemcpyKind kindOf(CUmemorytype to, CUmemorytype from) {
  auto isHost = [](CUmemorytype type) { return type == CU_MEMORYTYPE_HOST; };
  if (to == CU_MEMORYTYPE_UNIFIED || from == CU_MEMORYTYPE_UNIFIED)
    return cudaMemcpyDefault;
  if (isHost(to))
    return isHost(from) ? cudaMemcpyHostToHost : cudaMemcpyDeviceToHost;
  return isHost(from) ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToDevice;
}

/// The copy of a box of so many bytes, rows and slices.
cudaError_t makeCopy(const Side &to, const Side &from, size_t widthBytes,
                     size_t height, size_t depth, cudaMemcpy3DParms &params) {
  size_t element = elementBytesOf(from);
  if (!element)
    element = elementBytesOf(to);
  if (!element)
    element = 1;
  if (widthBytes % element)
    return cudaErrorInvalidValue;
  params = {};
  params.extent = {widthBytes / element, height, depth};
  params.kind = kindOf(to.type, from.type);
  if (cudaError_t error =
          setSide(from, element, widthBytes, height, params.srcArray,
                  params.srcPos, params.srcPtr))
    return error;
  return setSide(to, element, widthBytes, height, params.dstArray,
                 params.dstPos, params.dstPtr);
}

template <typename Copy>
cudaError_t make3D(const Copy &copy, cudaMemcpy3DParms &params) {
  return makeCopy({copy.dstMemoryType, copy.dstHost, copy.dstDevice,
                   copy.dstArray, copy.dstXInBytes, copy.dstY, copy.dstZ,
                   copy.dstPitch, copy.dstHeight},
                  {copy.srcMemoryType, const_cast<void *>(copy.srcHost),
                   copy.srcDevice, copy.srcArray, copy.srcXInBytes, copy.srcY,
                   copy.srcZ, copy.srcPitch, copy.srcHeight},
                  copy.WidthInBytes, copy.Height, copy.Depth, params);
}

cudaError_t make2D(const CUDA_MEMCPY2D &copy, cudaMemcpy3DParms &params) {
  return makeCopy(
      {copy.dstMemoryType, copy.dstHost, copy.dstDevice, copy.dstArray,
       copy.dstXInBytes, copy.dstY, 0, copy.dstPitch, 0},
      {copy.srcMemoryType, const_cast<void *>(copy.srcHost), copy.srcDevice,
       copy.srcArray, copy.srcXInBytes, copy.srcY, 0, copy.srcPitch, 0},
      copy.WidthInBytes, copy.Height, 1, params);
}

/// The stream of an asynchronous call; none in a synchronous one.
using Target = std::optional<CUstream>;

CUresult copyLinear(void *to, const void *from, size_t bytes,
                    cudaMemcpyKind kind, Target stream = {}) {
  return inContext([&] {
    return stream ? cudaMemcpyAsync(to, from, bytes, kind, *stream)
                  : cudaMemcpy(to, from, bytes, kind);
  });
}

CUresult copyBox(cudaError_t error, const cudaMemcpy3DParms &params,
                 Target stream = {}) {
  return inContext([&] {
    return error    ? error
           : stream ? cudaMemcpy3DAsync(&params, *stream)
                    : cudaMemcpy3D(&params);
  });
}

CUresult copy2D(const CUDA_MEMCPY2D *copy, Target stream = {}) {
  cudaMemcpy3DParms params{};
  cudaError_t error = copy ? make2D(*copy, params) : cudaErrorInvalidValue;
  return copyBox(error, params, stream);
}

template <typename Copy> CUresult copy3D(const Copy *copy, Target stream = {}) {
  cudaMemcpy3DParms params{};
  cudaError_t error = copy ? make3D(*copy, params) : cudaErrorInvalidValue;
  return copyBox(error, params, stream);
}

Side arraySide(CUarray array, size_t offset) {
  return {CU_MEMORYTYPE_ARRAY, nullptr, 0, array, offset, 0, 0, 0, 0};
}
Side hostSide(const void *pointer) {
  return {CU_MEMORYTYPE_HOST,
          const_cast<void *>(pointer),
          0,
          nullptr,
          0,
          0,
          0,
          0,
          0};
}
Side deviceSide(CUdeviceptr address) {
  return {CU_MEMORYTYPE_DEVICE, nullptr, address, nullptr, 0, 0, 0, 0, 0};
}

/// A copy of consecutive bytes of one row of an array.
CUresult copyRow(const Side &to, const Side &from, size_t bytes,
                 Target stream = {}) {
  cudaMemcpy3DParms params{};
  cudaError_t error = makeCopy(to, from, bytes, 1, 1, params);
  return copyBox(error, params, stream);
}

/// A fill with elements of 1, 2 or 4 bytes.
CUresult fill(CUdeviceptr address, size_t pitch, unsigned value,
              unsigned elementBytes, size_t width, size_t height,
              Target stream) {
  return inContext([&] {
    return enter([&](Runtime &runtime) {
      if (address % elementBytes || (height > 1 && pitch % elementBytes))
        return cudaErrorInvalidValue;
      FillOp op;
      op.params.dst = pointerOf(address);
      op.params.pitch = pitch;
      op.params.value = value;
      op.params.elementSize = elementBytes;
      op.params.width = width;
      op.params.height = height;
      return submit(runtime, stream.value_or(nullptr), op,
                    stream ? Call::Asynchronous : Call::Synchronous);
    });
  });
}

CUresult copyPeer(CUdeviceptr to, CUcontext toContext, CUdeviceptr from,
                  CUcontext fromContext, size_t bytes, Target stream = {}) {
  return inContext([&] {
    const Context *destination = findContext(toContext);
    const Context *source = findContext(fromContext);
    if (!destination || !source || !destination->isAlive || !source->isAlive)
      return CUDA_ERROR_INVALID_CONTEXT;
    int toDevice = static_cast<int>(destination->device);
    int fromDevice = static_cast<int>(source->device);
    return toResult(
        stream ? cudaMemcpyPeerAsync(pointerOf(to), toDevice, pointerOf(from),
                                     fromDevice, bytes, *stream)
               : cudaMemcpyPeer(pointerOf(to), toDevice, pointerOf(from),
                                fromDevice, bytes));
  });
}

} // namespace

cudaError_t gpulto::emu::toRuntimeCopy(const CUDA_MEMCPY3D &copy,
                                       cudaMemcpy3DParms &params) {
  return make3D(copy, params);
}

cudaError_t gpulto::emu::toDriverCopy(const cudaMemcpy3DParms &params,
                                      CUDA_MEMCPY3D &copy) {
  const Array *from = findArray(params.srcArray);
  const Array *to = findArray(params.dstArray);
  size_t element = from ? from->elementBytes : to ? to->elementBytes : 1;
  cudaMemcpyKind kind = params.kind;
  auto typeOf = [&](const Array *array, bool isHost) {
    if (array)
      return CU_MEMORYTYPE_ARRAY;
    if (kind == cudaMemcpyDefault)
      return CU_MEMORYTYPE_UNIFIED;
    return isHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
  };
  copy = {};
  copy.srcMemoryType = typeOf(from, kind == cudaMemcpyHostToDevice || !kind);
  copy.dstMemoryType = typeOf(to, kind == cudaMemcpyDeviceToHost || !kind);
  copy.srcHost = params.srcPtr.ptr;
  copy.srcDevice = reinterpret_cast<CUdeviceptr>(params.srcPtr.ptr);
  copy.srcArray = reinterpret_cast<CUarray>(params.srcArray);
  copy.srcPitch = params.srcPtr.pitch;
  copy.srcHeight = params.srcPtr.ysize;
  copy.srcXInBytes = params.srcPos.x * element;
  copy.srcY = params.srcPos.y;
  copy.srcZ = params.srcPos.z;
  copy.dstHost = params.dstPtr.ptr;
  copy.dstDevice = reinterpret_cast<CUdeviceptr>(params.dstPtr.ptr);
  copy.dstArray = reinterpret_cast<CUarray>(params.dstArray);
  copy.dstPitch = params.dstPtr.pitch;
  copy.dstHeight = params.dstPtr.ysize;
  copy.dstXInBytes = params.dstPos.x * element;
  copy.dstY = params.dstPos.y;
  copy.dstZ = params.dstPos.z;
  copy.WidthInBytes = params.extent.width * element;
  copy.Height = params.extent.height;
  copy.Depth = params.extent.depth;
  return cudaSuccess;
}

extern "C" {

// Consecutive bytes ----------------------------------------------------------

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copyLinear(pointerOf(to), pointerOf(from), bytes, cudaMemcpyDefault);
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                       CUstream stream) {
  return copyLinear(pointerOf(to), pointerOf(from), bytes, cudaMemcpyDefault,
                    stream);
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) {
  return copyLinear(pointerOf(to), from, bytes, cudaMemcpyHostToDevice);
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes,
                           CUstream stream) {
  return copyLinear(pointerOf(to), from, bytes, cudaMemcpyHostToDevice, stream);
}

CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes) {
  return copyLinear(to, pointerOf(from), bytes, cudaMemcpyDeviceToHost);
}

CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes,
                           CUstream stream) {
  return copyLinear(to, pointerOf(from), bytes, cudaMemcpyDeviceToHost, stream);
}

CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copyLinear(pointerOf(to), pointerOf(from), bytes,
                    cudaMemcpyDeviceToDevice);
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                           CUstream stream) {
  return copyLinear(pointerOf(to), pointerOf(from), bytes,
                    cudaMemcpyDeviceToDevice, stream);
}

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext toContext, CUdeviceptr from,
                      CUcontext fromContext, size_t bytes) {
  return copyPeer(to, toContext, from, fromContext, bytes);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext toContext,
                           CUdeviceptr from, CUcontext fromContext,
                           size_t bytes, CUstream stream) {
  return copyPeer(to, toContext, from, fromContext, bytes, stream);
}

// Arrays ---------------------------------------------------------------------

CUresult cuMemcpyDtoA(CUarray to, size_t offset, CUdeviceptr from,
                      size_t bytes) {
  return copyRow(arraySide(to, offset), deviceSide(from), bytes);
}

CUresult cuMemcpyAtoD(CUdeviceptr to, CUarray from, size_t offset,
                      size_t bytes) {
  return copyRow(deviceSide(to), arraySide(from, offset), bytes);
}

CUresult cuMemcpyHtoA(CUarray to, size_t offset, const void *from,
                      size_t bytes) {
  return copyRow(arraySide(to, offset), hostSide(from), bytes);
}

CUresult cuMemcpyHtoAAsync(CUarray to, size_t offset, const void *from,
                           size_t bytes, CUstream stream) {
  return copyRow(arraySide(to, offset), hostSide(from), bytes, stream);
}

CUresult cuMemcpyAtoH(void *to, CUarray from, size_t offset, size_t bytes) {
  return copyRow(hostSide(to), arraySide(from, offset), bytes);
}

CUresult cuMemcpyAtoHAsync(void *to, CUarray from, size_t offset, size_t bytes,
                           CUstream stream) {
  return copyRow(hostSide(to), arraySide(from, offset), bytes, stream);
}

CUresult cuMemcpyAtoA(CUarray to, size_t toOffset, CUarray from,
                      size_t fromOffset, size_t bytes) {
  return copyRow(arraySide(to, toOffset), arraySide(from, fromOffset), bytes);
}

// Rows and boxes -------------------------------------------------------------

CUresult cuMemcpy2D(const CUDA_MEMCPY2D *copy) { return copy2D(copy); }

CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *copy) { return copy2D(copy); }

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *copy, CUstream stream) {
  return copy2D(copy, stream);
}

CUresult cuMemcpy3D(const CUDA_MEMCPY3D *copy) { return copy3D(copy); }

CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *copy, CUstream stream) {
  return copy3D(copy, stream);
}

CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *copy) { return copy3D(copy); }

CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *copy, CUstream stream) {
  return copy3D(copy, stream);
}

// Fills ----------------------------------------------------------------------

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count,
                         CUstream stream) {
  return fill(to, count, value, 1, count, 1, stream);
}

CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count,
                          CUstream stream) {
  return fill(to, count * 2, value, 2, count, 1, stream);
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count,
                          CUstream stream) {
  return fill(to, count * 4, value, 4, count, 1, stream);
}

CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value,
                           size_t width, size_t height, CUstream stream) {
  return fill(to, pitch, value, 1, width, height, stream);
}

CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value,
                            size_t width, size_t height, CUstream stream) {
  return fill(to, pitch, value, 2, width, height, stream);
}

CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value,
                            size_t width, size_t height, CUstream stream) {
  return fill(to, pitch, value, 4, width, height, stream);
}

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) {
  return fill(to, count, value, 1, count, 1, {});
}

CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count) {
  return fill(to, count * 2, value, 2, count, 1, {});
}

CUresult cuMemsetD32(CUdeviceptr to, unsigned value, size_t count) {
  return fill(to, count * 4, value, 4, count, 1, {});
}

CUresult cuMemsetD2D8(CUdeviceptr to, size_t pitch, unsigned char value,
                      size_t width, size_t height) {
  return fill(to, pitch, value, 1, width, height, {});
}

CUresult cuMemsetD2D16(CUdeviceptr to, size_t pitch, unsigned short value,
                       size_t width, size_t height) {
  return fill(to, pitch, value, 2, width, height, {});
}

CUresult cuMemsetD2D32(CUdeviceptr to, size_t pitch, unsigned value,
                       size_t width, size_t height) {
  return fill(to, pitch, value, 4, width, height, {});
}

} // extern "C"
