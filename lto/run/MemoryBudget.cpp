//===- MemoryBudget.cpp - What jobs may take at a time --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Before a job is started (tryGrant):
// 1. It chooses the heaviest job that fits into the memory that the
//    reservations of all links leave; any job if there are no reservations.
// 2. It reserves the job's memory, then reads the reservations of the others:
//    two links that do this at once see each other, and both may step back to
//    try again a moment later, but never both continue if only one fits.
// 3. The job holds the reservation until it ends, in whatever way.
//
// If no job fits, the link claims the memory of its lightest job. Links that do
// not wait, or have waited less long, leave that memory free, so that many
// small jobs of one link do not overtake a large job of another forever. They
// leave it free within the claimant's limit, which may be less than their own.
// Links take turns: a claim ends when jobs have been granted for as long as the
// first of them had waited, so that a turn is worth the time in which others
// drained.
//
// Without a size from the user, the limit is a share of what would be free
// without any jobs: what is free now, and what running jobs have taken of what
// they reserved. It is read again each time, so compilers that run at the same
// time count. ptxas is not a process with a reservation: while it runs, its
// memory counts twice, which errs on the safe side.
//
// Estimates are corrected by the worst factor by which jobs of the same side
// have exceeded theirs. A factor below 1 says nothing about heavier jobs, whose
// bodies may differ.
//
//===----------------------------------------------------------------------===//

#include "lto/run/MemoryBudget.h"

#include "support/Diagnostics.h"
#include "support/Error.h"
#include "support/FreeMemory.h"
#include "support/Statistics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace gpulto {

//===----------------------------------------------------------------------===//
// The option
//===----------------------------------------------------------------------===//

std::optional<MemoryLimit> parseMemoryLimit(StringRef text) {
  static constexpr unsigned kAll = 100;
  MemoryLimit limit;
  limit.text = text.str();
  if (text.consume_back("%")) {
    if (text.getAsInteger(10, limit.freePercent) || limit.freePercent == 0 ||
        limit.freePercent > kAll)
      return std::nullopt;
    return limit;
  }
  static constexpr StringLiteral kUnits = "KMGT";
  unsigned power = 0;
  if (!text.empty())
    if (size_t unit = kUnits.find(toUpper(text.back()));
        unit != StringRef::npos) {
      power = unit + 1;
      text = text.drop_back();
    }
  bool isTooLarge = false;
  if (text.getAsInteger(10, limit.bytes) || limit.bytes == 0)
    return std::nullopt;
  limit.bytes =
      SaturatingMultiply(limit.bytes, uint64_t(1) << (10 * power), &isTooLarge);
  if (isTooLarge)
    return std::nullopt;
  return limit;
}

std::string describeLimit(const MemoryLimit &limit) {
  if (!limit.text.empty())
    return limit.text;
  return limit.bytes ? std::to_string(limit.bytes)
                     : std::to_string(limit.freePercent) + "%";
}

//===----------------------------------------------------------------------===//
// Estimates
//===----------------------------------------------------------------------===//

uint64_t MemoryEstimates::estimate(const JobHead &job) const {
  const Seen &known = seen[static_cast<size_t>(job.side)];
  bool isBeyond = known.factor < 1 && job.weight > known.weight;
  if (known.factor == 0 || isBeyond)
    return job.memoryBytes;
  return static_cast<uint64_t>(
      std::ceil(static_cast<double>(job.memoryBytes) * known.factor));
}

void MemoryEstimates::learn(const JobHead &job, uint64_t peakBytes) {
  if (!job.memoryBytes || !peakBytes)
    return;
  Seen &known = seen[static_cast<size_t>(job.side)];
  known.factor =
      std::max(known.factor, static_cast<double>(peakBytes) /
                                 static_cast<double>(job.memoryBytes));
  known.weight = std::max(known.weight, job.weight);
}

//===----------------------------------------------------------------------===//
// The budget
//===----------------------------------------------------------------------===//

static uint64_t sumOf(ArrayRef<ReservedMemory> rows) {
  uint64_t sum = 0;
  for (const ReservedMemory &row : rows)
    sum = SaturatingAdd(sum, row.bytes);
  return sum;
}

