//===- Cuda12.cpp - Entry points removed in CUDA 13 -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Part of libcudart.so.12 alone. CUDA 13 took away the first forms of some
// functions, gave others another list of parameters, and made some records
// longer or moved their members. Here the forms and records of 12 are put on
// top of those of 13, under whose names the rest of the library is compiled
// (Cuda12Names.h). GPULTO_EMU_NAMED gives a function here the name that
// programs call, which cuda_runtime_api.h declares with other parameters.
//
// Source: cuda_runtime_api.h and driver_types.h of CUDA 12.9 and 13.0, compared
// by clang's record layouts.
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/Runtime.h"

#include <cstddef>
#include <cstring>
#include <iterator>

#define GPULTO_EMU_NAMED(name) __asm__(name)

using namespace gpulto::emu;

namespace {

// Records --------------------------------------------------------------------

/// Bytes of records in CUDA 12 that begin as those of 13 and end earlier.
constexpr size_t kPointerAttributesBytes = 24;
constexpr size_t kResourceDescBytes = 64;
constexpr size_t kResourceViewDescBytes = 48;

/// Members of cudaDeviceProp that follow each other in both releases.
struct PropertyRun {
  size_t to;    ///< offset in the record of CUDA 12
  size_t from;  ///< offset in that of 13
  size_t bytes; ///< what both have there
};

constexpr size_t kPropertiesBytes = 1032;
constexpr PropertyRun kPropertyRuns[] = {
    {0, offsetof(cudaDeviceProp, name), 348},
    {352, offsetof(cudaDeviceProp, totalConstMem), 32},
    {388, offsetof(cudaDeviceProp, multiProcessorCount), 4},
    {396, offsetof(cudaDeviceProp, integrated), 8},
    {408, offsetof(cudaDeviceProp, maxTexture1D), 8},
    {420, offsetof(cudaDeviceProp, maxTexture2D), 188},
    {612, offsetof(cudaDeviceProp, memoryBusWidth), 28},
    {640, offsetof(cudaDeviceProp, sharedMemPerMultiprocessor), 28},
    {672, offsetof(cudaDeviceProp, pageableMemoryAccess), 20},
    {696, offsetof(cudaDeviceProp, sharedMemPerBlockOptin), 84},
};

/// Members of the record of CUDA 12 that 13 has as attributes alone.
struct PropertyAttribute {
  size_t to;
  cudaDeviceAttr attribute;
};

constexpr PropertyAttribute kPropertyAttributes[] = {
    {348, cudaDevAttrClockRate},
    {384, cudaDevAttrGpuOverlap},
    {392, cudaDevAttrKernelExecTimeout},
    {404, cudaDevAttrComputeMode},
    {416, cudaDevAttrMaxTexture1DLinearWidth},
    {608, cudaDevAttrMemoryClockRate},
    {668, cudaDevAttrSingleToDoublePrecisionPerfRatio},
};

/// Reads a record of which a program of CUDA 12 has the first \p bytes alone;
/// the rest is zero.
template <typename Record>
Record lengthened(const Record *short12, size_t bytes) {
  Record result{};
  std::memcpy(&result, short12, bytes);
  return result;
}

/// Calls \p read for a record and hands its first \p bytes to \p result.
template <typename Record, typename Read>
cudaError_t shortened(Record *result, size_t bytes, Read read) {
  Record whole{};
  cudaError_t error = read(result ? &whole : nullptr);
  if (error == cudaSuccess)
    std::memcpy(static_cast<void *>(result), &whole, bytes);
  return error;
}

/// The place that an ordinal of CUDA 12 means.
cudaMemLocation locationOf(int device) {
  cudaMemLocation location{};
  bool isHost = device == cudaCpuDeviceId;
  location.type = isHost ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  location.id = isHost ? 0 : device;
  return location;
}

} // namespace

