//===- DriverPerThread.cpp - Driver API: forms with an own stream ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The forms whose null stream is the thread's own, of the functions that are
// implemented. Those of others lead to the plain ones (Unsupported.h).
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/Driver.h"

GPULTO_EMU_PER_THREAD(cuEventRecordWithFlags_ptsz, cuEventRecordWithFlags);
GPULTO_EMU_PER_THREAD(cuEventRecord_ptsz, cuEventRecord);
GPULTO_EMU_PER_THREAD(cuGraphInstantiateWithParams_ptsz,
                      cuGraphInstantiateWithParams);
GPULTO_EMU_PER_THREAD(cuGraphLaunch_ptsz, cuGraphLaunch);
GPULTO_EMU_PER_THREAD(cuGraphUpload_ptsz, cuGraphUpload);
GPULTO_EMU_PER_THREAD(cuLaunchCooperativeKernel_ptsz,
                      cuLaunchCooperativeKernel);
GPULTO_EMU_PER_THREAD(cuLaunchHostFunc_ptsz, cuLaunchHostFunc);
GPULTO_EMU_PER_THREAD(cuLaunchKernelEx_ptsz, cuLaunchKernelEx);
GPULTO_EMU_PER_THREAD(cuLaunchKernel_ptsz, cuLaunchKernel);
GPULTO_EMU_PER_THREAD(cuMemAllocAsync_ptsz, cuMemAllocAsync);
GPULTO_EMU_PER_THREAD(cuMemAllocFromPoolAsync_ptsz, cuMemAllocFromPoolAsync);
GPULTO_EMU_PER_THREAD(cuMemFreeAsync_ptsz, cuMemFreeAsync);
GPULTO_EMU_PER_THREAD(cuMemPrefetchAsync_v2_ptsz, cuMemPrefetchAsync_v2);
GPULTO_EMU_PER_THREAD(cuMemcpy2DAsync_v2_ptsz, cuMemcpy2DAsync_v2);
GPULTO_EMU_PER_THREAD(cuMemcpy2DUnaligned_v2_ptds, cuMemcpy2DUnaligned_v2);
GPULTO_EMU_PER_THREAD(cuMemcpy2D_v2_ptds, cuMemcpy2D_v2);
GPULTO_EMU_PER_THREAD(cuMemcpy3DAsync_v2_ptsz, cuMemcpy3DAsync_v2);
GPULTO_EMU_PER_THREAD(cuMemcpy3DPeerAsync_ptsz, cuMemcpy3DPeerAsync);
GPULTO_EMU_PER_THREAD(cuMemcpy3DPeer_ptds, cuMemcpy3DPeer);
GPULTO_EMU_PER_THREAD(cuMemcpy3D_v2_ptds, cuMemcpy3D_v2);
GPULTO_EMU_PER_THREAD(cuMemcpyAsync_ptsz, cuMemcpyAsync);
GPULTO_EMU_PER_THREAD(cuMemcpyAtoA_v2_ptds, cuMemcpyAtoA_v2);
GPULTO_EMU_PER_THREAD(cuMemcpyAtoD_v2_ptds, cuMemcpyAtoD_v2);
GPULTO_EMU_PER_THREAD(cuMemcpyAtoHAsync_v2_ptsz, cuMemcpyAtoHAsync_v2);
GPULTO_EMU_PER_THREAD(cuMemcpyAtoH_v2_ptds, cuMemcpyAtoH_v2);
GPULTO_EMU_PER_THREAD(cuMemcpyDtoA_v2_ptds, cuMemcpyDtoA_v2);
GPULTO_EMU_PER_THREAD(cuMemcpyDtoDAsync_v2_ptsz, cuMemcpyDtoDAsync_v2);
GPULTO_EMU_PER_THREAD(cuMemcpyDtoD_v2_ptds, cuMemcpyDtoD_v2);
GPULTO_EMU_PER_THREAD(cuMemcpyDtoHAsync_v2_ptsz, cuMemcpyDtoHAsync_v2);
GPULTO_EMU_PER_THREAD(cuMemcpyDtoH_v2_ptds, cuMemcpyDtoH_v2);
GPULTO_EMU_PER_THREAD(cuMemcpyHtoAAsync_v2_ptsz, cuMemcpyHtoAAsync_v2);
GPULTO_EMU_PER_THREAD(cuMemcpyHtoA_v2_ptds, cuMemcpyHtoA_v2);
GPULTO_EMU_PER_THREAD(cuMemcpyHtoDAsync_v2_ptsz, cuMemcpyHtoDAsync_v2);
GPULTO_EMU_PER_THREAD(cuMemcpyHtoD_v2_ptds, cuMemcpyHtoD_v2);
GPULTO_EMU_PER_THREAD(cuMemcpyPeerAsync_ptsz, cuMemcpyPeerAsync);
GPULTO_EMU_PER_THREAD(cuMemcpyPeer_ptds, cuMemcpyPeer);
GPULTO_EMU_PER_THREAD(cuMemcpy_ptds, cuMemcpy);
GPULTO_EMU_PER_THREAD(cuMemsetD16Async_ptsz, cuMemsetD16Async);
GPULTO_EMU_PER_THREAD(cuMemsetD16_v2_ptds, cuMemsetD16_v2);
GPULTO_EMU_PER_THREAD(cuMemsetD2D16Async_ptsz, cuMemsetD2D16Async);
GPULTO_EMU_PER_THREAD(cuMemsetD2D16_v2_ptds, cuMemsetD2D16_v2);
GPULTO_EMU_PER_THREAD(cuMemsetD2D32Async_ptsz, cuMemsetD2D32Async);
GPULTO_EMU_PER_THREAD(cuMemsetD2D32_v2_ptds, cuMemsetD2D32_v2);
GPULTO_EMU_PER_THREAD(cuMemsetD2D8Async_ptsz, cuMemsetD2D8Async);
GPULTO_EMU_PER_THREAD(cuMemsetD2D8_v2_ptds, cuMemsetD2D8_v2);
GPULTO_EMU_PER_THREAD(cuMemsetD32Async_ptsz, cuMemsetD32Async);
GPULTO_EMU_PER_THREAD(cuMemsetD32_v2_ptds, cuMemsetD32_v2);
GPULTO_EMU_PER_THREAD(cuMemsetD8Async_ptsz, cuMemsetD8Async);
GPULTO_EMU_PER_THREAD(cuMemsetD8_v2_ptds, cuMemsetD8_v2);
GPULTO_EMU_PER_THREAD(cuStreamAddCallback_ptsz, cuStreamAddCallback);
GPULTO_EMU_PER_THREAD(cuStreamAttachMemAsync_ptsz, cuStreamAttachMemAsync);
GPULTO_EMU_PER_THREAD(cuStreamBeginCaptureToGraph_ptsz,
                      cuStreamBeginCaptureToGraph);
