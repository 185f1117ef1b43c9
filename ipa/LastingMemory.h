//===- LastingMemory.h - Device memory that is there while kernels run ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_LASTINGMEMORY_H
#define GPULTO_IPA_LASTINGMEMORY_H

#include "ipa/DeviceOrder.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>
#include <optional>
#include <string>

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

/// Whether \p block is entered only after \p allocation has said that it did
/// not fail, when it ran last.
bool hasSucceeded(const llvm::CallBase &allocation,
                  const llvm::BasicBlock &block,
                  const llvm::DominatorTree &dominators);

/// Which memory that a function allocates is there while kernels run that it
/// launches.
class LaunchedMemory {
public:
  /// \p isStub tells kernels' stubs.
  LaunchedMemory(llvm::Function &function,
                 llvm::AnalysisManager<llvm::Function> &analyses,
                 llvm::function_ref<bool(const llvm::Function &)> isStub);
  ~LaunchedMemory();

  /// Returns whether \p pointer, an argument of the kernel's stub that
  /// \p launch calls, is what \p allocation, a call in the same function, has
  /// left; that the call has not failed; and that nothing but the runtime, and
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

/// How much memory behind kernel parameters can be read as long as a kernel
/// runs. Valid for the solved \p solver it was made from.
class LastingMemory {
public:
  /// \p order: of the same program; null: it has no launches that are known.
  LastingMemory(const WpaContext &context, const Callers &callers,
                const ConstantsSolver &solver, const DeviceOrder *order);

  /// Returns so many bytes behind pointer parameter \p parameter of \p body, of
  /// device code; 0: not known.
  uint64_t bytes(const BodyLattice &body, uint32_t parameter) const;

  /// Says why nothing is known of parameters of which a launch knows it. Pass
  /// `gpulto-launch`.
  void explain(const WpaContext &context) const;

private:
  void meetLaunch(GlobalId kernel, llvm::ArrayRef<ParameterLattice> arguments);
  bool keeps(GlobalId kernel, uint32_t parameter) const;

  const CombinedSummary &program;
  const Decisions &decisions;
  const ConstantsSolver &solver;
  /// The premise of the program that fails, as a clause; empty: none does.
  std::string reason;
  /// Allocations, as body and number of the call, of which a kernel may store
  /// the pointer. Looked up only.
  llvm::DenseSet<std::pair<GlobalId, uint64_t>> kept;
};

} // namespace gpulto

#endif
