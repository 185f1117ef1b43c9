//===- DriverStream.cpp - Driver API: streams, events, capture ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/Driver.h"
#include "emulator/runtime/Stream.h"

using namespace gpulto::emu;

extern "C" {

// Streams --------------------------------------------------------------------

CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  return inContext([&] { return cudaStreamCreateWithFlags(stream, flags); });
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags,
                                    int priority) {
  return inContext(
      [&] { return cudaStreamCreateWithPriority(stream, flags, priority); });
}

CUresult cuStreamDestroy(CUstream stream) {
  return inContext([&] { return cudaStreamDestroy(stream); });
}
#undef cuStreamDestroy
GPULTO_EMU_OLDER(cuStreamDestroy, cuStreamDestroy_v2);

CUresult cuStreamGetPriority(CUstream stream, int *priority) {
  return inContext([&] { return cudaStreamGetPriority(stream, priority); });
}

CUresult cuStreamGetFlags(CUstream stream, unsigned *flags) {
  return inContext([&] { return cudaStreamGetFlags(stream, flags); });
}

CUresult cuStreamGetId(CUstream stream, unsigned long long *id) {
  return inContext([&] { return cudaStreamGetId(stream, id); });
}

CUresult cuStreamGetDevice(CUstream stream, CUdevice *device) {
  return inContext([&] { return cudaStreamGetDevice(stream, device); });
}

CUresult cuStreamGetCtx(CUstream handle, CUcontext *result) {
  return inContext([&] {
    return enter([&](Runtime &) {
      const Stream *stream = findStream(handle);
      if (!stream)
        return cudaErrorInvalidResourceHandle;
      if (!result)
        return cudaErrorInvalidValue;
      // The streams that are always there are those of the current context.
      const Context *context =
          stream->context ? stream->context : currentContext();
      *result = reinterpret_cast<CUcontext>(const_cast<Context *>(context));
      return cudaSuccess;
    });
  });
}

CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext *result,
                           CUgreenCtx *green) {
  if (green)
    *green = nullptr;
  return cuStreamGetCtx(stream, result);
}

CUresult cuStreamQuery(CUstream stream) {
  return inContext([&] { return cudaStreamQuery(stream); });
}

CUresult cuStreamSynchronize(CUstream stream) {
  return inContext([&] { return cudaStreamSynchronize(stream); });
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return inContext([&] { return cudaStreamWaitEvent(stream, event, flags); });
}

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback,
                             void *data, unsigned flags) {
  return inContext([&] {
    // The codes of both APIs have the same numbers where a callback sees them.
    return cudaStreamAddCallback(
        stream, reinterpret_cast<cudaStreamCallback_t>(callback), data, flags);
  });
}

CUresult cuStreamCopyAttributes(CUstream to, CUstream from) {
  return inContext([&] { return cudaStreamCopyAttributes(to, from); });
}

CUresult cuStreamGetAttribute(CUstream stream, CUstreamAttrID attribute,
                              CUstreamAttrValue *value) {
  return inContext([&] {
    return cudaStreamGetAttribute(stream,
                                  static_cast<cudaLaunchAttributeID>(attribute),
                                  sameLayout<cudaLaunchAttributeValue>(value));
  });
}

CUresult cuStreamSetAttribute(CUstream stream, CUstreamAttrID attribute,
                              const CUstreamAttrValue *value) {
  return inContext([&] {
    return cudaStreamSetAttribute(
        stream, static_cast<cudaLaunchAttributeID>(attribute),
        sameLayout<const cudaLaunchAttributeValue>(value));
  });
}

// Events ---------------------------------------------------------------------

CUresult cuEventCreate(CUevent *event, unsigned flags) {
  return inContext([&] {
    if (flags & CU_EVENT_INTERPROCESS) {
      (void)driverNotSupported("cuEventCreate(CU_EVENT_INTERPROCESS)");
      return cudaErrorNotSupported;
    }
    return cudaEventCreateWithFlags(event, flags);
  });
}

CUresult cuEventDestroy(CUevent event) {
  return inContext([&] { return cudaEventDestroy(event); });
}
#undef cuEventDestroy
GPULTO_EMU_OLDER(cuEventDestroy, cuEventDestroy_v2);

CUresult cuEventRecord(CUevent event, CUstream stream) {
  return inContext([&] { return cudaEventRecord(event, stream); });
}

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream,
                                unsigned flags) {
  return inContext(
      [&] { return cudaEventRecordWithFlags(event, stream, flags); });
}

CUresult cuEventQuery(CUevent event) {
  return inContext([&] { return cudaEventQuery(event); });
}

CUresult cuEventSynchronize(CUevent event) {
  return inContext([&] { return cudaEventSynchronize(event); });
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent begin, CUevent end) {
  return inContext(
      [&] { return cudaEventElapsedTime(milliseconds, begin, end); });
}
#undef cuEventElapsedTime
GPULTO_EMU_OLDER(cuEventElapsedTime, cuEventElapsedTime_v2);

// Capture --------------------------------------------------------------------

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
  return inContext([&] {
    return cudaStreamBeginCapture(stream,
                                  static_cast<cudaStreamCaptureMode>(mode));
  });
}

CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph,
                                     const CUgraphNode *dependencies,
                                     const CUgraphEdgeData *edges, size_t count,
                                     CUstreamCaptureMode mode) {
  return inContext([&] {
    return cudaStreamBeginCaptureToGraph(
        stream, graph, dependencies, sameLayout<const cudaGraphEdgeData>(edges),
        count, static_cast<cudaStreamCaptureMode>(mode));
  });
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  return inContext([&] { return cudaStreamEndCapture(stream, graph); });
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status) {
  return inContext([&] {
    return cudaStreamIsCapturing(stream,
                                 sameLayout<cudaStreamCaptureStatus>(status));
  });
}

CUresult cuStreamGetCaptureInfo_v3(CUstream stream,
                                   CUstreamCaptureStatus *status,
                                   cuuint64_t *id, CUgraph *graph,
                                   const CUgraphNode **dependencies,
                                   const CUgraphEdgeData **edges,
                                   size_t *count) {
  return inContext([&] {
    return cudaStreamGetCaptureInfo(
        stream, sameLayout<cudaStreamCaptureStatus>(status),
        sameLayout<unsigned long long>(id), graph, dependencies,
        reinterpret_cast<const cudaGraphEdgeData **>(edges), count);
  });
}

CUresult cuStreamGetCaptureInfo_v2(CUstream stream,
                                   CUstreamCaptureStatus *status,
                                   cuuint64_t *id, CUgraph *graph,
                                   const CUgraphNode **dependencies,
                                   size_t *count) {
  return cuStreamGetCaptureInfo_v3(stream, status, id, graph, dependencies,
                                   nullptr, count);
}

CUresult cuStreamUpdateCaptureDependencies_v2(CUstream stream,
                                              CUgraphNode *dependencies,
                                              const CUgraphEdgeData *edges,
                                              size_t count, unsigned flags) {
  return inContext([&] {
    return cudaStreamUpdateCaptureDependencies(
        stream, dependencies, sameLayout<const cudaGraphEdgeData>(edges), count,
        flags);
  });
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  return inContext([&] {
    return cudaThreadExchangeStreamCaptureMode(
        sameLayout<cudaStreamCaptureMode>(mode));
  });
}

} // extern "C"
