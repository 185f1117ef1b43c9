//===- TransferLog.cpp - A log of copies and waits ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/TransferLog.h"

#include "emulator/machine/JsonText.h"
#include "emulator/runtime/Runtime.h"
#include "emulator/runtime/Stream.h"
#include "emulator/trace/HostTrace.h"

#include <algorithm>

namespace gpulto::emu {

static const char *const kDirectionNames[] = {
    "host to device", "device to host", "device to device", "host to host"};

static const char *const kObserverNames[] = {
    "",      "clock",      "output",        "exit", "profiler",
    "event", "error code", "host function", "lock", "untraced code"};

static WaitStream described(const Stream &stream) {
  return {stream.id, stream.device, stream.isLegacy,
          !stream.isLegacy && !(stream.flags & cudaStreamNonBlocking)};
}

/// Whether the emulator counts the memory as the host's.
static bool isOfHost(AllocationKind kind) {
  return kind == AllocationKind::Host ||
         kind == AllocationKind::HostRegistered ||
         kind == AllocationKind::Pageable ||
         kind == AllocationKind::PageableConst;
}

// What the program's host code tells ------------------------------------------

void TransferLog::hostAccess(uintptr_t address, size_t bytes, int isStore) {
  TransferLog &log = *Runtime::get().transfers;
  std::lock_guard lock(log.shadow.mutex);
  if (isStore)
    log.shadow.write(address, bytes);
  else
    log.shadow.read(address, bytes);
  log.waits.access(address, bytes, isStore);
}

/// The code may read and store whatever copies have touched there.
void TransferLog::hostPointer(uintptr_t address, int isReadOnly) {
  CopyRow range;
  {
    TransferLog &log = *Runtime::get().transfers;
    std::lock_guard lock(log.shadow.mutex);
    range = log.shadow.neighborhood(address);
  }
  if (!range.bytes)
    range = {address, 0, 1};
  hostAccess(range.to, range.bytes, 0);
  if (!isReadOnly)
    hostAccess(range.to, range.bytes, 1);
}

void TransferLog::hostEnd(uintptr_t address, size_t bytes) {
  TransferLog &log = *Runtime::get().transfers;
  std::lock_guard lock(log.shadow.mutex);
  log.shadow.forget(address, bytes);
  log.waits.access(address, bytes, /*isStore=*/true);
}

void TransferLog::hostObserve(int observer) {
  TransferLog &log = *Runtime::get().transfers;
  std::lock_guard lock(log.shadow.mutex);
  // Traced code says so before the call.
  if (observer == kGpultoTraceErrorCode)
    log.waits.useNextResult(true);
  else
    log.waits.observe(static_cast<unsigned>(observer));
}

const GpultoTraceHooks *TransferLog::traceHost() {
  std::lock_guard lock(shadow.mutex);
  if (!isHostTraced) {
    isHostTraced = true;
    hooks.version = kGpultoTraceVersion;
    hooks.filter = shadow.filter.data();
    hooks.filterBits = PageFilter::kEntryBits;
    hooks.filterMask = PageFilter::kTracked | PageFilter::kGuarded;
    hooks.isWaiting = waits.isWaiting();
    hooks.access = hostAccess;
    hooks.pointer = hostPointer;
    hooks.end = hostEnd;
    hooks.observe = hostObserve;
  }
  return &hooks;
}

void TransferLog::observe(int observer) {
  std::lock_guard lock(shadow.mutex);
  waits.observe(static_cast<unsigned>(observer));
}

// Work ------------------------------------------------------------------------

void TransferLog::submitting(const Stream &stream, Operation &operation) {
  std::lock_guard lock(shadow.mutex);
  bool maySpeak = false;
  if (auto *copy = std::get_if<CopyOp>(&operation))
    copy->site = sites.current();
  else if (auto *fill = std::get_if<FillOp>(&operation))
    fill->site = sites.current();
  else if (auto *kernel = std::get_if<KernelOp>(&operation))
    maySpeak = kernel->entry->on[kernel->device].kernel &&
               kernel->entry->on[kernel->device].kernel->info().maySpeak;
  else if (std::holds_alternative<HostOp>(operation))
    waits.observe(kGpultoTraceHostFunction);
  if (auto *record = std::get_if<EventRecordOp>(&operation)) {
    waits.observe(kGpultoTraceEvent);
    waits.recordEvent(described(stream), record->event);
    return;
  }
  waits.submit(described(stream), {}, maySpeak);
}

void TransferLog::submitted(const Stream &stream, const Operation &operation) {
  std::lock_guard lock(shadow.mutex);
  const auto *copy = std::get_if<CopyOp>(&operation);
  const auto *fill = std::get_if<FillOp>(&operation);
  if (!copy && !fill)
    return;
  uint32_t site = copy ? copy->site : fill->site;
  bool isAsync = sites[site].call.find("Async") != std::string::npos;
  CopyDirection direction = last.direction;
  bool isToHost = direction == CopyDirection::HostToHost;
  if (fill ? !isAsync && last.isHostShared : isToHost)
    waits.hostWaitsForStream(site, described(stream), false);
  else if (copy && !isAsync && direction == CopyDirection::DeviceToHost)
    waits.hostWaitsForStream(site, described(stream), last.isPageLocked);
  else if (copy && !isAsync && direction == CopyDirection::HostToDevice)
    waits.hostWaitsForStream(site, described(stream), last.isPageLocked,
                             /*isForLast=*/last.isPageLocked);
  waits.useNextResult(false);
  guardNew();
}

TransferLog::SiteFacts &TransferLog::factsOf(uint32_t site) {
  return facts[site];
}

/// Adds one side of a copy to what is known of the site.
void TransferLog::addSide(Runtime &runtime, SiteFacts &site, uint64_t address,
                          uint64_t bytes) {
  Allocation found;
  bool isKnown = runtime.device()->findAllocation(address, found);
  if (!isKnown || isOfHost(found.kind)) {
    last.isPageLocked = isKnown;
    site.isPageLocked &= isKnown;
    site.hostBegin = std::min(site.hostBegin, address);
    site.hostEnd = std::max(site.hostEnd, address + bytes);
  }
  last.isHostShared |= isKnown && (isOfHost(found.kind) ||
                                   found.kind == AllocationKind::Managed);
  if (!isKnown)
    return;
  auto [number, isNew] = numbers.try_emplace(found.address, objects.size());
  if (isNew)
    objects.push_back({objects.size(), found.sizeBytes, found.kind, 0});
  site.objects.insert(number->second);
}

void TransferLog::copying(Runtime &runtime, uint32_t site,
                          CopyDirection direction,
                          const std::vector<CopyRow> &rows) {
  std::lock_guard lock(shadow.mutex);
  if (!site)
    site = sites.current();
  SiteFacts &known = factsOf(site);
  known.direction = direction;
  last = {direction};
  for (const CopyRow &row : {rows.front(), rows.back()}) {
    addSide(runtime, known, row.to, row.bytes);
    addSide(runtime, known, row.from, row.bytes);
  }
  for (const CopyRow &row : rows)
    if (direction == CopyDirection::DeviceToHost)
      waits.touch({row.to, row.to + row.bytes, true});
    else if (direction == CopyDirection::HostToDevice && last.isPageLocked)
      waits.touch({row.from, row.from + row.bytes, false});
  shadow.copy(site, rows);
}

void TransferLog::filling(Runtime &runtime, uint32_t site,
                          const std::vector<CopyRow> &rows,
                          FillPattern pattern) {
  std::lock_guard lock(shadow.mutex);
  if (!site)
    site = sites.current();
  SiteFacts &known = factsOf(site);
  known.isFill = true;
  last = {};
  for (const CopyRow &row : {rows.front(), rows.back()})
    addSide(runtime, known, row.to, row.bytes);
  shadow.fill(site, rows, pattern);
}

std::unique_lock<std::mutex> TransferLog::beginKernel() {
  std::unique_lock lock(shadow.mutex);
  shadow.nextEpoch();
  return lock;
}

void TransferLog::endKernel(std::unique_lock<std::mutex> lock) {
  shadow.nextEpoch();
  WaitGuard guard;
  for (auto [block, isWritten] : shadow.takeTouched()) {
    if (block != guard.end || isWritten != guard.isWritten) {
      if (guard.end)
        waits.touch(guard);
      guard = {block, block, isWritten};
    }
    guard.end += MemoryShadow::kBlockBytes;
  }
  if (guard.end)
    waits.touch(guard);
  lock.unlock();
}

void TransferLog::allocated(uint64_t address, uint64_t sizeBytes,
                            AllocationKind kind) {
  std::lock_guard lock(shadow.mutex);
  numbers[address] = objects.size();
  objects.push_back({objects.size(), sizeBytes, kind, sites.current()});
  if (isForAllDevices(kind))
    shadow.filter.set(address, sizeBytes, PageFilter::kShared);
}

// Waits -----------------------------------------------------------------------

/// Has host code look at what has just been waited for.
void TransferLog::guardNew() {
  for (const WaitGuard &guard : waits.takeNewGuards())
    shadow.filter.set(guard.begin, guard.end - guard.begin,
                      PageFilter::kGuarded);
}

void TransferLog::waitForStream(const Stream &stream) {
  std::lock_guard lock(shadow.mutex);
  waits.hostWaitsForStream(sites.current(), described(stream), true);
  guardNew();
}

void TransferLog::waitForEvent(const Event &event) {
  std::lock_guard lock(shadow.mutex);
  waits.hostWaitsForEvent(sites.current(), &event, true);
  guardNew();
}

void TransferLog::waitForDevice(unsigned device, bool canMove) {
  std::lock_guard lock(shadow.mutex);
  waits.hostWaitsForDevice(sites.current(), device, canMove);
  guardNew();
}

void TransferLog::streamWaits(const Stream &stream, const Event &event) {
  std::lock_guard lock(shadow.mutex);
  waits.waitEvent(described(stream), &event);
}

// The document ----------------------------------------------------------------

static const char *nameOf(AllocationKind kind) {
  switch (kind) {
  case AllocationKind::Managed:
    return "managed";
  case AllocationKind::Host:
    return "pinned";
  case AllocationKind::HostRegistered:
    return "registered";
  case AllocationKind::Global:
  case AllocationKind::Constant:
    return "variable";
  case AllocationKind::Pageable:
  case AllocationKind::PageableConst:
    return "pageable";
  default:
    return "device";
  }
}

std::string TransferLog::placeText(uint32_t site) const {
  if (!site)
    return "\"call\": \"\", \"stack\": []";
  std::string text = "\"call\": " + quoted(sites[site].call) + ", \"stack\": [";
  const char *separator = "";
  for (uint64_t address : sites[site].stack) {
    CodePlace place = CallSites::placeOf(address);
    text += separator + ("{\"file\": " + quoted(place.file) + ", ") +
            number("address", place.address) + "}";
    separator = ", ";
  }
  return text + "]";
}

static std::string totalsText(const CopyTotals &totals) {
  const std::pair<const char *, uint64_t> members[] = {
      {"executions", totals.executions},
      {"bytes", totals.bytes},
      {"redundant_executions", totals.redundantExecutions},
      {"redundant", totals.redundantBytes},
      {"redundant_part", totals.redundantPartBytes},
      {"coincident_executions", totals.coincidentExecutions},
      {"coincident", totals.coincidentBytes},
      {"dead_executions", totals.deadExecutions},
      {"dead", totals.deadBytes},
      {"dead_part", totals.deadPartBytes},
      {"unseen", totals.unseenBytes}};
  std::string text;
  for (auto [name, value] : members)
    text += (text.empty() ? "" : ", ") + number(name, value);
  return text;
}

std::string TransferLog::copiesText() const {
  std::string text;
  for (const auto &[site, known] : facts) {
    std::string numbersText;
    for (uint64_t object : known.objects)
      numbersText += (numbersText.empty() ? "" : ", ") + std::to_string(object);
    text += text.empty() ? "\n" : ",\n";
    text += "  {\"kind\": ";
    text += known.isFill ? "\"fill\"" : "\"copy\"";
    if (!known.isFill)
      text +=
          ", \"direction\": \"" +
          std::string(kDirectionNames[static_cast<size_t>(known.direction)]) +
          "\"";
    text += ", " + totalsText(shadow.totals(site)) + ", \"objects\": [" +
            numbersText + "]";
    if (known.hostEnd)
      text += ", \"host\": [" + std::to_string(known.hostBegin) + ", " +
              std::to_string(known.hostEnd) +
              "], \"page_locked\": " + (known.isPageLocked ? "true" : "false");
    text += ", " + placeText(site) + "}";
  }
  return text;
}

std::string TransferLog::waitsText() const {
  std::string text;
  for (const auto &[site, totals] : waits.totals()) {
    std::string observers;
    for (auto [observer, count] : totals.observed)
      observers += (observers.empty() ? "" : ", ") +
                   number(kObserverNames[observer], count);
    text += text.empty() ? "\n" : ",\n";
    text += "  {" + number("executions", totals.executions) + ", " +
            number("with_work", totals.withWork) + ", " +
            number("unneeded", totals.unneeded) + ", " +
            number("movable", totals.movable) + ", \"observers\": {" +
            observers + "}, " + placeText(site) + "}";
  }
  return text;
}

std::string TransferLog::objectsText() const {
  std::string text;
  for (const Object &object : objects) {
    text += text.empty() ? "\n" : ",\n";
    text += "  {" + number("number", object.number) + ", " +
            number("bytes", object.sizeBytes) + ", \"kind\": \"" +
            nameOf(object.kind) + "\", " + placeText(object.site) + "}";
  }
  return text;
}

std::string TransferLog::json() {
  std::lock_guard lock(shadow.mutex);
  shadow.finish();
  waits.finish();
  return std::string("{\"host_traced\": ") + (isHostTraced ? "true" : "false") +
         ",\n \"copies\": [" + copiesText() + "],\n \"waits\": [" +
         waitsText() + "],\n \"objects\": [" + objectsText() + "]}\n";
}

} // namespace gpulto::emu

extern "C" const GpultoTraceHooks *gpultoEmulatorTraceHooks(void) {
  gpulto::emu::TransferLog *log = gpulto::emu::Runtime::get().transfers.get();
  return log ? log->traceHost() : nullptr;
}
