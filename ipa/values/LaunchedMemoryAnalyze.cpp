//===- LaunchedMemoryAnalyze.cpp - Memory that launches rely on -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: find memory of which kernels may read any byte at any time, so that
// loads can be moved before the conditions on which they depend.
//
//   float *p;
//   if (cudaMalloc(&p, 4096) != cudaSuccess) return 1;
//   kernel<<<g, b>>>(p); ... cudaFree(p);
//
//   -> in kernel, 4096 bytes from p on can be read
//
// Conditions on the pointer:
//
// 1. It is loaded from a local variable to which only cudaMalloc and its like
//    write, or null is stored; the variable's address goes nowhere else
//    (PointerUses).
// 2. The branch that finds the call successful dominates the load: a failed
//    call leaves null, or the previous value (hasSucceeded).
// 3. Values loaded from the variable go to kernels, to runtime functions that
//    neither free nor keep them, to comparisons and to cudaFree; not to
//    cudaFreeAsync, nor to code that may pass them on (addUse).
// 4. Every path from such a cudaFree to the launch goes through another call of
//    cudaMalloc. A cudaFree after the launch waits until the kernel has run.
//
// Whole-program analysis finds that kernels do not store the pointer, that
// nothing resets the device, and the size (LastingMemoryPropagate.cpp).
//
// Memory of cudaMallocAsync is valid for only one stream. Functions that only
// access memory do so in any stream, so their forms for per-thread default
// streams count; cudaFree has no such form.
//
// Linear in the uses of each variable, which are examined again only for a
// launch whose pointer was loaded before the variable was filled again.
//
// Source: CUDA C++ Programming Guide, "Stream Ordered Memory Allocator":
// cudaFree synchronizes across all streams.
//
//===----------------------------------------------------------------------===//

#include "ipa/bodies/ReachingDefinitions.h"
#include "ipa/runtime/CudaRuntime.h"
#include "ipa/values/LaunchedMemory.h"
#include "ipa/values/RuntimeCalls.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PassManager.h"

using namespace llvm;

namespace gpulto {

namespace {
/// What is done with the memory of one local variable's pointer.
class PointerUses {
public:
  explicit PointerUses(function_ref<bool(const Function &)> isStub)
      : isStub(isStub) {}

