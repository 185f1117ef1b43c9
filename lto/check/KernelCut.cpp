//===- KernelCut.cpp - Some kernels of a device partition -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/check/KernelCut.h"

#include "ipa/runtime/KernelAnnotations.h"
#include "lto/codegen/Optimizer.h"
#include "lto/ptx/PtxNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"

using namespace llvm;

namespace gpulto {

/// NVPTX: of a block, gone with it.
static constexpr unsigned kSharedSpace = 3;

std::vector<Function *> kernelsOf(Module &partition) {
  std::vector<Function *> kernels;
  for (Function &function : partition)
    if (!function.isDeclaration() && KernelAnnotations(function).isKernel())
      kernels.push_back(&function);
  return kernels;
}

std::vector<GlobalValue *> reachedFrom(Function &kernel) {
  std::vector<GlobalValue *> reached;
  SmallPtrSet<Constant *, 32> seen = {&kernel};
  SmallVector<Constant *> work = {&kernel};
  auto visit = [&](const Use &use) {
    auto *constant = dyn_cast<Constant>(use.get());
    if (constant && !isa<ConstantData>(constant) &&
        seen.insert(constant).second)
      work.push_back(constant);
  };
  while (!work.empty()) {
    Constant *constant = work.pop_back_val();
    if (auto *value = dyn_cast<GlobalValue>(constant))
      reached.push_back(value);
    for (const Use &use : constant->operands())
      visit(use);
    if (auto *function = dyn_cast<Function>(constant))
      for (const Instruction &instruction : instructions(*function))
        for (const Use &use : instruction.operands())
          visit(use);
  }
  return reached;
}

/// Returns whether \p value, which a kernel refers to, may be there twice.
static bool mayBeCopied(const GlobalValue &value) {
  if (value.isDeclaration())
    return true;
  if (auto *function = dyn_cast<Function>(&value))
    return function->hasLocalLinkage() && !function->hasAddressTaken();
  auto *variable = dyn_cast<GlobalVariable>(&value);
  if (!variable)
    return false;
  // Others stay one: variables that the program knows, and those of
  // KernelReach::variables.
  return !variable->isConstant() || !variable->hasLocalLinkage() ||
         variable->hasAtLeastLocalUnnamedAddr();
}

/// Returns whether \p value is the partition's own and keeps what one kernel
/// writes for another.
static bool isMemoryOfPartition(const GlobalValue &value) {
  auto *variable = dyn_cast<GlobalVariable>(&value);
  return variable && variable->hasLocalLinkage() && !variable->isConstant() &&
         variable->getAddressSpace() != kSharedSpace;
}

KernelReaches findReaches(Module &partition) {
  KernelReaches reaches;
  for (Function *kernel : kernelsOf(partition)) {
    KernelReach &reach = reaches[ptxName(kernel->getName())];
    for (const GlobalValue *value : reachedFrom(*kernel)) {
      if (isMemoryOfPartition(*value))
        reach.variables.insert(value->getName().str());
      if (value == kernel || mayBeCopied(*value))
        continue;
      if (isa<GlobalAlias>(value) || !value->hasLocalLinkage())
        reach.isSeparable = false;
      else
        reach.fixtures.insert(ptxName(value->getName()));
    }
  }
  return reaches;
}

std::set<std::string> findLasting(const Module &partition) {
  std::set<std::string> names;
  for (const Function &function : partition)
    if (!function.isDeclaration() && function.hasAddressTaken())
      names.insert(ptxName(function.getName()));
  for (const GlobalVariable &variable : partition.globals())
    if (!variable.isDeclaration())
      names.insert(ptxName(variable.getName()));
  return names;
}

KernelCut::KernelCut(Module &partition, TargetMachine &machine,
                     const std::set<std::string> &names)
    : partition(partition), machine(machine) {
  SmallPtrSet<GlobalValue *, 32> usedByOthers;
  SetVector<GlobalValue *> used;
  SmallVector<Function *> others;
  for (Function *kernel : kernelsOf(partition)) {
    std::vector<GlobalValue *> reached = reachedFrom(*kernel);
    if (names.count(ptxName(kernel->getName()))) {
      used.insert(reached.begin(), reached.end());
      continue;
    }
    usedByOthers.insert(reached.begin(), reached.end());
    others.push_back(kernel);
  }
  for (GlobalValue *value : used)
    if (usedByOthers.contains(value) &&
        ((isa<Function>(value) && value->hasLocalLinkage()) ||
         isMemoryOfPartition(*value))) {
      value->setLinkage(GlobalValue::ExternalLinkage);
      value->setVisibility(GlobalValue::HiddenVisibility);
      pinned.push_back(value);
    }
  for (Function *kernel : others)
    kernel->setLinkage(GlobalValue::InternalLinkage);
  dropUnused();
}

void KernelCut::finish() {
  for (GlobalValue *value : pinned)
    value->setLinkage(GlobalValue::InternalLinkage); // resets visibility
  dropUnused();
}

void KernelCut::dropUnused() {
  runPasses(partition, machine, OptimizationLevel::O2, [](PassBuilder &) {
    ModulePassManager passes;
    passes.addPass(GlobalDCEPass());
    return passes;
  });
}

} // namespace gpulto
