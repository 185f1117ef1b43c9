//===- MemoryLedger.cpp - Memory that processes have reserved -------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Open file description locks (fcntl_locking(2)) are a table in the kernel that
// any process may add to and read. They need no byte of the file, belong to a
// descriptor and its copies in forked children, and disappear with the last of
// these. So there is no file to make, lock, repair and remove, no row of a
// killed process, and a stopped link keeps no other waiting once its jobs have
// ended.
//
// A process N has the bytes from N * 2^40 on; a reservation of B bytes is a
// read lock on the first B of them. A reservation for a child that is not
// forked yet is in the upper half of all offsets, by the parent's number.
//
// A claim of process N is a lock in the upper half of the bytes of N, which
// runs no job itself: its beginning encodes since when, its length how much,
// rounded to as many bits as fit (codeOf). The length of another lock, before
// it, encodes the limit in the same way. They also disappear with the process;
// a stopped process cannot withdraw them, so its claim does not count.
//
// Why not a file with rows under a lock? Some process must remove it, drop the
// rows of dead processes without mistaking others for them, and not be stopped
// while holding the lock. A daemon or System V semaphores outlive their users.
//
// Limits: a process of another container that has its own process numbers, but
// shares the directory, may be mistaken for one of ours with the same number.
// Anyone who may open the directory can make others wait by locking it, just as
// by taking their memory.
//
//===----------------------------------------------------------------------===//

#include "support/MemoryLedger.h"

#include "support/Error.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <limits>
#include <map>
#include <unistd.h>

using namespace llvm;