  /// Whether all is understood.
  bool collect(const AllocaInst &variable);
  SmallVector<const CallBase *, 4> frees, allocations;

private:
  bool addUse(const Use &use);
  bool addAll(const Value &pointer) {
    return all_of(pointer.uses(), [&](const Use &use) { return addUse(use); });
  }
  function_ref<bool(const Function &)> isStub;
};
} // namespace

/// Whether \p call makes memory that is valid for all streams as soon as it
/// returns.
static bool allocatesForAll(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  return allocationResult(call) &&
         isRuntime(callee->getName(), RuntimeFunction::AllocatesForAll);
}

bool PointerUses::addUse(const Use &use) {
  const User *user = use.getUser();
  if (isa<ICmpInst>(user))
    return true;
  if (isa<GetElementPtrInst, BitCastInst>(user))
    return addAll(*user);
  auto *call = dyn_cast<CallBase>(user);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  if (!callee || !call->isArgOperand(&use))
    return false;
  if (call->isLifetimeStartOrEnd() || call->isDroppable() || isStub(*callee))
    return true;
  if (!callee->isDeclaration())
    return false;
  const RuntimeFunction *known = findRuntimeFunction(callee->getName());
  if (!known)
    return false;
  if (known->has(RuntimeFunction::Frees))
    frees.push_back(call);
  return known->has(RuntimeFunction::Frees) ||
         known->has(RuntimeFunction::OnlyAccesses);
}

bool PointerUses::collect(const AllocaInst &variable) {
  for (const Use &use : variable.uses()) {
    const User *user = use.getUser();
    if (auto *load = dyn_cast<LoadInst>(user)) {
      if (!load->isSimple() || !load->getType()->isPointerTy() ||
          !addAll(*load))
        return false;
      continue;
    }
    if (auto *store = dyn_cast<StoreInst>(user)) {
      if (!store->isSimple() || !isa<ConstantPointerNull>(store->getOperand(0)))
        return false;
      continue;
    }
    auto *call = dyn_cast<CallBase>(user);
    if (!call || !call->isArgOperand(&use))
      return false;
    bool isAllocation = allocationResult(*call) == call->getArgOperandNo(&use);
    if (!isAllocation && !call->isLifetimeStartOrEnd())
      return false;
    if (isAllocation)
      allocations.push_back(call);
  }
  return true;
}

bool hasSucceeded(const CallBase &allocation, const BasicBlock &block,
                  const DominatorTree &dominators) {
  for (const User *test : allocation.users()) {
    auto *compare = dyn_cast<ICmpInst>(test);
    auto *zero =
        compare ? dyn_cast<ConstantInt>(compare->getOperand(1)) : nullptr;
    if (!zero || !zero->isZero() || !compare->isEquality())
      continue;
    unsigned successor = compare->getPredicate() == ICmpInst::ICMP_EQ ? 0 : 1;
    for (const User *user : compare->users()) {
      auto *branch = dyn_cast<BranchInst>(user);
      if (branch && branch->isConditional() &&
          dominators.dominates(BasicBlockEdge(branch->getParent(),
                                              branch->getSuccessor(successor)),
                               &block))
        return true;
    }
  }
  return false;
}

struct LaunchedMemory::Variable {
  explicit Variable(PointerUses uses) : uses(std::move(uses)) {}
  PointerUses uses;
  bool isUnderstood = false;
  /// Its calls of cudaFree, and behind them its allocations.
  std::optional<ReachingDefinitions> changes;
};

LaunchedMemory::LaunchedMemory(Function &function,
                               AnalysisManager<Function> &analyses,
                               function_ref<bool(const Function &)> isStub)
    : function(function), analyses(analyses), isStub(isStub) {}

LaunchedMemory::~LaunchedMemory() = default;

LaunchedMemory::Variable &LaunchedMemory::describe(const AllocaInst &variable) {
  std::unique_ptr<Variable> &entry = variables[&variable];
  if (entry)
    return *entry;
  entry = std::make_unique<Variable>(PointerUses(isStub));
  entry->isUnderstood = entry->uses.collect(variable);
  std::vector<Definition> changes;
  for (const auto *list : {&entry->uses.frees, &entry->uses.allocations})
    for (const CallBase *call : *list)
      changes.push_back({call->getParent(), call, Definition::Kind::Sets,
                         static_cast<uint32_t>(changes.size())});
  entry->changes.emplace(changes, function, analyses);
  return *entry;
}

/// Whether what \p allocation has left in \p variable may have been freed when
/// \p launch executes.
bool LaunchedMemory::isFreedBefore(Variable &variable, const CallBase &launch,
                                   const CallBase &allocation) {
  const PointerUses &uses = variable.uses;
  ReachingSet last = variable.changes->before(launch);
  auto isFree = [&](uint32_t id) { return id < uses.frees.size(); };
  if (uses.frees.empty() || (last.isKnown && any_of(last.ids, isFree)))
    return !uses.frees.empty();
  if (last.isKnown && all_of(last.ids, [&](uint32_t id) {
        return uses.allocations[id - uses.frees.size()] == &allocation;
      }))
    return false;
  // The variable may have been filled again in the meantime.
  SmallVector<Definition, 4> frees{
      {allocation.getParent(), nullptr, Definition::Kind::Forgets}};
  for (const CallBase *free : uses.frees)
    if (free->getParent() != allocation.getParent() ||
        !free->comesBefore(&allocation))
      frees.push_back({free->getParent(), free});
  ReachingSet freed =
      ReachingDefinitions(frees, function, analyses).before(launch);
  return !freed.isKnown || !freed.ids.empty();
}

bool LaunchedMemory::lasts(const Value &pointer, const CallBase &launch,
                           const CallBase &allocation) {
  auto *load = dyn_cast<LoadInst>(&pointer);
  auto *variable =
      load ? dyn_cast<AllocaInst>(load->getPointerOperand()) : nullptr;
  bool isPointer = variable && !variable->isArrayAllocation() &&
                   variable->getAllocatedType()->isPointerTy();
  if (!isPointer || !allocatesForAll(allocation) ||
      allocation.getArgOperand(*allocationResult(allocation)) != variable)
    return false;
  if (!returnsTwice)
    returnsTwice = function.callsFunctionThatReturnsTwice();
  if (*returnsTwice ||
      !hasSucceeded(allocation, *load->getParent(),
                    analyses.getResult<DominatorTreeAnalysis>(function)))
    return false;
  Variable &uses = describe(*variable);
  return uses.isUnderstood && !isFreedBefore(uses, launch, allocation);
}

} // namespace gpulto
