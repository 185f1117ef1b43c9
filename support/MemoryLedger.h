//===- MemoryLedger.h - Memory that processes have reserved -----*- C++ -*-===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Links that run at the same time must know about each other's jobs. Each job
// holds a lock on a range of bytes of one directory, whose length is the memory
// that it may take; the sum of all is the reserved memory. A link whose next
// job has to wait says so with another lock, so that others do not overtake it
// forever.
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_SUPPORT_MEMORYLEDGER_H
#define GPULTO_SUPPORT_MEMORYLEDGER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <sys/types.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace gpulto {

/// Memory that one process has reserved.
struct ReservedMemory {
  /// The process that uses it; 0 if it does not exist yet.
  pid_t process = 0;
  uint64_t bytes = 0;
};

/// Memory that a process waits for.
struct MemoryClaim {
  /// The process that waits, and since when, in milliseconds of a clock that
  /// all share.
  uint64_t sinceMs = 0;
  pid_t process = 0;
  uint64_t bytes = 0;
  /// The largest total reservation at which it gets them; UINT64_MAX: unknown.
  uint64_t limitBytes = UINT64_MAX;
  /// Whether this one is to be served before \p other.
  bool isBefore(const MemoryClaim &other) const {
    return std::pair(sinceMs, process) <
           std::pair(other.sinceMs, other.process);
  }
};

/// A reservation, or a claim. It ends when it has been destroyed in this
/// process and in all children forked while it existed, however they end.
class MemoryReservation {
public:
  /// Reserves nothing.
  MemoryReservation() = default;
  MemoryReservation(MemoryReservation &&other) noexcept
      : descriptor(std::exchange(other.descriptor, -1)), bytes(other.bytes) {}
  MemoryReservation &operator=(MemoryReservation &&other) noexcept {
    std::swap(descriptor, other.descriptor);
    std::swap(bytes, other.bytes);
    return *this;
  }
  MemoryReservation(const MemoryReservation &) = delete;
  MemoryReservation &operator=(const MemoryReservation &) = delete;
  ~MemoryReservation();

  /// Records that \p process, a child forked since, uses it. Errors: the system
  /// has no more locks.
  llvm::Error assignTo(pid_t process);

private:
  friend class MemoryLedger;
  int descriptor = -1;
  uint64_t bytes = 0;
};

/// The reservations of this machine, by all processes that see the same
/// directory. Nothing is written, and a process's reservations end with it. No
/// call waits. Not thread-safe.
class MemoryLedger {
public:
  /// Every process sees the root directory and may lock parts of it. \p self is
  /// the process that claims; only tests pass another one than this.
  explicit MemoryLedger(std::string directory = "/", pid_t self = getpid())
      : directory(std::move(directory)), self(self) {}

  /// Reserves \p bytes, at most 1 TiB, whatever others have reserved. Errors:
  /// the system lacks such locks, or has no more of them.
  llvm::Expected<MemoryReservation> reserve(uint64_t bytes) const;

  /// Returns all reservations except \p own, in no particular order. Errors: as
  /// above.
  llvm::Expected<std::vector<ReservedMemory>>
  others(const MemoryReservation &own) const;

  /// Returns all reservations. Errors: as above.
  llvm::Expected<std::vector<ReservedMemory>> all() const;

  /// Tells the others, until the result is destroyed, that this process waits
  /// for about `claim.bytes` and needs `claim.limitBytes`, since
  /// `claim.sinceMs`, or from now on if that is 0. Only one claim at a time,
  /// except that one of the same time may briefly overlap it. Sets \p claim to
  /// what the others see. Errors: as above.
  llvm::Expected<MemoryReservation> claim(MemoryClaim &claim) const;

  /// Returns the claims of other processes, in no particular order, without
  /// processes that are stopped or not visible from here. Errors: as above.
  llvm::Expected<std::vector<MemoryClaim>> otherClaims() const;

private:
  llvm::Expected<MemoryReservation> open() const;
  llvm::Error failed(llvm::StringRef what) const;

  std::string directory;
  pid_t self;
};

} // namespace gpulto

#endif // GPULTO_SUPPORT_MEMORYLEDGER_H
