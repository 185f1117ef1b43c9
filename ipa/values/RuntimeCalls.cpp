//===- RuntimeCalls.cpp - What calls of CUDA's runtime do -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/values/RuntimeCalls.h"

#include "ipa/runtime/CudaRuntime.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace gpulto {

const llvm::Function *calledFunction(const llvm::CallBase &call) {
  return llvm::dyn_cast<llvm::Function>(
      call.getCalledOperand()->stripPointerCasts());
}

const RuntimeFunction *runtimeFunctionOf(const llvm::CallBase &call) {
  const llvm::Function *callee = calledFunction(call);
  return callee && callee->isDeclaration()
             ? findRuntimeFunction(callee->getName())
             : nullptr;
}

std::optional<ZeroTest> zeroTestAtEnd(const llvm::BasicBlock &block) {
  auto *branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  if (!branch || !branch->isConditional())
    return std::nullopt;
  auto *test = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
  auto *zero = test && test->isEquality()
                   ? llvm::dyn_cast<llvm::ConstantInt>(test->getOperand(1))
                   : nullptr;
  if (!zero || !zero->isZero())
    return std::nullopt;
  unsigned ifZero = test->getPredicate() == llvm::ICmpInst::ICMP_EQ ? 0 : 1;
  return ZeroTest{test->getOperand(0), branch->getSuccessor(ifZero),
                  branch->getSuccessor(1 - ifZero)};
}

bool isPush(const llvm::CallBase &call) {
  const llvm::Function *callee = call.getCalledFunction();
  return callee && call.arg_size() == kPushOperands &&
         isRuntime(callee->getName(), RuntimeFunction::PushesLaunch);
}

std::pair<const llvm::CallBase *, const llvm::BasicBlock *>
checkedPush(const llvm::BasicBlock &block) {
  std::optional<ZeroTest> test = zeroTestAtEnd(block);
  auto *push = test ? llvm::dyn_cast<llvm::CallBase>(test->value) : nullptr;
  if (!push || !isPush(*push))
    return {};
  return {push, test->ifZero};
}

std::optional<LaunchKind> launchKindOf(const llvm::CallBase &call) {
  constexpr unsigned kOperands = 8, kExOperands = 3, kDeviceOperands = 6;
  const llvm::Function *callee = call.getCalledFunction();
  if (!callee)
    return std::nullopt;
  std::optional<LaunchKind> kind = launchKindOf(callee->getName());
  bool isOfDevice = call.getModule()->getTargetTriple().isNVPTX();
  if ((kind == LaunchKind::Device) != isOfDevice)
    return std::nullopt;
  unsigned operands = kind == LaunchKind::RuntimeExC ? kExOperands
                      : kind == LaunchKind::Device   ? kDeviceOperands
                                                     : kOperands;
  return call.arg_size() == operands ? kind : std::nullopt;
}

std::optional<uint64_t> launchBufferBytes(const llvm::CallBase &call) {
  constexpr unsigned kOperands = 2, kSize = 1; // alignment, size
  const llvm::Function *callee = call.getCalledFunction();
  if (!callee || call.arg_size() != kOperands ||
      !call.getModule()->getTargetTriple().isNVPTX() ||
      !isRuntime(callee->getName(), RuntimeFunction::MakesLaunchBuffer))
    return std::nullopt;
  auto *size = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(kSize));
  return size ? std::optional(size->getZExtValue()) : std::nullopt;
}

bool addsKernelNode(const llvm::CallBase &call) {
  const llvm::Function *callee = call.getCalledFunction();
  return callee && callee->isDeclaration() &&
         isRuntime(callee->getName(), RuntimeFunction::AddsKernelNode) &&
         call.arg_size() == kNodeParamsOperand + 1;
}

/// Returns what is known of the function of the runtime that \p call calls, by
/// its name and, where that tells it from others, its number of arguments; null
/// if that is nothing.
static const RuntimeFunction *calledRuntime(const llvm::CallBase &call) {
  const RuntimeFunction *function = runtimeFunctionOf(call);
  return function && function->arguments == call.arg_size() ? function
                                                            : nullptr;
}

std::optional<unsigned> allocationResult(const llvm::CallBase &call) {
  const RuntimeFunction *function = calledRuntime(call);
  return function && function->has(RuntimeFunction::Allocates)
             ? std::optional(0u)
             : std::nullopt;
}

const llvm::CallBase *asAllocation(const llvm::Instruction &instruction) {
  auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call && allocationResult(*call) ? call : nullptr;
}

uint64_t resultBytes(const llvm::CallBase &call, unsigned index,
                     const llvm::DataLayout &layout) {
  if (allocationResult(call) == index)
    return layout.getPointerSize();
  const llvm::Function *callee = call.getCalledFunction();
  if (index != 0 || !callee || !callee->isDeclaration())
    return 0;
  const RuntimeFunction *function = findRuntimeFunction(callee->getName());
  return function ? function->resultBytes : 0;
}

CopyAccess copyAccess(const llvm::CallBase &call, unsigned index) {
  const RuntimeFunction *function = calledRuntime(call);
  if (!function)
    return CopyAccess::None;
  return function->writes == int(index)  ? CopyAccess::Writes
         : function->reads == int(index) ? CopyAccess::Reads
                                         : CopyAccess::None;
}

const RuntimeFunction *symbolCopy(const llvm::CallBase &call) {
  const RuntimeFunction *function = runtimeFunctionOf(call);
  return function && function->offset != RuntimeFunction::kNone &&
                 static_cast<unsigned>(function->offset) < call.arg_size()
             ? function
             : nullptr;
}

} // namespace gpulto
