//===- JobPhases.h - What a job does, said to the link ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A job's stderr is a pipe to the link. Lines that begin with a mark say what
// it does next and the processor time it had used by then, and in the end the
// memory that it took; of a job that dies they are all that is known.
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

/// Something a job did.
struct JobPhase {
  std::string name; ///< "optimizing": what the job was doing
  double cpuSeconds = 0;
};

/// Returns the processor time that this process and the children it waited for
/// have used.
double usedCpuSeconds();

/// In a job: says on stderr that \p phase begins.
void sendPhase(llvm::StringRef phase);

/// Makes durations of the times at which \p phases began; the last one ended at
/// \p cpuSeconds.
void closePhases(std::vector<JobPhase> &phases, double cpuSeconds);

/// Returns the memory that this process has taken since it was forked with \p
/// before, and the largest of the programs that it ran beside it. That one is
/// known only if it was larger than this process; else it counts as what it was
/// at most, and as no more than \p expectedBytes.
uint64_t takenMemoryBytes(uint64_t before, uint64_t expectedBytes);

/// Returns the most memory that this process has had so far.
uint64_t ownPeakBytes();

/// In a job: says on stderr that it has taken \p bytes of memory.
void sendMemory(uint64_t bytes);

/// Takes the line about memory out of \p text, all that a job wrote, and
/// returns it; none if there is none, as of a job that died.
std::optional<uint64_t> takeMemory(std::string &text);

/// Takes the lines about phases out of \p text, all that a job wrote, which
/// used \p cpuSeconds in the end, and returns them in order.
std::vector<JobPhase> takePhases(std::string &text, double cpuSeconds);

} // namespace gpulto

#endif
