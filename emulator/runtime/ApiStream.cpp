//===- ApiStream.cpp - Entry points: streams, events, capture -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/Deferred.h"
#include "emulator/runtime/Graph.h"
#include "emulator/runtime/Runtime.h"
#include "emulator/runtime/Stream.h"
#include "emulator/runtime/TransferLog.h"
#include "emulator/trace/HostTrace.h"

#include <algorithm>
#include <set>

using namespace gpulto::emu;

namespace {

constexpr int kGreatestPriority = -5;

template <typename Body>
cudaError_t withStream(cudaStream_t handle, Body body) {
  return enter([&](Runtime &runtime) -> cudaError_t {
    Stream *stream = findStream(handle);
    if (!stream)
      return cudaErrorInvalidResourceHandle;
    return body(runtime, *stream);
  });
}

template <typename Body> cudaError_t withEvent(cudaEvent_t handle, Body body) {
  return enter([&](Runtime &runtime) -> cudaError_t {
    Event *event = findEvent(handle);
    if (!event)
      return cudaErrorInvalidResourceHandle;
    return body(runtime, *event);
  });
}

/// An error if \p event was recorded in a capture, which it then invalidates.
cudaError_t checkNotCaptured(const Event &event) {
  std::shared_ptr<Capture> capture = event.capture.lock();
  if (!capture)
    return cudaSuccess;
  capture->isInvalid = true;
  return cudaErrorCapturedEvent;
}

bool isBuiltin(cudaStream_t handle) {
  return handle == nullptr || handle == cudaStreamLegacy ||
         handle == cudaStreamPerThread;
}

cudaError_t beginCapture(Runtime &runtime, Stream &stream,
                         cudaStreamCaptureMode mode,
                         std::shared_ptr<Graph> graph,
                         std::vector<GraphNode *> tail) {
  if (stream.capture)
    return cudaErrorIllegalState;
  auto capture = std::make_shared<Capture>();
  capture->id = runtime.nextCaptureId++;
  capture->graph = std::move(graph);
  capture->origin = &stream;
  capture->mode = mode;
  stream.capture = std::move(capture);
  stream.tail = std::move(tail);
  return cudaSuccess;
}

/// All nodes that \p tail depends on, itself included.
std::set<GraphNode *> ancestors(const std::vector<GraphNode *> &tail) {
  std::set<GraphNode *> seen(tail.begin(), tail.end());
  std::vector<GraphNode *> work(tail);
  while (!work.empty()) {
    GraphNode *node = work.back();
    work.pop_back();
    for (GraphNode *dependency : node->dependencies)
      if (seen.insert(dependency).second)
        work.push_back(dependency);
  }
  return seen;
}

/// Ends a capture: every stream that was pulled in must have been joined.
cudaError_t endCapture(Stream &stream, cudaGraph_t *result) {
  if (!stream.capture)
    return cudaErrorIllegalState;
  std::shared_ptr<Capture> capture = stream.capture;
  if (capture->origin != &stream)
    return cudaErrorStreamCaptureUnmatched;
  std::set<GraphNode *> joined = ancestors(stream.tail);
  bool isUnjoined = false;
  for (GraphNode *node : capture->abandoned)
    isUnjoined |= joined.count(node) == 0;
  for (Stream *other : streamsOf(*capture)) {
    if (other != &stream)
      for (GraphNode *node : other->tail)
        isUnjoined |= joined.count(node) == 0;
    other->capture.reset();
    other->tail.clear();
  }
  *result = nullptr;
  if (capture->isInvalid)
    return cudaErrorStreamCaptureInvalidated;
  if (isUnjoined)
    return cudaErrorStreamCaptureUnjoined;
  *result = exposeGraph(capture->graph);
  return cudaSuccess;
}

cudaStreamCaptureStatus statusOf(const Stream &stream) {
  if (!stream.capture)
    return cudaStreamCaptureStatusNone;
  return stream.capture->isInvalid ? cudaStreamCaptureStatusInvalidated
                                   : cudaStreamCaptureStatusActive;
}

} // namespace

