//===- Cuda12Names.h - CUDA 12 names of entry points ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included first in the sources of libcudart.so.12. They are those of
// libcudart.so.13, and this gives their definitions the names of CUDA 12:
//
//   function 13  ->  function_v2 or _v3, where CUDA 13 gave a later form of a
//                    function the plain name
//   function 13  ->  gpultoEmu13_function, where it has other records or
//                    parameters in 13
//
// Cuda12.cpp defines what is missing then: the older forms.
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_RUNTIME_CUDA12NAMES_H
#define GPULTO_EMULATOR_RUNTIME_CUDA12NAMES_H

#include <cuda_runtime_api.h>

#define GPULTO_EMU_DECLARE(name, function) extern "C" decltype(::function) name
GPULTO_EMU_DECLARE(cudaGraphAddDependencies_v2, cudaGraphAddDependencies);
GPULTO_EMU_DECLARE(cudaGraphAddNode_v2, cudaGraphAddNode);
GPULTO_EMU_DECLARE(cudaGraphGetEdges_v2, cudaGraphGetEdges);
GPULTO_EMU_DECLARE(cudaGraphNodeGetDependencies_v2,
                   cudaGraphNodeGetDependencies);
GPULTO_EMU_DECLARE(cudaGraphNodeGetDependentNodes_v2,
                   cudaGraphNodeGetDependentNodes);
GPULTO_EMU_DECLARE(cudaGraphRemoveDependencies_v2, cudaGraphRemoveDependencies);
GPULTO_EMU_DECLARE(cudaMemAdvise_v2, cudaMemAdvise);
GPULTO_EMU_DECLARE(cudaMemPrefetchAsync_v2, cudaMemPrefetchAsync);
GPULTO_EMU_DECLARE(cudaStreamGetCaptureInfo_v3, cudaStreamGetCaptureInfo);
GPULTO_EMU_DECLARE(cudaStreamUpdateCaptureDependencies_v2,
                   cudaStreamUpdateCaptureDependencies);
GPULTO_EMU_DECLARE(gpultoEmu13_cudaCreateSurfaceObject,
                   cudaCreateSurfaceObject);
GPULTO_EMU_DECLARE(gpultoEmu13_cudaCreateTextureObject,
                   cudaCreateTextureObject);
GPULTO_EMU_DECLARE(gpultoEmu13_cudaGetDeviceProperties,
                   cudaGetDeviceProperties);
GPULTO_EMU_DECLARE(gpultoEmu13_cudaGetSurfaceObjectResourceDesc,
                   cudaGetSurfaceObjectResourceDesc);
GPULTO_EMU_DECLARE(gpultoEmu13_cudaGetTextureObjectResourceDesc,
                   cudaGetTextureObjectResourceDesc);
GPULTO_EMU_DECLARE(gpultoEmu13_cudaGetTextureObjectResourceViewDesc,
                   cudaGetTextureObjectResourceViewDesc);
GPULTO_EMU_DECLARE(gpultoEmu13_cudaMemcpyBatchAsync, cudaMemcpyBatchAsync);
GPULTO_EMU_DECLARE(gpultoEmu13_cudaPointerGetAttributes,
                   cudaPointerGetAttributes);
#undef GPULTO_EMU_DECLARE

#define cudaGraphAddDependencies cudaGraphAddDependencies_v2
#define cudaGraphAddNode cudaGraphAddNode_v2
#define cudaGraphGetEdges cudaGraphGetEdges_v2
#define cudaGraphNodeGetDependencies cudaGraphNodeGetDependencies_v2
#define cudaGraphNodeGetDependentNodes cudaGraphNodeGetDependentNodes_v2
#define cudaGraphRemoveDependencies cudaGraphRemoveDependencies_v2
#define cudaMemAdvise cudaMemAdvise_v2
#define cudaMemPrefetchAsync cudaMemPrefetchAsync_v2
#define cudaMemPrefetchAsync_ptsz cudaMemPrefetchAsync_v2_ptsz
#define cudaStreamGetCaptureInfo cudaStreamGetCaptureInfo_v3
#define cudaStreamGetCaptureInfo_ptsz cudaStreamGetCaptureInfo_v3_ptsz
#define cudaStreamUpdateCaptureDependencies                                    \
  cudaStreamUpdateCaptureDependencies_v2
#define cudaStreamUpdateCaptureDependencies_ptsz                               \
  cudaStreamUpdateCaptureDependencies_v2_ptsz

#define cudaCreateSurfaceObject gpultoEmu13_cudaCreateSurfaceObject
#define cudaCreateTextureObject gpultoEmu13_cudaCreateTextureObject
#define cudaGetDeviceProperties gpultoEmu13_cudaGetDeviceProperties
#define cudaGetSurfaceObjectResourceDesc                                       \
  gpultoEmu13_cudaGetSurfaceObjectResourceDesc
#define cudaGetTextureObjectResourceDesc                                       \
  gpultoEmu13_cudaGetTextureObjectResourceDesc
#define cudaGetTextureObjectResourceViewDesc                                   \
  gpultoEmu13_cudaGetTextureObjectResourceViewDesc
#define cudaMemcpyBatchAsync gpultoEmu13_cudaMemcpyBatchAsync
#define cudaMemcpyBatchAsync_ptsz gpultoEmu13_cudaMemcpyBatchAsync_ptsz
#define cudaPointerGetAttributes gpultoEmu13_cudaPointerGetAttributes

#endif // GPULTO_EMULATOR_RUNTIME_CUDA12NAMES_H
