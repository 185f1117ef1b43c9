//===- KernelCut.h - Some kernels of a device partition ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_CHECK_KERNELCUT_H
#define GPULTO_LTO_CHECK_KERNELCUT_H

#include <map>
#include <set>
#include <string>
#include <vector>

namespace llvm {
class Function;
class GlobalValue;
class Module;
class TargetMachine;
} // namespace llvm

namespace gpulto {

/// What a kernel shares with others of its partition, before optimization.
struct KernelReach {
  /// Except for fixtures, nothing distinguishes the kernel and all that it
  /// refers to from a copy of them: it refers to no function that other cubins
  /// call, and to no alias.
  bool isSeparable = true;
  /// The partition's own functions whose address is taken and constants whose
  /// address may be compared, by their names in PTX: only one of each may
  /// exist.
  std::set<std::string> fixtures;
  /// Names of the partition's own variables that it may write.
  std::set<std::string> variables;
};

/// By the kernel's name in PTX.
using KernelReaches = std::map<std::string, KernelReach>;

/// Returns the kernels that \p partition defines, in its order.
std::vector<llvm::Function *> kernelsOf(llvm::Module &partition);

/// Returns what \p kernel refers to, directly or indirectly; itself first.
std::vector<llvm::GlobalValue *> reachedFrom(llvm::Function &kernel);

/// Returns what each kernel of \p partition shares.
KernelReaches findReaches(llvm::Module &partition);

/// Returns, by their names in PTX, what the optimized \p partition kept
/// unchanged for its users: functions whose address is still taken, so that
/// their parameters are unchanged, and variables.
std::set<std::string> findLasting(const llvm::Module &partition);

/// A partition reduced to some of its kernels while it is optimized. What the
/// removed kernels also used is not taken to belong to the rest alone: a
/// function that two kernels call is not inlined because one caller is left, a
/// variable not folded because its only store is gone.
class KernelCut {
public:
  /// Keeps only those kernels of \p partition that \p names lists, by their
  /// names in PTX, and what they refer to. It will be optimized for \p machine.
  KernelCut(llvm::Module &partition, llvm::TargetMachine &machine,
            const std::set<std::string> &names);
  /// Drops what optimization left unused; called before code generation.
  void finish();

private:
  void dropUnused();

  llvm::Module &partition;
  llvm::TargetMachine &machine;
  std::vector<llvm::GlobalValue *> pinned;
};

} // namespace gpulto

#endif
