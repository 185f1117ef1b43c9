//===- ForeignCalls.cpp - Inlining from one module into another -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/partition/ForeignCalls.h"

#include "ipa/bodies/CallMarks.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gpulto {

/// Takes the mark off \p call. Returns whether it bore one.
static bool takeMark(CallBase &call) {
  if (!call.getMetadata(kInlineMark))
    return false;
  call.setMetadata(kInlineMark, nullptr);
  return true;
}

void decideForeignCalls(Module &partition,
                        const DenseMap<const Function *, size_t> &modules) {
  for (Function &function : partition) {
    auto own = modules.find(&function);
    for (Instruction &instruction : llvm::instructions(function)) {
      auto *call = dyn_cast<CallBase>(&instruction);
      if (!call || takeMark(*call) || own == modules.end() ||
          function.hasProfileData())
        continue;
      const Function *callee = call->getCalledFunction();
      if (!callee || callee->isDeclaration() ||
          callee->hasFnAttribute(Attribute::AlwaysInline) ||
          call->hasFnAttr(Attribute::AlwaysInline))
        continue;
      auto other = modules.find(callee);
      if (other != modules.end() && other->second != own->second)
        call->setIsNoInline();
    }
  }
}

} // namespace gpulto