namespace gpulto {

/// Bytes of the file that one process has: reservations are shorter.
static constexpr off_t kLaneBytes = off_t(1) << 40;
/// Where reservations without a process begin. Process numbers stay below 2^22
/// (PID_MAX_LIMIT of the kernel).
static constexpr off_t kWithoutProcess = off_t(1) << 62;

static struct flock rangeLock(short type, off_t start, off_t length) {
  struct flock lock = {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = start;
  lock.l_len = length;
  return lock;
}

/// Locks or unlocks the first \p bytes of the lane at \p start.
static bool setLock(int descriptor, short type, off_t start, uint64_t bytes) {
  struct flock lock = rangeLock(type, start, static_cast<off_t>(bytes));
  return fcntl(descriptor, F_OFD_SETLK, &lock) == 0;
}

/// Where claims begin among the bytes of a process, and where the limit of its
/// claim is.
static constexpr off_t kClaims = kLaneBytes / 2, kClaimLimit = kClaims / 2;

/// Calls \p visit with each lock that descriptors other than \p descriptor
/// have. Returns whether there are such locks on this system.
static bool forEachLock(int descriptor,
                        function_ref<void(const struct flock &)> visit) {
  // The kernel reports any one lock in a range: continue next to it.
  using Range = std::pair<off_t, off_t>;
  std::vector<Range> ranges = {{0, std::numeric_limits<off_t>::max()}};
  while (!ranges.empty()) {
    auto [begin, end] = ranges.back();
    ranges.pop_back();
    struct flock lock = rangeLock(F_WRLCK, begin, end - begin);
    if (fcntl(descriptor, F_OFD_GETLK, &lock) != 0)
      return false;
    if (lock.l_type == F_UNLCK)
      continue;
    off_t lockEnd = lock.l_len ? lock.l_start + lock.l_len : end;
    if (lock.l_len > 0 && lock.l_len < kLaneBytes)
      visit(lock);
    if (begin < lock.l_start)
      ranges.push_back({begin, lock.l_start});
    if (lockEnd < end)
      ranges.push_back({lockEnd, end});
  }
  return true;
}

//===----------------------------------------------------------------------===//
// MemoryReservation
//===----------------------------------------------------------------------===//

MemoryReservation::~MemoryReservation() {
  if (descriptor >= 0)
    close(descriptor);
}

Error MemoryReservation::assignTo(pid_t process) {
  if (descriptor < 0)
    return Error::success();
  // Both at once for a moment: never too little.
  if (!setLock(descriptor, F_RDLCK, process * kLaneBytes, bytes) ||
      !setLock(descriptor, F_UNLCK, kWithoutProcess + getpid() * kLaneBytes,
               bytes))
    return makeError("cannot reserve memory: " + sys::StrError(errno));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// MemoryLedger
//===----------------------------------------------------------------------===//

Error MemoryLedger::failed(StringRef what) const {
  return makeError(directory + ": " + what + ": " + sys::StrError(errno));
}

Expected<MemoryReservation> MemoryLedger::open() const {
  MemoryReservation result;
  result.descriptor =
      ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (result.descriptor < 0)
    return failed("cannot be opened");
  return result;
}

Expected<MemoryReservation> MemoryLedger::reserve(uint64_t bytes) const {
  Expected<MemoryReservation> result = open();
  if (!result)
    return result.takeError();
  // A length of 0 would mean all that follows.
  result->bytes = std::clamp<uint64_t>(bytes, 1, kLaneBytes - 1);
  if (!setLock(result->descriptor, F_RDLCK,
               kWithoutProcess + getpid() * kLaneBytes, result->bytes))
    return failed("cannot be locked");
  return result;
}

Expected<std::vector<ReservedMemory>>
MemoryLedger::others(const MemoryReservation &own) const {
  std::vector<ReservedMemory> rows;
  auto add = [&](const struct flock &lock) {
    bool hasProcess = lock.l_start < kWithoutProcess;
    if (lock.l_start % kLaneBytes == 0)
      rows.push_back({hasProcess ? pid_t(lock.l_start / kLaneBytes) : 0,
                      static_cast<uint64_t>(lock.l_len)});
  };
  if (!forEachLock(own.descriptor, add))
    return failed("cannot read its locks");
  return rows;
}

Expected<std::vector<ReservedMemory>> MemoryLedger::all() const {
  Expected<MemoryReservation> none = open();
  if (!none)
    return none.takeError();
  return others(*none);
}

//===----------------------------------------------------------------------===//
// Claims
//===----------------------------------------------------------------------===//

/// Bits of a number of bytes that are kept.
static constexpr unsigned kKeptBits = 14;

/// Returns a small number for \p bytes, not 0, that bytesOf leads back from,
/// rounded up.
static uint64_t codeOf(uint64_t bytes) {
  bytes = std::clamp<uint64_t>(bytes, 1, kLaneBytes - 1);
  unsigned width = llvm::bit_width(bytes);
  unsigned shift = width > kKeptBits ? width - kKeptBits : 0;
  uint64_t kept = divideCeil(bytes, uint64_t(1) << shift);
  // Up to the next power of two, which is as exact with one more shift.
  if (kept >> kKeptBits)
    kept >>= 1, ++shift;
  return uint64_t(shift) << kKeptBits | kept;
}

static uint64_t bytesOf(uint64_t code) {
  uint64_t kept = code & maskTrailingOnes<uint64_t>(kKeptBits);
  return kept << (code >> kKeptBits);
}

/// Returns whether \p process is there, and not stopped.
static bool mayRun(pid_t process) {
  auto file =
      MemoryBuffer::getFileAsStream("/proc/" + Twine(process) + "/stat");
  if (!file)
    return false;
  // "PID (name) STATE ...", where the name may hold anything.
  StringRef state = (*file)->getBuffer().rsplit(')').second.ltrim();
  return !state.empty() && !StringRef("TtZX").contains(state.front());
}

/// Returns the time of a clock that all processes have.
static uint64_t monotonicMs() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  constexpr uint64_t kPerSecond = 1000, kNanosecondsPerMs = 1000000;
  return now.tv_sec * kPerSecond + now.tv_nsec / kNanosecondsPerMs;
}

Expected<MemoryReservation> MemoryLedger::claim(MemoryClaim &claim) const {
  Expected<MemoryReservation> result = open();
  if (!result)
    return result.takeError();
  if (!claim.sinceMs)
    claim.sinceMs = monotonicMs();
  uint64_t code = codeOf(claim.bytes), limitCode = codeOf(claim.limitBytes);
  claim = {claim.sinceMs, self, bytesOf(code), bytesOf(limitCode)};
  off_t lane = self * kLaneBytes;
  off_t start = lane + kClaims + static_cast<off_t>(claim.sinceMs);
  // The limit first, so that a process that sees the claim sees all of it.
  if (!setLock(result->descriptor, F_RDLCK, lane + kClaimLimit, limitCode) ||
      !setLock(result->descriptor, F_RDLCK, start, code))
    return failed("cannot be locked");
  return result;
}

Expected<std::vector<MemoryClaim>> MemoryLedger::otherClaims() const {
  Expected<MemoryReservation> none = open();
  if (!none)
    return none.takeError();
  std::vector<MemoryClaim> claims;
  std::map<pid_t, uint64_t> limits;
  auto add = [&](const struct flock &lock) {
    off_t place = lock.l_start % kLaneBytes;
    pid_t process = pid_t(lock.l_start / kLaneBytes);
    if (lock.l_start >= kWithoutProcess || process == self)
      return;
    if (place == kClaimLimit)
      limits[process] = bytesOf(lock.l_len);
    else if (place >= kClaims && mayRun(process))
      claims.push_back({static_cast<uint64_t>(place - kClaims), process,
                        bytesOf(lock.l_len)});
  };
  if (!forEachLock(none->descriptor, add))
    return failed("cannot read its locks");
  for (MemoryClaim &claim : claims)
    if (auto found = limits.find(claim.process); found != limits.end())
      claim.limitBytes = found->second;
  return claims;
}

} // namespace gpulto
