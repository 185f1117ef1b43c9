//===- DeviceRecursion.h - Unroll recursions of known depth -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_DEVICE_DEVICERECURSION_H
#define GPULTO_LTO_DEVICE_DEVICERECURSION_H

#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <string>
#include <vector>

namespace gpulto {

/// Calls, by one function and with constants, of another that calls itself.
struct RecursionAttempt {
  llvm::Function *caller = nullptr;
  std::string callee;
  /// Location of the first of them, if known.
  llvm::DebugLoc where;
  /// They now enter copies that end; otherwise they were left alone, for \c
  /// reason.
  bool isUnrolled = false;
  /// Of the copies, when all are inlined, and of unrolled loops.
  uint64_t instructions = 0;
  std::string reason{};
};

/// Makes calls of recursive functions in the device partition \p module enter
/// copies for the constants that they pass, if these copies, which call further
/// copies and never themselves, end and are small. LLVM's inliner does the
/// rest. Changed bodies get kPlannedAttribute. Returns what became of such
/// calls, in the order of the module. \p machine: the device's.
std::vector<RecursionAttempt> unrollRecursions(llvm::Module &module,
                                               llvm::TargetMachine &machine,
                                               unsigned optLevel);

} // namespace gpulto

#endif