GPULTO_EMU_PER_THREAD(cuStreamBeginCapture_ptsz, cuStreamBeginCapture);
GPULTO_EMU_PER_THREAD(cuStreamBeginCapture_v2_ptsz, cuStreamBeginCapture_v2);
GPULTO_EMU_PER_THREAD(cuStreamCopyAttributes_ptsz, cuStreamCopyAttributes);
GPULTO_EMU_PER_THREAD(cuStreamEndCapture_ptsz, cuStreamEndCapture);
GPULTO_EMU_PER_THREAD(cuStreamGetAttribute_ptsz, cuStreamGetAttribute);
GPULTO_EMU_PER_THREAD(cuStreamGetCaptureInfo_v3_ptsz,
                      cuStreamGetCaptureInfo_v3);
GPULTO_EMU_PER_THREAD(cuStreamGetCtx_ptsz, cuStreamGetCtx);
GPULTO_EMU_PER_THREAD(cuStreamGetCtx_v2_ptsz, cuStreamGetCtx_v2);
GPULTO_EMU_PER_THREAD(cuStreamGetDevice_ptsz, cuStreamGetDevice);
GPULTO_EMU_PER_THREAD(cuStreamGetFlags_ptsz, cuStreamGetFlags);
GPULTO_EMU_PER_THREAD(cuStreamGetId_ptsz, cuStreamGetId);
GPULTO_EMU_PER_THREAD(cuStreamGetPriority_ptsz, cuStreamGetPriority);
GPULTO_EMU_PER_THREAD(cuStreamIsCapturing_ptsz, cuStreamIsCapturing);
GPULTO_EMU_PER_THREAD(cuStreamQuery_ptsz, cuStreamQuery);
GPULTO_EMU_PER_THREAD(cuStreamSetAttribute_ptsz, cuStreamSetAttribute);
GPULTO_EMU_PER_THREAD(cuStreamSynchronize_ptsz, cuStreamSynchronize);
GPULTO_EMU_PER_THREAD(cuStreamUpdateCaptureDependencies_v2_ptsz,
                      cuStreamUpdateCaptureDependencies_v2);
GPULTO_EMU_PER_THREAD(cuStreamWaitEvent_ptsz, cuStreamWaitEvent);
