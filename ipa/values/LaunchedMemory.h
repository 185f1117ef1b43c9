//===- LaunchedMemory.h - Memory that lasts for launches --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_VALUES_LAUNCHEDMEMORY_H
#define GPULTO_IPA_VALUES_LAUNCHEDMEMORY_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>
#include <optional>

namespace llvm {
class AllocaInst;
class BasicBlock;
class CallBase;
class DominatorTree;
class Function;
class Value;
template <typename IRUnitT, typename... ExtraArgTs> class AnalysisManager;
} // namespace llvm

namespace gpulto {

/// Whether \p block is entered only after the last run of \p allocation has
/// reported success.
bool hasSucceeded(const llvm::CallBase &allocation,
                  const llvm::BasicBlock &block,
                  const llvm::DominatorTree &dominators);

/// Which memory that a function allocates stays allocated while kernels that it
/// launches run.
class LaunchedMemory {
public:
  /// \p isStub recognizes kernel stubs.
  LaunchedMemory(llvm::Function &function,
                 llvm::AnalysisManager<llvm::Function> &analyses,
                 llvm::function_ref<bool(const llvm::Function &)> isStub);
  ~LaunchedMemory();

  /// Returns whether \p pointer, an argument of the kernel's stub that \p
  /// launch calls, is the result of \p allocation, a call in the same function;
  /// whether that call has not failed; and whether only the runtime, and
  /// kernels, can free the memory before the kernel has run.
  bool lasts(const llvm::Value &pointer, const llvm::CallBase &launch,
             const llvm::CallBase &allocation);

private:
  struct Variable;
  Variable &describe(const llvm::AllocaInst &variable);
  bool isFreedBefore(Variable &variable, const llvm::CallBase &launch,
                     const llvm::CallBase &allocation);

  llvm::Function &function;
  llvm::AnalysisManager<llvm::Function> &analyses;
  llvm::function_ref<bool(const llvm::Function &)> isStub;
  std::optional<bool> returnsTwice;
  /// Looked up only.
  llvm::DenseMap<const llvm::AllocaInst *, std::unique_ptr<Variable>> variables;
};

} // namespace gpulto

#endif // GPULTO_IPA_VALUES_LAUNCHEDMEMORY_H
