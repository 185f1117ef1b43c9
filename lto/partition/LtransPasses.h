//===- LtransPasses.h - Carry the passes' decisions out ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_PARTITION_LTRANSPASSES_H
#define GPULTO_LTO_PARTITION_LTRANSPASSES_H

#include "lto/job/LtransJob.h"
#include "lto/job/LtransReport.h"
#include "lto/partition/LtransFolds.h"
#include "lto/partition/LtransPlans.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace gpulto {

/// What the transforms of one job work on. All bodies have moved.
struct LtransState {
  llvm::Module &partition;
  const LtransJob &job;
  PartitionFolds &folds;
  /// Functions that something was decided of.
  llvm::ArrayRef<PlannedFunction> planned;
  PlanUse use;
  /// What passes have to say; kept with the job's results.
  LtransReport &report;
};

/// Runs the transforms of all passes of lto/link/Passes.def over \p state, in
/// their order. Errors: FoldMismatchError.
llvm::Error transformAll(LtransState &state);

} // namespace gpulto

#endif
