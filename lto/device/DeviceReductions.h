//===- DeviceReductions.h - Where strength is reduced -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_DEVICE_DEVICEREDUCTIONS_H
#define GPULTO_LTO_DEVICE_DEVICEREDUCTIONS_H

#include "llvm/IR/OptBisect.h"

namespace llvm {
class Function;
class Instruction;
class LLVMContext;
class Loop;
class TargetPassConfig;
} // namespace llvm

namespace gpulto {

/// Whether \p instruction is one that straight-line strength reduction may
/// compute from another.
bool mayBeReduced(const llvm::Instruction &instruction);

/// Keeps LLVM's StraightLineStrengthReduce from large functions and its
/// LoopStrengthReduce from large loops, while it exists; what else the gate of
/// \p context keeps from running does not run either.
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
  /// Says what loop comes next.
  void enter(const llvm::Loop &loop);

private:
  llvm::LLVMContext &context;
  llvm::OptPassGate &outer;
  bool isLargeFunction = false;
  bool isLargeLoop = false;
};

/// Has code generation tell \p gate, which must outlive it, what comes next.
void insertReductionGate(llvm::TargetPassConfig &config, ReductionGate &gate);

} // namespace gpulto

#endif
