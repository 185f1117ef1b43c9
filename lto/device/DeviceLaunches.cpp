//===- DeviceLaunches.cpp - Kernels that launch kernels -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
//   %b = call ptr @__cudaCDP2GetParameterBuffer(i64 64, i64 12)
//   if (%b) {
//     store ptr %p, ptr %b
//     store i32 7, ptr (%b + 8)
//     call i32 @__cudaCDP2LaunchDevice(ptr @child, ptr %b, dim3 %grid,
//                                      dim3 %block, i32 0, ptr %stream)
//   }
//
// becomes, where SROA removes %a and the copy,
//
//   store ptr %p, ptr %a                                  ; alloca [12 x i8]
//   store i32 7, ptr (%a + 8)
//   %b = call ptr @__cudaCDP2GetParameterBufferV2(ptr @child, dim3 %grid,
//                                                 dim3 %block, i32 0)
//   if (%b) {
//     copy %a to %b
//     call i32 @__cudaCDP2LaunchDeviceV2(ptr %b, ptr %stream)
//   }
//
// Source: CUDA C++ Programming Guide, "Kernel launch from PTX" and
// "Device-side launches"; cuda_device_runtime_api.h.
//
//===----------------------------------------------------------------------===//

#include "lto/device/DeviceLaunches.h"

#include "lto/partition/LtransPlans.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace gpulto {

namespace {
/// Operands of the first form of the launch.
enum Operand : unsigned { Kernel, Buffer, Grid, Block, SharedBytes, Stream };
constexpr unsigned kOperands = 6;

/// A launch in the first form, with the call that made its buffer.
struct Launch {
  CallInst *buffer = nullptr;
  CallInst *launch = nullptr;
  uint64_t bytes = 0;
};
} // namespace

/// Whether \p call is of the device runtime's function __cudaCDP2<name>. At -O0
/// it is of its wrapper in CUDA's header, `_ZL16cudaLaunchDevicePvS_...`, which
/// is not inlined.
static bool isNamed(const CallInst &call, StringRef name) {
  const Function *callee = call.getCalledFunction();
  if (!callee)
    return false;
  StringRef found = callee->getName();
  if (!callee->hasLocalLinkage())
    return found.consume_front("__cudaCDP2") && found == name;
  unsigned length = 0;
  if (!found.consume_front("_ZL") || found.consumeInteger(10, length))
    return false;
  found = found.take_front(length);
  return found.consume_front("cuda") && found == name;
}

/// Whether all that is done with \p address, which lies in a buffer, is to
/// write there, to compare it, and to launch. Adds launches to \p launches.
static bool isOnlyFilled(Value &address,
                         SmallVectorImpl<CallInst *> &launches) {
  return all_of(address.uses(), [&](Use &use) {
    User *user = use.getUser();
    if (isa<GetElementPtrInst>(user))
      return isOnlyFilled(*user, launches);
    if (auto *compare = dyn_cast<ICmpInst>(user))
      return isa<ConstantPointerNull>(compare->getOperand(1));
    if (isa<StoreInst>(user))
      return use.getOperandNo() == StoreInst::getPointerOperandIndex();
    if (auto *copy = dyn_cast<MemIntrinsic>(user))
      return use.getOperandNo() == 0 && !copy->isVolatile();
    auto *call = dyn_cast<CallInst>(user);
    if (!call || use.getOperandNo() != Buffer ||
        call->arg_size() != kOperands || !call->use_empty() ||
        (!isNamed(*call, "LaunchDevice") &&
         !isNamed(*call, "LaunchDevice_ptsz")))
      return false;
    launches.push_back(call);
    return true;
  });
}

/// Returns the launch whose buffer \p call makes, if it is clang's.
static std::optional<Launch> findLaunch(CallInst &call) {
  if (!isNamed(call, "GetParameterBuffer") || call.arg_size() != 2)
    return std::nullopt;
  auto *bytes = dyn_cast<ConstantInt>(call.getArgOperand(1));
  SmallVector<CallInst *, 1> launches;
  if (!bytes || !isOnlyFilled(call, launches) || launches.size() != 1 ||
      launches.front()->getArgOperand(Buffer) != &call)
    return std::nullopt;
  return Launch{&call, launches.front(), bytes->getZExtValue()};
}

/// Calls the device runtime's function \p name with the operands \p from of
/// \p launch behind \p first, and with their attributes: `byval` decides how a
/// grid is passed.
static CallInst *callRuntime(IRBuilder<> &builder, StringRef name, Type *result,
                             const CallInst &launch, ArrayRef<Value *> first,
                             ArrayRef<unsigned> from) {
  SmallVector<Value *> operands(first);
  SmallVector<AttributeSet> attributes(first.size());
  for (unsigned operand : from) {
    operands.push_back(launch.getArgOperand(operand));
    attributes.push_back(launch.getAttributes().getParamAttrs(operand));
  }
  SmallVector<Type *> types;
  for (Value *operand : operands)
    types.push_back(operand->getType());
  LLVMContext &context = builder.getContext();
  auto list = AttributeList::get(
      context,
      AttributeSet::get(context,
                        AttrBuilder(context).addAttribute(Attribute::NoUnwind)),
      AttributeSet(), attributes);
  FunctionCallee callee =
      builder.GetInsertBlock()->getModule()->getOrInsertFunction(
          ("__cudaCDP2" + name).str(),
          FunctionType::get(result, types, /*isVarArg=*/false), list);
  CallInst *call = builder.CreateCall(callee, operands);
  call->setAttributes(list);
  return call;
}

static void rewrite(const Launch &found) {
  // The buffer's alignment is that of the strictest parameter, at most.
  const Align bufferAlign(16), argumentsAlign(64);
  auto [buffer, launch, bytes] = found;
  Function &function = *launch->getFunction();
  IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
  AllocaInst *arguments =
      builder.CreateAlloca(ArrayType::get(builder.getInt8Ty(), bytes));
  arguments->setAlignment(argumentsAlign);
  buffer->replaceAllUsesWith(arguments);
  buffer->eraseFromParent();

  builder.SetInsertPoint(launch);
  Value *made =
      callRuntime(builder, "GetParameterBufferV2", builder.getPtrTy(), *launch,
                  {launch->getArgOperand(Kernel)}, {Grid, Block, SharedBytes});
  Instruction *then = SplitBlockAndInsertIfThen(builder.CreateIsNotNull(made),
                                                launch, /*Unreachable=*/false);
  builder.SetInsertPoint(then);
  builder.CreateMemCpy(made, bufferAlign, arguments, argumentsAlign, bytes);
  callRuntime(builder,
              isNamed(*launch, "LaunchDevice") ? "LaunchDeviceV2"
                                               : "LaunchDeviceV2_ptsz",
              builder.getInt32Ty(), *launch, {made}, {Stream});
  launch->eraseFromParent();
  function.addFnAttr(kChangedAttribute);
}

void launchInSecondForm(Module &module) {
  SmallVector<Launch> launches;
  for (Function &function : module)
    for (User *user : function.users())
      if (auto *call = dyn_cast<CallInst>(user);
          call && call->getCalledFunction() == &function)
        if (std::optional<Launch> launch = findLaunch(*call))
          launches.push_back(*launch);
  for (const Launch &launch : launches)
    rewrite(launch);
}

} // namespace gpulto
