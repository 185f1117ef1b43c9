//===- Jobserver.h - GNU make jobserver client ------------------*- C++ -*-===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The protocol: make owns a pipe (or fifo) with one byte per job that may run
// beyond the first. A client reads a byte before it starts a job and writes the
// same byte back when the job has ended. Every client has one implicit slot
// that it need not request: the one it was started in. See "Job Slots" in the
// GNU make manual; the division into implicit and explicit slots is as in
// ninja's jobserver.h.
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_SUPPORT_JOBSERVER_H
#define GPULTO_SUPPORT_JOBSERVER_H

#include "llvm/ADT/StringRef.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gpulto {

/// How hard to try to connect.
enum class JobserverMode : uint8_t {
  Auto,   ///< as Strict; when the descriptors did not reach this process
          ///< (recipe without `+`), they are taken from make through /proc
  Strict, ///< only what MAKEFLAGS names and this process may use directly
  Off     ///< no jobserver
};

class JobserverClient;

/// The right to run one job. Returned when destroyed.
class JobSlot {
public:
  /// An invalid slot.
  JobSlot() = default;
  JobSlot(JobSlot &&other) noexcept { swap(other); }
  JobSlot &operator=(JobSlot &&other) noexcept {
    JobSlot(std::move(other)).swap(*this);
    return *this;
  }
  JobSlot(const JobSlot &) = delete;
  JobSlot &operator=(const JobSlot &) = delete;
  ~JobSlot() { release(); }

  bool isValid() const { return state != State::Invalid; }
  bool isImplicit() const { return state == State::Implicit; }
  bool isExplicit() const { return state == State::Explicit; }
  explicit operator bool() const { return isValid(); }

  /// Returns the slot now; it is invalid afterwards. In a forked child this
  /// does nothing: tokens belong to the process that read them.
  void release();

private:
  friend class JobserverClient;
  enum class State : uint8_t { Invalid, Implicit, Explicit };
  JobSlot(State state, uint32_t registryIndex, JobserverClient *owner)
      : state(state), registryIndex(registryIndex), owner(owner) {}
  void swap(JobSlot &other) noexcept {
    std::swap(state, other.state);
    std::swap(registryIndex, other.registryIndex);
    std::swap(owner, other.owner);
  }

  State state = State::Invalid;
  uint32_t registryIndex = 0;
  JobserverClient *owner = nullptr;
};

/// The outcome of an attempt to connect.
enum class JobserverStatus : uint8_t {
  Connected,
  None,       ///< MAKEFLAGS names no jobserver, or the mode is Off
  Unreachable ///< one is named but unusable: run one job at a time
};

/// A connection and how it came about.
struct JobserverConnection {
  JobserverStatus status = JobserverStatus::None;
  std::unique_ptr<JobserverClient> client; ///< set if Connected
  std::string detail; ///< how connected, or why not; for -v and warnings
};

/// A client of the jobserver of GNU make (3.80 and newer) or ninja (1.13).
/// Thread-safe. All slots must be gone before the client is destroyed.
///
/// Tokens are read through a file description of our own (reopened, with
/// O_NONBLOCK), so the blocking mode that make and its other children share is
/// never changed and no read can block. Held tokens are written back even if
/// the process dies from a signal that it may catch.
class JobserverClient {
public:
  ~JobserverClient();
  JobserverClient(const JobserverClient &) = delete;
  JobserverClient &operator=(const JobserverClient &) = delete;

  /// Connects to what the environment variable MAKEFLAGS names.
  static JobserverConnection
  fromEnvironment(JobserverMode mode = JobserverMode::Auto);
  /// Connects to what \p makeflags names.
  static JobserverConnection
  fromMakeflags(llvm::StringRef makeflags,
                JobserverMode mode = JobserverMode::Auto);

  /// Returns the implicit slot if it is free, else a slot for a token if one is
  /// available, else an invalid slot. Never blocks.
  JobSlot tryAcquire();
  /// As tryAcquire(), waiting up to \p timeout for a token.
  JobSlot acquire(std::chrono::milliseconds timeout);

  /// Whether tryAcquire() would return the implicit slot now.
  bool isImplicitFree() const { return !implicitTaken.load(); }

  /// Returns a descriptor that polls readable when a token may be available,
  /// for a caller's own poll loop. Owned by the client; do not read from it.
  int pollFd() const { return readFd; }

  /// Returns how many tokens are held (the implicit slot not counted).
  unsigned heldTokens() const;

  /// Writes back all tokens that this process holds, for an exit that runs no
  /// destructors. Async-signal-safe. The slots stay valid and return nothing.
  static void releaseAllHeldTokens();

private:
  friend class JobSlot;
  JobserverClient(int readFd, int writeFd);
  void releaseImplicit();
  int readToken(uint8_t &token);

  int readFd;
  int writeFd;
  std::atomic<bool> implicitTaken = false;
  std::atomic<unsigned> held = 0;
};

/// Returns the number of slots available without tokens, if \p status says that
/// there is no usable jobserver: \p most or, if that is 0, one for each core;
/// one if the jobserver is unreachable.
unsigned slotsWithoutTokens(JobserverStatus status, unsigned most);

/// The right to run several threads in this process while it runs no jobs.
struct ThreadSlots {
  JobserverConnection connection;
  std::vector<JobSlot> slots; ///< destroyed before the connection
  unsigned count = 1;
};

/// Returns the right to as many threads as the jobserver grants immediately or,
/// without one, as there are cores; at most \p most if that is not 0.
ThreadSlots takeThreadSlots(JobserverMode mode, unsigned most);

} // namespace gpulto

#endif // GPULTO_SUPPORT_JOBSERVER_H
