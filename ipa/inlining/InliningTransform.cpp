//===- InliningTransform.cpp - Calls to be inlined, in LTRANS -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/inlining/InliningTransform.h"

#include "ipa/bodies/CallMarks.h"
#include "ipa/bodies/Passes.h"
#include "support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;

namespace gpulto {

Error markInlining(Function &function, ArrayRef<uint32_t> numbers,
                   uint32_t callCount) {
  MDNode *mark = MDNode::get(function.getContext(), {});
  uint32_t number = 0;
  for (Instruction &instruction : instructions(function)) {
    auto *call = dyn_cast<CallBase>(&instruction);
    if (!call || !isCallEdge(*call))
      continue;
    // A call that was indirect has no decision, but may get a known callee.
    if (call->isIndirectCall() || llvm::binary_search(numbers, number))
      call->setMetadata(kInlineMark, mark);
    ++number;
  }
  if (number != callCount && !numbers.empty())
    return makeError("'" + function.getName() + "' has " + Twine(number) +
                     " calls, its summary " + Twine(callCount));
  return Error::success();
}

} // namespace gpulto
