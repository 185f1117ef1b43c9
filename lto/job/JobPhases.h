//===- JobPhases.h - Phases of a job, reported to the link ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A job's stderr is a pipe to the link. Lines that begin with a mark say what
// it does next and the processor time used so far, and at the end the memory
// that it took. They are all that is known about a job that dies.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_JOB_JOBPHASES_H
#define GPULTO_LTO_JOB_JOBPHASES_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gpulto {

/// A phase of a job.
struct JobPhase {
  std::string name; ///< "optimizing": what the job was doing
  double cpuSeconds = 0;
};

/// Returns the processor time that this process and the children it waited for
/// have used.
double usedCpuSeconds();

/// In a job: reports on stderr that \p phase begins.
void sendPhase(llvm::StringRef phase);

/// Converts the times at which \p phases began into durations; the last one
/// ended at \p cpuSeconds.
void closePhases(std::vector<JobPhase> &phases, double cpuSeconds);

/// Returns the memory that this process has taken since it was forked with \p
/// before, plus that of the largest program that it ran. The latter is known
/// only if it was larger than this process; otherwise its upper bound counts,
/// but at most \p expectedBytes.
uint64_t takenMemoryBytes(uint64_t before, uint64_t expectedBytes);

/// Returns the most memory that this process has had so far.
uint64_t ownPeakBytes();

/// In a job: reports on stderr that it has taken \p bytes of memory.
void sendMemory(uint64_t bytes);

/// Removes the line about memory from \p text, all that a job wrote, and
/// returns its number; nothing if there is no such line, as for a job that
/// died.
std::optional<uint64_t> takeMemory(std::string &text);

/// Removes the lines about phases from \p text, all that a job wrote, and
/// returns the phases in order. The job used \p cpuSeconds in total.
std::vector<JobPhase> takePhases(std::string &text, double cpuSeconds);

} // namespace gpulto

#endif
