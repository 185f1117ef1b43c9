//===- DriverImage.cpp - Driver API: arrays, textures, surfaces -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/Array.h"
#include "emulator/runtime/Driver.h"

#include <algorithm>

using namespace gpulto::emu;

namespace {

/// An element's channel in the words of the runtime API.
struct Channel {
  CUarray_format format;
  int bits;
  cudaChannelFormatKind kind;
};

constexpr Channel kChannels[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, 8, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_UNSIGNED_INT16, 16, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_UNSIGNED_INT32, 32, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_SIGNED_INT8, 8, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_SIGNED_INT16, 16, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_SIGNED_INT32, 32, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_HALF, 16, cudaChannelFormatKindFloat},
    {CU_AD_FORMAT_FLOAT, 32, cudaChannelFormatKindFloat},
};

/// Describes elements of 1, 2 or 4 channels.
CUresult toRuntimeFormat(CUarray_format format, unsigned channels,
                         cudaChannelFormatDesc &result) {
  if (channels != 1 && channels != 2 && channels != 4)
    return CUDA_ERROR_INVALID_VALUE;
  for (const Channel &known : kChannels)
    if (known.format == format) {
      int bits = known.bits;
      result = {bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0,
                channels > 2 ? bits : 0, known.kind};
      return CUDA_SUCCESS;
    }
  return driverNotSupported("an array of another format");
}

CUarray_format toDriverFormat(const cudaChannelFormatDesc &format) {
  for (const Channel &known : kChannels)
    if (known.bits == format.x && known.kind == format.f)
      return known.format;
  return CU_AD_FORMAT_FLOAT;
}

unsigned channelsOf(const cudaChannelFormatDesc &format) {
  return 1 + (format.y != 0) + (format.z != 0) + (format.w != 0);
}

CUresult makeArray(CUarray *result, const CUDA_ARRAY3D_DESCRIPTOR &from) {
  return inContext([&]() -> CUresult {
    cudaChannelFormatDesc format{};
    if (!result)
      return CUDA_ERROR_INVALID_VALUE;
    if (CUresult error = toRuntimeFormat(from.Format, from.NumChannels, format))
      return error;
    return toResult(
        cudaMalloc3DArray(reinterpret_cast<cudaArray_t *>(result), &format,
                          {from.Width, from.Height, from.Depth}, from.Flags));
  });
}

CUresult describeArray(CUarray handle, CUDA_ARRAY3D_DESCRIPTOR &result) {
  return inContext([&]() -> cudaError_t {
    cudaChannelFormatDesc format{};
    cudaExtent extent{};
    unsigned flags = 0;
    if (cudaError_t error = cudaArrayGetInfo(
            &format, &extent, &flags, reinterpret_cast<cudaArray_t>(handle)))
      return error;
    result = {extent.width,           extent.height,      extent.depth,
              toDriverFormat(format), channelsOf(format), flags};
    return cudaSuccess;
  });
}

CUresult toRuntimeResource(const CUDA_RESOURCE_DESC &from,
                           cudaResourceDesc &result) {
  result = {};
  switch (from.resType) {
  case CU_RESOURCE_TYPE_ARRAY:
    result.resType = cudaResourceTypeArray;
    result.res.array.array =
        reinterpret_cast<cudaArray_t>(from.res.array.hArray);
    return CUDA_SUCCESS;
  case CU_RESOURCE_TYPE_LINEAR:
    result.resType = cudaResourceTypeLinear;
    result.res.linear.devPtr = pointerOf(from.res.linear.devPtr);
    result.res.linear.sizeInBytes = from.res.linear.sizeInBytes;
    return toRuntimeFormat(from.res.linear.format, from.res.linear.numChannels,
                           result.res.linear.desc);
  case CU_RESOURCE_TYPE_PITCH2D:
    result.resType = cudaResourceTypePitch2D;
    result.res.pitch2D.devPtr = pointerOf(from.res.pitch2D.devPtr);
    result.res.pitch2D.width = from.res.pitch2D.width;
    result.res.pitch2D.height = from.res.pitch2D.height;
    result.res.pitch2D.pitchInBytes = from.res.pitch2D.pitchInBytes;
    return toRuntimeFormat(from.res.pitch2D.format,
                           from.res.pitch2D.numChannels,
                           result.res.pitch2D.desc);
  default:
    return driverNotSupported("a texture of a mipmapped array");
  }
}

cudaTextureDesc toRuntimeTexture(const CUDA_TEXTURE_DESC &from) {
  cudaTextureDesc result{};
  for (int k = 0; k < 3; ++k)
    result.addressMode[k] =
        static_cast<cudaTextureAddressMode>(from.addressMode[k]);
  result.filterMode = static_cast<cudaTextureFilterMode>(from.filterMode);
  result.readMode = from.flags & CU_TRSF_READ_AS_INTEGER
                        ? cudaReadModeElementType
                        : cudaReadModeNormalizedFloat;
  result.sRGB = (from.flags & CU_TRSF_SRGB) != 0;
  result.normalizedCoords = (from.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
  std::copy_n(from.borderColor, 4, result.borderColor);
  result.maxAnisotropy = from.maxAnisotropy;
  return result;
}

} // namespace

extern "C" {

CUresult cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *from) {
  if (!from)
    return CUDA_ERROR_INVALID_VALUE;
  return makeArray(array, {from->Width, from->Height, 0, from->Format,
                           from->NumChannels, 0});
}

CUresult cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *from) {
  return from ? makeArray(array, *from) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *result, CUarray array) {
  CUDA_ARRAY3D_DESCRIPTOR all{};
  if (!result)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = describeArray(array, all))
    return error;
  *result = {all.Width, all.Height, all.Format, all.NumChannels};
  return CUDA_SUCCESS;
}

CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *result,
                                CUarray array) {
  return result ? describeArray(array, *result) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuArrayDestroy(CUarray array) {
  return inContext([&] {
    return array ? cudaFreeArray(reinterpret_cast<cudaArray_t>(array))
                 : cudaErrorInvalidResourceHandle;
  });
}

CUresult cuTexObjectCreate(CUtexObject *texture, const CUDA_RESOURCE_DESC *from,
                           const CUDA_TEXTURE_DESC *sampling,
                           const CUDA_RESOURCE_VIEW_DESC *view) {
  return inContext([&]() -> CUresult {
    cudaResourceDesc resource{};
    if (!texture || !from || !sampling)
      return CUDA_ERROR_INVALID_VALUE;
    if (view && view->format != CU_RES_VIEW_FORMAT_NONE)
      return driverNotSupported("a resource view of another format");
    if (CUresult error = toRuntimeResource(*from, resource))
      return error;
    cudaTextureDesc same = toRuntimeTexture(*sampling);
    return toResult(
        cudaCreateTextureObject(texture, &resource, &same, nullptr));
  });
}

CUresult cuTexObjectDestroy(CUtexObject texture) {
  return inContext([&] { return cudaDestroyTextureObject(texture); });
}

CUresult cuSurfObjectCreate(CUsurfObject *surface,
                            const CUDA_RESOURCE_DESC *from) {
  return inContext([&]() -> CUresult {
    cudaResourceDesc resource{};
    if (!surface || !from)
      return CUDA_ERROR_INVALID_VALUE;
    if (CUresult error = toRuntimeResource(*from, resource))
      return error;
    return toResult(cudaCreateSurfaceObject(surface, &resource));
  });
}

CUresult cuSurfObjectDestroy(CUsurfObject surface) {
  return inContext([&] { return cudaDestroySurfaceObject(surface); });
}

} // extern "C"
