//===- Stream.h - Streams, events and stream capture -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file The objects behind cudaStream_t and cudaEvent_t. Streams carry their
/// identity and, while captured, the place of the next node in the graph. What
/// waits in them, if anything does, is in Deferred.h.
///
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_RUNTIME_STREAM_H
#define GPULTO_EMULATOR_RUNTIME_STREAM_H

#include "emulator/runtime/Context.h"

#include <chrono>
#include <cuda_runtime_api.h>
#include <map>
#include <memory>
#include <vector>

namespace gpulto::emu {

class Runtime;
struct Graph;
struct GraphNode;
struct Stream;

/// A capture from begin to end; shared by the streams that take part.
struct Capture {
  unsigned long long id = 0;
  std::shared_ptr<Graph> graph;
  Stream *origin = nullptr;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  /// Set when a call was made that capture forbids; the end then fails.
  bool isInvalid = false;
  /// Last nodes of streams that took part and were destroyed; these too must
  /// have been joined.
  std::vector<GraphNode *> abandoned;
};

struct Stream {
  unsigned long long id = 0;
  unsigned device = 0;
  /// The context in which it was made; null for streams that always exist.
  const Context *context = nullptr;
  unsigned flags = cudaStreamDefault;
  int priority = 0;
  /// One of the streams that wait for all blocking ones, and those for it.
  bool isLegacy = false;
  std::shared_ptr<Capture> capture;
  /// The dependencies of the next captured node.
  std::vector<GraphNode *> tail;
  /// Values set by cudaStreamSetAttribute, to be read back.
  std::map<int, cudaLaunchAttributeValue> attributes;
};

struct Event {
  unsigned device = 0;
  const Context *context = nullptr;
  unsigned flags = cudaEventDefault;
  bool isRecorded = false;
  /// The last call that recorded it in a stream; unique in the process. 0 if a
  /// capture was later.
  uint64_t record = 0;
  /// The work after which it happens (Deferred.h); 0: none.
  uint64_t task = 0;
  std::chrono::steady_clock::time_point time;
  /// The capture in which it was recorded, if any.
  std::weak_ptr<Capture> capture;
  std::vector<GraphNode *> tail;
};

/// Finds the stream of a handle. The null handle and cudaStreamLegacy denote a
/// stream of the current device, cudaStreamPerThread one of the current device
/// and thread; so does the null handle with ThreadState::usesOwnStream. Null
/// for an invalid handle.
Stream *findStream(cudaStream_t handle);

/// Finds the event of a handle; null if there is none.
Event *findEvent(cudaEvent_t handle);

/// Makes a stream of the current device; \p flags and \p priority have been
/// checked.
Stream *createStream(unsigned flags, int priority);
void destroyStream(Stream *stream);
Event *createEvent(unsigned flags);
void destroyEvent(Event *event);
/// Forgets all streams and events of a device.
void destroyAllStreams(unsigned device);
/// Forgets all streams and events made in a context.
void destroyStreamsOf(const Context &context);
/// Forgets the cudaStreamPerThread streams of a thread that has ended.
void destroyThreadStreams(uint64_t thread);

/// Returns the streams that take part in \p capture, by age.
std::vector<Stream *> streamsOf(const Capture &capture);

/// True if some stream that synchronizes with the current device's legacy
/// stream is being captured, so that using the latter is an error.
bool legacyStreamIsBlocked();

/// Returns the result of an operation that waits for \p stream: an error if the
/// stream is being captured (the call then invalidates the capture).
cudaError_t checkNotCapturing(Stream &stream);

/// Records \p event on \p stream, by time or, under capture, by place.
cudaError_t recordEvent(Runtime &runtime, Event &event, cudaStream_t stream,
                        unsigned flags);
/// Makes \p stream wait for \p event; may pull it into the event's capture.
cudaError_t waitEvent(Runtime &runtime, cudaStream_t stream, Event &event,
                      unsigned flags);

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_RUNTIME_STREAM_H
