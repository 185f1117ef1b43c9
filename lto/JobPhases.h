//===- JobPhases.h - What a job does, said to the link ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A job's stderr is a pipe to the link. Lines that begin with a mark say what
// it does next and the processor time it had used by then; of a job that dies
// they are all that is known.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_JOBPHASES_H
#define GPULTO_LTO_JOBPHASES_H

#include "llvm/ADT/StringRef.h"

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

/// Takes the lines about phases out of \p text, all that a job wrote, which
/// used \p cpuSeconds in the end, and returns them in order.
std::vector<JobPhase> takePhases(std::string &text, double cpuSeconds);

} // namespace gpulto

#endif