extern "C" {

// Streams --------------------------------------------------------------------

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags,
                                         int priority) {
  return enter([&](Runtime &) {
    if (!stream ||
        (flags != cudaStreamDefault && flags != cudaStreamNonBlocking))
      return cudaErrorInvalidValue;
    *stream = reinterpret_cast<cudaStream_t>(
        createStream(flags, std::clamp(priority, kGreatestPriority, 0)));
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  return withStream(handle, [&](Runtime &, Stream &stream) {
    if (isBuiltin(handle))
      return cudaErrorInvalidResourceHandle;
    destroyStream(&stream);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return withStream(handle, [](Runtime &runtime, Stream &stream) {
    if (runtime.transfers)
      runtime.transfers->waitForStream(stream);
    cudaError_t error = checkNotCapturing(stream);
    return error ? error : waitForStream(runtime, stream);
  });
}
GPULTO_EMU_PER_THREAD(cudaStreamSynchronize_ptsz, cudaStreamSynchronize);

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return withStream(handle, [](Runtime &runtime, Stream &stream) {
    if (runtime.transfers)
      runtime.transfers->observe(kGpultoTraceEvent);
    cudaError_t error = checkNotCapturing(stream);
    return error ? error : queryStream(runtime, stream);
  });
}
GPULTO_EMU_PER_THREAD(cudaStreamQuery_ptsz, cudaStreamQuery);

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int *priority) {
  return withStream(handle, [&](Runtime &, Stream &stream) {
    if (!priority)
      return cudaErrorInvalidValue;
    *priority = stream.priority;
    return cudaSuccess;
  });
}
GPULTO_EMU_PER_THREAD(cudaStreamGetPriority_ptsz, cudaStreamGetPriority);

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned *flags) {
  return withStream(handle, [&](Runtime &, Stream &stream) {
    if (!flags)
      return cudaErrorInvalidValue;
    *flags = stream.flags;
    return cudaSuccess;
  });
}
GPULTO_EMU_PER_THREAD(cudaStreamGetFlags_ptsz, cudaStreamGetFlags);

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long *id) {
  return withStream(handle, [&](Runtime &, Stream &stream) {
    if (!id)
      return cudaErrorInvalidValue;
    *id = stream.id;
    return cudaSuccess;
  });
}
GPULTO_EMU_PER_THREAD(cudaStreamGetId_ptsz, cudaStreamGetId);

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int *device) {
  return withStream(handle, [&](Runtime &, Stream &stream) {
    if (!device)
      return cudaErrorInvalidValue;
    *device = static_cast<int>(stream.device);
    return cudaSuccess;
  });
}
GPULTO_EMU_PER_THREAD(cudaStreamGetDevice_ptsz, cudaStreamGetDevice);

cudaError_t cudaStreamGetAttribute(cudaStream_t handle,
                                   cudaLaunchAttributeID attribute,
                                   cudaLaunchAttributeValue *value) {
  return withStream(handle, [&](Runtime &, Stream &stream) {
    if (!value)
      return cudaErrorInvalidValue;
    auto found = stream.attributes.find(attribute);
    *value = found == stream.attributes.end() ? cudaLaunchAttributeValue{}
                                              : found->second;
    return cudaSuccess;
  });
}
GPULTO_EMU_PER_THREAD(cudaStreamGetAttribute_ptsz, cudaStreamGetAttribute);

cudaError_t cudaStreamSetAttribute(cudaStream_t handle,
                                   cudaLaunchAttributeID attribute,
                                   const cudaLaunchAttributeValue *value) {
  return withStream(handle, [&](Runtime &, Stream &stream) {
    if (!value)
      return cudaErrorInvalidValue;
    stream.attributes[attribute] = *value;
    return cudaSuccess;
  });
}
GPULTO_EMU_PER_THREAD(cudaStreamSetAttribute_ptsz, cudaStreamSetAttribute);

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  return withStream(to, [&](Runtime &, Stream &stream) {
    Stream *source = findStream(from);
    if (!source)
      return cudaErrorInvalidResourceHandle;
    stream.attributes = source->attributes;
    return cudaSuccess;
  });
}
GPULTO_EMU_PER_THREAD(cudaStreamCopyAttributes_ptsz, cudaStreamCopyAttributes);

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function,
                               void *data) {
  return enter([&](Runtime &runtime) -> cudaError_t {
    if (!function)
      return cudaErrorInvalidValue;
    HostOp op;
    op.params = {function, data};
    return submit(runtime, stream, op);
  });
}
GPULTO_EMU_PER_THREAD(cudaLaunchHostFunc_ptsz, cudaLaunchHostFunc);

