//===- ClonesTransform.cpp - Calls that enter clones, in LTRANS -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A decision names a call by its number in the summary. Bodies are moved and
// copied before it is carried out, so calls are marked as soon as a body has
// been read; metadata goes along with both.
//
//===----------------------------------------------------------------------===//

#include "ipa/clones/ClonesTransform.h"

#include "ipa/bodies/CallMarks.h"
#include "ipa/bodies/Passes.h"
#include "ipa/runtime/CudaRuntime.h"
#include "ipa/values/RuntimeCalls.h"
#include "support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;

namespace gpulto {

void setNumberMark(Instruction &instruction, StringRef mark, uint32_t number) {
  LLVMContext &context = instruction.getContext();
  instruction.setMetadata(
      mark, MDNode::get(context, ConstantAsMetadata::get(ConstantInt::get(
                                     Type::getInt32Ty(context), number))));
}

SmallVector<std::pair<uint32_t, Instruction *>, 8>
takeNumberMarks(Function &function, StringRef mark) {
  SmallVector<std::pair<uint32_t, Instruction *>, 8> marked;
  unsigned kind = function.getContext().getMDKindID(mark);
  for (Instruction &instruction : instructions(function))
    if (MDNode *node = instruction.getMetadata(kind)) {
      auto *number = mdconst::extract<ConstantInt>(node->getOperand(0));
      marked.push_back({uint32_t(number->getZExtValue()), &instruction});
      instruction.setMetadata(kind, nullptr);
    }
  return marked;
}

Error markCalls(Function &function, ArrayRef<uint32_t> numbers,
                ArrayRef<uint32_t> launches, uint32_t callCount) {
  uint32_t number = 0;
  for (Instruction &instruction : instructions(function)) {
    auto *call = dyn_cast<CallBase>(&instruction);
    if (!call || !isCallEdge(*call))
      continue;
    if (is_contained(launches, number) && !launchKindOf(*call))
      return makeError("call " + Twine(number) + " of '" + function.getName() +
                       "' is no launch");
    if (is_contained(numbers, number))
      setNumberMark(*call, kCallMark, number);
    ++number;
  }
  if (number != callCount)
    return makeError("'" + function.getName() + "' has " + Twine(number) +
                     " calls, its summary " + Twine(callCount));
  return Error::success();
}

SmallVector<std::pair<uint32_t, CallBase *>, 8>
takeMarkedCalls(Function &function) {
  SmallVector<std::pair<uint32_t, CallBase *>, 8> calls;
  for (auto [number, call] : takeNumberMarks(function, kCallMark))
    calls.push_back({number, cast<CallBase>(call)});
  return calls;
}

Use &handleOf(CallBase &launch) {
  return launch.getArgOperandUse(handleOperand(*launchKindOf(launch)));
}

bool replaceHandle(Function &body, Function &from, Function &to) {
  bool found = false;
  for (Instruction &instruction : instructions(body)) {
    auto *call = dyn_cast<CallBase>(&instruction);
    if (!call || !launchKindOf(*call) ||
        handleOf(*call)->stripPointerCasts() != &from)
      continue;
    handleOf(*call).set(&to);
    found = true;
  }
  return found;
}

} // namespace gpulto
