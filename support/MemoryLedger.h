//===- MemoryLedger.h - Memory that processes have reserved -----*- C++ -*-===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Links that run at the same time must know of each other's jobs. Each job
// holds a lock on a range of bytes of one directory, whose length is what it
// may take; the sum of all is what is spoken for.
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_SUPPORT_MEMORYLEDGER_H
#define GPULTO_SUPPORT_MEMORYLEDGER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace gpulto {

/// Memory that one process has reserved.
struct ReservedMemory {
  /// The process that uses it; 0: it is not there yet.
  pid_t process = 0;
  uint64_t bytes = 0;
};

/// A reservation. It ends when it has been destroyed in this process and in all
/// children that were forked meanwhile, however they end.
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
  /// Everybody has the root directory, and may lock parts of it.
  explicit MemoryLedger(std::string directory = "/")
      : directory(std::move(directory)) {}

  /// Reserves \p bytes, 1 TiB at most, whatever others have. Errors: the system
  /// has no such locks, or no more of them.
  llvm::Expected<MemoryReservation> reserve(uint64_t bytes) const;

  /// Returns what others than \p own have reserved, in no particular order.
  /// Errors: as above.
  llvm::Expected<std::vector<ReservedMemory>>
  others(const MemoryReservation &own) const;

  /// Returns what all have reserved. Errors: as above.
  llvm::Expected<std::vector<ReservedMemory>> all() const;

private:
  llvm::Expected<int> open() const;
  llvm::Error failed(llvm::StringRef what) const;

  std::string directory;
};

} // namespace gpulto

#endif // GPULTO_SUPPORT_MEMORYLEDGER_H