MemoryBudget::MemoryBudget(const LinkJobs &jobs, MemoryLimit limit,
                           MemoryLedger ledger, Diagnostics *diagnostics)
    : jobs(jobs), limit(std::move(limit)), ledger(std::move(ledger)),
      diagnostics(diagnostics), taken(jobs.size()) {}

/// Returns what is reserved by what has been started here.
std::vector<ReservedMemory> MemoryBudget::ownRows() const {
  std::vector<ReservedMemory> rows;
  for (const auto &[index, job] : running)
    rows.push_back({job.process, job.bytes});
  return rows;
}

/// The ledger cannot be used: from now on only the jobs of this link count.
void MemoryBudget::stopSharing(Error error) {
  isShared = false;
  std::string text = "jobs of links that run at the same time are not counted "
                     "in the memory that jobs may take: " +
                     toString(std::move(error));
  if (diagnostics)
    diagnostics->warning(text);
}

/// Returns what is reserved, besides \p own if that is not null.
std::vector<ReservedMemory>
MemoryBudget::reserved(const MemoryReservation *own) {
  if (!isShared)
    return ownRows();
  Expected<std::vector<ReservedMemory>> rows =
      own ? ledger.others(*own) : ledger.all();
  if (rows)
    return std::move(*rows);
  stopSharing(rows.takeError());
  return ownRows();
}

/// Returns what jobs may take together now, while \p rows are reserved.
uint64_t MemoryBudget::limitNow(ArrayRef<ReservedMemory> rows) const {
  if (limit.bytes)
    return limit.bytes;
  uint64_t bytes = freeMemoryBytes();
  for (const ReservedMemory &row : rows)
    if (row.process)
      bytes = SaturatingAdd(bytes,
                            std::min(row.bytes, ownMemoryBytes(row.process)));
  static constexpr unsigned kAll = 100;
  return bytes / kAll * limit.freePercent;
}

MemoryBudget::Promised MemoryBudget::promisedToOthers() {
  Promised promised;
  if (!isShared)
    return promised;
  Expected<std::vector<MemoryClaim>> claims = ledger.otherClaims();
  if (!claims) {
    stopSharing(claims.takeError());
    return promised;
  }
  for (const MemoryClaim &other : *claims)
    if (!claim || other.isBefore(*claim)) {
      promised.bytes = SaturatingAdd(promised.bytes, other.bytes);
      promised.limitBytes = std::min(promised.limitBytes, other.limitBytes);
    }
  return promised;
}

/// No job of \p queue may be started below \p limitBytes: says so to the
/// others, if they do not know yet.
void MemoryBudget::wait(ArrayRef<size_t> queue, uint64_t limitBytes) {
  if (!isShared || (claim && claim->limitBytes <= limitBytes))
    return;
  uint64_t least = UINT64_MAX;
  for (size_t index : queue)
    least = std::min(least, estimates.estimate(jobs[index]));
  MemoryClaim made = {.sinceMs = claim ? claim->sinceMs : 0,
                      .bytes = least,
                      .limitBytes = limitBytes};
  Expected<MemoryReservation> lock = ledger.claim(made);
  if (!lock)
    return stopSharing(lock.takeError());
  claimLock = std::move(*lock);
  claim = made;
}

/// Returns whether \p bytes may be taken in addition to \p rows and \p
/// promised.
static bool fits(uint64_t bytes, ArrayRef<ReservedMemory> rows,
                 uint64_t promised, uint64_t limit) {
  uint64_t spoken = SaturatingAdd(sumOf(rows), promised);
  return spoken == 0 || SaturatingAdd(spoken, bytes) <= limit;
}

std::optional<MemoryBudget::Grant>
MemoryBudget::tryGrant(ArrayRef<size_t> queue) {
  Grant grant;
  std::vector<ReservedMemory> rows = reserved();
  Promised promised = promisedToOthers();
  grant.limitBytes = limitNow(rows);
  uint64_t lowest = std::min(grant.limitBytes, promised.limitBytes);
  auto found = find_if(reverse(queue), [&](size_t index) {
    grant.bytes = estimates.estimate(jobs[index]);
    return fits(grant.bytes, rows, promised.bytes, lowest);
  });
  bool isGranted = found != queue.rend();
  if (isGranted && isShared) {
    Expected<MemoryReservation> mine = ledger.reserve(grant.bytes);
    if (mine)
      grant.reservation = std::move(*mine);
    else
      stopSharing(mine.takeError());
  }
  if (isGranted && isShared)
    isGranted =
        fits(grant.bytes, reserved(&grant.reservation), promised.bytes, lowest);
  if (isGranted)
    takeTurn(/*isLast=*/queue.size() == 1);
  countWait(!isGranted);
  if (!isGranted) {
    wait(queue, grant.limitBytes);
    return std::nullopt;
  }
  grant.position = queue.rend() - found - 1;
  return grant;
}