cudaError_t cudaStreamAddCallback(cudaStream_t handle,
                                  cudaStreamCallback_t callback, void *data,
                                  unsigned flags) {
  return withStream(handle, [&](Runtime &runtime, Stream &stream) {
    if (!callback || flags)
      return cudaErrorInvalidValue;
    if (cudaError_t error = checkNotCapturing(stream))
      return error;
    HostOp op;
    op.params.userData = data;
    op.callback = callback;
    op.stream = handle;
    return submit(runtime, handle, op);
  });
}
GPULTO_EMU_PER_THREAD(cudaStreamAddCallback_ptsz, cudaStreamAddCallback);

// Events ---------------------------------------------------------------------

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
  return enter([&](Runtime &) {
    if (!event)
      return cudaErrorInvalidValue;
    if (flags & cudaEventInterprocess)
      return notSupported("cudaEventCreateWithFlags(cudaEventInterprocess)");
    *event = reinterpret_cast<cudaEvent_t>(createEvent(flags));
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  return withEvent(handle, [](Runtime &, Event &event) {
    destroyEvent(&event);
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t handle, cudaStream_t stream,
                                     unsigned flags) {
  return withEvent(handle, [&](Runtime &runtime, Event &event) {
    return recordEvent(runtime, event, stream, flags);
  });
}
GPULTO_EMU_PER_THREAD(cudaEventRecordWithFlags_ptsz, cudaEventRecordWithFlags);

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}
GPULTO_EMU_PER_THREAD(cudaEventRecord_ptsz, cudaEventRecord);

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  return withEvent(handle, [](Runtime &runtime, Event &event) {
    if (runtime.transfers)
      runtime.transfers->waitForEvent(event);
    cudaError_t error = checkNotCaptured(event);
    return error ? error : waitForTask(runtime, event.task);
  });
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
  return withEvent(handle, [](Runtime &runtime, Event &event) {
    if (runtime.transfers)
      runtime.transfers->observe(kGpultoTraceEvent);
    cudaError_t error = checkNotCaptured(event);
    return error ? error : queryTask(runtime, event.task);
  });
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin,
                                 cudaEvent_t end) {
  return withEvent(begin, [&](Runtime &runtime, Event &first) {
    Event *last = findEvent(end);
    if (runtime.transfers)
      runtime.transfers->observe(kGpultoTraceEvent);
    if (!milliseconds)
      return cudaErrorInvalidValue;
    if (!last || last->device != first.device || !first.isRecorded ||
        !last->isRecorded ||
        ((first.flags | last->flags) & cudaEventDisableTiming))
      return cudaErrorInvalidResourceHandle;
    for (const Event *event : {&first, last})
      if (cudaError_t error = queryTask(runtime, event->task))
        return error;
    std::chrono::duration<float, std::milli> elapsed = last->time - first.time;
    *milliseconds = elapsed.count();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t handle,
                                unsigned flags) {
  return withEvent(handle, [&](Runtime &runtime, Event &event) {
    return waitEvent(runtime, stream, event, flags);
  });
}
GPULTO_EMU_PER_THREAD(cudaStreamWaitEvent_ptsz, cudaStreamWaitEvent);

// Capture --------------------------------------------------------------------

cudaError_t cudaStreamBeginCapture(cudaStream_t handle,
                                   cudaStreamCaptureMode mode) {
  return withStream(handle, [&](Runtime &runtime, Stream &stream) {
    if (stream.isLegacy)
      return cudaErrorStreamCaptureUnsupported;
    return beginCapture(runtime, stream, mode, std::make_shared<Graph>(), {});
  });
}
GPULTO_EMU_PER_THREAD(cudaStreamBeginCapture_ptsz, cudaStreamBeginCapture);

cudaError_t cudaStreamBeginCaptureToGraph(
    cudaStream_t handle, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
    const cudaGraphEdgeData *, size_t count, cudaStreamCaptureMode mode) {
  return withStream(handle, [&](Runtime &runtime, Stream &stream) {
    std::shared_ptr<Graph> into = findGraph(graph);
    if (!into || stream.isLegacy)
      return cudaErrorInvalidValue;
    std::vector<GraphNode *> tail;
    for (size_t i = 0; i < count; ++i) {
      GraphNode *node = findNode(dependencies[i]);
      if (!node || node->owner != into.get())
        return cudaErrorInvalidValue;
      tail.push_back(node);
    }
    return beginCapture(runtime, stream, mode, std::move(into),
                        std::move(tail));
  });
}
GPULTO_EMU_PER_THREAD(cudaStreamBeginCaptureToGraph_ptsz,
                      cudaStreamBeginCaptureToGraph);

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t *graph) {
  return withStream(handle, [&](Runtime &, Stream &stream) {
    return graph ? endCapture(stream, graph) : cudaErrorInvalidValue;
  });
}
GPULTO_EMU_PER_THREAD(cudaStreamEndCapture_ptsz, cudaStreamEndCapture);

cudaError_t cudaStreamIsCapturing(cudaStream_t handle,
                                  cudaStreamCaptureStatus *status) {
  return withStream(handle, [&](Runtime &, Stream &stream) {
    if (!status)
      return cudaErrorInvalidValue;
    *status = statusOf(stream);
    return cudaSuccess;
  });
}
GPULTO_EMU_PER_THREAD(cudaStreamIsCapturing_ptsz, cudaStreamIsCapturing);

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle,
                                     cudaStreamCaptureStatus *status,
                                     unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **dependencies,
                                     const cudaGraphEdgeData **edges,
                                     size_t *count) {
  return withStream(handle, [&](Runtime &, Stream &stream) {
    if (!status)
      return cudaErrorInvalidValue;
    *status = statusOf(stream);
    if (*status != cudaStreamCaptureStatusActive)
      return cudaSuccess;
    if (id)
      *id = stream.capture->id;
    if (graph)
      *graph = exposeGraph(stream.capture->graph);
    // A handle of a node is its address, so the list itself can be lent.
    if (dependencies)
      *dependencies =
          reinterpret_cast<const cudaGraphNode_t *>(stream.tail.data());
    if (edges)
      *edges = nullptr;
    if (count)
      *count = stream.tail.size();
    return cudaSuccess;
  });
}
GPULTO_EMU_PER_THREAD(cudaStreamGetCaptureInfo_ptsz, cudaStreamGetCaptureInfo);

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t handle,
                                                cudaGraphNode_t *dependencies,
                                                const cudaGraphEdgeData *,
                                                size_t count, unsigned flags) {
  return withStream(handle, [&](Runtime &, Stream &stream) {
    if (!stream.capture)
      return cudaErrorIllegalState;
    std::vector<GraphNode *> tail;
    if (!(flags & cudaStreamSetCaptureDependencies))
      tail = stream.tail;
    for (size_t i = 0; i < count; ++i) {
      GraphNode *node = findNode(dependencies[i]);
      if (!node || node->owner != stream.capture->graph.get())
        return cudaErrorInvalidValue;
      tail.push_back(node);
    }
    stream.tail = std::move(tail);
    return cudaSuccess;
  });
}
GPULTO_EMU_PER_THREAD(cudaStreamUpdateCaptureDependencies_ptsz,
                      cudaStreamUpdateCaptureDependencies);

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode) {
  if (!mode)
    return recordError(cudaErrorInvalidValue);
  std::swap(*mode, threadState().captureMode);
  return cudaSuccess;
}

} // extern "C"
