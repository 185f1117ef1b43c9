//===- MemoryLedger.h - Memory that processes have reserved -----*- C++ -*-===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Links that run at the same time must know of each other's jobs. Each job
// holds a lock on a range of bytes of one directory, whose length is what it
// may take; the sum of all is what is spoken for. A link whose next job has to
// wait says so by another lock, so that others do not pass it for ever.
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
  /// The process that uses it; 0: it is not there yet.
  pid_t process = 0;
  uint64_t bytes = 0;
};

/// Memory that a process waits for.
struct MemoryClaim {
  /// Who waits, and since when: milliseconds of a clock that all have.
  uint64_t sinceMs = 0;
  pid_t process = 0;
  uint64_t bytes = 0;
  /// What may be reserved in all for it to get them; UINT64_MAX: not known.
  uint64_t limitBytes = UINT64_MAX;
  /// Whether this one is to be served before \p other.
  bool isBefore(const MemoryClaim &other) const {
    return std::pair(sinceMs, process) <
           std::pair(other.sinceMs, other.process);
  }
};

/// A reservation, or a claim. It ends when it has been destroyed in this
/// process and in all children that were forked meanwhile, however they end.
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

  /// Says that \p process, a child forked since, is what uses it. Errors: the
  /// system has no more locks.
  llvm::Error assignTo(pid_t process);

private:
  friend class MemoryLedger;
  int descriptor = -1;
  uint64_t bytes = 0;
};

/// The reservations of this machine: of all processes that see the same
/// directory. Nothing is written, and what a process has reserved is gone with
/// it. No call waits. Not thread-safe.
class MemoryLedger {
public:
  /// Everybody has the root directory, and may lock parts of it. \p self: the
  /// process that claims, another one than this for tests only.
  explicit MemoryLedger(std::string directory = "/", pid_t self = getpid())
      : directory(std::move(directory)), self(self) {}

  /// Reserves \p bytes, 1 TiB at most, whatever others have. Errors: the system
  /// has no such locks, or no more of them.
  llvm::Expected<MemoryReservation> reserve(uint64_t bytes) const;

  /// Returns what others than \p own have reserved, in no particular order.
  /// Errors: as above.
  llvm::Expected<std::vector<ReservedMemory>>
  others(const MemoryReservation &own) const;

  /// Returns what all have reserved. Errors: as above.
  llvm::Expected<std::vector<ReservedMemory>> all() const;

  /// Says to the others until the result is destroyed that this process waits
  /// for about `claim.bytes` and needs `claim.limitBytes`, since
  /// `claim.sinceMs`, or from now on if that is 0. One claim at a time, but for
  /// a moment another one of the same time. \p claim becomes what they see.
  /// Errors: as above.
  llvm::Expected<MemoryReservation> claim(MemoryClaim &claim) const;

  /// Returns what other processes wait for, in no particular order; those that
  /// are stopped, or not to be seen from here, are left out. Errors: as above.
  llvm::Expected<std::vector<MemoryClaim>> otherClaims() const;

private:
  llvm::Expected<MemoryReservation> open() const;
  llvm::Error failed(llvm::StringRef what) const;

  std::string directory;
  pid_t self;
};

} // namespace gpulto

#endif // GPULTO_SUPPORT_MEMORYLEDGER_H