/// A job is granted, \p isLast of this link. Gives the claim back when it has
/// served its time.
void MemoryBudget::takeTurn(bool isLast) {
  Clock::time_point now = Clock::now();
  if (claim && !turnEnds)
    turnEnds = waitsSince ? now + (now - *waitsSince) : now;
  if (claim && now < *turnEnds && !isLast)
    return;
  claim.reset();
  claimLock = MemoryReservation();
  turnEnds.reset();
}

void MemoryBudget::countWait(bool isWaiting) {
  if (isWaiting && !waitsSince)
    waitsSince = Clock::now();
  if (isWaiting || !waitsSince)
    return;
  used.waitSeconds +=
      std::chrono::duration<double>(Clock::now() - *waitsSince).count();
  waitsSince.reset();
}

static constexpr uint64_t kKibibyte = 1 << 10, kMebibyte = 1 << 20;

/// Returns the size of a limit of \p bytes: whole units, if that says all of it
/// or nearly.
static std::string limitText(uint64_t bytes) {
  constexpr uint64_t kMany = 64;
  for (auto [unit, name] :
       {std::pair(kMebibyte, " MiB"), std::pair(kKibibyte, " KiB")})
    if (bytes >= kMany * unit || (bytes >= unit && bytes % unit == 0))
      return std::to_string(bytes / unit) + name;
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

/// Says that job \p index runs alone, but of one job of a link only.
void MemoryBudget::warnOfSize(size_t index, const Grant &grant) {
  if (++used.tooLarge != 1 || !diagnostics)
    return;
  diagnostics->warning(nameOfJob(jobs.make(index)) + " is expected to take " +
                       std::to_string(divideCeil(grant.bytes, kMebibyte)) +
                       " MiB of memory, more than the " +
                       limitText(grant.limitBytes) + " that --gpulto-memory=" +
                       describeLimit(limit) + " allows; such jobs run alone");
}

void MemoryBudget::started(size_t index, pid_t process, Grant &grant) {
  if (Error error = grant.reservation.assignTo(process))
    stopSharing(std::move(error));
  running[index] = {process, grant.bytes};
  used.expectedPeakBytes = std::max(used.expectedPeakBytes, sumOf(ownRows()));
  std::vector<size_t> &now = together.emplace_back();
  for (const auto &[other, job] : running)
    now.push_back(other);
  used.limitBytes = used.limitBytes
                        ? std::min(used.limitBytes, grant.limitBytes)
                        : grant.limitBytes;
  if (grant.bytes > grant.limitBytes)
    warnOfSize(index, grant);
}

void MemoryBudget::ended(size_t index, uint64_t bytes, bool isTypical) {
  running.erase(index);
  taken[index] = bytes;
  if (isTypical)
    estimates.learn(jobs[index], bytes);
}

JobMemoryUse MemoryBudget::use() const {
  JobMemoryUse result = used;
  for (const std::vector<size_t> &indices : together) {
    uint64_t sum = 0;
    for (size_t index : indices)
      sum += taken[index];
    result.peakBytes = std::max(result.peakBytes, sum);
  }
  return result;
}

void countMemory(const JobMemoryUse &use, Statistics &statistics) {
  static constexpr double kMillisecondsPerSecond = 1000;
  statistics.set("memory-limit-bytes", use.limitBytes);
  statistics.set("memory-expected-peak-bytes", use.expectedPeakBytes);
  statistics.set("memory-peak-bytes", use.peakBytes);
  statistics.set("memory-wait-ms",
                 uint64_t(use.waitSeconds * kMillisecondsPerSecond));
  statistics.set("memory-jobs-alone", use.tooLarge);
}

} // namespace gpulto
