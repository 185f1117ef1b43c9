//===- ColdnessTransform.cpp - Cold functions, in LTRANS ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/bodies/Passes.h"
#include "summary/Facts.h"

#include "llvm/IR/Function.h"

using namespace llvm;

namespace gpulto {

void transformColdness(Function &function, const FunctionDecisions &decisions) {
  Coldness coldness = decisions.coldness;
  if (coldness == Coldness::Normal || function.hasOptNone())
    return;
  if (coldness == Coldness::Cold)
    function.addFnAttr(Attribute::Cold);
  if (!function.isDeclaration() && !function.hasMinSize())
    function.addFnAttr(Attribute::OptimizeForSize);
}

} // namespace gpulto
