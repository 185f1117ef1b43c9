//===- DeviceRecursion.h - Unroll recursions of known depth -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_DEVICERECURSION_H
#define GPULTO_LTO_DEVICERECURSION_H

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <string>
#include <vector>

namespace gpulto {

/// A call of a function that calls itself, from outside, with constants.
struct RecursionAttempt {
  llvm::Function *caller = nullptr;
  std::string callee;
  /// It now enters copies that end; else it has been left alone, for \c reason.
  bool isUnrolled = false;
  /// Of the copies, when all are inlined.
  uint64_t instructions = 0;
  std::string reason{};
};

/// Lets calls of recursive functions of the device partition \p module enter
/// copies for the constants that they pass, which call further copies and never
/// themselves, if these end and are small: LLVM's inliner takes them from
/// there. Changed bodies bear kPlannedAttribute. Returns what became of each
/// such call, in the order of the module. \p machine: the device's.
std::vector<RecursionAttempt> unrollRecursions(llvm::Module &module,
                                               llvm::TargetMachine &machine,
                                               unsigned optLevel);

} // namespace gpulto

#endif
