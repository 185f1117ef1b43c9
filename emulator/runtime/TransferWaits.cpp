//===- TransferWaits.cpp - Which waits of the host nobody needs -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/TransferWaits.h"

#include "emulator/trace/HostTrace.h"

#include <algorithm>
#include <utility>

namespace gpulto::emu {

static void advance(StreamClock &clock, const StreamClock &other) {
  for (auto [stream, number] : other)
    clock[stream] = std::max(clock[stream], number);
}

static bool covers(const StreamClock &clock, uint64_t stream, uint64_t number) {
  auto found = clock.find(stream);
  return found != clock.end() && found->second >= number;
}

TransferWaits::StreamState &TransferWaits::stateOf(const WaitStream &stream) {
  StreamState &state = streams[stream.id];
  state.device = stream.device;
  state.isLegacy = stream.isLegacy;
  state.isBlocking = stream.isBlocking;
  return state;
}

void TransferWaits::submit(const WaitStream &stream,
                           std::vector<WaitGuard> guards, bool maySpeak) {
  StreamState &state = stateOf(stream);
  for (const auto &[id, other] : streams)
    if (other.device == state.device && id != stream.id &&
        ((state.isLegacy && other.isBlocking) ||
         (other.isLegacy && state.isBlocking)))
      advance(state.clock, other.clock);
  state.clock[stream.id] = ++state.submitted;
  pending.push_back({stream.id, state.submitted, std::move(guards), maySpeak});
}

void TransferWaits::touch(const WaitGuard &guard) {
  if (!pending.empty())
    pending.back().guards.push_back(guard);
}

void TransferWaits::recordEvent(const WaitStream &stream, const void *event) {
  events[event] = stateOf(stream).clock;
}

void TransferWaits::waitEvent(const WaitStream &stream, const void *event) {
  advance(stateOf(stream).clock, events[event]);
}

void TransferWaits::hostWaitsForStream(uint32_t site, const WaitStream &stream,
                                       bool canMove, bool isForLast) {
  StreamClock clock = stateOf(stream).clock;
  if (!isForLast && clock[stream.id]) {
    std::erase_if(pending, [&](const Work &work) {
      return work.stream == stream.id && work.number == clock[stream.id];
    });
    --clock[stream.id];
  }
  hostWaits(site, clock, canMove);
}

void TransferWaits::hostWaitsForEvent(uint32_t site, const void *event,
                                      bool canMove) {
  hostWaits(site, events[event], canMove);
}

void TransferWaits::hostWaitsForDevice(uint32_t site, unsigned device,
                                       bool canMove) {
  StreamClock all;
  for (const auto &[id, state] : streams)
    if (state.device == device)
      advance(all, state.clock);
  hostWaits(site, all, canMove);
}

void TransferWaits::hostWaits(uint32_t site, const StreamClock &upTo,
                              bool canMove) {
  ++sites[site].executions;
  std::erase_if(windows, [&](const Window &window) {
    bool isCovered =
        std::all_of(window.clock.begin(), window.clock.end(), [&](auto item) {
          return covers(upTo, item.first, item.second);
        });
    if (isCovered)
      close(window);
    return isCovered;
  });
  Window window;
  window.site = site;
  window.canMove = canMove;
  window.observers =
      std::exchange(nextIsUsed, false) ? 1u << kGpultoTraceErrorCode : 0;
  std::erase_if(pending, [&](const Work &work) {
    if (!covers(upTo, work.stream, work.number))
      return false;
    window.clock[work.stream] =
        std::max(window.clock[work.stream], work.number);
    window.guards.insert(window.guards.end(), work.guards.begin(),
                         work.guards.end());
    window.maySpeak |= work.maySpeak;
    return true;
  });
  if (!window.clock.empty()) {
    ++sites[site].withWork;
    newGuards.insert(newGuards.end(), window.guards.begin(),
                     window.guards.end());
    windows.push_back(std::move(window));
  }
  waiting = !windows.empty();
}

void TransferWaits::access(uint64_t address, uint64_t bytes, bool isStore) {
  for (Window &window : windows)
    if (!window.isNeeded)
      for (const WaitGuard &guard : window.guards)
        window.isNeeded |= (guard.isWritten || isStore) &&
                           address < guard.end && guard.begin < address + bytes;
}

void TransferWaits::observe(unsigned observer) {
  for (Window &window : windows)
    if (observer != kGpultoTraceOutput || window.maySpeak)
      window.observers |= 1u << observer;
}

void TransferWaits::close(const Window &window) {
  WaitTotals &totals = sites[window.site];
  if (window.isNeeded)
    return;
  ++totals.unneeded;
  for (unsigned observer = 0; observer < 32; ++observer)
    if (window.observers >> observer & 1)
      ++totals.observed[observer];
  if (!window.observers && window.canMove)
    ++totals.movable;
}

void TransferWaits::finish() {
  observe(kGpultoTraceExit);
  for (const Window &window : windows)
    close(window);
  windows.clear();
  waiting = 0;
}

std::vector<WaitGuard> TransferWaits::takeNewGuards() {
  return std::exchange(newGuards, {});
}

} // namespace gpulto::emu
