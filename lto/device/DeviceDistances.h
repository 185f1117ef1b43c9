//===- DeviceDistances.h - Values at constant distances ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_DEVICE_DEVICEDISTANCES_H
#define GPULTO_LTO_DEVICE_DEVICEDISTANCES_H

#include "llvm/IR/OptBisect.h"

namespace llvm {
class DominatorTree;
class Function;
class LLVMContext;
class ScalarEvolution;
class TargetPassConfig;
} // namespace llvm

namespace gpulto {

/// Computes addresses and integers of the function of \p dominators at a
/// constant distance from one that has been computed before as that plus the
/// constant. Returns whether there are any. The function keeps its blocks,
/// \p evolution stays valid.
bool shareByDistance(const llvm::DominatorTree &dominators,
                     llvm::ScalarEvolution &evolution);

/// Keeps LLVM's StraightLineStrengthReduce from functions that are too large
/// for it, while it exists; what else the gate of \p context keeps from running
/// does not run either.
class ReductionGate : public llvm::OptPassGate {
public:
  explicit ReductionGate(llvm::LLVMContext &context);
  ~ReductionGate() override;
  ReductionGate(const ReductionGate &) = delete;
  ReductionGate &operator=(const ReductionGate &) = delete;

  bool isEnabled() const override { return true; }
  bool shouldRunPass(llvm::StringRef pass,
                     llvm::StringRef description) const override;

  /// Says what function comes next.
  void enter(const llvm::Function &function);

private:
  llvm::LLVMContext &context;
  llvm::OptPassGate &outer;
  bool isTooLarge = false;
};

/// Has code generation call shareByDistance when addresses have been split, and
/// \p gate, which must outlive it, choose what LLVM's pass does after it.
void insertSharing(llvm::TargetPassConfig &config, ReductionGate &gate);

} // namespace gpulto

#endif
