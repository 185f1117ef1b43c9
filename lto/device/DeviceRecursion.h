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

/// Calls by one function, with constants, of another one that calls itself.
struct RecursionAttempt {
  llvm::Function *caller = nullptr;
  std::string callee;
  /// Of the first of them, if it is known.
  llvm::DebugLoc where;
  /// They now enter copies that end; else they have been left alone, for
  /// \c reason.
  bool isUnrolled = false;
  /// Of the copies, when all are inlined, and of loops that were unrolled.
  uint64_t instructions = 0;
  std::string reason{};
};

/// Lets calls of recursive functions of the device partition \p module enter
/// copies for the constants that they pass, which call further copies and never
/// themselves, if these end and are small: LLVM's inliner takes them from
/// there. Changed bodies bear kPlannedAttribute. Returns what became of such
/// calls, in the order of the module. \p machine: the device's.
std::vector<RecursionAttempt> unrollRecursions(llvm::Module &module,
                                               llvm::TargetMachine &machine,
                                               unsigned optLevel);

} // namespace gpulto

#endif
