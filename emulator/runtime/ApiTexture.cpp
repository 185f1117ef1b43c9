//===- ApiTexture.cpp - Entry points: texture and surface objects ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/Array.h"
#include "emulator/runtime/Deferred.h"
#include "emulator/runtime/DeviceAttributes.h"
#include "emulator/runtime/ImageObject.h"
#include "emulator/runtime/Runtime.h"

using namespace gpulto::emu;

namespace {

/// The value of an attribute of the device that every device has.
size_t limitOf(Runtime &runtime, cudaDeviceAttr which) {
  int value = 0;
  (void)deviceAttribute(*runtime.device(), which, value);
  return static_cast<size_t>(value);
}

/// Fills in what the channels of an element are.
cudaError_t setFormat(const cudaChannelFormatDesc &format, Image &image) {
  const int bits[4] = {format.x, format.y, format.z, format.w};
  unsigned channels = 0;
  while (channels < 4 && bits[channels] == bits[0])
    ++channels;
  for (unsigned k = channels; k < 4; ++k)
    if (bits[k] != 0)
      return cudaErrorInvalidChannelDescriptor;
  cudaChannelFormatKind kind = format.f;
  if (kind >= cudaChannelFormatKindUnsignedNormalized8X1 &&
      kind <= cudaChannelFormatKindSignedNormalized16X4) {
    image.normalizesIntegers = true;
    kind = kind >= cudaChannelFormatKindSignedNormalized8X1
               ? cudaChannelFormatKindSigned
               : cudaChannelFormatKindUnsigned;
  }
  if (kind > cudaChannelFormatKindNone)
    return notSupported("a planar or compressed texture format");
  bool isFloat = kind == cudaChannelFormatKindFloat;
  bool known = kind == cudaChannelFormatKindSigned ||
               kind == cudaChannelFormatKindUnsigned || isFloat;
  bool fits = bits[0] == 32 || bits[0] == 16 || (bits[0] == 8 && !isFloat);
  if (!known || !fits || channels == 3)
    return cudaErrorInvalidChannelDescriptor;
  image.kind = isFloat                               ? ChannelKind::Float
               : kind == cudaChannelFormatKindSigned ? ChannelKind::Signed
                                                     : ChannelKind::Unsigned;
  image.channels = static_cast<uint8_t>(channels);
  image.channelBytes = static_cast<uint8_t>(bits[0] / 8);
  return cudaSuccess;
}

cudaError_t setArray(cudaArray_t handle, Image &image) {
  const Array *array = findArray(handle);
  if (!array)
    return cudaErrorInvalidResourceHandle;
  if (array->flags & cudaArrayCubemap)
    return notSupported("a texture or surface of a cube map");
  image.address = array->address;
  image.rowBytes = array->rowBytes();
  image.width = static_cast<uint32_t>(array->extent.width);
  image.height = static_cast<uint32_t>(array->extent.height);
  uint32_t slices = static_cast<uint32_t>(array->extent.depth);
  bool isLayered = array->flags & cudaArrayLayered;
  (isLayered ? image.layers : image.depth) = slices;
  if (isLayered && slices == 0)
    return cudaErrorInvalidValue;
  return setFormat(array->format, image);
}

/// Memory that textures lie in has an alignment and is the device's.
bool isTextureMemory(Runtime &runtime, const void *pointer) {
  Allocation allocation;
  uint64_t address = reinterpret_cast<uint64_t>(pointer);
  return address % limitOf(runtime, cudaDevAttrTextureAlignment) == 0 &&
         runtime.device()->findAllocation(address, allocation);
}

cudaError_t setLinear(Runtime &runtime, const cudaResourceDesc &resource,
                      Image &image) {
  const auto &linear = resource.res.linear;
  if (cudaError_t error = setFormat(linear.desc, image))
    return error;
  size_t elements = linear.sizeInBytes / image.elementBytes();
  size_t most = limitOf(runtime, cudaDevAttrMaxTexture1DLinearWidth);
  if (!elements || elements > most || !isTextureMemory(runtime, linear.devPtr))
    return cudaErrorInvalidValue;
  image.address = reinterpret_cast<uint64_t>(linear.devPtr);
  image.rowBytes = linear.sizeInBytes;
  image.width = static_cast<uint32_t>(elements);
  image.isLinear = true;
  return cudaSuccess;
}

cudaError_t setPitched(Runtime &runtime, const cudaResourceDesc &resource,
                       Image &image) {
  const auto &plane = resource.res.pitch2D;
  auto limit = [&](cudaDeviceAttr which) { return limitOf(runtime, which); };
  if (cudaError_t error = setFormat(plane.desc, image))
    return error;
  if (!plane.width || !plane.height ||
      plane.width > limit(cudaDevAttrMaxTexture2DLinearWidth) ||
      plane.height > limit(cudaDevAttrMaxTexture2DLinearHeight) ||
      plane.pitchInBytes > limit(cudaDevAttrMaxTexture2DLinearPitch) ||
      plane.pitchInBytes % limit(cudaDevAttrTexturePitchAlignment) ||
      plane.pitchInBytes < plane.width * image.elementBytes() ||
      !isTextureMemory(runtime, plane.devPtr))
    return cudaErrorInvalidValue;
  image.address = reinterpret_cast<uint64_t>(plane.devPtr);
  image.rowBytes = plane.pitchInBytes;
  image.width = static_cast<uint32_t>(plane.width);
  image.height = static_cast<uint32_t>(plane.height);
  return cudaSuccess;
}

cudaError_t setResource(Runtime &runtime, const cudaResourceDesc &resource,
                        Image &image) {
  switch (resource.resType) {
  case cudaResourceTypeArray:
    return setArray(resource.res.array.array, image);
  case cudaResourceTypeMipmappedArray:
    return notSupported("a texture of a mipmapped array");
  case cudaResourceTypeLinear:
    return setLinear(runtime, resource, image);
  case cudaResourceTypePitch2D:
    return setPitched(runtime, resource, image);
  }
  return cudaErrorInvalidValue;
}

cudaError_t setSampling(const cudaTextureDesc &texture, Image &image) {
  for (unsigned k = 0; k < 3; ++k) {
    if (static_cast<unsigned>(texture.addressMode[k]) > cudaAddressModeBorder)
      return cudaErrorInvalidValue;
    image.addressModes[k] = static_cast<AddressMode>(texture.addressMode[k]);
  }
  for (unsigned k = 0; k < 4; ++k)
    image.border[k] = texture.borderColor[k];
  image.normalizedCoordinates = texture.normalizedCoords != 0;
  bool isFloat = image.kind == ChannelKind::Float;
  if (texture.readMode == cudaReadModeNormalizedFloat && !isFloat &&
      image.channelBytes < 4)
    image.normalizesIntegers = true;
  image.isSrgb = texture.sRGB != 0;
  image.filtersLinearly =
      texture.filterMode == cudaFilterModeLinear && !image.isLinear;
  if (image.filtersLinearly && !isFloat && !image.normalizesIntegers)
    return cudaErrorInvalidFilterSetting;
  return cudaSuccess;
}

cudaError_t createTexture(Runtime &runtime, cudaTextureObject_t *result,
                          const cudaResourceDesc &resource,
                          const cudaTextureDesc &texture,
                          const cudaResourceViewDesc *view) {
  if (view && view->format != cudaResViewFormatNone)
    return notSupported("a resource view of another format");
  Image image;
  if (cudaError_t error = setResource(runtime, resource, image))
    return error;
  if (cudaError_t error = setSampling(texture, image))
    return error;
  *result = runtime.device()->addImage(image);
  ImageObject object{threadState().device, resource, texture, {}};
  if (view)
    object.view = *view;
  imageObjects()[*result] = object;
  return cudaSuccess;
}

cudaError_t createSurface(Runtime &runtime, cudaSurfaceObject_t *result,
                          const cudaResourceDesc &resource) {
  if (resource.resType != cudaResourceTypeArray)
    return cudaErrorInvalidValue;
  Image image;
  if (cudaError_t error = setArray(resource.res.array.array, image))
    return error;
  if (!(findArray(resource.res.array.array)->flags & cudaArraySurfaceLoadStore))
    return cudaErrorInvalidValue;
  image.isSurface = true;
  *result = runtime.device()->addImage(image);
  imageObjects()[*result] = {threadState().device, resource, {}, {}};
  return cudaSuccess;
}

cudaError_t destroy(Runtime &runtime, uint64_t handle, bool isTexture) {
  if (handle == 0)
    return cudaSuccess;
  const ImageObject *object = findImageObject(handle, isTexture);
  if (!object)
    return cudaErrorInvalidValue;
  unsigned device = object->device;
  if (cudaError_t error = waitForDevice(runtime, device))
    return error;
  runtime.devices[device].device->removeImage(handle);
  imageObjects().erase(handle);
  return cudaSuccess;
}

/// Calls \p read with the object of a handle.
template <typename Read>
cudaError_t readBack(const void *result, uint64_t handle, bool isTexture,
                     Read read) {
  return enter([&](Runtime &) -> cudaError_t {
    const ImageObject *object = findImageObject(handle, isTexture);
    return result && object ? read(*object) : cudaErrorInvalidValue;
  });
}

} // namespace

