//===- Stream.cpp - Streams, events and stream capture --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/Stream.h"

#include "emulator/runtime/Graph.h"
#include "emulator/runtime/Runtime.h"

#include <algorithm>

namespace gpulto::emu {
namespace {

/// All streams and events of the process; guarded by the runtime's mutex.
struct Objects {
  Stream legacy, perThread;
  std::map<const void *, std::unique_ptr<Stream>> streams;
  std::map<const void *, std::unique_ptr<Event>> events;
  unsigned long long nextStreamId = 3;
};

Objects &objects() {
  static Objects *all = [] {
    auto *made = new Objects; // never destroyed, as the Runtime
    made->legacy.id = 1;
    made->perThread.id = 2;
    return made;
  }();
  return *all;
}

void appendUnique(std::vector<GraphNode *> &to,
                  const std::vector<GraphNode *> &from) {
  for (GraphNode *node : from)
    if (std::find(to.begin(), to.end(), node) == to.end())
      to.push_back(node);
}

} // namespace

Stream *findStream(cudaStream_t handle) {
  Objects &all = objects();
  if (handle == nullptr || handle == cudaStreamLegacy)
    return &all.legacy;
  if (handle == cudaStreamPerThread)
    return &all.perThread;
  auto found = all.streams.find(handle);
  return found == all.streams.end() ? nullptr : found->second.get();
}

Event *findEvent(cudaEvent_t handle) {
  Objects &all = objects();
  auto found = all.events.find(handle);
  return found == all.events.end() ? nullptr : found->second.get();
}

Stream *createStream(unsigned flags, int priority) {
  auto stream = std::make_unique<Stream>();
  stream->id = objects().nextStreamId++;
  stream->flags = flags;
  stream->priority = priority;
  Stream *result = stream.get();
  objects().streams.emplace(result, std::move(stream));
  return result;
}

void destroyStream(Stream *stream) {
  if (Capture *capture = stream->capture.get()) {
    capture->isInvalid |= capture->origin == stream;
    appendUnique(capture->abandoned, stream->tail);
  }
  objects().streams.erase(stream);
}

Event *createEvent(unsigned flags) {
  auto event = std::make_unique<Event>();
  event->flags = flags;
  Event *result = event.get();
  objects().events.emplace(result, std::move(event));
  return result;
}

void destroyEvent(Event *event) { objects().events.erase(event); }

void destroyAllStreams() {
  objects().streams.clear();
  objects().events.clear();
  objects().legacy.capture.reset();
  objects().perThread.capture.reset();
}

std::vector<Stream *> streamsOf(const Capture &capture) {
  std::vector<Stream *> result;
  for (const auto &[handle, stream] : objects().streams)
    if (stream->capture.get() == &capture)
      result.push_back(stream.get());
  if (objects().perThread.capture.get() == &capture)
    result.push_back(&objects().perThread);
  std::sort(result.begin(), result.end(),
            [](const Stream *a, const Stream *b) { return a->id < b->id; });
  return result;
}

bool legacyStreamIsBlocked() {
  for (const auto &[handle, stream] : objects().streams)
    if (stream->capture && !(stream->flags & cudaStreamNonBlocking))
      return true;
  return false;
}

cudaError_t checkNotCapturing(Stream &stream) {
  if (!stream.capture)
    return cudaSuccess;
  stream.capture->isInvalid = true;
  return cudaErrorStreamCaptureUnsupported;
}

cudaError_t recordEvent(Runtime &runtime, Event &event, cudaStream_t handle,
                        unsigned flags) {
  Stream *stream = findStream(handle);
  if (!stream)
    return cudaErrorInvalidResourceHandle;
  if (!stream->capture || (flags & cudaEventRecordExternal))
    return submit(runtime, handle, EventRecordOp{&event});
  if (stream->capture->isInvalid)
    return cudaErrorStreamCaptureInvalidated;
  event.capture = stream->capture;
  event.tail = stream->tail;
  return cudaSuccess;
}

cudaError_t waitEvent(Runtime &runtime, cudaStream_t handle, Event &event,
                      unsigned flags) {
  Stream *stream = findStream(handle);
  if (!stream)
    return cudaErrorInvalidResourceHandle;
  if (flags & cudaEventWaitExternal)
    return submit(runtime, handle, EventWaitOp{&event});
  std::shared_ptr<Capture> capture = event.capture.lock();
  if (!capture) {
    // Waiting inside a capture for work outside of it is not allowed.
    if (stream->capture) {
      stream->capture->isInvalid = true;
      return cudaErrorStreamCaptureIsolation;
    }
    return cudaSuccess;
  }
  if (stream->capture && stream->capture != capture) {
    capture->isInvalid = stream->capture->isInvalid = true;
    return cudaErrorStreamCaptureMerge;
  }
  if (!stream->capture) {
    stream->capture = capture;
    stream->tail.clear();
  }
  appendUnique(stream->tail, event.tail);
  return cudaSuccess;
}

} // namespace gpulto::emu