extern "C" {

// Devices --------------------------------------------------------------------

cudaError_t properties12(void *record, int device)
    GPULTO_EMU_NAMED("cudaGetDeviceProperties_v2");
cudaError_t properties12(void *record, int device) {
  cudaDeviceProp whole{};
  cudaError_t error =
      cudaGetDeviceProperties(record ? &whole : nullptr, device);
  if (error)
    return error;
  char *to = static_cast<char *>(record);
  std::memset(to, 0, kPropertiesBytes);
  for (const PropertyRun &run : kPropertyRuns)
    std::memcpy(to + run.to, reinterpret_cast<char *>(&whole) + run.from,
                run.bytes);
  for (const PropertyAttribute &member : kPropertyAttributes) {
    int value = 0;
    error = cudaDeviceGetAttribute(&value, member.attribute, device);
    if (error)
      return error;
    std::memcpy(to + member.to, &value, sizeof value);
  }
  return cudaSuccess;
}

cudaError_t threadExit12(void) GPULTO_EMU_NAMED("cudaThreadExit");
cudaError_t threadExit12(void) { return cudaDeviceReset(); }

cudaError_t threadSynchronize12(void) GPULTO_EMU_NAMED("cudaThreadSynchronize");
cudaError_t threadSynchronize12(void) { return cudaDeviceSynchronize(); }

cudaError_t threadGetLimit12(size_t *value, cudaLimit limit)
    GPULTO_EMU_NAMED("cudaThreadGetLimit");
cudaError_t threadGetLimit12(size_t *value, cudaLimit limit) {
  return cudaDeviceGetLimit(value, limit);
}

cudaError_t threadSetLimit12(cudaLimit limit, size_t value)
    GPULTO_EMU_NAMED("cudaThreadSetLimit");
cudaError_t threadSetLimit12(cudaLimit limit, size_t value) {
  return cudaDeviceSetLimit(limit, value);
}

cudaError_t threadGetCacheConfig12(cudaFuncCache *config)
    GPULTO_EMU_NAMED("cudaThreadGetCacheConfig");
cudaError_t threadGetCacheConfig12(cudaFuncCache *config) {
  return cudaDeviceGetCacheConfig(config);
}

cudaError_t threadSetCacheConfig12(cudaFuncCache config)
    GPULTO_EMU_NAMED("cudaThreadSetCacheConfig");
cudaError_t threadSetCacheConfig12(cudaFuncCache config) {
  return cudaDeviceSetCacheConfig(config);
}

// Memory ---------------------------------------------------------------------

cudaError_t pointerAttributes12(cudaPointerAttributes *result, const void *at)
    GPULTO_EMU_NAMED("cudaPointerGetAttributes");
cudaError_t pointerAttributes12(cudaPointerAttributes *result, const void *at) {
  return shortened(result, kPointerAttributesBytes,
                   [&](cudaPointerAttributes *whole) {
                     return cudaPointerGetAttributes(whole, at);
                   });
}

cudaError_t advise12(const void *at, size_t count, cudaMemoryAdvise what,
                     int device) GPULTO_EMU_NAMED("cudaMemAdvise");
cudaError_t advise12(const void *at, size_t count, cudaMemoryAdvise what,
                     int device) {
  return cudaMemAdvise(at, count, what, locationOf(device));
}

cudaError_t prefetch12(const void *at, size_t count, int device,
                       cudaStream_t stream)
    GPULTO_EMU_NAMED("cudaMemPrefetchAsync");
cudaError_t prefetch12(const void *at, size_t count, int device,
                       cudaStream_t stream) {
  return cudaMemPrefetchAsync(at, count, locationOf(device), 0, stream);
}

cudaError_t prefetchOfThread12(const void *at, size_t count, int device,
                               cudaStream_t stream)
    GPULTO_EMU_NAMED("cudaMemPrefetchAsync_ptsz");
cudaError_t prefetchOfThread12(const void *at, size_t count, int device,
                               cudaStream_t stream) {
  return prefetch12(at, count, device, stream);
}

/// \p failed gets the number of a copy that fails, and none that succeeds.
cudaError_t copyBatch12(void **to, void **from, size_t *sizes, size_t count,
                        cudaMemcpyAttributes *attributes, size_t *indexes,
                        size_t attributeCount, size_t *failed,
                        cudaStream_t stream)
    GPULTO_EMU_NAMED("cudaMemcpyBatchAsync");
cudaError_t copyBatch12(void **to, void **from, size_t *sizes, size_t count,
                        cudaMemcpyAttributes *attributes, size_t *indexes,
                        size_t attributeCount, size_t *failed,
                        cudaStream_t stream) {
  for (size_t i = 0; i < count; ++i)
    if (cudaError_t error =
            cudaMemcpyBatchAsync(to + i, from + i, sizes + i, 1, attributes,
                                 indexes, attributeCount, stream)) {
      if (failed)
        *failed = i;
      return error;
    }
  return cudaSuccess;
}

cudaError_t copyBatchOfThread12(void **to, void **from, size_t *sizes,
                                size_t count, cudaMemcpyAttributes *attributes,
                                size_t *indexes, size_t attributeCount,
                                size_t *failed, cudaStream_t stream)
    GPULTO_EMU_NAMED("cudaMemcpyBatchAsync_ptsz");
cudaError_t copyBatchOfThread12(void **to, void **from, size_t *sizes,
                                size_t count, cudaMemcpyAttributes *attributes,
                                size_t *indexes, size_t attributeCount,
                                size_t *failed, cudaStream_t stream) {
  return copyBatch12(to, from, sizes, count, attributes, indexes,
                     attributeCount, failed, stream);
}

// Streams and events ---------------------------------------------------------

cudaError_t elapsed12(float *milliseconds, cudaEvent_t begin, cudaEvent_t end)
    GPULTO_EMU_NAMED("cudaEventElapsedTime_v2");
cudaError_t elapsed12(float *milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  return cudaEventElapsedTime(milliseconds, begin, end);
}

cudaError_t captureInfo12(cudaStream_t stream, cudaStreamCaptureStatus *status,
                          unsigned long long *id)
    GPULTO_EMU_NAMED("cudaStreamGetCaptureInfo");
cudaError_t captureInfo12(cudaStream_t stream, cudaStreamCaptureStatus *status,
                          unsigned long long *id) {
  return cudaStreamGetCaptureInfo(stream, status, id, nullptr, nullptr, nullptr,
                                  nullptr);
}

cudaError_t captureInfoOfThread12(cudaStream_t stream,
                                  cudaStreamCaptureStatus *status,
                                  unsigned long long *id)
    GPULTO_EMU_NAMED("cudaStreamGetCaptureInfo_ptsz");
cudaError_t captureInfoOfThread12(cudaStream_t stream,
                                  cudaStreamCaptureStatus *status,
                                  unsigned long long *id) {
  return captureInfo12(stream, status, id);
}

cudaError_t
captureInfoWithGraph12(cudaStream_t stream, cudaStreamCaptureStatus *status,
                       unsigned long long *id, cudaGraph_t *graph,
                       const cudaGraphNode_t **dependencies, size_t *count)
    GPULTO_EMU_NAMED("cudaStreamGetCaptureInfo_v2");
cudaError_t captureInfoWithGraph12(cudaStream_t stream,
                                   cudaStreamCaptureStatus *status,
                                   unsigned long long *id, cudaGraph_t *graph,
                                   const cudaGraphNode_t **dependencies,
                                   size_t *count) {
  return cudaStreamGetCaptureInfo(stream, status, id, graph, dependencies,
                                  nullptr, count);
}

cudaError_t captureInfoWithGraphOfThread12(cudaStream_t stream,
                                           cudaStreamCaptureStatus *status,
                                           unsigned long long *id,
                                           cudaGraph_t *graph,
                                           const cudaGraphNode_t **dependencies,
                                           size_t *count)
    GPULTO_EMU_NAMED("cudaStreamGetCaptureInfo_v2_ptsz");
cudaError_t captureInfoWithGraphOfThread12(cudaStream_t stream,
                                           cudaStreamCaptureStatus *status,
                                           unsigned long long *id,
                                           cudaGraph_t *graph,
                                           const cudaGraphNode_t **dependencies,
                                           size_t *count) {
  return captureInfoWithGraph12(stream, status, id, graph, dependencies, count);
}

cudaError_t updateCapture12(cudaStream_t stream, cudaGraphNode_t *dependencies,
                            size_t count, unsigned flags)
    GPULTO_EMU_NAMED("cudaStreamUpdateCaptureDependencies");
cudaError_t updateCapture12(cudaStream_t stream, cudaGraphNode_t *dependencies,
                            size_t count, unsigned flags) {
  return cudaStreamUpdateCaptureDependencies(stream, dependencies, nullptr,
                                             count, flags);
}

cudaError_t updateCaptureOfThread12(cudaStream_t stream,
                                    cudaGraphNode_t *dependencies, size_t count,
                                    unsigned flags)
    GPULTO_EMU_NAMED("cudaStreamUpdateCaptureDependencies_ptsz");
cudaError_t updateCaptureOfThread12(cudaStream_t stream,
                                    cudaGraphNode_t *dependencies, size_t count,
                                    unsigned flags) {
  return updateCapture12(stream, dependencies, count, flags);
}

// Graphs ---------------------------------------------------------------------

cudaError_t addNode12(cudaGraphNode_t *node, cudaGraph_t graph,
                      const cudaGraphNode_t *dependencies, size_t count,
                      cudaGraphNodeParams *parameters)
    GPULTO_EMU_NAMED("cudaGraphAddNode");
cudaError_t addNode12(cudaGraphNode_t *node, cudaGraph_t graph,
                      const cudaGraphNode_t *dependencies, size_t count,
                      cudaGraphNodeParams *parameters) {
  return cudaGraphAddNode(node, graph, dependencies, nullptr, count,
                          parameters);
}

cudaError_t edges12(cudaGraph_t graph, cudaGraphNode_t *from,
                    cudaGraphNode_t *to, size_t *count)
    GPULTO_EMU_NAMED("cudaGraphGetEdges");
cudaError_t edges12(cudaGraph_t graph, cudaGraphNode_t *from,
                    cudaGraphNode_t *to, size_t *count) {
  return cudaGraphGetEdges(graph, from, to, nullptr, count);
}

cudaError_t dependencies12(cudaGraphNode_t node, cudaGraphNode_t *dependencies,
                           size_t *count)
    GPULTO_EMU_NAMED("cudaGraphNodeGetDependencies");
cudaError_t dependencies12(cudaGraphNode_t node, cudaGraphNode_t *dependencies,
                           size_t *count) {
  return cudaGraphNodeGetDependencies(node, dependencies, nullptr, count);
}

cudaError_t dependents12(cudaGraphNode_t node, cudaGraphNode_t *dependents,
                         size_t *count)
    GPULTO_EMU_NAMED("cudaGraphNodeGetDependentNodes");
cudaError_t dependents12(cudaGraphNode_t node, cudaGraphNode_t *dependents,
                         size_t *count) {
  return cudaGraphNodeGetDependentNodes(node, dependents, nullptr, count);
}

cudaError_t addDependencies12(cudaGraph_t graph, const cudaGraphNode_t *from,
                              const cudaGraphNode_t *to, size_t count)
    GPULTO_EMU_NAMED("cudaGraphAddDependencies");
cudaError_t addDependencies12(cudaGraph_t graph, const cudaGraphNode_t *from,
                              const cudaGraphNode_t *to, size_t count) {
  return cudaGraphAddDependencies(graph, from, to, nullptr, count);
}

cudaError_t removeDependencies12(cudaGraph_t graph, const cudaGraphNode_t *from,
                                 const cudaGraphNode_t *to, size_t count)
    GPULTO_EMU_NAMED("cudaGraphRemoveDependencies");
cudaError_t removeDependencies12(cudaGraph_t graph, const cudaGraphNode_t *from,
                                 const cudaGraphNode_t *to, size_t count) {
  return cudaGraphRemoveDependencies(graph, from, to, nullptr, count);
}

// Textures and surfaces ------------------------------------------------------

cudaError_t createTexture12(cudaTextureObject_t *texture,
                            const cudaResourceDesc *resource,
                            const cudaTextureDesc *description,
                            const cudaResourceViewDesc *view)
    GPULTO_EMU_NAMED("cudaCreateTextureObject");
cudaError_t createTexture12(cudaTextureObject_t *texture,
                            const cudaResourceDesc *resource,
                            const cudaTextureDesc *description,
                            const cudaResourceViewDesc *view) {
  cudaResourceDesc wholeResource{};
  cudaResourceViewDesc wholeView{};
  if (resource)
    wholeResource = lengthened(resource, kResourceDescBytes);
  if (view)
    wholeView = lengthened(view, kResourceViewDescBytes);
  return cudaCreateTextureObject(texture, resource ? &wholeResource : nullptr,
                                 description, view ? &wholeView : nullptr);
}

cudaError_t createSurface12(cudaSurfaceObject_t *surface,
                            const cudaResourceDesc *resource)
    GPULTO_EMU_NAMED("cudaCreateSurfaceObject");
cudaError_t createSurface12(cudaSurfaceObject_t *surface,
                            const cudaResourceDesc *resource) {
  cudaResourceDesc whole{};
  if (resource)
    whole = lengthened(resource, kResourceDescBytes);
  return cudaCreateSurfaceObject(surface, resource ? &whole : nullptr);
}

cudaError_t textureResource12(cudaResourceDesc *result,
                              cudaTextureObject_t texture)
    GPULTO_EMU_NAMED("cudaGetTextureObjectResourceDesc");
cudaError_t textureResource12(cudaResourceDesc *result,
                              cudaTextureObject_t texture) {
  return shortened(result, kResourceDescBytes, [&](cudaResourceDesc *whole) {
    return cudaGetTextureObjectResourceDesc(whole, texture);
  });
}

cudaError_t textureView12(cudaResourceViewDesc *result,
                          cudaTextureObject_t texture)
    GPULTO_EMU_NAMED("cudaGetTextureObjectResourceViewDesc");
cudaError_t textureView12(cudaResourceViewDesc *result,
                          cudaTextureObject_t texture) {
  return shortened(
      result, kResourceViewDescBytes, [&](cudaResourceViewDesc *whole) {
        return cudaGetTextureObjectResourceViewDesc(whole, texture);
      });
}

cudaError_t surfaceResource12(cudaResourceDesc *result,
                              cudaSurfaceObject_t surface)
    GPULTO_EMU_NAMED("cudaGetSurfaceObjectResourceDesc");
cudaError_t surfaceResource12(cudaResourceDesc *result,
                              cudaSurfaceObject_t surface) {
  return shortened(result, kResourceDescBytes, [&](cudaResourceDesc *whole) {
    return cudaGetSurfaceObjectResourceDesc(whole, surface);
  });
}

} // extern "C"
