//===- DeviceObjects.cpp - Local objects in registers ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: keep objects of one thread in registers.
//
//   struct Queue {
//     float keys[3];
//     __device__ void add(float key);     // keys[0] = key ...; merge() if full
//     __device__ void merge();            // 1,000 instructions
//   };
//   Queue queue;
//   for (...) queue.add(values[i]);
//
// A callee that gets the address of a local object keeps it in local memory,
// also for each access in the caller, since LLVM's SROA cannot see through a
// call. LLVM's inliner considers only accesses in the callee, and has one size
// limit for all callees. Here a call is always inlined if that lets SROA turn
// an object into registers:
//
// 1. The address goes, at constant offsets, to accesses, copies of known size
//    and direct calls of functions that have a body here and may be inlined,
//    and from there likewise (ObjectUses). An object indexed by a variable
//    stays in memory in any case.
// 2. It is small enough for registers (kMaxObjectBytes), and the callees for
//    being copied (areSmall). None calls itself.
// 3. The call is not where the thread ends (isCold).
//
// nvcc inlines all such callees, whatever their size. AMDGPU's back end raises
// the inliner's limit for them (adjustInliningThreshold, ArgAllocaCost).
//
// Linear in uses, except that a callee is examined for each object that it
// gets.
//
//===----------------------------------------------------------------------===//

#include "lto/device/DeviceObjects.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gpulto {

namespace {

/// What a thread's 255 registers hold.
constexpr uint64_t kMaxObjectBytes = 1020;

/// Instructions of IR: LLVM's limit (2,475 in units of 5 for an instruction,
/// twice that for what looks profitable) is 500 to 1,000 of what is left of
/// them.
constexpr unsigned kMaxCallee = 4000;
/// Of all copies that one object asks for.
constexpr unsigned kMaxGrowth = 20000;

/// Follows the address of a local object.
class ObjectUses {
public:
  explicit ObjectUses(FunctionAnalysisManager &analyses) : analyses(analyses) {}

  /// Whether nothing but calls keeps the object at \p pointer in memory.
  bool follow(const Value &pointer) {
    return all_of(pointer.uses(), [&](const Use &use) { return add(use); });
  }
  /// The calls that get its address.
  SmallVector<CallBase *, 4> calls;

private:
  bool add(const Use &use);
  bool addCall(CallBase &call, const Use &use);
  bool mayInline(const CallBase &call) const;

  FunctionAnalysisManager &analyses;
  /// Arguments that have been looked at, or are being.
  SmallPtrSet<const Argument *, 8> seen;
  /// Functions that are being looked at.
  SmallPtrSet<const Function *, 4> entered;
};

} // namespace

/// Whether the callee is there, and LLVM's inliner may inline it: of a call
/// that is always inlined it does not ask whether attributes fit.
bool ObjectUses::mayInline(const CallBase &call) const {
  Function *callee = call.getCalledFunction();
  return callee && !callee->isDeclaration() && !callee->hasOptNone() &&
         !call.isNoInline() &&
         AttributeFuncs::areInlineCompatible(*call.getCaller(), *callee) &&
         analyses.getResult<TargetIRAnalysis>(*callee).areInlineCompatible(
             call.getCaller(), callee);
}

bool ObjectUses::addCall(CallBase &call, const Use &use) {
  if (call.isLifetimeStartOrEnd() || call.isDroppable())
    return true;
  if (auto *memory = dyn_cast<MemIntrinsic>(&call))
    return isa<ConstantInt>(memory->getLength()) && !memory->isVolatile();
  if (!call.isArgOperand(&use) || !mayInline(call) ||
      call.isByValArgument(call.getArgOperandNo(&use)))
    return false;
  const Function &callee = *call.getCalledFunction();
  unsigned number = call.getArgOperandNo(&use);
  if (number >= callee.arg_size() || entered.contains(&callee))
    return false; // of other arguments than it has; recursion
  calls.push_back(&call);
  const Argument &argument = *callee.getArg(number);
  if (!seen.insert(&argument).second)
    return true;
  entered.insert(&callee);
  bool isFollowed = follow(argument);
  entered.erase(&callee);
  return isFollowed;
}

bool ObjectUses::add(const Use &use) {
  User *user = use.getUser();
  if (auto *load = dyn_cast<LoadInst>(user))
    return load->isSimple();
  if (auto *store = dyn_cast<StoreInst>(user))
    return store->isSimple() &&
           use.getOperandNo() == StoreInst::getPointerOperandIndex();
  if (auto *step = dyn_cast<GetElementPtrInst>(user))
    return step->hasAllConstantIndices() && follow(*step);
  if (isa<BitCastInst, AddrSpaceCastInst>(user))
    return follow(*user);
  auto *call = dyn_cast<CallBase>(user);
  return call && addCall(*call, use);
}

static bool isCold(const CallBase &call) {
  return isa<UnreachableInst>(call.getParent()->getTerminator());
}

/// Has \p call inlined whatever its callee's size. Returns whether that is new.
static bool inlineAlways(CallBase &call) {
  if (call.hasFnAttr(Attribute::AlwaysInline) || isCold(call))
    return false;
  call.addFnAttr(Attribute::AlwaysInline);
  return true;
}

/// Whether the callees of \p calls are small enough to be copied.
static bool areSmall(ArrayRef<CallBase *> calls) {
  unsigned growth = 0;
  for (const CallBase *call : calls) {
    unsigned size = call->getCalledFunction()->getInstructionCount();
    growth += size;
    if (size > kMaxCallee || growth > kMaxGrowth)
      return false;
  }
  return true;
}

PreservedAnalyses PreferRegistersPass::run(Module &module,
                                           ModuleAnalysisManager &analyses) {
  FunctionAnalysisManager &functions =
      analyses.getResult<FunctionAnalysisManagerModuleProxy>(module)
          .getManager();
  const DataLayout &layout = module.getDataLayout();
  bool changed = false;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      auto *object = dyn_cast<AllocaInst>(&instruction);
      if (!object || !object->isStaticAlloca())
        continue;
      std::optional<TypeSize> size = object->getAllocationSize(layout);
      ObjectUses uses(functions);
      if (!size || size->getFixedValue() > kMaxObjectBytes ||
          !uses.follow(*object) || !areSmall(uses.calls))
        continue;
      for (CallBase *call : uses.calls)
        changed |= inlineAlways(*call);
    }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace gpulto
