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
  /// But for fixtures, nothing tells apart the kernel with all that it refers
  /// to from a copy of them: it refers to no function that other cubins call,
  /// to no alias.
  bool isSeparable = true;
  /// The partition's own functions whose address is taken and constants whose
  /// address may be compared, by their names in PTX: there is one of each.
  std::set<std::string> fixtures;
  /// Names of the partition's own variables that it may write.
  std::set<std::string> variables;
};

/// By the kernel's name in PTX.
using KernelReaches = std::map<std::string, KernelReach>;

/// Returns the kernels that \p partition defines, in its order.
std::vector<llvm::Function *> kernelsOf(llvm::Module &partition);

/// Returns what \p kernel refers to, itself or by what it refers to; itself
/// first.
std::vector<llvm::GlobalValue *> reachedFrom(llvm::Function &kernel);

/// Returns what each kernel of \p partition shares.
KernelReaches findReaches(llvm::Module &partition);

/// Returns, by their names in PTX, what of \p partition, which is optimized, is
/// to its users what it was before: functions whose address is taken still, so
/// that their parameters are as they were, and variables.
std::set<std::string> findLasting(const llvm::Module &partition);

/// A partition cut down to some of its kernels while it is optimized. What the
/// others use as well is not taken for theirs: a function that two kernels call
/// is not inlined because one is left, a variable not folded because its only
/// store is gone.
class KernelCut {
public:
  /// Leaves of the kernels of \p partition only those that \p names has, as
  /// they are called in PTX, and what they refer to. It is to be optimized for
  /// \p machine.
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
