//===- JobResults.cpp - Where the results of a job are --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/job/JobResults.h"

#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace gpulto {

std::string jobPrefix(StringRef directory, const JobHead &job) {
  return (directory + "/" + Twine(job.index)).str();
}

LtransResultPaths resultPaths(const JobHead &job, StringRef prefix) {
  LtransResultPaths paths;
  paths.report = (prefix + ".report").str();
  if (job.side == Side::Host) {
    paths.object = (prefix + ".o").str();
    return paths;
  }
  paths.ptx = (prefix + ".ptx").str();
  if (job.device.wantCubin)
    paths.cubin = (prefix + ".cubin").str();
  return paths;
}

} // namespace gpulto
