//===- TransferWaits.h - Which waits of the host nobody needs ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Follows the work in streams by what has been waited for, not by what has
/// run: the emulator may run work when it is submitted. Each stream counts its
/// work, and a *clock* says, for each stream, up to which work something is
/// known to be done: after a wait for an event, after the other streams if it
/// is the legacy one. The host's waits have clocks, too.
///
/// A wait for work that nobody had waited for opens a *window*, which the next
/// wait that covers the same work closes. If meanwhile the host did not touch
/// what the work reads or writes, nobody needed the wait. If nothing else saw
/// that it had waited either (GpultoTraceObserver), it could have been left to
/// the next one.
///
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_RUNTIME_TRANSFERWAITS_H
#define GPULTO_EMULATOR_RUNTIME_TRANSFERWAITS_H

#include <cstdint>
#include <map>
#include <vector>

namespace gpulto::emu {

/// For streams by id, how much of their work.
using StreamClock = std::map<uint64_t, uint64_t>;

/// Memory of the host that work reads or writes when it runs.
struct WaitGuard {
  uint64_t begin = 0, end = 0;
  bool isWritten = false;
};

/// The waits of one site.
struct WaitTotals {
  uint64_t executions = 0;
  uint64_t withWork = 0; ///< There was something to wait for.
  uint64_t unneeded = 0; ///< Of these: the host touched nothing of it.
  uint64_t movable = 0;  ///< Of these: nobody could tell.
  /// By observer: the unneeded ones that it saw.
  std::map<unsigned, uint64_t> observed;
};

/// What a stream is, beside its id.
struct WaitStream {
  uint64_t id = 0;
  unsigned device = 0;
  bool isLegacy = false;
  /// Waits for the legacy stream, and it for this one.
  bool isBlocking = true;
};

/// See the head of the file. Not thread-safe.
class TransferWaits {
public:
  /// Adds work. \p maySpeak: it may print, assert or trap.
  void submit(const WaitStream &stream, std::vector<WaitGuard> guards,
              bool maySpeak);
  /// Adds to what the last work of all touches.
  void touch(const WaitGuard &guard);
  void recordEvent(const WaitStream &stream, const void *event);
  void waitEvent(const WaitStream &stream, const void *event);

  /// The host waits at \p site. \p canMove: as far as the call is concerned.
  /// Not \p isForLast: but not for the stream's last work, which nobody will
  /// have to wait for.
  void hostWaitsForStream(uint32_t site, const WaitStream &stream, bool canMove,
                          bool isForLast = true);
  void hostWaitsForEvent(uint32_t site, const void *event, bool canMove);
  void hostWaitsForDevice(uint32_t site, unsigned device, bool canMove);

  /// The host loads or stores.
  void access(uint64_t address, uint64_t bytes, bool isStore);
  void observe(unsigned observer);
  /// The result of the call that comes next is used, or is not.
  void useNextResult(bool isUsed) { nextIsUsed = isUsed; }
  /// Closes all windows.
  void finish();

  /// Not 0 while there is a window.
  const uint8_t *isWaiting() const { return &waiting; }
  /// The guards of the windows that opened since the last call.
  std::vector<WaitGuard> takeNewGuards();
  const std::map<uint32_t, WaitTotals> &totals() const { return sites; }

private:
  struct StreamState {
    unsigned device = 0;
    bool isLegacy = false, isBlocking = true;
    uint64_t submitted = 0;
    StreamClock clock;
  };
  struct Work {
    uint64_t stream, number;
    std::vector<WaitGuard> guards;
    bool maySpeak;
  };
  struct Window {
    uint32_t site;
    StreamClock clock;
    std::vector<WaitGuard> guards;
    bool maySpeak = false, canMove = true, isNeeded = false;
    uint32_t observers = 0; ///< A bit for each.
  };

  StreamState &stateOf(const WaitStream &stream);
  void hostWaits(uint32_t site, const StreamClock &upTo, bool canMove);
  void close(const Window &window);

  std::map<uint64_t, StreamState> streams;
  std::map<const void *, StreamClock> events;
  std::vector<Work> pending;
  std::vector<Window> windows;
  std::vector<WaitGuard> newGuards;
  std::map<uint32_t, WaitTotals> sites;
  bool nextIsUsed = false;
  uint8_t waiting = 0;
};

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_RUNTIME_TRANSFERWAITS_H
