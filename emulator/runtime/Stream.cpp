//===- Stream.cpp - Streams, events and stream capture --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/Stream.h"

#include "emulator/runtime/Deferred.h"
#include "emulator/runtime/Graph.h"
#include "emulator/runtime/Runtime.h"
#include "emulator/runtime/TransferLog.h"

#include <algorithm>

namespace gpulto::emu {
namespace {

/// All streams and events of the process; guarded by the runtime's mutex.
struct Objects {
  std::array<Stream, kMaxDevices> legacy;
  /// By thread and device.
  std::map<std::pair<uint64_t, unsigned>, Stream> perThread;
  std::map<const void *, std::unique_ptr<Stream>> streams;
  std::map<const void *, std::unique_ptr<Event>> events;
  unsigned long long nextStreamId = 1;
  uint64_t nextRecord = 1;
};

Objects &objects() {
  static Objects *all = [] {
    auto *made = new Objects; // never destroyed, as the Runtime
    for (unsigned i = 0; i < kMaxDevices; ++i) {
      made->legacy[i].id = made->nextStreamId++;
      made->legacy[i].device = i;
      made->legacy[i].isLegacy = true;
    }
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

Stream &perThreadStream() {
  const ThreadState &thread = threadState();
  auto [found, isNew] =
      objects().perThread.try_emplace({thread.id, thread.device});
  if (isNew) {
    found->second.id = objects().nextStreamId++;
    found->second.device = thread.device;
  }
  return found->second;
}

/// What a stream that goes away leaves in its capture.
void leaveCapture(Stream &stream) {
  Capture *capture = stream.capture.get();
  if (!capture)
    return;
  capture->isInvalid |= capture->origin == &stream;
  appendUnique(capture->abandoned, stream.tail);
}

} // namespace

Stream *findStream(cudaStream_t handle) {
  Objects &all = objects();
  const ThreadState &thread = threadState();
  if (handle == cudaStreamPerThread || (!handle && thread.usesOwnStream))
    return &perThreadStream();
  if (handle == nullptr || handle == cudaStreamLegacy)
    return &all.legacy[thread.device];
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
  stream->device = threadState().device;
  stream->context = currentContext();
  stream->flags = flags;
  stream->priority = priority;
  Stream *result = stream.get();
  objects().streams.emplace(result, std::move(stream));
  return result;
}

void destroyStream(Stream *stream) {
  leaveCapture(*stream);
  objects().streams.erase(stream);
}

Event *createEvent(unsigned flags) {
  auto event = std::make_unique<Event>();
  event->device = threadState().device;
  event->context = currentContext();
  event->flags = flags;
  Event *result = event.get();
  objects().events.emplace(result, std::move(event));
  return result;
}

void destroyEvent(Event *event) { objects().events.erase(event); }

void destroyAllStreams(unsigned device) {
  Objects &all = objects();
  std::erase_if(all.streams, [&](const auto &item) {
    return item.second->device == device;
  });
  std::erase_if(all.events, [&](const auto &item) {
    return item.second->device == device;
  });
  std::erase_if(all.perThread,
                [&](const auto &item) { return item.second.device == device; });
  all.legacy[device].capture.reset();
}

void destroyStreamsOf(const Context &context) {
  Objects &all = objects();
  std::erase_if(all.streams, [&](const auto &item) {
    if (item.second->context != &context)
      return false;
    leaveCapture(*item.second);
    return true;
  });
  std::erase_if(all.events, [&](const auto &item) {
    return item.second->context == &context;
  });
}

void destroyThreadStreams(uint64_t thread) {
  auto &streams = objects().perThread;
  auto first = streams.lower_bound({thread, 0});
  auto last = streams.lower_bound({thread + 1, 0});
  for (auto it = first; it != last; ++it)
    leaveCapture(it->second);
  streams.erase(first, last);
}

std::vector<Stream *> streamsOf(const Capture &capture) {
  std::vector<Stream *> result;
  for (const auto &[handle, stream] : objects().streams)
    if (stream->capture.get() == &capture)
      result.push_back(stream.get());
  for (auto &[place, stream] : objects().perThread)
    if (stream.capture.get() == &capture)
      result.push_back(&stream);
  std::sort(result.begin(), result.end(),
            [](const Stream *a, const Stream *b) { return a->id < b->id; });
  return result;
}

bool legacyStreamIsBlocked() {
  for (const auto &[handle, stream] : objects().streams)
    if (stream->capture && !(stream->flags & cudaStreamNonBlocking) &&
        stream->device == threadState().device)
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
  if (!stream || stream->device != event.device)
    return cudaErrorInvalidResourceHandle;
  if (!stream->capture) {
    // Before it is submitted, so that it counts if it runs at once.
    EventRecordOp op{&event, objects().nextRecord++};
    event.record = op.record;
    return submit(runtime, handle, op);
  }
  if (flags & cudaEventRecordExternal)
    return submit(runtime, handle, EventRecordOp{&event});
  if (stream->capture->isInvalid)
    return cudaErrorStreamCaptureInvalidated;
  event.record = event.task = 0;
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
  if (!stream->capture && isPending(event.task))
    return submit(runtime, handle, EventWaitOp{&event});
  std::shared_ptr<Capture> capture = event.capture.lock();
  if (!capture) {
    // Waiting inside a capture for work outside of it is not allowed.
    if (stream->capture) {
      stream->capture->isInvalid = true;
      return cudaErrorStreamCaptureIsolation;
    }
    if (runtime.transfers)
      runtime.transfers->streamWaits(*stream, event);
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