extern "C" {

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture,
                                    const cudaResourceDesc *resource,
                                    const cudaTextureDesc *description,
                                    const cudaResourceViewDesc *view) {
  return enter([&](Runtime &runtime) {
    return texture && resource && description
               ? createTexture(runtime, texture, *resource, *description, view)
               : cudaErrorInvalidValue;
  });
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) {
  return enter(
      [&](Runtime &runtime) { return destroy(runtime, texture, true); });
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc *result,
                                             cudaTextureObject_t texture) {
  return readBack(result, texture, true, [&](const ImageObject &object) {
    *result = object.resource;
    return cudaSuccess;
  });
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc *result,
                                            cudaTextureObject_t texture) {
  return readBack(result, texture, true, [&](const ImageObject &object) {
    *result = *object.texture;
    return cudaSuccess;
  });
}

cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc *result,
                                                 cudaTextureObject_t texture) {
  return readBack(result, texture, true, [&](const ImageObject &object) {
    if (!object.view)
      return cudaErrorInvalidValue;
    *result = *object.view;
    return cudaSuccess;
  });
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface,
                                    const cudaResourceDesc *resource) {
  return enter([&](Runtime &runtime) {
    return surface && resource ? createSurface(runtime, surface, *resource)
                               : cudaErrorInvalidValue;
  });
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface) {
  return enter(
      [&](Runtime &runtime) { return destroy(runtime, surface, false); });
}

cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc *result,
                                             cudaSurfaceObject_t surface) {
  return readBack(result, surface, false, [&](const ImageObject &object) {
    *result = object.resource;
    return cudaSuccess;
  });
}

} // extern "C"
