//===- TimeTrace.cpp - One time trace of a link and its jobs --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/link/TimeTrace.h"

#include "support/Error.h"
#include "support/Subprocess.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gpulto {

/// Shortest span that the trace shows, in microseconds.
static constexpr unsigned kGranularityUs = 100;

TimeTrace::TimeTrace(StringRef file) : file(file) {
  ownsProfiler = !file.empty() && !timeTraceProfilerEnabled();
  if (ownsProfiler)
    timeTraceProfilerInitialize(kGranularityUs, "gpulto");
}

TimeTrace::~TimeTrace() {
  if (ownsProfiler)
    timeTraceProfilerCleanup();
}

std::string jobTracePath(StringRef prefix) {
  return (prefix + ".trace.json").str();
}

void beginJobTrace() {
  if (!timeTraceProfilerEnabled())
    return;
  timeTraceProfilerCleanup();
  timeTraceProfilerInitialize(kGranularityUs, "gpulto ltrans");
}

Error endJobTrace(StringRef path) {
  if (!timeTraceProfilerEnabled())
    return Error::success();
  SmallString<0> text;
  raw_svector_ostream stream(text);
  timeTraceProfilerWrite(stream);
  timeTraceProfilerCleanup();
  return writeFileAtomically(path, text);
}

/// Parses a trace that LLVM's profiler wrote.
static Expected<json::Object> parseTrace(StringRef text, StringRef path) {
  Expected<json::Value> value = json::parse(text);
  if (!value)
    return inputError(InputLocation(path), toString(value.takeError()));
  json::Object *object = value->getAsObject();
  if (!object || !object->getArray("traceEvents"))
    return inputError(InputLocation(path), "not a time trace");
  return std::move(*object);
}

/// Moves \p from's events to \p events as those of process \p process; their
/// clock started \p shiftUs after that of the link.
static void takeEvents(json::Object &from, int64_t process, int64_t shiftUs,
                       json::Array &events) {
  for (json::Value &event : *from.getArray("traceEvents")) {
    json::Object *fields = event.getAsObject();
    if (!fields)
      continue;
    (*fields)["pid"] = process;
    if (std::optional<int64_t> time = fields->getInteger("ts"))
      (*fields)["ts"] = *time + shiftUs;
    events.push_back(std::move(event));
  }
}

Error TimeTrace::write(ArrayRef<std::string> jobPrefixes) {
  if (file.empty())
    return Error::success();
  SmallString<0> text;
  raw_svector_ostream stream(text);
  timeTraceProfilerWrite(stream);
  Expected<json::Object> link = parseTrace(text, file);
  if (!link)
    return link.takeError();
  int64_t begin = link->getInteger("beginningOfTime").value_or(0);
  json::Array events;
  takeEvents(*link, 0, 0, events);
  for (auto [index, prefix] : enumerate(jobPrefixes)) {
    std::string path = jobTracePath(prefix);
    ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(path);
    if (!buffer)
      return inputError(InputLocation(path), buffer.getError().message());
    Expected<json::Object> job = parseTrace((*buffer)->getBuffer(), path);
    if (!job)
      return job.takeError();
    int64_t start = job->getInteger("beginningOfTime").value_or(begin);
    takeEvents(*job, static_cast<int64_t>(index) + 1, start - begin, events);
  }
  json::Value result = json::Object{{"traceEvents", std::move(events)},
                                    {"beginningOfTime", begin}};
  return writeFileAtomically(file, formatv("{0}\n", result).str());
}

} // namespace gpulto
